"""The triples that rules work on: those of a graph and those that were concluded, in indexes of numbers.

A term of the graph's table keeps its number from there; other terms get numbers after those. The names that rules
mention have fixed negative numbers, so that rules are compiled once for all graphs. Facts are loaded for each
predicate on first use, since most triples of a large graph are annotations that no rule looks at.

Facts can be more than RDF: the predicate may be a blank node, which stands for the inverse of a property, or one of the
predicates of `rules` that are read from several triples. Such facts are `hidden`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TypeAlias

from kgprobe.entailment.rules import ITEM, LIST, ONE, QUALIFIED_ONE, RDFS_RULES, RL_RULES
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term

Fact: TypeAlias = tuple[int, int, int]

_READ = (LIST, ITEM, ONE, QUALIFIED_ONE)
_WORDS = (
    *(part for rule in (*RDFS_RULES, *RL_RULES) for pattern in (*rule.body, rule.head) for part in pattern),
    *(RDF.first, RDF.rest, RDF.nil, OWL.propertyChainAxiom, OWL.hasKey, OWL.TransitiveProperty),
    *(OWL.maxCardinality, OWL.maxQualifiedCardinality, RDFS.subClassOf, RDFS.subPropertyOf),
)
NUMBERS: dict[NamedNode, int] = {
    name: -number
    for number, name in enumerate(dict.fromkeys([*_READ, *(w for w in _WORDS if isinstance(w, NamedNode))]), start=1)
}
"""The numbers of the names that rules mention."""

_NAMES = {number: name for name, number in NUMBERS.items()}
_SAME = NUMBERS[OWL.sameAs]


class Relation:
    """The facts of one predicate: from subject to objects, and from object to subjects."""

    __slots__ = ("into", "out", "steps")

    def __init__(self) -> None:
        self.out: dict[int, set[int]] = {}
        self.into: dict[int, set[int]] = {}
        # The facts that were not concluded from a chain of others, if tracked: see `procedures`.
        self.steps: dict[int, set[int]] | None = None

    def copy(self) -> Relation:
        """An independent copy."""
        made = Relation()
        made.out = {subject: set(objects) for subject, objects in self.out.items()}
        made.into = {value: set(subjects) for value, subjects in self.into.items()}
        if self.steps is not None:
            made.steps = {subject: set(objects) for subject, objects in self.steps.items()}
        return made

    def add(self, subject: int, value: int) -> None:
        """Add a fact."""
        self.out.setdefault(subject, set()).add(value)
        self.into.setdefault(value, set()).add(subject)

    def add_all(self, subject: int, values: Collection[int]) -> None:
        """Add several facts with one subject."""
        into = self.into
        self.out.setdefault(subject, set()).update(values)
        for value in values:
            if value in into:
                into[value].add(subject)
            else:
                into[value] = {subject}

    def remove(self, subject: int, value: int) -> None:
        """Remove a known fact."""
        _discard(self.out, subject, value)
        _discard(self.into, value, subject)
        if self.steps is not None:
            _discard(self.steps, subject, value)

    def pairs(self) -> Iterator[tuple[int, int]]:
        """All facts."""
        return ((subject, value) for subject, objects in self.out.items() for value in objects)


def is_reading(predicate: int) -> bool:
    """Whether facts with this predicate are derived from several triples, and are not triples themselves."""
    return -len(_READ) <= predicate < 0


def _discard(index: dict[int, set[int]], first: int, second: int) -> None:
    found = index.get(first)
    if found is not None:
        found.discard(second)
        if not found:
            del index[first]


class Facts:
    """Facts about one graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._terms = graph.table.terms
        self._known = len(self._terms)
        self._foreign: list[Term | None] = []
        self._foreign_numbers: dict[Term, int] = {}
        self._named = {
            number: below for name, below in NUMBERS.items() if (number := graph.table.numbers.get(name)) is not None
        }
        self._relations: dict[int, Relation] = {}
        self._borrowed: set[int] = set()
        self._is_loaded = False
        self.lists: dict[tuple[int, ...], int] = {}
        """The cells of each list found so far, and the number that stands for the list."""

    def beside(self, graph: Graph) -> Facts:
        """The facts of another graph on the same table. From now on, both use the same numbers for new terms."""
        made = Facts(graph)
        made._foreign, made._foreign_numbers = self._foreign, self._foreign_numbers
        return made

    def fork(self, graph: Graph) -> Facts:
        """A modifiable copy for a graph on the same table. The original must not change any more."""
        made = Facts(graph)
        made._foreign, made._foreign_numbers = list(self._foreign), dict(self._foreign_numbers)
        made._relations = dict(self._relations)
        made._borrowed = set(self._relations)
        made.lists = dict(self.lists)
        return made

    # -- numbers ----------------------------------------------------------------------------------------------------

    def number(self, key: Key) -> int:
        """The number of a term, given by its key in the graph."""
        if isinstance(key, int):
            return self._named.get(key, key)
        if type(key) is NamedNode and key in NUMBERS:
            return NUMBERS[key]
        if key not in self._foreign_numbers:
            self._foreign_numbers[key] = self.new_number(key)
        return self._foreign_numbers[key]

    def new_number(self, term: Term | None = None) -> int:
        """A number for a term without one, or for something else, such as a list."""
        self._foreign.append(term)
        return self._known + len(self._foreign) - 1

    def fact(self, keys: KeyTriple) -> Fact:
        """The fact for a triple of the graph."""
        s, p, o = map(self.number, keys)
        return s, p, o

    def term(self, number: int) -> Term | None:
        """The term of a number; None if it stands for something else."""
        if number < 0:
            return _NAMES[number]
        return self._terms[number] if number < self._known else self._foreign[number - self._known]

    def triples(self, facts: Iterable[Fact]) -> list[KeyTriple]:
        """The keys of those facts that are triples."""
        found: list[KeyTriple] = []
        known, key = self._known, self._key
        predicates: dict[int, Key | None] = {}
        for fact in facts:
            s, p, o = fact
            if p not in predicates:
                predicates[p] = None if self.is_hidden(fact) else key(p)
            predicate = predicates[p]
            if predicate is not None:
                found.append((s if 0 <= s < known else key(s), predicate, o if 0 <= o < known else key(o)))
        return found

    def _key(self, number: int) -> Key:
        if 0 <= number < self._known:
            return number
        return self._graph.key(self.term(number))  # type: ignore[arg-type]  # all parts of triples are terms

    def is_hidden(self, fact: Fact) -> bool:
        """Whether a fact is not an RDF triple."""
        predicate = fact[1]
        return is_reading(predicate) or type(self.term(predicate)) is BlankNode

    def can_be(self, subject: int, predicate: int, value: int) -> bool:
        """Whether to draw a conclusion: not if the subject is a literal or owl:sameAs relates a term to itself."""
        if self.is_literal(subject):
            return False
        if predicate == _SAME:
            return subject != value and not self.is_literal(value)
        return not self.is_literal(predicate)

    def is_literal(self, number: int) -> bool:
        """Whether a number stands for a literal."""
        return number >= 0 and type(self.term(number)) is Literal

    # -- facts ------------------------------------------------------------------------------------------------------

    def relation(self, predicate: int) -> Relation:
        """The facts with this predicate, read-only."""
        found = self._relations.get(predicate)
        return self._load(predicate) if found is None else found

    def own_relation(self, predicate: int) -> Relation:
        """The facts with this predicate, modifiable."""
        if predicate in self._borrowed:
            self._borrowed.discard(predicate)
            self._relations[predicate] = self._relations[predicate].copy()
        return self.relation(predicate)

    def relations(self) -> list[tuple[int, Relation]]:
        """All predicates except readings, with their facts."""
        if not self._is_loaded:
            self._is_loaded = True
            for key in dict.fromkeys(predicate for _, predicate, _ in self._graph.rows()):
                self.relation(self.number(key))
        return [pair for pair in self._relations.items() if pair[1].out and not is_reading(pair[0])]

    def has(self, fact: Fact) -> bool:
        """Whether this is a fact."""
        subject, predicate, value = fact
        return value in self.relation(predicate).out.get(subject, ())

    def add(self, subject: int, predicate: int, value: int) -> None:
        """Add a new fact."""
        self.own_relation(predicate).add(subject, value)

    def remove(self, fact: Fact) -> None:
        """Remove a known fact."""
        subject, predicate, value = fact
        self.own_relation(predicate).remove(subject, value)

    def loaded(self) -> list[int]:
        """The predicates whose facts have been loaded."""
        return list(self._relations)

    def is_loaded(self, predicate: int) -> bool:
        """Whether the facts with this predicate have been loaded."""
        return predicate in self._relations

    def _load(self, predicate: int) -> Relation:
        made = self._relations[predicate] = Relation()
        for subject, value in self._stated(predicate):
            made.add(subject, value)
        return made

    def _stated(self, predicate: int) -> Iterable[tuple[int, int]]:
        term = self.term(predicate)
        if term is None or is_reading(predicate):
            return ()
        number = self.number
        return ((number(s), number(o)) for s, _, o in self._graph.rows(None, self._graph.key(term)))
