"""Reads a text as a document: its query or its updates as algebra, with the place of each part.

A text that is not SPARQL is refused with the position of the mistake. The parser of pyoxigraph decides; nothing is
evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.rdf.pattern import Variable
from kgprobe.sparql.algebra import (
    Bind,
    Document,
    Group,
    Operation,
    Span,
)
from kgprobe.sparql.algebra_reader import AlgebraReader
from kgprobe.sparql.pyoxigraph import (
    SOME_BASE,
    as_input_error,
    check_limits,
    offset_of,
    parse_query,
    parse_update,
    position,
    told_by,
)
from kgprobe.sparql.repair import repaired
from kgprobe.sparql.respelling import legible
from kgprobe.sparql.scopes import bound_by
from kgprobe.sparql.source import Source, prologue_of
from kgprobe.sparql.tokens import DECLARATIONS, GAP, UPDATES, first_word, is_update, prologue_end
from kgprobe.sparql.traversal import walk
from kgprobe.sparql.tree import Tree, parse

__all__ = ["read_document"]

_LONGEST_BROKEN = 20_000  # characters
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_PREFIX = re.compile(r"([^\W\d_](?:[\w\-.]*[\w\-])?|):")
_DEEPEST = 100  # nested operators; those that read the result may be recursive
_EXPECTED = re.compile(r"expected (?:one of )?(.*)", re.DOTALL)
_CHARACTERS = re.compile(r"\[(?:'[^']*'|[^\]'])*\]")  # a character class, as the parser writes it
_UNTOLD = ("IRI parsing failed",)  # which is a part of almost every message
_MOST_SIGNS = 6
_FORMS = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
# Between two updates with a declaration. Only for texts with a mistake, because a string may look the same.
_BETWEEN_RUNS = re.compile(rf";{GAP}(?=PREFIX{GAP}[^\s:<>]*:{GAP}<|BASE{GAP}<)", re.IGNORECASE)
_LAST_MARK = re.compile(rf";{DECLARATIONS}\Z", re.IGNORECASE)


def read_document(
    text: str,
    name: str = "<query>",
    prefixes: Mapping[str, str] | None = None,
    *,
    bound_before: Collection[str] = (),
    tolerant: bool = False,
) -> Document:
    """Read a SPARQL 1.1 query, or any number of updates. `prefixes` apply if the text does not declare its own.

    `bound_before` names the variables that have a value before the text runs: they are `Given` in the document.

    InputError, with `name` as its source, if the text is neither. With `tolerant`, a text that somebody still types
    never raises an error: the document has the parts that can be read, and `broken` is the offset of the mistake.
    """
    prefixes = prefixes or {}
    try:
        return _read(text, name, prefixes, bound_before)
    except InputError as error:
        if not tolerant:
            raise
        where = error.where
        broken = 0 if where is None else offset_of(text, where.line or 1, where.column or 1)
    return _read_in_part(text, prefixes, broken)


def group_in(query: str, prefixes: Mapping[str, str]) -> Group | None:
    """The pattern of a query that is known to be valid; None if kgprobe cannot read it."""
    source = Source(query, prefixes)
    found = [part for part in source.tree.parts if part.kind == "select_query"]
    return AlgebraReader(source).query(found[0]).where if found else None


def _read(text: str, name: str, prefixes: Mapping[str, str], bound_before: Collection[str]) -> Document:
    check_limits(text, name)
    source = Source(text, prefixes, bound_before=bound_before)
    try:
        check_document(source.text, name, prefixes, source.tree)
    except InputError as error:
        is_unexplained = error.message.startswith("this is not a SPARQL") and source.tree.broken is None
        if is_unexplained and (again := _bound_again(AlgebraReader(source).operations())) is not None:
            message = f"{again.variable} already has a value before this BIND"
            raise InputError(message, where=position(text, again.span.start, name)) from None
        raise
    if source.tree.broken is not None:
        where = position(text, source.tree.broken, name)
        raise InputError("this is not SPARQL 1.1, which is all that kgprobe reads", where=where)
    return replace(_document(source, name), text=text)


def _bound_again(operations: tuple[Operation, ...]) -> Bind | None:
    """The first BIND of a variable that has a value already, for which pyoxigraph gives neither place nor reason."""
    found: list[Bind] = []
    for node in walk(operations):
        if isinstance(node, Group):
            bound: frozenset[Variable] = frozenset()
            for element in node.elements:
                if isinstance(element, Bind) and element.variable in bound:
                    found.append(element)
                bound |= bound_by(element).possible
    return min(found, key=lambda bind: bind.span, default=None)


def _document(source: Source, name: str, broken: int | None = None) -> Document:
    reader = AlgebraReader(source)
    operations = reader.operations()
    if reader.deepest > _DEEPEST:
        where = position(source.text, operations[0].span.start, name)
        raise InputError(f"operators are nested more than {_DEEPEST} levels deep", where=where)
    return Document(
        text=source.text,
        prefixes=source.prefixes,
        operations=operations,
        terms=tuple(source.terms),
        comments=tuple(Span(node.start, node.end) for node in source.tree.comments),
        broken=broken,
    )


def _read_in_part(text: str, prefixes: Mapping[str, str], broken: int) -> Document:
    """The parts of a text that can be read, although it has a mistake."""
    nothing = Document(text, dict(prefixes), (), (), (), broken)
    if len(text) > _LONGEST_BROKEN:  # tree-sitter is slow on long texts with mistakes
        return nothing
    whole_pairs = legible(_HALF_A_PAIR.sub("\ufffd", text))
    given = dict.fromkeys(_PREFIX.findall(whole_pairs), SOME_BASE) | dict(prefixes)
    try:
        check_limits(whole_pairs, "")
        whole = repaired(whole_pairs, lambda attempt: _first_mistake(attempt, given))
        source = Source(whole, prefixes, parse(whole, given).until(len(text)))
        return replace(_document(source, "", broken), text=text)
    except InputError:  # it is nested too deep
        return nothing


# -- what is not SPARQL ------------------------------------------------------------------------------------------------


def check_document(text: str, name: str, prefixes: Mapping[str, str], tree: Tree) -> None:
    """InputError if a text is neither a SPARQL query nor an update."""
    if not is_update(text):
        check_query(text, name, prefixes, "query" if first_word(text).upper() in _FORMS else "query or update")
        return
    try:
        _parse_updates(text, name, prefixes, tree)
    except (SyntaxError, ValueError) as error:
        raise _refusal(error, text, name, prefixes, "update") from None


def _first_mistake(text: str, prefixes: Mapping[str, str]) -> int | None:
    """The offset of the first mistake in a text; None if it has a tree, even if it breaks other rules of SPARQL."""
    tree = parse(text, prefixes)
    if tree.broken is None:
        return None
    try:
        if is_update(text):
            _parse_updates(text, "", prefixes, tree)
        else:
            parse_query(text, "", prefixes)
    except SyntaxError as error:
        if (refused := _place(error, text)) is not None:
            return _likelier(tree.broken, refused, text)
    except (ValueError, InputError):
        pass
    return tree.broken


def _likelier(broken: int, refused: int, text: str) -> int:
    """The better offset of a mistake, of that in the tree and that at which pyoxigraph stopped.

    If much is wrong, tree-sitter gives the beginning of the text. pyoxigraph stops up to a word after the mistake.
    """
    return broken if broken > prologue_end(text) or refused <= broken else refused


def check_query(text: str, name: str, prefixes: Mapping[str, str], sought: str = "query") -> None:
    """InputError if a text is not a SPARQL query. It gives `name` as the source, and says what was `sought`."""
    try:
        parse_query(text, name, prefixes)
    except (SyntaxError, ValueError) as error:
        raise _refusal(error, text, name, prefixes, sought) from None


def _refusal(error: Exception, text: str, name: str, prefixes: Mapping[str, str], sought: str) -> InputError:
    """The error to raise if pyoxigraph refuses a text that should be a query, an update, or either."""
    if isinstance(error, SyntaxError):
        return _explained(error, text, name, prefixes, sought)
    if isinstance(error, UnicodeEncodeError):
        offset = max(text.find(error.object[error.start]), 0)
        message = f"{_article(sought.split()[0])} cannot hold half a surrogate pair"
        return InputError(message, where=position(text, offset, name))
    return InputError(str(error), where=Position(name))  # a prefix that is not an IRI


def _place(error: SyntaxError, text: str) -> int | None:
    """The offset at which pyoxigraph stopped, if it says so."""
    place, _ = told_by(error)
    return None if place is None else offset_of(text, *place)


def _explained(error: SyntaxError, text: str, name: str, prefixes: Mapping[str, str], sought: str) -> InputError:
    """The error to raise for a message of pyoxigraph."""
    # tree-sitter is slow on long texts with many errors.
    tree = parse(text, prefixes) if len(text) <= _LONGEST_BROKEN else Tree([], [], [], None)
    if sought == "query" and is_update(text) and first_word(text):
        return InputError("this is an update, not a query", where=Position(name))
    if tree.broken is None and tree.parts and (unknown := _undeclared(tree, text, prefixes)):
        return InputError(unknown[1], where=position(text, unknown[0], name), hint=unknown[2])
    place, message = told_by(error)
    found = _EXPECTED.fullmatch(message)
    if found is None or place is None:
        return as_input_error(error, name)
    where, offset = Position(name, *place), offset_of(text, *place)
    expected = [part.strip() for part in _CHARACTERS.sub("", found[1]).split(", ")]
    signs = [part[1:-1] for part in expected if part.startswith('"')]
    if reason := next((part for part in expected if " " in part and part[0] != '"' and part not in _UNTOLD), None):
        return InputError(reason, where=where)
    if 0 < len(signs) <= _MOST_SIGNS and not any(part.isidentifier() for part in expected):
        return InputError(f"expected {' or '.join(signs)}", where=where)
    not_sparql = f"this is not {_article(f'SPARQL {sought}')}"
    if tree.broken is None:
        return InputError(not_sparql, where=where)
    word = first_word(text).upper()
    # In a series of updates, tree-sitter is often far off.
    broken = offset if word in UPDATES else _likelier(tree.broken, offset, text) if word in _FORMS else tree.broken
    if broken >= len(text.rstrip()) and word:
        return InputError(f"the {sought.split()[0]} ends too early", where=position(text, broken, name))
    forms = (*_FORMS, *UPDATES)
    hint = None if word in forms else did_you_mean(word, forms, shown="{}")
    return InputError(not_sparql, where=position(text, broken, name), hint=hint)


def _article(words: str) -> str:
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def _undeclared(tree: Tree, text: str, prefixes: Mapping[str, str]) -> tuple[int, str, str] | None:
    """The position of the first undeclared prefix, a message about it, and a hint."""
    declared = prologue_of("".join(_declarations(tree, text)), prefixes).prefixes
    for node in tree.iris:
        prefix, colon, _ = text[node.start : node.end].partition(":")
        if node.kind == "prefixed_name" and colon and prefix not in declared:
            hint = did_you_mean(prefix, declared, f"add a line PREFIX {prefix}: and its IRI", shown="{}:")
            return node.start, f"the prefix {prefix}: is not declared", hint
    return None


def _declarations(tree: Tree, text: str) -> Iterator[str]:
    for part in tree.parts:
        if part.kind == "prologue":
            yield f"{text[part.start : part.end]}\n"


# -- updates: pyoxigraph allows a prologue only before the first one ---------------------------------------------------


def _parse_updates(text: str, name: str, prefixes: Mapping[str, str], tree: Tree) -> None:
    check_limits(text, name)
    declared = ""
    for start, end in _runs(text, tree):
        known = prologue_of(declared, prefixes)
        run = text[start:end]
        behind = prologue_end(run)
        try:
            parse_update(run, name, behind, known.prefixes, base=known.base or SOME_BASE)
        except SyntaxError as error:
            raise _moved(error, run, text, start) from None
        declared += f"{run[:behind]}\n"


def _runs(text: str, tree: Tree) -> Iterator[tuple[int, int]]:
    """The start and end of each series of updates that have one prologue, without the semicolon after it."""
    start = end = 0
    if tree.broken is not None:
        for found in _BETWEEN_RUNS.finditer(text):
            yield start, found.start()
            start = found.end()
    for part in tree.parts:
        if part.kind == "prologue" and end:
            yield start, end
            start = part.start
        elif part.kind != "prologue":
            end = part.end
    last = _LAST_MARK.search(text, end)
    yield start, last.start() if last else len(text)


def _moved(error: SyntaxError, run: str, text: str, start: int) -> SyntaxError:
    """The error of pyoxigraph about a part of a text, with the position in the whole text."""
    place = _place(error, run)
    if place is None:
        return error
    where = position(text, start + place, "")
    return SyntaxError(f"error at {where.line}:{where.column}: {told_by(error)[1]}")
