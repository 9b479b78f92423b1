"""Rows of tables that a change of the ontology changes, and the reasons that name them."""

from __future__ import annotations

import pytest

from kgprobe.config.warehouse import load_warehouse, warehouse_in
from kgprobe.entailment.rules import Regime
from kgprobe.errors import InputError
from kgprobe.formats.files import read_graph
from kgprobe.rdf.diff import aligned
from kgprobe.selection.discovery.sql_files import SQL, SqlTexts
from kgprobe.selection.plan import safe_plan
from kgprobe.selection.sql.catalogue import Catalogue
from kgprobe.selection.tests import Suite, TablesUse, Test
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.selection.warehouse.profile import Warehouse

ONTOLOGY = """
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
obo:part_of a owl:ObjectProperty ; rdfs:label "part of" .
obo:X_1 a owl:Class ; rdfs:label "cell" ; oio:created_by "ann" .
obo:X_2 a owl:Class ; rdfs:label "membrane" ; oio:hasExactSynonym "skin" ;
  rdfs:subClassOf [ a owl:Restriction ; owl:onProperty obo:part_of ; owl:someValuesFrom obo:X_1 ] .
obo:X_3 a owl:Class ; rdfs:label "raft" ; rdfs:subClassOf obo:X_2 .
obo:X_4 a owl:Class ; rdfs:label "wall" .
"""
PROFILE = """
[warehouse]
data = ["facts"]
[warehouse.tables.term]
rows = "terms"
columns = { id = "term key", acc = "term", name = "rdfs:label" }
[warehouse.tables.path]
rows = "closure"
columns = { upper = "upper", lower = "term", relation = "relation", n = "distance" }
one-property = true
transitive = ["part_of"]
[warehouse.tables.synonym]
rows = "annotations"
over = ["oboInOwl:hasExactSynonym"]
columns = { term_id = "term key", text = "value" }
[warehouse.tables.tree]
rows = "paths"
over = ["rdfs:subClassOf", "part_of"]
names = "label"
columns = { path = "path", code = "term", name = "term label", level = "level" }
[warehouse.tables.answers]
rows = "select"
query = "SELECT ?label WHERE { ?x rdfs:subClassOf ?y ; rdfs:label ?label . FILTER(ISIRI(?y)) }"
columns = { label = "?label" }
"""
CHANGES = {
    "renamed": ('"cell"', '"a cell"'),
    "moved": ("someValuesFrom obo:X_1", "someValuesFrom obo:X_4"),
    "annotated": ('"ann"', '"bob"'),
    "another synonym": ('"skin"', '"coat"'),
    "a property is renamed": ('"part of"', '"located in"'),
    "another edge": ("obo:X_3 a", "obo:X_3 rdfs:subClassOf obo:X_4 . obo:X_3 a"),
}
STATEMENTS = {
    "name": "SELECT name FROM term WHERE acc = 'X:1'",
    "other name": "SELECT name FROM term WHERE acc = 'X:4'",
    "accs": "SELECT acc FROM term",
    "above": "SELECT upper FROM path WHERE lower = 'X:3'",
    "above by is_a": "SELECT upper FROM path WHERE lower = 'X:3' AND relation = 'is_a'",
    "names above": "SELECT t.name FROM path p JOIN term t ON t.acc = p.upper WHERE p.lower = 'X:3'",
    "below": "SELECT count(*) FROM path WHERE upper = 'X:1'",
    "facts below": "SELECT count(*) FROM facts f JOIN path p ON p.lower = f.code WHERE p.upper = 'X:4'",
    "synonyms": "SELECT s.text FROM synonym s JOIN term t ON t.id = s.term_id WHERE t.name = 'membrane'",
    "tree": "SELECT code FROM tree WHERE path LIKE '\\cell\\%'",
    "names in the tree": "SELECT name FROM tree WHERE level = 1",
    "answers": "SELECT count(*) FROM answers WHERE label = 'raft'",
    "walk": """WITH RECURSIVE up(acc) AS (SELECT upper FROM path WHERE lower = 'X:3'
        UNION SELECT p.upper FROM path p JOIN up ON up.acc = p.lower) SELECT acc FROM up""",
}
EXPECTED = {
    "renamed": {"name", "names above", "tree", "names in the tree"},
    "moved": {"above", "names above", "below", "facts below", "tree", "walk"},
    "annotated": set(),
    "another synonym": {"synonyms"},
    "another edge": {"above", "above by is_a", "names above", "names in the tree", "facts below", "answers", "walk"},
}


