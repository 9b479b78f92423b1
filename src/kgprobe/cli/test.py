"""`kgprobe test`: runs a campaign, or one graph."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from kgprobe.campaign.answers import remove_answers
from kgprobe.campaign.events import (
    Ended,
    Note,
    Preparing,
    ReductionDone,
    ReductionsLeft,
)
from kgprobe.campaign.executor import Executor, Job
from kgprobe.campaign.reproduction import verdict_on_case, verdict_on_graph
from kgprobe.campaign.rerunning import changes_since
from kgprobe.campaign.run import ALL_HAVE_RUN, MakeExecutor, run_campaign
from kgprobe.campaign.store import read_store, remove_campaign
from kgprobe.campaign.summary import Summary, summary_of
from kgprobe.campaign.waiting import WaitingWorkers, local_workers, usual_count, usual_workers
from kgprobe.cli.app import tell
from kgprobe.cli.interruption import RESUME, resumable
from kgprobe.cli.learning_masks import MaskLearning, takes_mask_options
from kgprobe.cli.options import print_json
from kgprobe.cli.reruns import after_each_save, campaign_progress, report_failing
from kgprobe.config.loading import load_profile
from kgprobe.config.oracles import known_in
from kgprobe.config.profile import MutationTable, Profile
from kgprobe.config.questions import QuestionsTable
from kgprobe.config.tables import seconds_of
from kgprobe.errors import InputError, UnavailableError
from kgprobe.model import Outcome
from kgprobe.report.campaign import campaign_as_junit, summary_lines, summary_value, verdict_value
from kgprobe.report.junit import JUNIT
from kgprobe.report.questions import QuestionsReport, report_lines, report_value, reported
from kgprobe.report.reruns import rerun_lines, rerun_value
from kgprobe.wording import number_of

_EXAMPLES = """\b
Examples:
  kgprobe test profile.toml                            run the whole profile, or resume it
  kgprobe test profile.toml --for 10m --workers 8      for ten minutes
  kgprobe test profile.toml --findings 1               up to the first finding
  kgprobe test profile.toml --rerun failing            the software has changed: are its failures fixed?
  kgprobe test profile.toml --on reduced.ttl           only this graph: does it still fail?
  kgprobe test profile.toml --junit report.xml --json  for a CI server
  kgprobe test profile.toml --learn-mask               then learn which graphs the software can handle
  kgprobe test profile.toml --executor waiting --workers 50    for servers: many requests in flight
  kgprobe test profile.toml --executor dask --scheduler tcp://10.0.0.1:8786
