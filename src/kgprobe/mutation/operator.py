"""Operators: a description, and a function that proposes one change to a graph without touching its pinned parts."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.rdf.graph import FreshNames, Graph
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import BlankNode, NamedNode, Term, Triple

if TYPE_CHECKING:
    from kgprobe.masks.pins import PinnedTriples

__all__ = [
    "NO_PINS",
    "Change",
    "Description",
    "Example",
    "Operator",
    "Pins",
    "Propose",
    "PythonOperator",
    "Site",
    "described",
    "read_header",
]

_KEYS = (
    *("name", "does", "target", "domain-specific", "tidies", "deletes-nodes", "replaces-nodes"),
    *("sets", "paper", "rdfmutate", "before", "after"),
)
_NEEDED = ("name", "does", "target")
_LINE = re.compile(r"([A-Za-z][\w-]*):(?:\s+(.*))?$")
_BLOCKS = ("before", "after")
_NAME = re.compile(r"[A-Za-z][\w.-]*")
_VARIABLE = re.compile(r"[?$]\w+")
_TRUTHS = {"yes": True, "no": False}


class Target(StrEnum):
    """The statements that an operator changes: those about individuals, those about classes and properties, or both."""

    ABOX = "abox"
    TBOX = "tbox"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Example:
    """A graph that the operator applies to, and a possible result, both in Turtle."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Description:
    """The documentation of an operator."""

    name: str
    summary: str
    target: Target
    domain_specific: bool = False
    # Whether to remove the triples that depend on a removed triple as well: see `axiom_rows`.
    tidies: bool = False
    # Variables whose values are removed from all triples, and pairs: the second replaces the first in all triples.
    deletes_nodes: tuple[str, ...] = ()
    replaces_nodes: tuple[tuple[str, str], ...] = ()
    sets: tuple[str, ...] = ()
    # Its origin: a row of a table in the paper on mutation testing, and its names in RDFMutate.
    paper: str | None = None
    rdfmutate: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()


@dataclass(frozen=True, slots=True)
class Site:
    """The context of an operator: a graph, a random source, a source of new names, and the pinned triples."""

    graph: Graph
    random: Random
    fresh: FreshNames
    pins: Pins


class Change(NamedTuple):
    """A proposal of an operator: triples of the graph to remove, and missing triples to add, by their keys.

    `binding` holds the choices of the operator.
    """

    removed: Sequence[KeyTriple]
    added: Sequence[KeyTriple]
    binding: Mapping[str, Key]


# One change, drawn at random from all that the operator can make; None if it cannot make any.
Propose: TypeAlias = Callable[[Site], Change | None]


class Operator(Protocol):
    """One way to change a graph."""

    @property
    def description(self) -> Description:
        """Its documentation."""
        ...

    @property
    def source(self) -> str:
        """Its source: SPARQL Update, or Python."""
        ...

    def bound(self, pins: Pins) -> Propose:
        """The function that proposes changes. They never touch pinned triples."""
        ...


@dataclass(frozen=True)
class PythonOperator:
    """An operator that SPARQL cannot express. The function must respect the pins of the site."""

    description: Description
    propose: Propose
    source: str

    def bound(self, pins: Pins) -> Propose:  # noqa: ARG002 - the site has them
        return self.propose


def read_header(lines: Sequence[str], name: str) -> Description:
    """Read the lines of a header; errors name `name` as their source. Lines are counted from 1."""
    fields: dict[str, tuple[int, str]] = {}
    examples: list[dict[str, str]] = []
    block: str | None = None
    for number, line in enumerate(lines, start=1):
        pair = _LINE.match(line.rstrip())
        if pair and pair[1] in _BLOCKS:
            block = pair[1]
            if block == "before" or not examples:
                examples.append({})
            examples[-1][block] = (pair[2] or "") + "\n"
        elif block and (line.startswith((" ", "\t")) or not line.strip()):
            examples[-1][block] += line + "\n"
        elif pair:
            block = None
            _check_key(pair[1], Position(name, number))
            if pair[1] in fields:
                message = f"'{pair[1]}' is given twice, first in line {fields[pair[1]][0]}"
                raise InputError(message, where=Position(name, number))
            fields[pair[1]] = number, (pair[2] or "").strip()
        elif line.strip():
            raise InputError(f"'{line.strip()}' is not a 'key: value' line", where=Position(name, number))
    return _description(fields, examples, name)


