"""OWL axioms and class expressions as trees: what every OWL syntax is read into, and written from.

A tree is a tuple whose head is the name that OWL 2's structural specification and functional syntax use for it, and
whose arguments are terms, numbers (cardinalities) and further trees, in the order of functional syntax:

    ("SubClassOf", A, ("ObjectSomeValuesFrom", p, B))
    ("SubClassOf", ("Annotation", note, Literal("why")), A, B)          annotations come first
    ("ObjectMinCardinality", 2, p)
    ("HasKey", C, ("", p, q), ("", d))                                  a bare list has an empty head
    ("SubObjectPropertyOf", ("ObjectPropertyChain", p, q), r)
    ("DatatypeRestriction", XSD.integer, XSD.minInclusive, Literal("1", datatype=XSD.integer))

An ontology document is `OntologyDocument`: its own name, its imports and annotations, and its axioms in file order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, cast

from kgprobe.graph.terms import NamedNode, Term

__all__ = ["Expression", "OntologyDocument", "split_annotations"]

Expression: TypeAlias = tuple["str | int | Term | Expression", ...]


def split_annotations(tree: Expression) -> tuple[list[Expression], Expression]:
    """The annotations that a tree begins with, and the arguments that follow them."""
    position = 1
    while position < len(tree):
        argument = tree[position]
        if type(argument) is not tuple or argument[0] != "Annotation":
            break
        position += 1
    return cast(list[Expression], list(tree[1:position])), tree[position:]


@dataclass(frozen=True, slots=True)
class OntologyDocument:
    """One ontology as its syntax states it; `iri` is None for an ontology without a name."""

    iri: NamedNode | None = None
    version: NamedNode | None = None
    imports: tuple[NamedNode, ...] = ()
    annotations: tuple[Expression, ...] = ()
    axioms: tuple[Expression, ...] = ()
    prefixes: dict[str, str] = field(default_factory=dict)
