"""The syntaxes of OWL, which state axioms: texts to axioms and on to triples, and for functional syntax back."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable
from itertools import chain
from operator import itemgetter

from kgprobe.errors import InputError
from kgprobe.formats import rdf_xml
from kgprobe.formats.format import (
    NO_STRINGS,
    STRING,
    TAG,
    TAG_CAPITALS,
    WRITTEN_IN_TEXT,
    Beginning,
    Format,
    LanguageTags,
    Reader,
    first_token,
)
from kgprobe.formats.source import Source
from kgprobe.owl.expression import OntologyDocument, split_annotations
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import TableBuilder
from kgprobe.rdf.terms import OWL, Literal, NamedNode, Triple
from kgprobe.wording import number_of

_MANCHESTER = re.compile(
    r"(?:Prefix|Ontology|Import|Annotations|Class|Datatype|Individual|(?:Object|Data|Annotation)Property"
    r"|(?:Equivalent|Disjoint)(?:Classes|Properties)|SameIndividual|DifferentIndividuals):\s"
)


# A format's module is imported only when a file needs it.


def _functional_document(source: Source) -> OntologyDocument:
    from kgprobe.formats import functional

    return functional.parse(source.text(), source.name)


def _manchester_document(source: Source) -> OntologyDocument:
    from kgprobe.formats import manchester

    return manchester.parse(source.text(), source.name)


def _owlxml_document(source: Source) -> OntologyDocument:
    from kgprobe.formats import owlxml

    return owlxml.parse(source.read(), source.name)


def _ontology_reader(parse: Callable[[Source], OntologyDocument]) -> Reader:
    def read(
        source: Source, _format: Format, builder: TableBuilder, _base: str | None
    ) -> tuple[dict[str, str], list[str]]:
        from kgprobe.owl import to_triples

        document = parse(source)
        builder.extend(chain.from_iterable(to_triples.triples(document)))
        return document.prefixes, []

    return read


def _written(graph: Graph, _format: Format) -> tuple[bytes, tuple[str, ...]]:
    for term in graph.terms():
        if isinstance(term, Literal) and "\0" in term.value:  # the format has no escapes, and a text cannot contain it
            raise InputError("functional syntax cannot express the character U+0000", hint="write Turtle instead")
    from kgprobe.formats import functional
    from kgprobe.owl.axiom_reader import read

    reading = read(graph)
    notes = [] if reading.has_header else ["declares an ontology, which functional syntax requires"]
    document = dataclasses.replace(reading.document, prefixes=dict(graph.spelling.prefixes))
    if reading.leftovers:
        document, said = _with_loose_axioms(document, graph, reading.leftovers)
        notes += said
    return "".join(functional.render(document)).encode(), tuple(notes)


def _with_loose_axioms(
    document: OntologyDocument, graph: Graph, leftovers: Iterable[Triple]
) -> tuple[OntologyDocument, list[str]]:
    """The document with the axioms of these triples added, and notes. InputError if they are not axioms."""
    from kgprobe.owl.name_kinds import EntityKinds
    from kgprobe.owl.triple_index import TripleIndex
    from kgprobe.owl.unusual_axioms import loose_axioms_of

    loose = loose_axioms_of(graph, leftovers, EntityKinds(TripleIndex(graph)).known)
    imported = [t.object for t in loose.silent if t.predicate == OWL.imports and isinstance(t.object, NamedNode)]
    silent = [triple for triple in loose.silent if triple.predicate != OWL.imports]
    if loose.unread:
        shown, number = graph.spelling.triple(min(loose.unread, key=str)), len(loose.unread)
        what = "1 triple is not an OWL axiom" if number == 1 else f"{number} triples are not OWL axioms"
        raise InputError(f"{what}, and functional syntax has only axioms: {shown}", hint="write Turtle instead")
    notes = []
    if loose.axioms:
        notes.append(f"spells {number_of(len(loose.axioms), 'axiom')} in the standard way")
    if silent:
        example = graph.spelling.triple(min(silent, key=str))
        notes.append(f"leaves out triples that form no axiom: {number_of(len(silent), 'triple')}, such as {example}")
    absorbed = {(triple.predicate, triple.subject, triple.object) for triple in loose.absorbed}
    strict = (axiom for axiom in document.axioms if split_annotations(axiom)[1] not in absorbed)
    axioms = dict.fromkeys([*strict, *(axiom for _, axiom in sorted(loose.axioms, key=itemgetter(0)))])
    imports = dict.fromkeys([*document.imports, *sorted(imported, key=str)])
    return dataclasses.replace(document, axioms=tuple(axioms), imports=tuple(imports)), notes


def _starts_owlxml(beginning: Beginning) -> bool:
    root = beginning.root_element if beginning.is_xml else ""
    return root == "Ontology" or (root is None and beginning.claimed == "owlxml")


_TAGS = LanguageTags(
    TAG_CAPITALS, re.compile(STRING + rb"(?:\s*" + TAG + rb")?" + NO_STRINGS, re.DOTALL), WRITTEN_IN_TEXT
)
FORMATS = (
    Format(
        name="functional",
        title="OWL functional syntax",
        extensions=("ofn", "fss", "func"),
        read=_ontology_reader(_functional_document),
        write=_written,
        media_type="text/owl-functional",
        starts=first_token(re.compile(r"(?:Prefix|Ontology)\s*\(")),
        tags=_TAGS,
    ),
    Format(
        name="manchester",
        title="OWL Manchester syntax",
        extensions=("omn",),
        read=_ontology_reader(_manchester_document),
        starts=first_token(_MANCHESTER),
        tags=_TAGS,
    ),
    Format(
        name="owlxml",
        title="OWL/XML",
        extensions=("owx",),
        read=_ontology_reader(_owlxml_document),
        starts=_starts_owlxml,
        tags=rdf_xml.LANGUAGE_TAGS,
    ),
)
