"""Literals as OWL sees them, and which of them no axiom and no property tells apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property, lru_cache

from kgprobe.owl.expression import Argument, Expression
from kgprobe.owl.literal_values import Doubt, value_of
from kgprobe.owl.value_spaces import DATES, FLOATS
from kgprobe.queries.filters.values import ValueSet
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.facts import BeyondRulesError, ValueSpace
from kgprobe.rdf.terms import Literal, NamedNode

__all__ = ["Signs", "nodes_of", "value_space"]


class Signs:
    """Signs of literals under some axioms and classes: `trees`."""

    def __init__(self, schema: Schema, trees: Sequence[Expression], space: ValueSpace) -> None:
        self._schema = schema
        self._trees = trees
        self._space = space
        self._known: dict[Literal, tuple[Hashable, Hashable]] = {}
        self._values: dict[Hashable, int] = {}

    def of(self, literal: Literal) -> tuple[Hashable, Hashable]:
        """A sign of a literal, and its value. No axiom and no property tells two values with one sign apart."""
        found = self._known.get(literal)
        if found is None:
            found = self._known[literal] = self._new(literal)
        return found

    def is_stated(self, literal: Literal) -> bool:
        """Whether an axiom or a property has this value; if nobody knows its value, the answer is yes."""
        try:
            return self._space.value(literal)[0] in self._stated_values
        except BeyondRulesError:
            return True

    def _new(self, literal: Literal) -> tuple[Hashable, Hashable]:
        try:
            value, mark = self._space.value(literal)
        except BeyondRulesError:
            return literal, literal
        if mark:
            return literal, literal
        number = self._values.setdefault(value, len(self._values))  # numbers are faster to hash than values
        if value in self._stated_values:
            return literal, number
        inside = tuple(self._space.contains(each, literal) for each in self._ranges)
        return literal if None in inside else (literal.datatype, inside), number

    @cached_property
    def _stated_values(self) -> frozenset[Hashable]:
        found: set[Hashable] = set()
        for tree in self._trees:
            for node in nodes_of(tree):
                for argument in node.args:
                    if isinstance(argument, Literal):
                        try:
                            found.add(self._space.value(argument)[0])
                        except BeyondRulesError:
                            continue
        return frozenset(found)

    @cached_property
    def _ranges(self) -> list[Argument]:
        """The data ranges in the axioms and in the properties, those within others included."""
        found: dict[Argument, None] = {}
        for tree in self._trees:
            for node in nodes_of(tree):
                if node.head.startswith("Data") or node.head == "DatatypeRestriction":
                    found |= {each: None for each in node.args if isinstance(each, NamedNode | Expression)}
                    if node.head in ("DatatypeRestriction", "DataOneOf", "DataComplementOf"):
                        found[node] = None
        properties = {each for each in found if isinstance(each, NamedNode) and self._is_property(each)}
        return [each for each in found if each not in properties and not _is_class(each)]

    def _is_property(self, name: NamedNode) -> bool:
        return "Datatype" not in self._schema.kinds(name) and ValueSet.of_datatype(name).is_empty is None


def _is_class(term: Argument) -> bool:
    return isinstance(term, Expression) and not term.head.startswith("Data")


def nodes_of(tree: Expression) -> Iterator[Expression]:
    """An axiom or class with all that is in it."""
    yield tree
    for argument in tree.args:
        if isinstance(argument, Expression):
            yield from nodes_of(argument)


def value_space(schema: Schema) -> ValueSpace:
    """The literals as the datatypes of an ontology see them."""
    definitions = {name: said.what for name, said in schema.datatype_definitions.items()}
    set_of: Callable[[Argument], ValueSet] = lru_cache(maxsize=1 << 10)(
        lambda data_range: ValueSet.of_range(data_range, definitions)
    )

    def value(literal: Literal) -> tuple[Hashable, str]:
        found = value_of(literal)
        if isinstance(found, Doubt):
            raise BeyondRulesError
        kind = found.space.partition(" ")[0]
        # OWL tells two zeros apart, and one point in time in two time zones.
        is_date = kind in DATES and not (literal.value.endswith("Z") and "." not in literal.value)
        is_zero = kind in FLOATS and found.key == 0
        return found, literal.value if is_date or is_zero else ""

    def example(data_range: Argument) -> Literal | None:
        return next(iter(set_of(data_range).examples(1)), None)

    return ValueSpace(value, lambda data_range, literal: set_of(data_range).contains(literal), example)
