"""The syntax tree of a query or an update, from tree-sitter, as plain values whose offsets count characters.

tree-sitter counts bytes, and its SPARQL grammar does not cover all of SPARQL. So it parses a text of the same length in
which every character is one byte and unsupported syntax is replaced; names and strings are read from the original. If
parsing still fails, `broken` is the position.
"""

from __future__ import annotations

import functools
import operator
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kgprobe.sparql.respelling import legible
from kgprobe.sparql.tokens import DECLARATIONS, GAP, UPDATES, prologue_end, tokens

if TYPE_CHECKING:
    import tree_sitter


class Node(NamedTuple):
    """A node of the tree: its kind, its start and end, and its children. Redundant punctuation is left out."""

    kind: str
    start: int
    end: int
    children: list[Node]


@dataclass(frozen=True, slots=True)
class Tree:
    """A parsed text: its top-level nodes, and all IRIs and comments in order. If it is `broken`, it has none."""

    parts: list[Node]
    iris: list[Node]
    comments: list[Node]
    broken: int | None

    def until(self, end: int) -> Tree:
        """The same tree, in which no node ends after this offset."""
        parts = [part for part in self.parts if part.start < end]
        pending = [parts]
        while pending:
            siblings = pending.pop()
            for place, node in enumerate(siblings):
                if node.end > end:
                    siblings[place] = node._replace(start=min(node.start, end), end=end)
                    pending.append(node.children)
        return Tree(parts, self.iris, self.comments, self.broken)


# Nodes whose text is read as a whole, without their children.
_IRIS = frozenset(("iri_reference", "prefixed_name"))
_CLAUSES = frozenset(("prologue", "dataset_clause", "using_clause"))
_WHOLE = _CLAUSES | {"string", "boolean_literal", "blank_node_label", "path_inverse"}
# Punctuation and keywords that are redundant in the tree.
_KEYWORDS = frozenset(("SELECT", "WHERE", "FILTER", "OPTIONAL", "UNION", "MINUS", "GRAPH", "BIND"))
_MARKS = _KEYWORDS | {"VALUES", "REGEX", "{", "}", "(", ")", "[", "]", ".", ",", ";"}
# How to convert a tree-sitter node.
_DROP, _COMMENT, _IRI, _LEAF, _BRANCH, _CLAUSE = range(6)
_NO_PARTS: list[Node] = []

_WIDE = re.compile(r"[^\x00-\x7f]")
_ESCAPE = re.compile(r"\\(?:(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})|.)", re.DOTALL)
# Words that the grammar accepts only in one spelling, and repeated negations, of which it accepts only one.
_FUNCTIONS = ("GROUP_CONCAT", "sameTerm", "isIRI", "isURI", "isBLANK", "isLITERAL", "isNUMERIC")
_SPELLINGS = {word.lower(): word for word in (*_FUNCTIONS, "true", "false")}
_SPELLED = re.compile(rf"(?<![\w?$])(?:{'|'.join(_SPELLINGS)})(?![\w:])", re.IGNORECASE)
_NEGATIONS = re.compile(r"!(?>(?:\s*!)+)")
# Pairs of words that the grammar accepts only in capitals and with one space between them.
_PAIRS = re.compile(rf"\b(INSERT|DELETE){GAP}(DATA|WHERE)\b", re.IGNORECASE)
# CONSTRUCT with an empty template. The grammar demands a triple, so it becomes an ASK with the same pattern.
_NO_TEMPLATE = re.compile(
    rf"\bCONSTRUCT(?:({GAP}\{{{GAP}\}})|(?={GAP}(?:FROM\b[^{{]*)?WHERE{GAP}\{{{GAP}\}}))", re.IGNORECASE
)
# A semicolon after the last update.
_LAST_MARK = re.compile(rf";{DECLARATIONS}\Z", re.IGNORECASE)
_DECLARED = re.compile(rf"\bPREFIX{GAP}([A-Za-z_]+):", re.IGNORECASE)
_INNER_COLON = re.compile(r":[\w.\-%\\]*:")
_IRI_OR_COMMENT = re.compile(r"<[^<>]*>|\#[^\n]*")
_LONGEST_UPDATE = max(map(len, UPDATES))
_NO_LINE_END = re.compile(r"[^\n]")
_PATTERN = "ASK{"
_MOST_CHARACTERS = 5_000_000  # if each bracket is read on its own
# Something to parse after a prologue that nothing follows.
_SOMETHING = "\nASK{}"

_start = operator.attrgetter("start")


@functools.cache
def _parser() -> tree_sitter.Parser:
    import tree_sitter  # only here: it loads slowly, and most commands do not read queries

    return tree_sitter.Parser(_grammar())


