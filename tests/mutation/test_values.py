"""Random values: well-formed, within the requested limits, and reproducible."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.owl.datatypes import BUILT_IN_DATATYPES, is_well_formed
from kgprobe.owl.random_values import ANY_BOUNDS, Bounds, is_known, random_literal, random_value_for
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode

from .example_runner import EX, graph_of

_BEYOND_OWL = [XSD.date, XSD.time, XSD.gYear, XSD.duration]
_ALL = [*BUILT_IN_DATATYPES, *_BEYOND_OWL]
_NUMBERS = [
    *(XSD.decimal, XSD.double, XSD.float, XSD.integer, XSD.nonNegativeInteger, XSD.nonPositiveInteger),
    *(XSD.positiveInteger, XSD.negativeInteger, XSD.long, XSD.int, XSD.short, XSD.byte),
    *(XSD.unsignedLong, XSD.unsignedInt, XSD.unsignedShort, XSD.unsignedByte, OWL.real),
]
_TEXTS = [XSD.string, XSD.normalizedString, XSD.token, XSD.Name, XSD.NCName, XSD.NMTOKEN, XSD.anyURI, XSD.language]
_SEEDS = st.integers(0, 2**32)


def test_every_datatype_of_owl_is_known() -> None:
    assert [datatype for datatype in _ALL if not is_known(datatype)] == []


@given(st.sampled_from(_ALL), _SEEDS)
def test_a_value_is_well_formed(datatype: NamedNode, seed: int) -> None:
    literal = random_literal(datatype, Random(seed))
    assert literal is not None
    assert literal.datatype not in BUILT_IN_DATATYPES or is_well_formed(literal)
    assert literal == random_literal(datatype, Random(seed))


@pytest.mark.parametrize(
    ("datatype", "stands_for"),
    [(RDF.PlainLiteral, XSD.string), (RDFS.Literal, XSD.string), (OWL.real, XSD.decimal)],
)
def test_an_abstract_datatype_gives_literals_of_another(datatype: NamedNode, stands_for: NamedNode) -> None:
    literal = random_literal(datatype, Random(1))
    assert literal is not None
    assert literal.datatype == stands_for


def test_an_unknown_datatype_has_no_values() -> None:
    assert random_literal(NamedNode("urn:celsius"), Random(1)) is None


_LIMITS = st.one_of(st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6), st.just(math.inf), st.just(-math.inf))


@given(st.sampled_from(_NUMBERS), _LIMITS, _LIMITS, st.booleans(), st.booleans(), _SEEDS)
def test_a_number_is_within_its_limits(
    datatype: NamedNode, low: float, high: float, low_is_open: bool, high_is_open: bool, seed: int
) -> None:
    bounds = Bounds(low, high, low_is_open, high_is_open)
    literal = random_literal(datatype, Random(seed), bounds)
    if literal is None:
        return
    number = float(literal.value)
    assert is_well_formed(literal)
    assert number > low if low_is_open else number >= low
    assert number < high if high_is_open else number <= high


@given(st.integers(-(10**30), 10**30), st.integers(0, 5), _SEEDS)
def test_an_integer_is_found_wherever_one_exists(low: int, width: int, seed: int) -> None:
    literal = random_literal(XSD.integer, Random(seed), Bounds(low, low + width))
    assert literal is not None
    assert low <= int(literal.value) <= low + width


@given(st.sampled_from(_TEXTS), st.integers(0, 40), st.integers(0, 40), _SEEDS)
def test_a_text_has_the_required_length(datatype: NamedNode, shortest: int, longest: int, seed: int) -> None:
    literal = random_literal(datatype, Random(seed), Bounds(shortest=shortest, longest=longest))
    if literal is not None:
        assert is_well_formed(literal)
        assert shortest <= len(literal.value) <= longest
    elif datatype == XSD.string:
        assert longest < shortest


def test_the_length_of_texts_is_limited() -> None:
    assert random_literal(XSD.string, Random(1), Bounds(shortest=10**12)) is None


# -- by property -----------------------------------------------------------------------------------------------------


def _values(turtle: str, of: str = "p", seeds: int = 200) -> list[Literal | None]:
    graph = graph_of(turtle)
    return [random_value_for(graph, graph.key(NamedNode(EX + of)), Random(seed)) for seed in range(seeds)]


def _restricted(datatype: str, facets: str) -> str:
    return f":p rdfs:range [ a rdfs:Datatype ; owl:onDatatype {datatype} ; owl:withRestrictions ({facets}) ] ."


def _numbers(values: list[Literal | None]) -> set[float]:
    assert None not in values
    return {float(value.value) for value in values if value is not None}


def test_a_value_is_in_the_range_of_its_property() -> None:
    assert {value.datatype for value in _values(":p rdfs:range xsd:byte .") if value} == {XSD.byte}


def test_a_value_is_one_of_an_enumeration() -> None:
    values = _values(':p rdfs:range [ a rdfs:Datatype ; owl:oneOf ("on" "off" 3) ] .')
    assert set(values) == {Literal("on"), Literal("off"), Literal("3", datatype=XSD.integer)}


def test_a_value_is_within_facets() -> None:
    assert _numbers(_values(_restricted("xsd:integer", "[ xsd:minInclusive 3 ] [ xsd:maxExclusive 6 ]"))) == {3, 4, 5}
    lengths = {len(value.value) for value in _values(_restricted("xsd:string", "[ xsd:length 4 ]")) if value}
    assert lengths == {4}


def test_the_narrower_of_two_facets_counts() -> None:
    facets = "[ xsd:minInclusive 3 ] [ xsd:minExclusive 3 ] [ xsd:minInclusive 1 ] [ xsd:maxInclusive 4 ]"
    assert _numbers(_values(_restricted("xsd:integer", facets))) == {4}
    assert set(_values(_restricted("xsd:string", "[ xsd:maxLength 2 ] [ xsd:minLength 3 ]"))) == {None}


def test_large_whole_limits_keep_their_digits() -> None:
    limit = 2**60 + 1
    facets = f"[ xsd:minInclusive {limit} ] [ xsd:maxInclusive {limit} ]"
    values = _values(_restricted("xsd:long", facets))
    assert {value.value for value in values if value} == {str(limit)}


@pytest.mark.parametrize(
    "facet",
    [
        '[ xsd:pattern "[0-9]+" ]',
        '[ xsd:minInclusive "2020-01-01T00:00:00"^^xsd:dateTime ]',
        '[ xsd:minInclusive "NaN"^^xsd:double ]',
        '[ xsd:maxLength "INF"^^xsd:double ]',
        "[ xsd:minInclusive :here ]",
        f"[ xsd:minInclusive {10**400} ]",
    ],
)
def test_no_value_if_none_is_known_to_fit(facet: str) -> None:
    assert set(_values(_restricted("xsd:decimal", facet))) == {None}


def test_a_value_is_in_a_datatype_that_is_defined_by_others() -> None:
    turtle = """
        :p rdfs:range :percent .
        :percent a rdfs:Datatype ; owl:equivalentClass [ a rdfs:Datatype ; owl:onDatatype xsd:integer ;
          owl:withRestrictions ([ xsd:minInclusive 0 ] [ xsd:maxInclusive 2 ]) ] ."""
    assert _numbers(_values(turtle)) == {0, 1, 2}
    assert _numbers(_values(turtle, of="percent")) == {0, 1, 2}


def test_a_union_gives_values_of_all_its_members() -> None:
    values = _values(":p rdfs:range [ a rdfs:Datatype ; owl:unionOf (xsd:byte xsd:string) ] .")
    assert {value.datatype for value in values if value} == {XSD.byte, XSD.string}


def test_circular_definitions_terminate() -> None:
    turtle = ":p rdfs:range :a . :a owl:equivalentClass :b . :b owl:equivalentClass :a ."
    assert set(_values(turtle)) == {None}


def test_without_a_range_a_value_resembles_the_existing_ones() -> None:
    assert {value.datatype for value in _values(":x :p 2.5e0 . :y :p true .") if value} == {XSD.double, XSD.boolean}
    assert {value.datatype for value in _values(":x :q 1 .") if value} == {XSD.string}


def test_broken_ranges_are_ignored() -> None:
    assert set(_values(":p rdfs:range [ owl:oneOf [ rdf:first 1 ] ] .")) == {None}
    assert set(_values(":p rdfs:range [ owl:oneOf () ] .")) == {None}


def test_bounds_allow_everything_by_default() -> None:
    assert Bounds() == ANY_BOUNDS
