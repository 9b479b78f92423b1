"""`kgprobe diff`: changes as text, JSON and KGCL."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import Done, assert_refused, kgprobe

from kgprobe.cli.app import run

PREFIXES = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix dcterms: <http://purl.org/dc/terms/> .
:Food a owl:Class . :Drink a owl:Class ; rdfs:label "drink" ; rdfs:subClassOf :Food .
"""
OLD = """:Tea a owl:Class ; rdfs:label "tea" ; rdfs:subClassOf :Food . :Gone a owl:Class ; rdfs:label "gone" .
:Mint a owl:Class ; rdfs:label "mint tea" ; rdfs:subClassOf :Tea .
"""
NEW = """:Tea a owl:Class ; rdfs:label "green tea" ; rdfs:subClassOf :Drink .
:Tea owl:deprecated true ; dcterms:isReplacedBy :Cha .
:Cha a owl:Class ; rdfs:label "cha" . :Mint a owl:Class ; rdfs:label "mint tea" ; rdfs:subClassOf :Tea .
"""
KEYS = [
    *("old", "new", "different", "triples", "added", "removed", "changed", "renamed", "obsoleted", "unobsoleted"),
    *("moved", "labels", "definitions", "synonyms", "annotations", "statement_annotations", "axioms", "inferred"),
]


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Path, Path]:
    paths = tmp_path / "old.ttl", tmp_path / "new.ttl"
    for path, text in zip(paths, (OLD, NEW), strict=True):
        path.write_text(PREFIXES + text)
    return paths


def test_a_summary_for_people(versions: tuple[Path, Path]) -> None:
    done = kgprobe("diff", *versions)
    old, new = versions
    assert done.returncode == 1
    assert done.stderr == ""
    assert done.stdout == (
        f"""{old} → {new}
                              added  removed  changed
  classes                         1        1        1
added (1)
  class :Cha 'cha'
removed (1)
  class :Gone 'gone'
obsoleted (1)
  :Tea 'green tea'; replaced by :Cha 'cha'
moved (1)
  :Tea 'green tea': from :Food to :Drink 'drink'
labels changed (1)
  :Tea: 'tea' → 'green tea'
other annotations changed (1)
  :Tea 'green tea': + dcterms:isReplacedBy :Cha 'cha'; + owl:deprecated 'true'
inferred subsumptions gained (1)
  :Mint 'mint tea' below :Drink 'drink'
class hierarchies: the stated hierarchy, which is complete: only SubClassOf between names
"""
    )


