"""A language of tests is one module: a toy language, added as a file, is found, explained, edited and reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.repositories import Repo, needs_git

from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import load
from kgprobe.git.repository import Repository
from kgprobe.rdf.diff import aligned
from kgprobe.report.selection import plan_as_junit
from kgprobe.selection import discovery
from kgprobe.selection.changed_tests import ChangedTests, with_changed_tests
from kgprobe.selection.discovery.files import languages
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.ontology_versions import Edits
from kgprobe.selection.plan import safe_plan
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.suite_score.tests import query_tests

from .finding import find, terms

# All that a new language needs. A test names one term in each line.
TOY = """
from kgprobe.given_files import exact_text
from kgprobe.selection.discovery.files import LanguageFiles
from kgprobe.selection.tests import Language, Test


class _ToyFiles:
    def __init__(self, search):
        self.search = search

    def finish(self):
        return ()

    def tests(self, file):
        uses, unseen = [], []
        for number, line in enumerate(exact_text(file.file).splitlines(), 1):
            known, problems = self.search.named(line, f"{file.name}:{number}", number)
            uses += known
            unseen += problems
        expected = self.search.neighbours.expected(file)
        yield Test(file.name, TOY, tuple(uses), tuple(unseen), file.file, expected=expected)


TOY = Language("toy", "a toy", has_values=True)
LANGUAGES = (LanguageFiles(TOY, _ToyFiles, (".toy",)),)
"""


@pytest.fixture
def _toys(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("toys")
    (folder / "toy_files.py").write_text(TOY)
    monkeypatch.setattr(discovery, "__path__", [*discovery.__path__, str(folder)])
    languages.cache_clear()
    yield
    languages.cache_clear()


def test_the_languages_that_come_with_kgprobe() -> None:
    assert [files.language.name for files in languages()] == ["python", "sparql", "manifest", "sql"]


@pytest.mark.usefixtures("_toys")
def test_the_tests_of_a_new_language_are_found(tmp_path: Path) -> None:
    files = {"a.toy": "Pizza\nFood\n", "b.toy": "Piza\n", "c.other": "Pizza", "expected/a.toy": "Pizza", "a.txt": "1"}
    suite = find(tmp_path, files)
    assert [(test.name, test.language.name, terms(test)) for test in suite.tests] == [
        ("a.toy", "toy", {"Pizza", "Food"}),
        ("b.toy", "toy", set()),
    ]
    assert suite.tests[0].expected == tmp_path / "a.txt"
    assert suite.tests[1].unseen == ("cannot see what this test uses: no term is called 'Piza'",)
    assert suite.notes == ("b.toy:1: no term of the ontology is called 'Piza' (did you mean 'Pizza'?)",)
    assert suite.skipped == ((".other", 1),)


@needs_git
@pytest.mark.usefixtures("_toys")
def test_selection_explains_edits_and_reports_a_new_language(tmp_path: Path) -> None:
    ontology = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    ontology += "".join(f"<urn:{name}> rdfs:label '{name}' .\n" for name in ("pizza", "tea", "cup"))
    files = {"pizza.toy": "pizza\n", "tea.toy": "tea\n", "cup.toy": "cup\n", "cup.dat": "1\n", "left.toy": "cup\n"}
    repo = Repo.at(tmp_path, {"onto.ttl": ontology, **files})
    repo.write({"onto.ttl": ontology.replace("'pizza'", "'pie'"), "tea.toy": "tea\ntea\n", "cup.dat": "2\n"})
    (tmp_path / "old.ttl").write_text(ontology)
    old, new = load(tmp_path / "old.ttl").graph, load(tmp_path / "onto.ttl").graph
    suite = find_tests([tmp_path], Vocabulary.of(new, old), FinderOptions(root=tmp_path))
    repository = Repository.around(tmp_path)
    edits = Edits(repository, repository.commit("v1", tmp_path), "v1", [tmp_path / "onto.ttl"])
    plan = with_changed_tests(safe_plan(aligned(old, new), suite, Regime.NONE), ChangedTests(edits))
    assert {planned.test.name: str(planned.because[0]) for planned in plan.chosen} == {
        "pizza.toy": "'pizza' in line 1 stands for <urn:pizza>, about which a triple changed: "
        '- <urn:pizza> rdfs:label "pizza"',
        "tea.toy": "the test itself has changed: it was edited",
        "cup.toy": "the test itself has changed: cup.dat was edited",
    }
    assert 'classname="toy"' in plan_as_junit(plan)
    left_out = query_tests(suite, Regime.NONE, {}).left_out
    assert {each.why for each in left_out} == {"it is a toy, which --run can run"}
