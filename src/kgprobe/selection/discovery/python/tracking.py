"""The values that are followed through Python code, and where they begin."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kgprobe.selection.discovery.python.evaluation import Evaluator
from kgprobe.selection.discovery.python.interfaces import (
    ANY_GRAPH,
    CONSTRUCTORS,
    DATABASE,
    DATABASES,
    FILE,
    HARMLESS_NAMES,
    PLAIN_ROOMS,
    RECORDS,
    SQL_MEMBERS,
    is_database_name,
    member_of_library,
)
from kgprobe.selection.discovery.python.modules import FUNCTIONS, Function, Import, Module, called_name, root_name
from kgprobe.selection.discovery.python.scopes import RDF_LIBRARIES, Bound, known_namespace, with_bases
from kgprobe.selection.discovery.python.values import Iri
from kgprobe.selection.discovery.python.variables import CodeIndex, ModuleCode, Variable, parameters
from kgprobe.selection.discovery.sql_files import looks_like_sql
from kgprobe.selection.vocabulary import Vocabulary

GRAPH_FILES: Final = (
    *(".ttl", ".owl", ".rdf", ".obo", ".nt", ".nq", ".trig", ".jsonld", ".ofn", ".omn", ".owx", ".n3"),
)
"""The ends of the names of files with graphs."""

_SUFFIXES: Final = frozenset(suffix[1:] for suffix in GRAPH_FILES)
_READING: Final = frozenset(["open", "read_text", "read_bytes", "getline", "FileInput"])

CLASS: Final = "class"
METHOD: Final = "method"
FUNCTION: Final = "function"
UNKNOWN: Final = "unknown"
"""Interfaces that are not in the table: a class of it, a method of a tracked value, a function that returns a tracked
value, and a name of a library for graphs that the table does not have."""

_GRAPH: Final = re.compile(r"(?:.*_)?(?:graph|kg|onto|ontology|triplestore|knowledge_?graph)\d*", re.IGNORECASE)
# Names that are common, and mean a graph only in files that import an RDF library.
_PERHAPS: Final = re.compile(r"g\d?|ds|dataset|(?:.*_)?store")
_WORD: Final = re.compile(
    r"sparql|ontolog|triple|knowledge_?graph|(?:^|_)(?:kg|graphs?|onto|owl|rdf|rdfs|shacl|iris?)(?:_|\d|$)",
    re.IGNORECASE,
)
# Methods that hardly any other object has.
_DISTINCT: Final = frozenset(
    [
        *("value", "objects", "subjects", "predicates", "subject_objects", "predicate_objects", "subject_predicates"),
        *("quads_for_pattern", "transitive_objects", "transitive_subjects", "triples"),
    ]
)
# What these read is unknown before the code runs: names and code in texts.
_REFLECTION: Final = frozenset(
    ["eval", "exec", "globals", "locals", "vars", "__dict__", "modules", "astuple", "asdict", "getmembers"]
)
_IMPORTERS: Final = frozenset(["importorskip", "import_module", "__import__"])
_LONGEST_NAME: Final = 2000


@dataclass(frozen=True, slots=True)
class Tracked:
    """A value that is followed: its interface, and where it is inside of collections.

    In `path`, a number is a position, and None is any element. `member` is the interface of a CLASS, the name of a
    METHOD, or the name of something UNKNOWN; `of` is the object of a METHOD, or the result of a FUNCTION.
    """

    interface: str
    path: tuple[int | None, ...] = ()
    member: str = ""
    of: Tracked | None = None

    def held(self, *places: int | None) -> Tracked:
        """The value that has this one at these places."""
        return replace(self, path=(*places, *self.path))

    @property
    def is_code(self) -> bool:
        """Whether it is a class, a method or a function."""
        return self.interface in (CLASS, METHOD, FUNCTION)

    @property
    def anywhere(self) -> Tracked:
        """The same value at any place of the collection around it."""
        return replace(self, path=(None, *self.path[1:]))

    def inside(self, place: int | None) -> Tracked | None:
        """The element at a place; None if it is another one."""
        first = self.path[0]
        is_here = place is None or first is None or place == first
        return replace(self, path=self.path[1:]) if is_here else None


@dataclass(frozen=True, slots=True)
class Start:
    """Where a tracked value begins: at an expression, a variable, or the result of a function."""

    at: ast.expr | Variable | Function
    value: Tracked
    is_guess: bool = False  # it counts only if nothing else is known of the value


def is_graph_word(name: str) -> bool:
    """Whether a name suggests the use of a graph."""
    return _WORD.search(name) is not None


def is_graph_name(node: ast.expr, module: Module) -> bool:
    """Whether an expression is likely a graph, by its name."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if _GRAPH.fullmatch(name) is not None:
        return True
    return _PERHAPS.fullmatch(name) is not None and not RDF_LIBRARIES.isdisjoint(module.all_packages)


