"""The built-in operators: SPARQL Update operators in the folders, and here those that SPARQL cannot express."""

from __future__ import annotations

from kgprobe.mutation.operator import Operator
from kgprobe.mutation.operators import annotation_triples, classes, drawn_lists, generic, removal

__all__ = ["PYTHON_OPERATORS"]

# The order is that of the catalogue, so a seed draws the same mutants as long as it stays.
PYTHON_OPERATORS: tuple[Operator, ...] = (
    *drawn_lists.OPERATORS,
    *removal.ASSERTIONS,
    *classes.REPLACEMENTS,
    *classes.OPERANDS,
    *removal.NAMES,
    *annotation_triples.OPERATORS,
    *generic.NODES,
    *generic.RELATIONS,
    *generic.SIBLINGS,
    *generic.VALUES,
    *removal.GROUPS,
)
