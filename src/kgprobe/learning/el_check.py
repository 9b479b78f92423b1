"""Whether changed copies of an ontology are still in OWL 2 EL: reads only what a change can affect.

`ontology.profiles` judges whole ontologies. Trials of operators judge thousands of small changes, most of them to the
same few ontologies. A change affects the axioms that it adds, those about names that it declares or no longer declares,
and axioms about properties and datatypes, whose rules concern an ontology as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.owl.profiles import Profile, violations
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Triple

NOT_AN_AXIOM = "triples that are not an axiom of OWL 2"
"""The rule that triples break which say nothing in OWL: a part of a list, an expression that two axioms share."""

# Whether one of these is allowed depends on nothing but itself, and the declarations of its names.
_LOCAL = frozenset(
    {
        *("Declaration", "SubClassOf", "EquivalentClasses", "DisjointClasses", "AnnotationAssertion"),
        *("ClassAssertion", "ObjectPropertyAssertion", "DataPropertyAssertion"),
        *("SameIndividual", "DifferentIndividuals"),
        *("NegativeObjectPropertyAssertion", "NegativeDataPropertyAssertion"),
    }
)
_DECLARING = (
    *(OWL.Class, RDFS.Datatype, OWL.ObjectProperty, OWL.DatatypeProperty),
    *(OWL.AnnotationProperty, OWL.NamedIndividual),
)


class ElCheck:
    """Judges copies of one graph. Groups of triples that say nothing count only if the graph itself has fewer."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph.copy()
        self._view = AxiomView(graph)
        axioms = list(self._view)
        violation = next(iter(violations(axioms, [Profile.EL])), None)
        self.rule = None if violation is None else violation.rule
        """The rule that the graph itself breaks."""
        self._global = [axiom for axiom in axioms if not _is_local(axiom)]

    def broken_rule(self, changed: Graph) -> str | None:
        """The rule that a copy of the graph breaks; None if it is in OWL 2 EL."""
        self._view.follow(self._graph)
        change = self._view.follow(changed)
        gone = set(change.gone)
        judged = dict.fromkeys(axiom for axiom in self._global if axiom not in gone)
        judged |= dict.fromkeys(change.come)
        for name in _declared_by((*change.gone, *change.come)):
            judged |= dict.fromkeys(self._view.mentioning(name))
        violation = next(iter(violations(self._with_declarations(judged, changed), [Profile.EL])), None)
        if violation is not None:
            return violation.rule
        return NOT_AN_AXIOM if _unread(change.come) > _unread(change.gone) else None

    def _with_declarations(self, axioms: Iterable[Axiom], graph: Graph) -> list[Axiom]:
        """These axioms, and the declarations of all their names.

        For a name that is declared as several kinds, this adds all its uses: they may exclude each other.
        """
        judged = dict.fromkeys(axioms)
        waiting = list(judged)
        is_a, kinds = graph.key(RDF.type), [(graph.key(kind), kind) for kind in _DECLARING]
        seen: set[NamedNode] = set()
        for axiom in waiting:  # it grows on the way
            for name in _names(axiom):
                if name in seen:
                    continue
                seen.add(name)
                key = graph.key(name)
                declared = [Triple(name, RDF.type, kind) for number, kind in kinds if graph.has(key, is_a, number)]
                more = list(map(self._view.axiom_of, declared))
                if len(declared) > 1:
                    more += self._view.mentioning(name)
                new = [node for node in more if node not in judged]
                judged |= dict.fromkeys(new)
                waiting += new
        return list(judged)


def _is_local(axiom: Axiom) -> bool:
    return axiom.head in _LOCAL and not any(triple.predicate == OWL.hasSelf for triple in axiom.triples)


def _unread(axioms: Iterable[Axiom]) -> int:
    return sum(axiom.expression is None for axiom in axioms)


def _declared_by(axioms: Iterable[Axiom]) -> dict[NamedNode, None]:
    """The names that some axioms declare."""
    rows = (triple for axiom in axioms for triple in axiom.triples if triple.predicate == RDF.type)
    return dict.fromkeys(
        triple.subject for triple in rows if triple.object in _DECLARING and isinstance(triple.subject, NamedNode)
    )


def _names(axiom: Axiom) -> Iterator[NamedNode]:
    """The names of the ontology in an axiom, with the datatypes of its literals."""
    for triple in axiom.triples:
        for term in (triple.subject, triple.predicate, triple.object):
            name = term.datatype if isinstance(term, Literal) else term
            if isinstance(name, NamedNode) and not is_reserved(name):
                yield name
