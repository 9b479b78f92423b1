"""Where the values of a graph are in the code of one test: at expressions, in variables, and in results of functions.

The value of a variable is at every expression that reads it. What an operation on a value reads is noted here, too.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Sequence

from kgprobe.selection.discovery.python.fixtures import decorators, fixture_names
from kgprobe.selection.discovery.python.graph_reading import FlowFindings, GraphReader, shown
from kgprobe.selection.discovery.python.interfaces import (
    ANSWER,
    ANY_GRAPH,
    CONTENT,
    FILE,
    INTERFACES,
    SAME,
    Reading,
    Reads,
)
from kgprobe.selection.discovery.python.modules import FUNCTIONS, Function, called_name, root_name
from kgprobe.selection.discovery.python.tracking import FUNCTION, METHOD, Code, Tracked, TrackedCode
from kgprobe.selection.discovery.python.variables import (
    ATTRIBUTE,
    FIXTURE_BY_NAME,
    Callable_,
    Calls,
    JoinedIndex,
    ModuleCode,
    Variable,
)
from kgprobe.sparql.uses import AnyUse


class Propagation:
    """The places of values in the code of one test. `pending` are those that have not been followed yet."""

    def __init__(self, codes: Sequence[Code], tracked: TrackedCode) -> None:
        self.found = FlowFindings()
        self.index = JoinedIndex([(code.file, code.index) for code in codes])
        self.evaluator = tracked.evaluator
        self.calls = Calls(self.index, self.evaluator.modules, tracked.file)
        self._reader = GraphReader(tracked.evaluator, tracked.vocabulary, self.found, self.calls)
        self._codes = codes
        self.pending: deque[tuple[ModuleCode, ast.AST, Tracked]] = deque()
        self.seen: set[tuple[ast.AST, Tracked]] = set()
        self.stored: set[tuple[Variable, Tracked]] = set()
        self._returned: set[tuple[Callable_, Tracked]] = set()
        self._subclasses: set[ast.ClassDef | None] = set()

    def push(self, file: ModuleCode, node: ast.AST, value: Tracked) -> None:
        """An expression has a value."""
        if (node, value) not in self.seen:
            self.seen.add((node, value))
            self.pending.append((file, node, value))

    def refuse(self, file: ModuleCode, node: ast.AST, value: Tracked) -> None:
        """Note a use that is not understood."""
        line = getattr(node, "lineno", 0)
        if value.interface == ANSWER:
            return
        if value.interface in (FILE, CONTENT):
            reason = f"the file in `{shown(node)}` may be read in a way that kgprobe does not know"
            self.found.vaguely_unseen.append((reason, line, file.module))
        else:
            self.found.unseen.append((f"kgprobe does not know what `{shown(node)}` reads", line, file.module))

    # -- variables -----------------------------------------------------------------------------------------------

    def assign(self, file: ModuleCode, target: ast.expr, value: Tracked) -> None:
        """The target of an assignment gets a value."""
        match target:
            case ast.Name(id=name):
                variable = file.variable(name, target)
                if variable is None:
                    self.refuse(file, target, value)
                else:
                    self.store(variable, value)
            case ast.Attribute():
                self._set_attribute(file, target, value)
            case ast.Subscript(value=holder):
                self.hold(file, holder, value)
            case ast.Starred(value=inner):
                self.assign(file, inner, value)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                self._unpack(file, target, elements, value)
            case _:
                self.refuse(file, target, value)

    def _set_attribute(self, file: ModuleCode, target: ast.Attribute, value: Tracked) -> None:
        alias, root = file.alias(target.value), root_name(target)
        if alias is not None:
            self.store((alias.file, target.attr), value)
        elif root is not None and file.imported(root, target) is not None:
            self.refuse(file, target, value)
        else:
            self.store((ATTRIBUTE, target.attr), value)

    def _unpack(self, file: ModuleCode, target: ast.expr, elements: list[ast.expr], value: Tracked) -> None:
        held = value if value.path else self.reading(file, target, value, "__iter__")
        has_spread = any(isinstance(element, ast.Starred) for element in elements)
        for place, element in enumerate(elements) if held is not None else ():
            inner = held.inside(None if has_spread else place)  # type: ignore[union-attr]
            if inner is not None:
                self.assign(file, element, inner.held(None) if isinstance(element, ast.Starred) else inner)

    def hold(self, file: ModuleCode, holder: ast.expr, value: Tracked) -> None:
        """Note that a collection has a value."""
        match holder:
            case ast.Name() | ast.Attribute():
                self.assign(file, holder, value.held(None))
            case ast.Subscript(value=outer):
                self.hold(file, outer, value.held(None))
            case ast.Call(func=ast.Attribute(value=outer, attr="setdefault")):
                self.hold(file, outer, value.held(None))
            case _:
                self.refuse(file, holder, value)

    def store(self, variable: Variable, value: Tracked) -> None:
        """A variable has a value: so has every expression that reads the variable."""
        if (variable, value) in self.stored:
            return
        self.stored.add((variable, value))
        owner, name = variable
        for file, name_node in self.index.at("names", variable):
            self.push(file, name_node, value)
        for file, attribute in self.index.at("attributes", name):
            if owner == ATTRIBUTE or ((alias := file.alias(attribute.value)) is not None and alias.file == owner):
                self.push(file, attribute, value)
        for code in self._codes if owner == ATTRIBUTE else ():
            for call in code.index.named_attributes:
                at = 1 if called_name(call) == "getattr" else 0
                names = self.evaluator.texts(call.args[at], code.file.scope(call)) if len(call.args) > at else None
                if names is None or any(name in path.split(".") for path in names):
                    self.push(code.file, call, Tracked(FUNCTION, of=value) if at == 0 else value)

    # -- functions and classes -----------------------------------------------------------------------------------

    def result(self, file: ModuleCode, function: Function, value: Tracked) -> None:
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
                self.refuse(file, function, value)
            return
        is_property = any("property" in decorator for decorator, _ in decorators(function))
        as_function = Tracked(FUNCTION, of=value)
        for where, call in self.index.at("calls", function):
            self.push(where, call, value)
        for where, reference in self.index.at("references", function):
            self.push(where, reference, as_function)
        for where, attribute in self.index.at("attributes", name):
            if owner is not None or where.alias(attribute.value) is not None:
                self.push(where, attribute, value if is_property else as_function)

    def _given_by_fixture(self, file: ModuleCode, function: Function, value: Tracked) -> None:
        for name in fixture_names(function, file.scope(function)):
            for _, user in self.index.at("parameters", name):
                self.store((user, name), value)
            for where, call in self.index.at("method_calls", FIXTURE_BY_NAME):
                asked = self.evaluator.texts(call.args[0], where.scope(call)) if call.args else None
                if asked is None or name in asked:
                    self.push(where, call, value)

    def subclass(self, owner: ast.ClassDef, value: Tracked) -> None:
        """A class of the project is a graph: so are its objects, and `self` in its methods."""
        self._subclasses.add(owner)
        for statement in owner.body:
            if isinstance(statement, FUNCTIONS) and statement.args.args:
                self.store((statement, statement.args.args[0].arg), Tracked(value.member))
        for where, reference in self.index.at("class_names", owner):
            self.push(where, reference, value)

    def element(
        self, file: ModuleCode, at: ast.AST, value: Tracked, place: int | None = None, held: tuple[int | None, ...] = ()
    ) -> None:
        """The element at a place of a collection, held at other places, is the value of an expression."""
        inner = value.inside(place)
        if inner is not None:
            self.push(file, at, inner.held(*held))

    def iterate(self, file: ModuleCode, node: ast.AST, target: ast.expr, value: Tracked) -> None:
        """A loop gives the target each element of a value."""
        if not value.path:
            result = self.reading(file, node, value, "__iter__")
            if result is None:
                return
            value = result
        inner = value.inside(None)
        if inner is not None:
            self.assign(file, target, inner)

    # -- operations ----------------------------------------------------------------------------------------------

    def truth(self, node: ast.AST, value: Tracked) -> None:
        """A condition asks whether a value is true."""
        if value.path or value.is_code:
            return
        reading = entry(value.interface, "__bool__")
        if reading is None or reading.reads is not Reads.NOTHING:
            self.found.vague.append(AnyUse(shown(node), getattr(node, "lineno", None)))

    def member(self, file: ModuleCode, node: ast.expr, value: Tracked, name: str) -> None:
        """An expression is a member of a value."""
        reading = entry(value.interface, name)
        if reading is None:
            if not self._is_of_project(name, value):
                parent = file.parent(node)
                self.refuse(file, parent if isinstance(parent, ast.Call) and parent.func is node else node, value)
        elif reading.is_attribute:
            self.use(file, node, value, name, reading, None)
        else:
            self.push(file, node, Tracked(METHOD, member=name, of=value))

    def _is_of_project(self, name: str, value: Tracked) -> bool:
        """Whether a member is one of a class of the project, whose code is read anyway."""
        owners = (where.owner(function) for where, function in self.index.at("functions", name))
        # Whatever only sounds like a graph may be an object of any class.
        return any(owner in self._subclasses or (owner and value.interface == ANY_GRAPH) for owner in owners)

    def operate(
        self, file: ModuleCode, node: ast.expr, value: Tracked, operator: str, operand: ast.expr | None = None
    ) -> None:
        """Apply an operator, and follow its result."""
        if value.is_code:
            self.refuse(file, node, value)
            return
        result = self.reading(file, node, value, operator, operand)
        if result is not None:
            self.push(file, node, result)

    def reading(
        self, file: ModuleCode, node: ast.AST, value: Tracked, operator: str, operand: ast.expr | None = None
    ) -> Tracked | None:
        """Note what an operator reads; its result, if that is followed."""
        reading = entry(value.interface, operator)
        if reading is None:
            self.refuse(file, node, value)
            return None
        self._reader.read(reading, file, node, value, operator, operand)
        return _result_of(reading, value)

    def use(
        self, file: ModuleCode, node: ast.expr, value: Tracked, name: str, reading: Reading, call: ast.Call | None
    ) -> None:
        """Note what a use of a member reads, and follow its result."""
        self._reader.read(reading, file, node, value, name, call)
        result = _result_of(reading, value)
        if result is not None:
            self.push(file, node, result)


def entry(interface: str, member: str) -> Reading | None:
    """The entry of the table for a member; None if the use is not understood."""
    members = INTERFACES.get(interface, {})
    return members.get(member, members.get("*"))


def _result_of(reading: Reading, value: Tracked) -> Tracked | None:
    if not reading.result:
        return None
    return Tracked(value.interface if reading.result == SAME else reading.result, reading.path)
