"""Finds a property that the answers of a query break on some data, and makes failing data smaller.

Fewer triples come first, then individuals that the ontology has, then simpler values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from kgprobe.errors import one_line
from kgprobe.owl.value_sets import ValueSet
from kgprobe.queries.testing.assignments import NAMESPACE
from kgprobe.queries.testing.data import Answer, Data, Datum, graph_of, is_value_of, placed
from kgprobe.queries.testing.evaluation import Loaded, Runner
from kgprobe.queries.testing.judging import Judge
from kgprobe.queries.testing.literals import simplicity
from kgprobe.queries.testing.request import (
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
from kgprobe.reduction.problem import Effort
from kgprobe.reduction.search import reduce_parts
from kgprobe.sparql.engine.results import counted
from kgprobe.wording import number_of

_MOST_ROUNDS = 10


def shrunk(
    data: Sequence[Datum],
    fails: Callable[[Sequence[Datum]], bool],
    *,
    individuals: Sequence[NamedNode],
    is_stated: Callable[[Datum], bool],
    simpler: Callable[[Literal], Iterable[Literal]],
) -> Data:
    """The smallest data found that still fail. `is_stated`: the ontology has this triple, so it counts for nothing."""
    search = _Search(fails, individuals, is_stated, simpler)
    best = search.fewer(tuple(triple for triple in data if not is_stated(triple)))
    for _ in range(_MOST_ROUNDS):
        before = best
        best = search.merged(best)
        best = search.simplified(best)
        if best == before:
            return best
    return best


class _Search:
    def __init__(
        self,
        fails: Callable[[Sequence[Datum]], bool],
        individuals: Sequence[NamedNode],
        is_stated: Callable[[Datum], bool],
        simpler: Callable[[Literal], Iterable[Literal]],
    ) -> None:
        self._known: dict[frozenset[Datum], bool] = {}
        self._fails_now = fails
        self._individuals = individuals
        self._is_stated = is_stated
        self._simpler = simpler

    def _fails(self, data: Sequence[Datum]) -> bool:
        key = frozenset(data)
        if key not in self._known:
            self._known[key] = self._fails_now(data)
        return self._known[key]

    def fewer(self, data: Data) -> Data:
        """As few of the triples as the failure needs."""
        if not data or not self._fails(data):
            return data
        effort = Effort(repeats=1)
        return reduce_parts(data, lambda some: [self._fails(datum) for datum in some], effort=effort).parts

    def merged(self, data: Data) -> Data:
        """The data with individuals replaced by others, as long as this saves triples."""
        while True:
            for candidate in self._with_fewer_individuals(data):
                if len(candidate) < len(data) and self._fails(candidate):
                    data = self.fewer(candidate)
                    break
                # A triple that another individual has already may have become superfluous.
                if len(candidate) == len(data) and self._fails(candidate):
                    smaller = self.fewer(candidate)
                    if len(smaller) < len(data):
                        data = smaller
                        break
            else:
                return data

    def _with_fewer_individuals(self, data: Data) -> Iterator[Data]:
        new = list(dict.fromkeys(each for triple in data for each in _new_in(triple)))
        for one in new:
            for other in (*self._individuals, *new):
                if one != other:
                    # The other individual may have its own values, and room for no more.
                    for kept in ([datum for datum in data if not is_value_of(datum, one)], data):
                        renamed = dict.fromkeys(_replaced(triple, one, other) for triple in kept)
                        yield tuple(triple for triple in renamed if not self._is_stated(triple))

    def simplified(self, data: Data) -> Data:
        """The data with the simplest literals that keep the failure."""
        for literal in dict.fromkeys(triple.object for triple in data if isinstance(triple.object, Literal)):
            for simpler in sorted(set(self._simpler(literal)), key=simplicity):
                if simplicity(simpler) >= simplicity(literal):
                    break
                candidate = tuple(dict.fromkeys(_replaced(triple, literal, simpler) for triple in data))
                if self._fails(candidate):
                    data = candidate
                    break
        return data


def _new_in(triple: Datum) -> Iterator[NamedNode | BlankNode]:
    for end in (triple.subject, triple.object, graph_of(triple)):
        if isinstance(end, BlankNode) or (isinstance(end, NamedNode) and end.value.startswith(NAMESPACE)):
            yield end


def _replaced(triple: Datum, one: Term, other: Term) -> Datum:
    subject = other if triple.subject == one else triple.subject
    object_ = other if triple.object == one else triple.object
    graph = graph_of(triple)
    return placed(subject, triple.predicate, object_, other if graph == one else graph)


# -- properties that are broken ----------------------------------------------------------------------------------------


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
        for prop in self._properties:
            try:
                found = self._breach(prop, data, answers, loaded)
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
        here, there = counted(answers), counted(loaded.answers(property_.query))
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
