"""What one definition of a Python file says about graphs: its texts, its terms, what it asks, and what it refers to."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kgprobe.graph.terms import NamedNode
from kgprobe.queries.uses import AnyUse, TripleUse
from kgprobe.selection.discovery.python.asking import Asker, CallSite
from kgprobe.selection.discovery.python.modules import Module
from kgprobe.selection.discovery.python.positions import name_place
from kgprobe.selection.discovery.python.scopes import Scope
from kgprobe.selection.discovery.python.values import FileText
from kgprobe.selection.tests import Mention, TermUse

__all__ = ["Findings", "Text", "mentions_at"]

_TELLING = re.compile(r"[:{]|\bFROM\b|\bSET\b|\.\w+$|\bINTO\b|\bDESCRIBE\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and where it stands: `node` if it is written there as it is."""

    value: str
    line: int
    node: ast.Constant | None = None
    asked_by: str | None = None  # the function that a graph is asked just this with; "" if it is beyond doubt


@dataclass
class Findings:
    """What was found in a definition."""

    scope: Scope
    texts: list[Text] = field(default_factory=list)
    terms: list[tuple[str, int]] = field(default_factory=list)
    named: list[tuple[str, ast.expr]] = field(default_factory=list)  # terms, and where they are named
    files: list[tuple[Path, int]] = field(default_factory=list)
    uses: list[TripleUse | AnyUse] = field(default_factory=list)
    parts: set[str] = field(default_factory=set)  # texts that others are put together from
    unseen: list[tuple[str, int]] = field(default_factory=list)
    signal: int | None = None  # a line that has to do with a graph in some way
    prefixes: dict[str, str] = field(default_factory=dict)
    calls: dict[str, list[CallSite]] = field(default_factory=lambda: defaultdict(list))
    handed: list[tuple[str, int]] = field(default_factory=list)  # functions that are given a graph
    askers: list[Asker] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)  # that are defined here
    names: dict[str, Scope] = field(default_factory=dict)
    members: set[str] = field(default_factory=set)  # of the class that this is in
    attributes: dict[tuple[str, str], Scope] = field(default_factory=dict)  # of modules, perhaps
    fixtures: set[str] = field(default_factory=set)

    @cached_property
    def telling(self) -> list[Text]:
        """The texts that may be a query, SQL, the name of a term, or the name of a file."""
        return [text for text in self.texts if isinstance(text.value, FileText) or _TELLING.search(text.value)]

    @cached_property
    def is_silent(self) -> bool:
        """Whether nothing here is about graphs."""
        return not (self.texts or self.terms or self.named or self.files or self.uses or self.unseen or self.handed)

    @cached_property
    def term_uses(self) -> tuple[TermUse, ...]:
        """The terms, as uses."""
        return tuple(TermUse(node, iri, line) for iri, line in self.terms for node in _nodes(iri))

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """The places where terms are named, as places in the file."""
        return tuple(each for iri, node in self.named for each in mentions_at(iri, node, self.scope.module))

    @cached_property
    def referred(self) -> set[str]:
        """All names that are used here in any way."""
        return {*self.names, *(attribute for _, attribute in self.attributes)}


def mentions_at(iri: str, node: ast.expr, module: Module) -> Iterator[Mention]:
    """The place where an expression names a term, if it does so in a way that can be told."""
    place = name_place(node, module)
    if place is not None and iri.endswith(place[1].rpartition(":")[2]):
        start, written = place
        yield from (Mention(each, module.file, start, start + len(written), written) for each in _nodes(iri))


def _nodes(iri: str) -> Iterator[NamedNode]:
    try:
        yield NamedNode(iri)
    except ValueError:  # no triple has what is no IRI
        return
