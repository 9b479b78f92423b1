"""Small ontologies with known right answers, for testing reasoners.

The cases for single constructs are in `cases.txt`. The cases for pairs of constructs are built here, from parts whose
meaning is obvious. A part of the first table forces an individual into a class expression, and another part forces it
out. A part of the second table derives a link, and a part of the third forbids it, or narrowly fails to forbid it. The
two halves of a case share nothing but the individual or the link that they are about, so their models can be joined:
the case is inconsistent if one half forces what the other forbids, and consistent otherwise.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import combinations
from typing import NamedTuple

from kgprobe.formats import functional
from kgprobe.owl.expression import Expression
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Consistency, Entails, Reasoner, Task

__all__ = ["Case", "Score", "all_cases", "score"]

_EXPECTED = {"consistent": True, "inconsistent": False, "entails": True, "not": False}


@dataclass(frozen=True)
class Case:
    """An ontology, a question about it, and the right answer by OWL 2's direct semantics."""

    name: str
    ontology: Ontology
    task: Task
    expected: bool


@cache
def all_cases() -> tuple[Case, ...]:
    """All cases. The name of a case is its construct, or its pair of constructs, and a number."""
    counts: Counter[str] = Counter()
    cases = []
    for construct, line in (*_single(), *_pairs()):
        counts[construct] += 1
        cases.append(_case(f"{construct}-{counts[construct]}", line))
    return tuple(cases)


