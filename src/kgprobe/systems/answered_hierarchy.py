"""The class hierarchy that a system answers with: as JSON, or as an ontology."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from kgprobe.graph.graph import Graph
from kgprobe.graph.reachability import Condensed, Edges, reached
from kgprobe.graph.terms import OWL, RDF, RDFS, NamedNode
from kgprobe.reasoners.protocol import Hierarchy

__all__ = ["hierarchy_in_graph", "hierarchy_in_json"]

_Pairs: TypeAlias = list[tuple[NamedNode, NamedNode]]
_Groups: TypeAlias = dict[NamedNode, frozenset[NamedNode]]
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
    above: dict[NamedNode, list[NamedNode]] = {name: [] for name in (*classes, *_EXTREMES)}
    below: dict[NamedNode, list[NamedNode]] = defaultdict(list)
    for lower, upper in pairs:
        above.setdefault(lower, []).append(upper)
        above.setdefault(upper, [])
        below[upper].append(lower)
    impossible = reached([OWL.Nothing], lambda name: below.get(name, ()))
    if OWL.Thing in impossible:
        return False
    top = reached([OWL.Thing], above.__getitem__) - _EXTREMES
    possible = [name for name in above if name not in impossible and name != OWL.Thing]
    kept = [pair for pair in pairs if not impossible & {*pair} and OWL.Thing not in pair]
    kept += [(lower, upper) for upper in top for lower in possible]  # all that exists is below what equals owl:Thing
    groups, parents = _direct(possible, kept)
    return Hierarchy(groups, parents, frozenset(impossible) - _EXTREMES)


def _direct(names: list[NamedNode], pairs: _Pairs) -> tuple[_Groups, _Groups]:
    """The groups of equivalent classes, each under its first name, and the names of the groups directly above each."""
    places = {name: place for place, name in enumerate(names)}
    edges = Edges.of([(places[lower], places[upper]) for lower, upper in pairs], len(names))
    condensed = Condensed(edges, range(len(names)))
    members = [frozenset(names[place] for place in component) for component in condensed.members]
    first = [min(each, key=str) for each in members]
    groups = dict(zip(first, members, strict=True))
    parents = [frozenset(first[each] for each in following) for following in condensed.direct()]
    return groups, dict(zip(first, parents, strict=True))