def _plan(change: str, profile: Warehouse | None, more: str = "") -> dict[str, str]:
    """The selected statements, each with its first reason."""
    old, new = CHANGES[change]
    assert old in ONTOLOGY
    graphs = (read_graph(text.encode()) for text in (ONTOLOGY + more, ONTOLOGY.replace(old, new) + more))
    versions = aligned(*graphs)
    described = warehouse_in(PROFILE, "p")
    texts = SqlTexts(Vocabulary.of(versions.new, versions.old), Catalogue.of(stored=described.relations), "sqlite")
    tests = []
    for name, text in STATEMENTS.items():
        reading = texts.read(text)
        tests.append(Test(name, SQL, reading.uses, reading.unseen))
    plan = safe_plan(versions, Suite(tuple(tests)), Regime.NONE, warehouse=profile)
    return {each.test.name: str(each.because[0]) for each in plan.chosen}


@pytest.mark.parametrize("change", EXPECTED)
def test_statements_that_see_a_changed_row_are_selected(change: str) -> None:
    assert set(_plan(change, warehouse_in(PROFILE, "p"))) == EXPECTED[change]


@pytest.mark.parametrize("change", EXPECTED)
def test_without_a_profile_more_are_selected(change: str) -> None:
    assert EXPECTED[change] <= set(_plan(change, None))


def test_the_reason_names_the_row_and_the_axiom() -> None:
    said = _plan("moved", warehouse_in(PROFILE, "p"))["below"]
    assert said.startswith("path loses a row (upper 'X:1'), because - ")
    assert said.endswith("owl:someValuesFrom X:1 'cell'; line 1 reads it")


def test_a_table_with_too_many_paths_may_change_in_any_row() -> None:
    """Ten layers of two classes each, all of them below all of the layer above: 1,024 paths to the last ones."""
    layers = "".join(
        f"obo:L{layer}{side} a owl:Class ; rdfs:subClassOf obo:L{layer - 1}a , obo:L{layer - 1}b .\n"
        for layer in range(1, 11)
        for side in "ab"
    )
    above = "obo:L0a rdfs:subClassOf obo:X_3 . obo:L0b rdfs:subClassOf obo:X_3 .\n"
    plan = _plan("moved", warehouse_in(PROFILE, "p"), layers + above)
    assert set(plan) == EXPECTED["moved"] | {"names in the tree"}
    assert plan["tree"].startswith("any row of tree may change, because - ")


def test_what_a_profile_does_not_describe_is_always_selected() -> None:
    said = _plan("annotated", load_warehouse("labels"))
    assert set(said) == set(STATEMENTS)
    assert said["accs"].endswith(
        "the warehouse profile labels has no table 'term': describe it, or add it to 'data' (line 1)"
    )


def test_an_unknown_column_is_said() -> None:
    said = _plan("annotated", warehouse_in(PROFILE.replace('acc = "term", ', ""), "p"))
    assert "does not say what the column term.acc holds" in said["accs"]


FLAGS = """
[warehouse.tables.flags]
rows = "terms"
columns = { acc = "term", gone = "owl:deprecated", maker = "oboInOwl:created_by" }
[warehouse.tables.kinds]
rows = "annotations"
over = ["oboInOwl:hasExactSynonym", "oboInOwl:hasBroadSynonym"]
columns = { acc = "term", kind = "property", text = "value" }
[warehouse.tables.pairs]
rows = "select"
query = "SELECT ?x ?y WHERE { ?x rdfs:subClassOf ?y FILTER(ISIRI(?y)) }"
columns = { lower = "?x", upper = "?y" }
"""


