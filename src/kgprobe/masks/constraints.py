"""The constraints of SHACL Core that lookups can decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from kgprobe.masks.evaluation import Shape, Site, View, Violation, conforms, violations_at
from kgprobe.masks.paths import Inverse, Lookups, Predicate, values
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import RDF, RDFS, SH, XSD, BlankNode, Literal, NamedNode, Term

# Whether one value passes.
ValueTest: TypeAlias = Callable[[View, Key], bool]


@dataclass(frozen=True)
class EachValue:
    """Each value must pass a test."""

    component: str
    passes: ValueTest

    def violations(self, site: Site) -> Iterator[Violation]:
        for value in site.values:
            if not self.passes(site.view, value):
                yield site.violation(self.component, value)


@dataclass(frozen=True)
class MinCount:
    """There must be at least this many values."""

    count: int

    def violations(self, site: Site) -> Iterator[Violation]:
        if len(site.values) < self.count:
            yield site.violation("MinCount")


@dataclass(frozen=True)
class MaxCount:
    """There must be at most this many values."""

    count: int

    def violations(self, site: Site) -> Iterator[Violation]:
        if len(site.values) > self.count:
            yield site.violation("MaxCount")


@dataclass(frozen=True)
class HasValue:
    """One of the values must be this."""

    term: Term

    def violations(self, site: Site) -> Iterator[Violation]:
        if not site.has_value(self.term):
            yield site.violation("HasValue")


@dataclass(frozen=True)
class Properties:
    """Each value must conform to a property shape, whose results are reported one by one."""

    shape: Shape

    def violations(self, site: Site) -> Iterator[Violation]:
        for value in site.values:
            yield from violations_at(self.shape, site.view, value)


@dataclass(frozen=True)
class AtLeastQualified:
    """At least this many values must conform to a shape.

    If there are enough, the verdict rests on these few values. Changes to the others, of which there may be thousands,
    do not matter.
    """

    shape: Shape
    count: int

    def violations(self, site: Site) -> Iterator[Violation]:
        if self.count and not self._are_enough(site):
            yield site.violation("QualifiedMinCount")

    def _are_enough(self, site: Site) -> bool:
        path = site.shape.path
        assert path is not None  # noqa: S101 - the reader of shapes ensures it
        listing = site.view.attempt()
        attempts: list[View] = [listing]
        witnesses: list[tuple[Key, View]] = []
        for value in values(path, listing, site.focus):
            attempt = site.view.attempt()
            attempts.append(attempt)
            if conforms(self.shape, attempt, value):
                witnesses.append((value, attempt))
            if len(witnesses) == self.count:
                self._rely_on(witnesses, listing, site)
                return True
        for attempt in attempts:
            site.view.keep(attempt)
        return False

    def _rely_on(self, witnesses: list[tuple[Key, View]], listing: View, site: Site) -> None:
        for value, attempt in witnesses:
            site.view.keep(attempt)
            match site.shape.path:
                case Predicate(iri):
                    site.view.rely_on(site.focus, site.view.key(iri), value)
                case Inverse(Predicate(iri)):
                    site.view.rely_on(value, site.view.key(iri), site.focus)
                case _:
                    site.view.keep(listing)


@dataclass(frozen=True)
class AtMostQualified:
    """At most this many values may conform to a shape."""

    shape: Shape
    count: int

    def violations(self, site: Site) -> Iterator[Violation]:
        if sum(conforms(self.shape, site.view, value) for value in site.values) > self.count:
            yield site.violation("QualifiedMaxCount")


@dataclass(frozen=True)
class UniqueLang:
    """No two values may have the same language."""

    def violations(self, site: Site) -> Iterator[Violation]:
        terms = [site.view.term(value) for value in site.values]
        languages = Counter(term.language for term in terms if isinstance(term, Literal) and term.language)
        for count in languages.values():
            if count > 1:
                yield site.violation("UniqueLang")


@dataclass(frozen=True)
class Equals:
    """The values must be the objects of another predicate."""

    predicate: NamedNode

    def violations(self, site: Site) -> Iterator[Violation]:
        others = site.view.objects(site.focus, site.view.key(self.predicate))
        for value in (*(v for v in site.values if v not in others), *(o for o in others if o not in site.values)):
            yield site.violation("Equals", value)


@dataclass(frozen=True)
class Disjoint:
    """No value may be an object of another predicate."""

    predicate: NamedNode

    def violations(self, site: Site) -> Iterator[Violation]:
        others = site.view.objects(site.focus, site.view.key(self.predicate))
        for value in site.values:
            if value in others:
                yield site.violation("Disjoint", value)


@dataclass(frozen=True)
class EachPair:
    """Each value must have a given relation to each object of another predicate."""

    component: str
    predicate: NamedNode
    passes: Callable[[Term, Term], bool]

    def violations(self, site: Site) -> Iterator[Violation]:
        others = site.view.objects(site.focus, site.view.key(self.predicate))
        for value in site.values:
            if not all(self.passes(site.view.term(value), site.view.term(other)) for other in others):
                yield site.violation(self.component, value)


@dataclass(frozen=True)
class Closed:
    """A node may have only these predicates."""

    allowed: frozenset[NamedNode]

    def violations(self, site: Site) -> Iterator[Violation]:
        for value in site.values:
            for _, p, o in site.view.about(value):
                predicate = site.view.term(p)
                if predicate not in self.allowed:
                    assert isinstance(predicate, NamedNode)  # noqa: S101 - RDF requires it
                    yield site.violation("Closed", o)._replace(path=Predicate(predicate))


# -- tests of one value ------------------------------------------------------------------------------------------


def instance_of(class_: NamedNode) -> ValueTest:
    """Whether a type of a value is this class or one of its subclasses."""
    return lambda view, value: is_instance(view, value, view.key(class_))


def is_instance(graph: Lookups, node: Key, class_: Key) -> bool:
    """Whether a type of the node is this class or one of its subclasses, as `sh:class` has it."""
    types = graph.objects(node, graph.key(RDF.type))
    if class_ in types:
        return True
    sub_class_of = graph.key(RDFS.subClassOf)
    return class_ in reached(types, lambda type_: graph.objects(type_, sub_class_of))


_KINDS: dict[NamedNode, tuple[type, ...]] = {
    SH.IRI: (NamedNode,),
    SH.BlankNode: (BlankNode,),
    SH.Literal: (Literal,),
    SH.BlankNodeOrIRI: (BlankNode, NamedNode),
    SH.BlankNodeOrLiteral: (BlankNode, Literal),
    SH.IRIOrLiteral: (NamedNode, Literal),
}


def of_kind(kind: NamedNode) -> ValueTest:
    """Whether a value is of this node kind."""
    return lambda view, value: isinstance(view.term(value), _KINDS[kind])


def is_one_of(terms: tuple[Term, ...]) -> ValueTest:
    """Whether a value is one of these."""
    wanted = frozenset(terms)
    return lambda view, value: view.term(value) in wanted


def has_length(least: int, most: float) -> ValueTest:
    """Whether the length of a value's text is within these bounds; a blank node has no text."""

    def passes(view: View, value: Key) -> bool:
        term = view.term(value)
        return not isinstance(term, BlankNode) and least <= len(term.value) <= most

    return passes


