"""Reads OBO flat files, versions 1.2 and 1.4, as the OWL that the format's specification translates them to.

Where the specification's tables differ from what OWLAPI and ROBOT write, the names of theirs that published ontologies
have are used: oboInOwl:hasDbXref for xref, oboInOwl:date for date. Header macros (treat-xrefs-as-…) are kept as
annotations, because the specification expands them into an ontology of their own. A tag that a header may not have is
an annotation of the ontology; a frame's tags are a closed list, so an unknown one is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain
from operator import length_hint
from typing import Final, NoReturn

from kgprobe.errors import InputError, Position, nearest
from kgprobe.graph.formats.obo.axioms import equivalent_combinations
from kgprobe.graph.formats.obo.clauses import Clause
from kgprobe.graph.formats.obo.document import Document
from kgprobe.graph.formats.obo.frames import FRAMES
from kgprobe.graph.formats.obo.header import HeaderClause, Names, find_names, translate
from kgprobe.graph.formats.obo.ids import OBO, OIO, Identifiers, find_typedefs
from kgprobe.graph.formats.obo.text import Malformed, end_of_clause, expect_word, word
from kgprobe.graph.formats.obo.triples import FIRST, SECOND, Triples
from kgprobe.graph.table import TableBuilder
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode

__all__ = ["read"]

_KINDS: Final = {"[Term]": OWL.Class, "[Typedef]": OWL.ObjectProperty, "[Instance]": OWL.NamedIndividual}
_PREFIXES: Final = {
    "obo": OBO.iri, "oboInOwl": OIO.iri, "owl": OWL.iri, "rdf": RDF.iri, "rdfs": RDFS.iri, "xsd": XSD.iri
}  # fmt: skip
_PREFIX: Final = re.compile(r"[A-Za-z](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")


def read(text: str, name: str, builder: TableBuilder) -> dict[str, str]:
    """Add the triples that an OBO file stands for; gives the prefixes to write them with.

    Raises InputError, with line and column, where the file is not OBO.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _Reader(text.removeprefix("\ufeff"), name, builder).read()


class _Reader:
    def __init__(self, text: str, name: str, builder: TableBuilder) -> None:
        self._name = name
        self._builder = builder
        lines = text.removesuffix("\n").split("\n")
        self._lines = list(_joined(lines)) if _has_continuation(text) else lines
        self._typedefs = find_typedefs(text)
        self._number, self._line = 0, ""

    def read(self) -> dict[str, str]:
        try:
            names = self._read()
        except Malformed as problem:
            column = len(self._line) - problem.remaining + 1
            self._fail(problem.message, column, problem.hint)
        except ValueError:
            # Of all texts, RDF refuses only half a surrogate pair; looking for one in every line would cost too much.
            self._fail("a character that stands for nothing", 1, "the file's encoding may not be UTF-8")
        idspaces = {prefix: iri for prefix, iri in names.idspaces.items() if _PREFIX.fullmatch(prefix)}
        return _PREFIXES | idspaces

    def _read(self) -> Names:
        clauses, first_frame = self._header()
        names = find_names(clauses, self._at)
        triples = Triples(self._builder)
        ids = Identifiers(self._builder.intern, names.unprefixed, names.idspaces, self._typedefs)
        document = Document(triples, ids, self._typedefs)
        translate(clauses, names, document, self._at)
        self._frames(document, first_frame)
        line = equivalent_combinations(document)
        if line is not None:
            self._number = line
            self._fail("intersection_of and union_of need two clauses or more in a frame, found one", None)
        _add_namespaces(document, names.default_namespace)
        document.declare_mentioned()
        for numbers in triples.numbers():
            self._builder.extend_numbers(numbers)
        return names

    def _header(self) -> tuple[list[HeaderClause], int]:
        """The clauses before the first frame, and how many lines they take."""
        clauses: list[HeaderClause] = []
        for number, line in enumerate(self._lines, 1):
            self._number, self._line = number, line
            if line.startswith("["):
                return clauses, number - 1
            if not _is_silent(line):
                tag, value = _tag_and_value(line)
                clauses.append(HeaderClause(number, line, tag, value))
        return clauses, len(self._lines)

    def _at(self, clause: HeaderClause) -> None:
        self._number, self._line = clause.number, clause.line

    def _frames(self, document: Document, first: int) -> None:
        """Read all frames; the first one starts after this many lines."""
        tables = {title: _Table(kind, document) for title, kind in _KINDS.items()}
        metadata = _Table(OWL.AnnotationProperty, document)
        # Lines are not counted: how many are left tells the number of the one that was read last.
        total, remaining = len(self._lines), iter(self._lines[first:])
        line, subject = "", -1
        handlers = metadata
        try:
            for line in remaining:
                tag, _, value = line.partition(": ")
                handler = handlers.get(tag)
                if handler is not None:
                    handler(subject, value)
                elif not line:
                    continue
                elif line[:1] == "[":
                    document.frame_line = total - length_hint(remaining)
                    handlers = tables.get(line) or tables[self._title(document.frame_line, line)]
                    line = next(remaining, "")
                    value = line[4:]
                    if line[:4] != "id: ":
                        line, value = self._id(line, remaining)
                    if handlers.kind is OWL.ObjectProperty and self._is_metadata(value):
                        handlers = metadata
                    subject = handlers.open(value)
                elif not _is_silent(line):
                    tag, value = _tag_and_value(line)
                    handlers.handler(tag, line)(subject, value)
        except (Malformed, ValueError):
            self._number, self._line = total - length_hint(remaining), line
            raise

    def _id(self, line: str, remaining: Iterator[str]) -> tuple[str, str]:
        """The id clause that must come next, in this line or a later one: its line, and its value."""
        for candidate in chain([line], remaining):
            if not _is_silent(candidate):
                tag, _, value = candidate.partition(":")
                if tag.strip() == "id":
                    return candidate, value
                self._number = len(self._lines) - length_hint(remaining)
                self._fail(f"expected the id of the frame first, found '{tag.strip()}'", 1)
        self._number = len(self._lines)
        return self._fail("expected the id of the frame, found the end of the file", None)

    def _is_metadata(self, value: str) -> bool:
        identifier, _ = word(value, 0)
        return identifier in self._typedefs and self._typedefs[identifier].is_metadata

    def _title(self, number: int, line: str) -> str:
        """The title of a frame as it is usually written."""
        title = line.partition("!")[0].strip()
        if title in _KINDS:
            return title
        close = nearest(title, _KINDS)
        hint = f"did you mean {close}?" if close else f"one of {', '.join(_KINDS)}"
        self._number = number
        return self._fail(f"unknown frame {title}", 1, hint)

    def _fail(self, message: str, column: int | None, hint: str | None = None) -> NoReturn:
        raise InputError(message, where=Position(self._name, self._number, column), hint=hint)


