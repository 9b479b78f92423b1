"""Hover: what a name means in the ontology, and which classes a variable has, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kgprobe.graph.pattern import Variable
from kgprobe.graph.terms import RDFS, Literal, NamedNode, Namespace
from kgprobe.lsp.told_types import Reason, told_types, triples_in
from kgprobe.ontology.wording import labels_of
from kgprobe.queries.algebra import Document, PlacedTriple, Span
from kgprobe.sparql.schema import Schema

__all__ = ["Hover", "hover", "name_at"]

_SKOS = Namespace("http://www.w3.org/2004/02/skos/core#")
_OBO = Namespace("http://purl.obolibrary.org/obo/")
_DEFINITIONS = (_SKOS.definition, _OBO.IAO_0000115, RDFS.comment)
_KINDS = {
    "Class": "class",
    "ObjectProperty": "object property",
    "DataProperty": "data property",
    "AnnotationProperty": "annotation property",
    "Datatype": "datatype",
    "NamedIndividual": "individual",
}
_VARIABLE = re.compile(r"[?$](\w+)")
_LONGEST = 600
_MOST_TYPES = 8


@dataclass(frozen=True, slots=True)
class Hover:
    """A text in Markdown about a part of a query."""

    span: Span
    markdown: str


def hover(document: Document, offset: int, schema: Schema) -> Hover | None:
    """The text for an offset, if a name or a variable is there."""
    named = name_at(document, offset)
    if named is not None:
        name, span = named
        text = "\n\n".join(_about_name(name, schema))
        return Hover(span, text) if text else None
    found = _variable_at(document, offset)
    if found is None:
        return None
    variable, span = found
    return Hover(span, "\n\n".join(_about_variable(variable, document, schema)))


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
    yield f"**{_plain(labels[0]) if labels else _plain(schema.words(name))}** ({', '.join(kinds)})"
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


def _about_variable(variable: Variable, document: Document, schema: Schema) -> Iterator[str]:
    triples = list(triples_in(document))
    types = told_types(variable, triples, schema)
    values = list(_ranges(variable, triples, schema))
    if not types and not values:
        yield f"**{variable}**: nothing in the query and the ontology says what it is"
        return
    specific = [
        kind for kind in types if not any(kind in schema.super_classes(other) for other in types if other != kind)
    ]
    shown = [schema.words(kind) for kind in specific[:_MOST_TYPES]] + [words for words, _ in values]
    yield f"**{variable}**: {_plain(' and '.join(shown))}"
    reasons = [_because(schema.words(kind), types[kind], document, schema) for kind in specific[:_MOST_TYPES]]
    reasons += [_because(words, reason, document, schema) for words, reason in values]
    yield "\n".join(f"- {reason}" for reason in reasons)


def _ranges(variable: Variable, triples: list[PlacedTriple], schema: Schema) -> Iterator[tuple[str, Reason]]:
    seen = set()
    for triple in triples:
        if triple.object == variable and isinstance(triple.predicate, NamedNode):
            for said in schema.data_ranges(triple.predicate):
                if said.what not in seen:
                    seen.add(said.what)
                    yield schema.words(said.what), Reason(triple, said.axioms)


def _because(words: str, reason: Reason, document: Document, schema: Schema) -> str:
    parts = [schema.words(axiom) for axiom in reason.axioms]
    if reason.triple is not None:
        line = document.text.count("\n", 0, reason.triple.span.start) + 1
        parts.insert(0, f"line {line}")
    return _plain(f"{words}: {'; '.join(parts)}")


def _plain(text: str) -> str:
    """The text without the characters that Markdown reads as markup: labels come from files that anyone can write."""
    return "".join(f"\\{each}" if each in "\\`*_{}[]<>#|!" else each for each in text)
