"""Expressions as SPARQL: for people, and in full for an engine."""

from __future__ import annotations

import pytest
from support.sparql_text import without_places

from kgprobe.sparql.algebra import Expression, Filter, QueryTree, text_in_full, text_of
from kgprobe.sparql.documents import read_document


def _condition(text: str) -> Expression:
    [query] = read_document(f"PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ASK {{ FILTER({text}) }}").operations
    assert isinstance(query, QueryTree)
    assert query.where is not None
    [element] = query.where.elements
    assert isinstance(element, Filter)
    return element.condition


_TEXTS = [
    "(?a = 1) && (?b < 2.5) && (?c != ?d)",
    "((?a + 1) * 2) >= -?b",
    "!((?a = ?b) || BOUND(?c))",
    "!(?a IN (1, 2)) && ?b NOT IN (?a)",
    "(?a = ?b) = (?c = ?d)",
    'sameTerm(?a, "x"@en) || isIRI(?b) || langMatches(LANG(?c), "*")',
    '"2000-01-01"^^xsd:date < xsd:date(?a)',
    "<urn:f>(?a, <urn:x>)",
    "1 - (2 - 3) - -4",
]


@pytest.mark.parametrize("text", _TEXTS)
def test_what_people_read_is_the_expression(text: str) -> None:
    condition = _condition(text)
    assert without_places(_condition(text_of(condition))) == without_places(condition)
    assert without_places(_condition(text_in_full(condition))) == without_places(condition)


@pytest.mark.parametrize("text", _TEXTS[:6])
def test_people_read_short_forms(text: str) -> None:
    assert text_of(_condition(text)) == text


@pytest.mark.parametrize("text", ["EXISTS { ?a ?b ?c }", "1 + NOT EXISTS { ?a ?b ?c }"])
def test_an_engine_cannot_evaluate_a_group_alone(text: str) -> None:
    condition = _condition(text)
    assert "EXISTS {…}" in text_of(condition)
    with pytest.raises(ValueError, match="Exists"):
        text_in_full(condition)
