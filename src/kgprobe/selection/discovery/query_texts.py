"""SPARQL queries in texts of any kind: their uses, or why those are not fully known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from kgprobe.errors import InputError
from kgprobe.graph.patterns.pattern import TriplePattern
from kgprobe.queries.reading import Query
from kgprobe.queries.similar_queries import SimilarQueryReader
from kgprobe.queries.uses import Use
from kgprobe.selection.tests import Mention

__all__ = ["QueryTexts", "Reading", "is_template"]

_BLIND = "cannot see what this test uses"
_TEMPLATE = "the query is a template"
_LINE = re.compile(r"line (\d+): (.*)", re.DOTALL)
_DECLARED = re.compile(r"\bPREFIX\s+([^\s:]*):", re.IGNORECASE)

# Placeholders for values that are filled in later, anywhere in a text.
_PLACE = (
    r"\{\{|\{%|\$\{|%\(\w+\)[sd]|%[sd](?!\w)|\{[A-Za-z_][\w.]*(?:![rsa])?(?::[^{}\s]*)?\}"
    r"""|(?<=[<"':])\{\}"""
)
_PLACEHOLDER = re.compile(_PLACE)
# Placeholders in a string, where SPARQL would read them as part of the value. Elsewhere `$name` is a variable. (With an
# atomic group, because Python before 3.11.4 mishandles a possessive repetition that has a lookahead.)
_IN_STRING = re.compile(
    rf"""(["'])(?:(?!\1)[^\\\n]|\\.)*?(?:{_PLACE}|\$[A-Za-z_]\w*)(?>(?:(?!\1)[^\\\n]|\\.)*)\1""",
)


@dataclass(frozen=True)
class Reading:
    """The uses of a query. `reasons` say why they may be incomplete, each with its line in the query if it has one."""

    uses: tuple[Use, ...] = ()
    patterns: tuple[TriplePattern, ...] = ()
    reasons: tuple[tuple[str, int | None], ...] = ()
    query: Query | None = None
    text: str = ""  # a complete query, with declarations of all prefixes that it uses

    @property
    def unseen(self) -> tuple[str, ...]:
        """The reasons as messages."""
        return tuple(f"{_BLIND}: {reason}" + (f" (line {line})" if line else "") for reason, line in self.reasons)

    @property
    def queries(self) -> tuple[str, ...]:
        """The complete query, if it is fully known."""
        return (self.text,) if self.text and not self.reasons else ()

    def mentions(self, file: Path, offset: int = 0) -> tuple[Mention, ...]:
        """The places where a file names terms; `offset` is the position of the query in the file."""
        if self.query is None:
            return ()
        return tuple(
            Mention(each.term, file, each.start + offset, each.end + offset, each.written) for each in self.query.terms
        )


class QueryTexts:
    """Reads queries, each text once. A query may use `prefixes` without declaring them."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self._prefixes = dict(prefixes)
        self._reader = SimilarQueryReader(self._prefixes)
        self._known: dict[tuple[str, tuple[tuple[str, str], ...]], Reading] = {}

    def read(self, text: str, prefixes: Mapping[str, str] | None = None) -> Reading:
        """The uses of a query; `prefixes` take precedence over those that all queries may use."""
        key = (text, tuple(sorted(prefixes.items())) if prefixes else ())
        found = self._known.get(key)
        if found is None:
            reader = SimilarQueryReader({**self._prefixes, **prefixes}) if prefixes else self._reader
            found = self._known[key] = _read(text, reader)
        return found


def is_template(text: str) -> bool:
    """Whether a text has placeholders, so that it may become a query when values are filled in."""
    return _PLACEHOLDER.search(text) is not None


def _read(text: str, reader: SimilarQueryReader) -> Reading:
    try:
        query = reader.read(text)
    except InputError as error:
        line = error.where.line if error.where else None
        return Reading(reasons=((_TEMPLATE, None) if is_template(text) else (error.message, line),))
    if _IN_STRING.search(text):
        return Reading(reasons=((_TEMPLATE, None),), query=query)
    reasons = tuple(_with_line(reason) for reason in query.unseen)
    return Reading(query.uses, query.patterns, reasons, query, _with_prefixes(text, query))


def _with_line(reason: str) -> tuple[str, int | None]:
    found = _LINE.match(reason)
    return (found[2], int(found[1])) if found else (reason, None)


@lru_cache
def _declared(prologue: str) -> frozenset[str]:
    return frozenset(_DECLARED.findall(prologue))


def _with_prefixes(text: str, query: Query) -> str:
    used = {each.written.partition(":")[0] for each in query.terms if not each.written.startswith("<")}
    declared = _declared(text.partition("{")[0])
    if used <= declared:
        return text
    lines = [f"PREFIX {prefix}: <{query.prefixes[prefix]}>\n" for prefix in sorted(used - declared)]
    return "".join(lines) + text
