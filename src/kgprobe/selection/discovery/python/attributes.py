"""The possible values of attributes, items, and components of collections."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.selection.discovery.python.calls import called_name
from kgprobe.selection.discovery.python.modules import Import, Module
from kgprobe.selection.discovery.python.scopes import Bound, Scope, known_namespace, members, with_bases
from kgprobe.selection.discovery.python.values import Iri, NamespaceIri, Pairs, Value, Values, either, parts_of

if TYPE_CHECKING:
    from kgprobe.selection.discovery.python.folding import ConstantFolder

__all__ = ["attribute_values", "component_values", "namespace_of", "subscript_values"]

_NAMESPACE_MEMBERS = ("_NS", "_ns")
_PATH_PARTS = frozenset(["parent", "name", "stem", "suffix"])


def attribute_values(folder: ConstantFolder, node: ast.Attribute, scope: Scope) -> Values:
    """The possible values of an attribute; None if they are unknown."""
    found = _member(folder, node, scope)
    if found is not None:
        return found
    bases = folder.fold(node.value, scope)
    if bases is None:
        return None
    values: list[Value] = []
    for base in bases:
        if isinstance(base, NamespaceIri):
            values.append(Iri(base + node.attr))
        elif isinstance(base, Path) and node.attr in _PATH_PARTS:
            values.append(getattr(base, node.attr))
        elif isinstance(base, Path) and node.attr == "parents":
            values.append(tuple(base.parents))
        elif node.attr == "value":  # of an enum member
            values.append(base)
        else:
            return None
    return tuple(values)


def subscript_values(folder: ConstantFolder, node: ast.Subscript, scope: Scope) -> Values:
    """The possible values of an item. If the key is unknown, any item is possible."""
    bases = folder.fold(node.value, scope)
    if bases is None:
        return None
    keys = folder.fold(node.slice, scope)
    found: list[Value] = []
    for base in bases:
        if isinstance(base, NamespaceIri):
            if keys is None:
                return None
            found += [Iri(base + str(key)) for key in keys]
        elif isinstance(base, Pairs):
            fitting = [value for key, value in base if keys is not None and key in keys]
            found += fitting or [value for _, value in base]
        elif isinstance(base, tuple):
            places = [key for key in keys or () if isinstance(key, int) and -len(base) <= key < len(base)]
            found += [base[place] for place in places] or base
        else:
            return None
    return tuple(found)


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


# -- components of collections: the other components may be unknown ----------------------------------------------------

_LONGEST_CHAIN = 60


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
        found = folder.sources(node.id, scope)
        binding = found[0].binding if len(found) == 1 else None
        if not isinstance(binding, Bound) or binding.path:
            return None
        node = binding.value
        scope = scope if found[0].top is None else Scope(found[0].module)
    elements: list[ast.expr] = []
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        elements = node.elts
    elif isinstance(node, ast.Call) and called_name(node) == "param":  # pytest.param
        elements = node.args
    is_plain = elements and not any(isinstance(each, ast.Starred) for each in elements)
    return (elements, scope) if is_plain else None


def _at(values: Values, place: int) -> Values:
    """The component at this position of each value."""
    found: list[Value] = []
    for value in values or ():
        if not isinstance(value, tuple) or isinstance(value, Pairs) or place >= len(value):
            return None
        found.append(value[place])
    return None if values is None else tuple(found)
