"""OWL 2 Manchester syntax: text to the axiom trees that all OWL syntaxes share. `parse` reads a document.


Beyond the specification, it accepts what OWLAPI and Protégé write: `SuperClassOf:`, `SuperPropertyOf:`, `Individuals:`,
frames about an inverse property, `p some Self`, and booleans without quotes. Rules are refused, not dropped silently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from kgprobe.formats.manchester.expressions import (
    Node,
    class_expression,
    comma_list,
    data_range,
    is_data_property,
    object_property,
    property_value,
)
from kgprobe.formats.manchester.reader import CONNECTIVES, RESERVED, Reader
from kgprobe.owl.expression import Expression, OntologyDocument
from kgprobe.rdf.terms import BlankNode, NamedNode, Term


def parse(text: str, name: str) -> OntologyDocument:
    """The ontology in `text`; error messages call the file `name`."""
    reader = Reader(text, name)
    _read_prefixes(reader)
    note_declarations(reader)
    reader.expect("Ontology:")
    iri = _ontology_name(reader)
    version = _ontology_name(reader) if iri else None
    imports: list[NamedNode] = []
    notes: list[Expression] = []
    while reader.at("Import:", "Annotations:"):
        if reader.accept("Import:"):
            imports.append(reader.iri("the IRI of an ontology"))
        else:
            notes.extend(leading_annotations(reader))
    return OntologyDocument(
        iri=iri,
        version=version,
        imports=tuple(imports),
        annotations=tuple(notes),
        axioms=tuple(axioms(reader)),
        prefixes=reader.prefixes,
    )


def _ontology_name(reader: Reader) -> NamedNode | None:
    """A full or abbreviated IRI, if one comes next. A simple name is more likely a misspelt or truncated keyword."""
    is_name = reader.token.kind == "iri" or ":" in reader.token.text[:-1]
    return reader.iri("the IRI of an ontology") if is_name and reader.at_name() else None


def _read_prefixes(reader: Reader) -> None:
    while reader.accept("Prefix:"):
        prefix = reader.token
        if prefix.kind != "word" or prefix.text.find(":") != len(prefix.text) - 1:
            reader.fail("a prefix that ends with ':'")
        reader.advance()
        if reader.token.kind != "iri":
            reader.fail("the full IRI that the prefix stands for")
        reader.declare_prefix(prefix.text[:-1], reader.token.text[1:-1])
        reader.advance()


# -- frames ------------------------------------------------------------------------------------------------------------
# Tables state the sections of each frame, and the axiom that each item of a section makes.

# The subject of a frame: an entity, an inverse property or an anonymous individual.
_Subject: TypeAlias = Term | Expression


class _Section(NamedTuple):
    """How to read one item of a section, and the axiom that it makes about the frame's subject."""

    item: Callable[[Reader], Any]
    axiom: Callable[[_Subject, Any], Expression]


class _Frame(NamedTuple):
    """The kind of entity that a frame declares, how to read its name, and its sections."""

    kind: str
    subject: Callable[[Reader], _Subject]
    sections: Mapping[str, _Section]


def axioms(reader: Reader) -> Iterator[Expression]:
    """All axioms from the current frame to the end of the document."""
    while reader.token.kind != "end":
        keyword = reader.token.text
        if keyword in _FRAMES:
            reader.advance()
            yield from _frame_axioms(reader, keyword, _FRAMES[keyword])
        elif keyword in _LISTS:
            reader.advance()
            notes = leading_annotations(reader)
            listed = _LISTS[keyword](reader)
            yield Expression(listed.head, *notes, *listed.args)
        elif keyword in ("Rule:", "ValuePartition:"):
            reader.refuse(f"'{keyword}' is an extension of Manchester syntax that is not supported")
        else:
            reader.fail("a frame such as 'Class:'", _FRAME_KEYWORDS)


def note_declarations(reader: Reader) -> None:
    """Record what every frame declares before reading axioms, since a name may be used before its frame."""
    for keyword, name in reader.pairs():
        frame = _FRAMES.get(keyword.text)
        if frame is not None and name.kind in ("word", "iri") and name.text not in RESERVED:
            resolve = reader.resolve_datatype if frame.kind == "Datatype" else reader.resolve
            reader.declare(resolve(name), frame.kind)


def leading_annotations(reader: Reader) -> tuple[Expression, ...]:
    """The annotations before an item, if any; they may have annotations themselves."""
    if not reader.accept("Annotations:"):
        return ()
    reader.enter()
    annotations = comma_list(reader, _annotation)
    reader.leave()
    return tuple(annotations)


def _annotation(reader: Reader) -> Expression:
    return Expression("Annotation", *leading_annotations(reader), *_property_and_value(reader))


