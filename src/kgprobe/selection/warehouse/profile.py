"""A loading profile: what the tables of a warehouse hold of the ontology, and how they write terms.

A cell of a row is a tuple of texts, because an ontology may have several values where a table has one. An empty tuple
is NULL. A text that starts with a zero byte stands for a value that only the loader knows: a key, or anything.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache
from typing import Final, TypeAlias

from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import OBO, RDFS, Literal, NamedNode
from kgprobe.selection.tests import Column, Relation

__all__ = ["Table", "Warehouse", "content_of", "problem_with"]


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
    role = _OTHER_NAMES.get(first) or next((role for role in Role if role.value == first), None)
    what = said.strip() if role is None else rest.strip()
    role = role or Role.TERM
    if not what or what == "identifier":
        return Content(role, scheme)
    known = next((scheme for scheme in Scheme if scheme.value == what), None)
    return Content(role, known) if known else Content(role, predicate=what)


@lru_cache
def value_of(predicate: str) -> Content:
    """The content of a column that holds one value of a property in each row."""
    return Content(Role.TERM, predicate=predicate, thing="value")


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


# -- how tables write terms --------------------------------------------------------------------------------------------


Cell: TypeAlias = tuple[str, ...]
KEY: Final = "\0key "
"""The start of a key: a number or code that the loader gives to a term."""
UNKNOWN: Final = "\0any"
"""A value that may equal any other."""

_OBO_NAME: Final = re.compile(re.escape(OBO.iri) + r"([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z]+)*)_(\w+)")
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?")
_OBO_IN_OWL: Final = "http://www.geneontology.org/formats/oboInOwl#"
_OBO_ID: Final = NamedNode(f"{_OBO_IN_OWL}id")
NAMES_OF_RELATIONS: Final = (RDFS.label, _OBO_ID, NamedNode(f"{_OBO_IN_OWL}shorthand"))
"""The properties by whose values a loader may write a relation, such as part_of."""


@lru_cache(maxsize=1 << 17)
def folded(text: str) -> str:
    """A text for comparison: databases may ignore case, accents, spaces at the end, and how a number is written."""
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text.casefold())
        text = "".join(part for part in parts if not unicodedata.combining(part))
    text = text.rstrip().casefold()
    return repr(float(text)) if text[:1] in "+-.0123456789" and _NUMBER.fullmatch(text) else text


def local_name(iri: str) -> str:
    """The part of an IRI after its last #, slash or colon."""
    return re.split(r"[#/:]", iri)[-1] or iri


def as_property(said: str, prefixes: Mapping[str, str], graphs: Sequence[Graph]) -> tuple[NamedNode, ...]:
    """The properties that a profile means: an IRI, a name with a prefix, or a label, local name or OBO identifier."""
    if said.startswith("<") and said.endswith(">"):
        return (_named(said[1:-1]),)
    prefix, colon, local = said.partition(":")
    if colon:
        if prefix in prefixes:
            return (_named(prefixes[prefix] + local),)
        return (_named(said if local.startswith("//") else f"{OBO.iri}{prefix}_{local}"),)
    found: dict[NamedNode, None] = {}
    for graph in graphs:
        for predicate in (RDFS.label, _OBO_ID):
            for _, _, value in graph.rows(None, graph.key(predicate), graph.key(Literal(said))):
                rows = graph.rows(None, graph.key(predicate), value)
                found.update((term, None) for row in rows if type(term := graph.term(row[0])) is NamedNode)
        used = {row[2] for row in graph.rows(None, graph.key(_ON_PROPERTY), None)}
        for term in map(graph.term, used):
            if type(term) is NamedNode and local_name(term.value) == said:
                found[term] = None
    return tuple(sorted(found, key=str))


_ON_PROPERTY: Final = NamedNode("http://www.w3.org/2002/07/owl#onProperty")


def _named(iri: str) -> NamedNode:
    try:
        return NamedNode(iri)
    except ValueError:
        raise InputError(f"'{iri}' in the warehouse profile is not an IRI") from None