@pytest.mark.parametrize(
    ("old", "new", "statement"),
    [
        ("obo:X_4 a", "obo:X_4 owl:deprecated true . obo:X_4 a", "SELECT count(*) FROM flags WHERE gone = 1"),
        ("obo:X_4 a", "obo:X_4 owl:deprecated true . obo:X_4 a", "SELECT count(*) FROM flags WHERE gone = 'false'"),
        ("obo:X_4 a", "obo:X_4 owl:deprecated true . obo:X_4 a", "SELECT count(*) FROM flags WHERE gone = 'J'"),
        ('"ann"', '"bob"', "SELECT acc FROM flags WHERE maker = 'somebody'"),
        ('"skin"', '"coat"', "SELECT text FROM kinds WHERE kind = 'EXACT'"),
        ("obo:X_3 a", "obo:X_3 rdfs:subClassOf obo:X_4 . obo:X_3 a", "SELECT lower FROM pairs WHERE upper = 'X:4'"),
        (
            "obo:X_3 a",
            "obo:X_3 rdfs:subClassOf obo:X_4 . obo:X_3 a",
            "SELECT p.upper FROM kinds k JOIN pairs p ON p.lower = k.acc WHERE k.acc = 'X:2'",
        ),
    ],
)
def test_a_text_that_no_value_has_may_be_a_code_of_the_loader(old: str, new: str, statement: str) -> None:
    warehouse = warehouse_in(PROFILE + FLAGS, "p")
    versions = aligned(*(read_graph(text.encode()) for text in (ONTOLOGY, ONTOLOGY.replace(old, new))))
    schema = "CREATE TABLE flags (acc TEXT, gone INTEGER, maker TEXT);"
    schema += "CREATE TABLE kinds (acc TEXT, kind TEXT, text TEXT);"
    schema += "CREATE TABLE pairs (lower TEXT, upper TEXT)"
    texts = SqlTexts(Vocabulary.of(versions.new, versions.old), Catalogue.of([("s.sql", schema)]), "sqlite")
    plans = [
        safe_plan(versions, Suite((Test("test", SQL, texts.read(text).uses),)), Regime.NONE, warehouse=warehouse)
        for text in (statement, "SELECT text FROM kinds WHERE kind = 'hasBroadSynonym'")
    ]
    assert [len(plan.chosen) for plan in plans] == [1, 0]


@pytest.mark.parametrize(
    ("regime", "seen"),
    [("none", {"kinds of i"}), ("rdfs", {"kinds of i", "kinds of j"}), ("rl", {"kinds of i", "kinds of j"})],
)
def test_the_regime_of_the_profile_counts(regime: str, seen: set[str]) -> None:
    """A loader that infers sees the range of a property as the kind of an individual."""
    profile = warehouse_in(
        f"""[warehouse]
identifiers = "local-name"
regime = "{regime}"
[warehouse.tables.kinds]
rows = "edges"
over = ["rdf:type"]
columns = {{ thing = "term", kind = "upper" }}
""",
        "p",
    )
    text = """@prefix : <urn:x:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :i :p :j ; a :Old . :A rdfs:subClassOf :B ."""
    versions = aligned(read_graph(text.encode()), read_graph(f"{text} :p rdfs:range :Kind . :i a :New .".encode()))
    texts = SqlTexts(Vocabulary.of(versions.new, versions.old), Catalogue.of(stored=profile.relations), "sqlite")
    tests = []
    for name in "ij":
        reading = texts.read(f"SELECT kind FROM kinds WHERE thing = '{name}'")  # noqa: S608 - a test reads it
        tests.append(Test(f"kinds of {name}", SQL, reading.uses, reading.unseen))
    plan = safe_plan(versions, Suite(tuple(tests)), Regime.NONE, warehouse=profile)
    assert {each.test.name for each in plan.chosen} == seen
    assert all("kinds gains a row" in str(each.because[0]) for each in plan.chosen)


def test_a_name_in_another_form_than_the_profile_says_is_doubted() -> None:
    said = _plan("annotated", warehouse_in(PROFILE.replace('acc = "term"', 'acc = "term iri"'), "p"))
    assert said["name"].endswith("says that term.acc names terms by iri, but 'X:1' is the curie of a term (line 1)")


@pytest.mark.parametrize("said", ["partof", "BFO:0000050"])
def test_a_property_that_neither_version_has_is_a_mistake(said: str) -> None:
    with pytest.raises(InputError, match=f"names a property '{said}', which neither version has"):
        _plan("moved", warehouse_in(PROFILE.replace('"part_of"', f'"{said}"'), "p"))


