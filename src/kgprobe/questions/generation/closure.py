"""All facts that follow from the facts and the schema, as views in the database.

- `closure(s, p, o)`: the facts that follow from the axioms about relations and classes.
- `widest(s, p, o)`: also those that follow if a functional relation with two values makes them the same thing. A claim
  that is in here is never denied. Terms have the numbers of `merged(id, rep)`, if that has any.

A relation that no axiom is about keeps its facts, which are not copied.
"""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kgprobe.questions.facts.database import LITERAL
from kgprobe.questions.generation.engines import Engine
from kgprobe.questions.schema.traits import Schema
from kgprobe.rdf.terms import OWL

MOST_DERIVED = 20_000_000
"""Facts; a transitive relation over a long chain has quadratically many."""

_FIRST_BEGINNING = -1_000_000  # relations that only the settings name have negative numbers, too


@dataclass(frozen=True, slots=True)
class Closure:
    """What is known about the views: relations with facts that were not all derived, and whether things were merged."""

    unfinished: frozenset[int] = frozenset()
    has_merged: bool = False

    def number(self, column: str) -> str:
        """SQL for the number that a term has in `widest`."""
        if not self.has_merged:
            return column
        return f"coalesce((SELECT rep FROM merged WHERE merged.id = {column}), {column})"


def close(engine: Engine, schema: Schema, type_id: int, *, most: int = MOST_DERIVED) -> Closure:
    """Make the views. `type_id` is the number of rdf:type."""
    axioms = _Axioms.of(schema, type_id)
    axioms.make_tables(engine)
    is_whole = _close(engine, axioms, "edges", "closure", most)
    unfinished = _open_relations(engine, axioms) | (frozenset() if is_whole else axioms.targets)
    same = _same_things(engine, schema, "closure") if is_whole else {}
    if not same:
        engine.view("widest", "SELECT s, p, o FROM closure")
        return Closure(unfinished)
    step, source = 0, "edges"
    while same:
        step += 1
        engine.rows("merges", "id INTEGER, rep INTEGER", same.items())
        engine.table(
            f"merged_edges_{step}",
            f"SELECT DISTINCT coalesce(a.rep, s) AS s, p, coalesce(b.rep, o) AS o FROM {source}"
            " LEFT JOIN merges AS a ON s = a.id LEFT JOIN merges AS b ON o = b.id",
        )
        _add_merges(engine, step)
        source = f"merged_edges_{step}"
        if not _close(engine, axioms, source, "widest", most):
            return Closure(unfinished | axioms.targets, True)
        same = _same_things(engine, schema, "widest")
    return Closure(unfinished, True)


def with_trait(schema: Schema, trait: str, *, mined: bool = True) -> frozenset[int]:
    """The relations that have a trait; those for which it was mined only if `mined`."""
    return frozenset(
        relation.id
        for relation in schema.relations.values()
        if trait in relation.traits or (mined and trait in relation.mined)
    )


def _add_merges(engine: Engine, step: int) -> None:
    """Add merges to those of the steps before."""
    if step == 1:
        engine.table("merged", "SELECT id, rep FROM merges")
        return
    engine.table(
        "merged_next",
        "SELECT merged.id, coalesce(merges.rep, merged.rep) AS rep"
        " FROM merged LEFT JOIN merges ON merged.rep = merges.id"
        " UNION ALL SELECT id, rep FROM merges WHERE id NOT IN (SELECT id FROM merged)",
    )
    engine.table("merged", "SELECT id, rep FROM merged_next")


# ---- axioms as tables


