"""Queries that were made from one template are read once.

Suites of tests are often generated: the same query for hundreds of terms, such as `obo:GO_0008150`. Two texts are alike
if they differ only in such names, which have the same prefix and the same length, and if the same names are equal in
both. Then they have the same syntax, and what the one says is what the other says, with other names.

Only names with a digit count, so that none of a vocabulary is taken for another, and none if there is anything that
looks into names: full IRIs beside them, strings with such a name in them, or something that could not be told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from kgprobe.graph.patterns.pattern import TriplePattern, Variable
from kgprobe.graph.terms import NamedNode, Term
from kgprobe.queries.reading import Query, read_query
from kgprobe.queries.source import NamedTerm
from kgprobe.queries.uses import AnyUse, Condition, PathUse, Slot, TripleUse, Use

__all__ = ["AlikeReader"]

# Texts in which something else may look like a name come before names; declarations are no names, and stay.
_PARTS = re.compile(
    r"""PREFIX\s+[^\s:]*:\s*<[^<>]*>
      | \#[^\n]* | "[^"]*" | '[^']*' | (?P<iri><[^<>"{}|^`\\\s]*>)
      | (?P<prefix>\b[A-Za-z][\w\-]*):(?P<local>[A-Za-z]*_?[0-9]+)(?![\w\-.:%\\])""",
    re.VERBOSE | re.IGNORECASE,
)


class AlikeReader:
    """Reads queries; of those that are alike, the first one. `prefixes` hold where a text does not declare its own."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = prefixes
        self._known: dict[str, tuple[Query, tuple[str, ...]]] = {}

    def read(self, text: str, name: str = "<query>") -> Query:
        """The same as `read_query`."""
        shape, names = _shape(text)
        if shape is None:
            return read_query(text, name, self._prefixes)
        if shape not in self._known:
            query = read_query(text, name, self._prefixes)
            if not query.unseen and not query.notes:
                self._known[shape] = (query, names)
            return query
        query, known = self._known[shape]
        return _Renaming(query, known, names).query()


def _shape(text: str) -> tuple[str | None, tuple[str, ...]]:
    """The text with numbers for names, and the names; None for a text that is like no other."""
    pieces: list[str] = []
    numbers: dict[str, int] = {}
    done = 0
    for found in _PARTS.finditer(text):
        if found["iri"]:
            return None, ()
        if found["local"]:
            name = found[0]
            number = numbers.setdefault(name, len(numbers))
            pieces += (text[done : found.start()], found["prefix"], f":\0{number}:{len(name)}\0")
            done = found.end()
        elif found[0][0] in "\"'" and ":" in found[0]:
            return None, ()
    if not numbers:
        return None, ()
    pieces.append(text[done:])
    return "".join(pieces), tuple(numbers)


class _Renaming:
    """A query, with other names for some of its names."""

    def __init__(self, query: Query, old: tuple[str, ...], new: tuple[str, ...]) -> None:
        self._query = query
        self._written = dict(zip(old, new, strict=True))
        self._iris: dict[Term, NamedNode] = {}
        for before, after in self._written.items():
            prefix, _, local = before.partition(":")
            space = query.prefixes[prefix]
            self._iris[NamedNode(space + local)] = NamedNode(space + after.partition(":")[2])

    def query(self) -> Query:
        said = self._query
        return replace(
            said,
            uses=tuple(map(self._use, said.uses)),
            patterns=tuple(map(self._pattern, said.patterns)),
            terms=tuple(map(self._named, said.terms)),
        )

    def _use(self, use: Use) -> Use:
        text = self._text(use.text)
        match use:
            case TripleUse(subject, predicate, object_, conditions, _, line):
                renamed_conditions = tuple(map(self._condition, conditions))
                subject, predicate, object_ = map(self._slot, (subject, predicate, object_))
                return TripleUse(subject, predicate, object_, renamed_conditions, text, line)
            case PathUse(subject, edges, object_, reflexive, _, line):
                renamed = frozenset((self._iris.get(edge, edge), backwards) for edge, backwards in edges)
                return PathUse(self._slot(subject), renamed, self._slot(object_), reflexive, text, line)
            case AnyUse():
                return AnyUse(text, use.line)

    def _slot(self, slot: Slot) -> Slot:
        if slot.terms is None or self._iris.keys().isdisjoint(slot.terms):
            return slot
        return Slot(frozenset(self._iris.get(term, term) for term in slot.terms), slot.variable)

    def _condition(self, condition: Condition) -> Condition:
        text = condition.text
        for before, after in self._iris.items():
            # Not one after the other: the new name of one may be the old name of another.
            text = text.replace(str(before), f"\0{after.value}\0")
        return Condition(re.sub("\0([^\0]*)\0", r"<\1>", text), condition.variables)

    def _text(self, text: str) -> str:
        return _PARTS.sub(lambda found: self._written.get(found[0], found[0]), text)

    def _pattern(self, pattern: TriplePattern) -> TriplePattern:
        s, p, o = (part if isinstance(part, Variable) else self._iris.get(part, part) for part in pattern)
        return s, p, o

    def _named(self, named: NamedTerm) -> NamedTerm:
        written = self._written.get(named.written)
        if written is None:
            return named
        return NamedTerm(self._iris[named.term], named.start, named.end, written, named.line)
