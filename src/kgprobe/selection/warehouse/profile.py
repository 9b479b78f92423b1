"""A loading profile: what the tables of a warehouse hold, as far as it comes from the ontology."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache

from kgprobe.entailment.rules import Regime
from kgprobe.selection.warehouse.relations import Column, Relation

__all__ = ["Content", "Role", "Scheme", "Table", "Warehouse", "content_of", "problem_with"]


class Role(Enum):
    """The part of a row that a column says something about."""

    TERM = "term"  # the row's term; in a row about a pair of terms, the lower one
    UPPER = "upper"
    RELATION = "relation"
    ROW = "row"  # the row itself


class Scheme(Enum):
    """How a table writes a term."""

    IRI = "iri"
    CURIE = "curie"  # GO:0008150
    LOCAL_NAME = "local-name"  # the part of the IRI after the last # or /
    LABEL = "label"  # the label; without one, the local name
    KEY = "key"  # a number or another code of the loader, always the same for a term


@dataclass(frozen=True, eq=False)  # so that it can be a key of many lookups; `content_of` makes each only once
class Content:
    """What a column holds: a name in a scheme, the values of a property, or a thing of the row such as its distance."""

    role: Role
    scheme: Scheme | None = None
    predicate: str = ""
    thing: str = ""


# What each kind of rows can say about the row itself.
_THINGS: Mapping[str, tuple[str, ...]] = {
    "terms": ("constant",),
    "annotations": ("value", "language", "constant"),
    "edges": ("constant",),
    "closure": ("distance", "constant"),
    "paths": ("path", "parent-path", "level", "constant"),
    "select": (),
}
_ROLES: Mapping[str, tuple[Role, ...]] = {
    "terms": (Role.TERM,),
    "annotations": (Role.TERM, Role.RELATION),
    "edges": (Role.TERM, Role.UPPER, Role.RELATION),
    "closure": (Role.TERM, Role.UPPER, Role.RELATION),
    "paths": (Role.TERM,),
    "select": (),
}
_OTHER_NAMES = {"lower": Role.TERM, "subject": Role.TERM, "object": Role.UPPER, "property": Role.RELATION}


@dataclass(frozen=True)
class Table:
    """A table, by the kind of its rows. Each key is described in `config/warehouse.schema.json`."""

    rows: str
    columns: Mapping[str, str] = field(default_factory=dict)
    of: str = "all"
    without: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    restrictions: bool = True
    definitions: bool = False
    reflexive: bool = False
    one_property: bool = False
    transitive: tuple[str, ...] = ()
    separator: str = "\\"
    names: str = ""
    query: str = ""

    @cached_property
    def is_about_pairs(self) -> bool:
        return self.rows in ("edges", "closure")

    def contents(self, scheme: Scheme) -> dict[str, Content]:
        """What the columns hold, by their names in lower case. `scheme` is for columns that do not name one."""
        return {name.lower(): content_of(said, self.rows, scheme) for name, said in self.columns.items()}


@dataclass(frozen=True)
class Warehouse:
    """The tables of a database that is loaded from the ontology. `data` are tables that come from elsewhere."""

    identifiers: str = Scheme.CURIE.value
    regime: str = Regime.NONE.value
    data: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    name: str = ""  # where it comes from, for messages

    @cached_property
    def by_name(self) -> dict[str, Table]:
        return {name.lower(): table for name, table in self.tables.items()}

    @cached_property
    def relations(self) -> tuple[Relation, ...]:
        """The tables as far as the profile describes them. Nobody says which columns the others have."""
        described = (
            Relation(name, tuple(Column(column.lower()) for column in table.columns))
            for name, table in self.by_name.items()
        )
        return (*described, *map(Relation, sorted(self.loaded_from_elsewhere)))

    @cached_property
    def identifiers_of_tables(self) -> frozenset[str]:
        """The names of described tables and columns: in a statement, they are no names of terms."""
        columns = (column.lower() for table in self.tables.values() for column in table.columns)
        return frozenset([*self.by_name, *columns, *self.loaded_from_elsewhere])

    @cached_property
    def loaded_from_elsewhere(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.data)


@lru_cache
def content_of(said: str, rows: str, scheme: Scheme = Scheme.CURIE) -> Content:
    """The content of a column as a profile writes it, such as `upper label`, `distance` or `rdfs:label`.

    `rows` is the kind of the rows of its table, and `scheme` is for contents that do not name one.
    """
    if rows == "select":
        return Content(Role.ROW, thing=said.lstrip("?"))
    first, _, rest = said.strip().partition(" ")
    if said in _THINGS[rows]:
        return Content(Role.ROW, thing=said)
    role = _OTHER_NAMES.get(first) or next((each for each in Role if each.value == first), None)
    what = said.strip() if role is None else rest.strip()
    role = role or Role.TERM
    if not what or what == "identifier":
        return Content(role, scheme)
    known = next((each for each in Scheme if each.value == what), None)
    return Content(role, known) if known else Content(role, predicate=what)


def problem_with(said: str, table: Table) -> str | None:
    """Why a column of a table cannot hold this; None if it can."""
    content = content_of(said, table.rows)
    is_named = content.scheme is not None or ":" in content.predicate or table.rows == "select"
    if content.thing or (content.role in _ROLES[table.rows] and is_named):
        return None
    valid = ", ".join(_valid(table))
    return f"a column of a table with {table.rows} cannot hold '{said}': it holds {valid}, or a property"


def _valid(table: Table) -> Iterator[str]:
    for role in _ROLES[table.rows]:
        yield role.value
    yield from _THINGS[table.rows]