def test_equal_versions_have_no_changes(versions: tuple[Path, Path], tmp_path: Path) -> None:
    copy = tmp_path / "copy.nt"
    assert kgprobe("convert", versions[0], copy).returncode == 0
    done = kgprobe("diff", versions[0], copy)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{versions[0]} → {copy}: nothing has changed\n"
    done = kgprobe("diff", versions[0], copy, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["different"] is False
    done = kgprobe("diff", versions[0], copy, "--format", "kgcl")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_json_for_machines(versions: tuple[Path, Path]) -> None:
    done = kgprobe("diff", *versions, "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert list(found) == KEYS
    assert found["triples"] == {"removed": 4, "added": 6}
    assert found["added"] == [{"iri": "http://example.org/Cha", "name": ":Cha", "kind": "class", "label": "cha"}]
    [obsoleted] = found["obsoleted"]
    assert obsoleted["replaced_by"] == [{"iri": "http://example.org/Cha", "name": ":Cha", "label": "cha"}]
    [label] = found["labels"]
    assert (label["removed"], label["added"]) == ([{"value": "tea"}], [{"value": "green tea"}])
    [moved] = found["moved"]
    assert [parent["name"] for parent in moved["removed"] + moved["added"]] == [":Food", ":Drink"]
    assert found["axioms"]["added"] == [
        {"about": "http://example.org/Tea", "kind": "SubClassOf", "text": "'green tea' SubClassOf drink"}
    ]
    assert found["inferred"]["gained"] == {
        "count": 1,
        "listed": [["http://example.org/Mint", "http://example.org/Drink"]],
    }
    assert found["inferred"]["how"]["old"].startswith("the stated hierarchy")
    assert kgprobe("diff", *versions, "--format", "json").stdout == done.stdout


def test_entailed_changes_can_be_left_out(versions: tuple[Path, Path]) -> None:
    assert json.loads(kgprobe("diff", *versions, "--json", "--no-inferred").stdout)["inferred"] is None
    assert "inferred" not in kgprobe("diff", *versions, "--no-inferred").stdout


def test_kgcl(versions: tuple[Path, Path]) -> None:
    done = kgprobe("diff", *versions, "--format", "kgcl")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "create node <http://example.org/Cha> 'cha'",
        "move <http://example.org/Tea> rdfs:subClassOf <http://example.org/Food> from <http://example.org/Food>"
        " to <http://example.org/Drink>",
        "rename <http://example.org/Tea> from 'tea' to 'green tea'",
        "obsolete <http://example.org/Tea> with replacement <http://example.org/Cha>",
        "delete <http://example.org/Gone>",
    ]
    assert done.stderr == ""


def test_changes_that_kgcl_cannot_express_are_counted(tmp_path: Path) -> None:
    (tmp_path / "old.ttl").write_text(PREFIXES)
    (tmp_path / "new.ttl").write_text(PREFIXES + ":Drink rdfs:comment 'one' , 'two' .")
    done = kgprobe("diff", tmp_path / "old.ttl", tmp_path / "new.ttl", "--format", "kgcl")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "kgprobe: note: KGCL cannot express 2 of the changes: 2 added or removed annotations\n"


def test_the_sets_of_the_paper(versions: tuple[Path, Path]) -> None:
    done = kgprobe("diff", *versions, "--mode", "paper", "--json")
    assert done.returncode == 1
    names = {
        key: [[part and part.removeprefix("http://example.org/") for part in row] for row in rows]
        for key, rows in json.loads(done.stdout).items()
    }
    assert names == {
        "add": [["Cha", None, None]],
        "delete": [["Gone", None, None]],
        "affect": [["Drink", None, None], ["Gone", None, None]],
    }
    lines = kgprobe("diff", *versions, "--mode", "paper").stdout.splitlines()
    assert lines[1:] == ["ADD (1)", "  :Cha 'cha'", "DELETE (1)", "  :Gone 'gone'", "AFFECT (2)", *lines[-2:]]
    assert lines[-2:] == ["  :Drink 'drink'", "  :Gone 'gone'"]
    assert kgprobe("diff", versions[0], versions[0], "--mode", "paper").returncode == 0


def test_thousands_of_changes_fit_on_a_page(tmp_path: Path) -> None:
    kinds = [
        *('rdfs:label "x{0}" ', 'rdfs:comment "y{0}" ', "rdfs:subClassOf :Drink ", "rdfs:seeAlso :Food "),
        *('<http://www.w3.org/2004/02/skos/core#altLabel> "z{0}" ', "owl:disjointWith :Food "),
    ]
    old = [f":C{n} a owl:Class ." for n in range(600)] + [f":Gone{n} a owl:Class ." for n in range(600)]
    new = [f":C{n} a owl:Class ; {kind.format(n)} ." for n, kind in zip(range(600), kinds * 100, strict=True)]
    new += [f":New{n} a owl:Class ; rdfs:subClassOf :C1 ." for n in range(600)]
    (tmp_path / "old.ttl").write_text(PREFIXES + "\n".join(old))
    (tmp_path / "new.ttl").write_text(PREFIXES + "\n".join(new))
    done = kgprobe("diff", tmp_path / "old.ttl", tmp_path / "new.ttl")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert 55 <= len(lines) <= 60
    assert "added (600)" in lines
    assert "removed (600)" in lines
    assert any(line.startswith("  … and ") and line.endswith(" more") for line in lines)
    assert "Use --all or --json to see every change." in lines
    everything = kgprobe("diff", tmp_path / "old.ttl", tmp_path / "new.ttl", "--all").stdout.splitlines()
    assert len(everything) > 1800
    assert not [line for line in everything if line.startswith(("  …", "See "))]
    assert all(f"  class :New{n}" in everything for n in range(600))


def test_labels_cannot_control_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "old.ttl").write_text(PREFIXES)
    (tmp_path / "new.ttl").write_text(PREFIXES + ':New a owl:Class ; rdfs:label "\\u001B[2Jboo\\u0007" .')
    done = kgprobe("diff", tmp_path / "old.ttl", tmp_path / "new.ttl")
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert "\\x1b[2Jboo\\x07" in done.stdout


