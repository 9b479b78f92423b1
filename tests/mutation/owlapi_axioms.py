"""Whether OWLAPI reads from a graph what kgprobe reads from it."""

from __future__ import annotations

from collections import Counter

from support.owlapi import ReadByOwlapi

from kgprobe.graph.axioms.expression import split_annotations
from kgprobe.graph.graph import Graph
from kgprobe.ontology.axioms import AxiomView

# Neither order nor sense of what two axioms of these types say depends on which class or property comes first.
_SYMMETRIC = ("Equivalent", "Disjoint", "Same", "Different", "Inverse")
_NO_AXIOMS = ("Ontology", "Import", "Variable")
_OTHER_NAMES = {"DLSafeRule": "Rule", "IrreflexiveObjectProperty": "IrrefexiveObjectProperty"}
_NOT_COUNTED = {"AnnotationAssertion": 0}  # OWLAPI has those of the ontology itself apart


def assert_read_completely(graph: Graph, read: ReadByOwlapi) -> None:
    """OWLAPI found no fault with a file of the graph, left out no triple, and found as many axioms of each type."""
    assert read.failure is None
    assert read.left_over == ()
    assert {**read.axioms, **_NOT_COUNTED} == {**_axioms(graph), **_NOT_COUNTED}


def _axioms(graph: Graph) -> Counter[str]:
    """The axioms of a graph by their types, as OWLAPI counts them: each once, with its annotations."""
    distinct = set()
    for axiom in AxiomView(graph):
        assert axiom.expression is not None
        head, (annotations, arguments) = str(axiom.expression[0]), split_annotations(axiom.expression)
        if head in _NO_AXIOMS:
            continue
        if head == "DisjointUnion":
            arguments = (arguments[0], *sorted(set(arguments[1:]), key=str))
        elif head.startswith(_SYMMETRIC):
            arguments = tuple(sorted(set(arguments), key=str))
        if head == "SubObjectPropertyOf" and isinstance(arguments[0], tuple):
            head = "SubPropertyChainOf"
        distinct.add((_OTHER_NAMES.get(head, head), frozenset(annotations), arguments))
    return Counter(head for head, _, _ in distinct)
