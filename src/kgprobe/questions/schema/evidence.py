"""What the facts themselves say about relations: traits that they support, and facts that contradict a trait.

A mined trait is a guess. One that adds facts (symmetric, transitive, inverse, sub-property) needs most instances to
agree. One that excludes facts (asymmetric, functional and so on) needs all to agree, and a reason to believe that an
exception would show: a relation without two-way facts is not asymmetric because its facts are few. Large relations are
sampled, always in the same way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kgprobe.questions.facts.database import LITERAL, Facts
from kgprobe.questions.schema.axioms import Axioms, Pair

LEAST_INSTANCES = 20
LEAST_WITHOUT_CLASSES = 100
LEAST_CONFIDENCE = 0.98
_SAMPLE = 100_000
_PATH_SAMPLE = 5_000


@dataclass(frozen=True, slots=True)
class Mined:
    """How well the facts support a trait: the number of instances, and the share of them that agree."""

    instances: int
    confidence: float


@dataclass(frozen=True, slots=True)
class MinedTraits:
    """Mined traits of relations, and mined pairs: (narrow, wide), and inverse relations both ways."""

    traits: Mapping[int, Mapping[str, Mined]] = field(default_factory=dict)
    inverses: Mapping[Pair, Mined] = field(default_factory=dict)
    sub_properties: Mapping[Pair, Mined] = field(default_factory=dict)

    def without(self, axioms: Axioms) -> MinedTraits:
        """Only the findings that are not axioms already."""
        return MinedTraits(
            {
                relation: {
                    trait: evidence for trait, evidence in mined.items() if (relation, trait) not in axioms.traits
                }
                for relation, mined in self.traits.items()
            },
            {pair: evidence for pair, evidence in self.inverses.items() if pair not in axioms.inverses},
            {pair: evidence for pair, evidence in self.sub_properties.items() if pair not in axioms.sub_properties},
        )


def mine(facts: Facts, type_id: int) -> MinedTraits:
    """The traits that the facts support."""
    for statement in _TABLES:
        facts.sql(statement.format(type_id=type_id))
    traits: dict[int, dict[str, Mined]] = defaultdict(dict)
    _mine_directions(facts, type_id, traits)
    for trait, query in (("functional", _FUNCTIONAL), ("inverse-functional", _INVERSE_FUNCTIONAL)):
        for relation, instances, agreeing in facts.sql(query):
            if instances >= LEAST_INSTANCES and agreeing == instances:
                traits[relation][trait] = Mined(instances, 1.0)
    inverses = _supported(facts.sql(_OTHERS.format(s="o", o="s")))
    narrower = _supported(facts.sql(_OTHERS.format(s="s", o="o")))
    for table in ("mining_sizes", "mining_sample", "mining_paths"):
        facts.sql(f"DROP TABLE {table}")
    both = {(a, b): mined for (a, b), mined in inverses.items() if (b, a) in inverses}
    return MinedTraits({relation: dict(mined) for relation, mined in sorted(traits.items())}, both, narrower)


# Arithmetic on ids that gives the same on every machine, to choose facts, subjects and objects.
_FACT = "(f.s::BIGINT * 1000003 + f.o::BIGINT * 7919) % 2147483647"
_FACT_AGAIN = "(f.s::BIGINT * 7919 + f.o::BIGINT * 1000003) % 2147483647"
_END = "(f.{end}::BIGINT * 1000003) % 2147483647"
_TABLES = (
    f"""
CREATE OR REPLACE TEMP TABLE mining_sizes AS
SELECT p, every, n // every // {_PATH_SAMPLE} + 1 AS every_path
FROM (SELECT p, n, n // {_SAMPLE} + 1 AS every FROM (
  SELECT p, count(*) AS n FROM edges WHERE p <> {{type_id}} GROUP BY p))
""",  # noqa: S608 - constants
    f"""
CREATE OR REPLACE TEMP TABLE mining_sample AS
SELECT f.s, f.p, f.o, every_path, kind = {LITERAL} AS is_literal
FROM edges AS f JOIN mining_sizes USING (p) JOIN terms ON f.o = terms.id WHERE {_FACT} % every = 0
""",  # noqa: S608 - constants
    f"""
