"""What attributes and items are: members of classes and modules, terms of namespaces, values of dictionaries."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.selection.discovery.python.known_namespaces import known_namespace
from kgprobe.selection.discovery.python.members import members, with_bases
from kgprobe.selection.discovery.python.modules import Import, Module
from kgprobe.selection.discovery.python.scopes import Scope
from kgprobe.selection.discovery.python.values import Iri, NamespaceIri, Pairs, Value, Values

if TYPE_CHECKING:
    from kgprobe.selection.discovery.python.folding import Folder

__all__ = ["attribute", "namespace_of", "subscript"]

_NAMESPACE_MEMBERS = ("_NS", "_ns")
_PATH_PARTS = frozenset(["parent", "name", "stem", "suffix"])


def attribute(folder: Folder, node: ast.Attribute, scope: Scope) -> Values:
    """All that an attribute can be; None if that is not known."""
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
        elif node.attr == "value":  # of a member of an enumeration
            values.append(base)
        else:
            return None
    return tuple(values)


def subscript(folder: Folder, node: ast.Subscript, scope: Scope) -> Values:
    """All that an item can be. If it is not known which item is meant, it can be any."""
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


def namespace_of(folder: Folder, owner: ast.ClassDef, module: Module) -> str | None:
    """What the terms of a class such as rdflib's DefinedNamespace start with."""
    for name in _NAMESPACE_MEMBERS:
        values = _class_member(folder, owner, name, module)
        if values and isinstance(values[0], str):
            return values[0]
    return None


def _member(folder: Folder, node: ast.Attribute, scope: Scope) -> Values:
    """What `self.x`, `Class.x` or `module.x` is."""
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


def _imported_member(folder: Folder, imported: Import, by: Module, name: str) -> Values:
    target = folder.modules.resolved(imported, by)
    if target is not None and target[1] is None:
        return folder.named(name, Scope(target[0]))
    space = known_namespace(imported)
    if space:
        return (Iri(space + name),)
    inner = known_namespace(Import(imported.module, 0, name)) if imported.attribute is None else None
    return (NamespaceIri(inner),) if inner else None


def _class_member(folder: Folder, owner: ast.ClassDef, name: str, module: Module) -> Values:
    """What a member is bound to in a class or by its methods; if it is not, in the classes above it."""
    for each, place in with_bases(owner, module, folder.modules):
        scope = Scope(place, None, each)
        found = members(each, place).get(name, ())
        if found:
            return folder.all_bound([(m.binding, scope.within(m.method) if m.method else scope) for m in found])
    return None
