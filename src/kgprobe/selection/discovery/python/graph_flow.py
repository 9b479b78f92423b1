"""Follows the values that come from a graph through the code of one test, and finds what each use of them reads.

A value is followed from its start (`tracking`) along assignments, calls, attributes and collections. The table of
`interfaces` says which uses are understood. Any other use makes the test unanalysable: what is not followed is never
assumed to be harmless. A graph that is given to unknown code counts as used as a whole.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from kgprobe.selection.discovery.python.arguments import Arguments
from kgprobe.selection.discovery.python.fixtures import decorators
from kgprobe.selection.discovery.python.graph_reading import FlowFindings
from kgprobe.selection.discovery.python.interfaces import CONTENT, FILE
from kgprobe.selection.discovery.python.modules import FUNCTIONS, Module, called_name, defaults
from kgprobe.selection.discovery.python.propagation import Propagation
from kgprobe.selection.discovery.python.scopes import Bound, Parameter, Scope
from kgprobe.selection.discovery.python.tracking import CLASS, FUNCTION, UNKNOWN, Code, Start, Tracked, TrackedCode
from kgprobe.selection.discovery.python.variables import ModuleCode

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
# The methods of collections: what they return of an element.
_ELEMENT: Final = frozenset(["get", "pop", "popleft", "setdefault"])
_ALIKE: Final = frozenset(["values", "copy", "union", "intersection", "difference", "most_common"])
_IDLE: Final = frozenset(
    [
        *("append", "appendleft", "add", "insert", "extend", "update", "remove", "discard", "clear", "sort", "reverse"),
        *("keys", "index", "count"),
    ]
)
_ASKS_NOTHING: Final = "it opens a database, and kgprobe does not see what it asks"


class GraphFlow:
    """The flow of tracked values in the code that one test reaches."""

    def __init__(self, codes: Sequence[Code], tracked: TrackedCode) -> None:
        self._codes = codes
        self._tracked = tracked
        self._evaluator = tracked.evaluator
        self._values = Propagation(codes, tracked)
        self._arguments = Arguments(self._values)
        self.found = self._values.found
        self._steps = 0

    def run(self) -> FlowFindings:
        """Follow all values to their ends."""
        begun = [(code.file, start) for code in self._codes for start in code.starts]
        for file, start in begun:
            if not start.is_guess:
                self._begin(file, start)
        self._follow_all()
        known = {id(node) for node, value in self._values.seen if value.interface not in (FILE, CONTENT)}
        known_variables = {name for name, value in self._values.stored if value.interface not in (FILE, CONTENT)}
        for file, start in begun:
            if start.is_guess and id(start.at) not in known and start.at not in known_variables:
                self._begin(file, start)
        self._follow_all()
        self._arguments.settle()
        self._claim_sql()
        if self._arguments.opened and not (self.found.asks_sql or self.found.unseen):
            file, line = self._arguments.opened[0]
            self.found.unseen.append((_ASKS_NOTHING, line, file.module))
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
                uses = () if variable is None else self._values.index.at("names", variable)
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
        while self._values.pending:
            file, node, value = self._values.pending.popleft()
            self._steps += 1
            if self._steps > _MOST_STEPS or len(value.path) > _DEEPEST:
                self._values.refuse(file, node, value)
                if self._steps > _MOST_STEPS:
                    break
            elif len(self.found.unseen) > _ENOUGH:
                break
            else:
                self._follow(file, node, value)

    def _begin(self, file: ModuleCode, start: Start) -> None:
        at, value = start.at, start.value
        if isinstance(at, tuple):
            self._values.store(at, value)
        elif isinstance(at, FUNCTIONS):
            self._values.result(file, at, value)
        elif value.interface == UNKNOWN:
            self._unknown_name(file, at, value)
        else:
            self._values.push(file, at, value)

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
            case ast.UnaryOp(op=ast.Not()) | ast.If() | ast.While():
                self._values.truth(node, value)
            case ast.Assert():
                if node is parent.test:
                    self._values.truth(node, value)
            case ast.Compare():
                self._compared(file, node, parent, value)
            case ast.BinOp():
                self._operator(file, parent, value)
            case ast.Subscript():
                self._subscript(file, node, parent, value)
            case ast.Attribute():
                self._attribute(file, parent, value)
            case ast.Call():
                if node is parent.func:
                    self._arguments.called(file, parent, value)
                else:
                    self._arguments.argument(file, parent, node, value)
            case ast.keyword():
                self._keyword(file, node, parent, value)
            case ast.For() | ast.AsyncFor() | ast.comprehension() if node is parent.iter:
                self._values.iterate(file, node, parent.target, value)
            case ast.comprehension():
                self._values.truth(node, value)
            case ast.NamedExpr() | ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.withitem():
                self._bound(file, parent, value)
            case ast.Return() | ast.Yield() | ast.YieldFrom():
                self._returns(file, parent, value)
            case ast.Lambda():
                self._values.push(file, parent, Tracked(FUNCTION, of=value))
            case ast.List() | ast.Tuple() | ast.Set():
                self._item(file, node, parent, value)
            case ast.Dict() if node in parent.values:
                is_spread = parent.keys[parent.values.index(node)] is None
                self._values.push(file, parent, value if is_spread else value.held(None))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                self._values.push(file, parent, value.held(None))
            case ast.DictComp() if node is parent.value:
                self._values.push(file, parent, value.held(None))
            case ast.arguments():
                self._default(file, node, parent, value)
            case ast.ClassDef() if value.interface == CLASS:
                self._values.subclass(parent, value)
            case ast.Dict() | ast.Slice() | ast.MatchValue() if value.interface == FILE:
                return
            case ast.Return() | ast.Global():
                return
            case _:
                self._values.refuse(file, node, value)

    def _bound(
        self,
        file: ModuleCode,
        parent: ast.NamedExpr | ast.Assign | ast.AnnAssign | ast.AugAssign | ast.withitem,
        value: Tracked,
    ) -> None:
        """Follow a value into the names that it gets."""
        match parent:
            case ast.NamedExpr():
                self._values.assign(file, parent.target, value)
                self._values.push(file, parent, value)
            case ast.Assign():
                for target in parent.targets:
                    self._values.assign(file, target, value)
            case ast.AnnAssign():
                self._values.assign(file, parent.target, value)
            case ast.AugAssign():
                self._augmented(file, parent, value)
            case ast.withitem(optional_vars=ast.expr() as target):
                self._values.assign(file, target, value)

    def _keyword(self, file: ModuleCode, node: ast.AST, keyword: ast.keyword, value: Tracked) -> None:
        call = file.parent(keyword)
        if isinstance(call, ast.Call):
            self._arguments.argument(file, call, keyword, value)
        elif not isinstance(call, ast.ClassDef) or value.interface != CLASS:
            self._values.refuse(file, node, value)

    def _item(self, file: ModuleCode, node: ast.AST, holder: ast.List | ast.Tuple | ast.Set, value: Tracked) -> None:
        """Follow a value into the list, tuple or set that is written around it. Only a tuple has places."""
        if isinstance(node, ast.Starred):
            self._values.push(file, holder, value)
            return
        has_places = isinstance(holder, ast.Tuple) and not any(isinstance(item, ast.Starred) for item in holder.elts)
        place = holder.elts.index(node) if has_places else None  # type: ignore[arg-type]
        self._values.push(file, holder, value.held(place))

    def _through(self, file: ModuleCode, parent: ast.expr, value: Tracked) -> None:
        is_text = isinstance(parent, ast.FormattedValue | ast.JoinedStr)
        if isinstance(parent, ast.Starred) and not value.path:
            self._values.operate(file, parent, value, "__iter__")
            return
        if is_text and value.interface != FILE:
            if not value.path:
                self._values.operate(file, parent, value, "__str__")
            return
        self._values.push(file, parent, value)

    def _choice(self, file: ModuleCode, node: ast.AST, parent: ast.IfExp | ast.BoolOp, value: Tracked) -> None:
        is_tested = node is parent.test if isinstance(parent, ast.IfExp) else node is not parent.values[-1]
        if is_tested:
            self._values.truth(node, value)
        if not (isinstance(parent, ast.IfExp) and is_tested):
            self._values.push(file, parent, value)

    def _compared(self, file: ModuleCode, node: ast.AST, parent: ast.Compare, value: Tracked) -> None:
        sides = (parent.left, *parent.comparators)
        for left, operator, right in zip(sides, parent.ops, sides[1:], strict=False):
            if node not in (left, right) or isinstance(operator, ast.Is | ast.IsNot):
                continue
            if value.path or value.is_code:
                continue
            if isinstance(operator, ast.In | ast.NotIn):
                if node is right:
                    self._values.operate(file, parent, value, "__contains__", left)
                else:
                    self._values.operate(file, parent, value, "__eq__")
            else:
                self._values.operate(file, parent, value, _COMPARISONS[type(operator)])

    def _operator(self, file: ModuleCode, parent: ast.BinOp, value: Tracked) -> None:
        name = _OPERATORS.get(type(parent.op))
        if value.path and isinstance(parent.op, ast.Add | ast.BitOr | ast.Mult):
            self._values.push(file, parent, value.anywhere)
        elif name is None or value.path or value.is_code:
            self._values.refuse(file, parent, value)
        else:
            self._values.operate(file, parent, value, f"__{name}__")

    def _subscript(self, file: ModuleCode, node: ast.AST, parent: ast.Subscript, value: Tracked) -> None:
        if node is parent.slice:
            if value.interface not in (FILE, CLASS):
                self._values.refuse(file, parent, value)
        elif value.path:
            place = parent.slice.value if isinstance(parent.slice, ast.Constant) else None
            if isinstance(parent.slice, ast.Slice):
                self._values.push(file, parent, value.anywhere)
            elif isinstance(parent.ctx, ast.Load):
                self._values.element(file, parent, value, place if isinstance(place, int) and place >= 0 else None)
        elif isinstance(parent.ctx, ast.Load):
            self._values.operate(file, parent, value, "__getitem__", parent.slice)
        else:
            name = "__setitem__" if isinstance(parent.ctx, ast.Store) else "__delitem__"
            self._values.operate(file, parent, value, name)

    def _augmented(self, file: ModuleCode, parent: ast.AugAssign, value: Tracked) -> None:
        """`a += b`: the value of `b` is used, and what `a` stands for may have it now."""
        if value.path or value.interface == FILE:
            self._values.assign(file, parent.target, value)
        else:
            self._values.operate(file, parent.value, value, "__iter__")
            if not value.is_code:
                self._values.assign(file, parent.target, value)

    # -- functions -----------------------------------------------------------------------------------------------

    def _default(self, file: ModuleCode, node: ast.AST, arguments: ast.arguments, value: Tracked) -> None:
        function = file.parent(arguments)
        for parameter, default in defaults(arguments):
            if default is node:
                self._values.store((function, parameter.arg), value)

    def _returns(self, file: ModuleCode, parent: ast.AST, value: Tracked) -> None:
        function = file.function(parent)
        if function is None:
            self._values.refuse(file, parent, value)
        elif isinstance(function, ast.Lambda):
            self._values.push(file, function, Tracked(FUNCTION, of=value))
        else:
            self._values.result(file, function, value)
            if isinstance(parent, ast.Yield):
                names = {name for name, _ in decorators(function)}
                if "fixture" not in names and not any("contextmanager" in name for name in names):
                    self._values.result(file, function, value.held(None))

    # -- attributes ----------------------------------------------------------------------------------------------

    def _attribute(self, file: ModuleCode, node: ast.Attribute, value: Tracked) -> None:
        if value.path:
            self._of_collection(file, node, value)
        elif value.interface == CLASS and node.attr == "read_only":
            self._values.push(file, node, Tracked(CLASS, member=value.member))
        elif value.is_code:
            if node.attr not in ("__name__", "__doc__"):
                self._values.refuse(file, node, value)
        elif isinstance(node.ctx, ast.Load):  # the code itself sets any other attribute
            self._values.member(file, node, value, node.attr)

    def _of_collection(self, file: ModuleCode, node: ast.Attribute, value: Tracked) -> None:
        call = file.parent(node)
        if not (isinstance(call, ast.Call) and call.func is node):
            self._values.refuse(file, node, value)
        elif node.attr in _ELEMENT:
            self._values.element(file, call, value)
        elif node.attr in _ALIKE:
            self._values.push(file, call, value)
        elif node.attr in ("items", "popitem"):
            self._values.element(file, call, value, held=(None, 1) if node.attr == "items" else (1,))
        elif node.attr not in _IDLE:
            self._values.refuse(file, call, value)
