"""Conditions that could explain failures: they hold in the seed graphs, and some failing case violates them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol, TypeVar

from kgprobe.masks.learning.conditions import (
    AtLeast,
    AtMost,
    Bound,
    Exactly,
    HasValue,
    Lacks,
    OfClass,
    OfDatatype,
    OneOf,
    ShapeCondition,
    ShapeTest,
    counted,
    number_of,
)
from kgprobe.masks.learning.observations import (
    Evidence,
    OnProgress,
    Place,
    Seen,
    Slot,
    classes_of,
    nobody_watches,
    reach_slots,
    slots,
)
from kgprobe.masks.paths import Alternative, Inverse, Path, Predicate, Repeat, Sequence_
from kgprobe.rdf.terms import RDF, XSD, BlankNode, Literal, NamedNode, Term

_MOST_DIGITS = 12


def bound_between(good: Decimal, bad: Decimal) -> tuple[Decimal, bool]:
    """The roundest number from `bad` to `good`, and whether a value equal to it is good.

    People choose round limits. Of equally round ones, take the one nearest to the middle, which is wrong by least.
    """
    low, high = min(good, bad), max(good, bad)
    middle = (low + high) / 2
    if low <= 0 <= high:
        return Decimal(0), bad != 0
    for digits in range(-_MOST_DIGITS, _MOST_DIGITS):
        unit = Decimal(1).scaleb(-digits)
        if unit > abs(high) and unit > abs(low):
            continue
        nearest = (middle / unit).to_integral_value() * unit
        options = [option for option in (nearest, nearest - unit, nearest + unit) if low <= option <= high]
        if options:
            best = min(options, key=lambda option: (abs(option - middle), option))
            return best, best != bad
    return good, True


def literal_for(number: Decimal, datatype: NamedNode) -> Literal:
    """The number as a literal that can be compared with those of a datatype."""
    text = format(number.normalize(), "f") if number else "0"
    if datatype in (XSD.double, XSD.float):
        return Literal(text if "." in text else f"{text}.0", datatype=datatype)
    return Literal(text, datatype=XSD.integer) if "." not in text else Literal(text, datatype=XSD.decimal)


# Longer lists say little, and cost time.
_MOST_ALLOWED = 20
_MOST_BOUNDS = 30
_MOST_SEED_VALUES = 2_000
_MOST_CLASSES_OF_VALUES = 3
_FAILURES_ON_A_SIDE = 2

# The description length of a condition, in bits: what is simpler and more usual costs less.
_KIND_BITS = {"node": 1.0, "class": 1.5, "via": 4.0, "closure": 3.0, "reach": 2.0}
_FOR_INSTANCES = 6.0
_FOR_VALUES_BEYOND = 4.0  # which values the neighbours of a node have; how many they have is more usual
_COSTS: dict[type, float] = {
    HasValue: 0.0,
    AtLeast: 1.0,
    AtMost: 1.0,
    Lacks: 2.0,
    Bound: 2.0,
    OneOf: 4.0,
    OfClass: 2.0,
    OfDatatype: 2.0,
}
_FOR_A_LISTED_VALUE = 1.0
_FOR_A_NEW_VALUE = 3.0
_FOR_COUNTING_INSTANCES = 2.0


@dataclass(frozen=True)
class Candidate:
    """A condition, the cases that violate it as a bit set, and its description length in bits."""

    condition: ShapeCondition
    violated: int
    bits: float


class Described(Protocol):
    """What can be chosen: a candidate, or a shape made from candidates."""

    @property
    def violated(self) -> int:
        """The cases that violate it, as a bit set."""
        ...

    @property
    def bits(self) -> float:
        """Its description length."""
        ...


_Described = TypeVar("_Described", bound=Described)


def simplest(choices: Iterable[_Described]) -> list[_Described]:
    """Of those that the same cases violate, only the one with the shortest description."""
    best: dict[int, _Described] = {}
    for choice in choices:
        known = best.get(choice.violated)
        if known is None or choice.bits < known.bits:
            best[choice.violated] = choice
    return list(best.values())


def simple_candidates(
    evidence: Evidence, *, noise: float = 0.0, on_progress: OnProgress = nobody_watches
) -> list[Candidate]:
    """All single conditions that a failing case violates."""
    candidates: list[Candidate] = []
    places, reached = slots(evidence), reach_slots(evidence)
    bits = SlotBits([*places, *(slot for slot, _ in reached)])
    for number, slot in enumerate(places):
        on_progress("looking at what has changed", number, len(places))
        base = bits.of(slot)
        for test, violated, extra in _Tests(slot, evidence, noise).all():
            if violated & evidence.failing:
                beyond = slot.focus.via is not None and not isinstance(test, AtLeast | AtMost)
                total = base + extra + (_FOR_VALUES_BEYOND if beyond else 0.0)
                candidates.append(Candidate(ShapeCondition(slot.focus, slot.path, test), violated, total))
    for slot, wanted in reached:
        condition = ShapeCondition(slot.focus, slot.path, wanted)
        if all(condition.holds(seed) for seed in evidence.seeds):
            violated = _reach_violations(condition, slot, evidence)
            if violated & evidence.failing:
                candidates.append(Candidate(condition, violated, bits.of(slot) + _way_bits(slot.path)))
    return candidates


def _reach_violations(condition: ShapeCondition, slot: Slot, evidence: Evidence) -> int:
    violated = 0
    for number in evidence.touching(slot):
        if not condition.holds(evidence.graphs[number]):
            violated |= 1 << number
    return violated


class SlotBits:
    """The description length of slots: the more of a kind there are, the more bits it takes to name one."""

    def __init__(self, all_slots: Iterable[Slot]) -> None:
        counts = Counter(map(_kind, all_slots))
        # A class is named only if that explains more than naming one node does.
        counts["class"] = max(counts["class"], counts["node"])
        self._names = {kind: math.log2(1 + count) for kind, count in counts.items()}

    def of(self, slot: Slot) -> float:
        """The bits of one slot."""
        kind = _kind(slot)
        bits = _KIND_BITS[kind] + self._names.get(kind, 0.0) + 0.5 * isinstance(slot.path, Inverse)
        # How many instances a class has says how large the graph is, which is rarely the reason for a failure.
        return bits + _FOR_INSTANCES if slot.path == Inverse(Predicate(RDF.type)) else bits


def _kind(slot: Slot) -> str:
    via = slot.focus.via
    if isinstance(slot.path, Sequence_ | Repeat):
        return "reach"
    if via is not None:
        return "closure" if isinstance(via, Sequence_) else "via"
    return "class" if slot.focus.is_class else "node"


def _way_bits(path: Path) -> float:
    """For connectivity: a step in one direction is simpler than one in both."""
    match path:
        case Sequence_((first, *_)):
            return _way_bits(first) - 1.0  # any instance of the class can be the end of a path without a last step
        case Repeat(Alternative(), _):
            return 1.0
        case Repeat(Inverse(), _):
            return 0.5
        case _:
            return 0.0


class _Tests:
    """The tests for one slot: those that its values in the seeds pass, and its values in a failing case do not."""

    def __init__(self, slot: Slot, evidence: Evidence, noise: float) -> None:
        self._slot = slot
        self._evidence = evidence
        self._noise = noise
        self._seen = evidence.seen(slot)
        self._failed = [number for number in self._seen.cases if evidence.cases[number].failed]

    def all(self) -> Iterator[tuple[ShapeTest, int, float]]:
        """Each test with the cases that do not pass it, and its bits."""
        if not self._failed:
            return
        yield from self._counts(self._seen)
        yield from self._required()
        new = self._new_values()
        yield from self._forbidden(new)
        yield from self._allowed(new)
        yield from self._bounds()
        yield from self._datatypes()
        yield from self._classes()

    def _violations(self, fails: Callable[[Place], bool], seen: Seen | None = None) -> int:
        cases = (seen or self._seen).cases
        return sum(1 << number for number, places in cases.items() if any(map(fails, places)))

    def _counts(self, seen: Seen, of: NamedNode | None = None) -> Iterator[tuple[ShapeTest, int, float]]:
        """How many values there are; with a class, how many instances of it."""

        def size(place: Place) -> int:
            return counted(place.graph, place.values, of)

        naming = 0.0 if of is None else _FOR_COUNTING_INSTANCES
        in_seeds = [size(place) for place in seen.seeds]
        least = min(in_seeds, default=None)
        most = max(in_seeds, default=0)
        fewest = {number: min(map(size, places), default=None) for number, places in seen.cases.items()}
        largest = {number: max(map(size, places), default=None) for number, places in seen.cases.items()}
        failed = [number for number in seen.cases if self._evidence.cases[number].failed]
        floors = {least} | {few + 1 for case in failed if (few := fewest[case]) is not None}
        for floor in sorted(floor for floor in floors if floor is not None and floor >= 1):
            if least is None or floor <= least:
                violated = as_bits(number for number, few in fewest.items() if few is not None and few < floor)
                yield AtLeast(floor, of), violated, _COSTS[AtLeast] + naming
        tops = {most} | {many - 1 for case in failed if (many := largest[case]) is not None}
        for top in sorted(top for top in tops if top >= most):
            violated = as_bits(number for number, many in largest.items() if many is not None and many > top)
            yield AtMost(top, of), violated, _COSTS[AtMost] + naming
        if of is None and least is not None and least == most >= 1:
            # As simple as each of its halves, if there are failures on both sides.
            below = as_bits(number for number, few in fewest.items() if few is not None and few < most)
            above = as_bits(number for number, many in largest.items() if many is not None and many > most)
            sides = [(side & self._evidence.failing).bit_count() for side in (below, above)]
            if self._slot.focus.via is None and min(sides) >= _FAILURES_ON_A_SIDE:
                yield Exactly(most), below | above, _COSTS[AtMost]

    def _required(self) -> Iterator[tuple[ShapeTest, int, float]]:
        if not self._seen.seeds:
            return
        common = dict.fromkeys(self._seen.seeds[0].terms())
        for place in self._seen.seeds[1:]:
            if not common:
                return
            here = set(place.terms())
            common = {term: None for term in common if term in here}
        for term in common:
            if not isinstance(term, BlankNode):
                yield HasValue(term), self._lacking(term), _COSTS[HasValue]

    def _lacking(self, term: Term) -> int:
        return self._violations(lambda place: term not in place.terms())

    def _new_values(self) -> dict[Term, int]:
        """The values that no seed has in this slot, and the cases that have each."""
        known = {term for place in self._seen.seeds for term in place.terms()}
        new: dict[Term, int] = {}
        for number, places in self._seen.cases.items():
            for place in places:
                for term in place.terms():
                    if term not in known:
                        new[term] = new.get(term, 0) | 1 << number
        return new

    def _forbidden(self, new: dict[Term, int]) -> Iterator[tuple[ShapeTest, int, float]]:
        for term, cases in new.items():
            # A name that a mutation has made up means nothing for other mutants.
            is_made_up = isinstance(term, NamedNode) and not self._evidence.is_in_a_seed(term)
            if not isinstance(term, BlankNode) and not is_made_up and cases & self._evidence.failing:
                yield Lacks(term), cases, _COSTS[Lacks]

    def _allowed(self, new: dict[Term, int]) -> Iterator[tuple[ShapeTest, int, float]]:
        known = dict.fromkeys(term for place in self._seen.seeds for term in place.terms())
        if not known or len(known) > _MOST_ALLOWED or any(isinstance(term, BlankNode) for term in known):
            return
        good = [term for term, cases in new.items() if self._passes_mostly(cases)]
        if any(isinstance(term, NamedNode) and not self._evidence.is_in_a_seed(term) for term in good):
            return  # mutations make up names, and a list would never be complete
        for more in ([], good) if good else ([],):
            terms = [*known, *more]
            if len(terms) > _MOST_ALLOWED or any(isinstance(term, BlankNode) for term in more):
                continue
            allowed = frozenset(terms)
            violated = 0
            for term, cases in new.items():
                if term not in allowed:
                    violated |= cases
            bits = _COSTS[OneOf] + _FOR_A_LISTED_VALUE * len(known) + _FOR_A_NEW_VALUE * len(more)
            yield OneOf(tuple(sorted(terms, key=str))), violated, bits

    def _passes_mostly(self, cases: int) -> bool:
        passing = (cases & self._evidence.passing).bit_count()
        return passing > 0 if not self._noise else 2 * passing >= cases.bit_count()

    def _bounds(self) -> Iterator[tuple[ShapeTest, int, float]]:
        seeds = [number_of(term) for place in self._seen.seeds for term in place.terms()]
        known = [number for number in seeds if number is not None]
        if len(known) < len(seeds):
            return
        numbers: list[tuple[Decimal, int]] = []
        others = 0  # cases with values that are no numbers violate every bound
        datatype: NamedNode | None = None
        for number, places in self._seen.cases.items():
            for place in places:
                for term in place.terms():
                    value = number_of(term)
                    if value is None:
                        others |= 1 << number
                    else:
                        assert isinstance(term, Literal)  # noqa: S101 - it is a number
                        datatype = datatype or term.datatype
                        numbers.append((value, number))
        if datatype is None:
            return
        for is_least in (True, False):
            for limit, is_inclusive in self._limits(numbers, known, is_least):
                kind = f"{'min' if is_least else 'max'}{'Inclusive' if is_inclusive else 'Exclusive'}"
                bound = Bound(kind, literal_for(limit, datatype))
                violated = others | as_bits(number for value, number in numbers if not bound.admits(value))
                yield bound, violated, _COSTS[Bound] + (0.0 if limit == 0 else 0.5)

    def _limits(
        self, numbers: list[tuple[Decimal, int]], known: list[Decimal], is_least: bool
    ) -> list[tuple[Decimal, bool]]:
        """Where a bound could be: between a value that passes and the next one that fails, beyond all of the seeds."""
        sign = 1 if is_least else -1
        edge = min((sign * value for value in known), default=None)
        values: dict[Decimal, list[bool]] = {}
        for value, number in numbers:
            if edge is None or sign * value < edge:
                values.setdefault(sign * value, []).append(self._evidence.cases[number].failed)
        ordered = sorted(values, reverse=True)  # away from the seeds
        limits: list[tuple[Decimal, bool]] = []
        before = edge
        for value in ordered:
            if any(values[value]) and before is not None and (not self._noise or _mostly(values[value])):
                limit, is_inclusive = bound_between(sign * before, sign * value)
                limits.append((limit, is_inclusive))
            before = value
        if not self._noise:
            # Without noise, only the bound behind the last value that passes excludes no passing case.
            last = min((value for value in ordered if not all(values[value])), default=edge)
            worst = [value for value in ordered if last is None or value < last]
            if not worst or last is None:
                return []
            return [bound_between(sign * last, sign * worst[0])]
        return limits[:_MOST_BOUNDS]

    def _datatypes(self) -> Iterator[tuple[ShapeTest, int, float]]:
        terms = [term for place in self._seen.seeds for term in place.terms()]
        datatypes = Counter(term.datatype if isinstance(term, Literal) else None for term in terms)
        if len(datatypes) == 1 and (datatype := next(iter(datatypes))) is not None:
            test = OfDatatype(datatype)
            violated = self._failing_test(test)
            if violated:
                yield test, violated, _COSTS[OfDatatype]

    def _classes(self) -> Iterator[tuple[ShapeTest, int, float]]:
        seeds = self._seen.seeds
        if (
            self._slot.focus.via is not None
            or not any(place.values for place in seeds)
            or sum(len(place.values) for place in seeds) > _MOST_SEED_VALUES
        ):
            return
        first = next(place for place in seeds if place.values)
        options = classes_of(first.graph.term(first.values[0]), first.graph)[:_MOST_CLASSES_OF_VALUES]
        if not options:
            return
        seen = self._evidence.seen(self._slot, types_matter=True)
        for rank, class_ in enumerate(options):
            test = OfClass(class_)
            if all(test.passes(place.graph, place.values) for place in seeds):
                yield test, self._failing_test(test, seen), _COSTS[OfClass] + 0.25 * rank
            yield from self._counts(seen, class_)

    def _failing_test(self, test: ShapeTest, seen: Seen | None = None) -> int:
        return self._violations(lambda place: not test.passes(place.graph, place.values), seen)


def _mostly(failed: list[bool]) -> bool:
    return 2 * sum(failed) >= len(failed)


def as_bits(numbers: Iterable[int]) -> int:
    bits = 0
    for number in numbers:
        bits |= 1 << number
    return bits