def starts(nodes: Iterable[ast.AST], code: ModuleCode, evaluator: Evaluator) -> Iterator[Start]:
    """All starts in some nodes of a file, and in all nodes in them."""
    finder = _Finder(code, evaluator)
    for root in nodes:
        for node in ast.walk(root):
            yield from finder.at(node)


class _Finder:
    def __init__(self, code: ModuleCode, evaluator: Evaluator) -> None:
        self._code = code
        self._evaluator = evaluator
        self._has_rdf = not RDF_LIBRARIES.isdisjoint(code.module.all_packages)
        self._stars = [star for star in code.module.stars if star.package in RDF_LIBRARIES]

    def at(self, node: ast.AST) -> Iterator[Start]:
        match node:
            case ast.Name(ctx=ast.Load()):
                yield from self._name(node)
            case ast.Attribute(ctx=ast.Load()):
                yield from self._attribute(node)
            case ast.Call():
                yield from self._call(node)
            case ast.Constant(value=str() as text):
                if text.lower().lstrip("*.") in _SUFFIXES and self._chooses_files(node):
                    yield Start(node, Tracked(UNKNOWN, member=f"the code of the files with {text}"))
                elif text.lower().endswith(GRAPH_FILES) and self._is_file_name(text):
                    yield Start(node, Tracked(FILE))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from self._annotated(node)

    def _is_file_name(self, text: str) -> bool:
        return "\n" not in text and len(text) <= _LONGEST_NAME and not text.startswith(("http://", "https://"))

    def _chooses_files(self, node: ast.Constant) -> bool:
        """Whether code compares the ends of file names with a text, and reads files itself: `path.suffix == ".ttl"`."""
        parent = self._code.parent(node)
        while isinstance(parent, ast.Tuple | ast.List | ast.Set):
            parent = self._code.parent(parent)
        is_call = isinstance(parent, ast.Call) and called_name(parent) in (
            "endswith",
            "fnmatch",
            "fnmatchcase",
            "match",
        )
        if not (is_call or isinstance(parent, ast.Compare)):
            return False
        place = self._code.function(node) or self._code.module.tree
        return any(
            isinstance(part, ast.Call) and called_name(part) in _READING and not self._is_for_graph(part)
            for part in ast.walk(place)
        )

    def _is_for_graph(self, node: ast.Call) -> bool:
        """Whether a graph takes what a call reads."""
        return any(
            isinstance(outer, ast.Call) and called_name(outer) in ("parse", "load", "bulk_load")
            for outer, _ in self._code.around(node)
            if isinstance(outer, ast.expr)
        )

    # -- names ---------------------------------------------------------------------------------------------------

    def _name(self, node: ast.Name) -> Iterator[Start]:
        found = self._evaluator.sources(node.id, self._code.scope(node))
        for source in found:
            if isinstance(source.binding, Import):
                yield from self._imported(node, source.binding)
            elif isinstance(source.binding, ast.ClassDef) and self._is_record(source.binding, source.module):
                yield from self._of_records(node)
        if not found and self._stars and not hasattr(builtins, node.id):
            for star in self._stars:
                yield from self._library(node, f"{star.module}.{node.id}")
        is_graph = is_graph_name(node, self._code.module) and not self._is_called(node)
        if is_graph and all(self._may_be_graph(source.binding, node) for source in found):
            yield Start(node, Tracked(ANY_GRAPH), is_guess=True)

    def _is_record(self, owner: ast.ClassDef, module: Module) -> bool:
        """Whether the objects of a class are rows of a table, which the class itself asks for: `Dish.objects`."""
        for each, place in with_bases(owner, module, self._evaluator.modules):
            for base in each.bases:
                imported = place.imports.get(root_name(base) or "")
                if imported is not None and imported.package in RECORDS:
                    return True
        return False

    def _of_records(self, node: ast.Name) -> Iterator[Start]:
        outer = self._code.parent(node)
        if isinstance(outer, ast.Attribute) and not outer.attr.startswith("_"):
            yield Start(outer, Tracked(UNKNOWN, member=f"{node.id}.{outer.attr}(…)"))

    def _imported(self, node: ast.expr, imported: Import) -> Iterator[Start]:
        name = ".".join(filter(None, (imported.module, imported.attribute)))
        if imported.package in RDF_LIBRARIES:
            yield from self._library(node, name)
        elif imported.package in DATABASES:
            yield from self._database(node, name)

    def _database(self, node: ast.expr, name: str) -> Iterator[Start]:
        """A name of a library for databases, continued along its attributes."""
        if self._is_annotation(node):
            return
        while True:
            outer = self._code.parent(node)
            found = member_of_library(name)
            is_longer = isinstance(outer, ast.Attribute)
            if found is not None and (found[0] != "unknown" or not is_longer):
                kind, what = found
                if kind == "maker":
                    yield Start(node, Tracked(CLASS, member=what))
                elif kind == "function":
                    yield Start(node, Tracked(METHOD, member=what, of=Tracked(DATABASE)))
                elif kind == "value":
                    yield Start(node, Tracked(what))
                else:
                    yield Start(node, Tracked(UNKNOWN, member=name))
                return
            if not isinstance(outer, ast.Attribute):
                return
            node, name = outer, f"{name}.{outer.attr}"

    def _library(self, node: ast.expr, name: str) -> Iterator[Start]:
        """A name of a library, continued along its attributes: `rdflib.graph.Graph`."""
        if self._is_annotation(node):
            return
        while True:
            found = _of_library(name)
            if found is not None:
                if found:
                    yield Start(node, Tracked(CLASS, member=found))
                return
            outer = self._code.parent(node)
            if not isinstance(outer, ast.Attribute):
                yield Start(node, Tracked(UNKNOWN, member=name))
                return
            node, name = outer, f"{name}.{outer.attr}"

    def _is_annotation(self, node: ast.AST) -> bool:
        for outer, part in self._code.around(node):
            if isinstance(outer, ast.arg):
                return True
            if isinstance(outer, (*FUNCTIONS, ast.AnnAssign)):
                return part is getattr(outer, "returns", None) or part is getattr(outer, "annotation", None)
            if isinstance(outer, ast.stmt):
                return False
        return False

    def _is_called(self, node: ast.AST) -> bool:
        parent = self._code.parent(node)
        return isinstance(parent, ast.Call) and parent.func is node

    def _may_be_graph(self, binding: object, node: ast.Name) -> bool:
        """Whether a name that sounds like a graph may be one. What the project itself makes is followed instead."""
        if isinstance(binding, Bound):
            scope = self._code.scope(node)
            if isinstance(binding.value, ast.Call):
                made = [source.binding for source in self._evaluator.sources(root_name(binding.value) or "", scope)]
                if isinstance(binding.value.func, ast.Name) and any(
                    isinstance(maker, (*FUNCTIONS, ast.ClassDef)) for maker in made
                ):
                    return False
                return not any(
                    isinstance(maker, Import) and maker.package in (_OTHER_GRAPHS | RDF_LIBRARIES) for maker in made
                )
            return not isinstance(binding.value, _LITERALS) and self._evaluator.values(binding.value, scope) is None
        return not isinstance(binding, (*FUNCTIONS, ast.ClassDef, Import))

    # -- attributes, calls and annotations -----------------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> Iterator[Start]:
        if node.attr in _REFLECTION and self._has_rdf and not self._is_called(node):
            yield Start(node, Tracked(UNKNOWN, member=node.attr))
        if (
            is_graph_name(node, self._code.module)
            and not self._is_called(node)
            and self._code.alias(node.value) is None
        ):
            root = node.value
            imported = self._code.imported(root.id, root) if isinstance(root, ast.Name) else None
            if imported is None:
                yield Start(node, Tracked(ANY_GRAPH), is_guess=True)

    def _call(self, node: ast.Call) -> Iterator[Start]:
        first = node.args[0] if node.args else None
        if called_name(node) in _IMPORTERS and isinstance(first, ast.Constant) and isinstance(first.value, str):
            if first.value.partition(".")[0] in RDF_LIBRARIES:
                yield from self._library(node, first.value)
        elif called_name(node) in (*_REFLECTION, *_IMPORTERS) and self._has_rdf:
            yield Start(node, Tracked(UNKNOWN, member=f"{called_name(node)}(…)"))
        elif isinstance(node.func, ast.Attribute) and node.func.attr in SQL_MEMBERS and self._asks_sql(node, node.func):
            yield Start(node.func.value, Tracked(DATABASE), is_guess=True)
        elif isinstance(node.func, ast.Attribute) and node.func.attr in _DISTINCT and self._names_term(node):
            owner = node.func.value
            yield Start(owner, Tracked(ANY_GRAPH), is_guess=True)
            variable = self._code.variable(owner.id, owner) if isinstance(owner, ast.Name) else None
            if variable is not None:
                yield Start(variable, Tracked(ANY_GRAPH), is_guess=True)

    def _asks_sql(self, node: ast.Call, called: ast.Attribute) -> bool:
        """Whether a call asks what is perhaps a database: `cursor.execute("SELECT …")`, or `cursor.execute(query)`."""
        if not node.args or self._code.alias(called.value) is not None:
            return False
        texts = self._evaluator.texts(node.args[0], self._code.scope(node))
        if texts is not None:
            return any(looks_like_sql(text) for text in texts)
        owner = called.value.attr if isinstance(called.value, ast.Attribute) else root_name(called.value) or ""
        return is_database_name(owner)

    def _names_term(self, node: ast.Call) -> bool:
        """Whether a term is among the arguments, alone or in a path or a triple."""
        scope = self._code.scope(node)
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            for part in ast.walk(argument):
                if isinstance(part, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
                    values = self._evaluator.values(part, scope)
                    if values and all(isinstance(value, Iri) for value in values):
                        return True
        return False

    def _annotated(self, node: Function) -> Iterator[Start]:
        for argument in parameters(node):
            for value in self._of_annotation(argument.annotation):
                yield Start((node, argument.arg), value)
        for value in self._of_annotation(node.returns):
            yield Start(node, value)

    def _of_annotation(self, node: ast.expr | None, depth: int = 0) -> Iterator[Tracked]:
        if node is None or depth > 5:
            return
        match node:
            case ast.Name() | ast.Attribute():
                interface = self._class_of(node)
                if interface:
                    yield Tracked(interface)
            case ast.Constant(value=str() as text):
                try:
                    written = ast.parse(text, mode="eval").body
                except (SyntaxError, ValueError):
                    return
                if isinstance(written, ast.Name):
                    found = _of_library(".".join(self._origin(written.id)))
                    if found:
                        yield Tracked(found)
            case ast.BinOp():
                yield from self._of_annotation(node.left, depth + 1)
                yield from self._of_annotation(node.right, depth + 1)
            case ast.Subscript():
                yield from self._of_subscript(node, depth)

    def _of_subscript(self, node: ast.Subscript, depth: int) -> Iterator[Tracked]:
        """`Optional[Graph]`, `list[Graph]`, and `Iterator[Graph]` of a fixture or a context manager."""
        name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        is_same = name in ("Optional", "Union", "Annotated", "Final", "ClassVar")
        is_made = name in ("Iterator", "Generator", "AsyncIterator", "AsyncGenerator")
        for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            for value in self._of_annotation(part, depth + 1):
                yield value if is_same else value.held(None)
                if is_made:
                    yield value

    def _class_of(self, node: ast.expr) -> str:
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return _of_library(".".join([*self._origin(node.id), *reversed(parts)])) or ""

    def _origin(self, name: str) -> list[str]:
        imported = self._code.module.imports.get(name)
        if imported is None or imported.package not in RDF_LIBRARIES:
            return [""]
        return [part for part in (imported.module, imported.attribute) if part]


_LITERALS: Final = (ast.Constant, ast.JoinedStr, ast.Dict, ast.DictComp, ast.Compare, ast.Lambda)
_OTHER_GRAPHS: Final = frozenset(["networkx", "igraph", "graph_tool", "collections", "json", "unittest"])


def _of_library(name: str) -> str | None:
    """The interface that a name of a library makes; "" if it has no graph; None if it is not in the table."""
    parts = name.split(".")
    key = f"{parts[0]}.{parts[-1]}"
    if len(parts) == 1 or not parts[0]:
        return None
    if key in CONSTRUCTORS:
        return CONSTRUCTORS[key]
    is_namespace = known_namespace(Import(parts[0], 0, parts[-1])) is not None
    is_plain = any(name == room or name.startswith(f"{room}.") for room in PLAIN_ROOMS)
    return "" if key in HARMLESS_NAMES or is_namespace or (is_plain and name not in PLAIN_ROOMS) else None


# -- the code of a project --------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Code:
    """Statements that belong together, their index, and the values that begin there."""

    file: ModuleCode
    index: CodeIndex
    starts: tuple[Start, ...]


class TrackedCode:
    """The code of a project for the flows of all tests. Every definition is indexed once."""

    def __init__(self, evaluator: Evaluator, vocabulary: Vocabulary) -> None:
        self.evaluator = evaluator
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
