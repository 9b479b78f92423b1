"""What an editor does with a text alone: format it, rename names, find them again, and outline it."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from kgprobe.errors import InputError
from kgprobe.lsp.formatting import formatted
from kgprobe.lsp.hover import name_at
from kgprobe.lsp.positions import Lines, range_of
from kgprobe.lsp.scopes import Name, Operation, Renaming, name_under, operations_in, prefixes_in
from kgprobe.sparql.algebra import Span
from kgprobe.sparql.documents import read_document

_WIDEST = 8


def formatting(text: str, options: types.FormattingOptions) -> list[types.TextEdit]:
    """The edit that formats a text; none if it is formatted. InputError if it is not SPARQL."""
    width = min(max(options.tab_size, 1), _WIDEST)
    found = formatted(text, " " * width if options.insert_spaces else "\t")
    return [] if found == text else [types.TextEdit(range_of(Lines(text), Span(0, len(text))), found)]


def _under(text: str, position: types.Position) -> Name | None:
    return name_under(text, Lines(text).offset(position.line, position.character))


def renamable(text: str, position: types.Position) -> types.PrepareRenamePlaceholder | None:
    """The name at a position that can be renamed: a variable or a prefix."""
    name = _under(text, position)
    return None if name is None else types.PrepareRenamePlaceholder(range_of(Lines(text), name.here), name.text)


def renaming(text: str, position: types.Position, wanted: str) -> list[types.TextEdit]:
    """The edits that rename a variable or a prefix. InputError if that would change what the query means."""
    name = _under(text, position)
    if name is None:
        raise InputError("there is no variable and no prefix here", hint="names of an ontology cannot be renamed here")
    change = Renaming.of(name, wanted)
    lines = Lines(text)
    return [types.TextEdit(range_of(lines, place), change.text) for place in change.places]


def occurrences(text: str, position: types.Position) -> list[types.Range]:
    """All places of the variable, the prefix or the name at a position."""
    lines = Lines(text)
    offset = lines.offset(position.line, position.character)
    name = name_under(text, offset)
    if name is not None and (name.kind == "variable" or _is_declaration(text, name)):
        mark = 1 if name.kind == "variable" else 0
        return [range_of(lines, Span(place.start - mark, place.end)) for place in name.places]
    document = read_document(text, tolerant=True)
    named = name_at(document, offset)
    if named is None:
        return []
    return [range_of(lines, Span(each.start, each.end)) for each in document.terms if each.term == named[0]]


def _is_declaration(text: str, name: Name) -> bool:
    return any(place.start == name.here.start for _, _, _, place in prefixes_in(text))


def symbols(text: str) -> list[types.DocumentSymbol]:
    """The outline of a text: its prefixes, and its operations with their subqueries."""
    lines = Lines(text)
    found = [
        types.DocumentSymbol(
            prefix, types.SymbolKind.Namespace, range_of(lines, whole), range_of(lines, name), detail=iri
        )
        for prefix, iri, whole, name in prefixes_in(text)
    ]
    return found + _operations(operations_in(text), lines)


def _operations(operations: Iterable[Operation], lines: Lines) -> list[types.DocumentSymbol]:
    return [
        types.DocumentSymbol(
            each.title,
            types.SymbolKind.Function,
            range_of(lines, each.whole),
            range_of(lines, each.head),
            children=_operations(each.inner, lines),
        )
        for each in operations
    ]
