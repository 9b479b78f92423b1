"""The queries in a Python file: strings that look like SPARQL, also joined and formatted ones.

A name that is given one string in the whole file stands for it; what else a string is joined or formatted with is only
known when the program runs.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kgprobe.errors import InputError, Position
from kgprobe.queries.files.texts import HOLE, File, Located, hole_at, joined, looks_like_query, unescaped, verbatim
from kgprobe.sparql.algebra import Span

_STRING = re.compile(r"(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"\"\"|'''|\"|')", re.DOTALL)
_GAP = re.compile(r"(?:\s|\\\r?\n|\#[^\n]*|[()])+")
_ESCAPED_NAME = re.compile(r"\\N\{[^}]*\}")
_FIELD = re.compile(r"\{\{|\}\}|\{[^{}]*\}")
_BINDS = re.compile("bind|subst|param", re.IGNORECASE)
_DEEPEST = 200


@dataclass(frozen=True)
class PythonQueries:
    """The queries of a Python file, those that are joined or formatted, unreadable strings, and the comments.

    `asked` has the beginnings of those that are asked where they stand, without values for variables.
    """

    queries: tuple[Located, ...]
    joined: tuple[Located, ...]
    unread: tuple[Span, ...]
    comments: tuple[Span, ...]
    asked: frozenset[int]


def queries_in_python(file: File) -> PythonQueries:
    """The queries in the strings of a Python file; InputError if it is not Python."""
    try:
        tree = ast.parse(file.text)
        tokens = list(tokenize.generate_tokens(io.StringIO(file.text).readline))
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError) as error:
        line = getattr(error, "lineno", None)
        raise InputError(f"not Python: {error}", where=Position(file.name, line)) from None
    places = _Places(file)
    reader = _Reader(places)
    reader.learn(tree)
    queries: list[Located] = []
    made: list[Located] = []
    asked: set[int] = set()
    unread: list[Span] = []
    asked_nodes = {id(call.args[0]) for call in ast.walk(tree) if isinstance(call, ast.Call) and _asks(call)}
    for node in _texts(tree):
        read = reader.value(node)
        if read is not None and looks_like_query(read.text):
            (queries if isinstance(node, ast.Constant) else made).append(read)
            if id(node) in asked_nodes:
                asked.add(read.offsets[0])
        elif read is None and _fixed_query(node):
            unread.append(Span(*places.of_node(node)))
    comments = [
        Span(places.at(*token.start), places.at(*token.end)) for token in tokens if token.type == tokenize.COMMENT
    ]
    return PythonQueries(tuple(queries), tuple(made), tuple(unread), tuple(comments), frozenset(asked))


def _asks(call: ast.Call) -> bool:
    """Whether a call asks a query without a value for any of its variables, as `g.query("…")`."""
    is_query = isinstance(call.func, ast.Attribute) and call.func.attr in ("query", "update")
    names = [keyword.arg or "bindings" for keyword in call.keywords]
    return is_query and len(call.args) == 1 and not any(_BINDS.search(name) for name in names)


def _texts(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that may be texts, without the parts of those that have parts."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.expr) and _is_text(node):
            yield node
            pending += reversed(list(_others(node)))
        else:
            pending += reversed(list(ast.iter_child_nodes(node)))


def _is_text(node: ast.expr, depth: int = 0) -> bool:
    match node:
        case ast.Constant(value=str()) | ast.JoinedStr():
            return True
        case ast.BinOp(left, ast.Add(), right) if depth < _DEEPEST:
            return _is_text(left, depth + 1) or _is_text(right, depth + 1)
        case ast.BinOp(left, ast.Mod(), _) if depth < _DEEPEST:
            return _is_text(left, depth + 1)
        case ast.Call(ast.Attribute(text, "format" | "strip" | "lstrip" | "rstrip" | "replace")) if depth < _DEEPEST:
            return _is_text(text, depth + 1)
    return False


def _others(node: ast.expr) -> Iterator[ast.AST]:
    """What stands in the text of an expression and is another expression."""
    match node:
        case ast.JoinedStr(values):
            yield from (part.value for part in values if isinstance(part, ast.FormattedValue))
        case ast.BinOp(left, ast.Add(), right):
            for side in (left, right):
                yield from _others(side) if _is_text(side) else [side]
        case ast.BinOp(left, ast.Mod(), right):
            yield from _others(left)
            yield right
        case ast.Call(ast.Attribute(text), arguments, keywords):
            yield from _others(text)
            yield from arguments
            yield from keywords


def _fixed_query(node: ast.expr) -> bool:
    """Whether the fixed parts of a string, as Python reads them, look like a query."""
    fixed = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str))
    return looks_like_query(HOLE.join(fixed))


class _Places:
    """Places in a Python file: nodes count bytes, tokens count characters, both by line."""

    def __init__(self, file: File) -> None:
        self.text = file.text
        self._lines = file.text.splitlines(keepends=True) or [""]
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def at(self, line: int, column: int) -> int:
        return self._starts[line - 1] + column

    def of_node(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None  # noqa: S101, PT018 - parsed code has both
        return self._byte(node.lineno, node.col_offset), self._byte(node.end_lineno, node.end_col_offset)

    def _byte(self, line: int, column: int) -> int:
        text = self._lines[line - 1]
        return self._starts[line - 1] + len(text.encode()[:column].decode(errors="replace"))


class _Reader:
    """Reads expressions that are texts, with the place of each character."""

    def __init__(self, places: _Places) -> None:
        self._places = places
        self._constants: Mapping[str, Located] = {}

    def learn(self, tree: ast.AST) -> None:
        """Remember the names that are given exactly one text, and no other value."""
        given: dict[str, list[ast.expr | None]] = {}
        for node in ast.walk(tree):
            match node:
                case ast.Assign([target], value):
                    given.setdefault(_name(target), []).append(value)
                case ast.AnnAssign(target, _, value):
                    given.setdefault(_name(target), []).append(value)
                case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                    given.setdefault(name, []).append(None)
                case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                    given.setdefault(name, []).append(None)
        known: dict[str, Located] = {}
        for name, values in given.items():
            # The target of an assignment is also a name that is stored.
            texts = [value for value in values if value is not None]
            if name and len(values) == 2 and len(texts) == 1 and _is_text(texts[0]):
                text = self.value(texts[0])
                if text is not None and not text.holes:
                    known[name] = text
        self._constants = known

    def value(self, node: ast.expr, depth: int = 0) -> Located | None:
        """The text of an expression; None if its characters cannot be found in the file."""
        if depth > _DEEPEST:
            return None
        start, end = self._places.of_node(node)
        match node:
            case ast.Constant(value=str() as value):
                found = self._strings(start, end)
                return found if found is not None and found.text == value else None
            case ast.JoinedStr():
                return self._strings(start, end)
            case ast.BinOp(left, ast.Add(), right):
                sides = self.value(left, depth + 1), self.value(right, depth + 1)
                return None if sides[0] is None or sides[1] is None else joined([sides[0], sides[1]])
            case ast.BinOp(left, ast.Mod(), _) if _is_text(left):
                return self.value(left, depth + 1)
            case ast.Call(ast.Attribute(text, "format")) if _is_text(text):
                found = self.value(text, depth + 1)
                return None if found is None else _formatted(found)
            case ast.Call(ast.Attribute(text, "strip" | "lstrip" | "rstrip")) if _is_text(text):
                return self.value(text, depth + 1)
            case ast.Call(ast.Attribute(text, "replace"), [ast.Constant(value=str() as part), *_]) if _is_text(text):
                found = self.value(text, depth + 1)
                return None if found is None else _replaced(found, part)
            case ast.Name() | ast.Attribute():
                return self._constants.get(_name(node), hole_at(start))
        return hole_at(start)

    def _strings(self, start: int, end: int) -> Located | None:
        """The strings in a part of the file that stand one after the other."""
        text = self._places.text
        parts: list[Located] = []
        place = start
        while place < end:
            gap = _GAP.match(text, place, end)
            place = gap.end() if gap else place
            if place >= end:
                break
            opening = _STRING.match(text, place, end)
            if opening is None or "b" in opening["prefix"].lower():
                return None
            kind, quote = opening["prefix"].lower(), opening["quote"]
            part, place = (
                _f_string(text, opening.end(), end, quote, self._constants, is_raw="r" in kind)
                if "f" in kind
                else _plain(text, opening.end(), end, quote, is_raw="r" in kind)
            )
            if part is None:
                return None
            parts.append(part)
        return joined(parts) if parts else verbatim(text, start, start)


def _name(target: ast.expr) -> str:
    """The last part of a name: constants of a class are known by it."""
    match target:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _plain(text: str, start: int, limit: int, quote: str, *, is_raw: bool) -> tuple[Located | None, int]:
    """A string from after its opening quote, and where it ends."""
    end = start
    while not text.startswith(quote, end):
        end += 2 if text[end] == "\\" else 1
        if end >= limit:
            return None, limit
    if is_raw:
        return verbatim(text, start, end), end + len(quote)
    if _ESCAPED_NAME.search(text, start, end):
        return None, end + len(quote)
    return unescaped(text, start, end), end + len(quote)


def _f_string(
    text: str, start: int, limit: int, quote: str, constants: Mapping[str, Located], *, is_raw: bool
) -> tuple[Located | None, int]:
    """An f-string from after its opening quote: its fixed parts and constants, and a hole for other expressions."""
    parts: list[Located] = []
    place = fixed = start

    def add(end: int) -> None:
        parts.append(verbatim(text, fixed, end) if is_raw else unescaped(text, fixed, end))

    while place < limit:
        if text.startswith(quote, place):
            add(place)
            return joined(parts), place + len(quote)
        if text.startswith(("{{", "}}"), place):
            add(place + 1)
            place = fixed = place + 2
        elif text[place] == "{":
            add(place)
            end = _after_field(text, place + 1, limit)
            parts.append(constants.get(text[place + 1 : end - 1].strip().rpartition(".")[2], hole_at(place)))
            place = fixed = end
        else:
            place += 2 if text[place] == "\\" else 1
    return None, limit


def _after_field(text: str, place: int, limit: int) -> int:
    """The end of what an f-string fills in, with the strings and brackets in it."""
    depth = 1
    while place < limit and depth:
        opening = _STRING.match(text, place, limit) if text[place] in "\"'" else None
        if opening is not None:
            _, place = _plain(text, opening.end(), limit, opening["quote"], is_raw=False)
            continue
        depth += (text[place] == "{") - (text[place] == "}")
        place += 1
    return place


def _replaced(located: Located, part: str) -> Located:
    """A text in which a part is a hole wherever it occurs."""
    found = (Span(*match.span()) for match in re.finditer(re.escape(part), located.text) if part)
    holes = [
        literal
        for literal in found
        if not any(hole.start < literal.end and literal.start < hole.end for hole in located.holes)
    ]
    return Located(located.text, located.offsets, tuple(sorted([*located.holes, *holes])))


def _formatted(located: Located) -> Located:
    """The text that `format` makes, with holes for its fields."""
    parts: list[Located] = []
    place = 0
    for found in _FIELD.finditer(located.text):
        parts.append(located.part(place, found.start()))
        if found[0] in ("{{", "}}"):
            parts.append(located.part(found.start(), found.start() + 1))
        else:
            parts.append(hole_at(located.offsets[found.start()]))
        place = found.end()
    return joined([*parts, located.part(place, len(located.text))])
