"""Data sets to test a query on, made from the query, the ontology and the properties to test.

First come instances of each template of the query. Near misses of them follow: a triple less, a condition that does not
hold, a class or property next to the stated one, the opposite direction, another graph, two variables for one
individual, an individual of the ontology in place of a new one, a fact more that a property asks about. Then come
random data: several copies of such parts side by side, some of them linked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations
from random import Random
from typing import Any

from pyoxigraph import Quad

from kgprobe.owl.expression import Argument
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.assignments import NAMESPACE, Assignment, Instances
from kgprobe.queries.testing.data import Data, Datum, Wishes, graph_of, hints_of, placed
from kgprobe.queries.testing.expansion import deviations, random_template
from kgprobe.queries.testing.random_parts import AskedFacts, Neighbours, RandomParts
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, Literal, NamedNode, Term, Triple
from kgprobe.sparql.algebra import Constant, QueryTree
from kgprobe.sparql.traversal import expressions_in

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
            for each in self._templates
            for condition in each.template.conditions
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
            yield from (instances.data(each) for each in instances.matching[1:])

    def _near(self, instances: Instances, assignment: Assignment) -> Iterator[Data]:
        data = instances.data(assignment)
        for at in range(len(data)):
            yield data[:at] + data[at + 1 :]
        yield from (instances.data(each) for each in instances.missing)
        for at, datum in enumerate(data):
            for near in (*self._neighbours.of(datum), *_moved(datum)):
                yield from self._admitted((*data[:at], near, *data[at + 1 :]))
        for one, other in combinations(instances.nodes, 2):
            yield from self._admitted(instances.data({**assignment, other: assignment[one]}))
        for variable in instances.nodes:
            for individual in self.hints.individuals:
                replaced = instances.data({**assignment, variable: individual})
                yield from self._admitted(replaced)
                values = [each for each in replaced if each.subject == individual and isinstance(each.object, Literal)]
                yield from self._admitted(tuple(each for each in replaced if each not in values))

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
        shapes = [
            Instances(each.template, self._schema, self.hints, self._schema_rows, random) for each in self._templates
        ]
        for _ in range(_MOST_TEMPLATES - len(shapes)):
            query = self._queries[int(random.random() * len(self._queries))]
            shapes.append(
                Instances(random_template(query, random), self._schema, self.hints, self._schema_rows, random)
            )
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
        for kind, members in self._wishes.members.items():
            have = dict.fromkeys(each.subject for each in data if each.predicate == RDF.type and each.object == kind)
            unused = [member for member in members if member not in have]
            new = [each for each in have if each not in members and each in _new_individuals(data)]
            names |= dict(zip(new, unused, strict=False))
        return [
            placed(names.get(s, s), each.predicate, names.get(o, o), graph_of(each))
            for each in data
            for s, o in [(each.subject, each.object)]
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
                have = {triple.subject for triple in data if triple.predicate == RDF.type and triple.object == name}
                pool = [
                    *wishes.members.get(name, ()),
                    *(NamedNode(f"urn:kgprobe:new:member-{n + 1}") for n in range(least)),
                ]
                data += [Triple(each, RDF.type, name) for each in pool if each not in have][: max(0, least - len(have))]
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


def _new_individuals(data: Iterable[Datum]) -> set[Term]:
    return {
        end
        for triple in data
        for end in (triple.subject, triple.object)
        if isinstance(end, NamedNode) and end.value.startswith(NAMESPACE)
    }
