"""Two versions of a graph: the rows that only one of them has, and the entities that these rows are about."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TypeAlias, cast

import numpy as np

from kgprobe.comparison.model import ASPECTS, Aspect, Entity, Kind, ValueChange
from kgprobe.owl.name_kinds import DATA, OBJECT, OBJECT_PROPERTY_TYPES, NameKinds, is_reserved
from kgprobe.owl.wording import obo_id
from kgprobe.rdf.diff import changed_rows
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.rows import Numbers, only_in_one, row_tuples
from kgprobe.rdf.table import Key, Row
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Term

# The rows that only the old version has, and those that only the new version has.
_Rows: TypeAlias = tuple[Numbers, Numbers]

# If a name is declared as several kinds, the first of these counts.
_KINDS = (*Kind,)

_DECLARING: dict[Term, Kind] = {
    OWL.Class: Kind.CLASS,
    RDFS.Class: Kind.CLASS,
    OWL.ObjectProperty: Kind.OBJECT_PROPERTY,
    OWL.DatatypeProperty: Kind.DATA_PROPERTY,
    OWL.AnnotationProperty: Kind.ANNOTATION_PROPERTY,
    RDF.Property: Kind.PROPERTY,
    RDFS.Datatype: Kind.DATATYPE,
    OWL.NamedIndividual: Kind.INDIVIDUAL,
    OWL.Ontology: Kind.ONTOLOGY,
}
_SHOWING_PROPERTIES = {
    **dict.fromkeys(OBJECT_PROPERTY_TYPES, Kind.OBJECT_PROPERTY),
    OWL.FunctionalProperty: Kind.PROPERTY,
}
# The number of uses of a name to check when guessing its kind.
_ENOUGH = 100
_ORDER = {aspect: place for place, aspect in enumerate(Aspect)}
# The columns of the rows with values.
_SUBJECT, _RANK, _SIDE, _VALUE = range(4)


class TwoVersions:
    """The changes between two versions. A renamed entity is listed by its new name."""

    def __init__(self, old: Graph, new: Graph, *, follow_renames: bool = True) -> None:
        changed = changed_rows(old, new)
        self.graphs = old, new
        self.finders = _KindFinder(old), _KindFinder(new)
        self.terms = changed.terms
        self.is_blank = changed.is_blank
        self.ground: _Rows = changed.removed, changed.added
        self.blank: _Rows = changed.gone, changed.come
        self.triples = len(changed.removed) + len(changed.gone), len(changed.added) + len(changed.come)
        self.statements = _Statements(self.terms, *self.ground, self._is_fact)
        self.only: tuple[dict[int, Kind], dict[int, Kind]] = {}, {}  # the entities of only one version
        self._kinds: dict[int, Kind] = {}  # of the entities that are not declared in both
        self._codes = self._declared(changed.of_tables)
        self._find_entities(self.statements.names())
        self.renames = renames(self.terms, *zip(self.only, self.ground, strict=True)) if follow_renames else {}
        if self.renames:
            self._follow_renames()

    def entity(self, number: int) -> Entity:
        """The entity with this number."""
        return Entity(cast(NamedNode, self.terms[number]), self.kind(number))

    def kind(self, number: int) -> Kind:
        """The kind of a name, in the new version if that has it."""
        if number not in self._kinds:
            term, code = cast(NamedNode, self.terms[number]), int(self._codes[1][number])
            found = _KINDS[code] if code >= 0 else self.finders[1].kind(term) or self.finders[0].kind(term)
            self._kinds[number] = found or Kind.OTHER
        return self._kinds[number]

    def kind_counts(self, numbers: Numbers) -> Counter[Kind]:
        """The number of names of each kind."""
        codes = self._codes[1][numbers]
        counts = Counter({_KINDS[code]: count for code, count in Counter(codes[codes >= 0].tolist()).items()})
        counts.update(map(self.kind, numbers[codes < 0].tolist()))
        return counts

    def _declared(self, of_tables: tuple[Numbers, Numbers] | None) -> tuple[Numbers, Numbers]:
        """For each number the index in `_KINDS` of its declared kind in the old and the new version; -1 if none."""
        found = []
        for side, (finder, graph) in enumerate(zip(self.finders, self.graphs, strict=True)):
            if of_tables is not None and not graph.changed_keys:
                found.append(finder.declared_codes(of_tables[side], len(self.terms)))
                continue
            codes = np.full(len(self.terms), -1, dtype=np.int8)
            for number in self.statements.names().tolist():
                kind = finder.declared(self.terms[number])
                codes[number] = -1 if kind is None else _KINDS.index(kind)
            found.append(codes)
        return found[0], found[1]

    def _is_fact(self, predicate: NamedNode) -> bool:
        return any(finder.is_fact(predicate) for finder in self.finders)

    def _find_entities(self, numbers: Numbers) -> None:
        """Find the names that are entities of only one version."""
        old, new = (codes[numbers] for codes in self._codes)
        for number in numbers[(old < 0) | (new < 0)].tolist():
            term = cast(NamedNode, self.terms[number])
            kinds = [
                _KINDS[codes[number]] if codes[number] >= 0 else finder.kind(term)
                for codes, finder in zip(self._codes, self.finders, strict=True)
            ]
            before, after = kinds
            if before is None and after is not None:
                self.only[1][number] = after
            elif after is None and before is not None:
                self.only[0][number] = before
            self._kinds[number] = after or before or Kind.OTHER

    def _follow_renames(self) -> None:
        """Replace old names of renamed entities by the new ones, and drop rows that became equal."""
        names = {before: after for before, (after, _) in self.renames.items()}
        numbers = np.arange(len(self.terms))
        numbers[list(names)] = list(names.values())
        removed, added = numbers[self.ground[0]], self.ground[1]
        # A literal that repeats the name is renamed, too.
        spelled = {(s, p): o for _, s, p, o in self._own_names(added, set(names.values()))}
        for place, s, p, _ in list(self._own_names(self.ground[0], names.keys())):
            removed[place, 2] = spelled.get((names[s], p), removed[place, 2])
        self.ground = only_in_one(removed, added)
        self.blank = numbers[self.blank[0]], self.blank[1]
        for before, after in names.items():
            del self.only[0][before], self.only[1][after]
        self.statements = _Statements(self.terms, *self.ground, self._is_fact)

    def _own_names(self, rows: Numbers, subjects: Collection[int]) -> Iterator[tuple[int, int, int, int]]:
        """The rows, with their indexes, whose objects are literals that spell the subject."""
        places = np.flatnonzero(np.isin(rows[:, 0], list(subjects)))
        for place, (s, p, o) in zip(places.tolist(), rows[places].tolist(), strict=True):
            if spells(self.terms[o], self.terms[s]):
                yield place, s, p, o


# -- the kinds of names, declared or not -------------------------------------------------------------------------------


class _KindFinder:
    """The kinds of one graph's names."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._type, self._below = graph.key(RDF.type), graph.key(RDFS.subClassOf)
        self._declaring = {graph.key(term): kind for term, kind in (_DECLARING | _SHOWING_PROPERTIES).items()}
        self.properties = NameKinds(graph)
        # A graph without declarations is data: every statement is a fact.
        self.is_ontology = any(graph.count(None, self._type, graph.key(kind)) for kind in _DECLARING)

    def declared_codes(self, numbers: Numbers, count: int) -> Numbers:
        """For each of `count` numbers the index in `_KINDS` of the kind that its types imply; -1 without a type.

        `numbers` has the number of each term of the graph's table. The graph must be as it was loaded.
        """
        found = np.full(count, -1, dtype=np.int8)
        if type(self._type) is not int:
            return found
        columns = self._graph.table.by_predicate
        start, end = columns.span(self._type)
        types, subjects = (
            np.frombuffer(column, dtype=np.uint32)[start:end] for column in (columns.second, columns.third)
        )
        codes = np.full(len(numbers), _KINDS.index(Kind.INDIVIDUAL), dtype=np.int8)
        for key, kind in self._declaring.items():
            if type(key) is int:
                codes[key] = _KINDS.index(kind)
        order = np.argsort(-codes[types], kind="stable")  # the first kinds are written last, and win
        found[numbers[subjects[order]]] = codes[types[order]]
        return found

    def declared(self, term: Term) -> Kind | None:
        """The kind that the types of a name imply."""
        types = self._graph.objects(self._graph.key(term), self._type)
        return min((self._declaring.get(type_, Kind.INDIVIDUAL) for type_ in types), key=_KINDS.index, default=None)

    def kind(self, term: NamedNode) -> Kind | None:
        """The kind of a name; None if the graph does not use it."""
        if not self._graph.changed_keys and type(self._graph.key(term)) is not int:
            return None  # it occurs in no triple
        return self.declared(term) or (None if is_reserved(term) else self._shown(term))

    def is_fact(self, predicate: NamedNode) -> bool:
        """Whether statements with this predicate are logical, not annotations."""
        if not self.is_ontology:
            return True
        return bool(self.properties.get(predicate) & {OBJECT, DATA})

    def _shown(self, term: NamedNode) -> Kind | None:
        """The kind that the uses of a name imply."""
        graph, key = self._graph, self._graph.key(term)
        if graph.count(None, self._type, key) or graph.count(key, self._below) or graph.count(None, self._below, key):
            return Kind.CLASS
        if graph.count(None, key):
            return self._used_as(key)
        if graph.count(key):
            return Kind.OTHER if self.is_ontology else Kind.INDIVIDUAL
        predicates = {graph.term(p) for _, p, _ in islice(graph.rows(None, None, key), _ENOUGH)}
        is_value = any(isinstance(p, NamedNode) and not is_reserved(p) and self.is_fact(p) for p in predicates)
        return Kind.INDIVIDUAL if is_value else None

    def _used_as(self, key: Key) -> Kind:
        """The kind of a property that its values imply."""
        if self.is_ontology:
            return Kind.ANNOTATION_PROPERTY
        values = (self._graph.term(o) for _, _, o in islice(self._graph.rows(None, key), _ENOUGH))
        return Kind.DATA_PROPERTY if all(type(value) is Literal for value in values) else Kind.OBJECT_PROPERTY