def _description(fields: dict[str, tuple[int, str]], examples: list[dict[str, str]], name: str) -> Description:
    for key in _NEEDED:
        if not fields.get(key, (0, ""))[1]:
            hint = "an operator begins with comments '# name: …', '# does: …', '# target: …'"
            raise InputError(f"the header has no '{key}'", where=Position(name), hint=hint)
    if not _NAME.fullmatch(fields["name"][1]):
        message = f"'{fields['name'][1]}' is not a name for an operator: use letters, digits, '_', '-' and '.'"
        raise InputError(message, where=Position(name, fields["name"][0]))
    for example in examples:
        if set(example) != set(_BLOCKS):
            raise InputError("an example needs both 'before:' and 'after:'", where=Position(name))
    return Description(
        name=fields["name"][1],
        summary=fields["does"][1],
        target=Target(_one_of([target.value for target in Target], fields["target"], "target", name)),
        domain_specific=_truth(fields, "domain-specific", name),
        tidies=_truth(fields, "tidies", name),
        deletes_nodes=_variables(fields.get("deletes-nodes"), "deletes-nodes", name),
        replaces_nodes=_pairs(fields.get("replaces-nodes"), name),
        sets=_words(fields.get("sets")),
        paper=fields["paper"][1] if "paper" in fields else None,
        rdfmutate=_words(fields.get("rdfmutate")),
        examples=tuple(Example(**example) for example in examples),
    )


def _check_key(key: str, where: Position) -> None:
    if key not in _KEYS:
        hint = did_you_mean(key, _KEYS, f"valid are {', '.join(_KEYS)}")
        raise InputError(f"a header has no key '{key}'", where=where, hint=hint)


def _one_of(valid: Sequence[str] | dict[str, bool], field: tuple[int, str], key: str, name: str) -> str:
    line, value = field
    if value not in valid:
        hint = f"valid are {', '.join(valid)}"
        raise InputError(f"'{value}' is not a value for '{key}'", where=Position(name, line), hint=hint)
    return value


def _truth(fields: dict[str, tuple[int, str]], key: str, name: str) -> bool:
    return _TRUTHS[_one_of(_TRUTHS, fields.get(key, (0, "no")), key, name)]


def _variables(field: tuple[int, str] | None, key: str, name: str) -> tuple[str, ...]:
    for word in _words(field):
        if not _VARIABLE.fullmatch(word):
            where = Position(name, field[0] if field else None)
            raise InputError(f"'{word}' in '{key}' is not a variable", where=where, hint="variables are written ?node")
    return tuple(word[1:] for word in _words(field))


def _pairs(field: tuple[int, str] | None, name: str) -> tuple[tuple[str, str], ...]:
    variables = _variables(field, "replaces-nodes", name)
    if len(variables) % 2:
        where = Position(name, field[0] if field else None)
        raise InputError("'replaces-nodes' has an old node without a new one", where=where, hint="write ?old ?new")
    return tuple(zip(variables[::2], variables[1::2], strict=True))


def _words(field: tuple[int, str] | None) -> tuple[str, ...]:
    return tuple(word for word in re.split(r"[,\s]+", field[1]) if word) if field else ()


_Drawn = TypeVar("_Drawn")


@dataclass(frozen=True)
class DrawnChange(Generic[_Drawn]):
    """Draws something until there is a change of it, or nothing to draw: it may be pinned, or not fit."""

    draw: Callable[[Site], _Drawn | None]
    change: Callable[[Site, _Drawn], Change | None]
    tries: int

    def __call__(self, site: Site) -> Change | None:
        for _ in range(self.tries):
            drawn = self.draw(site)
            if drawn is None:
                return None
            change = self.change(site, drawn)
            if change is not None:
                return change
        return None


