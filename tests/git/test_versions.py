"""Versions of files, from real repositories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.repositories import Repo, needs_git

from kgprobe.errors import InputError
from kgprobe.formats.imports import Library, with_imports
from kgprobe.git.repository import Repository
from kgprobe.git.versions import FilesAt, files_at, history

pytestmark = needs_git


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with three versions of menu.ttl, and one commit that is about something else."""
    repo = Repo.at(tmp_path, {"menu.ttl": "<urn:menu> <urn:version> 1 .\n"})
    for number in (2, 3):
        repo.commit({"menu.ttl": f"<urn:menu> <urn:version> {number} .\n"}, f"v{number}")
    repo.commit({"other.txt": "nothing"}, "other")
    return tmp_path / "menu.ttl"


def _said(files: FilesAt, path: Path) -> set[str]:
    """The values of all triples of a graph with its imports; nothing if there is none."""
    loaded = files.load_moved(path)
    if loaded is None:
        return set()
    library = Library((), [path.parent], files=files)
    return {str(triple.object) for triple in with_imports(loaded, library).graph}


def test_a_file_as_it_was(repository: Path) -> None:
    with files_at(repository, "v1") as files:
        loaded = files.load(repository)
        assert loaded is not None
        assert next(str(triple.object) for triple in loaded.graph).startswith('"1"')
        assert loaded.name == f"{repository} at v1"
        copy = files.place(repository)
    assert copy is not None
    assert not copy.exists()


def test_the_file_may_be_gone_by_now(repository: Path) -> None:
    repository.unlink()
    with files_at(repository, "HEAD") as files:
        assert files.load(repository) is not None


def test_a_file_that_was_moved(tmp_path: Path) -> None:
    text = "".join(f"<urn:menu> <urn:entry> {number} .\n" for number in range(20))
    repo = Repo.at(tmp_path, {"old/menu.ttl": text})
    (tmp_path / "new").mkdir()
    repo.git("mv", "old/menu.ttl", "new/menu.ttl")
    with files_at(tmp_path / "new/menu.ttl", "v1") as files:
        assert files.load(tmp_path / "new/menu.ttl") is None
        loaded = files.load_moved(tmp_path / "new/menu.ttl")
        assert loaded is not None
        assert len(loaded.graph) == 20


def test_what_is_wrong_with_an_old_version_names_the_version(tmp_path: Path) -> None:
    repo = Repo.at(tmp_path, {"menu.ttl": "<urn:a> <urn:b>\n<urn:c> <urn:d> .\n"})
    repo.write({"menu.ttl": "<urn:a> <urn:b> <urn:c> .\n"})
    with files_at(tmp_path / "menu.ttl", "v1") as files, pytest.raises(InputError, match=r"menu\.ttl at v1:2:"):
        files.load(tmp_path / "menu.ttl")


@pytest.mark.parametrize("revision", ["v9", "--output=/tmp/x", "HEAD~77", "", "  ", "menu.ttl", "a\0b"])
def test_a_revision_that_does_not_exist(repository: Path, revision: str) -> None:
    with pytest.raises(InputError, match=r"menu\.ttl"), files_at(repository, revision):
        pass


def test_a_folder_without_a_repository(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="give both"), files_at(tmp_path / "menu.ttl", "HEAD"):
        pass


# -- imports ---------------------------------------------------------------------------------------------------------

MAIN = "<urn:main> a <http://www.w3.org/2002/07/owl#Ontology> ; <http://www.w3.org/2002/07/owl#imports> <urn:food> .\n"


def _food(value: str) -> str:
    return f"<urn:food> a <http://www.w3.org/2002/07/owl#Ontology> ; <urn:is> <urn:{value}> .\n"


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        ({"food.ttl": "old"}, {"food.ttl": "new"}, {"<urn:old>"}),
        ({"food.ttl": "old"}, {"food.ttl": None}, {"<urn:old>"}),
        ({"a/food.ttl": "old"}, {"a/food.ttl": None, "b/food.ttl": "new"}, {"<urn:old>"}),
        ({"food.ttl": "old"}, {"food.ttl": None, "other-name.ttl": "new"}, {"<urn:old>"}),
        ({}, {"food.ttl": "new"}, set()),
    ],
)
def test_imports_are_those_of_the_revision(
    tmp_path: Path, then: dict[str, str], now: dict[str, str | None], expected: set[str]
) -> None:
    repo = Repo.at(tmp_path, {"main.ttl": MAIN, **{name: _food(value) for name, value in then.items()}})
    repo.write({name: None if value is None else _food(value) for name, value in now.items()})
    with files_at(tmp_path / "main.ttl", "v1") as files:
        assert {each for each in _said(files, tmp_path / "main.ttl") if "old" in each or "new" in each} == expected
        assert files.unversioned == {}


def test_imports_without_versions_are_read_as_they_are_now_and_named(tmp_path: Path) -> None:
    repo = Repo.at(tmp_path / "repo", {"main.ttl": MAIN, ".gitignore": "mirror/\n"})
    repo.write({"mirror/food.ttl": _food("ignored")})
    with files_at(repo.root / "main.ttl", "v1") as files:
        assert "<urn:ignored>" in _said(files, repo.root / "main.ttl")
        assert files.unversioned == {repo.root / "mirror/food.ttl": "is ignored by git"}
    outside = tmp_path / "food.ttl"
    outside.write_text(_food("outside"), encoding="utf-8")
    with files_at(repo.root / "main.ttl", "v1") as files:
        assert files.load(outside) is not None
        [warning] = files.warnings([outside, repo.root / "main.ttl"])
        assert "outside the repository" in warning
        assert "its current content" in warning