def test_titles_are_bold_on_a_terminal_only(versions: tuple[Path, Path]) -> None:
    terminal, end = pty.openpty()
    subprocess.run(  # noqa: S603 - our own command, our own arguments
        [sys.executable, "-m", "kgprobe", "diff", *map(str, versions)],
        stdout=end,
        env={**os.environ, "TERM": "xterm"},
        check=False,
    )
    os.close(end)
    shown = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert "\x1b[1madded (1)\x1b[0m" in shown
    assert "\x1b" not in kgprobe("diff", *versions).stdout


def test_one_version_from_standard_input(versions: tuple[Path, Path]) -> None:
    done = kgprobe("diff", "-", versions[1], "--no-inferred", stdin=versions[0].read_bytes())
    assert done.returncode == 1
    assert "labels changed (1)" in done.stdout


def test_imports_are_part_of_both_versions(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "food.ttl").write_text(
        PREFIXES + '<http://example.org/food> a owl:Ontology . :Bread a owl:Class ; rdfs:label "bread" .'
    )
    header = "<http://example.org/menu> a owl:Ontology ; owl:imports <http://example.org/food> ."
    (tmp_path / "old.ttl").write_text(PREFIXES + header)
    (tmp_path / "new.ttl").write_text(PREFIXES + header + ":Roll a owl:Class ; rdfs:subClassOf :Bread .")
    paths = tmp_path / "old.ttl", tmp_path / "new.ttl"
    done = kgprobe("diff", *paths, "--imports", tmp_path / "lib", "--no-inferred")
    assert (done.returncode, done.stderr) == (1, "")
    assert "  + :Roll: Roll SubClassOf bread\n" in done.stdout
    assert "added (1)" in done.stdout
    assert_refused(kgprobe("diff", *paths, "--strict-imports"), "http://example.org/food")


def test_the_chosen_reasoner_is_used(tmp_path: Path) -> None:
    text = (
        PREFIXES + ":A owl:equivalentClass [ owl:intersectionOf ( :Drink :Tea ) ; a owl:Class ] . :Tea a owl:Class . "
    )
    (tmp_path / "old.ttl").write_text(text)
    (tmp_path / "new.ttl").write_text(text + ":B a owl:Class ; rdfs:subClassOf :Drink , :Tea . :B rdfs:label 'b' .")
    (tmp_path / "both.ttl").write_text(text + ":B a owl:Class ; rdfs:subClassOf :Drink . :B rdfs:label 'b' .")
    done = kgprobe("diff", tmp_path / "both.ttl", tmp_path / "new.ttl", "--reasoner", "rustdl", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)["inferred"]
    assert ["http://example.org/B", "http://example.org/A"] in found["gained"]["listed"]
    assert "rustdl" in found["how"]["new"]


def test_invalid_input_is_refused_in_one_line(
    versions: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*arguments: str | Path) -> Done:
        return Done(run(["diff", *map(str, arguments)]), *capsys.readouterr())

    broken = tmp_path / "broken.ttl"
    broken.write_text(":a :b :c .")
    assert_refused(kgprobe("diff", versions[0], tmp_path / "none.ttl"), "none.ttl")
    assert_refused(refused(versions[0], broken), "broken.ttl")
    assert_refused(refused("-", "-"), "only one of OLD and NEW")
    assert_refused(refused(*versions, "--mode", "paper", "--format", "kgcl"), "--mode paper does not support KGCL")
    assert_refused(refused(*versions, "--format", "yaml"), "'yaml'", "kgcl")
    assert_refused(refused(*versions, "--reasoner", "hermitt"), "hermitt")
    assert_refused(refused(*versions, "--input-format", "turtel"), "turtel")
    assert_refused(refused(versions[0]), "the old version is missing", "--since")
