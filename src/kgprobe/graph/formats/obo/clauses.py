"""The kinds of clauses that OBO frames have. Each function makes the handler of one tag in one document.

A handler gets the number of the frame's entity and the rest of the line after the tag, and adds triples. Most lines of
a document look like some line before: what comes after a quoted string, or names another entity, is worked out once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kgprobe.errors import nearest
from kgprobe.graph.formats.obo.document import Document, Remembered, Role
from kgprobe.graph.formats.obo.ids import IAO, OIO
from kgprobe.graph.formats.obo.text import (
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
from kgprobe.graph.formats.obo.triples import Pairs
from kgprobe.graph.terms import OWL, RDFS, XSD, Literal, NamedNode

__all__ = [
    "Clause",
    "alternative",
    "boolean",
    "characteristic",
    "definition",
    "namespace",
    "property_value",
    "reference",
    "synonym",
    "text",
    "truth",
    "xref",
]

Clause: TypeAlias = Callable[[int, str], None]

_SCOPES = {
    "BROAD": OIO.hasBroadSynonym,
    "EXACT": OIO.hasExactSynonym,
    "NARROW": OIO.hasNarrowSynonym,
    "RELATED": OIO.hasRelatedSynonym,
}


def text(predicate: NamedNode, document: Document) -> Clause:
    """Text without quotes."""
    property_ = document.annotation_property(predicate)
    triples, intern = document.triples, document.triples.intern
    extend, number = document.triples.cells.extend, intern.setdefault

    def clause(subject: int, value: str) -> None:
        if "\\" in value or "!" in value or "{" in value:
            content, qualifiers = unquoted(value)
            triples.add(subject, property_, triples.literal(content), document.pairs(qualifiers, value))
        else:
            extend((subject, property_, number(Literal(value.strip()), len(intern))))

    return clause


def namespace(document: Document) -> Clause:
    """The OBO namespace of a frame, which takes the place of the document's default."""
    add = text(OIO.hasOBONamespace, document)

    def clause(subject: int, value: str) -> None:
        document.in_namespace.add(subject)
        add(subject, value)

    return clause


def definition(predicate: NamedNode, document: Document) -> Clause:
    """Quoted text with references."""
    property_ = document.annotation_property(predicate)
    intern, number, add = document.triples.intern, document.triples.intern.setdefault, document.triples.add

    def annotations(ending: str) -> Pairs:
        found, end = references(ending, 0)
        return document.pairs(end_of_clause(ending, end), ending, found)

    endings = Remembered(annotations)

    def clause(subject: int, value: str) -> None:
        content, ending = split_quoted(value)
        add(subject, property_, number(Literal(content), len(intern)), endings[ending])

    return clause


def synonym(document: Document) -> Clause:
    """Quoted text with a scope, perhaps a type, and references."""
    intern, number, add = document.triples.intern, document.triples.intern.setdefault, document.triples.add

    def scope_and_annotations(ending: str) -> tuple[int, Pairs]:
        start = skip_space(ending, 0)
        scope, type_ = "RELATED", None  # what a synonym without a scope is, in the first version of the format
        if start < len(ending) and ending[start] not in "[{!":
            scope, start = expect_word(ending, start)
            start = skip_space(ending, start)
            if start < len(ending) and ending[start] not in "[{!":
                type_, start = expect_word(ending, start)
        if scope not in _SCOPES:
            close = nearest(scope, _SCOPES)
            hint = f"did you mean {close}?" if close else f"one of {', '.join(_SCOPES)}"
            raise Malformed(f"'{scope}' is no scope of a synonym", ending, skip_space(ending, 0), hint)
        found, end = references(ending, start)
        pairs = document.pairs(end_of_clause(ending, end), ending, found)
        if type_ is not None:
            kind = document.ids.entity(type_, ending)
            pairs = ((document.annotation_property(OIO.hasSynonymType), kind), *pairs)
        return document.annotation_property(_SCOPES[scope]), pairs

    endings = Remembered(scope_and_annotations)

    def clause(subject: int, value: str) -> None:
        content, ending = split_quoted(value)
        property_, pairs = endings[ending]
        add(subject, property_, number(Literal(content), len(intern)), pairs)

    return clause


