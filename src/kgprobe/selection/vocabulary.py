"""The terms of graphs, by all names that a test may use: IRIs, CURIEs, OBO identifiers, labels and local names.

Each index is built when a name first needs it. A suite of SPARQL queries names only IRIs, and needs no index.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import accumulate
from typing import Final, TypeAlias

import numpy as np

from kgprobe.errors import nearest
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, TripleTable, collection_paused
from kgprobe.rdf.terms import OBO, RDFS, SKOS, Literal, NamedNode, Term

__all__ = ["Vocabulary"]

MOST_MATCHES: Final = 1000
"""A pattern that more terms match says nothing about the uses of a test."""

_OBO_ID: Final = NamedNode("http://www.geneontology.org/formats/oboInOwl#id")
LABELS: Final = (RDFS.label, SKOS.prefLabel)
_CURIE: Final = re.compile(r"([A-Za-z_][\w.\-]*)?:([^\s<>\"{}|^`\\]+)")
_SCHEMES: Final = ("urn", "tag")  # of IRIs that have no slashes
_MOST_COMPARED: Final = 2000

_Index: TypeAlias = dict[str, tuple[NamedNode, ...]]


class Vocabulary:
    """The meanings of names. A name may mean several terms, all of which count."""

    def __init__(self, graphs: Iterable[Graph], prefixes: Mapping[str, str]) -> None:
        self._graphs = tuple(graphs)
        self.prefixes: Mapping[str, str] = dict(prefixes)

    @classmethod
    def of(cls, *graphs: Graph, prefixes: Mapping[str, str] | None = None) -> Vocabulary:
        """The terms of all these graphs. If their files disagree on a prefix, the first file counts."""
        known: dict[str, str] = {}
        for declared in ({} if prefixes is None else prefixes, *(graph.spelling.prefixes for graph in graphs)):
            known = {**declared, **known}
        return cls(graphs, known)

    def knows(self, term: NamedNode) -> bool:
        """Whether one of the graphs has this term."""
        return any(
            term in graph.table.numbers or bool(graph.changed_keys and graph.mentions(term)) for graph in self._graphs
        )

    def resolve(self, text: str) -> tuple[NamedNode, ...]:
        """The terms that a text names: exact matches if there are any, else matches that ignore case."""
        spelled = self.spelled(text)
        if spelled:
            return spelled
        found = _joined(self._by_label.get(text, ()), self._by_local_name.get(text, ()))
        if found or text.upper() == text.lower():
            return found
        folded = text.casefold()
        indexes = (self._by_label, self._by_folded_label, self._by_local_name, self._by_folded_local_name)
        return _joined(*(index.get(folded, ()) for index in indexes))

    def spelled(self, text: str) -> tuple[NamedNode, ...]:
        """The terms with this IRI, CURIE or OBO identifier. Labels and local names do not count."""
        found = tuple(term for term in self._candidates(text) if self.knows(term))
        if not found and _CURIE.fullmatch(text):
            return self._by_obo_id.get(text, ())
        return found

    def iri(self, text: str) -> NamedNode | None:
        """The IRI that a text gives in full or with a known prefix, whether or not a graph has it."""
        known = self.spelled(text)
        if known:
            return known[0]
        form = _CURIE.fullmatch(text)
        prefix, local = (form[1] or "", form[2]) if form else ("", "")
        is_clear = text.startswith("<") or prefix in self.prefixes or local.startswith("//") or prefix in _SCHEMES
        return next(self._candidates(text), None) if is_clear or (prefix and local.isdigit()) else None

    def matching(self, pattern: str, escape: str | None = None) -> tuple[NamedNode, ...] | None:
        """The terms that an SQL LIKE pattern matches; None if there are too many.

        It is matched with labels and local names, and with IRIs and CURIEs if it looks like part of one.
        """
        names = self._names
        if any(mark in pattern for mark in ":/#") or pattern.startswith(("http", "urn")):
            names = self._long_names
        found = names.matching(pattern, escape, MOST_MATCHES)
        return None if found is None or len(found) > MOST_MATCHES else found

    def has_iri_from(self, start: str) -> bool:
        """Whether the IRI of any term has this start."""
        place = bisect_left(self._sorted_iris, start)
        return place < len(self._sorted_iris) and self._sorted_iris[place].startswith(start)

    def nearest(self, text: str) -> str | None:
        """The name that is closest to a text, if one is close enough."""
        shortest, longest = len(text) - 1 - len(text) // 4, len(text) + 1 + len(text) // 4
        ends = {text[:2].casefold(), text[-2:].casefold()}
        near = [
            name
            for index in (self._by_label, self._by_local_name, self._by_curie)
            for name in index
            if shortest <= len(name) <= longest and not ends.isdisjoint((name[:2].casefold(), name[-2:].casefold()))
        ]
        # If there are too many names to compare, names with the same start are likelier than those with the same end.
        near.sort(key=lambda name: (name[:2].casefold() != text[:2].casefold(), abs(len(name) - len(text)), name))
        return nearest(text, near[:_MOST_COMPARED])

    def names(self) -> Iterator[tuple[str, tuple[NamedNode, ...]]]:
        """All labels, local names and OBO identifiers."""
        for index in (self._by_label, self._by_local_name, self._by_obo_id):
            yield from index.items()

    def _candidates(self, text: str) -> Iterator[NamedNode]:
        """The IRIs that a text can mean by its form, the likeliest first."""
        if text.startswith("<") and text.endswith(">"):
            yield from names_of([text[1:-1]])
            return
        form = _CURIE.fullmatch(text)
        if form is None:
            return
        prefix, local = form[1] or "", form[2]
        if prefix in self.prefixes:
            yield from names_of([self.prefixes[prefix] + local])
        if prefix and not local.startswith("//") and "_" not in local and prefix not in _SCHEMES:
            yield from names_of([f"{OBO.iri}{prefix}_{local}"])
        if prefix:
            yield from names_of([text])

    # -- the indexes ---------------------------------------------------------------------------------------------

    @cached_property
    def _by_label(self) -> _Index:
        return _index(_literals(self._graphs, LABELS))

    @cached_property
    def _by_folded_label(self) -> _Index:
        return _folded(self._by_label)

    @cached_property
    def _by_local_name(self) -> _Index:
        return _index((_local_name(iri), node) for iri, node in self._nodes.items())

    @cached_property
    def _by_folded_local_name(self) -> _Index:
        return _folded(self._by_local_name)

    @cached_property
    def _by_obo_id(self) -> _Index:
        return _index(_literals(self._graphs, (_OBO_ID,)))

    @cached_property
    def _by_curie(self) -> _Index:
        return _index((curie, node) for iri, node in self._nodes.items() for curie in self._curies(iri))

    @cached_property
    def _nodes(self) -> dict[str, NamedNode]:
        """All terms by their IRIs."""
        found: dict[str, NamedNode] = {}
        for terms in {id(graph.table): graph.table.terms for graph in self._graphs}.values():
            found.update({term.value: term for term in terms if type(term) is NamedNode})
        for graph in self._graphs:
            added = (part for keys in graph.changed_keys for part in keys)
            found.update({term.value: term for term in added if type(term) is NamedNode})
        return found

    @cached_property
    def _sorted_iris(self) -> list[str]:
        return sorted(self._nodes)

    @cached_property
    def _names(self) -> NameList:
        return NameList([*self._by_label.items(), *self._by_local_name.items()])

    @cached_property
    def _long_names(self) -> NameList:
        iris = ((iri, (node,)) for iri, node in self._nodes.items())
        return NameList([*self._by_label.items(), *self._by_local_name.items(), *self._by_curie.items(), *iris])

    def _curies(self, iri: str) -> Iterator[str]:
        for prefix, namespace in self.prefixes.items():
            if namespace and iri.startswith(namespace) and iri != namespace:
                yield f"{prefix}:{iri[len(namespace) :]}"
        if iri.startswith(OBO.iri):
            prefix, bar, local = iri[len(OBO.iri) :].partition("_")
            if bar and prefix.isidentifier() and "_" not in local:
                yield f"{prefix}:{local}"


def names_of(iris: Iterable[str]) -> Iterator[NamedNode]:
    """The names with these IRIs. No triple has a text that is not an IRI."""
    for iri in iris:
        with suppress(ValueError):
            yield NamedNode(iri)


def _literals(graphs: Iterable[Graph], predicates: Iterable[NamedNode]) -> Iterator[tuple[str, NamedNode]]:
    """The literals that terms have as values of these predicates."""
    for pairs, term_of in _parts(graphs, predicates):
        for s, o in pairs:
            subject, value = term_of(s), term_of(o)
            if type(subject) is NamedNode and type(value) is Literal:
                yield value.value, subject


def terms_labelled(graph: Graph, labels: Collection[str]) -> dict[str, list[NamedNode]]:
    """The terms that have exactly these labels."""
    found: dict[str, list[NamedNode]] = {}
    for label, term in _literals((graph,), LABELS):  # those of the table, which may have more than the graph
        if label in labels and any(
            isinstance(triple.object, Literal) and triple.object.value == label
            for predicate in LABELS
            for triple in graph.triples(term, predicate)
        ):
            found.setdefault(label, []).append(term)
    return found


def _parts(
    graphs: Iterable[Graph], predicates: Iterable[NamedNode]
) -> Iterator[tuple[Iterable[tuple[Key, Key]], Callable[[Key], Term]]]:
    """The subjects and objects of predicates: once for each table, and then from the changes of each graph."""
    tables: list[TripleTable] = []
    for graph in graphs:
        for predicate in map(graph.key, predicates):
            if graph.table not in tables and isinstance(predicate, int):
                yield _in_table(graph.table, predicate), graph.table.terms.__getitem__  # type: ignore[misc]
            if graph.changed_keys:
                yield (
                    [(s, o) for (s, p, o), added in graph.changed_keys.items() if added and p == predicate],
                    graph.term,
                )
        tables.append(graph.table)


def _in_table(table: TripleTable, predicate: int) -> Iterable[tuple[int, int]]:
    """The subjects and objects of a predicate. One scan of all triples is faster than sorting them by predicate."""
    columns = table.by_subject
    places = np.flatnonzero(np.frombuffer(columns.second, dtype=np.uint32) == predicate)
    starts = np.frombuffer(columns.start, dtype=np.uint32)
    subjects = np.searchsorted(starts, places, side="right") - 1
    objects = np.frombuffer(columns.third, dtype=np.uint32)[places]
    return zip(subjects.tolist(), objects.tolist(), strict=True)


def _index(pairs: Iterable[tuple[str, NamedNode]]) -> _Index:
    found: _Index = {}
    with collection_paused():
        for name, node in pairs:
            known = found.setdefault(name, (node,))
            if known[0] != node and node not in known:
                found[name] = (*known, node)
    found.pop("", None)
    return found


def _folded(index: _Index) -> _Index:
    """The names that case folding changes. All others are in the index itself."""
    changed = ((folded, nodes) for name, nodes in index.items() if (folded := name.casefold()) != name)
    return _index((folded, node) for folded, nodes in changed for node in nodes)


def _local_name(iri: str) -> str:
    """The part of an IRI after its last #, or else after its last slash or colon."""
    for mark in "#/:":
        _, found, local = iri.rpartition(mark)
        if found:
            return local
    return iri


