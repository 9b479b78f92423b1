"""The SQL of simple statements of SQLAlchemy: one table, with restrictions by constants.

Only what loads no other table is understood: no joins, no functions, and no class with relationships.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from kgprobe.selection.discovery.python.evaluation import called_name
from kgprobe.selection.discovery.python.folding import ConstantFolder
from kgprobe.selection.discovery.python.modules import Module
from kgprobe.selection.discovery.python.scopes import Bound, Changed, Scope, members, with_bases
from kgprobe.selection.discovery.python.variables import ModuleCode

__all__ = ["OrmReader"]

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

    def __init__(self, folder: ConstantFolder) -> None:
        self._folder = folder

    def statement(self, call: ast.Call, file: ModuleCode) -> str | None:
        """The SQL of `session.query(Pizza).filter_by(…)…`, or of `session.scalars(select(Pizza)…)`; None if unknown."""
        if called_name(call) == "query":
            return self._of_query(call, file)
        first = call.args[0] if call.args else None
        if isinstance(first, ast.Name):
            made = self._folder.sources(first.id, file.scope(call))
            made = [each for each in made if not isinstance(each.binding, Changed)]
            only = made[0] if len(made) == 1 else None
            if (
                only is None
                or not isinstance(only.binding, Bound)
                or only.binding.path
                or only.module is not file.module
            ):
                return None
            first = only.binding.value
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
        for each in call.args:
            node = each.value if isinstance(each, ast.Attribute) else each
            for source in self._folder.sources(node.id, file.scope(call)) if isinstance(node, ast.Name) else ():
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
        for each, place in with_bases(owner, module, self._folder.modules):
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
                self._folder.texts(member.binding.value, Scope(module)) if isinstance(member.binding, Bound) else None
            )
            if values and len(values) == 1 and values[0].isidentifier():
                return values[0]
        return None

    # -- restrictions --------------------------------------------------------------------------------------------

    def _continued(self, found: _Statement, name: str, call: ast.Call, file: ModuleCode) -> bool:
        """Whether the next call of a chain is understood. A restriction that is not is left out."""
        if name not in _NARROWING | _KEEPING or not all(self._is_own(each, found, file) for each in _parts(call)):
            return False
        if name in _NARROWING:
            scope = file.scope(call)
            for keyword in call.keywords:
                if keyword.arg is not None:
                    self._allow(found, keyword.arg, self._folder.texts(keyword.value, scope))
            for each in call.args:
                self._condition(found, each, scope)
        return True

    def _condition(self, found: _Statement, node: ast.expr, scope: Scope) -> None:
        match node:
            case ast.Compare(left=ast.Attribute(attr=name), ops=[ast.Eq()], comparators=[value]):
                self._allow(found, name, self._folder.texts(value, scope))
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr=name), attr="in_"), args=[values]):
                folded = self._folder.fold(values, scope)
                only = folded[0] if folded and len(folded) == 1 else None
                if isinstance(only, tuple) and all(isinstance(each, str) for each in only):
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
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                sources = self._folder.sources(each.id, file.scope(node))
                is_own = len(sources) == 1 and sources[0].binding is found.owner
                if not is_own and self._folder.fold(each, file.scope(node)) is None:
                    return False
            elif isinstance(each, ast.Call):
                is_operator = isinstance(each.func, ast.Attribute) and each.func.attr in (
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
