"""The class hierarchy that a system answers with: as JSON, or as an ontology."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, RDFS, NamedNode, Term
from kgprobe.ontology.hierarchy import ClassHierarchy
from kgprobe.reasoners.protocol import Hierarchy

__all__ = ["hierarchy_in_graph", "hierarchy_in_json"]

_Pairs: TypeAlias = list[tuple[NamedNode, NamedNode]]
_EXTREMES = frozenset({OWL.Thing, OWL.Nothing})


def hierarchy_in_json(value: object) -> Hierarchy | bool:
    """From a mapping of classes to lists of classes above them; False stands for a contradiction.

    ValueError if it is neither. What follows from the pairs counts as said, so they may be the direct ones or all.
    """
    if value is False:
        return False
    if not isinstance(value, Mapping):
        raise TypeError("it is no object")
    pairs: _Pairs = []
    classes: list[NamedNode] = []
    for name, above in value.items():
        lower = _class(name)
        classes.append(lower)
        if not isinstance(above, list | tuple | set | frozenset):
            raise TypeError(f"the superclasses of {name} are no array")
        pairs += [(lower, _class(upper)) for upper in above]
    return _hierarchy(pairs, classes)


def hierarchy_in_graph(graph: Graph) -> Hierarchy | bool:
    """From what an ontology states of named classes. ValueError if it is not about classes at all."""
    pairs: _Pairs = []
    classes: list[NamedNode] = []
    is_ontology = False
    for subject, predicate, object_ in graph:
        is_ontology = is_ontology or (predicate == RDF.type and object_ == OWL.Ontology)
        if not isinstance(subject, NamedNode) or not isinstance(object_, NamedNode):
            continue
        if predicate == RDF.type and object_ in (OWL.Class, RDFS.Class):
            classes.append(subject)
        elif predicate == RDFS.subClassOf:
            pairs.append((subject, object_))
        elif predicate == OWL.equivalentClass:
            pairs += [(subject, object_), (object_, subject)]
    if not pairs and not classes and not is_ontology:
        raise ValueError("it says nothing about classes")
    return _hierarchy(pairs, classes)


def _class(name: object) -> NamedNode:
    text = str(name)
    bare = text[1:-1] if text.startswith("<") and text.endswith(">") else text
    try:
        return NamedNode(bare)
    except ValueError:
        raise ValueError(f"'{text[:80]}' is not an absolute IRI") from None


def _hierarchy(pairs: _Pairs, classes: Iterable[NamedNode]) -> Hierarchy | bool:
    """The hierarchy that follows from some pairs; False if nothing can exist."""
    stated = ClassHierarchy(pairs, [*classes, *_EXTREMES])
    impossible = {OWL.Nothing, *stated.equivalents(OWL.Nothing), *stated.descendants(OWL.Nothing)}
    if OWL.Thing in impossible:
        return False
    top = {*stated.equivalents(OWL.Thing), *stated.ancestors(OWL.Thing)} - _EXTREMES
    possible = [name for name in stated.classes if name not in impossible and name != OWL.Thing]
    kept: list[tuple[Term, Term]] = [pair for pair in pairs if not impossible & {*pair} and OWL.Thing not in pair]
    kept += [(lower, upper) for upper in top for lower in possible]  # all that exists is below what equals owl:Thing
    found = ClassHierarchy.inferred(kept, possible)
    groups: dict[NamedNode, frozenset[NamedNode]] = {}
    parents: dict[NamedNode, frozenset[NamedNode]] = {}
    for name in _named(possible):
        members = frozenset({name, *_named(found.equivalents(name))})
        if name == min(members, key=str):
            groups[name] = members
            above = _named(found.parents(name))
            parents[name] = frozenset(min({each, *_named(found.equivalents(each))}, key=str) for each in above)
    return Hierarchy(groups, parents, frozenset(_named(impossible)) - _EXTREMES)


def _named(terms: Iterable[Term]) -> list[NamedNode]:
    return [term for term in terms if isinstance(term, NamedNode)]
