"""Facts that contradict what is stated about their relations, as notes for the user."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from kgprobe.questions.facts.database import Facts
from kgprobe.questions.schema.axioms import Axioms, Pair

__all__ = ["contradictions"]

# At most so many facts are compared with all others: a note needs an example, not all of them.
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
        size = sum(self._sizes.get(each, 0) for each in relations)
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
        below = {each: _listed({each, *(a for a, b in axioms.sub_classes if b == each)}) for each in (first, second)}
        query = (
            f"SELECT DISTINCT f.p, f.s, f.s AS o FROM chosen AS f JOIN edges AS g ON g.s = f.s AND g.p = f.p"  # noqa: S608
            f" WHERE f.o IN ({below[first]}) AND g.o IN ({below[second]})"
        )
        for _, count, subject, _ in seen.found([type_id], query):
            names = f"{seen.name(first)} and {seen.name(second)}"
            yield f"{names} are disjoint, but have {count} common members, for example {seen.name(subject)}"


def _listed(numbers: Collection[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))
