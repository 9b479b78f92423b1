"""The SQL that a call runs, with the values of its parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from kgprobe.selection.discovery.python.evaluation import Evaluator
from kgprobe.selection.discovery.python.fixtures import is_fixture, positional_names
from kgprobe.selection.discovery.python.modules import Function, Module, called_name
from kgprobe.selection.discovery.python.scopes import Bound, Scope, members, only_value, with_bases
from kgprobe.selection.discovery.python.values import Pairs, Unordered, Value, Values
from kgprobe.selection.discovery.python.variables import Calls, ModuleCode

_NARROWING: Final = frozenset(["filter", "filter_by", "where"])
_KEEPING: Final = frozenset(["order_by", "limit", "offset", "distinct", "group_by", "execution_options"])
_ENDING: Final = frozenset(["all", "first", "one", "one_or_none", "scalar", "count", "scalars", "delete"])
_COLUMNS: Final = frozenset(["Column", "mapped_column"])
_LOADING: Final = frozenset(
    [
        *("relationship", "column_property", "hybrid_property", "association_proxy", "backref", "deferred"),
        *("dynamic_loader", "synonym", "composite", "Relationship", "property", "__mapper_args__"),
    ]
)


@dataclass
class _Statement:
    """A table, and the texts that columns can have."""

    owner: ast.ClassDef
    module: Module
    table: str
    allowed: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    def sql(self) -> str:
        conditions = [f"{column} IN ({', '.join(map(_quoted, values))})" for column, values in self.allowed]
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"SELECT * FROM {self.table}{where}"  # noqa: S608 - it is read, not run


class OrmReader:
    """Reads such statements."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def statement(self, call: ast.Call, file: ModuleCode) -> str | None:
        """The SQL of `session.query(Pizza).filter_by(…)…`, or of `session.scalars(select(Pizza)…)`; None if unknown."""
        if called_name(call) == "query":
            return self._of_query(call, file)
        first = call.args[0] if call.args else None
        if isinstance(first, ast.Name):
            only = only_value(first.id, file.scope(call), self._evaluator.modules)
            if only is None or only[1].module is not file.module:
                return None
            first = only[0]
        found = None if first is None else self._of_select(first, file)
        return None if found is None else found.sql()

    def _of_query(self, call: ast.Call, file: ModuleCode) -> str | None:
        found = self._of_classes(call, file)
        node: ast.AST = call
        while found is not None:
            outer = file.parent(node)
            chained = file.parent(outer)
            if not (isinstance(outer, ast.Attribute) and isinstance(chained, ast.Call) and chained.func is outer):
                is_loop = isinstance(outer, ast.For | ast.comprehension) and outer.iter is node
                return found.sql() if is_loop else None
            if outer.attr in _ENDING:
                return found.sql()
            if not self._continued(found, outer.attr, chained, file):
                return None
            node = chained
        return None

    def _of_select(self, node: ast.expr, file: ModuleCode) -> _Statement | None:
        """The statement of `select(Pizza).where(…)`."""
        match node:
            case ast.Call(func=ast.Name(id="select") | ast.Attribute(attr="select", value=ast.Name())):
                return self._of_classes(node, file)
            case ast.Call(func=ast.Attribute(value=inner, attr=name)):
                found = self._of_select(inner, file)
                return found if found is not None and self._continued(found, name, node, file) else None
        return None

    def _of_classes(self, call: ast.Call, file: ModuleCode) -> _Statement | None:
        """The table of the classes in `query(Pizza)` or `query(Pizza.name)`: one, without relationships."""
        if not call.args or call.keywords:
            return None
        found: _Statement | None = None
        for argument in call.args:
            node = argument.value if isinstance(argument, ast.Attribute) else argument
            for source in self._evaluator.sources(node.id, file.scope(call)) if isinstance(node, ast.Name) else ():
                if not isinstance(source.binding, ast.ClassDef) or (found and source.binding is not found.owner):
                    return None
                table = self._table(source.binding, source.module)
                if table is None:
                    return None
                found = _Statement(source.binding, source.module, table)
            if not isinstance(node, ast.Name) or found is None:
                return None
        return found

    def _table(self, owner: ast.ClassDef, module: Module) -> str | None:
        """The table of a class; None if its objects can load rows of other tables."""
        for each, place in with_bases(owner, module, self._evaluator.modules):
            if each is not owner and "__tablename__" in members(each, place):
                return None
            names = (
                node.id if isinstance(node, ast.Name) else node.attr
                for node in ast.walk(each)
                if isinstance(node, ast.Name | ast.Attribute)
            )
            if not _LOADING.isdisjoint(names):
                return None
        for member in members(owner, module).get("__tablename__", ()):
            values = (
                self._evaluator.texts(member.binding.value, Scope(module))
                if isinstance(member.binding, Bound)
                else None
            )
            if values and len(values) == 1 and values[0].isidentifier():
                return values[0]
        return None

    # -- restrictions --------------------------------------------------------------------------------------------

    def _continued(self, found: _Statement, name: str, call: ast.Call, file: ModuleCode) -> bool:
        """Whether the next call of a chain is understood. A restriction that is not is left out."""
        if name not in _NARROWING | _KEEPING or not all(self._is_own(part, found, file) for part in _parts(call)):
            return False
        if name in _NARROWING:
            scope = file.scope(call)
            for keyword in call.keywords:
                if keyword.arg is not None:
                    self._allow(found, keyword.arg, self._evaluator.texts(keyword.value, scope))
            for argument in call.args:
                self._condition(found, argument, scope)
        return True

    def _condition(self, found: _Statement, node: ast.expr, scope: Scope) -> None:
        match node:
            case ast.Compare(left=ast.Attribute(attr=name), ops=[ast.Eq()], comparators=[value]):
                self._allow(found, name, self._evaluator.texts(value, scope))
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name), attr="in_"), args=[values]):
                folded = self._evaluator.values(values, scope)
                only = folded[0] if folded and len(folded) == 1 else None
                if isinstance(only, tuple) and all(isinstance(text, str) for text in only):
                    self._allow(found, name, tuple(map(str, only)))

    def _allow(self, found: _Statement, attribute: str, values: tuple[str, ...] | None) -> None:
        column = self._column(found, attribute)
        if values and column is not None:
            found.allowed.append((column, values))

    def _column(self, found: _Statement, attribute: str) -> str | None:
        """The column of an attribute: its own name, unless the class gives another."""
        for member in members(found.owner, found.module).get(attribute, ()):
            value = member.binding.value if isinstance(member.binding, Bound) else None
            if isinstance(value, ast.Call) and called_name(value) in _COLUMNS:
                first = value.args[0] if value.args else None
                is_named = any(keyword.arg in ("name", "key") for keyword in value.keywords)
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    return first.value if first.value.isidentifier() and not is_named else None
                return None if is_named else attribute
        return None

    def _is_own(self, node: ast.expr, found: _Statement, file: ModuleCode) -> bool:
        """Whether an expression has no other table: it names no other class, and calls nothing but operators."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                sources = self._evaluator.sources(part.id, file.scope(node))
                is_own = len(sources) == 1 and sources[0].binding is found.owner
                if not is_own and self._evaluator.values(part, file.scope(node)) is None:
                    return False
            elif isinstance(part, ast.Call):
                is_operator = isinstance(part.func, ast.Attribute) and part.func.attr in (
                    *("in_", "like", "ilike", "is_", "is_not", "desc", "asc", "startswith", "endswith", "contains"),
                )
                if not is_operator:
                    return False
        return True


def _parts(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (keyword.value for keyword in call.keywords)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# -- calls that run SQL ------------------------------------------------------------------------------------------------


Parameters: TypeAlias = dict[str, tuple[str, ...] | None]
"""The possible values by name; None if a value is unknown. `?` and `%s` are called 1, 2 and so on."""

_DEEPEST: Final = 3
_MOST_TEXTS: Final = 200
_MANY: Final = frozenset(["executemany"])
_SQL_NAMES: Final = frozenset(["sql", "query", "statement", "operation", "q"])
_BOUND_NAMES: Final = frozenset(["params", "parameters", "vars", "seq_of_parameters", "args", "execute_options"])
_OTHER_NAMES: Final = frozenset(
    ["con", "connection", "connection_uri", "index_col", "columns", "chunksize", "dtype", "alias", "parse_dates"]
)
_CHANGING: Final = frozenset(["bindparams", "execution_options", "columns", "params"])


@dataclass(frozen=True)
class Asked:
    """A text of SQL that a call runs. `key` is its parameters, in a form that can be compared."""

    text: str
    parameters: tuple[tuple[str, tuple[str, ...] | None], ...]


@dataclass(frozen=True)
class _Call:
    sql: ast.expr
    bound: tuple[ast.expr, ...]
    named: tuple[tuple[str, ast.expr], ...]
    is_many: bool


class SqlCalls:
    """Reads such calls in the code of one test, whose calls are known."""

    def __init__(self, evaluator: Evaluator, calls: Calls) -> None:
        self._evaluator = evaluator
        self._calls = calls
        self.given: list[tuple[ast.expr, Scope]] = []  # what callers give as the SQL

    def sql_of(self, node: ast.Call) -> ast.expr | None:
        """The argument with the SQL."""
        call = _asked_in(node)
        return None if call is None else call.sql

    def asked(self, node: ast.Call, scope: Scope) -> list[Asked] | None:
        """What a call can run; None if that is unknown."""
        call = _asked_in(node)
        if call is None:
            return None
        whole = self._in(call, scope)
        if whole is not None and not any(_is_open(sql, call) for sql in whole):
            return whole
        places = None if scope.function is None else self._called_from(scope.function, scope, call, 0)
        found: list[Asked] = []
        for place in places or ():
            inside = self._in(call, place)
            if inside is None:
                return whole
            found += inside
        return list(dict.fromkeys(found)) or whole

    def _in(self, call: _Call, scope: Scope) -> list[Asked] | None:
        """What a call can run, as far as it can be told from one scope."""
        sql, place, bound = self._unwrapped(call.sql, scope)
        texts = self._evaluator.texts(sql, place)
        if texts is None or len(texts) > _MOST_TEXTS:
            return None
        parameters = self._parameters(call, bound, scope)
        return [Asked(str(text), _fitting(str(text), parameters, len(call.bound))) for text in texts]

    def _called_from(self, function: Function, scope: Scope, call: _Call, depth: int) -> list[Scope] | None:
        """The scope inside a function for each of its calls, with what they give; None if others may call it."""
        if is_fixture(function) or function.name.startswith("test"):
            return None
        calls = self._calls.calls_of(function, scope)
        if not calls:
            return None
        found: list[Scope] = []
        for outer, around in calls:
            places: list[Scope] | None = None
            arguments = (*outer.args, *(keyword.value for keyword in outer.keywords))
            is_known = all(self._evaluator.values(argument, around) is not None for argument in arguments)
            if not is_known and around.function is not None and depth < _DEEPEST:
                places = self._called_from(around.function, around, call, depth + 1)
            for place in places or [around]:
                given = self._evaluator.arguments(function, outer, place)
                given = self._with_packed(function, outer, place) if given is None else given
                if given is None or len(found) >= _MOST_TEXTS:
                    return None
                found.append(scope.giving(given))
            if isinstance(call.sql, ast.Name):
                self.given += [(argument, around) for argument in _given_for(call.sql.id, function, outer)]
        return found

    def _with_packed(self, function: Function, call: ast.Call, scope: Scope) -> dict[str, Values] | None:
        """The arguments of a function with `*values`."""
        packed = function.args.vararg
        names = positional_names(function)
        if packed is None or any(isinstance(argument, ast.Starred) for argument in call.args) or call.keywords:
            return None
        given = {name: self._evaluator.values(each, scope) for name, each in zip(names, call.args, strict=False)}
        others = [self._evaluator.values(argument, scope) for argument in call.args[len(names) :]]
        if all(other is not None and len(other) == 1 for other in others):
            given[packed.arg] = (tuple(other[0] for other in others if other is not None),)
        else:
            given[packed.arg] = None
        return given

    def _unwrapped(self, node: ast.expr, scope: Scope) -> tuple[ast.expr, Scope, list[tuple[str, Values]]]:
        """The text in `text("…").bindparams(name="…")`, its scope, and what is bound to it."""
        bound: list[tuple[str, Values]] = []
        for _ in range(_DEEPEST * 2):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and called_name(node) in _CHANGING:
                for keyword in node.keywords:
                    if keyword.arg is not None and called_name(node) in ("bindparams", "params"):
                        bound.append((keyword.arg, self._evaluator.values(keyword.value, scope)))
                for argument in node.args:
                    bound += self._bindparam(argument, scope)
                node = node.func.value
            elif isinstance(node, ast.Name) and self._evaluator.values(node, scope) is None:
                only = only_value(node.id, scope, self._evaluator.modules)
                if only is None or not isinstance(only[0], ast.Call):
                    break
                node, scope = only
            else:
                break
        return node, scope, bound

    def _bindparam(self, node: ast.expr, scope: Scope) -> Iterator[tuple[str, Values]]:
        if isinstance(node, ast.Call) and called_name(node) == "bindparam" and node.args:
            value = node.args[1] if len(node.args) > 1 else None
            value = next((keyword.value for keyword in node.keywords if keyword.arg == "value"), value)
            for name in self._evaluator.texts(node.args[0], scope) or ():
                yield name, None if value is None else self._evaluator.values(value, scope)

    # -- parameters ----------------------------------------------------------------------------------------------

    def _parameters(self, call: _Call, bound: Iterable[tuple[str, Values]], scope: Scope) -> Parameters:
        found: Parameters = {}
        for name, values in bound:
            found[name] = _texts(values)
        for name, node in call.named:
            found[name] = _texts(self._evaluator.values(node, scope))
        if len(call.bound) == 1:
            for name, each in self._of_collection(call.bound[0], scope, is_many=call.is_many).items():
                # A name that is bound twice has the later value, or either.
                found[name] = None if name in found else each
        else:
            for place, node in enumerate(call.bound, 1):
                found[str(place)] = _texts(self._evaluator.values(node, scope))
        return found

    def _of_collection(self, node: ast.expr, scope: Scope, *, is_many: bool) -> Parameters:
        """The parameters in `("a", "b")`, `{"name": "a"}`, or in a list of those."""
        rows = node.elts if is_many and isinstance(node, ast.List | ast.Tuple) else [] if is_many else [node]
        if is_many and (not rows or any(isinstance(row, ast.Starred) for row in rows)):
            return self._of_values(self._evaluator.values(node, scope), is_many=True)
        found: dict[str, list[str] | None] = {}
        for row in rows:
            for name, values in self._of_row(row, scope).items():
                known = found.setdefault(name, [])
                found[name] = None if known is None or values is None else [*known, *values]
        if is_many and len({tuple(self._of_row(row, scope)) for row in rows}) > 1:
            return {}
        return {name: None if values is None else tuple(dict.fromkeys(values)) for name, values in found.items()}

    def _of_row(self, node: ast.expr, scope: Scope) -> Parameters:
        match node:
            case ast.Tuple(elts=elements) | ast.List(elts=elements) if not any(
                isinstance(element, ast.Starred) for element in elements
            ):
                return {
                    str(place): _texts(self._evaluator.values(each, scope)) for place, each in enumerate(elements, 1)
                }
            case ast.Dict(keys=keys, values=values) if all(isinstance(key, ast.Constant) for key in keys):
                pairs = zip(keys, values, strict=True)
                return {str(key.value): _texts(self._evaluator.values(value, scope)) for key, value in pairs}  # type: ignore[union-attr]
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords) if all(given.arg for given in keywords):
                return {str(keyword.arg): _texts(self._evaluator.values(keyword.value, scope)) for keyword in keywords}
        return self._of_values(self._evaluator.values(node, scope), is_many=False)

    def _of_values(self, values: Values, *, is_many: bool) -> Parameters:
        if not values:
            return {}
        rows: list[Value] = []
        for value in values:
            if is_many and not (isinstance(value, tuple) and not isinstance(value, Pairs)):
                return {}
            rows += value if is_many and isinstance(value, tuple) else [value]
        if len(rows) == 1 and isinstance(rows[0], str):  # some libraries take one value without brackets
            return {"1": (rows[0],)}
        found: dict[str, list[Value]] = {}
        shapes = set()
        for row in rows:
            if not isinstance(row, tuple) or isinstance(row, Unordered):
                return {}
            pairs = list(row) if isinstance(row, Pairs) else [(str(n), each) for n, each in enumerate(row, 1)]
            shapes.add(tuple(name for name, _ in pairs))
            for name, each in pairs:
                found.setdefault(str(name), []).append(each)
        if len(shapes) != 1:
            return {}
        return {name: _texts(tuple(each)) for name, each in found.items()}


def _is_open(asked: Asked, call: _Call) -> bool:
    """Whether a call may bind values that are not known."""
    return None in dict(asked.parameters).values() or (bool(call.bound) and not asked.parameters)


def _given_for(name: str, function: Function, call: ast.Call) -> Iterator[ast.expr]:
    names = positional_names(function)
    if name in names and names.index(name) < len(call.args):
        yield call.args[names.index(name)]
    yield from (keyword.value for keyword in call.keywords if keyword.arg == name)


def _fitting(text: str, parameters: Parameters, count: int) -> tuple[tuple[str, tuple[str, ...] | None], ...]:
    """The parameters that may be those of a text. For `$1`, some libraries take a list as one value."""
    if "$1" in text and count == 1 and len(parameters) > 1 and "1" in parameters:
        return ()
    return tuple(parameters.items())


def _texts(values: Values) -> tuple[str, ...] | None:
    """The possible values as texts; None if one is unknown, or no text."""
    if not values or not all(isinstance(value, str) for value in values):
        return None
    return tuple(dict.fromkeys(str(value) for value in values))


def _asked_in(node: ast.Call) -> _Call | None:
    """The SQL and the parameters among the arguments; None if they cannot be told apart."""
    if any(isinstance(part, ast.Starred) for part in node.args[:1]) or any(
        keyword.arg is None for keyword in node.keywords
    ):
        return None
    by_name = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg is not None}
    name = called_name(node)
    is_reader = name.startswith("read_")
    sql = node.args[0] if node.args else next((by_name[option] for option in by_name if option in _SQL_NAMES), None)
    if sql is None:
        return None
    positional = node.args[1:] if node.args else []
    bound = tuple(positional) if not is_reader else tuple(node.args[4:5])
    bound += tuple(value for each, value in by_name.items() if each in _BOUND_NAMES)
    if any(isinstance(argument, ast.Starred) for argument in bound):
        bound = ()
    known = {*_SQL_NAMES, *_BOUND_NAMES, *_OTHER_NAMES}
    named = tuple((each, value) for each, value in by_name.items() if each not in known and not is_reader)
    return _Call(sql, bound, named, name in _MANY)
