"""Recognises accesses to a graph: triple patterns, loops over a graph, calls that get a graph, and texts of queries.

The methods are those of rdflib, pyoxigraph and owlready2. Since types are unknown, a graph is recognised by its name. A
query or an IRI may be built from known and unknown parts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from kgprobe.graph.terms import OBO, NamedNode
from kgprobe.queries.uses import ANYTHING, AnyUse, Slot, TripleUse
from kgprobe.selection.discovery.python.evaluation import called_name
from kgprobe.selection.discovery.python.folding import ConstantFolder
from kgprobe.selection.discovery.python.scopes import RDF_LIBRARIES, Scope
from kgprobe.selection.discovery.python.values import Iri
from kgprobe.selection.discovery.vocabulary import Vocabulary

__all__ = [
    "BUILDERS",
    "WHOLE",
    "graph_arguments",
    "is_graph",
    "is_graph_word",
    "is_iri_in_parts",
    "is_query_in_parts",
    "pattern_uses",
    "skeleton",
    "triple_use",
]

# For each method, the positions in a triple that its arguments stand for.
_METHODS: Final = {
    "value": ("subject", "predicate", "object"),
    "objects": ("subject", "predicate"),
    "subjects": ("predicate", "object"),
    "predicates": ("subject", "object"),
    "subject_objects": ("predicate",),
    "predicate_objects": ("subject",),
    "subject_predicates": ("object",),
    "quads_for_pattern": ("subject", "predicate", "object"),
}
WHOLE: Final = frozenset(
    [
        *("serialize", "all_nodes", "isomorphic", "quads", "dump", "dumps", "to_isomorphic", "connected"),
        *("classes", "individuals", "properties", "object_properties", "data_properties", "search", "search_one"),
    ]
)
"""Methods of graphs whose result may depend on every triple."""

_GRAPH: Final = re.compile(r"(?:.*_)?(?:graph|kg|onto|ontology|triplestore|knowledge_?graph)\d*", re.IGNORECASE)
# Names that are common, and mean a graph only in files that import an RDF library.
_PERHAPS: Final = re.compile(r"g\d?|ds|dataset|(?:.*_)?store")
_WORD: Final = re.compile(
    r"sparql|ontolog|triple|knowledge_?graph|(?:^|_)(?:kg|graphs?|onto|owl|rdf|rdfs|shacl|iris?)(?:_|\d|$)",
    re.IGNORECASE,
)
# Functions that do not read their arguments.
_HARMLESS: Final = frozenset(["isinstance", "print", "id", "type", "repr", "hash", "cast", "getattr", "hasattr"])
BUILDERS: Final = frozenset(["format", "join", "replace", "substitute", "safe_substitute", "format_map"])
"""Methods that build texts."""
_HOLE: Final = "\0"
_FORM: Final = re.compile(r"\b(?:select|construct|ask|describe)\b", re.IGNORECASE)
_PATTERN: Final = re.compile(r"\{|\?\w|\bwhere\b", re.IGNORECASE)
_START: Final = re.compile(r"<?([A-Za-z][A-Za-z0-9+.\-]*://[^/\s<>]+/[^\s<>\"{}]*|urn:[^\s<>\"{}]+)")
_CURIE: Final = re.compile(r"([A-Za-z_][\w.\-]*):([\w.\-]*)")
_FIELDS: Final = re.compile(r"(?<!\{)\{\w*\}(?!\})|%(?:\(\w+\))?[sd]|\$\{?\w+\}?")
_DEEPEST: Final = 50


def is_graph(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is likely a graph, by its name."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if _GRAPH.fullmatch(name):
        return True
    return _PERHAPS.fullmatch(name) is not None and not RDF_LIBRARIES.isdisjoint(scope.module.all_packages)


def is_graph_word(name: str) -> bool:
    """Whether a name suggests the use of a graph."""
    return _WORD.search(name) is not None


def graph_arguments(node: ast.Call, scope: Scope) -> bool:
    """Whether a call gets a graph as an argument, so that its use of the graph is unknown here."""
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    return called_name(node) not in _HARMLESS and any(is_graph(each, scope) for each in arguments)


def pattern_uses(node: ast.Call, folder: ConstantFolder, scope: Scope) -> list[TripleUse | AnyUse] | None:
    """The triples that a graph method reads; None if the call is something else, or may be and names no term."""
    if not isinstance(node.func, ast.Attribute):
        return None
    name, receiver = node.func.attr, node.func.value
    if name in WHOLE and is_graph(receiver, scope):
        return [AnyUse(_shown(node), node.lineno)]
    if name == "triples" and len(node.args) == 1:
        use = triple_use(node.args[0], folder, scope, node)
        return [use] if use is not None else [AnyUse(_shown(node), node.lineno)] if is_graph(receiver, scope) else None
    if name not in _METHODS or any(isinstance(each, ast.Starred) for each in node.args):
        return None
    slots = dict.fromkeys(("subject", "predicate", "object"), ANYTHING)
    for place, argument in zip(_METHODS[name], node.args, strict=False):
        slots[place] = _slot(argument, folder, scope)
    for keyword in node.keywords:
        if keyword.arg in slots:
            slots[keyword.arg] = _slot(keyword.value, folder, scope)
    if all(slot is ANYTHING for slot in slots.values()):
        return [AnyUse(_shown(node), node.lineno)] if is_graph(receiver, scope) else None
    subject, predicate, object_ = slots.values()
    return [TripleUse(subject, predicate, object_, text=_shown(node), line=node.lineno)]


def triple_use(node: ast.expr, folder: ConstantFolder, scope: Scope, shown: ast.expr) -> TripleUse | None:
    """The triples that match a tuple of three terms; None if the expression is not such a tuple."""
    if not isinstance(node, ast.Tuple) or len(node.elts) != 3:
        return None
    subject, predicate, object_ = (_slot(each, folder, scope) for each in node.elts)
    return TripleUse(subject, predicate, object_, text=_shown(shown), line=shown.lineno)


def _slot(node: ast.expr, folder: ConstantFolder, scope: Scope) -> Slot:
    values = folder.fold(node, scope)
    if not values or not all(isinstance(value, Iri) for value in values):
        return ANYTHING
    return Slot(frozenset(_nodes(str(value) for value in values)))


def _nodes(iris: Iterator[str]) -> Iterator[NamedNode]:
    for iri in iris:
        try:
            yield NamedNode(iri)
        except ValueError:  # not an IRI, so no triple has it
            continue


def _shown(node: ast.expr) -> str:
    try:
        text = ast.unparse(node)
    except (RecursionError, ValueError):
        return ""
    return text if len(text) <= 80 else f"{text[:79]}…"


def skeleton(node: ast.expr, folder: ConstantFolder, scope: Scope, depth: int = 0) -> str:
    """The known parts of a text, with U+0000 for each unknown part."""
    if depth > _DEEPEST:
        return _HOLE
    values = folder.fold(node, scope)
    if values and isinstance(values[0], str):
        return values[0]
    match node:
        case ast.JoinedStr():
            return "".join(skeleton(part, folder, scope, depth + 1) for part in node.values)
        case ast.FormattedValue():
            return skeleton(node.value, folder, scope, depth + 1)
        case ast.BinOp(op=ast.Add()):
            return skeleton(node.left, folder, scope, depth + 1) + skeleton(node.right, folder, scope, depth + 1)
        case ast.BinOp(op=ast.Mod()):
            return _FIELDS.sub(_HOLE, skeleton(node.left, folder, scope, depth + 1))
        case ast.Call(func=ast.Attribute(value=base)) if called_name(node) in BUILDERS:
            known = skeleton(base, folder, scope, depth + 1)
            if called_name(node) == "join":
                elements = node.args[0].elts if node.args and isinstance(node.args[0], ast.List | ast.Tuple) else []
                return known.join(skeleton(each, folder, scope, depth + 1) for each in elements) or _HOLE
            return _FIELDS.sub(_HOLE, known)
        case ast.Call(args=[first, *_]) if called_name(node) in ("Template", "dedent", "cleandoc"):
            return skeleton(first, folder, scope, depth + 1)
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
