"""Reads what the names of relations mean: stored tables, views, functions, and queries with names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sqlglot import exp

from kgprobe.selection.warehouse.catalogue import Definition
from kgprobe.selection.warehouse.relations import Relation
from kgprobe.selection.warehouse.sql.conditions import At, Loop, Values
from kgprobe.selection.warehouse.sql.places import MARK
from kgprobe.selection.warehouse.sql.scopes import Cte, Flow, Output, Scope, UnknownPartError, column_at, joined
from kgprobe.selection.warehouse.sql.sources import Occurrence, Recursion

if TYPE_CHECKING:
    from kgprobe.selection.warehouse.sql.queries import QueryReader

__all__ = ["Relations"]


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
            names = [*found.columns, *(name for name, _ in output.columns[len(found.columns) :])]
            return Output(tuple(zip(names, (flow for _, flow in output.columns), strict=True)))
        if found.columns:
            self._reader.used(output)
            return Output(is_open=True)
        return output

    def _stored(self, relation: Relation, node: exp.Expr, *, is_local: bool) -> Output:
        if is_local:
            return Output(tuple((each.name, Flow()) for each in relation.columns), is_open=not relation.columns)
        number = len(self._reader.occurrences)
        self._reader.occurrences.append(Occurrence(relation.name, self._line(node)))
        if not relation.columns:
            return Output(unnamed=(number,))
        return Output(tuple((each.name, column_at(number, each.name)) for each in relation.columns))

    def _line(self, node: exp.Expr) -> int | None:
        if self._reader.inside:
            return None
        for each in node.find_all(exp.Identifier):
            line = each.meta.get("line")
            if isinstance(line, int):
                return line
        return self._reader.first_line

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
            names = [*cte.columns, *(known for known, _ in found.columns[len(cte.columns) :])]
            return Output(tuple(zip(names, (flow for _, flow in found.columns), strict=True)), found.is_open)
        return found

    def _recursive(self, name: str, cte: Cte) -> Output:
        """Read a recursive query: its values are those of its start, and of its recursive part."""
        assert cte.node is not None  # noqa: S101
        parts = _branches(cte.node)
        own = [any(each.name.lower() == name and not each.db for each in part.find_all(exp.Table)) for part in parts]
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
