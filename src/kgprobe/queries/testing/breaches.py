"""Finds a property that the answers of a query break on some data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from kgprobe.errors import one_line
from kgprobe.queries.filters.values import ValueSet
from kgprobe.queries.testing.data import Datum
from kgprobe.queries.testing.evaluation import Loaded, Runner
from kgprobe.queries.testing.judging import Judge
from kgprobe.queries.testing.outcome import Answer
from kgprobe.queries.testing.properties import (
    Ask,
    AtMost,
    Empty,
    Expectation,
    Nonempty,
    Property,
    PythonCheck,
    Related,
    SameAs,
)
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.wording import number_of

__all__ = ["Breach", "Checker", "UndecidedAnswerError"]


class UndecidedAnswerError(Exception):
    """Whether an answer has a property is undecided. It never leaves this package."""


@dataclass(frozen=True)
class Breach:
    """A property that does not hold, the answer that breaks it, if one does, and the reason in words."""

    property: str
    answer: Answer | None
    reason: str


class Checker:
    """Checks properties of the answers of a query."""

    def __init__(self, properties: Sequence[Property], judge: Judge, runner: Runner, spelling: Spelling) -> None:
        self._properties = properties
        self._judge = judge
        self._runner = runner
        self._spell = spelling.term

    def breach(self, data: Sequence[Datum], answers: Sequence[Answer], loaded: Loaded) -> Breach | None:
        """The first property that these answers break. UndecidedAnswerError if none is known to, but one may."""
        undecided = False
        for each in self._properties:
            try:
                found = self._breach(each, data, answers, loaded)
            except UndecidedAnswerError:
                undecided = True
                continue
            if found is not None:
                return found
        if undecided:
            raise UndecidedAnswerError
        return None

    def _breach(
        self, property_: Property, data: Sequence[Datum], answers: Sequence[Answer], loaded: Loaded
    ) -> Breach | None:
        match property_:
            case Nonempty(text=text):
                return None if answers else Breach(text, None, "the query has no answer")
            case Empty(text=text):
                return Breach(text, answers[0], "the query has an answer") if answers else None
            case AtMost(number=number, text=text):
                few = len(answers) <= number
                return None if few else Breach(text, None, f"the query has {number_of(len(answers), 'answer')}")
            case SameAs():
                return self._difference(property_, answers, loaded)
            case _:
                return self._breach_of_one(property_, data, answers, loaded)

    def _breach_of_one(
        self,
        property_: Expectation | Related | Ask | PythonCheck,
        data: Sequence[Datum],
        answers: Sequence[Answer],
        loaded: Loaded,
    ) -> Breach | None:
        undecided = False
        graph = self._runner.graph(data) if isinstance(property_, PythonCheck) else None
        for answer in answers:
            try:
                reason = self._reason(property_, data, answer, loaded, graph)
            except UndecidedAnswerError:
                undecided = True
                continue
            if reason:
                return Breach(property_.text, answer, reason)
        if undecided:
            raise UndecidedAnswerError
        return None

    def _reason(
        self,
        property_: Expectation | Related | Ask | PythonCheck,
        data: Sequence[Datum],
        answer: Answer,
        loaded: Loaded,
        graph: Graph | None,
    ) -> str:
        """Why an answer does not have a property; empty if it does."""
        match property_:
            case Expectation():
                return self._not_a_member(property_, data, answer)
            case Related():
                return self._not_related(property_, data, answer)
            case Ask(query=query):
                return "" if loaded.answers(query, answer) else f"the ASK query {query.name} does not hold"
            case PythonCheck(function=function):
                assert graph is not None  # noqa: S101 - made for this kind of property
                try:
                    return "" if function(dict(answer), graph) else "the function returns a false value"
                except Exception as error:  # the user's function may raise anything
                    return one_line(f"the function raises {type(error).__name__}: {error}")

    def _not_a_member(self, expectation: Expectation, data: Sequence[Datum], answer: Answer) -> str:
        term = answer.get(expectation.variable)
        if term is None:
            return ""  # an OPTIONAL that did not match promises nothing
        if isinstance(term, Literal):
            inside = ValueSet.of_range(expectation.kind).contains(term) if expectation.is_data_range else False
            if inside is None:
                raise UndecidedAnswerError
            return "" if inside else f"{self._shown(expectation, term)} is a literal outside the expected range"
        if expectation.is_data_range:
            return f"{self._shown(expectation, term)} is not a literal"
        ask = self._judge.can_be_member if expectation.is_possible else self._judge.is_member
        member = ask(data, term, expectation.kind)
        if member is None:
            raise UndecidedAnswerError
        if member:
            return ""
        verb = "cannot be" if expectation.is_possible else "is not known to be"
        return f"{self._shown(expectation, term)} {verb} a member of the expected class"

    def _shown(self, expectation: Expectation, term: Term) -> str:
        return f"?{expectation.variable} = {self._spell(term)}"

    def _not_related(self, relation: Related, data: Sequence[Datum], answer: Answer) -> str:
        subject, object_ = _bound(relation.subject, answer), _bound(relation.object, answer)
        if subject is None or object_ is None:
            return ""
        shown = f"{self._spell(subject)} {self._spell(relation.predicate)} {self._spell(object_)}"
        if isinstance(subject, Literal):
            return f"{self._spell(subject)} is a literal"
        assert isinstance(subject, NamedNode | BlankNode)  # noqa: S101 - not a literal
        follows = self._judge.follows(data, Triple(subject, relation.predicate, object_))
        if follows is None:
            raise UndecidedAnswerError
        return "" if follows else f"{shown} does not follow"

    def _difference(self, property_: SameAs, answers: Sequence[Answer], loaded: Loaded) -> Breach | None:
        here = Counter(_hashable(answer) for answer in answers)
        there = Counter(_hashable(answer) for answer in loaded.answers(property_.query))
        if here == there:
            return None
        for one, other, text in (
            (here, there, "this query returns it {}, the other {}"),
            (there, here, "the other query returns it {}, this one {}"),
        ):
            for answer, count in one.items():
                if count > other[answer]:
                    return Breach(property_.text, dict(answer), text.format(_times(count), _times(other[answer])))
        return None


def _times(number: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(number, f"{number} times")


def _bound(part: Variable | Term, answer: Answer) -> Term | None:
    return answer.get(part.name) if isinstance(part, Variable) else part


def _hashable(answer: Answer) -> frozenset[tuple[str, Term]]:
    # Each evaluation may label new blank nodes in its own way.
    return frozenset((name, term) for name, term in answer.items())
