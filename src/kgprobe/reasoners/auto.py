"""A reasoner by its name, and `auto`: the fast native reasoner, with a second opinion if its answer may be wrong.

If a model is easy to find, `auto` runs no reasoner; that of a mutant is found by mending the one of its seed.
Otherwise rustdl answers first. A contradiction that it finds is accepted. "Consistent" is accepted only within the
fragments of OWL in which rustdl is known to miss nothing. Elsewhere, `auto` searches for a small model, which is a
proof by itself. If it finds none, it asks pyHermiT. If pyHermiT is also known to err with such constructs, the answer
is undecided. Both reasoners get the ontology rewritten into forms that they read correctly, where such forms exist. The
remaining gaps are listed as those of the two reasoners "in other words".
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from kgprobe.owl.expression import Expression
from kgprobe.processes.limits import Limits
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, NamedNode
from kgprobe.reasoners.catalogue import REASONERS, HostedReasoner, hosted, is_proof
from kgprobe.reasoners.features import ILL_TYPED, UNKNOWN_DATATYPE
from kgprobe.reasoners.gaps import PYHERMIT, RUSTDL, used_by
from kgprobe.reasoners.models import Effort, SeedModel, find_model
from kgprobe.reasoners.negation import refutations
from kgprobe.reasoners.ontology import READINGS, Ontology, doubt_about, reading_of
from kgprobe.reasoners.protocol import (
    Answer,
    Availability,
    Classification,
    Consistency,
    Entails,
    Reasoner,
    Request,
    Task,
    Unsatisfiable,
    Value,
    axiom_of,
)
from kgprobe.reasoners.rephrase import rephrased, spelled_out, truisms
from kgprobe.reasoners.small_model import has_small_model, has_tiny_model

__all__ = ["NO_MODEL", "AutoReasoner", "open_reasoner", "opened"]

_FIRST, _SECOND = "rustdl", "pyhermit"
_EASY = Effort(facts=50_000, looks=30_000, ways=10)
NO_MODEL = frozenset({ILL_TYPED, UNKNOWN_DATATYPE, "topDataProperty"})
"""With these, a model search is inconclusive: they may not be OWL 2, or all models have data property values."""


def open_reasoner(name: str = "auto", limits: Limits | None = None, *, verbatim: bool = False) -> Reasoner:
    """The reasoner with this name. InputError if none has it, UnavailableError if it is not installed.

    A `verbatim` reasoner gets only the statements of the ontology; `auto` rewrites them in any case.
    """
    return AutoReasoner(limits) if name.casefold() == "auto" else hosted(name, limits, verbatim=verbatim)


@contextmanager
def opened(name: str = "auto", limits: Limits | None = None) -> Iterator[Reasoner]:
    """The reasoner with this name, closed at the end of the block."""
    reasoner = open_reasoner(name, limits)
    try:
        yield reasoner
    finally:
        reasoner.close()


class _Seen:
    """A request, and facts about it, each computed when first needed."""

    def __init__(self, graph: Graph | Ontology, tasks: Sequence[Task]) -> None:
        self._graph = graph
        self.tasks = tasks

    @cached_property
    def ontology(self) -> Ontology:
        return Ontology.of(self._graph)

    @cached_property
    def modelled(self) -> list[Answer] | None:
        """The answers that need no reasoner."""
        if not self.tasks or not all(isinstance(task, Consistency) for task in self.tasks):
            return None if self.tasks else []
        start = time.perf_counter()
        doubt = _carried(self._graph) if isinstance(self._graph, Graph) else None
        if doubt is None:
            if not _has_model(self.ontology):
                return None
            doubt = self.ontology.doubt
        seconds = time.perf_counter() - start
        return [Answer(True, "auto:model", seconds, complete=not doubt, why=doubt) for _ in self.tasks]

    @cached_property
    def words(self) -> Ontology:
        """The ontology for the first reasoner."""
        return self.ontology.restated(rephrased(self.ontology.axioms, with_marks=_can_be_marked(self.tasks)))

    def phrased(self) -> Ontology | None:
        """The ontology for the first reasoner, if that is needed."""
        return self.words if self.modelled is None else None


@dataclass(frozen=True, slots=True)
class _Asked:
    """A task about an ontology, the ontology as the first reasoner got it, and the place of the answer."""

    ontology: Ontology
    phrased: Ontology
    task: Task
    request: int
    place: int

    def reservations(self, value: Value) -> list[str]:
        """Reasons to doubt an answer, whichever reasoner gave it."""
        return [] if is_proof(self.task, value) else list(filter(None, [self.ontology.doubt]))


class AutoReasoner:
    """Both native reasoners behind one name. Needs no Java."""

    name = "auto"

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._first = hosted(_FIRST, self._limits)
        self._second: HostedReasoner | None = None

    def available(self) -> Availability:
        """Whether this reasoner can be used on this machine."""
        return REASONERS[_FIRST].available()

    def answer(self, graph: Graph | Ontology, tasks: Sequence[Task], *, seconds: float | None = None) -> list[Answer]:
        """The answers to several tasks about one graph."""
        return self.answer_many([(graph, tasks)], seconds=seconds)[0]

    def answer_many(self, requests: Sequence[Request], *, seconds: float | None = None) -> list[list[Answer]]:
        """The answers about several graphs: at most one round trip to each of the two reasoners.

        While the first reasoner works on one graph, the next graph is read and checked for an easy model.
        """
        seen = [_Seen(graph, tasks) for graph, tasks in requests]
        firsts = self._first.answer_each([(about.phrased, about.tasks) for about in seen], seconds=seconds)
        answers = [about.modelled or found for about, found in zip(seen, firsts, strict=True)]
        doubtful = []
        for number, about in enumerate(seen):
            if about.modelled is not None:
                continue
            for place, task in enumerate(about.tasks):
                asked = _Asked(about.ontology, about.words, task, number, place)
                answers[number][place] = _judged(asked, answers[number][place])
                if not answers[number][place].complete and not isinstance(task, Classification):
                    doubtful.append(asked)
        if doubtful:
            self._reconsider(doubtful, answers, seconds)
        return answers

    def close(self) -> None:
        """End the processes."""
        self._first.close()
        if self._second is not None:
            self._second.close()

    def _reconsider(self, doubtful: list[_Asked], answers: list[list[Answer]], seconds: float | None) -> None:
        """Replaces each doubtful answer with the second opinion. A model takes precedence over any reasoner."""
        open_tasks = []
        for asked in doubtful:
            tasks = _second_questions(asked, answers[asked.request][asked.place])
            open_tasks.append([task for task in tasks if not _is_refuted_by_a_model(asked.ontology, task)])
        spelled = [_spelled(asked.ontology, tasks) for asked, tasks in zip(doubtful, open_tasks, strict=True)]
        given = self._second_answers(list(zip(spelled, open_tasks, strict=True)), seconds)
        opinions = map(_Opinion, spelled, open_tasks, given)
        for asked, opinion in zip(doubtful, opinions, strict=True):
            first = answers[asked.request][asked.place]
            answers[asked.request][asked.place] = _combined(asked, first, opinion)

    def _second_answers(
        self, requests: Sequence[tuple[Ontology, list[Task]]], seconds: float | None
    ) -> list[list[Answer]]:
        """The second reasoner's answers to questions that no model has settled."""
        if not any(tasks for _, tasks in requests):
            return [[] for _ in requests]
        status = REASONERS[_SECOND].available()
        if not status.usable:
            advice = Answer(None, "", 0.0, complete=False, why=f"for a second opinion: {status.install}")
            return [[advice for _ in tasks] for _, tasks in requests]
        if self._second is None:
            self._second = hosted(_SECOND, self._limits)
        return self._second.answer_many(requests, seconds=seconds)


