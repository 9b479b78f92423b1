"""Checks that OWLAPI and kgprobe read the same axioms from a graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from support.owlapi import ReadByOwlapi, read_by_owlapi

from kgprobe.formats.files import save
from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.expression import Expression, split_annotations
from kgprobe.rdf.graph import Graph

# The meaning of axioms of these types does not depend on the order of their classes or properties.
_SYMMETRIC = ("Equivalent", "Disjoint", "Same", "Different", "Inverse")
_NO_AXIOMS = ("Ontology", "Import", "Variable")
_OTHER_NAMES = {"DLSafeRule": "Rule", "IrreflexiveObjectProperty": "IrrefexiveObjectProperty"}
_NOT_COUNTED = {"AnnotationAssertion": 0}  # OWLAPI keeps those of the ontology itself separately


def read_completely(graphs: Sequence[Graph], folder: Path) -> list[ReadByOwlapi]:
    """OWLAPI's reading of these graphs, after checking that it found no errors and dropped no triples or axioms."""
    files = [folder / f"{number}.{('ttl', 'owl')[number % 2]}" for number in range(len(graphs))]
    for graph, file in zip(graphs, files, strict=True):
        save(graph, file)
    found = list(read_by_owlapi(files).values())
    for graph, read in zip(graphs, found, strict=True):
        assert read.failure is None
        assert read.left_over == ()
        assert {**read.axioms, **_NOT_COUNTED} == {**_axioms(graph), **_NOT_COUNTED}
    return found


def _axioms(graph: Graph) -> Counter[str]:
    """The axioms of a graph by their types, as OWLAPI counts them: each once, with its annotations."""
    distinct = set()
    for axiom in AxiomView(graph):
        assert axiom.expression is not None
        head, (annotations, arguments) = axiom.expression.head, split_annotations(axiom.expression)
        if head in _NO_AXIOMS:
            continue
        if head == "DisjointUnion":
            arguments = (arguments[0], *sorted(set(arguments[1:]), key=str))
        elif head.startswith(_SYMMETRIC):
            arguments = tuple(sorted(set(arguments), key=str))
        if head == "SubObjectPropertyOf" and isinstance(arguments[0], Expression):
            head = "SubPropertyChainOf"
        distinct.add((_OTHER_NAMES.get(head, head), frozenset(annotations), arguments))
    return Counter(head for head, _, _ in distinct)
