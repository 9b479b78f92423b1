"""Reads what stands after FROM: joins, and what the names of relations mean: tables, views, functions and queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from kgprobe.selection.sql.definitions import Definition
from kgprobe.selection.sql.statements import MARK
from kgprobe.selection.sql.values import (
    ANYTHING,
    All,
    At,
    Cte,
    Flow,
    Formula,
    Item,
    Loop,
    Occurrence,
    Output,
    Recursion,
    Scope,
    UnknownPartError,
    Values,
    column_at,
    joined,
    line_of,
    only_of,
)
from kgprobe.selection.tests import Relation

if TYPE_CHECKING:
    from kgprobe.selection.sql.queries import QueryReader

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
        side, kind, method = (str(word or "").upper() for word in (join.side, join.kind, join.method))
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
        names = [column.name.lower() for column in join.args.get("using") or ()]
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
        return only_of(found)

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
        renamed = [column.name.lower() for column in (alias.args.get("columns") or ())] if alias is not None else []
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
        return Output(output.named(names), output.is_open, unnamed=output.unnamed)

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


# -- what names of relations mean --------------------------------------------------------------------------------------


class Relations:
    """Reads the relations that a query names."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader

    def relation(self, node: exp.Table, scope: Scope | None) -> Output:
        if not isinstance(node.this, exp.Identifier):
            return self.table_function(node.this, scope or Scope())
        name, schema = node.name.lower(), node.db.lower()
        if MARK in name or MARK in schema:
            raise UnknownPartError("a template stands for a relation", node)
        if scope is not None and not schema:
            cte = scope.cte(name)
            if cte is not None:
                return self._cte_output(name, cte)
        self._reader.names[node.name] = None
        found = self._reader.catalogue.relation(name, schema)
        if found is None:
            reason = f"relation '{node.name}' is not known: add its definition with --schema FILE or --database URL"
            raise UnknownPartError(reason, node)
        if name in self._reader.catalogue.guarded and self._reader.catalogue.guarded[name] != "trigger":
            raise UnknownPartError(f"relation '{node.name}' has a {self._reader.catalogue.guarded[name]}", node)
        return self.defined(found, node, {})

    def defined(self, found: Definition, node: exp.Expr, parameters: Mapping[str, Flow]) -> Output:
        if found.file:
            self._reader.files[found.file] = None
        if found.problem:
            raise UnknownPartError(f"'{found.name}' cannot be followed: {found.problem}", node)
        if found.relation is not None:
            return self._stored(found.relation, node, is_local=found.is_local)
        key = f"{found.schema}.{found.name}"
        if key in self._reader.inside:
            raise UnknownPartError(f"the definition of '{found.name}' refers to itself", node)
        assert found.body is not None  # noqa: S101 - otherwise there is a problem
        self._reader.inside.append(key)
        try:
            if isinstance(found.body, exp.Query | exp.Values | exp.Table):
                output = self._reader.query(found.body, Scope(parameters=dict(parameters)))
            else:
                output = Output((("", self._reader.values.flow(found.body, Scope(parameters=dict(parameters)))),))
        finally:
            self._reader.inside.pop()
        if found.columns and len(found.columns) <= len(output.columns) and not output.is_open:
            return Output(output.named(found.columns))
        if found.columns:
            self._reader.used(output)
            return Output(is_open=True)
        return output

    def _stored(self, relation: Relation, node: exp.Expr, *, is_local: bool) -> Output:
        if is_local:
            return Output(tuple((column.name, Flow()) for column in relation.columns), is_open=not relation.columns)
        number = len(self._reader.occurrences)
        self._reader.occurrences.append(Occurrence(relation.name, self._line(node)))
        if not relation.columns:
            return Output(unnamed=(number,))
        return Output(tuple((column.name, column_at(number, column.name)) for column in relation.columns))

    def _line(self, node: exp.Expr) -> int | None:
        return None if self._reader.inside else line_of(node) or self._reader.first_line

    def _cte_output(self, name: str, cte: Cte) -> Output:
        if cte.output is not None:
            self._reader.calls[-1] += 1
            return cte.output
        assert cte.node is not None  # noqa: S101 - only a recursive reference has none
        if f"with {name} {id(cte.node)}" in self._reader.inside:
            raise UnknownPartError(f"the query '{name}' refers to itself in a way that kgprobe does not follow")
        self._reader.inside.append(f"with {name} {id(cte.node)}")
        try:
            found = self._recursive(name, cte) if cte.is_recursive else self._reader.query(cte.node, cte.within)
        finally:
            self._reader.inside.pop()
        if cte.columns:
            if len(cte.columns) > len(found.columns) or found.unnamed:
                return Output(is_open=True, unnamed=self._reader.used(found).unnamed)
            return Output(found.named(cte.columns), found.is_open)
        return found

    def _recursive(self, name: str, cte: Cte) -> Output:
        """Read a recursive query: its values are those of its start, and of its recursive part."""
        assert cte.node is not None  # noqa: S101
        parts = _branches(cte.node)
        own = [any(table.name.lower() == name and not table.db for table in part.find_all(exp.Table)) for part in parts]
        if not any(own) or all(own) or len(parts) < 2:
            return self._reader.coarse(cte.node, cte.within)
        first = len(self._reader.occurrences)
        start = [
            self._reader.used(self._reader.query(part, cte.within))
            for part, is_own in zip(parts, own, strict=True)
            if not is_own
        ]
        width = len(start[0].columns)
        names = [*cte.columns, *(known for known, _ in start[0].columns[len(cte.columns) :])][:width]
        number = len(self._reader.recursions)
        is_clear = all(not one.is_open and not one.unnamed and len(one.columns) == width for one in start)
        starts = [joined([one.columns[n][1] for one in start]) if is_clear else Flow() for n in range(width)]
        recursion = Recursion([flow.values for flow in starts])
        self._reader.recursions.append(recursion)
        begin = len(self._reader.occurrences)
        reference = Output(
            tuple(
                (each, Flow(frozenset([At(-1 - number, str(n))]), Values(columns=frozenset([Loop(number, n)]))))
                for n, each in enumerate(names)
            ),
            is_open=not is_clear,
        )
        scope = Scope(cte.within)
        scope.ctes[name] = Cte(None, None, output=reference)
        steps = []
        passes = [frozenset(at for at in starts[n].places if at.occurrence >= first) for n in range(width)]
        for part in (part for part, is_own in zip(parts, own, strict=True) if is_own):
            self._reader.calls.append(0)
            step = self._reader.used(self._reader.query(part, scope))
            calls = self._reader.calls.pop()
            fits = not step.is_open and not step.unnamed and len(step.columns) == width
            steps.append([flow for _, flow in step.columns] if fits else [Flow()] * width)
            for n in range(width):
                own_place = At(-1 - number, str(n))
                places = steps[-1][n].places
                is_passed_on = calls == 1 and own_place in places
                passes[n] = passes[n] | (places - {own_place}) if is_passed_on and passes[n] else frozenset()
        recursion.step = [joined([step[n] for step in steps]).values for n in range(width)]
        recursion.within = range(begin, len(self._reader.occurrences))
        columns = tuple(
            (each, Flow(passes[n], Values(columns=frozenset([Loop(number, n)])))) for n, each in enumerate(names)
        )
        return Output(columns, is_open=not is_clear)

    def table_function(self, node: exp.Expr, scope: Scope) -> Output:
        items = self._reader.folding.items(node)
        if items is not None:
            name = (
                "unnest"
                if isinstance(node, exp.Unnest)
                else "col"
                if isinstance(node, exp.Explode)
                else node.name.lower()
            )
            flow = Flow(values=Values(items))
            return Output(((name, flow), ("value", flow)), is_open=True)
        if isinstance(node, exp.Anonymous):
            found = self._reader.catalogue.function(node.name.lower())
            if found is not None:
                output = self._reader.values.call(found, node.expressions, node, scope)
                return Output(output.columns, output.is_open or len(output.columns) == 1, unnamed=output.unnamed)
        elif not isinstance(node, exp.Func | exp.Unnest | exp.Dot | exp.TableFromRows):
            raise UnknownPartError("kgprobe does not know this kind of relation", node)
        self._reader.values.scan(node, scope)
        return Output(is_open=True)


def _branches(node: exp.Expr) -> list[exp.Expr]:
    """The parts of a union, of unions and so on."""
    is_plain = not any(node.args.get(key) for key in ("with_", "limit", "offset", "order", "by_name", "side", "kind"))
    if isinstance(node, exp.Union) and is_plain:
        return [*_branches(node.this), *_branches(node.expression)]
    if isinstance(node, exp.Subquery) and is_plain and isinstance(node.this, exp.Union):
        return _branches(node.this)
    return [node]
