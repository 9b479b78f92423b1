"""The tests that pytest would collect from a file, found without importing it.

A test need not be a function with its name: `test_city = made_for("city")`, `globals()["test_city"] = …`, a class
decorator, and a base class of a library make tests, too. If the names of the tests are unknown, the file is the test.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from kgprobe.selection.discovery.python.fixtures import is_fixture
from kgprobe.selection.discovery.python.modules import (
    FUNCTIONS,
    Function,
    Import,
    Module,
    Modules,
    called_name,
    root_name,
    statements,
)
from kgprobe.selection.discovery.python.scopes import Bound, Scope, Source, members, named_by, sources, with_bases
from kgprobe.selection.discovery.python_files import DEFAULT, Collecting

_DEEPEST: Final = 20
# Packages whose decorators replace a test by several with other names.
_RENAMING: Final = frozenset(["parameterized", "nose_parameterized", "ddt", "genty", "param_unittests"])
_PLAIN_BASES: Final = frozenset(["object", "Generic", "Protocol", "ABC", "Enum", "IntEnum", "StrEnum", "NamedTuple"])


@dataclass(frozen=True)
class CollectedTest:
    """A test that pytest would collect: its functions (several can have one name), and the classes around it.

    `made` are the statements that make the functions of a test when its file is imported.
    """

    module: Module
    functions: tuple[Function, ...]
    classes: tuple[ast.ClassDef, ...] = ()
    others: tuple[tuple[ast.ClassDef, Module], ...] = ()  # classes in other files that inherit the test
    importers: tuple[Module, ...] = ()  # other files that import the test
    made: tuple[ast.stmt, ...] = ()
    is_partly_elsewhere: bool = False  # code outside of the project has a part of the test

    @property
    def owner(self) -> ast.ClassDef | None:
        return self.classes[-1] if self.classes else None

    @property
    def homes(self) -> tuple[Module, ...]:
        """The files whose fixtures and hooks are those of the test."""
        return tuple(dict.fromkeys([self.module, *(module for _, module in self.others), *self.importers]))

    @property
    def line(self) -> int:
        """The line where it begins."""
        return next((node.lineno for node in (*self.functions, *self.made, *self.classes[-1:])), 1)


def collected(
    module: Module, modules: Modules, rules: Collecting = DEFAULT
) -> Iterator[tuple[tuple[str, ...], CollectedTest]]:
    """The tests of a file, with the names in their node ids. Functions with the same name are one test."""
    yield from _Collector(module, modules, rules).tests()


class _Collector:
    def __init__(self, module: Module, modules: Modules, rules: Collecting) -> None:
        self._module = module
        self._modules = modules
        self._rules = rules

    def tests(self) -> Iterator[tuple[tuple[str, ...], CollectedTest]]:
        module = self._module
        functions: dict[str, list[Function]] = defaultdict(list)
        for statement in statements(module.tree.body):
            if isinstance(statement, FUNCTIONS) and self._is_test(statement):
                functions[statement.name].append(statement)
            elif isinstance(statement, ast.ClassDef):
                yield from self._of_class(statement, (), ())
        for name, same in functions.items():
            yield (name,), CollectedTest(module, tuple(same))
        for name, made in self._made(module.tree.body, Scope(module)).items():
            if name not in functions:
                yield (name,), CollectedTest(module, (), made=tuple(made))
        yield from self._imported(functions)
        if _changes_names(module.tree.body, Scope(module), self._modules):
            rest = [node for node in module.tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
            yield (), CollectedTest(module, (), made=tuple(part for part in rest if not self._is_plain_test(part)))

    def _is_plain_test(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.ClassDef) or (
            isinstance(statement, FUNCTIONS) and (self._is_test(statement) or is_fixture(statement))
        )

    def _imported(self, own: Iterable[str]) -> Iterator[tuple[tuple[str, ...], CollectedTest]]:
        """The tests that the file imports: pytest collects them here, too."""
        module = self._module
        names = dict.fromkeys(module.imports)
        for star in module.stars:
            target = self._modules.imported(star, module)
            if target is not None and target is not module:
                names.update(dict.fromkeys([*target.definitions, *target.imports]))
        for name in names.keys() - set(own) - module.definitions.keys():
            for binding, place, top in sources(name, Scope(module), self._modules):
                if isinstance(binding, ast.ClassDef):
                    yield from _Collector(place, self._modules, self._rules).imported_class(binding, name, module)
                elif not self._rules.is_function(name):
                    continue
                elif isinstance(binding, FUNCTIONS) and not is_fixture(binding):
                    yield (name,), CollectedTest(place, (binding,), importers=(module,))
                elif (
                    top is not None
                    and isinstance(binding, Bound)
                    and _is_function(binding.value, Scope(place), self._modules)
                ):
                    made = tuple(place.definitions[top])
                    yield (name,), CollectedTest(place, (), importers=(module,), made=made)

    def imported_class(
        self, node: ast.ClassDef, name: str, importer: Module
    ) -> Iterator[tuple[tuple[str, ...], CollectedTest]]:
        """The tests of a class of this file, as another file collects them."""
        for names, test in self._of_class(node, (), (), shown=name):
            yield names, CollectedTest(**{**vars(test), "importers": (*test.importers, importer)})

    # -- classes -------------------------------------------------------------------------------------------------

    def _of_class(
        self, node: ast.ClassDef, names: tuple[str, ...], classes: tuple[ast.ClassDef, ...], shown: str = ""
    ) -> Iterator[tuple[tuple[str, ...], CollectedTest]]:
        module, name = self._module, shown or node.name
        line = list(with_bases(node, module, self._modules))
        if not self._has_tests(node, name, line):
            return
        names, classes = (*names, name), (*classes, node)
        if self._has_unknown_tests(line):
            yield names, CollectedTest(module, (), classes, made=(node,), is_partly_elsewhere=True)
        inner: set[str] = set()
        for owner, place in line if len(names) < _DEEPEST else ():
            for statement in statements(owner.body):
                if isinstance(statement, ast.ClassDef) and place is module and statement.name not in inner:
                    inner.add(statement.name)
                    yield from self._of_class(statement, names, classes)
        for each, test in self._methods(line, node, classes).items():
            yield (*names, each), test

    def _has_tests(self, node: ast.ClassDef, name: str, line: list[tuple[ast.ClassDef, Module]]) -> bool:
        switch = _switch(node)
        if any(_is_test_case(each) for each, _ in line):
            return switch is not False
        is_named = switch if switch is not None else self._rules.is_class(name)
        return is_named and not any(_has_maker(each) for each, _ in line)

    def _methods(
        self, line: list[tuple[ast.ClassDef, Module]], node: ast.ClassDef, classes: tuple[ast.ClassDef, ...]
    ) -> dict[str, CollectedTest]:
        """The tests of a class and of its base classes, by their names; those of the nearest class count."""
        methods: dict[str, CollectedTest] = {}
        for owner, place in line:
            found: dict[str, list[Function]] = defaultdict(list)
            for statement in statements(owner.body):
                if isinstance(statement, FUNCTIONS) and self._is_test(statement):
                    found[statement.name].append(statement)
            for name, same in found.items():
                methods.setdefault(name, self._method(tuple(same), (), owner, place, node, classes))
            for name, made in self._made(owner.body, Scope(place, None, owner)).items():
                methods.setdefault(name, self._method((), tuple(made), owner, place, node, classes))
        return methods

    def _method(
        self,
        functions: tuple[Function, ...],
        made: tuple[ast.stmt, ...],
        owner: ast.ClassDef,
        place: Module,
        node: ast.ClassDef,
        classes: tuple[ast.ClassDef, ...],
    ) -> CollectedTest:
        if place is self._module:
            return CollectedTest(place, functions, classes, made=made)
        return CollectedTest(place, functions, (owner,), ((node, self._module),), made=made)

    def _is_test(self, function: Function) -> bool:
        return self._rules.is_function(function.name) and not is_fixture(function)

    def _has_unknown_tests(self, line: Iterable[tuple[ast.ClassDef, Module]]) -> bool:
        """Whether a class has tests that no function in its code has the name of."""
        for owner, place in line:
            scope = Scope(place, None, owner)
            parts = [statement for statement in owner.body if not isinstance(statement, (*FUNCTIONS, ast.ClassDef))]
            marks = [*owner.decorator_list]
            marks += [mark for node in owner.body if isinstance(node, FUNCTIONS) for mark in node.decorator_list]
            if any(_renames(mark, scope) for mark in marks) or _changes_names(parts, scope, self._modules):
                return True
            if _changes_names(owner.decorator_list, scope, self._modules) or self._is_completed(owner, place):
                return True
            if any(self._is_elsewhere(base, Scope(place)) for base in owner.bases):
                return True
        return False

    def _is_completed(self, owner: ast.ClassDef, place: Module) -> bool:
        """Whether its metaclass or `__init_subclass__` of a base class may add tests to a class."""
        metas = [keyword.value for keyword in owner.keywords if keyword.arg == "metaclass"]
        completing = [source for meta in metas for source in named_by(meta, Scope(place), self._modules)]
        if any(isinstance(source.binding, ast.ClassDef) for source in completing):
            return True
        return any(
            isinstance(node, FUNCTIONS) and node.name == "__init_subclass__" and any(map(_is_namespace, ast.walk(node)))
            for node in owner.body
        )

    def _is_elsewhere(self, base: ast.expr, scope: Scope) -> bool:
        """Whether a base class is outside of the project, and may have tests."""
        inner = base.value if isinstance(base, ast.Subscript) else base
        name = inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")
        if name.endswith("TestCase") or name in _PLAIN_BASES:
            return False
        found = named_by(inner, scope, self._modules)
        return not any(isinstance(one.binding, ast.ClassDef) for one in found) and "test" in _spelled(inner, found)

    # -- functions that code makes -------------------------------------------------------------------------------

    def _made(self, body: list[ast.stmt], scope: Scope) -> dict[str, list[ast.stmt]]:
        """The names of tests to which statements give a function: `test_city = made_for("city")`."""
        made: dict[str, list[ast.stmt]] = defaultdict(list)
        for statement in statements(body):
            if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                for name in (bound for target in targets for bound in _names_in(target)):
                    is_class = scope.owner is None and self._rules.is_class(name)
                    if (self._rules.is_function(name) and _is_function(statement.value, scope, self._modules)) or (
                        is_class and _is_class(statement.value, scope, self._modules)
                    ):
                        made[name].append(statement)
        return made


def _names_in(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _is_function(node: ast.expr, scope: Scope, modules: Modules, depth: int = 0) -> bool:
    """Whether the value of an expression is a function, as far as the code says."""
    if depth > _DEEPEST:
        return False
    match node:
        case ast.Lambda():
            return True
        case ast.Name() | ast.Attribute():
            known = {} if scope.owner is None or isinstance(node, ast.Attribute) else members(scope.owner, scope.module)
            own = [Source(member.binding, scope.module) for member in known.get(getattr(node, "id", ""), ())]
            return any(_is_made(source, modules, depth) for source in own or named_by(node, scope, modules))
        case ast.Call():
            if any(_is_function(given_node, scope, modules, depth + 1) for given_node in _given(node)):
                return True
            if isinstance(node.func, ast.Call):
                return _is_function(node.func, scope, modules, depth + 1)
            return any(_returns_function(source, modules, depth) for source in named_by(node.func, scope, modules))
        case ast.IfExp():
            return any(_is_function(branch, scope, modules, depth + 1) for branch in (node.body, node.orelse))
        case ast.Tuple() | ast.List():
            return any(_is_function(element, scope, modules, depth + 1) for element in node.elts)
        case ast.Subscript(value=ast.Dict() | ast.Name()):
            return any(_is_function(item, scope, modules, depth + 1) for item in _elements(node.value, scope, modules))
    return False


def _given(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments that may be functions. Those of a class or of a method are for something else."""
    name = called_name(call)
    if name[:1].islower() or not name:
        yield from (*call.args, *(keyword.value for keyword in call.keywords))


