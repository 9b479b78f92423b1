"""What a statement can see if nobody says what the tables hold: the widest reading.

Each row of a stored table is about one term, or about two terms of which one is above the other through any property or
restriction. It may hold anything that the ontology says about them and about the properties between them. So a source
with a restriction that names terms sees their cones; some joins through keys stay there, as does a recursive query that
follows the pairs of one table in one direction. Everything else may be any row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import OBO, RDFS, SKOS, Literal, NamedNode, Term
from kgprobe.selection.cones import Cones, Way
from kgprobe.selection.tests import ColumnOf, Constants, Equal, Source, TablesUse
from kgprobe.selection.vocabulary import NameList
from kgprobe.selection.warehouse.profile import folded, local_name


@dataclass(frozen=True)
class SameTerms:
    """The joins of one statement. `named` has the columns of each source whose constants name terms."""

    sources: Sequence[Source]
    named: Sequence[frozenset[str]]

    def holds(self, number: int, equal: Equal) -> bool:
        """Whether the rows of a source that a join lets pass are about terms in the cones of the named ones."""
        return all(self._stays(number, equal, column) for column in equal.values_of)

    def _stays(self, number: int, equal: Equal, each: ColumnOf) -> bool:
        if each.source == number or any(at.source == number for at in equal.values_of):
            same_table = self.sources[each.source].table == self.sources[number].table
            return same_table and each.column != equal.column
        if not equal.by_key:
            return False
        if equal.is_key or self._is_named(each, frozenset(), is_key=equal.of_keys):
            return True
        origins = list(self._origins(each, self.sources[number].table, frozenset(), is_key=equal.of_keys))
        return bool(origins) and all(at is not None and self._goes_on(at, equal.column) for at in origins)

    def _is_named(self, at: ColumnOf, seen: frozenset[ColumnOf], *, is_key: bool) -> bool:
        """Whether a column holds nothing but the named terms: by itself, or because each row has one term's key."""
        named = self.named[at.source]
        if at.column in named or (is_key and named):
            return True
        return at not in seen and any(
            all(self._is_named(column, seen | {at}, is_key=equal.of_keys) for column in equal.values_of)
            for equal in self.sources[at.source].equal
            if equal.by_key and (equal.column == at.column or (is_key and equal.is_key))
        )

    def _origins(
        self, at: ColumnOf, table: str, seen: frozenset[ColumnOf], *, is_key: bool
    ) -> Iterator[ColumnOf | None]:
        """The columns of a table from which a value comes, if only keys are in between; None for another place."""
        source = self.sources[at.source]
        if source.table == table:
            yield at
            return
        between = [equal for equal in source.equal if is_key and equal.by_key and equal.is_key]
        if not between:
            yield None
        elif at not in seen:
            for column in between[0].values_of:
                yield from self._origins(column, table, seen | {at}, is_key=between[0].of_keys)

    def _goes_on(self, at: ColumnOf, column: str) -> bool:
        """Whether a source was entered by the same column, and left by another."""
        entered = {*self.named[at.source], *(equal.column for equal in self.sources[at.source].equal)}
        return at.column != column and column in entered


# A restriction that so many terms meet says nothing about what is read.
_MOST_TERMS: Final = 1000
_MOST_TEXTS: Final = 2000
_NAMING: Final = (RDFS.label, SKOS.prefLabel, SKOS.altLabel, SKOS.hiddenLabel, SKOS.notation)
_NAMING_IN_OBO: Final = (
    "id",
    "hasAlternativeId",
    *(f"has{kind}Synonym" for kind in ("Exact", "Broad", "Narrow", "Related")),
)
_OBO_IN_OWL: Final = "http://www.geneontology.org/formats/oboInOwl#"


