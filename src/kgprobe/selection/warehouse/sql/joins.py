"""Reads what stands after FROM: relations and joins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from kgprobe.selection.warehouse.sql.conditions import ANYTHING, All, Formula
from kgprobe.selection.warehouse.sql.scopes import Flow, Item, Output, Scope, joined

if TYPE_CHECKING:
    from kgprobe.selection.warehouse.sql.queries import QueryReader

__all__ = ["Joins"]

_KINDS_OF_JOINS = frozenset(["", "INNER", "OUTER", "CROSS", "SEMI", "ANTI", "STRAIGHT_JOIN"])
_JOIN = frozenset(["this", "side", "kind", "on", "using", "method", "hint", "expressions"])
_TABLE = frozenset(["this", "alias", "db", "catalog", "only", "hints", "ordinality", "partition", "joins"])
_BRACKETS = frozenset(["this", "joins"])
_UNKNOWN_PARTS = ("pivots", "sample", "match_recognize", "when", "version", "changes")


class Joins:
    """Reads the relations of a query, and what their joins say about rows."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader

    def read_from(self, node: exp.Select, scope: Scope, start: int) -> list[Formula] | None:
        from_ = node.args.get("from_")
        joins = [*(node.args.get("joins") or ()), *(node.args.get("laterals") or ())]
        if from_ is None:
            return None if joins else []
        return self.joined_items(from_.this, joins, scope, start)

    def joined_items(
        self, first: exp.Expr, joins: Iterable[exp.Expr], scope: Scope, start: int
    ) -> list[Formula] | None:
        """Read what is joined. The formulas of inner joins, which hold for all rows; None if a join is unknown."""
        formulas: list[Formula] = []
        if not self._add_item(first, scope):
            return None
        for join in joins:
            if not isinstance(join, exp.Join):
                known = self._add_item(join, scope)
            else:
                known = self._join(join, scope, start, formulas)
            if not known:
                return None
        return formulas

    def _join(self, join: exp.Join, scope: Scope, start: int, formulas: list[Formula]) -> bool:
        begin = len(self._reader.occurrences)
        side, kind, method = (str(each or "").upper() for each in (join.side, join.kind, join.method))
        is_known = method in ("", "NATURAL") and kind in _KINDS_OF_JOINS
        if not is_known or any(value for key, value in join.args.items() if key not in _JOIN):
            return False
        if _names_columns(join) and _is_in_brackets(join.this):
            return False
        before = list(scope.visible)
        if not self._add_item(join.this, scope):
            return False
        found = self._join_formula(join, scope, before, side, is_natural=method == "NATURAL")
        end = len(self._reader.occurrences)
        if kind in ("SEMI", "ANTI"):
            scope.items[-1].is_hidden = True
            if side not in ("", "LEFT"):
                return False
        if kind == "ANTI" or (side == "LEFT" and kind != "SEMI"):
            self.apply(found, range(begin, end))  # rows on the left side stay if nothing fits
        elif side == "RIGHT":
            self.apply(found, range(start, begin))
        elif side != "FULL":
            self.apply(found, range(start, end))
            formulas.append(found)
        if side in ("RIGHT", "FULL"):
            formulas.clear()
        return True

    def _join_formula(
        self, join: exp.Join, scope: Scope, before: Sequence[Item], side: str, *, is_natural: bool
    ) -> Formula:
        parts: list[Formula] = []
        on = join.args.get("on")
        if on is not None:
            self._reader.values.scan(on, scope)
            parts.append(self._reader.restrictions.formula(on, scope))
        right = scope.items[-1]
        names = [each.name.lower() for each in join.args.get("using") or ()]
        if is_natural:
            if any(item.output.is_open or item.output.unnamed for item in scope.items):
                for item in scope.items:
                    self._reader.used(item.output)
                return ANYTHING
            known = {name for item in before for name in item.columns}
            names = [name for name in right.columns if name in known]
        for name in names:
            first = self._using(name, before, scope)
            second = self._using(name, [right], None)
            self._reader.use(first)
            self._reader.use(second)
            parts.append(self._reader.restrictions.equal(first, second))
            both = joined([first, second])
            merged = {"": both, "LEFT": first, "RIGHT": second}.get(side, both.without_places())
            values = second.values if side == "RIGHT" else first.values if side != "FULL" else both.values
            scope.merged[name] = Flow(merged.places, values, both.uses)
        return All(tuple(parts))

    def _using(self, name: str, items: Sequence[Item], scope: Scope | None) -> Flow:
        if scope is not None and name in scope.merged:
            return scope.merged[name]
        found = [flow for item in items if (flow := self._reader.values.column_of(item, name)) is not None]
        return found[0] if len(found) == 1 else Flow(uses=frozenset().union(*(each.uses for each in found)))

    def _add_item(self, node: exp.Expr, scope: Scope) -> bool:
        """Read one relation after FROM. False if it is of an unknown kind."""
        if any(node.args.get(key) for key in _UNKNOWN_PARTS):
            return False
        if isinstance(node, exp.Table) and any(value for key, value in node.args.items() if key not in _TABLE):
            return False
        begin, is_first = len(self._reader.occurrences), not scope.items
        if _is_in_brackets(node):
            return self._add_item(node.this, scope) and self._add_joins(node, scope, begin, is_first=is_first)
        alone = node
        if isinstance(node, exp.Subquery) and node.args.get("joins"):
            alone = node.copy()
            alone.set("joins", None)
        output = self._item_output(alone, scope)
        if output is None:
            return False
        alias = node.args.get("alias")
        name = node.alias.lower() if alias is not None else ""
        table = node.name.lower() if isinstance(node, exp.Table) else ""
        renamed = [each.name.lower() for each in (alias.args.get("columns") or ())] if alias is not None else []
        if renamed:
            output = self._renamed(output, renamed)
        scope.items.append(Item(name or table, output, table=table))
        return self._add_joins(node, scope, begin, is_first=is_first)

    def _add_joins(self, node: exp.Expr, scope: Scope, begin: int, *, is_first: bool) -> bool:
        """Read the joins within brackets, whose conditions say nothing about what is outside."""
        joins = node.args.get("joins") or ()
        if not is_first and any(map(_names_columns, joins)):
            return False
        return all(self._join(join, scope, begin, []) for join in joins)

    def _item_output(self, node: exp.Expr, scope: Scope) -> Output | None:
        match node:
            case exp.Table(this=exp.Identifier()):
                return self._reader.relations.relation(node, scope)
            case exp.Table():
                output = self._reader.relations.table_function(node.this, scope)
                return Output(output.columns, is_open=True) if node.args.get("ordinality") else output
            case exp.Subquery():
                return self._reader.query(node, scope.without_items())
            case exp.Lateral(this=exp.Subquery()):
                return self._reader.query(node.this, scope)
            case exp.Lateral():
                return self._reader.relations.table_function(node.this, scope)
            case exp.Values():
                return self._reader.value_rows(node, scope.without_items())
            case exp.Unnest() | exp.Func():
                return self._reader.relations.table_function(node, scope)
        return None

    def _renamed(self, output: Output, names: Sequence[str]) -> Output:
        if len(names) > len(output.columns):
            self._reader.used(output)
            columns = tuple((name, Flow()) for name in names)
            return Output(columns, is_open=True)
        kept = [*names, *(known for known, _ in output.columns[len(names) :])]
        columns = tuple((new, flow) for new, (_, flow) in zip(kept, output.columns, strict=True))
        return Output(columns, output.is_open, unnamed=output.unnamed)

    def apply(self, formula: Formula, numbers: range) -> None:
        if formula != ANYTHING:
            for number in numbers:
                if number not in self._reader.frozen:
                    self._reader.occurrences[number].formulas.append(formula)


def _is_in_brackets(node: exp.Expr) -> bool:
    """Whether a relation, or what is joined, only stands in brackets."""
    is_plain = not any(value for key, value in node.args.items() if key not in _BRACKETS)
    return isinstance(node, exp.Subquery) and is_plain and isinstance(node.this, exp.Table | exp.Subquery)


def _names_columns(join: exp.Join) -> bool:
    """Whether a join is made by the names of columns."""
    return bool(join.args.get("using") or join.args.get("method"))
