"""Reads a text as a document: its query or its updates as algebra, with the place of each part."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from kgprobe.errors import InputError, Position
from kgprobe.rdf.pattern import Variable
from kgprobe.sparql.algebra import (
    Bind,
    Document,
    Group,
    Operation,
    Span,
)
from kgprobe.sparql.algebra_reader import AlgebraReader
from kgprobe.sparql.engine.pyoxigraph import SOME_BASE, check_limits, position
from kgprobe.sparql.repair import repaired
from kgprobe.sparql.respelling import legible
from kgprobe.sparql.scopes import bound_by
from kgprobe.sparql.source import Source
from kgprobe.sparql.traversal import walk
from kgprobe.sparql.tree import parse
from kgprobe.sparql.validation import check_document, first_mistake

__all__ = ["group_in", "read_document"]

_LONGEST_BROKEN = 20_000  # characters
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_PREFIX = re.compile(r"([^\W\d_](?:[\w\-.]*[\w\-])?|):")
_DEEPEST = 100  # nested operators; those that read the result may be recursive


def read_document(
    text: str,
    name: str = "<query>",
    prefixes: Mapping[str, str] | None = None,
    *,
    bound_before: Collection[str] = (),
    tolerant: bool = False,
) -> Document:
    """Read a SPARQL 1.1 query, or any number of updates. `prefixes` apply if the text does not declare its own.

    `bound_before` names the variables that have a value before the text runs: they are `Given` in the document.

    InputError, with `name` as its source, if the text is neither. With `tolerant`, a text that somebody still types
    never raises an error: the document has the parts that can be read, and `broken` is the offset of the mistake.
    """
    prefixes = prefixes or {}
    try:
        return _read(text, name, prefixes, bound_before)
    except InputError as error:
        if not tolerant:
            raise
        broken = 0 if error.where is None else _offset(text, error.where)
    return _read_in_part(text, prefixes, broken)


def group_in(query: str, prefixes: Mapping[str, str]) -> Group | None:
    """The pattern of a query that is known to be valid; None if kgprobe cannot read it."""
    source = Source(query, prefixes)
    found = [part for part in source.tree.parts if part.kind == "select_query"]
    return AlgebraReader(source).query(found[0]).where if found else None


def _read(text: str, name: str, prefixes: Mapping[str, str], bound_before: Collection[str]) -> Document:
    check_limits(text, name)
    source = Source(text, prefixes, bound_before=bound_before)
    try:
        check_document(source.text, name, prefixes, source.tree)
    except InputError as error:
        is_unexplained = error.message.startswith("this is not a SPARQL") and source.tree.broken is None
        if is_unexplained and (again := _bound_again(AlgebraReader(source).operations())) is not None:
            message = f"{again.variable} already has a value before this BIND"
            raise InputError(message, where=position(text, again.span.start, name)) from None
        raise
    if source.tree.broken is not None:
        where = position(text, source.tree.broken, name)
        raise InputError("this is not SPARQL 1.1, which is all that kgprobe reads", where=where)
    return replace(_document(source, name), text=text)


def _bound_again(operations: tuple[Operation, ...]) -> Bind | None:
    """The first BIND of a variable that has a value already, for which pyoxigraph gives neither place nor reason."""
    found: list[Bind] = []
    for node in walk(operations):
        if isinstance(node, Group):
            bound: frozenset[Variable] = frozenset()
            for element in node.elements:
                if isinstance(element, Bind) and element.variable in bound:
                    found.append(element)
                bound |= bound_by(element).possible
    return min(found, key=lambda bind: bind.span, default=None)


def _document(source: Source, name: str, broken: int | None = None) -> Document:
    reader = AlgebraReader(source)
    operations = reader.operations()
    if reader.deepest > _DEEPEST:
        where = position(source.text, operations[0].span.start, name)
        raise InputError(f"operators are nested more than {_DEEPEST} levels deep", where=where)
    return Document(
        text=source.text,
        prefixes=source.prefixes,
        operations=operations,
        terms=tuple(source.terms),
        comments=tuple(Span(node.start, node.end) for node in source.tree.comments),
        broken=broken,
    )


def _read_in_part(text: str, prefixes: Mapping[str, str], broken: int) -> Document:
    """The parts of a text that can be read, although it has a mistake."""
    nothing = Document(text, dict(prefixes), (), (), (), broken)
    if len(text) > _LONGEST_BROKEN:  # tree-sitter is slow on long texts with mistakes
        return nothing
    whole_pairs = legible(_HALF_A_PAIR.sub("\ufffd", text))
    given = dict.fromkeys(_PREFIX.findall(whole_pairs), SOME_BASE) | dict(prefixes)
    try:
        check_limits(whole_pairs, "")
        whole = repaired(whole_pairs, lambda attempt: first_mistake(attempt, given))
        source = Source(whole, prefixes, parse(whole, given).until(len(text)))
        return replace(_document(source, "", broken), text=text)
    except InputError:  # it is nested too deep
        return nothing


def _offset(text: str, where: Position) -> int:
    lines = text.split("\n")[: max((where.line or 1) - 1, 0)]
    return min(sum(len(line) + 1 for line in lines) + (where.column or 1) - 1, len(text))