@dataclass(frozen=True, slots=True)
class _Axioms:
    """Axioms as rows. Longer chains have relations of their own for their beginnings, with negative numbers."""

    copies: tuple[tuple[int, int, bool], ...]
    joins: tuple[tuple[int, int, int], ...]
    types: tuple[tuple[int, int, bool], ...]
    classes: tuple[tuple[int, int], ...]
    type_id: int
    relations: frozenset[int]

    @classmethod
    def of(cls, schema: Schema, type_id: int) -> _Axioms:
        copies = [(p, q, False) for p, q in schema.sub_properties if p != q]
        copies += [(p, q, True) for pair in schema.inverses for p, q in (pair, pair[::-1])]
        copies += [(relation, relation, True) for relation in with_trait(schema, "symmetric")]
        joins = [(relation, relation, relation) for relation in with_trait(schema, "transitive")]
        beginnings: dict[tuple[int, ...], int] = {}
        for path, target in schema.chains:
            joins.extend(_chain(path, target, beginnings))
        types = [(p, c, False) for p, c in schema.domains] + [(p, c, True) for p, c in schema.ranges]
        classes = [(c, d) for c, d in schema.sub_classes if c != d]
        return cls(
            tuple(sorted(set(copies))),
            tuple(sorted(set(joins))),
            tuple(sorted(set(types))),
            tuple(sorted(set(classes))),
            type_id,
            frozenset(schema.relations),
        )

    def make_tables(self, engine: Engine) -> None:
        engine.rows("axiom_copies", "p INTEGER, q INTEGER, turned BOOLEAN", self.copies)
        engine.rows("axiom_joins", "p INTEGER, q INTEGER, r INTEGER", self.joins)
        engine.rows("axiom_types", "p INTEGER, c INTEGER, turned BOOLEAN", self.types)
        engine.rows("axiom_classes", "c INTEGER, d INTEGER", self.classes)

    @property
    def sources(self) -> frozenset[int]:
        """The relations from whose facts others follow."""
        relations = {row[0] for row in (*self.copies, *self.joins, *self.types)} | {row[1] for row in self.joins}
        return frozenset(relations | ({self.type_id} if self.classes else set()))

    @property
    def targets(self) -> frozenset[int]:
        """The relations of facts that can follow."""
        relations = {row[1] for row in self.copies} | {row[2] for row in self.joins}
        return frozenset(relations | ({self.type_id} if self.classes or self.types else set()))


def _chain(
    path: tuple[int, ...], target: int, beginnings: dict[tuple[int, ...], int]
) -> Iterator[tuple[int, int, int]]:
    first = path[0]
    for length in range(2, len(path)):
        beginning = path[:length]
        known = beginnings.setdefault(beginning, _FIRST_BEGINNING - len(beginnings))
        yield first, path[length - 1], known
        first = known
    yield first, path[-1], target


# ---- class expressions

_MERGING = ("maxCardinality", "cardinality", "maxQualifiedCardinality", "qualifiedCardinality", "hasKey")
_CLASSIFYING = ("someValuesFrom", "allValuesFrom", "unionOf", "intersectionOf", "oneOf", "complementOf", "hasSelf")
_STATED = """
SELECT DISTINCT coalesce(on_property.o, -1) FROM facts AS f JOIN terms AS property ON f.p = property.id
LEFT JOIN (SELECT s, o FROM facts WHERE p IN (SELECT id FROM terms WHERE text = '{owl}onProperty')) AS on_property
ON on_property.s = f.s WHERE property.kind = 0 AND property.text IN ({names})
"""


def _open_relations(engine: Engine, axioms: _Axioms) -> frozenset[int]:
    """The relations to which class expressions can add facts. These are not derived here, so nothing is denied."""

    def uses(*names: str) -> set[int]:
        listed = ", ".join(f"'{OWL.iri}{name}'" for name in names)
        return {row[0] for row in engine.query(_STATED.format(owl=OWL.iri, names=listed))}

    if uses(*_MERGING):  # things can turn out to be the same, so any relation can have more facts
        return axioms.relations | {axioms.type_id}
    relations = uses("hasValue") - {-1}
    if relations or uses(*_CLASSIFYING):
        relations.add(axioms.type_id)
    while True:
        more = {q for p, q, _ in axioms.copies if p in relations} | {
            r for p, q, r in axioms.joins if relations & {p, q}
        }
        if any(p in relations for p, _, _ in axioms.types):
            more.add(axioms.type_id)
        if more <= relations:
            return frozenset(relations)
        relations |= more


# ---- the fixpoint