def _elements(node: ast.expr, scope: Scope, modules: Modules) -> Iterator[ast.expr]:
    if isinstance(node, ast.Dict):
        yield from node.values
    for source in named_by(node, scope, modules) if isinstance(node, ast.Name) else ():
        if isinstance(source.binding, Bound) and isinstance(source.binding.value, ast.Dict):
            yield from source.binding.value.values


def _is_made(source: Source, modules: Modules, depth: int) -> bool:
    match source.binding:
        case ast.FunctionDef() | ast.AsyncFunctionDef() as function:
            return not is_fixture(function)
        case Bound(value=value):
            return _is_function(value, Scope(source.module), modules, depth + 1)
    return False


def _returns_function(source: Source, modules: Modules, depth: int) -> bool:
    function = source.binding
    if not isinstance(function, FUNCTIONS):
        return False
    inner = {node.name for node in ast.walk(function) if isinstance(node, FUNCTIONS) and node is not function}
    scope = Scope(source.module, function)
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            if isinstance(node.value, ast.Name) and node.value.id in inner:
                return True
            if _is_function(node.value, scope, modules, depth + 1):
                return True
    return False


def _is_class(node: ast.expr, scope: Scope, modules: Modules) -> bool:
    """Whether the value of an expression is a class that code makes: `Machine.TestCase`, `type(…)`, `made_for("x")`."""
    match node:
        case ast.Attribute(attr=name):
            return name.endswith("TestCase") or any(
                isinstance(source.binding, ast.ClassDef) for source in named_by(node, scope, modules)
            )
        case ast.Name():
            return any(isinstance(source.binding, ast.ClassDef) for source in named_by(node, scope, modules))
        case ast.Call(func=ast.Name(id="type"), args=[_, _, _]):
            return True
        case ast.Call():
            made = [source.binding for source in named_by(node.func, scope, modules)]
            return any(
                isinstance(inner, ast.ClassDef)
                for source in made
                if isinstance(source, FUNCTIONS)
                for inner in ast.walk(source)
            )
    return False


