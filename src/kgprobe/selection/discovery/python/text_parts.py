"""The parts of texts that are built: queries and IRIs with parts that are unknown before the code runs."""

from __future__ import annotations

import ast
import re
from typing import Final

from kgprobe.rdf.terms import OBO
from kgprobe.selection.discovery.python.evaluation import called_name
from kgprobe.selection.discovery.python.folding import ConstantFolder
from kgprobe.selection.discovery.python.scopes import Scope
from kgprobe.selection.discovery.vocabulary import Vocabulary

__all__ = ["BUILDERS", "is_iri_in_parts", "is_query_in_parts", "skeleton"]

BUILDERS: Final = frozenset(["format", "join", "replace", "substitute", "safe_substitute", "format_map"])
"""Methods that build texts."""
_HOLE: Final = "\0"
_FORM: Final = re.compile(r"\b(?:select|construct|ask|describe)\b", re.IGNORECASE)
_PATTERN: Final = re.compile(r"\{|\?\w|\bwhere\b", re.IGNORECASE)
_START: Final = re.compile(r"<?([A-Za-z][A-Za-z0-9+.\-]*://[^/\s<>]+/[^\s<>\"{}]*|urn:[^\s<>\"{}]+)")
_CURIE: Final = re.compile(r"([A-Za-z_][\w.\-]*):([\w.\-]*)")
_FIELDS: Final = re.compile(r"(?<!\{)\{\w*\}(?!\})|%(?:\(\w+\))?[sd]|\$\{?\w+\}?")
_DEEPEST: Final = 50


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
