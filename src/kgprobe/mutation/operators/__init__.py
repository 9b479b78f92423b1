"""The built-in operators: SPARQL Update operators in the folders, and here those that SPARQL cannot express."""

from __future__ import annotations

from kgprobe.mutation.operator import Operator
from kgprobe.mutation.operators import annotation_triples, any_graph, classes, drawn_lists, removal

# The order is that of the catalogue, so a seed draws the same mutants as long as it stays.
PYTHON_OPERATORS: tuple[Operator, ...] = (
    *drawn_lists.OPERATORS,
    *removal.ASSERTIONS,
    *classes.REPLACEMENTS,
    *classes.OPERANDS,
    *removal.NAMES,
    *annotation_triples.OPERATORS,
    *any_graph.NODES,
    *any_graph.RELATIONS,
    *any_graph.SIBLINGS,
    *any_graph.VALUES,
    *removal.GROUPS,
)
