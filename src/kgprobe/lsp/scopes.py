"""What the tokens of a text tell, even while somebody types: its keywords, variables, prefixes and outline.

For formatting and completion, it tells which keywords can stand where. For renaming, it tells where else the same
variable or prefix is. A subquery has variables of its own: one that it does not select is another variable than one of
the same name around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kgprobe.errors import InputError
from kgprobe.sparql.algebra import Span
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
        return (
            (*IN_A_GROUP, *(_PAIRS.get(keyword, keyword) for keyword in ("GROUP", "ORDER", "LIMIT")))
            if is_beginning
            else ()
        )
    words = {token.text.upper() for token in _of_operation(before) if token.kind == "word"}
    if not words & (frozenset(FORMS) - {"PREFIX", "BASE"}):
        return FORMS if last != "PREFIX" else ()
    if last == "}":
        return (*(_PAIRS.get(keyword, keyword) for keyword in MODIFIERS), "WHERE", "INSERT", "USING")
    return ("WHERE", "FROM", *(_PAIRS.get(keyword, keyword) for keyword in MODIFIERS), "ASC", "DESC")


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


# -- variables and prefixes --------------------------------------------------------------------------------------------

_VARIABLE = re.compile(r"\w+")
_PREFIX = re.compile(r"(?:[^\W\d_](?:[\w\-.]*[\w\-])?)?")
_STARTS = frozenset(FORMS) - {"PREFIX", "BASE"}
_LONGEST_TITLE = 60


@dataclass(eq=False)
class _Scope:
    """A query, an update or a subquery: its variables, and those that the scope around it shares."""

    outer: _Scope | None
    start: int
    end: int = -1
    selected: set[str] = field(default_factory=set)
    selects_all: bool = False
    inner: list[_Scope] = field(default_factory=list)
    variables: list[Token] = field(default_factory=list)

    def shares(self, name: str) -> bool:
        return self.outer is not None and (self.selects_all or name in self.selected)


@dataclass(frozen=True, slots=True)
class Name:
    """A variable or a prefix under the cursor: its own place, and all places of it, without `?` and `:`."""

    kind: str  # variable, prefix
    text: str
    here: Span
    places: tuple[Span, ...]
    taken: frozenset[str]  # names that would be mixed up with it


@dataclass(frozen=True, slots=True)
class Renaming:
    """The places to change, and what to write there."""

    places: tuple[Span, ...]
    text: str

    @classmethod
    def of(cls, name: Name, wanted: str) -> Renaming:
        """InputError if the name cannot be changed to that."""
        bare = wanted.strip().lstrip("?$") if name.kind == "variable" else wanted.strip().removesuffix(":")
        form = _VARIABLE if name.kind == "variable" else _PREFIX
        if form.fullmatch(bare) is None:
            raise InputError(f"'{wanted}' is not a name for a {name.kind}")
        if bare in name.taken:
            mark = f"?{bare}" if name.kind == "variable" else f"{bare}:"
            raise InputError(f"{mark} is another {name.kind} here, and the two would become one")
        return cls(name.places, bare)


def name_under(text: str, offset: int) -> Name | None:
    """The variable or the prefix at an offset; None if neither is there. The prefix of `ex:a` is `ex`."""
    found = tokens(text)
    if any(token.text == "\\" for token in found):
        return None  # names may be written with escapes of code points, and these are not read here
    for token in found:
        if token.start <= offset <= token.end and token.kind == "variable":
            return _variable(text, token)
        if token.kind == "prefixed" and token.start <= offset <= token.start + token.text.index(":"):
            return _prefix(text, token)
    return None


def _prefix(text: str, token: Token) -> Name | None:
    prefix = token.text.partition(":")[0]
    named = [each for each in tokens(text) if each.kind == "prefixed"]
    places = [Span(each.start, each.start + len(prefix)) for each in named if each.text.startswith(f"{prefix}:")]
    others = frozenset(each.text.partition(":")[0] for each in named) - {prefix}
    return Name("prefix", prefix, Span(token.start, token.start + len(prefix)), tuple(places), others)


def _variable(text: str, token: Token) -> Name:
    name = token.text[1:]
    scopes = list(_scopes(text))
    own = next(scope for scope in scopes if any(variable.start == token.start for variable in scope.variables))
    same = _linked(own, name)
    places = [
        Span(variable.start + 1, variable.end)
        for scope in same
        for variable in scope.variables
        if variable.text[1:] == name
    ]
    around = {variable.text[1:] for scope in scopes for variable in scope.variables} - {name}
    taken = frozenset(other for other in around if _meets(same, other))
    return Name("variable", name, Span(token.start + 1, token.end), tuple(sorted(places, key=_start)), taken)


def _meets(scopes: Sequence[_Scope], name: str) -> bool:
    """Whether a variable with this name in these scopes would be one that exists."""
    reached = {id(linked): linked for scope in scopes for linked in _linked(scope, name)}
    return any(variable.text[1:] == name for scope in reached.values() for variable in scope.variables)


def _linked(start: _Scope, name: str) -> list[_Scope]:
    """The scopes in which a variable with this name is the same as in the given one."""
    found = [start]
    for scope in found:
        near = [scope.outer] if scope.shares(name) and scope.outer is not None else []
        near += [inner_scope for inner_scope in scope.inner if inner_scope.shares(name)]
        found += [inner_scope for inner_scope in near if inner_scope not in found]
    return found


def _start(span: Span) -> int:
    return span.start


def _scopes(text: str) -> Iterator[_Scope]:
    """The scopes of a text, each before those inside it."""
    scope = _Scope(None, 0)
    yield scope
    open_brackets: list[_Scope | None] = []  # for each brace, the scope that it opens
    found = tokens(text)
    for number, token in enumerate(found):
        if token.text == "{":
            following = found[number + 1] if number + 1 < len(found) else None
            if following is not None and following.kind == "word" and following.text.upper() == "SELECT":
                scope = _subquery(found, number + 1, scope)
                open_brackets.append(scope)
                yield scope
            else:
                open_brackets.append(None)
        elif token.text == "}" and open_brackets:
            opened = open_brackets.pop()
            if opened is not None and opened.outer is not None:
                opened.end = token.start
                scope = opened.outer
        elif token.text == ";" and not open_brackets:
            scope = _Scope(None, token.end)
            yield scope
        elif token.kind == "variable":
            scope.variables.append(token)


def _subquery(found: Sequence[Token], place: int, outer: _Scope) -> _Scope:
    """The scope of a subquery, whose SELECT is at this place, with what it selects."""
    made = _Scope(outer, found[place].start)
    outer.inner.append(made)
    depth = 0
    for before, token in zip(found[place:], found[place + 1 :], strict=False):
        if token.text == "{" or token.text.upper() in ("WHERE", "FROM"):
            break
        depth += (token.text == "(") - (token.text == ")")
        if token.text == "*" and not depth:
            made.selects_all = True
        if token.kind == "variable" and (not depth or (depth == 1 and before.text.upper() == "AS")):
            made.selected.add(token.text[1:])
    return made


# -- an outline --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Operation:
    """A query, an update or a subquery in the outline of a text."""

    title: str
    whole: Span
    head: Span
    inner: tuple[Operation, ...]


def prefixes_in(text: str) -> list[tuple[str, str, Span, Span]]:
    """The declared prefixes: each with its IRI, the place of the declaration, and that of the name in it."""
    found = tokens(text)
    return [
        (name.text, iri.text, Span(word.start, iri.end), Span(name.start, name.end))
        for word, name, iri in zip(found, found[1:], found[2:], strict=False)
        if word.text.upper() == "PREFIX" and name.kind == "prefixed" and iri.kind == "iri"
    ]


def operations_in(text: str) -> list[Operation]:
    """The queries and updates of a text, with their subqueries."""
    found = []
    for scope in list(_scopes(text)):
        if scope.outer is None:
            ends = [token.start for token in _at_top(text) if token.text == ";" and token.start >= scope.start]
            operation = _operation(text, scope, ends[0] if ends else len(text.rstrip()))
            found += [operation] if operation is not None else []
    return found


def _at_top(text: str) -> Iterator[Token]:
    depth = 0
    for token in tokens(text):
        depth += (token.text in ("{", "(", "[")) - (token.text in ("}", ")", "]"))
        if depth == 0:
            yield token


def _operation(text: str, scope: _Scope, end: int) -> Operation | None:
    inside = [token for token in tokens(text) if scope.start <= token.start < end]
    first = next((token for token in inside if token.kind == "word" and token.text.upper() in _STARTS), None)
    if first is None:
        return None
    brace = next((token.start for token in inside if token.text == "{" and token.start > first.start), end)
    title = " ".join(text[first.start : brace].split())
    title = re.sub(r"\s+WHERE$", "", title, flags=re.IGNORECASE)
    title = title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…"
    inner = [
        _operation(text, inner_scope, inner_scope.end if inner_scope.end >= 0 else end) for inner_scope in scope.inner
    ]
    return Operation(
        title,
        Span(first.start, max(end, first.end)),
        Span(first.start, first.end),
        tuple(operation for operation in inner if operation is not None),
    )
