"""Graph files become tables: which terms, which facts, and in which order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.shared_data import graph_files, needs_shared_data, shared, thinned

from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.questions.facts.loading import Progress, open_facts
from kgprobe.rdf.terms import BlankNode
from questions.fact_tables import facts_in

_TABLES = ("terms", "facts", "same", "edges", "names", "aliases", "unusable", "labels")


def test_all_terms_keep_their_exact_form(tmp_path: Path) -> None:
    file = tmp_path / "graph.ttl"
    file.write_text(
        r"""
@prefix : <http://example.org/> .
:é :p "01"^^<http://www.w3.org/2001/XMLSchema#integer>, "1.00" .
:é :p "a\u0000\u0001\"\\\n\r\t\b\f\\n\uFFFF\u0600"@en-GB, "", "x\"@en" .
:s :p "😀 \u200d" , _:b , "\"^^<y>"^^<http://example.org/type#é> , "\u0600"^^:t .
""",
        encoding="utf-8",
    )
    facts = open_facts([file])
    terms = {id_: facts.term(id_) for (id_,) in facts.sql("SELECT id FROM terms")}
    assert sorted(terms) == list(range(len(terms)))
    stored = {(terms[s], terms[p], terms[o]) for s, p, o in facts.sql("SELECT * FROM facts")}
    assert stored == {tuple(triple) for triple in load(file).graph}


def test_ids_follow_the_first_use_whatever_the_size_of_the_parts(tmp_path: Path) -> None:
    file = tmp_path / "graph.nt"
    lines = (f"<x:{n * 7 % 50}> <x:p{n % 3}> <x:{n * 11 % 60}> .\n" for n in range(300))
    file.write_text("".join(lines), encoding="utf-8")
    whole, parts = open_facts([file]), open_facts([file], part=7)
    for table in _TABLES:
        assert whole.sql(f"FROM {table} ORDER BY ALL") == parts.sql(f"FROM {table} ORDER BY ALL")
    assert whole.sql("SELECT text FROM terms ORDER BY id LIMIT 4") == [("x:0",), ("x:p0",), ("x:7",), ("x:p1",)]


def test_blank_nodes_of_two_files_differ_and_have_the_same_labels_each_time(tmp_path: Path) -> None:
    for name in ("one.ttl", "two.ttl"):
        (tmp_path / name).write_text("_:b0 <x:p> [ <x:q> _:b0 , [] ] .", encoding="utf-8")
    facts, again = (open_facts([tmp_path]) for _ in range(2))
    assert facts.sql("FROM terms ORDER BY id") == again.sql("FROM terms ORDER BY id")
    assert facts.sql("SELECT text, extra FROM terms WHERE kind = 1 ORDER BY extra, text") == [
        ("b0", "0"),
        ("b1", "0"),
        ("b2", "0"),
        ("b0", "1"),
        ("b1", "1"),
        ("b2", "1"),
    ]
    assert isinstance(facts.term(facts.value("SELECT min(id) FROM terms WHERE kind = 1")), BlankNode)
    assert facts.value("SELECT count(*) FROM facts") == 6


def test_edges_are_about_things_each_by_its_representative() -> None:
    facts = facts_in("""
