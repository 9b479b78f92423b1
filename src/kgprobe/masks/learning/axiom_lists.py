"""Reads changes as RDFMutate writes them: `[[s, p, o],[s, p, o]]`, with bare IRIs and unescaped literals."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from itertools import islice

from pyoxigraph import RdfFormat, parse

from kgprobe.rdf.terms import XSD, BlankNode, Literal, NamedNode, Subject, Term, Triple

__all__ = ["BrokenListError", "literal_readings", "read_triples"]

# Where a triple can end: before the next one, or at the end of the list.
_END = re.compile(r"\]\s*(?=,\s*\[|\]\s*\Z)")
_START = re.compile(r"\s*,?\s*\[\s*")
_NAMES = re.compile(r"(\S+?),\s+(\S+?),\s+")
_LITERAL = re.compile(r'"(?P<text>.*)"(?:\^\^<?(?P<type>[^\s"<>]+)>?|@(?P<language>[A-Za-z0-9-]+))?\s*\Z', re.DOTALL)
_BAD_LABEL = re.compile(r"[^A-Za-z0-9]")


class BrokenListError(ValueError):
    """A text that is not a list of triples; the message says what is wrong."""


def read_triples(text: str) -> list[Triple]:
    """The triples of a list. Literals may contain commas, brackets and quotes."""
    stripped = text.strip()
    if not (stripped.startswith("[") and stripped.endswith("]")):
        raise BrokenListError("a list of triples starts with [ and ends with ]")
    if not stripped[1:-1].strip():
        return []
    return _read(stripped)


def _read(text: str) -> list[Triple]:
    """A literal can contain what looks like the end of its triple: the first end that leaves a triple is taken."""
    ends = [match.start() for match in _END.finditer(text)]
    found: list[Triple] = []
    place = 1
    while text[place:].strip() != "]":
        start = _START.match(text, place)
        read = None if start is None else _first(text, start.end(), ends)
        if read is None:
            raise BrokenListError(f"not a triple: {text[place : place + 60].lstrip(', ')}")
        triple, end = read
        found.append(triple)
        place = end + 1
    return found


def _first(text: str, start: int, ends: Sequence[int]) -> tuple[Triple, int] | None:
    for end in islice(ends, bisect_left(ends, start), None):
        triple = _triple(text[start:end])
        if triple is not None:
            return triple, end
    return None


def _triple(text: str) -> Triple | None:
    names = _NAMES.match(text)
    if names is None:
        return None
    subject, predicate, object_ = _node(names[1]), _node(names[2]), _object(text[names.end() :])
    if subject is None or not isinstance(predicate, NamedNode) or object_ is None:
        return None
    return Triple(subject, predicate, object_)


def _node(text: str) -> Subject | None:
    if text.startswith("_:"):
        return _blank(text[2:])
    if text.startswith("<") and text.endswith(">"):
        text = text[1:-1]
    if ":" not in text:  # the label of a blank node; every IRI has a colon
        return _blank(text)
    try:
        return NamedNode(text)
    except ValueError:
        return None


def _blank(label: str) -> BlankNode | None:
    return BlankNode("m" + _BAD_LABEL.sub("x", label)) if label and not set(label) & set('"<>[]') else None


def _object(text: str) -> Term | None:
    if not text.startswith('"'):
        stripped = text.strip()
        return None if not stripped or any(c.isspace() for c in stripped) else _node(stripped)
    found = _LITERAL.fullmatch(text)
    if found is None:
        return None
    try:
        if found["language"]:
            return Literal(found["text"], language=found["language"].lower())
        return Literal(found["text"], datatype=NamedNode(found["type"]) if found["type"] else XSD.string)
    except ValueError:
        return None


def literal_readings(term: Term) -> list[Term]:
    """The literal as it stands and, if it can be read with escapes, without them."""
    if not isinstance(term, Literal) or "\\" not in term.value:
        return [term]
    tail = str(Literal("", datatype=term.datatype) if not term.language else Literal("", language=term.language))[2:]
    line = f'<urn:kgprobe:s> <urn:kgprobe:p> "{term.value}"{tail} .\n'
    try:
        [quad] = parse(line.encode(), format=RdfFormat.N_TRIPLES)
    except (SyntaxError, ValueError):
        return [term]
    read = quad.triple.object
    assert isinstance(read, Literal)  # noqa: S101 - it was written as one
    return [term, read]
