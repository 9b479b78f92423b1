"""Data sets to test a query on, made from the query, the ontology and the properties to test.

First come instances of each template of the query. Near misses of them follow: a triple less, a condition that does not
hold, a class or property next to the stated one, the opposite direction, another graph, two variables for one
individual, an individual of the ontology in place of a new one, a fact more that a property asks about. Then come
random data: several copies of random parts side by side, some of them linked.

Random parts are instances of templates, most of them with an answer, changed here and there to triples that are nearly
the same. Data often have a more general class than the query asks for, a more special property, or a link that was
written the wrong way round. Without entailment, a query sees none of these. Other parts are facts that can decide
whether an answer has a property.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations
from random import Random
from typing import Any, TypeGuard

from pyoxigraph import Quad

from kgprobe.owl.expression import Argument, Expression, is_headed
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.assignments import NAMESPACE, Assignment, Instances
from kgprobe.queries.testing.data import Data, Datum, Hints, Wishes, graph_of, hints_of, is_value_of, names_in, placed
from kgprobe.queries.testing.expansion import deviations, random_template
from kgprobe.queries.testing.literals import around
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.sparql.algebra import Constant, QueryTree
from kgprobe.sparql.traversal import expressions_in

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


def _is_own(name: Argument) -> TypeGuard[NamedNode]:
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
        return (*(datum for datum in data if (datum.subject, datum.predicate) not in replaced), *fact)

    def _names(self, kind: str) -> list[NamedNode]:
        found = dict.fromkeys(name for kinds in self._asked.values() for each in kinds for name in names_in(each))
        return [name for name in found if kind in self._schema.kinds(name) and not name.value.startswith(OWL.iri)]

    def _values_of(self, name: NamedNode) -> list[Literal]:
        wished = [value for value in self._wishes.values.get(name, ()) if isinstance(value, Literal)]
        if wished:
            return wished
        ranges = [self._schema.values(said.what) for said in self._schema.data_ranges(name)]
        constants = self._hints.constants.get(name, ())
        examples = (
            [example for allowed in ranges[:1] for example in allowed.examples(3)] or list(constants) or [Literal("a")]
        )
        near = [each for constant in constants for each in around(constant, examples[0].datatype)]
        found = dict.fromkeys([*near, *examples])
        return [literal for literal in found if all(allowed.contains(literal) is not False for allowed in ranges)][:12]


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
            assignment = {**row, **{node: assignment[node] for node in instances.nodes}}
        if copy:
            assignment = {variable: _renamed(term, copy) for variable, term in assignment.items()}
            more = tuple(_copied(triple, copy) for triple in more)
        data = instances.data(assignment, left_out)
        return self._facts.added_to(data, more) if more else data

    def links(self, data: Sequence[Datum]) -> list[Datum]:
        """A link between two parts: the object of one triple for that of another with the same property."""
        between = [datum for datum in data if isinstance(datum.object, NamedNode) and datum.predicate != RDF.type]
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
        asked = [assignment[variable] for variable in self._facts.variables if variable in assignment]
        asked = [term for term in asked if isinstance(term, NamedNode)]
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


# -- data sets ---------------------------------------------------------------------------------------------------------

_MOST_COPIES = 3
_MOST_TEMPLATES = 48
_MOST_STALE = 1_000
_STALE_PER_COPY = 20
_SHARE_LINKED = 0.02
_OTHER_GRAPH = NamedNode(f"{NAMESPACE}other-graph")


class DataSets:
    """Makes data sets. The same arguments give the same data sets in the same order."""

    def __init__(
        self,
        queries: Sequence[QueryTree],
        schema: Schema,
        asked: Mapping[str, Sequence[Argument]],
        schema_rows: Callable[[str], list[Assignment]],
        *,
        admits: Callable[[Data], bool | None] = lambda _: True,
        seed: int = 0,
        wishes: Wishes | None = None,
    ) -> None:
        """`asked` has the classes that properties ask about, by variable; `schema_rows` queries the ontology.

        `admits` says whether data are consistent: a change that makes them inconsistent is not tried.
        """
        self._queries = queries
        self._schema = schema
        self._asked = asked
        self._schema_rows = schema_rows
        self.admits = admits
        self._wishes = wishes or Wishes()
        self._stale = 0  # data sets in a row that were known
        self._random = Random(seed)
        self.hints = hints_of(schema, asked, self._wishes)
        self._facts = AskedFacts(schema, asked, self.hints, self._wishes)
        self._neighbours = Neighbours(schema.ontology.axioms)
        self._templates = [
            Instances(template, schema, self.hints, schema_rows) for query in queries for template in deviations(query)
        ]

    @property
    def constants(self) -> list[Literal]:
        """The literals in the conditions of the queries."""
        parts = (
            part
            for template in self._templates
            for condition in template.template.conditions
            for part in expressions_in(condition)
        )
        terms = dict.fromkeys(part.term for part in parts if isinstance(part, Constant))
        return [term for term in terms if isinstance(term, Literal)]

    def __iter__(self) -> Iterator[Data]:
        """Data sets without end, unless no more can be made. None comes twice."""
        seen: set[int] = set()  # hashes of 64 bits: a collision costs one data set, and is very rare
        self._stale = 0
        for made in chain(self._systematic(), self._random_data()):
            data = tuple(self._adjusted(self._with_members(made)))
            triples = frozenset(data)  # hashing a triple is slow: it is done as seldom as possible
            key = hash(triples)
            if key in seen:
                self._stale += 1
                if self._stale > _MOST_STALE:  # there is hardly anything new
                    return
                continue
            self._stale = max(0, self._stale - 1)  # data that are mostly known grow
            seen.add(key)
            yield tuple(data) if len(triples) == len(data) else tuple(dict.fromkeys(data))

    # -- systematic ----------------------------------------------------------------------------------------------------

    def instances(self) -> Iterator[Data]:
        """One instance of each template, all different."""
        return iter(dict.fromkeys(instances.data(assignment) for instances, assignment in self._bases()))

    def _bases(self) -> list[tuple[Instances, Assignment]]:
        return [
            (instances, assignment)
            for instances in self._templates
            for assignment in (instances.matching[:1] or [instances.usual])
        ]

    def _systematic(self) -> Iterator[Data]:
        bases = self._bases()
        yield from (instances.data(assignment) for instances, assignment in bases)
        yield from self._with_facts(bases)
        for instances, assignment in bases:
            yield from self._near(instances, assignment)
        yield ()
        for instances, _ in bases:
            yield from map(instances.data, instances.matching[1:])

    def _near(self, instances: Instances, assignment: Assignment) -> Iterator[Data]:
        data = instances.data(assignment)
        for at in range(len(data)):
            yield data[:at] + data[at + 1 :]
        yield from map(instances.data, instances.missing)
        for at, datum in enumerate(data):
            for near in (*self._neighbours.of(datum), *_moved(datum)):
                yield from self._admitted((*data[:at], near, *data[at + 1 :]))
        for one, other in combinations(instances.nodes, 2):
            yield from self._admitted(instances.data({**assignment, other: assignment[one]}))
        for variable in instances.nodes:
            for individual in self.hints.individuals:
                replaced = instances.data({**assignment, variable: individual})
                yield from self._admitted(replaced)
                yield from self._admitted(tuple(datum for datum in replaced if not is_value_of(datum, individual)))

    def _admitted(self, data: Data) -> Iterator[Data]:
        if self.admits(data) is not False:
            yield data

    def _with_facts(self, bases: Sequence[tuple[Instances, Assignment]]) -> Iterator[Data]:
        """Instances with one more fact about a variable that a property asks about."""
        for instances, assignment in bases:
            data = instances.data(assignment)
            for name in self._asked:
                node = assignment.get(Variable(name))
                if isinstance(node, NamedNode):
                    for fact in self._facts.about(node):
                        yield from self._admitted(self._facts.added_to(data, fact))

    # -- random --------------------------------------------------------------------------------------------------------

    def _random_data(self) -> Iterator[Data]:
        random = self._random
        templates = chain(
            (instances.template for instances in self._templates),
            (
                random_template(self._queries[int(random.random() * len(self._queries))], random)
                for _ in range(_MOST_TEMPLATES - len(self._templates))
            ),
        )
        shapes = [Instances(template, self._schema, self.hints, self._schema_rows, random) for template in templates]
        parts = RandomParts(shapes, self._facts, self._neighbours, self.hints.individuals, self.admits, random)
        while True:
            if self._wishes.individuals is not None:
                size = self._wishes.individuals
                data: list[Datum] = []
                copy = 0
                while len(_new_individuals(data)) < size:
                    data += parts.draw(copy)
                    copy += 1
                    if copy > 4 * size:
                        break
            else:
                copies = 1 + int(random.random() * (_MOST_COPIES + self._stale / _STALE_PER_COPY))
                data = [triple for copy in range(copies) for triple in parts.draw(copy)]
            if random.random() < _SHARE_LINKED:
                data += parts.links(data)
            yield tuple(data)

    def _with_members(self, data: Sequence[Datum]) -> list[Datum]:
        """The data with the individuals that the user wants in a class, in place of new ones, as far as they go."""
        names: dict[object, Any] = {}
        made = _new_individuals(data)
        for kind, members in self._wishes.members.items():
            have = _members(data, kind)
            unused = [member for member in members if member not in have]
            new = [member for member in have if member not in members and member in made]
            names |= dict(zip(new, unused, strict=False))
        return [
            placed(names.get(s, s), datum.predicate, names.get(o, o), graph_of(datum))
            for datum in data
            for s, o in [(datum.subject, datum.object)]
        ]

    def _adjusted(self, data: list[Datum]) -> list[Datum]:
        """The data with the numbers of values and members that the user wants."""
        wishes = self._wishes
        if not wishes.least and not wishes.most:
            return data
        for name, most in wishes.most.items():
            counts: dict[object, int] = {}
            kept = []
            for triple in data:
                is_member = triple.predicate == RDF.type and triple.object == name
                if triple.predicate == name or is_member:
                    key = name if is_member else triple.subject
                    counts[key] = counts.get(key, 0) + 1
                    if counts[key] > most:
                        continue
                kept.append(triple)
            data = kept
        for name, least in wishes.least.items():
            if "Class" in self._schema.kinds(name):
                have = _members(data, name)
                others = (NamedNode(f"urn:kgprobe:new:member-{n + 1}") for n in range(least))
                pool = [member for member in (*wishes.members.get(name, ()), *others) if member not in have]
                data += [Triple(member, RDF.type, name) for member in pool[: max(0, least - len(have))]]
            else:
                data += self._more_values(data, name, least)
        return data

    def _more_values(self, data: list[Datum], name: NamedNode, least: int) -> list[Datum]:
        owners = dict.fromkeys(triple.subject for triple in data if triple.predicate == name)
        added: list[Datum] = []
        for owner in owners:
            have = {triple.object for triple in data if triple.subject == owner and triple.predicate == name}
            pool = [value for value in self._wishes.values.get(name, ()) if value not in have]
            added += [Triple(owner, name, value) for value in pool[: max(0, least - len(have))]]
        return added


def _moved(datum: Datum) -> Iterator[Datum]:
    """A triple of a named graph in the default graph, and in another named graph."""
    if isinstance(datum, Quad):
        yield datum.triple
        yield Quad(datum.subject, datum.predicate, datum.object, _OTHER_GRAPH)


def _members(data: Iterable[Datum], kind: NamedNode) -> dict[object, None]:
    return dict.fromkeys(datum.subject for datum in data if datum.predicate == RDF.type and datum.object == kind)


def _new_individuals(data: Iterable[Datum]) -> set[Term]:
    return {
        end
        for triple in data
        for end in (triple.subject, triple.object)
        if isinstance(end, NamedNode) and end.value.startswith(NAMESPACE)
    }
