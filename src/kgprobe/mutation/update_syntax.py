"""The parts of a SPARQL Update request: prefixes, DELETE, INSERT, WHERE, and the calls of our own functions in it.

Whether the text is SPARQL is pyoxigraph's to say. What is read here is what pyoxigraph keeps to itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyoxigraph

from kgprobe.errors import InputError, Position, nearest
from kgprobe.graph.patterns.pattern import TriplePattern, Variable
from kgprobe.graph.patterns.syntax import Token, tokens
from kgprobe.graph.terms import NamedNode, Term, Triple
from kgprobe.mutation.functions import BINDINGS, NAMESPACE
from kgprobe.mutation.property_rules import TESTS

__all__ = ["Call", "Request", "read_request"]

_FORMS = "an operator is one request 'DELETE { … } INSERT { … } WHERE { … }', without the DELETE or without the INSERT"
_REFUSED = ("LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH", "USING", "GRAPH", "SERVICE")
_POSITION = re.compile(r"error at (\d+):(\d+): ")
# What a variable is while a template is read as Turtle.
_STAND_IN = "urn:kgprobe:variable:"


@dataclass(frozen=True)
class Call:
    """`BIND(kg:function(arguments) AS ?variable)`."""

    function: str
    arguments: tuple[Variable | Term, ...]
    variable: Variable


@dataclass(frozen=True)
class Request:
    """What a request says. Blank nodes in `insert` are new ones, each time it is carried out."""

    prefixes: dict[str, str]
    delete: tuple[TriplePattern, ...]
    insert: tuple[TriplePattern, ...]
    where: str
    calls: tuple[Call, ...]


def read_request(text: str, name: str) -> Request:
    """Read a request; `name` is where errors say that it comes from."""
    return _Reader(text, name).request()


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._tokens = tokens(text)
        self._next = 0
        self._prefixes: dict[str, str] = {}

    def request(self) -> Request:
        used = {token.text.upper(): token for token in self._tokens if token.kind == "word"}
        for word in _REFUSED:
            if word in used:
                raise self._error(f"{word} is not for operators: they change one graph", used[word])
        self._check_syntax()
        self._read_prologue()
        templates = self._read_parts()
        where, calls = self._without_calls(*templates["WHERE"]) if "WHERE" in templates else ("", ())
        return Request(
            prefixes=self._prefixes,
            delete=self._template(*templates["DELETE"]) if "DELETE" in templates else (),
            insert=self._template(*templates["INSERT"]) if "INSERT" in templates else (),
            where=where,
            calls=calls,
        )

    def _check_syntax(self) -> None:
        try:
            pyoxigraph.Store().update(
                self._text, custom_functions=dict.fromkeys(self._own_functions(), lambda *_: None)
            )
        except RuntimeError as error:  # a function that nobody has
            raise InputError(str(error), where=Position(self._name)) from None
        except SyntaxError as error:
            place = _POSITION.match(str(error))
            where = Position(self._name, int(place[1]), int(place[2])) if place else Position(self._name)
            raise InputError(_POSITION.sub("", str(error)), where=where) from None

    def _own_functions(self) -> list[NamedNode]:
        return [NamedNode(iri) for iri in (*(NAMESPACE + name for name in BINDINGS), *TESTS)]

    def _read_prologue(self) -> None:
        while self._peek().upper() in ("PREFIX", "BASE"):
            word = self._take()
            if word.text.upper() == "BASE":
                raise self._error("BASE is not understood in an operator: write IRIs in full, or with a PREFIX", word)
            prefix, iri = self._take(), self._take()
            self._prefixes[prefix.text.removesuffix(":")] = iri.text[1:-1]

    def _read_parts(self) -> dict[str, tuple[int, int]]:
        """Where the inside of each part begins and ends in the text."""
        parts: dict[str, tuple[int, int]] = {}
        while token := self._token():
            self._next += 1
            word = token.text.upper()
            if word == ";" and self._token() is None:
                break
            if word not in ("DELETE", "INSERT", "WHERE") or word in parts:
                raise self._error(_FORMS, token)
            following = self._peek().upper()
            if following == "DATA":
                self._next += 1
            parts[word] = self._braces()
            if word == "DELETE" and following == "WHERE":  # its pattern is its template
                self._next += 1
                parts["DELETE"] = parts["WHERE"] = self._braces()
        if not parts.keys() & {"DELETE", "INSERT"}:
            raise InputError(_FORMS, where=Position(self._name))
        return parts

    def _braces(self) -> tuple[int, int]:
        if self._peek() != "{":
            return 0, 0  # DELETE WHERE: the braces come after the second word
        begin = self._take().end
        depth = 1
        while depth:
            token = self._take()
            depth += (token.text == "{") - (token.text == "}")
        return begin, token.start

    # -- templates -----------------------------------------------------------------------------------------------

    def _template(self, begin: int, end: int) -> tuple[TriplePattern, ...]:
        """The triples of a template. But for its variables it is Turtle, and is read as such."""
        pieces, at = [], begin
        for token in self._between(begin, end):
            if token.kind == "variable":
                pieces += [self._text[at : token.start], f"<{_STAND_IN}{token.text[1:]}>"]
                at = token.end
        turtle = "".join([*pieces, self._text[at:end]]).strip()
        closed = turtle if not turtle or turtle.endswith(".") else turtle + " ."
        header = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in self._prefixes.items())
        try:
            found = list(pyoxigraph.parse((header + closed).encode(), pyoxigraph.RdfFormat.TURTLE))
        except (SyntaxError, ValueError):
            # SPARQL allows a little more here, such as `?x a ?y ; .` before a brace.
            raise InputError("this template is not understood", where=self._position(begin)) from None
        return tuple(_pattern(quad.triple) for quad in found)

    # -- calls ---------------------------------------------------------------------------------------------------

    def _without_calls(self, begin: int, end: int) -> tuple[str, tuple[Call, ...]]:
        """A WHERE without the BINDs that call our functions, and these. Lines stay where they are."""
        calls, text = [], list(self._text[begin:end])
        for first, last, call in self._calls(self._between(begin, end)):
            calls.append(call)
            for place in range(first.start - begin, last.end - begin):
                if text[place] != "\n":
                    text[place] = " "
        return "".join(text), tuple(calls)

    def _calls(self, found: Sequence[Token]) -> Iterator[tuple[Token, Token, Call]]:
        for place, token in enumerate(found):
            function = self._function(found[place + 2]) if token.text.upper() == "BIND" else None
            if function is None:
                continue
            closing = next(n for n in range(place, len(found)) if found[n].text == ")")
            arguments = self._split(found[place + 4 : closing])
            variable, last = found[closing + 2], found[closing + 3]
            if variable.kind != "variable" or last.text != ")":
                raise self._error("a function of kgprobe stands alone in its BIND: BIND(kg:fresh() AS ?new)", token)
            self._check_call(function, len(arguments), found[place + 2])
            yield token, last, Call(function, tuple(map(self._argument, arguments)), Variable(variable.text[1:]))

    def _function(self, token: Token) -> str | None:
        """The name of the function in our namespace that this token is, if it is one."""
        iri = token.text[1:-1] if token.kind == "iri" else ""
        if token.kind == "prefixed":
            prefix, _, local = token.text.partition(":")
            iri = self._prefixes.get(prefix, "") + local
        return iri.removeprefix(NAMESPACE) if iri.startswith(NAMESPACE) else None

    def _check_call(self, function: str, arguments: int, token: Token) -> None:
        if function not in BINDINGS:
            meant = nearest(function, BINDINGS)
            hint = f"did you mean {BINDINGS[meant].form}?" if meant else f"there are {', '.join(BINDINGS)}"
            raise self._error(f"kgprobe has no function '{function}' for BIND", token, hint)
        found = BINDINGS[function]
        if not found.least <= arguments <= found.most:
            raise self._error(f"{token.text} has {arguments} arguments: it is written {found.form}", token)

    def _split(self, found: Sequence[Token]) -> list[list[Token]]:
        """What stands between the commas."""
        pieces: list[list[Token]] = [[]] if found else []
        for token in found:
            if token.text == ",":
                pieces.append([])
            else:
                pieces[-1].append(token)
        return pieces

    def _argument(self, written: list[Token]) -> Variable | Term:
        if written[0].kind == "variable":
            return Variable(written[0].text[1:])
        text = self._text[written[0].start : written[-1].end]
        header = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in self._prefixes.items())
        try:
            [quad] = pyoxigraph.parse(f"{header}<urn:a> <urn:b> {text} .".encode(), pyoxigraph.RdfFormat.TURTLE)
        except SyntaxError:
            message = f"'{text}' cannot be an argument: give variables, IRIs or literals"
            raise self._error(message, written[0]) from None
        return _part(quad.object)

    # -- moving on -----------------------------------------------------------------------------------------------

    def _between(self, begin: int, end: int) -> list[Token]:
        return [token for token in self._tokens if begin <= token.start < end]

    def _token(self) -> Token | None:
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def _peek(self) -> str:
        token = self._token()
        return token.text if token else ""

    def _take(self) -> Token:
        token = self._token()
        if token is None:
            raise InputError(_FORMS, where=Position(self._name))
        self._next += 1
        return token

    def _position(self, offset: int) -> Position:
        line_start = self._text.rfind("\n", 0, offset) + 1
        return Position(self._name, self._text.count("\n", 0, offset) + 1, offset - line_start + 1)

    def _error(self, message: str, token: Token, hint: str | None = None) -> InputError:
        return InputError(message, where=self._position(token.start), hint=hint)


def _pattern(triple: Triple) -> TriplePattern:
    return _part(triple.subject), _part(triple.predicate), _part(triple.object)


def _part(term: Term | Triple) -> Variable | Term:
    assert not isinstance(term, Triple)  # noqa: S101 - a Turtle parser makes none without being asked
    if isinstance(term, NamedNode) and term.value.startswith(_STAND_IN):
        return Variable(term.value.removeprefix(_STAND_IN))
    return term
