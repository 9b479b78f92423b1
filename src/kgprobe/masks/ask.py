"""A SPARQL ASK query that must be true."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from pathlib import Path

from pyoxigraph import QueryBoolean, Store

from kgprobe.errors import InputError, Position
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns.sparql_index import SparqlIndex
from kgprobe.graph.patterns.syntax import words
from kgprobe.masks.mask import Cost, Rejection

__all__ = ["AskCheck", "read_query"]

_POSITION = re.compile(r"error at (\d+):(\d+): ")
_REFUSED = {
    "SERVICE": "SERVICE would use the network, which a check must not",
    "FROM": "FROM names another graph, and a check is about one graph",
    **{
        function: f"{function}() has another answer every time, and a check must be repeatable"
        for function in ("RAND", "UUID", "STRUUID", "NOW", "BNODE")
    },
}


class AskCheck:
    """The answer to an ASK query must be true. Comments at its start say in words what it demands."""

    cost = Cost.QUERY

    def __init__(self, query: str, name: str, prefixes: Mapping[str, str] | None = None) -> None:
        """`prefixes` are those that the query may use beside its own."""
        self.name = name
        self._query = query
        self._prefixes = dict(prefixes or {})
        _check(query, name, self._prefixes)

    def __reduce__(self) -> tuple[object, ...]:
        return (AskCheck, (self._query, self.name, self._prefixes))

    def admits(self, graph: Graph) -> bool:
        return bool(SparqlIndex.of(graph).store.query(self._query, prefixes=self._prefixes))

    def rejections(self, graph: Graph) -> list[Rejection]:
        if self.admits(graph):
            return []
        demand = _comment(self._query)
        return [
            Rejection(self.name, None, f"does not hold: {demand}" if demand else "the answer to the query is false")
        ]


def read_query(path: str | Path, prefixes: Mapping[str, str] | None = None) -> AskCheck:
    """The check that a file with an ASK query stands for."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", where=Position(str(path))) from None
    except UnicodeDecodeError as error:
        raise InputError(f"is no UTF-8 text: {error.reason}", where=Position(str(path))) from None
    return AskCheck(text, str(path), prefixes)


def _comment(query: str) -> str:
    """What the comments say that the query starts with."""
    lines = itertools.takewhile(lambda line: line.startswith("#"), query.lstrip().splitlines())
    return " ".join(line.lstrip("#").strip() for line in lines)


def _check(query: str, name: str, prefixes: dict[str, str]) -> None:
    """Refuse what is no SPARQL, no ASK query, and what has another answer elsewhere or at another time."""
    used = words(query)
    for word, reason in _REFUSED.items():
        if word in used:
            raise InputError(reason, where=Position(name))
    try:
        answer = Store().query(query, prefixes=prefixes)
    except SyntaxError as error:
        place = _POSITION.match(str(error))
        where = Position(name, int(place[1]), int(place[2])) if place else Position(name)
        raise InputError(_POSITION.sub("", str(error)), where=where) from None
    if not isinstance(answer, QueryBoolean):
        raise InputError("is no ASK query, and only that answers with yes or no", where=Position(name))
