"""Reads queries: the occurrences of stored tables in them, and which of their rows and columns can matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp

from kgprobe.selection.warehouse.catalogue import Catalogue, Definition
from kgprobe.selection.warehouse.reads import Source
from kgprobe.selection.warehouse.relations import Relation
from kgprobe.selection.warehouse.sql.conditions import ANYTHING, All, At, Either, Formula, Loop, Values
from kgprobe.selection.warehouse.sql.constants import TEXT_TYPES, Folding
from kgprobe.selection.warehouse.sql.functions import KNOWN_FUNCTIONS, OUTSIDE
from kgprobe.selection.warehouse.sql.places import MARK
from kgprobe.selection.warehouse.sql.restrictions import Restrictions
from kgprobe.selection.warehouse.sql.scopes import Cte, Flow, Item, Output, Scope, joined
from kgprobe.selection.warehouse.sql.sources import Occurrence, Recursion, sources_of

__all__ = ["NO_COLUMN", "QueryReader", "UnknownPartError"]

NO_COLUMN = "is in no table that kgprobe knows"
_MOST_OCCURRENCES = 400
_DEEPEST = 40
_SELECT_WORDS = """
    expressions from_ joins where group having order limit offset distinct windows qualify with_ hint locks kind
    operation_modifiers sort cluster laterals
