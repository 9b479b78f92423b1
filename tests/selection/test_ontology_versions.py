"""Two versions of an ontology in several files, with imports, from real repositories."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.repositories import Repo, needs_git

from kgprobe.errors import InputError
from kgprobe.selection.ontology_versions import OntologyVersions, ontology_between, ontology_since

pytestmark = needs_git

OWL = "http://www.w3.org/2002/07/owl#"


def _ontology(name: str, *values: str, imports: str = "") -> str:
    imported = f"; <{OWL}imports> <urn:{imports}>" if imports else ""
    return f"<urn:{name}> a <{OWL}Ontology> {imported} .\n" + "".join(f"<urn:x> <urn:is> <urn:{v}> .\n" for v in values)


MAIN = _ontology("main", imports="food")


def _since(repo: Repo, *files: str, imports: tuple[str, ...] = (), catalogs: tuple[str, ...] = ()) -> OntologyVersions:
    root = repo.root
    named = ([root / each for each in names] for names in (files, imports, catalogs))
    return ontology_since("v1", next(named), root, next(named), next(named))


def _difference(found: OntologyVersions) -> tuple[set[str], set[str]]:
    versions = found.versions
    return {str(t.object) for t in versions.removed()}, {str(t.object) for t in versions.added()}


OLD_TO_NEW = ({"<urn:old>"}, {"<urn:new>"})


@pytest.mark.parametrize("place", ["onto/food.ttl", "onto/imports/food.owl", "elsewhere/other-name.ttl"])
def test_an_import_is_found_beside_the_ontology_or_among_changed_files(tmp_path: Path, place: str) -> None:
    repo = Repo.at(tmp_path, {"onto/main.ttl": MAIN, place: _ontology("food", "old")})
    repo.write({place: _ontology("food", "new")})
    found = _since(repo, "onto/main.ttl")
    assert _difference(found) == OLD_TO_NEW
    assert found.warnings == ()
    assert found.edits is not None
    assert found.edits.existed == {}  # it is a part of the ontology, and no data of tests


def test_imports_of_imports(tmp_path: Path) -> None:
    files = {"main.ttl": MAIN, "lib/food.ttl": _ontology("food", imports="deep"), "lib/d.ttl": _ontology("deep", "old")}
    repo = Repo.at(tmp_path, files)
    repo.write({"lib/d.ttl": _ontology("deep", "new")})
    assert _difference(_since(repo, "main.ttl", imports=("lib",))) == OLD_TO_NEW


def test_an_import_that_was_moved(tmp_path: Path) -> None:
    repo = Repo.at(tmp_path, {"onto/main.ttl": MAIN, "a/food.ttl": _ontology("food", "old", "same")})
    repo.write({"a/food.ttl": None, "b/food.ttl": _ontology("food", "new", "same")})
    assert _difference(_since(repo, "onto/main.ttl", imports=("b",))) == OLD_TO_NEW


def test_an_import_that_is_new_or_removed(tmp_path: Path) -> None:
    repo = Repo.at(tmp_path, {"main.ttl": _ontology("main"), "food.ttl": _ontology("food", "old")})
    repo.commit({"main.ttl": MAIN}, "v2")
    removed, added = _difference(_since(repo, "main.ttl"))
    assert not removed
    assert "<urn:old>" in added
    found = ontology_since("v2", [tmp_path / "main.ttl"], tmp_path, [], [])
    assert _difference(found) == (set(), set())


def test_a_catalog_beside_the_ontology(tmp_path: Path) -> None:
    start, end = '<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">', "</catalog>"
    entry = '<uri name="urn:food" uri="../lib/{}"/>'
    files = {
        "onto/main.ttl": MAIN,
        "onto/catalog-v001.xml": start + entry.format("1.ttl") + end,
        "lib/1.ttl": _ontology("food", "old"),
        "lib/2.ttl": _ontology("food", "new"),
    }
    repo = Repo.at(tmp_path, files)
    repo.write({"onto/catalog-v001.xml": start + entry.format("2.ttl") + end})
    assert _difference(_since(repo, "onto/main.ttl")) == OLD_TO_NEW


def test_imports_that_are_missing_or_have_no_versions_give_warnings(tmp_path: Path) -> None:
    repo = Repo.at(tmp_path / "repo", {"main.ttl": MAIN})
    found = _since(repo, "main.ttl")
    assert len(found.warnings) == 2
    assert all("imports <urn:food>, which was not found" in warning for warning in found.warnings)
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "food.ttl").write_text(_ontology("food", "any"), encoding="utf-8")
    found = _since(repo, "main.ttl", imports=("../lib",))
    [warning] = found.warnings
    assert "food.ttl is outside the repository" in warning


def test_ontologies_in_several_files_that_are_added_and_removed(tmp_path: Path) -> None:
    repo = Repo.at(tmp_path, {"a.ttl": _ontology("a", "old"), "b.ttl": _ontology("b", "same")})
    repo.write({"a.ttl": None, "c.ttl": _ontology("c", "new")})
    removed, added = _difference(_since(repo, "a.ttl", "b.ttl", "c.ttl"))
    assert "<urn:old>" in removed
    assert "<urn:new>" in added
    with pytest.raises(InputError, match=r"d\.ttl: exists neither now nor at v1"):
        _since(repo, "d.ttl")


def test_without_names_the_ontology_is_the_changed_graph_files_even_untracked(tmp_path: Path) -> None:
    repo = Repo.at(tmp_path, {"a.ttl": _ontology("a", "old"), "b.ttl": _ontology("b", "same")})
    repo.write({"a.ttl": _ontology("a", "new"), "untracked.ttl": _ontology("u", "more")})
    removed, added = _difference(_since(repo))
    assert removed == {"<urn:old>"}
    assert {"<urn:new>", "<urn:more>"} <= added


def test_tests_in_another_repository_than_the_ontology(tmp_path: Path) -> None:
    repo = Repo.at(tmp_path / "onto", {"main.ttl": _ontology("main")})
    Repo.at(tmp_path / "code")
    found = ontology_since("v1", [repo.root / "main.ttl"], tmp_path / "code", [], [])
    assert found.edits is None
    assert "so changed tests are not selected" in found.warnings[0]


def test_two_files_have_no_revision(tmp_path: Path) -> None:
    for name, value in (("1", "old"), ("2", "new")):
        (tmp_path / f"main-{name}.ttl").write_text(_ontology("main", value), encoding="utf-8")
    found = ontology_between(tmp_path / "main-1.ttl", tmp_path / "main-2.ttl", [], [])
    assert _difference(found) == OLD_TO_NEW
    assert found.edits is None
