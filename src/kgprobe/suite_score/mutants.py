"""The mutants of an ontology: each axiom taken out once, or random applications of operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.mutation.operator import Operator
from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.owl.expression import Argument, parts_of, split_annotations
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.owl.wording import axiom_in_words
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.reduction.removals import is_idle
from kgprobe.suite_score.model import Change

_ANNOTATIONS = ("AnnotationAssertion", "SubAnnotationPropertyOf", "AnnotationPropertyDomain", "AnnotationPropertyRange")
_STRUCTURE = ("Declaration", "Ontology", "Import", "Variable")
# Types that declare a name in RDFS and OWL 1. OWL 2 ignores them beside its own.
_DECLARING = frozenset(
    [
        RDFS.Class,
        RDF.Property,
        RDF.List,
        OWL.DataRange,
        OWL.OntologyProperty,
        OWL.DeprecatedClass,
        OWL.DeprecatedProperty,
    ]
)
# Vocabularies of annotations that many ontologies use without declaring them.
_METADATA = ("http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/")
# Names for single triples that the axiom view does not read as an axiom, for example without declarations.
_LOOSE = {
    RDFS.subClassOf: "SubClassOf",
    OWL.equivalentClass: "EquivalentClasses",
    OWL.disjointWith: "DisjointClasses",
    RDFS.subPropertyOf: "SubPropertyOf",
    OWL.equivalentProperty: "EquivalentProperties",
    OWL.inverseOf: "InverseObjectProperties",
    RDFS.domain: "PropertyDomain",
    RDFS.range: "PropertyRange",
    RDF.type: "ClassAssertion",
    OWL.sameAs: "SameIndividual",
    OWL.differentFrom: "DifferentIndividuals",
}
_OTHER = "Triples"
_MOST_WORDS = 300  # characters; an axiom can have thousands of members


def axiom_changes(graph: Graph, *, annotations: bool = False) -> list[Change]:
    """One change for each logical axiom, and for each annotation if wanted: its triples are taken out.

    Triples that another axiom needs, such as a class expression that two axioms share, stay.
    """
    known: frozenset[object] = frozenset(
        triple.subject for triple in graph.triples(None, RDF.type, OWL.AnnotationProperty)
    )
    header = _header(graph)
    found: list[Change] = []
    for axiom in AxiomView(graph):
        for part in _parts(axiom):
            is_annotation = _is_annotation(part, known, header)
            if annotations or not is_annotation:
                kind = _type_of(part) if is_annotation else _type_of_fact(part)
                found.append(_without(part, kind, graph, len(found)))
    return found


def operator_changes(graph: Graph, operators: Sequence[Operator], count: int, seed: int) -> list[Change]:
    """Mutants with one application of an operator each; fewer if no more can be found."""
    made = Generator(graph, [Weighted(operator) for operator in operators], mutations=1, seed=seed).mutants(count)
    view = _Following(graph)
    return [
        Change(number, mutant.delta, mutant.steps[0].operator, view.describing(mutant.delta))
        for number, mutant in enumerate(made)
    ]


# -- axioms --------------------------------------------------------------------------------------------------------


def _parts(axiom: Axiom) -> Iterator[Axiom]:
    """The axiom; or, of triples that are not one axiom, each that states something, with the blank nodes it alone has.

    Two classes that are below the same restriction share its blank node, which OWL 2 does not allow but files have.
    """
    if axiom.expression is not None:
        if axiom.head not in _STRUCTURE:
            yield axiom
        return
    roots = [triple for triple in axiom.triples if isinstance(triple.subject, NamedNode)]
    if len(roots) < 2:
        if not (len(axiom.triples) == 1 and _is_declaring(axiom.triples[0])):
            yield axiom
        return
    about: dict[object, list[Triple]] = {}
    for triple in axiom.triples:
        about.setdefault(triple.subject, []).append(triple)
    structures = {root: _structure(root, about) for root in roots}
    users = Counter(node for nodes in structures.values() for node in nodes)
    for root, nodes in structures.items():
        own = [triple for node in nodes if users[node] == 1 for triple in about[node]]
        if not _is_declaring(root):
            yield Axiom(None, (root, *sorted(own, key=str)))


def _is_declaring(triple: Triple) -> bool:
    return triple.predicate == RDF.type and triple.object in _DECLARING


def _structure(root: Triple, about: dict[object, list[Triple]]) -> list[Term]:
    """The blank nodes below a triple."""
    nodes = reached(_blank_objects([root]), lambda node: _blank_objects(about.get(node, ())))
    return [node for node in nodes if node in about]


def _blank_objects(triples: Iterable[Triple]) -> Iterator[Term]:
    return (triple.object for triple in triples if isinstance(triple.object, BlankNode))


def _header(graph: Graph) -> frozenset[object]:
    """The names of ontologies, and the blank nodes of what is said about them, such as an author."""
    ontologies = map(graph.term, graph.subjects(graph.key(RDF.type), graph.key(OWL.Ontology)))
    return frozenset(reached(ontologies, lambda node: _blank_objects(graph.triples(node))))


def _is_annotation(axiom: Axiom, known: frozenset[object], header: frozenset[object]) -> bool:
    first = axiom.triples[0]
    if isinstance(first.subject, BlankNode) and first.subject in header:
        return True
    if axiom.expression is None:
        return first.predicate in known
    if axiom.head in _ANNOTATIONS[1:]:
        return True
    if axiom.head != "AnnotationAssertion":
        return False
    # In data that declares nothing, every triple looks like an annotation.
    if is_idle(axiom, known) or first.predicate.value.startswith(_METADATA):
        return True
    return any(triple.subject in header for triple in axiom.triples)


def _without(axiom: Axiom, kind: str, graph: Graph, number: int) -> Change:
    def describe() -> tuple[str, str, str]:
        return f"- {_words(axiom, graph)}", kind, about(axiom, graph)

    return Change(number, Delta(removed=axiom.triples), kind, describe)


def _type_of(axiom: Axiom) -> str:
    return axiom.head or _LOOSE.get(axiom.triples[0].predicate, _OTHER)


def _type_of_fact(axiom: Axiom) -> str:
    """The type of an axiom that is no annotation, although the property of a fact may not be declared."""
    if axiom.head != "AnnotationAssertion":
        return _type_of(axiom)
    return "DataPropertyAssertion" if isinstance(axiom.triples[0].object, Literal) else "ObjectPropertyAssertion"


def _words(axiom: Axiom, graph: Graph) -> str:
    words = " ".join(axiom_in_words(axiom, graph).split())
    return words if len(words) <= _MOST_WORDS else f"{words[: _MOST_WORDS - 1]}…"


# -- what an axiom is about ----------------------------------------------------------------------------------------


def about(axiom: Axiom, graph: Graph) -> str:
    """The IRI of the class or property that an axiom is about; for a fact, the class of its individual, if known.

    For an axiom without a name, the text of its first subject.
    """
    name = _subject(axiom)
    if name is None:
        return graph.spelling.term(axiom.triples[0].subject)
    if axiom.expression is None or axiom.head in _FACTS:
        kinds = sorted(_classes_of(name, graph))
        return kinds[0] if kinds else name.value
    return name.value


_OF_A_PROPERTY = (
    *("ObjectPropertyAssertion", "DataPropertyAssertion", "AnnotationAssertion"),
    *("NegativeObjectPropertyAssertion", "NegativeDataPropertyAssertion"),
)
_FACTS = (*_OF_A_PROPERTY, "SameIndividual", "DifferentIndividuals")


def _classes_of(name: Term, graph: Graph) -> Iterator[str]:
    for triple in graph.triples(name, RDF.type):
        if isinstance(triple.object, NamedNode) and not is_reserved(triple.object):
            yield triple.object.value


def _subject(axiom: Axiom) -> NamedNode | None:
    if axiom.expression is None:
        return next((triple.subject for triple in axiom.triples if isinstance(triple.subject, NamedNode)), None)
    _, arguments = split_annotations(axiom.expression)
    if axiom.head in _OF_A_PROPERTY:
        arguments = arguments[1:]  # the individual comes after the property
    direct = (argument for argument in arguments if isinstance(argument, NamedNode) and not is_reserved(argument))
    return next(direct, None) or next(_names_in(arguments), None)


def _names_in(arguments: Iterable[Argument]) -> Iterator[NamedNode]:
    return (part for part in parts_of(*arguments) if isinstance(part, NamedNode) and not is_reserved(part))


# -- changes by operators ------------------------------------------------------------------------------------------


class _Following:
    """Words for changes, from one view of the axioms that follows them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._view: AxiomView | None = None

    def describing(self, delta: Delta) -> Callable[[], tuple[str, str, str]]:
        return lambda: self._described(delta)

    def _described(self, delta: Delta) -> tuple[str, str, str]:
        if self._view is None:
            self._view = AxiomView(self._graph)
        new = self._graph.copy()
        new.apply(delta)
        change = self._view.follow(new)
        self._view.follow(self._graph)
        gone, come = ([axiom for axiom in side if axiom.triples] for side in (change.gone, change.come))
        lines = [f"- {_words(axiom, self._graph)}" for axiom in gone] + [f"+ {_words(axiom, new)}" for axiom in come]
        if not lines:  # only the kinds of names have changed
            return "; ".join(delta.lines()), _OTHER, ""
        main = min(
            ((axiom, graph) for side, graph in ((gone, self._graph), (come, new)) for axiom in side), key=_weight
        )
        return "; ".join(lines), _type_of(main[0]), about(*main)


def _weight(part: tuple[Axiom, Graph]) -> bool:
    """Axioms with a meaning come before declarations and annotations."""
    return part[0].head in _STRUCTURE or part[0].head in _ANNOTATIONS
