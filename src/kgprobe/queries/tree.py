"""The syntax tree of a query: tree-sitter's, as plain values whose offsets are characters of the text.

tree-sitter counts bytes, and its grammar for SPARQL is a little narrower than SPARQL. So it is given a text of the same
length in which every character is one byte and the narrow places are avoided; names and strings are read from the
original. What it still cannot read is `broken`.
"""

from __future__ import annotations

import functools
import operator
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import tree_sitter

__all__ = ["Node", "Tree", "parse"]


class Node(NamedTuple):
    """A part of a query: what it is, where it begins and ends, and its parts. Marks that say nothing are left out."""

    kind: str
    start: int
    end: int
    children: list[Node]


@dataclass(frozen=True, slots=True)
class Tree:
    """A parsed text: its parts, and all IRIs and comments in it in order. If it is `broken` somewhere, it has none."""

    parts: list[Node]
    iris: list[Node]
    comments: list[Node]
    broken: int | None


# What is read from its text; nobody looks inside.
_IRIS = frozenset(("iri_reference", "prefixed_name"))
_WHOLE = frozenset(("prologue", "dataset_clause", "string", "boolean_literal", "blank_node_label", "path_inverse"))
# Marks and keywords that say nothing which the tree does not say.
_KEYWORDS = frozenset(("SELECT", "DISTINCT", "WHERE", "FILTER", "OPTIONAL", "UNION", "MINUS", "GRAPH", "BIND", "AS"))
_MARKS = _KEYWORDS | {"VALUES", "REGEX", "{", "}", "(", ")", "[", "]", ".", ",", ";"}
# What to do with a node of tree-sitter's.
_DROP, _COMMENT, _IRI, _LEAF, _BRANCH = range(5)
_NO_PARTS: list[Node] = []

_WIDE = re.compile(r"[^\x00-\x7f]")
_ESCAPE = re.compile(r"\\(?:(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})|.)", re.DOTALL)
# Words that the grammar knows in one spelling only, and negations of negations, of which it knows one.
_FUNCTIONS = ("GROUP_CONCAT", "sameTerm", "isIRI", "isURI", "isBLANK", "isLITERAL", "isNUMERIC")
_SPELLINGS = {word.lower(): word for word in _FUNCTIONS}
_SPELLED = re.compile("|".join(_SPELLINGS), re.IGNORECASE)
_NEGATIONS = re.compile(r"!(?>(?:\s*!)+)")

_start = operator.attrgetter("start")


@functools.cache
def _parser() -> tree_sitter.Parser:
    import tree_sitter  # not above: it takes a while to load, and most commands read no query

    return tree_sitter.Parser(_grammar())


def _grammar() -> tree_sitter.Language:
    """The grammar of SPARQL, from the package that there is for this Python. It is the same in both."""
    try:
        import tree_sitter_sparql
    except ImportError:
        from tree_sitter_language_pack import get_language

        found: tree_sitter.Language = get_language("sparql")
        return found
    import tree_sitter

    with warnings.catch_warnings():
        # The grammar gives its address as an integer, of which tree-sitter disapproves.
        warnings.simplefilter("ignore", DeprecationWarning)
        return tree_sitter.Language(tree_sitter_sparql.language())


@functools.cache
def _kinds() -> list[tuple[str, int]]:
    """The name of each kind of node, and what to do with it, by the number that tree-sitter has for it."""
    language = _parser().language
    assert language is not None  # noqa: S101 - it was given one
    kinds = [language.node_kind_for_id(number) or "" for number in range(language.node_kind_count)]
    first_branch = kinds.index("unit")  # tokens come before the rules, and this is the first rule
    return [(kind, _role(kind, is_token=number < first_branch)) for number, kind in enumerate(kinds)]


def _role(kind: str, *, is_token: bool) -> int:
    if kind in _MARKS:
        return _DROP
    if kind == "comment":
        return _COMMENT
    if kind in _IRIS:
        return _IRI
    return _LEAF if is_token or kind in _WHOLE else _BRANCH


def parse(text: str) -> Tree:
    """The tree of a text, whether or not it is a query."""
    narrow = text if text.isascii() else _WIDE.sub("x", text)  # each character of that kind stands where a letter may
    if "\r" in narrow:  # a comment ends there, which the grammar does not know
        narrow = narrow.replace("\r", "\n")
    if "\\u" in narrow or "\\U" in narrow:  # escapes of code points
        narrow = _ESCAPE.sub(lambda found: "x" * len(found[0]) if found[1] else found[0], narrow)
    root = _parser().parse(narrow.encode()).root_node
    if root.has_error and (wider := _widened(narrow)) != narrow:
        root = _parser().parse(wider.encode()).root_node
    return Tree([], [], [], _first_error(root)) if root.has_error else _converted(root)


def _converted(root: tree_sitter.Node) -> Tree:
    """The tree in our own values. Chains of operators are as deep as they are long, so there is no recursion."""
    found: list[Node] = []
    iris: list[Node] = []
    comments: list[Node] = []
    kinds = _kinds()
    new = tuple.__new__  # that is Node(…) for less, and there are many
    pending = [(root, found)]
    while pending:
        parent, siblings = pending.pop()
        for node in parent.children:
            kind, role = kinds[node.kind_id]
            if role == _DROP:
                continue
            if role == _BRANCH:
                children: list[Node] = []
                siblings.append(new(Node, (kind, node.start_byte, node.end_byte, children)))
                pending.append((node, children))
                continue
            here = new(Node, (kind, node.start_byte, node.end_byte, _NO_PARTS))
            if role == _COMMENT:
                comments.append(here)
                continue
            siblings.append(here)
            if role == _IRI:
                iris.append(here)
    iris.sort(key=_start)
    comments.sort(key=_start)
    return Tree(found, iris, comments, None)


def _widened(text: str) -> str:
    """The text without what is SPARQL and not in the grammar, as long as before and with its parts at their places."""
    text = _SPELLED.sub(lambda found: _SPELLINGS[found[0].lower()], text)
    return _NEGATIONS.sub(lambda found: "!".ljust(len(found[0])), text)


def _first_error(node: tree_sitter.Node) -> int:
    """Where the first part begins that is wrong or missing, as far down as it is known."""
    while not node.is_error and not node.is_missing:
        wrong = next((child for child in node.children if child.has_error or child.is_missing), None)
        if wrong is None:
            break
        node = wrong
    return node.start_byte
