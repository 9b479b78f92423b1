"""Hover: what a name means in the ontology, and which classes a variable has, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.lsp.told_types import Reason, told_types
from kgprobe.lsp.variable_classes import VariableClass
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
    for each in document.terms:
        if each.start <= offset <= each.end:
            return each.term, Span(each.start, each.end)
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
    above = [schema.words(each) for each in schema.super_classes(name) if each != name]
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
    found = [(schema.words(each.kind), each.spans, each.axioms) for each in inferred]
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
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>#|!" else each for each in text)
