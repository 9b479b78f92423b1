"""Reads similar queries once.

Test suites are often generated: the same query for hundreds of terms, such as `obo:GO_0008150`. Two texts are similar
if they differ only in such names, if the names have the same prefix and the same length, and if the same names are
equal in both. Then they have the same syntax, and differ in meaning only by the names.

Only names with a digit count, so that no name of a vocabulary stands for another. A text is like no other if the names
may matter in another way: if it also has full IRIs or strings with such a name, or if it could not be fully read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kgprobe.rdf.pattern import TriplePattern
from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql.algebra import NamedTerm
from kgprobe.sparql.reading import Query, read_query
from kgprobe.sparql.uses import AnyUse, Condition, PathUse, Slot, TripleUse, Use

__all__ = ["SimilarQueryReader"]

# Texts that may contain something like a name come before names. Declarations are not names, and stay.
_PARTS = re.compile(
    r"""PREFIX\s+[^\s:]*:\s*<[^<>]*>
      | \#[^\n]* | "[^"]*" | '[^']*' | (?P<iri><[^<>"{}|^`\\\s]*>)
      | (?P<prefix>\b[A-Za-z][\w\-]*):(?P<local>[A-Za-z]*_?[0-9]+)(?![\w\-.:%\\])""",
    re.VERBOSE | re.IGNORECASE,
)
# Strings that may not end at the next quote.
_TANGLED = re.compile(r"""\\|"{3}|'{3}""")


class SimilarQueryReader:
    """Reads queries, and of similar ones only the first. `prefixes` apply if a text does not declare its own."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = prefixes
        self._known: dict[str, _Template] = {}

    def read(self, text: str, name: str = "<query>") -> Query:
        """The same as `read_query`."""
        shape, names = _shape(text)
        known = None if shape is None else self._known.get(shape)
        if known is not None:
            return known.query(names)
        query = read_query(text, name, self._prefixes)
        if shape is not None and not query.unseen and not query.notes:
            self._known[shape] = _Template(query, names)
        return query


def _shape(text: str) -> tuple[str | None, tuple[str, ...]]:
    """The text with numbers in place of names, and the names; None for a text that is like no other."""
    if _TANGLED.search(text):
        return None, ()
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


class _Template:
    """A query in which names can be replaced. Parts without such names are shared by all results."""

    def __init__(self, query: Query, names: tuple[str, ...]) -> None:
        self._query = query
        self._names = names
        self._spaces = [query.prefixes[name.partition(":")[0]] for name in names]
        self._terms = [_term(space, name) for space, name in zip(self._spaces, names, strict=True)]
        itself = _Renaming(dict(zip(names, names, strict=True)), {term: term for term in self._terms})
        self._uses = [(use, itself.concerns_use(use)) for use in query.uses]
        self._patterns = [(pattern, not itself.iris.keys().isdisjoint(pattern)) for pattern in query.patterns]
        self._named = [(named, named.written in itself.written) for named in query.terms]

    def query(self, names: tuple[str, ...]) -> Query:
        """The query with these names."""
        said = self._query
        written = dict(zip(self._names, names, strict=True))
        new = [_term(space, name) for space, name in zip(self._spaces, names, strict=True)]
        renaming = _Renaming(written, dict(zip(self._terms, new, strict=True)))
        return Query(
            said.form,
            said.prefixes,
            tuple([renaming.use(each) if is_concerned else each for each, is_concerned in self._uses]),
            tuple([renaming.pattern(each) if is_concerned else each for each, is_concerned in self._patterns]),
            tuple([renaming.named(each) if is_concerned else each for each, is_concerned in self._named]),
        )


def _term(space: str, name: str) -> NamedNode:
    return NamedNode(space + name.partition(":")[2])


class _Renaming:
    """Replacements of names, as written and as IRIs."""

    def __init__(self, written: Mapping[str, str], iris: dict[Any, NamedNode]) -> None:
        self.written = written
        self.iris = iris

    def concerns_use(self, use: Use) -> bool:
        """Whether a use has any of the names."""
        found = any(part[0] in self.written for part in _PARTS.finditer(use.text))
        if isinstance(use, TripleUse):
            found = found or any(str(iri) in condition.text for iri in self.iris for condition in use.conditions)
            slots = [use.subject, use.predicate, use.object]
        elif isinstance(use, PathUse):
            found = found or any(edge in self.iris for edge, _ in use.edges)
            slots = [use.subject, use.object]
        else:
            slots = []
        return found or any(slot.terms and not self.iris.keys().isdisjoint(slot.terms) for slot in slots)

    def use(self, use: Use) -> Use:
        """A use with the new names."""
        text = _PARTS.sub(lambda found: self.written.get(found[0], found[0]), use.text)
        if isinstance(use, TripleUse):
            subject, predicate, object_ = map(self._slot, (use.subject, use.predicate, use.object))
            conditions = tuple(map(self._condition, use.conditions)) if use.conditions else ()
            return TripleUse(subject, predicate, object_, conditions, text, use.line)
        if isinstance(use, PathUse):
            edges = frozenset([(self.iris.get(edge, edge), backwards) for edge, backwards in use.edges])
            return PathUse(self._slot(use.subject), edges, self._slot(use.object), use.reflexive, text, use.line)
        return AnyUse(text, use.line)

    def _slot(self, slot: Slot) -> Slot:
        if slot.terms is None or self.iris.keys().isdisjoint(slot.terms):
            return slot
        return Slot(frozenset([self.iris.get(term, term) for term in slot.terms]), slot.variable)

    def _condition(self, condition: Condition) -> Condition:
        text = condition.text
        for before, after in self.iris.items():
            # In two passes, because the new name of one term may be the old name of another.
            text = text.replace(str(before), f"\0{after.value}\0")
        return Condition(re.sub("\0([^\0]*)\0", r"<\1>", text), condition.variables)

    def pattern(self, pattern: TriplePattern) -> TriplePattern:
        """A pattern with the new names."""
        s, p, o = (self.iris.get(part, part) for part in pattern)
        return s, p, o

    def named(self, named: NamedTerm) -> NamedTerm:
        """The place of a name, with the new name."""
        return NamedTerm(self.iris[named.term], named.start, named.end, self.written[named.written], named.line)
