"""Rejects texts that are not SPARQL queries, with the position of the mistake.

The parser of pyoxigraph decides; no query is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kgprobe.errors import InputError, Position, nearest
from kgprobe.graph.sparql.engine import parse_query, position
from kgprobe.queries.prologue import prologue_of
from kgprobe.queries.tree import Tree, parse

__all__ = ["check_query", "explained"]

_MESSAGE = re.compile(r"error at (\d+):(\d+): expected (?:one of )?(.*)", re.DOTALL)
_CHARACTERS = re.compile(r"\[(?:'[^']*'|[^\]'])*\]")  # a character class, as the parser writes it
_MOST_SIGNS = 6
_LONGEST = 20_000
_UPDATES = frozenset(
    ("load", "clear", "drop", "add", "move", "copy", "create", "insert_data", "delete_data", "delete_where", "modify")
)


def check_query(text: str, name: str, prefixes: Mapping[str, str]) -> None:
    """InputError if a text is not a SPARQL query; error messages give `name` as its source."""
    try:
        parse_query(text, name, prefixes)
    except SyntaxError as error:
        raise explained(str(error), text, name, prefixes) from None
    except UnicodeEncodeError as error:
        raise InputError("a query cannot hold half a surrogate pair", where=position(text, error.start, name)) from None
    except ValueError as error:
        raise InputError(str(error), where=Position(name)) from None  # a prefix that is not an IRI


def explained(message: str, text: str, name: str, prefixes: Mapping[str, str]) -> InputError:
    """The error to raise for a message of pyoxigraph."""
    # tree-sitter is slow on long texts with many errors.
    tree = parse(text) if len(text) <= _LONGEST else Tree([], [], [], None)
    if any(part.kind in _UPDATES for part in tree.parts):
        return InputError("this is an update, not a query", where=Position(name))
    if tree.broken is None and tree.parts and (unknown := _undeclared(tree, text, prefixes)):
        return InputError(unknown[1], where=position(text, unknown[0], name), hint=unknown[2])
    found = _MESSAGE.fullmatch(message)
    if found is None:
        return InputError(message, where=Position(name))
    where = Position(name, int(found[1]), int(found[2]))
    expected = [part.strip() for part in _CHARACTERS.sub("", found[3]).split(", ")]
    signs = [part[1:-1] for part in expected if part.startswith('"')]
    if reason := next((part for part in expected if " " in part and part[0] != '"'), None):
        return InputError(reason, where=where)
    if 0 < len(signs) <= _MOST_SIGNS and not any(part.isidentifier() for part in expected):
        return InputError(f"expected {' or '.join(signs)}", where=where)
    if tree.broken is None:
        return InputError("this is not a SPARQL query", where=where)
    ended = tree.broken >= len(text.rstrip())
    reason = "the query ends too early" if ended else "this is not a SPARQL query"
    return InputError(reason, where=position(text, tree.broken, name))


def _undeclared(tree: Tree, text: str, prefixes: Mapping[str, str]) -> tuple[int, str, str] | None:
    """The position of the first undeclared prefix, a message about it, and a hint."""
    first = tree.parts[0]
    declared = prologue_of(text[: first.end] if first.kind == "prologue" else "", prefixes).prefixes
    for node in tree.iris:
        prefix, colon, _ = text[node.start : node.end].partition(":")
        if node.kind == "prefixed_name" and colon and prefix not in declared:
            near = nearest(prefix, declared)
            hint = f"did you mean {near}:?" if near else f"add a line PREFIX {prefix}: and its IRI"
            return node.start, f"the prefix {prefix}: is not declared", hint
    return None
