"""The graph accesses in one definition of a Python file, and the texts that depend on the parameters of a function."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from kgprobe.rdf.terms import OBO
from kgprobe.selection.discovery.python.evaluation import Evaluator
from kgprobe.selection.discovery.python.fixtures import is_fixture
from kgprobe.selection.discovery.python.modules import Function, Module, called_name, name_place
from kgprobe.selection.discovery.python.scopes import Bound, Parameter, Scope
from kgprobe.selection.discovery.python.values import FileText, Values
from kgprobe.selection.tests import Mention, TermUse
from kgprobe.selection.vocabulary import Vocabulary, names_of

BUILDERS: Final = frozenset(["format", "join", "replace", "substitute", "safe_substitute", "format_map"])
"""Methods that build texts."""
_HOLE: Final = "\0"
_FORM: Final = re.compile(r"\b(?:select|construct|ask|describe)\b", re.IGNORECASE)
_PATTERN: Final = re.compile(r"\{|\?\w|\bwhere\b", re.IGNORECASE)
_START: Final = re.compile(r"<?([A-Za-z][A-Za-z0-9+.\-]*://[^/\s<>]+/[^\s<>\"{}]*|urn:[^\s<>\"{}]+)")
_CURIE: Final = re.compile(r"([A-Za-z_][\w.\-]*):([\w.\-]*)")
_FIELDS: Final = re.compile(r"(?<!\{)\{\w*\}(?!\})|%(?:\(\w+\))?[sd]|\$\{?\w+\}?")
_DEEPEST: Final = 50


def skeleton(node: ast.expr, evaluator: Evaluator, scope: Scope, depth: int = 0) -> str:
    """The known parts of a text, with U+0000 for each unknown part."""
    if depth > _DEEPEST:
        return _HOLE
    values = evaluator.values(node, scope)
    if values and isinstance(values[0], str):
        return values[0]
    match node:
        case ast.JoinedStr():
            return "".join(skeleton(part, evaluator, scope, depth + 1) for part in node.values)
        case ast.FormattedValue():
            return skeleton(node.value, evaluator, scope, depth + 1)
        case ast.BinOp(op=ast.Add()):
            return skeleton(node.left, evaluator, scope, depth + 1) + skeleton(node.right, evaluator, scope, depth + 1)
        case ast.BinOp(op=ast.Mod()):
            return _FIELDS.sub(_HOLE, skeleton(node.left, evaluator, scope, depth + 1))
        case ast.Call(func=ast.Attribute(value=base)) if called_name(node) in BUILDERS:
            known = skeleton(base, evaluator, scope, depth + 1)
            if called_name(node) == "join":
                elements = node.args[0].elts if node.args and isinstance(node.args[0], ast.List | ast.Tuple) else []
                return known.join(skeleton(element, evaluator, scope, depth + 1) for element in elements) or _HOLE
            return _FIELDS.sub(_HOLE, known)
        case ast.Call(args=[first, *_]) if called_name(node) in ("Template", "dedent", "cleandoc"):
            return skeleton(first, evaluator, scope, depth + 1)
    return _HOLE


def is_query_in_parts(text: str) -> bool:
    """Whether these are the parts of a query."""
    return _HOLE in text and _FORM.search(text) is not None and _PATTERN.search(text) is not None


def is_iri_in_parts(text: str, vocabulary: Vocabulary) -> bool:
    """Whether these may be the parts of the IRI or CURIE of a term."""
    known = text.partition(_HOLE)[0]
    if not known or known == text:
        return False
    start = _START.fullmatch(known)
    if start is not None:
        return vocabulary.has_iri_from(start[1])
    curie = _CURIE.fullmatch(known)
    if curie is None:
        return known in vocabulary.prefixes.values()
    namespace = vocabulary.prefixes.get(curie[1])
    if namespace is not None and vocabulary.has_iri_from(namespace + curie[2]):
        return True
    return vocabulary.has_iri_from(f"{OBO.iri}{curie[1]}_{curie[2]}")


# -- texts that depend on the parameters of a function -----------------------------------------------------------------


_LONGEST_CHAIN: Final = 5
_DEEPEST_CALL: Final = 10


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call, and its scope."""

    node: ast.Call
    scope: Scope


@dataclass(frozen=True, slots=True)
class ParametricText:
    """A query or an IRI that depends on the parameters of a function.

    `function` is the outermost function whose parameters matter, so its callers determine the text. `via` are the calls
    through which it passes its arguments on. Its `names` are its own, and that of a fixture that returns it.
    """

    names: tuple[str, ...]
    function: Function
    node: ast.expr
    scope: Scope
    is_query: bool
    via: tuple[tuple[Function, CallSite], ...] = ()


def parametric_text(node: ast.expr, scope: Scope, evaluator: Evaluator, *, is_query: bool) -> ParametricText | None:
    """The expression as a text that depends on parameters; None if it does not, or in tests and fixtures."""
    function = _function_of(node, scope, evaluator, 0)
    return None if function is None else ParametricText(_names(function, scope), function, node, scope, is_query)


