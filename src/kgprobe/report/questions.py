"""The results of asking questions, from stores: as tables for people, and as JSON. Campaigns can be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kgprobe.campaign.store import Store
from kgprobe.campaign.store_file import expect, texts_of
from kgprobe.campaign.summary import (
    AnsweredCase,
    Standing,
    Summary,
    SystemAnswers,
    SystemUsage,
    answered_cases,
    usage_in,
)
from kgprobe.errors import InputError, Position
from kgprobe.oracles.inference import Answered, relation_name
from kgprobe.questions.cases import Question
from kgprobe.questions.comparison import Comparison, compared, interval, overlaps
from kgprobe.report.campaign import closing_lines, finding_value
from kgprobe.wording import number_of

_NEARLY_ALWAYS = 0.97
_FEWEST_ANSWERS = 10
_HARDLY_KNOWN = 0.1
_MOST_REASONS = 3
_OTHER = "other"
_MOST_SHOWN = 10
_HEADS = ("rule", "relation", "tested", "bugs", "rate", "95 % interval", "with extended", "undecided")


@dataclass
class RuleTally:
    """The cases of one rule and relation, for one system."""

    tested: int = 0
    bugs: int = 0
    bugs_extended: int = 0
    undecided: int = 0
    is_mined: bool = False

    def add(self, case: AnsweredCase, answers: SystemAnswers) -> None:
        """Count a case."""
        self.is_mined |= case.case.is_mined
        if answers.standing is Standing.UNTESTED:
            return
        pairs = list(zip(case.case.consequences, answers.conclusions, strict=True))
        self.tested += 1
        self.bugs += any(answer.result == "wrong" and question.kind != "extended" for question, answer in pairs)
        self.bugs_extended += any(answer.result == "wrong" for _, answer in pairs)
        self.undecided += any(answer.decision == "undecided" for _, answer in pairs)


@dataclass
class SystemTally:
    """The answers of one system. `expected` counts the right answers to the same questions."""

    cases: int = 0
    tested: int = 0
    antecedents: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    expected: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    rules: dict[tuple[str, tuple[str, ...]], RuleTally] = field(default_factory=dict)

    def add(self, case: AnsweredCase, answers: SystemAnswers) -> None:
        """Count a case."""
        self.cases += 1
        self.tested += answers.standing is not Standing.UNTESTED
        self.antecedents.update(premise.result for premise in answers.premises)
        for question, answer in zip(case.case.antecedents, answers.premises, strict=True):
            self._count(question, answer)
        for question, answer in zip(case.case.consequences, answers.conclusions, strict=False):
            self._count(question, answer)
        key = case.case.rule, tuple(dict.fromkeys(case.case.relations))
        self.rules.setdefault(key, RuleTally()).add(case, answers)

    def named_rules(self) -> list[tuple[str, str, RuleTally]]:
        """Each rule and its relations by their names, sorted; relations with the same local name by their IRIs."""
        iris = {iri for _, relations in self.rules for iri in relations}
        times = Counter(map(relation_name, iris))

        def name(iri: str) -> str:
            return relation_name(iri) if times[relation_name(iri)] == 1 else iri

        return sorted(
            ((rule, ", ".join(map(name, relations)), tally) for (rule, relations), tally in self.rules.items()),
            key=lambda row: row[:2],
        )

    def _count(self, question: Question, answer: Answered) -> None:
        if answer.result == "failed":
            self.failures[answer.why] += 1
            return
        self.answers[answer.decision] += 1
        if answer.decision == "undecided":
            self.kinds[answer.why or _OTHER] += 1
        elif question.form == "yes-no":
            self.expected[question.expected] += 1


@dataclass(frozen=True)
class QuestionsReport:
    """Everything that a report says. `untested` counts cases of which no system knew all premises."""

    summary: Summary
    cases: int
    untested: int
    systems: Mapping[str, SystemTally]
    usage: Mapping[str, SystemUsage]
    made: Mapping[str, Any]
    warnings: tuple[str, ...]

    @property
    def tested(self) -> int:
        """How many cases tested something."""
        return self.cases - self.untested

    @property
    def why_nothing(self) -> str:
        """Why nothing was tested, although cases have run."""
        if not any(tally.answers for tally in self.systems.values()):
            return "no request was answered"
        return "no system knew the premises of a case"


def reported(store: Store, summary: Summary) -> QuestionsReport:
    """The report on the questions in a store."""
    systems: dict[str, SystemTally] = {}
    cases = untested = 0
    mined: set[int] = set()
    for case in answered_cases(store):
        cases += 1
        untested += not case.is_tested
        if case.case.is_mined:
            mined.add(case.number)
        for name, answers in case.systems.items():
            systems.setdefault(name, SystemTally()).add(case, answers)
    about = store.about
    with store.reading():
        made = {key: expect(dict, about[key]) for key in ("by_rule", "dropped", "empty") if key in about}
        texts_of(made.get("empty", {}))
    warnings = [*_system_warnings(systems), *_mined_warnings(store, summary, mined)]
    return QuestionsReport(summary, cases, untested, systems, usage_in(store), made, tuple(warnings))


# -- warnings: reasons to doubt what the figures seem to say -----------------------------------------------------------


def _system_warnings(systems: Mapping[str, SystemTally]) -> Iterator[str]:
    for name, tally in systems.items():
        yield from _same_answer(name, tally)
        if tally.cases >= _FEWEST_ANSWERS and tally.tested < _HARDLY_KNOWN * tally.cases:
            share = f"{tally.tested} of {number_of(tally.cases, 'case')}"
            yield f"{name} hardly knows the premises: it got all of them right in {share}"
        for why, count in tally.failures.most_common(_MOST_REASONS):
            yield f"{name}: {number_of(count, 'request')} failed: {why}"


def _same_answer(name: str, tally: SystemTally) -> Iterator[str]:
    for answer in ("yes", "no"):
        given, total = tally.answers[answer], tally.answers["yes"] + tally.answers["no"]
        if total < _FEWEST_ANSWERS or given < _NEARLY_ALWAYS * total:
            continue
        wanted, all_wanted = tally.expected[answer], tally.expected.total()
        share = f"{given / total:.0%} {answer.capitalize()}, {given} of {total}"
        if wanted < _NEARLY_ALWAYS * all_wanted:
            yield f"{name} nearly always gives the same answer: {share}"
        else:
            yield f"{name} nearly always gives the same answer ({share}), and nearly all questions expect it"


def _mined_warnings(store: Store, summary: Summary, mined: set[int]) -> Iterator[str]:
    for found in summary.findings:
        finding = found.finding
        if mined and mined.intersection(store.cases_of(finding.signature, finding.cases)):
            what = "relies on a trait that was mined from the facts, not stated"
            yield f"finding {found.number} {what}: {finding.signature}"


# -- for people --------------------------------------------------------------------------------------------------------


def report_lines(report: QuestionsReport, campaign: str) -> Iterator[str]:
    """The counts and findings of a campaign with this name."""
    untested = f", {report.untested} of them untested: no system knew all premises" if report.untested else ""
    yield f"{campaign}: {number_of(report.cases, 'case')}{untested}"
    for name, tally in report.systems.items():
        yield from _system_lines(name, tally, report.usage.get(name))
    for reason, count in sorted(report.made.get("dropped", {}).items()):
        yield f"  dropped      {count}: {reason}"
    yield from _empty_lines(report.made.get("empty", {}))
    for warning in report.warnings:
        yield f"  warning      {warning}"
    yield from closing_lines(report.summary)


def _empty_lines(empty: Mapping[str, str]) -> Iterator[str]:
    """Why rules have no case, with all rules of one reason in a line."""
    for why in dict.fromkeys(empty.values()):
        yield f"  no case      {', '.join(rule for rule in empty if empty[rule] == why)}: {why}"


def _system_lines(name: str, tally: SystemTally, usage: SystemUsage | None) -> Iterator[str]:
    yield f"  {name}"
    yield f"    premises   {_counts(tally.antecedents, ('right', 'wrong', 'undecided', 'failed'))}"
    yield f"    answers    {_counts(tally.answers, ('yes', 'no', 'right', 'wrong', 'undecided'))}"
    if tally.kinds.keys() - {_OTHER}:
        yield f"    undecided  {', '.join(f'{count} {kind}' for kind, count in tally.kinds.most_common())}"
    if usage is not None:
        yield f"    requests   {usage.text}"
    rows = [_HEADS, *(_row(*rule) for rule in tally.named_rules())]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADS))]
    for row in rows:
        cells = (
            text.ljust(width) if column < 2 else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        yield f"    {'  '.join(cells)}".rstrip()


def _counts(counts: Counter[str], kinds: Sequence[str]) -> str:
    return ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind]) or "none"


def _row(rule: str, relation: str, tally: RuleTally) -> tuple[str, ...]:
    about = relation + (" (mined)" if tally.is_mined else "")
    if not tally.tested:
        return rule, about, "0", *(["-"] * (len(_HEADS) - 3))
    low, high = interval(tally.bugs, tally.tested)
    rates = f"{tally.bugs / tally.tested:.1%}", f"{low:.1%} to {high:.1%}"
    extended = f"{tally.bugs_extended} ({tally.bugs_extended / tally.tested:.1%})"
    return rule, about, str(tally.tested), str(tally.bugs), *rates, extended, str(tally.undecided)


# -- as JSON -----------------------------------------------------------------------------------------------------------


def report_value(report: QuestionsReport, why: str) -> dict[str, Any]:
    """The report as JSON; `why` the campaign ended."""
    summary, usages = report.summary, report.usage.values()
    costs = [usage.cost for usage in usages if usage.cost is not None]
    return {
        "store": str(summary.store),
        "ended": why,
        "cases": report.cases,
        "vacuous": not report.tested,
        "untested": report.untested,
        "warnings": list(report.warnings),
        "requests": sum(usage.requests for usage in usages),
        "cached": sum(usage.cached for usage in usages),
        "tokens": sum(usage.tokens for usage in usages),
        "cost": round(sum(costs), 6) if costs else None,
        **report.made,
        "seconds": round(summary.seconds, 3),
        "findings": [finding_value(numbered, summary) for numbered in summary.findings],
        "systems": [_system_value(name, tally, report.usage.get(name)) for name, tally in report.systems.items()],
    }


def _system_value(name: str, tally: SystemTally, usage: SystemUsage | None) -> dict[str, Any]:
    return {
        "name": name,
        "antecedents": _counted(tally.antecedents, ("right", "wrong", "undecided"), ("failed",)),
        "answers": _counted(tally.answers, ("yes", "no", "undecided"), ("right", "wrong")),
        "undecided_kinds": dict(tally.kinds.most_common()),
        "failed_requests": dict(tally.failures.most_common()),
        **({} if usage is None else {"usage": usage.value}),
        "rules": [_rule_value(*rule) for rule in tally.named_rules()],
    }


def _counted(counts: Counter[str], always: Sequence[str], sometimes: Sequence[str]) -> dict[str, int]:
    return {key: counts[key] for key in (*always, *sometimes) if key in always or counts[key]}


def _rule_value(rule: str, relation: str, tally: RuleTally) -> dict[str, Any]:
    return {
        "rule": rule,
        "relation": relation,
        "tested": tally.tested,
        "bugs": tally.bugs,
        "bugs_extended": tally.bugs_extended,
        "undecided": tally.undecided,
        **_rates("", tally.bugs, tally.tested),
        **_rates("_extended", tally.bugs_extended, tally.tested),
        **({"mined": True} if tally.is_mined else {}),
    }


def _rates(suffix: str, count: int, total: int) -> dict[str, float | None]:
    low, high = interval(count, total)
    rate = count / total if total else None
    return {f"rate{suffix}": rate, f"low{suffix}": low, f"high{suffix}": high}


_HAS_BUG = {Standing.BUG: True, Standing.RIGHT: False}


# -- comparisons of campaigns ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StoredAnswers:
    """How each system of a store stands on each case, by the ids of the cases, and the rule of each case."""

    path: Path
    rules: Mapping[str, str]
    systems: Mapping[str, Mapping[str, Standing]]


@dataclass(frozen=True)
class Pair:
    """Two systems and their comparison."""

    before: str
    after: str
    comparison: Comparison
    rules: Mapping[str, str]


def stored_answers(store: Store) -> StoredAnswers:
    """The answers in a store."""
    rules: dict[str, str] = {}
    systems: dict[str, dict[str, Standing]] = {}
    for answered in answered_cases(store):
        rules[answered.case.id] = answered.case.rule
        for name, answers in answered.systems.items():
            systems.setdefault(name, {})[answered.case.id] = answers.standing
    if not rules:
        raise InputError("holds no answers yet", where=Position(str(store.path)))
    return StoredAnswers(store.path, rules, systems)


def paired(before: StoredAnswers, after: StoredAnswers) -> list[Pair]:
    """The systems with the same names in both stores; if each has only one, these two. InputError if there are none."""
    if not before.rules.keys() & after.rules.keys():
        message = f"{before.path} and {after.path} have no case in common"
        raise InputError(message, hint="ask the same cases: the same facts and settings give the same ids")
    names = [(name, name) for name in before.systems if name in after.systems]
    if not names and len(before.systems) == len(after.systems) == 1:
        names = [(next(iter(before.systems)), next(iter(after.systems)))]
    if not names:
        told = f"{', '.join(before.systems)} and {', '.join(after.systems)}"
        raise InputError(f"the stores have no system in common: {told}", hint="give a system the same name in both")
    return [_pair(before, after, *pair) for pair in names]


def _pair(before: StoredAnswers, after: StoredAnswers, first: str, second: str) -> Pair:
    old, new = (
        {case: _HAS_BUG.get(standing) for case, standing in standings.items()}
        for standings in (before.systems[first], after.systems[second])
    )
    return Pair(first, second, compared(old, new), {**after.rules, **before.rules})


def comparison_lines(pairs: Sequence[Pair]) -> Iterator[str]:
    """The counts of each pair, McNemar's test, and some of the cases that changed."""
    for pair in pairs:
        found = pair.comparison
        name = pair.before if pair.before == pair.after else f"{pair.before} and {pair.after}"
        yield f"{name}: {len(found.fixed)} fixed, {len(found.broken)} broken, {found.same} the same"
        if found.left_out:
            yield f"  not compared: {number_of(found.left_out, 'case')} that only one was tested on, or neither"
        yield f"  McNemar's test: p = {found.test.p:.3g}{' (exact)' if found.test.is_exact else ''}"
        for word, cases in (("fixed", found.fixed), ("broken", found.broken)):
            for rule, count in sorted(Counter(pair.rules[case] for case in cases).items()):
                yield f"  {word} in {rule}: {count}"
            for case in cases[:_MOST_SHOWN]:
                yield f"    {case}"
            if len(cases) > _MOST_SHOWN:
                yield f"    and {len(cases) - _MOST_SHOWN} more"


