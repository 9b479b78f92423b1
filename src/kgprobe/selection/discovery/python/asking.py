"""Functions that ask what they are given: what that is, their callers tell."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import Final

from kgprobe.selection.discovery.python.calls import arguments_of
from kgprobe.selection.discovery.python.fixtures import is_fixture
from kgprobe.selection.discovery.python.folding import Folder
from kgprobe.selection.discovery.python.modules import Function
from kgprobe.selection.discovery.python.scopes import Bound, Parameter, Scope
from kgprobe.selection.discovery.python.values import Values

__all__ = ["Asker", "CallSite", "asker_of", "given_by", "passed_on"]

_LONGEST_CHAIN: Final = 5
_DEEPEST: Final = 10


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call, and where it stands."""

    node: ast.Call
    scope: Scope


@dataclass(frozen=True, slots=True)
class Asker:
    """A query or an IRI that a function makes from its parameters.

    `via` are the calls by which functions hand on what they are given in turn; `function` is the outermost of them, the
    one whose callers know. Its `names` are its own, and that of the fixture that gives it away.
    """

    names: tuple[str, ...]
    function: Function
    node: ast.expr
    scope: Scope
    is_asked: bool
    via: tuple[tuple[Function, CallSite], ...] = ()


def asker_of(node: ast.expr, scope: Scope, folder: Folder, *, is_asked: bool) -> Asker | None:
    """The function that makes this from what it is given; None if none does, or if it is a test or a fixture."""
    function = _function_of(node, scope, folder, 0)
    return None if function is None else Asker(_names(function, scope), function, node, scope, is_asked)


def given_by(asker: Asker, site: CallSite, folder: Folder) -> Values:
    """What is asked because of a call."""
    given = arguments_of(folder, asker.function, site.node, site.scope)
    for function, inner in reversed(asker.via):
        if given is None:
            return None
        given = arguments_of(folder, function, inner.node, inner.scope.giving(given))
    return None if given is None else folder.fold(asker.node, asker.scope.giving(given))


def passed_on(asker: Asker, site: CallSite, folder: Folder) -> Asker | None:
    """The same asker, with the function around a call as the one whose callers know; None if they do not."""
    if len(asker.via) >= _LONGEST_CHAIN:
        return None
    for argument in (*site.node.args, *(keyword.value for keyword in site.node.keywords)):
        if not folder.fold(argument, site.scope):
            function = _function_of(argument, site.scope, folder, 0)
            if function is not None and function is not asker.function:
                names = _names(function, site.scope)
                return replace(asker, names=names, function=function, via=(*asker.via, (asker.function, site)))
    return None


def _names(function: Function, scope: Scope | None) -> tuple[str, ...]:
    """What a function is called: a function inside of a fixture goes by the fixture's name elsewhere."""
    names = [function.name]
    while scope is not None:
        if scope.function is not None and is_fixture(scope.function):
            names.append(scope.function.name)
        scope = scope.outer
    return tuple(dict.fromkeys(names))


def _function_of(node: ast.expr, scope: Scope, folder: Folder, depth: int) -> Function | None:
    """The function that has a parameter which an expression depends on."""
    for each in ast.walk(node):
        if not isinstance(each, ast.Name):
            continue
        for binding, module, top in folder.sources(each.id, scope) if depth < _DEEPEST else ():
            if isinstance(binding, Parameter):
                function = binding.function
                if not is_fixture(function) and not function.name.startswith("test"):
                    return function
            elif isinstance(binding, Bound) and top is None and module is scope.module and binding.value is not node:
                found = _function_of(binding.value, scope, folder, depth + 1)
                if found is not None:
                    return found
    return None
