"""The change from one graph to another, in which the same blank node may have different names.

All work is done on rows of integers that number the terms of both graphs. Rows without blank nodes are compared
directly. For the others, two methods are tried, and the smaller result is used. The first identifies blank nodes by
label, which is right when one graph was made from the other. The second identifies them by content, which is right when
the graphs come from different files, where `_:b1` of one file has nothing to do with `_:b1` of the other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgprobe.rdf.blank_matching import changed_components, with_counterparts, with_new_blanks
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.rows import Numbers, kept_rows, only_in_one
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.table import Interner, Key, KeyTriple, collection_paused
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple

__all__ = ["Versions", "aligned", "changed_rows", "diff"]


@dataclass(frozen=True)
class ChangedRows:
    """The differences between two graphs, as rows with the numbers of a subject, a predicate and an object.

    A component of blank nodes is treated as a unit: if it differs in one row, all its rows are in `gone` and in `come`.
    `gone` has the blank nodes of the old graph, `come` those of the new one.
    """

    terms: list[Term]  # numbered by position: the terms of both graphs, or of all parts that may differ
    is_blank: Numbers  # which of them are blank nodes
    removed: Numbers  # rows without blank nodes
    added: Numbers
    gone: Numbers  # rows with blank nodes
    come: Numbers
    blank: tuple[Numbers, Numbers]  # all rows with blank nodes, of the old and of the new graph
    labels_matter: bool  # a blank node in a quoted triple (RDF 1.2) is compared by label, so then all are
    # For each key of the old and of the new graph's table, its number; None if `terms` lacks some of them.
    of_tables: tuple[Numbers, Numbers] | None = None


def diff(old: Graph, new: Graph) -> Delta:
    """A delta that turns `old` into a graph isomorphic to `new`."""
    with collection_paused():
        terms, removed, added = _difference(old, new)
        return Delta(_triples(terms, removed), _triples(terms, added))


@dataclass(frozen=True)
class Versions:
    """A graph before and after a change, on one table, and the keys of the removed and added triples."""

    old: Graph
    new: Graph
    gone: Sequence[KeyTriple] = ()
    come: Sequence[KeyTriple] = ()

    def removed(self) -> Iterator[Triple]:
        """The triples that only the old version has."""
        return map(self.old.triple, self.gone)

    def added(self) -> Iterator[Triple]:
        """The triples that only the new version has."""
        return map(self.new.triple, self.come)


def aligned(old: Graph, new: Graph, *, whole_components: bool = False) -> Versions:
    """The old graph, and a copy of it with the changes that make it isomorphic to the new one.

    With `whole_components`, connected blank nodes change together: if the new graph lacks a component, all its triples
    are removed, and new components get new blank nodes.
    """
    with collection_paused():
        terms, removed, added = _difference(old, new, whole_components=whole_components)
        used = np.unique(np.concatenate((removed, added))).tolist()
        keys = {number: old.key(terms[number]) for number in used}
        gone, come = ([(keys[s], keys[p], keys[o]) for s, p, o in rows.tolist()] for rows in (removed, added))
        changed = old.copy()
        changed.change(gone, come)
    changed.spelling = Spelling(
        {**old.spelling.prefixes, **new.spelling.prefixes},
        {**old.spelling.language_tags, **new.spelling.language_tags},
    )
    return Versions(old, changed, gone, come)


def _difference(old: Graph, new: Graph, *, whole_components: bool = False) -> tuple[list[Term], Numbers, Numbers]:
    """Terms, and the rows of their numbers to remove and to add."""
    changed = changed_rows(old, new)
    (gone, come), terms = only_in_one(*changed.blank), changed.terms  # if labels identify nodes
    if not changed.labels_matter:
        if whole_components:
            by_content = changed.gone, with_new_blanks(changed.come, changed.is_blank)
        else:
            by_content = only_in_one(changed.gone, with_counterparts(changed.gone, changed.come, changed.is_blank))
        if whole_components or sum(map(len, by_content)) < len(gone) + len(come):
            gone, come = by_content
            terms = [*terms, *_free_labels(old, int(come.max(initial=0)) + 1 - len(terms))]
    return terms, np.concatenate((changed.removed, gone)), np.concatenate((changed.added, come))


def changed_rows(old: Graph, new: Graph) -> ChangedRows:
    """The differences between two graphs. If they share a table, only their changes are compared."""
    return _of_one_table(old, new) if old.table is new.table else _of_two_tables(old, new)


def _of_one_table(old: Graph, new: Graph) -> ChangedRows:
    """Compare only the changes and the components of blank nodes that they touch."""
    changed = [keys for keys in {**old.changed_keys, **new.changed_keys} if old.has(*keys) != new.has(*keys)]
    touched = [key for keys in changed for key in keys if type(old.term(key)) is BlankNode]
    numbers = Interner()
    old_rows, new_rows = (
        [
            [numbers[old.term(key)] for key in keys]
            for keys in {**dict.fromkeys(keys for keys in changed if graph.has(*keys)), **_around(graph, touched)}
        ]
        for graph in (old, new)
    )
    return _compared(list(numbers), _array(old_rows), _array(new_rows))


def _around(graph: Graph, nodes: Iterable[Key]) -> dict[KeyTriple, None]:
    """The rows of all components that have one of these blank nodes.

    The search starts at the nodes, so it does not visit the rest of the graph, as `canonical.components` would.
    """
    triples: dict[KeyTriple, None] = {}

    def neighbours(node: Key) -> Iterator[Key]:
        for row in itertools.chain(graph.rows(s=node), graph.rows(o=node)):
            triples[row] = None
            yield from (key for key in (row[0], row[2]) if type(graph.term(key)) is BlankNode)

    reached(nodes, neighbours)
    return triples


def _of_two_tables(old: Graph, new: Graph) -> ChangedRows:
    """Terms of the old graph's table keep their numbers; all others are numbered after them."""
    known, terms = old.table.numbers, list(old.table.terms)
    of_new = np.array([known.get(term, -1) for term in new.table.terms], dtype=np.int64)
    unknown = np.flatnonzero(of_new < 0)
    of_new[unknown] = len(terms) + np.arange(len(unknown))
    terms += [new.table.terms[key] for key in unknown.tolist()]
    of_tables = np.arange(len(known)), of_new
    # Changes can add terms.
    numbers = Interner(zip(terms, itertools.count()) if old.changed_keys or new.changed_keys else ())
    rows = [_all_rows(graph, numbers, of_table) for graph, of_table in zip((old, new), of_tables, strict=True)]
    diff = _compared(list(numbers) or terms, rows[0], rows[1])
    return replace(diff, of_tables=of_tables)


