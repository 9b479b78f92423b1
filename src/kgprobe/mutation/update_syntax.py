"""The parts of a SPARQL Update request: prefixes, DELETE, INSERT, WHERE, and the calls of kgprobe's functions.

pyoxigraph decides whether the text is SPARQL, but does not give access to its parts. This module reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pyoxigraph

from kgprobe.errors import InputError, Position, nearest
from kgprobe.mutation.functions import BINDINGS, NAMESPACE
from kgprobe.mutation.profile_rules import TESTS
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.sparql.algebra import GraphTriples, Modify
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.engine.exact_store import PreparedQuery
from kgprobe.sparql.engine.pyoxigraph import check_evaluable, parse_update
from kgprobe.sparql.matching.groups import query_of
from kgprobe.sparql.paths import Path
from kgprobe.sparql.tokens import Token, TokenReader

__all__ = ["Call", "Request", "read_request"]

_FORMS = "an operator is one request 'DELETE { … } INSERT { … } WHERE { … }', without the DELETE or without the INSERT"
_REFUSED = ("LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH", "USING", "GRAPH", "SERVICE")
_RDF_1_2 = ("TRIPLE", "STRLANGDIR")
_BIND = "BIND(kg:fresh() AS ?new)"
_NO_SPARQL = "this is not SPARQL"
_READABLE = 80  # a longer message of pyoxigraph lists all characters that could follow
_POSITION = re.compile(r"error at (\d+):(\d+): ")
# The number of variables that a test takes, if not one.
_TEST_ARGUMENTS = {"mayImply": 2, "mayChain": 3, "mayImport": 2}


@dataclass(frozen=True)
class Call:
    """`BIND(kg:function(arguments) AS ?variable)`."""

    function: str
    arguments: tuple[Variable | Term, ...]
    variable: Variable


@dataclass(frozen=True)
class Request:
    """The parts of a request. Blank nodes in `insert` are new each time it is applied."""

    prefixes: dict[str, str]
    delete: tuple[TriplePattern, ...]
    insert: tuple[TriplePattern, ...]
    where: str
    calls: tuple[Call, ...]


def read_request(text: str, name: str) -> Request:
    """Read a request; errors name `name` as their source."""
    return _Reader(text, name).request()


class _Reader(TokenReader):
    def __init__(self, text: str, name: str) -> None:
        check_evaluable(text, name)
        super().__init__(text)
        self._name = name
        self._prefixes: dict[str, str] = {}

    def request(self) -> Request:
        used = {token.text.upper(): token for token in self._tokens if token.kind == "word"}
        for word in _REFUSED:
            if word in used:
                raise self._error(f"{word} is not for operators: they change one graph", used[word])
        self._read_prologue()
        self._check_first_word()
        self._check_version()
        self._check_functions()
        self._check_syntax()
        parts = self._read_parts()
        where, calls = self._without_calls(*parts["WHERE"]) if "WHERE" in parts else ("", ())
        self._check_foreign_functions(where)
        delete, insert = self._templates()
        return Request(prefixes=self._prefixes, delete=delete, insert=insert, where=where, calls=calls)

    def _check_first_word(self) -> None:
        token = self._token()
        if token is not None and token.text.upper() not in ("DELETE", "INSERT"):
            raise self._error(_FORMS, token)

    def _check_version(self) -> None:
        """Reject syntax for terms of RDF 1.2, which kgprobe's graphs and readers do not support."""
        for token, following in pairwise(self._tokens):
            beside = token.end == following.start
            if beside and (token.text, following.text) in (("<", "<"), ("{", "|")):
                raise self._error("triples about triples are not supported", token)
            if (token.kind == "tag" and following.text == "-" and beside) or (
                token.kind == "word" and token.text.upper() in _RDF_1_2 and following.text == "("
            ):
                raise self._error(f"{token.text} makes a term of RDF 1.2, but kgprobe uses RDF 1.1", token)

    def _check_syntax(self) -> None:
        first = self._token()
        try:
            parse_update(self._text, self._name, len(self._text) if first is None else first.start)
        except SyntaxError as error:
            self._check_common_mistakes()
            place = _POSITION.match(str(error))
            where = Position(self._name, int(place[1]), int(place[2])) if place else Position(self._name)
            message = _POSITION.sub("", str(error))
            raise InputError(message if len(message) <= _READABLE else _NO_SPARQL, where=where) from None
        except ValueError as error:  # half a surrogate pair
            raise InputError(str(error), where=Position(self._name)) from None

    def _check_common_mistakes(self) -> None:
        """Report mistakes that pyoxigraph would describe in terms of its grammar."""
        depth, in_delete = 0, False
        for place, token in enumerate(self._tokens):
            prefix = token.text.partition(":")[0]
            if token.kind == "prefixed" and prefix not in self._prefixes:
                meant = nearest(prefix, self._prefixes)
                hint = f"did you mean '{meant}:'?" if meant else f"write PREFIX {prefix}: <…> at the beginning"
                raise self._error(f"the prefix '{prefix}:' is not declared", self._tokens[place], hint)
            depth += (token.text == "{") - (token.text == "}")
            if depth == 0:
                in_delete = token.text.upper() == "DELETE" or (in_delete and token.text.upper() in ("WHERE", "DATA"))
            elif in_delete and (token.kind == "blank" or token.text == "["):
                hint = "write a variable, and bind it in the WHERE"
                raise self._error("a blank node in DELETE does not match a node of the graph", token, hint)

    def _check_functions(self) -> None:
        """Report calls of functions that kgprobe lacks or does not allow here. The syntax of BINDs is checked later."""
        tests = [test.removeprefix(NAMESPACE) for test in TESTS]
        for place, token in enumerate(self._tokens[:-1]):
            function = self._function(token) if self._tokens[place + 1].text == "(" else None
            if function is None:
                continue
            before = [found.text.upper() for found in self._tokens[max(place - 3, 0) : place]]
            if before[-2:] == ["BIND", "("]:
                if function not in BINDINGS:
                    raise self._unknown(function, token, list(BINDINGS), "BIND")
            elif function in BINDINGS:
                raise self._error(f"{token.text} stands alone in a BIND: {_BIND}", token)
            elif function not in tests:
                raise self._unknown(function, token, tests, "FILTER")
            elif before[-1:] != ["FILTER"] and before[-2:] != ["FILTER", "("] and before != ["FILTER", "(", "!"]:
                raise self._error(f"{token.text} stands alone in its FILTER: FILTER({token.text}(?x))", token)
            else:
                self._check_test(function, place)

    def _check_test(self, function: str, place: int) -> None:
        token = self._tokens[place]
        closing = next((n for n in range(place, len(self._tokens)) if self._tokens[n].text == ")"), place)
        arguments = self._split(self._tokens[place + 2 : closing])
        wanted = _TEST_ARGUMENTS.get(function, 1)
        if len(arguments) != wanted or any(len(one) != 1 or one[0].kind != "variable" for one in arguments):
            form = f"{token.text}({', '.join(('?x', '?y', '?z')[:wanted])})"
            raise self._error(f"{token.text} is written {form}, with variables", token)
        in_brackets = self._tokens[place - 1].text in ("(", "!")
        if in_brackets and [found.text for found in self._tokens[closing + 1 : closing + 2]] != [")"]:
            raise self._error(f"{token.text} stands alone in its FILTER: FILTER({token.text}(?x))", token)

    def _check_foreign_functions(self, where: str) -> None:
        """Report calls of functions that exist neither in kgprobe nor in SPARQL."""
        query = PreparedQuery.of(query_of(where), self._name, self._prefixes)
        for function in query.unknown_functions():
            if function not in TESTS:
                [culprit, *_] = [token for token in self._tokens if self._full_name(token) == function]
                raise self._error(f"the function <{function}> does not exist", culprit)

    def _read_prologue(self) -> None:
        while self._peek().upper() in ("PREFIX", "BASE"):
            word = self._take()
            if word.text.upper() == "BASE":
                raise self._error("BASE is not supported in an operator: write IRIs in full, or with a PREFIX", word)
            prefix, iri = self._take(), self._take()
            self._prefixes[prefix.text.removesuffix(":")] = iri.text[1:-1]

    def _read_parts(self) -> dict[str, tuple[int, int]]:
        """The start and end of each part's content in the text."""
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

    def _templates(self) -> tuple[tuple[TriplePattern, ...], tuple[TriplePattern, ...]]:
        """The triples to delete and those to insert."""
        updates = read_document(self._text, self._name).operations
        [update] = [each for each in updates if isinstance(each, Modify)]
        for triple in (each for graph in (*update.deleted, *update.inserted) for each in graph.triples):
            if isinstance(triple.subject, Literal):
                raise InputError("a literal cannot be a subject", where=self._position(triple.subject_span.start))
        return _patterns(update.deleted), _patterns(update.inserted)

    # -- calls ---------------------------------------------------------------------------------------------------

    def _without_calls(self, begin: int, end: int) -> tuple[str, tuple[Call, ...]]:
        """A WHERE without the BINDs that call kgprobe's functions, and those calls. Line numbers do not change."""
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
            if function is None or found[place + 3].text != "(":  # an ordinary IRI in kgprobe's namespace
                continue
            closing = next(n for n in range(place, len(found)) if found[n].text == ")")
            arguments = self._split(found[place + 4 : closing])
            variable, last = found[closing + 2], found[closing + 3]
            if variable.kind != "variable" or last.text != ")":
                raise self._error(f"a function of kgprobe stands alone in its BIND: {_BIND}", token)
            self._check_call(function, len(arguments), found[place + 2])
            yield token, last, Call(function, tuple(map(self._argument, arguments)), Variable(variable.text[1:]))

    def _function(self, token: Token) -> str | None:
        """The name of the function in kgprobe's namespace that this token names, if any."""
        iri = self._full_name(token)
        return iri.removeprefix(NAMESPACE) if iri.startswith(NAMESPACE) else None

    def _full_name(self, token: Token) -> str:
        """The IRI that this token stands for; empty if it does not stand for one."""
        if token.kind == "prefixed":
            prefix, _, local = token.text.partition(":")
            return self._prefixes.get(prefix, "") + local
        return token.text[1:-1] if token.kind == "iri" else ""

    def _check_call(self, function: str, arguments: int, token: Token) -> None:
        found = BINDINGS[function]
        if not found.least <= arguments <= found.most:
            raise self._error(f"{token.text} has {arguments} arguments: it is written {found.form}", token)

    def _unknown(self, function: str, token: Token, known: Sequence[str], place: str) -> InputError:
        meant = nearest(function, known)
        hint = f"did you mean '{meant}'?" if meant else f"the functions are {', '.join(known)}"
        return self._error(f"kgprobe has no function '{function}' for {place}", token, hint)

    def _split(self, found: Sequence[Token]) -> list[list[Token]]:
        """The tokens between the commas."""
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
        value: Term | Triple = quad.object
        assert not isinstance(value, Triple)  # noqa: S101 - a Turtle parser creates none by default
        return value

    # -- moving on -----------------------------------------------------------------------------------------------

    def _between(self, begin: int, end: int) -> list[Token]:
        return [token for token in self._tokens if begin <= token.start < end]

    def _too_short(self) -> Exception:
        return InputError(_FORMS, where=Position(self._name))

    def _position(self, offset: int) -> Position:
        line_start = self._text.rfind("\n", 0, offset) + 1
        return Position(self._name, self._text.count("\n", 0, offset) + 1, offset - line_start + 1)

    def _error(self, message: str, token: Token, hint: str | None = None) -> InputError:
        return InputError(message, where=self._position(token.start), hint=hint)


def _patterns(templates: tuple[GraphTriples, ...]) -> tuple[TriplePattern, ...]:
    """The triples of templates. Those in brackets come before the one that the brackets are part of."""
    triples = [triple for each in templates for triple in each.triples]
    triples.sort(key=lambda triple: triple.span.end)
    nodes: dict[Variable, BlankNode] = {}

    def part(given: Variable | Term | Path) -> Variable | Term:
        assert isinstance(given, Variable | NamedNode | Literal | BlankNode)  # noqa: S101 - templates have no paths
        if isinstance(given, Variable) and given.hidden:
            return nodes.setdefault(given, BlankNode())
        return given

    return tuple((part(each.subject), part(each.predicate), part(each.object)) for each in triples)
