"""Modules that docstrings, comments and pages name exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "kgprobe"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CODE = sorted(path for folder in ("src", "tests", "bench") for path in (ROOT / folder).rglob("*.py"))
_COMMENT = re.compile(r"(?:^|\s)#\s(.*)", re.MULTILINE)
_DOTTED = re.compile(r"(?<![\w.@/-])kgprobe((?:\.[a-z_]\w*)+)")
# Paths below the package, such as `config/tables.py`, or from the root of the project.
_FILE = re.compile(r"`((?:[\w.-]+/)+[\w-]+\.py)`")
_IN_BACKTICKS = re.compile(r"`([a-z_]\w*(?:\.[a-z_]\w*)*)`")


@cache
def _modules() -> frozenset[str]:
    """The dotted names of all packages and modules, without `kgprobe`."""
    files = (path.relative_to(PACKAGE).with_suffix("").parts for path in PACKAGE.rglob("*.py"))
    folders = (path.relative_to(PACKAGE).parts for path in PACKAGE.rglob("*") if path.is_dir())
    return frozenset(".".join(parts).removesuffix(".__init__") for parts in (*files, *folders))


@cache
def _defined(module: str) -> frozenset[str]:
    """The names that a module defines or imports at its top, or offers lazily."""
    path = PACKAGE.joinpath(*module.split(".")) if module else PACKAGE
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not path.exists():
        return frozenset()
    names: set[str] = set()
    statements = ast.parse(path.read_text(encoding="utf-8")).body
    for node in (*statements, *(inner for each in statements if isinstance(each, ast.If) for inner in each.body)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.ImportFrom(names=imported) | ast.Import(names=imported):
                names.update(alias.asname or alias.name for alias in imported)
    return frozenset(names)


def _exists(dotted: str) -> bool:
    """Whether this is a module, or a name in one, and perhaps an attribute of that."""
    if dotted in _modules():
        return True
    parts = dotted.split(".")
    return any(
        (module := ".".join(parts[:end])) in {*_modules(), ""} and parts[end] in _defined(module)
        for end in range(len(parts) - 1, -1, -1)
    )


@cache
def _prose(path: Path) -> str:
    """What a file says in words: a page, or the docstrings and comments of a module."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return text
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
    return "\n".join([*docstrings, *_COMMENT.findall(text)])


def test_dotted_names_exist() -> None:
    wrong = []
    seen = 0
    for path in (*PAGES, *CODE):
        for found in _DOTTED.finditer(_prose(path)):
            seen += 1
            if not _exists(found[1].removeprefix(".")):
                wrong.append(f"{path.relative_to(ROOT)}: {found[0]}")
    assert seen > 50
    assert wrong == []


def test_files_of_code_exist() -> None:
    """Those that pages and docstrings name by a path below the package or from the root."""
    tops = {path.name for path in (*PACKAGE.iterdir(), *ROOT.iterdir()) if path.is_dir()}
    wrong = []
    seen = 0
    for path in (*PAGES, *CODE):
        for found in _FILE.finditer(_prose(path)):
            if found[1].split("/")[0] in tops:
                seen += 1
                if not any((folder / found[1]).exists() for folder in (PACKAGE, ROOT, ROOT / "docs" / "files")):
                    wrong.append(f"{path.relative_to(ROOT)}: {found[1]}")
    assert seen > 10
    assert wrong == []


def test_docstrings_of_packages_name_what_they_have() -> None:
    """They say which module to read first: these are in the package, or names in it."""
    wrong = []
    seen = 0
    for path in sorted(PACKAGE.rglob("__init__.py")):
        package = ".".join(path.parent.relative_to(PACKAGE).parts)
        inside = [name for name in _modules() if name.rpartition(".")[0] == package]
        known = {*_defined(package), *(name for module in inside for name in _defined(module))}
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        for found in _IN_BACKTICKS.finditer(text):
            seen += 1
            name = found[1]
            above = [package, *(parent for parent in _modules() if package.startswith(f"{parent}.")), ""]
            is_known = name in known or any(_exists(f"{parent}.{name}".removeprefix(".")) for parent in above)
            is_known = is_known or (path.parent / name).exists()  # data of the package
            if not is_known and not name.startswith("kgprobe"):
                wrong.append(f"{path.relative_to(ROOT)}: {name}")
    assert seen > 100
    assert wrong == []
