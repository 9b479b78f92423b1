"""The one place where a text of SPARQL meets pyoxigraph: nothing else calls `Store.query` or `Store.update`.

A text that is too deep or too long would overflow the stack of its parser or its optimiser, which no Python code can
catch. So limits come first, here, and nobody can forget them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pyoxigraph import DefaultGraph, QueryBoolean, QuerySolutions, QueryTriples, Store, Variable

from kgprobe.graph.sparql.limits import check_evaluable, check_limits
from kgprobe.graph.terms import NamedNode, Term, Triple

__all__ = ["Function", "Functions", "Results", "answer", "is_known_function", "parse_query", "parse_update"]

Results: TypeAlias = QuerySolutions | QueryBoolean | QueryTriples
Function: TypeAlias = Callable[..., Term | Triple | None]
Functions: TypeAlias = Mapping[NamedNode, Function]

# pyoxigraph refuses a relative IRI where no base is known; what such an IRI means is for the reader to worry about.
_SOME_BASE = "kgprobe-unknown-base://query/"
_ANY_GRAPH = DefaultGraph()
_CONTRADICTION = "use_default_graph_as_union"
_POSITION = re.compile(r"error at (\d+):(\d+): ")
_GRAPH_THAT_EXISTS = NamedNode("urn:kgprobe:this-graph-exists")


def parse_query(
    text: str, name: str, prefixes: Mapping[str, str] | None = None, *, base: str | None = _SOME_BASE
) -> None:
    """Parse a query and do nothing else; `name` is where errors say that the text comes from.

    SyntaxError and ValueError are pyoxigraph's; InputError if the text is too large.

    pyoxigraph has no function that only parses. Evaluating would take long for some queries, even on nothing, and would
    ask the endpoints of SERVICE. So it gets two arguments that contradict each other, which it says once it has parsed.
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


def parse_update(text: str, name: str, behind_prologue: int) -> None:
    """Parse an update request and do nothing else, with the same errors as `parse_query`.

    All of a request is parsed before any of it is carried out. So an operation that must fail is put behind the
    prologue, and those that follow are not carried out.
    """
    check_evaluable(text, name)
    store = Store()
    store.add_graph(_GRAPH_THAT_EXISTS)
    prologue = text[:behind_prologue]
    try:
        store.update(f"{prologue}CREATE GRAPH {_GRAPH_THAT_EXISTS};\n{text[behind_prologue:]}")
    except SyntaxError as error:
        raise SyntaxError(_POSITION.sub(lambda place: _moved(place, prologue), str(error))) from None
    except RuntimeError as error:
        if "already exists" not in str(error):
            raise


def _moved(place: re.Match[str], prologue: str) -> str:
    """A position in a text with one line more behind its prologue, as one in the text without it."""
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
    """What a store answers; `name` is where errors say that the query comes from.

    `rewritten` is what is evaluated for the text, if not the text itself, and has few words more.

    SyntaxError, RuntimeError and OSError are pyoxigraph's; InputError if the text is too large.
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
    """Whether pyoxigraph has a function with this name: a cast, most likely."""
    try:
        _nothing().query(f"SELECT ({NamedNode(iri)}() AS ?x) {{}}")
    except RuntimeError as error:
        return "is not supported" not in str(error)
    return True


@functools.cache
def _nothing() -> Store:
    return Store()
