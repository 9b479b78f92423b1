"""A check that the answer to a SPARQL ASK query is true."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from pathlib import Path

from kgprobe.errors import InputError, Position, one_line
from kgprobe.given_files import read_text
from kgprobe.masks.judge import Judge
from kgprobe.masks.mask import DEFAULT_SECONDS, Cost, Rejection
from kgprobe.masks.results import term_text
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Term
from kgprobe.sparql.algebra import Exists, Filter, Group, QueryTree
from kgprobe.sparql.engine.exact_store import GraphStore, PreparedQuery
from kgprobe.sparql.engine.results import Rows
from kgprobe.sparql.pyoxigraph import as_input_error, check_evaluable, parse_query
from kgprobe.sparql.tokens import UNREPEATABLE
from kgprobe.sparql.tokens import words as words_of

__all__ = ["AskCheck", "read_query"]

_MOST_EXAMPLES = 1_000
_REFUSED = {
    "SERVICE": "SERVICE would use the network, which a check must not",
    "FROM": "FROM names another graph, but a check covers only one graph",
    **{
        function: f"{function}() gives a different answer each time, but a check must be repeatable"
        for function in UNREPEATABLE
    },
}


_STEPS_PER_SECOND = 200_000  # on a slow computer; a step visits one triple
_FORMS = frozenset(("SELECT", "ASK", "CONSTRUCT", "DESCRIBE"))  # a SELECT may also be inside


class AskCheck:
    """The answer to an ASK query must be true. Comments at the start of the query describe the requirement."""

    cost = Cost.QUERY

    def __init__(
        self,
        query: str,
        name: str,
        prefixes: Mapping[str, str] | None = None,
        *,
        seconds: float | None = DEFAULT_SECONDS,
    ) -> None:
        """The query may use `prefixes` in addition to its own; `seconds` is its time limit for a graph.

        Without a limit, the query always runs in this process, where it cannot be stopped.
        """
        self.name = name
        self._query = query
        self._prefixes = dict(prefixes or {})
        self._seconds = seconds
        _check(query, name, self._prefixes)
        self._prepared = PreparedQuery.of(query, name, self._prefixes)
        self._judge = None
        if seconds is not None:
            self._judge = Judge(AskCheck(query, name, self._prefixes, seconds=None), seconds)

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self._query, self.name, self._prefixes, self._seconds))

    def admits(self, graph: Graph) -> bool | None:
        if self._judge is not None and not self._is_quick(graph):
            return self._judge.admits(graph)
        return GraphStore(graph).ask(self._prepared) is True

    def rejections(self, graph: Graph) -> list[Rejection]:
        if self._judge is not None and not self._is_quick(graph):
            return self._judge.rejections(graph)
        if self.admits(graph):
            return []
        demand = _comment(self._query)
        words = f"does not hold: {demand}" if demand else f"the answer is false: {one_line(self._query)}"
        example = self._counterexample(graph)
        if example:
            texts = [f"?{name} is {term_text(term, graph.spelling)}" for name, term in example.items()]
            words = f"{words}; {', '.join(texts)}"
        node = next((term for term in example.values() if not isinstance(term, Literal)), None)
        return [Rejection(self.name, node, words)]

    def mentions(self, name: NamedNode) -> bool:
        return is_named_in(self._query, name)

    def _is_quick(self, graph: Graph) -> bool:
        """Whether the query is fast even with the worst order of joins."""
        form = self._prepared.form
        if form is None or not form.is_bounded or self._seconds is None:
            return False
        steps: int = len(graph) ** form.patterns
        return steps <= self._seconds * _STEPS_PER_SECOND

    def _counterexample(self, graph: Graph) -> dict[str, Term]:
        """If the query says that something must not exist: an example that does exist, by variables. Else empty."""
        pattern = _forbidden(self._query, self.name, self._prefixes)
        if pattern is None:
            return {}
        query = f"{pattern} LIMIT {_MOST_EXAMPLES}"
        answer = GraphStore(graph).query(query, self.name, self._prefixes)
        assert isinstance(answer, Rows)  # noqa: S101 - SELECT returns solutions
        # The order of the store's solutions varies; the smallest example is always the same.
        return min(answer.rows, key=lambda example: [str(term) for term in example.values()], default={})


def _forbidden(text: str, name: str, prefixes: Mapping[str, str]) -> str | None:
    """The query for what must not exist, if the text is an ASK whose pattern is one FILTER NOT EXISTS."""
    from kgprobe.sparql.documents import read_document  # only here: it loads the parser

    try:
        [query] = read_document(text, name, prefixes).operations
    except InputError:  # it goes beyond SPARQL 1.1
        return None
    match query:
        case QueryTree(where=Group(elements=(Filter(condition=Exists(group=group, is_negated=True)),)), span=span):
            return f"{text[: span.start]} SELECT * WHERE {text[slice(*group.span)]}"
    return None


def is_named_in(query: str, name: NamedNode) -> bool:
    """Whether a query may contain this name: as an IRI, or as a prefix with the last part of the IRI."""
    local = re.split(r"[#/:]", name.value)[-1]
    return f"<{name.value}>" in query or bool(local and re.search(rf":{re.escape(local)}(?![\w-])", query))


def _rebuild(query: str, name: str, prefixes: dict[str, str], seconds: float | None) -> AskCheck:
    return AskCheck(query, name, prefixes, seconds=seconds)


def read_query(
    path: str | Path, prefixes: Mapping[str, str] | None = None, *, seconds: float | None = DEFAULT_SECONDS
) -> AskCheck:
    """The check for a file with an ASK query."""
    return AskCheck(read_text(path), str(path), prefixes, seconds=seconds)


def _comment(query: str) -> str:
    """The text of the comments at the start of the query."""
    lines = itertools.takewhile(lambda line: line.startswith("#"), query.lstrip().splitlines())
    return " ".join(line.lstrip("#").strip() for line in lines)


def _check(query: str, name: str, prefixes: dict[str, str]) -> None:
    """Refuse texts that are not SPARQL, not an ASK query, or whose answer depends on place or time."""
    check_evaluable(query, name)
    used = words_of(query)
    for word, reason in _REFUSED.items():
        if word in used:
            raise InputError(reason, where=Position(name))
    try:
        parse_query(query, name, prefixes, base=None)
    except SyntaxError as error:
        raise as_input_error(error, name) from None
    except ValueError as error:  # half a surrogate pair
        raise InputError(str(error), where=Position(name)) from None
    if not used & _FORMS <= {"ASK", "SELECT"} or "ASK" not in used:
        raise InputError("is not an ASK query, the only kind that answers yes or no", where=Position(name))
    for function in PreparedQuery.of(query, name, prefixes).unknown_functions():
        raise InputError(f"the function <{function}> does not exist", where=Position(name))
