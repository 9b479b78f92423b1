"""Loads Python functions of the user: operators and oracles. No other module loads user code."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from kgprobe.errors import InputError, KgprobeError, Position, did_you_mean, one_line
from kgprobe.mutation.operator import Change, Propose, PythonOperator, Site, read_header
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode
from kgprobe.user_functions import called

__all__ = ["PythonFiles"]

_HEADER = "its docstring is its header: lines 'name: …', 'does: …', 'target: …'"


class _Loader(SourceFileLoader):
    """Writes no compiled code, so that the folder of a profile stays clean."""

    def set_data(self, path: str, data: object, **_: object) -> None: ...


class PythonFiles:
    """Python files of the user. Each file is run once, even if it has several operators."""

    def __init__(self) -> None:
        self._modules: dict[Path, ModuleType] = {}

    def operator(self, file: Path, function_name: str) -> PythonOperator:
        """The function as an operator."""
        return _operator(self.function(file, function_name), file)

    def function(self, file: Path, function_name: str) -> Callable[..., Any]:
        """The function with this name."""
        if file not in self._modules:
            self._modules[file] = _run(file)
        functions = _functions(self._modules[file])
        if function_name not in functions:
            hint = did_you_mean(function_name, functions, f"it has {', '.join(functions) or 'none'}")
            raise InputError(f"{file} has no function '{function_name}'", hint=hint)
        return functions[function_name]


def _run(file: Path) -> ModuleType:
    # A unique module name, because the file may have the name of a package.
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
        raise InputError(message, where=Position(str(file), _line_of(error, str(file)))) from error
    return module


@contextmanager
def _beside(file: Path) -> Iterator[None]:
    """Lets the file import modules beside it, as if Python had started with it, while it runs and afterwards.

    Afterwards, its folder is last on the path, so that no file in it replaces a module that we import later.
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
    return PythonOperator(description, _checked(function, description.name, place), inspect.getsource(function))


def _docstring_line(function: Callable[..., Any], file: Path) -> int:
    """The line of the file on which the text of the docstring begins."""
    first = function.__code__.co_firstlineno
    found = next(
        node
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and first in (node.lineno, *(decorator.lineno for decorator in node.decorator_list))
    )
    text = function.__doc__ or ""
    return found.body[0].lineno + text.count("\n", 0, len(text) - len(text.lstrip()))


# -- calls of operators: their results are checked, so that a mutant is a graph whatever they return -------------------

_SHOWN = 60  # characters of a value that is not a change


def _checked(function: Callable[..., Any], name: str, where: Position) -> Propose:
    """The function of the operator with this name. InputError if it fails or returns no change."""

    def propose(site: Site) -> Change | None:
        graph = site.graph
        before = len(graph.changed_keys)
        try:
            found = called(function, site)
        except KgprobeError:
            raise
        except (Exception, SystemExit) as error:
            message = f"the operator '{name}' failed: {type(error).__name__}: {error}"
            raise InputError(message, where=Position(where.file, _line_of(error, where.file) or where.line)) from error
        if len(graph.changed_keys) != before:
            message = f"the operator '{name}' changed the graph itself"
            raise InputError(message, where=where, hint="it returns a Change, which is carried out and recorded")
        try:
            change = None if found is None else _change(graph, found)
        except ValueError as error:
            raise InputError(f"the operator '{name}' {error}", where=where) from None
        if change is None or not site.pins.allow(graph, [*change.removed, *change.added]):
            return None
        return change

    return propose


def _line_of(error: BaseException, file: str) -> int | None:
    """The innermost line of a file in the traceback of an error."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else None


def _change(graph: Graph, found: object) -> Change | None:
    """The returned change, with the keys of the graph; None if it changes nothing."""
    if not isinstance(found, Change):
        raise ValueError(f"returned {one_line(repr(found))[:_SHOWN]}, which is neither a Change nor None")
    removed = [_row(graph, row) for row in _sequence(found.removed)]
    added = [_row(graph, row) for row in _sequence(found.added)]
    for row in removed:
        if not graph.has(*row):
            raise ValueError(f"removes a triple that does not exist: {_text(graph, row)}")
    for row in added:
        if graph.has(*row):
            raise ValueError(f"adds a triple that already exists: {_text(graph, row)}")
        if isinstance(graph.term(row[0]), Literal) or not isinstance(graph.term(row[1]), NamedNode):
            raise ValueError(f"adds something that is not an RDF triple: {_text(graph, row)}")
    if not removed and not added:
        return None
    if not isinstance(found.binding, Mapping):
        raise ValueError(f"returned a Change whose binding is {one_line(repr(found.binding))[:_SHOWN]}, not a dict")
    binding = {str(name): _key(graph, key) for name, key in found.binding.items()}
    return Change(list(dict.fromkeys(removed)), list(dict.fromkeys(added)), binding)


def _sequence(rows: object) -> list[object]:
    if not isinstance(rows, Iterable):
        raise ValueError(f"returned a Change of {one_line(repr(rows))[:_SHOWN]}, which are not triples")
    return list(rows)


def _row(graph: Graph, row: object) -> KeyTriple:
    if not isinstance(row, tuple) or len(row) != 3:
        raise ValueError(f"returned {one_line(repr(row))[:_SHOWN]}, which is not a triple of keys")
    return _key(graph, row[0]), _key(graph, row[1]), _key(graph, row[2])


def _key(graph: Graph, given: object) -> Key:
    """The key of a term. Functions may give the term itself."""
    if isinstance(given, NamedNode | BlankNode | Literal):
        return graph.key(given)
    if type(given) is int and 0 <= given < len(graph.table.terms):
        return given
    raise ValueError(f"returned {one_line(repr(given))[:_SHOWN]}, which is not the key of a term (see graph.key)")


def _text(graph: Graph, row: KeyTriple) -> str:
    return " ".join(str(graph.term(key)) for key in row)
