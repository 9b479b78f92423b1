"""Reads OWL 2 Manchester syntax: a whole document into the trees that every OWL syntax is read into.

Beyond the specification it reads what OWLAPI and Protégé write: `SuperClassOf:`, `SuperPropertyOf:`, `Individuals:`,
frames about an inverse property, `p some Self`, and booleans without quotes. Rules are refused, never dropped.
"""

from __future__ import annotations

from kgprobe.graph.axioms.expression import Expression, OntologyDocument
from kgprobe.graph.formats.manchester.frames import axioms, leading_annotations, note_declarations
from kgprobe.graph.formats.manchester.reader import Reader
from kgprobe.graph.terms import NamedNode

__all__ = ["parse"]


def parse(text: str, name: str) -> OntologyDocument:
    """The ontology that the text states; `name` is what errors call the file."""
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
    """A full or abbreviated IRI, if one is there. A simple name is rather a keyword: misspelt, or cut short."""
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
