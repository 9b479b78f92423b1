"""The columns that names mean in a query, and what is known about their values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from kgprobe.selection.warehouse.sql.conditions import ANYTHING, At, Formula, Values

__all__ = ["Cte", "Flow", "Item", "Output", "Scope", "UnknownPartError", "column_at", "joined"]


class UnknownPartError(Exception):
    """A part of a statement that may read anything."""

    def __init__(self, reason: str, node: exp.Expr | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.node = node


@dataclass(frozen=True, slots=True)
class Flow:
    """A value in a query.

    If only rows with some values here matter, then of the occurrences of `places` only rows with these values do.
    """

    places: frozenset[At] = frozenset()
    values: Values | None = None  # None: anything
    uses: frozenset[At] = frozenset()  # the columns that it depends on

    def without_places(self) -> Flow:
        return Flow(frozenset(), self.values, self.uses)


def joined(flows: list[Flow]) -> Flow:
    """A value that is one of these."""
    values: Values | None = Values()
    for each in flows:
        values = None if values is None or each.values is None else values | each.values
    return Flow(
        frozenset().union(*(each.places for each in flows)),
        values,
        frozenset().union(*(each.uses for each in flows)),
    )


def column_at(number: int, column: str) -> Flow:
    """A column of an occurrence as it is."""
    place = frozenset([At(number, column)])
    return Flow(place, Values(columns=place), place)


@dataclass(frozen=True, slots=True)
class Output:
    """The columns of a query or relation. With `is_open`, there may be others, which may be anything."""

    columns: tuple[tuple[str, Flow], ...] = ()
    is_open: bool = False
    formula: Formula = ANYTHING  # holds for the rows of the query's own occurrences and of those around it
    unnamed: tuple[int, ...] = ()  # occurrences of tables whose columns nobody has declared

    def without_places(self) -> Output:
        columns = tuple((name, flow.without_places()) for name, flow in self.columns)
        return Output(columns, self.is_open or bool(self.unnamed), self.formula)


@dataclass
class Item:
    """Something after FROM, under its name."""

    name: str
    output: Output
    is_hidden: bool = False  # the right side of a semijoin
    table: str = ""

    def __post_init__(self) -> None:
        self.columns: dict[str, Flow] = {}
        self.twice: set[str] = set()
        for name, flow in self.output.columns:
            if name in self.columns:
                self.twice.add(name)
            self.columns[name] = flow


@dataclass(frozen=True, slots=True)
class Cte:
    """A query with a name. `within` is the scope in which its own names are looked up."""

    node: exp.Expr | None
    within: Scope | None
    columns: tuple[str, ...] = ()
    is_recursive: bool = False
    output: Output | None = None  # of a recursive query, for its own recursive part


@dataclass
class Scope:
    """The names that are visible in a query."""

    parent: Scope | None = None
    items: list[Item] = field(default_factory=list)
    merged: dict[str, Flow] = field(default_factory=dict)  # columns that USING has made one
    ctes: dict[str, Cte] = field(default_factory=dict)
    parameters: dict[str, Flow] = field(default_factory=dict)  # of a function
    aliases: dict[str, exp.Expr] = field(default_factory=dict)  # names in the SELECT list

    def up(self) -> Iterator[Scope]:
        """This scope and those around it."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def cte(self, name: str) -> Cte | None:
        """The query with this name."""
        return next((scope.ctes[name] for scope in self.up() if name in scope.ctes), None)

    @property
    def visible(self) -> list[Item]:
        return [item for item in self.items if not item.is_hidden]

    def before(self) -> Scope:
        """The scope of a query as it is now: it sees those before it."""
        return Scope(self.parent, ctes=dict(self.ctes))

    def without_items(self) -> Scope:
        """The scope without the relations next to it, which only a lateral query sees."""
        return Scope(self.parent, ctes=self.ctes, parameters=self.parameters)
