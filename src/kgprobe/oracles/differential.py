"""Compares answers: those of several systems on a case, or those of one system on a case and on its seed graph.

The system that differs is named, and the difference is shown. Several systems vote: if more than half of those with an
opinion agree, all are expected to give that answer. Without such a majority, the failure is that they disagree, and it
names the sides.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from kgprobe.errors import InputError
from kgprobe.model import Case, Failure, Input, Observation, Outcome, Verdict, Way
from kgprobe.oracles.differences import Difference, of_outputs, of_texts, of_values
from kgprobe.oracles.facts import (
    SUBCLASS,
    UNSATISFIABLE,
    Fact,
    answer_text,
    disputed,
    is_by_question,
    is_single,
    listed,
    shortened,
)
from kgprobe.oracles.protocol import Observed, Oracle, merged, the_case_itself
from kgprobe.oracles.signatures import blanked
from kgprobe.oracles.single_run import Beside, ExitStatus, Maker
from kgprobe.reasoners.protocol import Hierarchy

__all__ = ["CHANGED", "CONSISTENCY", "PARTS", "Differential", "SameAsSeed"]

CONSISTENCY = "consistency"
_CONSISTENT = {True: "consistent", False: "inconsistent"}
PARTS = ("exit status", "value", "stdout", "output")
CHANGED = "changed"
"""The kind of failures of `SameAsSeed`: to see one again, two graphs have to be run."""
_NAMES = ("seed", "case")
_OF_CLASSES = (SUBCLASS, UNSATISFIABLE)  # their facts are all of one kind, and there can be very many
_MOST_KINDS = 500
_SAYS = {answer: f"says {answer}" for answer in ("consistent", "inconsistent")}


@dataclass(frozen=True, slots=True)
class Differential:
    """All systems must give the same answer; the answer of the majority counts as right.

    `question` names the question, if known: `consistency`, `unsatisfiable classes`, or the name of a query. It is part
    of signatures, and determines which truth value of a partial system is reliable. An answer that is a dictionary
    holds the answers to several questions, by name.
    """

    question: str = ""
    name: str = "differential"
    compares_systems: ClassVar[bool] = True
    needs = the_case_itself

    def judge(self, case: Case, observed: Observed) -> Verdict:
        return self._verdict(observed.on(case.input))

    def _verdict(self, observed: Sequence[Observation]) -> Verdict:
        if len({seen.system for seen in observed}) < len(observed):
            raise ValueError("a system was observed twice; its two answers do not count as two opinions")
        answers = [seen for seen in observed if seen.is_finished and seen.value is not None]
        if len(answers) < 2:
            return Verdict(Outcome.UNDECIDED, _too_few(observed))
        values = _comparable({seen.system: seen.value for seen in sorted(answers, key=lambda seen: seen.system)})
        failures = _failures(values, {seen.system for seen in answers if seen.is_partial}, self.question)
        if failures is None:
            partial = sorted(f"{seen.system} is partial: {seen.remark}" for seen in answers if seen.is_partial)
            return Verdict(Outcome.UNDECIDED, "; ".join(["fewer than two reliable answers", *partial]))
        ordered = sorted(failures, key=lambda failure: (failure.system, failure.kind, failure.shape))
        # Agreement of the others does not make up for an answer that cannot be read, or that was not given.
        unread = [f"{seen.system}: {seen.remark}" for seen in observed if _is_unread(seen)]
        passed = Verdict(Outcome.UNDECIDED, "; ".join(unread)) if unread else Verdict(Outcome.PASS)
        return merged([Verdict(Outcome.FAIL, failures=tuple(ordered))]) if ordered else passed


def _failures(values: Mapping[str, Any], partial: Collection[str], question: str) -> list[Failure] | None:
    """The failures of each system; None if there are too few reliable opinions to judge."""
    given = list(values.values())
    if all(isinstance(value, bool) for value in given):
        about_model = question == CONSISTENCY
        return _about_consistency(values, partial) if about_model else _about_truth(values, partial, question)
    if all(isinstance(value, bool | Hierarchy) for value in given):
        return _about_hierarchies(values, partial)
    if all(isinstance(value, str) for value in given):
        texts = {system: value for system, value in values.items() if system not in partial}
        return _about_texts(texts, _about("answer", question)) if len(texts) > 1 else None
    if all(map(is_single, given)):
        said = {system: answer_text(value) for system, value in values.items() if system not in partial}
        return _voted(said, _about("answer", question))
    if not question and all(map(is_by_question, given)):
        return _about_questions(values, partial)
    return _on_facts(disputed(values, question), values.keys(), partial)


def _about_texts(texts: Mapping[str, str], subject: str) -> list[Failure]:
    """Vote on texts. A smaller graph must show the same difference: on most graphs, texts differ in some way."""
    frequency = Counter(texts.values())
    systems = {text: system for system, text in reversed(list(texts.items()))}  # the first that gave each
    right, *others = sorted(frequency, key=lambda text: (-frequency[text], systems[text]))
    failures = []
    for failure in _on_answers({system: answer_text(text) for system, text in texts.items()}, subject):
        wrong = [texts[failure.system]] if failure.system in texts else others
        found = [of_texts(right, text, (systems[right], systems[text])) for text in wrong]
        told = [difference for difference in found if difference is not None]
        words = (line for difference in told for line in difference.lines)
        kinds = tuple(kind for difference in told for kind in difference.kinds)
        failures.append(replace(failure, words=(*failure.words, *words), way=Way(difference=kinds)))
    return failures


def _about_questions(values: Mapping[str, Mapping[str, Any]], partial: Collection[str]) -> list[Failure] | None:
    """Vote on each of several questions: first on whether it has an answer, then on the answer."""
    found: list[list[Failure] | None] = []
    for question in sorted(set().union(*values.values())):
        answers = {system: value[question] for system, value in values.items() if value.get(question) is not None}
        something, nothing = f"something about {question}", f"nothing about {question}"
        said = {
            system: something if system in answers else nothing
            for system in values
            if system in answers or system not in partial
        }
        shapes = {something: _about("says something", question), nothing: _about("says nothing", question)}
        found.append(_on_answers(said, _about("no answer", question), shapes=shapes, first=[something]))
        if len(answers) > 1:
            found.append(_failures(answers, partial, question))
    told = [failures for failures in found if failures is not None]
    return [failure for failures in told for failure in failures] if told or not found else None


def _about_truth(values: Mapping[str, bool], partial: Collection[str], question: str) -> list[Failure] | None:
    # The results of a partial system are right, but it may have missed some.
    said = {
        system: answer_text(value) for system, value in values.items() if system not in partial or (question and value)
    }
    shapes = {answer: _about(f"says {answer}", question) for answer in ("true", "false")}
    return _voted(said, _about("truth value", question), shapes=shapes, first=["true"])


def _about(what: str, question: str) -> str:
    return f"{what} ({question})" if question else what


def _about_consistency(values: Mapping[str, Any], partial: Collection[str]) -> list[Failure] | None:
    """Vote on whether there is a model. A classification counts as yes, unless it may have missed a contradiction."""
    said = {
        system: _CONSISTENT[value is not False]
        for system, value in values.items()
        if system not in partial or value is False
    }
    return _voted(said, "inconsistency", shapes=_SAYS, first=["inconsistent"])


def _about_hierarchies(values: Mapping[str, Any], partial: Collection[str]) -> list[Failure] | None:
    """Vote on whether there is a model, and among the systems that found one, on the class hierarchy."""
    on_consistency = _about_consistency(values, partial)
    hierarchies = {system: value for system, value in values.items() if isinstance(value, Hierarchy)}
    if len(hierarchies) < 2:
        return on_consistency
    return [*(on_consistency or []), *_on_facts(disputed(hierarchies), hierarchies.keys(), partial)]


def _comparable(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answers. If the others are unnamed, the answer to a single named query is used without its name."""
    if all(map(is_by_question, values.values())):
        return values
    return {
        system: next(iter(value.values())) if is_by_question(value) and len(value) == 1 else value
        for system, value in values.items()
    }