# -- statements without blank nodes, by entity and by aspect -----------------------------------------------------------


class _Statements:
    """The statements about names that only one of two versions makes.

    There can be 100,000 of them, and a summary shows a few, so values are built from rows on demand.
    """

    def __init__(
        self, terms: Sequence[Term], removed: Numbers, added: Numbers, is_fact: Callable[[NamedNode], bool]
    ) -> None:
        """`is_fact` says whether statements with a predicate that the graph defines are logical."""
        self._terms = terms
        self._rows = removed, added
        predicates = sorted({*removed[:, 1].tolist(), *added[:, 1].tolist()})
        aspects = {p: _aspect(cast(NamedNode, terms[p]), is_fact) for p in predicates}
        self._type = next((p for p in predicates if terms[p] == RDF.type), -1)
        self._logical = [p for p, aspect in aspects.items() if aspect is None or aspect is Aspect.PARENT]
        # The predicates of values in the order in which they are shown, and their aspects.
        self._aspects = {p: aspect for p, aspect in aspects.items() if aspect is not None}
        self._predicates = sorted(self._aspects, key=lambda p: (_ORDER[self._aspects[p]], terms[p].value))

    def names(self) -> Numbers:
        """The subjects of all statements and the objects of logical ones, in order."""
        is_used = np.zeros(len(self._terms), dtype=bool)
        is_value = np.zeros(len(self._terms), dtype=bool)
        for rows in self._rows:
            is_used[rows[:, 0]] = True
            is_value[rows[np.isin(rows[:, 1], self._logical)]] = True
        values = np.flatnonzero(is_value & ~is_used).tolist()
        is_used[[number for number in values if type(self._terms[number]) is NamedNode]] = True
        return np.flatnonzero(is_used)

    def logic(self, without: Collection[int]) -> tuple[list[Row], list[Row]]:
        """The rows of logical statements, without the declarations of these names."""
        names = list(without)
        removed, added = (
            row_tuples(
                rows[
                    np.isin(rows[:, 1], self._logical)
                    & ~(self._is_typed(rows, self._declaring) & np.isin(rows[:, 0], names))
                ]
            )
            for rows in self._rows
        )
        return removed, added

    def subjects(self, *aspects: Aspect) -> Numbers:
        """The names whose values have changed in one of these aspects, or in any aspect if none is given."""
        rows = self._values
        if aspects:
            ranks = [rank for rank, p in enumerate(self._predicates) if self._aspects[p] in aspects]
            rows = rows[np.isin(rows[:, _RANK], ranks)]
        is_used = np.zeros(len(self._terms), dtype=bool)
        is_used[rows[:, _SUBJECT]] = True
        return np.flatnonzero(is_used)

    def values(self, subject: int) -> tuple[ValueChange, ...]:
        """The values of a name that only one version has."""
        start, end = np.searchsorted(self._values[:, _SUBJECT], [subject, subject + 1]).tolist()
        found: dict[int, tuple[list[Term], list[Term]]] = {}
        for _, rank, side, value in self._values[start:end].tolist():
            found.setdefault(rank, ([], []))[side].append(self._terms[value])
        return tuple(
            [
                ValueChange(self._aspects[p], cast(NamedNode, self._terms[p]), tuple(gone), tuple(come))
                for rank, (gone, come) in found.items()
                for p in (self._predicates[rank],)
            ]
        )

    def counts(self, aspect: Aspect, subjects: Numbers) -> dict[NamedNode, tuple[int, int]]:
        """The numbers of values of these subjects that were removed and added, by predicates of this aspect."""
        is_meant = np.zeros(len(self._terms), dtype=bool)
        is_meant[subjects] = True
        rows = self._values[is_meant[self._values[:, _SUBJECT]]]
        gone, come = (
            np.bincount(rows[rows[:, _SIDE] == side, _RANK], minlength=len(self._predicates)).tolist()
            for side in (0, 1)
        )
        return {
            cast(NamedNode, self._terms[p]): (gone[rank], come[rank])
            for rank, p in enumerate(self._predicates)
            if self._aspects[p] is aspect and (gone[rank] or come[rank])
        }

    def having(self, predicate: NamedNode) -> dict[int, tuple[list[Term], list[Term]]]:
        """The values of one predicate that only one version has, by subject."""
        found: dict[int, tuple[list[Term], list[Term]]] = {}
        number = next((p for p in self._predicates if self._terms[p] == predicate), -1)
        for side, rows in enumerate(self._rows):
            for s, _, o in rows[rows[:, 1] == number].tolist():
                found.setdefault(s, ([], []))[side].append(self._terms[o])
        return found

    @cached_property
    def _values(self) -> Numbers:
        """Rows of a subject, the rank of a predicate, the version that has it (0: the old one), and a value."""
        ranks = np.full(len(self._terms), -1)
        ranks[self._predicates] = np.arange(len(self._predicates))
        parts = []
        for side, rows in enumerate(self._rows):
            rank = ranks[rows[:, 1]]
            rank[self._is_typed(rows, self._declaring) | self._is_typed(rows, self._reserved)] = -1
            chosen = rows[rank >= 0]
            sides = np.full(len(chosen), side)
            parts.append(np.stack((chosen[:, 0], rank[rank >= 0], sides, chosen[:, 2]), axis=1))
        found = np.concatenate(parts)
        in_order: Numbers = found[np.lexsort((found[:, _SIDE], found[:, _RANK], found[:, _SUBJECT]))]
        return in_order

    def _is_typed(self, rows: Numbers, types: list[int]) -> Numbers:
        return cast(Numbers, (rows[:, 1] == self._type) & np.isin(rows[:, 2], types))

    @cached_property
    def _types(self) -> set[int]:
        return {o for rows in self._rows for o in rows[rows[:, 1] == self._type, 2].tolist()}

    @cached_property
    def _declaring(self) -> list[int]:
        return [number for number in self._types if self._terms[number] in _DECLARING]

    @cached_property
    def _reserved(self) -> list[int]:
        return [number for number in self._types if is_reserved(cast(NamedNode, self._terms[number]))]


