"""Runs one case: the systems run on the inputs that the oracles need, stage by stage, and then the oracles judge."""

from __future__ import annotations

import hashlib
import pickle
import re
import tempfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from html.parser import HTMLParser
from types import TracebackType
from typing import Any

from kgprobe.campaign.answers import AnswerKey, Answers, KeptSystem, for_one_campaign, is_answer, parameters_of
from kgprobe.campaign.executor import Job, PackedInput, Result, Task
from kgprobe.campaign.harness import Harness, Opening, open_system, oracles_for
from kgprobe.config.system_table import SystemTable
from kgprobe.errors import InputError, KgprobeError, one_line
from kgprobe.formats.files import read_graph
from kgprobe.model import Case, Dialogue, Input, Observation, Outcome, Status, Verdict
from kgprobe.oracles.facts import answer_line, facts
from kgprobe.oracles.protocol import Observed, Oracle, judged, majority, needed
from kgprobe.oracles.signatures import crash_shape
from kgprobe.rdf.canonical import fingerprint
from kgprobe.rdf.rdfc import TooSymmetricError
from kgprobe.systems.protocol import System

_TRIES_ON_A_REFERENCE = 2  # a flaky failure is not a reason to leave a seed graph out
_MOST_SHARED = 1_000  # observations; they can be large
_MOST_REFERENCES = 8
_MOST_LINES = 10
_LONGEST_LINE = 200
_TRACEBACK = "Traceback (most recent call last):"
# Between the tracebacks of an exception and its cause.
_BETWEEN = re.compile(r"\s|$|During handling of the above|The above exception was")
_PAGE = re.compile(r"\s*(?:<!doctype html|<html|<head|<body)", re.IGNORECASE)
# Each run has its own folder, and programs name the file in which something is wrong.
_FOLDER = re.compile(re.escape(tempfile.gettempdir()) + r"[^\s\"']*?kgprobe-\w+")


