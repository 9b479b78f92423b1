"""Runs the campaign of a profile, or one graph, for `kgprobe test` and `kgprobe questions run`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
from kgprobe.campaign.harness import known_in
from kgprobe.campaign.local import WaitingWorkers, local_workers, usual_count, usual_workers
from kgprobe.campaign.reproduction import changes_since, verdict_on_case, verdict_on_graph
from kgprobe.campaign.run import ALL_HAVE_RUN, MakeExecutor, run_campaign
from kgprobe.campaign.store import read_store, remove_campaign
from kgprobe.campaign.summary import Summary, summary_of
from kgprobe.cli.app import RESUME, resumable, tell
from kgprobe.cli.learning_masks import MaskLearning
from kgprobe.cli.options import files_to_write, option, print_json
from kgprobe.cli.reruns import after_each_save, campaign_progress, report_failing
from kgprobe.config.profile import MutationTable, Profile
from kgprobe.config.questions import QuestionsTable
from kgprobe.config.tables import seconds_of
from kgprobe.errors import InputError, UnavailableError
from kgprobe.model import Outcome
from kgprobe.report.campaign import REPORTS, rerun_lines, rerun_value, summary_lines, summary_value, verdict_value
from kgprobe.report.questions import QuestionsReport, report_lines, report_value, reported
from kgprobe.wording import number_of

_DURATION = re.compile(r"[0-9]+(\.[0-9]+)?[smh]")


@dataclass(frozen=True, kw_only=True)
class CampaignOptions:
    """What to run, and what to print. The options for the campaign take precedence over its profile."""

    count: int | None = option("--count", type=click.IntRange(1), metavar="N", help="Mutants of each seed graph.")
    duration: str | None = option("--for", metavar="TIME", help="Stop after a time, such as 90s, 10m or 2h.")
    findings: int | None = option(
        "--findings", type=click.IntRange(1), metavar="N", help="Stop after N different findings."
    )
    seed: int | None = option(
        "--seed", type=int, metavar="N", help="The random seed: the same number gives the same cases."
    )
    workers: int | None = option(
        "--workers", type=click.IntRange(1, 1024), metavar="N", help="Cases that run at the same time."
    )
    store: str | None = option("--store", metavar="FILE", help="The file for all results.  [PROFILE with .sqlite]")
    fresh: bool = option(
        "--fresh", is_flag=True, help="Start over: remove the results and reduced cases of an earlier run."
    )
    forget_answers: bool = option(
        "--forget-answers", is_flag=True, help="Remove the kept answers of systems with 'keep-answers'."
    )
    reduce_: int | None = option(
        "--reduce",
        type=click.IntRange(0),
        metavar="N",
        help="Cases of each finding to reduce.  [1; for questions: 0]",
    )
    outside_mask: bool = option("--outside-mask", is_flag=True, help="Let reduced graphs leave the mask and the pins.")
    keep_going: bool = option(
        "--keep-going", is_flag=True, help="Also use seed graphs that fail or are not admissible."
    )
    on: str | None = option("--on", metavar="GRAPH", help="Run and judge this graph only; nothing is stored.")
    seed_graph: str | None = option(
        "--seed-graph", metavar="GRAPH", help="With --on: the graph whose answers it is compared with."
    )
    case: int | None = option("--case", type=int, metavar="N", help="Run and judge this case of the store again.")
    rerun: str | None = option(
        "--rerun",
        type=click.Choice(["failing", "all"]),
        metavar="WHICH",
        help="After a change of the software: run the failing cases of the store again, or all.",
    )
    watch: bool = option(
        "--watch", is_flag=True, help="With --rerun: again after each save, until Ctrl-C.  [--rerun failing]"
    )
    reader: str | None = option(
        "--reader", metavar="NAME", help="How answers to questions are read: words, paper or similarity."
    )
    executor: str | None = option(
        "--executor",
        type=click.Choice(["local", "waiting", "dask"]),
        metavar="NAME",
        help="Where cases run: local, waiting (for servers) or dask.  [local; waiting to ask servers questions]",
    )
    scheduler: str | None = option("--scheduler", metavar="ADDRESS", help="The scheduler of a Dask cluster.")
    reports: Mapping[str, str] = files_to_write({name: report.help for name, report in REPORTS.items()})
    as_json: bool = option("--json", is_flag=True, help="Print JSON.")

    def __post_init__(self) -> None:
        if self.duration is not None and not _DURATION.fullmatch(self.duration):
            raise InputError(f"'{self.duration}' is not a duration", hint="write 90s, 10m or 2h")

    def applied_to(self, profile: Profile) -> Profile:
        """The profile, with the options in place of its values."""
        for name, value, kinds in (
            ("--count", self.count, {"mutation": MutationTable}),
            ("--seed", self.seed, {"mutation": MutationTable, "questions": QuestionsTable}),
            ("--reader", self.reader, {"questions": QuestionsTable}),
        ):
            if value is not None and not isinstance(profile.method, tuple(kinds.values())):
                tables = " or ".join(f"[{table}]" for table in kinds)
                raise InputError(f"{name} works only for profiles with {tables}")
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
            **{f"--{name}": self.watch or self.rerun != "all" for name in self.reports},
            "--json": self.as_json and self.watch,
        }
        for name in (name for name, is_given in others.items() if is_given):
            raise InputError(f"{name} does not go with {'--watch' if self.watch else f'--rerun {self.rerun}'}")


def _given(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def run_profile(
    load: Callable[[], Profile], name: str, options: CampaignOptions, *, learning: MaskLearning | None = None
) -> int:
    """Run what the options say, and print the report. `load` reads the profile, and `name` is its name for the user."""
    options.check(learning)

    def once(profile: Profile) -> int:
        if options.forget_answers:
            remove_answers(profile.campaign.answers, profile.campaign.store)
        if options.on is not None or options.case is not None:
            return _judge_one(profile, options)
        make_executor = _executor(options, profile)
        if options.rerun == "failing" or (options.watch and options.rerun is None):
            return report_failing(profile, Path(name).name, make_executor, as_json=options.as_json)
        return _campaign(profile, name, make_executor, options, learning)

    def loaded() -> Profile:
        profile = options.applied_to(load())
        if learning is not None:
            learning.check(profile)
        return profile

    return after_each_save(loaded, once) if options.watch else once(loaded())


def _campaign(
    profile: Profile, name: str, make_executor: MakeExecutor, options: CampaignOptions, learning: MaskLearning | None
) -> int:
    """Run the campaign of a profile, and print the report."""
    for kind, file in options.reports.items():
        REPORTS[kind].kind.check(Path(file))  # before hours of work
    if options.fresh:
        remove_campaign(profile.campaign.store)
    how = "run the same command without --fresh to resume" if options.fresh else RESUME
    with resumable(profile.campaign.store, how):
        return _run_and_report(profile, name, make_executor, options, learning)


def _run_and_report(
    profile: Profile, name: str, make_executor: MakeExecutor, options: CampaignOptions, learning: MaskLearning | None
) -> int:
    why = _run(profile, make_executor, runs_again=options.rerun == "all")
    with read_store(profile.campaign.store) as store:
        summary = summary_of(store, known_in(profile.known))
        again = changes_since(store) if options.rerun == "all" else ()
        for kind, file in options.reports.items():
            REPORTS[kind].kind.write(Path(file), REPORTS[kind].text(store, summary, name))
        if isinstance(profile.method, QuestionsTable):
            report = reported(store, summary)
            _print(
                report_value(report, why) if options.as_json else report_lines(report, Path(name).name), summary, why
            )
            return questions_exit_code(report, why)
    if learning is not None:
        return _learn(learning, profile, make_executor, summary, why, name=name, as_json=options.as_json)
    if options.as_json:
        print_json({**summary_value(summary, why), **({"rerun": rerun_value(again)} if options.rerun else {})})
    else:
        _print(summary_lines(summary, Path(name).name), summary, why)
        for line in rerun_lines(again, Path(name).name) if options.rerun else ():
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


def _judge_one(profile: Profile, options: CampaignOptions) -> int:
    """Run the systems on one graph and print the verdict; the exit code is that of a campaign with this case."""
    if options.on is not None and options.case is not None:
        raise InputError("--on and --case name two graphs", hint="name one")
    if options.on is not None:
        name, verdict = verdict_on_graph(profile, options.on, seed_graph=options.seed_graph)
    else:
        name, verdict = verdict_on_case(profile, options.case or 0)
    if options.as_json:
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
