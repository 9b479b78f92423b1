"""The example of a warehouse: no test whose result changes is left out, on the databases that are there."""

from __future__ import annotations

import importlib.util
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import pytest
from support.postgres import postgres_server

from kgprobe.config.warehouse import load_warehouse
from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import read_graph
from kgprobe.rdf.diff import aligned
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.plan import SelectionPlan, safe_plan
from kgprobe.selection.vocabulary import Vocabulary

FOLDER = Path(__file__).parents[2] / "examples" / "warehouse"
TESTS = FOLDER / "tests"
ONTOLOGY = (FOLDER / "food.ttl").read_text(encoding="utf-8")
EDITS = {
    "a term above is renamed": ('"dish"', '"course"'),
    "a term is renamed": ('"green tea"', '"sencha"'),
    "a class is moved": (
        '"mushroom pizza" ; rdfs:subClassOf :Pizza',
        '"mushroom pizza" ; rdfs:subClassOf :VeggiePizza',
    ),
    "a restriction changes": ("owl:someValuesFrom :Dough", "owl:someValuesFrom :Espresso"),
    "a synonym changes": ('"pomodoro"', '"passata"'),
    "a note changes": ('"made of milk"', '"from cows"'),
    "a class comes": (":Tea a owl:Class", ":Cocoa a owl:Class ; rdfs:subClassOf :Drink . :Tea a owl:Class"),
    "a class goes": (':Gorgonzola a owl:Class ; rdfs:label "gorgonzola" ; rdfs:subClassOf :Cheese .\n', ""),
    "a topping changes": ("owl:someValuesFrom :Salami", "owl:someValuesFrom :Mozzarella"),
    "a pizza is not vegetarian": (
        '"margherita" ; rdfs:subClassOf :VeggiePizza',
        '"margherita" ; rdfs:subClassOf :Pizza',
    ),
    "a label that a test names": ('"vegetarian pizza"', '"veggie pizza"'),
    "drinks are merged": ('"tea" ; rdfs:subClassOf :Drink', '"tea" ; rdfs:subClassOf :Coffee'),
    "toppings are dishes": ('"topping" ; rdfs:subClassOf :Ingredient', '"topping" ; rdfs:subClassOf :Dish'),
    "no longer obsolete": (" ; owl:deprecated true", ""),
    "a name of many": ('rdfs:label "pizza"', 'rdfs:label "round pizza"'),
    "a topping is lost": ("owl:someValuesFrom :Mozzarella", "owl:someValuesFrom :Gorgonzola"),
    "cheese is no topping": ('"mozzarella" ; rdfs:subClassOf :Cheese', '"mozzarella" ; rdfs:subClassOf :Food'),
    "meat is a vegetable": ('"salami" ; rdfs:subClassOf :Meat', '"spicy salami" ; rdfs:subClassOf :Vegetable'),
    "nothing that tables hold": ('rdfs:label "part of"', 'rdfs:label "part of" ; rdfs:seeAlso :Dough'),
}


@dataclass(frozen=True)
class Engine:
    """A database system: what opens an empty database, its parameters, its dialect, and its own tests."""

    open: Callable[[], Any]
    mark: str
    dialect: str
    folder: str | None = None

    @property
    def files(self) -> list[Path]:
        """The tests that it can run."""
        own = sorted((TESTS / self.folder).glob("*.sql")) if self.folder else []
        return [*sorted(TESTS.glob("*.sql")), *(each for each in own if each.name != "functions.sql")]


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with postgres_server() as url:
        yield url


