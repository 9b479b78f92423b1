"""Python functions of the user: operators, and oracles. This is the one place where their code is loaded."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from kgprobe.config.python_calls import checked, line_of
from kgprobe.errors import InputError, Position, nearest
from kgprobe.mutation.header import read_header
from kgprobe.mutation.operator import PythonOperator

__all__ = ["PythonFiles"]

_HEADER = "its docstring is its header: lines 'name: …', 'does: …', 'target: …'"


class _Loader(SourceFileLoader):
    """Leaves nothing behind: the folder of a profile is no place for compiled code."""

    def set_data(self, path: str, data: object, **_: object) -> None: ...


class PythonFiles:
    """Files of Python that are run once each, however many operators they hold."""

    def __init__(self) -> None:
        self._modules: dict[Path, ModuleType] = {}

    def operator(self, file: Path, function_name: str) -> PythonOperator:
        """The operator that this function is."""
        return _operator(self.function(file, function_name), file)

    def function(self, file: Path, function_name: str) -> Callable[..., Any]:
        """The function with this name."""
        if file not in self._modules:
            self._modules[file] = _run(file)
        functions = _functions(self._modules[file])
        if function_name not in functions:
            meant = nearest(function_name, functions)
            hint = f"did you mean '{meant}'?" if meant else f"it has {', '.join(functions) or 'none'}"
            raise InputError(f"{file} has no function '{function_name}'", hint=hint)
        return functions[function_name]


def _run(file: Path) -> ModuleType:
    # A name that nothing else has: the file may be called like a package.
    name = f"kgprobe_profile_{abs(hash(file.resolve()))}"
    loader = _Loader(name, str(file))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec  # noqa: S101 - there is one for a loader of files
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    try:
        with _beside(file):
            loader.exec_module(module)
    except SyntaxError as error:
        raise InputError(f"this is not Python: {error.msg}", where=Position(str(file), error.lineno)) from None
    except (Exception, SystemExit) as error:
        message = f"cannot be run: {type(error).__name__}: {error}"
        raise InputError(message, where=Position(str(file), line_of(error, str(file)))) from error
    return module


@contextmanager
def _beside(file: Path) -> Iterator[None]:
    """Modules beside the file can be imported, as if Python had started with it: while it is run, and from then on.

    Once it has run, they come last: a file called like a module that we import later must not take its place.
    """
    folder = str(file.resolve().parent)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        if folder not in sys.path:
            sys.path.append(folder)


def _functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    return {name: value for name, value in vars(module).items() if inspect.isfunction(value)}


def _operator(function: Callable[..., Any], file: Path) -> PythonOperator:
    place = Position(str(file), function.__code__.co_firstlineno)
    if not (function.__doc__ or "").strip():
        raise InputError(f"'{function.__name__}' has no docstring", where=place, hint=_HEADER)
    try:
        inspect.signature(function).bind(object())
    except TypeError:
        message = f"'{function.__name__}' does not take one argument, which is the site to work on"
        raise InputError(message, where=place) from None
    lines = inspect.cleandoc(function.__doc__ or "").splitlines()
    try:
        description = read_header(lines, str(file))
    except InputError as error:
        line = error.where.line if error.where else None
        where = place if line is None else Position(str(file), _docstring_line(function, file) + line - 1)
        raise InputError(error.message, where=where, hint=error.hint or _HEADER) from None
    return PythonOperator(description, checked(function, description.name, place), inspect.getsource(function))


def _docstring_line(function: Callable[..., Any], file: Path) -> int:
    """The line of the file on which the text of the docstring begins."""
    first = function.__code__.co_firstlineno
    found = next(
        node
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
        and first in (node.lineno, *(decorator.lineno for decorator in node.decorator_list))
    )
    text = function.__doc__ or ""
    return found.body[0].lineno + text.count("\n", 0, len(text) - len(text.lstrip()))
