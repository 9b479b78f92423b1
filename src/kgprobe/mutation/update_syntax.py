"""The parts of a SPARQL Update request: prefixes, DELETE, INSERT, WHERE, and the calls of kgprobe's functions.

pyoxigraph decides whether the text is SPARQL, and the algebra gives its parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.mutation.functions import BINDINGS, NAMESPACE
from kgprobe.mutation.profile_rules import TESTS
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Term
from kgprobe.sparql import algebra
from kgprobe.sparql.algebra import Bind, Constant, Filter, GraphTriples, Modify, Span, VariableUse
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.paths import Path
from kgprobe.sparql.pyoxigraph import (
    as_input_error,
    check_evaluable,
    is_known_function,
    parse_update,
    position,
)
from kgprobe.sparql.source import prologue_of
from kgprobe.sparql.tokens import prologue_end, tokens
from kgprobe.sparql.traversal import Node, walk

_FORMS = "an operator is one request 'DELETE { … } INSERT { … } WHERE { … }', without the DELETE or without the INSERT"
_REFUSED = ("LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD", "WITH", "USING", "GRAPH", "SERVICE")
_RDF_1_2 = ("TRIPLE", "STRLANGDIR")
_BIND = "BIND(kg:fresh() AS ?new)"
_NO_SPARQL = "this is not SPARQL"
_READABLE = 80  # a longer message of pyoxigraph lists all characters that could follow
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
    check_evaluable(text, name)
    return _Reader(text, name).request()


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._tokens = tokens(text)
        self._written: dict[int, str] = {}  # names, by where they begin

    def request(self) -> Request:
        self._refuse_words()
        self._check_syntax()
        document = read_document(self._text, self._name)
        update, *others = document.operations or (None,)
        if not isinstance(update, Modify):
            raise InputError(_FORMS, where=Position(self._name))
        if others:
            raise self._error(_FORMS, next(token.start for token in self._tokens if token.start >= update.span.end))
        self._written = {named.start: named.written for named in document.terms}
        where = [] if update.where is None else list(walk([update.where]))
        self._check_functions(where)
        binds = [node for node in where if isinstance(node, Bind) and _function(node.expression) is not None]
        calls = tuple(map(self._call, binds))
        self._check_foreign_functions(where)
        for triple in (triple for graph in (*update.deleted, *update.inserted) for triple in graph.triples):
            if isinstance(triple.subject, Literal):
                raise self._error("a literal cannot be a subject", triple.subject_span.start)
        return Request(
            prefixes=dict(document.prefixes),
            delete=_patterns(update.deleted),
            insert=_patterns(update.inserted),
            where="" if update.where is None else self._without(update.where.span, binds),
            calls=calls,
        )

    def _error(self, message: str, start: int, hint: str | None = None) -> InputError:
        return InputError(message, where=position(self._text, start, self._name), hint=hint)

    # -- syntax --------------------------------------------------------------------------------------------------

    def _refuse_words(self) -> None:
        """Reject what operators cannot have, and terms of RDF 1.2, which kgprobe's graphs do not support."""
        used = {token.text.upper(): token.start for token in self._tokens if token.kind == "word"}
        for word in _REFUSED:
            if word in used:
                raise self._error(f"{word} is not for operators: they change one graph", used[word])
        if "BASE" in used and used["BASE"] < self._behind_prologue:
            message = "BASE is not supported in an operator: write IRIs in full, or with a PREFIX"
            raise self._error(message, used["BASE"])
        first = next((token for token in self._tokens if token.start >= self._behind_prologue), None)
        if first is not None and first.text.upper() not in ("DELETE", "INSERT"):
            raise self._error(_FORMS, first.start)
        for token, following in pairwise(self._tokens):
            beside = token.end == following.start
            if beside and (token.text, following.text) in (("<", "<"), ("{", "|")):
                raise self._error("triples about triples are not supported", token.start)
            if (token.kind == "tag" and following.text == "-" and beside) or (
                token.kind == "word" and token.text.upper() in _RDF_1_2 and following.text == "("
            ):
                raise self._error(f"{token.text} makes a term of RDF 1.2, but kgprobe uses RDF 1.1", token.start)

    @property
    def _behind_prologue(self) -> int:
        return prologue_end(self._text)

    def _check_syntax(self) -> None:
        try:
            parse_update(self._text, self._name, self._behind_prologue)
        except SyntaxError as error:
            self._check_common_mistakes()
            refused = as_input_error(error, self._name)
            message = refused.message if len(refused.message) <= _READABLE else _NO_SPARQL
            raise InputError(message, where=refused.where) from None
        except ValueError as error:  # half a surrogate pair
            raise InputError(str(error), where=Position(self._name)) from None

    def _check_common_mistakes(self) -> None:
        """Report mistakes that pyoxigraph would describe in terms of its grammar."""
        prefixes = prologue_of(self._text[: self._behind_prologue], {}).prefixes
        depth, in_delete = 0, False
        for token in self._tokens:
            prefix = token.text.partition(":")[0]
            if token.kind == "prefixed" and prefix not in prefixes:
                hint = did_you_mean(prefix, prefixes, f"write PREFIX {prefix}: <…> at the beginning", shown="'{}:'")
                raise self._error(f"the prefix '{prefix}:' is not declared", token.start, hint)
            depth += (token.text == "{") - (token.text == "}")
            if depth == 0:
                in_delete = token.text.upper() == "DELETE" or (in_delete and token.text.upper() in ("WHERE", "DATA"))
            elif in_delete and (token.kind == "blank" or token.text == "["):
                hint = "write a variable, and bind it in the WHERE"
                raise self._error("a blank node in DELETE does not match a node of the graph", token.start, hint)

    # -- functions -----------------------------------------------------------------------------------------------

    def _check_functions(self, where: Sequence[Node]) -> None:
        """Report calls of functions that kgprobe lacks or does not allow where they are."""
        bound = {id(node.expression) for node in where if isinstance(node, Bind)}
        conditions = [node.condition for node in where if isinstance(node, Filter)]
        tested = {
            id(condition.arguments[0] if isinstance(condition, algebra.Call) and condition.name == "!" else condition)
            for condition in conditions
        }
        tests = [test.removeprefix(NAMESPACE) for test in TESTS]
        for call in where:
            if not isinstance(call, algebra.Call) or (function := _function(call)) is None:
                continue
            start, written = call.span.start, self._written[call.span.start]
            if id(call) in bound:
                if function not in BINDINGS:
                    raise self._unknown(function, start, list(BINDINGS), "BIND")
            elif function in BINDINGS:
                raise self._error(f"{written} stands alone in a BIND: {_BIND}", start)
            elif function not in tests:
                raise self._unknown(function, start, tests, "FILTER")
            elif id(call) not in tested:
                raise self._error(f"{written} stands alone in its FILTER: FILTER({written}(?x))", start)
            else:
                wanted = _TEST_ARGUMENTS.get(function, 1)
                if len(call.arguments) != wanted or not all(
                    isinstance(argument, VariableUse) for argument in call.arguments
                ):
                    form = f"{written}({', '.join(('?x', '?y', '?z')[:wanted])})"
                    raise self._error(f"{written} is written {form}, with variables", start)

    def _unknown(self, function: str, start: int, known: Sequence[str], place: str) -> InputError:
        hint = did_you_mean(function, known, f"the functions are {', '.join(known)}")
        return self._error(f"kgprobe has no function '{function}' for {place}", start, hint)

    def _check_foreign_functions(self, where: Sequence[Node]) -> None:
        """Report calls of functions that exist neither in kgprobe nor in SPARQL."""
        for call in where:
            is_foreign = isinstance(call, algebra.Call) and call.has_iri and _function(call) is None
            if is_foreign and isinstance(call, algebra.Call) and not is_known_function(call.name):
                raise self._error(f"the function <{call.name}> does not exist", call.span.start)

    # -- calls ---------------------------------------------------------------------------------------------------

    def _call(self, bind: Bind) -> Call:
        function, call = _function(bind.expression), bind.expression
        assert isinstance(call, algebra.Call)  # noqa: S101 - it has a function
        assert function is not None  # noqa: S101 - the same
        count, known = len(call.arguments), BINDINGS[function]
        if not known.least <= count <= known.most:
            written = self._written[call.span.start]
            raise self._error(f"{written} has {count} arguments: it is written {known.form}", call.span.start)
        return Call(function, tuple(map(self._argument, call.arguments)), bind.variable)

    def _argument(self, argument: algebra.Expression) -> Variable | Term:
        if isinstance(argument, VariableUse):
            return argument.variable
        if isinstance(argument, Constant):
            return argument.term
        text = self._text[argument.span.start : argument.span.end]
        raise self._error(f"'{text}' cannot be an argument: give variables, IRIs or literals", argument.span.start)

    def _without(self, group: Span, binds: Sequence[Bind]) -> str:
        """The content of the WHERE without some BINDs. Line numbers do not change."""
        text = list(self._text)
        for start, end in (bind.span for bind in binds):
            text[start:end] = ["\n" if character == "\n" else " " for character in text[start:end]]
        return "".join(text[group.start + 1 : group.end - 1])


def _function(expression: algebra.Expression) -> str | None:
    """The name of the function in kgprobe's namespace that is called, if any."""
    is_own = isinstance(expression, algebra.Call) and expression.name.startswith(NAMESPACE)
    return expression.name.removeprefix(NAMESPACE) if is_own and isinstance(expression, algebra.Call) else None


def _patterns(templates: tuple[GraphTriples, ...]) -> tuple[TriplePattern, ...]:
    """The triples of templates. Those in brackets come before the one that the brackets are part of."""
    triples = [triple for template in templates for triple in template.triples]
    triples.sort(key=lambda triple: triple.span.end)
    nodes: dict[Variable, BlankNode] = {}

    def part(given: Variable | Term | Path) -> Variable | Term:
        assert isinstance(given, Variable | NamedNode | Literal | BlankNode)  # noqa: S101 - templates have no paths
        if isinstance(given, Variable) and given.hidden:
            return nodes.setdefault(given, BlankNode())
        return given

    return tuple((part(triple.subject), part(triple.predicate), part(triple.object)) for triple in triples)