:a a :City, owl:NamedIndividual ; rdfs:label "A" ; :near :b, "x" ; owl:sameAs _:z .
:c owl:sameAs _:z, :d . _:z :near :c .
:near rdfs:domain :City ; rdfs:label "near" . :City rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :near ] .
""")
    shown = {tuple(facts.term(n).value.rpartition("/")[2] for n in row) for row in facts.sql("SELECT * FROM edges")}
    assert shown == {("a", "22-rdf-syntax-ns#type", "City"), ("a", "near", "b"), ("a", "near", "x"), ("a", "near", "a")}


def test_a_long_chain_of_same_things_has_one_representative(tmp_path: Path) -> None:
    file = tmp_path / "chain.nt"
    same = "<http://www.w3.org/2002/07/owl#sameAs>"
    pairs = ((n * 617 % 1000, (n + 1) * 617 % 1000) for n in range(999))
    file.write_text("".join(f"<x:{a}> {same} <x:{b}> .\n" for a, b in pairs), encoding="utf-8")
    facts = open_facts([file])
    assert facts.sql("SELECT count(*), count(DISTINCT rep), min(rep) FROM same") == [(999, 1, 0)]


@pytest.mark.parametrize("name", ["g.ttl", "g.nq", "g.trig", "g.rdf", "g.jsonld", "g.ofn", "g.omn", "g.obo", "g.tsv"])
def test_every_format_is_read(tmp_path: Path, name: str) -> None:
    texts = {
        "g.ttl": "<x:a> <x:p> <x:b> .",
        "g.nq": "<x:a> <x:p> <x:b> .\n<x:a> <x:p> <x:c> <x:g> .",
        "g.trig": "<x:a> <x:p> <x:b> .",
        "g.rdf": '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="x:">'
        '<r:Description r:about="x:a"><x:p r:resource="x:b"/></r:Description></r:RDF>',
        "g.jsonld": '{"@id": "x:a", "x:p": {"@id": "x:b"}}',
        "g.ofn": "Prefix(:=<x:>) Ontology(ObjectPropertyAssertion(:p :a :b))",
        "g.omn": "Prefix: : <x:>\nOntology: <x:o>\nObjectProperty: :p\nIndividual: :a\n  Facts: :p :b\nIndividual: :b",
        "g.obo": "format-version: 1.2\nontology: o\n\n[Term]\nid: X:1\nname: one\n",
        "g.tsv": "x:a\tx:p\tx:b\n",
    }
    file = tmp_path / name
    file.write_text(texts[name], encoding="utf-8")
    facts = open_facts([file])
    terms = {id_: facts.term(id_) for (id_,) in facts.sql("SELECT id FROM terms")}
    stored = {(terms[s], terms[p], terms[o]) for s, p, o in facts.sql("SELECT * FROM facts")}
    assert stored
    assert stored == {tuple(triple) for triple in load(file).graph}
    assert bool(facts.notes) == (name == "g.nq")


def test_a_malformed_file_is_one_line_with_file_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "bad.nt"
    file.write_text("<x:a> <x:p> <x:b> .\n" * 30 + "<x:a> <x:p> .\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"bad\.nt:31:\d+: "):
        open_facts([file], part=10)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonld", '{"@id": "x:a", "x:p": {"@value": "b", "@language": "en", "@direction": "ltr"}}'),
        ("a.nt", '<x:a> <x:p> "b"@en--rtl .'),
        ("a.nt", "<x:a> <x:p> <<( <x:a> <x:p> <x:b> )>> ."),
    ],
)
def test_rdf_1_2_is_refused_as_in_memory(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as expected:
        load(file)
    with pytest.raises(InputError) as found:
        open_facts([file])
    assert str(found.value) == str(expected.value)


def test_progress_counts_files_and_triples(tmp_path: Path) -> None:
    for name in ("a.nt", "b.nt"):
        (tmp_path / name).write_text("".join(f"<x:a> <x:p> <x:{n}> .\n" for n in range(5)), encoding="utf-8")
    seen: list[Progress] = []
    open_facts([tmp_path], part=4, on_progress=seen.append)
    assert [(each.loaded, each.triples) for each in seen if each.step == "the triples"] == [
        (0, 4),
        (1, 5),
        (1, 9),
        (2, 10),
    ]


def test_a_folder_without_graphs_and_a_missing_file_are_input_errors(tmp_path: Path) -> None:
    (tmp_path / "readme.md").write_text("no graph", encoding="utf-8")
    with pytest.raises(InputError, match="has no graph files"):
        open_facts([tmp_path])
    with pytest.raises(InputError, match="no such file"):
        open_facts([tmp_path / "missing.ttl"])


@needs_shared_data
@pytest.mark.parametrize(
    "name", thinned([name for name in graph_files() if shared(name).stat().st_size < 100_000][::6])
)
def test_real_graphs_have_the_same_triples_as_in_memory(name: str) -> None:
    try:
        expected = {tuple(triple) for triple in load(shared(name)).graph}
    except InputError as error:
        with pytest.raises(InputError, match=re.escape(str(error))):
            open_facts([shared(name)])
        return
    with open_facts([shared(name)]) as facts:
        terms = {id_: facts.term(id_) for (id_,) in facts.sql("SELECT id FROM terms")}
        assert {(terms[s], terms[p], terms[o]) for s, p, o in facts.sql("SELECT * FROM facts")} == expected
