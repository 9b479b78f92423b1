"""Reads features from text files: a list of IRIs, or ASK queries.

A list has one IRI on each line, with or without angle brackets, or a prefixed name. `PREFIX` lines declare prefixes,
those of rdf, rdfs, owl and xsd are known, and `#` begins a comment. A file with queries has one or more of them, one
after the other; prefixes apply to all queries below them. The comment above a query is its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

from kgprobe.errors import InputError, Position, nearest
from kgprobe.given_files import read_text
from kgprobe.input_coverage.ask_features import AskFeatures
from kgprobe.input_coverage.iris import IriFeatures
from kgprobe.masks.ask import AskCheck
from kgprobe.rdf.spelling import STANDARD_PREFIXES
from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql.tokens import Token, comments, tokens

__all__ = ["built_in_list", "read_features"]

_QUERY = re.compile(r"^\s*(?:ASK|SELECT|CONSTRUCT|DESCRIBE)\b", re.IGNORECASE | re.MULTILINE)
_QUERY_FILES = (".rq", ".sparql")
_PREFIX = re.compile(r"@?prefix\s+([^\s:]*):\s*<([^<>\s]*)>\s*\.?", re.IGNORECASE)
# A '#' begins a comment at the start of a line or after a space: IRIs contain it, too.
_COMMENT = re.compile(r"(?:^|\s)#.*")
_WORDS = ("PREFIX", "BASE", "ASK")


def read_features(path: str) -> IriFeatures | AskFeatures:
    """The features in a file."""
    text = read_text(path)
    if path.lower().endswith(_QUERY_FILES) or _QUERY.search(text):
        return AskFeatures(path, list(_queries(text, path)))
    return _iris(text, path, path)


def built_in_list(*files_: str, name: str) -> IriFeatures:
    """The IRIs in files of this package, together."""
    folder = files("kgprobe.input_coverage") / "lists"
    return _iris("".join((folder / file).read_text(encoding="utf-8") for file in files_), name, name)


# -- IRIs --------------------------------------------------------------------------------------------------------------


def _iris(text: str, path: str, name: str) -> IriFeatures:
    prefixes: dict[str, str] = dict(STANDARD_PREFIXES)
    found: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        written = _COMMENT.sub("", line).strip()
        declared = _PREFIX.fullmatch(written)
        if declared:
            prefixes[declared[1]] = declared[2]
        elif written:
            where = Position(path, number)
            iri = _iri(written, prefixes, where)
            if iri in found:
                raise InputError(f"{written} is in this list already, in line {found[iri]}", where=where)
            found[iri] = number
    if not found:
        hint = "write one IRI on each line, or ASK queries"
        raise InputError("has no features", where=Position(path), hint=hint)
    return IriFeatures(name, tuple(found), prefixes)


def _iri(written: str, prefixes: dict[str, str], where: Position) -> str:
    if written.startswith("<") and written.endswith(">"):
        written = written[1:-1]
    else:
        prefix, colon, local = written.partition(":")
        if colon and prefix in prefixes:
            written = prefixes[prefix] + local
        elif not colon:
            hint = "write one IRI on each line, such as owl:Class or https://example.org/Pump"
            raise InputError(f"'{written}' is not an IRI", where=where, hint=hint)
        elif not (local.startswith("/") or prefix.lower() == "urn"):
            meant = nearest(prefix, prefixes)
            hint = f"did you mean '{meant}:'?" if meant else f"if it is no prefix, write <{written}>"
            raise InputError(f"the prefix '{prefix}:' is not declared", where=where, hint=hint)
    try:
        return NamedNode(written).value
    except ValueError as error:
        raise InputError(f"'{written}' is not an IRI: {error}", where=where) from None


# -- ASK queries -------------------------------------------------------------------------------------------------------


def _queries(text: str, path: str) -> Iterator[tuple[str, AskCheck]]:
    prologue, taken = "", set[str]()
    pieces = list(_pieces(text))
    if not pieces:
        raise InputError("has no ASK query", where=Position(path))
    for number, (own_prologue, start, end) in enumerate(pieces, start=1):
        # Earlier prefixes come first, on one line: a query's own line numbers start where it does.
        prologue += " " + " ".join(own_prologue.split())
        line = text.count("\n", 0, start) + 1
        name = _name(text, start) or (f"query {number}" if len(pieces) > 1 else "query")
        if name in taken:
            raise InputError(f"there are two queries named '{name}'", where=Position(path, line))
        taken.add(name)
        try:
            yield name, AskCheck(f"{prologue.strip()}\n{text[start:end]}", f"{path}:{line}", STANDARD_PREFIXES)
        except InputError as error:
            raise InputError(error.message, where=Position(path, line), hint=error.hint) from None


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """The queries of a text: for each the prefixes before it, and where it starts and ends."""
    found = tokens(text)
    starts = [token for token in _at_top(found) if token.text.upper() in _WORDS]
    first_prefix: int | None = None
    queries: list[tuple[int | None, int]] = []
    for token in starts:
        if token.text.upper() == "ASK":
            queries.append((first_prefix, token.start))
            first_prefix = None
        elif first_prefix is None:
            first_prefix = token.start
    starts_of_next = [start if prefix is None else prefix for prefix, start in queries[1:]]
    for (prefix, start), end in zip(queries, [*starts_of_next, len(text)], strict=False):
        before = "" if prefix is None else _without_comments(text[prefix:start])
        last = max((token.end for token in found if start <= token.start < end), default=end)
        yield before, start, last


def _at_top(found: tuple[Token, ...]) -> Iterator[Token]:
    """The words outside of all braces."""
    depth = 0
    for token in found:
        depth += (token.text == "{") - (token.text == "}")
        if depth == 0 and token.kind == "word":
            yield token


def _without_comments(text: str) -> str:
    for start, end in reversed(comments(text)):
        text = text[:start] + text[end:]
    return text


def _name(text: str, start: int) -> str:
    """The last line of the comment above a query."""
    before = text[:start].rstrip()
    line = before[before.rfind("\n") + 1 :].strip()
    return line.lstrip("#").strip() if line.startswith("#") else ""