def _carried(graph: Graph) -> str | None:
    """The doubt that remains about a mutant that has a model, found from the model of its seed; None if it has none."""
    reading = reading_of(graph)
    seed = None if reading is None else _SEEDS.of(graph.table)
    change = None if reading is None or seed is None else reading.change(graph)
    if seed is None or change is None:
        return None
    return doubt_about(change.leftovers) if seed.admits(change.added, change.removed) else None


_SEEDS = PerTable(lambda table: SeedModel.of(READINGS.of(table).axioms))


def _has_model(ontology: Ontology) -> bool:
    """Whether a model of an ontology is easy to find."""
    if not ontology.features & NO_MODEL and has_tiny_model(ontology.axioms):
        return True
    return find_model(ontology.axioms, _EASY) is not None


def _judged(asked: _Asked, answer: Answer) -> Answer:
    """The first answer, with the known gaps of the reasoner that gave it."""
    answer = replace(answer, reasoner=f"auto:{_FIRST}")
    if answer.value is None:
        return answer
    reasons = asked.reservations(answer.value)
    if not is_proof(asked.task, answer.value):
        gaps = RUSTDL.missed_in_other_words(used_by(asked.phrased, asked.task))
        reasons += [f"{_FIRST} may miss conclusions from {', '.join(gaps)}"] if gaps else []
        reasons += [answer.omission] if answer.omission and not gaps else []
    return replace(answer, complete=not reasons, why="; ".join(reasons))


