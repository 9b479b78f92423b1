"""Reads a text as a document: its query or its updates as algebra, with the place of each part."""

from __future__ import annotations

from collections.abc import Mapping

from kgprobe.errors import InputError
from kgprobe.graph.sparql.engine import check_limits, position
from kgprobe.queries.algebra import Document, Span
from kgprobe.queries.algebra_reader import AlgebraReader
from kgprobe.queries.source import Source
from kgprobe.queries.validation import check_document

__all__ = ["read_document"]

_DEEPEST = 100  # nested operators; those that read the result may be recursive


def read_document(text: str, name: str = "<query>", prefixes: Mapping[str, str] | None = None) -> Document:
    """Read a SPARQL 1.1 query, or any number of updates. `prefixes` apply if the text does not declare its own.

    InputError, with `name` as its source, if the text is neither.
    """
    prefixes = prefixes or {}
    check_limits(text, name)
    source = Source(text, prefixes)
    check_document(text, name, prefixes, source.tree)
    if source.tree.broken is not None:
        where = position(text, source.tree.broken, name)
        raise InputError("this is not SPARQL 1.1, which is all that kgprobe reads", where=where)
    return _document(source, name)


def _document(source: Source, name: str, broken: int | None = None) -> Document:
    reader = AlgebraReader(source)
    operations = reader.operations()
    if reader.expressions.deepest > _DEEPEST:
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
