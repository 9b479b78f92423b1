"""Searches the definitions of Python files for graph accesses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kgprobe.selection.discovery.python.evaluation import Evaluator
from kgprobe.selection.discovery.python.findings import (
    ANY_FIXTURE,
    BUILDERS,
    CallSite,
    Findings,
    ParametricText,
    Text,
    as_seen_by_caller,
    is_iri_in_parts,
    is_query_in_parts,
    parametric_text,
    skeleton,
    values_at_call,
)
from kgprobe.selection.discovery.python.graph_reading import NO_GRAPHS
from kgprobe.selection.discovery.python.modules import FUNCTIONS, Function, called_name, positional, root_name
from kgprobe.selection.discovery.python.scopes import Scope
from kgprobe.selection.discovery.python.tracking import is_graph_name, is_graph_word
from kgprobe.selection.discovery.python.values import FileText, Iri, NamespaceIri, Pairs, Value
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.sparql.reading import looks_like_query

# Functions and methods that take a query, in lower case and without underscores.
_ASKING: Final = frozenset(
    [
        *("query", "sparql", "runquery", "runsparql", "executequery", "executesparql", "execquery", "execsparql"),
        *("sparqlquery", "querygraph", "querystore", "queryendpoint", "setquery", "preparequery", "doquery"),
        *("sendquery", "askquery", "selectquery", "constructquery", "runselect", "runask", "runconstruct"),
    ]
)
_QUERY_KEYWORDS: Final = frozenset(["query", "query_object", "q", "sparql", "text", "query_string", "querystring"])
# Calls that create texts, terms, paths and namespaces. To evaluate all other calls would take too long.
_MAKERS: Final = frozenset(
    [
        *("dedent", "cleandoc", "Path", "PurePath", "open", "read", "read_text", "str", "join", "joinpath"),
        *("with_name", "with_suffix", "n3", "term", "URIRef", "NamedNode", "IRI", "Iri", "IRIRef", "UriRef"),
    ]
)
# Calls that load a file or a module, and the position of its name; built-in functions that run code.
_LOADING: Final = {
    **dict.fromkeys(("import_module", "__import__", "run_path", "run_module", "import_string", "locate"), 0),
    **dict.fromkeys(("spec_from_file_location", "SourceFileLoader", "load_source"), 1),
}
_RUNNING: Final = frozenset(["eval", "exec"])
_DOTTED: Final = re.compile(r"[A-Za-z_]\w*(?:[.:][A-Za-z_]\w*)+")
_LOADED: Final = "it runs code that is known only when the test runs"
_PREFIX_KEYWORDS: Final = frozenset(["initNs", "prefixes"])
_PREFIXES: Final = "the prefixes of a query are unknown before the test runs"
_LONGEST_NAME: Final = 200
_MADE: Final = "a query is built when the test runs"
_MADE_IRI: Final = "an IRI is built when the test runs"


def is_query_function(name: str) -> bool:
    """Whether a function likely takes a query, judging by its name."""
    return name.lower().replace("_", "") in _ASKING


class DefinitionReader:
    """Reads definitions, and finds their graph accesses."""

    def __init__(self, evaluator: Evaluator, vocabulary: Vocabulary) -> None:
        self.evaluator = evaluator
        self._vocabulary = vocabulary
        self._asked: dict[tuple[ParametricText, ast.Call], Findings] = {}

    def read(self, nodes: Iterable[ast.AST], scope: Scope) -> Findings:
        """The findings in statements or expressions that belong together."""
        visitor = _Visitor(self.evaluator, self._vocabulary, scope)
        for node in nodes:
            visitor.visit(node, scope)
        return visitor.found

    def asked(self, parametric: ParametricText, site: CallSite) -> Findings:
        """The findings in a parametric text at a call of its function."""
        key = (parametric, site.node)
        if key not in self._asked:
            visitor = _Visitor(self.evaluator, self._vocabulary, site.scope)
            visitor.asked_by(parametric, site)
            self._asked[key] = visitor.found
        return self._asked[key]


class _Visitor:
    def __init__(self, evaluator: Evaluator, vocabulary: Vocabulary, scope: Scope) -> None:
        self.found = Findings(scope)
        self._evaluator = evaluator
        self._vocabulary = vocabulary

    # -- statements ----------------------------------------------------------------------------------------------

    def visit(self, node: ast.AST, scope: Scope) -> None:
        """Visit a statement or an expression, and everything in it."""
        if isinstance(node, FUNCTIONS):
            self._function(node, scope)
        elif isinstance(node, ast.ClassDef):
            self.found.functions.add(node.name)
            for part in (*node.decorator_list, *node.bases, *node.keywords):
                self.visit(part, scope)
            for statement in node.body:
                self.visit(statement, Scope(scope.module, scope.function, node, scope.outer))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return  # a docstring
        elif isinstance(node, ast.expr):
            self._expression(node, scope)
        else:
            self._children(node, scope)

    def _children(self, node: ast.AST, scope: Scope) -> None:
        for child in ast.iter_child_nodes(node):
            self.visit(child, scope)

    def _function(self, node: Function, scope: Scope) -> None:
        self.found.functions.add(node.name)
        for part in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(part, scope)
        for argument in (*positional(node.args), *node.args.kwonlyargs):
            self._signal(argument.arg, node.lineno)
        inner = scope.within(node)
        for statement in node.body:
            self.visit(statement, inner)

    # -- expressions ---------------------------------------------------------------------------------------------

    def _expression(self, node: ast.expr, scope: Scope) -> None:
        match node:
            case ast.Constant():
                self._value(node.value, node, node)
            case ast.Name():
                self._refer(node.id, node.lineno, scope)
            case ast.JoinedStr() | ast.BinOp():
                self._built(node, scope)
            case ast.Call():
                self._call(node, scope)
            case ast.Attribute() | ast.Subscript():
                self._part(node, scope)
            case ast.Lambda():
                self.visit(node.body, scope)
            case _:
                self._children(node, scope)

    def _built(self, node: ast.expr, scope: Scope) -> None:
        """Read a text or a path that is built from parts."""
        values = self._evaluator.values(node, scope)
        if values:
            for value in values:
                self._value(value, node)
            self._note_parts(node, scope)
            self._references(node, scope)
            return
        known = skeleton(node, self._evaluator, scope)
        is_query = is_query_in_parts(known)
        if is_query:
            self._unknown(node, scope, _MADE, is_query=True)
            self._references(node, scope)
            return
        if is_iri_in_parts(known, self._vocabulary):
            self._unknown(node, scope, _MADE_IRI, is_query=False)
        self._children(node, scope)

    def _unknown(self, node: ast.expr, scope: Scope, reason: str, *, is_query: bool) -> None:
        """Note a query or an IRI of unknown value, which the callers of the function may determine."""
        if not is_query and not self._evaluator.modules.is_test_code(scope.module):
            return  # the software under test builds many IRIs; the queries of a test show which ones matter
        parametric = parametric_text(node, scope, self._evaluator, is_query=is_query)
        if parametric is not None:
            self.found.parametric_texts.append(parametric)
        else:
            self.found.unseen.append((reason, node.lineno, node))

    def _part(self, node: ast.Attribute | ast.Subscript, scope: Scope) -> None:
        values = self._evaluator.values(node, scope)
        if values and all(isinstance(value, Iri) for value in values):
            for value in values:
                self._value(value, node)
            self._references(node, scope)
            return
        if isinstance(node, ast.Subscript):
            bases = self._evaluator.values(node.value, scope)
            if bases and any(isinstance(base, NamespaceIri) for base in bases):
                self._unknown(node, scope, _MADE_IRI, is_query=False)
        else:
            self._attributes(node, scope)
        if isinstance(node, ast.Attribute):
            self._signal(node.attr, node.lineno)
        self._children(node, scope)

    def _attributes(self, node: ast.Attribute, scope: Scope) -> None:
        """Note `self.graph` and `menu.graph`, or a longer chain."""
        names: list[str] = []
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            names.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            self.found.attributes[inner.id, tuple(reversed(names))] = scope
            if inner.id in ("self", "cls"):
                self.found.members.add(names[-1])

    # -- calls ---------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call, scope: Scope) -> None:
        name = called_name(node)
        self.found.calls[name].append(CallSite(node, scope))
        self._prefix_calls(node, scope)
        if name == "bind" and len(node.args) == 2:
            self._references(node, scope)
            return
        self._code_calls(node, scope)
        if is_query_function(name):
            self._asked(node, scope, is_method=isinstance(node.func, ast.Attribute))
        if name in BUILDERS:
            self._built(node, scope)
            return
        values = self._evaluator.values(node, scope) if name in _MAKERS or name.endswith("Namespace") else None
        if values:
            for value in values:
                self._value(value, node)
            self._references(node, scope)
            return
        if name == "getattr" and node.args and self._evaluator.values(node.args[0], scope):
            self._unknown(node, scope, _MADE_IRI, is_query=False)
        self._children(node, scope)

    def _code_calls(self, node: ast.Call, scope: Scope) -> None:
        """Note calls that run code which is named in a text: `import_module("app.menu")`, `run_path("app/menu.py")`."""
        name = called_name(node)
        is_built_in = isinstance(node.func, ast.Name) and name in _RUNNING
        if not is_built_in and name not in _LOADING:
            return
        texts = (
            self._evaluator.values(node.args[_LOADING.get(name, 0)], scope)
            if len(node.args) > _LOADING.get(name, 0)
            else None
        )
        for text in (None,) if not texts or is_built_in else texts:
            if isinstance(text, str | Path) and str(text).endswith(".py"):
                file = self._evaluator.modules.file(Path(text), scope.module)
                if file is not None:
                    self.found.modules[str(file)] = scope
            elif isinstance(text, str) and not text.startswith("."):
                self.found.modules[text] = scope
            else:
                self.found.unseen.append((_LOADED, node.lineno, node))

    def _prefix_calls(self, node: ast.Call, scope: Scope) -> None:
        """Note the prefixes that queries may use: `graph.bind("ex", EX)`, and `initNs={"ex": EX}`."""
        if called_name(node) == "bind" and len(node.args) == 2:
            names, spaces = (self._evaluator.texts(argument, scope) for argument in node.args)
            if names and spaces:
                self.found.prefixes[names[0]] = spaces[0]
        elif called_name(node) == "getfixturevalue" and node.args:
            self.found.fixtures.update(self._evaluator.texts(node.args[0], scope) or (ANY_FIXTURE,))
        for keyword in node.keywords if called_name(node) != "Graph" else ():
            if keyword.arg in _PREFIX_KEYWORDS:
                self._declared_prefixes(keyword.value, scope)

    def _declared_prefixes(self, node: ast.expr, scope: Scope) -> None:
        """Note the prefixes that a call gives to its query."""
        for value in self._evaluator.values(node, scope) or ((None,),):
            pairs = value if isinstance(value, Pairs) else ((None, None),)
            for prefix, space in pairs:
                if (
                    isinstance(prefix, str)
                    and isinstance(space, str)
                    and self.found.prefixes.get(prefix, space) == space
                ):
                    self.found.prefixes[prefix] = space
                else:
                    self.found.unseen.append((_PREFIXES, node.lineno, node))

    def _asked(self, node: ast.Call, scope: Scope, *, is_method: bool) -> None:
        """Read a call that takes a query. An unknown query is noted as unseen."""
        arguments = node.args[:1] if is_method else list(node.args)
        arguments += [keyword.value for keyword in node.keywords if keyword.arg in _QUERY_KEYWORDS]
        arguments = [argument for argument in arguments if not is_graph_name(argument, scope.module)]
        unknown: list[ast.expr] = []
        for argument in arguments:
            values = self._evaluator.values(argument, scope)
            if not values:
                unknown.append(argument)
            elif any(self._is_query(value) for value in values):
                for value in values:
                    self._value(value, argument, argument, asked_by=called_name(node))
                if not isinstance(argument, ast.Constant | ast.Name):
                    self._note_parts(argument, scope)
                return
        owner = root_name(node.func) if is_method else None
        if not unknown or (owner or "").lower().endswith(NO_GRAPHS):
            return
        for argument in unknown:
            parametric = parametric_text(argument, scope, self._evaluator, is_query=True)
            if parametric is not None:
                self.found.parametric_texts.append(parametric)
                return
        self.found.unseen.append((_MADE, node.lineno, node))

    def asked_by(self, parametric: ParametricText, site: CallSite) -> None:
        """Read a parametric text at a call. If its value is unknown here, callers further out may determine it."""
        values = values_at_call(parametric, site, self._evaluator)
        if values:
            for value in values:
                if not parametric.is_query or self._is_query(value):
                    self._value(value, site.node, asked_by="" if parametric.is_query else None)
            if not isinstance(parametric.node, ast.Name):
                self._note_parts(parametric.node, parametric.scope)
                self._note_parts(site.node, site.scope)
            return
        outer = as_seen_by_caller(parametric, site, self._evaluator)
        if outer is not None:
            self.found.parametric_texts.append(outer)
        else:
            self.found.unseen.append((_MADE if parametric.is_query else _MADE_IRI, site.node.lineno, parametric.node))

    def _is_query(self, value: Value) -> bool:
        return isinstance(value, FileText | Path) or (isinstance(value, str) and looks_like_query(value))

    # -- notes ---------------------------------------------------------------------------------------------------

    def _value(
        self, value: object, node: ast.expr, written: ast.expr | None = None, *, asked_by: str | None = None
    ) -> None:
        if isinstance(value, Iri):
            self.found.terms.append((str(value), node))
            self.found.named.append((str(value), node))
        elif isinstance(value, NamespaceIri):
            return
        elif isinstance(value, str):
            constant = written if isinstance(written, ast.Constant) else None
            if len(value) <= _LONGEST_NAME and _DOTTED.fullmatch(value):
                self.found.modules[value] = self.found.scope
            self.found.texts.append(Text(value, node.lineno, constant, node, asked_by))
        elif isinstance(value, Path):
            self.found.files.append((value, node.lineno))

    def _note_parts(self, node: ast.expr, scope: Scope) -> None:
        """Note the parts of a text that is built. A part may look like a query without being one."""
        for part in ast.walk(node):
            if part is not node and isinstance(part, ast.Constant | ast.Name | ast.Attribute):
                self.found.parts.update(self._evaluator.texts(part, scope) or ())

    def _references(self, node: ast.AST, scope: Scope) -> None:
        """Note only the references in an expression: its value is already known."""
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                self._refer(part.id, part.lineno, scope)
            elif isinstance(part, ast.Attribute | ast.Subscript):
                self._part_of_known(part, scope)
            elif isinstance(part, ast.Call):
                self.found.calls[called_name(part)].append(CallSite(part, scope))

    def _part_of_known(self, node: ast.Attribute | ast.Subscript, scope: Scope) -> None:
        values = self._evaluator.values(node, scope)
        if values and len(values) == 1 and isinstance(values[0], Iri):
            self.found.named.append((str(values[0]), node))
        elif isinstance(node, ast.Attribute):
            self._attributes(node, scope)

    def _refer(self, name: str, line: int, scope: Scope) -> None:
        self.found.names.setdefault(name, scope)
        self._signal(name, line)

    def _signal(self, name: str, line: int) -> None:
        if self.found.signal is None and is_graph_word(name):
            self.found.signal = line
