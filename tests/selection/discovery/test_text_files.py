"""Test files of other kinds: the names of terms in them, whatever the language is."""

from __future__ import annotations

import io
import sys
import zipfile
from pathlib import Path

import pytest

from kgprobe.errors import UnavailableError
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import RDFS, Literal, Namespace, Triple
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.tests import Direction, TermUse, Test
from kgprobe.selection.vocabulary import Vocabulary

from .finding import find, only, terms

IRI = "http://example.org/pizza#"


def _test(folder: Path, name: str, content: str | bytes) -> Test:
    return only(find(folder, {name: content}, test_files=("*.*", "*")))


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("A.java", 'assertTrue(menu.has("VeggiePizza"), "no");', {"VeggiePizza"}),
        ("A.java", f'String s = "{IRI}" + "Margherita";', {"Margherita"}),
        ("A.java", 'f("Veggie" +\n   "Pizza");', {"VeggiePizza", "Pizza"}),
        ("A.java", '// "pizza PIE" is data, too', {"Pizza"}),
        ("A.java", 'f("Veggie\\u0050izza");', {"VeggiePizza"}),
        (
            "a.R",
            "test_that('it', { expect_equal(label(x), 'Twin\\'s pizza') })",
            {"Margherita", "MushroomPizza", "Pizza"},
        ),
        ("a.sh", 'curl "$URL?about=http%3A%2F%2Fexample.org%2Fpizza%23Mozzarella"', {"Mozzarella"}),
        ("a.feature", "  Given a Margherita\n  | kind         |\n  | Pizza pie    |\n", {"Margherita", "Pizza"}),
        ("a.csv", 'id,name\r\n1,"Twin\'s pizza"\r\n', {"Margherita", "MushroomPizza"}),
        ("a.csv", "id,name\n1,FOOD:1\n2,GO:0008150\n", {"Food", "GO_0008150"}),
        ("a.tsv", "biological\tprocess\nbiological process\n", {"GO_0008150"}),
        ("a.yaml", "expect:\n  - biological\n    process\n  - ex:Food\n", {"GO_0008150", "Food"}),
        ("a.json", '{"iri": "http:\\/\\/example.org\\/pizza#Pizza", "b": "Mozz\\u0061rella"}', {"Pizza", "Mozzarella"}),
        (
            "a.xml",
            f'<t xmlns:q="{IRI}"><kind>Twin&apos;s pizza</kind><c>q:Food</c></t>',
            {"Margherita", "MushroomPizza", "Pizza", "Food"},
        ),
        ("a.xml", "<t>biological <b>process</b></t>", {"GO_0008150"}),
        (
            "a.xml",
            '<?xml version="1.0" encoding="iso-8859-1"?><t a="é">VeggiePizza</t>'.encode("latin-1"),
            {"VeggiePizza"},
        ),
        ("a.csv", "name\nVeggiePizza\n".encode("utf-16"), {"VeggiePizza"}),
        ("a.rb", f"x = <{IRI}Pizza>.", {"Pizza"}),
        ("a.txt", f"See {IRI}Pizza.", {"Pizza"}),
        ("a.kt", 'run("PREFIX p: <http://example.org/pizza#> ASK { p:VeggiePizza ?p ?o }")', {"VeggiePizza"}),
        ("a.sh", "kgq 'ASK { ?x ?y <x:z> }'; check 'Margherita' 'Food'", {"x:z", "Margherita", "Food"}),
        ("no_extension", '"Margherita"', {"Margherita"}),
    ],
)
def test_a_name_counts_in_any_language(tmp_path: Path, name: str, content: str | bytes, found: set[str]) -> None:
    test = _test(tmp_path, name, content)
    assert (terms(test), test.unseen, test.language.name) == (found, (), "text")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("A.java", "unrelated();"),
        ("a.csv", ""),
        ("a.txt", "VeggiePizzas, MyVeggiePizza, Veggie_Pizza, xex:Food1"),
        ("A.java", "// the food is mentioned here by chance"),
        ("a.bin", b"\0VeggiePizza"),
        ("a.txt", "café: VeggiePizza".encode("latin-1")),
        ("a.csv", b"\xff\xfeV\0e\0x"),
        ("a.xml", "<t>VeggiePizza"),
        ("a.xml", '<!DOCTYPE t [<!ENTITY a "VeggiePizza">]><t>&a;</t>'),
        ("a.xml", '<?xml version="1.0" encoding="nothing"?><t>VeggiePizza</t>'),
        ("a.xlsx", "VeggiePizza"),
        ("a.sh", f'kind="{IRI}$1"; echo VeggiePizza'),
        ("a.pl", f'$kind = "{IRI}" . $name; say "VeggiePizza";'),
        ("a.txt", "VeggiePizza" * 1_000_000),
        ("A.java", 'q("SELECT count(*) FROM terms WHERE id = ?"); bind("VeggiePizza");'),
        ("a.sh", 'psql -c "\nSELECT count(*)\nFROM t\n" # VeggiePizza'),
        ("a.go", "q(`SELECT ?x { BROKEN`) // VeggiePizza"),
    ],
)
def test_a_file_that_is_not_understood_is_always_selected(tmp_path: Path, name: str, content: str | bytes) -> None:
    test = _test(tmp_path, name, content)
    assert test.unseen
    assert all(reason.startswith("cannot see what this test uses: ") for reason in test.unseen)


