"""Operators on existing annotations, of names, axioms and annotations.

Some annotation properties are declared, and some are built into OWL.
"""

from __future__ import annotations

from kgprobe.mutation.axiom_rows import with_annotations, with_what_hangs_on
from kgprobe.mutation.operator import Change, DrawnChange, Site, described, triple_with, triple_with_one_of
from kgprobe.owl.random_values import random_literal
from kgprobe.rdf.derived import PerTable
from kgprobe.rdf.table import KeyTriple
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode

# The number of draws. An annotation may be pinned, or be about a node without a name.
_TRIES = 20
_NAMES = (RDFS.label, RDFS.comment, RDFS.seeAlso, RDFS.isDefinedBy, OWL.deprecated, OWL.versionInfo)
_BUILT_IN = PerTable(lambda table: list(map(table.key, _NAMES)))


def _removed(site: Site, row: KeyTriple) -> Change | None:
    removed = with_what_hangs_on(site.graph, [row])
    if _is_named(site, row) and site.pins.allow(site.graph, removed):
        return Change(removed, (), {"annotated": row[0], "property": row[1]})
    return None


def _changed(site: Site, row: KeyTriple) -> Change | None:
    graph = site.graph
    old = graph.term(row[2])
    new = _like(old, site) if isinstance(old, Literal) else None
    if new is None or not _is_named(site, row):
        return None
    added = (row[0], row[1], graph.key(new))
    removed = with_what_hangs_on(graph, [row], [added])
    if not graph.has(*added) and site.pins.allow(graph, [*removed, added]):
        return Change(removed, [added], {"annotated": row[0], "property": row[1], "new": added[2]})
    return None


def _without_note(site: Site, row: KeyTriple) -> Change | None:
    """Remove a node that annotates a triple. The triple stays, even if it is about a blank node."""
    graph = site.graph
    removed = with_annotations(graph, graph.about(row[0]))
    if isinstance(graph.term(row[0]), BlankNode) and site.pins.allow(graph, removed):
        return Change(removed, (), {"note": row[0]})
    return None


def _draw(site: Site) -> KeyTriple | None:
    """A random triple with an annotation property, with equal probability for all of them."""
    graph = site.graph
    declared = graph.subjects(graph.table.is_a, graph.key(OWL.AnnotationProperty))
    return triple_with_one_of([*_BUILT_IN.of(graph.table), *declared], site)


def _is_named(site: Site, row: KeyTriple) -> bool:
    return isinstance(site.graph.term(row[0]), NamedNode)


def _like(old: Literal, site: Site) -> Literal | None:
    text = random_literal(old.datatype, site.random)
    if old.language and text is not None:
        return Literal(text.value, language=old.language)
    return text or random_literal(XSD.string, site.random)


_AXIOM = """\
  :Pump a owl:Class ; rdfs:subClassOf :Device .
  _:axiom a owl:Axiom ;
    owl:annotatedSource :Pump ; owl:annotatedProperty rdfs:subClassOf ; owl:annotatedTarget :Device ;
    rdfs:comment "why" .
"""
_ABOUT_IT = """\
  [] a owl:Annotation ;
    owl:annotatedSource _:axiom ; owl:annotatedProperty rdfs:comment ; owl:annotatedTarget "why" ;
    rdfs:label "because" .
"""

OPERATORS = (
    described(
        """
name: RemoveAnnotation
does: remove an annotation of anything that has a name
target: both
tidies: yes
sets: owl-el, owl-dl, annotations
before:
  :Pump a owl:Class ; rdfs:label "pump" .
after:
  :Pump a owl:Class .
before:
  :maker a owl:AnnotationProperty . :Pump a owl:Class ; :maker :Acme .
after:
  :maker a owl:AnnotationProperty . :Pump a owl:Class .
""",
        DrawnChange(_draw, _removed, _TRIES),
    ),
    described(
        """
name: ChangeAnnotation
does: replace the literal of an annotation by a random one of its datatype
target: both
tidies: yes
sets: owl-el, owl-dl, annotations
before:
  :Pump a owl:Class ; rdfs:label "pump" .
after:
  :Pump a owl:Class ; rdfs:label "*"^^xsd:string .
""",
        DrawnChange(_draw, _changed, _TRIES),
    ),
    described(
        f"""
name: RemoveAxiomAnnotation
does: remove the annotations of an axiom, with their own annotations
target: both
sets: annotations
before:
{_AXIOM}{_ABOUT_IT}after:
  :Pump a owl:Class ; rdfs:subClassOf :Device .
""",
        DrawnChange(triple_with(RDF.type, OWL.Axiom), _without_note, _TRIES),
    ),
    described(
        f"""
name: RemoveAnnotationOfAnnotation
does: remove the annotations of an annotation
target: both
sets: annotations
before:
{_AXIOM}{_ABOUT_IT}after:
{_AXIOM}""",
        DrawnChange(triple_with(RDF.type, OWL.Annotation), _without_note, _TRIES),
    ),
)
