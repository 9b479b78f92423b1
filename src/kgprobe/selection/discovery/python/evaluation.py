"""The possible results of calls, and the possible values of attributes, items, and components of collections.

Calls are operations on strings and paths, and short functions of the project.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kgprobe.selection.discovery.python.case_files import READERS, case_values
from kgprobe.selection.discovery.python.modules import FUNCTIONS, Function, Import, Module, statements
from kgprobe.selection.discovery.python.scopes import Scope, known_namespace, members, only_value, with_bases
from kgprobe.selection.discovery.python.values import (
    FileText,
    Iri,
    NamespaceIri,
    Pairs,
    Unordered,
    Value,
    Values,
    combinations,
    either,
    formatted,
    pairs_method,
    parts_of,
    path_function,
    path_method,
    text_function,
    text_method,
)

if TYPE_CHECKING:
    from kgprobe.selection.discovery.python.folding import ConstantFolder

__all__ = [
    "arguments_of",
    "attribute_values",
    "call_values",
    "called_name",
    "component_values",
    "namespace_of",
    "returned_values",
    "subscript_values",
]

_T = TypeVar("_T")

_LONGEST_BODY = 8
_MOST_INLINED = 2  # one in another
_COLLECTIONS = frozenset(["sorted", "list", "tuple", "set", "frozenset", "iter", "reversed"])
_CASES = frozenset(name for _, name in READERS)
_CONTENT = frozenset(["read_text", "read_bytes", "open"])
_UNCHANGED = frozenset(["read", "encode", "decode", "toPython"])
_NAMESPACE_MEMBERS = ("_NS", "_ns")
_PATH_PARTS = frozenset(["parent", "name", "stem", "suffix"])
_LONGEST_CHAIN = 60


def called_name(node: ast.Call) -> str:
    """The last part of the name of the called function; empty if it has no name."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def call_values(folder: ConstantFolder, node: ast.Call, scope: Scope) -> Values:
    """The possible results of a call; None if they are unknown."""
    name = called_name(node)
    found = _of_project(folder, node, scope)
    if found is not None:
        return found
    if name in _CASES:
        return case_values(folder, node, name, scope)
    arguments = [folder.fold(each, scope) for each in node.args]
    if any(keyword.arg in ("base", "key", "reverse") for keyword in node.keywords):  # `URIRef("#Pizza", base=MENU)`
        return None
    if name == "getfixturevalue":
        return _each(arguments, lambda way: folder.parameter(str(way[0]), scope) if way else None)
    if isinstance(node.func, ast.Attribute):
        bases = folder.fold(node.func.value, scope)
        if bases is not None:
            if name == "format":
                return _format(folder, bases, node, arguments, scope)
            return _each(arguments, lambda way: either(_method(folder, base, name, way, scope) for base in bases))
    return _each(arguments, lambda way: _function(folder, name, way, scope.module))


def _each(arguments: list[Values], give: Callable[[tuple[Value, ...]], Values]) -> Values:
    """The results for every combination of arguments."""
    ways = combinations(arguments)
    return None if ways is None else either(map(give, ways))


def _of_project(folder: ConstantFolder, node: ast.Call, scope: Scope) -> Values:
    """The results of a short function of the project."""
    match node.func:
        case ast.Name(id=name):
            for binding, module, _ in folder.sources(name, scope):
                if isinstance(binding, FUNCTIONS):
                    outer = scope if module is scope.module and not _is_at_top(binding, module) else Scope(module)
                    return _inlined(folder, binding, node, scope, outer)
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name) if scope.owner is not None:
            for statement in statements(scope.owner.body):
                if isinstance(statement, FUNCTIONS) and statement.name == name:
                    return _inlined(folder, statement, node, scope, Scope(scope.module, None, scope.owner))
    return None


def _is_at_top(function: Function, module: Module) -> bool:
    return any(each is function for each in module.definitions.get(function.name, ()))


def _inlined(folder: ConstantFolder, function: Function, node: ast.Call, caller: Scope, outer: Scope) -> Values:
    # Functions that build queries are short. To follow others would cost too much time.
    if function.decorator_list or len(function.body) > _LONGEST_BODY or folder.inlined > _MOST_INLINED:
        return None
    folder.inlined += 1
    try:
        given = arguments_of(folder, function, node, caller)
        return None if given is None else returned_values(folder, function, outer.within(function).giving(given))
    finally:
        folder.inlined -= 1