def comparison_value(pairs: Sequence[Pair]) -> dict[str, Any]:
    """All pairs as JSON. With one pair, its counts are at the top; with several, only their sums."""
    if len(pairs) == 1:
        return {**_answer_counts(pairs[0].comparison), "pairs": [_pair_value(pairs[0])]}
    # The systems got the same cases, so that their results are not independent: there is no test for all together.
    counts = [_answer_counts(pair.comparison) for pair in pairs]
    sums = {key: sum(count[key] for count in counts) for key in ("fixed", "broken", "same", "not_compared")}
    return {**sums, "mcnemar": None, "p": None, "pairs": [_pair_value(pair) for pair in pairs]}


def _answer_counts(found: Comparison) -> dict[str, Any]:
    return {
        "fixed": len(found.fixed),
        "broken": len(found.broken),
        "same": found.same,
        "not_compared": found.left_out,
        "mcnemar": {"p": found.test.p, "statistic": found.test.statistic, "exact": found.test.is_exact},
        "p": found.test.p,
    }


def _pair_value(pair: Pair) -> dict[str, Any]:
    found = pair.comparison
    return {
        "before": pair.before,
        "after": pair.after,
        **_answer_counts(found),
        "fixed_cases": list(found.fixed),
        "broken_cases": list(found.broken),
    }


