"""The keywords of SPARQL 1.1, by where they can stand, for formatting and completion."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from kgprobe.sparql.tokens import Token, tokens

FORMS = (
    *("PREFIX", "BASE", "SELECT", "ASK", "CONSTRUCT", "DESCRIBE", "INSERT", "DELETE", "WITH", "LOAD"),
    *("CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY"),
)
"""Where a query or an update can begin."""
MODIFIERS = ("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES")
"""After the group of a query."""
IN_A_GROUP = ("FILTER", "OPTIONAL", "BIND", "MINUS", "UNION", "GRAPH", "SERVICE", "VALUES", "SELECT")
"""Where a triple can begin in a group."""
WITHIN = (
    *("WHERE", "FROM", "NAMED", "DISTINCT", "REDUCED", "AS", "BY", "ASC", "DESC", "USING", "INTO", "TO"),
    *("DATA", "SILENT", "DEFAULT", "ALL", "NOT", "EXISTS", "IN", "UNDEF", "SEPARATOR"),
)
"""After other keywords, and in expressions."""
CALLS = (
    *("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT", "STR", "LANG", "LANGMATCHES"),
    *("DATATYPE", "BOUND", "IRI", "URI", "BNODE", "RAND", "ABS", "CEIL", "FLOOR", "ROUND", "CONCAT"),
    *("STRLEN", "UCASE", "LCASE", "ENCODE_FOR_URI", "CONTAINS", "STRSTARTS", "STRENDS", "STRBEFORE"),
    *("STRAFTER", "YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ", "NOW", "UUID"),
    *("STRUUID", "MD5", "SHA1", "SHA256", "SHA384", "SHA512", "COALESCE", "IF", "STRLANG", "STRDT"),
    *("SAMETERM", "ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC", "REGEX", "SUBSTR", "REPLACE"),
)
"""Functions and aggregates."""
KEYWORDS = frozenset((*FORMS, *MODIFIERS, *IN_A_GROUP, *WITHIN, *CALLS))


# -- what fits at a place ----------------------------------------------------------------------------------------------

_AFTER = {
    "SELECT": ("DISTINCT", "REDUCED"),
    "GROUP": ("BY",),
    "ORDER": ("BY",),
    "BY": ("ASC", "DESC"),
    "INSERT": ("DATA",),
    "DELETE": ("DATA", "WHERE"),
    "FROM": ("NAMED",),
    "USING": ("NAMED",),
    "FILTER": ("NOT EXISTS", "EXISTS", "REGEX", "CONTAINS", "BOUND", "LANGMATCHES", "STRSTARTS"),
    "NOT": ("EXISTS", "IN"),
    "SERVICE": ("SILENT",),
    "CLEAR": ("ALL", "DEFAULT", "NAMED", "GRAPH", "SILENT"),
    "DROP": ("ALL", "DEFAULT", "NAMED", "GRAPH", "SILENT"),
    "CREATE": ("GRAPH", "SILENT"),
}
_PAIRS = {"GROUP": "GROUP BY", "ORDER": "ORDER BY"}
_EXPRESSIONS = frozenset(("FILTER", "BIND", "HAVING", "BY", "IN", "AS", "SELECT", *CALLS))


def keywords_at(text: str, offset: int) -> tuple[str, ...]:
    """The keywords that can stand at an offset, where a word begins; none where a triple goes on."""
    before = [token for token in tokens(text) if token.end <= offset]
    last = before[-1].text.upper() if before else ""
    if last in _AFTER:
        return _AFTER[last]
    brackets = _open_brackets(before)
    if brackets and brackets[-1] == "(":
        return CALLS if last not in ("/", "|", "^", "!") else ()
    if brackets and brackets[-1] == "expression":
        return (*CALLS, "AS", "IN", "NOT IN", "NOT EXISTS", "EXISTS")
    if "{" in brackets:
        is_beginning = brackets[-1] == "{" and last in ("{", "}", ".", ")")
        return (*IN_A_GROUP, *(_PAIRS.get(each, each) for each in ("GROUP", "ORDER", "LIMIT"))) if is_beginning else ()
    words = {token.text.upper() for token in _of_operation(before) if token.kind == "word"}
    if not words & (frozenset(FORMS) - {"PREFIX", "BASE"}):
        return FORMS if last != "PREFIX" else ()
    if last == "}":
        return (*(_PAIRS.get(each, each) for each in MODIFIERS), "WHERE", "INSERT", "USING")
    return ("WHERE", "FROM", *(_PAIRS.get(each, each) for each in MODIFIERS), "ASC", "DESC")


def is_in_group(text: str, offset: int) -> bool:
    """Whether an offset is between braces."""
    return "{" in _open_brackets([token for token in tokens(text) if token.end <= offset])


def open_path(text: str, offset: int) -> int:
    """The number of brackets that are open in a property path at an offset."""
    found = _open_brackets([token for token in tokens(text) if token.end <= offset])
    return len(found) - len("".join("(" if each == "(" else "x" for each in found).rstrip("("))


def _open_brackets(before: Sequence[Token]) -> list[str]:
    """The brackets that are open, the innermost last. Those of an expression are called so."""
    found: list[str] = []
    for previous, token in pairwise((None, *before)):
        assert token is not None  # noqa: S101 - only the first is None
        if token.text == "(":
            is_call = previous is not None and previous.kind == "word" and previous.text.upper() in _EXPRESSIONS
            is_inside = bool(found) and found[-1] == "expression"
            found.append("expression" if is_call or is_inside or "{" not in found else "(")
        elif token.text in ("{", "["):
            found.append(token.text)
        elif token.text in (")", "}", "]") and found:
            found.pop()
    return found


def _of_operation(before: Sequence[Token]) -> Sequence[Token]:
    """The tokens of the operation that is being written: those after the last `;` between operations."""
    depth, start = 0, 0
    for number, token in enumerate(before):
        depth += (token.text == "{") - (token.text == "}")
        if token.text == ";" and depth == 0:
            start = number + 1
    return before[start:]