def described(header: str, propose: Propose) -> PythonOperator:
    """The operator that proposes these changes. Its source is the module of the function."""
    module = inspect.getmodule(propose.change if isinstance(propose, DrawnChange) else propose)
    assert module is not None  # noqa: S101 - all operators are in modules
    return PythonOperator(read_header(header.strip().splitlines(), module.__name__), propose, inspect.getsource(module))


class Pins:
    """Triples that stay, and namespaces whose subjects do not change, with the blank nodes that belong to them.

    Operators check the pins before they match, so that no proposal has to be discarded because of them.
    """

    def __init__(self, triples: Iterable[PinnedTriples] = (), namespaces: Iterable[str] = ()) -> None:
        self.triples = tuple(triples)
        self.namespaces = tuple(namespaces)
        self.are_any = bool(self.triples or self.namespaces)

    def protect(self, graph: Graph, keys: KeyTriple) -> bool:
        """Whether this triple may be neither added nor removed."""
        if self.namespaces and any(self._is_inside(owner) for owner in _owners(graph, keys[0])):
            return True
        return any(keys in pinned.rows_in(graph.table) for pinned in self.triples)

    def allow(self, graph: Graph, changes: Iterable[KeyTriple]) -> bool:
        """Whether all of these triples may be added or removed."""
        return not self.are_any or not any(self.protect(graph, keys) for keys in changes)

    def pinned_in(self, graph: Graph) -> Iterator[Triple]:
        """The triples of a graph that may not be removed."""
        rows = {keys: None for pinned in self.triples for keys in pinned.rows_in(graph.table) if graph.has(*keys)}
        if self.namespaces:
            inside = (key for key in dict.fromkeys(row[0] for row in graph.rows()) if self._is_inside(graph.term(key)))
            for node in reached(inside, partial(_parts, graph)):
                rows |= dict.fromkeys(graph.rows(node))
        return map(graph.triple, rows)

    def _is_inside(self, subject: Term) -> bool:
        return isinstance(subject, NamedNode) and subject.value.startswith(self.namespaces)


def _owners(graph: Graph, subject: Key) -> Iterator[Term]:
    """The owners of a triple about this subject: for a blank node, everything that refers to it, directly or not."""

    def referring(node: Key) -> Iterator[Key]:
        return (row[0] for row in (graph.to(node) if isinstance(graph.term(node), BlankNode) else ()))

    return map(graph.term, reached([subject], referring))


def _parts(graph: Graph, node: Key) -> Iterator[Key]:
    """The blank nodes that the triples about a node lead to."""
    return (row[2] for row in graph.rows(node) if isinstance(graph.term(row[2]), BlankNode))


NO_PINS = Pins()


# -- drawing triples, for operators in Python --------------------------------------------------------------------------


def triple_with(predicate: NamedNode, object_: NamedNode | None = None) -> Callable[[Site], KeyTriple | None]:
    """Draws a random triple with this predicate, and this object."""

    def draw(site: Site) -> KeyTriple | None:
        graph = site.graph
        return graph.sample(site.random, None, graph.key(predicate), None if object_ is None else graph.key(object_))

    return draw


def triple_with_one_of(predicates: Iterable[Key], site: Site) -> KeyTriple | None:
    """A random triple with one of these predicates, with equal probability for all of them; None if none exists."""
    graph = site.graph
    changed = graph.changed_parts(1)
    here = (predicate for predicate in predicates if type(predicate) is int or predicate in changed)
    counts = {predicate: graph.count(None, predicate) for predicate in here}
    point = int(site.random.random() * sum(counts.values()))
    for predicate, count in counts.items():
        if point < count:
            return graph.sample(site.random, None, predicate)
        point -= count
    return None