class Trial:
    """The systems and oracles of a job, ready for any number of cases; not for several threads at once.

    Inputs other than that of the case itself, such as a seed graph that many cases are compared with, are run once.
    """

    def __init__(
        self,
        job: Job,
        *,
        on_run: Callable[[str], object] = str,
        oracles: Sequence[Oracle] | None = None,
        answers: Answers | None = None,
    ) -> None:
        """`on_run` receives the name of each system before it runs, and an empty text when all of them have run.

        `oracles` replace those that the job asks for. `answers` are shared with other trials in this process.
        """
        self._job = job
        self._on_run = on_run
        harness = job.harness
        self._runs = harness.oracle.runs
        self._run_number = 0
        self._answers = answers or answers_of(harness)
        self._closes_answers = answers is None
        self._systems = [open_system(table, self._opening(table)) for table in harness.systems]
        self._packed = {resource.name: resource.packed for resource in job.resources}
        # Few resources are in use at the same time, and each can be large.
        self._resource = lru_cache(maxsize=8)(self._unpacked)
        # The last references, by the names of their cases. A digest of each is made only once.
        self._references: OrderedDict[str, tuple[PackedInput, Input]] = OrderedDict()
        # By digest of the input, number of the run, and system.
        self._shared: OrderedDict[tuple[str, int, str], Observation] = OrderedDict()
        self._oracles = oracles_for(harness) if oracles is None else oracles
        self._seconds = 0.0  # that the systems have run so far

    def __enter__(self) -> Trial:
        try:
            for system in self._systems:
                system.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End all systems."""
        for system in self._systems:
            system.close()
        if self._answers is not None and self._closes_answers:
            self._answers.close()
            self._answers = None

    def result(self, task: Task) -> Result:
        """The result of a task. An error that is not the fault of a system is part of the result."""
        try:
            before = self._seconds
            case = self._case(task)
            if task.is_reference:
                return self._result_on_reference(task, case)
            runs = self._observed(case, task.only, task.run)
            outcome, exact = described([run.on(case.input) for run in runs]) if task.describe else ("", "")
            seconds = self._seconds - before
            return Result(task.ticket, self._judged(case, runs), seconds, outcome=outcome, exact=exact)
        except KgprobeError as error:
            return Result(task.ticket, None, error=error)

    def judge(self, case: Case, reference: PackedInput | None = None) -> tuple[Verdict, float]:
        """The verdict on a case, and the seconds that the systems took; `reference` is the input of its origin."""
        if reference is not None:
            case = replace(case, reference=reference.unpacked(self._resource))
        before = self._seconds
        verdict = self._judged(case, self._observed(case))
        return verdict, self._seconds - before

    # -- running -------------------------------------------------------------------------------------------------------

    def _observed(self, case: Case, only: Collection[str] = (), before: int = 0) -> list[Observed]:
        """The observations of each of the runs that the job asks for; `before` counts earlier ones."""
        return [self._stages(case, only, before * self._runs + number) for number in range(self._runs)]

    def _stages(self, case: Case, only: Collection[str], run: int) -> Observed:
        """Run the inputs that the oracles need, until none of them needs more."""
        self._run_number = run
        observed = Observed()
        systems = frozenset(system.name for system in self._systems if not only or system.name in only)
        needs = needed(self._oracles, case, observed, systems) or [(case.input, systems)]
        while needs:
            for given, asked in needs:
                observed = observed.and_on(given, self._on(given, case, asked, run))
            needs = needed(self._oracles, case, observed, systems)
        return observed

    def _on(self, given: Input, case: Case, names: Collection[str], run: int) -> list[Observation]:
        """The observations of some systems on an input. UnavailableError if a system no longer exists."""
        asked = [system for system in self._systems if system.name in names]
        if given is case.input:
            seen = [self._run(system, case) for system in asked]
        else:
            other = Case(case.origin or case.name, given, case.origin)
            seen = [self._run_once(system, other, run) for system in asked]
        self._on_run("")
        return seen

    def _run_once(self, system: System, case: Case, run: int) -> Observation:
        # A kept answer is asked for once by all trials together, and a failure must not be kept.
        if isinstance(system, KeptSystem) and isinstance(case.input, Dialogue):
            return self._run(system, case)
        key = case.input.digest(), run, system.name
        if key not in self._shared:
            self._share(key, self._run(system, case))
        self._shared.move_to_end(key)
        return self._shared[key]

    def _share(self, key: tuple[str, int, str], seen: Observation) -> None:
        self._shared[key] = seen
        if len(self._shared) > _MOST_SHARED:
            self._shared.popitem(last=False)

    def _run(self, system: System, case: Case) -> Observation:
        self._on_run(system.name)
        seen = system.run(case)
        if seen.status is Status.UNREACHABLE:
            system.start()  # raises if it is gone, and then no other case can be run either
            self._on_run(system.name)
            seen = system.run(case)
        self._seconds += seen.seconds
        return seen

    def _opening(self, table: SystemTable) -> Opening:
        harness = self._job.harness
        begin = None if table.in_flight is None else partial(self._begin, table)
        keep = partial(self._keeping, table)
        return Opening(harness.folder, harness.oracle.exit, harness.input, keep, begin)

    def _begin(self, table: SystemTable) -> None:
        """Count a request. LimitReachedError if it may not be sent."""
        if self._answers is not None:
            self._answers.begin(table.name, table.limit_reached)

    def _keeping(self, table: SystemTable, system: System) -> System:
        """The system, with its answers kept."""
        harness = self._job.harness
        parameters = parameters_of(table, harness.folder)
        if not table.keeps_answers:
            # A question is asked once, but a program may have changed before the next campaign.
            parameters = for_one_campaign(parameters)
        expected = {*harness.oracle.exit, *harness.oracle.invalid}
        requests = 1 if table.in_flight is None else 0  # which counts them by itself

        def recall(case: Case, ask: Callable[[], Observation]) -> Observation:
            if self._answers is None:
                return ask()
            key = AnswerKey(table.name, parameters, f"{case.input.kind} {case.input.digest()}", self._run_number)
            return self._answers.answer(key, ask, lambda seen: is_answer(seen, table, expected), requests=requests)

        return KeptSystem(system, recall)

    # -- judging -------------------------------------------------------------------------------------------------------

    def _result_on_reference(self, task: Task, case: Case) -> Result:
        """The result for a reference. Its observations are kept, since cases derived from it are compared with them."""
        alone = [oracle for oracle in self._oracles if not oracle.compares_systems]
        comparing = [oracle for oracle in self._oracles if oracle.compares_systems]
        before = self._seconds
        for _ in range(_TRIES_ON_A_REFERENCE if self._runs == 1 else 1):
            runs = self._observed(case)
            for number, observed in enumerate(runs):
                for seen in observed.on(case.input):
                    self._share((case.input.digest(), number, seen.system), seen)
            verdict = self._judged(case, runs, alone)
            if verdict.outcome is not Outcome.FAIL:
                break
        compared = self._judged(case, runs, comparing)
        return Result(task.ticket, verdict, self._seconds - before, compared=compared)

    def _judged(self, case: Case, runs: Sequence[Observed], oracles: Sequence[Oracle] | None = None) -> Verdict:
        """The verdict of these oracles, or of all."""
        asked = self._oracles if oracles is None else oracles
        verdicts = [with_last_output(judged(asked, case, observed), observed.on(case.input)) for observed in runs]
        return majority(verdicts) if len(verdicts) > 1 else verdicts[0]

    # -- unpacking -----------------------------------------------------------------------------------------------------

    def _case(self, task: Task) -> Case:
        given = task.input.unpacked(self._resource)
        if task.is_reference:
            return Case(task.name, given, task.origin, given)
        reference = None if task.reference is None else self._reference(task.origin, task.reference)
        return Case(task.name, given, task.origin, reference)

    def _reference(self, origin: str, packed: PackedInput) -> Input:
        known, unpacked = self._references.get(origin, (None, None))
        if unpacked is None or known != packed:
            unpacked = packed.unpacked(self._resource)
            self._references[origin] = packed, unpacked
            if len(self._references) > _MOST_REFERENCES:
                self._references.popitem(last=False)
        return unpacked

    def _unpacked(self, name: str) -> Any:
        return pickle.loads(self._packed[name])  # noqa: S301 - our own process packed it


def answers_of(harness: Harness) -> Answers | None:
    """The file of kept answers, if a system has answers that are worth keeping, or is asked questions, which count."""
    is_used = harness.input == "dialogue" or any(table.keeps_answers for table in harness.systems)
    if harness.answers is None or not is_used:
        return None
    return Answers(harness.answers)


def described(runs: Sequence[Sequence[Observation]]) -> tuple[str, str]:
    """How the systems ended, and a digest of all their output; of several runs, the most frequent result."""
    results = Counter((_together(map(_ending, observed)), _digest(observed)) for observed in runs)
    ((most, _),) = results.most_common(1)
    return most


def _together(texts: Iterable[str]) -> str:
    return "; ".join(texts)


def _ending(seen: Observation) -> str:
    """How one system ended."""
    parts = [seen.status.ending, "" if seen.crash is None else crash_shape(seen)]
    code = "" if seen.exit_code is None else f"exit status {seen.exit_code}"
    return f"{seen.system}: {', '.join([': '.join(filter(None, parts)), *filter(None, [code])])}"


def _digest(observed: Sequence[Observation]) -> str:
    texts = (text for seen in observed for text in _all_of(seen))
    return hashlib.sha256("\0".join(texts).encode(errors="surrogatepass")).hexdigest()


def _all_of(seen: Observation) -> Iterator[str]:
    yield _ending(seen)
    yield _FOLDER.sub("…", seen.stdout)
    yield _FOLDER.sub("…", seen.stderr)
    yield "no answer" if seen.value is None else repr(sorted(facts(seen.value)))
    yield "no output" if seen.output is None else _content(seen.output)


def _content(output: bytes) -> str:
    """A digest of the content of a file. For a graph, blank node labels and the order of triples do not count."""
    try:
        return str(fingerprint(read_graph(output)))
    except (InputError, TooSymmetricError):
        return hashlib.sha256(output).hexdigest()


# -- the last output of a system that failed ---------------------------------------------------------------------------


def with_last_output(verdict: Verdict, observed: Sequence[Observation]) -> Verdict:
    """The verdict, with the last output of its system added to each failure."""
    if not verdict.failures:
        return verdict
    by_name = {seen.system: seen for seen in observed}
    failures = (
        replace(failure, words=_with_output(failure.words, by_name[failure.system]))
        if failure.system in by_name
        else failure
        for failure in verdict.failures
    )
    return replace(verdict, failures=tuple(failures))


def _with_output(words: tuple[str, ...], seen: Observation) -> tuple[str, ...]:
    """The words of a failure and the last output. The first word is the message: without one, the last line is."""
    if not words:
        outputs = (_without_traces(seen), _readable(seen.stdout))
        lines = next((lines for text in outputs if (lines := text.strip().splitlines())), [])
        words = tuple(_cut(line.strip()) for line in lines[-1:])
    return (*words, *_last_output(seen, words))


def _last_output(seen: Observation, words: Sequence[str]) -> Iterator[str]:
    said = frozenset(line.strip() for line in words)
    answer = "response" if seen.is_response else "standard output"
    for what, text in (("standard error", _without_traces(seen)), (answer, _readable(seen.stdout))):
        lines = [line for line in text.splitlines() if line.strip()]
        if any(line.strip() not in said for line in lines):
            yield f"{what} ends with:" if len(lines) > _MOST_LINES else f"{what}:"
            yield from (f"  {_cut(line)}" for line in lines[-_MOST_LINES:])
    if seen.value is not None:
        yield f"it answered: {_cut(one_line(answer_line(seen.value)))}"


def _cut(line: str) -> str:
    return line.rstrip() if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1].rstrip()}…"


def _without_traces(seen: Observation) -> str:
    """Standard error without the tracebacks of the crash."""
    if seen.crash is None or not seen.crash.frames:
        return seen.stderr
    return "\n".join(_outside_traces(seen.stderr.splitlines()))


def _outside_traces(lines: Iterable[str]) -> Iterator[str]:
    is_inside = False
    for line in lines:
        if line.rstrip().endswith(_TRACEBACK):
            is_inside = True
        elif not is_inside:
            yield line
        elif not _BETWEEN.match(line):
            is_inside = False  # the exception


def _readable(text: str) -> str:
    """The text that a page in HTML shows, or the text as it is."""
    if not _PAGE.match(text):
        return text
    page = _Page()
    page.feed(text)
    return "\n".join(dict.fromkeys(filter(None, (one_line(line) for line in page.lines))))


class _Page(HTMLParser):
    """Collects the text of a page; each element is a line."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._is_hidden = False

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        """Leave out what a page does not show."""
        self._is_hidden = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        """The hidden part ends."""
        self._is_hidden = self._is_hidden and tag not in ("script", "style")

    def handle_data(self, data: str) -> None:
        """Some text."""
        if not self._is_hidden:
            self.lines.append(data)