CREATE OR REPLACE TEMP TABLE mining_paths AS
SELECT f.p, f.s AS a, f.o AS b, g.o AS c FROM mining_sample AS f JOIN edges AS g ON g.p = f.p AND g.s = f.o
WHERE NOT f.is_literal AND {_FACT_AGAIN} % every_path = 0 AND f.s <> f.o AND g.s <> g.o AND f.s <> g.o
""",  # noqa: S608 - constants
)
# For each relation: facts, facts of a thing with itself, facts that hold both ways.
_DIRECTIONS = """
SELECT f.p, count(*), count(*) FILTER (f.s = f.o), count(*) FILTER (f.s <> f.o AND back.s IS NOT NULL)
FROM mining_sample AS f LEFT JOIN edges AS back ON back.p = f.p AND back.s = f.o AND back.o = f.s
WHERE NOT f.is_literal GROUP BY f.p
"""
# Paths of two steps, those with a shortcut, and those that a third step leads back.
_PATHS = """
SELECT f.p, count(*), count(along.s), count(back.s) FROM mining_paths AS f
LEFT JOIN edges AS along ON along.p = f.p AND along.s = f.a AND along.o = f.c
LEFT JOIN edges AS back ON back.p = f.p AND back.s = f.c AND back.o = f.a
GROUP BY f.p
"""
# Relations whose subjects and objects have a class in common; and those whose subjects and objects have classes.
_COMMON_CLASSES = """
WITH subjects AS (
  SELECT DISTINCT f.p, t.o AS class FROM mining_sample AS f JOIN edges AS t ON t.s = f.s AND t.p = {type_id}),
objects AS (
  SELECT DISTINCT f.p, t.o AS class FROM mining_sample AS f JOIN edges AS t ON t.s = f.o AND t.p = {type_id})
SELECT subjects.p, count(*) FILTER (subjects.class = objects.class) > 0
FROM subjects JOIN objects ON subjects.p = objects.p GROUP BY subjects.p
"""
# Things with values, and those with a single value; a thing counts with all its values or not at all.
_SINGLE = """
SELECT p, count(*), count(*) FILTER (n = 1) FROM (
  SELECT f.p, f.{end}, count(*) AS n FROM edges AS f JOIN mining_sizes USING (p)
  WHERE {chosen} % every = 0 GROUP BY f.p, f.{end}) GROUP BY p
"""
_FUNCTIONAL = _SINGLE.format(end="s", chosen=_END.format(end="s"))
_INVERSE_FUNCTIONAL = _SINGLE.format(end="o", chosen=_END.format(end="o"))
# Facts of a relation, and how many of them another relation has, too.
_OTHERS = """
WITH sizes AS (SELECT p, count(*) AS n FROM mining_sample GROUP BY p)
SELECT f.p, g.p, any_value(n), count(*) FROM mining_sample AS f JOIN sizes ON f.p = sizes.p
JOIN edges AS g ON g.s = f.{s} AND g.o = f.{o} AND g.p <> f.p JOIN mining_sizes ON g.p = mining_sizes.p
GROUP BY f.p, g.p
"""


def _mine_directions(facts: Facts, type_id: int, traits: dict[int, dict[str, Mined]]) -> None:
    """Symmetric, asymmetric, irreflexive and transitive relations."""
    paths = {relation: numbers for relation, *numbers in facts.sql(_PATHS)}
    common = dict(facts.sql(_COMMON_CLASSES.format(type_id=type_id)))
    for relation, instances, loops, both in facts.sql(_DIRECTIONS):
        steps, shortcuts, circles = paths.get(relation, (0, 0, 0))
        mined = traits[relation]
        if steps >= LEAST_INSTANCES and shortcuts >= LEAST_CONFIDENCE * steps:
            mined["transitive"] = Mined(steps, shortcuts / steps)
        straight = instances - loops
        if straight >= LEAST_INSTANCES and both >= LEAST_CONFIDENCE * straight:
            mined["symmetric"] = Mined(straight, both / straight)
        if loops or instances < LEAST_INSTANCES:
            continue
        mined["irreflexive"] = Mined(instances, 1.0)
        if not both and not circles and _would_show(instances, steps, common.get(relation)):
            mined["asymmetric"] = Mined(instances, 1.0)


def _would_show(instances: int, steps: int, has_common_class: bool | None) -> bool:
    """Whether two-way facts would have been seen, if the relation had any.

    Either the two ends of the relation are different kinds of things, or its facts form many paths, and none is a
    circle.
    """
    if steps:
        return steps >= LEAST_INSTANCES
    if has_common_class is None:
        return instances >= LEAST_WITHOUT_CLASSES
    return not has_common_class


def _supported(rows: Iterable[tuple[int, int, int, int]]) -> dict[Pair, Mined]:
    return {
        (a, b): Mined(instances, agreeing / instances)
        for a, b, instances, agreeing in sorted(rows)
        if instances >= LEAST_INSTANCES and agreeing >= LEAST_CONFIDENCE * instances
    }


# At most this many facts are compared with all others: a note needs one example, not all of them.
_MOST_FACTS = 200_000
_MOST_NOTES = 20


def contradictions(
    facts: Facts, axioms: Axioms, type_id: int, sizes: Mapping[int, int], *, unique_names: bool
) -> tuple[str, ...]:
    """A sentence about each trait or disjointness that facts contradict, with an example.

    `sizes` has the number of facts of each relation; large graphs are sampled.
    """
    seen = _Sample(facts, sizes)
    relations: dict[str, list[int]] = defaultdict(list)
    for relation, trait in sorted(axioms.traits):
        # Without unique names, two values of a functional relation can be two names of one thing.
        if trait in ("asymmetric", "irreflexive") or (unique_names and trait in _TRAITS):
            relations[trait].append(relation)
    notes = [note for trait in _TRAITS for note in _of_trait(seen, trait, relations[trait])]
    notes += _of_relations(seen, axioms.disjoint_properties)
    notes += _of_classes(seen, axioms, type_id)
    more = len(notes) - _MOST_NOTES
    return (*notes[:_MOST_NOTES], f"{more} more contradictions in the graph") if more > 0 else tuple(notes)


_CHOSEN = """
WITH chosen AS (
  SELECT s, p, o FROM edges
  WHERE p IN (SELECT unnest(?::BIGINT[])) AND (s::BIGINT * 1000003) % 2147483647 % {every} = 0),
