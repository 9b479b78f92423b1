"""Reads queries: the occurrences of stored tables in them, and which of their rows and columns can matter."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from kgprobe.selection.sql.catalogue import Catalogue
from kgprobe.selection.sql.expressions import Expressions, Folding
from kgprobe.selection.sql.relations import Joins, Relations
from kgprobe.selection.sql.restrictions import Restrictions
from kgprobe.selection.sql.values import (
    ANYTHING,
    All,
    At,
    Cte,
    Either,
    Flow,
    Formula,
    Item,
    Occurrence,
    Output,
    Recursion,
    Scope,
    UnknownPartError,
    joined,
    sources_of,
)
from kgprobe.selection.tests import Source

_MOST_OCCURRENCES = 400
_DEEPEST = 40
_SELECT_WORDS = """
    expressions from_ joins where group having order limit offset distinct windows qualify with_ hint locks kind
    operation_modifiers sort cluster laterals
"""
_SELECT = frozenset(_SELECT_WORDS.split())
_SCALAR = (exp.Cast, exp.Coalesce, exp.Lower, exp.Upper, exp.Trim, exp.Substring, exp.Concat, exp.Case, exp.If)
_GROUPED = frozenset(["cube", "rollup", "grouping_sets", "totals", "all"])


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
        self.restrictions = Restrictions(self, dialect, folding)
        self.takes_names_for_texts = False  # a name in quotes that is no column
        self.frozen: set[int] = set()  # occurrences whose rows matter even if they do not pass
        self._subqueries: dict[tuple[int, int], tuple[exp.Expr, Scope, Output]] = {}
        self.inside: list[str] = []  # the definitions that are being read
        self.calls: list[int] = []  # how often the recursive queries that are being read refer to themselves
        self.values = Expressions(self)
        self.relations = Relations(self)
        self.joins = Joins(self)

    def sources(self) -> tuple[Source, ...]:
        """What has been read, as sources."""
        return sources_of(
            self.occurrences, self.recursions, folds=self.restrictions.folds, key_of=self.catalogue.key_of
        )

    def query(self, node: exp.Expr, outer: Scope | None) -> Output:
        """Read a query. Its columns are not used yet."""
        if len(self.inside) > _DEEPEST or len(self.occurrences) > _MOST_OCCURRENCES:
            raise UnknownPartError("it refers to too many views and queries", node)
        scope = self.with_ctes(node, outer)
        with_ = node.args.get("with_")
        if with_ is not None and with_.args.get("search"):
            return self.coarse(node, scope)
        match node:
            case exp.Select():
                return self._select(node, scope)
            case exp.SetOperation():
                return self._set_operation(node, scope)
            case exp.Subquery() | exp.Paren():
                return self._subquery(node, scope)
            case exp.Values():
                return self.value_rows(node, scope)
            case exp.Table():
                return self.relations.relation(node, scope)
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

    def with_ctes(self, node: exp.Expr, outer: Scope | None) -> Scope | None:
        """The scope within a statement, with the queries that it names."""
        with_ = node.args.get("with_")
        if with_ is None:
            return outer
        scope = Scope(outer)
        for cte in with_.expressions:
            self._cte(cte, scope, is_recursive=bool(with_.args.get("recursive")))
        return scope

    def _cte(self, node: exp.Expr, scope: Scope, *, is_recursive: bool) -> None:
        alias = node.args.get("alias")
        columns = tuple(part.name.lower() for part in (alias.args.get("columns") or ())) if alias is not None else ()
        names = {table.name.lower() for table in node.this.find_all(exp.Table) if not table.db}
        name = node.alias.lower()
        if not isinstance(node.this, exp.Query | exp.Values):
            raise UnknownPartError("it changes rows within a query", node)
        if node.args.get("key_expressions") or node.args.get("scalar"):
            raise UnknownPartError("kgprobe does not know this kind of recursion", node)
        recursive = is_recursive and name in names
        # Its own name means an outer relation, unless it is recursive.
        scope.ctes[name] = Cte(node.this, scope.before(), columns, recursive)

    def _select(self, node: exp.Select, outer: Scope | None) -> Output:
        if any(value for key, value in node.args.items() if key not in _SELECT):
            return self.coarse(node, outer)
        start = len(self.occurrences)
        scope = Scope(outer)
        formulas = self.joins.read_from(node, scope, start)
        if formulas is None:
            return self.coarse(node, outer)
        named = [expression for expression in node.expressions if isinstance(expression, exp.Alias)]
        scope.aliases = {column.alias.lower(): column.this for column in reversed(named)}
        where = node.args.get("where")
        if where is not None:
            self.values.scan(where.this, scope)
            formula = self.restrictions.formula(where.this, scope)
            self.joins.apply(formula, range(start, len(self.occurrences)))
            formulas.append(formula)
        output = self._outputs(node, scope)
        for key in ("distinct", "group", "having", "qualify", "order", "sort", "cluster", "windows", "limit", "offset"):
            value = node.args.get(key)
            for part in value if isinstance(value, list) else [value] if value is not None else []:
                self.values.scan(part, scope)
        distinct, order = node.args.get("distinct"), node.args.get("order")
        orders_by_all = order is not None and any(part.this.name.upper() == "ALL" for part in order.expressions)
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
        windows = [window for part in parts for window in _own(part, exp.Window)]
        aggregates = [
            call for part in parts for call in _own(part, exp.AggFunc) if not isinstance(call.parent, exp.Window)
        ]
        unclear = [call for part in parts for call in _own(part, exp.Anonymous)]
        is_aggregated = bool(aggregates or (unclear and group is None) or node.args.get("having"))
        kept: frozenset[At] | None = None  # all
        if group is not None:
            kept = frozenset()
            if not any(group.args.get(option) for option in _GROUPED):
                for expression in group.expressions:
                    kept |= self._group_key(expression, node, scope).places
        elif is_aggregated:
            kept = frozenset()
        for window in windows:
            keys = [self.values.flow(key, scope).places for key in window.args.get("partition_by") or ()]
            kept = frozenset().union(*keys) if kept is None else kept & frozenset().union(*keys)
        if is_cut or any(column.name.lower() == "rownum" for column in node.find_all(exp.Column)):
            kept = frozenset()
        if kept is not None:
            columns = tuple((name, Flow(flow.places & kept, flow.values, flow.uses)) for name, flow in output.columns)
            self.used(Output(unnamed=output.unnamed))
            output = Output(columns, output.is_open or bool(output.unnamed))
        # One row, even if no row passes. A function that the parser does not know as an aggregate may be one.
        always = group is None and any(
            function for part in parts for function in _own(part, exp.Func) if not isinstance(function, _SCALAR)
        )
        return Output(output.columns, output.is_open, ANYTHING if always else formula, output.unnamed)

    def _group_key(self, node: exp.Expr, select: exp.Select, scope: Scope) -> Flow:
        if isinstance(node, exp.Literal) and not node.is_string:
            number = int(node.name) - 1 if node.name.isdigit() else -1
            if not 0 <= number < len(select.expressions) or any(part.is_star for part in select.expressions):
                return Flow()
            node = select.expressions[number]
        node = node.unalias()
        return self.values.flow(node, scope) if isinstance(node, exp.Column) else Flow()

    def _outputs(self, node: exp.Select, scope: Scope) -> Output:
        columns: list[tuple[str, Flow]] = []
        is_open = False
        unnamed: list[int] = []
        for expression in node.expressions:
            plain = expression.unalias()
            star = plain if isinstance(plain, exp.Star) else plain.this if isinstance(plain, exp.Column) else None
            if not isinstance(star, exp.Star):
                columns.append((expression.output_name.lower(), self.values.flow(expression, scope)))
                continue
            table = plain.args.get("table")
            changed = bool(star.args.get("replace") or star.args.get("rename"))
            left_out = {one.name.lower() for one in star.args.get("except_") or star.args.get("except") or ()}
            for one in star.args.get("replace") or ():
                self.values.scan(one, scope)
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
        start = len(self.occurrences)
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
            # A row around this query takes part in both sides.
            places = frozenset(at for at in both.places if at.occurrence >= start)
            columns.append((name, Flow(places, both.values if is_union else first.values, both.uses)))
        formula: Formula = Either((left.formula, right.formula)) if is_union else left.formula
        found = Output(tuple(columns), formula=formula)
        if node.args.get("order") is not None:
            names = Scope(outer, [Item("", found)])
            self.values.scan(node.args["order"], names)
        for key in ("limit", "offset"):
            if node.args.get(key) is not None:
                self.values.scan(node.args[key], Scope(outer))
                found = self.used(found).without_places()
        return found

    def _subquery(self, node: exp.Expr, outer: Scope | None) -> Output:
        inner = node.this
        if node.args.get("joins") or node.args.get("laterals") or isinstance(inner, exp.Table):
            scope = Scope(outer)
            start = len(self.occurrences)
            if self.joins.joined_items(inner, node.args.get("joins") or (), scope, start) is None:
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
                    self.values.scan(node.args[key], Scope(outer, [Item("", found)]))
            found = self.used(found).without_places()
        return found

    def value_rows(self, node: exp.Values, scope: Scope | None) -> Output:
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
        width = max(map(len, rows), default=0)
        inner = Scope(scope)
        columns = []
        for number in range(width):
            flows = [self.values.flow(row[number], inner) for row in rows if number < len(row)]
            columns.append((f"column{number + 1}", joined(flows).without_places()))
        return Output(tuple(columns))

    def coarse(self, node: exp.Expr, outer: Scope | None = None) -> Output:
        """Something that kgprobe does not understand: it depends on all rows of all relations in it."""
        own = {cte.alias.lower() for cte in node.find_all(exp.CTE)}
        begin = len(self.occurrences)
        for table in node.find_all(exp.Table):
            if table.name.lower() in own and not table.db:
                continue
            self.used(self.relations.relation(table, outer))
        for call in node.find_all(exp.Func):
            found = self.values.user_function(call)
            if found is None:
                self.values.check_function(call)
            else:
                self.used(self.relations.defined(found, call, {one.name: Flow() for one in found.parameters or ()}))
        for number in range(begin, len(self.occurrences)):
            self.occurrences[number].columns = None
            self.frozen.add(number)
        if outer is not None:  # it may depend on the rows around it
            for scope in outer.up():
                for item in scope.items:
                    self.used(item.output)
        return Output(is_open=True)

    def subquery(self, node: exp.Expr, scope: Scope) -> Output:
        """A query within an expression, read once."""
        key = (id(node), id(scope))
        if key not in self._subqueries:
            self._subqueries[key] = (node, scope, self.used(self.query(node, scope)))
        return self._subqueries[key][2]


def _own(node: exp.Expr, kind: type[exp.Expr]) -> Iterable[exp.Expr]:
    """The parts of a kind that are not in queries within it."""
    pending = [node]
    while pending:
        each = pending.pop()
        if isinstance(each, kind):
            yield each
        if not isinstance(each, exp.Query | exp.Subquery):
            pending += each.iter_expressions()
