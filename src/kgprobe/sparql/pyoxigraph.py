"""Passes SPARQL to pyoxigraph. No other module calls `Store.query` or `Store.update`.

A text that is too deep or too long would overflow the stack of pyoxigraph's parser or optimiser, which Python code
cannot catch. This module therefore checks the limits first, so that no caller can forget to. A text that is only parsed
may be longer than one that is evaluated: engines recurse for each link of a chain, such as `1 + 1 + 1`, but parsers do
not.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from pyoxigraph import DefaultGraph, QueryBoolean, QuerySolutions, QueryTriples, Store, Variable

from kgprobe.errors import InputError, Position
from kgprobe.rdf.terms import NamedNode, Term, Triple
from kgprobe.sparql.respelling import (
    Respelled,
    may_have_deep_calls,
    respelled,
    with_insertion,
    without_deep_calls,
)

__all__ = [
    "SOME_BASE",
    "answer",
    "as_input_error",
    "check_evaluable",
    "decoded",
    "is_known_function",
    "parse_query",
    "parse_update",
    "position",
]

_LONGEST = 1_000_000  # characters
_DEEPEST = 100  # nested brackets
_MOST_LINKS = 10_000  # groups, steps and alternatives: a chain of them is as deep as it is long
_MOST_TOKENS = 5_000  # in an evaluated text; the values of VALUES and IN do not count
_OPENING = "{([<!"  # these make a parser recurse
_LINKS = "{/|!"
# Tokens in which brackets have no meaning come first. An IRI may be a comparison, so its brackets are checked below.
_PART = re.compile(
    r"""
      (?P<nothing>   \#[^\n\r]* | \\. | \"\"\"(?>(?:[^"\\]|\\.|"(?!""))*)\"\"\" | '''(?>(?:[^'\\]|\\.|'(?!''))*)'''
                   | "(?>(?:[^"\\\n\r]|\\.)*)" | '(?>(?:[^'\\\n\r]|\\.)*)' )
    | (?P<iri>       <(?>[^<>"{}|^`\\\s]*)> )
    | (?P<negations> !(?>[!\s]*) )
    | (?P<open>      [{(\[] | << )
    | (?P<close>     [})\]] | >> )
    | (?P<link>      [/|] )
    """,
    re.VERBOSE | re.DOTALL,
)
# The tokens of a text, for counting. Strings and comments come first, because their content has no meaning.
_TOKEN = re.compile(
    r"""
      (?P<comment> \#[^\n\r]* )
    | (?P<value>   \"\"\"(?>(?:[^"\\]|\\.|"(?!""))*)\"\"\" | '''(?>(?:[^'\\]|\\.|'(?!''))*)'''
                 | "(?>(?:[^"\\\n\r]|\\.)*)" | '(?>(?:[^'\\\n\r]|\\.)*)' | @[A-Za-z\-0-9]+ | \^\^ )
    | (?P<iri>     <(?>[^<>"{}|^`\\\s]*)> )
    | (?P<word>    [\w?$:](?>(?:[\w:.%\-]|\\.)*) )
    | (?P<sign>    \S )
    """,
    re.VERBOSE | re.DOTALL,
)
# `?a<1+1&&2>?b` also looks like an IRI. It can only be two comparisons if it has one of these between them.
_BETWEEN_COMPARISONS = ("&&", ",", ")")
_SIGNS = frozenset("+-*/&=!(),")
_FREE_IN_LISTS = frozenset("(),")
_Result = TypeVar("_Result")
Results: TypeAlias = QuerySolutions | QueryBoolean | QueryTriples
Function: TypeAlias = Callable[..., Term | Triple | None]
Functions: TypeAlias = Mapping[NamedNode, Function]
# Without a base, pyoxigraph refuses relative IRIs. What such an IRI means is up to the reader of the query.
SOME_BASE = "kgprobe-unknown-base://query/"
_ANY_GRAPH = DefaultGraph()
_CONTRADICTION = "use_default_graph_as_union"
_POSITION = re.compile(r"error at (\d+):(\d+): ")
_GRAPH_THAT_EXISTS = NamedNode("urn:kgprobe:this-graph-exists")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_CODE_POINT = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))")
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def check_evaluable(text: str, name: str) -> None:
    """Refuse a text that is too large to evaluate. Errors give `name` as its source."""
    check_limits(text, name)
    if len(text) > _MOST_TOKENS:
        _count_tokens(text, name)


def _count_tokens(text: str, name: str) -> None:
    count = 0
    last = ""  # the last word
    listed: list[str] = []  # for each open bracket, the word that makes its content a list: VALUES, IN or none
    for token in _TOKEN.finditer(text):
        kind, found = token.lastgroup, token[0]
        inside = listed[-1] if listed else ""
        if kind == "comment":
            continue
        if found in "{([":
            is_list = (last == "VALUES" and found == "{") or (last == "IN" and found == "(")
            listed.append(last if is_list else inside if inside == "VALUES" else "")
        elif found in "})]" and listed:
            listed.pop()
        if kind == "word" and found[0].isalpha():
            last = found.upper()
        elif found == "{" or (found == "(" and last == "IN"):
            last = ""  # a bracket that opens later is not its list
        if not inside or (inside == "IN" and kind == "sign" and found not in _FREE_IN_LISTS):
            count += 1
        if kind == "iri" and any(sign in found for sign in _BETWEEN_COMPARISONS):
            count += sum(character in _SIGNS for character in found)
        if count > _MOST_TOKENS:
            message = f"the query has more than {_MOST_TOKENS:,} words and signs, too many to evaluate"
            hint = "put lists of values into VALUES or IN, which do not count"
            raise InputError(message, where=position(text, token.start(), name), hint=hint)


def check_limits(text: str, name: str) -> None:
    """Refuse a text that is too large to parse. Errors give `name` as its source."""
    if len(text) > _LONGEST:
        raise InputError(
            f"the query has {len(text):,} characters; at most {_LONGEST:,} are allowed", where=Position(name)
        )
    # Counting is enough for nearly every query, and is fast.
    if sum(map(text.count, _OPENING)) > _DEEPEST or len(text) > _MOST_LINKS:
        _look_inside(text, name)


def _look_inside(text: str, name: str) -> None:
    depth = links = 0
    for part in _PART.finditer(text):
        match part.lastgroup:
            case "open":
                depth += 1
            case "close":
                depth -= 1
            case "iri":
                # `1<((2>(3<((4>…` nests, though half of it looks like IRIs. Closed brackets do not count.
                depth += max(0, part[0].count("(") - part[0].count(")"))
        negations = part[0].count("!") if part.lastgroup == "negations" else 0
        links += negations or part[0] in _LINKS
        if depth + negations > _DEEPEST:
            where = position(text, part.start(), name)
            raise InputError(f"brackets are nested more than {_DEEPEST} levels deep", where=where)
        if links > _MOST_LINKS:
            where = position(text, part.start(), name)
            raise InputError(f"the query has more than {_MOST_LINKS:,} groups and steps", where=where)


def position(text: str, offset: int, name: str) -> Position:
    """The line and column of a character, as editors count them."""
    return Position(name, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def told_by(error: SyntaxError) -> tuple[tuple[int, int] | None, str]:
    """The line and column that an error of pyoxigraph names, if any, and what it says about them."""
    message = str(error)
    found = _POSITION.match(message)
    return (None, message) if found is None else ((int(found[1]), int(found[2])), message[found.end() :])


def offset_of(text: str, line: int, column: int) -> int:
    """The offset of a line and a column, or the end of the text if it ends before."""
    return min(sum(len(before) + 1 for before in text.split("\n")[: line - 1]) + column - 1, len(text))


def parse_query(
    text: str, name: str, prefixes: Mapping[str, str] | None = None, *, base: str | None = SOME_BASE
) -> None:
    """Parse a query without evaluating it. Errors give `name` as the source of the text.

    Raises pyoxigraph's SyntaxError and ValueError, and InputError if the text is too large.

    pyoxigraph has no function that only parses. Evaluating can be slow for some queries, even on an empty store, and
    would call the endpoints of SERVICE. So this passes two contradictory arguments, which pyoxigraph reports after
    parsing.
    """
    check_limits(text, name)

    def parse(spelled: str) -> None:
        try:
            _nothing().query(
                spelled,
                base_iri=base,
                prefixes=dict(prefixes) if prefixes else None,
                use_default_graph_as_union=True,
                default_graph=_ANY_GRAPH,
            )
        except ValueError as error:
            if _CONTRADICTION not in str(error):
                raise

    _parse(text, name, respelled(text, prefixes), parse)


def parse_update(
    text: str,
    name: str,
    behind_prologue: int,
    prefixes: Mapping[str, str] | None = None,
    *,
    base: str | None = None,
) -> None:
    """Parse an update request without executing it. Raises the same errors as `parse_query`.

    pyoxigraph parses the whole request before it executes any part. So an operation that must fail is inserted after
    the prologue, and the operations that follow are not executed.
    """
    check_limits(text, name)
    store = Store()
    store.add_graph(_GRAPH_THAT_EXISTS)

    def parse(spelled: str) -> None:
        try:
            store.update(spelled, base_iri=base, prefixes=dict(prefixes) if prefixes else None)
        except RuntimeError as error:
            if "already exists" not in str(error):
                raise

    failing = f"CREATE GRAPH {_GRAPH_THAT_EXISTS};\n"
    _parse(text, name, with_insertion(respelled(text, prefixes), behind_prologue, failing), parse)


def _parse(text: str, name: str, spelled: Respelled, parse: Callable[[str], None]) -> None:
    """Parse a text as pyoxigraph reads it."""
    _check_deep_calls(text, name, spelled, parse)
    _asked(text, (spelled,), parse)


def _check_deep_calls(text: str, name: str, spelled: Respelled, parse: Callable[[str], None]) -> None:
    """Look for mistakes that pyoxigraph would need exponential time to find, behind nested calls."""

    def refused(message: str, offset: int) -> InputError:
        return InputError(message, where=position(text, spelled.original(offset), name))

    shallow = without_deep_calls(spelled.text, refused)
    if shallow is not None:
        _asked(text, (spelled, shallow), parse)


def _asked(text: str, spellings: Sequence[Respelled], ask: Callable[[str], _Result]) -> _Result:
    """The result for the last of some spellings of a text. The places in errors are those in the text."""
    try:
        return ask(spellings[-1].text)
    except SyntaxError as error:
        place, expected = told_by(error)
        if place is None:
            raise
        offset = offset_of(spellings[-1].text, *place)
        for spelled in reversed(spellings):
            offset = spelled.original(offset)
        message, offset = _refusal(expected, text, offset) or (expected, offset)
        where = position(text, offset, "")
        raise SyntaxError(f"error at {where.line}:{where.column}: {message}") from None


# What pyoxigraph says in terms of its grammar: a text is not an IRI, a language tag or an escape.
_IRI_BEFORE = re.compile(r"<[^<>\n]*>?\Z")
_NAME_BEFORE = re.compile(r"(?:[^\s<>\"'(){}\[\],;|/^!\\]|\\.)*:(?:[^\s<>\"'(){}\[\],;|/^!\\]|\\.)*\Z")
_NOT_IN_IRIS = re.compile(r"[\x00-\x20<>\"{}|^`\\]")
_ESCAPES = "'t' | 'b' | 'n'"


def _refusal(expected: str, text: str, offset: int) -> tuple[str, int] | None:
    """A message for what pyoxigraph expected at an offset, and its place; None if it is best said as it is."""
    if "IRI parsing failed" in expected:
        return _no_iri(text[:offset].rstrip())
    if "language tag parsing failed" in expected and (start := text.rfind("@", 0, offset)) >= 0:
        return f"{text[start:offset]} is not a language tag, such as @en or @en-GB", start
    if _ESCAPES in expected and text[offset - 1 : offset] == "\\":
        written = text[offset - 1 : offset + 1]
        return f"{written} is not an escape of a string: they are \\t \\b \\n \\r \\f \\\" \\' \\\\", offset - 1
    return None


def _no_iri(before: str) -> tuple[str, int] | None:
    """What is wrong with the IRI at the end of a text."""
    if found := _IRI_BEFORE.search(before):
        wrong = _NOT_IN_IRIS.search(found[0].strip("<>"))
        if wrong is not None:
            what = "a space" if wrong[0].isspace() else f"the character {wrong[0]}"
            return f"{found[0]} is not an IRI: it has {what}", found.start()
        if ":" not in found[0].partition("/")[0]:
            return f"{found[0]} is relative, and the query has no BASE", found.start()
        return f"{found[0]} is not an IRI", found.start()
    if found := _NAME_BEFORE.search(before):
        return f"{found[0]} stands for something that is not an IRI", found.start()
    return None


def as_input_error(error: SyntaxError, name: str) -> InputError:
    """The error of pyoxigraph about a text, with its place. It gives `name` as the source of the text."""
    place, message = told_by(error)
    return InputError(message, where=Position(name, *(place or ())))


def answer(
    store: Store,
    text: str,
    name: str,
    *,
    rewritten: Sequence[Respelled] | None = None,
    prefixes: Mapping[str, str] | None = None,
    substitutions: Mapping[Variable, Term] | None = None,
    functions: Functions | None = None,
    aggregates: Mapping[NamedNode, Callable[[], Any]] | None = None,
) -> Results:
    """The answer of a store. Errors give `name` as the source of the query.

    Of `rewritten`, if given, the last spelling is evaluated instead of the text. It has only a few more words.

    Raises pyoxigraph's SyntaxError, RuntimeError and OSError, and InputError if the text is too large.
    """
    check_evaluable(text, name)

    def ask(spelled: str) -> Results:
        return store.query(
            spelled,
            prefixes=dict(prefixes) if prefixes else None,
            substitutions=dict(substitutions) if substitutions else None,
            custom_functions=dict(functions) if functions else None,
            custom_aggregate_functions=dict(aggregates) if aggregates else None,
        )

    if rewritten is not None:
        return _asked(text, rewritten, ask)
    spelled = respelled(text, prefixes)
    if may_have_deep_calls(spelled.text):
        parse_query(text, name, prefixes, base=None)  # a mistake is found sooner
    return _asked(text, (spelled,), ask)


@functools.lru_cache(maxsize=1 << 10)
def is_known_function(iri: str) -> bool:
    """Whether pyoxigraph has a function with this name, most likely a cast."""
    try:
        _nothing().query(f"SELECT ({NamedNode(iri)}() AS ?x) {{}}")
    except RuntimeError as error:
        return "is not supported" not in str(error)
    return True


@functools.cache
def _nothing() -> Store:
    return Store()


def decoded(text: str) -> str:
    """A query with its code point escapes decoded. SPARQL allows them everywhere, even in keywords."""
    if "\\u" not in text and "\\U" not in text:
        return text
    return _CODE_POINT.sub(lambda found: _character(found[1] or found[2]), text)


def unescaped(text: str) -> str:
    """The content of a string or an IRI, without its quotes."""
    if "\\" not in text:
        return text

    def replace(found: re.Match[str]) -> str:
        code = found[1] or found[2]
        return _character(code) if code else _ESCAPED.get(found[3], found[3])

    return _ESCAPE.sub(replace, text)


def _character(code: str) -> str:
    number = int(code, 16)
    return chr(number) if number <= sys.maxunicode else "\ufffd"