"""
_SELECT = frozenset(_SELECT_WORDS.split())
_GROUPED = frozenset(["cube", "rollup", "grouping_sets", "totals", "all"])
_KINDS_OF_JOINS = frozenset(["", "INNER", "OUTER", "CROSS", "SEMI", "ANTI", "STRAIGHT_JOIN"])
_JOIN = frozenset(["this", "side", "kind", "on", "using", "method", "hint", "expressions"])
_TABLE = frozenset(["this", "alias", "db", "catalog", "only", "hints", "ordinality", "partition"])
_UNKNOWN_PARTS = ("pivots", "sample", "match_recognize", "when", "version", "changes")
_PSEUDO = frozenset(
    ["all", "rownum", "level", "current_date", "current_timestamp", "current_time", "current_user", "user"]
)
_ORDINAL = frozenset(["ordinality", "offset"])


class UnknownPartError(Exception):
    """A part of a statement that may read anything."""

    def __init__(self, reason: str, node: exp.Expr | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.node = node


class QueryReader:
    """Reads the queries of one statement. It collects the occurrences of stored tables."""

    def __init__(self, catalogue: Catalogue, dialect: str | None, folding: Folding, *, first_line: int = 1) -> None:
        self.catalogue = catalogue
        self.folding = folding
        self.first_line = first_line
        self.occurrences: list[Occurrence] = []
        self.recursions: list[Recursion] = []
        self.files: dict[str, None] = {}  # those with the definitions that were used
        self.names: dict[str, None] = {}  # of tables and columns, as written
        self._restrictions = Restrictions(self, dialect, folding)
        self._frozen: set[int] = set()  # occurrences whose rows matter even if they do not pass
        self._subqueries: dict[tuple[int, int], tuple[exp.Expr, Scope, Output]] = {}
        self._inside: list[str] = []  # the definitions that are being read
        self._calls: list[int] = []  # how often the recursive queries that are being read refer to themselves

    def sources(self) -> tuple[Source, ...]:
        """What has been read, as sources."""
        return sources_of(
            self.occurrences, self.recursions, folds=self._restrictions.folds, key_of=self.catalogue.key_of
        )

    # -- queries -------------------------------------------------------------------------------------------------

    def query(self, node: exp.Expr, outer: Scope | None) -> Output:
        """Read a query. Its columns are not used yet."""
        if len(self._inside) > _DEEPEST or len(self.occurrences) > _MOST_OCCURRENCES:
            raise UnknownPartError("it refers to too many views and queries", node)
        scope = outer
        with_ = node.args.get("with_")
        if with_ is not None:
            scope = Scope(outer)
            for cte in with_.expressions:
                self.cte(cte, scope, is_recursive=bool(with_.args.get("recursive")))
            if any(with_.args.get(each) for each in ("search",)):
                return self.coarse(node, scope)
        match node:
            case exp.Select():
                return self._select(node, scope)
            case exp.SetOperation():
                return self._set_operation(node, scope)
            case exp.Subquery() | exp.Paren():
                return self._subquery(node, scope)
            case exp.Values():
                return self._values(node, scope)
            case exp.Table():
                return self._relation(node, scope)
        return self.coarse(node, scope)

    def used(self, output: Output) -> Output:
        """The output of a query whose columns all matter."""
        for _, flow in output.columns:
            self.use(flow)
        for number in output.unnamed:
            self.occurrences[number].columns = None
        return output

    def use(self, flow: Flow) -> Flow:
        """A value that matters."""
        for at in flow.uses:
            if at.occurrence >= 0:
                columns = self.occurrences[at.occurrence].columns
                if columns is not None:
                    columns.add(at.column)
        return flow

    def cte(self, node: exp.Expr, scope: Scope, *, is_recursive: bool) -> None:
        alias = node.args.get("alias")
        columns = tuple(each.name.lower() for each in (alias.args.get("columns") or ())) if alias is not None else ()
        names = {each.name.lower() for each in node.this.find_all(exp.Table) if not each.db}
        name = node.alias.lower()
        if not isinstance(node.this, exp.Query | exp.Values):
            raise UnknownPartError("it changes rows within a query", node)
        if node.args.get("key_expressions") or node.args.get("scalar"):
            raise UnknownPartError("kgprobe does not know this kind of recursion", node)
        recursive = is_recursive and name in names
        # Its own name means an outer relation, unless it is recursive.
        scope.ctes[name] = Cte(node.this, _snapshot(scope), columns, recursive)

    def _select(self, node: exp.Select, outer: Scope | None) -> Output:
        if any(value for key, value in node.args.items() if key not in _SELECT):
            return self.coarse(node, outer)
        start = len(self.occurrences)
        scope = Scope(outer)
        formulas = self._from(node, scope, start)
        if formulas is None:
            return self.coarse(node, outer)
        named = [each for each in node.expressions if isinstance(each, exp.Alias)]
        scope.aliases = {each.alias.lower(): each.this for each in reversed(named)}
        where = node.args.get("where")
        if where is not None:
            self.scan(where.this, scope)
            formula = self._restrictions.formula(where.this, scope)
            self._apply(formula, range(start, len(self.occurrences)))
            formulas.append(formula)
        output = self._outputs(node, scope)
        for key in ("distinct", "group", "having", "qualify", "order", "sort", "cluster", "windows", "limit", "offset"):
            value = node.args.get(key)
            for each in value if isinstance(value, list) else [value] if value is not None else []:
                self.scan(each, scope)
        distinct, order = node.args.get("distinct"), node.args.get("order")
        orders_by_all = order is not None and any(each.this.name.upper() == "ALL" for each in order.expressions)
        if distinct is not None or orders_by_all:
            self.used(output)
        return self._limited(node, scope, output, All(tuple(formulas)))

    def _limited(self, node: exp.Select, scope: Scope, output: Output, formula: Formula) -> Output:
        """The output, of which only those columns have places that a condition on them can be moved through."""
        distinct, group = node.args.get("distinct"), node.args.get("group")
        is_cut = any(node.args.get(key) for key in ("limit", "offset", "qualify")) or (
            distinct is not None and distinct.args.get("on") is not None
        )
        parts = [*node.expressions, *filter(None, (node.args.get("having"), node.args.get("order")))]
        windows = [each for part in parts for each in _own(part, exp.Window)]
        aggregates = [
            each for part in parts for each in _own(part, exp.AggFunc) if not isinstance(each.parent, exp.Window)
        ]
        unclear = [each for part in parts for each in _own(part, exp.Anonymous)]
        is_aggregated = bool(aggregates or (unclear and group is None) or node.args.get("having"))
        kept: frozenset[At] | None = None  # all
        if group is not None:
            kept = frozenset()
            if not any(group.args.get(each) for each in _GROUPED):
                for each in group.expressions:
                    kept |= self._group_key(each, node, scope).places
        elif is_aggregated:
            kept = frozenset()
        for window in windows:
            keys = [self.flow(each, scope).places for each in window.args.get("partition_by") or ()]
            kept = frozenset().union(*keys) if kept is None else kept & frozenset().union(*keys)
        if is_cut or any(each.name.lower() == "rownum" for each in node.find_all(exp.Column)):
            kept = frozenset()
        if kept is not None:
            columns = tuple((name, Flow(flow.places & kept, flow.values, flow.uses)) for name, flow in output.columns)
            self.used(Output(unnamed=output.unnamed))
            output = Output(columns, output.is_open or bool(output.unnamed))
        always = is_aggregated and group is None  # one row, even if no row passes
        return Output(output.columns, output.is_open, ANYTHING if always else formula, output.unnamed)

    def _group_key(self, node: exp.Expr, select: exp.Select, scope: Scope) -> Flow:
        if isinstance(node, exp.Literal) and not node.is_string:
            number = int(node.name) - 1 if node.name.isdigit() else -1
            if not 0 <= number < len(select.expressions) or any(each.is_star for each in select.expressions):
                return Flow()
            node = select.expressions[number]
        node = node.unalias()
        return self.flow(node, scope) if isinstance(node, exp.Column) else Flow()

    def _outputs(self, node: exp.Select, scope: Scope) -> Output:
        columns: list[tuple[str, Flow]] = []
        is_open = False
        unnamed: list[int] = []
        for each in node.expressions:
            plain = each.unalias()
            star = plain if isinstance(plain, exp.Star) else plain.this if isinstance(plain, exp.Column) else None
            if not isinstance(star, exp.Star):
                columns.append((each.output_name.lower(), self.flow(each, scope)))
                continue
            table = plain.args.get("table")
            changed = bool(star.args.get("replace") or star.args.get("rename"))
            left_out = {one.name.lower() for one in star.args.get("except_") or star.args.get("except") or ()}
            for one in star.args.get("replace") or ():
                self.scan(one, scope)
            for item in scope.visible:
                if table is not None and item.name != table.name.lower():
                    continue
                is_open = is_open or item.output.is_open or bool(left_out and item.output.unnamed)
                unnamed += item.output.unnamed
                for name, flow in item.output.columns:
                    if name not in left_out:
                        columns.append((name, Flow(uses=flow.uses) if changed else flow))
            if table is None:
                columns = [(name, scope.merged.get(name, flow)) for name, flow in columns]
        return Output(tuple(columns), is_open, ANYTHING, tuple(unnamed))

    def _set_operation(self, node: exp.SetOperation, outer: Scope | None) -> Output:
        if any(node.args.get(key) for key in ("by_name", "side", "kind", "on")):
            return self.coarse(node, outer)
        left, right = self.query(node.this, outer), self.query(node.expression, outer)
        keeps_all = isinstance(node, exp.Union) and not node.args.get("distinct")
        if not keeps_all:
            self.used(left)
            self.used(right)
        if left.is_open or right.is_open or left.unnamed or right.unnamed or len(left.columns) != len(right.columns):
            self.used(left)
            self.used(right)
            return Output(is_open=True)
        is_union = isinstance(node, exp.Union)
        columns = []
        for (name, first), (_, second) in zip(left.columns, right.columns, strict=True):
            both = joined([first, second])
            columns.append((name, Flow(both.places, both.values if is_union else first.values, both.uses)))
        formula: Formula = Either((left.formula, right.formula)) if is_union else left.formula
        found = Output(tuple(columns), formula=formula)
        if node.args.get("order") is not None:
            names = Scope(outer, [Item("", found)])
            self.scan(node.args["order"], names)
        for key in ("limit", "offset"):
            if node.args.get(key) is not None:
                self.scan(node.args[key], Scope(outer))
                found = self.used(found).without_places()
        return found

    def _subquery(self, node: exp.Expr, outer: Scope | None) -> Output:
        inner = node.this
        if node.args.get("joins") or node.args.get("laterals") or isinstance(inner, exp.Table):
            scope = Scope(outer)
            start = len(self.occurrences)
            if self._joined_items(inner, node.args.get("joins") or (), scope, start) is None:
                return self.coarse(node, outer)
            columns = [pair for item in scope.visible for pair in item.output.columns]
            is_open = any(item.output.is_open for item in scope.items)
            unnamed = tuple(number for item in scope.visible for number in item.output.unnamed)
            return Output(tuple(columns), is_open, unnamed=unnamed)
        found = self.query(inner, outer)
        if any(node.args.get(key) for key in ("pivots", "sample", "match_recognize")):
            return self.coarse(node, outer)
        if any(node.args.get(key) for key in ("limit", "offset", "order")):
            for key in ("limit", "offset", "order"):
                if node.args.get(key) is not None:
                    self.scan(node.args[key], Scope(outer, [Item("", found)]))
            found = self.used(found).without_places()
        return found

    def _values(self, node: exp.Values, scope: Scope | None) -> Output:
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
        width = max(map(len, rows), default=0)
        inner = Scope(scope)
        columns = []
        for number in range(width):
            flows = [self.flow(row[number], inner) for row in rows if number < len(row)]
            columns.append((f"column{number + 1}", joined(flows).without_places()))
        return Output(tuple(columns))

    def coarse(self, node: exp.Expr, outer: Scope | None = None) -> Output:
        """Something that kgprobe does not understand: it depends on all rows of all relations in it."""
        own = {each.alias.lower() for each in node.find_all(exp.CTE)}
        begin = len(self.occurrences)
        for each in node.find_all(exp.Table):
            if each.name.lower() in own and not each.db:
                continue
            self.used(self._relation(each, outer))
        for call in node.find_all(exp.Func):
            found = self._user_function(call)
            if found is None:
                self._check_function(call)
            else:
                self.used(self._defined(found, call, {each.name: Flow() for each in found.parameters or ()}))
        for number in range(begin, len(self.occurrences)):
            self.occurrences[number].columns = None
            self._frozen.add(number)
        if outer is not None:  # it may depend on the rows around it
            for scope in outer.up():
                for item in scope.items:
                    self.used(item.output)
        return Output(is_open=True)

    # -- after FROM ----------------------------------------------------------------------------------------------

    def _from(self, node: exp.Select, scope: Scope, start: int) -> list[Formula] | None:
        from_ = node.args.get("from_")
        joins = [*(node.args.get("joins") or ()), *(node.args.get("laterals") or ())]
        if from_ is None:
            return None if joins else []
        return self._joined_items(from_.this, joins, scope, start)

    def _joined_items(
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
        begin = len(self.occurrences)
        side, kind, method = (str(each or "").upper() for each in (join.side, join.kind, join.method))
        is_known = method in ("", "NATURAL") and kind in _KINDS_OF_JOINS
        if not is_known or any(value for key, value in join.args.items() if key not in _JOIN):
            return False
        before = list(scope.visible)
        if not self._add_item(join.this, scope):
            return False
        found = self._join_formula(join, scope, before, side, is_natural=method == "NATURAL")
        end = len(self.occurrences)
        if kind in ("SEMI", "ANTI"):
            scope.items[-1].is_hidden = True
            if side not in ("", "LEFT"):
                return False
        if kind == "ANTI" or (side == "LEFT" and kind != "SEMI"):
            self._apply(found, range(begin, end))  # rows on the left side stay if nothing fits
        elif side == "RIGHT":
            self._apply(found, range(start, begin))
        elif side != "FULL":
            self._apply(found, range(start, end))
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
            self.scan(on, scope)
            parts.append(self._restrictions.formula(on, scope))
        right = scope.items[-1]
        names = [each.name.lower() for each in join.args.get("using") or ()]
        if is_natural:
            if any(item.output.is_open or item.output.unnamed for item in scope.items):
                for item in scope.items:
                    self.used(item.output)
                return ANYTHING
            known = {name for item in before for name in item.columns}
            names = [name for name in right.columns if name in known]
        for name in names:
            first = self._using(name, before, scope)
            second = self._using(name, [right], None)
            self.use(first)
            self.use(second)
            parts.append(self._restrictions.equal(first, second))
            both = joined([first, second])
            merged = {"": both, "LEFT": first, "RIGHT": second}.get(side, both.without_places())
            values = second.values if side == "RIGHT" else first.values if side != "FULL" else both.values
            scope.merged[name] = Flow(merged.places, values, both.uses)
        return All(tuple(parts))

    def _using(self, name: str, items: Sequence[Item], scope: Scope | None) -> Flow:
        if scope is not None and name in scope.merged:
            return scope.merged[name]
        found = [flow for item in items if (flow := self._column_of(item, name)) is not None]
        return found[0] if len(found) == 1 else Flow(uses=frozenset().union(*(each.uses for each in found)))

    def _add_item(self, node: exp.Expr, scope: Scope) -> bool:
        """Read one relation after FROM. False if it is of an unknown kind."""
        if any(node.args.get(key) for key in _UNKNOWN_PARTS):
            return False
        if isinstance(node, exp.Table) and any(value for key, value in node.args.items() if key not in _TABLE):
            return False
        output = self._item_output(node, scope)
        if output is None:
            return False
        alias = node.args.get("alias")
        name = node.alias.lower() if alias is not None else ""
        table = node.name.lower() if isinstance(node, exp.Table) else ""
        renamed = [each.name.lower() for each in (alias.args.get("columns") or ())] if alias is not None else []
        if renamed:
            output = self._renamed(output, renamed)
        scope.items.append(Item(name or table, output, table=table))
        return True

    def _item_output(self, node: exp.Expr, scope: Scope) -> Output | None:
        match node:
            case exp.Table(this=exp.Identifier()):
                return self._relation(node, scope)
            case exp.Table():
                output = self._table_function(node.this, scope)
                return Output(output.columns, is_open=True) if node.args.get("ordinality") else output
            case exp.Subquery():
                return self.query(node, _outside(scope))
            case exp.Lateral(this=exp.Subquery()):
                return self.query(node.this, scope)
            case exp.Lateral():
                return self._table_function(node.this, scope)
            case exp.Values():
                return self._values(node, _outside(scope))
            case exp.Unnest() | exp.Func():
                return self._table_function(node, scope)
        return None

    def _renamed(self, output: Output, names: Sequence[str]) -> Output:
        if len(names) > len(output.columns):
            self.used(output)
            columns = tuple((name, Flow()) for name in names)
            return Output(columns, is_open=True)
        kept = [*names, *(known for known, _ in output.columns[len(names) :])]
        columns = tuple((new, flow) for new, (_, flow) in zip(kept, output.columns, strict=True))
        return Output(columns, output.is_open, unnamed=output.unnamed)

    def _apply(self, formula: Formula, numbers: range) -> None:
        if formula != ANYTHING:
            for number in numbers:
                if number not in self._frozen:
                    self.occurrences[number].formulas.append(formula)

    # -- relations -----------------------------------------------------------------------------------------------

    def _relation(self, node: exp.Table, scope: Scope | None) -> Output:
        if not isinstance(node.this, exp.Identifier):
            return self._table_function(node.this, scope or Scope())
        name, schema = node.name.lower(), node.db.lower()
        if MARK in name or MARK in schema:
            raise UnknownPartError("a template stands for a relation", node)
        if scope is not None and not schema:
            cte = scope.cte(name)
            if cte is not None:
                return self._cte_output(name, cte)
        self.names[node.name] = None
        found = self.catalogue.relation(name, schema)
        if found is None:
            reason = f"relation '{node.name}' is not known: add its definition with --schema FILE or --database URL"
            raise UnknownPartError(reason, node)
        if name in self.catalogue.guarded and self.catalogue.guarded[name] != "trigger":
            raise UnknownPartError(f"relation '{node.name}' has a {self.catalogue.guarded[name]}", node)
        return self._defined(found, node, {})

    def _defined(self, found: Definition, node: exp.Expr, parameters: Mapping[str, Flow]) -> Output:
        if found.file:
            self.files[found.file] = None
        if found.problem:
            raise UnknownPartError(f"'{found.name}' cannot be followed: {found.problem}", node)
        if found.relation is not None:
            return self._stored(found.relation, node, is_local=found.is_local)
        key = f"{found.schema}.{found.name}"
        if key in self._inside:
            raise UnknownPartError(f"the definition of '{found.name}' refers to itself", node)
        assert found.body is not None  # noqa: S101 - otherwise there is a problem
        self._inside.append(key)
        try:
            if isinstance(found.body, exp.Query | exp.Values | exp.Table):
                output = self.query(found.body, Scope(parameters=dict(parameters)))
            else:
                output = Output((("", self.flow(found.body, Scope(parameters=dict(parameters)))),))
        finally:
            self._inside.pop()
        if found.columns and len(found.columns) <= len(output.columns) and not output.is_open:
            names = [*found.columns, *(name for name, _ in output.columns[len(found.columns) :])]
            return Output(tuple(zip(names, (flow for _, flow in output.columns), strict=True)))
        if found.columns:
            self.used(output)
            return Output(is_open=True)
        return output

    def _stored(self, relation: Relation, node: exp.Expr, *, is_local: bool) -> Output:
        if is_local:
            return Output(tuple((each.name, Flow()) for each in relation.columns), is_open=not relation.columns)
        number = len(self.occurrences)
        self.occurrences.append(Occurrence(relation.name, self._line(node)))
        if not relation.columns:
            return Output(unnamed=(number,))
        return Output(tuple((each.name, _at(number, each.name)) for each in relation.columns))

    def _line(self, node: exp.Expr) -> int | None:
        if self._inside:
            return None
        for each in node.find_all(exp.Identifier):
            line = each.meta.get("line")
            if isinstance(line, int):
                return line
        return self.first_line

    def _cte_output(self, name: str, cte: Cte) -> Output:
        if cte.output is not None:
            self._calls[-1] += 1
            return cte.output
        assert cte.node is not None  # noqa: S101 - only a recursive reference has none
        if f"with {name} {id(cte.node)}" in self._inside:
            raise UnknownPartError(f"the query '{name}' refers to itself in a way that kgprobe does not follow")
        self._inside.append(f"with {name} {id(cte.node)}")
        try:
            found = self._recursive(name, cte) if cte.is_recursive else self.query(cte.node, cte.within)
        finally:
            self._inside.pop()
        if cte.columns:
            if len(cte.columns) > len(found.columns) or found.unnamed:
                return Output(is_open=True, unnamed=self.used(found).unnamed)
            names = [*cte.columns, *(known for known, _ in found.columns[len(cte.columns) :])]
            return Output(tuple(zip(names, (flow for _, flow in found.columns), strict=True)), found.is_open)
        return found

    def _recursive(self, name: str, cte: Cte) -> Output:
        """Read a recursive query: its values are those of its start, and of its recursive part."""
        assert cte.node is not None  # noqa: S101
        parts = _branches(cte.node)
        own = [any(each.name.lower() == name and not each.db for each in part.find_all(exp.Table)) for part in parts]
        if not any(own) or all(own) or len(parts) < 2:
            return self.coarse(cte.node, cte.within)
        start = [self.used(self.query(part, cte.within)) for part, is_own in zip(parts, own, strict=True) if not is_own]
        width = len(start[0].columns)
        names = [*cte.columns, *(known for known, _ in start[0].columns[len(cte.columns) :])][:width]
        number = len(self.recursions)
        is_clear = all(not one.is_open and not one.unnamed and len(one.columns) == width for one in start)
        starts = [joined([one.columns[n][1] for one in start]) if is_clear else Flow() for n in range(width)]
        recursion = Recursion([flow.values for flow in starts])
        self.recursions.append(recursion)
        begin = len(self.occurrences)
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
        passes: list[frozenset[At]] = [starts[n].places for n in range(width)]
        for part in (part for part, is_own in zip(parts, own, strict=True) if is_own):
            self._calls.append(0)
            step = self.used(self.query(part, scope))
            calls = self._calls.pop()
            fits = not step.is_open and not step.unnamed and len(step.columns) == width
            steps.append([flow for _, flow in step.columns] if fits else [Flow()] * width)
            for n in range(width):
                own_place = At(-1 - number, str(n))
                places = steps[-1][n].places
                is_passed_on = calls == 1 and own_place in places
                passes[n] = passes[n] | (places - {own_place}) if is_passed_on and passes[n] else frozenset()
        recursion.step = [joined([step[n] for step in steps]).values for n in range(width)]
        recursion.within = range(begin, len(self.occurrences))
        columns = tuple(
            (each, Flow(passes[n], Values(columns=frozenset([Loop(number, n)])))) for n, each in enumerate(names)
        )
        return Output(columns, is_open=not is_clear)

    def _table_function(self, node: exp.Expr, scope: Scope) -> Output:
        items = self.folding.items(node)
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
            found = self.catalogue.function(node.name.lower())
            if found is not None:
                output = self._call(found, node.expressions, node, scope)
                return Output(output.columns, output.is_open or len(output.columns) == 1, unnamed=output.unnamed)
        elif not isinstance(node, exp.Func | exp.Unnest | exp.Dot | exp.TableFromRows):
            raise UnknownPartError("kgprobe does not know this kind of relation", node)
        self.scan(node, scope)
        return Output(is_open=True)

    # -- values --------------------------------------------------------------------------------------------------

    def scan(self, node: exp.Expr, scope: Scope) -> None:
        """Read an expression whose value matters."""
        self.use(self._parts(node, scope))

    def flow(self, node: exp.Expr, scope: Scope) -> Flow:
        """The value of an expression."""
        match node:
            case exp.Column() if not isinstance(node.this, exp.Star):
                return self._column(node, scope)
            case exp.Alias() | exp.Paren():
                return self.flow(node.this, scope)
            case exp.Subquery() | exp.Query():
                output = self.subquery(node, scope)
                return output.columns[0][1].without_places() if len(output.columns) == 1 else Flow()
            case exp.Null():
                return Flow(values=Values())
            case exp.Func() if (found := self._user_function(node)) is not None:
                output = self.used(self._call(found, _arguments(node), node, scope))
                return output.columns[0][1].without_places() if len(output.columns) == 1 else Flow()
            case exp.Min() | exp.Max() if not node.expressions:
                return self.flow(node.this, scope).without_places()
            case exp.Coalesce():
                return joined([self.flow(each, scope) for each in (node.this, *node.expressions)]).without_places()
        return self._constant(node) or self._as_text(node, scope) or self._parts(node, scope)

    def _constant(self, node: exp.Expr) -> Flow | None:
        texts = self.folding.texts(node)
        if texts is None and isinstance(node, exp.Unnest | exp.Explode | exp.Anonymous):
            texts = self.folding.items(node)
        return None if texts is None else Flow(values=Values(texts))

    def _as_text(self, node: exp.Expr, scope: Scope) -> Flow | None:
        """A text that is cast to a text stays as it is."""
        if not isinstance(node, exp.Cast) or node.to.this not in TEXT_TYPES or node.to.expressions:
            return None
        found = self.flow(node.this, scope)
        return found if found.places and all(self.column_type(at)[1] for at in found.places) else None

    def subquery(self, node: exp.Expr, scope: Scope) -> Output:
        """A query within an expression, read once."""
        key = (id(node), id(scope))
        if key not in self._subqueries:
            self._subqueries[key] = (node, scope, self.used(self.query(node, scope)))
        return self._subqueries[key][2]

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
                self.subquery(each, scope)
            elif isinstance(each, exp.Table):
                self.used(self._relation(each, scope))
            elif isinstance(each, exp.Func) and (found := self._user_function(each)) is not None:
                self.used(self._call(found, _arguments(each), each, scope))
            else:
                if isinstance(each, exp.Func):
                    self._check_function(each)
                pending += [child for child in each.iter_expressions() if not isinstance(child, exp.DataType)]
        return Flow(uses=frozenset(uses))

    def _whole(self, table: exp.Expr | None, scope: Scope) -> None:
        for each in scope.up():
            for item in each.items:
                if table is None or item.name == table.name.lower():
                    self.used(item.output)
            if table is None:
                return

    def _column(self, node: exp.Column, scope: Scope) -> Flow:
        name, table = node.name.lower(), node.table.lower()
        if MARK in name or MARK in table:
            self._whole(None, scope)
            return Flow()
        self.names[node.name] = None
        for each in scope.up():
            found = self._in_scope(each, name, table, node.args.get("db"))
            if found is None and not table:
                found = self._other_name(each, name, node)
            if found is not None:
                return found
        if name in _PSEUDO or table in ("excluded", "new", "old"):
            return Flow()
        if node.this.args.get("quoted") and not table:
            return Flow(values=Values(frozenset([node.name])))  # a string, as SQLite reads it
        raise UnknownPartError(f"column '{node.sql()[:80]}' {NO_COLUMN}", node)

    def _other_name(self, scope: Scope, name: str, node: exp.Column) -> Flow | None:
        """What a name means that no relation has as a column: a parameter, a name in the SELECT list, a whole row."""
        if name in scope.parameters:
            return scope.parameters[name]
        if name in scope.aliases:
            meant = scope.aliases.pop(name)  # it cannot mean itself
            try:
                return self.flow(meant, scope)
            finally:
                scope.aliases[name] = meant
        if any(item.name == name for item in scope.items):
            self._whole(node.this, scope)
            return Flow()
        return None

    def _in_scope(self, scope: Scope, name: str, table: str, schema: exp.Expr | None) -> Flow | None:
        found = self._in_items(scope, name, table, schema)
        if found is not None and not table and any(name in each.parameters for each in scope.up()):
            return Flow(uses=found.uses)  # databases disagree on whether the parameter or the column is meant
        return found

    def _in_items(self, scope: Scope, name: str, table: str, schema: exp.Expr | None) -> Flow | None:
        if not table and name in scope.merged:
            return scope.merged[name]
        items = [
            item for item in scope.visible if not table or table in (item.name, item.table if schema else item.name)
        ]
        sure = [flow for item in items if name in item.columns and (flow := self._column_of(item, name)) is not None]
        if not sure or any(item.output.is_open or item.output.unnamed for item in items):
            sure += [
                flow for item in items if name not in item.columns and (flow := self._column_of(item, name)) is not None
            ]
        if not sure:
            return None
        return sure[0] if len(sure) == 1 else Flow(uses=frozenset().union(*(each.uses for each in sure)))

    def _column_of(self, item: Item, name: str) -> Flow | None:
        if name in item.columns:
            known = item.columns[name]
            return Flow(uses=known.uses) if name in item.twice else known
        if item.output.unnamed:
            return (
                joined([_at(number, name) for number in item.output.unnamed])
                if (len(item.output.unnamed) == 1 and not item.output.is_open)
                else Flow(uses=frozenset(At(number, name) for number in item.output.unnamed))
            )
        return Flow() if item.output.is_open else None

    def column_type(self, at: At) -> tuple[str, bool]:
        """The declared type of a column, and whether it holds nothing but text."""
        if at.occurrence < 0:
            return "", False
        table = self.catalogue.tables.get(self.occurrences[at.occurrence].table)
        column = table.by_name.get(at.column) if table is not None else None
        return (column.type, column.is_text) if column is not None else ("", False)

    # -- functions -----------------------------------------------------------------------------------------------

    def _user_function(self, node: exp.Func) -> Definition | None:
        if not self.catalogue.functions:
            return None
        names = [node.name] if isinstance(node, exp.Anonymous) else node.sql_names()
        found = (self.catalogue.function(name.lower()) for name in names)
        return next((each for each in found if each is not None), None)

    def _call(self, found: Definition, arguments: Sequence[exp.Expr], node: exp.Expr, scope: Scope) -> Output:
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
            flow = self.use(self.flow(value, scope)).without_places() if value is not None else Flow()
            flow = Flow(values=flow.values)
            if one.name:
                parameters[one.name] = flow
            parameters[f"__kgprobe_parameter_{number + 1}"] = flow
        return self._defined(found, node, parameters)

    def _check_function(self, node: exp.Expr) -> None:
        if isinstance(node, OUTSIDE):
            raise UnknownPartError(f"function '{node.sql()[:60]}' may read anything", node)
        if isinstance(node, exp.Anonymous):
            name = node.name.lower()
            if name not in KNOWN_FUNCTIONS and name not in self.catalogue.builtin:
                reason = f"function '{node.name}' is not known: add its definition with --schema FILE or --database URL"
                raise UnknownPartError(reason, node)


def _at(number: int, column: str) -> Flow:
    place = frozenset([At(number, column)])
    return Flow(place, Values(columns=place), place)


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    return [each for each in node.iter_expressions() if not isinstance(each, exp.DataType)]


def _snapshot(scope: Scope) -> Scope:
    """The scope as it is now: a query sees those before it."""
    return Scope(scope.parent, ctes=dict(scope.ctes))


def _outside(scope: Scope) -> Scope:
    """The scope without the relations next to it, which only a lateral query sees."""
    return Scope(scope.parent, ctes=scope.ctes, parameters=scope.parameters)


def _own(node: exp.Expr, kind: type[exp.Expr]) -> Iterable[exp.Expr]:
    """The parts of a kind that are not in queries within it."""
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, kind):
            yield each
        if not isinstance(each, exp.Query | exp.Subquery):
            pending += each.iter_expressions()


def _branches(node: exp.Expr) -> list[exp.Expr]:
    """The parts of a union, of unions and so on."""
    is_plain = not any(node.args.get(key) for key in ("with_", "limit", "offset", "order", "by_name", "side", "kind"))
    if isinstance(node, exp.Union) and is_plain:
        return [*_branches(node.this), *_branches(node.expression)]
    if isinstance(node, exp.Subquery) and is_plain and isinstance(node.this, exp.Union):
        return _branches(node.this)
    return [node]