"""
_DURATION = re.compile(r"[0-9]+(\.[0-9]+)?[smh]")


@dataclass(frozen=True, kw_only=True)
class CampaignOptions:
    """The options for the campaign, by name; those that are not given are None."""

    count: int | None
    duration: str | None
    findings: int | None
    seed: int | None
    workers: int | None
    store: str | None
    reduce_: int | None
    outside_mask: bool
    keep_going: bool
    reader: str | None
    executor: str | None
    scheduler: str | None

    def __post_init__(self) -> None:
        if self.duration is not None and not _DURATION.fullmatch(self.duration):
            raise InputError(f"'{self.duration}' is not a duration", hint="write 90s, 10m or 2h")

    def applied_to(self, profile: Profile) -> Profile:
        """The profile, with the options in place of its values."""
        for option, value, kinds in (
            ("--count", self.count, {"mutation": MutationTable}),
            ("--seed", self.seed, {"mutation": MutationTable, "questions": QuestionsTable}),
            ("--reader", self.reader, {"questions": QuestionsTable}),
        ):
            if value is not None and not isinstance(profile.method, tuple(kinds.values())):
                names = " or ".join(f"[{name}]" for name in kinds)
                raise InputError(f"{option} works only for profiles with {names}")
        if self.reader is not None:
            from kgprobe.questions.reading import yes_no_reader

            yes_no_reader(self.reader)  # InputError if it does not exist
        how = _given({"mutants": self.count, "seed": self.seed, "reader": self.reader})
        bounds = {
            "store": self.store and Path(self.store),
            "seconds": self.duration and seconds_of(self.duration),
            "findings": self.findings,
            "workers": self.workers,
            "reduce": self.reduce_,
            "outside_mask": self.outside_mask or None,
            "keep_going": self.keep_going,
        }
        return dataclasses.replace(
            profile,
            method=dataclasses.replace(profile.method, **how),
            campaign=dataclasses.replace(profile.campaign, **_given(bounds)),
        )


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


_OPTIONS = (
    click.option("--count", type=click.IntRange(1), metavar="N", help="Mutants of each seed graph."),
    click.option("--for", "duration", metavar="TIME", help="Stop after a time, such as 90s, 10m or 2h."),
    click.option("--findings", type=click.IntRange(1), metavar="N", help="Stop after N different findings."),
    click.option("--seed", type=int, metavar="N", help="The random seed: the same number gives the same cases."),
    click.option("--workers", type=click.IntRange(1, 1024), metavar="N", help="Cases that run at the same time."),
    click.option("--store", metavar="FILE", help="The file for all results.  [PROFILE with .sqlite]"),
    click.option("--fresh", is_flag=True, help="Start over: remove the results and reduced cases of an earlier run."),
    click.option("--forget-answers", is_flag=True, help="Remove the kept answers of systems with 'keep-answers'."),
    click.option(
        "--reduce",
        "reduce_",
        type=click.IntRange(0),
        metavar="N",
        help="Cases of each finding to reduce.  [1; for questions: 0]",
    ),
    click.option("--outside-mask", is_flag=True, help="Let reduced graphs leave the mask and the pins."),
    click.option("--keep-going", is_flag=True, help="Also use seed graphs that fail or are not admissible."),
    click.option("--on", metavar="GRAPH", help="Run and judge this graph only; nothing is stored."),
    click.option("--seed-graph", metavar="GRAPH", help="With --on: the graph whose answers it is compared with."),
    click.option("--case", type=int, metavar="N", help="Run and judge this case of the store again."),
    click.option(
        "--rerun",
        type=click.Choice(["failing", "all"]),
        metavar="WHICH",
        help="After a change of the software: run the failing cases of the store again, or all.",
    ),
    click.option("--watch", is_flag=True, help="With --rerun: again after each save, until Ctrl-C.  [--rerun failing]"),
    click.option("--reader", metavar="NAME", help="How answers to questions are read: words, paper or similarity."),
    click.option(
        "--executor",
        type=click.Choice(["local", "waiting", "dask"]),
        metavar="NAME",
        help="Where cases run: local, waiting (for servers) or dask.  [local; waiting to ask servers questions]",
    ),
    click.option("--scheduler", metavar="ADDRESS", help="The scheduler of a Dask cluster."),
    click.option("--junit", metavar="FILE", help="Write a report in JUnit's format."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
)
_Command = TypeVar("_Command", bound=Callable[..., Any])


def takes_campaign_options(command: _Command) -> _Command:
    """Give a command all options of a campaign. It passes them on to `run_profile`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command("test", epilog=_EXAMPLES)