def _all_rows(graph: Graph, numbers: Interner, number_of: Numbers) -> Numbers:
    """All rows of a graph. `number_of` numbers the terms of its table, and `numbers` numbers all terms."""
    added = [[numbers[graph.term(key)] for key in keys] for keys, is_added in graph.changed_keys.items() if is_added]
    return np.concatenate((number_of[kept_rows(graph)], _array(added)))


def _array(rows: list[list[int]]) -> Numbers:
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def _compared(terms: list[Term], old: Numbers, new: Numbers) -> ChangedRows:
    kinds = list(map(type, terms))
    is_blank = np.array([kind is BlankNode for kind in kinds], dtype=bool)
    old_ground, new_ground = (~(is_blank[rows[:, 0]] | is_blank[rows[:, 2]]) for rows in (old, new))
    removed, added = only_in_one(old[old_ground], new[new_ground])
    old_blank, new_blank = old[~old_ground], new[~new_ground]
    labels_matter = not {NamedNode, BlankNode, Literal}.issuperset(kinds)
    if labels_matter:
        gone, come = only_in_one(old_blank, new_blank)
    else:
        gone, come = changed_components(terms, is_blank, old_blank, new_blank)
    return ChangedRows(terms, is_blank, removed, added, gone, come, (old_blank, new_blank), labels_matter)


def _free_labels(graph: Graph, count: int) -> Iterator[BlankNode]:
    labels = (BlankNode(f"d{number}") for number in itertools.count())
    return itertools.islice((label for label in labels if not graph.mentions(label)), max(0, count))


def _triples(terms: Sequence[Term], rows: Numbers) -> Iterator[Triple]:
    return map(Triple, *([terms[number] for number in column] for column in rows.T.tolist()))