def test_a_word_by_chance_counts_but_does_not_make_a_file_understood(tmp_path: Path) -> None:
    test = _test(tmp_path, "A.java", "// we take food along")
    assert terms(test) == {"Food"}
    assert test.unseen == ("cannot see what this test uses: it names no term for certain: 'food' is too common a word",)


@pytest.mark.parametrize(
    "text",
    [
        '"' + " " * 1_000_000,
        "http://" + "a." * 500_000,
        "SELECT x FROM t; " * 60_000,
        '"SELECT x FROM t" ' * 60_000,
        "PREFIX " * 100_000 + "prefix" + " " * 500_000,
        "'''" * 300_001,
        "a:" + "-" * 1_000_000,
        "\\" * 1_000_001,
        "&" * 1_000_000,
        "(" * 1_000_000,
    ],
)
def test_hostile_texts_do_not_take_long(tmp_path: Path, text: str) -> None:
    assert _test(tmp_path, "a.java", text).unseen


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("A.java", "// kgprobe: descendants of ex:Food"),
        ("A.java", "/* kgprobe: descendants of ex:Food */"),
        ("a.xml", "<!-- kgprobe: descendants of ex:Food -->"),
        ("a.R", "# kgprobe: descendants of ex:Food\r"),
    ],
)
def test_a_file_can_state_its_terms(tmp_path: Path, name: str, comment: str) -> None:
    rest = "<t>VeggiePizza</t>" if name.endswith(".xml") else '"VeggiePizza" "SELECT broken FROM ("'
    test = _test(tmp_path, name, f"{comment}\n{rest}\n")
    assert (terms(test), test.unseen) == ({"Food"}, ())
    assert [use.direction for use in test.uses if isinstance(use, TermUse)] == [Direction.DESCENDANTS]


def _labelled(**labels: str) -> Graph:
    space = Namespace(IRI)
    return Graph(
        [Triple(space[name], RDFS.label, Literal(label)) for name, label in labels.items()],
        spelling=Spelling({"ex": IRI}),
    )


def _named(folder: Path, name: str, content: str, graph: Graph) -> set[str]:
    (folder / name).write_text(content, encoding="utf-8")
    suite = find_tests([folder / name], Vocabulary.of(graph), FinderOptions(root=folder, test_files=("*",)))
    return {use.term.value.rpartition("#")[2] for use in suite.tests[0].uses if isinstance(use, TermUse)}


LABELS = _labelled(K1="cola", K2="cola pizza", K3="(R)-lactate", K4="5", K5="→", K6="Ærø ost", K7="pizza")


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.java", 'f("cola pizza");', {"K2"}),  # the longer name
        ("a.java", 'f("cola  pizza");', {"K2"}),
        ("a.java", 'f("cola", "pizza");', {"K1", "K7"}),
        ("a.txt", "cola\npizza\n", {"K1", "K2", "K7"}),  # two values, or one name
        ("a.tsv", "cola\tpizza\n", {"K1", "K2", "K7"}),
        ("a.sh", "check cola pizza", {"K1", "K2", "K7"}),
        ("a.sh", "check 'cola pizza'", {"K2"}),
        ("a.txt", "the (R)-lactate", {"K3"}),
        ("a.txt", "x(R)-lactate", {"K3"}),
        ("a.java", 'f(5, x + 5, "5");', {"K4"}),
        ("a.java", "f(5);", set()),
        ("a.csv", "1,5\n", {"K4"}),
        ("a.txt", "a → b", {"K5"}),
        ("a.txt", "æRØ OST", {"K6"}),
    ],
)
def test_the_longest_name_counts_as_whole_words(tmp_path: Path, name: str, content: str, found: set[str]) -> None:
    assert _named(tmp_path, name, content, LABELS) == found


