"""Renamed entities: a test that cannot see names is not selected for new names alone; others are, and it is said."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import pytest
from pyoxigraph import QueryBoolean, Store

from kgprobe.config.warehouse import warehouse_in
from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import save
from kgprobe.rdf.diff import Versions, aligned
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Namespace, Triple
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.gaps_and_repairs import with_gaps_and_repairs
from kgprobe.selection.plan import SelectionPlan, safe_plan
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.selection.warehouse.profile import Warehouse

OLD, NEW = Namespace("http://example.org/food#"), Namespace("http://example.org/food/v2/")
NAMES = ("Drink", "Cola", "Tea", "Water", "Food", "Bread", "Bun", "Cake")


def _graph(space: Namespace, edges: Iterable[tuple[str, str]], labels: dict[str, str]) -> Graph:
    triples = [Triple(space[name], RDF.type, OWL.Class) for name in labels]
    triples += [Triple(space[name], RDFS.label, Literal(label)) for name, label in labels.items()]
    triples += [Triple(space[low], RDFS.subClassOf, space[high]) for low, high in edges]
    return Graph(triples)


EDGES = [("Cola", "Drink"), ("Tea", "Drink"), ("Bread", "Food"), ("Bun", "Bread")]
LABELS = {name: f"the {name.lower()}" for name in NAMES}
SCHEMA = "CREATE TABLE terms (id TEXT, label TEXT); CREATE TABLE above (lower TEXT, upper TEXT, lower_id TEXT);"


PROFILE = warehouse_in(
    """[warehouse]
