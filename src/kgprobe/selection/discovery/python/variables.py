"""The code that values go through: the parent of each expression, the variables of names, and the calls of functions.

A variable is a name together with what owns it: a function, a lambda or a file. All attributes with one name are one
variable, whatever their object is; so are the names in the body of a class.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from kgprobe.selection.discovery.python.fixtures import fixture_names, is_fixture
from kgprobe.selection.discovery.python.modules import (
    FUNCTIONS,
    Function,
    Import,
    Module,
    Modules,
    called_name,
    positional,
)
from kgprobe.selection.discovery.python.scopes import Parameter, Scope, Source, bindings, bound_by, members, sources

Callable_: TypeAlias = Function | ast.Lambda
Variable: TypeAlias = tuple[object, str]

ATTRIBUTE: Final = "attribute"
"""The owner of attributes."""
FIXTURE_BY_NAME: Final = "getfixturevalue"
"""The method of `request` that returns the fixture with a name."""


class ModuleCode:
    """A file: the parents of its nodes, and the meaning of its names."""

    def __init__(self, module: Module, modules: Modules) -> None:
        self.module = module
        self._modules = modules
        self._parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(module.tree):
            for child in ast.iter_child_nodes(node):
                self._parents[child] = node
        self._top = Scope(module)
        self._scopes: dict[ast.AST, Scope] = {}
        self._declarations: dict[tuple[Function, type], frozenset[str]] = {}

    def parent(self, node: ast.AST) -> ast.AST:
        """The node around a node."""
        return self._parents.get(node, self.module.tree)

    def around(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Each node around a node, the nearest first, and the part of it that has the node."""
        part = node
        while part in self._parents:
            outer = self._parents[part]
            yield outer, part
            part = outer

    def function(self, node: ast.AST) -> Callable_ | None:
        """The function or lambda whose body has a node."""
        for outer, part in self.around(node):
            if isinstance(outer, FUNCTIONS) and part in outer.body:
                return outer
            if isinstance(outer, ast.Lambda) and part is outer.body:
                return outer
        return None

    def owner(self, function: ast.AST) -> ast.ClassDef | None:
        """The class whose body has a method."""
        parent = self.parent(function)
        return parent if isinstance(parent, ast.ClassDef) else None

    def scope(self, node: ast.AST) -> Scope:
        """The scope of a node."""
        for outer, part in self.around(node):
            if isinstance(outer, (*FUNCTIONS, ast.ClassDef)) and part in outer.body:
                return self._inside(outer)
        return self._top

    def _inside(self, layer: Function | ast.ClassDef) -> Scope:
        if layer not in self._scopes:
            around = self.scope(layer)
            is_class = isinstance(layer, ast.ClassDef)
            inner = Scope(self.module, around.function, layer, around.outer) if is_class else around.within(layer)  # type: ignore[arg-type]
            self._scopes[layer] = inner
        return self._scopes[layer]

    def variable(self, name: str, node: ast.AST) -> Variable | None:
        """The variable of a name at a node; None if it comes from outside the project, or is built in."""
        for outer, part in self.around(node):
            if isinstance(outer, FUNCTIONS):
                is_inside = part in outer.body or (part is outer.args and isinstance(node, ast.arg))
                if is_inside and name in self._declared(outer, ast.Global):
                    return self.at_top(name)
                bound = bindings(outer, self.module).get(name, ()) if is_inside else ()
                if bound and name not in self._declared(outer, ast.Nonlocal):
                    is_import = all(isinstance(binding, Import) for binding in bound)
                    return (
                        self._found(sources(name, self.scope(node), self._modules), name)
                        if is_import
                        else (outer, name)
                    )
            elif isinstance(outer, ast.Lambda):
                if part is outer.body and any(parameter.arg == name for parameter in parameters(outer)):
                    return outer, name
            elif isinstance(outer, ast.ClassDef) and part in outer.body and not isinstance(part, FUNCTIONS):
                bound_here = {bound for statement in outer.body for bound, _ in bound_by(statement)}
                if name in bound_here:
                    return ATTRIBUTE, name
        return self.at_top(name)

    def at_top(self, name: str) -> Variable | None:
        """The variable of a name at the top of the file, or of the file that it is imported from."""
        return self._found(sources(name, Scope(self.module), self._modules), name)

    def _found(self, found: list[Source], name: str) -> Variable | None:
        for source in found:
            if not isinstance(source.binding, Import):
                return source.module.file, source.top or name
        return None if found else (self.module.file, name)

    def imported(self, name: str, node: ast.AST) -> Import | None:
        """What a name is imported from, if it is not in a file of the project."""
        for source in sources(name, self.scope(node), self._modules):
            if isinstance(source.binding, Import):
                return source.binding
        return None

    def alias(self, node: ast.expr) -> Module | None:
        """The file of the project that an expression stands for, as `menu` after `import menu`."""
        if not isinstance(node, ast.Name):
            return None
        imported = self.imported(node.id, node)
        target = None if imported is None else self._modules.resolved(imported, self.module)
        return target[0] if target is not None and target[1] is None else None

    def _declared(self, function: Function, kind: type[ast.Global] | type[ast.Nonlocal]) -> frozenset[str]:
        key = (function, kind)
        if key not in self._declarations:
            found = (node for node in ast.walk(function) if isinstance(node, kind))
            self._declarations[key] = frozenset(name for node in found for name in node.names)
        return self._declarations[key]


