"""Votes among systems: what more than half of those with an opinion say is expected of all of them.

Where there is no such majority, nobody is the odd one out: the failure is that they disagree, and names the sides.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from kgprobe.model import Failure
from kgprobe.oracles.values import Fact
from kgprobe.oracles.wording import listed, shortened

__all__ = ["on_answers", "on_facts"]

_Key = tuple[str, str, str]


def on_facts(
    disputed: Mapping[Fact, frozenset[str]], systems: Collection[str], partial: Collection[str]
) -> list[Failure]:
    """The failures of systems that lack facts that most have, or have facts that most lack.

    A partial system has no opinion on a fact that it does not claim.
    """
    lines: dict[_Key, list[str]] = defaultdict(list)
    found: dict[tuple[frozenset[str], str], list[tuple[_Key, str]]] = {}
    for fact, claiming in disputed.items():
        # There are few ways to differ, and there can be many facts.
        votes = found.get((claiming, fact.shape))
        if votes is None:
            denying = [each for each in systems if each not in claiming and each not in partial]
            votes = found[claiming, fact.shape] = _votes(sorted(claiming), sorted(denying), fact.shape)
        for key, remark in votes:
            lines[key].append(f"{fact.text}: {remark}")
    return [Failure(*key, shortened(differences)) for key, differences in lines.items()]


def _votes(claiming: list[str], denying: list[str], shape: str) -> list[tuple[_Key, str]]:
    """Who fails if these claim a fact and those deny it, and what is to be said about it."""
    if not denying:
        return []
    if len(claiming) > len(denying):
        return [((system, "misses", shape), f"{listed(claiming)} {_have(claiming)} it") for system in denying]
    if len(claiming) < len(denying):
        return [((system, "adds", shape), f"{listed(denying)} {_do(denying)} not have it") for system in claiming]
    sides = f"{', '.join(claiming)} | {', '.join(denying)}"
    remark = f"{listed(claiming)} {_have(claiming)} it, {listed(denying)} {_do(denying)} not"
    return [((sides, "disagree", shape), remark)]


def on_answers(
    said: Mapping[str, str], subject: str, *, shapes: Mapping[str, str] | None = None, first: Iterable[str] = ()
) -> list[Failure]:
    """The failures of systems whose answer is not that of most, where only one answer can be right.

    `subject` is the shape of a disagreement, and `shapes` has those of wrong answers, if answers are no names of the
    graph. The side of an answer in `first` is named first.
    """
    sides: dict[str, list[str]] = defaultdict(list)
    for system in sorted(said):
        sides[said[system]].append(system)
    if len(sides) < 2:
        return []
    told = {answer: f"{listed(systems)} {_say(systems)} {answer}" for answer, systems in sides.items()}
    ((right, most),) = Counter(said.values()).most_common(1)
    if 2 * most > len(said):
        return [
            Failure(system, "wrong answer", (shapes or {}).get(answer, subject), (f"says {answer}: {told[right]}",))
            for answer, systems in sides.items()
            if answer != right
            for system in systems
        ]
    ordered = sorted(sides, key=lambda answer: (answer not in first, sides[answer]))
    names = " | ".join(", ".join(sides[answer]) for answer in ordered)
    return [Failure(names, "disagree", subject, shortened([told[answer] for answer in ordered]))]


def _have(systems: list[str]) -> str:
    return "has" if len(systems) == 1 else "have"


def _do(systems: list[str]) -> str:
    return "does" if len(systems) == 1 else "do"


def _say(systems: list[str]) -> str:
    return "says" if len(systems) == 1 else "say"
