"""Makes a mask from the axioms of an ontology: SHACL shapes that hold a graph to its own axioms.

Axioms imply facts, under an open world; shapes forbid facts, under a closed world. So an axiom becomes a shape only if
it can be read as a requirement on stated facts: a domain requires a stated type, and a functional property requires at
most one stated value. The result lists the axioms that are left out, and why. Shapes that the graph itself violates are
also left out: the graph is always admissible under its own mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import pyoxigraph

from kgprobe.errors import one_line
from kgprobe.masks.results import named_above
from kgprobe.masks.shacl import DEFAULT_ENGINE, ENGINES
from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.owl.expression import (
    Argument,
    Expression,
    is_headed,
    name,
    number,
    without_annotations,
)
from kgprobe.owl.meaning import simpler
from kgprobe.owl.wording import in_words
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, SH, XSD, BlankNode, NamedNode

__all__ = ["mask_from_axioms"]

_MASK = "urn:kgprobe:mask:"
# A limit, because every mutant is checked against all shapes.
MOST_SHAPES = 5_000
# Why axioms are left out: the text after "axioms".
_FOLLOWS = "that only imply facts and forbid nothing"
_BEYOND = "that SHACL Core cannot express"
_NO_TARGET = "whose left side is not a named class, so that a shape has no target"
_NAMES = "about which names mean the same thing, which shapes cannot check"
_VIOLATED = "that the graph itself does not satisfy"
_TOO_MANY = f"beyond the limit of {MOST_SHAPES:,} shapes"
# Axioms of these kinds do not become shapes. Kinds that are not listed here, such as facts, are never candidates.
_WITHOUT_SHAPE = {
    **dict.fromkeys(
        (
            *("SubObjectPropertyOf", "SubDataPropertyOf", "EquivalentObjectProperties", "EquivalentDataProperties"),
            *("InverseObjectProperties", "SymmetricObjectProperty", "TransitiveObjectProperty"),
            *("ReflexiveObjectProperty", "DatatypeDefinition"),
        ),
        _FOLLOWS,
    ),
    **dict.fromkeys(("IrreflexiveObjectProperty", "HasKey", "DLSafeRule"), _BEYOND),
    **dict.fromkeys(("SameIndividual", "DifferentIndividuals"), _NAMES),
}
_Arguments = Sequence[Argument]
_Demands = Iterator[tuple[str, str]]
_NOTHING = "sh:in ()"
# The bounds of each kind, as the ends of SHACL's parameter names (m-in, m-ax).
_CARDINALITIES = {
    f"{of}{kind}Cardinality": bounds
    for of in ("Object", "Data")
    for kind, bounds in (("Min", ("in",)), ("Max", ("ax",)), ("Exact", ("in", "ax")))
}
_INTEGERS = (
    *("integer", "nonPositiveInteger", "negativeInteger", "long", "int", "short", "byte", "nonNegativeInteger"),
    *("unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte", "positiveInteger"),
)
_STRINGS = ("string", "normalizedString", "token", "language", "Name", "NCName", "NMTOKEN")
# For each datatype, the datatypes whose values belong to it. SHACL compares only the names of datatypes.
_WITHIN: dict[NamedNode, tuple[NamedNode, ...]] = {
    XSD.decimal: (XSD.decimal, *(XSD[name] for name in _INTEGERS)),
    XSD.integer: tuple(XSD[name] for name in _INTEGERS),
    XSD.nonNegativeInteger: tuple(XSD[name] for name in (*_INTEGERS[7:12], "positiveInteger")),
    XSD.nonPositiveInteger: (XSD.nonPositiveInteger, XSD.negativeInteger),
    XSD.long: tuple(XSD[name] for name in _INTEGERS[3:7]),
    XSD.string: tuple(XSD[name] for name in _STRINGS),
    XSD.dateTime: (XSD.dateTime, XSD.dateTimeStamp),
    RDF.PlainLiteral: (XSD.string, RDF.langString),
}
_FACETS = {
    **{XSD[name]: name for name in ("minInclusive", "minExclusive", "maxInclusive", "maxExclusive")},
    **{XSD[name]: name for name in ("minLength", "maxLength")},
}


@dataclass(frozen=True)
class LeftOut:
    """Axioms that are not in the mask: how many, why, and one of them in words."""

    count: int
    reason: str
    example: str

    def __str__(self) -> str:
        return f"axioms {self.reason}: {self.count}, for example {self.example}"


@dataclass(frozen=True)
class AxiomMask:
    """The shapes as Turtle, their number, and the axioms that were left out."""

    text: str
    shapes: int
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class _Shape:
    name: str
    target: str
    demands: str
    says: str

    def text(self) -> str:
        return f"# {self.says}\nmask:{self.name} a sh:NodeShape ;\n  {self.target} ;\n  {self.demands} .\n"


def mask_from_axioms(graph: Graph) -> AxiomMask:
    """The mask for a graph from its own axioms."""
    return _Maker(graph).mask()


class _Maker:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._shapes: list[_Shape] = []
        self._left_out: dict[str, list[str]] = {}

    def mask(self) -> AxiomMask:
        for axiom in AxiomView(self._graph):
            self._read(axiom)
        shapes = self._satisfied(self._shapes[:MOST_SHAPES])
        for shape in self._shapes[MOST_SHAPES:]:
            self._leave_out(_TOO_MANY, shape.says)
        left_out = tuple(LeftOut(len(axioms), reason, axioms[0]) for reason, axioms in self._left_out.items())
        return AxiomMask(_document(shapes, left_out), len(shapes), left_out)

    # -- axioms -------------------------------------------------------------------------------------------------------

    def _read(self, axiom: Axiom) -> None:
        if axiom.expression is None:
            return
        stated = without_annotations(axiom.expression)
        head, says = stated.head, one_line(in_words(stated, self._graph))
        if head in _WITHOUT_SHAPE:
            self._leave_out(_WITHOUT_SHAPE[head], says)
        elif head in _READERS or simpler(stated):
            self._add(_demands_of(stated), head, says)

    def _add(self, demands: Iterator[tuple[str, str]], head: str, says: str) -> None:
        """`demands` are pairs of a target and its constraints; an empty text means no constraint."""
        before = len(self._shapes)
        try:
            for target, demand in demands:
                if demand:
                    self._shapes.append(_Shape(f"{head}-{len(self._shapes) + 1}", target, demand, says))
        except NotExpressibleError as error:
            self._leave_out(str(error), says)
        else:
            if len(self._shapes) == before:
                self._leave_out(_FOLLOWS, says)

    def _leave_out(self, reason: str, says: str) -> None:
        self._left_out.setdefault(reason, []).append(says)

    # -- the graph itself ---------------------------------------------------------------------------------------------

    def _satisfied(self, shapes: Sequence[_Shape]) -> Sequence[_Shape]:
        """The shapes that the graph satisfies."""
        while shapes:
            text = _document(shapes, ())
            parsed = pyoxigraph.parse(text.encode(), pyoxigraph.RdfFormat.TURTLE)
            shapes_graph = Graph(quad.triple for quad in parsed)
            results = ENGINES[DEFAULT_ENGINE](shapes_graph, "mask", None).results(self._graph)
            violated = {named_above(result.shape, shapes_graph) for result in results}
            if not violated:
                return shapes
            names = {term.value.removeprefix(_MASK) for term in violated if term is not None}
            for shape in shapes:
                if shape.name in names:
                    self._leave_out(_VIOLATED, shape.says)
            shapes = [shape for shape in shapes if shape.name not in names]
        return shapes


def _of_subjects(prop: object) -> str:
    if isinstance(prop, Expression):  # ObjectInverseOf
        return f"sh:targetObjectsOf {prop.args[0]}"
    return f"sh:targetSubjectsOf {prop}"


def _domain(arguments: _Arguments) -> _Demands:
    prop, class_ = arguments
    yield _of_subjects(prop), in_class(class_)


def _data_range(arguments: _Arguments) -> _Demands:
    prop, values = arguments
    yield _of_subjects(prop), on_path(prop, data_range(values))


def _functional(arguments: _Arguments) -> _Demands:
    [prop] = arguments
    yield _of_subjects(prop), on_path(prop, "sh:maxCount 1")


def _asymmetric(arguments: _Arguments) -> _Demands:
    [prop] = arguments
    if isinstance(prop, Expression):  # the inverse of an asymmetric property is also asymmetric
        prop = prop.args[0]
    yield _of_subjects(prop), f"sh:property [ sh:path [ sh:inversePath {prop} ] ; sh:disjoint {prop} ]"


def _disjoint_properties(arguments: _Arguments) -> _Demands:
    for one, other in combinations(arguments, 2):
        if isinstance(other, Expression):
            one, other = other, one
        if isinstance(other, Expression):
            raise NotExpressibleError(_BEYOND)
        yield _of_subjects(one), f"sh:property [ sh:path {path_of(one)} ; sh:disjoint {other} ]"


def _disjoint_classes(arguments: _Arguments) -> _Demands:
    named = [class_ for class_ in arguments if isinstance(class_, NamedNode)]
    others = [class_ for class_ in arguments if not isinstance(class_, NamedNode)]
    for place, class_ in enumerate(named):
        rest = (*named[place + 1 :], *others)
        if rest:
            yield f"sh:targetClass {class_}", and_(f"sh:not [ {in_class(other)} ]" for other in rest)
    if len(others) > 1:
        raise NotExpressibleError(_NO_TARGET)


def _sub_class(arguments: _Arguments) -> _Demands:
    lower, upper = arguments
    if not isinstance(lower, NamedNode):
        raise NotExpressibleError(_NO_TARGET)
    if lower == OWL.Thing:
        raise NotExpressibleError("about everything, for which a shape has no target")
    for part in upper.args if is_headed(upper, "ObjectIntersectionOf") else (upper,):
        if not isinstance(part, NamedNode) or part == OWL.Nothing:  # any other name only implies types
            yield f"sh:targetClass {lower}", in_class(part)


def _equivalent_classes(arguments: _Arguments) -> _Demands:
    for class_ in arguments:
        if isinstance(class_, NamedNode):
            for other in arguments:
                if not isinstance(other, NamedNode):
                    yield from _sub_class((class_, other))


def _negative_assertion(arguments: _Arguments) -> _Demands:
    prop, subject, object_ = arguments
    if not isinstance(subject, NamedNode) or isinstance(object_, pyoxigraph.BlankNode):
        raise NotExpressibleError("about a blank node, which a shape cannot name")
    yield f"sh:targetNode {subject}", f"sh:not [ {on_path(prop, f'sh:hasValue {object_}')} ]"


# The other axioms are explained by these.
_READERS: Mapping[str, Callable[[_Arguments], _Demands]] = {
    "SubClassOf": _sub_class,
    "EquivalentClasses": _equivalent_classes,
    "DisjointClasses": _disjoint_classes,
    "ObjectPropertyDomain": _domain,
    "DataPropertyDomain": _domain,
    "DataPropertyRange": _data_range,
    "FunctionalObjectProperty": _functional,
    "FunctionalDataProperty": _functional,
    "AsymmetricObjectProperty": _asymmetric,
    "DisjointObjectProperties": _disjoint_properties,
    "DisjointDataProperties": _disjoint_properties,
    "NegativeObjectPropertyAssertion": _negative_assertion,
    "NegativeDataPropertyAssertion": _negative_assertion,
}


def _demands_of(axiom: Expression) -> _Demands:
    reader = _READERS.get(axiom.head)
    if reader is not None:
        yield from reader(axiom.args)
    else:
        for part in simpler(axiom):
            yield from _demands_of(part)


def _document(shapes: Iterable[_Shape], left_out: Iterable[LeftOut]) -> str:
    prefixes = [f"@prefix {name}: <{iri}> ." for name, iri in (("sh", SH.iri), ("mask", _MASK))]
    head = "# Shapes for what the axioms of the graph say, read as demands on what a graph states."
    notes = [f"# Left out: {omission}" for omission in left_out]
    return "\n".join([head, *notes, *prefixes, "", *(shape.text() for shape in shapes)])


class NotExpressibleError(Exception):
    """An axiom that no shape can express. The text is the reason, worded to follow "axioms"."""


def and_(parts: Iterable[str]) -> str:
    """All of the constraints on one node. Empty ones require nothing."""
    needed = [part for part in parts if part]
    if len(needed) < 2:
        return needed[0] if needed else ""
    return f"sh:and ( {' '.join(f'[ {part} ]' for part in needed)} )"


def in_class(expression: object) -> str:
    """Constraints for instances of a class; empty for owl:Thing."""
    if expression == OWL.Thing:
        return ""
    if expression == OWL.Nothing:
        return _NOTHING
    if isinstance(expression, NamedNode):
        return f"sh:class {expression}"
    if not isinstance(expression, Expression):
        raise NotExpressibleError(_BEYOND)
    head, arguments = expression.head, expression.args
    if head in _CARDINALITIES:
        count, prop, *fillers = arguments
        return _counted(head, number(count), prop, fillers)
    if head in ("ObjectSomeValuesFrom", "DataSomeValuesFrom"):
        return _counted(
            "ObjectMinCardinality" if head.startswith("Object") else "DataMinCardinality", 1, *_split(arguments)
        )
    if head in ("ObjectAllValuesFrom", "DataAllValuesFrom"):
        prop, [filler] = _split(arguments)
        return on_path(prop, in_class(filler) if head.startswith("Object") else data_range(filler))
    if head in ("ObjectHasValue", "DataHasValue"):
        prop, [value] = _split(arguments)
        return on_path(prop, f"sh:hasValue {_named(value)}")
    return _combined(head, arguments, in_class)


def data_range(expression: object) -> str:
    """Constraints for values in a data range; empty if it has all values."""
    if isinstance(expression, NamedNode):
        return _datatype(expression)
    if not isinstance(expression, Expression):
        raise NotExpressibleError(_BEYOND)
    head, arguments = expression.head, expression.args
    if head == "DatatypeRestriction":
        base, *facets = arguments
        parts = [data_range(base)]
        for facet, value in zip(facets[::2], facets[1::2], strict=True):
            if facet not in _FACETS:
                raise NotExpressibleError("with facets that SHACL Core does not have")
            parts.append(f"sh:{_FACETS[name(facet)]} {value}")
        return and_(parts)
    return _combined(head, arguments, data_range)


def on_path(prop: object, demands: str) -> str:
    """Constraints on the values of a property; empty if there are none."""
    return f"sh:property [ sh:path {path_of(prop)} ; {demands} ]" if demands else ""


def path_of(prop: object) -> str:
    """A property, or the inverse of one, as a path."""
    if isinstance(prop, Expression):
        return f"[ sh:inversePath {prop.args[0]} ]"
    return str(prop)


def _combined(head: str, arguments: Sequence[object], part: Callable[[object], str]) -> str:
    """A Boolean combination, or an enumeration."""
    if head.endswith("OneOf"):
        return f"sh:in ( {' '.join(map(_named, arguments))} )"
    if head.endswith("IntersectionOf"):
        return and_(map(part, arguments))
    if head.endswith("UnionOf"):
        parts = list(map(part, arguments))
        return f"sh:or ( {' '.join(f'[ {part} ]' for part in parts)} )" if all(parts) else ""
    if head.endswith("ComplementOf"):
        inner = part(arguments[0])
        return f"sh:not [ {inner} ]" if inner else _NOTHING
    raise NotExpressibleError(_BEYOND)


def _counted(head: str, count: int, prop: object, fillers: Sequence[object]) -> str:
    filler = (in_class if head.startswith("Object") else data_range)(fillers[0]) if fillers else ""
    words = [f"{'qualifiedM' if filler else 'm'}{bound}Count" for bound in _CARDINALITIES[head]]
    bounds = [f"sh:{word} {count}" for word in words if count or "ax" in word]  # "at least 0" requires nothing
    if not bounds:
        return ""
    return on_path(prop, " ; ".join([*([f"sh:qualifiedValueShape [ {filler} ]"] if filler else []), *bounds]))


def _split(arguments: Sequence[Argument]) -> tuple[Argument, list[Argument]]:
    if len(arguments) != 2:
        raise NotExpressibleError(_BEYOND)  # a restriction on several data properties together
    return arguments[0], [arguments[1]]


def _datatype(name: NamedNode) -> str:
    if name == RDFS.Literal:
        return "sh:nodeKind sh:Literal"
    if not name.value.startswith((XSD.iri, RDF.iri)):
        raise NotExpressibleError("with datatypes that SHACL does not know")
    within = _WITHIN.get(name, (name,))
    if len(within) == 1:
        return f"sh:datatype {name}"
    return f"sh:or ( {' '.join(f'[ sh:datatype {datatype} ]' for datatype in within)} )"


def _named(term: object) -> str:
    if isinstance(term, BlankNode):
        raise NotExpressibleError("about a blank node, which a shape cannot name")
    return str(term)