def test_places_are_those_in_the_file(tmp_path: Path) -> None:
    test = _test(tmp_path, "a.csv", "name\r\n\r\nPizza   pie,é\r\nex:Food\r\n")
    assert [(each.written, each.term.value) for each in test.mentions] == [
        ("Pizza   pie", f"{IRI}Pizza"),
        ("ex:Food", f"{IRI}Food"),
    ]
    assert [(use.text, use.line) for use in test.uses if isinstance(use, TermUse)] == [
        ("Pizza   pie", 3),
        ("ex:Food", 4),
    ]


# -- spreadsheets ------------------------------------------------------------------------------------------------------


def _book(*rows: tuple[object, ...]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.title = "Cases"
    for row in rows:
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_the_cells_of_a_spreadsheet_are_read(tmp_path: Path) -> None:
    test = _test(
        tmp_path, "a.xlsx", _book(("kind", "n"), ("VeggiePizza", 5), ('=COUNTIF(A:A,"Margherita")', "pizza PIE"))
    )
    assert (terms(test), test.unseen) == ({"VeggiePizza", "Margherita", "Pizza"}, ())
    assert "VeggiePizza (Cases!A2)" in [use.text for use in test.uses if isinstance(use, TermUse)]


def test_damaged_and_hostile_spreadsheets_are_not_read(tmp_path: Path) -> None:
    whole = _book(("VeggiePizza",))
    bomb = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as new:
        for each in old.infolist():
            content = old.read(each)
            if each.filename.startswith("xl/worksheets/"):
                content = b'<!DOCTYPE x [<!ENTITY a "b">]>' + content.partition(b"?>")[2]
            new.writestr(each.filename, content)
    large = io.BytesIO()
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * (65 << 20))
    for content in (whole[:-30], whole[:300], bomb.getvalue(), large.getvalue()):
        assert len(_test(tmp_path, "a.xlsx", content).unseen) == 1


def test_a_spreadsheet_needs_openpyxl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(UnavailableError, match=r"pip install 'kgprobe\[warehouse\]'"):
        _test(tmp_path, "a.xlsx", b"")


# -- which files are tests ---------------------------------------------------------------------------------------------


def test_files_of_sql_are_read_as_sql_by_default(tmp_path: Path) -> None:
    names = ("a.pgsql", "b.psql", "c.ddl", "d.plsql", "e.hql", "f.sql.j2", "G.SQL")
    suite = find(tmp_path, dict.fromkeys(names, "SELECT 1 FROM t WHERE x = 'VeggiePizza'"))
    assert [(test.name, test.language.name) for test in suite.tests] == sorted((name, "sql") for name in names)
    assert suite.skipped == ()


def test_a_known_language_keeps_its_reader(tmp_path: Path) -> None:
    files = {"a.rq": "ASK { ?x a <x:y> }", "b.sql": "SELECT 1", "check.py": "print('VeggiePizza')", "c.java": '"Food"'}
    suite = find(tmp_path, files, test_files=("*",))
    assert [test.language.name for test in suite.tests] == ["sparql", "sql", "text", "text"]


def test_files_that_are_not_read_are_counted(tmp_path: Path) -> None:
    files = {"q.rq": "ASK { ?x ?p ?y }", "q.csv": "x", "expected/q.json": "{}", "data.ttl": "", "helpers.py": ""}
    others = {"a.java": "", "b.java": "", "c.yml": "", "LICENSE": "", "d.CSV": ""}
    suite = find(tmp_path, {**files, **others})
    assert suite.skipped == ((".java", 2), ("", 1), (".csv", 1), (".yml", 1))
