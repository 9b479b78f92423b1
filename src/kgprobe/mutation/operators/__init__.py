"""The built-in operators: SPARQL Update operators in the folders, and here those that SPARQL cannot express."""

from __future__ import annotations

from kgprobe.mutation.operator import Operator
from kgprobe.mutation.operators import (
    annotation_triples,
    assertion_removal,
    class_replacement,
    drawn_lists,
    entity_removal,
    generic_nodes,
    generic_relations,
    generic_siblings,
    generic_values,
    group_removal,
    operand_removal,
)

__all__ = ["PYTHON_OPERATORS"]

PYTHON_OPERATORS: tuple[Operator, ...] = (
    *drawn_lists.OPERATORS,
    *assertion_removal.OPERATORS,
    *class_replacement.OPERATORS,
    *operand_removal.OPERATORS,
    *entity_removal.OPERATORS,
    *annotation_triples.OPERATORS,
    *generic_nodes.OPERATORS,
    *generic_relations.OPERATORS,
    *generic_siblings.OPERATORS,
    *generic_values.OPERATORS,
    *group_removal.OPERATORS,
)
