"""What a use of a graph reads: from the entry of the table, the arguments of the call, and the paths in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from kgprobe.errors import InputError
from kgprobe.rdf.terms import RDF
from kgprobe.selection.discovery.python.evaluation import Evaluator
from kgprobe.selection.discovery.python.interfaces import Reading, Reads
from kgprobe.selection.discovery.python.modules import Module, called_name, root_name
from kgprobe.selection.discovery.python.scopes import Bound, Parameter, Scope
from kgprobe.selection.discovery.python.sql_calls import Asked, OrmReader, SqlCalls
from kgprobe.selection.discovery.python.tracking import Tracked
from kgprobe.selection.discovery.python.values import Iri, Values
from kgprobe.selection.discovery.python.variables import Calls, ModuleCode
from kgprobe.selection.vocabulary import Vocabulary, names_of
from kgprobe.sparql.reading import looks_like_query, read_query
from kgprobe.sparql.uses import ANYTHING, AnyUse, Slot, TripleUse, Use

_DEEPEST: Final = 20
_LONGEST: Final = 2000
_MOST_STEPS: Final = 300  # for one path: a parameter may have many callers, and so may theirs
_BRACKETS: Final = re.compile(r"<[^<>]*>|[()]")
_REPETITIONS: Final = {"ZeroOrMore": "*", "OneOrMore": "+", "ZeroOrOne": "?"}
_CLASSES: Final = {"SequencePath": "/", "AlternativePath": "|"}
# The parts of the results of these are nodes of the graph, and not paths.
_NODES: Final = frozenset(
    [
        *("triples", "predicates", "predicate_objects", "subject_predicates", "objects", "subjects", "quads"),
        *("subject_objects", "value", "quads_for_pattern"),
    ]
)


def shown(node: ast.AST) -> str:
    """The code of a node on one line, shortened."""
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):
        return ""
    return text if len(text) <= 80 else f"{text[:79]}…"


@dataclass(frozen=True)
class Patterns:
    """The expressions at the three positions of a pattern. None stands for any term."""

    subject: ast.expr | None = None
    predicate: ast.expr | None = None
    object: ast.expr | None = None
    is_closure: bool = False  # from one end along the predicate, any number of times


class PatternReader:
    """Reads patterns in the code of one test, whose calls are known."""

    def __init__(self, evaluator: Evaluator, calls: Calls) -> None:
        self._evaluator = evaluator
        self._calls = calls
        self._steps = 0

    def uses(self, given: Patterns, scope: Scope, node: ast.expr, *, has_paths: bool) -> list[Use]:
        """The uses of a pattern that stands in an expression. Not every library has paths."""
        subject, object_ = (self._slot(part, scope) for part in (given.subject, given.object))
        place = (shown(node), node.lineno)
        predicate = self._slot(given.predicate, scope)
        is_any = given.predicate is None or (isinstance(given.predicate, ast.Constant) and not given.predicate.value)
        if not given.is_closure and (predicate.terms is not None or is_any or not has_paths):
            return [TripleUse(subject, predicate, object_, text=place[0], line=place[1])]
        self._steps = 0
        path = None if given.predicate is None else self._path(given.predicate, scope, 0)
        if path is None or len(path) > _LONGEST:
            return [AnyUse(*place)]
        if path == "":
            return [TripleUse(subject, ANYTHING, object_, text=place[0], line=place[1])]
        return _uses_of_path(subject, f"({path})*" if given.is_closure else path, object_, place)

    def _values(self, node: ast.expr, scope: Scope) -> Values:
        for part in ast.walk(node):
            is_own = isinstance(part, ast.Attribute) and getattr(part.value, "id", "") in ("self", "cls")
            if is_own and not self._calls.is_fixed(getattr(part, "attr", "")):
                return None
        return self._evaluator.values(node, scope)

    def _slot(self, node: ast.expr | None, scope: Scope) -> Slot:
        values = None if node is None else self._values(node, scope)
        if not values or not all(isinstance(value, Iri) for value in values):
            return ANYTHING
        return Slot(frozenset(names_of(str(value) for value in values)))

    # -- paths ---------------------------------------------------------------------------------------------------

    def _path(self, node: ast.expr, scope: Scope, depth: int) -> str | None:
        """The path in SPARQL; "" for any predicate that is not a path; None if it is unknown."""
        self._steps += 1
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            return None
        values = self._values(node, scope)
        if values and all(isinstance(value, Iri) for value in values):
            return "|".join(f"<{name.value}>" for name in names_of(str(value) for value in values)) or None
        if values and all(value is None or isinstance(value, str) for value in values):
            return ""
        match node:
            case ast.BinOp():
                return self._operation(node, scope, depth)
            case ast.UnaryOp(op=ast.Invert() | ast.USub() as operator, operand=inner):
                return self._marked("^" if isinstance(operator, ast.Invert) else "!", inner, scope, depth)
            case ast.IfExp():
                return self._joined("|", (node.body, node.orelse), scope, depth)
            case ast.Call():
                return self._made(node, scope, depth)
            case ast.Name():
                return self._named(node.id, scope, depth)
            case ast.Subscript(value=ast.Name(id=name)):
                return self._in_table(name, scope, depth)
        return None

    def _in_table(self, name: str, scope: Scope, depth: int) -> str | None:
        """The path of an item of a dictionary: one of its values."""
        values: list[tuple[ast.expr, Scope]] = []
        for binding, module, top in self._evaluator.sources(name, scope):
            if not (isinstance(binding, Bound) and isinstance(binding.value, ast.Dict) and not binding.path):
                return None
            values += [(value, scope if top is None else Scope(module)) for value in binding.value.values]
        paths = [self._path(each, place, depth + 1) for each, place in values]
        return "|".join(f"({path})" for path in paths) if paths and all(paths) else None

    def _operation(self, node: ast.BinOp, scope: Scope, depth: int) -> str | None:
        if isinstance(node.op, ast.Mult):
            return self._repeated(node.left, node.right, scope, depth)
        sign = {ast.Div: "/", ast.BitOr: "|"}.get(type(node.op))
        return None if sign is None else self._joined(sign, (node.left, node.right), scope, depth)

    def _joined(self, sign: str, parts: Iterable[ast.expr], scope: Scope, depth: int) -> str | None:
        paths = [self._path(part, scope, depth + 1) for part in parts]
        return sign.join(f"({path})" for path in paths) if paths and all(paths) else None

    def _repeated(self, inner: ast.expr, by: ast.expr, scope: Scope, depth: int) -> str | None:
        path = self._path(inner, scope, depth + 1)
        signs = self._evaluator.values(by, scope)
        if signs and all(sign in ("*", "+", "?") for sign in signs):
            sign = str(signs[0]) if len(signs) == 1 else "*"
        else:
            name = by.attr if isinstance(by, ast.Attribute) else by.id if isinstance(by, ast.Name) else ""
            sign = _REPETITIONS.get(name, "")
        return f"({path}){sign}" if path and sign else None

    def _marked(self, sign: str, inner: ast.expr, scope: Scope, depth: int) -> str | None:
        path = self._path(inner, scope, depth + 1)
        if not path:
            return None
        # A negated set has predicates and their inverses only; every other path would not be SPARQL.
        return f"!({_without_brackets(path)})" if sign == "!" else f"^({path})"

    def _made(self, node: ast.Call, scope: Scope, depth: int) -> str | None:
        name = called_name(node)
        if any(isinstance(argument, ast.Starred) for argument in node.args) or node.keywords:
            return None
        if name in _NODES:
            return ""
        if name in _CLASSES:
            return self._joined(_CLASSES[name], node.args, scope, depth)
        if name == "InvPath" and len(node.args) == 1:
            return self._marked("^", node.args[0], scope, depth)
        if name == "NegatedPath" and len(node.args) == 1:
            return self._marked("!", node.args[0], scope, depth)
        if name == "MulPath" and len(node.args) == 2:
            return self._repeated(node.args[0], node.args[1], scope, depth)
        return None

    def _named(self, name: str, scope: Scope, depth: int) -> str | None:
        """The path of a variable: one of those that it may have."""
        choices: list[str | None] = []
        for binding, module, top in self._evaluator.sources(name, scope):
            place = scope if top is None else Scope(module)
            match binding:
                case Bound(value=value, path=()):
                    choices.append(self._path(value, place, depth + 1))
                case Bound(value=ast.Call() as call) if called_name(call) in _NODES:
                    choices.append("")
                case Bound(value=ast.Tuple() | ast.List() as written, path=(None,)):
                    choices += [self._path(element, place, depth + 1) for element in written.elts]
                case Parameter():
                    given = self._calls.callers(binding)
                    choices += [None] if given is None else [self._path(*caller, depth + 1) for caller in given]
                case _:
                    choices.append(None)
        if not choices or None in choices:
            return None
        if "" in choices:
            return "" if not any(choices) else None
        return "|".join(f"({path})" for path in dict.fromkeys(choices))


def _without_brackets(path: str) -> str:
    return _BRACKETS.sub(lambda found: found[0] if found[0][0] == "<" else "", path)


def _uses_of_path(subject: Slot, path: str, object_: Slot, place: tuple[str, int]) -> list[Use]:
    ends, values = [], ""
    for name, slot in (("?subject", subject), ("?object", object_)):
        terms = sorted(f"<{term.value}>" for term in slot.terms or ())
        ends.append(terms[0] if len(terms) == 1 else name)
        values += f" VALUES {name} {{ {' '.join(terms)} }}" if len(terms) > 1 else ""
    if _is_empty(subject) or _is_empty(object_):
        return []
    try:
        query = read_query(f"SELECT * WHERE {{{values} {ends[0]} {path} {ends[1]} }}")
    except InputError:  # not a path of SPARQL
        return [AnyUse(*place)]
    if query.unseen:
        return [AnyUse(*place)]
    return [replace(use, text=place[0], line=place[1]) for use in query.uses]


def _is_empty(slot: Slot) -> bool:
    """Whether a slot allows no term."""
    return slot.terms is not None and not slot.terms


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


# -- readings ----------------------------------------------------------------------------------------------------------


_SHORT: Final = {"s": "subject", "p": "predicate", "o": "object"}
_QUERY_NAMES: Final = ("query", "query_object", "update_object", "update", "queryString")
NO_GRAPHS: Final = ("session", "db", "df", "frame")
"""The ends of names that hardly mean a graph; what they stand for has a method `query`, too."""
_LISTS: Final = tuple(Slot(frozenset([node])) for node in (RDF.first, RDF.rest))


class GraphReader:
    """Notes what uses read."""

    def __init__(
        self,
        evaluator: Evaluator,
        vocabulary: Vocabulary,
        found: FlowFindings,
        calls: Calls,
    ) -> None:
        self._evaluator = evaluator
        self._vocabulary = vocabulary
        self._found = found
        self._patterns = PatternReader(evaluator, calls)
        self._sql_calls = SqlCalls(evaluator, calls)
        self._orm = OrmReader(evaluator)

    def read(
        self, reading: Reading, file: ModuleCode, node: ast.AST, value: Tracked, name: str, given: ast.expr | None
    ) -> None:
        """Note what a use reads. `given` is its call, or the operand of its operator."""
        line = getattr(node, "lineno", None)
        match reading.reads:
            case Reads.NOTHING:
                return
            case Reads.EVERYTHING:
                self._found.uses.append(AnyUse(shown(node), line))
            case Reads.LIST:
                self._found.uses += [
                    TripleUse(ANYTHING, predicate, ANYTHING, text=shown(node), line=line) for predicate in _LISTS
                ]
            case Reads.PATTERN | Reads.CLOSURE:
                self._pattern(reading, file, node, value, given)
            case Reads.TRIPLE:
                self._triple(file, node, value, given)
            case Reads.SLICE:
                self._slice(reading, file, node, value, given)
            case Reads.QUERY | Reads.UPDATE:
                self._text(reading, file, node, given)
            case Reads.NAME:
                self._name(file, node, name, given)
            case Reads.SQL:
                self._sql(file, node, given)

    # -- patterns ------------------------------------------------------------------------------------------------

    def _note(self, given: Patterns, file: ModuleCode, node: ast.AST, value: Tracked) -> None:
        parts = [given.subject, given.predicate, given.object]
        uses = self._patterns.uses(given, file.scope(node), node, has_paths="oxigraph" not in value.interface)  # type: ignore[arg-type]
        self._found.uses += [_whole_if_open(use) for use in uses]
        self._claim(*parts)

    def _claim(self, *nodes: ast.AST | None) -> None:
        for node in nodes:
            if node is not None:
                self._found.claimed.update(map(id, ast.walk(node)))

    def _pattern(
        self, reading: Reading, file: ModuleCode, node: ast.AST, value: Tracked, given: ast.expr | None
    ) -> None:
        if not isinstance(given, ast.Call):
            self._found.uses.append(AnyUse(shown(node), getattr(node, "lineno", None)))
            return
        is_packed = any(isinstance(argument, ast.Starred) for argument in given.args)
        if is_packed or any(keyword.arg is None for keyword in given.keywords):
            self._found.uses.append(AnyUse(shown(node), given.lineno))
            return
        parts: dict[str, ast.expr] = dict(zip(reading.places, given.args, strict=False))
        for keyword in given.keywords:
            name = _SHORT.get(keyword.arg or "", keyword.arg or "")
            if name in ("subject", "predicate", "object"):
                parts[name] = keyword.value
        self._note(Patterns(**parts, is_closure=reading.reads is Reads.CLOSURE), file, node, value)

    def _triple(self, file: ModuleCode, node: ast.AST, value: Tracked, given: ast.expr | None) -> None:
        if isinstance(given, ast.Call):
            only = given.args[0] if given.args else None
            given = given.keywords[0].value if only is None and len(given.keywords) == 1 else only
        parts = given.elts if isinstance(given, ast.Tuple | ast.List) else []
        if len(parts) in (3, 4) and not any(isinstance(part, ast.Starred) for part in parts):
            self._note(Patterns(parts[0], parts[1], parts[2]), file, node, value)
            return
        self._found.uses.append(AnyUse(shown(node), getattr(node, "lineno", None)))

    def _slice(self, reading: Reading, file: ModuleCode, node: ast.AST, value: Tracked, given: ast.expr | None) -> None:
        parts: dict[str, ast.expr | None] = {}
        places = reading.places or ("subject", "predicate", "object")
        if isinstance(given, ast.Slice):
            parts = dict(zip(places, (given.lower, given.upper, given.step), strict=False))
        elif isinstance(given, ast.expr):
            parts = {places[0]: given}
        pattern = Patterns(parts.get("subject"), parts.get("predicate"), parts.get("object"))
        self._note(pattern, file, node, value)

    # -- queries and names ---------------------------------------------------------------------------------------

    def _text(self, reading: Reading, file: ModuleCode, node: ast.AST, given: ast.expr | None) -> None:
        is_update = reading.reads is Reads.UPDATE
        line = getattr(node, "lineno", 0)
        text = given.args[0] if isinstance(given, ast.Call) and given.args else None
        if isinstance(given, ast.Call) and text is None:
            text = next((keyword.value for keyword in given.keywords if keyword.arg in _QUERY_NAMES), None)
        texts = None if text is None else self._evaluator.texts(text, file.scope(node))
        if texts is None and not is_update and isinstance(given, ast.Call) and text is not None:
            is_method = isinstance(given.func, ast.Attribute)
            if is_method and not (root_name(given.func) or "").lower().endswith(NO_GRAPHS):
                return  # the reader of queries takes care of it
        if texts is None:
            what = "an update" if is_update else "a query"
            self._found.unseen.append((f"{what} is built when the test runs", line, file.module))
            return
        for query in texts:
            is_read = isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and looks_like_query(query)
            if is_update:
                self._found.updates.append((query, line, file.module))
            elif not is_read:
                self._found.queries.append((query, line, file.module))

    def _sql(self, file: ModuleCode, node: ast.AST, given: ast.expr | None) -> None:
        line = getattr(node, "lineno", 0)
        if isinstance(given, ast.Call) and not (given.args or given.keywords):
            return  # `answer.scalars()`
        asked = self._sql_calls.asked(given, file.scope(node)) if isinstance(given, ast.Call) else None
        if asked is None and isinstance(given, ast.Call):
            statement = self._orm.statement(given, file)
            asked = None if statement is None else [Asked(statement, ())]
        if asked is None:
            what = f"kgprobe does not know what `{shown(node)}` asks a database"
            self._found.unseen.append((what, line, file.module))
            return
        self._found.sql += [(sql, line, file.module) for sql in asked if not looks_like_query(sql.text)]
        self._found.asks_sql = True
        sql = self._sql_calls.sql_of(given) if isinstance(given, ast.Call) else None
        if sql is not None:
            self._found.claimed.add(id(given))
            self._found.asked_sql += [
                (sql, file.module),
                *((each, scope.module) for each, scope in self._sql_calls.given),
            ]

    def _name(self, file: ModuleCode, node: ast.AST, name: str, given: ast.expr | None) -> None:
        """A member that is the name of a term."""
        line = getattr(node, "lineno", 0)
        names = (name,) if given is None else self._evaluator.texts(given, file.scope(node))
        found = [term for said in names or () for term in self._vocabulary.resolve(said)]
        if not found:
            self._found.unseen.append((f"kgprobe does not know what `{shown(node)}` reads", line, file.module))
        self._found.named += [(term.value, line) for term in found]
        self._claim(given)


def _whole_if_open(use: Use) -> Use:
    """A pattern that names no term matches everything."""
    if isinstance(use, TripleUse) and use.subject.terms is use.predicate.terms is use.object.terms is None:
        return use if use.conditions else AnyUse(use.text, use.line)
    return use