def _aspect(predicate: NamedNode, is_fact: Callable[[NamedNode], bool]) -> Aspect | None:
    if predicate in (RDFS.subClassOf, RDFS.subPropertyOf, RDF.type):
        return Aspect.PARENT
    if predicate in ASPECTS:
        return ASPECTS[predicate]
    return None if is_reserved(predicate) or is_fact(predicate) else Aspect.ANNOTATION


# -- renamed entities: both versions make the same statements about them, except for the name itself -------------------

# An entity without a label is recognised only if this many statements agree, not counting types.
_ENOUGH_STATEMENTS = 2
# A round can find entities that differ only in names that the previous round matched.
_MOST_ROUNDS = 20
_ITSELF, _SOME_OTHER = -1, -2
_LOCAL_NAME = re.compile(r"[^/#:]+$")


def renames(
    terms: Sequence[Term], old: tuple[Mapping[int, Kind], Numbers], new: tuple[Mapping[int, Kind], Numbers]
) -> dict[int, tuple[int, str]]:
    """For removed entities, the added ones that are the same, and how they were recognised.

    Each side has the entities that only this version has, with their kinds, and the rows that only this version has.
    """
    found: dict[int, tuple[int, str]] = {}
    if not old[0] or not new[0]:
        return found
    shared = set(old[0].values()) & set(new[0].values())
    before, after = (
        _Said(terms, {n: kind for n, kind in kinds.items() if kind in shared}, rows) for kinds, rows in (old, new)
    )
    for _ in range(_MOST_ROUNDS):
        why, pairs = _recognised(before, after)
        if not pairs:
            break
        for one, other in pairs.items():
            found[one] = other, why
            before.name(one, other)
            after.name(other, other)
    return found


