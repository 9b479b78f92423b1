"""The Python files of a repository, the files that each of them refers to, and the files that it needs to run."""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path, PurePosixPath

from kgprobe.selection.discovery.files import text_of
from kgprobe.selection.discovery.python.modules import Import, called_name
from kgprobe.selection.discovery.python.scopes import Bound, bound_by
from kgprobe.selection.ontology_versions import Edits, parsed

_IMPORTING = frozenset(["import_module", "__import__", "importorskip", "run_module"])
_LOADING = frozenset(["spec_from_file_location", "SourceFileLoader", "run_path", "exec_module", "load_module"])
_LISTING = frozenset(["iterdir", "listdir", "scandir", "walk", "fwalk"])
_GLOBBING = frozenset(["glob", "iglob", "rglob"])
_JOINING = frozenset(["join", "joinpath", "str", "Path", "fspath"])
_LONGEST_NAME = 1000
_LONGEST_CHAIN = 10
_UNKNOWN = ast.Constant(None)
# Placeholders for values that are filled in later.
_PLACE = re.compile(r"\{[^{}]*\}|%(?:\(\w+\))?[sdr]")
_WORD = re.compile(r"""[^\s"'`/\\{}()\[\],;:=<>|*?]+""")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
# Code with one of these may read folders above its own.
_UPWARDS = re.compile(r"parents\[|\.parent\.parent|cwd\(|rootpath|rootdir|\bPath\(\)|[\"']\.\.?/?[\"']|[\"']\.\./")


# -- the files that a Python file refers to ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Code:
    """A Python file. `names` are its strings as patterns, with `*` for parts that are filled in when the code runs."""

    file: Path
    text: str
    imports: tuple[Import, ...]
    names: tuple[str, ...]
    imports_anything: bool = False  # imports modules by names that are unknown before the code runs
    lists_folders: bool = False

    def mentions(self, changed: Path, root: Path) -> bool:
        """Whether the code may read a file: it has its name, the name of a folder around it, or a matching pattern.

        A false positive costs a run of the test; a false negative could hide a bug. So there are many ways to match.
        """
        if changed.name in self._words or changed.stem in self._ends or self._is_namesake(changed):
            return True
        if changed.suffix in self._ends and changed.is_relative_to(self.file.parent):
            return True
        if self.lists_folders and self._looks_upwards:
            return True
        if changed.suffix != ".py" and not self._parts.isdisjoint(changed.relative_to(root).parts[:-1]):
            return True
        return any(fnmatchcase(changed.name, pattern) for pattern in self._patterns)

    def _is_namesake(self, changed: Path) -> bool:
        """Whether a file or its folder is named after this file, as snapshots and data folders of tests are."""
        if changed.suffix == ".py" or not changed.is_relative_to(self.file.parent):
            return False
        return any(self.file.stem in part for part in changed.relative_to(self.file.parent).parts)

    @cached_property
    def _words(self) -> frozenset[str]:
        """All words of the text that could be file names."""
        return frozenset(_WORD.findall(self.text)) | self._ends

    @cached_property
    def _paths(self) -> list[tuple[str, ...]]:
        return [parts for name in self.names if (parts := PurePosixPath(name.replace("\\", "/")).parts)]

    @cached_property
    def _parts(self) -> frozenset[str]:
        packages = (part for name in self.dotted_names for part in name)
        return frozenset([*packages, *(part for parts in self._paths for part in parts)])

    @cached_property
    def _ends(self) -> frozenset[str]:
        return frozenset(parts[-1] for parts in self._paths)

    @cached_property
    def _patterns(self) -> list[str]:
        return [end for end in self._ends if "*" in end and _says_something(end)]

    @cached_property
    def _looks_upwards(self) -> bool:
        return _UPWARDS.search(self.text) is not None

    @property
    def dotted_names(self) -> Iterator[tuple[str, ...]]:
        """Strings that may name a module or one of its members."""
        for name in self.names:
            if _DOTTED.fullmatch(name):
                yield tuple(name.split("."))

    @property
    def scripts(self) -> Iterator[tuple[str, ...]]:
        """Strings that are paths of Python files."""
        for name in self.names:
            if name.endswith(".py"):
                yield tuple(part for part in PurePosixPath(name).parts if part not in ("/", "..", "."))


def code_of(file: Path) -> Code | None:
    """The references of a Python file; None if it cannot be read."""
    text = text_of(file)
    tree = parsed(text)
    if text is None or tree is None:
        return None
    finder = _Finder(tree)
    finder.visit(tree)
    # Sorted, so that a test is always given the same reason.
    imports, names = sorted(finder.imports, key=str), sorted(finder.names)
    return Code(file, text, tuple(imports), tuple(names), finder.imports_anything, finder.lists_folders)


