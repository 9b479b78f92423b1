"""Reads OBO flat files, versions 1.2 and 1.4, and translates them to OWL as the format's specification defines.

Where the specification differs from what OWLAPI and ROBOT write, the reader follows the tools, because published
ontologies do: oboInOwl:hasDbXref for xref, oboInOwl:date for date. Header macros (treat-xrefs-as-…) are kept as
annotations, because the specification expands them into a separate ontology. An unknown header tag becomes an
annotation of the ontology. The tags of frames are a closed list, so an unknown one is an error.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from operator import length_hint
from typing import Final, NoReturn, TypeAlias

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.formats.syntaxes.obo.axioms import (
    chain,
    equivalent_combinations,
    member,
    metarelation,
    relationship,
    subclass,
    subproperty,
)
from kgprobe.formats.syntaxes.obo.clauses import (
    Clause,
    alternative,
    boolean,
    characteristic,
    definition,
    namespace,
    property_value,
    reference,
    synonym,
    text,
    xref,
)
from kgprobe.formats.syntaxes.obo.document import (
    FIRST,
    IAO,
    OIO,
    SECOND,
    Document,
    Identifiers,
    Role,
    Triples,
    find_typedefs,
)
from kgprobe.formats.syntaxes.obo.header import HeaderClause, Names, find_names, translate
from kgprobe.formats.syntaxes.obo.text import Malformed, end_of_clause, expect_word, word
from kgprobe.rdf.spelling import STANDARD_PREFIXES
from kgprobe.rdf.table import TableBuilder
from kgprobe.rdf.terms import OBO, OWL, RDF, RDFS, Literal, NamedNode

_KINDS: Final = {"[Term]": OWL.Class, "[Typedef]": OWL.ObjectProperty, "[Instance]": OWL.NamedIndividual}
_PREFIXES: Final = {
    "obo": OBO.iri, "oboInOwl": OIO.iri, **STANDARD_PREFIXES
}  # fmt: skip
_PREFIX: Final = re.compile(r"[A-Za-z](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")


def read(text: str, name: str, builder: TableBuilder) -> dict[str, str]:
    """Add the triples of an OBO file; return the prefixes to write them with.

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
            # RDF refuses only lone surrogates in a text; to check every line for one would cost too much.
            self._fail("found a lone surrogate, which is not a character", 1, "the file's encoding may not be UTF-8")
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
        """The clauses before the first frame, and the number of lines before it."""
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
        """Read all frames; the first one starts after `first` lines."""
        tables = {title: _Table(kind, document) for title, kind in _KINDS.items()}
        metadata = _Table(OWL.AnnotationProperty, document)
        # To count lines would be slower: the number of the current line follows from how many are left.
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
        """The line and the value of the id clause, which must come first in a frame."""
        for candidate in itertools.chain([line], remaining):
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
        """The normalized title of a frame."""
        title = line.partition("!")[0].strip()
        if title in _KINDS:
            return title
        hint = did_you_mean(title, _KINDS, f"one of {', '.join(_KINDS)}", shown="{}")
        self._number = number
        return self._fail(f"unknown frame {title}", 1, hint)

    def _fail(self, message: str, column: int | None, hint: str | None = None) -> NoReturn:
        raise InputError(message, where=Position(self._name, self._number, column), hint=hint)


class _Table(dict[str, Clause]):
    """The handlers of the tags of one kind of frame, made when a document first uses the tag."""

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
        """A function from the value of an id clause, whose triples it adds, to the number of the frame's entity."""
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
                except ValueError:  # the clause has more than the identifier, see `Document.lone`
                    identifier, end = expect_word(value, 0)
                    end_of_clause(value, end)
                    subject = ids.entity(identifier, value)
            if frames.setdefault(subject, kind) is not kind:
                raise Malformed(f"'{identifier}' already has a frame of another type", value)
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
            raise Malformed("expected one id in the frame, found a second", line)
        raise Malformed(f"unknown tag '{tag}'", line, hint=did_you_mean(tag, recipes))


def _is_silent(line: str) -> bool:
    """Whether a line is empty or has only a comment."""
    text = line.lstrip()
    return not text or text[0] == "!"


def _tag_and_value(line: str) -> tuple[str, str]:
    tag, colon, value = line.partition(":")
    tag = tag.strip()
    if not colon or not tag:
        raise Malformed("expected a tag, a colon and a value", line)
    return tag, value.lstrip(" ")


def _has_continuation(text: str) -> bool:
    """Whether some line ends in an unescaped backslash."""
    place = text.find("\\")
    while place >= 0:
        if text[place + 1 : place + 2] in ("\r", "\n"):
            return True
        place = text.find("\\", place + 2)
    return False


def _joined(lines: list[str]) -> Iterator[str]:
    """Join lines that end in a backslash to the next; empty lines fill the gap, so that line numbers stay right."""
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
    """Give the default namespace to the frames that have none."""
    without = document.frames.keys() - document.in_namespace
    if default is None or not without:
        return
    property_ = document.annotation_property(OIO.hasOBONamespace)
    namespace = document.triples.literal(default)
    document.triples.records(FIRST, property_, namespace).extend(without)


# -- the tags of each kind of frame ------------------------------------------------------------------------------------

Recipe: TypeAlias = Callable[[Document], Clause]