def _grammar() -> tree_sitter.Language:
    """The SPARQL grammar, from the package that is installed for this version of Python. Both have the same."""
    try:
        import tree_sitter_sparql
    except ImportError:
        from tree_sitter_language_pack import get_language

        found: tree_sitter.Language = get_language("sparql")
        return found
    import tree_sitter

    with warnings.catch_warnings():
        # The grammar passes its address as an integer, which tree-sitter deprecates.
        warnings.simplefilter("ignore", DeprecationWarning)
        return tree_sitter.Language(tree_sitter_sparql.language())


@functools.cache
def _kinds() -> list[tuple[str, int]]:
    """The name of each kind of node, and how to convert it, by its number in tree-sitter."""
    language = _parser().language
    assert language is not None  # noqa: S101 - _parser sets it
    kinds = [language.node_kind_for_id(number) or "" for number in range(language.node_kind_count)]
    first_branch = kinds.index("unit")  # tokens come before rules, and this is the first rule
    return [(kind, _role(kind, is_token=number < first_branch)) for number, kind in enumerate(kinds)]


def _role(kind: str, *, is_token: bool) -> int:
    if kind in _MARKS:
        return _DROP
    if kind == "comment":
        return _COMMENT
    if kind in _IRIS:
        return _IRI
    if kind in _CLAUSES:
        return _CLAUSE
    return _LEAF if is_token or kind in _WHOLE else _BRANCH


@functools.cache
def _words() -> frozenset[str]:
    """The keywords of the grammar, in lower case. It does not recognise a prefix that is spelled like one of them."""
    return frozenset(kind.lower() for kind, _ in _kinds() if kind.replace("_", "").isalpha())


def parse(text: str, prefixes: Iterable[str] = ()) -> Tree:
    """The tree of a text, whether or not it is SPARQL. `prefixes` are those that it may use without a declaration."""
    narrow = legible(text)
    narrow = narrow if narrow.isascii() else _WIDE.sub("x", narrow)  # such characters occur only where a letter may
    if "\r" in narrow:  # it ends a comment, but not in the grammar
        narrow = narrow.replace("\r", "\n")
    if "\\u" in narrow or "\\U" in narrow:  # escapes of code points
        narrow = _ESCAPE.sub(lambda found: "x" * len(found[0]) if found[1] else found[0], narrow)
    if _INNER_COLON.search(narrow):  # which the grammar takes for the end of a name
        narrow = _without_inner_colons(narrow)
    if prefixes and (ambiguous := [prefix for prefix in prefixes if prefix.lower() in _words()]):
        narrow = _renamed(ambiguous, narrow)
    tree = _parsed(narrow)
    if ambiguous := _all_ambiguous(tree, narrow):
        tree = _parsed(_renamed(ambiguous, narrow))
    return tree


def _all_ambiguous(tree: Tree, text: str) -> list[str]:
    found: list[str] = []
    for kind, start, end, _ in tree.parts:
        if kind == "prologue":
            found += _ambiguous(text[start:end])
    if tree.broken is not None:
        end = prologue_end(text)
        if text[end : end + _LONGEST_UPDATE].upper().startswith(UPDATES):
            end = len(text)  # a series of updates may have declarations anywhere
        found += _ambiguous(text[:end])
    return found


def _parsed(text: str) -> Tree:
    root = _parser().parse(text.encode()).root_node
    if root.has_error and (wider := _widened(text)) != text:
        root = _parser().parse(wider.encode()).root_node
        if root.has_error and len(wider) == len(text):
            text = wider
    if root.has_error and (grafted := _grafted(text)) is not None:
        return grafted
    return Tree([], [], [], min(_first_error(root), len(text))) if root.has_error else _converted(root, text)


def _grafted(text: str) -> Tree | None:
    """The tree of a text with brackets that the grammar does not read where they stand; None if that is not the cause.

    The grammar has no paths in brackets after a semicolon: `?x :p ?y ; :q [ :r/:s ?z ]`. So each bracket is read on
    its own, as a pattern, and takes the place of an empty one.
    """
    pairs = _brackets(text)
    if not pairs or pairs[0][0] < len(_PATTERN) or len(pairs) * len(text) > _MOST_CHARACTERS:
        return None
    trees: list[Tree] = []
    for start, end in [(-1, len(text)), *pairs]:
        piece = text if start < 0 else f"{_PATTERN:>{start}}{text[start:end]}}}"
        for first, last in pairs:
            if start < first and last <= end:
                piece = piece[: first + 1] + _NO_LINE_END.sub(" ", text[first + 1 : last - 1]) + piece[last - 1 :]
        root = _parser().parse(piece.encode()).root_node
        if root.has_error:
            return None
        trees.append(_converted(root, piece))
    whole, *inner = trees
    read = {pair[0]: _at(tree.parts, pair[0]) for pair, tree in zip(pairs, inner, strict=True)}
    pending = [tree.parts for tree in trees]
    while pending:
        siblings = pending.pop()
        for place, node in enumerate(siblings):
            if node.kind == "anon" and node.start in read:
                siblings[place] = read[node.start]
            else:
                pending.append(node.children)
    iris = sorted((iri for tree in trees for iri in tree.iris), key=_start)
    comments = sorted((comment for tree in trees for comment in tree.comments), key=_start)
    return Tree(whole.parts, iris, comments, None)


