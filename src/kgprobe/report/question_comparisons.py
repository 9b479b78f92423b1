"""Answers of several systems compared, from their stores: as text and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgprobe.campaign.store import Store
from kgprobe.campaign.summary import Standing, answered_cases
from kgprobe.errors import InputError, Position
from kgprobe.questions.comparison import Comparison, compared, overlaps
from kgprobe.wording import number_of

__all__ = [
    "Pair",
    "StoredAnswers",
    "comparison_lines",
    "comparison_value",
    "overlap_lines",
    "overlap_value",
    "paired",
    "stored_answers",
]

_MOST_SHOWN = 10
_HAS_BUG = {Standing.BUG: True, Standing.RIGHT: False}


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
    for each in answered_cases(store):
        rules[each.case.id] = each.case.rule
        for name, answers in each.systems.items():
            systems.setdefault(name, {})[each.case.id] = answers.standing
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
    return [_pair(before, after, *each) for each in names]


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
        return {**_counts(pairs[0].comparison), "pairs": [_pair_value(pairs[0])]}
    # The systems got the same cases, so that their results are not independent: there is no test for all together.
    counts = [_counts(pair.comparison) for pair in pairs]
    sums = {key: sum(each[key] for each in counts) for key in ("fixed", "broken", "same", "not_compared")}
    return {**sums, "mcnemar": None, "p": None, "pairs": [_pair_value(pair) for pair in pairs]}


def _counts(found: Comparison) -> dict[str, Any]:
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
        **_counts(found),
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
    for each in value["rules"]:
        yield from _region_lines(each["rule"], each["overlap"])


def _region_lines(label: str, regions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if regions:
        yield f"  {label}"
    for region in regions:
        names = region["systems"]
        yield f"    {region['cases']:>6} in {' and '.join(names)}" + (" only" if len(names) == 1 else "")