def test_a_property_may_be_named_by_the_label_that_it_had() -> None:
    selected = _plan("a property is renamed", warehouse_in(PROFILE.replace('"part_of"', '"part of"'), "p"))
    assert "name" not in selected


@pytest.mark.parametrize("statement", ["SELECT count(*) FROM kept", "SELECT upper FROM kept WHERE lower = 'X:3'"])
def test_a_pair_may_have_a_row_or_not_if_its_upper_term_is_left_out(statement: str) -> None:
    profile = """[warehouse.tables.kept]
rows = "closure"
without = ["owl:deprecated"]
columns = { lower = "term", upper = "upper" }
"""
    warehouse = warehouse_in(profile, "p")
    gone = ONTOLOGY.replace("obo:X_2 a", "obo:X_2 owl:deprecated true . obo:X_2 a")
    for new, expected in ((gone, 1), (ONTOLOGY.replace('"cell"', '"a cell"'), 0)):
        versions = aligned(read_graph(ONTOLOGY.encode()), read_graph(new.encode()))
        texts = SqlTexts(Vocabulary.of(versions.new, versions.old), Catalogue.of(stored=warehouse.relations), "sqlite")
        suite = Suite((Test("test", SQL, texts.read(statement).uses),))
        assert len(safe_plan(versions, suite, Regime.NONE, warehouse=warehouse).chosen) == expected


def test_a_loader_may_not_find_a_property_by_its_old_label() -> None:
    profile = '[warehouse.tables.up]\nrows = "closure"\nover = ["part of"]\ncolumns = { a = "term" }\n'
    warehouse = warehouse_in(profile, "p")
    for old, new, expected in (('"part of"', '"is part of"', 1), ('"cell"', '"a cell"', 0)):
        versions = aligned(*(read_graph(text.encode()) for text in (ONTOLOGY, ONTOLOGY.replace(old, new))))
        texts = SqlTexts(Vocabulary.of(versions.new, versions.old), Catalogue.of(stored=warehouse.relations), "sqlite")
        suite = Suite((Test("test", SQL, texts.read("SELECT count(*) FROM up").uses),))
        assert len(safe_plan(versions, suite, Regime.NONE, warehouse=warehouse).chosen) == expected


def test_a_loader_of_classes_may_know_one_kind_of_them_only() -> None:
    profile = '[warehouse.tables.kept]\nrows = "terms"\nof = "classes"\ncolumns = { a = "term" }\n'
    warehouse = warehouse_in(profile, "p")
    for old, new, expected in (("X_4 a owl:Class", "X_4 a rdfs:Class", 1), ('"cell"', '"a cell"', 0)):
        versions = aligned(*(read_graph(text.encode()) for text in (ONTOLOGY, ONTOLOGY.replace(old, new))))
        texts = SqlTexts(Vocabulary.of(versions.new, versions.old), Catalogue.of(stored=warehouse.relations), "sqlite")
        suite = Suite((Test("test", SQL, texts.read("SELECT count(*) FROM kept").uses),))
        assert len(safe_plan(versions, suite, Regime.NONE, warehouse=warehouse).chosen) == expected


XREFS = """
[warehouse.tables.xref]
rows = "annotations"
over = ["skos:exactMatch", "skos:altLabel"]
columns = { acc = "term", value = "value" }
[warehouse.tables.name]
rows = "terms"
columns = { acc = "term" }
"""


