"""Passes SPARQL to pyoxigraph. No other module calls `Store.query` or `Store.update`.

A text that is too deep or too long would overflow the stack of pyoxigraph's parser or optimiser, which Python code
cannot catch. This module therefore checks the limits first, so that no caller can forget to.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pyoxigraph import DefaultGraph, QueryBoolean, QuerySolutions, QueryTriples, Store, Variable

from kgprobe.graph.sparql.limits import check_evaluable, check_limits
from kgprobe.graph.terms import NamedNode, Term, Triple

__all__ = [
    "SOME_BASE",
    "Function",
    "Functions",
    "Results",
    "answer",
    "is_known_function",
    "parse_query",
    "parse_update",
]

Results: TypeAlias = QuerySolutions | QueryBoolean | QueryTriples
Function: TypeAlias = Callable[..., Term | Triple | None]
Functions: TypeAlias = Mapping[NamedNode, Function]

# Without a base, pyoxigraph refuses relative IRIs. What such an IRI means is up to the reader of the query.
SOME_BASE = "kgprobe-unknown-base://query/"
_ANY_GRAPH = DefaultGraph()
_CONTRADICTION = "use_default_graph_as_union"
_POSITION = re.compile(r"error at (\d+):(\d+): ")
_GRAPH_THAT_EXISTS = NamedNode("urn:kgprobe:this-graph-exists")


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
    try:
        _nothing().query(
            text,
            base_iri=base,
            prefixes=dict(prefixes) if prefixes else None,
            use_default_graph_as_union=True,
            default_graph=_ANY_GRAPH,
        )
    except ValueError as error:
        if _CONTRADICTION not in str(error):
            raise


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
    prologue = text[:behind_prologue]
    try:
        store.update(
            f"{prologue}CREATE GRAPH {_GRAPH_THAT_EXISTS};\n{text[behind_prologue:]}",
            base_iri=base,
            prefixes=dict(prefixes) if prefixes else None,
        )
    except SyntaxError as error:
        raise SyntaxError(_POSITION.sub(lambda place: _moved(place, prologue), str(error))) from None
    except RuntimeError as error:
        if "already exists" not in str(error):
            raise


def _moved(place: re.Match[str], prologue: str) -> str:
    """Convert a position in a text with one line inserted after its prologue to one in the original text."""
    last = prologue.count("\n") + 1
    line, column = int(place[1]), int(place[2])
    if line > last:
        column += len(prologue) - prologue.rfind("\n") - 1 if line == last + 1 else 0
        line -= 1
    return f"error at {line}:{column}: "


def answer(
    store: Store,
    text: str,
    name: str,
    *,
    rewritten: str | None = None,
    prefixes: Mapping[str, str] | None = None,
    substitutions: Mapping[Variable, Term] | None = None,
    functions: Functions | None = None,
    aggregates: Mapping[NamedNode, Callable[[], Any]] | None = None,
) -> Results:
    """The answer of a store. Errors give `name` as the source of the query.

    `rewritten`, if given, is evaluated instead of the text. It has only a few more words.

    Raises pyoxigraph's SyntaxError, RuntimeError and OSError, and InputError if the text is too large.
    """
    check_evaluable(text, name)
    return store.query(
        text if rewritten is None else rewritten,
        prefixes=dict(prefixes) if prefixes else None,
        substitutions=dict(substitutions) if substitutions else None,
        custom_functions=dict(functions) if functions else None,
        custom_aggregate_functions=dict(aggregates) if aggregates else None,
    )


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
