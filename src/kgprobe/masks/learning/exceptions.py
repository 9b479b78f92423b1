"""Conditions with exceptions: they explain many failing cases, and a few passing ones do not meet them either.

A mask must not exclude those. So the shape says: the condition holds, or the graph is like one of the exceptions. What
sets exceptions apart from the failing cases that the condition explains is found greedily: first a description that fits
one passing case, and then those that it does not fit yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import NamedNode
from kgprobe.masks.learning.candidates import Candidate, SlotBits
from kgprobe.masks.learning.combinations import Links, Option
from kgprobe.masks.learning.conditions import AtLeast, AtMost, Clause, Condition, Focus, HasValue, Linked
from kgprobe.masks.learning.observations import Evidence, Slot, ends_of
from kgprobe.masks.learning.slots import slots
from kgprobe.masks.paths import Inverse, Predicate

__all__ = ["with_exceptions"]

_MOST_EXCEPTIONS = 40
_MOST_TRIED = 40
_LARGEST = 6  # conditions that describe one exception
# A condition with more exceptions explains nothing.
_FAILING_FOR_A_PASSING = 3
_MOST_OF_PASSING = 0.34
_FOR_AN_EXCEPTION = 2.0


@dataclass(frozen=True)
class _Trait:
    """A condition that describes exceptions, and the cases in which it holds."""

    linked: Linked
    holding: int
    bits: float


def with_exceptions(candidates: Sequence[Candidate], evidence: Evidence, links: Links) -> list[Option]:
    """The most promising conditions that passing cases violate, with these as exceptions."""
    best: dict[int, Candidate] = {}
    for each in candidates:
        wrong = (each.violated & evidence.passing).bit_count()
        right = (each.violated & evidence.failing).bit_count()
        most = min(_MOST_EXCEPTIONS, _MOST_OF_PASSING * evidence.passing.bit_count())
        if each.condition.focus.is_class or not 0 < wrong <= most or right < _FAILING_FOR_A_PASSING * wrong:
            continue
        known = best.get(each.violated)
        if known is None or each.bits < known.bits:
            best[each.violated] = each
    ordered = sorted(best.values(), key=lambda each: _promise(each, evidence), reverse=True)[:_MOST_TRIED]
    if not ordered:
        return []
    traits = _Traits(evidence, links)
    found = (_excepted(each, evidence, traits) for each in ordered)
    return [option for option in found if option is not None]


def _promise(each: Candidate, evidence: Evidence) -> int:
    wrong = (each.violated & evidence.passing).bit_count()
    return (each.violated & evidence.failing).bit_count() - _FAILING_FOR_A_PASSING * wrong


def _excepted(candidate: Candidate, evidence: Evidence, traits: _Traits) -> Option | None:
    left = candidate.violated & evidence.passing
    against = candidate.violated & evidence.failing
    violated = candidate.violated
    bits = candidate.bits
    alternatives: list[tuple[Linked, ...]] = []
    while left:
        number = (left & -left).bit_length() - 1
        described = _description(left, against, traits.of(number, candidate.condition))
        if described is None:
            return None
        holding = -1
        for trait in described:
            holding &= trait.holding
        alternatives.append(tuple(trait.linked for trait in described))
        bits += _FOR_AN_EXCEPTION + sum(trait.bits for trait in described)
        left &= ~holding
        violated &= ~holding
    return Option(Clause(candidate.condition, tuple(alternatives)), violated, bits)


def _description(wanted: int, against: int, traits: Sequence[_Trait]) -> list[_Trait] | None:
    """Traits of this case that no failing case has together, and that other exceptions share if possible."""
    chosen: list[_Trait] = []
    holding = -1
    while holding & against:
        if len(chosen) == _LARGEST or not traits:
            return None
        have, rivals = (holding & wanted).bit_count(), (holding & against).bit_count()
        best = min(
            traits,
            key=lambda each: (
                (each.holding & holding & against).bit_count() / rivals
                - 0.5 * (each.holding & holding & wanted).bit_count() / have,
                each.bits,
            ),
        )
        if (best.holding & holding & against).bit_count() == rivals:
            return None
        chosen.append(best)
        holding &= best.holding
    return chosen


class _Traits:
    """What can be said about cases: the triples of their changes, and how many values there are in the slots."""

    def __init__(self, evidence: Evidence, links: Links) -> None:
        self._evidence = evidence
        self._links = links
        self._holding: dict[Condition, int] = {}
        places = slots(evidence)
        self._bits = SlotBits(places)
        self._counts = [each for slot in places if not slot.focus.is_class for each in self._counted(slot)]

    def of(self, number: int, first: Condition) -> list[_Trait]:
        """The traits of a case, for a shape about the node of another condition."""
        graph = self._evidence.graphs[number]
        found: list[_Trait] = []
        for condition, holding, bits in self._counts:
            if holding >> number & 1:
                found += self._linked(first, condition, holding, bits, graph)
        for condition in self._facts(number):
            found += self._linked(first, condition, self._holds(condition), 2.0, graph)
        return found

    def _linked(
        self, first: Condition, condition: Condition, holding: int, bits: float, graph: Graph
    ) -> Iterator[_Trait]:
        linked = self._links.to(first, condition)
        if linked is None:
            return
        if linked.link is not None:
            if not linked.link.holds(graph):
                return
            holding &= ~self._links.broken(linked.link)
        yield _Trait(linked, holding, bits)

    def _facts(self, number: int) -> Iterator[Condition]:
        """The triples that a case has and its seed lacks, about nodes of the seed."""
        for triple in self._evidence.cases[number].change.added:
            subject, object_ = ends_of(triple)
            path = Predicate(triple.predicate)
            if isinstance(subject, NamedNode) and self._evidence.is_in_a_seed(subject):
                yield Condition(Focus(subject), path, HasValue(object_))
            elif isinstance(object_, NamedNode) and self._evidence.is_in_a_seed(object_):
                if isinstance(subject, NamedNode):
                    yield Condition(Focus(object_), Inverse(path), HasValue(subject))

    def _holds(self, condition: Condition) -> int:
        known = self._holding.get(condition)
        if known is None:
            known = self._holding[condition] = sum(
                1 << number for number, graph in enumerate(self._evidence.graphs) if condition.holds(graph)
            )
        return known

    def _counted(self, slot: Slot) -> Iterator[tuple[Condition, int, float]]:
        seen = self._evidence.seen(slot)
        sizes: dict[int, tuple[int, int] | None] = {}
        everywhere = [len(place.values) for place in seen.seeds]
        usual = (min(everywhere), max(everywhere)) if everywhere else None
        for number in range(len(self._evidence.cases)):
            places = seen.cases.get(number)
            if places is None:
                sizes[number] = usual
            else:
                counts = [len(place.values) for place in places]
                sizes[number] = (min(counts), max(counts)) if counts else None
        known = [each for each in sizes.values() if each is not None]
        bits = self._bits.of(slot) - 2.0
        for least in sorted({low for low, _ in known if low > 0}):
            holding = sum(1 << number for number, size in sizes.items() if size is None or size[0] >= least)
            yield Condition(slot.focus, slot.path, AtLeast(least)), holding, bits
        for most in sorted({high for _, high in known}):
            holding = sum(1 << number for number, size in sizes.items() if size is None or size[1] <= most)
            yield Condition(slot.focus, slot.path, AtMost(most)), holding, bits
