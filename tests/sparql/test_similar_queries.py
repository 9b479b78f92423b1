"""Similar queries are parsed once, with the same result as if each had been parsed."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.sparql.reading import read_query
from kgprobe.sparql.similar_queries import SimilarQueryReader

PREFIXES = {"obo": "http://purl.obolibrary.org/obo/", "rdfs": "http://www.w3.org/2000/01/rdf-schema#"}
NAMES = st.builds("obo:{}_{:03}".format, st.sampled_from(["GO", "HP"]), st.integers(0, 5))
TEMPLATES = st.sampled_from(
    [
        "SELECT ?x WHERE {{ ?x rdfs:subClassOf* {0} ; {1} ?y FILTER(?y IN ({0}, {2})) }}",
        "SELECT ?x WHERE {{ ?x {0}/{1}+ {2} FILTER NOT EXISTS {{ {0} ?p ?x }} }}",
        "# obo:GO_001 is in a comment\nSELECT ?x WHERE {{ VALUES ?x {{ {0} {1} }} ?x rdfs:label ?l FILTER(?x = {2}) }}",
        "PREFIX obo: <urn:other:> ASK {{ {0} !({1}|^{2}) ?x }}",
        'SELECT * WHERE {{ {0} rdfs:label "obo:GO_001" . {1} ({0}|{2})* ?x }}',
        "SELECT * WHERE {{ {0} rdfs:label ?l FILTER(?l != 'a' && STRLEN(?l) > 3) . {1} a {2} }}",
        "SELECT * WHERE {{ {0} a <http://purl.obolibrary.org/obo/GO_001> . {2} ?p {1} }}",
        "CONSTRUCT {{ {0} a {1} }} WHERE {{ {2} a ?x OPTIONAL {{ ?x a {0} FILTER(isIRI(?x) || ?x = {1}) }} }}",
        "DESCRIBE {0} {1} {2}",
        r"SELECT * WHERE {{ {1} rdfs:label 'it\'s {0}' . {2} ?p ?o }}",
        'SELECT * WHERE {{ {1} rdfs:label """a "{0}" b""" . {2} ?p ?o }}',
    ]
)


@settings(max_examples=200)
@given(template=TEMPLATES, choices=st.lists(st.tuples(NAMES, NAMES, NAMES), min_size=1, max_size=6))
def test_similar_queries_have_the_result_of_reading_each(template: str, choices: list[tuple[str, str, str]]) -> None:
    reader = SimilarQueryReader(PREFIXES)
    for names in choices:
        text = template.format(*names)
        alike, read = reader.read(text), read_query(text, "<query>", PREFIXES)
        assert (alike.uses, alike.patterns, alike.terms) == (read.uses, read.patterns, read.terms)
        assert (alike.form, alike.prefixes, alike.unseen, alike.notes) == (
            read.form,
            read.prefixes,
            read.unseen,
            read.notes,
        )


def test_the_second_of_two_similar_queries_is_not_parsed() -> None:
    reader = SimilarQueryReader(PREFIXES)
    first, second = (reader.read(f"SELECT ?x WHERE {{ ?x rdfs:subClassOf obo:GO_{n:07} }}") for n in (1, 2))
    assert len(reader._known) == 1
    assert first.uses != second.uses