@click.argument("source", metavar="PROFILE")
@takes_campaign_options
@takes_mask_options
def command(
    source: str, learn_mask: bool, mask_out: str | None, learn_runs: int | None, in_a_row: int | None, **given: Any
) -> int:
    """Test software on mutants of a graph, on graphs you have, or with questions, and reduce the cases that fail.

    The PROFILE names the systems under test and how to judge them. Each result is stored immediately: run the same
    command again to resume an interrupted campaign. Exit code 1: there are findings that are not known bugs. With
    --learn-mask, the findings are what the mask is learned from, and the exit code is 0.
    """
    learning = MaskLearning.of(learn_mask=learn_mask, mask_out=mask_out, learn_runs=learn_runs, in_a_row=in_a_row)
    return run_profile(lambda: load_profile(source), source, learning=learning, **given)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What a call runs, and what it prints."""

    on: str | None
    seed_graph: str | None
    case: int | None
    fresh: bool
    forget_answers: bool
    rerun: str | None
    watch: bool
    junit: str | None
    as_json: bool

    def check(self, learning: MaskLearning | None) -> None:
        """InputError if options contradict each other."""
        if learning is not None and (self.on is not None or self.case is not None):
            raise InputError("--learn-mask needs a campaign, not one graph", hint="leave out --on and --case")
        if self.seed_graph is not None and self.on is None:
            raise InputError("--seed-graph needs --on", hint="it names the graph that --on is compared with")
        if self.rerun is None and not self.watch:
            return
        others = {
            "--on": self.on is not None,
            "--case": self.case is not None,
            "--fresh": self.fresh,
            "--learn-mask": learning is not None,
            "--junit": self.junit is not None and (self.watch or self.rerun != "all"),
            "--json": self.as_json and self.watch,
        }
        for option in (option for option, is_given in others.items() if is_given):
            raise InputError(f"{option} does not go with {'--watch' if self.watch else f'--rerun {self.rerun}'}")


def run_profile(load: Callable[[], Profile], name: str, *, learning: MaskLearning | None = None, **given: Any) -> int:
    """Run what the options say, and print the report. `load` reads the profile, and `name` is its name for the user."""
    own = {field.name for field in dataclasses.fields(RunOptions)}
    run = RunOptions(**{key: value for key, value in given.items() if key in own})
    options = CampaignOptions(**{key: value for key, value in given.items() if key not in own})
    run.check(learning)

    def once(profile: Profile) -> int:
        if run.forget_answers:
            remove_answers(profile.campaign.answers, profile.campaign.store)
        if run.on is not None or run.case is not None:
            return _judge_one(profile, run)
        make_executor = _executor(options, profile)
        if run.rerun == "failing" or (run.watch and run.rerun is None):
            return report_failing(profile, Path(name).name, make_executor, as_json=run.as_json)
        return _campaign(profile, name, make_executor, run, learning)

    def loaded() -> Profile:
        profile = options.applied_to(load())
        if learning is not None:
            learning.check(profile)
        return profile

    return after_each_save(loaded, once) if run.watch else once(loaded())


def _campaign(
    profile: Profile, name: str, make_executor: MakeExecutor, run: RunOptions, learning: MaskLearning | None
) -> int:
    """Run the campaign of a profile, and print the report."""
    if run.junit is not None:
        JUNIT.check(Path(run.junit))  # before hours of work
    if run.fresh:
        remove_campaign(profile.campaign.store)
    how = "run the same command without --fresh to resume" if run.fresh else RESUME
    with resumable(profile.campaign.store, how):
        return _run_and_report(profile, name, make_executor, run, learning)


def _run_and_report(
    profile: Profile, name: str, make_executor: MakeExecutor, run: RunOptions, learning: MaskLearning | None
) -> int:
    why = _run(profile, make_executor, runs_again=run.rerun == "all")
    with read_store(profile.campaign.store) as store:
        summary = summary_of(store, known_in(profile.known))
        again = changes_since(store) if run.rerun == "all" else ()
        if run.junit is not None:
            JUNIT.write(Path(run.junit), campaign_as_junit(store, summary, name))
        if isinstance(profile.method, QuestionsTable):
            report = reported(store, summary)
            _print(report_value(report, why) if run.as_json else report_lines(report, Path(name).name), summary, why)
            return questions_exit_code(report, why)
    if learning is not None:
        return _learn(learning, profile, make_executor, summary, why, name=name, as_json=run.as_json)
    if run.as_json:
        print_json({**summary_value(summary, why), **({"rerun": rerun_value(again)} if run.rerun else {})})
    else:
        _print(summary_lines(summary, Path(name).name), summary, why)
        for line in rerun_lines(again, Path(name).name) if run.rerun else ():
            click.echo(line)
    return _exit_code(summary, why)


def _learn(
    learning: MaskLearning,
    profile: Profile,
    make_executor: MakeExecutor,
    summary: Summary,
    why: str,
    *,
    name: str,
    as_json: bool,
) -> int:
    """Learn a mask from a campaign that has run, and print the report on both."""
    if not as_json:
        _print(summary_lines(summary, Path(name).name), summary, why)
    if not summary.judged:
        return _exit_code(summary, why)
    learned = learning.learned(profile, make_executor)
    if as_json:
        print_json({**summary_value(summary, why), "learned_mask": learned.value()})
    else:
        for line in learned.lines():
            click.echo(line)
    return 0


def _run(profile: Profile, make_executor: MakeExecutor, *, runs_again: bool) -> str:
    """Run the campaign, and show its progress. Returns the reason for its end."""
    why = ""
    with campaign_progress(profile) as progress:
        events = run_campaign(profile, make_executor, lambda text: progress(Preparing(text)), runs_again=runs_again)
        with closing(events):  # ends the systems and closes the store, also on Ctrl-C
            for event in events:
                progress(event)
                if isinstance(event, Note):
                    tell("warning", event.text)
                elif isinstance(event, Ended):
                    why = event.why
                elif isinstance(event, ReductionDone) and event.reduced is None:
                    tell("note", f"case {event.number} is not reduced, {event.why}: {event.signature}")
                elif isinstance(event, ReductionsLeft):
                    what = number_of(event.findings, "finding")
                    resumed_by = "the same command" if profile.campaign.seconds is None else "a longer --for"
                    tell("note", f"the time was up before {what} could be reduced; {resumed_by} resumes the reductions")
    return why


def _executor(options: CampaignOptions, profile: Profile) -> MakeExecutor:
    scheduler = options.scheduler
    if options.executor != "dask" and scheduler:
        raise InputError("--scheduler works only with --executor dask")
    workers = profile.campaign.workers
    if options.executor is None:
        return lambda job: usual_workers(job, workers)
    if options.executor == "local":
        return lambda job: local_workers(job, workers)
    if options.executor == "waiting":
        return lambda job: WaitingWorkers(job, workers or usual_count(profile.systems))
    if not scheduler:
        raise InputError("--executor dask needs a cluster", hint="name its scheduler: --scheduler tcp://HOST:8786")
    return lambda job: _dask(job, scheduler)


def _dask(job: Job, scheduler: str) -> Executor:
    # Importing Dask takes time, and only clusters need it.
    from kgprobe.campaign.cluster import DaskWorkers

    return DaskWorkers(job, scheduler, lambda text: tell("warning", text))


# -- one graph ---------------------------------------------------------------------------------------------------------


def _judge_one(profile: Profile, run: RunOptions) -> int:
    """Run the systems on one graph and print the verdict; the exit code is that of a campaign with this case."""
    if run.on is not None and run.case is not None:
        raise InputError("--on and --case name two graphs", hint="name one")
    if run.on is not None:
        name, verdict = verdict_on_graph(profile, run.on, seed_graph=run.seed_graph)
    else:
        name, verdict = verdict_on_case(profile, run.case or 0)
    if run.as_json:
        print_json(verdict_value(name, verdict))
    else:
        click.echo(f"{name}: {verdict.text}")
    if verdict.outcome is Outcome.FAIL:
        known = known_in(profile.known)
        return int(any(known.note_for(failure.signature) is None for failure in verdict.failures))
    is_undecided_answer = verdict.outcome is Outcome.UNDECIDED and isinstance(profile.method, QuestionsTable)
    if verdict.outcome is not Outcome.PASS and not is_undecided_answer:
        raise UnavailableError(f"nothing was tested: {name} could not be judged", hint="the reason is above")
    return 0


# -- the report --------------------------------------------------------------------------------------------------------


def _print(report: Mapping[str, Any] | Iterable[str], summary: Summary, why: str) -> None:
    if isinstance(report, Mapping):
        print_json(report)
        return
    for line in report:
        click.echo(line)
    if why:
        click.echo(f"  ended        {why}")
    if summary.findings:
        click.echo(f"Show the first finding: kgprobe show {summary.store}#1")


def _exit_code(summary: Summary, why: str) -> int:
    """1 for new findings. A campaign that has judged nothing must not look like one that found nothing."""
    if summary.new:
        return 1
    if not summary.judged:
        raise _nothing_tested(summary, why, "no case could be judged")
    return 0


def questions_exit_code(report: QuestionsReport, why: str = "") -> int:
    """1 for new findings. Undecided answers are not findings, but a case that no system got so far is not a test."""
    if report.summary.new:
        return 1
    if not report.tested:
        raise _nothing_tested(report.summary, why, report.why_nothing)
    return 0


def _nothing_tested(summary: Summary, why: str, otherwise: str) -> UnavailableError:
    """The error that nothing was tested. `why`: why the campaign has ended; it may not have come to any case."""
    if summary.cases:
        return UnavailableError(f"nothing was tested: {otherwise}", hint="the reasons are above")
    if why in ("", ALL_HAVE_RUN):
        return UnavailableError(f"nothing was tested: {summary.source.nothing}", hint="the reasons are above")
    return UnavailableError(f"nothing was tested: the first case has not ended, because {why}")
