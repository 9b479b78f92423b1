"""The features of an ontology that reasoners treat differently, found in one walk over its axioms."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from kgprobe.owl.datatypes import BUILT_IN_DATATYPES, NUMBERS, is_well_formed
from kgprobe.owl.expression import Expression
from kgprobe.owl.grammar import DATA_COUNTS, DATATYPE, OBJECT_COUNTS, argument_kinds
from kgprobe.owl.literal_values import Doubt, datatype_parts, value_of
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode

__all__ = ["ILL_TYPED", "UNKNOWN_DATATYPE", "features", "has_only_known_values"]

COMPLEX_COUNT = "a number of members of an anonymous class"
COMPLEX_DISJOINT = "disjoint anonymous classes"
EVERYTHING = "owl:Thing in a class expression or axiom"

FINITE_DATATYPE = "a datatype with finitely many values"
ILL_TYPED = "an ill-typed literal"
NEGATED_DATA = "a negated data restriction"
QUALIFIED_DATA = "a number of values of some datatype"
UNKNOWN_DATATYPE = "a datatype that is neither defined nor one of the common ones"

_EXTREMES = {
    term: term.value.rpartition("#")[2]
    for term in (OWL.topObjectProperty, OWL.bottomObjectProperty, OWL.topDataProperty, OWL.bottomDataProperty)
} | {OWL.Thing: EVERYTHING}

_BELOW = ("SubObjectPropertyOf", "SubDataPropertyOf")
_EVERYTHING = (OWL.topObjectProperty, OWL.topDataProperty)
_ABOUT_EVERYTHING = frozenset(name for name in _EXTREMES.values() if name.endswith("Property"))
_TEXTS = frozenset({XSD.string, RDF.langString, RDF.PlainLiteral, RDFS.Literal})
# Not all reasoners read literals of other datatypes: an answer about those counts only if the reasoners agree.
_DATATYPES = frozenset({*NUMBERS, *_TEXTS, XSD.boolean, XSD.dateTime, XSD.anyURI, XSD.hexBinary})

_POSITIVE_STEPS = frozenset(
    {
        "ObjectIntersectionOf",
        "ObjectUnionOf",
        "ObjectSomeValuesFrom",
        "ObjectAllValuesFrom",
        "SubClassOf",
        "ClassAssertion",
    }
    | {"ObjectPropertyDomain", "ObjectPropertyRange", "DataPropertyDomain"}
)
# The second argument of a cardinality is its property.
_NAMES_EXPECTED = dict.fromkeys(OBJECT_COUNTS, COMPLEX_COUNT) | {"DisjointClasses": COMPLEX_DISJOINT}
_DATA_RESTRICTIONS = frozenset({"DataSomeValuesFrom", "DataAllValuesFrom", "DataHasValue"})

# Many small ontologies are variants of each other, so the features of an axiom are cached.
_FEW = 1_000


def features(axioms: Iterable[Expression]) -> frozenset[str]:
    """The names of the constructs in the axioms, and the features named above."""
    stated = list(axioms)
    walk = _Walk()
    if len(stated) <= _FEW:
        walk.add(list(map(_seen_in, stated)))
    else:
        for axiom in stated:
            walk.visit(axiom)
    return frozenset(walk.found | walk.about_data())


def has_only_known_values(axioms: Iterable[Expression], defined: Collection[object]) -> bool:
    """Whether all literals and datatypes are known, with the `defined` ones, and no property is about everything.

    That a property is below the one that is about everything says nothing, and does not count.
    """
    for axiom in axioms:
        if axiom.head in _BELOW and axiom.args[1] in _EVERYTHING:
            continue
        seen = _seen_in(axiom)
        if seen.found & _ABOUT_EVERYTHING or any(isinstance(value_of(literal), Doubt) for literal in seen.literals):
            return False
        if any(datatype_parts(datatype) is None and datatype not in defined for datatype in seen.datatypes):
            return False
    return True


@dataclass(slots=True)
class _Walk:
    """The features found so far."""

    found: set[str] = field(default_factory=set)
    literals: set[Literal] = field(default_factory=set)
    datatypes: set[NamedNode] = field(default_factory=set)
    defined: set[object] = field(default_factory=set)

    def visit(self, axiom: Expression) -> None:
        if axiom.head == "DatatypeDefinition":
            self.defined.add(axiom.args[0])
        pending = [(axiom, True)]  # each with True if it is not negated
        while pending:
            tree, is_positive = pending.pop()
            head = tree.head
            self.found.add(head)
            if head in DATA_COUNTS and len(tree.args) == 3:
                self.found.add(QUALIFIED_DATA)
            if not is_positive and head in _DATA_RESTRICTIONS:
                self.found.add(NEGATED_DATA)
            has_datatypes = head in _WITH_DATATYPES
            for place, argument in enumerate(tree.args):
                if type(argument) is NamedNode:
                    if has_datatypes or argument in _EXTREMES:
                        self._name(argument, head, place, len(tree.args))
                elif type(argument) is Expression:
                    self._unnamed(head, place)
                    below = is_positive and head in _POSITIVE_STEPS and not (head == "SubClassOf" and place == 0)
                    pending.append((argument, below))
                elif type(argument) is Literal:
                    self.literals.add(argument)

    def _unnamed(self, head: str, place: int) -> None:
        if head in _NAMES_EXPECTED and place != 1:
            self.found.add(_NAMES_EXPECTED[head])

    def _name(self, name: NamedNode, head: str, place: int, count: int) -> None:
        if name in _EXTREMES:
            self.found.add(_EXTREMES[name])
        elif argument_kinds(head, count)[place] == DATATYPE:
            self.datatypes.add(name)

    def about_data(self) -> set[str]:
        datatypes = self.datatypes | {literal.datatype for literal in self.literals}
        found = set()
        if any(datatype not in _DATATYPES and datatype not in self.defined for datatype in datatypes):
            found.add(UNKNOWN_DATATYPE)
        if any(map(_is_finite, datatypes)):
            found.add(FINITE_DATATYPE)
        if not all(map(_is_well_typed, self.literals)):
            found.add(ILL_TYPED)
        return found

    def add(self, others: list[_Walk]) -> None:
        self.found.update(*[other.found for other in others])
        self.literals.update(*[other.literals for other in others])
        self.datatypes.update(*[other.datatypes for other in others])
        self.defined.update(*[other.defined for other in others])


@lru_cache(maxsize=16 * _FEW)
def _seen_in(axiom: Expression) -> _Walk:
    walk = _Walk()
    walk.visit(axiom)
    return walk


_WITH_DATATYPES = DATA_COUNTS | {
    *("DataSomeValuesFrom", "DataAllValuesFrom", "DataPropertyRange", "DatatypeRestriction"),
    *("DataIntersectionOf", "DataUnionOf", "DataComplementOf"),
}


@lru_cache(maxsize=4096)
def _is_well_typed(literal: Literal) -> bool:
    """Whether the datatype has this literal; unknown for all but the common datatypes."""
    if literal.datatype != XSD.boolean and literal.datatype not in NUMBERS:
        return True
    return is_well_formed(Literal(literal.value.strip(" \t\r\n"), datatype=literal.datatype))


def _is_finite(datatype: NamedNode) -> bool:
    known = BUILT_IN_DATATYPES.get(datatype)
    return datatype == XSD.boolean or (known is not None and None not in (known.least, known.most))
