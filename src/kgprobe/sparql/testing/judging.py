"""Decides whether data are consistent with an ontology, and what follows from them. Asks a reasoner only if it has to.

Three things make a reasoner unnecessary. Data that share no individual do not affect each other, so each connected part
is judged alone. Parts that differ only in the names of new individuals, or in values that no axiom and no property
tells apart, have the same answer, which is kept. And for most parts a small model, or the facts that follow by simple
rules, decide (`model_search`).

All graphs of the data are judged together. New individuals are those that the ontology does not mention. Triples of the
ontology that are not OWL 2 axioms say nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import TypeAlias

from kgprobe.graph.axioms.expression import Argument, Expression
from kgprobe.graph.terms import OWL, RDF, BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.ontology.literal_values import Doubt, value_of
from kgprobe.ontology.value_spaces import DATES, FLOATS
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Consistency, Entails, Reasoner
from kgprobe.sparql.filters.values import ValueSet
from kgprobe.sparql.schema import Schema
from kgprobe.sparql.testing.data import Datum, triple_of
from kgprobe.sparql.testing.facts import BeyondRulesError, ValueSpace
from kgprobe.sparql.testing.model_search import ASSERTIONS, ModelFinder, Structure

__all__ = ["Judge", "assertion", "value_space"]

_Key: TypeAlias = tuple[Hashable, ...]
# Graphs have no triples about triples, which the types of pyoxigraph allow.
_parts_of: Callable[[Datum], tuple[NamedNode | BlankNode, NamedNode, Term]] = attrgetter(
    "subject", "predicate", "object"
)

# With these, two parts of the data can affect each other although they share no individual.
_JOINING = frozenset(["ObjectOneOf", "ObjectHasValue", "HasKey"])
_SECONDS = 10.0


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
    is_anchored: bool


@dataclass
class _Verdict:
    """What is known about a part, and about all parts with the same key.

    The structure speaks about the individuals of the first such part, which are in `individuals`, by their numbers.
    """

    structure: Structure
    consistent: bool | None
    individuals: list[Term]
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
        self._trees = [*schema.ontology.axioms, *(kind for kind in kinds if isinstance(kind, Expression))]
        self._verdicts: dict[_Key, _Verdict] = {}
        self._signs: dict[Literal, tuple[Hashable, Hashable]] = {}
        self._values: dict[Hashable, int] = {}
        self._latest: tuple[Sequence[Datum], list[_Part]] = ((), [])
        self.asks = 0

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
        if triple in self._schema.graph or triple in map(triple_of, data):
            return True
        question = assertion(triple, self._schema)
        if question is None:
            return False
        if question.head == "ClassAssertion":
            return self.is_member(data, triple.subject, question.args[0])  # type: ignore[arg-type]
        if self._always_asks:
            return self._ask_entailment(self._axioms(data), question, whole=True)
        ends = [end for end in (triple.subject, triple.object) if not isinstance(end, Literal)]
        parts = {id(part): part for end in ends for part in [self._part_of(data, end)]}  # type: ignore[arg-type]
        triples = [each for part in parts.values() for each in part.triples]
        if len(parts) == 1:
            [part] = parts.values()
            verdict = self._verdict(part)
            source, target = (_first(part, verdict, end) for end in (triple.subject, triple.object))  # type: ignore[arg-type]
            known = verdict.structure.is_linked(triple.predicate, source, target)
            if known is not None:
                return known
        return self._ask_entailment(self._axioms(triples), question)

    # -- parts of the data ---------------------------------------------------------------------------------------------

    @cached_property
    def _is_separable(self) -> bool:
        """Whether parts of the data that share no individual cannot affect each other."""
        extremes = (OWL.topObjectProperty, OWL.bottomObjectProperty, OWL.topDataProperty)
        return not any(
            node.head in _JOINING or any(extreme in node.args for extreme in extremes)
            for tree in self._trees
            for node in _nodes(tree)
        )

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
        if individual in self._known_individuals or not self._is_separable:
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
        if not self._is_separable:
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
        signs = self._signs
        key: list[Hashable] = [is_anchored]
        for triple in triples:
            subject, predicate, object_ = _parts_of(triple)
            key.append(subject if subject in known else numbers.setdefault(subject, len(numbers)))
            key.append(predicate)
            if type(object_) is Literal:
                sign, value = signs.get(object_) or self._sign(object_)
                key.append(sign)
                key.append(values.setdefault(value, len(values)))
            elif predicate == RDF.type or object_ in known:
                key.append(object_)
            else:
                key.append(numbers.setdefault(object_, len(numbers)))
        return _Part(list(triples), tuple(key), numbers, is_anchored)

    # -- values that nothing tells apart -------------------------------------------------------------------------------

    def _sign(self, literal: Literal) -> tuple[Hashable, Hashable]:
        """A sign of a literal, and its value. No axiom and no property tells two values with one sign apart."""
        found = self._signs.get(literal)
        if found is None:
            found = self._signs[literal] = self._new_sign(literal)
        return found

    def _new_sign(self, literal: Literal) -> tuple[Hashable, Hashable]:
        try:
            value, mark = self.space.value(literal)
        except BeyondRulesError:
            return literal, literal
        if mark:
            return literal, literal
        number = self._values.setdefault(value, len(self._values))  # numbers are faster to hash than values
        if value in self._stated_values:
            return literal, number
        inside = tuple(self.space.contains(each, literal) for each in self._ranges)
        return literal if None in inside else (literal.datatype, inside), number

    @cached_property
    def _stated_values(self) -> frozenset[Hashable]:
        found: set[Hashable] = set()
        for tree in self._trees:
            for node in _nodes(tree):
                for argument in node.args:
                    if isinstance(argument, Literal):
                        try:
                            found.add(self.space.value(argument)[0])
                        except BeyondRulesError:
                            continue
        return frozenset(found)

    @cached_property
    def _ranges(self) -> list[Argument]:
        """The data ranges in the axioms and in the properties, those within others included."""
        found: dict[Argument, None] = {}
        for tree in self._trees:
            for node in _nodes(tree):
                if node.head.startswith("Data") or node.head == "DatatypeRestriction":
                    found |= {each: None for each in node.args if isinstance(each, NamedNode | Expression)}
                    if node.head in ("DatatypeRestriction", "DataOneOf", "DataComplementOf"):
                        found[node] = None
        properties = {each for each in found if isinstance(each, NamedNode) and self._is_property(each)}
        return [each for each in found if each not in properties and not _is_class(each)]

    def _is_property(self, name: NamedNode) -> bool:
        return "Datatype" not in self._schema.kinds(name) and ValueSet.of_datatype(name).is_empty is None

    # -- answers -------------------------------------------------------------------------------------------------------

    def _axioms(self, data: Iterable[Datum]) -> list[Expression]:
        return [axiom for triple in data if (axiom := assertion(triple, self._schema)) is not None]

    def _verdict(self, part: _Part) -> _Verdict:
        verdict = self._verdicts.get(part.key)
        if verdict is None:
            structure, consistent = self._consistency(self._axioms(part.triples), is_anchored=part.is_anchored)
            verdict = self._verdicts[part.key] = _Verdict(structure, consistent, list(part.numbers))
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
        (answer,) = self._reasoner.answer(stated, [Consistency()], seconds=_SECONDS)
        return bool(answer.value) if answer.decided else None

    def _ask_entailment(self, axioms: list[Expression], question: Expression, *, whole: bool = False) -> bool | None:
        self.asks += 1
        stated = self._with_ontology(axioms, [*axioms, question], whole=whole)
        (answer,) = self._reasoner.answer(stated, [Entails(question)], seconds=_SECONDS)
        return bool(answer.value) if answer.decided else None

    def _with_ontology(self, axioms: list[Expression], about: list[Expression], *, whole: bool) -> Ontology:
        ontology = self._schema.ontology
        stated = ontology.axioms if whole else self._schema.module(about).stated()
        return Ontology((*stated, *axioms))


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


def _is_class(term: Argument) -> bool:
    return isinstance(term, Expression) and not term.head.startswith("Data")


def _nodes(tree: Expression) -> Iterator[Expression]:
    yield tree
    for argument in tree.args:
        if isinstance(argument, Expression):
            yield from _nodes(argument)


def value_space(schema: Schema) -> ValueSpace:
    definitions = {name: said.what for name, said in schema.datatype_definitions.items()}
    set_of: Callable[[Argument], ValueSet] = lru_cache(maxsize=1 << 10)(
        lambda data_range: ValueSet.of_range(data_range, definitions)
    )

    def value(literal: Literal) -> tuple[Hashable, str]:
        found = value_of(literal)
        if isinstance(found, Doubt):
            raise BeyondRulesError
        kind = found.space.partition(" ")[0]
        # OWL tells two zeros apart, and one point in time in two time zones.
        is_date = kind in DATES and not (literal.value.endswith("Z") and "." not in literal.value)
        is_zero = kind in FLOATS and found.key == 0
        return found, literal.value if is_date or is_zero else ""

    def example(data_range: Argument) -> Literal | None:
        return next(iter(set_of(data_range).examples(1)), None)

    return ValueSpace(value, lambda data_range, literal: set_of(data_range).contains(literal), example)