def test_links_lead_to_what_they_led_to(tmp_path: Path) -> None:
    repo = Repo.at(tmp_path, {"main.ttl": MAIN, "one.ttl": _food("one"), "two.ttl": _food("two")})
    (tmp_path / "food.ttl").symlink_to("one.ttl")
    (tmp_path / "circle.ttl").symlink_to("circle.ttl")
    repo.commit({}, "v2")
    (tmp_path / "food.ttl").unlink()
    (tmp_path / "food.ttl").symlink_to("two.ttl")
    with files_at(tmp_path / "food.ttl", "v2") as files:
        loaded = files.load(tmp_path / "food.ttl")
        assert loaded is not None
        assert any("one" in str(triple) for triple in loaded.graph)
        assert files.load(tmp_path / "circle.ttl") is None


CATALOG = """<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">{}</catalog>"""
ENTRY = '<uri name="urn:food" uri="{}"/>'


def test_catalogs_are_those_of_the_revision(tmp_path: Path) -> None:
    files = {
        "onto/main.ttl": MAIN,
        "catalog.xml": CATALOG.format('<nextCatalog catalog="more/next.xml"/>'),
        "more/next.xml": CATALOG.format(ENTRY.format("food-1.ttl")),
        "more/food-1.ttl": _food("old"),
    }
    repo = Repo.at(tmp_path, files)
    repo.write(
        {
            "catalog.xml": CATALOG.format(ENTRY.format("food-2.ttl")),
            "food-2.ttl": _food("new"),
            "more/next.xml": None,
            "more/food-1.ttl": None,
        }
    )
    main = tmp_path / "onto/main.ttl"
    with files_at(main, "v1") as then:
        loaded = then.load(main)
        assert loaded is not None
        library = Library([then.catalog(tmp_path / "catalog.xml")], files=then)
        graph = with_imports(loaded, library).graph
        assert any("old" in str(triple) for triple in graph)
        assert list(library.found.values()) == [tmp_path / "more/food-1.ttl"]
        assert then.catalog(tmp_path / "none.xml").find("urn:food") is None


def test_line_ends_are_those_of_a_checkout(tmp_path: Path) -> None:
    repo = Repo.at(tmp_path, {".gitattributes": "*.ttl text eol=crlf\n", "menu.ttl": "<urn:a> <urn:b> '''1\n2''' .\n"})
    with files_at(repo.root / "menu.ttl", "v1") as files:
        copy = files.place(repo.root / "menu.ttl")
        assert copy is not None
        assert b"\r\n" in copy.read_bytes()


# -- what has changed ------------------------------------------------------------------------------------------------


def test_changes_are_committed_staged_unstaged_and_untracked(tmp_path: Path) -> None:
    repo = Repo.at(tmp_path, dict.fromkeys(("same", "committed", "staged", "unstaged", "removed", "a b\nc"), "1"))
    repo.commit({"committed": "2"}, "v2")
    repo.write({"staged": "2"})
    repo.git("add", "staged")
    repo.write(
        {
            "unstaged": "2",
            "removed": None,
            "untracked": "2",
            "a b\nc": "2",
            ".gitignore": "ignored\n",
            "ignored": "1",
            "t/__pycache__/t.pyc": "1",
        }
    )
    found = Repository.around(tmp_path)
    changes = {path.name: was for path, was in found.changes(found.commit("v1", tmp_path)).items()}
    then = dict.fromkeys(["committed", "staged", "unstaged", "removed", "a b\nc"], True)
    assert changes == {**then, "untracked": False, ".gitignore": False}


def test_a_shallow_clone_says_what_to_do(tmp_path: Path, repository: Path) -> None:
    clone = tmp_path / "clone"
    Repo(tmp_path).git("clone", "--quiet", "--depth", "1", f"file://{repository.parent}", str(clone))
    for revision in ("HEAD~1", "v1", "origin/dev"):
        with pytest.raises(InputError, match="fetch-depth: 0"), files_at(clone / "menu.ttl", revision):
            pass
    with files_at(clone / "menu.ttl", "HEAD") as files:
        assert files.load(clone / "menu.ttl") is not None


# -- a history -------------------------------------------------------------------------------------------------------


def test_the_last_commits_that_changed_the_file(repository: Path) -> None:
    assert [version.subject for version in history([repository], "2")] == ["v1", "v2", "v3"]
    assert [version.subject for version in history([repository], "1")] == ["v2", "v3"]
    assert [version.subject for version in history([repository], "99")] == ["v1", "v2", "v3"]


def test_a_change_of_another_of_the_files_counts_too(repository: Path) -> None:
    both = [repository, repository.with_name("other.txt")]
    assert [version.subject for version in history(both, "1")] == ["v3", "other"]


def test_a_range_starts_with_what_it_was_made_from(repository: Path) -> None:
    assert [version.subject for version in history([repository], "v1..v3")] == ["v1", "v2", "v3"]
    assert [version.subject for version in history([repository], "v2..")] == ["v2", "v3"]


@pytest.mark.parametrize("revisions", ["v8..v9", "-x", ""])
def test_a_range_that_does_not_exist(repository: Path, revisions: str) -> None:
    with pytest.raises(InputError, match="revision"):
        history([repository], revisions)


def test_the_present_folder_does_not_matter(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repository.parent / "inner").mkdir()
    monkeypatch.chdir(repository.parent / "inner")
    with files_at(Path("../menu.ttl"), "v1") as files:
        assert files.load(Path("../menu.ttl")) is not None
        assert os.fspath(files.repository.root) == os.fspath(repository.parent)
