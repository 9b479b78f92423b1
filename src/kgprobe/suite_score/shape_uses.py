"""The triples that the verdict of a SHACL shape depends on: those with a predicate of its paths, targets and pairs.

Only shapes with the parameters of SHACL Core are read. A shape with anything else may depend on every triple.
"""

from __future__ import annotations

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, RDFS, SH, NamedNode, Term
from kgprobe.selection.tests import TestUse
from kgprobe.sparql.uses import ANYTHING, AnyUse, Slot, TripleUse

__all__ = ["shape_uses"]

# Values that are shapes, paths or lists of them.
_INNER = ("property", "node", "and", "or", "not", "xone", "qualifiedValueShape")
_PATHS = ("path", "inversePath", "alternativePath", "zeroOrMorePath", "oneOrMorePath", "zeroOrOnePath")
# Values that are predicates of the data.
_PREDICATES = ("equals", "disjoint", "lessThan", "lessThanOrEquals", "targetSubjectsOf", "targetObjectsOf")
_CLASSES = ("class", "targetClass")
# Values that only terms are compared with, or that nothing depends on.
_PLAIN = (
    *("targetNode", "datatype", "nodeKind", "hasValue", "in", "languageIn", "uniqueLang", "pattern", "flags"),
    *("minCount", "maxCount", "minLength", "maxLength", "minInclusive", "maxInclusive", "minExclusive", "maxExclusive"),
    *("qualifiedMinCount", "qualifiedMaxCount", "qualifiedValueShapesDisjoint", "ignoredProperties"),
    *("message", "severity", "name", "description", "order", "group", "defaultValue", "deactivated"),
)


def shape_uses(shape: Term, shapes: Graph) -> tuple[TestUse, ...]:
    """What the shape, and those that it refers to, can see of a graph."""
    found: set[NamedNode] = set()
    pending, seen = [shape], {shape}
    for node in pending:
        for _, predicate, value in (map(shapes.term, row) for row in shapes.rows(shapes.key(node))):
            used = _used(predicate, value)
            if used is None:
                return (AnyUse("shape"),)
            found |= used
            is_path = predicate in _PATH_PREDICATES
            if is_path and isinstance(value, NamedNode):
                found.add(value)
            elif (is_path or predicate in _FOLLOWED) and value not in seen:
                seen.add(value)
                pending.append(value)
    found -= {RDF.nil}
    return tuple(TripleUse(ANYTHING, Slot(frozenset([each])), ANYTHING) for each in sorted(found, key=str))


_PATH_PREDICATES = frozenset(SH[name] for name in _PATHS)
# A list can be one of shapes or of paths. The predicates of a path are found as members of a list.
_FOLLOWED = frozenset([*(SH[name] for name in _INNER), RDF.first, RDF.rest])
_NAMED = frozenset(SH[name] for name in _PREDICATES)
_HIERARCHY = frozenset([RDF.type, RDFS.subClassOf])
_OF_CLASSES = frozenset(SH[name] for name in _CLASSES)
_IDLE = frozenset([*(SH[name] for name in _PLAIN), RDFS.label, RDFS.comment, RDFS.seeAlso, RDFS.isDefinedBy])


def _used(predicate: Term, value: Term) -> set[NamedNode] | None:
    """The predicates of the data that a triple of a shape names; None if the shape may see anything."""
    if predicate in _NAMED or predicate == RDF.first:
        return {value} if isinstance(value, NamedNode) else set()
    if predicate in _OF_CLASSES:
        return set(_HIERARCHY)
    if predicate == RDF.type:  # a shape that is a class targets its members
        return set() if value in (SH.NodeShape, SH.PropertyShape) else set(_HIERARCHY)
    if predicate in _IDLE or predicate in _FOLLOWED or predicate in _PATH_PREDICATES:
        return set()
    return None
