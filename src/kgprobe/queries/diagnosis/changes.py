"""Changes that may repair a query: what they replace, how far they are from its text, and what they leave as it is.

Each candidate has a rank: how far it is from the text. Of those that work, one is offered if no other has its rank. The
nearest are slips of the pen: names, namespaces and variables that are almost others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from kgprobe.queries.diagnosis.names import (
    BUILT_IN_NAMES,
    VOCABULARIES,
    NameRole,
    NameUse,
    distance,
    is_near,
    is_other_letter,
    is_other_number,
    is_other_word,
    known_name,
    namespace_of,
    near_namespaces,
    same_kind,
)
from kgprobe.queries.diagnostics import Edit, Fix, Report
from kgprobe.queries.files.texts import QueryText
from kgprobe.queries.schema import Schema
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql.algebra import Document, Group, Modify, QueryTree, Span
from kgprobe.sparql.scopes import bound_by, bound_within
from kgprobe.sparql.tokens import Token, tokens
from kgprobe.sparql.traversal import elements_within

__all__ = ["fixed_text"]

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
    written = {token.text.partition(":")[0] for token in tokens(document.text) if token.kind == "prefixed"}
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
    for edit in sorted(chosen, key=lambda edit: edit.place.start, reverse=True):
        text = text[: edit.place.start] + edit.text + text[edit.place.end :]
    return text, applied


def _overlap(one: Edit, other: Edit) -> bool:
    return one.place.start < other.place.end and other.place.start < one.place.end


# -- slips of the pen --------------------------------------------------------------------------------------------------

_MOST_COMPARED = 50  # variables of one finding; real queries have fewer
_OTHER_CASE = Rank.SLIP + 1
_AMBIGUOUS = 100  # added to the rank of changes that are evident only to their author

# -- names -------------------------------------------------------------------------------------------------------------


def renaming(use: NameUse, code: str, document: Document, schema: Schema) -> Iterator[Candidate]:
    """The names near a strange one, and another namespace for all names of its prefix."""
    if code != "unknown-term":
        for rank, name in _near_names(use, schema):
            if rank <= _OTHER_CASE:  # `prov:activity` for `prov:Activity`
                yield _renamed(use, name, rank, document)
        return
    if namespaces := list(_other_namespaces(use, document, schema)):
        yield from namespaces
        return  # which mends all names at once
    for rank, name in (*_near_names(use, schema), *_in_other_prefixes(use, document, schema)):
        yield _renamed(use, name, rank, document)


def _renamed(use: NameUse, name: NamedNode, rank: int, document: Document) -> Candidate:
    """What stands for an individual or a value may be in the data, with a name that is near on purpose."""
    named = use.named
    may_be_data = use.role in (NameRole.INDIVIDUAL, NameRole.VALUE) and not named.term.value.startswith(VOCABULARIES)
    written = f"<{name.value}>" if named.written.startswith("<") else spelled(name, document)
    local, other = (re.split("[#/:]", iri)[-1] for iri in (named.term.value, name.value))
    has_doubts = may_be_data or rank >= Rank.OTHER_PREFIX or is_other_letter(local, other)
    return Candidate(f"use the nearest name: {written}", ((Span(named.start, named.end), written),), rank, has_doubts)


def _near_names(use: NameUse, schema: Schema) -> Iterator[tuple[int, NamedNode]]:
    """Names of the same kind that are near an unknown one, with their distances."""
    unknown = use.named.term
    namespace = next(
        (vocabulary for vocabulary in VOCABULARIES if unknown.value.startswith(vocabulary)), namespace_of(unknown)
    )
    local = unknown.value[len(namespace) :]
    if not local:
        return
    known = BUILT_IN_NAMES if namespace in VOCABULARIES else schema.names
    for name in sorted(same_kind(use, known, schema), key=str):
        own = name.value[len(namespace) :]
        if name.value.startswith(namespace) and is_near(local, own) and not is_other_number(local, own):
            is_other_case = distance(local, own) != distance(local.casefold(), own.casefold())
            yield Rank.SLIP + 2 * distance(local.casefold(), own.casefold()) + is_other_case, name
        elif namespace in VOCABULARIES and any(name.value == f"{vocabulary}{local}" for vocabulary in VOCABULARIES):
            yield Rank.SLIP, name


def _in_other_prefixes(use: NameUse, document: Document, schema: Schema) -> Iterator[tuple[int, NamedNode]]:
    """The name with another prefix of the query, or an IRI in a namespace that is almost its own."""
    named = use.named
    if named.written.startswith("<"):
        namespace = namespace_of(named.term)
        rank, others = Rank.NAMESPACE, near_namespaces(namespace, schema)
    else:
        namespace = document.prefixes.get(named.written.partition(":")[0], "")
        is_vocabulary = namespace in VOCABULARIES  # for which the near names have those of the others
        left_out = {namespace, *VOCABULARIES} if is_vocabulary else {namespace}
        rank, others = Rank.OTHER_PREFIX, tuple(sorted({*document.prefixes.values()} - left_out))
    local = named.term.value[len(namespace) :]
    moved = (known_name(other + local, schema) for other in others if local)
    yield from ((rank, name) for name in same_kind(use, (name for name in moved if name is not None), schema))


def _other_namespaces(use: NameUse, document: Document, schema: Schema) -> Iterator[Candidate]:
    """A namespace near the declared one, which has all names that the query writes with this prefix."""
    prefix, colon, _ = use.named.written.partition(":")
    declared = document.prefixes.get(prefix)
    place = _declaration(prefix, document.text)
    if not colon or declared is None or place is None or place.text[1:-1] != declared:
        return
    if declared in VOCABULARIES or any(namespace_of(name) == declared for name in schema.names):
        return  # the declaration is right, and the prefix of the name is not
    used = [term for term in document.terms if term.written.startswith(f"{prefix}:")]
    for namespace in near_namespaces(declared, schema):
        if all(known_name(namespace + term.term.value[len(declared) :], schema) for term in used):
            edit = (Span(place.start, place.end), f"<{namespace}>")
            yield Candidate(f"declare PREFIX {prefix}: <{namespace}>", (edit,), Rank.NAMESPACE)


def _declaration(prefix: str, text: str) -> Token | None:
    """The IRI in the only declaration of a prefix."""
    found = tokens(text)
    places = [
        found[place + 2]
        for place, token in enumerate(found[:-2])
        if token.text.upper() == "PREFIX" and found[place + 1].text == f"{prefix}:" and found[place + 2].kind == "iri"
    ]
    return places[0] if len(places) == 1 else None


# -- variables and literals --------------------------------------------------------------------------------------------


def variable_slips(document: Document, spans: Iterable[Span]) -> Iterator[Candidate]:
    """Variables as others whose names are near, one of them in the spans: those that are never bound, or written once.

    A column of the results is renamed only by the user, because others may read it.
    """
    written = variables_of(document)
    places: dict[str, list[Token]] = {}
    for token in written:
        places.setdefault(token.text[1:], []).append(token)
    columns = {column.variable.name for query in _queries(document) for column in query.projected or ()}
    around = list(spans)
    concerned = {token.text[1:] for token in written if any(span.start <= token.start < span.end for span in around)}
    here = [name for name in places if name in concerned][:_MOST_COMPARED]
    pairs = (pair for one in here for other in places for pair in ((one, other), (other, one)))
    near = [pair for pair in dict.fromkeys(pairs) if is_near(*pair)]
    bound = _bound_somewhere(document) if near else frozenset()
    for name, other in near:
        counts = len(places[name]), len(places[other])
        if (name in bound) != (other in bound):
            # The rarer one is the slip; if both occur once, the one that is never bound is, unless it is a column.
            is_open = counts[0] == counts[1] and not columns.isdisjoint((name, other))
            is_slip = (counts[0], name in bound) < (counts[1], other in bound)
            is_certain = is_slip and not is_open
        else:
            is_open, is_slip = False, counts[0] == 1 and name in bound
            is_certain = counts[1] > 1
        if not is_slip and not is_open:
            continue
        is_certain = is_certain and name not in columns
        changes = distance(name, other)
        is_far = changes > 1 and 5 * changes > len(other)
        has_doubts = not is_certain or is_far or is_other_word(name, other) or is_other_letter(name, other)
        is_first = len(places[other]) == 1 and places[other][0].start > places[name][0].start
        rank = Rank.SLIP + changes + (_AMBIGUOUS + is_first if has_doubts else 0)
        new = f"{places[name][0].text[0]}{other}"
        edits = tuple((Span(token.start, token.end), f"{token.text[0]}{other}") for token in places[name])
        yield Candidate(f"use the variable {new}", edits, rank, has_doubts)


def _bound_somewhere(document: Document) -> frozenset[str]:
    """The names of the variables that some part of the query binds."""
    wholes = [operation.where if isinstance(operation, Modify) else operation for operation in document.operations]
    parts = elements_within(whole for whole in wholes if isinstance(whole, QueryTree | Group))
    found: set[Variable] = set()
    for part in parts:
        found |= bound_by(part).possible
        if isinstance(part, QueryTree):
            found |= bound_within(part).possible
    return frozenset(variable.name for variable in found)


def _queries(document: Document) -> list[QueryTree]:
    return [operation for operation in document.operations if isinstance(operation, QueryTree)]


def variables_of(document: Document) -> list[Token]:
    """The variables in the text of a query, each time that they are written."""
    return [token for token in tokens(document.text) if token.kind == "variable"]