_COMMON: Final[Mapping[str, Recipe]] = {
    "builtin": partial(boolean, OIO.builtin),
    "comment": partial(text, RDFS.comment),
    "consider": partial(reference, OIO.consider, None),
    "created_by": partial(text, OIO.created_by),
    "creation_date": partial(text, OIO.creation_date),
    "def": partial(definition, IAO["0000115"]),
    "is_anonymous": partial(boolean, OIO.is_anonymous),
    "is_obsolete": partial(boolean, OWL.deprecated),
    "name": partial(text, RDFS.label),
    "namespace": namespace,
    "property_value": property_value,
    "replaced_by": partial(reference, IAO["0100001"], None),
    "subset": partial(reference, OIO.inSubset, None),
    "synonym": synonym,
    "xref": xref,
    # Tags that only version 1.2 has.
    "broad_synonym": partial(definition, OIO.hasBroadSynonym),
    "exact_synonym": partial(definition, OIO.hasExactSynonym),
    "narrow_synonym": partial(definition, OIO.hasNarrowSynonym),
    "related_synonym": partial(definition, OIO.hasRelatedSynonym),
    "use_term": partial(reference, OIO.consider, None),
    "xref_analog": xref,
    "xref_unknown": xref,
}

_TERM: Final[Mapping[str, Recipe]] = {
    "disjoint_from": partial(reference, OWL.disjointWith, OWL.Class),
    "equivalent_to": partial(reference, OWL.equivalentClass, OWL.Class),
    "intersection_of": partial(member, OWL.intersectionOf),
    "is_a": subclass,
    "relationship": relationship,
    "union_of": partial(member, OWL.unionOf),
}

# Tags of object and annotation properties.
_ANY_TYPEDEF: Final[Mapping[str, Recipe]] = {
    "domain": partial(reference, RDFS.domain, OWL.Class),
    "expand_assertion_to": partial(definition, IAO["0000425"]),
    "expand_expression_to": partial(definition, IAO["0000424"]),
    "is_anti_symmetric": partial(boolean, IAO["0000427"]),
    "is_class_level": partial(boolean, OIO.is_class_level),
    "is_cyclic": partial(boolean, OIO.is_cyclic),
    "is_metadata_tag": partial(boolean, OIO.is_metadata_tag),
    "range": partial(reference, RDFS.range, OWL.Class),
}

_CHARACTERISTICS: Final = {
    "is_asymmetric": OWL.AsymmetricProperty,
    "is_functional": OWL.FunctionalProperty,
    "is_inverse_functional": OWL.InverseFunctionalProperty,
    "is_reflexive": OWL.ReflexiveProperty,
    "is_symmetric": OWL.SymmetricProperty,
    "is_transitive": OWL.TransitiveProperty,
}

_TYPEDEF: Final[Mapping[str, Recipe]] = {
    **{tag: partial(characteristic, class_, OIO[tag]) for tag, class_ in _CHARACTERISTICS.items()},
    "disjoint_from": partial(reference, OWL.propertyDisjointWith, OWL.ObjectProperty),
    "disjoint_over": partial(reference, OIO.disjoint_over, None),
    "equivalent_to": partial(reference, OWL.equivalentProperty, OWL.ObjectProperty),
    "equivalent_to_chain": partial(chain, False, True),
    "holds_over_chain": partial(chain, False, False),
    "intersection_of": partial(subproperty, True, OIO.relation_intersection_of),
    "inverse_of": partial(reference, OWL.inverseOf, OWL.ObjectProperty),
    "is_a": partial(reference, RDFS.subPropertyOf, OWL.ObjectProperty),
    "relationship": partial(metarelation, OWL.AnnotationProperty, OWL.ObjectProperty),
    "transitive_over": partial(chain, True, False),
    "union_of": partial(subproperty, False, OIO.relation_union_of),
}

# OWL allows annotation properties only to be subproperties of others: everything else is kept as text.
_METADATA: Final[Mapping[str, Recipe]] = {
    **{tag: partial(boolean, OIO[tag]) for tag in _CHARACTERISTICS},
    **{tag: partial(text, OIO[tag]) for tag in _TYPEDEF if tag not in _CHARACTERISTICS},
    "is_a": partial(reference, RDFS.subPropertyOf, OWL.AnnotationProperty),
    "relationship": partial(metarelation, OWL.AnnotationProperty, OWL.AnnotationProperty),
}

_INSTANCE: Final[Mapping[str, Recipe]] = {
    "instance_of": partial(reference, RDF.type, OWL.Class),
    "relationship": partial(metarelation, OWL.ObjectProperty, OWL.NamedIndividual),
}


def _frame(role: Role, *tables: Mapping[str, Recipe]) -> Mapping[str, Recipe]:
    recipes: dict[str, Recipe] = dict(_COMMON)
    for table in tables:
        recipes.update(table)
    recipes["alt_id"] = partial(alternative, role)
    return recipes


FRAMES: Final[Mapping[NamedNode, Mapping[str, Recipe]]] = {
    OWL.Class: _frame(OWL.Class, _TERM),
    OWL.ObjectProperty: _frame(OWL.ObjectProperty, _ANY_TYPEDEF, _TYPEDEF),
    OWL.AnnotationProperty: _frame(OWL.AnnotationProperty, _ANY_TYPEDEF, _METADATA),
    OWL.NamedIndividual: _frame(OWL.NamedIndividual, _INSTANCE),
}
"""The tags of each kind of frame, by the type of its entity."""