class _Finder(ast.NodeVisitor):
    def __init__(self, tree: ast.Module) -> None:
        self._filtered: set[ast.Call] = set()
        # What the names of the file are bound to, wherever that is: a name with one value always has it.
        self._values: dict[str, list[ast.expr]] = defaultdict(list)
        for node in ast.walk(tree):
            for name, binding in bound_by(node):
                value = binding.value if isinstance(binding, Bound) and not binding.path else _UNKNOWN
                self._values[name].append(value)
            if isinstance(node, ast.arg):
                self._values[node.arg].append(_UNKNOWN)
        self.imports: set[Import] = set()
        self.names: set[str] = set()
        self.imports_anything = False
        self.lists_folders = False

    def visit_Import(self, node: ast.Import) -> None:
        self.imports.update(Import(alias.name, 0) for alias in node.names)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self.imports.add(Import(node.module or "", node.level, None if alias.name == "*" else alias.name))

    def visit_Assign(self, node: ast.Assign) -> None:
        if any(isinstance(target, ast.Name) and target.id == "pytest_plugins" for target in node.targets):
            for inner in ast.walk(node.value):
                if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                    self.imports.add(Import(inner.value, 0))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        name = called_name(node)
        first = node.args[0] if node.args else None
        known = first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
        if name in _IMPORTING:
            if known is None:
                self.imports_anything = True
            else:
                self.imports.add(Import(known.lstrip("."), 0))
        elif name in _LOADING:
            self.imports_anything = True
        elif node in self._filtered:
            pass
        elif name in _LISTING:
            is_tree = isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "ast"
            self.lists_folders |= not is_tree
        elif name in _GLOBBING:
            pattern = None if first is None else self._end_of(first)
            if pattern is not None:
                pattern = PurePosixPath(pattern.replace("\\", "/")).name
                self._note(pattern)
            self.lists_folders |= pattern is None or not _says_something(pattern)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._note_filter(node.iter, [suffix for test in node.ifs for suffix in _suffixes(test)])
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        only = node.body[0] if len(node.body) == 1 else None
        if isinstance(only, ast.If) and not only.orelse:
            self._note_filter(node.iter, _suffixes(only.test))
        self.generic_visit(node)

    def _note_filter(self, listed: ast.expr, suffixes: list[str]) -> None:
        """Note that only the files with these ends are taken from a list of files."""
        if suffixes:
            self._filtered.update(node for node in ast.walk(listed) if isinstance(node, ast.Call))
            for suffix in suffixes:
                self._note(f"*{suffix}")

    def _end_of(self, node: ast.expr, depth: int = 0) -> str | None:
        """The end of a path or a pattern, with `*` for parts that are filled in when the code runs; None if unknown."""
        match node:
            case ast.Constant(value=str() as text):
                return _PLACE.sub("*", text)
            case ast.JoinedStr():
                parts = [str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values]
                return "".join(parts)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                end = self._end_of(right, depth)
                return None if end is None else (self._end_of(left, depth) or "*") + end
            case ast.BinOp(left=text, op=ast.Mod()) | ast.Call(func=ast.Attribute(value=text, attr="format")):
                return self._end_of(text, depth)
            case ast.BinOp(op=ast.Div(), right=last):
                return self._end_of(last, depth)
            case ast.Call(args=[*_, last]) if called_name(node) in _JOINING and not node.keywords:
                return self._end_of(last, depth)
            case ast.Name(id=name) if depth < _LONGEST_CHAIN and len(self._values[name]) == 1:
                return self._end_of(self._values[name][0], depth + 1)
        return None

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        parts = [str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values]
        self._note("".join(parts))
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._note(_PLACE.sub("*", node.value))

    def _note(self, text: str) -> None:
        if len(text) <= _LONGEST_NAME and "\n" not in text:
            self.names.add(text)