# -- names that are known only when the file is imported ---------------------------------------------------------------


def _changes_names(body: Iterable[ast.AST], scope: Scope, modules: Modules) -> bool:
    """Whether code that runs at import sets names that it computes: `globals()[name] = …`, `setattr(TestMenu, …)`."""
    pending = [(node, scope) for statement in body for node in _run_at_import(statement)]
    seen: set[int] = set()
    for node, place in pending:
        if _is_namespace(node):
            return True
        for source in named_by(node, place, modules) if isinstance(node, ast.Name | ast.Attribute) else ():
            function = source.binding
            if isinstance(function, FUNCTIONS) and id(function) not in seen and not is_fixture(function):
                seen.add(id(function))
                pending += [(inner, Scope(source.module, function)) for inner in ast.walk(function)]
    return False


def _run_at_import(statement: ast.AST) -> Iterator[ast.AST]:
    pending = [statement]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            pending += ast.iter_child_nodes(node)


def _is_namespace(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=name), *_]):
            return not name.startswith("_")
        case ast.Call(func=ast.Name(id="exec")) | ast.Call(func=ast.Name(id="globals" | "locals" | "vars"), args=[]):
            return True
        case ast.Subscript(value=ast.Attribute(attr="modules"), slice=ast.Name(id="__name__")):
            return True
    return False


def _renames(decorator: ast.expr, scope: Scope) -> bool:
    root = root_name(decorator)
    imported = scope.module.imports.get(root or "")
    return imported is not None and imported.package in _RENAMING


def _spelled(node: ast.expr, found: Iterable[Source]) -> str:
    parts = [ast.unparse(node)]
    parts += [f"{one.binding.module}.{one.binding.attribute}" for one in found if isinstance(one.binding, Import)]
    return ".".join(parts).lower()


def _is_test_case(node: ast.ClassDef) -> bool:
    last = [base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases]
    return any(name.endswith("TestCase") for name in last)


def _has_maker(node: ast.ClassDef) -> bool:
    """Whether a class has a constructor: pytest does not collect such classes."""
    return any(isinstance(part, FUNCTIONS) and part.name in ("__init__", "__new__") for part in node.body)


def _switch(node: ast.ClassDef) -> bool | None:
    """The value of `__test__` of a class, if it has one."""
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id="__test__")], value=ast.Constant(value=value)):
                return bool(value)
    return None
