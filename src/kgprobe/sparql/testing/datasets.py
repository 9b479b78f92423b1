"""Data sets to test a query on, made from the query, the ontology and the properties to test.

First come instances of each template of the query. Near misses of them follow: a triple less, a condition that does not
hold, two variables for one individual, an individual of the ontology in place of a new one, a fact more that a property
asks about. Then come random data: several copies of such parts side by side, some of them linked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations
from random import Random
from typing import TypeAlias

from kgprobe.graph.axioms.expression import Argument, Expression
from kgprobe.graph.pattern import Variable
from kgprobe.graph.terms import OWL, RDF, BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.queries.algebra import Constant, QueryTree
from kgprobe.queries.traversal import expressions_in
from kgprobe.sparql.filters.values import ValueSet
from kgprobe.sparql.schema import Schema
from kgprobe.sparql.testing.assignments import NAMESPACE, Assignment, Hints, Instances, new_individual
from kgprobe.sparql.testing.candidates import around
from kgprobe.sparql.testing.templates import deviations, random_template

__all__ = ["DataSets", "Wishes"]

Data: TypeAlias = tuple[Triple, ...]

_MOST_COPIES = 3
_MOST_TEMPLATES = 48
_MOST_INDIVIDUALS = 24
_MOST_SHAPES = 200
_MOST_ATTEMPTS = 8
_MOST_STALE = 1_000
_STALE_PER_COPY = 20
_SHARE_LINKED = 0.02


@dataclass(frozen=True)
class Wishes:
    """What the user wants of the data: values of properties, members of classes, and how many of each.

    `least` and `most` count the values of a property of one individual, or the members of a class. `individuals` is
    about how many new individuals a data set has; None leaves it to the generator.
    """

    values: Mapping[NamedNode, tuple[Term, ...]] = field(default_factory=dict)
    members: Mapping[NamedNode, tuple[NamedNode, ...]] = field(default_factory=dict)
    least: Mapping[NamedNode, int] = field(default_factory=dict)
    most: Mapping[NamedNode, int] = field(default_factory=dict)
    individuals: int | None = None


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
        self._functional: dict[NamedNode, bool] = {}
        self._stale = 0  # data sets in a row that were known
        self._random = Random(seed)
        self.hints = _hints(schema, asked, self._wishes)
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
        for data in chain(self._systematic(), self._random_data()):
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
        return iter(dict.fromkeys(_data(instances, assignment) for instances, assignment in self._bases()))

    def _bases(self) -> list[tuple[Instances, Assignment]]:
        return [
            (instances, assignment)
            for instances in self._templates
            for assignment in (instances.matching[:1] or [instances.usual])
        ]

    def _systematic(self) -> Iterator[Data]:
        bases = self._bases()
        yield from (_data(instances, assignment) for instances, assignment in bases)
        yield from self._with_facts(bases)
        for instances, assignment in bases:
            yield from self._near(instances, assignment)
        yield ()
        for instances, _ in bases:
            yield from (_data(instances, each) for each in instances.matching[1:])

    def _near(self, instances: Instances, assignment: Assignment) -> Iterator[Data]:
        data = _data(instances, assignment)
        for at in range(len(data)):
            yield data[:at] + data[at + 1 :]
        yield from (_data(instances, each) for each in instances.missing)
        for one, other in combinations(instances.nodes, 2):
            yield from self._admitted(_data(instances, {**assignment, other: assignment[one]}))
        for variable in instances.nodes:
            for individual in self.hints.individuals:
                replaced = _data(instances, {**assignment, variable: individual})
                yield from self._admitted(replaced)
                values = [each for each in replaced if each.subject == individual and isinstance(each.object, Literal)]
                yield from self._admitted(tuple(each for each in replaced if each not in values))

    def _admitted(self, data: Data) -> Iterator[Data]:
        if self.admits(data) is not False:
            yield data

    def _with_facts(self, bases: Sequence[tuple[Instances, Assignment]]) -> Iterator[Data]:
        """Instances with one more fact about a variable that a property asks about."""
        for instances, assignment in bases:
            data = _data(instances, assignment)
            for name in self._asked:
                node = assignment.get(Variable(name))
                if isinstance(node, NamedNode):
                    for fact in self._facts_about(node):
                        yield from self._admitted(self.with_fact(data, fact))

    def _facts_about(self, node: NamedNode) -> Iterator[Data]:
        """Facts with the names in the properties to test: values on both sides of each boundary, links, classes."""
        for name in self.hints.data_properties[: len(self._names("DataProperty"))]:
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

    def with_fact(self, data: Data, fact: Data) -> Data:
        """The data with one more fact. A value of a functional property takes the place of another."""
        replaced = {(triple.subject, triple.predicate) for triple in fact if self._is_functional(triple.predicate)}
        return (*(each for each in data if (each.subject, each.predicate) not in replaced), *fact)

    def _names(self, kind: str) -> list[NamedNode]:
        found = dict.fromkeys(name for kinds in self._asked.values() for each in kinds for name in _names_in(each))
        return [name for name in found if kind in self._schema.kinds(name) and not name.value.startswith(OWL.iri)]

    def _values_of(self, name: NamedNode) -> list[Literal]:
        wished = [value for value in self._wishes.values.get(name, ()) if isinstance(value, Literal)]
        if wished:
            return wished
        definitions = {each: said.what for each, said in self._schema.datatype_definitions.items()}
        ranges = [ValueSet.of_range(said.what, definitions) for said in self._schema.data_ranges(name)]
        constants = self.hints.constants.get(name, ())
        examples = [each for allowed in ranges[:1] for each in allowed.examples(3)] or list(constants) or [Literal("a")]
        near = [each for constant in constants for each in around(constant, examples[0].datatype)]
        found = dict.fromkeys([*near, *examples])
        return [each for each in found if all(allowed.contains(each) is not False for allowed in ranges)][:12]

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
        parts = _Parts(self, shapes, random)
        while True:
            if self._wishes.individuals is not None:
                size = self._wishes.individuals
                data: list[Triple] = []
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
            yield tuple(self._adjusted(data))

    def _adjusted(self, data: list[Triple]) -> list[Triple]:
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

    def _more_values(self, data: list[Triple], name: NamedNode, least: int) -> list[Triple]:
        owners = dict.fromkeys(triple.subject for triple in data if triple.predicate == name)
        added: list[Triple] = []
        for owner in owners:
            have = {triple.object for triple in data if triple.subject == owner and triple.predicate == name}
            pool = [value for value in self._wishes.values.get(name, ()) if value not in have]
            added += [Triple(owner, name, value) for value in pool[: max(0, least - len(have))]]
        return added

    def random_fact(self, node: NamedNode, random: Random) -> Data:
        """A random fact with a name of the properties to test, or none."""
        facts = list(self._facts_about(node))
        return facts[int(random.random() * len(facts))] if facts else ()

    def asked_variables(self) -> list[Variable]:
        """The variables that properties ask about."""
        return [Variable(name) for name in self._asked]


class _Parts:
    """Random parts of data. The number of shapes is limited, so that most parts are alike but for their values."""

    def __init__(self, sets: DataSets, shapes: Sequence[Instances], random: Random) -> None:
        self._sets = sets
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
        data = _data(instances, assignment, left_out)
        return self._sets.with_fact(data, more) if more else data

    def links(self, data: Sequence[Triple]) -> list[Triple]:
        """A link between two parts: the object of one triple for that of another with the same property."""
        between = [each for each in data if isinstance(each.object, NamedNode) and each.predicate != RDF.type]
        if not between:
            return []
        one, other = (between[int(self._random.random() * len(between))] for _ in range(2))
        link = Triple(one.subject, other.predicate, other.object)
        return [link] if one.predicate == other.predicate else []

    def _new(self) -> tuple[Instances, Assignment, Data, frozenset[int]]:
        """A shape that is consistent, if one is found in a few attempts."""
        for _ in range(_MOST_ATTEMPTS):
            instances, assignment, more, left_out = found = self._any()
            data = self._sets.with_fact(_data(instances, assignment, left_out), more)
            if self._sets.admits(data) is not False:
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
        individuals = self._sets.hints.individuals
        if kind < 0.15 and len(nodes) > 1:
            one, other = random.sample(nodes, 2)
            assignment[other] = assignment[one]
        elif kind < 0.3 and nodes and individuals:
            assignment[random.choice(nodes)] = random.choice(individuals)
        elif kind < 0.4 and len(instances.triples) > 1:
            left_out = frozenset([int(random.random() * len(instances.triples))])
        more: Data = ()
        asked = [assignment[each] for each in self._sets.asked_variables() if each in assignment]
        asked = [each for each in asked if isinstance(each, NamedNode)]
        if asked and random.random() < 0.5:
            more = self._sets.random_fact(random.choice(asked), random)  # type: ignore[arg-type]
        return instances, assignment, more, left_out


def _new_individuals(data: Iterable[Triple]) -> set[Term]:
    return {
        end
        for triple in data
        for end in (triple.subject, triple.object)
        if isinstance(end, NamedNode) and end.value.startswith(NAMESPACE)
    }


def _copied(triple: Triple, copy: int) -> Triple:
    return Triple(_renamed(triple.subject, copy), triple.predicate, _renamed(triple.object, copy))  # type: ignore[arg-type]


@lru_cache(maxsize=1 << 12)
def _renamed(term: Term, copy: int) -> Term:
    if isinstance(term, BlankNode):
        return BlankNode(f"{term.value}-{copy + 1}")
    is_new = isinstance(term, NamedNode) and term.value.startswith(NAMESPACE)
    return NamedNode(f"{term.value}-{copy + 1}") if is_new else term


def _data(instances: Instances, assignment: Assignment, left_out: frozenset[int] = frozenset()) -> Data:
    """The triples of a template with these terms; triples that cannot be are left out."""
    # This runs for each data set, so it avoids calls and repeated lookups.
    found: list[Triple] = []
    get = assignment.get
    for at, (subject, predicate, object_) in enumerate(instances.triples):
        if at in left_out:
            continue
        s = (get(subject) or new_individual(subject)) if isinstance(subject, Variable) else subject
        p = (get(predicate) or new_individual(predicate)) if isinstance(predicate, Variable) else predicate
        o = (get(object_) or new_individual(object_)) if isinstance(object_, Variable) else object_
        if type(s) is not Literal and type(p) is NamedNode:
            found.append(Triple(s, p, o))
    return tuple(found)


# -- hints -------------------------------------------------------------------------------------------------------------


def _names_in(kind: Argument) -> Iterator[NamedNode]:
    if isinstance(kind, NamedNode):
        yield kind
    elif isinstance(kind, Expression):
        for argument in kind.args:
            yield from _names_in(argument)


def _hints(schema: Schema, asked: Mapping[str, Sequence[Argument]], wishes: Wishes) -> Hints:
    constants: dict[NamedNode, dict[Literal, None]] = {}
    trees = [*schema.ontology.axioms, *(kind for kinds in asked.values() for kind in kinds)]
    for tree in trees:
        _collect(tree, constants)
    individuals = dict.fromkeys(
        argument
        for axiom in schema.ontology.axioms
        if axiom.head in ("ClassAssertion", "ObjectPropertyAssertion", "DataPropertyAssertion")
        for argument in axiom.args[1:]
        if isinstance(argument, NamedNode)
    )
    of_properties = [name for kinds in asked.values() for kind in kinds for name in _names_in(kind)]
    ordered = [*of_properties, *(each for each in sorted(schema.names, key=str) if not each.value.startswith(OWL.iri))]
    names = dict.fromkeys(ordered)
    members = [member for each in wishes.members.values() for member in each]
    return Hints(
        constants={name: tuple(found)[:8] for name, found in constants.items()},
        values=wishes.values,
        individuals=tuple(dict.fromkeys([*members, *individuals]))[:_MOST_INDIVIDUALS],
        classes=tuple(each for each in names if "Class" in schema.kinds(each)),
        object_properties=tuple(each for each in names if "ObjectProperty" in schema.kinds(each)),
        data_properties=tuple(each for each in names if "DataProperty" in schema.kinds(each)),
    )


def _collect(tree: Argument, found: dict[NamedNode, dict[Literal, None]], name: NamedNode | None = None) -> None:
    """The literals in an axiom or class, by the data property that they belong to."""
    if isinstance(tree, Expression):
        if tree.head.startswith("Data") and tree.args:
            first = next((each for each in tree.args if isinstance(each, NamedNode)), None)
            name = first if tree.head not in ("DataOneOf", "DatatypeRestriction", "DataComplementOf") else name
        for argument in tree.args:
            _collect(argument, found, name)
    elif isinstance(tree, Literal) and name is not None:
        found.setdefault(name, {})[tree] = None