def values_at_call(parametric: ParametricText, site: CallSite, evaluator: Evaluator) -> Values:
    """The possible values of the text at a call of its function."""
    given = evaluator.arguments(parametric.function, site.node, site.scope)
    for function, inner in reversed(parametric.via):
        if given is None:
            return None
        given = evaluator.arguments(function, inner.node, inner.scope.giving(given))
    return None if given is None else evaluator.values(parametric.node, parametric.scope.giving(given))


def as_seen_by_caller(parametric: ParametricText, site: CallSite, evaluator: Evaluator) -> ParametricText | None:
    """The same text in terms of the function around a call; None if its parameters do not determine the text."""
    if len(parametric.via) >= _LONGEST_CHAIN:
        return None
    for argument in (*site.node.args, *(keyword.value for keyword in site.node.keywords)):
        if not evaluator.values(argument, site.scope):
            function = _function_of(argument, site.scope, evaluator, 0)
            if function is not None and function is not parametric.function:
                names = _names(function, site.scope)
                return replace(
                    parametric, names=names, function=function, via=(*parametric.via, (parametric.function, site))
                )
    return None


def _names(function: Function, scope: Scope | None) -> tuple[str, ...]:
    """The names of a function. A function inside a fixture is called by the name of the fixture, too."""
    names = [function.name]
    while scope is not None:
        if scope.function is not None and is_fixture(scope.function):
            names.append(scope.function.name)
        scope = scope.outer
    return tuple(dict.fromkeys(names))


def _function_of(node: ast.expr, scope: Scope, evaluator: Evaluator, depth: int) -> Function | None:
    """The function with a parameter that an expression depends on."""
    for part in ast.walk(node):
        if not isinstance(part, ast.Name):
            continue
        for binding, module, top in evaluator.sources(part.id, scope) if depth < _DEEPEST_CALL else ():
            if isinstance(binding, Parameter):
                function = binding.function
                if not is_fixture(function) and not function.name.startswith("test"):
                    return function
            elif isinstance(binding, Bound) and top is None and module is scope.module and binding.value is not node:
                found = _function_of(binding.value, scope, evaluator, depth + 1)
                if found is not None:
                    return found
    return None


# -- the findings in one definition ------------------------------------------------------------------------------------

_RELEVANT = re.compile(r"[:{]|\bFROM\b|\bSET\b|\.\w+$|\bINTO\b|\bDESCRIBE\b", re.IGNORECASE)


ANY_FIXTURE: Final = "*"
"""Among the fixtures of `Findings`: code asks for a fixture whose name is unknown."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text and its line; `node` if it is a literal in the code."""

    value: str
    line: int
    node: ast.Constant | None = None
    origin: ast.expr | None = None  # the expression whose value it is
    asked_by: str | None = None  # the query function that gets exactly this text; "" if it is certainly a query


@dataclass
class Findings:
    """The graph accesses in a definition, and its references to other definitions."""

    scope: Scope
    texts: list[Text] = field(default_factory=list)
    terms: list[tuple[str, ast.expr]] = field(default_factory=list)
    named: list[tuple[str, ast.expr]] = field(default_factory=list)  # terms, and where they are named
    files: list[tuple[Path, int]] = field(default_factory=list)
    parts: set[str] = field(default_factory=set)  # texts that others are built from
    unseen: list[tuple[str, int, ast.AST]] = field(default_factory=list)
    signal: int | None = None  # a line that seems to use a graph
    prefixes: dict[str, str] = field(default_factory=dict)
    calls: dict[str, list[CallSite]] = field(default_factory=lambda: defaultdict(list))
    parametric_texts: list[ParametricText] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)  # defined here
    names: dict[str, Scope] = field(default_factory=dict)
    members: set[str] = field(default_factory=set)  # of the class around the definition
    attributes: dict[tuple[str, tuple[str, ...]], Scope] = field(default_factory=dict)  # possibly of modules
    modules: dict[str, Scope] = field(default_factory=dict)  # possibly: dotted names in texts
    fixtures: set[str] = field(default_factory=set)

    @cached_property
    def relevant_texts(self) -> list[Text]:
        """The texts that may be a query, SQL, a term name, or a file name."""
        return [text for text in self.texts if isinstance(text.value, FileText) or _RELEVANT.search(text.value)]

    @cached_property
    def is_silent(self) -> bool:
        """Whether the definition has no graph accesses."""
        return not (self.texts or self.terms or self.named or self.files or self.unseen)

    @cached_property
    def term_uses(self) -> tuple[tuple[TermUse, ast.expr], ...]:
        """The terms, as uses, and the expressions that name them."""
        return tuple((TermUse(term, iri, node.lineno), node) for iri, node in self.terms for term in names_of([iri]))

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """The places in the file where terms are named."""
        return tuple(mention for iri, node in self.named for mention in mentions_at(iri, node, self.scope.module))

    @cached_property
    def referred(self) -> set[str]:
        """All names that the definition uses."""
        return {*self.names, *(attribute for _, attributes in self.attributes for attribute in attributes)}


def mentions_at(iri: str, node: ast.expr, module: Module) -> Iterator[Mention]:
    """The place where an expression names a term, if the name is in the code as it is."""
    place = name_place(node, module)
    if place is not None and iri.endswith(place[1].rpartition(":")[2]):
        start, written = place
        yield from (Mention(term, module.file, start, start + len(written), written) for term in names_of([iri]))