def _property_and_value(reader: Reader) -> tuple[NamedNode, Term]:
    name = reader.iri("an annotation property")
    return name, (reader.literal() if reader.is_literal(reader.token) else _iri_or_node(reader))


def _iri_or_node(reader: Reader) -> Term:
    return reader.individual() if reader.token.kind == "node" else reader.iri("an annotation's value")


def _frame_axioms(reader: Reader, keyword: str, frame: _Frame) -> Iterator[Expression]:
    subject = frame.subject(reader)
    if not isinstance(subject, BlankNode | Expression):
        yield Expression("Declaration", Expression(frame.kind, subject))
    while reader.token.text in frame.sections:
        section = frame.sections[reader.advance().text]
        yield from _section_axioms(reader, section, subject)
    if reader.token.kind != "end" and reader.token.text not in _FRAME_KEYWORDS:
        reader.fail(
            f"a section of '{keyword}', or another frame",
            [*frame.sections, *_FRAME_KEYWORDS, *CONNECTIVES],
        )


def _section_axioms(reader: Reader, section: _Section, subject: _Subject) -> Iterator[Expression]:
    while True:
        notes = leading_annotations(reader)
        axiom = section.axiom(subject, section.item(reader))
        yield Expression(axiom.head, *notes, *axiom.args)
        if not reader.accept(","):
            return


# The axioms of an item


def _of(head: str) -> Callable[[_Subject, Any], Expression]:
    return lambda subject, item: Expression(head, subject, item)


def _by(head: str) -> Callable[[_Subject, Any], Expression]:
    """Like `_of`, for an axiom that names its subject last."""
    return lambda subject, item: Expression(head, item, subject)


def _annotation_assertion(subject: _Subject, item: tuple[NamedNode, Term]) -> Expression:
    name, value = item
    return Expression("AnnotationAssertion", name, subject, value)


def _disjoint_union(subject: _Subject, item: list[Node]) -> Expression:
    return Expression("DisjointUnion", subject, *item)


def _key(subject: _Subject, item: tuple[Expression, Expression]) -> Expression:
    return Expression("HasKey", subject, *item)


def _fact(subject: _Subject, item: Expression) -> Expression:
    name, value = item.args
    return Expression(item.head, name, subject, value)


# Items specific to one section


def _key_properties(reader: Reader) -> tuple[Expression, Expression]:
    """Lists of object properties and data properties. In the specification, spaces separate them; OWLAPI has commas."""
    names = [object_property(reader)]
    while reader.accept(",") or reader.at_name() or reader.at("inverse"):
        names.append(object_property(reader))
    of_data = {name for name in names if is_data_property(reader, name)}
    objects, data = [name for name in names if name not in of_data], [name for name in names if name in of_data]
    return Expression("", *objects), Expression("", *data)


def _chain(reader: Reader) -> Expression:
    links = [object_property(reader)]
    reader.expect("o")
    links.append(object_property(reader))
    while reader.accept("o"):
        links.append(object_property(reader))
    return Expression("ObjectPropertyChain", *links)


def _fact_item(reader: Reader) -> Expression:
    negative = "Negative" if reader.accept("not") else ""
    name = object_property(reader)
    prefix, value = property_value(reader, name)
    return Expression(f"{negative}{prefix}PropertyAssertion", name, value)


def _characteristics(kind: str, names: str) -> _Section:
    known = names.split()

    def characteristic(reader: Reader) -> str:
        if not reader.at(*known):
            reader.fail(f"one of {', '.join(known)}", known)
        return reader.advance().text

    return _Section(characteristic, lambda subject, name: Expression(f"{name}{kind}", subject))


def _properties(head: str) -> Callable[[Reader], Expression]:
    """Reads a list of properties into an axiom; `{}` in `head` becomes "Data" if one is declared as a data property."""

    def read(reader: Reader) -> Expression:
        names = comma_list(reader, object_property, least=2)
        kinds = [is_data_property(reader, name) for name in names]
        return Expression(head.format("Data" if True in kinds else "Object"), *names)

    return read


def _many(head: str, item: Callable[[Reader], _Subject]) -> Callable[[Reader], Expression]:
    return lambda reader: Expression(head, *comma_list(reader, item, least=2))


def _name(what: str) -> Callable[[Reader], Term]:
    return lambda reader: reader.iri(what)


