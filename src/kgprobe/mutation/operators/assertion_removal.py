"""Operators that remove assertions about an individual. SPARQL would search all triples for them."""

from __future__ import annotations

from kgprobe.mutation.axiom_rows import with_what_hangs_on
from kgprobe.mutation.individuals import (
    Assertions,
    class_assertions,
    data_property_assertions,
    object_property_assertions,
)
from kgprobe.mutation.operator import Change, Propose, Site, described

__all__ = ["OPERATORS"]

# The number of assertions drawn to find one that is not pinned.
_TRIES = 10


def _removal(assertions: Assertions) -> Propose:
    def propose(site: Site) -> Change | None:
        for _ in range(_TRIES):
            row = assertions.sample(site.graph, site.random)
            if row is None:
                return None
            removed = with_what_hangs_on(site.graph, [row])
            if site.pins.allow(site.graph, removed):
                return Change(removed, [], dict(zip(("individual", "property", "value"), row, strict=True)))
        return None

    return propose


OPERATORS = (
    described(
        """
name: RemoveClassAssertion
does: remove a class assertion of an individual, with the class expression in it
target: abox
sets: owl-el, owl-dl, abox
paper: table 2, row 45
rdfmutate: RemoveClassAssertionMutation
before:
  :Pump a owl:Class . :a a :Pump , owl:NamedIndividual .
after:
  :Pump a owl:Class . :a a owl:NamedIndividual .
""",
        _removal(class_assertions),
    ),
    described(
        """
name: RemoveObjectPropertyAssertion
does: remove an object property relation between two individuals
target: abox
sets: owl-el, owl-dl, abox
paper: table 2, row 47
rdfmutate: RemoveObjectPropertyRelationMutation
before:
  :drives a owl:ObjectProperty . :a :drives :b .
after:
  :drives a owl:ObjectProperty .
""",
        _removal(object_property_assertions),
    ),
    described(
        """
name: RemoveDataPropertyAssertion
does: remove a data property relation of an individual
target: abox
sets: owl-el, owl-dl, abox
paper: table 2, row 55
rdfmutate: RemoveDataPropertyRelationMutation
before:
  :name a owl:DatatypeProperty . :a :name "x" .
after:
  :name a owl:DatatypeProperty .
""",
        _removal(data_property_assertions),
    ),
)