identifiers = "label"
[warehouse.tables.terms]
rows = "terms"
columns = { id = "term iri", label = "term" }
[warehouse.tables.above]
rows = "closure"
over = ["rdfs:subClassOf"]
reflexive = true
columns = { lower = "term", upper = "upper", lower_id = "term iri" }
""",
    "profile",
)


def _plan(folder: Path, versions: Versions, files: dict[str, str], warehouse: Warehouse | None = None) -> SelectionPlan:
    tests = folder / "tests"
    tests.mkdir(exist_ok=True)
    for name, text in files.items():
        (tests / name).write_text(text, encoding="utf-8")
    (folder / "schema.sql").write_text(SCHEMA, encoding="utf-8")
    options = FinderOptions(root=folder, schema=(folder / "schema.sql",))
    suite = find_tests([tests], Vocabulary.of(versions.new, versions.old), options)
    plan = safe_plan(versions, suite, Regime.NONE, warehouse=warehouse)
    return with_gaps_and_repairs(plan, versions)


COUNT = "SELECT count(*) FROM above WHERE upper = '{}'"


@pytest.mark.parametrize(
    ("name", "text", "is_selected"),
    [
        ("q.sql", COUNT.format("the drink"), False),
        ("q.sql", "SELECT count(*) FROM terms", False),
        ("q.sql", "SELECT upper FROM above WHERE upper = 'the drink'", False),
        ("q.sql", "SELECT lower_id FROM above WHERE upper = 'the drink'", True),
        ("q.sql", "SELECT * FROM above WHERE upper = 'the drink'", True),
        ("q.sql", "SELECT count(*) FROM terms WHERE id = 'http://example.org/food#Cola'", True),
        ("q.sql", "SELECT count(*) FROM terms WHERE id LIKE '%v2%'", True),
        ("q.rq", 'ASK { ?x ?p "the cola" }', False),
        ("q.rq", "SELECT (COUNT(DISTINCT ?x) AS ?n) WHERE { ?x ?p ?y }", False),
        ("q.rq", 'SELECT ?x { ?x ?p "the cola" }', True),
        ("q.rq", 'ASK { ?x ?p "the cola" FILTER(CONTAINS(STR(?x), "v2")) }', True),
        ("q.rq", "SELECT ?x { { SELECT (COUNT(?z) AS ?n) { ?z ?p ?o } } ?x ?p ?y }", True),
        ("q.rq", "ASK { <http://example.org/food#Cola> ?p ?o }", True),
        ("q.rq", "ASK { ?x <http://example.org/food/v2/Cola> ?o }", False),  # no triple has it
    ],
)
def test_only_what_can_see_names_is_selected(tmp_path: Path, name: str, text: str, is_selected: bool) -> None:
    versions = aligned(_graph(OLD, EDGES, LABELS), _graph(NEW, EDGES, LABELS))
    plan = _plan(tmp_path, versions, {name: text})
    assert [each.test.name for each in plan.chosen] == (["tests/" + name] if is_selected else [])
    for each in plan.chosen:
        assert any("renamed" in str(reason) or "no longer exists" in str(reason) for reason in each.because)


def test_with_a_profile_columns_without_names_are_known(tmp_path: Path) -> None:
    versions = aligned(_graph(OLD, EDGES, LABELS), _graph(NEW, EDGES, LABELS))
    plan = _plan(tmp_path, versions, _queries(["the drink"]), PROFILE)
    chosen = {each.test.name for each in plan.chosen}
    assert chosen == {"tests/id0.sql", "tests/join0.sql"}


def test_the_rest_of_the_change_still_counts(tmp_path: Path) -> None:
    new = _graph(NEW, [*EDGES, ("Water", "Drink")], LABELS)
    files = {"drink.sql": COUNT.format("the drink"), "bread.sql": COUNT.format("the bread")}
    plan = _plan(tmp_path, aligned(_graph(OLD, EDGES, LABELS), new), files)
    assert [each.test.name for each in plan.chosen] == ["tests/drink.sql"]
    assert "8 entities were renamed: 1 test that cannot see names left out" in plan.how


@pytest.mark.parametrize("labels", [LABELS, {}])
def test_names_of_the_old_namespace_are_repaired(tmp_path: Path, labels: dict[str, str]) -> None:
    versions = aligned(_graph(OLD, EDGES, labels), _graph(NEW, EDGES, labels))
    plan = _plan(tmp_path, versions, {"q.rq": "PREFIX f: <http://example.org/food#>\nASK { ?x ?p f:Cola }"})
    [broken] = plan.broken
    assert broken.replacement == NEW["Cola"]
    [repair] = plan.repairs
    assert "ASK { ?x ?p <http://example.org/food/v2/Cola> }" in repair.after


def test_a_local_name_that_changes_is_seen(tmp_path: Path) -> None:
    numbered = {name: f"T_{number}" for number, name in enumerate(NAMES)}
    spaces = (Namespace("http://example.org/old/A"), Namespace("http://example.org/new/B"))
    graphs = [
        _graph(
            space,
            [(numbered[a], numbered[b]) for a, b in EDGES],
            {numbered[name]: label for name, label in LABELS.items()},
        )
        for space in spaces
    ]
    files = {"id.sql": "SELECT count(*) FROM terms WHERE id = 'AT_1'", "label.sql": COUNT.format("the drink")}
    plan = _plan(tmp_path, aligned(*graphs), files)
    assert [each.test.name for each in plan.chosen] == ["tests/id.sql"]


# -- randomised: a test that is left out returns the same -------------------------------------------------------------


def _loaded(graph: Graph) -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.executescript(SCHEMA)
    labels = {t.subject: t.object.value for t in graph.triples(None, RDFS.label) if isinstance(t.object, Literal)}
    for term, label in labels.items():
        assert isinstance(term, NamedNode)
        db.execute("INSERT INTO terms VALUES (?, ?)", (term.value, label))
        pending, seen = [term], {term}
        for each in pending:
            db.execute("INSERT INTO above VALUES (?, ?, ?)", (label, labels.get(each, each.value), term.value))
            for upper in (t.object for t in graph.triples(each, RDFS.subClassOf)):
                if isinstance(upper, NamedNode) and upper not in seen:
                    seen.add(upper)
                    pending.append(upper)
    return db


TEMPLATES = {
    "upper": "SELECT DISTINCT lower FROM above WHERE upper = '{0}' AND lower = '{0}'",
    "list": "SELECT lower FROM above WHERE upper = '{}' ORDER BY 1",
    "id": "SELECT lower_id FROM above WHERE upper = '{}' ORDER BY 1",
    "join": "SELECT t.id FROM terms t JOIN above a ON a.lower = t.label WHERE a.upper = '{}' ORDER BY 1",
}


def _queries(labels: Iterable[str]) -> dict[str, str]:
    found = {"all.sql": "SELECT count(*) FROM above"}
    for number, label in enumerate(labels):
        found[f"count{number}.sql"] = COUNT.format(label)
        found |= {f"{name}{number}.sql": text.format(label) for name, text in TEMPLATES.items()}
        found[f"ask{number}.rq"] = f'ASK {{ ?x <{RDFS.label.value}> "{label}" . ?x <{RDFS.subClassOf.value}> ?y }}'
        found[f"n{number}.rq"] = (
            f'SELECT (COUNT(*) AS ?n) {{ ?x <{RDFS.label.value}> "{label}" . ?y <{RDFS.subClassOf.value}>+ ?x }}'
        )
    return found


@pytest.mark.parametrize("warehouse", [None, PROFILE], ids=["widest", "profile"])
@pytest.mark.parametrize("seed", range(12))
def test_tests_that_are_left_out_return_the_same(tmp_path: Path, seed: int, warehouse: Warehouse | None) -> None:
    rng = random.Random(seed)
    edges = [(NAMES[low], NAMES[rng.randrange(low)]) for low in range(1, len(NAMES)) if rng.random() < 0.8]
    labels = {name: rng.choice([f"the {name}", name, "twice"]) for name in NAMES}
    changed_edges, changed_labels = list(edges), dict(labels)
    if seed % 3:
        changed_edges[rng.randrange(len(edges))] = (rng.choice(NAMES), rng.choice(NAMES))
    if seed % 4 == 3:
        changed_labels[rng.choice(NAMES)] = "another"
    graphs = _graph(OLD, edges, labels), _graph(NEW, changed_edges, changed_labels)
    files = _queries(sorted({*labels.values(), *changed_labels.values()}))
    plan = _plan(tmp_path, aligned(*graphs), files, warehouse)
    left_out = {test.name for test in plan.tests} - {each.test.name for each in plan.chosen}
    if seed % 3 == 0 and seed % 4 != 3:
        assert left_out
    databases = [_loaded(graph) for graph in graphs]
    stores = []
    for number, graph in enumerate(graphs):
        save(graph, tmp_path / f"{number}.nt")
        stores.append(Store())
        stores[-1].load(path=str(tmp_path / f"{number}.nt"))
    for name, text in files.items():
        results: list[object] = []
        for db, store in zip(databases, stores, strict=True):
            if name.endswith(".sql"):
                results.append(db.execute(text).fetchall())
            else:
                answer = store.query(text)
                results.append(bool(answer) if isinstance(answer, QueryBoolean) else [str(row) for row in answer])
        assert results[0] == results[1] or f"tests/{name}" not in left_out, name
