"""Python tests that really run: none whose result changes with the ontology is left out, by `select` or by pytest."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands import kgprobe
from support.pytest_sessions import pytest_session
from support.repositories import Repo, needs_git

pytestmark = needs_git

ONTOLOGY = """
@prefix ex: <http://example.org/pizza#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
ex:Pizza a owl:Class ; rdfs:subClassOf ex:Food ; rdfs:label "Pizza pie"@en .
ex:Margherita a owl:Class ; rdfs:subClassOf ex:Pizza .
ex:one a ex:Margherita ; ex:price 7 ; ex:toppings ex:L .
ex:L rdf:first ex:Basil ; rdf:rest ex:M .
ex:M rdf:first ex:Mozzarella ; rdf:rest rdf:nil .
ex:Lucca a ex:City ; ex:in ex:Tuscany .
"""
# Each change, as what is replaced by what.
CHANGES = {
    "class": ("ex:Margherita a owl:Class ; rdfs:subClassOf ex:Pizza", "ex:Margherita a owl:Class"),
    "label": ('"Pizza pie"@en', '"Pizza"@en'),
    "type": ("ex:one a ex:Margherita", "ex:one a ex:Pizza"),
    "list": ("ex:M rdf:first ex:Mozzarella", "ex:M rdf:first ex:Ricotta"),
    "city": ("ex:in ex:Tuscany", "ex:in ex:Umbria"),
    "price": ("ex:price 7", "ex:price 8"),
}
HEAD = """
import pytest
from rdflib import Graph, Namespace, RDF, RDFS, OWL, Literal
from rdflib.collection import Collection
import pyoxigraph
EX = Namespace("http://example.org/pizza#")
IS = "http://example.org/pizza#"
FILE = "pizza.ttl"

def shown(value):
    if isinstance(value, (str, int, bool, type(None))):
        return str(value)
    return sorted(map(str, value))

def load():
    return Graph().parse(FILE, format="turtle")

class Shop:
    def __init__(self):
        self.data = load()
    def above(self, what):
        return self.data.objects(what, RDFS.subClassOf * "+")

PATHS = {"kinds": RDF.type / RDFS.subClassOf}

@pytest.fixture
def data():
    return load()

@pytest.fixture
def store():
    made = pyoxigraph.Store()
    made.load(path=FILE, format=pyoxigraph.RdfFormat.TURTLE)
    return made
