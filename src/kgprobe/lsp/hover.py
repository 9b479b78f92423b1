"""What a name means in the ontology, where it is defined, and which classes a variable has, and why.

Graphs do not keep positions, and the formats differ, so a definition is found by searching the text for the ways in
which a file can write the name. A line that begins with the name counts most, because Turtle, OBO and Manchester syntax
begin a definition with it. Next come the declarations of functional syntax and the `rdf:about` of RDF/XML, then any
other place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from kgprobe.errors import InputError
from kgprobe.given_files import read_text
from kgprobe.lsp.variable_classes import Reason, VariableClass, told_types
from kgprobe.owl.expression import Expression
from kgprobe.owl.wording import labels_of
from kgprobe.queries.schema import Schema
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OBO, RDFS, SKOS, Literal, NamedNode
from kgprobe.sparql.algebra import Document, PlacedTriple, Span
from kgprobe.sparql.traversal import triples_within

_DEFINITIONS = (SKOS.definition, OBO.IAO_0000115, RDFS.comment)
_KINDS = {
    "Class": "class",
    "ObjectProperty": "object property",
    "DataProperty": "data property",
    "AnnotationProperty": "annotation property",
    "Property": "property",
    "Datatype": "datatype",
    "NamedIndividual": "individual",
}
_VARIABLE = re.compile(r"[?$](\w+)")
_LONGEST = 600
_MOST_TYPES = 8
_MOST_LABELS = 3


@dataclass(frozen=True, slots=True)
class Hover:
    """A text in Markdown about a part of a query."""

    span: Span
    markdown: str


Classes: TypeAlias = Callable[[Variable, Document, int], Sequence[VariableClass]]


def hover(document: Document, offset: int, schema: Schema, classes: Classes) -> Hover | None:
    """The text for an offset, if a name or a variable is there. `classes` infers the classes of a variable."""
    named = name_at(document, offset)
    if named is not None:
        name, span = named
        text = "\n\n".join(_about_name(name, schema))
        return Hover(span, text) if text else None
    found = _variable_at(document, offset)
    if found is None:
        return None
    variable, span = found
    inferred = classes(variable, document, offset)
    return Hover(span, "\n\n".join(_about_variable(variable, document, schema, inferred)))


def name_at(document: Document, offset: int) -> tuple[NamedNode, Span] | None:
    """The IRI at an offset, and its place."""
    for term in document.terms:
        if term.start <= offset <= term.end:
            return term.term, Span(term.start, term.end)
    return None


# -- names -------------------------------------------------------------------------------------------------------------


def _about_name(name: NamedNode, schema: Schema) -> Iterator[str]:
    kinds = [word for kind, word in _KINDS.items() if kind in schema.kinds(name)]
    if not kinds:
        return
    labels = labels_of(name, schema.graph)
    words = schema.words(name)
    is_label = bool(labels) and words in (labels[0], f"'{labels[0]}'")
    yield f"**{_plain(labels[0] if is_label else words)}** ({', '.join(kinds)})"
    if labels and not is_label:  # they are in another language
        yield _plain("; ".join(labels[:_MOST_LABELS]))
    for predicate in _DEFINITIONS:
        texts = [triple.object for triple in schema.graph.triples(name, predicate, None)]
        values = sorted((each.language or "", each.value) for each in texts if isinstance(each, Literal))
        if values:
            text = " ".join(values[0][1].split())
            yield _plain(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")
            break
    yield from _signature(name, schema)
    yield f"`{name.value}`"


def _signature(name: NamedNode, schema: Schema) -> Iterator[str]:
    domains = [schema.words(said.what) for said in schema.domains(name)]
    ranges = [schema.words(said.what) for said in (*schema.ranges(name), *schema.data_ranges(name))]
    if domains or ranges:
        yield f"{_plain(' and '.join(domains) or 'anything')} → {_plain(' and '.join(ranges) or 'anything')}"
    above = [schema.words(super_class) for super_class in schema.super_classes(name) if super_class != name]
    if above:
        yield f"below {_plain(', '.join(above[:_MOST_TYPES]))}"


# -- variables ---------------------------------------------------------------------------------------------------------


def _variable_at(document: Document, offset: int) -> tuple[Variable, Span] | None:
    for found in _VARIABLE.finditer(document.text):
        start, end = found.span()
        if start <= offset <= end and not any(comment.start <= start < comment.end for comment in document.comments):
            return Variable(found[1]), Span(start, end)
    return None


def _about_variable(
    variable: Variable, document: Document, schema: Schema, inferred: Sequence[VariableClass]
) -> Iterator[str]:
    triples = list(triples_within(document.operations))
    found = [
        (schema.words(variable_class.kind), variable_class.spans, variable_class.axioms) for variable_class in inferred
    ]
    if not found:  # nothing follows, or the patterns contradict each other: then show what each of them says
        found = [(schema.words(kind), *_of(reason)) for kind, reason in _told(variable, triples, schema)]
    found += [(words, *_of(reason)) for words, reason in _ranges(variable, triples, schema)]
    if not found:
        yield f"**{variable}**: nothing in the query and the ontology says what it is"
        return
    yield f"**{variable}**: {_plain(' and '.join(words for words, _, _ in found[:_MOST_TYPES]))}"
    reasons = [_because(words, spans, axioms, document, schema) for words, spans, axioms in found[:_MOST_TYPES]]
    yield "\n".join(f"- {reason}" for reason in reasons)


def _told(variable: Variable, triples: list[PlacedTriple], schema: Schema) -> Iterator[tuple[NamedNode, Reason]]:
    types = told_types(variable, triples, schema)
    for kind, reason in types.items():
        if not any(kind in schema.super_classes(other) for other in types if other != kind):
            yield kind, reason


def _of(reason: Reason) -> tuple[tuple[Span, ...], tuple[Expression, ...]]:
    return (() if reason.triple is None else (reason.triple.span,)), reason.axioms


def _ranges(variable: Variable, triples: list[PlacedTriple], schema: Schema) -> Iterator[tuple[str, Reason]]:
    seen = set()
    for triple in triples:
        if triple.object == variable and isinstance(triple.predicate, NamedNode):
            for said in schema.data_ranges(triple.predicate):
                if said.what not in seen:
                    seen.add(said.what)
                    yield schema.words(said.what), Reason(triple, said.axioms)


def _because(
    words: str, spans: Sequence[Span], axioms: Sequence[Expression], document: Document, schema: Schema
) -> str:
    lines = sorted({document.text.count("\n", 0, span.start) + 1 for span in spans})
    parts = [f"line {line}" for line in lines] + [schema.words(axiom) for axiom in axioms]
    return _plain(f"{words}: {'; '.join(parts)}")


def _plain(text: str) -> str:
    """The text without the characters that Markdown reads as markup: labels come from files that anyone can write."""
    return "".join(f"\\{character}" if character in "\\`*_{}[]<>#|!" else character for character in text)


# -- definitions in files ----------------------------------------------------------------------------------------------

# Turtle, SPARQL, functional and Manchester syntax declare prefixes in nearly the same way.
_PREFIX = re.compile(r"(?:@?prefix\s*:?\s*\(?\s*)([\w.\-]*):\s*=?\s*<([^<>\s]*)>", re.IGNORECASE)
_END = r"(?![\w\-])"


@dataclass(frozen=True, slots=True)
class Definition:
    """A place in a file. The line and the columns count characters from 0."""

    file: Path
    line: int
    start: int
    end: int
    text: str
    """The whole line."""


def definition_of(name: NamedNode, files: Iterable[Path]) -> Definition | None:
    """The best place in the files, the earliest if there are several; None if no file writes the name."""
    best: tuple[int, Definition] | None = None
    for file in files:
        try:
            text = read_text(file)
        except InputError:
            continue  # it has been deleted or replaced since it was loaded
        found = _in_text(name, file, text)
        if found is not None and (best is None or found[0] < best[0]):
            best = found
    return None if best is None else best[1]


def _in_text(name: NamedNode, file: Path, text: str) -> tuple[int, Definition] | None:
    best: tuple[int, int, int] | None = None  # rank, start, end
    for spelling in _spellings(name, text):
        for found in re.finditer(spelling, text):
            start, end = found.span(1)
            rank = _rank(text, start, found.start())
            if best is None or (rank, start) < best[:2]:
                best = rank, start, end
    if best is None:
        return None
    rank, start, end = best
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", start)
    line = text[line_start : line_end if line_end >= 0 else len(text)]
    number = text.count("\n", 0, start)
    return rank, Definition(file, number, start - line_start, min(end - line_start, len(line)), line)


def _spellings(name: NamedNode, text: str) -> Iterator[str]:
    """Patterns for the ways to write the name, with the name itself as their first group."""
    iri = name.value
    yield f"(<{re.escape(iri)}>)"
    yield rf"rdf:about\s*=\s*[\"']({re.escape(iri)})[\"']"
    cut = max(iri.rfind("#"), iri.rfind("/")) + 1
    if 0 < cut < len(iri):
        yield rf"rdf:ID\s*=\s*[\"']({re.escape(iri[cut:])})[\"']"
        yield rf"rdf:about\s*=\s*[\"'](?:&\w+;|#)?({re.escape(iri[cut:])})[\"']"
    if iri.startswith(OBO.iri) and "_" in iri:
        short = iri.removeprefix(OBO.iri).replace("_", ":", 1)
        yield rf"(?m:^)id:\s*({re.escape(short)})\s*(?m:$)"
    for prefix, namespace in dict(_PREFIX.findall(text)).items():
        if namespace and iri.startswith(namespace) and len(iri) > len(namespace):
            yield rf"(?<![\w\-:])({re.escape(prefix)}:{re.escape(iri[len(namespace) :])}){_END}"


def _rank(text: str, start: int, match_start: int) -> int:
    """0 for a place that begins a line, 1 for a declaration, 2 for any other."""
    line_start = text.rfind("\n", 0, start) + 1
    before = text[line_start:start]
    if not before.strip() or re.fullmatch(r"\s*(?:id|Class|ObjectProperty|DataProperty|Individual):\s*", before):
        return 0 if not before else 1
    if re.search(r"Declaration\(\s*\w+\(\s*$", before) or match_start < start:
        return 1
    return 2
