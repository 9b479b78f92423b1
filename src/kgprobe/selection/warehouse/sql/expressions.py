"""Reads expressions: which columns they depend on, and what their values can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from kgprobe.selection.warehouse.catalogue import Definition
from kgprobe.selection.warehouse.sql.conditions import At, Values
from kgprobe.selection.warehouse.sql.constants import TEXT_TYPES
from kgprobe.selection.warehouse.sql.functions import KNOWN_FUNCTIONS, OUTSIDE
from kgprobe.selection.warehouse.sql.places import MARK
from kgprobe.selection.warehouse.sql.scopes import Flow, Item, Output, Scope, UnknownPartError, column_at, joined

if TYPE_CHECKING:
    from kgprobe.selection.warehouse.sql.queries import QueryReader

__all__ = ["NO_COLUMN", "Expressions"]

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
                output = self._reader.subquery(node, scope)
                return output.columns[0][1].without_places() if len(output.columns) == 1 else Flow()
            case exp.Null():
                return Flow(values=Values())
            case exp.Func() if (found := self.user_function(node)) is not None:
                output = self._reader.used(self.call(found, _arguments(node), node, scope))
                return output.columns[0][1].without_places() if len(output.columns) == 1 else Flow()
            case exp.Min() | exp.Max() if not node.expressions:
                return self.flow(node.this, scope).without_places()
            case exp.Coalesce():
                return joined([self.flow(each, scope) for each in (node.this, *node.expressions)]).without_places()
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
            elif isinstance(each, exp.Column | exp.Star):
                if not isinstance(each.parent, exp.Count) or isinstance(each, exp.Column):
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
        for each in scope.up():
            for item in each.items:
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
        unsure: list[Flow] = []
        for each in scope.up():
            found, is_sure = self._in_scope(each, name, table, node)
            if found is not None:
                unsure.append(found)
                if is_sure:
                    break
        if unsure:
            return unsure[0] if len(unsure) == 1 else Flow(uses=frozenset().union(*(each.uses for each in unsure)))
        if name in _PSEUDO or table in ("excluded", "new", "old"):
            return Flow()
        if node.this.args.get("quoted") and not table:
            return Flow(values=Values(frozenset([node.name])))  # a string, as SQLite reads it
        raise UnknownPartError(f"column '{node.sql()[:80]}' {NO_COLUMN}", node)

    def _in_scope(self, scope: Scope, name: str, table: str, node: exp.Column) -> tuple[Flow | None, bool]:
        """What a name means in a scope, and whether it cannot mean something outside of it."""
        found, is_sure = self._in_items(scope, name, table, node.args.get("db"))
        if found is not None:
            if not table and any(name in each.parameters for each in scope.up()):
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
        if not flows:
            return None, False
        found = flows[0] if len(flows) == 1 else Flow(uses=frozenset().union(*(each.uses for each in flows)))
        return found, bool(known or table)

    def column_of(self, item: Item, name: str) -> Flow | None:
        if name in item.columns:
            known = item.columns[name]
            return Flow(uses=known.uses) if name in item.twice else known
        if item.output.unnamed:
            return (
                joined([column_at(number, name) for number in item.output.unnamed])
                if (len(item.output.unnamed) == 1 and not item.output.is_open)
                else Flow(uses=frozenset(At(number, name) for number in item.output.unnamed))
            )
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
        return next((each for each in found if each is not None), None)

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
    return [each for each in node.iter_expressions() if not isinstance(each, exp.DataType)]
