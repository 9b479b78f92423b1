"""Rejects texts that are not SPARQL, with the position of the mistake.

The parser of pyoxigraph decides; nothing is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kgprobe.errors import InputError, Position, nearest
from kgprobe.sparql.engine.pyoxigraph import (
    SOME_BASE,
    as_input_error,
    check_limits,
    parse_query,
    parse_update,
    position,
)
from kgprobe.sparql.prologue import (
    DECLARATIONS,
    GAP,
    UPDATES,
    first_word,
    is_update,
    prologue_end,
    prologue_of,
)
from kgprobe.sparql.tree import Tree, parse

__all__ = ["check_document", "check_query", "first_mistake"]

_MESSAGE = re.compile(r"error at (\d+):(\d+): expected (?:one of )?(.*)", re.DOTALL)
_POSITION = re.compile(r"error at (\d+):(\d+): ")
_CHARACTERS = re.compile(r"\[(?:'[^']*'|[^\]'])*\]")  # a character class, as the parser writes it
_UNTOLD = ("IRI parsing failed",)  # which is a part of almost every message
_MOST_SIGNS = 6
_LONGEST = 20_000
_FORMS = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
# Between two updates with a declaration. Only for texts with a mistake, because a string may look the same.
_BETWEEN_RUNS = re.compile(rf";{GAP}(?=PREFIX{GAP}[^\s:<>]*:{GAP}<|BASE{GAP}<)", re.IGNORECASE)
_LAST_MARK = re.compile(rf";{DECLARATIONS}\Z", re.IGNORECASE)


def check_document(text: str, name: str, prefixes: Mapping[str, str], tree: Tree) -> None:
    """InputError if a text is neither a SPARQL query nor an update."""
    if not is_update(text):
        check_query(text, name, prefixes, "query" if first_word(text).upper() in _FORMS else "query or update")
        return
    try:
        _parse_updates(text, name, prefixes, tree)
    except (SyntaxError, ValueError) as error:
        raise _refusal(error, text, name, prefixes, "update") from None


def first_mistake(text: str, prefixes: Mapping[str, str]) -> int | None:
    """The offset of the first mistake in a text; None if it has a tree, even if it breaks other rules of SPARQL."""
    tree = parse(text, prefixes)
    if tree.broken is None:
        return None
    try:
        if is_update(text):
            _parse_updates(text, "", prefixes, tree)
        else:
            parse_query(text, "", prefixes)
    except SyntaxError as error:
        if found := _POSITION.match(str(error)):
            return _likelier(tree.broken, _offset(text, int(found[1]), int(found[2])), text)
    except (ValueError, InputError):
        pass
    return tree.broken


def _likelier(broken: int, refused: int, text: str) -> int:
    """The better offset of a mistake, of that in the tree and that at which pyoxigraph stopped.

    If much is wrong, tree-sitter gives the beginning of the text. pyoxigraph stops up to a word after the mistake.
    """
    return broken if broken > prologue_end(text) or refused <= broken else refused


def check_query(text: str, name: str, prefixes: Mapping[str, str], sought: str = "query") -> None:
    """InputError if a text is not a SPARQL query. It gives `name` as the source, and says what was `sought`."""
    try:
        parse_query(text, name, prefixes)
    except (SyntaxError, ValueError) as error:
        raise _refusal(error, text, name, prefixes, sought) from None


def _refusal(error: Exception, text: str, name: str, prefixes: Mapping[str, str], sought: str) -> InputError:
    """The error to raise if pyoxigraph refuses a text that should be a query, an update, or either."""
    if isinstance(error, SyntaxError):
        return _explained(str(error), text, name, prefixes, sought)
    if isinstance(error, UnicodeEncodeError):
        offset = max(text.find(error.object[error.start]), 0)
        message = f"{_article(sought.split()[0])} cannot hold half a surrogate pair"
        return InputError(message, where=position(text, offset, name))
    return InputError(str(error), where=Position(name))  # a prefix that is not an IRI


def _explained(message: str, text: str, name: str, prefixes: Mapping[str, str], sought: str) -> InputError:
    """The error to raise for a message of pyoxigraph."""
    # tree-sitter is slow on long texts with many errors.
    tree = parse(text, prefixes) if len(text) <= _LONGEST else Tree([], [], [], None)
    if sought == "query" and is_update(text) and first_word(text):
        return InputError("this is an update, not a query", where=Position(name))
    if tree.broken is None and tree.parts and (unknown := _undeclared(tree, text, prefixes)):
        return InputError(unknown[1], where=position(text, unknown[0], name), hint=unknown[2])
    found = _MESSAGE.fullmatch(message)
    if found is None:
        return as_input_error(SyntaxError(message), name)
    offset = _offset(text, int(found[1]), int(found[2]))
    where = Position(name, int(found[1]), int(found[2]))
    expected = [part.strip() for part in _CHARACTERS.sub("", found[3]).split(", ")]
    signs = [part[1:-1] for part in expected if part.startswith('"')]
    if reason := next((part for part in expected if " " in part and part[0] != '"' and part not in _UNTOLD), None):
        return InputError(reason, where=where)
    if 0 < len(signs) <= _MOST_SIGNS and not any(part.isidentifier() for part in expected):
        return InputError(f"expected {' or '.join(signs)}", where=where)
    not_sparql = f"this is not {_article(f'SPARQL {sought}')}"
    if tree.broken is None:
        return InputError(not_sparql, where=where)
    word = first_word(text).upper()
    refused = offset
    # In a series of updates, tree-sitter is often far off.
    broken = refused if word in UPDATES else _likelier(tree.broken, refused, text) if word in _FORMS else tree.broken
    if broken >= len(text.rstrip()) and word:
        return InputError(f"the {sought.split()[0]} ends too early", where=position(text, broken, name))
    near = None if word in (*_FORMS, *UPDATES) else nearest(word, (*_FORMS, *UPDATES))
    return InputError(not_sparql, where=position(text, broken, name), hint=f"did you mean {near}?" if near else None)


def _offset(text: str, line: int, column: int) -> int:
    return sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + column - 1


def _article(words: str) -> str:
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def _undeclared(tree: Tree, text: str, prefixes: Mapping[str, str]) -> tuple[int, str, str] | None:
    """The position of the first undeclared prefix, a message about it, and a hint."""
    declared = prologue_of("".join(_declarations(tree, text)), prefixes).prefixes
    for node in tree.iris:
        prefix, colon, _ = text[node.start : node.end].partition(":")
        if node.kind == "prefixed_name" and colon and prefix not in declared:
            near = nearest(prefix, declared)
            hint = f"did you mean {near}:?" if near else f"add a line PREFIX {prefix}: and its IRI"
            return node.start, f"the prefix {prefix}: is not declared", hint
    return None


def _declarations(tree: Tree, text: str) -> Iterator[str]:
    for part in tree.parts:
        if part.kind == "prologue":
            yield f"{text[part.start : part.end]}\n"


# -- updates: pyoxigraph allows a prologue only before the first one ---------------------------------------------------


def _parse_updates(text: str, name: str, prefixes: Mapping[str, str], tree: Tree) -> None:
    check_limits(text, name)
    declared = ""
    for start, end in _runs(text, tree):
        known = prologue_of(declared, prefixes)
        run = text[start:end]
        behind = prologue_end(run)
        try:
            parse_update(run, name, behind, known.prefixes, base=known.base or SOME_BASE)
        except SyntaxError as error:
            raise SyntaxError(_moved(str(error), run, text, start)) from None
        declared += f"{run[:behind]}\n"


def _runs(text: str, tree: Tree) -> Iterator[tuple[int, int]]:
    """The start and end of each series of updates that have one prologue, without the semicolon after it."""
    start = end = 0
    if tree.broken is not None:
        for found in _BETWEEN_RUNS.finditer(text):
            yield start, found.start()
            start = found.end()
    for part in tree.parts:
        if part.kind == "prologue" and end:
            yield start, end
            start = part.start
        elif part.kind != "prologue":
            end = part.end
    last = _LAST_MARK.search(text, end)
    yield start, last.start() if last else len(text)


def _moved(message: str, run: str, text: str, start: int) -> str:
    """The message of pyoxigraph about a part of a text, with the position in the whole text."""
    found = _POSITION.match(message)
    if found is None:
        return message
    where = position(text, start + _offset(run, int(found[1]), int(found[2])), "")
    return f"error at {where.line}:{where.column}: {message[found.end() :]}"