def parameters(function: Callable_) -> list[ast.arg]:
    arguments = function.args
    packed = [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    return [*positional(function.args), *arguments.kwonlyargs, *packed]


@dataclass
class CodeIndex:
    """What some statements read and call."""

    names: dict[Variable, list[ast.Name]] = field(default_factory=lambda: defaultdict(list))
    attributes: dict[str, list[ast.Attribute]] = field(default_factory=lambda: defaultdict(list))
    calls: dict[Callable_, list[ast.Call]] = field(default_factory=lambda: defaultdict(list))
    references: dict[Callable_, list[ast.expr]] = field(default_factory=lambda: defaultdict(list))
    method_calls: dict[str, list[ast.Call]] = field(default_factory=lambda: defaultdict(list))
    named_attributes: list[ast.Call] = field(default_factory=list)  # `getattr(menu, "graph")`
    parameters: dict[str, list[Function]] = field(default_factory=lambda: defaultdict(list))
    functions: dict[str, list[Function]] = field(default_factory=lambda: defaultdict(list))
    class_names: dict[ast.ClassDef, list[ast.Name]] = field(default_factory=lambda: defaultdict(list))
    class_attributes: dict[str, list[ast.ClassDef]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, nodes: Iterable[ast.AST], code: ModuleCode, modules: Modules) -> CodeIndex:
        """The index of some nodes of a file, and of all nodes in them."""
        index = cls()
        for root in nodes:
            for node in ast.walk(root):
                match node:
                    case ast.Name(ctx=ast.Load()):
                        index._name(node, code, modules)
                    case ast.Attribute(ctx=ast.Load()):
                        index.attributes[node.attr].append(node)
                    case ast.Call():
                        index._call(node)
                    case ast.FunctionDef() | ast.AsyncFunctionDef():
                        index.functions[node.name].append(node)
                        for argument in parameters(node):
                            index.parameters[argument.arg].append(node)
                    case ast.ClassDef():
                        for name in members(node, code.module):
                            index.class_attributes[name].append(node)
        return index

    def _call(self, node: ast.Call) -> None:
        name = called_name(node)
        if name in ("getattr", "attrgetter"):
            self.named_attributes.append(node)
        elif isinstance(node.func, ast.Attribute):
            self.method_calls[name].append(node)

    def _name(self, node: ast.Name, code: ModuleCode, modules: Modules) -> None:
        variable = code.variable(node.id, node)
        if variable is not None:
            self.names[variable].append(node)
        for source in sources(node.id, code.scope(node), modules):
            if isinstance(source.binding, ast.ClassDef):
                self.class_names[source.binding].append(node)
            elif isinstance(source.binding, FUNCTIONS):
                parent = code.parent(node)
                if isinstance(parent, ast.Call) and parent.func is node:
                    self.calls[source.binding].append(parent)
                else:
                    self.references[source.binding].append(node)


class JoinedIndex:
    """The indexes of several codes as one: each entry comes with its file."""

    def __init__(self, parts: Sequence[tuple[ModuleCode, CodeIndex]]) -> None:
        self._parts = parts
        self._kinds: dict[str, dict[Any, list[tuple[ModuleCode, Any]]]] = {}

    def at(self, kind: str, key: object) -> Sequence[tuple[ModuleCode, Any]]:
        """The entries of `CodeIndex.names`, `CodeIndex.calls` and so on."""
        if kind not in self._kinds:
            joined: dict[Any, list[tuple[ModuleCode, Any]]] = defaultdict(list)
            for file, index in self._parts:
                for each, nodes in getattr(index, kind).items():
                    joined[each] += [(file, node) for node in nodes]
            self._kinds[kind] = joined
        return self._kinds[kind].get(key, ())


# -- calls -------------------------------------------------------------------------------------------------------------


class Calls:
    """The calls in the code of one test: which functions of the project they mean, and what they give to these."""

    def __init__(self, index: JoinedIndex, modules: Modules, file_of: Callable[[Module], ModuleCode]) -> None:
        self._index = index
        self._modules = modules
        self._file_of = file_of

    def callees(self, file: ModuleCode, call: ast.Call) -> tuple[list[tuple[ModuleCode, Function]], bool]:
        """The functions of the project that a call may mean, and whether it can mean no other."""
        match call.func:
            case ast.Name(id=name):
                return self._functions(name, file.scope(call))
            case ast.Attribute(value=owner, attr=name):
                alias = file.alias(owner)
                if alias is not None:
                    return self._functions(name, Scope(alias))
                methods = [
                    (where, function)
                    for where, function in self._index.at("functions", name)
                    if where.owner(function) is not None
                ]
                is_own = isinstance(owner, ast.Name) and owner.id in ("self", "cls")
                is_made = any(isinstance(source.binding, ast.ClassDef) for source in self.origins(file, owner))
                return methods, bool(methods) and (is_own or is_made)
        return [], False

    def _functions(self, name: str, scope: Scope) -> tuple[list[tuple[ModuleCode, Function]], bool]:
        """The functions of a name, and whether it can mean nothing else."""
        meanings = sources(name, scope, self._modules)
        functions = [
            (self._file_of(source.module), source.binding)
            for source in meanings
            if isinstance(source.binding, FUNCTIONS)
        ]
        return functions, len(functions) == len(meanings) > 0

    def origins(self, file: ModuleCode, node: ast.expr) -> list[Source]:
        """The definition of the class of an object, or of the class itself, if it is one of the project."""
        if isinstance(node, ast.Call):
            node = node.func
        return sources(node.id, file.scope(node), self._modules) if isinstance(node, ast.Name) else []

    def callers(self, parameter: Parameter) -> list[tuple[ast.expr, Scope]] | None:
        """The expressions that the calls in this code give for a parameter; None if there may be other calls."""
        function = parameter.function
        names = [argument.arg for argument in positional(function.args)]
        if is_fixture(function) or function.name.startswith("test") or parameter.name not in names:
            return None
        found: list[tuple[ast.expr, Scope]] = []
        place = names.index(parameter.name)
        if self._index.at("references", function):
            return None
        calls = [(file, call, 0) for file, call in self._index.at("calls", function)]
        is_method = names[:1] in (["self"], ["cls"])
        calls += [(file, call, is_method) for file, call in self._index.at("method_calls", function.name)]
        for file, call, shift in calls:
            given = _argument_for(call, parameter.name, place - shift)
            if given is None:
                return None
            found.append((given, file.scope(call)))
        return found or None

    def calls_of(self, function: Function, scope: Scope) -> list[tuple[ast.Call, Scope]] | None:
        """The calls of a function; None if it may be called in other ways."""
        calls = [*self._index.at("calls", function), *self._index.at("method_calls", function.name)]
        references = self._index.at("references", function)
        maker = scope.outer.function if scope.outer is not None else None
        if references:
            is_given = all(isinstance(file.parent(node), ast.Return | ast.Yield) for file, node in references)
            is_asked_for_by_name = bool(self._index.at("method_calls", FIXTURE_BY_NAME))
            if maker is None or not is_given or not is_fixture(maker) or is_asked_for_by_name:
                return None
            for name in fixture_names(maker, scope.outer or scope):
                for where, user in self._index.at("parameters", name):
                    for _, node in self._index.at("names", (user, name)):
                        call = where.parent(node)
                        if not (isinstance(call, ast.Call) and call.func is node):
                            return None
                        calls.append((where, call))
        return [(call, file.scope(call)) for file, call in calls]

    def is_fixed(self, attribute: str) -> bool:
        """Whether an attribute of objects has one definition in this code."""
        return len({owner for _, owner in self._index.at("class_attributes", attribute)}) <= 1


def _argument_for(call: ast.Call, name: str, place: int) -> ast.expr | None:
    """The argument of a call for a parameter; None if it is not written there."""
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    given = call.args[: place + 1]
    is_written = 0 <= place < len(given) and not any(isinstance(argument, ast.Starred) for argument in given)
    return given[place] if is_written else None
