"""Conditions with exceptions: they explain many failing cases, and a few passing ones do not meet them either.

A mask must not exclude those. So the shape says: the condition holds, or the graph is like one of the exceptions. What
sets an exception apart from the failing cases that the condition explains is found greedily. If that fits no other
passing case, or takes names that a mutation has made up, there is no rule behind it. Then the whole change is
described: similar graphs may well fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from kgprobe.masks.learning.candidates import Candidate, SlotBits, as_bits, simplest
from kgprobe.masks.learning.combinations import Option, path_between
from kgprobe.masks.learning.conditions import (
    AtLeast,
    AtMost,
    Clause,
    Exactly,
    Focus,
    HasValue,
    Lacks,
    LinkedCondition,
    ShapeCondition,
    ShapeLink,
)
from kgprobe.masks.learning.observations import Evidence, OnProgress, Slot, ends_of, nobody_watches, slots
from kgprobe.masks.paths import Predicate
from kgprobe.rdf.terms import BlankNode, NamedNode, Term, Triple

_MOST_EXCEPTIONS = 40
_MOST_TRIED = 40
_LARGEST = 8  # conditions that describe one exception, unless all of its change is described
_MOST_AROUND = 20
# A condition with more exceptions explains nothing.
_FAILING_FOR_A_PASSING = 3
_MOST_OF_PASSING = 0.5
_FOR_A_FACT = 2.0


@dataclass(frozen=True)
class _Trait:
    """A condition that describes exceptions, and the cases in which it holds."""

    condition: ShapeCondition
    holding: int
    bits: float
    is_made_up: bool = False


def with_exceptions(
    candidates: Sequence[Candidate], evidence: Evidence, on_progress: OnProgress = nobody_watches
) -> list[Option]:
    """The most promising conditions that passing cases violate, with these as exceptions."""
    most = min(_MOST_EXCEPTIONS, _MOST_OF_PASSING * evidence.passing.bit_count())
    promising = simplest(
        candidate
        for candidate in candidates
        if not candidate.condition.focus.is_class
        and 0 < (candidate.violated & evidence.passing).bit_count() <= most
        and _promise(candidate, evidence) >= 0
    )
    ordered = sorted(promising, key=lambda candidate: _promise(candidate, evidence), reverse=True)[:_MOST_TRIED]
    if not ordered:
        return []
    traits = _Traits(evidence)
    options: list[Option] = []
    for number, candidate in enumerate(ordered):
        on_progress("describing exceptions", number, len(ordered))
        option = _excepted(candidate, evidence, traits)
        if option is not None:
            options.append(option)
    return options


def _promise(candidate: Candidate, evidence: Evidence) -> int:
    wrong = (candidate.violated & evidence.passing).bit_count()
    return (candidate.violated & evidence.failing).bit_count() - _FAILING_FOR_A_PASSING * wrong


def _excepted(candidate: Candidate, evidence: Evidence, traits: _Traits) -> Option | None:
    left = candidate.violated & evidence.passing
    against = candidate.violated & evidence.failing
    violated = candidate.violated
    alternatives: list[tuple[LinkedCondition, ...]] = []
    while left:
        number = (left & -left).bit_length() - 1
        described = _linked_description(number, left, against, candidate.condition, traits)
        if described is None:
            return None
        together = traits.linked(described, candidate.condition, number)
        holding = violated
        for trait in described:
            holding &= trait.holding
        # A link can be broken, so the description may fit fewer cases.
        fitting = as_bits(
            case for case in _numbers(holding) if all(linked.holds(evidence.graphs[case]) for linked in together)
        )
        if not fitting >> number & 1:
            return None
        alternatives.append(together)
        left &= ~fitting
        violated &= ~fitting
    excepted = candidate.violated & evidence.passing
    return Option(Clause(candidate.condition, tuple(alternatives)), violated, candidate.bits, excepted)


def _numbers(cases: int) -> Iterator[int]:
    while cases:
        bit = cases & -cases
        yield bit.bit_length() - 1
        cases ^= bit


def _linked_description(
    number: int, passing: int, against: int, first: ShapeCondition, traits: _Traits
) -> list[_Trait] | None:
    """A description of a passing case that a shape for the node of a condition can give."""
    beyond: set[NamedNode] = set()
    while True:
        usable = ([trait for trait in some if trait.condition.focus.term not in beyond] for some in traits.of(number))
        described = _description(against, usable)
        if described is None:
            return None
        unlinked = [trait.condition.focus.term for trait in described if not traits.is_linked(trait, first, number)]
        if not unlinked:
            break
        beyond.update(unlinked)
    if any(trait.is_made_up for trait in described) or not _is_common(described, passing):
        known = {trait.condition for trait in described}
        described += [
            trait
            for trait in traits.whole(number)
            if trait.condition not in known and traits.is_linked(trait, first, number)
        ]
    return described


def _is_common(traits: Sequence[_Trait], cases: int) -> bool:
    """Whether several of the cases have all of these traits."""
    for trait in traits:
        cases &= trait.holding
    return cases.bit_count() > 1


def _description(against: int, traits: Iterable[list[_Trait]]) -> list[_Trait] | None:
    """Traits of one case that no failing case has together.

    They come from what is most special about it, its change, because nothing is known about cases that are similar.
    """
    chosen: list[_Trait] = []
    holding = -1
    for usable in traits:
        while holding & against and usable and len(chosen) < _LARGEST:
            rivals = holding & against
            best = min(usable, key=lambda trait: ((trait.holding & rivals).bit_count(), trait.bits))
            if best.holding & rivals == rivals:
                break
            chosen.append(best)
            holding &= best.holding
        if not holding & against:
            return chosen
    return None


class _Traits:
    """What can be said about cases: the triples of their changes, and how many values there are in the slots."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._all = evidence.failing | evidence.passing
        self._links: dict[tuple[int, NamedNode, NamedNode], ShapeLink | None] = {}
        self._adding: dict[Triple, int] = {}
        self._removing: dict[Triple, int] = {}
        self._sizes: dict[tuple[NamedNode, NamedNode], Counter[int]] = {}
        for number, case in enumerate(evidence.cases):
            for triple in case.change.added:
                self._adding[triple] = self._adding.get(triple, 0) | 1 << number
                subject, _ = ends_of(triple)
                if isinstance(subject, NamedNode):
                    self._sizes.setdefault((subject, triple.predicate), Counter())[number] += 1
            for triple in case.change.removed:
                self._removing[triple] = self._removing.get(triple, 0) | 1 << number

    def of(self, number: int) -> Iterator[list[_Trait]]:
        """The traits of a case: first what is special about its change, and then how many values there are."""
        yield list(self._facts(number))
        yield [trait for trait in self._counts if trait.holding >> number & 1]

    def whole(self, number: int) -> Iterator[_Trait]:
        """All of a case's change, and that there is no more: the nodes around it have as many values as here."""
        yield from self._changed(number)
        graph, change = self._evidence.graphs[number], self._evidence.cases[number].change
        predicates = dict.fromkeys(triple.predicate for triple in change.added)
        nodes: dict[Term, None] = {}
        for triple in (*change.removed, *change.added):
            nodes |= dict.fromkeys(ends_of(triple))
        for predicate in predicates:
            key = graph.key(predicate)
            for node in list(nodes):
                nodes |= dict.fromkeys(map(graph.term, islice(graph.objects(graph.key(node), key), _MOST_AROUND)))
        for node in islice(nodes, _MOST_AROUND):
            for predicate in predicates:
                count = graph.count(graph.key(node), graph.key(predicate))
                if count and isinstance(node, NamedNode):
                    yield _Trait(
                        ShapeCondition(Focus(node), Predicate(predicate), Exactly(count)), self._all, _FOR_A_FACT
                    )

    def linked(self, traits: Sequence[_Trait], first: ShapeCondition, number: int) -> tuple[LinkedCondition, ...]:
        """The traits as parts of a shape for the node of another condition."""
        start = first.focus.term
        return tuple(
            LinkedCondition(trait.condition, self._link(number, start, trait.condition.focus.term)) for trait in traits
        )

    def is_linked(self, trait: _Trait, first: ShapeCondition, number: int) -> bool:
        """Whether a path leads from the node of a condition to that of the trait, in this case."""
        start, end = first.focus.term, trait.condition.focus.term
        return start == end or self._link(number, start, end) is not None

    def _link(self, number: int, start: NamedNode, end: NamedNode) -> ShapeLink | None:
        if start == end:
            return None
        known = (number, start, end)
        if known not in self._links:
            path = path_between(self._evidence.graphs[number], start, end)
            self._links[known] = None if path is None else ShapeLink(start, path, end)
        return self._links[known]

    def _facts(self, number: int) -> Iterator[_Trait]:
        """The triples in which a case differs from its seed, and how many values its new nodes have."""
        yield from self._changed(number)
        change = self._evidence.cases[number].change
        counts: Counter[tuple[NamedNode, NamedNode]] = Counter()
        for triple in change.added:
            subject, _ = ends_of(triple)
            if isinstance(subject, NamedNode) and self._is_made_up(subject):
                counts[subject, triple.predicate] += 1
        for (subject, predicate), count in counts.items():
            # Where the node is missing, it has no values.
            more = as_bits(case for case, size in self._sizes[subject, predicate].items() if size > count)
            condition = ShapeCondition(Focus(subject), Predicate(predicate), AtMost(count))
            yield _Trait(condition, self._all & ~more, _FOR_A_FACT, is_made_up=True)

    def _changed(self, number: int) -> Iterator[_Trait]:
        """The triples that a case has and its seed lacks, and the reverse."""
        change = self._evidence.cases[number].change
        for triple in change.added:
            yield from self._stated(triple, self._adding[triple], HasValue)
        for triple in change.removed:
            yield from self._stated(triple, self._removing[triple], Lacks)

    def _stated(self, triple: Triple, holding: int, test: type[HasValue | Lacks]) -> Iterator[_Trait]:
        subject, object_ = ends_of(triple)
        if isinstance(subject, NamedNode) and not isinstance(object_, BlankNode):
            condition = ShapeCondition(Focus(subject), Predicate(triple.predicate), test(object_))
            is_made_up = any(isinstance(end, NamedNode) and self._is_made_up(end) for end in (subject, object_))
            yield _Trait(condition, holding, _FOR_A_FACT, is_made_up)

    def _is_made_up(self, name: NamedNode) -> bool:
        return not self._evidence.is_in_a_seed(name)

    @cached_property
    def _counts(self) -> list[_Trait]:
        places = slots(self._evidence)
        bits = SlotBits(places)
        return [trait for slot in places if not slot.focus.is_class for trait in self._counted(slot, bits.of(slot))]

    def _counted(self, slot: Slot, bits: float) -> Iterator[_Trait]:
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
        known = [size for size in sizes.values() if size is not None]
        for least in sorted({low for low, _ in known if low > 0}):
            holding = sum(1 << number for number, size in sizes.items() if size is None or size[0] >= least)
            yield _Trait(ShapeCondition(slot.focus, slot.path, AtLeast(least)), holding, bits)
        for most in sorted({high for _, high in known}):
            holding = sum(1 << number for number, size in sizes.items() if size is None or size[1] <= most)
            yield _Trait(ShapeCondition(slot.focus, slot.path, AtMost(most)), holding, bits)