class _Table(dict[str, Clause]):
    """The handlers of the tags that one kind of frame has. Those that a document does not use are never made."""

    def __init__(self, kind: NamedNode, document: Document) -> None:
        super().__init__()
        self.kind = kind
        self._document = document

    def handler(self, tag: str, line: str) -> Clause:
        """The handler of a tag."""
        if tag not in self:
            self[tag] = self._make(tag, line)
        return self[tag]

    @cached_property
    def open(self) -> Callable[[str], int]:
        """Gives the entity of a frame whose id clause has a value, and adds what that clause means."""
        kind, document, triples = self.kind, self._document, self._document.triples
        intern, number = triples.intern, triples.intern.setdefault
        ids, frames = document.ids, document.frames
        type_, class_, id_ = triples.type, triples.number(kind), document.annotation_property(OIO.id)
        shorthands = document.ids.shorthands if kind in (OWL.ObjectProperty, OWL.AnnotationProperty) else {}
        extend = triples.records(*(FIRST, type_, class_), *(FIRST, id_, SECOND)).extend

        def open_(value: str) -> int:
            identifier = value.strip()
            subject = ids.get(identifier)
            if subject is None or "!" in identifier:
                try:
                    subject = ids.new(identifier if "!" not in identifier else "")
                except ValueError:  # there is more to the clause than the identifier, see `Document.lone`
                    identifier, end = expect_word(value, 0)
                    end_of_clause(value, end)
                    subject = ids.entity(identifier, value)
            if frames.setdefault(subject, kind) is not kind:
                raise Malformed(f"'{identifier}' has a frame of another type before", value)
            written = number(Literal(identifier), len(intern))
            extend((subject, written))
            if identifier in shorthands:
                triples.add(subject, document.annotation_property(OIO.shorthand), written)
            return subject

        return open_

    def _make(self, tag: str, line: str) -> Clause:
        recipes = FRAMES[self.kind]
        if tag in recipes:
            return recipes[tag](self._document)
        if tag == "id":
            raise Malformed("a frame has one id, found a second", line)
        close = nearest(tag, recipes)
        raise Malformed(f"unknown tag '{tag}'", line, hint=f"did you mean '{close}'?" if close else None)


def _is_silent(line: str) -> bool:
    """Whether there is nothing on a line but a comment."""
    text = line.lstrip()
    return not text or text[0] == "!"


def _tag_and_value(line: str) -> tuple[str, str]:
    tag, colon, value = line.partition(":")
    tag = tag.strip()
    if not colon or not tag:
        raise Malformed("expected a tag, a colon and a value", line)
    return tag, value.lstrip(" ")


def _has_continuation(text: str) -> bool:
    """Whether some line ends in a backslash that does not belong to another."""
    place = text.find("\\")
    while place >= 0:
        if text[place + 1 : place + 2] in ("\r", "\n"):
            return True
        place = text.find("\\", place + 2)
    return False


def _joined(lines: list[str]) -> Iterator[str]:
    """The lines, with those that end in a backslash joined to the next; empty lines keep the count."""
    before, joined = "", 0
    for line in lines:
        text = before + line
        body = text.rstrip("\r\n")
        if (len(body) - len(body.rstrip("\\"))) % 2:
            before, joined = body[:-1], joined + 1
            continue
        yield text
        yield from [""] * joined
        before, joined = "", 0
    if before:
        yield before


def _add_namespaces(document: Document, default: str | None) -> None:
    """Every frame has a namespace, if only the default one."""
    without = document.frames.keys() - document.in_namespace
    if default is None or not without:
        return
    property_ = document.annotation_property(OIO.hasOBONamespace)
    namespace = document.triples.literal(default)
    document.triples.records(FIRST, property_, namespace).extend(without)
