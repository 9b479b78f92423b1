"""From RDF to OWL structure: the axioms that a graph states, and the triples that state none.

This is section 3 of "OWL 2 Web Ontology Language: Mapping to RDF Graphs", read so that nothing is lost: the triples of
the axioms, written again by `to_triples`, together with the leftovers are the same graph. A triple is a leftover if it
is not OWL, or if OWL's mapping would not write it in this way: a blank node that two expressions share, a list with a
branch, an owl:Class type that is missing, an older spelling such as owl:distinctMembers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kgprobe.graph.axioms.axiom_reader import AxiomReader, Header, Stated
from kgprobe.graph.axioms.expression import OntologyDocument
from kgprobe.graph.axioms.name_kinds import EntityKinds
from kgprobe.graph.axioms.triple_index import TripleIndex
from kgprobe.graph.terms import OWL, RDF, BlankNode, NamedNode, Triple

__all__ = ["Reading", "find_header", "read"]


@dataclass(frozen=True, slots=True)
class Reading:
    """The OWL content of a graph; `has_header` is False for axioms without an owl:Ontology around them."""

    document: OntologyDocument
    has_header: bool
    leftovers: tuple[Triple, ...]


def read(triples: Iterable[Triple]) -> Reading:
    """The ontology in a graph. Declarations come first; the rest is in the order of the triples' text.

    A property that is neither declared nor used in a way that shows its kind is an annotation property, as in the OWL
    API. If the leftovers and the ontology are written to one graph again, pass the leftovers' blank node labels to
    `to_triples.triples` as reserved ones.
    """
    index = TripleIndex(triples)
    reader = AxiomReader(index, EntityKinds(index))
    header = find_header(index, reader)
    reader.read([] if header is None else [header.subject])
    found = sorted(reader.axioms, key=_place)
    about = tuple(stated.tree for stated in reader.about_ontologies)
    document = OntologyDocument(
        iri=header.subject if header and type(header.subject) is NamedNode else None,
        version=header.version if header else None,
        imports=header.imports if header else (),
        annotations=(*header.annotations, *about) if header else (),
        axioms=tuple(stated.tree for stated in found),
    )
    used = reader.used
    left = [number for number in range(len(index.statements)) if number not in used]
    return Reading(document, header is not None, tuple(map(index.original, left)))


def find_header(index: TripleIndex, reader: AxiomReader) -> Header | None:
    """The header that makes the graph an ontology; the reader takes note of it."""
    headers = (reader.header(number) for number in _headers(index))
    return next((header for header in headers if header is not None), None)


def _place(stated: Stated) -> tuple[bool, int]:
    return stated.tree.head != "Declaration", stated.number


def _headers(index: TripleIndex) -> list[int]:
    """The headers of the graph; of several, the ones that no other imports come first, and names before none."""
    statements = index.statements
    headers = [n for n in index.having(RDF.type) if statements[n][2] == OWL.Ontology]
    imported = {value for _, _, value in index.stating(OWL.imports)}
    return sorted(headers, key=lambda n: (statements[n][0] in imported, type(statements[n][0]) is BlankNode))
