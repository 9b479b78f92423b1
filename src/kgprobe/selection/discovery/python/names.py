"""What a name stands for where it is used: in the functions around it, in its file, and in files that this imports."""

from __future__ import annotations

from typing import NamedTuple

from kgprobe.selection.discovery.python.modules import Function, Import, Module, Modules
from kgprobe.selection.discovery.python.scopes import Binding, Opaque, Scope, bindings, bound_by

__all__ = ["Source", "sources"]

_LONGEST_CHAIN = 60


class Source(NamedTuple):
    """What a name is bound to, and the file where; `top` is what it is called at the top of that file, if it is."""

    binding: Binding
    module: Module
    top: str | None = None


def sources(name: str, scope: Scope, modules: Modules) -> list[Source]:
    """All that a name is bound to. Imports are followed, but for modules and what is elsewhere."""
    # The function around a name says which others are around that.
    known: dict[tuple[str, Function | None], list[Source]] = scope.module.sources
    key = (name, scope.function)
    if key not in known:
        known[key] = _followed(_nearest(name, scope, modules), modules)
    return known[key]


def _nearest(name: str, scope: Scope, modules: Modules) -> list[Source]:
    inner: Scope | None = scope
    while inner is not None:
        if inner.function is not None:
            bound = bindings(inner.function, inner.module).get(name)
            if bound:
                return [Source(each, scope.module) for each in bound]
        inner = inner.outer
    return _at_top(name, scope.module, modules)


def _at_top(name: str, module: Module, modules: Modules) -> list[Source]:
    if name in module.definitions:
        found = [Source(Opaque(), module, name)] if name in module.rebound else []
        for statement in module.definitions[name]:
            parts = [statement, *getattr(statement, "items", ())]
            found += [Source(each, module, name) for part in parts for bound, each in bound_by(part) if bound == name]
        return found
    if name in module.imports:
        return [Source(module.imports[name], module, name)]
    for star in module.stars:
        target = modules.imported(star, module)
        if target is not None and target is not module and (name in target.definitions or name in target.imports):
            return _at_top(name, target, modules)
    return []


def _followed(found: list[Source], modules: Modules) -> list[Source]:
    result: list[Source] = []
    pending = found[::-1]
    for _ in range(_LONGEST_CHAIN):
        if not pending:
            break
        source = pending.pop()
        target = modules.resolved(source.binding, source.module) if isinstance(source.binding, Import) else None
        if target is None or target[1] is None:
            result.append(source)
        else:
            pending += _at_top(target[1], target[0], modules)[::-1]
    return result
