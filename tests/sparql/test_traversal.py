"""Walks through the algebra: what they visit, in which order, and what they leave out."""

from __future__ import annotations

from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql.algebra import Call, Filter, Group, QueryTree
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.traversal import elements_within, expressions_in, inner_groups, triples_within, variables_in

_QUERY = """SELECT * WHERE {
  ?x <p:1> ?y
  OPTIONAL { ?x <p:2> ?y }
  { ?x <p:3> ?y } UNION { ?x <p:4> ?y { ?x <p:5> ?y } }
  MINUS { ?x <p:6> ?y }
  GRAPH ?g { ?x <p:7> ?y }
  FILTER(?x != ?y && NOT EXISTS { ?x <p:8> ?y FILTER EXISTS { ?x <p:9> ?y } })
  BIND(EXISTS { ?x <p:10> ?y } AS ?b)
  { SELECT ?x WHERE { ?x <p:11> ?y } }
  SERVICE <s:1> { ?x <p:12> ?y }
}"""


def _predicates(text: str) -> list[str]:
    triples = triples_within(read_document(text).operations)
    return [triple.predicate.value for triple in triples if isinstance(triple.predicate, NamedNode)]


def test_all_triples_but_those_of_service_are_visited_in_the_order_of_the_text() -> None:
    assert _predicates(_QUERY) == [f"p:{number}" for number in range(1, 12)]


def test_the_templates_of_a_query_or_an_update_come_first() -> None:
    assert _predicates("CONSTRUCT { ?x <p:1> ?y } WHERE { ?x <p:2> ?y }") == ["p:1", "p:2"]
    assert _predicates("DELETE { ?x <p:1> ?y } INSERT { ?x <p:2> ?y } WHERE { ?x <p:3> ?y }") == ["p:1", "p:2", "p:3"]


def test_the_groups_directly_in_an_element() -> None:
    (query,) = read_document(_QUERY).operations
    assert isinstance(query, QueryTree)
    assert query.where is not None
    counts = [len(list(inner_groups(element))) for element in query.where.elements]
    assert counts == [0, 1, 2, 1, 1, 1, 1, 1, 0]
    assert sum(isinstance(element, Group) for element in elements_within([query])) == 2


def test_expressions_come_before_their_parts_and_groups_are_left_out() -> None:
    (query,) = read_document("ASK { FILTER(?a + 1 < ABS(?b) || EXISTS { ?c ?d ?e }) }").operations
    condition = next(element.condition for element in elements_within([query]) if isinstance(element, Filter))  # type: ignore[list-item]
    assert [expression.name for expression in expressions_in(condition) if isinstance(expression, Call)] == [
        "||",
        "<",
        "+",
        "ABS",
    ]
    assert [variable.name for variable in variables_in(condition)] == ["a", "b"]