@pytest.mark.parametrize(
    ("statement", "change", "is_seen"),
    [
        # How a loader writes an IRI as a value is unknown.
        ("SELECT acc FROM xref WHERE value = 'http://m.org/D1'", ("<http://m.org/D1>", "<http://m.org/D2>"), True),
        ("SELECT acc FROM xref WHERE value = 'MESH:D1'", ("<http://m.org/D1>", "<http://m.org/D2>"), True),
        ("SELECT acc FROM xref WHERE value = 'skin'", ("<http://m.org/D1>", "<http://m.org/D2>"), True),
        # A row has one value, also of a term with several.
        ("SELECT n.acc FROM xref JOIN name n ON n.acc = xref.acc WHERE value = 'skin'", ('"coat"', '"hide"'), False),
        ("SELECT n.acc FROM xref JOIN name n ON n.acc = xref.acc WHERE value = 'coat'", ('"coat"', '"hide"'), True),
        ("SELECT n.acc FROM xref JOIN name n ON n.acc = xref.acc WHERE value = 'skin'", ("obo:X_9", "obo:X_8"), False),
    ],
)
def test_values_of_annotations(statement: str, change: tuple[str, str], is_seen: bool) -> None:
    more = """obo:X_5 <http://www.w3.org/2004/02/skos/core#exactMatch> <http://m.org/D1> .
        obo:X_6 <http://www.w3.org/2004/02/skos/core#altLabel> "skin" , "leather" .
        obo:X_7 <http://www.w3.org/2004/02/skos/core#altLabel> "coat" , "fur" . obo:X_9 a owl:Class ."""
    ontologies = ONTOLOGY + more, ONTOLOGY + more.replace(*change)
    if "D1" not in change[0]:
        ontologies = (
            ontologies[0].replace("<http://m.org/D1>", '"D1"'),
            ontologies[1].replace("<http://m.org/D1>", '"D1"'),
        )
    versions = aligned(*(read_graph(text.encode()) for text in ontologies))
    profile = warehouse_in(f"[warehouse]\n{XREFS}", "p")
    texts = SqlTexts(Vocabulary.of(versions.new, versions.old), Catalogue.of(stored=profile.relations), "sqlite")
    reading = texts.read(statement)
    assert reading.unseen == ()
    suite = Suite((Test("test", SQL, tuple(use for use in reading.uses if isinstance(use, TablesUse))),))
    assert bool(safe_plan(versions, suite, Regime.NONE, warehouse=profile).chosen) is is_seen


PARTS = """
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix oio: <http://www.geneontology.org/formats/oboInOwl#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
obo:BFO_0000050 a owl:ObjectProperty ; rdfs:label "a part" ; oio:shorthand "part_of" .
obo:X_1 a owl:Class .
obo:X_2 rdfs:subClassOf [ a owl:Restriction ; owl:onProperty obo:BFO_0000050 ; owl:someValuesFrom obo:X_1 ] .
obo:X_3 a owl:Class .
"""
EDGES = """
[warehouse.tables.edge]
rows = "edges"
columns = { lower = "term", upper = "upper", relation = "relation" }
"""
RELATIONS = {
    "by term": "SELECT relation FROM edge WHERE lower = 'X:2'",
    "by term and label": "SELECT upper FROM edge WHERE lower = 'X:2' AND relation = 'a part'",
    "by term and shorthand": "SELECT upper FROM edge WHERE lower = 'X:2' AND relation = 'part_of'",
    "below": "SELECT lower FROM edge WHERE upper = 'X:1' AND relation = 'part_of'",
    "all": "SELECT lower FROM edge WHERE relation = 'part_of'",
}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        # A loader may write a relation by its label, or by the name that it has in OBO.
        ('"a part"', '"some part"', set(RELATIONS)),
        ('"part_of"', '"partOf"', set(RELATIONS)),
        # The name in OBO tells the relation from others.
        ("obo:X_3 a owl:Class", "obo:X_3 rdfs:subClassOf obo:X_1", set()),
        (
            "owl:someValuesFrom obo:X_1",
            "owl:someValuesFrom obo:X_3",
            {"by term and label", "by term and shorthand", "below"},
        ),
    ],
)
def test_relations_are_known_by_their_names(old: str, new: str, expected: set[str]) -> None:
    assert old in PARTS
    versions = aligned(*(read_graph(text.encode()) for text in (PARTS, PARTS.replace(old, new))))
    profile = warehouse_in(f"[warehouse]\n{EDGES}", "p")
    texts = SqlTexts(Vocabulary.of(versions.new, versions.old), Catalogue.of(stored=profile.relations), "sqlite")
    read = {name: texts.read(text) for name, text in RELATIONS.items()}
    tests = tuple(Test(name, SQL, each.uses, each.unseen) for name, each in read.items())
    chosen = safe_plan(versions, Suite(tests), Regime.NONE, warehouse=profile).chosen
    assert {planned.test.name for planned in chosen} == expected
