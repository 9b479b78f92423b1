"""The evaluator of Python expressions: the values that they may have, across functions and files.

No code is run: the evaluator itself carries out the few operations that code uses to build texts, within limits.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from kgprobe.selection.discovery.python.case_files import READERS, case_values, short_text
from kgprobe.selection.discovery.python.modules import (
    FUNCTIONS,
    Function,
    Import,
    Module,
    Modules,
    called_name,
    defaults,
    positional,
    statements,
)
from kgprobe.selection.discovery.python.scopes import (
    Binding,
    Bound,
    Changed,
    Parameter,
    Scope,
    Source,
    bindings,
    bound_by,
    is_frozen,
    known_namespace,
    members,
    only_value,
    sources,
    with_bases,
)
from kgprobe.selection.discovery.python.values import (
    MOST_VALUES,
    FileText,
    Iri,
    NamespaceIri,
    Pairs,
    Unordered,
    Value,
    Values,
    applied,
    attribute_of,
    component,
    concatenated,
    either,
    formatted,
    function_values,
    items_of,
    method_values,
    once,
    operated,
    parts_of,
)

_TEXTS: Final = (".rq", ".sparql", ".sql", ".ru", ".txt", ".query")
_DEEPEST: Final = 60
_MOST_STEPS: Final = 1000  # for one expression
_LONGEST_CHAIN: Final = 60  # of names for a collection
_LONGEST_BODY: Final = 8
_MOST_INLINED: Final = 2  # one in another
_NAMESPACE_MEMBERS: Final = ("_NS", "_ns")
_OPTIONS: Final = frozenset(["base", "key", "reverse"])  # `URIRef("#Pizza", base=MENU)`
_CASES: Final = frozenset(name for _, name in READERS)
_CONTENT: Final = frozenset(["read_text", "read_bytes", "open"])


class Evaluator:
    """Finds the possible values of expressions."""

    def __init__(self, modules: Modules, given: Callable[[Evaluator, Parameter, Scope], Values]) -> None:
        """`given` returns the possible values of a parameter, for any caller."""
        self.modules = modules
        self._given = given
        self._inlined = 0  # the nesting depth of functions that are being followed
        self._known: dict[tuple[int, int, int], Values] = {}
        self._open: set[tuple[int, int, int]] = set()
        self._depth = 0
        self._steps = 0

    def values(self, node: ast.expr, scope: Scope) -> Values:
        """The possible values of an expression; None if they are unknown."""
        # The owner is part of the key, because several classes can share a method.
        key = (id(node), id(scope.function), id(scope.owner))
        is_general = not scope.is_given
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
            values = once(self._evaluated(node, scope))
        finally:
            self._depth -= 1
            self._open.discard(key)
        if is_general:
            self._known[key] = values
        return values

    def texts(self, node: ast.expr, scope: Scope) -> tuple[str, ...] | None:
        """The possible texts of an expression; None if another value is possible."""
        values = self.values(node, scope)
        if values is None:
            return None
        texts = tuple(value for value in values if isinstance(value, str))
        return texts if len(texts) == len(values) else None

    def _all(self, nodes: Iterable[ast.expr], scope: Scope) -> list[Values]:
        return [self.values(node, scope) for node in nodes]

    # -- kinds of expressions ------------------------------------------------------------------------------------

    def _evaluated(self, node: ast.expr, scope: Scope) -> Values:  # noqa: C901 - a case for each kind
        match node:
            case ast.Constant(value=None | str() | int() | float() as value):
                return (value,)
            case ast.Name(id=name):
                return self.named(name, scope)
            case ast.Attribute():
                return self._attribute(node, scope)
            case ast.Subscript(value=base, slice=key):
                bases = self.values(base, scope)
                keys = None if bases is None else self.values(key, scope)
                return None if bases is None else either(items_of(base, keys) for base in bases)
            case ast.BinOp(left=left, op=operator, right=right):
                operands = self._all((left, right), scope)
                return applied(lambda one, other: operated(operator, one, other), *operands)
            case ast.JoinedStr():
                return self._formatted_string(node, scope)
            case ast.Call():
                return self._call(node, scope)
            case ast.Tuple() | ast.List() | ast.Set():
                return self._sequence(node, scope)
            case ast.Dict():
                return self._dictionary(node, scope)
            case ast.IfExp(body=body, orelse=otherwise):
                return either(self._all((body, otherwise), scope))
            case ast.BoolOp(values=choices):
                return either(self._all(choices, scope))
            case ast.NamedExpr(value=inner) | ast.Await(value=inner):
                return self.values(inner, scope)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self._comprehension(node, scope)
        return None

    def _formatted_string(self, node: ast.JoinedStr, scope: Scope) -> Values:
        parts: list[Values] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                if part.format_spec is not None or part.conversion not in (-1, ord("s")):
                    return None
                part = part.value
            parts.append(self.values(part, scope))
        return applied(concatenated, *parts)

    def _sequence(self, node: ast.Tuple | ast.List | ast.Set, scope: Scope) -> Values:
        choices: list[Values] = []
        is_unordered = isinstance(node, ast.Set)
        for element in node.elts:
            if isinstance(element, ast.Starred):
                spread = self.values(element.value, scope)
                inner = parts_of(spread)
                if inner is None:
                    return None
                is_unordered |= len(spread or ()) != 1 or isinstance((spread or ("",))[0], Unordered)
                choices += [(value,) for value in inner]
            else:
                choices.append(self.values(element, scope))
        if is_unordered:
            values = either(choices)
            return None if values is None else (Unordered(values),)
        return applied(lambda *elements: (elements,), *choices)

    def _dictionary(self, node: ast.Dict, scope: Scope) -> Values:
        pairs: list[tuple[Value, Value]] = []
        for key, value in zip(node.keys, node.values, strict=True):
            values = self.values(value, scope)
            if values is None:
                return None
            if key is not None:
                pairs += [(name, value) for name in self.values(key, scope) or (None,) for value in values]
            else:
                for spread in values:
                    if not isinstance(spread, Pairs):
                        return None
                    pairs += spread
        return (Pairs(pairs),) if len(pairs) <= MOST_VALUES else None

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, scope: Scope) -> Values:
        if len(node.generators) != 1:
            return None
        generator = node.generators[0]
        exact = self._in_order(node, generator, scope)
        if exact is not None:
            return (exact,)
        given = {name: self._bound(binding, scope) for name, binding in bound_by(generator)}
        values = self.values(node.elt, scope.giving(given))
        return None if values is None else (Unordered(values),)

    def _in_order(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp, generator: ast.comprehension, scope: Scope
    ) -> tuple[Value, ...] | None:
        """The value for each element of a known list; None if one has several values, or some are left out."""
        lists = self.values(generator.iter, scope)
        only = lists[0] if lists is not None and len(lists) == 1 else None
        is_list = type(only) is tuple and not (generator.ifs or isinstance(node, ast.SetComp))
        if not is_list or not isinstance(only, tuple) or not isinstance(generator.target, ast.Name):
            return None
        made: list[Value] = []
        for element in only:
            values = self.values(node.elt, scope.giving({generator.target.id: (element,)}))
            if values is None or len(values) != 1:
                return None
            made.append(values[0])
        return tuple(made)

    def component(self, node: ast.expr, path: tuple[int | None, ...], scope: Scope) -> Values:
        """The possible values of one component of an expression, see `Bound`."""
        if not path:
            return self.values(node, scope)
        place, rest = path[0], path[1:]
        written = self._elements(node, scope)
        if written is not None:
            elements, inside = written
            chosen = elements if place is None else elements[place : place + 1]
            return either(self.component(element, rest, inside) for element in chosen) if chosen else None
        values = self.values(node, scope)
        for step in path:
            if values is None:
                return None
            values = parts_of(values) if step is None else either(component(value, step) for value in values)
        return values

    def _elements(self, node: ast.expr, scope: Scope) -> tuple[list[ast.expr], Scope] | None:
        """The elements of a collection literal, given here or through a name."""
        for _ in range(_LONGEST_CHAIN):
            if not isinstance(node, ast.Name):
                break
            only = only_value(node.id, scope, self.modules, if_unchanged=True)
            if only is None:
                return None
            node, scope = only
        elements: list[ast.expr] = []
        if isinstance(node, ast.Tuple | ast.List):
            elements = node.elts
        elif isinstance(node, ast.Call) and called_name(node) == "param":  # pytest.param
            elements = node.args
        is_plain = elements and not any(isinstance(element, ast.Starred) for element in elements)
        return (elements, scope) if is_plain else None

    # -- names ---------------------------------------------------------------------------------------------------

    def named(self, name: str, scope: Scope) -> Values:
        """The possible values of a name."""
        inner: Scope | None = scope
        while inner is not None:
            if name in inner.given:
                others = bindings(inner.function, inner.module).get(name, ()) if inner.function is not None else ()
                # A parameter that the function assigns again has an unknown value.
                is_changed = len(others) > 1 and any(isinstance(other, Parameter) for other in others)
                return None if is_changed else inner.given[name]
            inner = inner.outer
        if name == "__file__":
            return (str(scope.module.file.absolute()),)
        found = self.sources(name, scope)
        return self._all_bound([(binding, scope if top is None else Scope(place)) for binding, place, top in found])

    def sources(self, name: str, scope: Scope) -> list[Source]:
        """The bindings of a name, and their modules."""
        return sources(name, scope, self.modules)

    def _all_bound(self, bound: list[tuple[Binding, Scope]]) -> Values:
        """The possible values of a name with these bindings."""
        values = either([self._bound(each, scope) for each, scope in bound if not isinstance(each, Changed)])
        bindings_ = [binding for binding, _ in bound]
        is_changed = any(isinstance(binding, Changed) for binding in bindings_) and not all(map(is_frozen, bindings_))
        if is_changed and any(isinstance(value, tuple) for value in values or ()):
            return None
        return values or None

    def _bound(self, binding: Binding, scope: Scope) -> Values:
        space = None
        match binding:
            case Bound():
                return self.component(binding.value, binding.path, scope)
            case Parameter():
                return self._given(self, binding, scope)
            case ast.ClassDef():
                space = self._namespace_of(binding, scope.module)
            case Import():
                space = known_namespace(binding)
        return (NamespaceIri(space),) if space else None

    def _parameter(self, name: str, scope: Scope) -> Values:
        """The possible values of a parameter of the test in this scope."""
        return None if scope.function is None else self._given(self, Parameter(scope.function, name), scope)

    # -- attributes ----------------------------------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Values:
        known = self._member(node, scope)
        if known is not None:
            return known
        bases = self.values(node.value, scope)
        return None if bases is None else either(attribute_of(base, node.attr) for base in bases)

    def _member(self, node: ast.Attribute, scope: Scope) -> Values:
        """The values of `self.x`, `Class.x` or `module.x`."""
        if not isinstance(node.value, ast.Name):
            return None
        name = node.value.id
        if name == "request" and node.attr == "param":
            return self._parameter("request.param", scope)
        if name in ("self", "cls") and scope.owner is not None:
            return self._class_member(scope.owner, node.attr, scope.module)
        for binding, module, _ in self.sources(name, scope):
            if isinstance(binding, ast.ClassDef):
                space = None if node.attr.startswith("_") else self._namespace_of(binding, module)
                return (Iri(space + node.attr),) if space else self._class_member(binding, node.attr, module)
            if isinstance(binding, Import):
                return self._imported_member(binding, module, node.attr)
        return None

    def _imported_member(self, imported: Import, by: Module, name: str) -> Values:
        target = self.modules.resolved(imported, by)
        if target is not None and target[1] is None:
            return self.named(name, Scope(target[0]))
        space = known_namespace(imported)
        if space:
            return (Iri(space + name),)
        inner = known_namespace(Import(imported.module, 0, name)) if imported.attribute is None else None
        return (NamespaceIri(inner),) if inner else None

    def _class_member(self, owner: ast.ClassDef, name: str, module: Module) -> Values:
        """The values that a class or its methods give a member, or else those that the classes above it give."""
        for above, place in with_bases(owner, module, self.modules):
            scope = Scope(place, None, above)
            own = members(above, place).get(name, ())
            if own:
                return self._all_bound([(m.binding, scope.within(m.method) if m.method else scope) for m in own])
        return None

    def _namespace_of(self, owner: ast.ClassDef, module: Module) -> str | None:
        """The namespace of a class such as rdflib's DefinedNamespace."""
        for name in _NAMESPACE_MEMBERS:
            values = self._class_member(owner, name, module)
            if values and isinstance(values[0], str):
                return values[0]
        return None

    # -- calls ---------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, scope: Scope) -> Values:
        name = called_name(node)
        known = self._of_project(node, scope)
        if known is not None:
            return known
        if name in _CASES:
            return case_values(node, scope, self.modules, self.values)
        arguments = self._all(node.args, scope)
        if any(keyword.arg in _OPTIONS for keyword in node.keywords):
            return None
        if name == "getfixturevalue":
            return applied(lambda *way: self._parameter(str(way[0]), scope) if way else None, *arguments)
        bases = self.values(node.func.value, scope) if isinstance(node.func, ast.Attribute) else None
        if bases is None:
            return applied(lambda *way: self._function(name, way, scope.module), *arguments)
        if name == "format":
            return self._format(bases, node, arguments, scope)
        return applied(lambda *way: self._method(way[-1], name, way[:-1], scope.module), *arguments, bases)

    def _format(self, bases: Values, node: ast.Call, arguments: list[Values], scope: Scope) -> Values:
        names = [keyword.arg or "" for keyword in node.keywords]
        count = len(arguments)

        def filled(*way: Value) -> Values:
            return formatted(way[-1], way[:count], dict(zip(names, way[count:-1], strict=True)))

        named = self._all((keyword.value for keyword in node.keywords), scope)
        return None if "" in names else applied(filled, *arguments, *named, bases)

    def _function(self, name: str, arguments: tuple[Value, ...], module: Module) -> Values:
        if name == "open" and arguments and isinstance(arguments[0], str | Path):
            return self._content(Path(arguments[0]), module)
        return function_values(name, arguments)

    def _method(self, base: Value, name: str, arguments: tuple[Value, ...], module: Module) -> Values:
        if isinstance(base, Path):
            if name in _CONTENT:
                return self._content(base, module)
            if name == "iterdir":
                return (tuple(self.modules.files(base, "*", module)),)
            if name in ("glob", "rglob") and arguments:
                pattern = f"**/{arguments[0]}" if name == "rglob" else str(arguments[0])
                return (tuple(self.modules.files(base, pattern, module)),)
        return method_values(base, name, arguments)

    def _of_project(self, node: ast.Call, scope: Scope) -> Values:
        """The results of a short function of the project."""
        match node.func:
            case ast.Name(id=name):
                for binding, module, _ in self.sources(name, scope):
                    if isinstance(binding, FUNCTIONS):
                        outer = scope if module is scope.module and not _is_at_top(binding, module) else Scope(module)
                        return self._result(binding, node, scope, outer)
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name) if scope.owner is not None:
                for statement in statements(scope.owner.body):
                    if isinstance(statement, FUNCTIONS) and statement.name == name:
                        return self._result(statement, node, scope, Scope(scope.module, None, scope.owner))
        return None

    def _result(self, function: Function, node: ast.Call, caller: Scope, outer: Scope) -> Values:
        # Functions that build queries are short. To follow others would cost too much time.
        if function.decorator_list or len(function.body) > _LONGEST_BODY or self._inlined > _MOST_INLINED:
            return None
        self._inlined += 1
        try:
            given = self.arguments(function, node, caller)
            return None if given is None else self.returned(function, outer.within(function).giving(given))
        finally:
            self._inlined -= 1

    def arguments(self, function: Function, node: ast.Call, caller: Scope) -> dict[str, Values] | None:
        """The arguments of a call by parameter; None if they cannot be matched with the parameters."""
        arguments = function.args
        names = [argument.arg for argument in positional(arguments)]
        if names and (names[0] == "self" or (names[0] == "cls" and _is_class_method(function))):
            names = names[1:]
        is_packed = any(isinstance(argument, ast.Starred) for argument in node.args) or len(node.args) > len(names)
        if is_packed or any(keyword.arg is None for keyword in node.keywords):
            return None
        # Names in a default belong to the scope of the function; constants mean the same everywhere.
        given: dict[str, Values] = dict.fromkeys(names)
        for parameter, default in defaults(arguments):
            given[parameter.arg] = self.values(default, caller) if isinstance(default, ast.Constant) else None
        for name, value in zip(names, node.args, strict=False):
            given[name] = self.values(value, caller)
        for keyword in node.keywords:
            if keyword.arg is not None:
                given[keyword.arg] = self.values(keyword.value, caller)
        return given

    def returned(self, function: Function, inside: Scope) -> Values:
        """The values that a function can return or yield; None if they are unknown."""
        results: list[ast.expr] = []
        for statement in statements(function.body):
            match statement:
                case ast.Return(value=ast.expr() as result) | ast.Expr(value=ast.Yield(value=ast.expr() as result)):
                    results.append(result)
        return either(self.values(result, inside) for result in results) if results else None

    # -- files ---------------------------------------------------------------------------------------------------

    def _content(self, path: Path, module: Module) -> Values:
        """The text of a file of the project, if it is a kind of file that may contain a query."""
        file = self.modules.file(path, module)
        if file is None or file.suffix.lower() not in _TEXTS:
            return None
        text = short_text(file)
        return None if text is None else (FileText(text, file),)


def _is_at_top(function: Function, module: Module) -> bool:
    return any(definition is function for definition in module.definitions.get(function.name, ()))


def _is_class_method(function: Function) -> bool:
    return any(isinstance(name, ast.Name) and name.id == "classmethod" for name in function.decorator_list)
