"""Follows the values that come from a graph through the code of one test, and finds what each use of them reads.

A value is followed from its start (`tracking`) along assignments, calls, attributes and collections. The table of
`interfaces` says which uses are understood. Any other use makes the test unanalysable: what is not followed is never
assumed to be harmless. A graph that is given to unknown code counts as used as a whole.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from kgprobe.selection.discovery.python.evaluation import Evaluator
from kgprobe.selection.discovery.python.fixtures import Fixtures, argument_names, decorators, fixture_names, is_fixture
from kgprobe.selection.discovery.python.graph_reading import GraphReader, shown
from kgprobe.selection.discovery.python.interfaces import (
    ANSWER,
    ANY_GRAPH,
    CONTENT,
    DATABASE,
    FACTORY,
    FILE,
    INTERFACES,
    SAME,
    TAKERS,
    Reading,
    Reads,
)
from kgprobe.selection.discovery.python.modules import FUNCTIONS, Function, Module, called_name, root_name
from kgprobe.selection.discovery.python.scopes import Bound, Parameter, Scope, Source, with_bases
from kgprobe.selection.discovery.python.sql_calls import Asked
from kgprobe.selection.discovery.python.tracking import CLASS, FUNCTION, METHOD, UNKNOWN, Start, Tracked, starts
from kgprobe.selection.discovery.python.variables import (
    ATTRIBUTE,
    Callable_,
    CodeIndex,
    JoinedIndex,
    ModuleCode,
    Variable,
)
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.sparql.uses import AnyUse, Use

_MOST_STEPS: Final = 20_000
_ENOUGH: Final = 20  # reasons why the test is unanalysable
_DEEPEST: Final = 4  # collections in collections
_OPERATORS: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.Mod: "mod",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
}
_COMPARISONS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "__eq__",
    ast.NotEq: "__ne__",
    ast.Lt: "__lt__",
    ast.LtE: "__le__",
    ast.Gt: "__gt__",
    ast.GtE: "__ge__",
}
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
_PEEKING: Final = frozenset(["", "__str__", "__repr__", "__hash__", "__len__", "__bool__"])
_TAKING: Final = frozenset(["append", "appendleft", "add", "insert", "setdefault", "put"])
_JOINING: Final = frozenset(["extend", "update", "extendleft"])
# The methods of collections: what they return of an element.
_ELEMENT: Final = frozenset(["get", "pop", "popleft", "setdefault"])
_ALIKE: Final = frozenset(["values", "copy", "union", "intersection", "difference", "most_common"])
_IDLE: Final = frozenset(
    [
        *("append", "appendleft", "add", "insert", "extend", "update", "remove", "discard", "clear", "sort", "reverse"),
        *("keys", "index", "count"),
    ]
)
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
_BY_NAME: Final = "getfixturevalue"
_ASKS_NOTHING: Final = "it opens a database, and kgprobe does not see what it asks"
_WRAPPERS: Final = frozenset(["partial", "lru_cache", "cache", "wraps"])


@dataclass(frozen=True, eq=False)
class Code:
    """Statements that belong together, their index, and the values that begin there."""

    file: ModuleCode
    index: CodeIndex
    starts: tuple[Start, ...]


class TrackedCode:
    """The code of a project for the flows of all tests. Every definition is indexed once."""

    def __init__(self, evaluator: Evaluator, fixtures: Fixtures, vocabulary: Vocabulary) -> None:
        self.evaluator = evaluator
        self.fixtures = fixtures
        self.vocabulary = vocabulary
        self._files: dict[Module, ModuleCode] = {}
        self._codes: dict[tuple[int, ...], Code] = {}

    def file(self, module: Module) -> ModuleCode:
        """The nodes of a file."""
        if module not in self._files:
            self._files[module] = ModuleCode(module, self.evaluator.modules)
        return self._files[module]

    def code(self, nodes: Sequence[ast.AST], module: Module) -> Code:
        """The index of some nodes of a file."""
        key = tuple(map(id, nodes))
        if key not in self._codes:
            file = self.file(module)
            index = CodeIndex.of(nodes, file, self.evaluator.modules)
            self._codes[key] = Code(file, index, tuple(starts(nodes, file, self.evaluator)))
        return self._codes[key]


@dataclass
class FlowFindings:
    """What the code of a test reads of a graph. `claimed` are expressions that `uses` describe in full."""

    uses: list[Use] = field(default_factory=list)
    named: list[tuple[str, int]] = field(default_factory=list)  # names of terms
    queries: list[tuple[str, int, Module]] = field(default_factory=list)
    updates: list[tuple[str, int, Module]] = field(default_factory=list)
    sql: list[tuple[Asked, int, Module]] = field(default_factory=list)
    asks_sql: bool = False
    asked_sql: list[tuple[ast.expr, Module]] = field(default_factory=list)  # the expressions of `sql`
    unseen: list[tuple[str, int, Module]] = field(default_factory=list)
    # Uses that say nothing about what the test reads. A test with no other uses counts as unknown.
    vague: list[Use] = field(default_factory=list)
    vaguely_unseen: list[tuple[str, int, Module]] = field(default_factory=list)
    claimed: set[int] = field(default_factory=set)


class GraphFlow:
    """The flow of tracked values in the code that one test reaches."""

    def __init__(self, codes: Sequence[Code], tracked: TrackedCode) -> None:
        self._codes = codes
        self._index = JoinedIndex([(code.file, code.index) for code in codes])
        self._tracked = tracked
        self._evaluator = tracked.evaluator
        self.found = FlowFindings()
        self._reader = GraphReader(
            tracked.evaluator, tracked.vocabulary, self.found, self._callers, self._is_fixed, self._calls_of
        )
        self._opened: list[tuple[ModuleCode, int, Tracked]] = []  # databases
        self._pending: deque[tuple[ModuleCode, ast.AST, Tracked]] = deque()
        self._seen: set[tuple[ast.AST, Tracked]] = set()
        self._stored: set[tuple[Variable, Tracked]] = set()
        self._returned: set[tuple[Callable_, Tracked]] = set()
        self._given: list[tuple[ModuleCode, ast.Call, Tracked]] = []
        self._understood: dict[ast.Call, bool] = {}  # whether the call only makes or loads something
        self._subclasses: set[ast.ClassDef | None] = set()
        self._steps = 0

    def run(self) -> FlowFindings:
        """Follow all values to their ends."""
        begun = [(code.file, start) for code in self._codes for start in code.starts]
        for file, start in begun:
            if not start.is_guess:
                self._begin(file, start)
        self._follow_all()
        known = {id(node) for node, value in self._seen if value.interface not in (FILE, CONTENT)}
        known_variables = {variable for variable, value in self._stored if value.interface not in (FILE, CONTENT)}
        for file, start in begun:
            if start.is_guess and id(start.at) not in known and start.at not in known_variables:
                self._begin(file, start)
        self._follow_all()
        for each in self._given:
            self._settle(*each)
        self._claim_sql()
        opened = next((file for file, _, value in self._opened), None)
        if opened is not None and not (self.found.asks_sql or self.found.unseen):
            self.found.unseen.append((_ASKS_NOTHING, self._opened[0][1], opened.module))
        return self.found

    def _claim_sql(self) -> None:
        """Claim the texts that only calls with known parameters use."""
        asked = {each.text for each, _, _ in self.found.sql}
        pending = list(self.found.asked_sql)
        inside = {id(part) for sql, _ in pending for part in ast.walk(sql)}
        for sql, module in pending:
            file = self._tracked.file(module)
            for name in (part for part in ast.walk(sql) if isinstance(part, ast.Name)):
                variable = file.variable(name.id, name)
                uses = () if variable is None else self._index.at("names", variable)
                if uses and all(id(node) in inside for _, node in uses):
                    for value, place in self._values_with(name, file, asked):
                        if id(value) not in inside:
                            inside.add(id(value))
                            pending.append((value, place))
        self.found.claimed |= inside

    def _values_with(self, name: ast.Name, file: ModuleCode, texts: set[str]) -> Iterator[tuple[ast.expr, Module]]:
        """The expressions of these texts among those that a name may stand for."""
        scope = file.scope(name)
        for source in self._evaluator.sources(name.id, scope):
            values: list[ast.expr] = []
            if isinstance(source.binding, Bound):
                values = [source.binding.value]
            elif isinstance(source.binding, Parameter):
                values = [call for kind, call in decorators(source.binding.function) if kind == "parametrize" and call]
            place = Scope(source.module) if source.top is not None else scope
            for node in (part for value in values for part in ast.walk(value) if isinstance(part, ast.expr)):
                found = self._evaluator.texts(node, place)
                if found and texts.issuperset(found):
                    yield node, source.module

    def _follow_all(self) -> None:
        while self._pending:
            file, node, value = self._pending.popleft()
            self._steps += 1
            if self._steps > _MOST_STEPS or len(value.path) > _DEEPEST:
                self._refuse(file, node, value)
                if self._steps > _MOST_STEPS:
                    break
            elif len(self.found.unseen) > _ENOUGH:
                break
            else:
                self._follow(file, node, value)

    def _begin(self, file: ModuleCode, start: Start) -> None:
        at, value = start.at, start.value
        if isinstance(at, tuple):
            self._store(at, value)
        elif isinstance(at, FUNCTIONS):
            self._result(file, at, value)
        elif value.interface == UNKNOWN:
            self._unknown_name(file, at, value)
        else:
            self._push(file, at, value)

    def _push(self, file: ModuleCode, node: ast.AST, value: Tracked) -> None:
        if (node, value) not in self._seen:
            self._seen.add((node, value))
            self._pending.append((file, node, value))

    # -- what is not understood ----------------------------------------------------------------------------------

    def _refuse(self, file: ModuleCode, node: ast.AST, value: Tracked) -> None:
        """Note a use that is not understood."""
        line = getattr(node, "lineno", 0)
        if value.interface == ANSWER:
            return
        if value.interface in (FILE, CONTENT):
            reason = f"the file in `{shown(node)}` may be read in a way that kgprobe does not know"
            self.found.vaguely_unseen.append((reason, line, file.module))
        else:
            self.found.unseen.append((f"kgprobe does not know what `{shown(node)}` reads", line, file.module))

    def _unknown_name(self, file: ModuleCode, node: ast.expr, value: Tracked) -> None:
        parent = file.parent(node)
        while isinstance(parent, ast.Tuple):
            parent = file.parent(parent)
        if isinstance(parent, ast.ExceptHandler) or (
            isinstance(parent, ast.Call) and called_name(parent) in ("isinstance", "raises", "importorskip")
        ):
            return
        reason = f"kgprobe does not know what {value.member} reads"
        is_library = "(" not in value.member and "." in value.member
        reasons = self.found.vaguely_unseen if is_library else self.found.unseen
        reasons.append((reason, node.lineno, file.module))

    # -- one step ------------------------------------------------------------------------------------------------

    def _follow(self, file: ModuleCode, node: ast.AST, value: Tracked) -> None:  # noqa: C901
        """Follow a value from its expression to the node around it."""
        parent = file.parent(node)
        match parent:
            case ast.Expr() | ast.Delete() | ast.withitem(optional_vars=None):
                return
            case ast.Await() | ast.Starred() | ast.FormattedValue() | ast.JoinedStr():
                self._through(file, parent, value)
            case ast.IfExp() | ast.BoolOp():
                self._choice(file, node, parent, value)
            case ast.UnaryOp(op=ast.Not()):
                self._truth(node, value)
            case ast.If() | ast.While():
                self._truth(node, value)
            case ast.Assert():
                if node is parent.test:
                    self._truth(node, value)
            case ast.Compare():
                self._compared(file, node, parent, value)
            case ast.BinOp():
                self._operator(file, parent, value)
            case ast.Subscript():
                self._subscript(file, node, parent, value)
            case ast.Attribute():
                self._attribute(file, parent, value)
            case ast.Call():
                self._called(file, parent, value) if node is parent.func else self._argument(file, parent, node, value)
            case ast.keyword():
                self._keyword(file, node, parent, value)
            case ast.For() | ast.AsyncFor() | ast.comprehension() if node is parent.iter:
                self._iterate(file, node, parent.target, value)
            case ast.comprehension():
                self._truth(node, value)
            case ast.NamedExpr() | ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.withitem():
                self._bound(file, parent, value)
            case ast.Return() | ast.Yield() | ast.YieldFrom():
                self._returns(file, parent, value)
            case ast.Lambda():
                self._push(file, parent, Tracked(FUNCTION, of=value))
            case ast.List() | ast.Tuple() | ast.Set():
                self._item(file, node, parent, value)
            case ast.Dict() if node in parent.values:
                is_spread = parent.keys[parent.values.index(node)] is None
                self._push(file, parent, value if is_spread else value.held(None))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                self._push(file, parent, value.held(None))
            case ast.DictComp() if node is parent.value:
                self._push(file, parent, value.held(None))
            case ast.arguments():
                self._default(file, node, parent, value)
            case ast.ClassDef() if value.interface == CLASS:
                self._subclass(parent, value)
            case ast.Dict() | ast.Slice() | ast.MatchValue() if value.interface == FILE:
                return
            case ast.Return() | ast.Global():
                return
            case _:
                self._refuse(file, node, value)

    def _bound(
        self,
        file: ModuleCode,
        parent: ast.NamedExpr | ast.Assign | ast.AnnAssign | ast.AugAssign | ast.withitem,
        value: Tracked,
    ) -> None:
        """Follow a value into the names that it gets."""
        match parent:
            case ast.NamedExpr():
                self._assign(file, parent.target, value)
                self._push(file, parent, value)
            case ast.Assign():
                for target in parent.targets:
                    self._assign(file, target, value)
            case ast.AnnAssign():
                self._assign(file, parent.target, value)
            case ast.AugAssign():
                self._augmented(file, parent, value)
            case ast.withitem(optional_vars=ast.expr() as target):
                self._assign(file, target, value)

    def _keyword(self, file: ModuleCode, node: ast.AST, keyword: ast.keyword, value: Tracked) -> None:
        call = file.parent(keyword)
        if isinstance(call, ast.Call):
            self._argument(file, call, keyword, value)
        elif not isinstance(call, ast.ClassDef) or value.interface != CLASS:
            self._refuse(file, node, value)

    def _item(self, file: ModuleCode, node: ast.AST, holder: ast.List | ast.Tuple | ast.Set, value: Tracked) -> None:
        """Follow a value into the list, tuple or set that is written around it. Only a tuple has places."""
        if isinstance(node, ast.Starred):
            self._push(file, holder, value)
            return
        has_places = isinstance(holder, ast.Tuple) and not any(isinstance(item, ast.Starred) for item in holder.elts)
        place = holder.elts.index(node) if has_places else None  # type: ignore[arg-type]
        self._push(file, holder, value.held(place))

    def _through(self, file: ModuleCode, parent: ast.expr, value: Tracked) -> None:
        is_text = isinstance(parent, ast.FormattedValue | ast.JoinedStr)
        if isinstance(parent, ast.Starred) and not value.path:
            self._operate(file, parent, value, "__iter__")
            return
        if is_text and value.interface != FILE:
            if not value.path:
                self._operate(file, parent, value, "__str__")
            return
        self._push(file, parent, value)

    def _choice(self, file: ModuleCode, node: ast.AST, parent: ast.IfExp | ast.BoolOp, value: Tracked) -> None:
        is_tested = node is parent.test if isinstance(parent, ast.IfExp) else node is not parent.values[-1]
        if is_tested:
            self._truth(node, value)
        if not (isinstance(parent, ast.IfExp) and is_tested):
            self._push(file, parent, value)

    def _truth(self, node: ast.AST, value: Tracked) -> None:
        if value.path or value.interface in (CLASS, METHOD, FUNCTION):
            return
        reading = _entry(value.interface, "__bool__")
        if reading is None or reading.reads is not Reads.NOTHING:
            self.found.vague.append(AnyUse(shown(node), getattr(node, "lineno", None)))

    def _compared(self, file: ModuleCode, node: ast.AST, parent: ast.Compare, value: Tracked) -> None:
        sides = (parent.left, *parent.comparators)
        for left, operator, right in zip(sides, parent.ops, sides[1:], strict=False):
            if node not in (left, right) or isinstance(operator, ast.Is | ast.IsNot):
                continue
            if value.path or value.interface in (CLASS, METHOD, FUNCTION):
                continue
            if isinstance(operator, ast.In | ast.NotIn):
                if node is right:
                    self._operate(file, parent, value, "__contains__", left)
                else:
                    self._operate(file, parent, value, "__eq__")
            else:
                self._operate(file, parent, value, _COMPARISONS[type(operator)])

    def _operator(self, file: ModuleCode, parent: ast.BinOp, value: Tracked) -> None:
        name = _OPERATORS.get(type(parent.op))
        if value.path and isinstance(parent.op, ast.Add | ast.BitOr | ast.Mult):
            self._push(file, parent, value.inside(None).held(None) if value.path[0] is not None else value)  # type: ignore[union-attr]
        elif name is None or value.path or value.interface in (CLASS, METHOD, FUNCTION):
            self._refuse(file, parent, value)
        else:
            self._operate(file, parent, value, f"__{name}__")

    def _subscript(self, file: ModuleCode, node: ast.AST, parent: ast.Subscript, value: Tracked) -> None:
        if node is parent.slice:
            if value.interface not in (FILE, CLASS):
                self._refuse(file, parent, value)
        elif value.path:
            place = parent.slice.value if isinstance(parent.slice, ast.Constant) else None
            if isinstance(parent.slice, ast.Slice):
                self._push(file, parent, value.inside(None).held(None))  # type: ignore[union-attr]
            elif isinstance(parent.ctx, ast.Load):
                self._element(file, parent, value, place if isinstance(place, int) and place >= 0 else None)
        elif isinstance(parent.ctx, ast.Load):
            self._operate(file, parent, value, "__getitem__", parent.slice)
        else:
            self._operate(file, parent, value, "__setitem__" if isinstance(parent.ctx, ast.Store) else "__delitem__")

    def _element(self, file: ModuleCode, at: ast.AST, value: Tracked, place: int | None) -> None:
        inner = value.inside(place)
        if inner is not None:
            self._push(file, at, inner)

    def _iterate(self, file: ModuleCode, node: ast.AST, target: ast.expr, value: Tracked) -> None:
        if not value.path:
            result = self._reading(file, node, value, "__iter__")
            if result is None:
                return
            value = result
        inner = value.inside(None)
        if inner is not None:
            self._assign(file, target, inner)

    def _augmented(self, file: ModuleCode, parent: ast.AugAssign, value: Tracked) -> None:
        """`a += b`: the value of `b` is used, and what `a` stands for may have it now."""
        if value.path or value.interface == FILE:
            self._assign(file, parent.target, value)
        else:
            self._operate(file, parent.value, value, "__iter__")
            if value.interface not in (CLASS, METHOD, FUNCTION):
                self._assign(file, parent.target, value)

    # -- assignments ---------------------------------------------------------------------------------------------

    def _assign(self, file: ModuleCode, target: ast.expr, value: Tracked) -> None:
        match target:
            case ast.Name(id=name):
                variable = file.variable(name, target)
                if variable is None:
                    self._refuse(file, target, value)
                else:
                    self._store(variable, value)
            case ast.Attribute():
                self._set_attribute(file, target, value)
            case ast.Subscript(value=holder):
                self._hold(file, holder, value)
            case ast.Starred(value=inner):
                self._assign(file, inner, value)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                self._unpack(file, target, elements, value)
            case _:
                self._refuse(file, target, value)

    def _set_attribute(self, file: ModuleCode, target: ast.Attribute, value: Tracked) -> None:
        alias, root = file.alias(target.value), root_name(target)
        if alias is not None:
            self._store((alias.file, target.attr), value)
        elif root is not None and file.imported(root, target) is not None:
            self._refuse(file, target, value)
        else:
            self._store((ATTRIBUTE, target.attr), value)

    def _unpack(self, file: ModuleCode, target: ast.expr, elements: list[ast.expr], value: Tracked) -> None:
        held = value if value.path else self._reading(file, target, value, "__iter__")
        has_spread = any(isinstance(each, ast.Starred) for each in elements)
        for place, element in enumerate(elements) if held is not None else ():
            inner = held.inside(None if has_spread else place)  # type: ignore[union-attr]
            if inner is not None:
                self._assign(file, element, inner.held(None) if isinstance(element, ast.Starred) else inner)

    def _hold(self, file: ModuleCode, holder: ast.expr, value: Tracked) -> None:
        """Note that a collection has a value."""
        match holder:
            case ast.Name() | ast.Attribute():
                self._assign(file, holder, value.held(None))
            case ast.Subscript(value=outer):
                self._hold(file, outer, value.held(None))
            case ast.Call(func=ast.Attribute(value=outer, attr="setdefault")):
                self._hold(file, outer, value.held(None))
            case _:
                self._refuse(file, holder, value)

    def _store(self, variable: Variable, value: Tracked) -> None:
        """A variable has a value: so has every expression that reads the variable."""
        if (variable, value) in self._stored:
            return
        self._stored.add((variable, value))
        owner, name = variable
        for file, each in self._index.at("names", variable):
            self._push(file, each, value)
        for file, attribute in self._index.at("attributes", name):
            if owner == ATTRIBUTE or ((alias := file.alias(attribute.value)) is not None and alias.file == owner):
                self._push(file, attribute, value)
        for code in self._codes if owner == ATTRIBUTE else ():
            for call in code.index.named_attributes:
                at = 1 if called_name(call) == "getattr" else 0
                names = self._evaluator.texts(call.args[at], code.file.scope(call)) if len(call.args) > at else None
                if names is None or any(name in each.split(".") for each in names):
                    self._push(code.file, call, Tracked(FUNCTION, of=value) if at == 0 else value)

    # -- functions -----------------------------------------------------------------------------------------------

    def _default(self, file: ModuleCode, node: ast.AST, arguments: ast.arguments, value: Tracked) -> None:
        function = file.parent(arguments)
        positional = [*arguments.posonlyargs, *arguments.args]
        with_default = positional[len(positional) - len(arguments.defaults) :]
        pairs = [*zip(with_default, arguments.defaults, strict=True)]
        pairs += [
            (argument, default)
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        ]
        for argument, default in pairs:
            if default is node:
                self._store((function, argument.arg), value)

    def _returns(self, file: ModuleCode, parent: ast.AST, value: Tracked) -> None:
        function = file.function(parent)
        if function is None:
            self._refuse(file, parent, value)
        elif isinstance(function, ast.Lambda):
            self._push(file, function, Tracked(FUNCTION, of=value))
        else:
            self._result(file, function, value)
            if isinstance(parent, ast.Yield):
                names = {name for name, _ in decorators(function)}
                if "fixture" not in names and not any("contextmanager" in name for name in names):
                    self._result(file, function, value.held(None))

    def _result(self, file: ModuleCode, function: Function, value: Tracked) -> None:
        """A function returns a value: so does every call of it."""
        if (function, value) in self._returned:
            return
        self._returned.add((function, value))
        if function.decorator_list:  # it may be a fixture, whatever the decorator is called
            self._given_by_fixture(file, function, value)
        owner = file.owner(function)
        name = function.name
        if owner is not None and name.startswith("__") and name.endswith("__"):
            if name != "__init__":
                self._refuse(file, function, value)
            return
        is_property = any("property" in decorator for decorator, _ in decorators(function))
        as_function = Tracked(FUNCTION, of=value)
        for where, call in self._index.at("calls", function):
            self._push(where, call, value)
        for where, reference in self._index.at("references", function):
            self._push(where, reference, as_function)
        for where, attribute in self._index.at("attributes", name):
            if owner is not None or where.alias(attribute.value) is not None:
                self._push(where, attribute, value if is_property else as_function)

    def _given_by_fixture(self, file: ModuleCode, function: Function, value: Tracked) -> None:
        for name in fixture_names(function, file.scope(function)):
            for _, user in self._index.at("parameters", name):
                self._store((user, name), value)
            for where, call in self._index.at("method_calls", _BY_NAME):
                asked = self._evaluator.texts(call.args[0], where.scope(call)) if call.args else None
                if asked is None or name in asked:
                    self._push(where, call, value)

    def _subclass(self, owner: ast.ClassDef, value: Tracked) -> None:
        """A class of the project is a graph: so are its objects, and `self` in its methods."""
        self._subclasses.add(owner)
        for statement in owner.body:
            if isinstance(statement, FUNCTIONS) and statement.args.args:
                self._store((statement, statement.args.args[0].arg), Tracked(value.member))
        for where, reference in self._index.at("class_names", owner):
            self._push(where, reference, value)

    def _callees(self, file: ModuleCode, call: ast.Call) -> tuple[list[tuple[ModuleCode, Function]], bool]:
        """The functions of the project that a call may mean, and whether it can mean no other."""
        match call.func:
            case ast.Name():
                found = self._evaluator.sources(call.func.id, file.scope(call))
                functions = [
                    (self._tracked.file(source.module), source.binding)
                    for source in found
                    if isinstance(source.binding, FUNCTIONS)
                ]
                return functions, len(functions) == len(found) > 0
            case ast.Attribute(value=owner, attr=name):
                alias = file.alias(owner)
                if alias is not None:
                    found = self._evaluator.sources(name, Scope(alias))
                    functions = [
                        (self._tracked.file(each.module), each.binding)
                        for each in found
                        if isinstance(each.binding, FUNCTIONS)
                    ]
                    return functions, len(functions) == len(found) > 0
                functions = [
                    (where, function)
                    for where, function in self._index.at("functions", name)
                    if where.owner(function) is not None
                ]
                is_own = isinstance(owner, ast.Name) and owner.id in ("self", "cls")
                is_made = any(isinstance(each.binding, ast.ClassDef) for each in self._origins(file, owner))
                return functions, bool(functions) and (is_own or is_made)
        return [], False

    def _origins(self, file: ModuleCode, node: ast.expr) -> list[Source]:
        """The definition of the class of an object, or of the class itself, if it is one of the project."""
        if isinstance(node, ast.Call):
            node = node.func
        return self._evaluator.sources(node.id, file.scope(node)) if isinstance(node, ast.Name) else []

    def _callers(self, parameter: Parameter) -> list[tuple[ast.expr, Scope]] | None:
        """The expressions that the calls in this code give for a parameter; None if there may be other calls."""
        function = parameter.function
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        if is_fixture(function) or function.name.startswith("test") or parameter.name not in names:
            return None
        found: list[tuple[ast.expr, Scope]] = []
        place = names.index(parameter.name)
        if self._index.at("references", function):
            return None
        calls = [(file, call, 0) for file, call in self._index.at("calls", function)]
        is_method = names[:1] in (["self"], ["cls"])
        calls += [(file, call, is_method) for file, call in self._index.at("method_calls", function.name)]
        for file, call, shift in calls:
            given = _argument_for(call, parameter.name, place - shift)
            if given is None:
                return None
            found.append((given, file.scope(call)))
        return found or None

    def _calls_of(self, function: Function, scope: Scope) -> list[tuple[ast.Call, Scope]] | None:
        """The calls of a function; None if it may be called in other ways."""
        calls = [*self._index.at("calls", function), *self._index.at("method_calls", function.name)]
        references = self._index.at("references", function)
        maker = scope.outer.function if scope.outer is not None else None
        if references:
            is_given = all(isinstance(file.parent(node), ast.Return | ast.Yield) for file, node in references)
            if maker is None or not is_given or not is_fixture(maker) or self._index.at("method_calls", _BY_NAME):
                return None
            for name in fixture_names(maker, scope.outer or scope):
                for where, user in self._index.at("parameters", name):
                    for _, node in self._index.at("names", (user, name)):
                        call = where.parent(node)
                        if not (isinstance(call, ast.Call) and call.func is node):
                            return None
                        calls.append((where, call))
        return [(call, file.scope(call)) for file, call in calls]

    def _is_fixed(self, attribute: str) -> bool:
        """Whether an attribute of objects has one definition in this code."""
        return len({owner for _, owner in self._index.at("class_attributes", attribute)}) <= 1

    # -- arguments -----------------------------------------------------------------------------------------------

    def _argument(self, file: ModuleCode, call: ast.Call, node: ast.AST, value: Tracked) -> None:
        """A value is an argument of a call; `node` is the argument or its keyword."""
        name = called_name(call)
        if name == "parametrize":
            self._parametrized(file, call, node, value)
        elif name == "param" and node in call.args:
            self._push(file, call, value if len(call.args) == 1 else value.held(call.args.index(node)))
        elif name == "cast" and value.interface == CLASS and not value.path:
            self._push(file, call, Tracked(value.member))
        elif name in _SAME:
            self._push(file, call, value)
        elif not (self._into_project(file, call, node, value) or self._into_builtin(file, call, node, value)):
            self._given.append((file, call, value))

    def _into_project(self, file: ModuleCode, call: ast.Call, node: ast.AST, value: Tracked) -> bool:
        """Follow an argument into the functions and classes of the project; whether it goes nowhere else."""
        functions, is_sure = self._callees(file, call)
        for where, function in functions:
            is_method = where.owner(function) is not None and not any(
                name == "staticmethod" for name, _ in decorators(function)
            )
            if not self._bind(function, call, node, value, is_method=is_method):
                return False
        if functions:
            return is_sure
        for source in self._origins(file, call.func) if isinstance(call.func, ast.Name) else ():
            if isinstance(source.binding, ast.ClassDef):
                return self._into_class(file, source, call, node, value)
        return False

    def _bind(self, function: Function, call: ast.Call, node: ast.AST, value: Tracked, *, is_method: bool) -> bool:
        arguments = function.args
        positional = [*arguments.posonlyargs, *arguments.args][is_method:]
        if isinstance(node, ast.keyword):
            names = [each.arg for each in (*positional, *arguments.kwonlyargs)]
            if node.arg in names:
                self._store((function, node.arg), value)
            elif node.arg is not None and arguments.kwarg is not None:
                self._store((function, arguments.kwarg.arg), value.held(None))
            else:
                return False
            return True
        place = call.args.index(node)  # type: ignore[arg-type]
        if any(isinstance(each, ast.Starred) for each in call.args[: place + 1]):
            inner = value.inside(None) if isinstance(node, ast.Starred) and value.path else value
            for argument in positional[place:] if inner is not None else ():
                self._store((function, argument.arg), inner)  # type: ignore[arg-type]
            return arguments.vararg is None
        if place < len(positional):
            self._store((function, positional[place].arg), value)
        elif arguments.vararg is not None:
            self._store((function, arguments.vararg.arg), value.held(None))
        else:
            return False
        return True

    def _into_class(self, file: ModuleCode, source: Source, call: ast.Call, node: ast.AST, value: Tracked) -> bool:
        owner, module = source.binding, source.module
        assert isinstance(owner, ast.ClassDef)  # noqa: S101 - the caller has looked
        fields: list[str] = []
        for each, _ in with_bases(owner, module, self._evaluator.modules):
            for statement in each.body:
                if isinstance(statement, FUNCTIONS) and statement.name == "__init__":
                    return self._bind(statement, call, node, value, is_method=True)
            fields = [
                *(s.target.id for s in each.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)),
                *fields,
            ]
        is_tuple = any(getattr(base, "id", getattr(base, "attr", "")) == "NamedTuple" for base in owner.bases)
        if isinstance(node, ast.keyword):
            if node.arg not in fields:
                return False
            self._store((ATTRIBUTE, node.arg), value)
            if is_tuple:
                self._push(file, call, value.held(fields.index(node.arg)))
            return True
        place = call.args.index(node)  # type: ignore[arg-type]
        if place >= len(fields) or any(isinstance(each, ast.Starred) for each in call.args[: place + 1]):
            return False
        self._store((ATTRIBUTE, fields[place]), value)
        if is_tuple:
            self._push(file, call, value.held(place))
        return True

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
        elif value.interface in (CLASS, METHOD, FUNCTION):
            return operator == ""
        elif operator:
            result = self._reading(file, call, value, operator)
            if result is not None and name not in ("any", "all"):
                self._held_in_builtin(file, call, node, result, name)
        return True

    def _wrapped(self, file: ModuleCode, call: ast.Call, value: Tracked, *, is_first: bool) -> bool:
        """`partial(load)`, and `map(load, files)`."""
        if called_name(call) != "map":
            self._push(file, call, value)
        elif is_first and value.of is not None:
            self._push(file, call, value.of.held(None))
        else:
            return False
        return True

    def _taken(self, file: ModuleCode, call: ast.Call, holder: ast.expr, value: Tracked) -> bool:
        """`graphs.append(graph)`: the collection has the value now. The same name may be a method of a graph."""
        name = called_name(call)
        if name in _JOINING:
            for held in (value, _of_pairs(value)) if value.path else ():
                if held is not None:
                    self._hold(file, holder, held.inside(None) or held)
            return bool(value.path)
        if not value.path and value.interface in (FILE, CONTENT):
            return self._file_argument(file, call, value)
        self._hold(file, holder, value)
        if name == "setdefault":
            self._push(file, call, value)
        return value.interface not in INTERFACES or name != "add"

    def _mapped(self, file: ModuleCode, call: ast.Call, value: Tracked, operator: str) -> None:
        """`map(str, values)`: a built-in function of each element."""
        held = value if value.path else self._reading(file, call, value, "__iter__")
        inner = None if held is None else held.inside(None)
        if inner is not None and operator and not inner.path:
            result = self._reading(file, call, inner, operator)
            if result is not None:
                self._push(file, call, result.held(None))
        elif inner is not None and operator not in _PEEKING:
            self._push(file, call, inner.held(None))

    def _held_in_builtin(self, file: ModuleCode, call: ast.Call, node: ast.AST, value: Tracked, name: str) -> None:
        if name in ("any", "all"):
            inner = value.inside(None)
            if inner is not None:
                self._truth(node, inner)
        elif _BUILT_IN[name] in _PEEKING:
            return
        elif name in ("next", "min", "max", "sum"):
            self._element(file, call, value, None)
        elif name == "enumerate":
            inner = value.inside(None)
            if inner is not None:
                self._push(file, call, inner.held(None, 1))
        elif name == "zip":
            inner = value.inside(None)
            if inner is not None:
                self._push(file, call, inner.held(None, None))
        else:
            self._push(file, call, value if value.path[0] is None else value.inside(None).held(None))  # type: ignore[union-attr]
            if name == "dict" and (paired := _of_pairs(value)) is not None:
                self._push(file, call, paired)

    def _file_argument(self, file: ModuleCode, call: ast.Call, value: Tracked) -> bool:
        name = called_name(call)
        if name == "open":
            self._push(file, call, Tracked(CONTENT))
        elif name in ("glob", "rglob", "iglob"):
            self._push(file, call, value.held(None))
        elif name in _PATHS or name == "str":
            self._push(file, call, value)
        else:
            return name in _NAMING or (name in _BUILT_IN and _BUILT_IN[name] in _PEEKING)
        return True

    def _named_member(self, file: ModuleCode, call: ast.Call, value: Tracked) -> None:
        """`getattr(graph, "triples")`."""
        names = self._evaluator.texts(call.args[1], file.scope(call))
        if not names or value.path:
            self._refuse(file, call, value)
            return
        for name in names:
            self._member(file, call, value, name)

    def _parametrized(self, file: ModuleCode, call: ast.Call, node: ast.AST, value: Tracked) -> None:
        """`@pytest.mark.parametrize("graph", [A, B])` gives the values to the test."""
        written = argument_names(self._evaluator, call.args[0], file.scope(call)) if call.args else []
        inner = value.inside(None) if value.path else None
        tests = self._marked(file, call)
        if inner is None or not written or not tests:
            if node is not call.args[0] and not (isinstance(node, ast.keyword) and node.arg == "ids"):
                self._refuse(file, call, value)
            return
        for place, name in enumerate(written):
            own: Tracked | None = inner
            if len(written) > 1:
                own = inner.inside(place) if inner.path else None
            for test in tests if own is not None else ():
                self._store((test, name), own)  # type: ignore[arg-type]

    def _marked(self, file: ModuleCode, call: ast.Call) -> list[Function]:
        parent = file.parent(call)
        if isinstance(parent, FUNCTIONS):
            return [parent]
        if isinstance(parent, ast.ClassDef):
            return [each for each in ast.walk(parent) if isinstance(each, FUNCTIONS)]
        return []

    def _settle(self, file: ModuleCode, call: ast.Call, value: Tracked) -> None:
        """Judge an argument of a call that is not followed further, when it is known which calls are understood."""
        makes = self._understood.get(call)
        if value.interface == ANSWER:
            return
        if value.interface == DATABASE:
            if not makes and called_name(call) not in TAKERS:
                self._refuse(file, call, value)
        elif value.interface in (FILE, CONTENT):
            if makes is None and called_name(call) not in _NAMING:
                self._refuse(file, call, value)
        elif value.interface in (CLASS, FUNCTION) and makes is None:
            self._refuse(file, call, value)
        elif not makes or (value.path and value.interface not in INTERFACES):
            self.found.uses.append(AnyUse(f"{called_name(call)}(…)", call.lineno))

    # -- members and operators -----------------------------------------------------------------------------------

    def _attribute(self, file: ModuleCode, node: ast.Attribute, value: Tracked) -> None:
        if value.path:
            self._of_collection(file, node, value)
        elif value.interface == CLASS:
            if node.attr == "read_only":
                self._push(file, node, Tracked(CLASS, member=value.member))
            elif node.attr not in ("__name__", "__doc__"):
                self._refuse(file, node, value)
        elif value.interface in (METHOD, FUNCTION):
            if node.attr not in ("__name__", "__doc__"):
                self._refuse(file, node, value)
        elif isinstance(node.ctx, ast.Load):
            self._member(file, node, value, node.attr)
        elif node.attr not in ("namespace_manager", "base"):
            return  # an attribute that the code sets itself

    def _member(self, file: ModuleCode, node: ast.expr, value: Tracked, name: str) -> None:
        reading = _entry(value.interface, name)
        if reading is None:
            if not self._is_of_project(name, value):
                parent = file.parent(node)
                self._refuse(file, parent if isinstance(parent, ast.Call) and parent.func is node else node, value)
        elif reading.is_attribute:
            self._use(file, node, value, name, reading, None)
        else:
            self._push(file, node, Tracked(METHOD, member=name, of=value))

    def _is_of_project(self, name: str, value: Tracked) -> bool:
        """Whether a member is one of a class of the project, whose code is read anyway."""
        owners = (where.owner(function) for where, function in self._index.at("functions", name))
        # Whatever only sounds like a graph may be an object of any class.
        return any(owner in self._subclasses or (owner and value.interface == ANY_GRAPH) for owner in owners)

    def _of_collection(self, file: ModuleCode, node: ast.Attribute, value: Tracked) -> None:
        call = file.parent(node)
        if not (isinstance(call, ast.Call) and call.func is node):
            self._refuse(file, node, value)
        elif node.attr in _ELEMENT:
            self._element(file, call, value, None)
        elif node.attr in _ALIKE:
            self._push(file, call, value)
        elif node.attr in ("items", "popitem"):
            inner = value.inside(None)
            if inner is not None:
                self._push(file, call, inner.held(None, 1) if node.attr == "items" else inner.held(1))
        elif node.attr not in _IDLE:
            self._refuse(file, call, value)

    def _called(self, file: ModuleCode, call: ast.Call, value: Tracked) -> None:
        """A tracked value is called."""
        if value.path:
            self._refuse(file, call, value)
        elif value.interface == CLASS and value.member == FACTORY:
            self._understood[call] = True
            self._push(file, call, Tracked(CLASS, member=DATABASE))
        elif value.interface == CLASS:
            self._understood[call] = True
            if value.member == DATABASE:
                self._opened.append((file, call.lineno, value))
            self._push(file, call, Tracked(value.member))
        elif value.interface == FUNCTION and value.of is not None:
            self._push(file, call, value.of)
        elif value.interface == METHOD and value.of is not None:
            reading = _entry(value.of.interface, value.member)
            if reading is None:  # a function of a library
                self._refuse(file, call, value)
                return
            is_idle = reading.reads is Reads.NOTHING and value.of.interface.startswith("pyoxigraph")
            self._understood[call] = is_idle or reading.reads is Reads.SQL
            self._use(file, call, value.of, value.member, reading, call)
        else:
            self._refuse(file, call, value)

    def _operate(
        self, file: ModuleCode, node: ast.expr, value: Tracked, operator: str, operand: ast.expr | None = None
    ) -> None:
        """Apply an operator, and follow its result."""
        if value.interface in (CLASS, METHOD, FUNCTION):
            self._refuse(file, node, value)
            return
        result = self._reading(file, node, value, operator, operand)
        if result is not None:
            self._push(file, node, result)

    def _reading(
        self, file: ModuleCode, node: ast.AST, value: Tracked, operator: str, operand: ast.expr | None = None
    ) -> Tracked | None:
        """Note what an operator reads; its result, if that is followed."""
        reading = _entry(value.interface, operator)
        if reading is None:
            self._refuse(file, node, value)
            return None
        self._reader.read(reading, file, node, value, operator, operand)
        return _result_of(reading, value)

    def _use(
        self, file: ModuleCode, node: ast.expr, value: Tracked, name: str, reading: Reading, call: ast.Call | None
    ) -> None:
        self._reader.read(reading, file, node, value, name, call)
        result = _result_of(reading, value)
        if result is not None:
            self._push(file, node, result)


def _of_pairs(value: Tracked) -> Tracked | None:
    """A dictionary of pairs, whose second parts are its values; None if these are no pairs."""
    inner = value.inside(None)
    second = inner.inside(1) if inner is not None and inner.path else None
    return None if second is None else second.held(None)


def _entry(interface: str, member: str) -> Reading | None:
    """The entry of the table for a member; None if the use is not understood."""
    members = INTERFACES.get(interface, {})
    return members.get(member, members.get("*"))


def _result_of(reading: Reading, value: Tracked) -> Tracked | None:
    if not reading.result:
        return None
    return Tracked(value.interface if reading.result == SAME else reading.result, reading.path)


def _argument_for(call: ast.Call, name: str, place: int) -> ast.expr | None:
    """The argument of a call for a parameter; None if it is not written there."""
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    given = call.args[: place + 1]
    return given[place] if 0 <= place < len(given) and not any(isinstance(e, ast.Starred) for e in given) else None
