"""Terms that Python tests name, and accesses to graphs without a query."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.rdf.terms import RDFS
from kgprobe.sparql.uses import AnyUse, TripleUse

from ..finding import EX, find, terms
from .python_files import HEAD, found, the_test


@pytest.mark.parametrize(
    ("code", "used"),
    [
        ("def test_it(): check(EX.Pizza)", {"Pizza"}),
        ("def test_it(): check(EX['Pizza'], EX.Food)", {"Pizza", "Food"}),
        ("def test_it(): check(URIRef('http://example.org/pizza#Pizza'))", {"Pizza"}),
        ("def test_it(): check('http://example.org/pizza#Pizza')", {"Pizza"}),
        ("def test_it(): check('ex:Pizza', 'GO:0008150')", {"Pizza", "GO_0008150"}),
        ("def test_it(): check(EX + 'Pizza')", {"Pizza"}),
        ("BASE = 'http://example.org/pizza#'\ndef test_it(): check(BASE + 'Pizza')", {"Pizza"}),
        ("def test_it():\n for n in ('Pizza', 'Food'): check(EX[n])", {"Pizza", "Food"}),
        ("def check(n): return EX[n]\ndef test_it(): check('Pizza')", {"Pizza"}),
        ("@pytest.mark.parametrize('c', [EX.Pizza])\ndef test_it(c): check(c)", {"Pizza"}),
        ("import rdflib\ndef test_it(): check(rdflib.RDFS.label, rdflib.OWL['Class'])", {"label", "Class"}),
        ("class NS(DefinedNamespace):\n _NS = EX\n Pizza: URIRef\ndef test_it(): check(NS.Pizza)", {"Pizza"}),
        ("def test_it(): check('Pizza', 'example', 'http://example.org/')", None),
        ("'''A docstring: ex:Pizza'''\ndef test_it():\n 'SELECT ?x { ?x a ex:Pizza }'", None),
    ],
)
def test_terms_by_name(tmp_path: Path, code: str, used: set[str] | None) -> None:
    tests = found(find(tmp_path, {"test_a.py": HEAD.replace("graph", "thing") + code}))
    assert (terms(tests["test_it"]) if "test_it" in tests else None) == used
    assert all(not test.unseen for test in tests.values())


@pytest.mark.parametrize(
    ("code", "uses"),
    [
        ("graph.value(EX.Pizza, RDFS.label)", [({EX.Pizza}, {RDFS.label}, None)]),
        ("graph.value(predicate=RDFS.label, object=x)", [(None, {RDFS.label}, None)]),
        ("list(graph.objects(EX.Pizza, RDFS.subClassOf))", [({EX.Pizza}, {RDFS.subClassOf}, None)]),
        ("list(graph.subjects(RDFS.subClassOf, EX.Pizza))", [(None, {RDFS.subClassOf}, {EX.Pizza})]),
        ("list(graph.triples((EX.Pizza, None, None)))", [({EX.Pizza}, None, None)]),
        ("assert (EX.Pizza, RDFS.subClassOf, EX.Food) in graph", [({EX.Pizza}, {RDFS.subClassOf}, {EX.Food})]),
        ("assert (x, RDFS.subClassOf, None) not in graph", [(None, {RDFS.subClassOf}, None)]),
        ("list(store.quads_for_pattern(EX.Pizza, None, None))", [({EX.Pizza}, None, None)]),
    ],
)
def test_triple_patterns_are_as_precise_as_those_of_a_query(
    tmp_path: Path, code: str, uses: list[tuple[object, ...]]
) -> None:
    test = the_test(tmp_path, f"def test_it(): {code}")
    assert test.unseen == ()
    seen = [
        (use.subject.terms, use.predicate.terms, use.object.terms) for use in test.uses if isinstance(use, TripleUse)
    ]
    assert (seen, len(test.uses)) == (uses, len(uses))


@pytest.mark.parametrize(
    "code",
    [
        "assert len(graph) == 3",
        "assert [t for t in graph]",
        "\n    for s, p, o in graph: print(s)",
        "assert graph == other",
        "assert x in graph",
        "compare(graph, other)",
        "assert graph.serialize()",
        "list(graph.triples((None, None, None)))",
        "list(graph.triples(x))",
        "list(graph.subjects())",
        "assert list(onto.classes())",
    ],
)
def test_code_that_reads_the_whole_graph_uses_all_of_it(tmp_path: Path, code: str) -> None:
    test = the_test(tmp_path, f"def test_it(): {code}")
    assert test.unseen == ()
    anything = [use for use in test.uses if isinstance(use, AnyUse)]
    open_pattern = [use for use in test.uses if isinstance(use, TripleUse) and use.subject.terms is None]
    assert anything or open_pattern


def test_a_graph_is_followed_into_functions_of_the_project(tmp_path: Path) -> None:
    code = "def pick(graph): return graph.value(EX.Pizza, RDFS.label)\ndef test_it(): assert pick(graph)"
    test = the_test(tmp_path, code)
    assert terms(test) == {"Pizza", "label"}


def test_names_of_owlready2(tmp_path: Path) -> None:
    code = "import owlready2\nonto = owlready2.get_ontology('x.owl').load()\n"
    code += "def test_it(): assert onto.Pizza and onto['Food']\ndef test_all(): assert onto.search(label='x')\n"
    tests = found(find(tmp_path, {"test_a.py": code}))
    assert terms(tests["test_it"]) == {"Pizza", "Food"}
    assert terms(tests["test_all"]) == {"*"}


def test_tests_that_do_not_use_the_graph_are_counted(tmp_path: Path) -> None:
    code = (
        HEAD + "def test_a(): assert 1 + 1 == 2\ndef test_b(tmp_path): assert tmp_path\ndef test_c(): graph.query(Q)\n"
    )
    code += "def test_d(people): people.count(User)\ndef test_e(df): df.query('a > 3')\n"
    code += "def test_f(session): session.query(User)\n"
    suite = find(tmp_path, {"test_a.py": code})
    assert list(found(suite)) == ["test_c", "test_f"]  # perhaps a database
    assert suite.notes == ("4 Python tests do not use the graph",)


FILES_READ_AS_TEXT = [
    "assert [p.read_text() for p in Path('.').iterdir() if p.suffix == '.ttl']",
    "assert [p.read_text() for p in Path('.').iterdir() if p.suffix in ('.ttl', '.owl')]",
    "assert [open(name).read() for name in os.listdir('.') if name.endswith('ttl')]",
    "assert [open(name).read() for name in os.listdir('.') if fnmatch.fnmatch(name, '*.ttl')]",
]


@pytest.mark.parametrize("body", FILES_READ_AS_TEXT)
def test_graph_files_that_are_read_as_text_make_a_test_unanalysable(tmp_path: Path, body: str) -> None:
    assert the_test(tmp_path, f"import os, fnmatch\ndef test_it(): {body}\n").unseen


def test_graph_files_that_are_chosen_for_a_graph_are_understood(tmp_path: Path) -> None:
    body = "for path in Path('.').iterdir():\n        if path.suffix == '.ttl': g.parse(path.open())\n"
    test = the_test(tmp_path, f"def test_it():\n    g = Graph()\n    {body}    assert g.value(EX.Pizza, RDFS.label)\n")
    assert test.unseen == ()
    assert terms(test) == {"Pizza", "label"}


@pytest.mark.parametrize("size", ["Path(FILE).stat().st_size", "os.stat(FILE).st_size", "os.path.getsize(FILE)"])
def test_the_size_of_a_file_with_a_graph_depends_on_all_of_it(tmp_path: Path, size: str) -> None:
    code = f"import os\nfrom pathlib import Path\nFILE = 'pizza.ttl'\ndef test_it(): assert {size} > 100\n"
    assert found(find(tmp_path, {"test_a.py": code}))["test_it"].unseen