def _brackets(text: str) -> list[tuple[int, int]]:
    """The starts and ends of all square brackets with something in them."""
    opened: list[int] = []
    found: list[tuple[int, int]] = []
    for token in tokens(text):
        if token.kind == "sign" and token.text == "[":
            opened.append(token.start)
        elif token.kind == "sign" and token.text == "]" and opened:
            start = opened.pop()
            if text[start + 1 : token.start].strip():
                found.append((start, token.end))
    return sorted(found)


def _at(nodes: list[Node], start: int) -> Node:
    """The bracket that begins at an offset."""
    pending = list(nodes)
    while True:
        node = pending.pop()
        if node.kind == "blank_node_property_list" and node.start == start:
            return node
        pending += node.children


def _converted(root: tree_sitter.Node, text: str) -> Tree:
    """The tree as plain values. Without recursion, because a long chain of operators is a deep tree."""
    found: list[Node] = []
    iris: list[Node] = []
    comments: list[Node] = []
    kinds = _kinds()
    new = tuple.__new__  # faster than Node(…)
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
            elif role == _CLAUSE:
                start = node.start_byte
                for first, last in _comments(text[start : node.end_byte]):
                    comments.append(new(Node, ("comment", start + first, start + last, _NO_PARTS)))
    iris.sort(key=_start)
    comments.sort(key=_start)
    while found and found[-1].start >= len(text):
        found.pop()  # it is only something to parse
    return Tree(found, iris, comments, None)


@functools.lru_cache(maxsize=64)  # many queries have the same prologue
def _comments(clause: str) -> list[tuple[int, int]]:
    """The starts and ends of the comments in a clause."""
    return [found.span() for found in _IRI_OR_COMMENT.finditer(clause) if found[0][0] == "#"]


@functools.lru_cache(maxsize=64)
def _ambiguous(declarations: str) -> list[str]:
    """The declared prefixes that are spelled like keywords."""
    return [prefix for prefix in _DECLARED.findall(declarations) if prefix.lower() in _words()]


def _renamed(prefixes: Iterable[str], text: str) -> str:
    """The text with other prefixes of the same length."""
    names = "|".join(sorted(prefixes, key=len, reverse=True))
    return re.sub(rf"(?<![\w?$@%:.\-\\])(?:{names}):", lambda found: "z" * (len(found[0]) - 1) + ":", text)


def _widened(text: str) -> str:
    """The text with unsupported syntax replaced, so that its length and all positions stay the same."""
    text = _SPELLED.sub(lambda found: _SPELLINGS[found[0].lower()], text)
    text = _NEGATIONS.sub(lambda found: "!".ljust(len(found[0])), text)
    text = _PAIRS.sub(lambda found: f"{found[1]} {found[2]}".upper().ljust(len(found[0])), text)
    text = _NO_TEMPLATE.sub(lambda found: "ASK".ljust(len(found[0])), text)
    text = _LAST_MARK.sub(lambda found: " " * len(found[0]), text)
    return text + _SOMETHING if re.fullmatch(DECLARATIONS, text, re.IGNORECASE) else text


def _without_inner_colons(text: str) -> str:
    """The text with letters for the colons in names, except the first of each name: `a:b:c`, `::`."""
    places = [
        place
        for token in tokens(text)
        if token.kind == "prefixed"
        for place in range(text.index(":", token.start) + 1, token.end)
        if text[place] == ":"
    ]
    letters = list(text)
    for place in places:
        letters[place] = "x"
    return "".join(letters)


def _first_error(node: tree_sitter.Node) -> int:
    """The position of the first wrong or missing node, as deep in the tree as possible."""
    while not node.is_error and not node.is_missing:
        wrong = next((child for child in node.children if child.has_error or child.is_missing), None)
        if wrong is None:
            break
        node = wrong
    return node.start_byte
