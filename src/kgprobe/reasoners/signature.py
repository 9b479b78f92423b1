"""Which names an axiom uses, and as what: the declarations that strict reasoners insist on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.axioms.grammar import CLASS, DATA_PROPERTY, DATATYPE, INDIVIDUAL, OBJECT_PROPERTY, argument_kinds
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, NamedNode

__all__ = ["declarations", "entities"]

_KINDS = frozenset({CLASS, OBJECT_PROPERTY, DATA_PROPERTY, DATATYPE, INDIVIDUAL})

# Many small ontologies are variants of each other, so the names in an axiom are cached.
_FEW = 1_000

_BUILT_IN = tuple(vocabulary.iri for vocabulary in (OWL, RDF, RDFS, XSD))


def entities(axioms: Iterable[Expression]) -> set[tuple[str, NamedNode]]:
    """The names that the axioms use, each with its kind; without those of OWL's own vocabulary."""
    stated = list(axioms)
    if len(stated) <= _FEW:
        return set().union(*map(_named_in, stated))
    return _without_built_in(named for axiom in stated for named in _used(axiom))


def declarations(axioms: Iterable[Expression]) -> list[Expression]:
    """A declaration for each name that the axioms use, in an order that depends on the names only."""
    used = sorted(entities(axioms), key=lambda found: (found[0], found[1].value))
    return [Expression("Declaration", Expression(kind, name)) for kind, name in used]


@lru_cache(maxsize=16 * _FEW)
def _named_in(axiom: Expression) -> frozenset[tuple[str, NamedNode]]:
    return frozenset(_without_built_in(_used(axiom)))


def _without_built_in(found: Iterable[tuple[str, NamedNode]]) -> set[tuple[str, NamedNode]]:
    return {(kind, name) for kind, name in set(found) if not name.value.startswith(_BUILT_IN)}


def _used(axiom: Expression) -> Iterator[tuple[str, NamedNode]]:
    # As in `contents_of`, but without annotations and literals: this walks all axioms of large ontologies.
    pending: list[tuple[Expression, str | None]] = [(axiom, None)]
    while pending:
        tree, of_list = pending.pop()
        arguments = tree.args
        kinds = argument_kinds(tree.head, len(arguments)) if tree.head else (of_list,) * len(arguments)
        for kind, argument in zip(kinds, arguments, strict=False):
            if type(argument) is NamedNode:
                if kind in _KINDS:
                    yield kind, argument
            elif type(argument) is Expression:
                pending.append((argument, kind))
