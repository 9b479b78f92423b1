"""Whether a text is a SPARQL query: pyoxigraph's parser decides, and nothing is evaluated."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from pyoxigraph import DefaultGraph, Store

from kgprobe.errors import InputError, Position
from kgprobe.queries.complaints import explained
from kgprobe.queries.limits import check_limits, position

__all__ = ["check_query"]

# pyoxigraph refuses a relative IRI where no base is known; what such an IRI means is for the reader to worry about.
_SOME_BASE = "kgprobe-unknown-base://query/"
_ANY_GRAPH = DefaultGraph()
_CONTRADICTION = "use_default_graph_as_union"


def check_query(text: str, name: str, prefixes: Mapping[str, str]) -> None:
    """Refuse what is no query of SPARQL; `name` is where errors say that the text comes from.

    pyoxigraph has no function that only parses. Evaluating would take long for some queries, even on nothing, and would
    ask the endpoints of SERVICE. So it gets two arguments that contradict each other, which it says once it has parsed.
    """
    check_limits(text, name)
    try:
        _nothing().query(
            text,
            base_iri=_SOME_BASE,
            prefixes=dict(prefixes) if prefixes else None,
            use_default_graph_as_union=True,
            default_graph=_ANY_GRAPH,
        )
    except SyntaxError as error:
        raise explained(str(error), text, name, prefixes) from None
    except UnicodeEncodeError as error:
        raise InputError("a query cannot hold half a surrogate pair", where=position(text, error.start, name)) from None
    except ValueError as error:
        if _CONTRADICTION not in str(error):
            raise InputError(str(error), where=Position(name)) from None  # a prefix that is no IRI


@functools.cache
def _nothing() -> Store:
    return Store()
