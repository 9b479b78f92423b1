"""Reads expressions: which columns they depend on, what their values can be, and which of them are constant."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from kgprobe.selection.sql.definitions import Definition
from kgprobe.selection.sql.statements import MARK, possible_texts
from kgprobe.selection.sql.values import (
    At,
    Flow,
    Item,
    Output,
    Scope,
    UnknownPartError,
    Values,
    column_at,
    joined,
    only_of,
    uses_of,
)

if TYPE_CHECKING:
    from kgprobe.selection.sql.queries import QueryReader

TEXT_TYPES = frozenset([exp.DType.TEXT, exp.DType.VARCHAR, exp.DType.NVARCHAR])
_MOST_TEXTS = 5000
_LISTS_WORDS = """
    string_to_array string_to_table regexp_split_to_table regexp_split_to_array string_split str_split split
    string_to_list split_to_table
"""
_LISTS = frozenset(_LISTS_WORDS.split())
_JSON_LISTS_WORDS = """
    json_array_elements json_array_elements_text jsonb_array_elements jsonb_array_elements_text json_each
    json_array jsonb_build_array json_build_array parse_json from_json json json_table
"""
_JSON_LISTS = frozenset(_JSON_LISTS_WORDS.split())
_ELEMENT = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([^,{}"\\]*?))\s*(,|\Z)')
_PLAIN_REGULAR = re.compile(r"(\^?)(\(?)([\w :/#,;@&'\"<>=!%~-]+(?:\|[\w :/#,;@&'\"<>=!%~-]+)*)(\)?)(\$?)\Z")


class Folding:
    """Folds constants. `depends_on_content` becomes true if the content of a text decides what it means."""

    def __init__(self, names: Sequence[str] = (), parameters: Mapping[str, Sequence[str] | None] | None = None) -> None:
        self._names = names
        self._parameters = parameters or {}
        self.depends_on_content = False

    def texts(self, node: exp.Expr | None) -> frozenset[str] | None:
        """The texts that an expression can be; None if it is not constant, or not a text."""
        match node:
            case exp.Literal(is_string=True) | exp.National() | exp.RawString() | exp.Heredoc() | exp.ByteString():
                return possible_texts(node.name, self._names, self._parameters)
            case exp.Paren() | exp.Alias():
                return self.texts(node.this)
            case exp.Cast() if node.to is not None and node.to.this in TEXT_TYPES and not node.to.expressions:
                return self.texts(node.this)
            case exp.DPipe() | exp.Concat():
                parts = list(node.flatten()) if isinstance(node, exp.DPipe) else node.expressions
                return self._joined(parts, "")
            case exp.Lower():
                return self._changed(node, str.lower)
            case exp.Upper():
                return self._changed(node, str.upper)
            case exp.Trim() if not node.args.get("collation"):
                return self._trimmed(node)
        return None

    def items(self, node: exp.Expr | None) -> frozenset[str] | None:
        """The texts in a constant list, array or JSON array."""
        match node:
            case exp.Values():
                rows = [part.expressions if isinstance(part, exp.Tuple) else [part] for part in node.expressions]
                return self._all([row[0] for row in rows]) if all(len(row) == 1 for row in rows) else None
            case exp.Array() | exp.Tuple() | exp.JSONArray():
                return self._all(node.expressions)
            case exp.Unnest(expressions=[only]):
                return self.items(only)
            case exp.Paren() | exp.Alias() | exp.Explode() | exp.Cast() | exp.ParseJSON():
                return self.items(node.this)
            case exp.Literal(is_string=True):
                self.depends_on_content = True
                return None if MARK in node.name else _array(node.name)
            case exp.Split() | exp.StringToArray():
                return self._split(node.this, node.expression, node)
            case exp.Anonymous(expressions=[text, mark]) if node.name.lower() in _LISTS:
                return self._split(text, mark, node)
            case exp.Anonymous(expressions=[only]) if node.name.lower() in _JSON_LISTS:
                return self.items(only)
        return None

    def _all(self, nodes: Sequence[exp.Expr]) -> frozenset[str] | None:
        found: set[str] = set()
        for node in nodes:
            if isinstance(node, exp.Null):
                continue
            texts = self.texts(node)
            if texts is None:
                return None
            found |= texts
        return frozenset(found)

    def _joined(self, nodes: Sequence[exp.Expr], between: str) -> frozenset[str] | None:
        self.depends_on_content = True
        found = frozenset([""])
        for number, each in enumerate(nodes):
            texts = self.texts(each)
            if texts is None or len(texts) * len(found) > _MOST_TEXTS:
                return None
            found = frozenset(one + (between if number else "") + other for one in found for other in texts)
        return found

    def _changed(self, node: exp.Expr, change: Callable[[str], str]) -> frozenset[str] | None:
        self.depends_on_content = True
        texts = self.texts(node.this)
        return None if texts is None else frozenset(map(change, texts))

    def _trimmed(self, node: exp.Trim) -> frozenset[str] | None:
        side = str(node.args.get("position") or "BOTH").upper()
        characters = self.texts(node.expression) if node.expression is not None else frozenset([" "])
        if characters is None or len(characters) != 1:
            return None
        (those,) = characters
        if len(those) != 1:
            return None
        strip = {"LEADING": str.lstrip, "TRAILING": str.rstrip}.get(side, str.strip)
        return self._changed(node, lambda text: strip(text, those))

    def _split(self, text: exp.Expr | None, mark: exp.Expr | None, node: exp.Expr) -> frozenset[str] | None:
        self.depends_on_content = True
        texts, marks = self.texts(text), self.texts(mark)
        is_regular = isinstance(node, exp.Anonymous) and node.name.lower().startswith("regexp")
        if texts is None or marks is None or len(marks) != 1:
            return None
        (at,) = marks
        if not at or (is_regular and re.search(r"[^\w ,;/:-]", at)):
            return None
        return frozenset(part for whole in texts for part in whole.split(at))


def _array(text: str) -> frozenset[str] | None:
    """The elements of `{A,"B C"}` or of a JSON array of texts."""
    text = text.strip()
    if text.startswith("["):
        try:
            items = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(items, list) or not all(isinstance(item, str) or item is None for item in items):
            return None
        return frozenset(item for item in items if item is not None)
    if not (text.startswith("{") and text.endswith("}")):
        return None
    body, place, found = text[1:-1], 0, set()
    while place < len(body):
        each = _ELEMENT.match(body, place)
        if each is None:
            return None
        if each[1] is not None:
            found.add(re.sub(r"\\(.)", r"\1", each[1]))
        elif each[2].upper() != "NULL":
            found.add(each[2])
        place = each.end()
    return frozenset(found)


def _escaped(text: str) -> str:
    """A text as a part of a LIKE pattern with the escape character `!`."""
    return re.sub(r"([%_!])", r"!\1", text)


def matching(texts: Iterable[str], start: str = "%", end: str = "%") -> tuple[tuple[str, str], ...]:
    """The LIKE patterns of what begins with, ends with or contains one of these texts, with their escape character."""
    return tuple((f"{start}{_escaped(text)}{end}", "!") for text in sorted(texts))


def from_regular(regular: str) -> tuple[str, ...] | None:
    """The LIKE patterns, with the escape character `!`, for a regular expression without special characters."""
    found = _PLAIN_REGULAR.match(regular)
    if (
        found is None
        or bool(found[2]) != bool(found[4])
        or ("|" in found[3] and not found[2] and (found[1] or found[5]))
    ):
        return None
    start, end = "" if found[1] else "%", "" if found[5] else "%"
    return tuple(f"{start}{_escaped(part)}{end}" for part in found[3].split("|"))


# -- values of columns, functions and queries --------------------------------------------------------------------------


OUTSIDE = (exp.NextValueFor, exp.ReadCSV, exp.ReadParquet)
"""Functions that read something other than their arguments."""
# Those of PostgreSQL, DuckDB, SQLite, MySQL and Oracle whose results depend on nothing but their arguments, time and
# chance, and which the parser does not know by itself. All others may read anything, unless their definition is known.
KNOWN_FUNCTIONS = frozenset(Path(__file__).with_name("functions.txt").read_text(encoding="ascii").split())
NO_COLUMN = "is in no table that kgprobe knows"
_PSEUDO = frozenset(
    ["all", "rownum", "level", "current_date", "current_timestamp", "current_time", "current_user", "user"]
)


class Expressions:
    """Reads the expressions of a query."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader

    def scan(self, node: exp.Expr, scope: Scope) -> None:
        """Read an expression whose value matters."""
        self._reader.use(self._parts(node, scope))

    def flow(self, node: exp.Expr, scope: Scope) -> Flow:
        """The value of an expression."""
        match node:
            case exp.Column() if not isinstance(node.this, exp.Star):
                return self._column(node, scope)
            case exp.Alias() | exp.Paren():
                return self.flow(node.this, scope)
            case exp.Subquery() | exp.Query():
                return self._reader.subquery(node, scope).only
            case exp.Null():
                return Flow(values=Values())
            case exp.Func() if (found := self.user_function(node)) is not None:
                return self._reader.used(self.call(found, _arguments(node), node, scope)).only
            case exp.Min() | exp.Max() if not node.expressions:
                return self.flow(node.this, scope).without_places()
            case exp.Coalesce():
                return joined([self.flow(part, scope) for part in (node.this, *node.expressions)]).without_places()
        return self._constant(node) or self._as_text(node, scope) or self._parts(node, scope)

    def _constant(self, node: exp.Expr) -> Flow | None:
        texts = self._reader.folding.texts(node)
        if texts is None and isinstance(node, exp.Unnest | exp.Explode | exp.Anonymous):
            texts = self._reader.folding.items(node)
        return None if texts is None else Flow(values=Values(texts))

    def _as_text(self, node: exp.Expr, scope: Scope) -> Flow | None:
        """A text that is cast to a text stays as it is."""
        if not isinstance(node, exp.Cast) or node.to.this not in TEXT_TYPES or node.to.expressions:
            return None
        found = self.flow(node.this, scope)
        return found if found.places and all(self.column_type(at)[1] for at in found.places) else None

    def _parts(self, node: exp.Expr, scope: Scope) -> Flow:
        """The columns in an expression that can be anything. Its queries are read."""
        uses: set[At] = set()
        pending = [node]
        while pending:
            each = pending.pop()
            if isinstance(each, exp.Column) and not isinstance(each.this, exp.Star):
                uses |= self._column(each, scope).uses
            elif isinstance(each, exp.Identifier):  # a name that the parser takes for no column, as in `label.upper()`
                uses |= uses_of(self._meanings(exp.Column(this=each.copy()), scope))
            elif isinstance(each, exp.Column | exp.Columns | exp.Star):
                if not isinstance(each.parent, exp.Count) or not isinstance(each, exp.Star):
                    self._whole(each.args.get("table"), scope)
            elif isinstance(each, exp.Query | exp.Subquery):
                self._reader.subquery(each, scope)
            elif isinstance(each, exp.Table):
                self._reader.used(self._reader.relations.relation(each, scope))
            elif isinstance(each, exp.Func) and (found := self.user_function(each)) is not None:
                self._reader.used(self.call(found, _arguments(each), each, scope))
            else:
                if isinstance(each, exp.Func):
                    self.check_function(each)
                pending += [child for child in each.iter_expressions() if not isinstance(child, exp.DataType)]
        return Flow(uses=frozenset(uses))

    def _whole(self, table: exp.Expr | None, scope: Scope) -> None:
        for outer in scope.up():
            for item in outer.items:
                if table is None or item.name == table.name.lower():
                    self._reader.used(item.output)
            if table is None:
                return

    def _column(self, node: exp.Column, scope: Scope) -> Flow:
        name, table = node.name.lower(), node.table.lower()
        if MARK in name or MARK in table:
            self._whole(None, scope)
            return Flow()
        self._reader.names[node.name] = None
        unsure = list(self._meanings(node, scope))
        if unsure:
            return only_of(unsure)
        if name in _PSEUDO or table in ("excluded", "new", "old"):
            return Flow()
        if node.this.args.get("quoted") and not table:
            self._reader.takes_names_for_texts = True
            return Flow(values=Values(frozenset([node.name])))  # a string, as SQLite reads it
        raise UnknownPartError(f"column '{node.sql()[:80]}' {NO_COLUMN}", node)

    def _meanings(self, node: exp.Column, scope: Scope) -> Iterator[Flow]:
        """What a name may mean: one value if it is certain."""
        for outer in scope.up():
            found, is_sure = self._in_scope(outer, node.name.lower(), node.table.lower(), node)
            if found is not None:
                yield found
                if is_sure:
                    return

    def _in_scope(self, scope: Scope, name: str, table: str, node: exp.Column) -> tuple[Flow | None, bool]:
        """What a name means in a scope, and whether it cannot mean something outside of it."""
        found, is_sure = self._in_items(scope, name, table, node.args.get("db"))
        if found is not None:
            if not table and any(name in outer.parameters for outer in scope.up()):
                found = Flow(uses=found.uses)  # databases disagree on whether the parameter or the column is meant
            return found, is_sure
        if table:
            return None, False
        if name in scope.parameters:
            return scope.parameters[name], True
        if name in scope.aliases:
            meant = scope.aliases.pop(name)  # it cannot mean itself
            try:
                return self.flow(meant, scope), False
            finally:
                scope.aliases[name] = meant
        if any(item.name == name for item in scope.items):
            self._whole(node.this, scope)
            return Flow(), True
        return None, False

    def _in_items(self, scope: Scope, name: str, table: str, schema: exp.Expr | None) -> tuple[Flow | None, bool]:
        if not table and name in scope.merged:
            return scope.merged[name], True
        items = [
            item for item in scope.visible if not table or table in (item.name, item.table if schema else item.name)
        ]
        known = [item for item in items if name in item.columns]
        others = [item for item in items if name not in item.columns]
        flows = [flow for item in (*known, *others) if (flow := self.column_of(item, name)) is not None]
        return (only_of(flows), bool(known or table)) if flows else (None, False)

    def column_of(self, item: Item, name: str) -> Flow | None:
        if name in item.columns:
            known = item.columns[name]
            return Flow(uses=known.uses) if name in item.twice else known
        if item.output.unnamed:
            found = only_of([column_at(number, name) for number in item.output.unnamed])
            return Flow(uses=found.uses) if item.output.is_open else found
        return Flow() if item.output.is_open else None

    def column_type(self, at: At) -> tuple[str, bool]:
        """The declared type of a column, and whether it holds nothing but text."""
        if at.occurrence < 0:
            return "", False
        table = self._reader.catalogue.tables.get(self._reader.occurrences[at.occurrence].table)
        column = table.by_name.get(at.column) if table is not None else None
        return (column.type, column.is_text) if column is not None else ("", False)

    def user_function(self, node: exp.Func) -> Definition | None:
        if not self._reader.catalogue.functions:
            return None
        names = [node.name] if isinstance(node, exp.Anonymous) else node.sql_names()
        found = (self._reader.catalogue.function(name.lower()) for name in names)
        return next((definition for definition in found if definition is not None), None)

    def call(self, found: Definition, arguments: Sequence[exp.Expr], node: exp.Expr, scope: Scope) -> Output:
        parameters: dict[str, Flow] = {}
        given: dict[str, exp.Expr] = {}
        wanted = found.parameters or ()
        for number, each in enumerate(arguments):
            if (
                isinstance(each, exp.Kwarg | exp.PropertyEQ | exp.EQ)
                and each.this.name.lower() in {one.name for one in wanted}
                and not isinstance(each, exp.EQ)
            ):
                given[each.this.name.lower()] = each.expression
            elif number < len(wanted):
                given[wanted[number].name or f"#{number}"] = each
            else:
                raise UnknownPartError(f"function '{found.name}' is called with more values than it has", node)
        for number, one in enumerate(wanted):
            value = given.get(one.name or f"#{number}", one.default)
            flow = self._reader.use(self.flow(value, scope)).without_places() if value is not None else Flow()
            flow = Flow(values=flow.values)
            if one.name:
                parameters[one.name] = flow
            parameters[f"__kgprobe_parameter_{number + 1}"] = flow
        return self._reader.relations.defined(found, node, parameters)

    def check_function(self, node: exp.Expr) -> None:
        if isinstance(node, OUTSIDE):
            raise UnknownPartError(f"function '{node.sql()[:60]}' may read anything", node)
        if isinstance(node, exp.Anonymous):
            name = node.name.lower()
            if name not in KNOWN_FUNCTIONS and name not in self._reader.catalogue.builtin:
                reason = f"function '{node.name}' is not known: add its definition with --schema FILE or --database URL"
                raise UnknownPartError(reason, node)


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    return [child for child in node.iter_expressions() if not isinstance(child, exp.DataType)]
