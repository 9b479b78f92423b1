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

__all__ = ["IN_OTHER_WORDS", "UNSOUND", "doubt", "gaps_of", "known_omission", "overclaims_of", "used_by"]

IN_OTHER_WORDS = ", in other words"
"""A suffix to the name of a reasoner: its remaining gaps if `auto` rewrites the axioms for it."""

_ASKED = "the entailment of "
MADE_UP = "individuals invented to refute an axiom"
ALL_CLASSES = "a hierarchy of all classes"


@dataclass(frozen=True, slots=True)
class _Gap:
    """Constructs that must occur together: one of each set."""

    needed: tuple[frozenset[str], ...]

    def found_in(self, used: frozenset[str]) -> str | None:
        """The constructs that make the gap, if they are used."""
        found = [each & used for each in self.needed]
        return " with ".join(min(each) for each in found) if all(found) else None


def asked_for(axiom: str) -> str:
    """The feature of a question whether an axiom of this kind follows."""
    return _ASKED + axiom


def _alone(*constructs: str) -> tuple[_Gap, ...]:
    return tuple(_Gap((frozenset({construct}),)) for construct in constructs)


def _with(*needed: str | frozenset[str]) -> _Gap:
    return _Gap(tuple(frozenset({each}) if isinstance(each, str) else each for each in needed))


_OBJECT_COUNTS = frozenset({"ObjectMinCardinality", "ObjectMaxCardinality", "ObjectExactCardinality"})
_DATA_COUNTS = frozenset({"DataMinCardinality", "DataMaxCardinality", "DataExactCardinality"})
_COUNTING = _OBJECT_COUNTS | {"FunctionalObjectProperty", "InverseFunctionalObjectProperty"}
_BACKWARDS = frozenset({"InverseObjectProperties", "ObjectInverseOf", "SymmetricObjectProperty"})
_EQUATING = _COUNTING | {"SameIndividual", "ObjectOneOf", "HasKey"}
_DATA_RANGES = ("DataIntersectionOf", "DataUnionOf", "DataComplementOf", "DataOneOf", "DatatypeRestriction")
_EVERYWHERE = _alone(ILL_TYPED, UNKNOWN_DATATYPE, "DLSafeRule")

# With these, rustdl's classification misses subclasses, many of which it finds in a question about one pair:
# https://github.com/MaastrichtU-IDS/rustdl/issues/160
_NOT_CLASSIFIED = _BACKWARDS | {"ObjectOneOf", "ObjectHasValue", "ObjectHasSelf", "ObjectComplementOf"}

_NOMINALS = frozenset({"ObjectOneOf", "ObjectHasValue"})
# Few individuals, and a limit on the links to one of them: neither native reasoner counts these.
_PIGEONHOLES = _with(_NOMINALS, _BACKWARDS | {"InverseFunctionalObjectProperty"}, _COUNTING)

_RUSTDL = (
    *_EVERYWHERE,
    _PIGEONHOLES,
    *_alone("NegativeObjectPropertyAssertion", "HasKey", "DatatypeDefinition", "DisjointDataProperties"),
    *_alone("topObjectProperty", "bottomObjectProperty", "topDataProperty", "bottomDataProperty"),
    *_alone(*_DATA_RANGES, QUALIFIED_DATA, COMPLEX_COUNT),
    _with(frozenset({"ObjectOneOf", "ObjectHasSelf"}), _OBJECT_COUNTS),
    _with("ReflexiveObjectProperty", _COUNTING),
    # Two names that denote one individual, with a link between them: it loses the inverse link.
    _with(frozenset({"ObjectPropertyAssertion", "ObjectHasValue"}), _BACKWARDS, _EQUATING),
    _with(FINITE_DATATYPE, _DATA_COUNTS),
    _with(_NOT_CLASSIFIED | {EVERYTHING}, ALL_CLASSES),
)
_PYHERMIT = (*_EVERYWHERE, _PIGEONHOLES, *_alone("topObjectProperty", "bottomDataProperty", "DisjointDataProperties"))

