"""What `kgprobe test` shows while cases run, and how it runs them again: once, or after each save."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import click

from kgprobe.campaign.events import Begun, CaseAgain, Event, Judged, NewFinding, Note, Preparing, Reducing
from kgprobe.campaign.harness import known_in
from kgprobe.campaign.identity import judging_files
from kgprobe.campaign.reproduction import rerun_failing
from kgprobe.campaign.run import MakeExecutor
from kgprobe.cli.app import tell
from kgprobe.cli.options import print_json
from kgprobe.cli.progress import live_line
from kgprobe.config.profile import Profile
from kgprobe.errors import KgprobeError, UnavailableError
from kgprobe.report.campaign import rerun_exit_code, rerun_lines, rerun_value
from kgprobe.wording import number_of

# -- progress ----------------------------------------------------------------------------------------------------------


@contextmanager
def campaign_progress(profile: Profile) -> Iterator[Callable[[Event], None]]:
    """A function that shows the progress of a campaign, to call with each event."""
    progress = _Progress(profile.campaign.seconds)
    with live_line() as show:

        def on_event(event: Event) -> None:
            progress.take(event)
            show(progress.line)

        yield on_event


class _Progress:
    """The state of the campaign after the events so far."""

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._start = time.monotonic()
        self._total = self._before = self._done = self._findings = 0
        self._valid = 1.0
        self._reducing: Reducing | None = None
        self._preparing = ""

    def take(self, event: Event) -> None:
        match event:
            case Preparing(text):
                self._preparing = text
            case Begun(total, done, findings):
                self._preparing = ""
                self._total, self._before, self._findings = total, done, findings
            case Judged():
                self._done += 1
                self._valid = event.kept / max(1, event.attempts)
            case CaseAgain():
                self._done += 1
            case NewFinding(is_known=False):
                self._findings += 1
            case Reducing():
                self._reducing = event
            case _:
                pass

    def line(self) -> str:
        if self._preparing:
            return self._preparing
        if self._reducing is not None:
            now = self._reducing
            return f"reducing case {now.number}: {number_of(now.size, now.unit)} after {now.runs} runs ({now.phase})"
        passed = time.monotonic() - self._start
        rate = self._done / passed if passed else 0.0
        return (
            f"{self._before + self._done} of {self._total} cases, {rate:.1f}/s, {100 * self._valid:.0f} % valid,"
            f" {number_of(self._findings, 'finding')}, {self._left(passed, rate)} left"
        )

    def _left(self, passed: float, rate: float) -> str:
        by_cases = (self._total - self._before - self._done) / rate if rate else float("inf")
        by_time = float("inf") if self._seconds is None else max(0.0, self._seconds - passed)
        left = min(by_cases, by_time)
        if left == float("inf"):
            return "?"
        minutes, seconds = divmod(round(left), 60)
        return f"{minutes}:{seconds:02}"


# -- again -------------------------------------------------------------------------------------------------------------


_SECONDS_BETWEEN_LOOKS = 0.3
_SECONDS_TO_SETTLE = 0.1
_NOT_WATCHED = {"__pycache__", "node_modules"}
_MOST_FILES = 5000


def report_failing(profile: Profile, name: str, make_executor: MakeExecutor, *, as_json: bool) -> int:
    """Run the failing cases of the profile's store again, and print what has become of them."""
    cases: list[CaseAgain] = []
    with (
        campaign_progress(profile) as progress,
        closing(rerun_failing(profile, make_executor, lambda text: progress(Preparing(text)))) as events,
    ):
        for event in events:
            progress(event)
            if isinstance(event, Note):
                tell("warning", event.text)
            elif isinstance(event, CaseAgain):
                cases.append(event)
    cases.sort(key=lambda case: case.number)
    store = profile.campaign.store
    if as_json:
        print_json({"store": str(store), **rerun_value(cases)})
    else:
        for line in rerun_lines(cases, name):
            click.echo(line)
        click.echo(f"  store        {store} keeps the earlier results; --rerun all replaces them")
    code = rerun_exit_code(cases, known_in(profile.known))
    if code == 3:
        raise UnavailableError("nothing was tested: no case could be judged", hint="the reasons are above")
    return code


def after_each_save(load: Callable[[], Profile], run: Callable[[Profile], int]) -> int:
    """Run now, and whenever a file of the profile or of its software was saved, until Ctrl-C. Returns the last code."""
    code = 0
    profile: Profile | None = None
    before: dict[Path, tuple[int, int]] = {}
    try:
        while True:
            if profile is not None:
                before = _settled(profile)
            try:
                profile = load()
                # A file that is saved from here on counts as well, also if the cases cannot run.
                before = {path: before.get(path, stamp) for path, stamp in _seen(profile).items()}
                code = run(profile)
            except KgprobeError as error:  # the software may be broken between two saves
                if profile is None:
                    raise
                tell("error", str(error))
                code = error.exit_code
            click.echo(f"watching {number_of(len(before), 'file')}; Ctrl-C ends", err=True)
            while (changed := _difference(before, _seen(profile))) is None:
                time.sleep(_SECONDS_BETWEEN_LOOKS)
            click.echo(f"{changed} has changed", err=True)
    except KeyboardInterrupt:
        return code


def _settled(profile: Profile) -> dict[Path, tuple[int, int]]:
    """The files to watch, once nobody writes to them: many editors empty a file before they fill it."""
    seen = _seen(profile)
    while True:
        time.sleep(_SECONDS_TO_SETTLE)
        later = _seen(profile)
        if later == seen:
            return later
        seen = later


def _seen(profile: Profile) -> dict[Path, tuple[int, int]]:
    """The files to watch, each with its time and size.

    Programs import modules that no profile names. So all files beside the profile count that have the extension of a
    file that it names; those that the software writes there seldom do.
    """
    named = {profile.path, *judging_files(profile)}
    suffixes = {".py", ".toml", *(path.suffix for path in named if path.suffix)}
    files = {path.resolve() for path in named} | set(_beside(profile.folder, suffixes))
    return {path: (info.st_mtime_ns, info.st_size) for path in sorted(files) if (info := _info(path)) is not None}


def _beside(folder: Path, suffixes: set[str]) -> Iterator[Path]:
    count = 0
    for place, folders, names in os.walk(folder.resolve()):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _NOT_WATCHED)
        for name in sorted(names):
            path = Path(place, name)
            if path.suffix in suffixes:
                yield path
                count += 1
                if count == _MOST_FILES:
                    return


def _info(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:  # an editor may replace it just now
        return None


def _difference(before: dict[Path, tuple[int, int]], now: dict[Path, tuple[int, int]]) -> str | None:
    """The name of a file that is new, gone or changed; None if none is."""
    return next((path.name for path in sorted(before.keys() | now.keys()) if before.get(path) != now.get(path)), None)