def arguments_of(folder: ConstantFolder, function: Function, node: ast.Call, caller: Scope) -> dict[str, Values] | None:
    """The arguments of a call by parameter; None if they cannot be matched with the parameters."""
    arguments = function.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    if names and (names[0] == "self" or (names[0] == "cls" and _is_class_method(function))):
        names = names[1:]
    is_packed = any(isinstance(each, ast.Starred) for each in node.args) or len(node.args) > len(names)
    if is_packed or any(keyword.arg is None for keyword in node.keywords):
        return None
    # Names in a default belong to the scope of the function; constants mean the same everywhere.
    given: dict[str, Values] = dict.fromkeys(names)
    for name, default in zip(reversed(names), reversed(arguments.defaults), strict=False):
        given[name] = folder.fold(default, Scope(caller.module)) if isinstance(default, ast.Constant) else None
    for each, optional in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        is_plain = isinstance(optional, ast.Constant)
        given[each.arg] = folder.fold(optional, caller) if optional is not None and is_plain else None
    for name, value in zip(names, node.args, strict=False):
        given[name] = folder.fold(value, caller)
    for keyword in node.keywords:
        if keyword.arg is not None:
            given[keyword.arg] = folder.fold(keyword.value, caller)
    return given


def _is_class_method(function: Function) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "classmethod" for each in function.decorator_list)


def returned_values(folder: ConstantFolder, function: Function, inside: Scope) -> Values:
    """The values that a function can return or yield; None if they are unknown."""
    results: list[ast.expr] = []
    for statement in statements(function.body):
        match statement:
            case ast.Return(value=ast.expr() as result) | ast.Expr(value=ast.Yield(value=ast.expr() as result)):
                results.append(result)
    return either(folder.fold(result, inside) for result in results) if results else None


def _method(folder: ConstantFolder, base: Value, name: str, arguments: tuple[Value, ...], scope: Scope) -> Values:
    if isinstance(base, Pairs):
        return pairs_method(base, name)
    if isinstance(base, Path):
        return _of_path(folder, base, name, arguments, scope.module)
    if not isinstance(base, str):
        return None
    if name == "n3" and isinstance(base, Iri):
        return (f"<{base}>",)
    if name in _UNCHANGED or (name == "strip" and isinstance(base, FileText)):
        return (base,)
    outcome = text_method(base, name, arguments)
    if outcome is None:
        return None
    return (outcome,)


def _of_path(folder: ConstantFolder, base: Path, name: str, arguments: tuple[Value, ...], module: Module) -> Values:
    if name in _CONTENT:
        return folder.content(base, module)
    if name == "iterdir":
        return (tuple(folder.modules.files(base, "*", module)),)
    if name in ("glob", "rglob") and arguments:
        pattern = f"**/{arguments[0]}" if name == "rglob" else str(arguments[0])
        return (tuple(folder.modules.files(base, pattern, module)),)
    outcome = path_method(base, name, arguments)
    return None if outcome is None else (outcome,)


def _format(
    folder: ConstantFolder, bases: tuple[Value, ...], node: ast.Call, arguments: list[Values], scope: Scope
) -> Values:
    names = [keyword.arg or "" for keyword in node.keywords]
    if "" in names:
        return None
    count = len(arguments)
    named = [folder.fold(keyword.value, scope) for keyword in node.keywords]

    def filled(way: tuple[Value, ...]) -> Values:
        found: list[Value] = []
        for base in bases:
            given = dict(zip(names, way[count:], strict=True))
            text = formatted(base, way[:count], given) if isinstance(base, str) else None
            if text is None:
                return None
            found.append(text)
        return tuple(found)

    return _each([*arguments, *named], filled)


def _function(folder: ConstantFolder, name: str, arguments: tuple[Value, ...], module: Module) -> Values:
    if name == "param":  # pytest.param
        return (arguments[0] if len(arguments) == 1 else arguments,)
    first = arguments[0] if arguments else None
    if name == "open" and isinstance(first, str | Path):
        return folder.content(Path(first), module)
    path = path_function(name, arguments)
    if path is not None:
        return (path,)
    if len(arguments) != 1:
        return None
    if isinstance(first, tuple) and name == "enumerate":
        return (tuple((place, each) for place, each in enumerate(first)),)
    if isinstance(first, tuple) and name in _COLLECTIONS:
        parts = parts_of((first,)) or ()
        if isinstance(first, Unordered) or name in ("set", "frozenset"):
            return (Unordered(parts),)
        if name == "sorted":
            return (tuple(sorted(map(str, parts))) if all(type(each) is str for each in parts) else Unordered(parts),)
        return (parts[::-1] if name == "reversed" else parts,)
    if isinstance(first, Path) and name == "str":
        return (first,)
    outcome = text_function(name, first) if isinstance(first, str) else None
    return None if outcome is None else (outcome,)


def attribute_values(folder: ConstantFolder, node: ast.Attribute, scope: Scope) -> Values:
    """The possible values of an attribute; None if they are unknown."""
    found = _member(folder, node, scope)
    if found is not None:
        return found
    bases = folder.fold(node.value, scope)
    if bases is None:
        return None
    return either(_attribute(base, node.attr) for base in bases)


def _attribute(base: Value, name: str) -> Values:
    if isinstance(base, NamespaceIri):
        return (Iri(base + name),)
    if isinstance(base, Path) and name in _PATH_PARTS:
        return (getattr(base, name),)
    if isinstance(base, Path) and name == "parents":
        return (tuple(base.parents),)
    return (base,) if name == "value" else None  # of an enum member