class NamesIn:
    """The names of terms as one version of the ontology gives them."""

    def __init__(self, graph: Graph, both: Sequence[Graph], prefixes: Mapping[str, str]) -> None:
        """`both` are all versions: a property that a profile names by its label may have the label in one only."""
        self._graph = graph
        self._both = both
        self._namespaces = sorted(
            ((iri, name) for name, iri in prefixes.items() if iri), key=lambda each: -len(each[0])
        )
        self._prefixes = prefixes
        self._known: dict[Content, dict[Key, Cell]] = {}
        self._predicates: dict[str, tuple[Key, ...]] = {}
        self._relations: dict[Key, Cell] = {}

    def cell(self, content: Content, key: Key) -> Cell:
        """What a column with this content holds for a term."""
        known = self._known.setdefault(content, {})
        found = known.get(key)
        if found is None:
            found = known[key] = self._made(content, key)
        return found

    def relation(self, content: Content, key: Key) -> Cell:
        """The same for a property as the relation of a pair. Loaders write it in many ways, and all of these match."""
        if content.scheme is Scheme.KEY or content.scheme is None:
            return self.cell(content, key)
        found = self._relations.get(key)
        if found is None:
            found = self._relations[key] = self._names_of_relation(key)
        return found

    def _names_of_relation(self, key: Key) -> Cell:
        term = self._graph.term(key)
        names = [term.value, self._curie(term.value), local_name(term.value)]
        if term == RDFS.subClassOf:
            names += ["is_a", "isa", "subclass_of", "subClassOf", "rdfs:subClassOf"]
        return (*dict.fromkeys(names), *self._literals(NAMES_OF_RELATIONS, key))

    def _made(self, content: Content, key: Key) -> Cell:
        term = self._graph.term(key)
        match content.scheme:
            case None:
                found = self.values(content.predicate, key)
                return (*found, UNKNOWN) if len(found) > 1 and not content.thing else found
            case Scheme.KEY:
                return (KEY + str(term),)
            case Scheme.IRI:
                return (term.value,)
            case Scheme.LOCAL_NAME:
                return (local_name(term.value),)
            case Scheme.CURIE:
                return (self._curie(term.value),)
            case Scheme.LABEL:
                found = self._literals((RDFS.label,), key)
                return (*found, UNKNOWN) if len(found) > 1 else found or (local_name(term.value),)

    def values(self, predicate: str, key: Key) -> Cell:
        """The values of a property that a profile names, in order; terms among them are written as CURIEs and IRIs."""
        found: list[str] = []
        for property_key in self.predicates(predicate):
            found += map(self.value, self._graph.objects(key, property_key))
        return tuple(sorted(found))

    def value(self, key: Key) -> str:
        """A value as text. How a loader writes a term or a blank node is unknown, but not which one it is."""
        term = self._graph.term(key)
        return term.value if type(term) is Literal else f"{UNKNOWN} {term}"

    def predicates(self, said: str) -> tuple[Key, ...]:
        """The keys of the properties that a profile means."""
        if said not in self._predicates:
            found = as_property(said, self._prefixes, self._both)
            if not found:  # silence would hide every change
                message = f"the warehouse profile names a property '{said}', which neither version has"
                raise InputError(message, hint="write its label, its OBO identifier, or a name with a prefix")
            self._predicates[said] = tuple(map(self._graph.key, found))
        return self._predicates[said]

    def _literals(self, predicates: Iterable[NamedNode], key: Key) -> Cell:
        graph = self._graph
        found = [graph.term(value) for predicate in predicates for value in graph.objects(key, graph.key(predicate))]
        return tuple(sorted({term.value for term in found if type(term) is Literal}))

    def _curie(self, iri: str) -> str:
        named = _OBO_NAME.fullmatch(iri)
        if named is not None:
            return f"{named[1]}:{named[2]}"
        for namespace, prefix in self._namespaces:
            if iri.startswith(namespace) and iri != namespace:
                return f"{prefix}:{iri[len(namespace) :]}"
        return iri


class TermsByText:
    """The terms that a text can mean in a column, in either version: an index for each kind of content."""

    def __init__(self, versions: Sequence[tuple[Graph, NamesIn]]) -> None:
        self._versions = versions
        self._known: dict[Content, dict[str, set[Key]]] = {}

    def meant(self, content: Content, text: str) -> Iterable[Key] | None:
        """The terms for which a column holds this text; None if nobody knows."""
        if text.startswith(UNKNOWN):
            return None
        if text.startswith(KEY):
            if content.scheme is not Scheme.KEY:
                return None
            iri = text.removeprefix(KEY)[1:-1]
            return [graph.key(NamedNode(iri)) for graph, _ in self._versions[:1]]
        if content.scheme is Scheme.KEY:
            return None
        index = self._indexed(content)
        return index.get(folded(text), set()) | index.get(UNKNOWN, set())

    def are_there(self, content: Content, text: str) -> bool:
        """Whether some term has this text."""
        return folded(text) in self._indexed(content)

    def _indexed(self, content: Content) -> dict[str, set[Key]]:
        if content not in self._known:
            self._known[content] = self._index(content)
        return self._known[content]

    def _index(self, content: Content) -> dict[str, set[Key]]:
        found: dict[str, set[Key]] = {}
        # Only labels and other values differ between the versions.
        is_same = content.scheme is not None and content.scheme is not Scheme.LABEL
        for graph, names in self._versions[:1] if is_same else self._versions:
            keys: Iterable[Key] = self._terms
            if content.predicate:
                keys = {row[0] for name in names.predicates(content.predicate) for row in graph.rows(None, name, None)}
            for key in keys:
                for text in names.cell(content, key):
                    found.setdefault(UNKNOWN if text.startswith(UNKNOWN) else folded(text), set()).add(key)
        return found

    @cached_property
    def _terms(self) -> list[Key]:
        table = self._versions[0][0].table
        found: list[Key] = [number for number, term in enumerate(table.terms) if type(term) is NamedNode]
        added = (key for graph, _ in self._versions for keys in graph.changed_keys for key in keys)
        return [*found, *{key: None for key in added if type(key) is NamedNode}]
