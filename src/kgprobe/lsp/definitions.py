"""Where an ontology defines a name: a position in the text of one of its files.

Graphs do not keep positions, and the formats differ, so this searches the text for the ways in which a file can write
the name. A line that begins with the name counts most, because Turtle, OBO and Manchester syntax begin a definition
with it. Next come the declarations of functional syntax and the `rdf:about` of RDF/XML, then any other place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kgprobe.errors import InputError
from kgprobe.given_files import read_text
from kgprobe.rdf.terms import OBO, NamedNode

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