_ANNOTATIONS: Final = {"Annotations:": _Section(_property_and_value, _annotation_assertion)}
_CLASS_SECTIONS: Final = {
    **_ANNOTATIONS,
    "SubClassOf:": _Section(class_expression, _of("SubClassOf")),
    "SuperClassOf:": _Section(class_expression, _by("SubClassOf")),
    "EquivalentTo:": _Section(class_expression, _of("EquivalentClasses")),
    "DisjointWith:": _Section(class_expression, _of("DisjointClasses")),
    "DisjointUnionOf:": _Section(lambda reader: comma_list(reader, class_expression, least=2), _disjoint_union),
    "HasKey:": _Section(_key_properties, _key),
    "Individuals:": _Section(Reader.individual, _of("ClassAssertion")),
}
_OBJECT_PROPERTY_SECTIONS: Final = {
    **_ANNOTATIONS,
    "Domain:": _Section(class_expression, _of("ObjectPropertyDomain")),
    "Range:": _Section(class_expression, _of("ObjectPropertyRange")),
    "Characteristics:": _characteristics(
        "ObjectProperty",
        "Functional InverseFunctional Reflexive Irreflexive Symmetric Asymmetric Transitive",
    ),
    "SubPropertyOf:": _Section(object_property, _of("SubObjectPropertyOf")),
    "SuperPropertyOf:": _Section(object_property, _by("SubObjectPropertyOf")),
    "EquivalentTo:": _Section(object_property, _of("EquivalentObjectProperties")),
    "DisjointWith:": _Section(object_property, _of("DisjointObjectProperties")),
    "InverseOf:": _Section(object_property, _of("InverseObjectProperties")),
    "SubPropertyChain:": _Section(_chain, _by("SubObjectPropertyOf")),
}
_DATA_PROPERTY: Final = _name("a data property")
_DATA_PROPERTY_SECTIONS: Final = {
    **_ANNOTATIONS,
    "Domain:": _Section(class_expression, _of("DataPropertyDomain")),
    "Range:": _Section(data_range, _of("DataPropertyRange")),
    "Characteristics:": _characteristics("DataProperty", "Functional"),
    "SubPropertyOf:": _Section(_DATA_PROPERTY, _of("SubDataPropertyOf")),
    "SuperPropertyOf:": _Section(_DATA_PROPERTY, _by("SubDataPropertyOf")),
    "EquivalentTo:": _Section(_DATA_PROPERTY, _of("EquivalentDataProperties")),
    "DisjointWith:": _Section(_DATA_PROPERTY, _of("DisjointDataProperties")),
}
_ANNOTATION_PROPERTY: Final = _name("an annotation property")
_ANNOTATION_PROPERTY_SECTIONS: Final = {
    **_ANNOTATIONS,
    "Domain:": _Section(_name("an IRI"), _of("AnnotationPropertyDomain")),
    "Range:": _Section(_name("an IRI"), _of("AnnotationPropertyRange")),
    "SubPropertyOf:": _Section(_ANNOTATION_PROPERTY, _of("SubAnnotationPropertyOf")),
    "SuperPropertyOf:": _Section(_ANNOTATION_PROPERTY, _by("SubAnnotationPropertyOf")),
}
_DATATYPE_SECTIONS: Final = {**_ANNOTATIONS, "EquivalentTo:": _Section(data_range, _of("DatatypeDefinition"))}
_INDIVIDUAL_SECTIONS: Final = {
    **_ANNOTATIONS,
    "Types:": _Section(class_expression, _by("ClassAssertion")),
    "Facts:": _Section(_fact_item, _fact),
    "SameAs:": _Section(Reader.individual, _of("SameIndividual")),
    "DifferentFrom:": _Section(Reader.individual, _of("DifferentIndividuals")),
}
_FRAMES: Final = {
    "Class:": _Frame("Class", _name("a class"), _CLASS_SECTIONS),
    "ObjectProperty:": _Frame("ObjectProperty", object_property, _OBJECT_PROPERTY_SECTIONS),
    "DataProperty:": _Frame("DataProperty", _DATA_PROPERTY, _DATA_PROPERTY_SECTIONS),
    "AnnotationProperty:": _Frame("AnnotationProperty", _ANNOTATION_PROPERTY, _ANNOTATION_PROPERTY_SECTIONS),
    "Datatype:": _Frame("Datatype", Reader.datatype, _DATATYPE_SECTIONS),
    "Individual:": _Frame("NamedIndividual", Reader.individual, _INDIVIDUAL_SECTIONS),
}
_LISTS: Final = {
    "EquivalentClasses:": _many("EquivalentClasses", class_expression),
    "DisjointClasses:": _many("DisjointClasses", class_expression),
    "EquivalentProperties:": _properties("Equivalent{}Properties"),
    "DisjointProperties:": _properties("Disjoint{}Properties"),
    "SameIndividual:": _many("SameIndividual", Reader.individual),
    "DifferentIndividuals:": _many("DifferentIndividuals", Reader.individual),
}
_FRAME_KEYWORDS: Final = frozenset([*_FRAMES, *_LISTS, "Rule:", "ValuePartition:"])
