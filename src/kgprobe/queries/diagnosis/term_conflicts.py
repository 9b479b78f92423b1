"""The rules: facts of a world that cannot hold together, each with the fewest facts and axioms that show it.

The rules follow the type system of Almendros-Jiménez and Becerra-Terón ("Type Checking and Testing of SPARQL Queries",
Figure 5), as far as it is right: OP2 and DP3 are `_wrong_terms`, the distinction of nodes and literals is
`_nodes_and_literals`, DP1 is `_values_out_of_range`, and OP1 and DP2 are left to a reasoner, which sees all axioms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import and_

from kgprobe.owl.expression import Expression as Axiom
from kgprobe.owl.value_sets import ValueSet
from kgprobe.queries.diagnosis.names import LINKS_TO_NODES
from kgprobe.queries.diagnosis.views import RESERVED, KnownEdge, View, is_iri
from kgprobe.queries.filters.conditions import always_has_value
from kgprobe.queries.filters.expressions import evaluated
from kgprobe.queries.filters.term_sets import ANYTHING, LITERALS, NODES, TermSet
from kgprobe.queries.patterns.facts import Binding, is_certain, shown
from kgprobe.queries.schema import Said, Schema
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.terms import OWL, RDF, Literal, NamedNode
from kgprobe.reasoners.ontology import entities
from kgprobe.sparql.algebra import Expression, Given, Part, text_of
from kgprobe.sparql.traversal import variables_in


@dataclass(frozen=True)
class Conflict:
    """Facts that cannot hold together, by number. With a proviso, it is not a proof: other data may make them hold."""

    facts: tuple[int, ...]
    code: str
    words: str = ""
    axioms: tuple[Axiom, ...] = ()
    variable: Variable | None = None
    proviso: str = ""

    @property
    def is_proof(self) -> bool:
        return not self.proviso

    @property
    def kind(self) -> str:
        """Which rules have found it: those on terms and values, those on conditions, or a reasoner."""
        if self.code in ("false-filter", "unbound-in-filter"):
            return "condition"
        return "reasoner" if self.code == "contradiction" and not self.words else "simple"


def simple_conflicts(view: View) -> Iterator[Conflict]:
    """The conflicts that need no reasoner."""
    for link in view.links:
        yield from _wrong_terms(link, view)
        yield from _impossible_class(link)
    yield from _nodes_and_literals(view)
    yield from _computed_nodes_and_literals(view)
    yield from _values_out_of_range(view)


def _wrong_terms(link: KnownEdge, view: View) -> Iterator[Conflict]:
    if isinstance(link.subject, Literal):
        words = "a literal cannot be the subject of a triple"
        yield Conflict(link.origins[:1], "literal-as-subject", words, proviso=_unless_computed(link, view))
    if link.predicate is None:
        return
    if isinstance(link.object, Variable) and not is_iri(link.object):
        return
    word, kind = f"`{view.schema.words(link.predicate)}`", view.kind(link)
    declared = _declaration(link.predicate, kind)
    if isinstance(link.object, Literal) and (kind == "ObjectProperty" or link.predicate in LINKS_TO_NODES):
        words = f"the values of {word} are not literals"
        proviso = "" if kind == "ObjectProperty" else unless_literal(link.predicate, view.schema)
        yield Conflict(link.origins, "literal-for-object-property", words, declared, proviso=proviso)
    elif is_iri(link.object) and kind == "DataProperty":
        words = f"the values of {word} are literals"
        yield Conflict(link.origins, "node-for-data-property", words, declared, proviso=unless_replaced(link.object))
    elif isinstance(link.object, Literal) and kind == "DataProperty":
        for said in view.schema.data_ranges(link.predicate):
            if view.schema.values(said.what).contains(link.object) is False:
                words = f"{link.object} is not in the range of {word}: {view.schema.words(said.what)}"
                yield Conflict(link.origins, "value-out-of-range", words, _with_definitions(said, view.schema))
                return


def unless_literal(name: NamedNode, schema: Schema) -> str:
    """The proviso for a property of RDF, RDFS or OWL whose values are nodes: RDF itself allows literals there."""
    return f"unless the data have a literal as a value of `{schema.words(name)}`"


def unless_replaced(part: Part) -> str:
    """The proviso for an IRI without a base: many templates have a name in such brackets for what they fill in."""
    return f"unless the software that runs the query replaces {part}" if isinstance(part, Given) else ""


def _unless_computed(link: KnownEdge, view: View) -> str:
    """The proviso for a literal as subject: a property that nothing declares may be one that engines compute."""
    name = link.predicate
    if name is None or name.value.startswith(RESERVED) or view.schema.kinds(name):
        return ""
    return f"unless `{view.schema.words(name)}` is a property function, which the query engine computes"


def _impossible_class(link: KnownEdge) -> Iterator[Conflict]:
    if link.predicate == RDF.type and link.object == OWL.Nothing:
        words = "nothing is a member of owl:Nothing"
        yield Conflict(link.origins, "contradiction", words, proviso="unless the data are inconsistent")


def _declaration(name: NamedNode, kind: str | None) -> tuple[Axiom, ...]:
    return () if kind is None else (Axiom("Declaration", Axiom(kind, name)),)


def _nodes_and_literals(view: View) -> Iterator[Conflict]:
    """Variables that stand for an individual in one place, and for a literal in another."""
    for each, literal in view.literals.items():
        node = view.nodes.get(each)
        if node is not None:
            links = {link.origins: link for link in view.links}
            axioms = tuple(
                axiom
                for origins in (literal, node)
                if origins in links
                for axiom in _reason_for(links[origins], each, view)
            )
            words = f"{shown(each)} is a literal here, but a node there"
            yield Conflict(tuple(dict.fromkeys((*literal, *node))), "node-and-literal", words, axioms, each)


def _reason_for(link: KnownEdge, variable: Variable, view: View) -> tuple[Axiom, ...]:
    """The declaration behind what an object is. That a subject is a node needs no axiom."""
    if link.object != variable or link.predicate is None:
        return ()
    return _declaration(link.predicate, view.kind(link))


def _computed_nodes_and_literals(view: View) -> Iterator[Conflict]:
    """Variables that a BIND, an aggregate or a column computes, and that would be of another kind elsewhere."""
    for number, fact in view.facts:
        if isinstance(fact, Binding) and (fact.free is not None or is_certain(fact.variable)):
            for kind, other, places in (("a literal", "a node", view.nodes), ("a node", "a literal", view.literals)):
                elsewhere = places.get(fact.free or fact.variable, ())
                if elsewhere not in ((), (number,)) and _computes_only(kind, fact.expression, view):
                    yield _computed_conflict((number, *elsewhere), fact, f"{kind}, but {other} there", view)


def _computes_only(kind: str, expression: Expression, view: View) -> bool:
    """Whether all values of an expression are of this kind."""
    values = evaluated(expression, partial(_terms_of, view))
    is_literal, is_node = bool(values.literals.spaces), bool(values.families & {"IRI", "blank node"})
    return not values.is_empty and (is_literal, is_node) == (kind == "a literal", kind == "a node")


def _computed_conflict(numbers: tuple[int, ...], fact: Binding, kinds: str, view: View) -> Conflict:
    variables = list(variables_in(fact.expression))
    known = [places.get(variable, ()) for variable in variables for places in (view.nodes, view.literals)]
    name, text = f"{shown(fact.free or fact.variable)}", text_of(fact.expression)
    words = f"{name} is the value of `{text}` and so {kinds}"
    is_proof = fact.free is None or always_has_value(fact.expression, is_certain, partial(_terms_of, view))
    proviso = "" if is_proof else f"unless `{text}` has an error, which leaves {name} open"
    facts = tuple(dict.fromkeys((*numbers, *(number for facts_of_variable in known for number in facts_of_variable))))
    return Conflict(facts, "node-and-literal", words, (), fact.free or fact.variable, proviso)


def _terms_of(view: View, variable: Variable) -> TermSet:
    """The terms that a variable may stand for, as far as the triples with it say."""
    found = NODES if variable in view.nodes else LITERALS if variable in view.literals else ANYTHING
    for limit in limits_of(view).get(variable, ()):
        found &= TermSet.of_values(limit.values)
    return found


# -- values ------------------------------------------------------------------------------------------------------------


def _with_definitions(said: Said, schema: Schema) -> tuple[Axiom, ...]:
    """The axioms behind a range, with the definitions of the datatypes in it."""

    def definitions(axiom: Axiom) -> Iterator[Axiom]:
        for kind, name in entities([axiom]):
            if kind == "Datatype" and (definition := schema.datatype_definitions.get(name)) is not None:
                yield definition.axioms[0]

    return tuple(reached(said.axioms, definitions))


@dataclass(frozen=True)
class Limit:
    """A range in which the value of a variable is, and the facts that say so."""

    origins: tuple[int, ...]
    values: ValueSet
    said: Said


def limits_of(view: View) -> Mapping[Variable, list[Limit]]:
    """The ranges in which the values of variables are."""
    found: dict[Variable, list[Limit]] = {}
    for link in view.links:
        if isinstance(link.object, Variable) and link.predicate is not None and view.kind(link) == "DataProperty":
            for said in view.schema.data_ranges(link.predicate):
                limit = Limit(link.origins, view.schema.values(said.what), said)
                found.setdefault(link.object, []).append(limit)
    return found


def _values_out_of_range(view: View) -> Iterator[Conflict]:
    """Variables that are the value of several properties whose ranges have nothing in common."""
    for each, limits in limits_of(view).items():
        if _is_empty(limits):
            needed = _needed(limits)
            ranges = " and ".join(dict.fromkeys(view.schema.words(limit.said.what) for limit in needed))
            yield Conflict(
                tuple(dict.fromkeys(origin for limit in needed for origin in limit.origins)),
                "value-out-of-range",
                f"{shown(each)} would be in the ranges {ranges}, which have no value in common",
                tuple(dict.fromkeys(a for limit in needed for a in _with_definitions(limit.said, view.schema))),
                each,
            )


def _is_empty(limits: Sequence[Limit]) -> bool:
    return bool(limits) and reduce(and_, (limit.values for limit in limits)).is_empty is True


def _needed(limits: Sequence[Limit]) -> list[Limit]:
    """As few limits as have no value in common."""
    kept = list(limits)
    for limit in limits:
        without = [other for other in kept if other is not limit]
        if _is_empty(without):
            kept = without
    return kept
