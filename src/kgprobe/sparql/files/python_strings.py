"""The queries in a Python file: string constants that look like SPARQL, with the place of each character."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from kgprobe.errors import InputError, Position
from kgprobe.queries.algebra import Span
from kgprobe.sparql.files.texts import File, QueryText

__all__ = ["PythonQueries", "queries_in_python"]

# A query or an update begins with its prologue or with its form, and has a group. A sentence that begins with "Select"
# has no braces with a variable, a colon or a bracket in them.
_PROLOGUE = r"(?:\s|\#[^\n]*\n|(?:PREFIX|BASE)\b[^<\n]*<[^>\n]*>)*"
_FORM = r"(?:SELECT|ASK|CONSTRUCT|DESCRIBE|INSERT|DELETE|WITH)\b"
_LOOKS_LIKE_QUERY = re.compile(rf"{_PROLOGUE}{_FORM}[^{{]*\{{", re.IGNORECASE)
_INSIDE = re.compile(r"\{[^{}]*[?$<:\"]")
_ESCAPE = re.compile(r"\\(?:\n|[0-7]{1,3}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|N\{[^}]*\}|.)", re.DOTALL)
_STRING = re.compile(r"(?P<prefix>[A-Za-z]*)(?P<quote>\"\"\"|'''|\"|')", re.DOTALL)
# Parts that are filled in later, with `%` or with `format`. SPARQL has none of these outside strings.
_PLACEHOLDER = re.compile(r"%\(\w+\)[sdr]|%[sdr](?!\w)|\{[A-Za-z_]\w*(?:![rsa])?(?::[^{}\s]*)?\}|\$\{")


@dataclass(frozen=True)
class PythonQueries:
    """The queries of a Python file, the strings that are only complete when the program runs, and the comments."""

    queries: tuple[QueryText, ...]
    templates: tuple[Span, ...]
    comments: tuple[Span, ...]


def queries_in_python(file: File) -> PythonQueries:
    """The queries in the strings of a Python file; InputError if it is not Python."""
    try:
        tree = ast.parse(file.text)
        tokens = list(tokenize.generate_tokens(io.StringIO(file.text).readline))
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError) as error:
        line = getattr(error, "lineno", None)
        raise InputError(f"not Python: {error}", where=Position(file.name, line)) from None
    places = _Places(file)
    strings = [token for token in tokens if token.type == tokenize.STRING]
    starts = [token.start for token in strings]
    queries: list[QueryText] = []
    templates: list[Span] = []
    for node in _strings(tree):
        start, end = places.of_node(node)
        if isinstance(node, ast.JoinedStr):
            if _is_query("".join(_fixed_parts(node))):
                templates.append(Span(start, end))
        elif isinstance(node.value, str) and _is_query(node.value):
            first = bisect_left(starts, places.of_token(start))
            own = []
            for token in strings[first:]:
                if places.at(*token.start) >= end:
                    break
                own.append(token)
            read = _decoded(own, places)
            if read is None or read[0] != node.value or _PLACEHOLDER.search(node.value):
                templates.append(Span(start, end))
            else:
                queries.append(QueryText(file, node.value, read[1]))
    comments = [
        Span(places.at(*token.start), places.at(*token.end)) for token in tokens if token.type == tokenize.COMMENT
    ]
    return PythonQueries(tuple(queries), tuple(templates), tuple(comments))


def _strings(tree: ast.AST) -> Iterator[ast.Constant | ast.JoinedStr]:
    """The strings of a program, without the parts of those that have parts."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.JoinedStr):
            yield node
            pending += [each.value for each in node.values if isinstance(each, ast.FormattedValue)]
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                yield node
        else:
            pending += reversed(list(ast.iter_child_nodes(node)))


def _fixed_parts(node: ast.JoinedStr) -> Iterator[str]:
    for each in node.values:
        yield each.value if isinstance(each, ast.Constant) and isinstance(each.value, str) else "x"


def _is_query(text: str) -> bool:
    found = _LOOKS_LIKE_QUERY.match(text)
    return found is not None and _INSIDE.search(text, found.end() - 1) is not None


class _Places:
    """Places in a Python file: nodes count bytes, tokens count characters, both by line."""

    def __init__(self, file: File) -> None:
        self._lines = file.text.splitlines(keepends=True) or [""]
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def at(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def of_token(self, offset: int) -> tuple[int, int]:
        line = bisect_left(self._starts, offset + 1) - 1
        return line + 1, offset - self._starts[line]

    def of_node(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None  # noqa: S101, PT018 - parsed code has both
        return self._byte(node.lineno, node.col_offset), self._byte(node.end_lineno, node.end_col_offset)

    def _byte(self, line: int, column: int) -> int:
        text = self._lines[line - 1]
        return self._starts[line - 1] + len(text.encode()[:column].decode(errors="replace"))


def _decoded(tokens: list[tokenize.TokenInfo], places: _Places) -> tuple[str, list[int]] | None:
    """The text of joined strings, and the place of each character; None if it cannot be read safely."""
    text: list[str] = []
    offsets: list[int] = []
    end = 0
    for token in tokens:
        opening = _STRING.match(token.string)
        if opening is None or "b" in opening["prefix"].lower() or "f" in opening["prefix"].lower():
            return None
        start = places.at(*token.start)
        body = token.string[opening.end() : len(token.string) - len(opening["quote"])]
        for piece, value in _pieces(body, is_raw="r" in opening["prefix"].lower()):
            text += value
            offsets += [start + opening.end() + piece] * len(value)
        end = start + len(token.string) - len(opening["quote"])
    return "".join(text), [*offsets, end]


def _pieces(body: str, *, is_raw: bool) -> Iterator[tuple[int, str]]:
    """The characters of a string and their places in its source."""
    place = 0
    while place < len(body):
        escape = None if is_raw else _ESCAPE.match(body, place)
        if escape is None:
            yield place, body[place]
            place += 1
            continue
        try:
            value = ast.literal_eval(f'"""{escape[0]}"""') if escape[0] != '\\"' else '"'
        except (SyntaxError, ValueError):
            return
        yield place, value
        place = escape.end()
