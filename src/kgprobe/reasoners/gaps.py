"""The known gaps of each reasoner, found by running all of them on the table of cases and on random ontologies.

A gap is a construct, or a combination of constructs, with which a reasoner has missed a contradiction. If an ontology
touches no gap of a reasoner, its "consistent" is accepted. `auto` is stricter: it accepts rustdl's "consistent" only
within fragments of OWL in which many thousands of random ontologies showed no gap, since new gaps keep appearing
elsewhere. A contradiction that a reasoner reports is accepted, with or without gaps, unless the reasoner is one of the
few that have reported false contradictions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from kgprobe.owl.grammar import DATA_COUNTS, OBJECT_COUNTS
from kgprobe.reasoners.features import (
    COMPLEX_COUNT,
    COMPLEX_DISJOINT,
    EVERYTHING,
    FINITE_DATATYPE,
    ILL_TYPED,
    NEGATED_DATA,
    QUALIFIED_DATA,
    UNKNOWN_DATATYPE,
    features,
)
from kgprobe.reasoners.negation import makes_up_individuals, refutations
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Classification, Task, Unsatisfiable, axiom_of

__all__ = ["RUSTDL", "known_omission"]

_ASKED = "the entailment of "
MADE_UP = "individuals invented to refute an axiom"
ALL_CLASSES = "a hierarchy of all classes"


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """Constructs that must occur together: one of each set."""

    needed: tuple[frozenset[str], ...]

    def found_in(self, used: frozenset[str]) -> str | None:
        """The constructs that make the gap, if they are used."""
        parts = [constructs & used for constructs in self.needed]
        return " with ".join(min(part) for part in parts) if all(parts) else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reliability:
    """Where a reasoner is known to err."""

    gaps: tuple[Gap, ...] = ()
    gaps_in_other_words: tuple[Gap, ...] = ()
    """Those that remain if `auto` rewrites the axioms for it."""
    fragments: tuple[frozenset[str], ...] = ()
    """In other words, it can be trusted only with the constructs of one of these sets."""
    overclaims: tuple[Gap, ...] = ()
    """Where a proof may be wrong."""
    is_sound: bool = True
    """False if it has reported a false contradiction or entailment."""
    supported: frozenset[str] | None = None
    """The constructs that it supports, if it ignores all others; None if it claims to support OWL."""
    not_classified: frozenset[str] = frozenset()
    """With these, its hierarchies are documented to miss subclasses."""

    def missed(self, used: frozenset[str]) -> tuple[str, ...]:
        """The gaps that these features touch, in words."""
        return _touched(self.gaps, used)

    def missed_in_other_words(self, used: frozenset[str]) -> tuple[str, ...]:
        """The gaps that these features touch if `auto` rewrites the axioms, in words."""
        return _touched(self.gaps_in_other_words, used) or _outside(self.fragments, used)

    def overclaimed(self, used: frozenset[str]) -> tuple[str, ...]:
        """The features with which a proof may be wrong."""
        return _touched(self.overclaims, used)


def asked_for(axiom: str) -> str:
    """The feature of a question whether an axiom of this kind follows."""
    return _ASKED + axiom


def alone(*constructs: str) -> tuple[Gap, ...]:
    """A gap for each of these constructs."""
    return tuple(Gap((frozenset({construct}),)) for construct in constructs)


def together(*needed: str | frozenset[str]) -> Gap:
    """The gap of several constructs together; a set stands for any one of its members."""
    return Gap(
        tuple(frozenset({one_or_more}) if isinstance(one_or_more, str) else one_or_more for one_or_more in needed)
    )


_COUNTING = OBJECT_COUNTS | {"FunctionalObjectProperty", "InverseFunctionalObjectProperty"}
_BACKWARDS = frozenset({"InverseObjectProperties", "ObjectInverseOf", "SymmetricObjectProperty"})
_EQUATING = _COUNTING | {"SameIndividual", "ObjectOneOf", "HasKey"}
_DATA_RANGES = ("DataIntersectionOf", "DataUnionOf", "DataComplementOf", "DataOneOf", "DatatypeRestriction")
_EVERYWHERE = alone(ILL_TYPED, UNKNOWN_DATATYPE, "DLSafeRule")

# With these, rustdl's classification misses subclasses, many of which it finds in a question about one pair:
# https://github.com/MaastrichtU-IDS/rustdl/issues/160
_NOT_CLASSIFIED = _BACKWARDS | {"ObjectOneOf", "ObjectHasValue", "ObjectHasSelf", "ObjectComplementOf"}

_NOMINALS = frozenset({"ObjectOneOf", "ObjectHasValue"})
# Few individuals, and a limit on the links to one of them: neither native reasoner counts these.
_PIGEONHOLES = together(_NOMINALS, _BACKWARDS | {"InverseFunctionalObjectProperty"}, _COUNTING)

_RUSTDL = (
    *_EVERYWHERE,
    _PIGEONHOLES,
    *alone("NegativeObjectPropertyAssertion", "HasKey", "DatatypeDefinition", "DisjointDataProperties"),
    *alone("topObjectProperty", "bottomObjectProperty", "topDataProperty", "bottomDataProperty"),
    *alone(*_DATA_RANGES, QUALIFIED_DATA, COMPLEX_COUNT),
    together(frozenset({"ObjectOneOf", "ObjectHasSelf"}), OBJECT_COUNTS),
    together("ReflexiveObjectProperty", _COUNTING),
    # Two names that denote one individual, with a link between them: it loses the inverse link.
    together(frozenset({"ObjectPropertyAssertion", "ObjectHasValue"}), _BACKWARDS, _EQUATING),
    together(FINITE_DATATYPE, DATA_COUNTS),
    together(_NOT_CLASSIFIED | {EVERYTHING}, ALL_CLASSES),
)
_PYHERMIT = (*_EVERYWHERE, _PIGEONHOLES, *alone("topObjectProperty", "bottomDataProperty", "DisjointDataProperties"))
# A key, if individuals had to be invented to refute an axiom, and disjoint anonymous classes.
_FALSE_PROOFS = (together("HasKey", MADE_UP), *alone(COMPLEX_DISJOINT))

_BASE = frozenset(
    {"SubClassOf", "EquivalentClasses", "DisjointClasses", EVERYTHING}
    | {"ObjectIntersectionOf", "ObjectUnionOf", "ObjectComplementOf", "ObjectSomeValuesFrom", "ObjectAllValuesFrom"}
    | {"SubObjectPropertyOf", "ObjectPropertyChain", "TransitiveObjectProperty", "EquivalentObjectProperties"}
    | {"DisjointObjectProperties", "ObjectPropertyDomain", "ObjectPropertyRange", *_BACKWARDS}
    | {"AsymmetricObjectProperty", "IrreflexiveObjectProperty", "ReflexiveObjectProperty"}
    | {"ClassAssertion", "ObjectPropertyAssertion", "DifferentIndividuals"}
    | {"SubDataPropertyOf", "EquivalentDataProperties", "FunctionalDataProperty"}
    | {"DataPropertyDomain", "DataPropertyRange", "DataPropertyAssertion", "NegativeDataPropertyAssertion"}
    | {"DataSomeValuesFrom", "DataAllValuesFrom", "DataHasValue", NEGATED_DATA, FINITE_DATATYPE, *DATA_COUNTS}
)
RUSTDL = Reliability(
    gaps_in_other_words=_RUSTDL,
    fragments=(_BASE | _NOMINALS | {"SameIndividual", "ObjectHasSelf"}, _BASE | _COUNTING),
    gaps=(
        *_RUSTDL,
        *alone("DisjointUnion", COMPLEX_DISJOINT),
        # It ignores an unnamed inverse in axioms about several properties.
        together("ObjectInverseOf", frozenset({"SubObjectPropertyOf", "EquivalentObjectProperties"})),
        together("ObjectInverseOf", "DisjointObjectProperties"),
        # It reads an axiom about an inverse as if it were about the property.
        together("ObjectInverseOf", frozenset({"FunctionalObjectProperty", "InverseFunctionalObjectProperty"})),
    ),
    is_sound=False,
    not_classified=_NOT_CLASSIFIED,
)
PYHERMIT = Reliability(
    gaps_in_other_words=(
        *_PYHERMIT,
        together(QUALIFIED_DATA, frozenset({"DataMaxCardinality", "DataExactCardinality"})),
    ),
    gaps=(
        *_PYHERMIT,
        *alone(NEGATED_DATA, "DataIntersectionOf", "DataUnionOf", *sorted(OBJECT_COUNTS | DATA_COUNTS)),
        # It does not apply an axiom about all things to the values of a property.
        together("ObjectSomeValuesFrom", frozenset({EVERYTHING, "ObjectAllValuesFrom", "ReflexiveObjectProperty"})),
    ),
    overclaims=_FALSE_PROOFS,
    is_sound=False,
)
HERMIT = Reliability(
    gaps=(
        *alone("NegativeDataPropertyAssertion"),
        together("ObjectUnionOf", asked_for("ClassAssertion")),
        together("DataIntersectionOf", DATA_COUNTS),
    )
)
OPENLLET = Reliability(
    gaps=(
        *_EVERYWHERE,
        *alone("ObjectHasSelf", "ObjectPropertyChain", "DataAllValuesFrom", "FunctionalDataProperty"),
        *alone("DatatypeDefinition", *_DATA_RANGES),
        together("TransitiveObjectProperty", "SubObjectPropertyOf"),
        together("AsymmetricObjectProperty", "ObjectHasValue"),
    ),
    is_sound=False,
)
JFACT = Reliability(
    gaps=(
        *_EVERYWHERE,
        *alone("HasKey", "DatatypeDefinition", "DisjointDataProperties", "FunctionalDataProperty"),
        *alone(*_DATA_RANGES, *sorted(DATA_COUNTS), asked_for("DataPropertyAssertion")),
        together("EquivalentClasses", "ObjectComplementOf"),
        together("ObjectHasSelf", OBJECT_COUNTS),
    ),
    is_sound=False,
)
KONCLUDE = Reliability(
    gaps=(
        *_EVERYWHERE,
        *alone("HasKey", "DatatypeDefinition", "DisjointDataProperties", "DisjointObjectProperties"),
        *alone("IrreflexiveObjectProperty", "AsymmetricObjectProperty", "ObjectHasSelf"),
        *alone("topObjectProperty", "bottomObjectProperty", "ObjectMinCardinality", "ObjectExactCardinality"),
        *alone(*_DATA_RANGES, *sorted(DATA_COUNTS), "DataSomeValuesFrom", "DataPropertyRange"),
        together("EquivalentClasses", "ObjectComplementOf"),
    ),
    overclaims=_FALSE_PROOFS,
    is_sound=False,
)
# The constructs that ELK supports fully. It ignores the others, or supports them in part.
ELK = Reliability(
    supported=frozenset(
        {"SubClassOf", "EquivalentClasses", "DisjointClasses", "ObjectIntersectionOf", "ObjectSomeValuesFrom"}
        | {"ObjectPropertyDomain", "TransitiveObjectProperty", "SubObjectPropertyOf", "ObjectPropertyChain"}
        | {"EquivalentObjectProperties", "ClassAssertion", "ObjectPropertyAssertion"}
        | {asked_for("SubClassOf"), asked_for("ClassAssertion"), asked_for("EquivalentClasses")}
    )
)


# Variants of an ontology use nearly the same features.
@lru_cache(maxsize=4096)
def _touched(gaps: tuple[Gap, ...], used: frozenset[str]) -> tuple[str, ...]:
    return tuple(words for gap in gaps if (words := gap.found_in(used)) is not None)


@lru_cache(maxsize=4096)
def _outside(fragments: tuple[frozenset[str], ...], used: frozenset[str]) -> tuple[str, ...]:
    """The features in none of the fragments; if each is in one, but none has them all, the features that conflict."""
    constructs = frozenset(construct for construct in used if not construct.startswith(_ASKED)) - {MADE_UP, ALL_CLASSES}
    missing = [constructs - fragment for fragment in fragments]
    if not fragments or not all(missing):
        return ()
    return tuple(sorted(frozenset.intersection(*missing))) or (" with ".join(map(min, missing)),)


def used_by(ontology: Ontology, task: Task) -> frozenset[str]:
    """The features of an ontology, of the axiom in question, and of the axioms that would refute it."""
    axiom = axiom_of(task)
    if axiom is None:
        lists_classes = isinstance(task, Classification | Unsatisfiable)
        return ontology.features | {ALL_CLASSES} if lists_classes else ontology.features
    ways = refutations(axiom) or []
    made_up = {MADE_UP} if makes_up_individuals(ways) else set()
    return ontology.features | features([axiom, *chain.from_iterable(ways)]) | {asked_for(str(axiom[0])), *made_up}


def doubt(name: str, known: Reliability, ontology: Ontology, task: Task) -> str:
    """Why a reasoner may overlook something here; empty if nothing is known."""
    if known.supported is not None:  # its question is the axiom itself, never a refutation
        axiom = axiom_of(task)
        asked = features([axiom]) | {asked_for(str(axiom[0]))} if axiom is not None else frozenset()
        gaps = tuple(sorted((ontology.features | asked) - known.supported))
    else:
        used = used_by(ontology, task)
        gaps = known.missed(used) + known.overclaimed(used)
    return f"{name} is not reliable with {', '.join(gaps)}" if gaps else ""


def known_omission(name: str, known: Reliability, ontology: Ontology, task: Task) -> str:
    """The documented limits of a reasoner that apply here; empty if none do. Tests should not report them as bugs."""
    if known.supported is not None:
        return doubt(name, known, ontology, task)
    if isinstance(task, Classification) and (constructs := sorted(known.not_classified & ontology.features)):
        return f"{name} is known to miss subclasses with {', '.join(constructs)}"
    return ""
