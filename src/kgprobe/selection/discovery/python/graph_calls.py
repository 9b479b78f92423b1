"""How Python code looks at a graph without a query: by triple patterns, by walking over it, by handing it on.

The methods are those of rdflib, pyoxigraph and owlready2. Names tell what may be a graph, since nothing else does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

from kgprobe.graph.terms import NamedNode
from kgprobe.queries.uses import ANYTHING, AnyUse, Slot, TripleUse
from kgprobe.selection.discovery.python.calls import called_name
from kgprobe.selection.discovery.python.folding import ConstantFolder
from kgprobe.selection.discovery.python.names import RDF_LIBRARIES
from kgprobe.selection.discovery.python.scopes import Scope
from kgprobe.selection.discovery.python.values import Iri

__all__ = ["WHOLE", "graph_arguments", "is_graph", "is_graph_word", "pattern_uses", "triple_use"]

# For each method, the places in a triple that its arguments are for.
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
"""Methods of graphs whose answer may depend on every triple."""

_GRAPH: Final = re.compile(r"(?:.*_)?(?:graph|kg|onto|ontology|triplestore|knowledge_?graph)\d*", re.IGNORECASE)
# These are names of many things, and of graphs where a library for graphs is at hand.
_PERHAPS: Final = re.compile(r"g\d?|ds|dataset|(?:.*_)?store")
_WORD: Final = re.compile(
    r"sparql|ontolog|triple|knowledge_?graph|(?:^|_)(?:kg|graphs?|onto|owl|rdf|rdfs|shacl|iris?)(?:_|\d|$)",
    re.IGNORECASE,
)
# What does not look into what it is given.
_HARMLESS: Final = frozenset(["isinstance", "print", "id", "type", "repr", "hash", "cast", "getattr", "hasattr"])


def is_graph(node: ast.expr, scope: Scope) -> bool:
    """Whether an expression is likely a graph, by its name."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if _GRAPH.fullmatch(name):
        return True
    return _PERHAPS.fullmatch(name) is not None and not RDF_LIBRARIES.isdisjoint(scope.module.all_packages)


def is_graph_word(name: str) -> bool:
    """Whether a name has to do with graphs."""
    return _WORD.search(name) is not None


def graph_arguments(node: ast.Call, scope: Scope) -> bool:
    """Whether a call is given a graph, to do with it what cannot be seen here."""
    arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
    return called_name(node) not in _HARMLESS and any(is_graph(each, scope) for each in arguments)


def pattern_uses(node: ast.Call, folder: ConstantFolder, scope: Scope) -> list[TripleUse | AnyUse] | None:
    """What a method of a graph looks at; None if this is none, or if no term is named and it may be another method."""
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
    """The triples that three terms in brackets stand for; None if this is something else."""
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
        except ValueError:  # no triple has what is no IRI
            continue


def _shown(node: ast.expr) -> str:
    try:
        text = ast.unparse(node)
    except (RecursionError, ValueError):
        return ""
    return text if len(text) <= 80 else f"{text[:79]}…"
