"""The clauses of OBO frames that annotate an entity or refer to others. Each function makes the handler of one tag.

A handler takes the number of the frame's entity and the rest of the line after the tag, and adds triples. Most lines
resemble earlier ones, so the parts that recur (the end of a line, the name of an entity) are parsed once and cached.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from kgprobe.errors import did_you_mean
from kgprobe.formats.syntaxes.obo.document import FIRST, IAO, OIO, SECOND, THIRD, Document, Pairs, Remembered, Role
from kgprobe.formats.syntaxes.obo.text import (
    Malformed,
    described_reference,
    end_of_clause,
    expect_word,
    quoted,
    references,
    skip_space,
    split_quoted,
    unquoted,
    word,
)
from kgprobe.rdf.terms import OWL, RDFS, XSD, Literal, NamedNode

Clause: TypeAlias = Callable[[int, str], None]

_MARK = re.compile(r'["\\!{]')  # characters with a special meaning within a word
SCOPES = {
    "BROAD": OIO.hasBroadSynonym,
    "EXACT": OIO.hasExactSynonym,
    "NARROW": OIO.hasNarrowSynonym,
    "RELATED": OIO.hasRelatedSynonym,
}


def text(predicate: NamedNode, document: Document) -> Clause:
    """Text without quotes."""
    property_ = document.annotation_property(predicate)
    triples, intern = document.triples, document.triples.intern
    extend, number = triples.records(FIRST, property_, SECOND).extend, intern.setdefault

    def clause(subject: int, value: str) -> None:
        if "\\" in value or "!" in value or "{" in value:
            content, qualifiers = unquoted(value)
            triples.add(subject, property_, triples.literal(content), document.pairs(qualifiers, value))
        else:
            extend((subject, number(Literal(value.strip()), len(intern))))

    return clause


def namespace(document: Document) -> Clause:
    """The OBO namespace of a frame, which overrides the document's default."""
    add = text(OIO.hasOBONamespace, document)

    def clause(subject: int, value: str) -> None:
        document.in_namespace.add(subject)
        add(subject, value)

    return clause


def definition(predicate: NamedNode, document: Document) -> Clause:
    """Quoted text with references."""
    property_ = document.annotation_property(predicate)
    triples, intern, number = document.triples, document.triples.intern, document.triples.intern.setdefault
    extend, annotate = triples.records(FIRST, property_, SECOND).extend, triples.annotate

    def annotations(ending: str) -> Pairs:
        sources, end = references(ending, 0)
        return document.pairs(end_of_clause(ending, end), ending, sources)

    endings = Remembered(annotations)

    def clause(subject: int, value: str) -> None:
        content, ending = split_quoted(value)
        written = number(Literal(content), len(intern))
        extend((subject, written))
        pairs = endings[ending]
        if pairs:
            annotate(subject, property_, written, pairs)

    return clause


def synonym(document: Document) -> Clause:
    """Quoted text with a scope, perhaps a type, and references."""
    triples, intern, number = document.triples, document.triples.intern, document.triples.intern.setdefault
    extend, annotate = triples.cells.extend, triples.annotate

    def scope_and_annotations(ending: str) -> tuple[int, Pairs]:
        start = skip_space(ending, 0)
        scope, type_ = "RELATED", None  # the default in the first version of the format
        if start < len(ending) and ending[start] not in "[{!":
            scope, start = expect_word(ending, start)
            start = skip_space(ending, start)
            if start < len(ending) and ending[start] not in "[{!":
                type_, start = expect_word(ending, start)
        if scope not in SCOPES:
            hint = did_you_mean(scope, SCOPES, f"use one of {', '.join(SCOPES)}", shown="{}")
            raise Malformed(f"'{scope}' is not a synonym scope", ending, skip_space(ending, 0), hint)
        sources, end = references(ending, start)
        pairs = document.pairs(end_of_clause(ending, end), ending, sources)
        if type_ is not None:
            kind = document.ids.entity(type_, ending)
            pairs = ((document.annotation_property(OIO.hasSynonymType), kind), *pairs)
        return document.annotation_property(SCOPES[scope]), pairs

    endings = Remembered(scope_and_annotations)

    def clause(subject: int, value: str) -> None:
        content, ending = split_quoted(value)
        property_, pairs = endings[ending]
        written = number(Literal(content), len(intern))
        extend((subject, property_, written))
        if pairs:
            annotate(subject, property_, written, pairs)

    return clause


def xref(document: Document) -> Clause:
    """A reference to an external resource, kept as a string, with an optional description."""
    property_ = document.annotation_property(OIO.hasDbXref)
    add, literal, intern = document.triples.add, document.triples.literal, document.triples.intern
    extend, number = document.triples.records(FIRST, property_, SECOND).extend, intern.setdefault

    def clause(subject: int, value: str) -> None:
        if not ('"' in value or "\\" in value or "!" in value or "{" in value):
            identifier = value.strip()
            if identifier:
                extend((subject, number(Literal(identifier), len(intern))))
                return
        identifier, description, end = described_reference(value)
        pairs = document.pairs(end_of_clause(value, end), value)
        if description is not None:
            pairs = ((document.triples.number(RDFS.label), literal(description)), *pairs)
        add(subject, property_, literal(identifier), pairs)

    return clause