def has_language(ranges: tuple[str, ...]) -> ValueTest:
    """Whether a value is in one of these languages, or in a variant of one."""
    wanted = tuple(language.lower() for language in ranges)

    def passes(view: View, value: Key) -> bool:
        term = view.term(value)
        language = term.language.lower() if isinstance(term, Literal) and term.language else None
        return language is not None and any(language == known or language.startswith(f"{known}-") for known in wanted)

    return passes


def conforms_to_all(shapes: tuple[Shape, ...]) -> ValueTest:
    return lambda view, value: all(conforms(shape, view, value) for shape in shapes)


def conforms_to_any(shapes: tuple[Shape, ...]) -> ValueTest:
    return lambda view, value: any(conforms(shape, view, value) for shape in shapes)


def conforms_to_one(shapes: tuple[Shape, ...]) -> ValueTest:
    return lambda view, value: sum(conforms(shape, view, value) for shape in shapes) == 1


def does_not_conform_to(shape: Shape) -> ValueTest:
    return lambda view, value: not conforms(shape, view, value)


# -- tests of one value that do not depend on a graph: types, order, regular expressions -------------------------------

_P, _Q = NamedNode("urn:kgprobe:p"), NamedNode("urn:kgprobe:q")
# A stream of mutants can have any number of new values.
_MOST_ANSWERS = 100_000
_PLAIN = (XSD.string, RDF.langString)


def passes_alone(parameters: dict[str, Term]) -> ValueTest:
    """Whether a value passes the constraint with these parameters."""
    given = "".join(f"; {SH[name]} {value}" for name, value in parameters.items())
    ask = _asked(f"<urn:kgprobe:s> {SH.targetObjectsOf} {_P} {given} .")
    answer = lru_cache(_MOST_ANSWERS)(lambda term: ask(f"<urn:kgprobe:x> {_P} {term} ."))
    return lambda view, value: answer(view.term(value))


def of_datatype(datatype: NamedNode) -> ValueTest:
    """Whether a value is a well-formed literal of this type."""
    is_well_formed = passes_alone({"datatype": datatype})

    def passes(view: View, value: Key) -> bool:
        term = view.term(value)
        if not isinstance(term, Literal) or term.datatype != datatype:
            return False
        return datatype in _PLAIN or is_well_formed(view, value)

    return passes


def related(parameter: str) -> Callable[[Term, Term], bool]:
    """Whether one value is less than (or equal to) another, as sh:lessThan and sh:lessThanOrEquals require."""
    ask = _asked(
        f"<urn:kgprobe:s> {SH.targetNode} <urn:kgprobe:x> ; {SH.property} <urn:kgprobe:t> ."
        f" <urn:kgprobe:t> {SH.path} {_P} ; {SH[parameter]} {_Q} ."
    )
    return lru_cache(_MOST_ANSWERS)(lambda value, other: ask(f"<urn:kgprobe:x> {_P} {value} ; {_Q} {other} ."))


def _asked(shapes: str) -> Callable[[str], bool]:
    import shifty  # imported here because most commands have no shapes

    validator = shifty.PreparedValidator(shapes.encode())

    def ask(data: str) -> bool:
        return validator.validate_algebra(
            data.encode(), graph_mode="data", infer=False, on_unsupported="error"
        ).conforms

    return ask
