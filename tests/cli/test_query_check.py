"""`kgprobe query check`: files of all kinds, output, exit codes, fixes and comments."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest
from queries.checks import SOCIAL_NETWORK, checker

from kgprobe.cli.app import run
from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.queries import check
from kgprobe.queries.diagnosis.rules import CODES
from kgprobe.queries.diagnostics import ASSUMPTIONS, Report
from kgprobe.queries.files.texts import QueryText

ONTOLOGY = str(SOCIAL_NETWORK / "ontology.ttl")
SARIF = Path(__file__).resolve().parents[3] / "shared" / "sarif" / "sarif-schema-2.1.0.json"
PREFIX = "PREFIX sn: <https://example.org/social-network#>\n"
SELF = PREFIX + "SELECT ?u {\n  ?u sn:friend_of ?u }\n"
GOOD = PREFIX + "SELECT ?u { ?u sn:friend_of ?v }\n"


def checked(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, dict[str, object]]:
    code = run(["query", "check", "--json", "--ontology", ONTOLOGY, *map(str, arguments)])
    return code, json.loads(capsys.readouterr().out)


def checked_text(text: str) -> Report:
    return checker().check(QueryText.whole("query.rq", text))


def test_the_function_of_the_package() -> None:
    report = check(SELF, ONTOLOGY)
    assert [error.code for error in report.errors] == ["contradiction"]
    assert check(GOOD, [load(ONTOLOGY).graph]).diagnostics == ()


def places(report: dict[str, object]) -> list[tuple[object, ...]]:
    diagnostics = report["diagnostics"]
    assert isinstance(diagnostics, list)
    keys = ("line", "column", "end_line", "end_column", "severity", "code")
    return [tuple(diagnostic[key] for key in keys) for diagnostic in diagnostics]


def test_several_queries_have_the_worst_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in (("good.rq", GOOD), ("self.rq", SELF), ("broken.rq", "SELECT ?u {")):
        (tmp_path / name).write_text(text)
    assert checked(capsys, tmp_path / "good.rq")[0] == 0
    assert checked(capsys, tmp_path / "good.rq", tmp_path / "self.rq")[0] == 1
    code, report = checked(capsys, tmp_path)  # a broken file does not hide the others
    assert code == 2
    assert report["queries"] == 2
    assert places(report) == [(3, 3, 3, 21, "error", "contradiction")]


def test_a_broken_query_has_a_position(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.rq").write_text("SELECT ?u {\n ?u ?p }")
    assert run(["query", "check", "--ontology", ONTOLOGY, str(tmp_path / "broken.rq")]) == 2
    assert "broken.rq:2:" in capsys.readouterr().err


def test_bad_input_exits_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.rq").write_text(GOOD)
    (tmp_path / "zoo.ttl").write_text(
        "<urn:a> a <urn:A>, <urn:B> . <urn:A> a <http://www.w3.org/2002/07/owl#Class> ;"
        " <http://www.w3.org/2002/07/owl#disjointWith> <urn:B> ."
    )
    query = str(tmp_path / "good.rq")
    assert run(["query", "check", query]) == 2
    assert "no ontology is given" in capsys.readouterr().err
    assert run(["query", "check", query, "--ontology", "nowhere.ttl"]) == 2
    assert run(["query", "check", query, "--ontology", str(tmp_path / "zoo.ttl")]) == 2
    assert "the ontology is inconsistent: " in capsys.readouterr().err
    assert run(["query", "check", str(tmp_path / "nothing.rq"), "--ontology", ONTOLOGY]) == 2
    assert run(["query", "codes", "contradictions"]) == 2
    assert "did you mean 'contradiction'?" in capsys.readouterr().err


def test_python_strings_have_the_positions_of_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "app.py"
    file.write_text(
        '"""Select the users { of everything }."""\n'
        'ONE = """PREFIX sn: <https://example.org/social-network#>\n'
        "SELECT ?ü {\n"
        '  ?ü sn:friend_of ?ü }"""\n'
        "TWO = ('ASK { ' '?u sn:friend_of'\n"
        "       ' ?u }')\n"
        'THREE = "ASK {\\n\\t?u sn:friend_of ?u }"  # kgprobe: ignore contradiction\n'
        "FOUR = f'ASK {{ ?u sn:friend_of {ONE} }}'\n"
        "FIVE = 'ASK { ?u sn:friend_of %s }'\n"
        'SIX = "ASK {\\n\\t?u sn:friend_of ?u }"\n'
    )
    code, report = checked(capsys, file)
    assert code == 1
    assert report["queries"] == 5
    assert places(report) == [
        (4, 3, 4, 21, "error", "contradiction"),
        (5, 18, 6, 12, "error", "contradiction"),
        (10, 17, 10, 35, "error", "contradiction"),
    ]
    skipped = report["skipped"]
    assert isinstance(skipped, list)
    assert [each["line"] for each in skipped] == [8]


def test_an_update_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one.ru").write_text(PREFIX + "INSERT DATA { sn:antonio sn:likes 5 } ;\nDELETE WHERE { ?u sn:age ?a }")
    code, report = checked(capsys, tmp_path / "one.ru")
    assert code == 1
    assert places(report) == [(2, 15, 2, 36, "error", "literal-for-object-property")]


