"""Follows the values of a graph into calls: of the project, of Python itself, and of the value.

What becomes of an argument of any other call is judged when it is known which calls are understood.
"""

from __future__ import annotations

import ast
from typing import Final

from kgprobe.selection.discovery.python.fixtures import argument_names, decorators
from kgprobe.selection.discovery.python.interfaces import (
    ANSWER,
    CONTENT,
    DATABASE,
    FACTORY,
    FILE,
    INTERFACES,
    TAKERS,
    Reads,
)
from kgprobe.selection.discovery.python.modules import FUNCTIONS, Function, called_name, positional
from kgprobe.selection.discovery.python.propagation import Propagation, entry
from kgprobe.selection.discovery.python.scopes import Source, with_bases
from kgprobe.selection.discovery.python.tracking import CLASS, FUNCTION, METHOD, Tracked
from kgprobe.selection.discovery.python.variables import ATTRIBUTE, ModuleCode
from kgprobe.sparql.uses import AnyUse

# Built-in functions as operators of their argument; the last group returns what a loop over it would give.
_BUILT_IN: Final = {
    **dict.fromkeys(("isinstance", "issubclass", "id", "type", "hasattr", "callable", "TypeVar", "NewType"), ""),
    "print": "__str__",
    "str": "__str__",
    "format": "__str__",
    "repr": "__repr__",
    "hash": "__hash__",
    "len": "__len__",
    "bool": "__bool__",
    "any": "__iter__",
    "all": "__iter__",
    **dict.fromkeys(("iter", "list", "tuple", "set", "frozenset", "sorted", "reversed", "dict"), "__iter__"),
    **dict.fromkeys(("next", "sum", "min", "max", "enumerate", "zip"), "__iter__"),
}
# Where the results of these have the elements of their argument.
_ELEMENTS: Final[dict[str, tuple[int | None, ...]]] = {
    **dict.fromkeys(("next", "min", "max", "sum"), ()),
    "enumerate": (None, 1),
    "zip": (None, None),
}
_PEEKING: Final = frozenset(["", "__str__", "__repr__", "__hash__", "__len__", "__bool__"])
_TAKING: Final = frozenset(["append", "appendleft", "add", "insert", "setdefault", "put"])
_JOINING: Final = frozenset(["extend", "update", "extendleft"])
# Functions that take a file with a graph as text, or make another path of it.
_PATHS: Final = frozenset(
    ["Path", "PurePath", "join", "fspath", "abspath", "realpath", "normpath", "joinpath", "get", "getenv"]
)
_NAMING: Final = frozenset(
    [
        *("endswith", "startswith", "URIRef", "NamedNode", "Namespace", "Literal", "exists", "isfile", "remove"),
        *("with_suffix", "removesuffix", "basename", "dirname", "getmtime"),
    ]
)
# These return their argument, or what a `with` statement gets from it.
_SAME: Final = frozenset(["cast", "closing", "nullcontext", "enter_context", "enterContext", "enter_async_context"])
_WRAPPERS: Final = frozenset(["partial", "lru_cache", "cache", "wraps"])


