"""Modules: the few axioms of an ontology that can matter for some names, found without looking at the others.

A module decides the same as the whole: if the ontology is consistent, then statements about some names contradict it
exactly if they contradict the module of these names. The method is syntactic locality (Cuenca Grau and others, "Modular
Reuse of Ontologies", 2008). An axiom that is true whenever all names outside the signature are empty cannot matter. An
axiom that can matter joins the module, and its names join the signature, until nothing changes.

Individuals. A model of the statements and the module, beside a model of the ontology, is a model of both, if nothing
connects the two. So an assertion joins the module only if it mentions an individual of the signature. Four things look
at all individuals at once: classes that list individuals, keys, rules, and the universal property. If the module has
one of the first three, or the ontology has the last, the module gets all assertions.

Cores. The other kind of locality, in which all names outside the signature are full, leaves axioms out that cannot take
part in a contradiction: without disjointness, negation or the like, everything can be true of one thing. The two kinds,
in turn, leave the *core* of a set of axioms, which is consistent exactly if the set is.

Speed. For each axiom, the names that must join the signature before the axiom can matter are its *guards*. For
`A and (p some B) SubClassOf C`, one guard is enough: `A`. When a guard joins, the axiom is examined again, and gets
another guard or joins the module. So the cost depends on the module, not on the ontology.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kgprobe.owl.expression import Expression, has_head, subject
from kgprobe.owl.locality import (
    LOOKING_AT_ALL,
    NOMINALS,
    EmptyOutside,
    FullOutside,
    Individual,
    Symbol,
    symbols_of,
)
from kgprobe.rdf.terms import OWL

__all__ = ["Module", "Modules", "core_of"]


@dataclass(frozen=True, slots=True)
class Module:
    """The axioms that can matter, in the order of the ontology.

    `shortened` has axioms that say that many individuals differ, each with its form for the individuals that matter.
    With `is_connected`, the module looks at all individuals at once, and `has_nominals` if it lists some in a class.
    """

    axioms: tuple[Expression, ...]
    shortened: dict[Expression, Expression]
    is_connected: bool
    has_nominals: bool

    def stated(self) -> Iterator[Expression]:
        """The axioms, with the shortened ones in place of the original ones."""
        return (self.shortened.get(axiom, axiom) for axiom in self.axioms)


class Modules:
    """The modules of one ontology. Built in time linear in the ontology, for many signatures."""

    def __init__(self, axioms: Iterable[Expression]) -> None:
        self._axioms = tuple(dict.fromkeys(axioms))
        self._symbols = [symbols_of(axiom) for axiom in self._axioms]
        has_universal = any(map(_is_universal, self._axioms, self._symbols))
        individuals: set[Symbol] = {
            symbol for symbols in self._symbols for symbol in symbols if type(symbol) is Individual
        }
        self._connected = _Base(self._axioms, self._symbols, EmptyOutside, individuals)
        self._separate = self._connected
        if not has_universal:
            self._separate = _Base(self._axioms, self._symbols, EmptyOutside, set())

    def of(self, statements: Iterable[Expression]) -> Module:
        """The module for statements: for all names in them."""
        wanted = {symbol for statement in statements for symbol in symbols_of(statement)}
        found = self._separate.extended(wanted)
        is_connected = self._separate is self._connected or self._have(found.chosen, LOOKING_AT_ALL)
        if is_connected and self._separate is not self._connected:
            found = self._connected.extended(wanted)
        return self._module(found, is_connected)

    def _have(self, places: Iterable[int], heads: frozenset[str]) -> bool:
        return any(has_head(self._axioms[place], heads) for place in places)

    def _module(self, found: _Extraction, is_connected: bool) -> Module:
        axioms = [self._axioms[place] for place in sorted(found.chosen)]
        shortened = {}
        for axiom in axioms:
            if axiom.head == "DifferentIndividuals":
                kept = [individual for individual in axiom.args if Individual(subject(individual)) in found.signature]
                if len(kept) < len(axiom.args):
                    shortened[axiom] = Expression(axiom.head, *kept)
        has_nominals = is_connected and self._have(found.chosen, NOMINALS)
        return Module(tuple(axioms), shortened, is_connected, has_nominals)


@dataclass(slots=True)
class _Extraction:
    signature: set[Symbol]
    chosen: set[int]


class _Base:
    """The part of every module, and the guards of all other axioms."""

    def __init__(
        self,
        axioms: Sequence[Expression],
        symbols: Sequence[frozenset[Symbol]],
        locality: type[EmptyOutside | FullOutside],
        individuals: set[Symbol],
    ) -> None:
        self._axioms = axioms
        self._symbols = symbols
        self._locality = locality
        self._guarded: dict[Symbol, list[int]] = {}
        self.base = _Extraction(set(individuals), set())
        self._extend(self.base, range(len(axioms)), [], self._guarded)

    def extended(self, symbols: Iterable[Symbol]) -> _Extraction:
        """The module for a signature."""
        found = _Extraction(set(self.base.signature), set(self.base.chosen))
        new = [symbol for symbol in symbols if symbol not in found.signature]
        found.signature.update(new)
        self._extend(found, (), new, {})
        return found

    def _extend(
        self, found: _Extraction, places: Iterable[int], new: list[Symbol], guarded: dict[Symbol, list[int]]
    ) -> None:
        """Examines the axioms in these places, and all that become relevant because of new symbols."""
        locality = self._locality(found.signature)
        examined = list(places)
        while examined or new:
            for place in examined:
                if place in found.chosen:
                    continue
                guards = locality.matters(self._axioms[place])
                if guards is None:
                    found.chosen.add(place)
                    joined = [symbol for symbol in self._joining(place) if symbol not in found.signature]
                    found.signature.update(joined)
                    new += joined
                else:
                    for guard in guards:
                        guarded.setdefault(guard, []).append(place)
            examined = []
            while new and not examined:
                symbol = new.pop()
                examined = guarded.pop(symbol, [])
                if guarded is not self._guarded:
                    examined = examined + self._guarded.get(symbol, [])

    def _joining(self, place: int) -> Iterable[Symbol]:
        """The symbols that join with an axiom. Individuals that it only tells apart do not."""
        if self._axioms[place].head == "DifferentIndividuals":
            return ()
        return self._symbols[place]


def core_of(axioms: Iterable[Expression]) -> list[Expression]:
    """The axioms that can take part in a contradiction of the given ones, in the same order."""
    left = list(dict.fromkeys(axioms))
    while True:
        before = len(left)
        for locality in (FullOutside, EmptyOutside):
            symbols = list(map(symbols_of, left))
            individuals = {symbol for found in symbols for symbol in found if type(symbol) is Individual}
            chosen = _Base(left, symbols, locality, set(individuals)).base.chosen
            left = [left[place] for place in sorted(chosen)]
        if len(left) == before:
            return left


def _is_universal(axiom: Expression, symbols: frozenset[Symbol]) -> bool:
    """Whether an axiom uses the property that links everything, other than to say that it is above a property."""
    is_truism = axiom.head == "SubObjectPropertyOf" and axiom.args[1] == OWL.topObjectProperty
    return OWL.topObjectProperty in symbols and not is_truism
