"""How often `kgprobe locate` finds the steps that cause failures: `python -m bench.localisation`.

The robot of examples/pipes runs on mutants without a mask, and with each mask but the last, which leaves no failure. A
position failure is a crash of a robot without exactly one position. Its culprit is known from the mutant alone: a step
that changes how many positions the robot has. Two bars: the culprit comes first and is confirmed in 90 % of position
failures, and some step is confirmed in 90 % of all failing cases. The other ranks are for comparison: by suspicion
without any run of a part, and at random.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from bench.measure import Row, report
from kgprobe.campaign.local import usual_workers
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.sources.mutants import steps_in
from kgprobe.campaign.store import Store, read_store
from kgprobe.config.loading import load_profile
from kgprobe.learning.located import LocatedCase
from kgprobe.learning.locating import RUNS, locate

PIPES = Path(__file__).resolve().parents[1] / "examples" / "pipes"
PROFILES = ("0-no-mask", "1-position", "2-start", "3-linear")
SEEDS = (1, 2)
MUTANTS = 100
_POSITION = "LookupError"
_IS_AT = "<https://kgprobe.example/pipes#isAt>"


@dataclass(frozen=True)
class Measured:
    """The located cases of a campaign, and for each case the numbers of the steps that change the robot's positions."""

    profile: str
    cases: tuple[LocatedCase, ...]
    ranked: tuple[LocatedCase, ...]
    culprits: dict[int, set[int]]

    def positions(self, cases: Iterable[LocatedCase]) -> list[LocatedCase]:
        return [case for case in cases if _POSITION in case.failure]

    def is_right(self, case: LocatedCase) -> bool:
        return case.steps[0].number in self.culprits[case.number]


def measured(profile: str, seed: int, folder: Path) -> Measured:
    here = Path(shutil.copytree(PIPES, folder / f"{profile}-{seed}"))
    loaded = load_profile(here / f"{profile}.toml")
    loaded = replace(
        loaded,
        method=replace(loaded.mutation, seed=seed, mutants=MUTANTS),
        campaign=replace(loaded.campaign, reduce=0),
    )
    with closing(run_campaign(loaded, usual_workers)) as events:
        for _ in events:
            pass
    store = loaded.campaign.store
    ranked = locate(store, runs=1).cases
    located = locate(store, runs=RUNS).cases
    with read_store(store) as read:
        culprits = {case.number: _culprits(read, case.number) for case in located}
    return Measured(profile, located, ranked, culprits)


def _culprits(store: Store, number: int) -> set[int]:
    """The steps, from 1, after which the robot has more or fewer positions than before."""
    planned = store.case(number)
    assert planned is not None
    found = set()
    for place, step in enumerate(steps_in(planned.recipe) or (), start=1):
        gone, come = (
            sum(str(triple.predicate) == _IS_AT for triple in triples)
            for triples in (step.delta.removed, step.delta.added)
        )
        if gone != come:
            found.add(place)
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        all_measured = [measured(profile, seed, Path(folder)) for profile in PROFILES for seed in SEEDS]
    rows = []
    for profile in PROFILES:
        rows += list(_rows([each for each in all_measured if each.profile == profile], profile))
    rows += list(_rows(all_measured, "all profiles"))
    report(rows)


def _rows(found: list[Measured], name: str) -> Iterable[Row]:
    positions = [(each, case) for each in found for case in each.positions(each.cases)]
    if positions:
        right = sum(each.is_right(case) and case.steps[0].confirmed for each, case in positions)
        by_rank = [each.is_right(case) for each in found for case in each.positions(each.ranked)]
        by_chance = sum(len(each.culprits[case.number]) / len(case.steps) for each, case in positions)
        share = f"{sum(by_rank) / len(by_rank):.0%}, {by_chance / len(positions):.0%}"
        what = f"{name}: culprit first and confirmed, of {len(positions)}"
        yield Row(what, f"{right / len(positions):.1%}", share, right / len(positions), 0.9, at_least=True)
    cases = [case for each in found for case in each.cases]
    confirmed = sum(bool(case.culprits) for case in cases)
    runs = sum(case.runs for case in cases) / len(cases)
    what = f"{name}: some step confirmed, of {len(cases)}"
    yield Row(what, f"{confirmed / len(cases):.1%}", f"{runs:.1f} runs", confirmed / len(cases), 0.9, at_least=True)


if __name__ == "__main__":
    main()
