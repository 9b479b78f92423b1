"""The functions that an operator may call in addition to those of SPARQL, by IRIs in kgprobe's namespace.

`BIND(kg:fresh() AS ?new)` and the like assign a value to a variable once a solution has been chosen. The functions that
a FILTER may call are in `profile_rules`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Any, TypeAlias

from kgprobe.mutation.operator import Site
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.owl.random_values import random_value_for
from kgprobe.rdf.derived import KeySet, PerTable
from kgprobe.rdf.graph import BrokenListError, Graph, read_list
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.table import Key, KeyTriple, TripleTable
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term
from kgprobe.sparql.matching.filters import NameTest, Test

# -- kinds of names ----------------------------------------------------------------------------------------------------

# Which names an operator may use as a class or a property: those declared as one, and not as a conflicting kind. OWL 2
# DL lets one name stand for a class and an individual, but not for a class and a datatype, nor for two kinds of
# property. A name that is declared as two such kinds, but used as only one, is allowed. Using it as the other is not.


def is_own(term: Term) -> bool:
    """Whether this is an IRI outside the vocabularies of RDF and OWL."""
    return isinstance(term, NamedNode) and not is_reserved(term)


def is_own_name(graph: Graph, key: Key) -> bool:
    """The same for a key."""
    return is_own(graph.term(key))


def _declared(kind: NamedNode, *others: NamedNode) -> NameTest:
    """A name with this type and none of the others."""
    wanted, unwanted = PerTable(lambda table: table.key(kind)), KeySet(*others)

    def is_one(graph: Graph, name: Key) -> bool:
        types = graph.objects(name, graph.table.is_a)
        if wanted.of(graph.table) not in types:
            return False
        return unwanted.of(graph).isdisjoint(types) and is_own_name(graph, name)

    known: PerTable[dict[Any, bool]] = PerTable(lambda _: {})
    return NameTest(is_one, known.of)


is_class = _declared(OWL.Class, RDFS.Datatype)
is_object_property = _declared(OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty)
is_data_property = _declared(OWL.DatatypeProperty, OWL.ObjectProperty, OWL.AnnotationProperty)


# -- random individuals and values -------------------------------------------------------------------------------------

# Whether a triple is an assertion depends on the vocabulary: classes also have an `rdf:type`, and any IRI may be a
# property. In an ontology with a hundred thousand classes and three individuals, drawing triples until one is an
# assertion would take far too long. So the places of assertions in a table are found once. After that, a draw costs
# O(changes of the graph).
#
# An individual fits a property if the graph states that it is in all domains or ranges of the property and of its
# superproperties, through its types and their superclasses.


# A span of rows with one predicate, in the table's order by predicate: the predicate, the start and the end.
_Span: TypeAlias = tuple[int, int, int]
# The number of random draws before all candidates are searched. Most draws succeed.
_TRIES = 20


class Assertions:
    """The assertions of one kind."""

    def __init__(
        self,
        spans: Callable[[Graph], Iterator[_Span]],
        predicates: Callable[[Graph], Iterable[Key]],
        is_one: Callable[[Graph, KeyTriple], bool],
    ) -> None:
        """`spans` are where the table may have them, `predicates` those in changes; `is_one` tests one triple."""
        self._predicates = predicates
        self._is_one = is_one
        self._places = PerTable(lambda table: _Places(table, spans(Graph.from_table(table))))

    def sample(self, graph: Graph, random: Random) -> KeyTriple | None:
        """A random assertion, with equal probability for all of them; None if none exists."""
        places = self._places.of(graph.table)
        new = [keys for predicate in self._predicates(graph) for keys in graph.added_rows(None, predicate, None)]
        added = [keys for keys in new if self._is_one(graph, keys)]
        count = len(places) + len(added)
        for _ in range(_TRIES if count else 0):
            place = int(random.random() * count)
            keys = places.row(place) if place < len(places) else added[place - len(places)]
            if place >= len(places) or self._is_here(graph, keys):
                return keys
        rows = [*(row for row in places.rows() if self._is_here(graph, row)), *added] if count else []
        return rows[int(random.random() * len(rows))] if rows else None

    def in_table(self, table: TripleTable) -> Iterator[KeyTriple]:
        """All assertions of the graph as it was loaded."""
        graph = Graph.from_table(table)
        return (row for row in self._places.of(table).rows() if self._is_one(graph, row))

    def _is_here(self, graph: Graph, keys: KeyTriple) -> bool:
        return keys not in graph.changed_keys and self._is_one(graph, keys)


class _Places:
    """Rows of a table, counted from 0."""

    def __init__(self, table: TripleTable, spans: Iterable[_Span]) -> None:
        self._columns = table.by_predicate
        self._spans = list(spans)
        self._ends = list(accumulate(end - begin for _, begin, end in self._spans))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def row(self, place: int) -> KeyTriple:
        number = bisect_right(self._ends, place)
        predicate, _, end = self._spans[number]
        at = end - (self._ends[number] - place)
        return self._columns.third[at], predicate, self._columns.second[at]

    def rows(self) -> Iterator[KeyTriple]:
        return map(self.row, range(len(self)))


def _class_spans(graph: Graph) -> Iterator[_Span]:
    """The rows of each class. Most classes have no instances."""
    is_a, columns = graph.key(RDF.type), graph.table.by_predicate
    if not isinstance(is_a, int):
        return
    place, end = columns.span(is_a)
    while place < end:
        following = bisect_right(columns.second, columns.second[place], place, end)
        if _is_class_like(graph, columns.second[place]):
            yield is_a, place, following
        place = following


def _property_spans(kind: NamedNode) -> Callable[[Graph], Iterator[_Span]]:
    def spans(graph: Graph) -> Iterator[_Span]:
        for prop in graph.subjects(graph.key(RDF.type), graph.key(kind)):
            assert isinstance(prop, int)  # noqa: S101 - the graph has no changes
            begin, end = graph.table.by_predicate.span(prop)
            if begin < end:
                yield prop, begin, end

    return spans


class _OwnNames(dict[Key, bool]):
    """For each key of a predicate, whether it is outside the vocabularies of RDF and OWL; filled on demand."""

    def __init__(self, table: TripleTable) -> None:
        self._terms = table.terms

    def __missing__(self, key: Key) -> bool:
        return self.setdefault(key, is_own(self._terms[key] if isinstance(key, int) else key))


_own_names = PerTable(_OwnNames)


def _is_class_like(graph: Graph, key: Key) -> bool:
    return is_own_name(graph, key) or graph.term(key) == OWL.Thing or isinstance(graph.term(key), BlankNode)


def _is_class_assertion(graph: Graph, keys: KeyTriple) -> bool:
    s, p, o = keys
    return p == graph.table.is_a and _is_class_like(graph, o) and is_own_name(graph, s)


def _is_object_property_assertion(graph: Graph, keys: KeyTriple) -> bool:
    s, p, o = keys
    return is_object_property(graph, (p,)) and is_own_name(graph, s) and is_own_name(graph, o)


def _is_data_property_assertion(graph: Graph, keys: KeyTriple) -> bool:
    s, p, o = keys
    return is_data_property(graph, (p,)) and is_own_name(graph, s) and isinstance(graph.term(o), Literal)


def _changed_properties(is_one: Test) -> Callable[[Graph], Iterable[Key]]:
    """The properties of one kind that are predicates of changed triples."""

    def properties(graph: Graph) -> Iterable[Key]:
        # Most predicates of changes belong to the RDF and OWL vocabularies, and most graphs have no change of this
        # kind.
        own = filter(_own_names.of(graph.table).__getitem__, graph.changed_parts(1))
        return [name for name in own if is_one(graph, (name,))]

    return properties


class_assertions = Assertions(_class_spans, lambda graph: (graph.table.is_a,), _is_class_assertion)
object_property_assertions = Assertions(
    _property_spans(OWL.ObjectProperty), _changed_properties(is_object_property), _is_object_property_assertion
)
data_property_assertions = Assertions(
    _property_spans(OWL.DatatypeProperty), _changed_properties(is_data_property), _is_data_property_assertion
)


def random_individual(graph: Graph, random: Random, other_than: Collection[Key] = ()) -> Key | None:
    """A random named individual, with equal probability for all of them; None if none exists."""
    known = _individuals.of(graph.table)
    new = [row[0] for row in graph.added_rows(None, graph.table.is_a, graph.key(OWL.NamedIndividual))]
    count = len(known) + len(new)
    for _ in range(_TRIES if count > _TRIES else 0):  # a few are searched directly
        place = int(random.random() * count)
        key = known[place] if place < len(known) else new[place - len(known)]
        if key not in other_than and _is_mentioned(graph, key):
            return key
    left = [key for key in (*known, *new) if key not in other_than and _is_mentioned(graph, key)]
    return left[int(random.random() * len(left))] if left else None


def _is_mentioned(graph: Graph, key: Key) -> bool:
    return graph.count(key) > 0 or graph.count(None, None, key) > 0


def _individuals_in(table: TripleTable) -> list[Key]:
    graph = Graph.from_table(table)
    individuals = dict.fromkeys(graph.subjects(graph.key(RDF.type), graph.key(OWL.NamedIndividual)))
    for s, _, _ in (*class_assertions.in_table(table), *data_property_assertions.in_table(table)):
        individuals[s] = None
    relations = (graph.rows(None, graph.key(predicate)) for predicate in (OWL.sameAs, OWL.differentFrom))
    for rows in (object_property_assertions.in_table(table), *relations):
        for s, _, o in rows:
            individuals[s] = individuals[o] = None
    return [key for key in individuals if is_own_name(graph, key)]


_individuals = PerTable(_individuals_in)


# -- individuals that fit a property: in all of its domains, or in all of its ranges -----------------------------------

# The number of individuals of one class to try before giving up the search for one that is also in the other classes.
_TRIES_IN_CLASS = 50


def random_subject_for(graph: Graph, prop: Key, random: Random) -> Key | None:
    """An individual in all domains of a property; None if none was found."""
    return _drawn(graph, _classes_for(graph, prop, RDFS.domain), random)


def random_object_for(graph: Graph, prop: Key, random: Random) -> Key | None:
    """An individual in all ranges of a property; None if none was found."""
    return _drawn(graph, _classes_for(graph, prop, RDFS.range), random)


def _classes_for(graph: Graph, prop: Key, word: NamedNode) -> list[Key]:
    """Its domains or ranges. Everything is an owl:Thing."""
    properties = reached([prop], lambda property_: graph.objects(property_, graph.key(RDFS.subPropertyOf)))
    classes = dict.fromkeys(class_ for above in properties for class_ in graph.objects(above, graph.key(word)))
    return [class_ for class_ in classes if graph.term(class_) != OWL.Thing]


def _drawn(graph: Graph, classes: list[Key], random: Random) -> Key | None:
    if not classes:
        return random_individual(graph, random)
    allowed = [_below(graph, class_) for class_ in classes]
    is_a = graph.table.is_a
    counts = {class_: graph.count(None, is_a, class_) for class_ in min(allowed, key=len)}
    total = sum(counts.values())
    for _ in range(_TRIES_IN_CLASS if total else 0):
        drawn = _at(counts, int(random.random() * total))
        row = graph.sample(random, None, is_a, drawn)
        if row is None or not is_own_name(graph, row[0]):
            continue
        types = graph.objects(row[0], is_a)
        if all(any(type_ in below for type_ in types) for below in allowed):
            return row[0]
    return None


def _at(counts: dict[Key, int], point: int) -> Key:
    for key, count in counts.items():
        if point < count:
            return key
        point -= count
    raise AssertionError("the point is below the sum of the counts")


def _below(graph: Graph, class_: Key) -> dict[Key, None]:
    """All classes whose instances are stated to be in this one: itself, its subclasses, and parts of a union."""
    sub_class, equivalent, union = map(graph.key, (RDFS.subClassOf, OWL.equivalentClass, OWL.unionOf))

    def step(node: Key) -> Iterable[Key]:
        yield from graph.subjects(sub_class, node)
        yield from graph.subjects(equivalent, node)
        yield from graph.objects(node, equivalent)
        for head in graph.objects(node, union):
            try:
                yield from map(graph.key, read_list(graph, graph.term(head)).members)
            except BrokenListError:
                continue

    return reached([class_], step)


# -- the functions -----------------------------------------------------------------------------------------------------


NAMESPACE = "urn:kgprobe:function:"

# Returns a value for these arguments, or None if no value exists.
_Give: TypeAlias = Callable[[Site, Sequence[Key]], Key | None]


@dataclass(frozen=True)
class Function:
    """A function that returns a value: its syntax, a description of its result, and its number of arguments."""

    form: str
    gives: str
    least: int
    most: int
    give: _Give


def _fresh(site: Site, arguments: Sequence[Key]) -> Key | None:
    if not arguments:
        return site.fresh.iri()
    namespace = site.graph.term(arguments[0])
    if isinstance(namespace, BlankNode):
        return None
    try:
        return site.fresh.iri(namespace.value)
    except ValueError:  # a literal that cannot begin an IRI
        return None


def _node(site: Site, arguments: Sequence[Key]) -> Key | None:  # noqa: ARG001 - takes none
    """Any node, each as likely as any other.

    This draws terms until one is a node of the current graph. Graphs have about as many other terms as nodes, so this
    takes a few tries. A graph with hardly any nodes is searched instead.
    """
    graph, random = site.graph, site.random
    known = len(graph.table.terms)
    ends = (key for s, _, o in graph.changed_keys for key in (s, o))
    new = list(dict.fromkeys(key for key in ends if not isinstance(key, int)))
    for _ in range(100 if known or new else 0):
        place = int(random.random() * (known + len(new)))
        key = place if place < known else new[place - known]
        if _is_node(graph, key):
            return key
    nodes = [key for key in [*range(known), *new] if _is_node(graph, key)]
    return nodes[int(random.random() * len(nodes))] if nodes else None


def _is_node(graph: Graph, key: Key) -> bool:
    if isinstance(graph.term(key), Literal):
        return False
    return graph.count(key) > 0 or graph.count(None, None, key) > 0


def _individual(site: Site, arguments: Sequence[Key]) -> Key | None:
    return random_individual(site.graph, site.random, arguments)


def _subject_for(site: Site, arguments: Sequence[Key]) -> Key | None:
    return random_subject_for(site.graph, arguments[0], site.random)


def _object_for(site: Site, arguments: Sequence[Key]) -> Key | None:
    return random_object_for(site.graph, arguments[0], site.random)


def _value(site: Site, arguments: Sequence[Key]) -> Key | None:
    term = random_value_for(site.graph, arguments[0], site.random)
    return None if term is None else site.graph.key(term)


def _pick(site: Site, arguments: Sequence[Key]) -> Key | None:
    return arguments[int(site.random.random() * len(arguments))]


# More arguments than any operator needs.
_MANY = 1000

_FRESH = "an IRI that the graph does not have; kg:fresh(ex:) is one in that namespace"
_NODE = "any IRI or blank node that is a subject or an object in the graph"
_INDIVIDUAL = "any individual that has a name; kg:individual(A, …) is one other than these"
_SUBJECT = "an individual that is in all domains of the property P"
_OBJECT = "an individual that is in all ranges of the property P"
_VALUE = "a random literal in the range of the property P, or of the datatype P"

BINDINGS: dict[str, Function] = {
    "fresh": Function("kg:fresh()", _FRESH, 0, 1, _fresh),
    "node": Function("kg:node()", _NODE, 0, 0, _node),
    "individual": Function("kg:individual()", _INDIVIDUAL, 0, _MANY, _individual),
    "subjectFor": Function("kg:subjectFor(P)", _SUBJECT, 1, 1, _subject_for),
    "objectFor": Function("kg:objectFor(P)", _OBJECT, 1, 1, _object_for),
    "value": Function("kg:value(P)", _VALUE, 1, 1, _value),
    "pick": Function("kg:pick(A, B, …)", "one of its arguments", 1, _MANY, _pick),
}
