"""Decides whether data are consistent with an ontology, and what follows from them. Asks a reasoner only if it has to.

Three things make a reasoner unnecessary. Data that share no individual do not affect each other, so each connected part
is judged alone. Parts that differ only in the names of new individuals, or in values that no axiom and no property
tells apart, have the same answer, which is kept. And for most parts a small model, or the facts that follow by simple
rules, decide (`models`).

All graphs of the data are judged together. New individuals are those that the ontology does not mention. Triples of the
ontology that are not OWL 2 axioms say nothing here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import TypeAlias

from kgprobe.owl.expression import Argument, Expression
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.data import Datum, triple_of
from kgprobe.queries.testing.literals import Signs, nodes_of, value_space
from kgprobe.queries.testing.models import ASSERTIONS, ModelFinder, Structure
from kgprobe.rdf.terms import OWL, RDF, BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Consistency, Entails, Reasoner

_Key: TypeAlias = tuple[Hashable, ...]
# Graphs have no triples about triples, which the types of pyoxigraph allow.
_parts_of: Callable[[Datum], tuple[NamedNode | BlankNode, NamedNode, Term]] = attrgetter(
    "subject", "predicate", "object"
)

# With these, two parts of the data can affect each other although they share no individual.
_JOINING = frozenset(["ObjectOneOf", "ObjectHasValue", "HasKey"])
_EXTREMES = frozenset([OWL.topObjectProperty, OWL.bottomObjectProperty, OWL.topDataProperty])
_SECONDS = 10.0
_MOST_VAIN_SECONDS = 40.0


def assertion(triple: Datum, schema: Schema) -> Expression | None:
    """A triple of the data as an axiom; None if OWL reads nothing into it, as for annotations and unknown names."""
    subject, predicate, object_ = _parts_of(triple)
    if predicate == RDF.type:
        is_class = isinstance(object_, NamedNode) and object_ != OWL.NamedIndividual
        return Expression("ClassAssertion", object_, subject) if is_class else None
    if predicate in (OWL.sameAs, OWL.differentFrom) and not isinstance(object_, Literal):
        head = "SameIndividual" if predicate == OWL.sameAs else "DifferentIndividuals"
        return Expression(head, subject, object_)
    kinds = schema.kinds(predicate)
    if "DataProperty" in kinds and isinstance(object_, Literal):
        return Expression("DataPropertyAssertion", predicate, subject, object_)
    if "ObjectProperty" in kinds:  # with a literal as its object, the assertion is one that no model satisfies
        return Expression("ObjectPropertyAssertion", predicate, subject, object_)
    return None


@dataclass
class _Part:
    """Connected triples of the data, and their key: equal keys have equal answers."""

    triples: list[Datum]
    key: _Key
    numbers: dict[Term, int]
    literals: list[Literal]  # one for each value, in their order
    is_anchored: bool


@dataclass
class _Verdict:
    """What is known about a part, and about all parts with the same key.

    The structure speaks about the individuals and literals of the first such part, which are here by their numbers.
    """

    structure: Structure
    consistent: bool | None
    individuals: list[Term]
    literals: list[Literal]
    members: dict[Hashable, bool | None] = field(default_factory=dict)


class Judge:
    """Judges data over one ontology. `asks` counts the questions to the reasoner.

    With `always_asks`, every answer comes from the reasoner, about the whole ontology and all data. It is slow, and
    exists to test the other way.
    """

    def __init__(
        self, schema: Schema, reasoner: Reasoner, kinds: Iterable[Argument] = (), *, always_asks: bool = False
    ) -> None:
        """`kinds` are the classes and data ranges that properties ask about."""
        self._schema = schema
        self._reasoner = reasoner
        self._always_asks = always_asks
        self.space = value_space(schema)
        self._finder = ModelFinder(schema.ontology.axioms, self.space)
        self._kinds = list(kinds)
        self._trees = [*schema.ontology.axioms, *(kind for kind in self._kinds if isinstance(kind, Expression))]
        self._separable: dict[frozenset[Term], bool] = {}
        self._verdicts: dict[_Key, _Verdict] = {}
        self._signs = Signs(schema, self._trees, self.space)
        self._latest: tuple[Sequence[Datum], list[_Part]] = ((), [])
        self.asks = 0
        self._vain_seconds = 0.0  # for questions without an answer

    @property
    def known_parts(self) -> int:
        """How many different parts of data were judged."""
        return len(self._verdicts)

    # -- questions -----------------------------------------------------------------------------------------------------

    def is_consistent(self, data: Sequence[Datum]) -> bool | None:
        """Whether the ontology with these data has a model; None if undecided."""
        if self._always_asks:
            return self._ask_consistency(self._axioms(data), whole=True)
        answers = [self._verdict(part).consistent for part in self._parts(data)]
        return False if False in answers else None if None in answers else True

    def is_member(self, data: Sequence[Datum], individual: Term, kind: Argument) -> bool | None:
        """Whether it follows from ontology and data that an individual is in a class; None if undecided."""
        question = Expression("ClassAssertion", kind, individual)
        if self._always_asks:
            return self._ask_entailment(self._axioms(data), question, whole=True)
        part = self._part_of(data, individual)
        verdict = self._verdict(part)
        key = ("member", part.numbers.get(individual, individual), kind)
        if key not in verdict.members:
            known = verdict.structure.is_member(_first(part, verdict, individual), kind)
            verdict.members[key] = (
                self._ask_entailment(self._axioms(part.triples), question) if known is None else known
            )
        return verdict.members[key]

    def can_be_member(self, data: Sequence[Datum], individual: Term, kind: Argument) -> bool | None:
        """Whether ontology and data have a model in which an individual is in a class; None if undecided."""
        question = Expression("ClassAssertion", kind, individual)
        if self._always_asks:
            return self._ask_consistency([*self._axioms(data), question], whole=True)
        part = self._part_of(data, individual)
        verdict = self._verdict(part)
        key = ("possible", part.numbers.get(individual, individual), kind)
        if key not in verdict.members:
            known = verdict.structure.can_be_member(_first(part, verdict, individual), kind)
            if known is None:
                known = self._consistency([*self._axioms(part.triples), question], is_anchored=True)[1]
            verdict.members[key] = known
        return verdict.members[key]

    def follows(self, data: Sequence[Datum], triple: Triple) -> bool | None:
        """Whether a triple about individuals follows from ontology and data; None if undecided."""
        [answer] = self.all_follow(data, [triple])
        return answer

    def all_follow(self, data: Sequence[Datum], triples: Sequence[Triple]) -> list[bool | None]:
        """Which of several triples follow. The reasoner gets all questions that are left to it at once."""
        stated = frozenset(map(triple_of, data))
        answers: list[bool | None] = []
        questions: dict[int, Expression] = {}
        for at, triple in enumerate(triples):
            question = assertion(triple, self._schema)
            if triple in stated or triple in self._schema.graph or question is None:
                answers.append(question is not None or triple in stated or triple in self._schema.graph)
                continue
            answers.append(None if self._always_asks else self._known_to_follow(data, triple))
            if answers[-1] is None:
                questions[at] = question
        if questions:
            found = self._ask_entailments(self._axioms(data), list(questions.values()), whole=self._always_asks)
            for at, answer in zip(questions, found, strict=True):
                answers[at] = answer
        return answers

    def _known_to_follow(self, data: Sequence[Datum], triple: Triple) -> bool | None:
        """Whether a triple follows, as far as this is known without a reasoner."""
        subject, predicate, object_ = _parts_of(triple)
        # Other classes than those of the properties may join what is separable for these.
        part = self._part_of(data, subject) if self.is_separable else self._part(data, is_anchored=True)
        verdict = self._verdict(part)
        structure = verdict.structure
        source = _first(part, verdict, subject)
        if predicate == RDF.type:
            return structure.is_member(source, object_)
        if isinstance(object_, Literal):
            literal = self._first_literal(part, verdict, object_)
            return None if literal is None else structure.is_linked(predicate, source, literal)
        if not self._is_in(part, object_):
            return None
        target = _first(part, verdict, object_)
        if predicate == OWL.sameAs:
            return structure.is_same(source, target)
        return structure.is_linked(predicate, source, target) if predicate != OWL.differentFrom else None

    def _is_in(self, part: _Part, individual: Term) -> bool:
        return individual in part.numbers or (part.is_anchored and individual in self._known_individuals)

    def _first_literal(self, part: _Part, verdict: _Verdict, literal: Literal) -> Literal | None:
        """The literal of the first part with the same key that corresponds to this one; None if none does."""
        value = self._signs.of(literal)[1]
        for number, own in enumerate(part.literals):
            if self._signs.of(own)[1] == value:
                return verdict.literals[number]
        return literal if self._signs.is_stated(literal) else None

    def groups(self, data: Sequence[Datum]) -> list[tuple[list[Term], list[Literal]]]:
        """The individuals and literals of ontology and data, apart where nothing can connect them."""
        parts = self._parts(data) if self.is_separable else [self._part(data, is_anchored=True)]
        if not any(part.is_anchored for part in parts):
            parts = [*parts, self._part((), is_anchored=True)]
        found = []
        for part in parts:
            individuals, literals = dict.fromkeys(part.numbers), dict.fromkeys(self._literals_in(part.triples))
            if part.is_anchored:
                individuals |= dict.fromkeys(sorted(self._known_individuals, key=str))
                literals |= dict.fromkeys(self._stated_literals)
            found.append((list(individuals), list(literals)))
        return found

    @staticmethod
    def _literals_in(triples: Iterable[Datum]) -> list[Literal]:
        return [triple.object for triple in triples if isinstance(triple.object, Literal)]

    @cached_property
    def _stated_literals(self) -> list[Literal]:
        nodes = (node for axiom in self._schema.ontology.axioms for node in nodes_of(axiom))
        return [argument for node in nodes for argument in node.args if isinstance(argument, Literal)]

    # -- parts of the data ---------------------------------------------------------------------------------------------

    @cached_property
    def is_separable(self) -> bool:
        """Whether parts of the data that share no individual cannot affect each other."""
        return not any(map(_joins, self._trees))

    def _is_separable_in(self, data: Sequence[Datum]) -> bool:
        """The same for these data and for the classes that properties ask about: only a module can matter for them."""
        if self.is_separable:
            return True
        parts = map(_parts_of, data)
        names = frozenset(term for _, name, value in parts for term in ((name, value) if name == RDF.type else (name,)))
        known = self._separable.get(names)
        if known is None:
            asked = [Expression("ClassAssertion", kind, OWL.Thing) for kind in self._kinds]
            module = self._schema.module([*self._axioms(data), *asked]).stated()
            known = self._separable[names] = not any(map(_joins, (*module, *asked)))
        return known

    @cached_property
    def _known_individuals(self) -> frozenset[Term]:
        stated = (axiom for axiom in self._schema.ontology.axioms if axiom.head in ASSERTIONS)
        return frozenset(
            argument
            for axiom in stated
            for argument in axiom.args
            if isinstance(argument, NamedNode | BlankNode) and not self._is_only_schema(argument)
        )

    def _is_only_schema(self, term: NamedNode | BlankNode) -> bool:
        return (
            isinstance(term, NamedNode) and bool(kinds := self._schema.kinds(term)) and "NamedIndividual" not in kinds
        )

    def _part_of(self, data: Sequence[Datum], individual: Term) -> _Part:
        for part in self._parts(data):
            if individual in part.numbers or (part.is_anchored and individual in self._known_individuals):
                return part
        if individual in self._known_individuals or not self._is_separable_in(data):
            return self._part((), is_anchored=True)
        return self._part([Triple(individual, RDF.type, OWL.Thing)])  # type: ignore[arg-type]

    def _parts(self, data: Sequence[Datum]) -> list[_Part]:
        """The parts of the data. Those of the latest data are kept: several questions are about the same data."""
        latest, parts = self._latest
        if latest is not data or not parts:
            parts = self._divided(data)
            self._latest = data, parts
        return parts

    def _divided(self, data: Sequence[Datum]) -> list[_Part]:
        if not data:
            return [self._part([], is_anchored=True)]
        known = self._known_individuals
        if not self._is_separable_in(data):
            return [self._part(data, is_anchored=True)]
        group_of: dict[Term, list[Datum]] = {}
        anchor: Term = OWL.Thing  # stands for all individuals of the ontology
        for triple in data:
            subject, predicate, object_ = _parts_of(triple)
            one: Term = anchor if subject in known else subject
            if type(object_) is Literal or predicate == RDF.type:
                group = group_of.get(one)
                if group is None:
                    group = group_of[one] = []
            else:
                group = _joined(group_of, one, anchor if object_ in known else object_)
            group.append(triple)
        anchored = group_of.get(anchor)
        distinct = {id(group): group for group in group_of.values()}
        return [self._part(group, is_anchored=group is anchored) for group in distinct.values()]

    def _part(self, triples: Sequence[Datum], *, is_anchored: bool = False) -> _Part:
        known = self._known_individuals
        numbers: dict[Term, int] = {}
        values: dict[Hashable, int] = {}
        literals: list[Literal] = []
        sign_of = self._signs.of
        key: list[Hashable] = [is_anchored]
        for triple in triples:
            subject, predicate, object_ = _parts_of(triple)
            key.append(subject if subject in known else numbers.setdefault(subject, len(numbers)))
            key.append(predicate)
            if type(object_) is Literal:
                sign, value = sign_of(object_)
                key.append(sign)
                number = values.get(value)
                if number is None:
                    number = values[value] = len(values)
                    literals.append(object_)
                key.append(number)
            elif predicate == RDF.type or object_ in known:
                key.append(object_)
            else:
                key.append(numbers.setdefault(object_, len(numbers)))
        return _Part(list(triples), tuple(key), numbers, literals, is_anchored)

    # -- answers -------------------------------------------------------------------------------------------------------

    def _axioms(self, data: Iterable[Datum]) -> list[Expression]:
        return [axiom for triple in data if (axiom := assertion(triple, self._schema)) is not None]

    def _verdict(self, part: _Part) -> _Verdict:
        verdict = self._verdicts.get(part.key)
        if verdict is None:
            structure, consistent = self._consistency(self._axioms(part.triples), is_anchored=part.is_anchored)
            verdict = self._verdicts[part.key] = _Verdict(structure, consistent, list(part.numbers), part.literals)
        return verdict

    def _consistency(self, axioms: list[Expression], *, is_anchored: bool) -> tuple[Structure, bool | None]:
        structure = self._finder.find(axioms, with_assertions=is_anchored)
        if structure.is_consistent:
            return structure, True
        if structure.is_impossible:
            return structure, False
        return structure, self._ask_consistency(axioms)

    def _ask_consistency(self, axioms: list[Expression], *, whole: bool = False) -> bool | None:
        self.asks += 1
        stated = self._with_ontology(axioms, axioms, whole=whole)
        return self._answers(stated, [Consistency()])[0]

    def _ask_entailment(self, axioms: list[Expression], question: Expression, *, whole: bool = False) -> bool | None:
        [answer] = self._ask_entailments(axioms, [question], whole=whole)
        return answer

    def _ask_entailments(
        self, axioms: list[Expression], questions: list[Expression], *, whole: bool = False
    ) -> list[bool | None]:
        self.asks += 1
        stated = self._with_ontology(axioms, [*axioms, *questions], whole=whole)
        return self._answers(stated, list(map(Entails, questions)))

    def _answers(self, stated: Ontology, questions: Sequence[Consistency | Entails]) -> list[bool | None]:
        """The answers of the reasoner. After too much time without an answer, it is not asked any more."""
        if self._vain_seconds > _MOST_VAIN_SECONDS:
            return [None] * len(questions)
        start = time.monotonic()
        answers = self._reasoner.answer(stated, list(questions), seconds=_SECONDS)
        if not all(answer.decided for answer in answers):
            self._vain_seconds += time.monotonic() - start
        return [bool(answer.value) if answer.decided else None for answer in answers]

    def _with_ontology(self, axioms: list[Expression], about: list[Expression], *, whole: bool) -> Ontology:
        ontology = self._schema.ontology
        stated = ontology.axioms if whole else self._schema.module(about).stated()
        return Ontology((*stated, *axioms))


def _joins(tree: Expression) -> bool:
    """Whether two parts of the data can affect each other through this axiom although they share no individual."""
    return any(node.head in _JOINING or not _EXTREMES.isdisjoint(node.args) for node in nodes_of(tree))


def _joined(group_of: dict[Term, list[Datum]], one: Term, two: Term) -> list[Datum]:
    """The one group of two individuals that are linked."""
    group, other = group_of.get(one), group_of.get(two)
    if group is None or other is None:
        group = group_of[one] = group_of[two] = group if group is not None else other if other is not None else []
    elif group is not other:
        group += other
        for each, old in group_of.items():
            if old is other:
                group_of[each] = group
    return group


def _first(part: _Part, verdict: _Verdict, term: Term) -> Term:
    """The individual of the first part with the same key that corresponds to this one."""
    number = part.numbers.get(term)
    return term if number is None else verdict.individuals[number]