def _is_unread(seen: Observation) -> bool:
    """Whether a system gave an answer that could not be read. Not so if it said that it cannot decide."""
    return seen.is_finished and seen.value is None and bool(seen.remark) and not seen.is_partial


def _too_few(observed: Sequence[Observation]) -> str:
    without = [seen for seen in observed if not seen.is_finished or seen.value is None]
    silent = sorted(f"{seen.system}: {_silence(seen)}" for seen in without)
    return "; ".join(["fewer than two answers to compare", *silent])


def _silence(seen: Observation) -> str:
    """The reason why a system has no answer to compare."""
    if not seen.is_finished:
        return f"{seen.status}, {seen.remark}" if seen.remark else str(seen.status)
    return seen.remark or "no answer to compare; set 'answers' in the profile to say how to read its output"


def _voted(
    said: Mapping[str, str], subject: str, *, shapes: Mapping[str, str] | None = None, first: Collection[str] = ()
) -> list[Failure] | None:
    """Hold the vote if there are enough opinions."""
    return _on_answers(said, subject, shapes=shapes, first=first) if len(said) > 1 else None


_Key = tuple[str, str, str]


# -- votes -------------------------------------------------------------------------------------------------------------


def _on_facts(
    disputed: Mapping[Fact, frozenset[str]], systems: Collection[str], partial: Collection[str]
) -> list[Failure]:
    """The failures of systems that lack facts that most have, or have facts that most lack.

    A partial system has no opinion on a fact that it does not claim.
    """
    lines: dict[_Key, list[str]] = defaultdict(list)
    kinds: dict[_Key, set[str]] = defaultdict(set)
    found: dict[tuple[frozenset[str], str], list[tuple[_Key, str]]] = {}
    for fact, claiming in disputed.items():
        # There are few ways to differ, but there can be many facts.
        votes = found.get((claiming, fact.shape))
        if votes is None:
            denying = [system for system in systems if system not in claiming and system not in partial]
            votes = found[claiming, fact.shape] = _votes(sorted(claiming), sorted(denying), fact.shape)
        for key, remark in votes:
            lines[key].append(f"{fact.text}: {remark}")
            if fact.shape not in _OF_CLASSES and len(kinds[key]) < _MOST_KINDS:
                kinds[key].add(blanked(fact.text.replace('"', "")))  # all texts are in quotes, not only names
    return [
        Failure(*key, shortened(differences), Way(difference=tuple(sorted(kinds[key]))))
        for key, differences in lines.items()
    ]