@dataclass(frozen=True, slots=True)
class Score:
    """The cases by outcome. A wrong answer with a reservation is wrong, but not misleading."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    undecided: tuple[str, ...]
    misleading: tuple[str, ...]
    seconds: float

    @property
    def total(self) -> int:
        return len(self.right) + len(self.wrong) + len(self.undecided)


def score(reasoner: Reasoner, cases: Sequence[Case] | None = None) -> Score:
    """Run the cases (all of them, unless some are given) in one batch."""
    tried = all_cases() if cases is None else cases
    start = time.perf_counter()
    answers = [given[0] for given in reasoner.answer_many([(case.ontology, [case.task]) for case in tried])]
    seconds = time.perf_counter() - start
    judged = list(zip(tried, answers, strict=True))
    wrong = [(case, answer) for case, answer in judged if answer.value is not None and answer.value != case.expected]
    return Score(
        right=tuple(case.name for case, answer in judged if answer.value == case.expected),
        wrong=tuple(case.name for case, _ in wrong),
        undecided=tuple(case.name for case, answer in judged if answer.value is None),
        misleading=tuple(case.name for case, answer in wrong if answer.complete),
        seconds=seconds,
    )


def _single() -> Iterator[tuple[str, str]]:
    construct = ""
    text = resources.files(__package__).joinpath("cases.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("== "):
            construct = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            yield construct, line


def _case(name: str, line: str) -> Case:
    word, _, rest = line.partition(" ")
    premises, _, conclusion = rest.partition("|-")
    ontology = Ontology(_parsed(premises, name))
    if not conclusion:
        return Case(name, ontology, Consistency(), _EXPECTED[word])
    (axiom,) = _parsed(conclusion, name)
    return Case(name, ontology, Entails(axiom), _EXPECTED[word])


def _parsed(axioms: str, name: str) -> tuple[Expression, ...]:
    return functional.parse(f"Prefix(:=<urn:case:>)\nOntology(\n{axioms}\n)", name).axioms


class _Kind(NamedTuple):
    """A class expression, axioms that force `:a` into it, and axioms that force `:a` out. "%" makes names unique."""

    name: str
    expression: str
    inside: str
    outside: str


_KINDS = [
    _Kind("Class", ":A%", "ClassAssertion(:A% :a)", "ClassAssertion(ObjectComplementOf(:A%) :a)"),
    _Kind(
        "ObjectIntersectionOf",
        "ObjectIntersectionOf(:A% :B%)",
        "ClassAssertion(:A% :a) ClassAssertion(:B% :a)",
        "DisjointClasses(:A% :B%)",
    ),
    _Kind(
        "ObjectUnionOf",
        "ObjectUnionOf(:A% :B%)",
        "ClassAssertion(:B% :a)",
        "SubClassOf(:A% owl:Nothing) ClassAssertion(ObjectComplementOf(:B%) :a)",
    ),
    _Kind(
        "ObjectComplementOf",
        "ObjectComplementOf(:A%)",
        "ClassAssertion(:B% :a) DisjointClasses(:A% :B%)",
        "ClassAssertion(:A% :a)",
    ),
    _Kind("ObjectOneOf", "ObjectOneOf(:a% :b%)", "SameIndividual(:a :b%)", "DifferentIndividuals(:a :a% :b%)"),
    _Kind(
        "ObjectSomeValuesFrom",
        "ObjectSomeValuesFrom(:p% :A%)",
        "ObjectPropertyAssertion(:p% :a :b%) ClassAssertion(:A% :b%)",
        "ObjectPropertyRange(:p% ObjectComplementOf(:A%))",
    ),
    _Kind(
        "ObjectAllValuesFrom",
        "ObjectAllValuesFrom(:p% :A%)",
        "ObjectPropertyRange(:p% :A%)",
        "ObjectPropertyAssertion(:p% :a :b%) ClassAssertion(ObjectComplementOf(:A%) :b%)",
    ),
    _Kind(
        "ObjectHasValue",
        "ObjectHasValue(:p% :b%)",
        "ObjectPropertyAssertion(:p% :a :b%)",
        "ObjectPropertyDomain(:p% :A%) ClassAssertion(ObjectComplementOf(:A%) :a)",
    ),
    _Kind(
        "ObjectHasSelf", "ObjectHasSelf(:p%)", "ObjectPropertyAssertion(:p% :a :a)", "IrreflexiveObjectProperty(:p%)"
    ),
    _Kind(
        "ObjectMinCardinality",
        "ObjectMinCardinality(2 :p%)",
        "ObjectPropertyAssertion(:p% :a :b%) ObjectPropertyAssertion(:p% :a :c%) DifferentIndividuals(:b% :c%)",
        "FunctionalObjectProperty(:p%)",
    ),
    _Kind(
        "ObjectMaxCardinality",
        "ObjectMaxCardinality(1 :p% :A%)",
        "FunctionalObjectProperty(:p%)",
        "ObjectPropertyAssertion(:p% :a :b%) ObjectPropertyAssertion(:p% :a :c%) DifferentIndividuals(:b% :c%)"
        " ObjectPropertyRange(:p% :A%)",
    ),
    _Kind(
        "ObjectExactCardinality",
        "ObjectExactCardinality(1 :p%)",
        "FunctionalObjectProperty(:p%) ObjectPropertyAssertion(:p% :a :b%)",
        "ClassAssertion(ObjectAllValuesFrom(:p% owl:Nothing) :a)",
    ),
    _Kind(
        "DataSomeValuesFrom",
        "DataSomeValuesFrom(:d% xsd:integer)",
        'DataPropertyAssertion(:d% :a "7"^^xsd:integer)',
        "DataPropertyRange(:d% xsd:string)",
    ),
    _Kind(
        "DataAllValuesFrom",
        "DataAllValuesFrom(:d% xsd:string)",
        "DataPropertyRange(:d% xsd:string)",
        'DataPropertyAssertion(:d% :a "7"^^xsd:integer)',
    ),
    _Kind(
        "DataHasValue",
        'DataHasValue(:d% "x")',
        'DataPropertyAssertion(:d% :a "x")',
        'NegativeDataPropertyAssertion(:d% :a "x")',
    ),
    _Kind(
        "DataMaxCardinality",
        "DataMaxCardinality(1 :d%)",
        "FunctionalDataProperty(:d%)",
        'DataPropertyAssertion(:d% :a "x") DataPropertyAssertion(:d% :a "y")',
    ),
]

# Each implies the link :r from :a to :b. Those that make :r a composite property come last: OWL 2 DL does not let one
# be functional, irreflexive, asymmetric or disjoint with another, nor be counted.
_LINKS = {
    "SubObjectPropertyOf": "SubObjectPropertyOf(:s :r) ObjectPropertyAssertion(:s :a :b)",
    "EquivalentObjectProperties": "EquivalentObjectProperties(:r :s) ObjectPropertyAssertion(:s :a :b)",
    "InverseObjectProperties": "InverseObjectProperties(:r :s) ObjectPropertyAssertion(:s :b :a)",
    "ObjectInverseOf": "SubObjectPropertyOf(ObjectInverseOf(:s) :r) ObjectPropertyAssertion(:s :b :a)",
    "SymmetricObjectProperty": "SymmetricObjectProperty(:s) SubObjectPropertyOf(:s :r)"
    " ObjectPropertyAssertion(:s :b :a)",
    "SameIndividual": "SameIndividual(:b :e) ObjectPropertyAssertion(:r :a :e)",
    "ObjectHasValue": "SubClassOf(:L ObjectHasValue(:r :b)) ClassAssertion(:L :a)",
    "ReflexiveObjectProperty": "ReflexiveObjectProperty(:s) SubObjectPropertyOf(:s :r) SameIndividual(:a :b)",
    "FunctionalObjectProperty": "FunctionalObjectProperty(:s) SubObjectPropertyOf(:s :r)"
    " ObjectPropertyAssertion(:s :a :e) ClassAssertion(ObjectSomeValuesFrom(:s ObjectOneOf(:b)) :a)",
}

_COMPOSITE_LINKS = {
    "TransitiveObjectProperty": "TransitiveObjectProperty(:r) ObjectPropertyAssertion(:r :a :m)"
    " ObjectPropertyAssertion(:r :m :b)",
    "ObjectPropertyChain": "SubObjectPropertyOf(ObjectPropertyChain(:s :t) :r) ObjectPropertyAssertion(:s :a :m)"
    " ObjectPropertyAssertion(:t :m :b)",
}

# Axioms that forbid the link, and similar ones that do not.
_FORBIDS = {
    "NegativeObjectPropertyAssertion": (
        "NegativeObjectPropertyAssertion(:r :a :b)",
        "NegativeObjectPropertyAssertion(:u :a :b)",
    ),
    "ObjectPropertyDomain": (
        "ObjectPropertyDomain(:r :D) ClassAssertion(ObjectComplementOf(:D) :a)",
        "ObjectPropertyDomain(:r :D) ClassAssertion(:D :a)",
    ),
    "ObjectPropertyRange": (
        "ObjectPropertyRange(:r :D) ClassAssertion(:E :b) DisjointClasses(:D :E)",
        "ObjectPropertyRange(:r :D) ClassAssertion(:E :b)",
    ),
    "ObjectAllValuesFrom": (
        "ClassAssertion(ObjectAllValuesFrom(:r :D) :a) ClassAssertion(ObjectComplementOf(:D) :b)",
        "ClassAssertion(ObjectAllValuesFrom(:r :D) :a) ClassAssertion(:E :b)",
    ),
    "SubObjectPropertyOf": (
        "SubObjectPropertyOf(:r :v) ClassAssertion(ObjectAllValuesFrom(:v ObjectComplementOf(ObjectOneOf(:b))) :a)",
        "SubObjectPropertyOf(:v :r) ClassAssertion(ObjectAllValuesFrom(:v ObjectComplementOf(ObjectOneOf(:b))) :a)",
    ),
}

_FORBIDS_SIMPLE = {
    "DisjointObjectProperties": (
        "DisjointObjectProperties(:r :v) ObjectPropertyAssertion(:v :a :b)",
        "DisjointObjectProperties(:w :v) ObjectPropertyAssertion(:v :a :b)",
    ),
    "AsymmetricObjectProperty": (
        "AsymmetricObjectProperty(:v) SubObjectPropertyOf(:r :v) ObjectPropertyAssertion(:v :b :a)",
        "AsymmetricObjectProperty(:v) SubObjectPropertyOf(:w :v) ObjectPropertyAssertion(:v :b :g)",
    ),
    "ObjectMaxCardinality": (
        "ClassAssertion(ObjectMaxCardinality(0 :r) :a)",
        "ClassAssertion(ObjectMaxCardinality(9 :r) :a)",
    ),
    "InverseFunctionalObjectProperty": (
        "InverseFunctionalObjectProperty(:v) SubObjectPropertyOf(:r :v) ObjectPropertyAssertion(:v :g :b)"
        " DifferentIndividuals(:a :g)",
        "InverseFunctionalObjectProperty(:v) ObjectPropertyAssertion(:v :g :b) DifferentIndividuals(:a :g)",
    ),
}

_VALUES = {
    "DataPropertyAssertion": 'DataPropertyAssertion(:d :a "7"^^xsd:integer)',
    "SubDataPropertyOf": 'SubDataPropertyOf(:s :d) DataPropertyAssertion(:s :a "7"^^xsd:integer)',
    "EquivalentDataProperties": 'EquivalentDataProperties(:d :s) DataPropertyAssertion(:s :a "7"^^xsd:integer)',
    "DataHasValue": 'SubClassOf(:L DataHasValue(:d "7"^^xsd:integer)) ClassAssertion(:L :a)',
    "DataOneOf": 'ClassAssertion(DataSomeValuesFrom(:d DataOneOf("7"^^xsd:integer)) :a)',
    "SameIndividual": 'SameIndividual(:a :b) DataPropertyAssertion(:d :b "7"^^xsd:integer)',
}

_FORBIDS_VALUE = {
    "NegativeDataPropertyAssertion": (
        'NegativeDataPropertyAssertion(:d :a "7"^^xsd:integer)',
        'NegativeDataPropertyAssertion(:d :a "8"^^xsd:integer)',
    ),
    "DataPropertyRange": ("DataPropertyRange(:d xsd:string)", "DataPropertyRange(:d xsd:decimal)"),
    "DataPropertyDomain": (
        "DataPropertyDomain(:d :D) ClassAssertion(ObjectComplementOf(:D) :a)",
        "DataPropertyDomain(:d :D) ClassAssertion(:D :a)",
    ),
    "DatatypeRestriction": (
        'ClassAssertion(DataAllValuesFrom(:d DatatypeRestriction(xsd:integer xsd:maxExclusive "7"^^xsd:integer)) :a)',
        'ClassAssertion(DataAllValuesFrom(:d DatatypeRestriction(xsd:integer xsd:maxInclusive "7"^^xsd:integer)) :a)',
    ),
    "DisjointDataProperties": (
        'DisjointDataProperties(:d :e) DataPropertyAssertion(:e :a "7"^^xsd:integer)',
        'DisjointDataProperties(:d :e) DataPropertyAssertion(:e :a "8"^^xsd:integer)',
    ),
    "FunctionalDataProperty": (
        'FunctionalDataProperty(:d) DataPropertyAssertion(:d :a "8"^^xsd:integer)',
        'FunctionalDataProperty(:d) DataPropertyAssertion(:d :a "07"^^xsd:integer)',
    ),
    "DataMaxCardinality": (
        "ClassAssertion(DataMaxCardinality(0 :d xsd:integer) :a)",
        "ClassAssertion(DataMaxCardinality(0 :d xsd:string) :a)",
    ),
    "HasKey": (
        'HasKey(owl:Thing () (:d)) DataPropertyAssertion(:d :k "7"^^xsd:integer) DifferentIndividuals(:a :k)',
        'HasKey(owl:Thing () (:d)) DataPropertyAssertion(:d :k "7"^^xsd:integer)',
    ),
}


def _pairs() -> Iterator[tuple[str, str]]:
    """The name of each case, and the case as a line of `cases.txt`."""
    for first, second in combinations(_KINDS, 2):
        yield from _nested(first, second)
    yield from _clashes(_LINKS, _FORBIDS | _FORBIDS_SIMPLE)
    yield from _clashes(_COMPOSITE_LINKS, _FORBIDS)
    yield from _clashes(_VALUES, _FORBIDS_VALUE)


def _nested(first: _Kind, second: _Kind) -> Iterator[tuple[str, str]]:
    """One expression below the other, with an individual that is in the first, and in or out of the second."""
    one, two = (_Kind(*(part.replace("%", n) for part in kind)) for kind, n in ((first, "1"), (second, "2")))
    name = f"{first.name}+{second.name}"
    yield name, f"inconsistent SubClassOf({one.expression} {two.expression}) {one.inside} {two.outside}"
    yield name, f"consistent SubClassOf({two.expression} {one.expression}) {two.inside} {one.inside}"


def _clashes(given: dict[str, str], forbidden: dict[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, premises in given.items():
        for other, (clash, harmless) in forbidden.items():
            yield f"{name}+{other}", f"inconsistent {premises} {clash}"
            yield f"{name}+{other}", f"consistent {premises} {harmless}"
