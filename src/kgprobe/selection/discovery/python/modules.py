"""The Python files of a project: their syntax trees, definitions and imports."""

from __future__ import annotations

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.rdf.reachability import reached

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MOST_FILES = 5000
_CHANGING = frozenset(["append", "appendleft", "add", "insert", "extend", "update", "setdefault", "put", "__setitem__"])
_BLOCKS = (ast.If, ast.Try, ast.With, ast.AsyncWith, ast.For, ast.AsyncFor, ast.While, ast.TryStar)


@dataclass(frozen=True, slots=True)
class Import:
    """The source of an imported name: a module, or an attribute of a module."""

    module: str
    level: int
    attribute: str | None = None

    @property
    def package(self) -> str:
        """The first part of the module name; empty for a relative import."""
        return "" if self.level else self.module.partition(".")[0]


@dataclass(eq=False)
class Module:
    """A Python file. `definitions` are the top-level statements that set or change the value of a name."""

    file: Path
    name: str
    text: str
    tree: ast.Module
    definitions: dict[str, list[ast.stmt]] = field(default_factory=lambda: defaultdict(list))
    imports: dict[str, Import] = field(default_factory=dict)
    stars: list[Import] = field(default_factory=list)
    # Caches of `names` and `scopes` for the functions and classes of this file.
    sources: dict[Any, Any] = field(default_factory=dict)
    bindings: dict[ast.AST, Any] = field(default_factory=dict)
    members: dict[ast.AST, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for statement in statements(self.tree.body):
            self._note(statement)
        self.definitions = dict(self.definitions)

    @cached_property
    def line_starts(self) -> list[int]:
        """The position of the first character of each line, as Python counts lines."""
        first = len(self.text) - len(self.text.removeprefix("\ufeff"))
        return [first, *(hit.end() for hit in re.finditer(r"\r\n|\r|\n", self.text))]

    @cached_property
    def rebound(self) -> frozenset[str]:
        """The top-level names that functions assign with `global`."""
        if "global" not in self.text:
            return frozenset()
        return frozenset(name for node in ast.walk(self.tree) if isinstance(node, ast.Global) for name in node.names)

    @cached_property
    def changers(self) -> dict[str, list[Function]]:
        """The functions that set or change the value of a top-level name, by name. Tests do not count."""
        found: dict[str, list[Function]] = defaultdict(list)
        for function in ast.walk(self.tree):
            if isinstance(function, FUNCTIONS) and not function.name.startswith("test"):
                for name in {name for node in ast.walk(function) for name in _changed_in(node)}:
                    if name in self.definitions or name in self.rebound:
                        found[name].append(function)
        return found

    @cached_property
    def all_packages(self) -> set[str]:
        """The packages that the file imports from, anywhere in its code."""
        found = {imported.package for imported in (*self.imports.values(), *self.stars)}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                found |= {imported.package for _, imported in imported_names(node)}
        return found

    def _note(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for name, imported in imported_names(statement):
                if name == "*":
                    self.stars.append(imported)
                else:
                    self.imports[name] = imported
        for name in _defined(statement):
            self.definitions[name].append(statement)


class Modules:
    """The files of a project, each parsed once. Files outside the project are ignored."""

    def __init__(self, root: Path, folders: Iterable[Path]) -> None:
        self._root = root
        self._bounds = [place.resolve() for place in (root, *folders)]
        self._parsed: dict[Path, Module | None] = {}
        self._found: dict[tuple[Path, Import], Path | None] = {}
        self._is_test_code: dict[Module, bool] = {}
        self._imported_by: dict[Module, list[Module]] = {}
        self._loaded: dict[Module, tuple[Module, ...]] = {}
        self._kept: list[Module] = []  # keeps syntax trees alive, because caches use the ids of their nodes

    def parse(self, file: Path, name: str) -> Module:
        """Parse a Python file. InputError if it is not valid Python."""
        return self.parse_text(exact_text(file), file, name)

    def parse_text(self, text: str, file: Path, name: str) -> Module:
        """Parse code that belongs to a file. InputError if it is not valid Python."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about invalid escapes in the user's strings
                tree = ast.parse(text.removeprefix("\ufeff"))
        except SyntaxError as error:
            raise InputError(f"is not valid Python: {error.msg} (line {error.lineno})") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise InputError(f"is not valid Python: {error}") from None
        module = Module(file, name, text, tree)
        self._kept.append(module)
        return module

    def at(self, file: Path) -> Module | None:
        """The module of a file; None if it cannot be read."""
        if file not in self._parsed:
            try:
                self._parsed[file] = self.parse(file, str(file)) if file.is_file() else None
            except (InputError, OSError):
                self._parsed[file] = None
        return self._parsed[file]

    def imported(self, imported: Import, by: Module) -> Module | None:
        """The module that an import names, if it is a file of the project."""
        key = (by.file.parent, imported)
        if key not in self._found:
            self._found[key] = self._find(imported, by.file)
        path = self._found[key]
        return None if path is None else self.at(path)

    def resolved(self, imported: Import, by: Module) -> tuple[Module, str | None] | None:
        """The module of the project that defines an imported name, and the name there; None for a module itself."""
        if imported.attribute is not None:
            within = f"{imported.module}.{imported.attribute}".strip(".")
            inner = self.imported(Import(within, imported.level), by)
            outer = self.imported(Import(imported.module, imported.level), by)
            is_itself = outer is by and inner is not None  # `from . import api` in the file of the package
            is_there = outer is not None and (
                imported.attribute in outer.definitions or imported.attribute in outer.imports
            )
            if outer is not None and is_there and not is_itself:
                return outer, imported.attribute
            if inner is not None:
                return inner, None
            return None if outer is None else (outer, imported.attribute)
        module = self.imported(Import(imported.module, imported.level), by)
        return None if module is None else (module, None)

    def inside(self, module: Module, name: str) -> Module | None:
        """The module with this name in a package."""
        if module.file.name != "__init__.py":
            return None
        return self.imported(Import(name, 1), module)

    def loaded_by(self, module: Module) -> tuple[Module, ...]:
        """The module, and all modules of the project that importing it can load."""
        if module not in self._loaded:
            self._loaded[module] = tuple(reached([module], self._imports_of))
        return self._loaded[module]

    def _imports_of(self, module: Module) -> list[Module]:
        if module not in self._imported_by:
            found: list[Module | None] = []
            for statement in ast.walk(module.tree):
                if isinstance(statement, ast.ImportFrom):
                    base, level = statement.module or "", statement.level
                    within = [f"{base}.{alias.name}".strip(".") for alias in statement.names if alias.name != "*"]
                    found += [self.imported(Import(name, level), module) for name in (base, *within)]
                elif isinstance(statement, ast.Import):
                    for parts in (alias.name.split(".") for alias in statement.names):
                        whole = (".".join(parts[: count + 1]) for count in range(len(parts)))
                        found += [self.imported(Import(name, 0), module) for name in whole]
            self._imported_by[module] = list(dict.fromkeys(file for file in found if file is not None))
        return self._imported_by[module]

    def is_test_code(self, module: Module) -> bool:
        """Whether a file belongs to the tests, and not to the software under test."""
        if module not in self._is_test_code:
            self._is_test_code[module] = _is_among_tests(module.file.resolve(), self._bounds[0], self._bounds[1:])
        return self._is_test_code[module]

    def file(self, path: Path, by: Module) -> Path | None:
        """A file of the project, by its path relative to the file that names it or to the working folder."""
        for base in (by.file.parent, self._root):
            try:
                candidate = (base / path).resolve()
                if candidate.is_file() and self._is_inside(candidate):
                    return candidate
            except (OSError, ValueError, RuntimeError):  # not a file name, or a cycle of links
                return None
        return None

    def files(self, folder: Path, pattern: str, by: Module) -> list[Path]:
        """The files of the project in a folder and below that match a pattern, in order.

        Empty if they cannot be listed. Then the uses of the test are unknown, and it is always selected.
        """
        for base in (by.file.parent, self._root):
            try:
                start = (base / folder).resolve()
                if start.is_dir() and self._is_inside(start):
                    found = list(islice((path for path in start.glob(pattern) if path.is_file()), _MOST_FILES + 1))
                    return sorted(file for file in found if self._is_inside(file)) if len(found) <= _MOST_FILES else []
            except (OSError, ValueError, RuntimeError, NotImplementedError):  # not a folder, or not a valid pattern
                return []
        return []

    def conftests(self, file: Path) -> list[Module]:
        """The conftest.py files of a test file, the nearest first."""
        folder = file.resolve().parent
        found = []
        for place in (folder, *folder.parents):
            if not any(place.is_relative_to(bound) for bound in self._bounds):
                break
            module = self.at(place / "conftest.py")
            if module is not None:
                found.append(module)
        return found

    def _find(self, imported: Import, by: Path) -> Path | None:
        parts = imported.module.split(".") if imported.module else []
        if not all(part.isidentifier() for part in parts):
            return None
        folder = by.resolve().parent
        if imported.level:
            above = [folder, *folder.parents]
            bases = above[imported.level - 1 : imported.level]
        else:
            top = next((place for place in (folder, *folder.parents) if not (place / "__init__.py").is_file()), folder)
            bases = [folder, top, self._root.resolve(), self._root.resolve() / "src"]
        for base in bases:
            place = base.joinpath(*parts)
            for candidate in (place.with_name(place.name + ".py") if parts else None, place / "__init__.py"):
                if candidate is not None and candidate.is_file() and self._is_inside(candidate):
                    return candidate
        return None

    def _is_inside(self, file: Path) -> bool:
        path = file.resolve()
        return any(path.is_relative_to(bound) for bound in self._bounds)


def _is_among_tests(file: Path, root: Path, folders: Iterable[Path]) -> bool:
    for folder in folders:
        home = folder if folder.is_dir() else folder.parent
        if home != root and file.is_relative_to(home):
            return True
    if file.name == "conftest.py" or file.stem.startswith("test_") or file.stem.endswith("_test"):
        return True
    inner = file.relative_to(root).parts[:-1] if file.is_relative_to(root) else file.parts
    return any(part in ("tests", "test") for part in inner)


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block and of its inner blocks, except those of functions and classes."""
    pending = list(body)[::-1]
    while pending:
        statement = pending.pop()
        yield statement
        if isinstance(statement, _BLOCKS):
            inner: list[ast.stmt] = []
            for name in ("body", "handlers", "orelse", "finalbody"):
                for part in getattr(statement, name, ()):
                    inner += part.body if isinstance(part, ast.ExceptHandler) else [part]
            pending += inner[::-1]


def imported_names(statement: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Import]]:
    """The names that an import statement binds, and their sources."""
    if isinstance(statement, ast.ImportFrom):
        for alias in statement.names:
            source = Import(statement.module or "", statement.level, None if alias.name == "*" else alias.name)
            yield alias.asname or alias.name, source
        return
    for alias in statement.names:
        if alias.asname:
            yield alias.asname, Import(alias.name, 0)
        else:
            yield alias.name.partition(".")[0], Import(alias.name.partition(".")[0], 0)


def positional(arguments: ast.arguments) -> list[ast.arg]:
    """The parameters that arguments are given to by position."""
    return [*arguments.posonlyargs, *arguments.args]


def defaults(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """The parameters that may have a default, and their defaults."""
    yield from zip(reversed(positional(arguments)), reversed(arguments.defaults), strict=False)
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def called_name(node: ast.Call) -> str:
    """The last part of the name of the called function; empty if it has no name."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def root_name(node: ast.expr) -> str | None:
    """The first name in a chain of attributes, calls and subscripts."""
    while True:
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.Await):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return None


def target_names(target: ast.expr) -> Iterator[str]:
    """The names whose values an assignment to this target sets or changes."""
    if isinstance(target, ast.Tuple | ast.List):
        for element in target.elts:
            yield from target_names(element)
    else:
        name = root_name(target)
        if name is not None:
            yield name


def _defined(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield statement.name
        case ast.Assign():
            for target in statement.targets:
                yield from target_names(target)
        case ast.AnnAssign() | ast.AugAssign() | ast.For() | ast.AsyncFor():
            yield from target_names(statement.target)
        case ast.With() | ast.AsyncWith():
            for item in statement.items:
                if item.optional_vars is not None:
                    yield from target_names(item.optional_vars)
        case ast.Expr(value=ast.Call() as call):
            yield from changed_names(call)


def _changed_in(node: ast.AST) -> Iterator[str]:
    """The names that a statement in a function declares global, or whose parts it sets."""
    match node:
        case ast.Global(names=names):
            yield from names
        case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
            name = root_name(node)
            if name is not None and name not in ("self", "cls"):
                yield name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method)) if method in _CHANGING:
            yield name


def changed_names(call: ast.Call) -> Iterator[str]:
    """The names whose values a call may change: the object of a method call, and the arguments."""
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    owner = root_name(call.func) if isinstance(call.func, ast.Attribute) else None
    names = [owner, *(argument.id for argument in arguments if isinstance(argument, ast.Name))]
    yield from dict.fromkeys(name for name in names if name is not None)


# -- the positions of texts in a file ----------------------------------------------------------------------------------


def place_of(node: ast.Constant, module: Module) -> int | None:
    """The position of a string's text in the file; None if escapes or line breaks make it differ there."""
    start, end = _place(node.lineno, node.col_offset, module), _place(node.end_lineno, node.end_col_offset, module)
    if start is None or end is None or not isinstance(node.value, str) or not node.value:
        return None
    place = module.text.find(node.value, start, end)
    # Only a prefix and quotes may precede the text.
    return place if place >= 0 and place - start <= 5 else None


def name_place(node: ast.expr, module: Module) -> tuple[int, str] | None:
    """The position and the text of a term name: `Pizza` in `EX.Pizza`, `EX["Pizza"]` and `"Pizza"`."""
    if isinstance(node, ast.Subscript):
        node = node.slice
    if isinstance(node, ast.Constant):
        place = place_of(node, module)
        return None if place is None else (place, str(node.value))
    end = _place(node.end_lineno, node.end_col_offset, module)
    if not isinstance(node, ast.Attribute) or end is None:
        return None
    start = end - len(node.attr)
    return (start, node.attr) if module.text[start:end] == node.attr else None


def _place(line: int | None, column: int | None, module: Module) -> int | None:
    if line is None or column is None:
        return None
    starts = module.line_starts
    if line > len(starts):
        return None
    start = starts[line - 1]
    # Columns count bytes.
    rest = module.text[start : start + column]
    return start + len(rest.encode()[:column].decode(errors="ignore"))