def _joined(*groups: tuple[NamedNode, ...]) -> tuple[NamedNode, ...]:
    return tuple(dict.fromkeys(node for group in groups for node in group))


# -- names that match an SQL LIKE pattern, found without trying the pattern on each name -------------------------------

_END = "\n"


class NameList:
    """Names in one long text. A search for a constant part of a pattern finds the names to try."""

    def __init__(self, named: Sequence[tuple[str, tuple[NamedNode, ...]]]) -> None:
        self._named = named
        folded = [name.casefold().replace(_END, " ") for name, _ in named]
        self._text = _END + "".join(name + _END for name in folded)
        self._starts = list(accumulate((len(name) + 1 for name in folded), initial=1))
        self._known: dict[tuple[str, str | None], tuple[NamedNode, ...] | None] = {}

    def matching(self, pattern: str, escape: str | None, most: int) -> tuple[NamedNode, ...] | None:
        """The nodes with matching names, in order; None if a pattern has no constant part or too many matches."""
        key = (pattern, escape)
        if key not in self._known:
            self._known[key] = self._search(pattern, escape, most)
        return self._known[key]

    def _search(self, pattern: str, escape: str | None, most: int) -> tuple[NamedNode, ...] | None:
        segments = _segments(pattern, escape)
        constants = [part for segment in segments for part in segment if part is not None]
        if not constants:
            return None
        constant = max(constants, key=len)
        whole = compiled(pattern, escape)
        wanted = constant.casefold().replace(_END, " ")
        if segments[0] and segments[0][0] == constant:  # then a name starts with it
            wanted = _END + wanted
        found: dict[NamedNode, None] = {}
        for number in self._with(wanted):
            name, nodes = self._named[number]
            if whole.fullmatch(name):
                found.update(dict.fromkeys(nodes))
                if len(found) > most:
                    return None
        return tuple(found)

    def _with(self, wanted: str) -> Iterator[int]:
        """The numbers of the names that contain this text."""
        place = self._text.find(wanted)
        while place >= 0:
            # A match that starts with a line end belongs to the next line.
            number = bisect_right(self._starts, place + 1 if wanted[0] == _END else place) - 1
            yield number
            place = self._text.find(wanted, self._starts[number + 1] - 1)


def compiled(pattern: str, escape: str | None = None) -> re.Pattern[str]:
    """The regular expression for a LIKE pattern, ignoring case, as in SQLite and MySQL.

    The text between two `%` matches at its first occurrence, without backtracking, so that no pattern is slow.
    """
    first, *others = (
        "".join("." if part is None else re.escape(part) for part in segment) for segment in _segments(pattern, escape)
    )
    middle = "".join(f"(?>.*?{other})" for other in others[:-1] if other)
    last = f".*{others[-1]}" if others else ""
    return re.compile(first + middle + last, re.IGNORECASE | re.DOTALL)


def _segments(pattern: str, escape: str | None) -> list[list[str | None]]:
    """The segments of a pattern between its `%`: constant texts, and None for each `_`."""
    segments: list[list[str | None]] = [[]]
    constant = ""

    def finish() -> None:
        nonlocal constant
        if constant:
            segments[-1].append(constant)
        constant = ""

    characters = iter(pattern)
    for character in characters:
        if character == escape:
            constant += next(characters, "")
        elif character == "%":
            finish()
            segments.append([])
        elif character == "_":
            finish()
            segments[-1].append(None)
        else:
            constant += character
    finish()
    return segments
