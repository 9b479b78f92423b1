"""Whether a text is a SPARQL query: pyoxigraph's parser decides, and nothing is evaluated."""

from __future__ import annotations

from collections.abc import Mapping

from kgprobe.errors import InputError, Position
from kgprobe.graph.sparql.engine import parse_query
from kgprobe.graph.sparql.limits import position
from kgprobe.queries.complaints import explained

__all__ = ["check_query"]


def check_query(text: str, name: str, prefixes: Mapping[str, str]) -> None:
    """Refuse what is not a query of SPARQL; `name` is where errors say that the text comes from."""
    try:
        parse_query(text, name, prefixes)
    except SyntaxError as error:
        raise explained(str(error), text, name, prefixes) from None
    except UnicodeEncodeError as error:
        raise InputError("a query cannot hold half a surrogate pair", where=position(text, error.start, name)) from None
    except ValueError as error:
        raise InputError(str(error), where=Position(name)) from None  # a prefix that is not an IRI
