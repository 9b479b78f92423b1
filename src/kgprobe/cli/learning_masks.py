"""`kgprobe test --learn-mask`: after a campaign, learns a mask in rounds, and says how sure it is."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from kgprobe.campaign.run import MakeExecutor
from kgprobe.campaign.store import Store
from kgprobe.cli.app import tell
from kgprobe.cli.options import option, spelled
from kgprobe.cli.progress import live_line
from kgprobe.config.profile import MutationTable, Profile
from kgprobe.errors import InputError
from kgprobe.learning.mask_loop import LearnedInRounds, LoopOptions, Round, learning_a_mask
from kgprobe.wording import number_of
from kgprobe.written_files import OwnKind

_FIRST_LINE = "# A mask that kgprobe test --learn-mask has learned."
_LEARNED = OwnKind("a learned mask", lambda start: start.startswith(_FIRST_LINE.encode()), hint="use --mask-out")
_RUNS, _IN_A_ROW = LoopOptions.runs, LoopOptions.in_a_row


@dataclass(frozen=True, kw_only=True)
class MaskOptions:
    """The options for learning a mask; those not given are None."""

    learn_mask: bool = option(
        "--learn-mask", is_flag=True, help="Then learn a mask from the results, and run more mutants for it."
    )
    mask_out: str | None = option(
        "--mask-out", metavar="FILE", help="The file for the mask.  [the store with -mask.ttl]"
    )
    learn_runs: int | None = option(
        "--learn-runs", type=click.IntRange(1), metavar="N", help=f"Most runs to learn the mask.  [{_RUNS}]"
    )
    in_a_row: int | None = option(
        "--in-a-row",
        type=click.IntRange(1),
        metavar="N",
        help=f"Stop when N mutants that the mask admits have passed in a row.  [{_IN_A_ROW}]",
    )


@dataclass(frozen=True)
class Learned:
    """A mask that was learned, and its file."""

    result: LearnedInRounds
    file: Path

    def value(self) -> dict[str, Any]:
        """As JSON."""
        result = self.result
        return {
            "file": str(self.file),
            "runs": result.runs,
            "in_a_row": result.in_a_row,
            "most_failing": round(result.most_failing, 4),
            "is_sure": result.is_sure,
            "why": result.why,
            **result.mask.as_json(),
        }

    def lines(self) -> Iterator[str]:
        """For a report."""
        result, mask = self.result, self.result.mask
        made_from = f"{number_of(len(mask.shapes), 'shape')}, learned from {number_of(mask.cases, 'case')}"
        yield f"  mask         {self.file}: {made_from}; {number_of(result.runs, 'mutant')} ran for it"
        yield from (f"    {shape.strength:<10} {shape.words}" for shape in mask.shapes)
        if mask.unexplained:
            yield f"  unexplained  {number_of(len(mask.unexplained), 'failing case')}, such as {mask.unexplained[0]}"
        passed = f"{number_of(result.in_a_row, 'new mutant')} that it admits passed in a row, and none failed"
        if not result.is_sure:
            yield f"  not sure     {result.why}; so far, {passed}"
        if result.in_a_row:
            share = f"at most {100 * result.most_failing:.1f} % of the mutants that it admits fail (95 % confidence)"
            yield f"  {'sure':<12} {passed}: {share}" if result.is_sure else f"  {'':<12} {share}"


@dataclass(frozen=True)
class MaskLearning:
    """What the options ask for."""

    options: LoopOptions
    file: Path | None

    @classmethod
    def of(cls, given: MaskOptions) -> MaskLearning | None:
        """From the options; None if no mask is to be learned."""
        if not given.learn_mask:
            for name in ("mask_out", "learn_runs", "in_a_row"):
                if getattr(given, name) is not None:
                    raise InputError(f"{spelled(given, name)} needs --learn-mask")
            return None
        options = LoopOptions(runs=given.learn_runs or _RUNS, in_a_row=given.in_a_row or _IN_A_ROW)
        return cls(options, None if given.mask_out is None else Path(given.mask_out))

    def check(self, profile: Profile) -> None:
        """InputError if no mask can be learned with this profile, or it cannot be written."""
        if not isinstance(profile.method, MutationTable):
            raise InputError("--learn-mask works only for profiles with [mutation]")
        file = self._file(profile)
        _LEARNED.check(file)

    def learned(self, profile: Profile, make_executor: MakeExecutor) -> Learned:
        """Learn a mask from the campaign, which has run, and write it."""
        file = self._file(profile)
        with Store.reopen(profile.campaign.store) as store:
            options = self._within(profile, store)
            result = _followed(learning_a_mask(store, make_executor, options))
        text = f"{_FIRST_LINE}\n{_how_sure(result)}\n{result.mask.to_turtle()}"
        _LEARNED.write(file, text)
        if not result.is_sure:
            tell("warning", f"{file}: the mask is not sure: {result.why}")
        return Learned(result, file)

    def _file(self, profile: Profile) -> Path:
        store = profile.campaign.store
        return self.file or store.with_name(f"{store.stem}-mask.ttl")

    def _within(self, profile: Profile, store: Store) -> LoopOptions:
        """The options, with what is left of the time of the campaign."""
        seconds = profile.campaign.seconds
        if seconds is None:
            return self.options
        return replace(self.options, deadline=time.monotonic() + max(0.0, seconds - store.seconds))


def _followed(events: Generator[Round | LearnedInRounds, None, None]) -> LearnedInRounds:
    """Show the progress, and return the result."""
    with live_line() as show, closing(events):
        for event in events:
            if isinstance(event, LearnedInRounds):
                return event
            show(partial(_progress, event))
    raise AssertionError("learning ends with its result")


def _progress(state: Round) -> str:
    shapes, runs = number_of(state.shapes, "shape"), number_of(state.runs, "run")
    return f"learning a mask: {shapes} after {runs}; {state.in_a_row} admitted mutants passed in a row"


def _how_sure(result: LearnedInRounds) -> str:
    if not result.in_a_row:
        return f"# It is not sure: {result.why}."
    passed = f"# {number_of(result.in_a_row, 'new mutant')} that it admits passed in a row, and none failed"
    return f"{passed}.{'' if result.is_sure else f' It is not sure: {result.why}.'}"
