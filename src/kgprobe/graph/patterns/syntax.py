"""Reads the parts of a SPARQL group that our own matching supports: triples, filters, and EXISTS with the same.

A group may contain other parts. The reader skips them and marks the result as incomplete. The triples that it found are
still conditions that every solution meets. The reader does not check that the text is valid SPARQL: pyoxigraph has
parsed it before.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from kgprobe.graph.patterns.pattern import TriplePattern, Variable
from kgprobe.graph.sparql.engine import unescaped
from kgprobe.graph.terms import RDF, XSD, Literal, NamedNode, Term

__all__ = ["Condition", "Exists", "Expression", "Group", "Token", "TokenReader", "read_group", "tokens", "words"]

# The characters of a prefixed name: those allowed anywhere, and those allowed anywhere but at the end.
_INNER = r"(?:[\w:\-]|%[0-9A-Fa-f]{2}|\\.)"
_LOCAL = rf"{_INNER}(?:(?:{_INNER}|\.)*{_INNER})?"
_PREFIX = r"(?:[^\W\d_](?:[\w\-.]*[\w\-])?)?"
_TOKEN = re.compile(
    rf"""
      (?P<gap>      \s+ | \#[^\n]* )
    | (?P<iri>      <[^<>"{{}}|^`\\\s]*> )
    | (?P<string>   \"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\" | '''(?:[^'\\]|\\.|'(?!''))*'''
                  | "(?:[^"\\\n\r]|\\.)*" | '(?:[^'\\\n\r]|\\.)*' )
    | (?P<tag>      @[A-Za-z]+(?:-[A-Za-z0-9]+)* )
    | (?P<variable> [?$]\w+ )
    | (?P<blank>    _:[\w\-.]*[\w\-] )
    | (?P<prefixed> {_PREFIX}:(?:{_LOCAL})? )
    | (?P<number>   [+-]?(?:\d+\.?\d*[eE][+-]?\d+|\.\d+[eE][+-]?\d+|\d*\.\d+|\d+) )
    | (?P<word>     [A-Za-z]\w* )
    | (?P<sign>     \^\^ | && | \|\| | != | <= | >= | . )
    """,
    re.VERBOSE | re.DOTALL,
)
_CLOSING = {"(": ")", "{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a SPARQL text: its kind, and where it begins and ends."""

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Expression:
    """The text of a filter's expression, and its variables."""

    text: str
    variables: tuple[Variable, ...]


@dataclass(frozen=True)
class Exists:
    """EXISTS or NOT EXISTS with a group that the reader supports."""

    group: Group
    negated: bool


Condition = Expression | Exists


@dataclass
class Group:
    """The supported parts of a group; `complete` if it has no others."""

    triples: list[TriplePattern] = field(default_factory=list)
    filters: list[Condition] = field(default_factory=list)
    complete: bool = True


def words(text: str) -> set[str]:
    """The keywords and function names in a text, in upper case, except in strings, IRIs, names and comments."""
    return {token.text.upper() for token in tokens(text) if token.kind == "word"}


def read_group(text: str, prefixes: Mapping[str, str]) -> Group:
    """Read the content of a group, without its braces."""
    return _Reader(text, prefixes).group()


@functools.lru_cache(maxsize=16)  # several readers need the tokens of the same text
def tokens(text: str) -> tuple[Token, ...]:
    """The tokens of a SPARQL text, without white space and comments."""
    found = ((str(m.lastgroup), m[0], m.start(), m.end()) for m in _TOKEN.finditer(text))
    return tuple([Token(*parts) for parts in found if parts[0] != "gap"])


class _NotUnderstood(Exception):  # noqa: N818 - it never leaves this module
    """The reader does not support the next part."""


class TokenReader:
    """Goes through a text token by token. Subclasses define the error for a text that ends too early."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = tokens(text)
        self._next = 0

    def _token(self) -> Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _peek(self) -> str:
        token = self._token()
        return token.text if token else ""

    def _take(self) -> Token:
        token = self._token()
        if token is None:
            raise self._too_short()
        self._next += 1
        return token

    def _too_short(self) -> Exception:
        raise NotImplementedError


class _Reader(TokenReader):
    def __init__(self, text: str, prefixes: Mapping[str, str]) -> None:
        super().__init__(text)
        self._prefixes = prefixes
        self._blanks = 0

    def _too_short(self) -> Exception:
        return _NotUnderstood()

    def group(self) -> Group:
        """Read up to the end of the text or to the brace that closes this group."""
        group = Group()
        while self._peek() not in ("", "}"):
            begin = self._next
            try:
                if self._peek() == ".":
                    self._next += 1
                elif self._peek().upper() == "FILTER":
                    self._next += 1
                    group.filters.append(self._filter())
                else:
                    group.triples += self._same_subject()
            except _NotUnderstood:
                group.complete = False
                self._next = begin  # go back, so that brackets already entered are skipped as a whole
                self._skip()
        return group

    # -- triples -------------------------------------------------------------------------------------------------

    def _same_subject(self) -> list[TriplePattern]:
        found: list[TriplePattern] = []
        begins_with_blank = self._peek() == "["
        subject = self._node(found)
        if not (begins_with_blank and found and self._peek() in (".", "}", "")):
            self._properties(subject, found)
        return found

    def _properties(self, subject: Variable | Term, found: list[TriplePattern]) -> None:
        while True:
            predicate = self._verb()
            while True:
                found.append((subject, predicate, self._node(found)))
                if self._peek() != ",":
                    break
                self._next += 1
            if self._peek() != ";":
                return
            while self._peek() == ";":
                self._next += 1
            if self._peek() in (".", "}", "]", ""):
                return

    def _verb(self) -> Variable | Term:
        token = self._take()
        if token.kind == "word" and token.text == "a":
            return RDF.type
        if token.kind not in ("iri", "prefixed", "variable"):
            raise _NotUnderstood
        verb = self._plain(token)
        if self._peek() in ("/", "|", "*", "+", "?", "^"):
            raise _NotUnderstood  # a path
        return verb

    def _node(self, found: list[TriplePattern]) -> Variable | Term:
        token = self._take()
        if token.text == "[":
            self._blanks += 1
            node = Variable(f"[{self._blanks}]", hidden=True)
            if self._peek() != "]":
                self._properties(node, found)
            if self._take().text != "]":
                raise _NotUnderstood
            return node
        return self._plain(token)

    def _plain(self, token: Token) -> Variable | Term:
        match token.kind:
            case "variable":
                return Variable(token.text[1:])
            case "blank":
                return Variable(token.text, hidden=True)
            case "iri" | "prefixed":
                return self._iri(token)
            case "string":
                return self._literal(token)
            case "number":
                return Literal(token.text, datatype=_number_type(token.text))
            case "word" if token.text in ("true", "false"):
                return Literal(token.text, datatype=XSD.boolean)
        raise _NotUnderstood

    def _iri(self, token: Token) -> NamedNode:
        try:
            if token.kind == "iri":
                return NamedNode(unescaped(token.text[1:-1]))
            prefix, _, local = token.text.partition(":")
            return NamedNode(self._prefixes[prefix] + re.sub(r"\\(.)", r"\1", local))
        except (KeyError, ValueError):
            raise _NotUnderstood from None

    def _literal(self, token: Token) -> Literal:
        quotes = 3 if token.text[:3] in ('"""', "'''") else 1
        value = unescaped(token.text[quotes:-quotes])
        following = self._token()
        if following and following.kind == "tag":
            self._next += 1
            return Literal(value, language=following.text[1:])
        if following and following.text == "^^":
            self._next += 1
            return Literal(value, datatype=self._iri(self._take()))
        return Literal(value)

    # -- filters -------------------------------------------------------------------------------------------------

    def _filter(self) -> Condition:
        negated = self._peek().upper() == "NOT"
        if negated:
            self._next += 1
        if self._peek().upper() == "EXISTS":
            self._next += 1
            return Exists(self._braced_group(), negated)
        begin = self._next
        while self._peek() not in ("(", ""):
            self._next += 1  # the name of a function
        self._skip_brackets()
        used = self._tokens[begin : self._next]
        if any(token.kind == "word" and token.text.upper() == "EXISTS" for token in used):
            raise _NotUnderstood
        variables = dict.fromkeys(Variable(token.text[1:]) for token in used if token.kind == "variable")
        return Expression(self._text[used[0].start : used[-1].end], tuple(variables))

    def _braced_group(self) -> Group:
        if self._take().text != "{":
            raise _NotUnderstood
        group = self.group()
        if not group.complete or self._take().text != "}":
            raise _NotUnderstood
        return group

    # -- skipping ------------------------------------------------------------------------------------------------

    def _skip(self) -> None:
        """Skip an unsupported part. BIND and FILTER end with a bracket, everything else with a brace or at a dot."""
        last = "(" if self._peek().upper() in ("BIND", "FILTER") else "{"
        while (text := self._peek()) not in ("", "}", "."):
            if text in _CLOSING:
                self._skip_brackets()
            else:
                self._next += 1
            if text == last:
                return

    def _skip_brackets(self) -> None:
        depth = 0
        while token := self._token():
            self._next += 1
            depth += (token.text in _CLOSING) - (token.text in _CLOSING.values())
            if depth <= 0:
                return


def _number_type(text: str) -> NamedNode:
    if "e" in text.lower():
        return XSD.double
    return XSD.decimal if "." in text else XSD.integer
