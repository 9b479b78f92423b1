"""The conditions of a world, judged by what its triples and the ontology say about the variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from kgprobe.owl.expression import Expression as Axiom
from kgprobe.owl.value_sets import ValueSet
from kgprobe.queries.diagnosis.names import LINKS_TO_NODES
from kgprobe.queries.diagnosis.term_conflicts import Conflict, limits_of, unless_literal, unless_replaced
from kgprobe.queries.diagnosis.views import KnownEdge, View, is_iri
from kgprobe.queries.filters import conditions
from kgprobe.queries.filters.condition_wording import joined, why_without_value
from kgprobe.queries.filters.conditions import Contradiction, Judgement, StatedCondition
from kgprobe.queries.filters.orders import mixed_dates
from kgprobe.queries.filters.refutation import KnownTerms, SameValue, domain_of
from kgprobe.queries.filters.term_sets import ANYTHING, IRIS, LITERALS, NODES, TermSet
from kgprobe.queries.patterns.facts import (
    Binding,
    Condition,
    Edge,
    Node,
    Rows,
    is_unbound,
    shown,
    unless_bound_before,
)
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import Literal, NamedNode
from kgprobe.sparql.algebra import Bind, Span, Values, VariableUse
from kgprobe.sparql.traversal import expressions_in, variables_in

_GIVEN = "with the facts given: other data may add to them"
_NOT_NAN = "unless a value is NaN"


@dataclass(frozen=True)
class _Evidence:
    """The facts of the world and the axioms behind something that is known about a variable, maybe with a proviso."""

    facts: tuple[int, ...] = ()
    axioms: tuple[Axiom, ...] = ()
    proviso: str = ""
    is_unbound: bool = False  # it is known that the variable has no value


@dataclass
class ConditionJudge:
    """Judges the conditions of a world. `text` is the text of the query."""

    view: View
    text: str

    def conflicts(self) -> Iterator[Conflict]:
        """The conditions that cannot hold: for certain, or else with the facts that the ontology has now."""
        if not self._stated:
            return
        certain = self._judgement.contradictions
        yield from map(self._conflict, certain)
        if not certain and (more := (*self._given, *self._usual)):
            for contradiction in conditions.judge(self._stated, (*self._known, *more)).contradictions:
                yield self._conflict(contradiction)

    def always_true(self) -> Iterator[tuple[int, str, str]]:
        """The conditions that are true in every match: their numbers, a code, and a sentence."""
        if self._stated:
            texts = {stated.origin: stated.text for stated in self._stated}
            for always in self._judgement.always_true:
                yield always.condition, "true-filter", f"`{texts[always.condition]}` always holds: {always.reason}"

    def on_mixed_dates(self) -> Iterator[tuple[int, str, str]]:
        """The conditions that compare dates of two datatypes, which only some engines do."""
        domain = domain_of(self._known) if self._stated else None
        for stated in self._stated:
            content = stated.content.expression if isinstance(stated.content, Bind) else stated.content
            if domain is not None and not isinstance(content, Values):
                for call, kinds in mixed_dates(content, domain):
                    words = f"`{self._written(call.span)}` compares an xsd:{kinds[0]} with an xsd:{kinds[1]}"
                    note = "SPARQL 1.1 does not define this, and in some engines it is never true"
                    yield stated.origin, "engine-dependent", f"{words}: {note}"

    def without_value(self) -> Iterator[tuple[int, str, str]]:
        """The expressions that are an error for every row, although all their variables have values."""
        for stated in self._stated:
            content = stated.content
            if isinstance(content, Bind) and not any(map(is_unbound, variables_in(content.expression))):
                why = why_without_value(content.expression, self._known)
                if why is not None:
                    written = self._written(content.expression.span)
                    words = (
                        f"`{written}` is an error for every row, so that {shown(content.variable)} has no value: {why}"
                    )
                    yield stated.origin, "no-value", words

    @cached_property
    def _judgement(self) -> Judgement:
        return conditions.judge(self._stated, self._known)

    def _conflict(self, found: Contradiction) -> Conflict:
        behind = [evidence for evidence in found.facts if isinstance(evidence, _Evidence)]
        numbers = dict.fromkeys((*found.conditions, *(number for evidence in behind for number in evidence.facts)))
        provisos = [evidence.proviso for evidence in behind] + ([_NOT_NAN] if found.unless_nan else [])
        unbound = any(evidence.is_unbound for evidence in behind)
        return Conflict(
            tuple(numbers),
            "unbound-in-filter" if unbound else "false-filter",
            (self._unbound_words(found) if unbound else "") or found.reason,
            tuple(dict.fromkeys(axiom for evidence in behind for axiom in evidence.axioms)),
            self._variable(found),
            "; ".join(dict.fromkeys(filter(None, provisos))),
        )

    def _unbound_words(self, found: Contradiction) -> str:
        """The reason if a condition needs variables that are never bound. It names all of them."""
        if len(found.conditions) != 1:
            return ""
        [stated] = [each for each in self._stated if each.origin == found.conditions[0]]
        if isinstance(stated.content, Bind | Values):
            return ""
        unbound = list(
            dict.fromkeys(shown(variable) for variable in variables_in(stated.content) if is_unbound(variable))
        )
        be = "is" if len(unbound) == 1 else "are"
        return f"{joined(unbound)} {be} never bound here, so `{stated.text}` is never true"

    def _variable(self, found: Contradiction) -> Variable | None:
        facts = dict(self.view.facts)
        for number in found.conditions:
            fact = facts.get(number)
            if isinstance(fact, Condition):
                for variable in variables_in(fact.expression):
                    return variable
        return None

    # -- conditions ----------------------------------------------------------------------------------------------------

    @cached_property
    def _stated(self) -> list[StatedCondition]:
        found = []
        for number, fact in self.view.facts:
            match fact:
                case Condition(expression=expression):
                    found.append(StatedCondition(expression, number, self._written(expression.span)))
                case Binding(variable=variable, expression=expression, source=source):
                    content = Bind(expression, variable, source.span)
                    found.append(StatedCondition(content, number, self._written(source.span)))
                case Rows(variables=variables, rows=rows, source=source):
                    found.append(StatedCondition(Values(variables, rows, source.span), number))
                case _:
                    pass
        return found

    def _written(self, span: Span) -> str:
        return " ".join(self.text[span.start : span.end].split())

    @cached_property
    def _used(self) -> dict[Variable, None]:
        """The variables of the conditions, in the order of the text."""
        return dict.fromkeys(
            variable
            for _, fact in self.view.facts
            for variable in (
                (*variables_in(fact.expression), *((fact.variable,) if isinstance(fact, Binding) else ()))
                if isinstance(fact, Condition | Binding)
                else fact.variables
                if isinstance(fact, Rows)
                else ()
            )
        )

    # -- what is known about variables ---------------------------------------------------------------------------------

    @cached_property
    def _known(self) -> tuple[KnownTerms | SameValue, ...]:
        return (
            *self._never_bound(),
            *self._kinds(),
            *self._ranges(),
            *(found for found, _ in self._single_values()),
            *self._equal_values(),
        )

    def _never_bound(self) -> Iterator[KnownTerms]:
        for variable in self._used:
            if is_unbound(variable):
                words = f"{shown(variable)} is never bound here"
                proviso = unless_bound_before(variable) or self._unless_dollar(variable)
                yield KnownTerms(variable, _Evidence(proviso=proviso, is_unbound=True), is_bound=False, words=words)

    def _unless_dollar(self, variable: Variable) -> str:
        """The proviso for a variable that is always written with `$`: by convention, it is given from outside."""
        contents = (stated.content for stated in self._stated if not isinstance(stated.content, Values))
        signs = [
            self.text[part.span.start]
            for content in contents
            for part in expressions_in(content.expression if isinstance(content, Bind) else content)
            if isinstance(part, VariableUse) and part.variable == variable
        ]
        if "$" not in signs or "?" in signs:
            return ""
        return f"unless the software that runs the query gives ${shown(variable)[1:]} a value, as its sign often means"

    def _kinds(self) -> Iterator[KnownTerms]:
        for variable in self._used:
            if is_iri(variable):
                evidence = _Evidence(proviso=unless_replaced(variable))
                yield KnownTerms(variable, evidence, IRIS, words=f"{shown(variable)} is an IRI")
        for number, fact in self.view.facts:
            for variable, terms, numbers, axioms in self._said_by(fact, number):
                if variable in self._used:
                    yield KnownTerms(variable, _Evidence(numbers, axioms), terms)

    def _said_by(
        self, fact: object, number: int
    ) -> Iterator[tuple[Variable, TermSet, tuple[int, ...], tuple[Axiom, ...]]]:
        if isinstance(fact, Node):
            yield fact.variable, NODES, (number,), ()
        elif isinstance(fact, Edge):
            if isinstance(fact.subject, Variable):
                yield fact.subject, NODES, (number,), ()
            if isinstance(fact.predicate, Variable):
                yield fact.predicate, IRIS, (number,), ()
            link = next(edge for edge in self.view.links if edge.origins[0] == number)
            if isinstance(link.object, Variable):
                yield link.object, *self._object(link)

    def _object(self, link: KnownEdge) -> tuple[TermSet, tuple[int, ...], tuple[Axiom, ...]]:
        """What a link says about its object."""
        kind = self.view.kind(link)
        declared = () if kind is None or link.predicate is None else (_declaration(link.predicate, kind),)
        if kind == "DataProperty":
            return LITERALS, link.origins, declared
        if self.view.leads_to_node(link):
            return NODES, link.origins, declared
        return ANYTHING, link.origins, ()

    def _ranges(self) -> Iterator[KnownTerms]:
        for variable, limits in limits_of(self.view).items():
            if variable in self._used:
                for limit in limits:
                    words = f"{shown(variable)} is in {self.view.schema.words(limit.said.what)}"
                    origin = _Evidence(limit.origins, limit.said.axioms)
                    yield KnownTerms(variable, origin, TermSet.of_values(limit.values), words=words)

    @cached_property
    def _usual(self) -> tuple[KnownTerms, ...]:
        """The values of properties of RDF, RDFS and OWL, which are nodes unless the data are odd."""
        return tuple(
            KnownTerms(
                link.object, _Evidence(link.origins, (), unless_literal(link.predicate, self.view.schema)), NODES
            )
            for link in self.view.links
            if link.predicate in LINKS_TO_NODES and link.predicate is not None
            if isinstance(link.object, Variable) and link.object in self._used
        )

    # -- functional properties, and facts of the ontology --------------------------------------------------------------

    def _data_links(self) -> Iterator[KnownEdge]:
        for link in self.view.links:
            if link.predicate is not None and self.view.kind(link) == "DataProperty":
                yield link

    def _single_values(self) -> Iterator[tuple[KnownTerms, KnownEdge]]:
        """Variables that are the value of a functional property of which the ontology has the value."""
        for link in self._data_links():
            assert link.predicate is not None  # noqa: S101 - `_data_links` has asked
            single = self.view.schema.functional_data(link.predicate)
            individual, origins = self._constant(link)
            if single is None or individual is None or not isinstance(link.object, Variable):
                continue
            assert isinstance(single.what, NamedNode)  # noqa: S101 - a property
            for value, axioms in self.view.schema.facts(individual, single.what):
                if isinstance(value, Literal) and link.object in self._used:
                    evidence = _Evidence(origins, (*single.axioms, *axioms))
                    yield self._one_of(link.object, [value], evidence), link

    @cached_property
    def _given(self) -> tuple[KnownTerms, ...]:
        """The values of properties of which an individual may have more than the ontology knows."""
        found = []
        known = {link for _, link in self._single_values()}
        for link in self._data_links():
            individual, origins = self._constant(link)
            if individual is None or not isinstance(link.object, Variable) or link in known:
                continue
            assert link.predicate is not None  # noqa: S101 - `_data_links` has asked
            facts = self.view.schema.facts(individual, link.predicate)
            values = [fact.value for fact in facts if isinstance(fact.value, Literal)]
            if values and link.object in self._used:
                axioms = dict.fromkeys(axiom for fact in facts for axiom in fact.axioms)
                found.append(self._one_of(link.object, values, _Evidence(origins, tuple(axioms), _GIVEN)))
        return tuple(found)

    def _one_of(self, variable: Variable, values: list[Literal], origin: _Evidence) -> KnownTerms:
        words = f"{shown(variable)} is {' or '.join(self.view.schema.words(value) for value in values)}"
        return KnownTerms(variable, origin, TermSet.of_values(ValueSet.of_literals(values)), words=words)

    def _constant(self, link: KnownEdge) -> tuple[NamedNode | None, tuple[int, ...]]:
        """The individual that a link begins with, if it is known."""
        if isinstance(link.subject, NamedNode):
            return link.subject, link.origins
        if isinstance(link.subject, Variable) and link.subject in self.view.constants:
            individual, origin = self.view.constants[link.subject]
            return individual, (*link.origins, origin)
        return None, link.origins

    def _equal_values(self) -> Iterator[KnownTerms | SameValue]:
        """Values of one functional property of one individual: they are one value."""
        for one, other in combinations(self._data_links(), 2):
            if one.subject != other.subject or one.object == other.object:
                continue
            assert one.predicate is not None  # noqa: S101 - `_data_links` has asked
            assert other.predicate is not None  # noqa: S101 - `_data_links` has asked
            single = self.view.schema.functional_data(one.predicate)
            if single is None or not isinstance(single.what, NamedNode):
                continue
            way = self.view.schema.super_properties(other.predicate).get(single.what)
            if way is not None:
                origin = _Evidence((*one.origins, *other.origins), (*single.axioms, *way))
                yield from self._linked(one, other, origin)

    def _linked(self, one: KnownEdge, other: KnownEdge, origin: _Evidence) -> Iterator[KnownTerms | SameValue]:
        property_words = self.view.schema.words(one.predicate) if one.predicate is not None else ""
        match one.object, other.object:
            case Variable() as left, Variable() as right:
                words = f"{shown(left)} and {shown(right)} are the one value of `{property_words}`"
                yield SameValue(left, right, origin, words=words)
            case (Variable() as variable, Literal() as value) | (Literal() as value, Variable() as variable):
                yield self._one_of(variable, [value], origin)


def _declaration(name: NamedNode, kind: str) -> Axiom:
    return Axiom("Declaration", Axiom(kind, name))
