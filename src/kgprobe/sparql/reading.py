"""Reads a query: the triples that its answer depends on, and the IRIs that it names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from kgprobe.rdf.pattern import TriplePattern
from kgprobe.sparql.algebra import Form
from kgprobe.sparql.algebra_reader import form_of
from kgprobe.sparql.groups import GroupReader
from kgprobe.sparql.prologue import prologue_of
from kgprobe.sparql.respelling import legible
from kgprobe.sparql.source import NamedTerm, Source
from kgprobe.sparql.tree import Node
from kgprobe.sparql.uses import AnyUse, Use
from kgprobe.sparql.validation import check_document, check_query

__all__ = ["Form", "NamedTerm", "Query", "looks_like_query", "read_query", "read_update"]

# The first word of a query, after its declarations.
_BEGINNING = re.compile(
    r"(?>(?:\s+|\#[^\n\r]*|PREFIX\s+[^\s:<>]*:\s*<[^<>]*>|BASE\s*<[^<>]*>)*)(SELECT|ASK|CONSTRUCT|DESCRIBE)\b",
    re.IGNORECASE,
)
# The text after it, including placeholders of templates: `SELECT {columns} WHERE …`.
_CONTINUATIONS = {
    "SELECT": re.compile(r"\s*(?:(?:DISTINCT|REDUCED)\b\s*)?[*?$({%]", re.IGNORECASE),
    "ASK": re.compile(r"\s*(?:\{|WHERE\b|FROM\b)", re.IGNORECASE),
    "CONSTRUCT": re.compile(r"\s*(?:\{|WHERE\b|FROM\b)", re.IGNORECASE),
    "DESCRIBE": re.compile(r"\s*(?:[*?$<{%]|[\w.\-]*:\w)"),
}
_FROM_A_TABLE = re.compile(r"\bFROM(?>\s+)(?!NAMED\b|<|[\w.\-]*:)", re.IGNORECASE)
_SELECTED = re.compile(r"[?$]\w|\bWHERE\b", re.IGNORECASE)
_WHOLE_GRAPHS = frozenset(("add", "move", "copy"))  # updates that read graphs without a pattern
_READ = frozenset(("select_clause", "where_clause", "solution_modifier"))


@dataclass(frozen=True)
class Query:
    """The uses, patterns and terms of a query.

    The guarantee of `uses`: if no triple that only one of two graphs has matches any of them, the query has the same
    answer on both graphs, to the extent that SPARQL defines the answer. (It does not for RAND and NOW, for LIMIT
    without a complete order, and for the names of new blank nodes.) There is no guarantee if `unseen` has a reason.

    A `TripleUse` matches a triple whose parts its slots allow, and for which its conditions are true. An `AnyUse`
    matches every triple. A `PathUse` matches if the pairs of nodes that it connects differ between the two graphs.

    A reflexive `PathUse` connects each node of the graph (each subject and object of a triple) to itself. So it depends
    on which nodes the graph has, if its ends allow them. This includes constants: engines disagree on whether a path
    without edges matches at a constant that the graph does not have. A `PathUse` without edges depends on nothing else.

    A slot whose variable begins with `_:` is a blank node that occurs twice in one pattern; no condition names it.
    """

    form: Form
    prefixes: dict[str, str]  # the declared prefixes, and the given ones that the text does not declare
    uses: tuple[Use, ...]
    patterns: tuple[TriplePattern, ...]
    terms: tuple[NamedTerm, ...]
    unseen: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_query(text: str, name: str = "<query>", prefixes: Mapping[str, str] | None = None) -> Query:
    """Read a SPARQL 1.1 query; error messages give `name` as its source.

    `prefixes` apply if the text does not declare its own.
    """
    prefixes = prefixes or {}
    text = legible(text)
    check_query(text, name, prefixes)
    source = Source(text, prefixes)
    queries = [part for part in source.tree.parts if part.kind.endswith("_query")]
    if source.tree.broken is not None or len(queries) != 1:
        return _unread(source, prefixes)
    [query] = queries
    form = form_of(query, source)
    reader = GroupReader(source)
    for part in query.children:
        if part.kind in _READ:
            reader.read(part)
        elif part.kind == "triples_template":
            reader.read_template(part)
    if form == "DESCRIBE":
        # The description of a node may continue over any number of blank nodes.
        reader.uses.append(AnyUse("DESCRIBE", source.line(query.start)))
    return Query(
        form=form,
        prefixes=source.prefixes,
        uses=tuple(sorted(reader.uses, key=_line) if len(reader.uses) > 1 else reader.uses),
        patterns=tuple(reader.patterns),
        terms=tuple(source.terms),
        unseen=tuple(dict.fromkeys(reader.unseen + _unseen_terms(source))),
        notes=_notes(query, source),
    )


def read_update(text: str, name: str = "<update>", prefixes: Mapping[str, str] | None = None) -> Query:
    """Read SPARQL 1.1 updates: what they write depends on the triples that `uses` of the result match."""
    prefixes = prefixes or {}
    source = Source(text, prefixes)
    check_document(text, name, prefixes, source.tree)
    reader = GroupReader(source)
    for part in source.tree.parts if source.tree.broken is None else ():
        if part.kind in _WHOLE_GRAPHS:
            reader.uses.append(AnyUse(part.kind.upper(), source.line(part.start)))
        elif part.kind == "delete_where":
            for template in part.children[-1].children:
                for each in template.children if template.kind == "quads_not_triples" else (template,):
                    if each.kind == "triples_template":
                        reader.read_template(each)
        elif part.kind == "modify":
            reader.read(part.children[-1])
    unseen = reader.unseen + _unseen_terms(source)
    if source.tree.broken is not None:
        unseen.append("kgprobe cannot parse this SPARQL")
    return Query("CONSTRUCT", source.prefixes, tuple(reader.uses), (), tuple(source.terms), tuple(unseen))


def _unseen_terms(source: Source) -> list[str]:
    found = []
    for node in source.unknown:
        written = source.written(node.start, node.end)
        found.append(f"line {source.line(node.start)}: {written} is relative, and the query has no BASE")
    for each in source.terms if source.computed else ():
        if each.written in source.computed:
            found.append(f"line {each.line}: {each.written} is a property that some engines compute")
    return found


def _line(use: Use) -> int:
    return use.line or 0


def looks_like_query(text: str) -> bool:
    """Whether a string seems to be a SPARQL query or a template of one. It may still have mistakes."""
    begins = _BEGINNING.match(text)
    if begins is None or not _CONTINUATIONS[begins[1].upper()].match(text, begins.end()):
        return False
    brace = text.find("{", begins.end())
    if brace < 0:
        return begins[1].upper() == "DESCRIBE" and "\n" not in text[begins.end() :].strip()
    if begins[1].upper() == "SELECT" and not _SELECTED.search(text, begins.end()):
        return False
    return "}" in text[brace:] and not _FROM_A_TABLE.search(text, begins.end(), brace)


def _unread(source: Source, prefixes: Mapping[str, str]) -> Query:
    """The result for a valid query that the tree-sitter grammar cannot parse."""
    begins = _BEGINNING.match(source.text)
    form = begins[1].upper() if begins else "SELECT"
    declared = prologue_of(source.text[: begins.start(1)] if begins else "", prefixes).prefixes
    line = source.text.count("\n", 0, source.tree.broken or 0) + 1
    reason = f"line {line}: kgprobe cannot parse this SPARQL"
    return Query(cast(Form, form), dict(declared), (), (), (), (reason,))


def _notes(query: Node, source: Source) -> tuple[str, ...]:
    found = [part for part in query.children if part.kind == "dataset_clause"]
    return tuple([_assumption(part, source) for part in found])


def _assumption(dataset: Node, source: Source) -> str:
    written = source.written(dataset.start, dataset.end)
    return f"line {source.line(dataset.start)}: {written} is assumed to be the graph under test"
