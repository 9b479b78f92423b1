"""What the condition of a query says about columns, as a formula."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlglot import exp

from kgprobe.selection.sql.expressions import Folding, from_regular, matching
from kgprobe.selection.sql.values import (
    ANYTHING,
    All,
    At,
    Either,
    Flow,
    Formula,
    Late,
    Loop,
    OneOf,
    Output,
    Scope,
    Values,
)
from kgprobe.selection.tests import Constants, holds_text

if TYPE_CHECKING:
    from kgprobe.selection.sql.queries import QueryReader


_EXACT = frozenset(["postgres", "duckdb", "snowflake", "oracle"])  # LIKE and = do not ignore case
_EQUAL_EXACTLY = _EXACT | {"sqlite"}
_ESCAPES: dict[str | None, tuple[str | None, ...]] = {
    "postgres": ("\\",),
    "mysql": ("\\",),
    "duckdb": (None,),
    "sqlite": (None,),
    "oracle": (None,),
    "snowflake": (None,),
}
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)\Z")
_INTEGERS = ("INT", "INTEGER", "BIGINT", "SMALLINT", "TINYINT", "SERIAL", "BIGSERIAL", "HUGEINT", "MEDIUMINT")
_NOT_TEXT = re.compile(
    r"(?:U?(?:INT|BIGINT|SMALLINT|TINYINT|HUGEINT|MEDIUMINT)|INTEGER|SERIAL|BIGSERIAL|NUMERIC|DECIMAL|NUMBER|REAL|FLOAT|"
    r"DOUBLE|MONEY|BOOL|BIT|DATE|TIME|INTERVAL|UUID|BYTEA|BLOB|BINARY|VARBINARY|RAW|JSON|XML|VARIANT|OBJECT|ARRAY|LIST|MAP|"
    r"STRUCT|UNION|VARINT|BIGNUM|SIGNED|LONG|SHORT|DEC|LOGICAL|HALFFLOAT|INET|CIDR|MACADDR|POINT|TSVECTOR|TSQUERY|YEAR|ROWID|OID|REG)",
    re.IGNORECASE,
)
_PADDED = re.compile(r"(?:N?CHAR|CHARACTER|BPCHAR)\b(?!\s+VARYING)", re.IGNORECASE)
_STARTS = frozenset(["starts_with", "startswith", "prefix"])
_ENDS = frozenset(["ends_with", "endswith", "suffix"])


class Restrictions:
    """Makes formulas of conditions. What is not understood says nothing."""

    def __init__(self, reader: QueryReader, dialect: str | None, folding: Folding) -> None:
        self._reader = reader
        self._dialect = dialect
        self._folding = folding

    @property
    def folds(self) -> bool:
        """Whether the dialect may ignore case when it compares texts."""
        return self._dialect not in _EQUAL_EXACTLY

    def formula(self, node: exp.Expr, scope: Scope) -> Formula:
        """What holds for a row for which this condition is true."""
        if any(column.args.get("join_mark") for column in node.find_all(exp.Column)):
            return ANYTHING
        return self._formula(node, scope, is_true=True)

    def equal(self, first: Flow, second: Flow) -> Formula:
        """What two equal values say about each other."""
        return All((self._among(first, second.values), self._among(second, first.values)))

    def _formula(self, node: exp.Expr, scope: Scope, *, is_true: bool) -> Formula:
        match node:
            case exp.Paren():
                return self._formula(node.this, scope, is_true=is_true)
            case exp.Not():
                return self._formula(node.this, scope, is_true=not is_true)
            case exp.And() | exp.Or():
                parts = tuple(self._formula(operand, scope, is_true=is_true) for operand in node.flatten())
                return All(parts) if isinstance(node, exp.And) == is_true else Either(parts)
            case exp.EQ() | exp.NullSafeEQ() if is_true:
                return self._comparison(node, scope)
            case exp.NEQ() if not is_true:
                return self._comparison(node, scope)
            case exp.In() if bool(node.args.get("is_not")) != is_true and not node.args.get("negate"):
                return self._in(node, scope)
            case exp.Exists() if is_true and isinstance(node.this, exp.Query | exp.Subquery):
                return self._reader.subquery(node.this, scope).formula
            case exp.Boolean() if node.this == (not is_true):
                return Either()
        if is_true and not node.args.get("negate"):
            return self._pattern_formula(node, scope)
        return ANYTHING

    def _comparison(self, node: exp.Expr, scope: Scope) -> Formula:
        left, right = node.this, node.expression
        if isinstance(right, exp.Any | exp.ArrayAny):
            # Nothing is unequal to one of no values.
            return ANYTHING if isinstance(node, exp.NEQ) else self._any(left, right.this, scope)
        if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
            if len(left.expressions) != len(right.expressions):
                return ANYTHING
            pairs = zip(left.expressions, right.expressions, strict=True)
            return All(tuple(self._equal_nodes(one, other, scope) for one, other in pairs))
        if isinstance(node, exp.NullSafeEQ) and (self._constants(left) is None) == (self._constants(right) is None):
            return ANYTHING  # NULL equals NULL
        return self._equal_nodes(left, right, scope)

    def _equal_nodes(self, left: exp.Expr, right: exp.Expr, scope: Scope) -> Formula:
        for one, other in ((left, right), (right, left)):
            constants = self._constants(other)
            if constants is not None:
                return self._of_expression(one, constants, scope)
        number = _whole_number(right) or _whole_number(left)
        if number is not None:
            other = left if _whole_number(right) else right
            flow = self._reader.values.flow(other, scope)
            return All(tuple(self._numbers(at, number) for at in flow.places))
        return self.equal(self._reader.values.flow(left, scope), self._reader.values.flow(right, scope))

    def _constants(self, node: exp.Expr) -> frozenset[str] | None:
        return self._folding.texts(node)

    def _of_expression(self, node: exp.Expr, texts: frozenset[str], scope: Scope) -> Formula:
        """What it says that an expression is one of these texts."""
        match node:
            case exp.Paren():
                return self._of_expression(node.this, texts, scope)
            case exp.Lower() | exp.Upper():
                flow = self._reader.values.flow(node.this, scope)
                return self._allowed(flow, texts, (), folds=True)
            case exp.Trim():
                flow = self._reader.values.flow(node.this, scope)
                self._folding.depends_on_content = True
                return self._allowed(flow, frozenset(), matching(texts))
            case exp.Left() | exp.Substring():
                start = node.args.get("start")
                if isinstance(node, exp.Substring) and (start is None or start.name != "1" or start.is_string):
                    return ANYTHING
                self._folding.depends_on_content = True
                flow = self._reader.values.flow(node.this, scope)
                return self._allowed(flow, frozenset(), matching(texts, start=""))
            case exp.Tuple():
                return ANYTHING
        return self._among(self._reader.values.flow(node, scope), Values(texts))

    def _in(self, node: exp.In, scope: Scope) -> Formula:
        query = node.args.get("query")
        if query is not None:
            return self._in_query(node.this, query, scope)
        if node.args.get("unnest") is not None:
            return self._any(node.this, node.args["unnest"], scope)
        if node.args.get("field") is not None:
            return self._any(node.this, node.args["field"], scope)
        if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Query | exp.Subquery):
            return self._in_query(node.this, node.expressions[0], scope)
        if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Values):
            return self._any(node.this, node.expressions[0], scope)
        left = node.this
        if isinstance(left, exp.Tuple):
            rows = [expression.expressions for expression in node.expressions if isinstance(expression, exp.Tuple)]
            if len(rows) != len(node.expressions) or any(len(row) != len(left.expressions) for row in rows):
                return ANYTHING
            return Either(
                tuple(
                    All(tuple(self._equal_nodes(a, b, scope) for a, b in zip(left.expressions, row, strict=True)))
                    for row in rows
                )
            )
        return Either(tuple(self._equal_nodes(left, expression, scope) for expression in node.expressions))

    def _in_query(self, left: exp.Expr, query: exp.Expr, scope: Scope) -> Formula:
        output = self._reader.subquery(query, scope)
        lefts = left.expressions if isinstance(left, exp.Tuple) else [left]
        if len(lefts) != len(output.columns) or (output.is_open and len(output.columns) != 1):
            return output.formula
        parts = [output.formula]
        for one, (_, flow) in zip(lefts, output.columns, strict=True):
            own = self._reader.values.flow(one, scope)
            parts.append(self.equal(own, flow))
            if flow.values is not None and not flow.values.columns:
                parts.append(self._of_expression(one, flow.values.texts, scope))
        return All(tuple(parts))

    def _any(self, left: exp.Expr, right: exp.Expr, scope: Scope) -> Formula:
        right = right.unnest()
        if isinstance(right, exp.Query | exp.Subquery):
            output: Output = self._reader.subquery(right, scope)
            # `= ANY ((SELECT array))` compares with the elements of a value, which may be an array.
            return ANYTHING if len(output.columns) != 1 else self._in_query(left, right, scope)
        items = self._folding.items(right)
        return ANYTHING if items is None else self._of_expression(left, items, scope)

    # -- patterns ------------------------------------------------------------------------------------------------

    def _pattern_formula(self, node: exp.Expr, scope: Scope) -> Formula:
        escape: tuple[str | None, ...] | None = None
        if isinstance(node, exp.Escape):
            said = self._folding.texts(node.expression)
            self._folding.depends_on_content = True
            if said is None or len(said) != 1:
                return ANYTHING
            (character,) = said
            escape = (character or None,)
            node = node.this
            if node.args.get("negate"):
                return ANYTHING
        match node:
            case exp.Like() | exp.ILike():
                return self._like(node, escape, scope)
            case exp.SimilarTo() if escape is None:
                texts = self._folding.texts(node.expression)
                self._folding.depends_on_content = True
                if texts is None or any(re.search(r"[|*+?{}()\[\]\\]", text) for text in texts):
                    return ANYTHING
                return self._matching(node.this, [(text, None) for text in texts], scope)
            case exp.RegexpLike() | exp.RegexpILike() if not node.args.get("flag"):
                self._folding.depends_on_content = True
                return self._regular(node, scope)
            case exp.StartsWith() | exp.EndsWith() | exp.Contains():
                self._folding.depends_on_content = True
                texts = self._folding.texts(node.expression)
                start = "" if isinstance(node, exp.StartsWith) else "%"
                end = "" if isinstance(node, exp.EndsWith) else "%"
                return ANYTHING if texts is None else self._matching(node.this, matching(texts, start, end), scope)
            case exp.ArrayContains():
                items = self._folding.items(node.this)
                return ANYTHING if items is None else self._of_expression(node.expression, items, scope)
        return ANYTHING

    def _like(self, node: exp.Expr, escape: tuple[str | None, ...] | None, scope: Scope) -> Formula:
        right = node.expression
        if isinstance(right, exp.Any):
            inner = right.this
            texts = self._folding.items(inner) if not isinstance(inner, exp.Query) else None
        elif isinstance(right, exp.Query | exp.All):
            return ANYTHING
        else:
            texts = self._folding.texts(right)
        if texts is None:
            return ANYTHING
        escapes = escape or _ESCAPES.get(self._dialect, ("\\", None))
        found = [(text, one) for text in sorted(texts) for one in escapes]
        return self._matching(node.this, found, scope, folds=isinstance(node, exp.ILike) or self._dialect not in _EXACT)

    def _regular(self, node: exp.Expr, scope: Scope) -> Formula:
        texts = self._folding.texts(node.expression)
        found: list[tuple[str, str | None]] = []
        for text in texts or ():
            patterns = from_regular(text)
            if patterns is None:
                return ANYTHING
            found += [(one, "!") for one in patterns]
        # The case that some dialects ignore here depends on collations.
        return ANYTHING if texts is None else self._matching(node.this, found, scope, folds=True)

    def _matching(
        self, node: exp.Expr, patterns: Iterable[tuple[str, str | None]], scope: Scope, *, folds: bool = False
    ) -> Formula:
        node = node.unnest()
        if isinstance(node, exp.Lower | exp.Upper):
            node, folds = node.this, True
        return self._allowed(
            self._reader.values.flow(node, scope), frozenset(), tuple(dict.fromkeys(patterns)), folds=folds
        )

    # -- what columns can hold -----------------------------------------------------------------------------------

    def _among(self, flow: Flow, values: Values | None) -> Formula:
        """What it says that a value is one of these."""
        if values is None or not flow.places:
            return ANYTHING
        parts: list[Formula] = []
        if values.texts or not values.columns:
            parts.append(self._allowed(flow, values.texts, ()))
        if values.columns:
            parts.append(All(tuple(self._same(at, values.columns) for at in flow.places)))
        return Either(tuple(parts)) if len(parts) > 1 else parts[0]

    def _same(self, at: At, columns: frozenset[At | Late | Loop]) -> Formula:
        """A column has the value of one of the others, if the values are compared exactly."""
        if self._dialect == "mysql":
            return ANYTHING
        kinds = [
            self._reader.values.column_type(place) for place in (at, *(one for one in columns if isinstance(one, At)))
        ]
        if any(_ignores_case(kind) or _PADDED.match(kind) for kind, _ in kinds):
            return ANYTHING
        families = {_family(kind) for kind, _ in kinds if kind}
        if len(families) > 1 or None in families:
            return ANYTHING
        return OneOf(frozenset([at]), None, columns)

    def _allowed(
        self, flow: Flow, texts: frozenset[str], patterns: Iterable[tuple[str, str | None]], *, folds: bool = False
    ) -> Formula:
        return All(tuple(self._allowed_at(at, texts, tuple(patterns), folds=folds) for at in flow.places))

    def _allowed_at(
        self, at: At, texts: frozenset[str], patterns: tuple[tuple[str, str | None], ...], *, folds: bool
    ) -> Formula:
        kind, _ = self._reader.values.column_type(at)
        folds = folds or self.folds or _ignores_case(kind)
        if _PADDED.match(kind):
            self._folding.depends_on_content = True
            patterns = (*patterns, *matching({text.rstrip(" ") for text in texts}, start=""))
        elif kind and not holds_text(kind):
            self._folding.depends_on_content = True
            if patterns or not kind.upper().startswith(_INTEGERS) or not all(map(_NUMBER.match, texts)):
                return ANYTHING
            folds = False
        return OneOf(frozenset([at]), Constants(texts, patterns, folds))

    def _numbers(self, at: At, number: str) -> Formula:
        kind, _ = self._reader.values.column_type(at)
        if not kind.upper().startswith(_INTEGERS) or "[" in kind:
            return ANYTHING
        return OneOf(frozenset([at]), Constants(frozenset([number])))


def _ignores_case(kind: str) -> bool:
    return "COLLATE" in kind or kind.upper().startswith("CITEXT")


def _family(kind: str) -> str | None:
    """Types whose values are compared as they are; None for a type that a user has defined, such as a domain."""
    if holds_text(kind):
        return "text"
    found = _NOT_TEXT.match(kind)
    if found is None:
        return None
    return "integer" if kind.upper().startswith(_INTEGERS) and "[" not in kind else found[0].upper()


def _whole_number(node: exp.Expr) -> str | None:
    node = node.unnest()
    if isinstance(node, exp.Literal) and not node.is_string and _NUMBER.match(node.name):
        return node.name
    return None