def subscript_values(folder: ConstantFolder, node: ast.Subscript, scope: Scope) -> Values:
    """The possible values of an item. If the key is unknown, any item is possible."""
    bases = folder.fold(node.value, scope)
    if bases is None:
        return None
    keys = folder.fold(node.slice, scope)
    return either(_items(base, keys) for base in bases)


def _items(base: Value, keys: Values) -> Values:
    if isinstance(base, NamespaceIri):
        return None if keys is None else tuple(Iri(base + str(key)) for key in keys)
    if isinstance(base, Pairs):
        fitting = tuple(value for key, value in base if keys is not None and key in keys)
        return fitting or tuple(value for _, value in base)
    if isinstance(base, Unordered):
        return tuple(base)
    if isinstance(base, tuple):
        places = [key for key in keys or () if isinstance(key, int) and -len(base) <= key < len(base)]
        return tuple(base[place] for place in places) or base
    return None


def namespace_of(folder: ConstantFolder, owner: ast.ClassDef, module: Module) -> str | None:
    """The namespace of a class such as rdflib's DefinedNamespace."""
    for name in _NAMESPACE_MEMBERS:
        values = _class_member(folder, owner, name, module)
        if values and isinstance(values[0], str):
            return values[0]
    return None


def _member(folder: ConstantFolder, node: ast.Attribute, scope: Scope) -> Values:
    """The values of `self.x`, `Class.x` or `module.x`."""
    if not isinstance(node.value, ast.Name):
        return None
    name = node.value.id
    if name == "request" and node.attr == "param":
        return folder.parameter("request.param", scope)
    if name in ("self", "cls") and scope.owner is not None:
        return _class_member(folder, scope.owner, node.attr, scope.module)
    for binding, module, _ in folder.sources(name, scope):
        if isinstance(binding, ast.ClassDef):
            space = None if node.attr.startswith("_") else namespace_of(folder, binding, module)
            return (Iri(space + node.attr),) if space else _class_member(folder, binding, node.attr, module)
        if isinstance(binding, Import):
            return _imported_member(folder, binding, module, node.attr)
    return None


def _imported_member(folder: ConstantFolder, imported: Import, by: Module, name: str) -> Values:
    target = folder.modules.resolved(imported, by)
    if target is not None and target[1] is None:
        return folder.named(name, Scope(target[0]))
    space = known_namespace(imported)
    if space:
        return (Iri(space + name),)
    inner = known_namespace(Import(imported.module, 0, name)) if imported.attribute is None else None
    return (NamespaceIri(inner),) if inner else None


def _class_member(folder: ConstantFolder, owner: ast.ClassDef, name: str, module: Module) -> Values:
    """The values that a class or its methods give a member, or else those that the classes above it give."""
    for each, place in with_bases(owner, module, folder.modules):
        scope = Scope(place, None, each)
        found = members(each, place).get(name, ())
        if found:
            return folder.all_bound([(m.binding, scope.within(m.method) if m.method else scope) for m in found])
    return None


def component_values(folder: ConstantFolder, node: ast.expr, path: tuple[int | None, ...], scope: Scope) -> Values:
    """The possible values of one component of an expression, see `Bound`."""
    if not path:
        return folder.fold(node, scope)
    place, rest = path[0], path[1:]
    written = _elements(folder, node, scope)
    if written is not None:
        elements, inside = written
        chosen = elements if place is None else elements[place : place + 1]
        return either(component_values(folder, each, rest, inside) for each in chosen) if chosen else None
    values = folder.fold(node, scope)
    for step in path:
        values = parts_of(values) if step is None else _at(values, step)
    return values


def _elements(folder: ConstantFolder, node: ast.expr, scope: Scope) -> tuple[list[ast.expr], Scope] | None:
    """The elements of a collection literal, given here or through a name."""
    for _ in range(_LONGEST_CHAIN):
        if not isinstance(node, ast.Name):
            break
        only = only_value(node.id, scope, folder.modules, if_unchanged=True)
        if only is None:
            return None
        node, scope = only
    elements: list[ast.expr] = []
    if isinstance(node, ast.Tuple | ast.List):
        elements = node.elts
    elif isinstance(node, ast.Call) and called_name(node) == "param":  # pytest.param
        elements = node.args
    is_plain = elements and not any(isinstance(each, ast.Starred) for each in elements)
    return (elements, scope) if is_plain else None


def _at(values: Values, place: int) -> Values:
    """The component at this position of each value."""
    found: list[Value] = []
    for value in values or ():
        if isinstance(value, Unordered):
            found += value
        elif not isinstance(value, tuple) or isinstance(value, Pairs) or place >= len(value):
            return None
        else:
            found.append(value[place])
    return None if values is None else tuple(found)