def reference(predicate: NamedNode, role: Role | None, document: Document) -> Clause:
    """The identifier of another entity, used in this role; without a role, the clause is an annotation."""
    property_ = document.annotation_property(predicate) if role is None else document.triples.number(predicate)
    add, extend = document.triples.add, document.triples.cells.extend

    def target_and_annotations(value: str) -> tuple[int, Pairs]:
        identifier, end = expect_word(value, 0)
        pairs = document.pairs(end_of_clause(value, end), value)
        if role is None:
            return document.ids.entity(identifier, value), pairs
        return document.mention(identifier, role, value), pairs

    targets = Remembered(target_and_annotations)

    def clause(subject: int, value: str) -> None:
        target, pairs = targets[value]
        if pairs:
            add(subject, property_, target, pairs)
        else:
            extend((subject, property_, target))

    return clause


def alternative(role: Role, document: Document) -> Clause:
    """An alternative identifier, of an entity that was merged into this one."""
    triples = document.triples
    property_ = document.annotation_property(OIO.hasAlternativeId)
    replaced_by, reason = (document.annotation_property(IAO[name]) for name in ("0100001", "0000231"))
    deprecated, true = triples.number(OWL.deprecated), triples.number(truth(True))
    merged, type_, kind = triples.number(IAO["0000227"]), triples.type, triples.number(role)
    extend = triples.records(
        *(FIRST, property_, SECOND),
        *(THIRD, type_, kind),
        *(THIRD, deprecated, true),
        *(THIRD, replaced_by, FIRST),
        *(THIRD, reason, merged),
    ).extend

    def clause(subject: int, value: str) -> None:
        lone = document.lone(value)
        pairs: tuple[tuple[int, int], ...] = ()
        if lone is None:
            identifier, end = expect_word(value, 0)
            pairs = document.pairs(end_of_clause(value, end), value)
            lone = identifier, document.ids.entity(identifier, value)
        identifier, former = lone
        written = triples.literal(identifier)
        extend((subject, written, former))
        if pairs:
            triples.annotate(subject, property_, written, pairs)

    return clause


def boolean(predicate: NamedNode, document: Document) -> Clause:
    """True or false."""
    property_ = document.annotation_property(predicate)

    def clause(subject: int, value: str) -> None:
        is_true, pairs = _boolean(value, document)
        document.triples.add(subject, property_, document.triples.number(truth(is_true)), pairs)

    return clause


def characteristic(class_: NamedNode, otherwise: NamedNode, document: Document) -> Clause:
    """True makes the relation an instance of this class. OWL cannot express the opposite: false is an annotation."""
    triples = document.triples

    def clause(subject: int, value: str) -> None:
        is_true, pairs = _boolean(value, document)
        if is_true:
            triples.add(subject, triples.type, triples.number(class_), pairs)
        else:
            triples.add(subject, document.annotation_property(otherwise), triples.number(truth(False)), pairs)

    return clause


def property_value(document: Document) -> Clause:
    """A property and its value: an entity, or a literal with a datatype."""
    add, intern, number = document.triples.add, document.triples.intern, document.triples.intern.setdefault
    properties, datatypes = dict[str, int](), dict[str, NamedNode]()

    def datatype_and_annotations(ending: str) -> tuple[NamedNode, Pairs]:
        datatype, end = word(ending, 0)
        return _datatype(datatype, document, ending), document.pairs(end_of_clause(ending, end), ending)

    def property_and_value(value: str) -> tuple[int, int, Pairs]:
        name, end = expect_word(value, 0)
        properties[name] = property_ = document.mention(name, OWL.AnnotationProperty, value)
        start = skip_space(value, end)
        if value.startswith('"', start):
            content, end = quoted(value, start)
            datatype, pairs = endings[value[end:]]
            return property_, number(Literal(content, datatype=datatype), len(intern)), pairs
        identifier, end = expect_word(value, start)
        second, end = word(value, end)
        pairs = document.pairs(end_of_clause(value, end), value)
        if second is None:
            return property_, document.ids.entity(identifier, value, start), pairs
        # Some tools leave the quotes out.
        datatypes[second] = datatype = _datatype(second, document, value)
        return property_, number(Literal(identifier, datatype=datatype), len(intern)), pairs

    known, endings = Remembered(property_and_value), Remembered(datatype_and_annotations)

    def clause(subject: int, value: str) -> None:
        if value in known:
            add(subject, *known[value])
            return
        name, _, rest = value.partition(' "')
        # The text of a literal rarely recurs, but the property and the rest of the line do.
        if name in properties and '"' in rest and "\\" not in rest:
            content, _, ending = rest.partition('"')
            datatype, pairs = endings[ending]
            add(subject, properties[name], number(Literal(content, datatype=datatype), len(intern)), pairs)
            return
        words = value.split()
        if len(words) == 3 and words[0] in properties and words[2] in datatypes and not _MARK.search(words[1]):
            literal = Literal(words[1], datatype=datatypes[words[2]])
            add(subject, properties[words[0]], number(literal, len(intern)))
            return
        add(subject, *known[value])

    return clause


def truth(value: bool) -> Literal:
    """A boolean, as OWL writes it."""
    return Literal("true" if value else "false", datatype=XSD.boolean)


def _boolean(value: str, document: Document) -> tuple[bool, Pairs]:
    text, end = expect_word(value, 0)
    if text not in ("true", "false"):
        raise Malformed(f"expected true or false, found '{text}'", value)
    return text == "true", document.pairs(end_of_clause(value, end), value)


def _datatype(identifier: str | None, document: Document, text: str) -> NamedNode:
    if identifier is None:
        return XSD.string
    if ":" not in identifier:
        raise Malformed(f"'{identifier}' is not a datatype", text, hint="write one such as xsd:string")
    try:
        return NamedNode(document.ids.iri(identifier))
    except ValueError as problem:
        raise Malformed(f"the datatype '{identifier}' does not make a valid IRI: {problem}", text) from None
