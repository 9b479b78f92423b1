"""Sets of literal values: by value space, not by datatype."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st
from queries.filters.random_conditions import MIXED

from kgprobe.owl.expression import Argument, Expression
from kgprobe.owl.value_sets import EVERYTHING, NOTHING, ValueSet
from kgprobe.queries.filters.condition_wording import data_range, in_words
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode

_LITERALS = [term for term in MIXED.terms if isinstance(term, Literal)]
_UNKNOWN = NamedNode("u:type")


def typed(text: str, datatype: str) -> Literal:
    return Literal(text, datatype=XSD[datatype])


def restricted(datatype: NamedNode, *facets: tuple[str, Literal]) -> Expression:
    return Expression("DatatypeRestriction", datatype, *(part for name, limit in facets for part in (XSD[name], limit)))


@pytest.mark.parametrize(
    ("data_range", "literal", "expected"),
    [
        (XSD.decimal, typed("3", "integer"), True),
        (XSD.integer, typed("3.0", "decimal"), True),
        (XSD.integer, typed("3.5", "decimal"), False),
        (XSD.integer, typed("3", "double"), False),
        (XSD.nonNegativeInteger, typed("-1", "integer"), False),
        (XSD.nonNegativeInteger, typed("5", "byte"), True),
        (XSD.byte, typed("300", "integer"), False),
        (OWL.real, Literal("1/3", datatype=OWL.rational), True),
        (XSD.decimal, Literal("1/3", datatype=OWL.rational), False),
        (XSD.decimal, Literal("1/4", datatype=OWL.rational), True),
        (XSD.float, typed("1", "double"), False),
        (XSD.double, typed("NaN", "double"), True),
        (XSD.dateTime, typed("2020-01-01T00:00:00Z", "dateTimeStamp"), True),
        (XSD.dateTimeStamp, typed("2020-01-01T00:00:00Z", "dateTime"), True),
        (XSD.dateTimeStamp, typed("2020-01-01T00:00:00", "dateTime"), False),
        (XSD.dateTime, typed("2020-01-01", "date"), False),
        (XSD.dateTime, typed("2021-02-29T00:00:00", "dateTime"), False),
        (XSD.string, typed("a", "token"), True),
        (XSD.token, Literal(" a"), False),
        (XSD.token, Literal("a b"), True),
        (XSD.NCName, Literal("a:b"), False),
        (XSD.string, Literal("a", language="en"), False),
        (RDF.PlainLiteral, Literal("a", language="en"), True),
        (XSD.anyURI, Literal("a"), False),
        (XSD.boolean, typed("1", "boolean"), True),
        (XSD.integer, typed("abc", "integer"), False),
        (RDFS.Literal, typed("abc", "integer"), False),
        (RDFS.Literal, Literal("x", datatype=_UNKNOWN), True),
        (_UNKNOWN, typed("3", "integer"), None),
        (XSD.integer, Literal("x", datatype=_UNKNOWN), None),
        (restricted(XSD.integer, ("minInclusive", Literal(3))), Literal(3), True),
        (restricted(XSD.integer, ("minExclusive", Literal(3))), Literal(3), False),
        (restricted(XSD.decimal, ("maxExclusive", Literal(3))), typed("2.99", "decimal"), True),
        (restricted(XSD.double, ("maxInclusive", typed("3", "double"))), typed("NaN", "double"), False),
        (restricted(XSD.string, ("maxLength", Literal(2))), Literal("abc"), False),
        (restricted(XSD.string, ("pattern", Literal("a+"))), Literal("b"), None),
        (restricted(XSD.string, ("pattern", Literal("a+"))), Literal(3), False),
        (Expression("DataOneOf", Literal(1), Literal("a")), typed("1.0", "decimal"), True),
        (Expression("DataOneOf", Literal(1), Literal("a")), Literal(2), False),
        (Expression("DataComplementOf", XSD.integer), Literal(1), False),
        (Expression("DataComplementOf", XSD.integer), Literal("a"), True),
        (Expression("DataComplementOf", XSD.integer), typed("abc", "integer"), False),
        (Expression("DataUnionOf", XSD.integer, XSD.string), Literal("a"), True),
        (Expression("DataIntersectionOf", XSD.integer, XSD.string), Literal("a"), False),
    ],
)
def test_membership_is_by_value(data_range: Argument, literal: Literal, expected: bool | None) -> None:
    assert ValueSet.of_range(data_range).contains(literal) is expected


def test_facets_of_points_in_time_follow_the_partial_order() -> None:
    since = ValueSet.of_range(restricted(XSD.dateTime, ("minInclusive", typed("2020-01-01T12:00:00Z", "dateTime"))))
    assert since.contains(typed("2020-01-01T12:00:00Z", "dateTime"))
    assert since.contains(typed("2020-01-01T13:00:00+01:00", "dateTime"))
    assert since.contains(typed("2020-01-01T12:59:59+01:00", "dateTime")) is False
    # Without a zone, it may be 14 hours earlier.
    assert since.contains(typed("2020-01-02T02:00:00", "dateTime")) is False
    assert since.contains(typed("2020-01-02T02:00:01", "dateTime"))


@pytest.mark.parametrize(
    ("data_range", "expected"),
    [
        (Expression("DataIntersectionOf", XSD.integer, XSD.string), True),
        (Expression("DataIntersectionOf", XSD.float, XSD.double), True),
        (Expression("DataIntersectionOf", XSD.float, XSD.decimal), True),
        (Expression("DataIntersectionOf", XSD.integer, XSD.decimal), False),
        (Expression("DataIntersectionOf", XSD.decimal, Expression("DataComplementOf", XSD.integer)), False),
        (Expression("DataIntersectionOf", XSD.byte, Expression("DataComplementOf", XSD.integer)), True),
        (Expression("DataIntersectionOf", XSD.token, Expression("DataComplementOf", XSD.string)), True),
        (Expression("DataIntersectionOf", XSD.integer, _UNKNOWN), None),
        (restricted(XSD.integer, ("minExclusive", Literal(3)), ("maxExclusive", Literal(4))), True),
        (restricted(XSD.decimal, ("minExclusive", Literal(3)), ("maxExclusive", Literal(4))), False),
        (restricted(XSD.integer, ("minInclusive", Literal(4)), ("maxInclusive", Literal(3))), True),
        (restricted(XSD.string, ("minLength", Literal(2)), ("maxLength", Literal(1))), True),
        (restricted(XSD.NCName, ("maxLength", Literal(0))), True),
        (restricted(XSD.string, ("maxLength", Literal(0))), False),
        (restricted(XSD.string, ("pattern", Literal("a+"))), None),
        (Expression("DataOneOf", typed("abc", "integer")), True),
        (RDFS.Literal, False),
    ],
)
def test_emptiness(data_range: Argument, expected: bool | None) -> None:
    assert ValueSet.of_range(data_range).is_empty is expected


def test_a_gap_between_neighbouring_floats_is_empty() -> None:
    for datatype, low, high in (("float", "1", "1.00000011920929"), ("double", "1", "1.0000000000000002")):
        facets = (("minExclusive", typed(low, datatype)), ("maxExclusive", typed(high, datatype)))
        assert ValueSet.of_range(restricted(XSD[datatype], *facets)).is_empty is True


def test_definitions_are_followed_and_circles_are_unknown() -> None:
    age, circle = NamedNode("u:age"), NamedNode("u:circle")
    definitions: dict[NamedNode, Argument] = {
        age: restricted(XSD.integer, ("minInclusive", Literal(0))),
        circle: circle,
    }
    assert ValueSet.of_range(age, definitions).contains(Literal(-1)) is False
    assert ValueSet.of_range(circle, definitions).is_empty is None


@pytest.mark.parametrize(
    ("data_range", "size"),
    [
        (XSD.boolean, 2),
        (XSD.byte, 256),
        (XSD.integer, None),
        (XSD.string, None),
        (_UNKNOWN, None),
        (restricted(XSD.integer, ("minInclusive", Literal(3)), ("maxExclusive", Literal(5))), 2),
        (Expression("DataOneOf", Literal(1), typed("1.0", "decimal"), Literal("a"), Literal("a", language="en")), 3),
        (Expression("DataIntersectionOf", XSD.integer, XSD.string), 0),
        (restricted(XSD.float, ("minInclusive", typed("-0", "float")), ("maxInclusive", typed("0", "float"))), 2),
    ],
)
def test_sizes(data_range: Argument, size: int | None) -> None:
    assert ValueSet.of_range(data_range).size() == size


def test_examples_are_simple_and_boundaries_have_two_sides() -> None:
    assert ValueSet.of_datatype(XSD.integer).examples(3) == (Literal(0), Literal(1), Literal(2))
    assert ValueSet.of_datatype(XSD.string).examples(1) == (Literal("a"),)
    adult = ValueSet.of_range(restricted(XSD.integer, ("minInclusive", Literal(18))))
    assert dict(adult.near()) == {Literal(17): False, Literal(18): True, Literal(19): True}
    narrow = ValueSet.of_range(
        restricted(XSD.decimal, ("minExclusive", typed("0.1", "decimal")), ("maxExclusive", typed("0.2", "decimal")))
    )
    assert narrow.examples(1) == (typed("0.15", "decimal"),)


def test_a_huge_minimum_length_has_no_examples_but_is_not_empty() -> None:
    huge = ValueSet.of_range(restricted(XSD.string, ("minLength", Literal(10**12))))
    assert huge.examples() == ()
    assert huge.is_empty is False


@pytest.mark.parametrize(
    ("data_range", "words"),
    [
        (XSD.nonNegativeInteger, "whole numbers from 0"),
        (
            restricted(XSD.integer, ("minInclusive", Literal(3)), ("maxInclusive", Literal(5))),
            "whole numbers from 3 to 5",
        ),
        (restricted(XSD.decimal, ("maxExclusive", Literal(5))), "numbers below 5"),
        (restricted(XSD.string, ("minLength", Literal(2))), "strings of at least 2 characters"),
        (Expression("DataOneOf", Literal("a"), Literal("b")), '"a" or "b"'),
        (XSD.double, "doubles"),
        (XSD.boolean, "truth values"),
        (RDFS.Literal, "any literal"),
        (Expression("DataIntersectionOf", XSD.integer, XSD.string), "no value"),
    ],
)
def test_words(data_range: Argument, words: str) -> None:
    assert in_words(ValueSet.of_range(data_range)) == words


# -- laws --------------------------------------------------------------------------------------------------------------

_DATATYPES = [XSD[name] for name in ("integer", "decimal", "float", "double", "string", "token", "NCName", "boolean")]
_DATATYPES += [XSD.dateTime, XSD.dateTimeStamp, XSD.anyURI, RDF.langString, OWL.rational, OWL.real, RDFS.Literal]
_NUMBERS = [
    literal for literal in _LITERALS if literal.datatype in (XSD.integer, XSD.decimal) and literal.value != "abc"
]
_BOUNDS = ("minInclusive", "minExclusive", "maxInclusive", "maxExclusive")
_simple: st.SearchStrategy[Argument] = st.one_of(
    st.sampled_from(_DATATYPES),
    st.lists(st.sampled_from(_LITERALS), min_size=1, max_size=3).map(lambda found: Expression("DataOneOf", *found)),
    st.builds(
        lambda datatype, name, limit: restricted(datatype, (name, limit)),
        st.sampled_from([XSD.integer, XSD.decimal, OWL.real]),
        st.sampled_from(_BOUNDS),
        st.sampled_from(_NUMBERS),
    ),
    st.builds(
        lambda name, limit: restricted(XSD.dateTime, (name, limit)),
        st.sampled_from(_BOUNDS),
        st.sampled_from([literal for literal in _LITERALS if literal.datatype == XSD.dateTime]),
    ),
    st.builds(
        lambda name, limit: restricted(XSD.string, (name, Literal(limit))),
        st.sampled_from(["length", "minLength", "maxLength"]),
        st.integers(0, 3),
    ),
)
ranges = st.recursive(
    _simple,
    lambda inner: st.one_of(
        inner.map(lambda each: Expression("DataComplementOf", each)),
        st.builds(lambda a, b: Expression("DataIntersectionOf", a, b), inner, inner),
        st.builds(lambda a, b: Expression("DataUnionOf", a, b), inner, inner),
    ),
    max_leaves=5,
)


def _both(left: bool | None, right: bool | None) -> bool | None:
    return False if False in (left, right) else None if None in (left, right) else True


@given(ranges, ranges, st.sampled_from(_LITERALS))
def test_sets_combine_as_their_members_do(a: Argument, b: Argument, literal: Literal) -> None:
    left, right = ValueSet.of_range(a), ValueSet.of_range(b)
    if EVERYTHING.contains(literal) is not True:
        return
    inside = left.contains(literal), right.contains(literal)
    opposite = tuple(None if each is None else not each for each in inside)
    if literal.datatype != _UNKNOWN:
        assert (~left).contains(literal) is opposite[0]
        assert (left & right).contains(literal) is _both(*inside)
        union = _both(*opposite)
        assert (left | right).contains(literal) is (None if union is None else not union)
    assert (left & ~left).is_empty is not False
    assert not left.is_exact or (left & ~left).is_empty


@given(ranges)
def test_what_a_set_says_of_itself_is_true(data_range: Argument) -> None:
    values = ValueSet.of_range(data_range)
    examples = values.examples()
    assert all(values.contains(literal) for literal in examples)
    assert values.is_empty is not True or not any(values.contains(literal) for literal in _LITERALS)
    assert not examples or values.is_empty is False
    assert all(values.contains(literal) is inside for literal, inside in values.near())
    size = values.size()
    inside = {literal for literal in _LITERALS if values.contains(literal) and literal.datatype != XSD.float}
    counted = ValueSet.of_literals(inside).size()
    assert size is None or counted is None or size >= counted


@given(ranges)
def test_a_set_and_its_data_range_have_the_same_values(stated: Argument) -> None:
    values = ValueSet.of_range(stated)
    written = data_range(values)
    if written is None:
        return
    again = ValueSet.of_range(written)
    for literal in _LITERALS:
        assert again.contains(literal) is values.contains(literal), (literal, written)


@pytest.mark.parametrize("datatype", _DATATYPES)
def test_a_datatype_is_written_by_its_name(datatype: NamedNode) -> None:
    assert data_range(ValueSet.of_datatype(datatype)) == datatype


def test_simple_sets_have_simple_data_ranges() -> None:
    adult = restricted(XSD.integer, ("minInclusive", Literal(18)))
    assert data_range(ValueSet.of_range(adult)) == adult
    assert data_range(~ValueSet.of_datatype(XSD.integer)) == Expression("DataComplementOf", XSD.integer)
    assert data_range(NOTHING) == Expression("DataComplementOf", RDFS.Literal)
    assert data_range(ValueSet.of_datatype(_UNKNOWN)) is None
    listed = [Literal("a"), Literal("b")]
    assert data_range(reduce(ValueSet.__or__, (ValueSet.of_literals([each]) for each in listed))) == Expression(
        "DataOneOf", *listed
    )
