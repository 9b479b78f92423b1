"""Random parts of data for a query: instances of its templates, most of them with an answer, changed here and there.

Changes lead to triples that are nearly the same. Data often have a more general class than the query asks for, a more
special property, or a link that was written the wrong way round. Without entailment, a query sees none of these. Other
parts are facts that can decide whether an answer has a property.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from kgprobe.owl.expression import Argument, Expression, is_headed
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.assignments import NAMESPACE, Assignment, Instances
from kgprobe.queries.testing.data import Data, Datum, Hints, Wishes, graph_of, names_in, placed
from kgprobe.queries.testing.literals import around
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Triple

_MOST_ABOVE_AND_BELOW = 4
_VOCABULARIES = (RDF.iri, RDFS.iri, OWL.iri)


class Neighbours:
    """The names right above and right below a class or property, and the inverses of a property, as stated."""

    def __init__(self, axioms: Iterable[Expression]) -> None:
        self._above: dict[NamedNode, dict[NamedNode, None]] = {}
        self._below: dict[NamedNode, dict[NamedNode, None]] = {}
        self._inverse: dict[NamedNode, dict[NamedNode, None]] = {}
        for axiom in axioms:
            self._add(axiom)

    def _add(self, axiom: Expression) -> None:
        match axiom:
            case Expression("SubClassOf" | "SubObjectPropertyOf" | "SubDataPropertyOf", (lower, upper)):
                self._order(lower, upper)
            case Expression(
                "EquivalentClasses" | "EquivalentObjectProperties" | "EquivalentDataProperties", (first, *others)
            ):
                for other in others:
                    self._order(first, other)
                    self._order(other, first)
            case Expression("DisjointUnion", (whole, *parts)):
                for part in parts:
                    self._order(part, whole)
            case Expression("InverseObjectProperties", (one, other)):
                if isinstance(one, NamedNode) and isinstance(other, NamedNode):
                    self._inverse.setdefault(one, {})[other] = None
                    self._inverse.setdefault(other, {})[one] = None

    def _order(self, lower: Argument, upper: Argument) -> None:
        """A class is below each part of an intersection, and above each part of a union."""
        for above in upper.args if is_headed(upper, "ObjectIntersectionOf") else (upper,):
            for below in lower.args if is_headed(lower, "ObjectUnionOf") else (lower,):
                if _is_own(above) and _is_own(below):
                    assert isinstance(above, NamedNode)  # noqa: S101 - just checked
                    assert isinstance(below, NamedNode)  # noqa: S101 - just checked
                    self._above.setdefault(below, {})[above] = None
                    self._below.setdefault(above, {})[below] = None

    def of(self, datum: Datum) -> Iterator[Datum]:
        """Triples that say a little more, a little less, or the opposite, in the same graph."""
        subject, predicate, object_ = datum.subject, datum.predicate, datum.object
        graph = graph_of(datum)
        if predicate == RDF.type:
            if isinstance(object_, NamedNode):
                yield from (placed(subject, predicate, name, graph) for name in self._next_to(object_))
        elif _is_own(predicate):
            yield from (placed(subject, name, object_, graph) for name in self._next_to(predicate))
            if not isinstance(object_, Literal) and object_ != subject:
                for name in (predicate, *self._inverse.get(predicate, ())):
                    yield placed(object_, name, subject, graph)

    def _next_to(self, name: NamedNode) -> list[NamedNode]:
        above, below = (list(table.get(name, ()))[:_MOST_ABOVE_AND_BELOW] for table in (self._above, self._below))
        return list(dict.fromkeys([*above, *below]))


def _is_own(name: Argument) -> bool:
    """Whether this is a name of the ontology, and not one of RDF or OWL."""
    return isinstance(name, NamedNode) and not name.value.startswith(_VOCABULARIES)


# -- facts about which a property asks ---------------------------------------------------------------------------------


class AskedFacts:
    """Facts with the names in the properties to test. `asked` has the classes that they ask about, by variable."""

    def __init__(self, schema: Schema, asked: Mapping[str, Sequence[Argument]], hints: Hints, wishes: Wishes) -> None:
        self._schema = schema
        self._asked = asked
        self._hints = hints
        self._wishes = wishes
        self._functional: dict[NamedNode, bool] = {}

    @property
    def variables(self) -> list[Variable]:
        """The variables that properties ask about."""
        return [Variable(name) for name in self._asked]

    def random(self, node: NamedNode, random: Random) -> Data:
        """A random fact with a name of the properties to test, or none."""
        facts = list(self.about(node))
        return facts[int(random.random() * len(facts))] if facts else ()

    def about(self, node: NamedNode) -> Iterator[Data]:
        """Facts with the names in the properties to test: values on both sides of each boundary, links, classes."""
        for name in self._hints.data_properties[: len(self._names("DataProperty"))]:
            for value in self._values_of(name):
                yield (Triple(node, name, value),)
        for name in self._names("ObjectProperty"):
            target = NamedNode(f"{node.value}-other")
            yield (Triple(node, name, target),)
            yield (Triple(target, name, node),)
            for kind in self._names("Class"):
                yield (Triple(node, name, target), Triple(target, RDF.type, kind))
        for kind in self._names("Class"):
            yield (Triple(node, RDF.type, kind),)

    def _is_functional(self, name: NamedNode) -> bool:
        known = self._functional.get(name)
        if known is None:
            known = self._functional[name] = self._schema.functional_data(name) is not None
        return known

    def added_to(self, data: Data, fact: Data) -> Data:
        """The data with one more fact. A value of a functional property takes the place of another."""
        replaced = {(triple.subject, triple.predicate) for triple in fact if self._is_functional(triple.predicate)}
        return (*(each for each in data if (each.subject, each.predicate) not in replaced), *fact)

    def _names(self, kind: str) -> list[NamedNode]:
        found = dict.fromkeys(name for kinds in self._asked.values() for each in kinds for name in names_in(each))
        return [name for name in found if kind in self._schema.kinds(name) and not name.value.startswith(OWL.iri)]

    def _values_of(self, name: NamedNode) -> list[Literal]:
        wished = [value for value in self._wishes.values.get(name, ()) if isinstance(value, Literal)]
        if wished:
            return wished
        ranges = [self._schema.values(said.what) for said in self._schema.data_ranges(name)]
        constants = self._hints.constants.get(name, ())
        examples = [each for allowed in ranges[:1] for each in allowed.examples(3)] or list(constants) or [Literal("a")]
        near = [each for constant in constants for each in around(constant, examples[0].datatype)]
        found = dict.fromkeys([*near, *examples])
        return [each for each in found if all(allowed.contains(each) is not False for allowed in ranges)][:12]


# -- parts -------------------------------------------------------------------------------------------------------------

_MOST_SHAPES = 200
_MOST_ATTEMPTS = 8


class RandomParts:
    """Random parts of data. The number of shapes is limited, so that most parts are alike but for their values."""

    def __init__(
        self,
        shapes: Sequence[Instances],
        facts: AskedFacts,
        neighbours: Neighbours,
        individuals: Sequence[NamedNode],
        admits: Callable[[Data], bool | None],
        random: Random,
    ) -> None:
        self._facts = facts
        self._neighbours = neighbours
        self._individuals = individuals
        self._admits = admits
        self._random = random
        self._shapes = [shape for shape in shapes if shape.triples]
        self._made: list[tuple[Instances, Assignment, Data, frozenset[int]]] = []

    def draw(self, copy: int) -> Data:
        """A part whose new individuals have names of their own for each copy."""
        if not self._shapes:
            return ()
        if len(self._made) < _MOST_SHAPES:
            self._made.append(self._new())
            chosen = self._made[-1]
        else:
            chosen = self._made[int(self._random.random() * len(self._made))]
        instances, assignment, more, left_out = chosen
        row = instances.random_match(self._random) if self._random.random() < 0.75 else None
        if row is not None:  # most data should have an answer
            assignment = {**row, **{each: assignment[each] for each in instances.nodes}}
        if copy:
            assignment = {variable: _renamed(term, copy) for variable, term in assignment.items()}
            more = tuple(_copied(triple, copy) for triple in more)
        data = instances.data(assignment, left_out)
        return self._facts.added_to(data, more) if more else data

    def links(self, data: Sequence[Datum]) -> list[Datum]:
        """A link between two parts: the object of one triple for that of another with the same property."""
        between = [each for each in data if isinstance(each.object, NamedNode) and each.predicate != RDF.type]
        if not between:
            return []
        one, other = (between[int(self._random.random() * len(between))] for _ in range(2))
        link = placed(one.subject, other.predicate, other.object, graph_of(one))
        return [link] if one.predicate == other.predicate else []

    def _new(self) -> tuple[Instances, Assignment, Data, frozenset[int]]:
        """A shape that is consistent, if one is found in a few attempts."""
        for _ in range(_MOST_ATTEMPTS):
            instances, assignment, more, left_out = found = self._any()
            data = self._facts.added_to(instances.data(assignment, left_out), more)
            if self._admits(data) is not False:
                break
        return found

    def _any(self) -> tuple[Instances, Assignment, Data, frozenset[int]]:
        random = self._random
        instances = self._shapes[int(random.random() * len(self._shapes))]
        rows = instances.matching or instances.missing or [instances.usual]
        assignment = dict(rows[int(random.random() * len(rows))])
        nodes = instances.nodes
        left_out: frozenset[int] = frozenset()
        kind = random.random()
        more: Data = ()
        individuals = self._individuals
        if kind < 0.15 and len(nodes) > 1:
            one, other = random.sample(nodes, 2)
            assignment[other] = assignment[one]
        elif kind < 0.3 and nodes and individuals:
            assignment[random.choice(nodes)] = random.choice(individuals)
        elif kind < 0.4 and len(instances.triples) > 1:
            left_out = frozenset([int(random.random() * len(instances.triples))])
        elif kind < 0.5:
            left_out, more = self._changed(instances, assignment)
        asked = [assignment[each] for each in self._facts.variables if each in assignment]
        asked = [each for each in asked if isinstance(each, NamedNode)]
        if asked and random.random() < 0.5:
            more += self._facts.random(random.choice(asked), random)  # type: ignore[arg-type]
        return instances, assignment, more, left_out

    def _changed(self, instances: Instances, assignment: Assignment) -> tuple[frozenset[int], Data]:
        """A triple to leave out, and one that is nearly the same in its place."""
        random = self._random
        at = int(random.random() * len(instances.triples))
        others = frozenset(range(len(instances.triples))) - {at}
        near = [each for datum in instances.data(assignment, others) for each in self._neighbours.of(datum)]
        return (frozenset([at]), (random.choice(near),)) if near else (frozenset(), ())


def _copied(datum: Datum, copy: int) -> Datum:
    subject, object_, graph = (_renamed(part, copy) for part in (datum.subject, datum.object, graph_of(datum)))
    return placed(subject, datum.predicate, object_, graph)


@lru_cache(maxsize=1 << 12)
def _renamed(term: Any, copy: int) -> Any:
    if isinstance(term, BlankNode):
        return BlankNode(f"{term.value}-{copy + 1}")
    is_new = isinstance(term, NamedNode) and term.value.startswith(NAMESPACE)
    return NamedNode(f"{term.value}-{copy + 1}") if is_new else term
