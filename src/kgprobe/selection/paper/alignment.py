"""Two versions of an ontology with one numbering of their classes, so that their hierarchies can be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgprobe.graph.terms import Term
from kgprobe.selection.paper.model import NOTHING, THING, OntologyGraph

__all__ = ["Alignment", "align"]

_Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Alignment:
    """The classes of both versions and of one version only, by their numbers, and the subclass edges of each version.

    Beside the edges that a classification gave there are those that hold by definition. Where either version has an
    edge with owl:Thing, all classes are below it in both; without, it is no node. Where either has an edge with
    owl:Nothing, it is below all classes in both, so that an unsatisfiable class is below all classes too.
    """

    common: dict[int, Term]
    added: dict[int, Term]
    deleted: dict[int, Term]
    old_edges: _Numbers
    new_edges: _Numbers
    nodes: int


def align(old: OntologyGraph, new: OntologyGraph) -> Alignment:
    """Match the classes of two versions by their IRIs."""
    numbers = dict(old.numbers)
    renumbered = np.fromiter((numbers.setdefault(each, len(numbers)) for each in new.numbers), dtype=np.int64)
    in_new = np.zeros(len(numbers), dtype=bool)
    in_new[renumbered] = True
    common: dict[int, Term] = {}
    added: dict[int, Term] = {}
    deleted: dict[int, Term] = {}
    for (term, number), is_in_new in zip(numbers.items(), in_new.tolist(), strict=True):
        (added if number >= len(old.numbers) else common if is_in_new else deleted)[number] = term
    has_thing, has_nothing = (
        any((graph.subclass_edges == each).any() for graph in (old, new)) for each in (THING, NOTHING)
    )
    return Alignment(
        common,
        added,
        deleted,
        old_edges=old.hierarchy(has_thing=has_thing, has_nothing=has_nothing),
        new_edges=renumbered[new.hierarchy(has_thing=has_thing, has_nothing=has_nothing)],
        nodes=len(numbers),
    )