def test_fixes_are_applied_if_unambiguous(tmp_path: Path) -> None:
    file = tmp_path / "self.rq"
    file.write_text(SELF.replace("\n", "\r\n"), newline="")
    assert run(["query", "check", "--ontology", ONTOLOGY, "--fix", str(file)]) == 0
    assert file.read_bytes().decode() == SELF.replace("friend_of ?u ", "friend_of ?u2 ").replace("\n", "\r\n")
    two = (SOCIAL_NETWORK / "queries" / "1.rq").read_text()
    file.write_text(two)
    assert run(["query", "check", "--ontology", ONTOLOGY, "--fix", str(file)]) == 1
    assert file.read_text() == two  # two fixes: which one is meant?


def test_the_fixed_text_of_standard_input_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SELF.encode())))
    assert run(["query", "check", "--ontology", ONTOLOGY, "--fix", "-"]) == 0
    printed = capsys.readouterr()
    assert printed.out == SELF.replace("friend_of ?u ", "friend_of ?u2 ")
    assert printed.err == "-: 1 fix made\n1 query: 0 errors, 0 warnings\n"


def test_each_fix_makes_its_error_go_away() -> None:
    queries = [
        PREFIX + "SELECT * { ?e sn:created_by ?u . ?e sn:likes ?v . ?v sn:invited_to ?e }",
        PREFIX + "SELECT * { ?e sn:created_by ?u ; sn:likes ?v . ?v sn:invited_to ?e }",
        PREFIX + "SELECT * { ?e a sn:Event . ?e sn:confirmed_by ?u . ?u sn:age ?a . ?e sn:attends_to ?u }",
        SELF,
        PREFIX + "ASK { ?u sn:frend_of ?v }",
    ]
    for query in queries:
        report = checked_text(query)
        fixes = [fix for error in report.errors for fix in error.fixes]
        assert fixes, query
        for fix in fixes:
            text = query
            for edit in sorted(fix.edits, key=lambda each: each.place.start, reverse=True):
                text = text[: edit.place.start] + edit.text + text[edit.place.end :]
            assert checked_text(text).errors == (), text


def test_comments_silence_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    above = SELF.replace("  ?u sn", "  # kgprobe: ignore cross-product, contradiction: it should be empty\n  ?u sn")
    beside = SELF.rstrip() + " # kgprobe: ignore contradiction\n"
    other = SELF.rstrip() + " # kgprobe: ignore cross-product\n"
    unknown = SELF.rstrip() + " # kgprobe: ignore contradicton\n"
    for text, expected in (
        (above, []),
        (beside, []),
        (other, ["contradiction"]),
        (unknown, ["contradiction", "unknown-code"]),
    ):
        report = checked_text(text)
        assert [diagnostic.code for diagnostic in report.diagnostics] == expected, text
    (tmp_path / "named.rq").write_text(f"# kgprobe: ontology {ONTOLOGY}\n" + SELF)
    assert run(["query", "check", str(tmp_path / "named.rq")]) == 1
    assert "contradiction" in capsys.readouterr().out


def test_sarif_is_valid(tmp_path: Path) -> None:
    found = tmp_path / "found.sarif"
    queries = str(SOCIAL_NETWORK / "queries")
    assert run(["query", "check", queries, "--ontology", ONTOLOGY, "--sarif", str(found)]) == 1
    log = json.loads(found.read_text())
    results = log["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["contradiction", "contradiction", "false-filter"]
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in results)
    assert results[0]["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 4,
        "startColumn": 3,
        "endLine": 4,
        "endColumn": 25,
    }
    if not SARIF.exists():
        pytest.skip("needs the JSON schema of SARIF in ../shared, which is not part of the project")
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft7Validator(json.loads(SARIF.read_text())).validate(log)


def test_each_code_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["query", "codes", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [each["code"] for each in listed] == list(CODES)
    for code in CODES:
        assert run(["query", "codes", code]) == 0
        assert code in capsys.readouterr().out


def test_errors_name_their_assumptions_and_the_documentation_has_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "queries.md").read_text()
    assert [each.name for each in ASSUMPTIONS if f"| `{each.name}` |" not in page] == []
    assert {name for code in CODES.values() for name in code.assumes} == set(ASSUMPTIONS)
    report = checked_text(SELF)
    assert [bool(CODES[error.code].assumes) for error in report.errors] == [True]
    assert run(["query", "codes", "literal-as-subject"]) == 0
    assert "An error assumes rdf-data: The data are an RDF 1.1 dataset" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        "",
        "SELECT",
        "\x00",
        "SELECT * {" * 3000,
        "SELECT * { " + "{ " * 500 + "?s ?p ?o" + " }" * 500 + " }",
        "SELECT * { ?s ?p ?o FILTER(" + "(" * 300 + "1" + ")" * 300 + ") }",
        "SELECT * { ?s " + "/".join(["<urn:p>"] * 2000) + " ?o }",
        "SELECT * { ?s (" + "|".join(f"<urn:p{n}>" for n in range(3000)) + ") ?o }",
        "SELECT * { ?s <urn:p> ?o VALUES ?o { " + " ".join(map(str, range(5000))) + " } FILTER(?o > 3) }",
        "SELECT * { " + " ".join(f"?s{n} <urn:p> ?s{n + 1} ." for n in range(300)) + " }",
        "SELECT * { " + " ".join("OPTIONAL { ?s <urn:p> ?o } " for _ in range(150)) + " }",
    ],
    ids=lambda text: text[:12] + str(len(text)),
)
def test_hostile_queries_give_an_answer_or_one_line(text: str) -> None:
    with contextlib.suppress(InputError):
        checked_text(text)
