"""Older and looser ways to write OWL in RDF, put into the one way that the mapping to RDF defines.

Real files have them, and tools accept them. The reader of axioms does not, because it must be able to write the same
triples again; here, only the meaning is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kgprobe.graph.axioms.groups_of_two import without_groups_of_two
from kgprobe.graph.axioms.vocabulary import CARDINALITIES, SWRL
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Term, Triple

__all__ = ["WithVariables", "rewritten", "untyped_variables"]

_NUMBER_PREDICATES = {predicate for names in CARDINALITIES.values() for predicate in names[:2]}
_NUMBER_TYPES = {XSD.int, XSD.integer, XSD.long, XSD.short, XSD.string, XSD.positiveInteger, XSD.nonNegativeInteger}


def rewritten(triples: Iterable[Triple]) -> list[Triple]:
    """The triples as the mapping to RDF would write them, as far as they are among the known loose spellings."""
    given = list(triples)
    restrictions = {triple.subject for triple in given if triple.object == OWL.Restriction}
    lists = {triple.subject for triple in given if triple.predicate == RDF.first}
    written = []
    for triple in given:
        subject, predicate, value = triple.subject, triple.predicate, triple.object
        if predicate == RDF.type and type(subject) is BlankNode:
            if (value == RDF.List and subject in lists) or (value == OWL.Class and subject in restrictions):
                continue  # true, and says nothing
            if value == OWL.DataRange:
                value = RDFS.Datatype
        elif predicate == OWL.distinctMembers:
            predicate = OWL.members
        elif predicate in _NUMBER_PREDICATES:
            value = _number(value) if type(value) is Literal else value
        written.append(Triple(subject, predicate, value))
    return without_groups_of_two(written)


def _number(literal: Literal) -> Literal:
    text = literal.value.strip()
    if literal.datatype not in _NUMBER_TYPES or not (text.isascii() and text.isdigit()):
        return literal
    return Literal(text.lstrip("0") or "0", datatype=XSD.nonNegativeInteger)


def untyped_variables(triples: Iterable[Triple]) -> frozenset[Term]:
    """Names among the arguments of a rule's built-ins: these can only be variables, whether or not they say so."""
    values: dict[NamedNode, dict[object, object]] = {RDF.first: {}, RDF.rest: {}, SWRL.arguments: {}}
    for triple in triples:
        if triple.predicate in values:
            values[triple.predicate][triple.subject] = triple.object
    members = (term for head in values[SWRL.arguments].values() for term in _members(head, values))
    return frozenset(term for term in members if type(term) is NamedNode)


def _members(cell: object, values: dict[NamedNode, dict[object, object]]) -> Iterator[object]:
    seen: set[object] = set()
    while cell in values[RDF.rest] and cell not in seen:
        seen.add(cell)
        yield values[RDF.first].get(cell)
        cell = values[RDF.rest][cell]


class WithVariables:
    """The kinds of names, where some names are variables."""

    def __init__(self, known: Callable[[Term], frozenset[str]], variables: frozenset[Term]) -> None:
        self._known = known
        self._variables = variables

    def get(self, term: Term, _: frozenset[str], /) -> frozenset[str]:
        known = self._known(term)
        return known | {"Variable"} if term in self._variables else known