def _script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("load_warehouse_example", FOLDER / "load.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LOAD = _script().load


@contextmanager
def _opened(engine: Engine, ontology: str) -> Iterator[Any]:
    """A database that the example's loader has filled."""
    connection = engine.open()
    try:
        LOAD(connection.cursor(), ontology.encode(), engine.mark)
        if engine.folder == "postgres":
            connection.cursor().execute((TESTS / "postgres" / "functions.sql").read_text(encoding="utf-8"))
        yield connection
    finally:
        connection.close()


def _results(engine: Engine, ontology: str) -> dict[str, Counter[Any]]:
    """The rows that each test returns."""
    found = {}
    with _opened(engine, ontology) as connection:
        for file in engine.files:
            cursor = connection.cursor()
            cursor.execute(file.read_text(encoding="utf-8"))
            found[str(file)] = Counter(cursor.fetchall())
    return found


def _selected(engine: Engine, ontology: str, profile: str | None) -> SelectionPlan:
    graphs = (read_graph(text.encode()) for text in (ONTOLOGY, ontology))
    versions = aligned(*graphs)
    described = None if profile is None else load_warehouse(profile)
    options = FinderOptions(
        schema=(FOLDER / "schema.sql",),
        dialect=engine.dialect,
        stored=() if described is None else described.relations,
    )
    places = [*engine.files, *([TESTS / "postgres" / "functions.sql"] if engine.folder == "postgres" else [])]
    suite = find_tests(places, Vocabulary.of(versions.new, versions.old), options)
    assert len(suite.tests) >= len(engine.files)
    return safe_plan(versions, suite, Regime.NONE, warehouse=described)


def _check(engine: Engine) -> None:
    assert len(engine.files) >= 57
    before = _results(engine, ONTOLOGY)
    ever_changed: set[str] = set()
    counts: Counter[str] = Counter()
    for name, (old, new) in EDITS.items():
        assert old in ONTOLOGY, name
        ontology = ONTOLOGY.replace(old, new, 1)
        after = _results(engine, ontology)
        changed = {test for test in before if before[test] != after[test]}
        ever_changed |= changed
        counts["changed"] += len(changed)
        for profile in (str(FOLDER / "warehouse.toml"), None):
            plan = _selected(engine, ontology, profile)
            selected = {each.test.name for each in plan.chosen}
            missed = sorted(Path(test).stem for test in changed if not _is_in(test, selected))
            assert not missed, (name, profile, missed)
            counts["with a profile" if profile else "without"] += len(selected)
    assert len(ever_changed) > 35
    assert counts["with a profile"] < 2 * counts["changed"], counts
    assert counts["with a profile"] < counts["without"] < len(EDITS) * len(before), counts


def _is_in(test: str, selected: set[str]) -> bool:
    return any(test == name or test.endswith(f"/{name}") for name in selected)


def test_on_sqlite() -> None:
    _check(Engine(lambda: sqlite3.connect(":memory:"), "?", "sqlite"))


def test_on_duckdb() -> None:
    _check(Engine(duckdb.connect, "?", "duckdb", "duckdb"))


def test_on_postgres(postgres: str) -> None:
    import psycopg

    def opened() -> Any:
        with psycopg.connect(postgres, autocommit=True) as server:
            server.execute("DROP DATABASE IF EXISTS food")
            server.execute("CREATE DATABASE food")
        return psycopg.connect(postgres, dbname="food", autocommit=True)

    _check(Engine(opened, "%s", "postgres", "postgres"))


def test_python_tests_that_fail_are_selected() -> None:
    """The tests with bound parameters pass on the first version; those that fail on another one are selected."""
    engine = Engine(lambda: sqlite3.connect(":memory:"), "?", "sqlite")
    ever_failed: set[str] = set()
    assert not _failing(engine, ONTOLOGY)
    for name, (old, new) in EDITS.items():
        ontology = ONTOLOGY.replace(old, new, 1)
        failing = _failing(engine, ontology)
        ever_failed |= failing
        graphs = (read_graph(text.encode()) for text in (ONTOLOGY, ontology))
        versions = aligned(*graphs)
        described = load_warehouse(str(FOLDER / "warehouse.toml"))
        options = FinderOptions(schema=(FOLDER / "schema.sql",), dialect="sqlite", stored=described.relations)
        suite = find_tests([TESTS / "test_orders.py"], Vocabulary.of(versions.new, versions.old), options)
        plan = safe_plan(versions, suite, Regime.NONE, warehouse=described)
        selected = {each.test.name.rpartition("::")[2] for each in plan.chosen} | {
            each.rpartition("::")[2] for each in suite.unrelated
        }
        assert failing <= selected, (name, failing - selected)
    assert ever_failed


def _failing(engine: Engine, ontology: str) -> set[str]:
    """The Python tests that fail on a version."""
    spec = importlib.util.spec_from_file_location("test_orders_example", TESTS / "test_orders.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    failed = set()
    with _opened(engine, ontology) as connection:
        calls: list[tuple[str, tuple[Any, ...]]] = [("test_vegetarian_pizzas_are_ordered", ())]
        calls += [("test_orders_below", case) for case in (("Pizza", 4), ("Drink", 4), ("Tea", 1))]
        [cases] = [mark.args[1] for mark in module.test_labels.pytestmark]
        calls += [("test_labels", (case,)) for case in cases]
        for name, arguments in calls:
            try:
                getattr(module, name)(connection, *arguments)
            except AssertionError:
                failed.add(name)
    return failed
