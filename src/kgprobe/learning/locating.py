"""Finds the steps of failing mutants that cause their failures.

All cases of a campaign show what failing runs have and passing ones lack. In this order of suspicion, steps are left
out and tried alone, with the systems and oracles of the campaign. Each result is stored as soon as it is known.

If there are enough runs, each step is left out once and tried alone once. Otherwise, a binary search in the order of
suspicion finds a small set of steps that fails, and these steps are tried first. The same search finds steps that fail
together where no step is needed or enough by itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Generic, TypeVar

from kgprobe.campaign.executor import LazyExecutor
from kgprobe.campaign.local import usual_workers
from kgprobe.campaign.run import MakeExecutor, check_systems, job_of
from kgprobe.campaign.sources import kind_in
from kgprobe.campaign.store import Store
from kgprobe.campaign.store_reading import Finding, Planned
from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.learning.case_runs import (
    Answer,
    Ask,
    CaseRuns,
    FailingCase,
    PartialMutants,
    Steps,
    is_judged,
    steps_of,
)
from kgprobe.learning.located import KeptLocation, Located, LocatedCase, LocatedStep, kept_locations
from kgprobe.learning.stored_campaign import StoredCampaign, check_mutants, opened_campaign
from kgprobe.mutation.mutant import MutationStep
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, Literal, Term, Triple
from kgprobe.wording import number_of

__all__ = ["RUNS", "failing_cases", "locate", "locating"]


# -- suspicion ---------------------------------------------------------------------------------------------------------

_Feature = TypeVar("_Feature", bound=Hashable)


def ochiai(failing_with: float, failing: int, with_it: int) -> float:
    """The coefficient, from 0 to 1: of all runs that fail, and all that have a feature, the share that does both."""
    return failing_with / math.sqrt(failing * with_it) if failing_with else 0.0


class Spectrum(Generic[_Feature]):
    """Counts runs by their features."""

    def __init__(self) -> None:
        self._failing = self._passing = 0
        self._failing_with: Counter[_Feature] = Counter()
        self._passing_with: Counter[_Feature] = Counter()

    def add(self, features: Collection[_Feature], *, fails: bool) -> None:
        """Count a run."""
        distinct = set(features)
        if fails:
            self._failing += 1
            self._failing_with.update(distinct)
        else:
            self._passing += 1
            self._passing_with.update(distinct)

    @property
    def has_both(self) -> bool:
        """Whether there are failing and passing runs. Otherwise, nothing is more suspicious than anything else."""
        return self._failing > 0 and self._passing > 0

    def suspicion(self, feature: _Feature) -> float:
        """How suspicious a feature is."""
        failing = self._failing_with[feature]
        return ochiai(failing, self._failing, failing + self._passing_with[feature])

    def excess(self, feature: _Feature) -> float:
        """The same, without the failing runs that would have the feature if it had nothing to do with the failure.

        A feature that almost all runs have would otherwise look suspicious whenever most runs fail.
        """
        failing, passing = self._failing_with[feature], self._passing_with[feature]
        by_chance = self._failing * passing / self._passing if self._passing else 0.0
        return ochiai(max(0.0, failing - by_chance), self._failing, failing + passing)

    def highest(self, features: Iterable[_Feature]) -> float:
        """How suspicious the most suspicious of these features is, by its excess."""
        return max(map(self.excess, features), default=0.0)


def features_of(step: MutationStep, seed: Graph) -> frozenset[str]:
    """The features of a step. Names that the seed graph lacks differ from mutant to mutant, and do not count."""
    return frozenset(_features(step, seed))


def _features(step: MutationStep, seed: Graph) -> Iterator[str]:
    yield f"operator {step.operator}"
    kinds = []
    for sign, triples in (("-", step.delta.removed), ("+", step.delta.added)):
        for triple in triples:
            kinds.append(f"{sign} {_kind(triple)}")
            places = {"subject": triple.subject, "object": triple.object}
            known = {place: term for place, term in places.items() if _is_known(term, seed)}
            if len(known) == len(places):
                yield f"{sign} {triple}"
            for place, term in known.items():
                if not isinstance(term, Literal):
                    yield f"{sign} {_kind(triple)} with {place} {term}"
    yield from kinds
    yield f"operator {step.operator}: {', '.join(sorted(kinds))}"


def _kind(triple: Triple) -> str:
    """The predicate of a triple, with the class if it says what something is."""
    return f"{triple.predicate} {triple.object}" if triple.predicate == RDF.type else str(triple.predicate)


def _is_known(term: Term | Triple, seed: Graph) -> bool:
    return not isinstance(term, Triple) and seed.mentions(term)


# -- which graphs to run -----------------------------------------------------------------------------------------------


def search(
    order: Sequence[int], alone: Callable[[int], Steps], ask: Ask, runs_left: Callable[[], int]
) -> list[int] | None:
    """Ask about graphs with some of these steps, the most suspicious first. The graph with all of them fails.

    `alone` is a step with all that it depends on. Returns steps that fail together, if it had to look for them and had
    enough runs.
    """
    tries = {step: list(_tries(frozenset(order), alone(step), step)) for step in order}
    if runs_left() >= len({steps for sets in tries.values() for steps in sets}):
        ask([steps for sets in tries.values() for steps in sets])
        return None
    together = small_set(order, ask)
    for step in together or ():
        ask(tries[step])
    for step in order:
        ask(tries[step])
    return together


def _tries(everything: Steps, alone: Steps, step: int) -> Iterator[Steps]:
    """Without the step, with it alone, and with only what it depends on."""
    yield everything - {step}
    yield alone
    if len(alone) > 1:
        yield alone - {step}


def small_set(order: Sequence[int], ask: Ask) -> list[int] | None:
    """Steps that fail together, few if not as few as possible; None if the runs are used up before.

    `needed` and the first `end` steps of the order fail together. A binary search finds a number of steps that fails
    while one less does not: the last of them is needed.
    """
    needed: list[int] = []
    end = len(order)
    while end:
        low, high = 0, end
        while high - low > 1:
            middle = (low + high) // 2
            answers = ask([frozenset([*needed, *order[:middle]])])
            if not answers:
                return None
            low, high = (low, middle) if answers == [Answer.FAILS] else (middle, high)
        needed.append(order[high - 1])
        end = high - 1
        if end:
            answers = ask([frozenset(needed)])
            if not answers:
                return None
            if answers == [Answer.FAILS]:
                break
    return sorted(needed)


# -- the cases of a campaign -------------------------------------------------------------------------------------------

RUNS = 30
"""The number of runs for each case, unless the user says otherwise."""
_MOST_COMPARED = 2000  # cases that suspicion is computed from


def locate(
    store: str | PathLike[str],
    case: int | str | None = None,
    *,
    finding: int | None = None,
    runs: int = RUNS,
    workers: int | None = None,
) -> Located:
    """Find the steps that cause the failures in a store: of all failing cases, of one case, or of one finding.

    `case` is a number or a name, such as `pipes#7`, and `finding` is the number that `kgprobe show` prints. At most
    `runs` runs are made for each case. Results are kept in the store: what was located before is not run again.
    """
    if runs < 1:
        raise InputError(f"{runs} is not a number of runs", hint="1 is the least")

    with Store.reopen(Path(store)) as opened:
        waiting = failing_cases(opened, finding, case)
        return Located(tuple(locating(opened, waiting, runs=runs, workers=workers)))


def failing_cases(
    store: Store, number: int | None = None, case: int | str | None = None
) -> Sequence[tuple[Finding, int]]:
    """The failing cases of a store, in the order of their numbers; of one finding, or only one case, if asked for.

    InputError if the cases are not mutants, or if there is no such finding or failing case.
    """
    check_mutants(store)
    findings = store.findings()
    if number is not None:
        if not 1 <= number <= len(findings):
            hint = f"it has findings 1 to {len(findings)}" if findings else "it has no findings"
            raise InputError(f"{store.path} has no finding {number}", hint=hint)
        findings = [findings[number - 1]]
    cases = [(finding, case) for finding in findings for case in store.cases_of(finding.signature, finding.cases)]
    waiting = sorted(cases, key=lambda finding_and_case: finding_and_case[1])
    return waiting if case is None else _only(case, waiting, store)


def _only(case: int | str, waiting: Sequence[tuple[Finding, int]], store: Store) -> Sequence[tuple[Finding, int]]:
    names = {number: _name(store, number) for _, number in waiting}
    chosen = [(finding, number) for finding, number in waiting if case in (number, names[number])]
    if not chosen:
        hint = did_you_mean(str(case), names.values(), f"the store has {number_of(len(names), 'failing case')}")
        raise InputError(f"there is no failing case {case}", where=Position(str(store.path)), hint=hint)
    return chosen


def _name(store: Store, number: int) -> str:
    planned = _planned(store, number)
    with store.reading():
        return kind_in(store).case_name(store.sources()[planned.source].name, planned.recipe)


def _planned(store: Store, number: int) -> Planned:
    planned = store.case(number)
    if planned is None:
        raise store.damaged(f"case {number} is missing")
    return planned


def locating(
    store: Store,
    cases: Sequence[tuple[Finding, int]],
    *,
    runs: int = RUNS,
    workers: int | None = None,
    make_executor: MakeExecutor | None = None,
) -> Iterator[LocatedCase]:
    """Locate these failing cases one by one. The store must be open for writing."""
    with opened_campaign(store, runs_systems=True) as campaign:
        check_systems(campaign.profile)
        count = workers or campaign.profile.campaign.workers
        make = make_executor or (lambda job: usual_workers(job, count))
        with closing(LazyExecutor(lambda: make(job_of(campaign.profile, campaign.sources)))) as executor:
            work = _Locating(store, campaign, executor, runs)
            for finding, number in cases:
                yield work.located(finding, number)


class _Locating:
    """The context that all cases of a campaign share."""

    def __init__(self, store: Store, campaign: StoredCampaign, executor: LazyExecutor, runs: int) -> None:
        self._store = store
        self._campaign = campaign
        self._executor = executor
        self._runs = runs
        self._spectrums: dict[str, Spectrum[str]] = {}
        self._kept: dict[str, dict[int, KeptLocation]] = {}

    def located(self, finding: Finding, number: int) -> LocatedCase:
        """One case: from the store if it is there, with as many runs as are allowed."""
        signature = finding.signature
        if signature not in self._kept:
            self._kept[signature] = kept_locations(self._store, signature)
        before = self._kept[signature].get(number)
        # A case with several failures shares its runs among them.
        most = max(1, self._runs // max(1, len(self._store.kinds_of(number))))
        if before is not None and (before.is_complete or before.most >= most):
            return before.located
        case = self._found(finding, number, most, before)
        self._store.keep_location(signature, number, case.value())
        return case.located

    def _found(self, finding: Finding, number: int, most: int, before: KeptLocation | None) -> KeptLocation:
        case = FailingCase(self._store, self._campaign, self._executor, finding, _planned(self._store, number))
        if not case.steps:
            note = "the seed graph fails by itself"
            return KeptLocation(LocatedCase(case.name, number, finding.signature, (), 0, note), most, (), True)
        mutants = PartialMutants(case.seed, case.steps)
        work = CaseRuns(
            mutants,
            case.answers,
            most=most,
            may_run=case.may_run,
            seed_passes=case.seed_passes,
            earlier=() if before is None else before.tried,
        )
        prior = [self._spectrum(finding.signature).highest(features_of(step, case.seed)) for step in case.steps]
        order = sorted(work.everything, key=lambda step: (-prior[step], -step))
        note = ""
        if work.is_reproduced():
            work.ask([frozenset()])  # a failure that the seed graph has, too, comes from no step alone
            together = search(order, mutants.alone, work.ask, work.left)
            if not any(work.is_needed(step) or work.is_enough(step) for step in order):
                work.ask_outside([work.everything - {step} for step in order])
                together = together or small_set(order, work.ask)
            note = _note(work, together)
        else:
            note = f"the failure did not come again in {number_of(work.runs, 'run')} of the whole mutant"
        steps = _ranked(case, work, prior)
        is_complete = all(map(work.is_decided, work.everything))
        located = LocatedCase(case.name, number, finding.signature, steps, work.runs, note)
        return KeptLocation(located, most, work.tried, is_complete)

    # -- suspicion, from all cases -------------------------------------------------------------------------------------

    def _spectrum(self, signature: str) -> Spectrum[str]:
        if signature not in self._spectrums:
            failing = set(self._store.cases_of(signature, -1))
            spectrum = Spectrum[str]()
            for number, features in self._features:
                spectrum.add(features, fails=number in failing)
            self._spectrums[signature] = spectrum
        return self._spectrums[signature]

    @cached_property
    def _features(self) -> list[tuple[int, frozenset[str]]]:
        """The features of all steps of each judged case; of a part of the cases if there are too many."""
        judged = [planned for planned, outcome in self._store.judged() if is_judged(outcome) and planned.number > 0]
        features = []
        for planned in judged[:: max(1, -(-len(judged) // _MOST_COMPARED))]:
            seed = self._campaign.sources[planned.source].seed_graph
            steps = steps_of(self._store, self._campaign, planned)
            features.append((planned.number, frozenset(name for step in steps for name in features_of(step, seed))))
        return features


def _note(work: CaseRuns, together: Sequence[int] | None) -> str:
    """What else there is to say about a failure that came again."""
    notes = []
    if work.rate < 1:
        notes.append(f"the failure is flaky: {work.rate:.0%} of the runs of the whole mutant fail")
    if together is not None and len(together) > 1:
        *first, last = (str(step + 1) for step in together)
        notes.append(f"steps {', '.join(first)} and {last} together are enough")
    return "; ".join(notes)


def _ranked(case: FailingCase, work: CaseRuns, prior: Sequence[float]) -> tuple[LocatedStep, ...]:
    """The steps, confirmed ones first, then by suspicion; of equal ones, the later one completes the failure."""
    own = Spectrum[int]()
    for tried in work.tried:
        for answer in tried.answers:
            if answer is not Answer.UNCLEAR:
                own.add(tried.steps, fails=answer is Answer.FAILS)
    suspicion = own.suspicion if own.has_both else prior.__getitem__
    ranked = []
    for number, step in enumerate(case.steps):
        shown = LocatedStep(
            number + 1,
            step.operator,
            case.words(step),
            round(suspicion(number), 4),
            work.is_needed(number),
            work.is_enough(number),
        )
        ranked.append((shown, prior[number]))
    ranked.sort(key=lambda step: (not step[0].confirmed, -step[0].suspicion, -step[0].number, -step[1]))
    return tuple(step for step, _ in ranked)