"""
_FOUND = """
SELECT p, count(*), min(s), arg_min(o, s::BIGINT * 4294967296 + o) FROM found GROUP BY p ORDER BY p
"""
_TRAITS = {
    "irreflexive": ("{n} of its facts are about a thing and itself", "SELECT p, s, o FROM chosen WHERE s = o"),
    "asymmetric": (
        "{n} of its facts hold both ways",
        "SELECT f.p, f.s, f.o FROM chosen AS f"
        " JOIN edges AS g ON g.p = f.p AND g.s = f.o AND g.o = f.s WHERE f.s < f.o",
    ),
    "functional": (
        "{n} of its facts state a second value",
        "SELECT DISTINCT f.p, f.s, f.o FROM chosen AS f JOIN edges AS g ON g.p = f.p AND g.s = f.s AND g.o < f.o",
    ),
    "inverse-functional": (
        "{n} of its facts state a value that another thing has, too",
        "SELECT DISTINCT f.p, f.s, f.o FROM chosen AS f JOIN edges AS g ON g.p = f.p AND g.o = f.o AND g.s < f.s",
    ),
}


class _Sample:
    """The facts of some relations, or a sample of them, and the names of terms."""

    def __init__(self, facts: Facts, sizes: Mapping[int, int]) -> None:
        self._facts = facts
        self._sizes = sizes

    def found(self, relations: Collection[int], query: str) -> list[tuple[int, int, int, int]]:
        """For each relation with a row in the query over `chosen`: the number of rows, and an example."""
        size = sum(self._sizes.get(relation, 0) for relation in relations)
        if not size:
            return []
        sql = f"{_CHOSEN.format(every=size // _MOST_FACTS + 1)} found AS ({query}) {_FOUND}"
        return [(p, n, s, o) for p, n, s, o in self._facts.sql(sql, [sorted(relations)])]

    def name(self, id_: int) -> str:
        """The IRI, label or text of a term."""
        return str(self._facts.sql("SELECT text FROM terms WHERE id = ?", [id_])[0][0])


def _of_trait(seen: _Sample, trait: str, relations: Collection[int]) -> Iterator[str]:
    if not relations:
        return
    words, query = _TRAITS[trait]
    for relation, count, subject, object_ in seen.found(relations, query):
        example = f"{seen.name(subject)} and {seen.name(object_)}"
        yield f"{seen.name(relation)} is {trait}, but {words.format(n=count)}, for example {example}"


def _of_relations(seen: _Sample, pairs: Collection[Pair]) -> Iterator[str]:
    for first, second in sorted(pair for pair in pairs if pair[0] < pair[1]):
        query = f"SELECT f.p, f.s, f.o FROM chosen AS f JOIN edges AS g ON g.s = f.s AND g.o = f.o AND g.p = {second}"  # noqa: S608 - a number
        for _, count, subject, object_ in seen.found([first], query):
            names = f"{seen.name(first)} and {seen.name(second)}"
            example = f"{seen.name(subject)} and {seen.name(object_)}"
            yield f"{names} are disjoint, but {count} facts of one hold for the other, too, for example {example}"


def _of_classes(seen: _Sample, axioms: Axioms, type_id: int) -> Iterator[str]:
    for first, second in sorted(pair for pair in axioms.disjoint_classes if pair[0] < pair[1]):
        below = {
            class_: _listed({class_, *(a for a, b in axioms.sub_classes if b == class_)}) for class_ in (first, second)
        }
        query = (
            f"SELECT DISTINCT f.p, f.s, f.s AS o FROM chosen AS f JOIN edges AS g ON g.s = f.s AND g.p = f.p"  # noqa: S608
            f" WHERE f.o IN ({below[first]}) AND g.o IN ({below[second]})"
        )
        for _, count, subject, _ in seen.found([type_id], query):
            names = f"{seen.name(first)} and {seen.name(second)}"
            yield f"{names} are disjoint, but have {count} common members, for example {seen.name(subject)}"


def _listed(numbers: Collection[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))