def _votes(claiming: list[str], denying: list[str], shape: str) -> list[tuple[_Key, str]]:
    """The systems that fail if some claim a fact and others deny it, each with a message."""
    if not denying:
        return []
    if len(claiming) > len(denying):
        return [((system, "misses", shape), f"{listed(claiming)} {_have(claiming)} it") for system in denying]
    if len(claiming) < len(denying):
        return [((system, "adds", shape), f"{listed(denying)} {_do(denying)} not have it") for system in claiming]
    sides = f"{', '.join(claiming)} | {', '.join(denying)}"
    remark = f"{listed(claiming)} {_have(claiming)} it, {listed(denying)} {_do(denying)} not"
    return [((sides, "disagree", shape), remark)]


def _on_answers(
    said: Mapping[str, str], subject: str, *, shapes: Mapping[str, str] | None = None, first: Iterable[str] = ()
) -> list[Failure]:
    """The failures of systems that differ from the majority, where only one answer can be right.

    `subject` is the shape of a disagreement, and `shapes` has those of wrong answers, if answers are not names of the
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


# -- the same system on the seed graph ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SameAsSeed:
    """A system must do the same on a case as on its seed graph.

    The seed graph is the reference of the case. `parts` selects the parts to compare; leave out, for example, a text
    with a time stamp, which would always differ. How the run ended is always compared, unless `endings` judges that: a
    run that it does not accept is a failure of its own, and says nothing about the answer. If it does not accept the
    run on the seed graph either, there is nothing to compare with.
    """

    parts: Collection[str] = PARTS
    endings: ExitStatus | None = None
    name: str = "same as on the seed"
    compares_systems: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for part in self.parts:
            if part not in PARTS:
                raise InputError(f"not a part of an observation: {part}", hint=f"compare {', '.join(PARTS)}")

    def needs(self, case: Case, _observed: Observed) -> Sequence[Input]:
        """The observations on the seed graph and on the case, in any order."""
        return (case.input,) if case.reference is None else (case.reference, case.input)

    def judge(self, case: Case, observed: Observed) -> Verdict:
        on_seed = () if case.reference is None else observed.on(case.reference)
        before = {seen.system: seen for seen in on_seed}
        return merged(self._verdict(case, before.get(seen.system), seen) for seen in observed.on(case.input))

    def _verdict(self, case: Case, before: Observation | None, after: Observation) -> Verdict:
        if before is None:
            return Verdict(Outcome.UNDECIDED, f"{after.system} was not run on the seed {case.origin}")
        if obstacle := before.obstacle or after.obstacle:
            return Verdict(Outcome.UNDECIDED, obstacle)
        if before.is_unreadable and not after.is_unreadable:
            return Verdict(Outcome.UNDECIDED, f"on {case.origin}, {before.system}: {before.remark}")
        if why := self._incomparable(case, before, after):
            return Verdict(Outcome.UNDECIDED, why)
        found = dict(self._differences(before, after))
        if not found:
            return Verdict(Outcome.PASS)
        first = next(iter(found))
        shape = f"exit status {before.exit_code} to {after.exit_code}" if first == "exit status" else first
        kinds = tuple(f"{part}: {kind}" for part, difference in found.items() for kind in difference.kinds)
        words = tuple(line for difference in found.values() for line in difference.words)
        return Verdict(Outcome.FAIL, failures=(Failure(after.system, CHANGED, shape, words, Way(difference=kinds)),))

    def _incomparable(self, case: Case, before: Observation, after: Observation) -> str:
        """Why two runs cannot be compared; empty if they can."""
        if self.endings is None:
            return ""
        if self.endings.of(after).outcome is not Outcome.PASS:
            return f"{after.system} gave no answer to compare"
        on_seed = self.endings.of(before)
        if on_seed.outcome is Outcome.PASS:
            return ""
        what = "; ".join(failure.kind for failure in on_seed.failures) or on_seed.why
        return f"there is nothing to compare with: {after.system} on {case.origin}: {what}"

    def _differences(self, before: Observation, after: Observation) -> Iterator[tuple[str, Difference]]:
        if before.status is not after.status:
            shown = f"{before.status} on the seed, and {after.status} here"
            yield f"{before.status} to {after.status}", Difference(shown, (), (shown,))
        elif after.is_finished:
            are_read = before.is_read and after.is_read
            for part, compare in _COMPARISONS.items():
                is_source = are_read and part in ("stdout", "output")  # the value is what it says
                if part in self.parts and not is_source and (found := compare(before, after)) is not None:
                    yield part, found


def _exit_status(before: Observation, after: Observation) -> Difference | None:
    if before.exit_code == after.exit_code:
        return None
    shown = f"{before.exit_code} on the seed, and {after.exit_code} here"
    return Difference(shown, (), (shown,))


def _value(before: Observation, after: Observation) -> Difference | None:
    if before.value is None or after.value is None:
        return None if before.value is after.value else _only("an answer", here=before.value is None)
    partial = [name for name, seen in zip(_NAMES, (before, after), strict=True) if seen.is_partial]
    return of_values(before.value, after.value, _NAMES, partial)


def _only(what: str, *, here: bool) -> Difference:
    shown = f"{what} only {'here' if here else 'on the seed'}"
    return Difference(shown, (), (shown,))


def _stdout(before: Observation, after: Observation) -> Difference | None:
    return of_texts(before.stdout, after.stdout, _NAMES)


def _output(before: Observation, after: Observation) -> Difference | None:
    if before.output is None or after.output is None:
        return None if before.output is after.output else _only("a file", here=before.output is None)
    return of_outputs(before.output, after.output, _NAMES)


_COMPARISONS: dict[str, Callable[[Observation, Observation], Difference | None]] = {
    "exit status": _exit_status,
    "value": _value,
    "stdout": _stdout,
    "output": _output,
}


# -- in a profile ------------------------------------------------------------------------------------------------------


def _same_as_seed(is_asked: bool, beside: Beside) -> Iterable[Oracle]:
    return (SameAsSeed(endings=beside.endings),) if is_asked else ()


def _differential(is_asked: bool | None, beside: Beside) -> Iterable[Oracle]:
    if not (len(beside.questions) > 1 if is_asked is None else is_asked):
        return ()
    return (Differential(question=CONSISTENCY if set(beside.questions) == {CONSISTENCY} else ""),)


ORACLES: Mapping[str, Maker] = {"same_as_seed": _same_as_seed, "differential": _differential}
"""What makes these oracles, by the fields of [oracle]."""
