"""Converts OWL class expressions and data ranges to SHACL constraints in Turtle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kgprobe.graph.axioms.expression import Argument, Expression, name, number
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, BlankNode, NamedNode

__all__ = ["NotExpressibleError", "and_", "data_range", "in_class", "on_path", "path_of"]

_BEYOND = "that SHACL Core cannot express"
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
        return f"sh:or ( {' '.join(f'[ {each} ]' for each in parts)} )" if all(parts) else ""
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
    return f"sh:or ( {' '.join(f'[ sh:datatype {each} ]' for each in within)} )"


def _named(term: object) -> str:
    if isinstance(term, BlankNode):
        raise NotExpressibleError("about a blank node, which a shape cannot name")
    return str(term)