"""
EXPRESSIONS = [
    "data.subjects(RDF.type / RDFS.subClassOf, EX.Pizza)",
    "data.objects(EX.Margherita, ~RDF.type)",
    "data.objects(EX.one, PATHS['kinds'])",
    "data.objects(EX.Margherita, RDFS.subClassOf * '*')",
    "data.value(EX.Pizza, RDFS.label)",
    "data[EX.Lucca : EX['in']]",
    "data[EX.Pizza : RDFS.label | RDFS.comment]",
    "data.resource(EX.Pizza)[RDFS.label]",
    "(x.identifier for x in data.resource(EX.Margherita).objects(RDFS.subClassOf))",
    "data.items(EX.L)",
    "Collection(data, EX.L)",
    "data - Graph()",
    "(data & load()).objects(EX.one, EX.price)",
    "len(data ^ Graph())",
    "data.isomorphic(Graph())",
    "data.query('SELECT ?x { ?x a/rdfs:subClassOf* ex:Food }', initNs={'rdfs': RDFS, 'ex': EX})",
    "data.update('INSERT { ?x a <urn:n> } WHERE { ?x <http://example.org/pizza#price> 7 }') "
    "or data.subjects(RDF.type, __import__('rdflib').URIRef('urn:n'))",
    "Shop().above(EX.one)",
    "Shop().above(EX.Margherita)",
    "data.transitive_objects(EX.Margherita, RDFS.subClassOf)",
    "(EX.one, RDF.type / RDFS.subClassOf, EX.Pizza) in data",
    "map(data.value, [EX.Lucca], [EX['in']])",
    "getattr(data, 'obj' + 'ects')(EX.one, EX.price)",
    "eval('data').objects(EX.one, EX.price)",
    "store.quads_for_pattern(pyoxigraph.NamedNode(IS + 'Lucca'), None, None)",
    "bool(store.query('ASK { ?x a <http://example.org/pizza#Margherita> }'))",
    "pyoxigraph.parse(path=FILE, format=pyoxigraph.RdfFormat.TURTLE)",
    "__import__('pathlib').Path(FILE).read_text().count('Umbria')",
    "data.objects(EX.Lucca, EX.nothing)",
    "1 + 1",
]


def _expected(ontology: str, folder: Path) -> list[Any]:
    """The values of all expressions for an ontology."""
    (folder / "pizza.ttl").write_text(ontology)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        names: dict[str, Any] = {}
        exec(compile(HEAD, "head", "exec"), names)  # noqa: S102 - our own code
        shown: Callable[[Any], Any] = names["shown"]
        values = []
        for expression in EXPRESSIONS:
            names["data"] = names["load"]()
            names["store"] = names["pyoxigraph"].Store()
            names["store"].load(path="pizza.ttl", format=names["pyoxigraph"].RdfFormat.TURTLE)
            values.append(shown(eval(expression, names)))  # noqa: S307 - our own code
        return values


def _failed(output: str) -> set[str]:
    return set(re.findall(r"::(test_\w+) FAILED", output))


@pytest.fixture(scope="module")
def values(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    return _expected(ONTOLOGY, tmp_path_factory.mktemp("values"))


def _project(folder: Path, values: list[Any]) -> Repo:
    tests = [
        f"def test_{number}({', '.join(name for name in ('data', 'store') if name in expression)}):\n"
        f"    assert shown({expression}) == {value!r}\n"
        for number, (expression, value) in enumerate(zip(EXPRESSIONS, values, strict=True))
    ]
    settings = "[pytest]\nkg_ontology = pizza.ttl\n"
    return Repo.at(folder, {"pizza.ttl": ONTOLOGY, "tests/test_a.py": HEAD + "\n".join(tests), "pytest.ini": settings})


def test_a_changed_result_is_never_missed(tmp_path: Path, values: list[Any], request: pytest.FixtureRequest) -> None:
    repo = _project(tmp_path / "project", values)
    changes = list(CHANGES.items())
    ever_changed: set[str] = set()
    for name, (old, new) in changes:
        changed = ONTOLOGY.replace(old, new)
        assert changed != ONTOLOGY
        (tmp_path / name).mkdir()
        after = _expected(changed, tmp_path / name)
        failing = {f"test_{number}" for number, (a, b) in enumerate(zip(values, after, strict=True)) if a != b}
        repo.write({"pizza.ttl": changed})
        (tmp_path / "old.ttl").write_text(ONTOLOGY)
        done = kgprobe(
            *("select", tmp_path / "old.ttl", repo.root / "pizza.ttl", "--tests", repo.root / "tests"),
            *("--format", "list"),
        )
        selected = {line.rpartition("::")[2] for line in done.stdout.split()}
        assert done.returncode == 0, done.stderr
        assert failing, name
        assert failing <= selected, (name, sorted(EXPRESSIONS[int(each[5:])] for each in failing - selected))
        ever_changed |= failing
        if name == "type" or request.config.getoption("--thorough"):
            output = pytest_session(repo.root, "--kg-since", "v1", code=1)
            assert _failed(output) == failing, name
            assert "deselected" in output
    # Two expressions have the same value for every version.
    assert len(ever_changed) >= len(EXPRESSIONS) - 4, ever_changed


def test_tests_that_a_change_does_not_concern_are_left_out(tmp_path: Path, values: list[Any]) -> None:
    repo = _project(tmp_path / "project", values)
    old = tmp_path / "old.ttl"
    old.write_text(ONTOLOGY)
    repo.write({"pizza.ttl": ONTOLOGY.replace(*CHANGES["city"])})
    done = kgprobe("select", old, repo.root / "pizza.ttl", "--tests", repo.root / "tests", "--format", "list")
    assert done.returncode == 0, done.stderr
    selected = {int(line.rpartition("_")[2]) for line in done.stdout.split()}
    assert EXPRESSIONS.index("data - Graph()") in selected
    left_out = {EXPRESSIONS[number] for number in range(len(EXPRESSIONS)) if number not in selected}
    wanted = {*EXPRESSIONS[:5], *EXPRESSIONS[6:11], EXPRESSIONS[15], *EXPRESSIONS[17:21], "1 + 1"}
    # This one names terms that are connected with the city through properties.
    wanted.remove("data.objects(EX.one, PATHS['kinds'])")
    assert wanted <= left_out
