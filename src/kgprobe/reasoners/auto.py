"""`auto`: the fast native reasoner, and a second opinion whenever the first is known to overlook something.

rustdl answers first. A contradiction that it finds is taken: it has never claimed one where there was none. When it
finds none, and the ontology uses something that it is known to overlook, pyHermiT is asked as well; and when pyHermiT
is known to overlook things of that kind too, the answer is undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, NamedNode
from kgprobe.reasoners.catalogue import REASONERS, hosted
from kgprobe.reasoners.gaps import gaps_of, used_by
from kgprobe.reasoners.hosted import HostedReasoner, is_proof
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import (
    Answer,
    Availability,
    Classification,
    Entails,
    Limits,
    Request,
    Task,
    Unsatisfiable,
    Value,
)

__all__ = ["AutoReasoner"]

_FIRST, _SECOND = "rustdl", "pyhermit"
_NEGATIVE = "NegativeObjectPropertyAssertion"


@dataclass(frozen=True, slots=True)
class _Asked:
    """A task about an ontology, and where its answer goes."""

    ontology: Ontology
    task: Task
    request: int
    place: int

    def reservations(self, value: Value) -> list[str]:
        """What speaks against an answer, whoever gave it."""
        if is_proof(self.task, value) or not self.ontology.leftovers:
            return []
        return [f"{self.ontology.leftovers} triples are no OWL 2 axioms and were left out"]


class AutoReasoner:
    """Both native reasoners behind one name. Needs no Java."""

    name = "auto"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._first = hosted(_FIRST, self._limits)
        self._second: HostedReasoner | None = None

    def available(self) -> Availability:
        """Whether it can be used here."""
        return REASONERS[_FIRST].available()

    def answer(self, graph: Graph | Ontology, tasks: Sequence[Task]) -> list[Answer]:
        """The answers to several tasks about one graph."""
        return self.answer_many([(graph, tasks)])[0]

    def answer_many(self, requests: Sequence[Request]) -> list[list[Answer]]:
        """The answers about several graphs: one round trip to each of the two reasoners at most."""
        asked = [(Ontology.of(graph), list(tasks)) for graph, tasks in requests]
        answers = self._first.answer_many([(_marked(ontology, tasks), tasks) for ontology, tasks in asked])
        doubtful = []
        for number, (ontology, tasks) in enumerate(asked):
            for place, task in enumerate(tasks):
                each = _Asked(ontology, task, number, place)
                answers[number][place] = _judged(each, tasks, answers[number][place])
                if not answers[number][place].complete and not isinstance(task, Classification):
                    doubtful.append(each)
        if doubtful:
            self._reconsider(doubtful, answers)
        return answers

    def close(self) -> None:
        """End the processes."""
        self._first.close()
        if self._second is not None:
            self._second.close()

    def _reconsider(self, doubtful: list[_Asked], answers: list[list[Answer]]) -> None:
        """Puts the second opinion in the place of each doubtful answer."""
        firsts = [answers[each.request][each.place] for each in doubtful]
        status = REASONERS[_SECOND].available()
        if status.usable:
            if self._second is None:
                self._second = hosted(_SECOND, self._limits)
            questions = [_second_questions(each, first) for each, first in zip(doubtful, firsts, strict=True)]
            requests = [(each.ontology, tasks) for each, tasks in zip(doubtful, questions, strict=True)]
            found = [
                _combined(*about)
                for about in zip(doubtful, firsts, questions, self._second.answer_many(requests), strict=True)
            ]
        else:
            advice = f"for a second opinion: {status.install}"
            found = [replace(first, value=None, why=f"{first.why}; {advice}") for first in firsts]
        for each, answer in zip(doubtful, found, strict=True):
            answers[each.request][each.place] = answer


def _judged(asked: _Asked, tasks: Sequence[Task], answer: Answer) -> Answer:
    """The first answer, with what is known about the reasoner that gave it."""
    answer = replace(answer, reasoner=f"auto:{_FIRST}")
    if answer.value is None:
        return answer
    reasons = asked.reservations(answer.value)
    if not is_proof(asked.task, answer.value):
        resolved = frozenset({_NEGATIVE}) if _can_be_marked(tasks) else frozenset()
        gaps = gaps_of(_FIRST, used_by(asked.ontology, asked.task) - resolved)
        reasons += [f"{_FIRST} overlooks things with {', '.join(gaps)}"] if gaps else []
        if isinstance(asked.task, Classification) and not answer.complete and not reasons:
            reasons = [answer.why]
    return replace(answer, complete=not reasons, why="; ".join(reasons))


def _second_questions(asked: _Asked, first: Answer) -> list[Task]:
    """What to ask the second reasoner, which cannot list unsatisfiable classes: it is asked class by class."""
    if not isinstance(asked.task, Unsatisfiable):
        return [asked.task]
    known = first.value if isinstance(first.value, frozenset) else frozenset()
    return [Entails(("SubClassOf", name, OWL.Nothing)) for name in sorted(asked.ontology.classes - known, key=str)]


def _combined(asked: _Asked, first: Answer, tasks: list[Task], seconds: list[Answer]) -> Answer:
    """What both say together; undecided if the second has no answer either, or may have overlooked something."""
    reasoner = f"auto:{_FIRST}+{_SECOND}"
    time = first.seconds + sum(each.seconds for each in seconds)
    for task, second in zip(tasks, seconds, strict=True):
        objection = _objection(asked, task, second)
        if objection:
            why = "; ".join(filter(None, [first.why, f"{_SECOND} {objection}"]))
            return Answer(None, reasoner, time, complete=False, why=why)
    value = _value(first, tasks, seconds) if isinstance(asked.task, Unsatisfiable) else seconds[0].value
    reasons = [] if value is None else asked.reservations(value)
    return Answer(value, reasoner, time, complete=not reasons, why="; ".join(reasons))


def _objection(asked: _Asked, task: Task, second: Answer) -> str:
    if second.value is None:
        return f"has no answer ({second.why})"
    gaps = [] if is_proof(task, second.value) else gaps_of(_SECOND, used_by(asked.ontology, task))
    return f"overlooks things with {', '.join(gaps)}" if gaps else ""


def _value(first: Answer, tasks: list[Task], seconds: list[Answer]) -> frozenset[NamedNode]:
    """The unsatisfiable classes that the first found, and those that the second found."""
    known = first.value if isinstance(first.value, frozenset) else frozenset()
    proven = [
        task.axiom[1] for task, each in zip(tasks, seconds, strict=True) if each.value and isinstance(task, Entails)
    ]
    return known | {name for name in proven if isinstance(name, NamedNode)}


def _can_be_marked(tasks: Sequence[Task]) -> bool:
    """Marks are classes, and should not turn up in an answer that lists classes."""
    return not any(isinstance(task, Classification | Unsatisfiable) for task in tasks)


def _marked(ontology: Ontology, tasks: Sequence[Task]) -> Ontology:
    """The ontology with each negative assertion said in a way that rustdl understands.

    "No p leads from a to b" becomes "b has a mark, and p leads from a to nothing with that mark", where the mark is a
    class that occurs nowhere else. Whatever does not mention the mark follows from the one exactly if from the other.
    """
    if not _can_be_marked(tasks) or not any(axiom[0] == _NEGATIVE for axiom in ontology.axioms):
        return ontology
    axioms: list[Expression] = []
    for number, axiom in enumerate(ontology.axioms):
        if axiom[0] != _NEGATIVE:
            axioms.append(axiom)
            continue
        _, prop, source, target = axiom
        mark = NamedNode(f"urn:kgprobe:mark:{number}")
        axioms.append(("ClassAssertion", mark, target))
        axioms.append(("ClassAssertion", ("ObjectAllValuesFrom", prop, ("ObjectComplementOf", mark)), source))
    return Ontology(tuple(axioms), ontology.declared, ontology.leftovers)