class Arguments:
    """Follows values into calls."""

    def __init__(self, values: Propagation) -> None:
        self._values = values
        self._calls = values.calls
        self._evaluator = values.evaluator
        self.opened: list[tuple[ModuleCode, int]] = []  # the databases, and where
        self._given: list[tuple[ModuleCode, ast.Call, Tracked]] = []
        self._understood: dict[ast.Call, bool] = {}  # whether the call only makes or loads something

    def argument(self, file: ModuleCode, call: ast.Call, node: ast.AST, value: Tracked) -> None:
        """A value is an argument of a call; `node` is the argument or its keyword."""
        name = called_name(call)
        if name == "parametrize":
            self._parametrized(file, call, node, value)
        elif name == "param" and node in call.args:
            self._values.push(file, call, value if len(call.args) == 1 else value.held(call.args.index(node)))
        elif name == "cast" and value.interface == CLASS and not value.path:
            self._values.push(file, call, Tracked(value.member))
        elif name in _SAME:
            self._values.push(file, call, value)
        elif not (self._into_project(file, call, node, value) or self._into_builtin(file, call, node, value)):
            self._given.append((file, call, value))

    def _into_project(self, file: ModuleCode, call: ast.Call, node: ast.AST, value: Tracked) -> bool:
        """Follow an argument into the functions and classes of the project; whether it goes nowhere else."""
        functions, is_sure = self._calls.callees(file, call)
        for where, function in functions:
            is_method = where.owner(function) is not None and not any(
                name == "staticmethod" for name, _ in decorators(function)
            )
            if not self._bind(function, call, node, value, is_method=is_method):
                return False
        if functions:
            return is_sure
        for source in self._calls.origins(file, call.func) if isinstance(call.func, ast.Name) else ():
            if isinstance(source.binding, ast.ClassDef):
                return self._into_class(file, source, call, node, value)
        return False

    def _bind(self, function: Function, call: ast.Call, node: ast.AST, value: Tracked, *, is_method: bool) -> bool:
        """Give an argument to the parameter that it is for; whether that is the only one."""
        arguments = function.args
        by_position = positional(function.args)[is_method:]
        parameter, rest = None, arguments.vararg
        if isinstance(node, ast.keyword):
            names = [argument.arg for argument in (*by_position, *arguments.kwonlyargs)]
            parameter = node.arg if node.arg in names else None
            rest = arguments.kwarg if node.arg is not None else None
        else:
            place = call.args.index(node)  # type: ignore[arg-type]
            if any(isinstance(given, ast.Starred) for given in call.args[: place + 1]):
                inner = value.inside(None) if isinstance(node, ast.Starred) and value.path else value
                for argument in by_position[place:] if inner is not None else ():
                    self._values.store((function, argument.arg), inner)  # type: ignore[arg-type]
                return arguments.vararg is None
            parameter = by_position[place].arg if place < len(by_position) else None
        if parameter is not None:
            self._values.store((function, parameter), value)
        elif rest is not None:
            self._values.store((function, rest.arg), value.held(None))
        return parameter is not None or rest is not None

    def _into_class(self, file: ModuleCode, source: Source, call: ast.Call, node: ast.AST, value: Tracked) -> bool:
        owner = source.binding
        assert isinstance(owner, ast.ClassDef)  # noqa: S101 - the caller has looked
        fields: list[str] = []
        for each, _ in with_bases(owner, source.module, self._evaluator.modules):
            own: list[str] = []
            for statement in each.body:
                match statement:
                    case ast.FunctionDef(name="__init__") | ast.AsyncFunctionDef(name="__init__"):
                        return self._bind(statement, call, node, value, is_method=True)
                    case ast.AnnAssign(target=ast.Name(id=name)):
                        own.append(name)
            fields = [*own, *fields]
        if isinstance(node, ast.keyword):
            place = fields.index(node.arg) if node.arg in fields else len(fields)
        else:
            place = call.args.index(node)  # type: ignore[arg-type]
            if any(isinstance(given, ast.Starred) for given in call.args[: place + 1]):
                return False
        if place >= len(fields):
            return False
        self._values.store((ATTRIBUTE, fields[place]), value)
        if any(getattr(base, "id", getattr(base, "attr", "")) == "NamedTuple" for base in owner.bases):
            self._values.push(file, call, value.held(place))
        return True

    # -- functions of Python -------------------------------------------------------------------------------------

    def _into_builtin(self, file: ModuleCode, call: ast.Call, node: ast.AST, value: Tracked) -> bool:
        """Follow an argument into a function of Python; False if the function is unknown."""
        name = called_name(call)
        first = call.args[0] if call.args else None
        if isinstance(call.func, ast.Attribute) and name in (*_TAKING, *_JOINING):
            return self._taken(file, call, call.func.value, value)
        if name == "getattr" and node is first and len(call.args) > 1:
            self._named_member(file, call, value)
        elif not value.path and value.interface in (FILE, CONTENT):
            return self._file_argument(file, call, value)
        elif name == "map" and isinstance(first, ast.Name) and first.id in _BUILT_IN and node is not first:
            self._mapped(file, call, value, _BUILT_IN[first.id])
        elif value.interface == FUNCTION and not value.path and name in (*_WRAPPERS, "map"):
            return self._wrapped(file, call, value, is_first=node is first)
        elif name not in _BUILT_IN or isinstance(call.func, ast.Attribute) or (name == "type" and len(call.args) > 1):
            return False
        else:
            return self._in_builtin(file, call, node, value)
        return True

    def _in_builtin(self, file: ModuleCode, call: ast.Call, node: ast.AST, value: Tracked) -> bool:
        name = called_name(call)
        operator = _BUILT_IN[name]
        if value.path:
            self._held_in_builtin(file, call, node, value, name)
        elif value.is_code:
            return operator == ""
        elif operator:
            result = self._values.reading(file, call, value, operator)
            if result is not None and name not in ("any", "all"):
                self._held_in_builtin(file, call, node, result, name)
        return True

    def _wrapped(self, file: ModuleCode, call: ast.Call, value: Tracked, *, is_first: bool) -> bool:
        """`partial(load)`, and `map(load, files)`."""
        if called_name(call) != "map":
            self._values.push(file, call, value)
        elif is_first and value.of is not None:
            self._values.push(file, call, value.of.held(None))
        else:
            return False
        return True

    def _taken(self, file: ModuleCode, call: ast.Call, holder: ast.expr, value: Tracked) -> bool:
        """`graphs.append(graph)`: the collection has the value now. The same name may be a method of a graph."""
        name = called_name(call)
        if name in _JOINING:
            for held in (value, _of_pairs(value)) if value.path else ():
                if held is not None:
                    self._values.hold(file, holder, held.inside(None) or held)
            return bool(value.path)
        if not value.path and value.interface in (FILE, CONTENT):
            return self._file_argument(file, call, value)
        self._values.hold(file, holder, value)
        if name == "setdefault":
            self._values.push(file, call, value)
        return value.interface not in INTERFACES or name != "add"

    def _mapped(self, file: ModuleCode, call: ast.Call, value: Tracked, operator: str) -> None:
        """`map(str, values)`: a built-in function of each element."""
        held = value if value.path else self._values.reading(file, call, value, "__iter__")
        inner = None if held is None else held.inside(None)
        if inner is not None and operator and not inner.path:
            result = self._values.reading(file, call, inner, operator)
            if result is not None:
                self._values.push(file, call, result.held(None))
        elif inner is not None and operator not in _PEEKING:
            self._values.push(file, call, inner.held(None))

    def _held_in_builtin(self, file: ModuleCode, call: ast.Call, node: ast.AST, value: Tracked, name: str) -> None:
        if name in ("any", "all"):
            inner = value.inside(None)
            if inner is not None:
                self._values.truth(node, inner)
        elif name in _ELEMENTS:
            self._values.element(file, call, value, held=_ELEMENTS[name])
        elif _BUILT_IN[name] not in _PEEKING:
            self._values.push(file, call, value.anywhere)
            if name == "dict" and (paired := _of_pairs(value)) is not None:
                self._values.push(file, call, paired)

    def _file_argument(self, file: ModuleCode, call: ast.Call, value: Tracked) -> bool:
        name = called_name(call)
        if name == "open":
            self._values.push(file, call, Tracked(CONTENT))
        elif name in ("glob", "rglob", "iglob"):
            self._values.push(file, call, value.held(None))
        elif name in _PATHS or name == "str":
            self._values.push(file, call, value)
        else:
            return name in _NAMING or (name in _BUILT_IN and _BUILT_IN[name] in _PEEKING)
        return True

    def _named_member(self, file: ModuleCode, call: ast.Call, value: Tracked) -> None:
        """`getattr(graph, "triples")`."""
        names = self._evaluator.texts(call.args[1], file.scope(call))
        if not names or value.path:
            self._values.refuse(file, call, value)
            return
        for name in names:
            self._values.member(file, call, value, name)

    def _parametrized(self, file: ModuleCode, call: ast.Call, node: ast.AST, value: Tracked) -> None:
        """`@pytest.mark.parametrize("graph", [A, B])` gives the values to the test."""
        written = argument_names(self._evaluator, call.args[0], file.scope(call)) if call.args else []
        inner = value.inside(None) if value.path else None
        tests = self._marked(file, call)
        if inner is None or not written or not tests:
            if node is not call.args[0] and not (isinstance(node, ast.keyword) and node.arg == "ids"):
                self._values.refuse(file, call, value)
            return
        for place, name in enumerate(written):
            own: Tracked | None = inner
            if len(written) > 1:
                own = inner.inside(place) if inner.path else None
            for test in tests if own is not None else ():
                self._values.store((test, name), own)  # type: ignore[arg-type]

    def _marked(self, file: ModuleCode, call: ast.Call) -> list[Function]:
        parent = file.parent(call)
        if isinstance(parent, FUNCTIONS):
            return [parent]
        if isinstance(parent, ast.ClassDef):
            return [node for node in ast.walk(parent) if isinstance(node, FUNCTIONS)]
        return []

    # -- calls of values, and calls of unknown functions ---------------------------------------------------------

    def settle(self) -> None:
        """Judge the arguments that were not followed further: it is known now which calls are understood."""
        for file, call, value in self._given:
            self._judge(file, call, value)

    def _judge(self, file: ModuleCode, call: ast.Call, value: Tracked) -> None:
        makes = self._understood.get(call)
        if value.interface == ANSWER:
            return
        if value.interface == DATABASE:
            if not makes and called_name(call) not in TAKERS:
                self._values.refuse(file, call, value)
        elif value.interface in (FILE, CONTENT):
            if makes is None and called_name(call) not in _NAMING:
                self._values.refuse(file, call, value)
        elif value.interface in (CLASS, FUNCTION) and makes is None:
            self._values.refuse(file, call, value)
        elif not makes or (value.path and value.interface not in INTERFACES):
            self._values.found.uses.append(AnyUse(f"{called_name(call)}(…)", call.lineno))

    def called(self, file: ModuleCode, call: ast.Call, value: Tracked) -> None:
        """A tracked value is called."""
        if value.path:
            self._values.refuse(file, call, value)
        elif value.interface == CLASS and value.member == FACTORY:
            self._understood[call] = True
            self._values.push(file, call, Tracked(CLASS, member=DATABASE))
        elif value.interface == CLASS:
            self._understood[call] = True
            if value.member == DATABASE:
                self.opened.append((file, call.lineno))
            self._values.push(file, call, Tracked(value.member))
        elif value.interface == FUNCTION and value.of is not None:
            self._values.push(file, call, value.of)
        elif value.interface == METHOD and value.of is not None:
            reading = entry(value.of.interface, value.member)
            if reading is None:  # a function of a library
                self._values.refuse(file, call, value)
                return
            is_idle = reading.reads is Reads.NOTHING and value.of.interface.startswith("pyoxigraph")
            self._understood[call] = is_idle or reading.reads is Reads.SQL
            self._values.use(file, call, value.of, value.member, reading, call)
        else:
            self._values.refuse(file, call, value)


def _of_pairs(value: Tracked) -> Tracked | None:
    """A dictionary of pairs, whose second parts are its values; None if these are no pairs."""
    inner = value.inside(None)
    second = inner.inside(1) if inner is not None and inner.path else None
    return None if second is None else second.held(None)