# -- overlaps ----------------------------------------------------------------------------------------------------------


def _bugs(stores: Sequence[StoredAnswers]) -> tuple[dict[str, set[str]], dict[str, str]]:
    """The cases in which each system has a bug, and the rule of each case. Equal names get those of their stores."""
    times = Counter(name for store in stores for name in store.systems)
    bugs: dict[str, set[str]] = {}
    for store in stores:
        for name, standings in store.systems.items():
            shown = name if times[name] == 1 else f"{store.path}:{name}"
            bugs[shown] = {case for case, standing in standings.items() if standing is Standing.BUG}
    return bugs, {case: rule for store in stores for case, rule in store.rules.items()}


def overlap_value(stores: Sequence[StoredAnswers]) -> dict[str, Any]:
    """For each set of systems, how many cases have a bug in exactly these: in total, and by rule."""
    bugs, rules = _bugs(stores)
    by_rule = {
        rule: {name: {case for case in cases if rules[case] == rule} for name, cases in bugs.items()}
        for rule in sorted(set(rules.values()))
    }
    return {
        "systems": [{"name": name, "bugs": len(cases)} for name, cases in bugs.items()],
        "overlap": _regions(bugs),
        "rules": [{"rule": rule, "overlap": _regions(each)} for rule, each in by_rule.items()],
    }


def _regions(bugs: Mapping[str, set[str]]) -> list[dict[str, Any]]:
    return [{"systems": list(names), "cases": count} for names, count in overlaps(bugs).items()]


def overlap_lines(stores: Sequence[StoredAnswers]) -> Iterator[str]:
    """The same for people."""
    value = overlap_value(stores)
    for system in value["systems"]:
        yield f"{system['name']}: bugs in {number_of(system['bugs'], 'case')}"
    yield from _region_lines("all rules", value["overlap"])
    for rule in value["rules"]:
        yield from _region_lines(rule["rule"], rule["overlap"])


def _region_lines(label: str, regions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if regions:
        yield f"  {label}"
    for region in regions:
        names = region["systems"]
        yield f"    {region['cases']:>6} in {' and '.join(names)}" + (" only" if len(names) == 1 else "")