def spells(literal: Term, name: Term) -> bool:
    """Whether a literal only repeats the name, as in oboInOwl:id."""
    return type(literal) is Literal and type(name) is NamedNode and literal.value in (name.value, obo_id(name))


def _recognised(before: _Said, after: _Said) -> tuple[str, dict[int, int]]:
    """The entities that are recognised as the same, and the best reason."""
    if pairs := _only_pairs(before.contents(after.sizes()), after.contents(before.sizes())):
        return "equal content", pairs
    pairs = _only_pairs(before.labels(), after.labels())
    if pairs := {one: other for one, other in pairs.items() if before.may_be(one, after, other)}:
        return "same label", pairs
    pairs = _only_pairs(before.local_names(), after.local_names())
    return "same local name", {one: other for one, other in pairs.items() if before.may_be(one, after, other)}


def _only_pairs(old: Mapping[int, Hashable], new: Mapping[int, Hashable]) -> dict[int, int]:
    """The pairs of entities that share a key with each other and with no other entity."""
    by_key: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for side, keys in enumerate((old, new)):
        for number, key in keys.items():
            by_key[key][side].append(number)
    return {ones[0]: others[0] for ones, others in by_key.values() if len(ones) == len(others) == 1}


class _Said:
    """The statements of one version about the entities that only it has and that are not yet recognised."""

    def __init__(self, terms: Sequence[Term], kinds: Mapping[int, Kind], rows: Numbers) -> None:
        self._terms = terms
        self._kinds = dict(kinds)
        self._names: dict[int, int] = {}
        self._rows: dict[int, list[tuple[bool, int, int]]] = {number: [] for number in kinds}
        is_candidate = np.zeros(len(terms), dtype=bool)
        is_candidate[list(kinds)] = True
        for s, p, o in rows[is_candidate[rows[:, 0]] | is_candidate[rows[:, 2]]].tolist():
            if s in kinds:
                self._rows[s].append((True, p, o))
            if o in kinds and o != s:
                self._rows[o].append((False, p, s))
        predicates = {p for own in self._rows.values() for _, p, _ in own}
        self._aspects = {p: ASPECTS.get(cast(NamedNode, terms[p])) for p in predicates}
        self._type = next((p for p in predicates if terms[p] == RDF.type), None)

    def name(self, number: int, name: int) -> None:
        """The entity is recognised: from now on, both versions use this name for it."""
        del self._kinds[number]
        self._names[number] = name

    def sizes(self) -> set[int]:
        """The numbers of statements about entities."""
        return {len(self._rows[number]) for number in self._kinds}

    def contents(self, sizes: Collection[int]) -> dict[int, Hashable]:
        """All statements about each entity, if they suffice to recognise it and their number is one of these sizes."""
        chosen = [number for number in self._kinds if len(self._rows[number]) in sizes]
        return {number: self._content(number) for number in chosen if self._is_enough(number)}

    def labels(self) -> dict[int, Hashable]:
        """The kind and the labels of each entity that has labels."""
        found = {number: self._texts(number, Aspect.LABEL) for number in self._kinds}
        return {number: (self._kinds[number], texts) for number, texts in found.items() if texts}

    def local_names(self) -> dict[int, Hashable]:
        """The kind and the last part of the name of each entity."""
        found = {n: _LOCAL_NAME.search(self._terms[n].value) for n in self._kinds}
        return {number: (self._kinds[number], name[0]) for number, name in found.items() if name}

    def may_be(self, number: int, others: _Said, other: int) -> bool:
        """Whether the labels and definitions of two entities are compatible."""
        for aspect in (Aspect.LABEL, Aspect.DEFINITION):
            one, another = self._texts(number, aspect), others._texts(other, aspect)
            if one and another and one != another:
                return False
        return True

    def _content(self, number: int) -> Hashable:
        return frozenset((out, p, self._known_as(other, number)) for out, p, other in self._rows[number])

    def _known_as(self, number: int, subject: int) -> int:
        if number == subject or spells(self._terms[number], self._terms[subject]):
            return _ITSELF
        return self._names.get(number, _SOME_OTHER if number in self._kinds else number)

    def _is_enough(self, number: int) -> bool:
        if self._texts(number, Aspect.LABEL) or self._texts(number, Aspect.DEFINITION):
            return True
        return sum(p != self._type for _, p, _ in self._rows[number]) >= _ENOUGH_STATEMENTS

    def _texts(self, number: int, aspect: Aspect) -> frozenset[int]:
        return frozenset(o for out, p, o in self._rows[number] if out and self._aspects[p] is aspect)