def xref(document: Document) -> Clause:
    """A reference to something elsewhere, which stays a string, perhaps with a description."""
    property_ = document.annotation_property(OIO.hasDbXref)
    add, literal, extend = document.triples.add, document.triples.literal, document.triples.cells.extend

    def clause(subject: int, value: str) -> None:
        if not ('"' in value or "\\" in value or "!" in value or "{" in value):
            identifier = value.strip()
            if identifier:
                extend((subject, property_, literal(identifier)))
                return
        identifier, description, end = described_reference(value)
        pairs = document.pairs(end_of_clause(value, end), value)
        if description is not None:
            pairs = ((document.triples.number(RDFS.label), literal(description)), *pairs)
        add(subject, property_, literal(identifier), pairs)

    return clause


def reference(predicate: NamedNode, role: Role | None, document: Document) -> Clause:
    """The identifier of another entity, which is used in this role; None for one that is only spoken of."""
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
    """Another identifier of the entity, from before it was merged with this one."""
    triples = document.triples
    property_ = document.annotation_property(OIO.hasAlternativeId)
    replaced_by, reason = (document.annotation_property(IAO[name]) for name in ("0100001", "0000231"))
    deprecated, true = triples.number(OWL.deprecated), triples.number(truth(True))
    merged, type_, kind = triples.number(IAO["0000227"]), triples.type, triples.number(role)

    def clause(subject: int, value: str) -> None:
        lone = document.lone(value)
        pairs: tuple[tuple[int, int], ...] = ()
        if lone is None:
            identifier, end = expect_word(value, 0)
            pairs = document.pairs(end_of_clause(value, end), value)
            lone = identifier, document.ids.entity(identifier, value)
        identifier, former = lone
        triples.add(subject, property_, triples.literal(identifier), pairs)
        triples.cells.extend((former, type_, kind, former, deprecated, true))
        triples.cells.extend((former, replaced_by, subject, former, reason, merged))

    return clause


def boolean(predicate: NamedNode, document: Document) -> Clause:
    """True or false."""
    property_ = document.annotation_property(predicate)

    def clause(subject: int, value: str) -> None:
        is_true, pairs = _boolean(value, document)
        document.triples.add(subject, property_, document.triples.number(truth(is_true)), pairs)

    return clause


def characteristic(class_: NamedNode, otherwise: NamedNode, document: Document) -> Clause:
    """True: the relation is of this class. OWL cannot say that it is not, so false is an annotation."""
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
    add, number, properties = document.triples.add, document.triples.number, dict[str, int]()

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
            return property_, number(Literal(content, datatype=datatype)), pairs
        identifier, end = expect_word(value, start)
        second, end = word(value, end)
        pairs = document.pairs(end_of_clause(value, end), value)
        if second is None:
            return property_, document.ids.entity(identifier, value, start), pairs
        # Some tools leave the quotes out.
        return property_, number(Literal(identifier, datatype=_datatype(second, document, value))), pairs

    known, endings = Remembered(property_and_value), Remembered(datatype_and_annotations)

    def clause(subject: int, value: str) -> None:
        name, _, rest = value.partition(' "')
        property_ = properties.get(name)
        if property_ is None or "\\" in rest or '"' not in rest:
            add(subject, *known[value])
        else:  # the text of a literal does not come up again, but what is around it does
            content, _, ending = rest.partition('"')
            datatype, pairs = endings[ending]
            add(subject, property_, number(Literal(content, datatype=datatype)), pairs)

    return clause


def truth(value: bool) -> Literal:
    """A boolean, as OWL writes it."""
    return Literal("true" if value else "false", datatype=XSD.boolean)


def _boolean(value: str, document: Document) -> tuple[bool, Pairs]:
    found, end = expect_word(value, 0)
    if found not in ("true", "false"):
        raise Malformed(f"expected true or false, found '{found}'", value)
    return found == "true", document.pairs(end_of_clause(value, end), value)


def _datatype(identifier: str | None, document: Document, text: str) -> NamedNode:
    if identifier is None:
        return XSD.string
    if ":" not in identifier:
        raise Malformed(f"'{identifier}' is no datatype", text, hint="such as xsd:string")
    try:
        return NamedNode(document.ids.iri(identifier))
    except ValueError as problem:
        raise Malformed(f"the datatype '{identifier}' gives no valid IRI: {problem}", text) from None