def _suffixes(test: ast.expr) -> list[str]:
    """The ends that a condition requires of the name of a file; none if it allows other files."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            return next((found for value in values if (found := _suffixes(value))), [])
        case ast.Compare(left=ast.Attribute(attr="suffix"), ops=[ast.Eq() | ast.In()], comparators=[given]):
            return _ends_in(given)
        case ast.Call(func=ast.Attribute(attr="endswith"), args=[given]):
            return _ends_in(given)
    return []


def _ends_in(node: ast.expr) -> list[str]:
    """The constant ends in an expression; none if there is anything else."""
    parts = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    found = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return found if len(found) == len(parts) and all(map(_says_something, found)) else []


def _says_something(pattern: str) -> bool:
    return any(character.isalnum() for character in pattern)


# -- the files that a file needs to run --------------------------------------------------------------------------------


@dataclass
class Dependencies:
    """The files that a file needs. Some of `files` may no longer exist; `codes` are those that can be read."""

    files: dict[Path, None] = field(default_factory=dict)
    codes: list[Code] = field(default_factory=list)
    is_open: bool = False  # may need any Python file


class Project:
    """Finds the files that a file imports, by names alone.

    Where Python searches for modules depends on settings, plugins and installed packages. So an import stands for every
    file of the repository whose path ends with the name: better too many files than too few.
    """

    def __init__(self, edits: Edits) -> None:
        self._root = edits.repository.root
        self._files = {path for path in (*edits.repository.files(), *edits.existed) if _is_code(path)}
        self._changed = list(edits.existed)
        self._codes: dict[Path, Code | None] = {}
        self._mentioned: dict[Path, frozenset[Path]] = {}
        self._by_last: dict[str, list[tuple[tuple[str, ...], Path]]] = defaultdict(list)
        for path in sorted(self._files):
            parts = path.relative_to(self._root).with_suffix("").parts
            module = parts[:-1] if parts[-1] == "__init__" else parts
            if module:
                self._by_last[module[-1]].append((module, path))

    def needs(self, first: Iterable[Path]) -> Dependencies:
        """The files that some files need, including themselves."""
        found = Dependencies()
        pending = list(first)
        while pending:
            path = pending.pop()
            if path in found.files or path not in self._files:
                continue
            found.files[path] = None
            pending += self._around(path)
            code = self._code(path)
            if code is None:
                found.is_open |= path.exists()
                continue
            found.codes.append(code)
            found.is_open |= code.imports_anything
            pending += self._following(code)
        return found

    @cached_property
    def everything(self) -> Dependencies:
        """The files that all files together need, for code with unknown imports."""
        return self.needs(sorted(self._files))

    def may_read(self, needs: Dependencies, first: Path) -> set[Path]:
        """The changed files that the code which `first` needs may read."""
        found = set().union(*map(self._mentioned_in, needs.codes))
        if any(code.lists_folders for code in needs.codes):
            # The code that lists a folder may get the folder from other code.
            homes = {first.parent, *(code.file.parent for code in needs.codes if "__file__" in code.text)}
            found.update(path for path in self._changed if not homes.isdisjoint(path.parents) and not _is_code(path))
        return found

    def _mentioned_in(self, code: Code) -> frozenset[Path]:
        if code.file not in self._mentioned:
            found = (path for path in self._changed if code.mentions(path, self._root))
            self._mentioned[code.file] = frozenset(found)
        return self._mentioned[code.file]

    def _code(self, path: Path) -> Code | None:
        if path not in self._codes:
            self._codes[path] = code_of(path) if path.exists() else None
        return self._codes[path]

    def _around(self, path: Path) -> Iterator[Path]:
        """The files that Python runs first: the `__init__.py` files of the packages around a module."""
        for folder in path.parents:
            package = folder / "__init__.py"
            if package not in self._files:
                return
            yield package
            if folder == self._root:
                return

    def _following(self, code: Code) -> Iterator[Path]:
        for imported in code.imports:
            yield from self._beside(imported, code.file) if imported.level else self._anywhere(imported, code.file)
        for name in code.dotted_names:
            for length in range(2, len(name) + 1):
                yield from self._ending_with(name[:length], code.file)
        for script in code.scripts:
            yield from (path for path in self._files if path.parts[-len(script) :] == script)

    def _beside(self, imported: Import, file: Path) -> Iterator[Path]:
        """The files that a relative import can mean."""
        folders = file.parents
        if imported.level > len(folders):
            return
        place = folders[imported.level - 1]
        for part in (*_parts(imported.module), *filter(None, (imported.attribute,))):
            yield place / "__init__.py"
            place = place / part
            yield place.with_name(f"{part}.py")
        yield place / "__init__.py"

    def _anywhere(self, imported: Import, file: Path) -> Iterator[Path]:
        """The files that an absolute import can mean. The packages around a module run, too."""
        parts = (*_parts(imported.module), *filter(None, (imported.attribute,)))
        for length in range(1, len(parts) + 1):
            yield from self._ending_with(parts[:length], file)

    def _ending_with(self, name: tuple[str, ...], file: Path) -> Iterator[Path]:
        is_standard = name[0] in sys.stdlib_module_names
        for module, path in self._by_last.get(name[-1], ()):
            if module[-len(name) :] == name:
                start = self._root.joinpath(*module[: -len(name)])
                # A file with the name of a standard module hides that module only from files beside and below it.
                if not is_standard or file.is_relative_to(start):
                    yield path


def _is_code(path: Path) -> bool:
    return path.suffix in (".py", ".pyx")


def _parts(module: str) -> tuple[str, ...]:
    return tuple(filter(None, module.split(".")))