def _second_questions(asked: _Asked, first: Answer) -> list[Task]:
    """The questions for the second reasoner. It cannot list unsatisfiable classes, so it gets a question per class."""
    if not isinstance(asked.task, Unsatisfiable):
        return [asked.task]
    known = first.value if isinstance(first.value, frozenset) else frozenset()
    return [
        Entails(Expression("SubClassOf", name, OWL.Nothing)) for name in sorted(asked.ontology.classes - known, key=str)
    ]


def _is_refuted_by_a_model(ontology: Ontology, task: Task) -> bool:
    """Whether a small model shows that no proof exists, of a contradiction or of the axiom in question."""
    axiom = axiom_of(task)
    ways: list[list[Expression]] = [[]] if axiom is None else refutations(axiom) or []
    stated = [(*ontology.axioms, *way) for way in ways]
    if any(find_model(axioms, _EASY) is not None for axioms in stated):
        return True
    return not used_by(ontology, task) & NO_MODEL and any(map(has_small_model, stated))


@dataclass(frozen=True, slots=True)
class _Opinion:
    """The second reasoner's ontology, questions and answers, for everything that no model has settled."""

    ontology: Ontology
    tasks: list[Task]
    answers: list[Answer]

    @property
    def reasoner(self) -> str:
        """The reasoner that gave it."""
        return f"auto:{_FIRST}+{_SECOND}" if self.tasks else "auto:model"

    def objections(self) -> list[str]:
        """The reason not to accept it."""
        found = (self._objection(*about) for about in zip(self.tasks, self.answers, strict=True))
        return list(filter(None, found))

    def _objection(self, task: Task, answer: Answer) -> str:
        if answer.value is None:
            return (
                answer.why if not REASONERS[_SECOND].available().usable else f"{_SECOND} has no answer ({answer.why})"
            )
        used = used_by(self.ontology, task)
        if is_proof(task, answer.value):
            gaps = PYHERMIT.overclaimed(used)
            return f"{_SECOND} may draw wrong conclusions from {', '.join(gaps)}" if gaps else ""
        gaps = PYHERMIT.missed_in_other_words(used)
        return f"{_SECOND} may miss conclusions from {', '.join(gaps)}" if gaps else ""

    def classes(self) -> set[NamedNode]:
        """The classes in the questions that are unsatisfiable."""
        proven = [
            task.axiom.args[0]
            for task, answer in zip(self.tasks, self.answers, strict=True)
            if answer.value and isinstance(task, Entails)
        ]
        return {name for name in proven if isinstance(name, NamedNode)}


def _combined(asked: _Asked, first: Answer, second: _Opinion) -> Answer:
    """The combined answer; undecided if the second reasoner has no answer either, or may err."""
    seconds = first.seconds + sum(answer.seconds for answer in second.answers)
    objections = second.objections()
    if objections:
        why = "; ".join(filter(None, [first.why, objections[0]]))
        return Answer(None, second.reasoner, seconds, complete=False, why=why)
    if isinstance(asked.task, Unsatisfiable):
        value: Value = (first.value if isinstance(first.value, frozenset) else frozenset()) | second.classes()
    else:
        # A model proves that no contradiction exists, and that the axiom does not follow.
        value = second.answers[0].value is True if second.answers else isinstance(asked.task, Consistency)
    reasons = asked.reservations(value)
    return Answer(value, second.reasoner, seconds, complete=not reasons, why="; ".join(reasons))


def _can_be_marked(tasks: Sequence[Task]) -> bool:
    """Marks are classes, and must not appear in an answer that lists classes."""
    return not any(isinstance(task, Classification | Unsatisfiable) for task in tasks)


def _spelled(ontology: Ontology, tasks: Sequence[Task]) -> Ontology:
    """The ontology for the second reasoner; the truisms must also cover the questions."""
    axioms = tuple(spelled_out(rephrased(ontology.axioms, with_marks=True)))
    questions = [axiom for task in tasks if (axiom := axiom_of(task)) is not None]
    ways = [way for axiom in questions for way in refutations(axiom) or []]
    return ontology.restated((*axioms, *truisms(chain(axioms, questions, *ways))))