_GAPS: dict[str, tuple[_Gap, ...]] = {
    "rustdl" + IN_OTHER_WORDS: _RUSTDL,
    "rustdl": (
        *_RUSTDL,
        *_alone("DisjointUnion", COMPLEX_DISJOINT),
        # It ignores an unnamed inverse in axioms about several properties.
        _with("ObjectInverseOf", frozenset({"SubObjectPropertyOf", "EquivalentObjectProperties"})),
        _with("ObjectInverseOf", "DisjointObjectProperties"),
        # It reads an axiom about an inverse as if it were about the property.
        _with("ObjectInverseOf", frozenset({"FunctionalObjectProperty", "InverseFunctionalObjectProperty"})),
    ),
    "pyhermit" + IN_OTHER_WORDS: (
        *_PYHERMIT,
        _with(QUALIFIED_DATA, frozenset({"DataMaxCardinality", "DataExactCardinality"})),
    ),
    "pyhermit": (
        *_PYHERMIT,
        *_alone(NEGATED_DATA, "DataIntersectionOf", "DataUnionOf", *sorted(_OBJECT_COUNTS | _DATA_COUNTS)),
        # It does not apply an axiom about all things to the values of a property.
        _with("ObjectSomeValuesFrom", frozenset({EVERYTHING, "ObjectAllValuesFrom", "ReflexiveObjectProperty"})),
    ),
    "hermit": (
        *_alone("NegativeDataPropertyAssertion"),
        _with("ObjectUnionOf", asked_for("ClassAssertion")),
        _with("DataIntersectionOf", _DATA_COUNTS),
    ),
    "openllet": (
        *_EVERYWHERE,
        *_alone("ObjectHasSelf", "ObjectPropertyChain", "DataAllValuesFrom", "FunctionalDataProperty"),
        *_alone("DatatypeDefinition", *_DATA_RANGES),
        _with("TransitiveObjectProperty", "SubObjectPropertyOf"),
        _with("AsymmetricObjectProperty", "ObjectHasValue"),
    ),
    "jfact": (
        *_EVERYWHERE,
        *_alone("HasKey", "DatatypeDefinition", "DisjointDataProperties", "FunctionalDataProperty"),
        *_alone(*_DATA_RANGES, *sorted(_DATA_COUNTS), asked_for("DataPropertyAssertion")),
        _with("EquivalentClasses", "ObjectComplementOf"),
        _with("ObjectHasSelf", _OBJECT_COUNTS),
    ),
    "konclude": (
        *_EVERYWHERE,
        *_alone("HasKey", "DatatypeDefinition", "DisjointDataProperties", "DisjointObjectProperties"),
        *_alone("IrreflexiveObjectProperty", "AsymmetricObjectProperty", "ObjectHasSelf"),
        *_alone("topObjectProperty", "bottomObjectProperty", "ObjectMinCardinality", "ObjectExactCardinality"),
        *_alone(*_DATA_RANGES, *sorted(_DATA_COUNTS), "DataSomeValuesFrom", "DataPropertyRange"),
        _with("EquivalentClasses", "ObjectComplementOf"),
    ),
}

_BASE = frozenset(
    {"SubClassOf", "EquivalentClasses", "DisjointClasses", EVERYTHING}
    | {"ObjectIntersectionOf", "ObjectUnionOf", "ObjectComplementOf", "ObjectSomeValuesFrom", "ObjectAllValuesFrom"}
    | {"SubObjectPropertyOf", "ObjectPropertyChain", "TransitiveObjectProperty", "EquivalentObjectProperties"}
    | {"DisjointObjectProperties", "ObjectPropertyDomain", "ObjectPropertyRange", *_BACKWARDS}
    | {"AsymmetricObjectProperty", "IrreflexiveObjectProperty", "ReflexiveObjectProperty"}
    | {"ClassAssertion", "ObjectPropertyAssertion", "DifferentIndividuals"}
    | {"SubDataPropertyOf", "EquivalentDataProperties", "FunctionalDataProperty"}
    | {"DataPropertyDomain", "DataPropertyRange", "DataPropertyAssertion", "NegativeDataPropertyAssertion"}
    | {"DataSomeValuesFrom", "DataAllValuesFrom", "DataHasValue", NEGATED_DATA, FINITE_DATATYPE, *_DATA_COUNTS}
)
_FRAGMENTS: dict[str, tuple[frozenset[str], ...]] = {
    "rustdl" + IN_OTHER_WORDS: (
        _BASE | _NOMINALS | {"SameIndividual", "ObjectHasSelf"},
        _BASE | _COUNTING,
    )
}
"""The fragments in which a reasoner can be trusted: one of these sets, without the gaps above."""

