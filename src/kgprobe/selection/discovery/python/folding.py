"""Constant folding: the possible values of an expression, across functions and files.

The result is a tuple of all possible values, or None if an unknown value is possible. No code is run: the folder itself
carries out the few operations that code uses to build texts, within limits.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.selection.discovery.python.evaluation import (
    attribute_values,
    call_values,
    component_values,
    namespace_of,
    subscript_values,
)
from kgprobe.selection.discovery.python.modules import Import, Module, Modules
from kgprobe.selection.discovery.python.scopes import (
    Binding,
    Bound,
    Changed,
    Parameter,
    Scope,
    Source,
    bindings,
    bound_by,
    known_namespace,
    sources,
)
from kgprobe.selection.discovery.python.values import (
    LONGEST_TEXT,
    MOST_VALUES,
    FileText,
    NamespaceIri,
    Pairs,
    Unordered,
    Value,
    Values,
    combinations,
    either,
    operator_value,
    parts_of,
)

TEXTS = (".rq", ".sparql", ".sql", ".ru", ".txt", ".query")
_DEEPEST = 60
_MOST_STEPS = 1000  # for one expression


class ConstantFolder:
    """Finds the possible values of expressions."""

    def __init__(self, modules: Modules, given: Callable[[ConstantFolder, Parameter, Scope], Values]) -> None:
        """`given` returns the possible values of a parameter, for any caller."""
        self.modules = modules
        self._given = given
        self.inlined = 0  # the nesting depth of functions that are being followed
        self._known: dict[tuple[int, int, int], Values] = {}
        self._open: set[tuple[int, int, int]] = set()
        self._depth = 0
        self._steps = 0
        self._kinds: dict[type[ast.expr], Callable[[Any, Scope], Values]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Subscript: self._subscript,
            ast.BinOp: self._operation,
            ast.JoinedStr: self._joined,
            ast.Call: self._call,
            **dict.fromkeys((ast.Tuple, ast.List, ast.Set), self._sequence),
            ast.Dict: self._dictionary,
            **dict.fromkeys((ast.IfExp, ast.BoolOp), self._choice),
            **dict.fromkeys((ast.NamedExpr, ast.Await), self._inner),
            **dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp), self._comprehension),
        }

    def fold(self, node: ast.expr, scope: Scope) -> Values:
        """The possible values of an expression; None if they are unknown."""
        # The owner is part of the key, because several classes can share a method.
        key = (id(node), id(scope.function), id(scope.owner))
        is_general = not _is_given(scope)
        if is_general and key in self._known:
            return self._known[key]
        if self._depth == 0:
            self._steps = 0
        self._steps += 1
        if key in self._open or self._depth > _DEEPEST or self._steps > _MOST_STEPS:
            return None
        self._open.add(key)
        self._depth += 1
        try:
            values = _once(self._fold(node, scope))
        finally:
            self._depth -= 1
            self._open.discard(key)
        if is_general:
            self._known[key] = values
        return values

    def texts(self, node: ast.expr, scope: Scope) -> tuple[str, ...] | None:
        """The possible texts of an expression; None if another value is possible."""
        values = self.fold(node, scope)
        if values is None:
            return None
        texts = tuple(value for value in values if isinstance(value, str))
        return texts if len(texts) == len(values) else None

    # -- kinds of expressions ------------------------------------------------------------------------------------

    def _fold(self, node: ast.expr, scope: Scope) -> Values:
        fold = self._kinds.get(type(node))
        return None if fold is None else fold(node, scope)

    def _constant(self, node: ast.Constant, _scope: Scope) -> Values:
        value = node.value
        return (value,) if value is None or isinstance(value, str | int | float) else None

    def _name(self, node: ast.Name, scope: Scope) -> Values:
        return self.named(node.id, scope)

    def _choice(self, node: ast.IfExp | ast.BoolOp, scope: Scope) -> Values:
        choices = [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
        return either([self.fold(each, scope) for each in choices])

    def _inner(self, node: ast.NamedExpr | ast.Await, scope: Scope) -> Values:
        return self.fold(node.value, scope)

    def _call(self, node: ast.Call, scope: Scope) -> Values:
        return call_values(self, node, scope)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Values:
        return attribute_values(self, node, scope)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Values:
        return subscript_values(self, node, scope)

    def _operation(self, node: ast.BinOp, scope: Scope) -> Values:
        ways = combinations([self.fold(node.left, scope), self.fold(node.right, scope)])
        if ways is None:
            return None
        found: list[Value] = []
        for left, right in ways:
            value = operator_value(node.op, left, right)
            if value is None:
                return None
            found.append(value)
        return tuple(found)

    def _joined(self, node: ast.JoinedStr, scope: Scope) -> Values:
        choices: list[Values] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                if part.format_spec is not None or part.conversion not in (-1, ord("s")):
                    return None
                choices.append(self.fold(part.value, scope))
            else:
                choices.append(self.fold(part, scope))
        ways = combinations(choices)
        if ways is None:
            return None
        found = []
        for parts in ways:
            if any(isinstance(part, tuple) for part in parts) or sum(len(str(p)) for p in parts) > LONGEST_TEXT:
                return None
            found.append("".join(map(str, parts)))
        return tuple(found)

    def _sequence(self, node: ast.Tuple | ast.List | ast.Set, scope: Scope) -> Values:
        choices: list[Values] = []
        is_unordered = isinstance(node, ast.Set)
        for each in node.elts:
            if isinstance(each, ast.Starred):
                spread = self.fold(each.value, scope)
                inner = parts_of(spread)
                if inner is None:
                    return None
                is_unordered |= len(spread or ()) != 1 or isinstance((spread or ("",))[0], Unordered)
                choices += [(value,) for value in inner]
            else:
                choices.append(self.fold(each, scope))
        if is_unordered:
            values = either(choices)
            return None if values is None else (Unordered(values),)
        ways = combinations(choices)
        return None if ways is None else tuple(ways)

    def _dictionary(self, node: ast.Dict, scope: Scope) -> Values:
        pairs: list[tuple[Value, Value]] = []
        for key, value in zip(node.keys, node.values, strict=True):
            values = self.fold(value, scope)
            keys = (None,) if key is None else self.fold(key, scope)
            if values is None:
                return None
            if key is None:
                if not all(isinstance(each, Pairs) for each in values):
                    return None
                pairs += [pair for each in values if isinstance(each, Pairs) for pair in each]
            else:
                pairs += [(name, each) for name in keys or (None,) for each in values]
        return (Pairs(pairs),) if len(pairs) <= MOST_VALUES else None

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope) -> Values:
        if len(node.generators) != 1:
            return None
        generator = node.generators[0]
        exact = self._each_in_order(node, generator, scope)
        if exact is not None:
            return (exact,)
        given: dict[str, Values] = {}
        for name, binding in bound_by(generator):
            given[name] = self._bound(binding, scope)
        values = self.fold(node.elt, scope.giving(given))
        return None if values is None else (Unordered(values),)

    def _each_in_order(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, generator: ast.comprehension, scope: Scope
    ) -> tuple[Value, ...] | None:
        """The value for each element of a known list; None if one has several values, or some are left out."""
        inside = self.fold(generator.iter, scope)
        only = inside[0] if inside is not None and len(inside) == 1 else None
        is_list = type(only) is tuple and not (generator.ifs or isinstance(node, ast.SetComp))
        if not is_list or not isinstance(only, tuple) or not isinstance(generator.target, ast.Name):
            return None
        found: list[Value] = []
        for each in only:
            values = self.fold(node.elt, scope.giving({generator.target.id: (each,)}))
            if values is None or len(values) != 1:
                return None
            found.append(values[0])
        return tuple(found)

    # -- names ---------------------------------------------------------------------------------------------------

    def named(self, name: str, scope: Scope) -> Values:
        """The possible values of a name."""
        inner: Scope | None = scope
        while inner is not None:
            if name in inner.given:
                others = bindings(inner.function, inner.module).get(name, ()) if inner.function is not None else ()
                # A parameter that the function assigns again has an unknown value.
                is_changed = len(others) > 1 and any(isinstance(each, Parameter) for each in others)
                return None if is_changed else inner.given[name]
            inner = inner.outer
        if name == "__file__":
            return (str(scope.module.file.absolute()),)
        found = self.sources(name, scope)
        return self.all_bound([(each, scope if top is None else Scope(place)) for each, place, top in found])

    def all_bound(self, bound: list[tuple[Binding, Scope]]) -> Values:
        """The possible values of a name with these bindings."""
        values = either([self._bound(each, scope) for each, scope in bound if not isinstance(each, Changed)])
        is_changed = any(isinstance(each, Changed) for each, _ in bound) and not all(map(_is_frozen, bound))
        if is_changed and any(isinstance(value, tuple) for value in values or ()):
            return None
        return values or None

    def sources(self, name: str, scope: Scope) -> list[Source]:
        """The bindings of a name, and their modules."""
        return sources(name, scope, self.modules)

    def _bound(self, binding: Binding, scope: Scope) -> Values:
        match binding:
            case Bound():
                return component_values(self, binding.value, binding.path, scope)
            case Parameter():
                return self._given(self, binding, scope)
            case ast.ClassDef():
                space = namespace_of(self, binding, scope.module)
                return (NamespaceIri(space),) if space else None
            case Import():
                space = known_namespace(binding)
                return (NamespaceIri(space),) if space else None
        return None

    def parameter(self, name: str, scope: Scope) -> Values:
        """The possible values of a parameter of the test in this scope."""
        return None if scope.function is None else self._given(self, Parameter(scope.function, name), scope)

    def content(self, path: Path, module: Module) -> Values:
        """The text of a file of the project, if it is a kind of file that may contain a query."""
        file = self.modules.file(path, module)
        if file is None or file.suffix.lower() not in TEXTS:
            return None
        try:
            text = exact_text(file)
        except InputError:
            return None
        return (FileText(text, file),) if len(text) <= LONGEST_TEXT else None


def _is_frozen(bound: tuple[Binding, Scope]) -> bool:
    """Whether a value cannot be changed: it is a tuple without collections. `Changed` itself is no value."""
    match bound[0]:
        case Changed():
            return True
        case Bound(value=ast.Tuple(elts=elements), path=()):
            return all(isinstance(each, ast.Constant | ast.Attribute) for each in elements)
    return False


def _is_given(scope: Scope | None) -> bool:
    while scope is not None:
        if scope.given:
            return True
        scope = scope.outer
    return False


def _once(values: Values) -> Values:
    if values is None or len(values) > MOST_VALUES:
        return None
    if len(values) < 2:
        return values
    unique: dict[tuple[type, Value], Value] = {(type(value), value): value for value in values}
    return tuple(unique.values())
