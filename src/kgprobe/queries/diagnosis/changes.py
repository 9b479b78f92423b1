"""Changes that may repair a query: what they replace, how far they are from its text, and what they leave as it is.

Each candidate has a rank: how far it is from the text. Of those that work, one is offered if no other has its rank.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from kgprobe.queries.diagnosis.diagnostics import Edit, Fix, Report
from kgprobe.queries.files.texts import QueryText
from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql.algebra import Document, QueryTree, Span
from kgprobe.sparql.scopes import bound_within
from kgprobe.sparql.tokens import tokens

__all__ = ["Candidate", "Rank", "fixed_text", "keeps_results", "replaced", "spelled"]

_LOCAL_NAME = re.compile(r"[A-Za-z_][\w-]*")


Replaced: TypeAlias = tuple[Span, str]
"""A part of a text, and what stands there instead."""


def replaced(text: str, edits: Iterable[Replaced]) -> str:
    """A text after several changes."""
    for span, replacement in sorted(edits, reverse=True):
        text = text[: span.start] + replacement + text[span.end :]
    return text


class Rank(IntEnum):
    """How far a kind of change is from the text. What names differ in is added to the first."""

    SLIP = 0
    NAMESPACE = 10
    LITERAL = 11
    SWAP = 12
    INVERSE = 13
    BACKWARDS = 14
    NEW_VARIABLE = 15
    OTHER_VARIABLE = 16
    OTHER_PREFIX = 17


@dataclass(frozen=True)
class Candidate:
    """A change of a query that may repair it: replaced parts of its text. With doubts, it is only shown.

    If one of its rivals repairs the query, too, there are doubts: the mistake may be there.
    """

    title: str
    edits: tuple[Replaced, ...]
    rank: int
    has_doubts: bool = False
    rivals: tuple[tuple[Replaced, ...], ...] = ()

    def fix(self, query: QueryText, *, is_only: bool) -> Fix | None:
        """The change in the file of the query; None if the file has, or would need, other characters than the query."""
        if not all(query.is_verbatim(span) and _needs_no_escape(query, span, new) for span, new in self.edits):
            return None
        edits = tuple(Edit(query.place(span), text) for span, text in self.edits)
        return Fix(self.title, edits, is_safe=is_only and not self.has_doubts)


_DELIMITERS = frozenset("\"'`\\{}%\n")


def _needs_no_escape(query: QueryText, span: Span, new: str) -> bool:
    """Whether a new text means the same in the file: in a string of a program, a quote might be its end."""
    return query.offsets is None or _DELIMITERS.intersection(new) <= set(query.text[span.start : span.end])


def spelled(name: NamedNode, document: Document) -> str:
    """A name as the query can write it, with a prefix that its text has: others may be known only here."""
    written = {each.text.partition(":")[0] for each in tokens(document.text) if each.kind == "prefixed"}
    fitting = [
        (len(namespace), f"{prefix}:{name.value[len(namespace) :]}")
        for prefix, namespace in document.prefixes.items()
        if prefix in written
        and name.value.startswith(namespace)
        and _LOCAL_NAME.fullmatch(name.value[len(namespace) :])
    ]
    return max(fitting)[1] if fitting else f"<{name.value}>"


# -- what a change must leave as it is ---------------------------------------------------------------------------------


def keeps_results(before: Document, after: Document, candidate: Candidate) -> bool:
    """Whether the results that had values before a change still have them, apart from a variable that it replaces."""
    renamed = {before.text[span.start + 1 : span.end] for span, _ in candidate.edits}
    return all(
        _results(one) - renamed <= _results(other)
        for one, other in zip(before.operations, after.operations, strict=True)
        if isinstance(one, QueryTree) and isinstance(other, QueryTree)
    )


def _results(query: QueryTree) -> set[str]:
    bound = {variable.name for variable in bound_within(query).possible if not variable.hidden}
    if query.projected is None:
        return bound
    return {column.variable.name for column in query.projected if column.expression is not None} | (
        bound & {column.variable.name for column in query.projected}
    )


# -- applying fixes ----------------------------------------------------------------------------------------------------


def fixed_text(text: str, report: Report) -> tuple[str, int]:
    """The text of a file after all safe fixes, and their number. Fixes that overlap wait."""
    chosen: list[Edit] = []
    applied = 0
    for fix in (fix for diagnostic in report.diagnostics for fix in diagnostic.fixes if fix.is_safe):
        if all(edit in chosen for edit in fix.edits):
            continue  # it mends several mistakes at once
        if not any(_overlap(new, old) for new in fix.edits for old in chosen):
            chosen += fix.edits
            applied += 1
    for edit in sorted(chosen, key=lambda each: each.place.start, reverse=True):
        text = text[: edit.place.start] + edit.text + text[edit.place.end :]
    return text, applied


def _overlap(one: Edit, other: Edit) -> bool:
    return one.place.start < other.place.end and other.place.start < one.place.end