class Regions:
    """The terms that the sources of statements are about, and whether a change touches them."""

    def __init__(self, graphs: Sequence[Graph], cones: Cones) -> None:
        self._graphs = graphs
        self._cones = cones
        self._known: dict[Constants, tuple[NamedNode, ...] | None] = {}

    def way_to(self, use: TablesUse) -> tuple[Way, NamedNode] | bool | None:
        """The path from the change to a term that the statement names; True if it may read any row."""
        found: tuple[Way, NamedNode] | None = None
        named = [
            frozenset(column for column, said in source.constants.items() if self._named(said) is not None)
            for source in use.sources
        ]
        joins = SameTerms(use.sources, named)
        for number in range(len(use.sources)):
            way = self._way(joins, number, frozenset())
            if way is True:
                return True
            if isinstance(way, tuple) and (found is None or len(way[0].path) < len(found[0].path)):
                found = way
        return found

    def _way(self, joins: SameTerms, number: int, around: frozenset[int]) -> tuple[Way, NamedNode] | bool | None:
        """All restrictions of a source must be touched; without one, any change may touch it."""
        source = joins.sources[number]
        found: tuple[Way, NamedNode] | bool = True
        for constants in source.constants.values():
            terms = self._named(constants)
            if terms is not None:
                way = self._nearest(terms)
                if way is None:
                    return None
                found = way
        for equal in source.equal:
            if not joins.holds(number, equal):
                continue
            ways = [
                self._way(joins, column.source, around | {number})
                for column in equal.values_of
                if column.source not in around and column.source != number
            ]
            touched = [way for way in ways if way is not None]
            if not touched:
                return None
            if found is True:
                found = next((way for way in touched if way is True), touched[0])
        return found

    def _nearest(self, terms: Iterable[NamedNode]) -> tuple[Way, NamedNode] | None:
        ways = [(way, term) for term in terms if (way := self._cones.way_to(term)) is not None]
        return min(ways, key=lambda each: len(each[0].path), default=None)

    # -- the terms that a restriction names ----------------------------------------------------------------------

    def _named(self, constants: Constants) -> tuple[NamedNode, ...] | None:
        """The terms that some constants name; None if one of them may stand for anything else."""
        if constants not in self._known:
            self._known[constants] = self._look(constants)
        return self._known[constants]

    def _look(self, constants: Constants) -> tuple[NamedNode, ...] | None:
        texts = dict.fromkeys(sorted(constants.texts))
        found: dict[NamedNode, None] = {}
        for pattern, escape in constants.patterns:
            matching = self._matching(pattern, escape)
            if not matching:
                return None
            found.update(dict.fromkeys(matching))
        for text in texts:
            meant = self._by_text.get(folded(text), ())
            if not meant or not any(self._is_name(key, text) for key in meant):
                return None
            for key in meant:
                found.update(dict.fromkeys(self._subjects(key)))
            if len(found) > _MOST_TERMS:
                return None
        return tuple(found)

    def _is_name(self, key: Key, text: str) -> bool:
        """Whether a text is more than some annotation: a number or a code may stand for anything."""
        if folded(text)[:1] in "+-.0123456789" and folded(text).replace(".", "").lstrip("+-").isdigit():
            return False
        graph = self._graphs[0]
        if type(graph.term(key)) is NamedNode:
            return True
        return any(row[1] in self._naming for state in self._graphs for row in state.to(key))

    @cached_property
    def _naming(self) -> set[Key]:
        terms = [*_NAMING, *(NamedNode(_OBO_IN_OWL + name) for name in _NAMING_IN_OBO)]
        return {self._graphs[0].key(term) for term in terms}

    def _subjects(self, key: Key) -> Iterator[NamedNode]:
        """The terms that have a text as an annotation, also of an axiom, or the term itself."""
        term = self._graphs[0].term(key)
        if type(term) is NamedNode:
            yield term
            return
        for state in self._graphs:
            for row in state.to(key):
                owner = state.term(row[0])
                if type(owner) is NamedNode:
                    yield owner
                else:
                    owners = map(state.term, self._cones.owners_of([row[0]]))
                    yield from (owner for owner in owners if type(owner) is NamedNode)

    def _matching(self, pattern: str, escape: str | None) -> list[NamedNode] | None:
        """The terms with a text that matches a LIKE pattern. A path names the term at its end."""
        if pattern[:1] in "\\/|" and pattern.strip("%")[-1:] == pattern[0]:
            steps = [step for step in pattern.strip("%").split(pattern[0]) if step]
            meant = self._by_text.get(folded(steps[-1]), ()) if steps else ()
            found = dict.fromkeys(term for key in meant for term in self._subjects(key))
            return list(found) if 0 < len(found) <= _MOST_TERMS else None
        names = self._all_names.matching(pattern, escape, _MOST_TEXTS)
        if not names:
            return None
        texts = list(self._by_text)
        keys = [key for name in names for key in self._by_text[texts[int(name.value.removeprefix("urn:"))]]]
        found = dict.fromkeys(term for key in keys for term in self._subjects(key))
        return list(found) if 0 < len(found) <= _MOST_TERMS else None

    @cached_property
    def _by_text(self) -> dict[str, list[Key]]:
        """The literals and names of both versions by their texts; a name also by its last part, or as a CURIE."""
        found: dict[str, list[Key]] = {}
        for key, term in self._terms():
            for text in _texts(term):
                found.setdefault(folded(text), []).append(key)
        return found

    def _terms(self) -> Iterator[tuple[Key, Term]]:
        yield from enumerate(self._graphs[0].table.terms)
        added = (key for state in self._graphs for keys in state.changed_keys for key in keys)
        yield from ((key, key) for key in dict.fromkeys(added) if not isinstance(key, int))

    @cached_property
    def _all_names(self) -> NameList:
        return NameList([(text, (NamedNode(f"urn:{number}"),)) for number, text in enumerate(self._by_text)])


def _texts(term: Term) -> Iterator[str]:
    if type(term) is Literal:
        yield term.value
    elif type(term) is NamedNode:
        yield term.value
        name = local_name(term.value)
        yield name
        prefix, bar, local = name.rpartition("_")
        if bar and term.value.startswith(OBO.iri):
            yield f"{prefix}:{local}"