# The constructs that ELK supports fully. It ignores the others, or supports them in part.
_ELK = frozenset(
    {"SubClassOf", "EquivalentClasses", "DisjointClasses", "ObjectIntersectionOf", "ObjectSomeValuesFrom"}
    | {"ObjectPropertyDomain", "TransitiveObjectProperty", "SubObjectPropertyOf", "ObjectPropertyChain"}
    | {"EquivalentObjectProperties", "ClassAssertion", "ObjectPropertyAssertion"}
    | {asked_for("SubClassOf"), asked_for("ClassAssertion"), asked_for("EquivalentClasses")}
)

_OVERCLAIMS: dict[str, tuple[_Gap, ...]] = dict.fromkeys(
    ["pyhermit", "konclude"], (_with("HasKey", MADE_UP), *_alone(COMPLEX_DISJOINT))
)

UNSOUND = frozenset({"rustdl", "pyhermit", "openllet", "jfact", "konclude"})
"""The reasoners that have reported a false contradiction or entailment."""


# Variants of an ontology use nearly the same features.
@lru_cache(maxsize=4096)
def gaps_of(reasoner: str, used: frozenset[str]) -> tuple[str, ...]:
    """The gaps of a reasoner that these features touch, in words."""
    gaps = tuple(found for gap in _GAPS.get(reasoner, ()) if (found := gap.found_in(used)) is not None)
    return gaps or _outside(_FRAGMENTS.get(reasoner, ()), used)


def _outside(fragments: tuple[frozenset[str], ...], used: frozenset[str]) -> tuple[str, ...]:
    """The features in none of the fragments; if each is in one, but none has them all, the features that conflict."""
    constructs = frozenset(each for each in used if not each.startswith(_ASKED)) - {MADE_UP, ALL_CLASSES}
    missing = [constructs - fragment for fragment in fragments]
    if not fragments or not all(missing):
        return ()
    return tuple(sorted(frozenset.intersection(*missing))) or (" with ".join(map(min, missing)),)


@lru_cache(maxsize=4096)
def overclaims_of(reasoner: str, used: frozenset[str]) -> tuple[str, ...]:
    """The features with which a proof by this reasoner may be wrong."""
    return tuple(found for gap in _OVERCLAIMS.get(reasoner, ()) if (found := gap.found_in(used)) is not None)


def used_by(ontology: Ontology, task: Task) -> frozenset[str]:
    """The features of an ontology, of the axiom in question, and of the axioms that would refute it."""
    axiom = axiom_of(task)
    if axiom is None:
        lists_classes = isinstance(task, Classification | Unsatisfiable)
        return ontology.features | {ALL_CLASSES} if lists_classes else ontology.features
    ways = refutations(axiom) or []
    made_up = {MADE_UP} if makes_up_individuals(ways) else set()
    return ontology.features | features([axiom, *chain.from_iterable(ways)]) | {asked_for(str(axiom[0])), *made_up}


def doubt(reasoner: str, ontology: Ontology, task: Task) -> str:
    """Why a reasoner may overlook something here; empty if nothing is known."""
    if reasoner == "elk":  # its question is the axiom itself, never a refutation
        axiom = axiom_of(task)
        asked = features([axiom]) | {asked_for(str(axiom[0]))} if axiom is not None else frozenset()
        gaps = tuple(sorted((ontology.features | asked) - _ELK))
    else:
        used = used_by(ontology, task)
        gaps = gaps_of(reasoner, used) + overclaims_of(reasoner, used)
    return f"{reasoner} is not reliable with {', '.join(gaps)}" if gaps else ""


def known_omission(reasoner: str, ontology: Ontology, task: Task) -> str:
    """The documented limits of a reasoner that apply here; empty if none do. Tests should not report them as bugs.

    ELK supports only a part of OWL. rustdl has an open issue about subclasses that its classification misses.
    """
    if reasoner == "elk":
        return doubt(reasoner, ontology, task)
    if reasoner == "rustdl" and isinstance(task, Classification):
        found = sorted(_NOT_CLASSIFIED & ontology.features)
        return f"rustdl is known to miss subclasses with {', '.join(found)}" if found else ""
    return ""
