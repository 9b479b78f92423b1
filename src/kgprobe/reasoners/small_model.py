"""Searches for a model with a few things: a proof that an ontology is consistent, whatever reasoners answer.

With a fixed number of things, each "is in this class", "is linked to that", "has this name" is true or false, and the
axioms become clauses over these. No data property has a value in these models. The search fails for an ontology that
needs such a value, that only has infinite models, or that is too large; a failure proves nothing about the ontology.

`has_tiny_model` looks only at two models with a single thing, without a search. In the first, the thing is in no class
and has no property, which works for most ontologies without individuals. In the second, it is in every class and has
every object property, to itself. The clauses say the same about them, but they are made only once for each construct.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import combinations, pairwise, product

from kgprobe.owl.expression import Argument, Expression, inner, is_headed, term
from kgprobe.owl.grammar import CLASS_EXPRESSIONS
from kgprobe.owl.meaning import evaluate, simpler
from kgprobe.rdf.terms import OWL, NamedNode, Term
from kgprobe.reasoners.satisfaction import satisfying

__all__ = ["has_small_model"]


_SIZES = (1, 2, 3, 5)
# Models with more things are easy to find, or take too long. They are worth a try if that number occurs in an ontology.
_MORE_SIZES = (8, 12)
_MOST_CLAUSES = 100_000
_MOST_CONFLICTS, _MOST_CONFLICTS_IF_MORE = 400, 60
_MOST_AXIOMS = 5_000

_YES, _NO = 1, -1  # a variable that is true
_EXTREMES: dict[object, int] = {
    **dict.fromkeys((OWL.Thing, OWL.topObjectProperty), _YES),
    **dict.fromkeys((OWL.Nothing, OWL.bottomObjectProperty), _NO),
}
_GIVEN = {name: sign == _YES for name, sign in _EXTREMES.items()}
_ASSERTIONS = frozenset({"ClassAssertion", "ObjectPropertyAssertion"})
_NAMES = {True: OWL.Thing, False: OWL.Nothing}  # of a class; and of a property, which `_EXTREMES` does not tell apart


def has_small_model(axioms: Iterable[Expression], sizes: Sequence[int] | None = None) -> bool:
    """Whether a model with one of these numbers of things was found. All literals must be valid for their datatypes.

    Without `sizes`, the ontology decides which numbers are tried.
    """
    stated = list(axioms)
    if len(stated) > _MOST_AXIOMS:
        return False
    try:
        if any(_has_model(stated, size) for size in sizes or _SIZES):
            return True
        return (
            sizes is None and _stated(stated, 1).may_be_many and any(_has_model(stated, size) for size in _MORE_SIZES)
        )
    except _TooMuchError:
        return False


def has_tiny_model(axioms: Iterable[Expression]) -> bool:
    """Whether one of the two is a model of the axioms. All literals must be valid for their datatypes."""
    stated = list(axioms)
    return any(_are_true(stated, if_named) for if_named in (False, True))


def _are_true(axioms: Iterable[Expression], if_named: bool) -> bool:
    """Whether the axioms are true of the one thing, if it is or is not in each named class and has each property."""
    for axiom in axioms:
        head = axiom[0]  # twice as fast as `axiom.head`
        first: Argument = axiom[1]  # type: ignore[assignment]
        if head == "SubClassOf":  # this and assertions are most axioms
            is_true = not _is_true(first, if_named) or _is_true(axiom[2], if_named)  # type: ignore[arg-type]
        else:
            is_true = _is_true(first if head in _ASSERTIONS else axiom, if_named)
        if not is_true:
            return False
    return True


def _is_true(tree: Argument, if_named: bool) -> bool:
    """Whether an axiom is true of the one thing, or a class has it, or a property leads from it to itself."""
    if type(tree) is not Expression:
        return _GIVEN.get(tree, if_named)
    get = _GIVEN.get
    parts = [
        _is_true(part, if_named) if type(part) is Expression else part if type(part) is int else get(part, if_named)
        for part in tree[1:]
    ]
    return _is_true_of(tree[0], *parts)


@lru_cache(maxsize=4096)
def _is_true_of(head: str, *parts: int) -> bool:
    """Whether a construct is true of the one thing, if its parts are true or false of it; numbers are themselves.

    That depends on nothing else, so an ontology needs few of these answers.
    """
    if head == "ObjectInverseOf" or head == "ObjectPropertyChain":
        return all(parts)
    things = _OneThing()
    tree = Expression(head, *(part if type(part) is int else _NAMES[bool(part)] for part in parts))
    if head in CLASS_EXPRESSIONS:
        return things.is_in(tree, 0) == _YES
    try:
        things.state(tree)
    except _TooMuchError:
        return False
    return True


class _TooMuchError(Exception):
    """An unsupported axiom, or too many clauses."""


def _has_model(axioms: Sequence[Expression], size: int) -> bool:
    things = _stated(axioms, size)
    most_conflicts = _MOST_CONFLICTS if size < min(_MORE_SIZES) else _MOST_CONFLICTS_IF_MORE
    return satisfying(things.clauses, things.variables, most_conflicts=most_conflicts) is not None


def _stated(axioms: Sequence[Expression], size: int) -> _Things:
    things = _Things(size)
    for axiom in axioms:
        things.state(axiom)
    things.name_individuals()
    return things


class _Things:
    """A number of things, and the clauses that must be true for them."""

    def __init__(self, size: int) -> None:
        self._all = range(size)
        self._known: dict[object, int] = {}
        self._individuals: dict[Term, None] = {}
        self._keys: list[tuple[Argument, ...]] = []
        self._largest_number = 0
        self.variables = 1
        self.clauses: list[list[int]] = [[_YES]]

    @property
    def may_be_many(self) -> bool:
        """Whether the ontology has as many individuals as the largest of the usual models, or a number that large."""
        return max(len(self._individuals), self._largest_number) >= max(_SIZES)

    def state(self, axiom: Expression) -> None:
        """Adds an axiom."""
        judge = _AXIOMS.get(axiom.head)
        if judge is not None:
            judge(self, *axiom.args)
            return
        parts = simpler(axiom)
        if not parts:
            raise _TooMuchError
        for part in parts:
            self.state(part)

    def need(self, *literals: int) -> None:
        """One of these is true."""
        if _YES in literals:
            return
        self.clauses.append([literal for literal in literals if literal != _NO])
        if len(self.clauses) > _MOST_CLAUSES:
            raise _TooMuchError

    def _variable(self, key: object) -> int:
        found = self._known.get(key)
        if found is None:
            self.variables += 1
            found = self._known[key] = self.variables
        return found

    def any_of(self, literals: Iterable[int]) -> int:
        """True exactly if one of these is."""
        parts = frozenset(literals) - {_NO}
        if not parts or _YES in parts:
            return _YES if parts else _NO
        if len(parts) == 1:
            return next(iter(parts))
        key = ("any", parts)
        is_new = key not in self._known
        found = self._variable(key)
        if is_new:
            self.need(-found, *sorted(parts))
            for part in sorted(parts):
                self.need(found, -part)
        return found

    def all_of(self, literals: Iterable[int]) -> int:
        """True exactly if all of these are."""
        return -self.any_of([-literal for literal in literals])

    def _count(self, wanted: int, literals: Sequence[int]) -> int:
        """True exactly if at least this number of them are."""
        if wanted <= 0:
            return _YES
        if wanted > len(literals):
            return _NO
        *others, last = literals
        return self.any_of([self._count(wanted, others), self.all_of([last, self._count(wanted - 1, others)])])

    def pairs(self) -> Iterator[tuple[int, int]]:
        return product(self._all, self._all)

    def things(self) -> range:
        return self._all

    def is_called(self, individual: Argument, thing: int) -> int:
        """Whether the individual denotes this thing."""
        self._individuals[term(individual)] = None
        return self._variable(("individual", individual, thing))

    def linked(self, prop: Argument, source: int, target: int) -> int:
        """Whether the property leads from the first thing to the second."""
        if type(prop) is Expression:
            return self.linked(prop.args[0], target, source)
        return _EXTREMES.get(prop) or self._variable(("property", prop, source, target))

    def is_in(self, kind: Argument, thing: int) -> int:
        """Whether the thing is in the class."""
        if type(kind) is Expression:
            return evaluate(kind, self, thing)
        return _EXTREMES.get(kind) or self._variable(("class", kind, thing))

    def in_class(self, name: Argument, thing: int, *, is_negated: bool) -> int:
        return _signed(self.is_in(name, thing), is_negated)

    def one_of(self, individuals: Iterable[Argument], thing: int, *, is_negated: bool) -> int:
        return _signed(self.any_of([self.is_called(name, thing) for name in individuals]), is_negated)

    def has_self(self, prop: Argument, thing: int, *, is_negated: bool) -> int:
        return _signed(self.linked(prop, thing, thing), is_negated)

    def has_value(self, prop: Argument, individual: Argument, thing: int, *, is_negated: bool) -> int:
        return self.at_least(1, prop, Expression("ObjectOneOf", individual), thing, is_negated=is_negated)

    def has_literal(self, _prop: Argument, _literal: Argument, _thing: int, *, is_negated: bool) -> int:
        return _signed(_NO, is_negated)

    def at_least(self, least: int, prop: Argument, kind: Argument, thing: int, *, is_negated: bool) -> int:
        # "At most n" comes as "not at least n + 1".
        self._largest_number = max(self._largest_number, least if is_negated else least + 1)
        found = [self.all_of([self.linked(prop, thing, other), self.is_in(kind, other)]) for other in self._all]
        return _signed(self._count(least, found), is_negated)

    def at_least_values(self, least: int, _props: object, _values: object, _thing: int, *, is_negated: bool) -> int:
        return _signed(_NO if least else _YES, is_negated)

    def key(self, *parts: Argument) -> None:
        """A key. It applies to all named things, which are known only at the end."""
        self._keys.append(parts)

    def name_individuals(self) -> None:
        """Each individual denotes one thing, and all keys hold."""
        for individual in self._individuals:
            places = [self.is_called(individual, thing) for thing in self._all]
            self.need(*places)
            for pair in combinations(places, 2):
                self.need(*(-variable for variable in pair))
        names = [individual for individual in self._individuals if isinstance(individual, NamedNode)]
        named = [self.any_of(self.is_called(name, thing) for name in names) for thing in self._all]
        for kind, objects, data in self._keys:
            if inner(data).args:
                continue  # nothing has a value
            for one, two in combinations(self._all, 2):
                shared = [
                    self.any_of(
                        self.all_of([self.linked(prop, one, target), self.linked(prop, two, target), named[target]])
                        for target in self._all
                    )
                    for prop in inner(objects).args
                ]
                alike = [self.is_in(kind, one), self.is_in(kind, two), named[one], named[two], *shared]
                self.need(*(-fact for fact in alike))


class _OneThing(_Things):
    """A thing that all individuals are, and of which each axiom must be true."""

    def __init__(self) -> None:
        super().__init__(1)

    def need(self, *literals: int) -> None:
        if _YES not in literals:
            raise _TooMuchError

    def is_called(self, _individual: Argument, _thing: int) -> int:
        return _YES


def _signed(literal: int, is_negated: bool) -> int:
    return -literal if is_negated else literal


# -- axioms ------------------------------------------------------------------------------------------------------------


def _sub_class(things: _Things, lower: Argument, upper: Argument) -> None:
    for thing in things.things():
        below = things.is_in(lower, thing)
        if below != _NO:
            things.need(-below, things.is_in(upper, thing))


def _disjoint_classes(things: _Things, *parts: Argument) -> None:
    for one, two in combinations(parts, 2):
        for thing in things.things():
            things.need(-things.is_in(one, thing), -things.is_in(two, thing))


def _sub_property(things: _Things, lower: Argument, upper: Argument) -> None:
    steps = lower.args if is_headed(lower, "ObjectPropertyChain") else (lower,)
    for way in product(things.things(), repeat=len(steps) + 1):
        path = [-things.linked(step, *ends) for step, ends in zip(steps, pairwise(way), strict=True)]
        things.need(*path, things.linked(upper, way[0], way[-1]))


def _disjoint_properties(things: _Things, *parts: Argument) -> None:
    for one, two in combinations(parts, 2):
        for ends in things.pairs():
            things.need(-things.linked(one, *ends), -things.linked(two, *ends))


def _domain(things: _Things, prop: Argument, kind: Argument) -> None:
    for source, target in things.pairs():
        link = things.linked(prop, source, target)
        if link != _NO:
            things.need(-link, things.is_in(kind, source))


def _functional(things: _Things, prop: Argument) -> None:
    for source in things.things():
        for one, two in combinations(things.things(), 2):
            things.need(-things.linked(prop, source, one), -things.linked(prop, source, two))


def _reflexive(things: _Things, prop: Argument) -> None:
    for thing in things.things():
        things.need(things.linked(prop, thing, thing))


def _irreflexive(things: _Things, prop: Argument) -> None:
    for thing in things.things():
        things.need(-things.linked(prop, thing, thing))


def _same(things: _Things, *individuals: Argument) -> None:
    for one, two in pairwise((*individuals, individuals[0])):
        for thing in things.things():
            things.need(-things.is_called(one, thing), things.is_called(two, thing))


def _different(things: _Things, *individuals: Argument) -> None:
    for one, two in combinations(individuals, 2):
        for thing in things.things():
            things.need(-things.is_called(one, thing), -things.is_called(two, thing))


def _class_assertion(things: _Things, kind: Argument, individual: Argument) -> None:
    for thing in things.things():
        things.need(-things.is_called(individual, thing), things.is_in(kind, thing))


def _assertion(things: _Things, prop: Argument, one: Argument, two: Argument, *, is_negative: bool = False) -> None:
    for source, target in things.pairs():
        named = -things.is_called(one, source), -things.is_called(two, target)
        things.need(*named, _signed(things.linked(prop, source, target), is_negative))


def _true(_things: _Things, *_parts: Argument) -> None:
    """Axioms about data properties, none of which has a value."""


# The other axioms are explained by these.
_AXIOMS: dict[str, Callable[..., None]] = {
    "SubClassOf": _sub_class,
    "DisjointClasses": _disjoint_classes,
    "SubObjectPropertyOf": _sub_property,
    "DisjointObjectProperties": _disjoint_properties,
    "ObjectPropertyDomain": _domain,
    "FunctionalObjectProperty": _functional,
    "ReflexiveObjectProperty": _reflexive,
    "IrreflexiveObjectProperty": _irreflexive,
    "HasKey": _Things.key,
    "SameIndividual": _same,
    "DifferentIndividuals": _different,
    "ClassAssertion": _class_assertion,
    "ObjectPropertyAssertion": _assertion,
    "NegativeObjectPropertyAssertion": partial(_assertion, is_negative=True),
    **dict.fromkeys(["SubDataPropertyOf", "DisjointDataProperties", "FunctionalDataProperty"], _true),
    **dict.fromkeys(["DataPropertyRange", "NegativeDataPropertyAssertion"], _true),
}