def _close(engine: Engine, axioms: _Axioms, source: str, view: str, most: int) -> bool:
    """Make a view of the source and all that follows. False if there is too much."""
    if not axioms.sources:
        engine.view(view, f"SELECT s, p, o FROM {source}")
        return True
    derived = f"{view}_derived"
    relevant = _listed(axioms.sources | axioms.targets)
    known = f"(SELECT s, p, o FROM {source} WHERE p IN ({relevant}) UNION ALL SELECT s, p, o FROM {derived})"
    engine.table("fresh_facts", f"SELECT s, p, o FROM {source} WHERE p IN ({_listed(axioms.sources)})")
    engine.table(derived, "SELECT s, p, o FROM fresh_facts WHERE false")
    is_whole = True
    while engine.count("fresh_facts"):
        steps = " UNION ALL ".join(_steps(axioms, known))
        engine.table(
            "found_facts",
            f"SELECT s, p, o FROM (SELECT DISTINCT s, p, o FROM ({steps}) AS candidates) AS candidate WHERE NOT EXISTS"
            f" (SELECT 1 FROM {known} AS known WHERE known.s = candidate.s AND known.p = candidate.p"
            " AND known.o = candidate.o)",
        )
        engine.append(derived, "SELECT s, p, o FROM found_facts")
        engine.table("fresh_facts", "SELECT s, p, o FROM found_facts")
        if engine.count(derived) > most:
            is_whole = False
            break
    engine.view(
        view, f"SELECT s, p, o FROM {source} UNION ALL SELECT s, p, o FROM {derived} WHERE p > {_FIRST_BEGINNING}"
    )
    return is_whole


def _steps(axioms: _Axioms, known: str) -> Iterator[str]:
    """SQL for each kind of conclusion from the fresh facts. A literal is never the subject of a fact."""
    thing = f"f.o NOT IN (SELECT id FROM terms WHERE kind = {LITERAL})"
    if axioms.copies:
        yield "SELECT f.s, a.q AS p, f.o FROM fresh_facts AS f JOIN axiom_copies AS a ON f.p = a.p WHERE NOT a.turned"
        yield (
            "SELECT f.o AS s, a.q AS p, f.s AS o FROM fresh_facts AS f JOIN axiom_copies AS a ON f.p = a.p"
            f" WHERE a.turned AND {thing}"
        )
    if axioms.types:
        yield (
            f"SELECT f.s, {axioms.type_id} AS p, a.c AS o FROM fresh_facts AS f JOIN axiom_types AS a ON f.p = a.p"
            " WHERE NOT a.turned"
        )
        yield (
            f"SELECT f.o AS s, {axioms.type_id} AS p, a.c AS o FROM fresh_facts AS f"
            f" JOIN axiom_types AS a ON f.p = a.p WHERE a.turned AND {thing}"
        )
    if axioms.classes:
        yield (
            "SELECT f.s, f.p, a.d AS o FROM fresh_facts AS f JOIN axiom_classes AS a ON f.o = a.c"
            f" WHERE f.p = {axioms.type_id}"
        )
    if axioms.joins:
        yield (
            "SELECT f.s, a.r AS p, g.o FROM fresh_facts AS f JOIN axiom_joins AS a ON f.p = a.p"
            f" JOIN {known} AS g ON g.p = a.q AND g.s = f.o"
        )
        yield (
            "SELECT g.s, a.r AS p, f.o FROM fresh_facts AS f JOIN axiom_joins AS a ON f.p = a.q"
            f" JOIN {known} AS g ON g.p = a.p AND g.o = f.s"
        )


def _same_things(engine: Engine, schema: Schema, view: str) -> dict[int, int]:
    """The things that functional relations make the same, each with the one that stands for it."""
    literal = f"(SELECT id FROM terms WHERE kind = {LITERAL})"
    pairs: list[tuple[int, int]] = []
    for trait, key, value in (("functional", "s", "o"), ("inverse-functional", "o", "s")):
        relations = with_trait(schema, trait, mined=False)
        if relations:
            pairs += engine.query(
                f"SELECT DISTINCT least_value, {value} FROM (SELECT {value}, min({value}) OVER"
                f" (PARTITION BY p, {key}) AS least_value FROM {view} WHERE p IN ({_listed(relations)})"
                f" AND {value} NOT IN {literal}) AS grouped WHERE least_value <> {value}"
            )
    return _representatives(pairs)


def _representatives(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """Each number that pairs connect to smaller ones, with the smallest of them."""
    above: dict[int, int] = {}

    def top(number: int) -> int:
        path = []
        while number in above:
            path.append(number)
            number = above[number]
        above.update(dict.fromkeys(path, number))
        return number

    for a, b in pairs:
        low, high = sorted((top(a), top(b)))
        if low != high:
            above[high] = low
    return {number: top(number) for number in list(above)}


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))
