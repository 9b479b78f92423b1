"""Tests that have changed since a revision, in real repositories with the files of typical suites."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from support.repositories import Repo, needs_git

from kgprobe.formats.files import load
from kgprobe.git.repository import Repository
from kgprobe.selection.changed_tests import ChangedTests
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.ontology_versions import Edits
from kgprobe.selection.vocabulary import Vocabulary

pytestmark = needs_git

ASKS = 'from rdflib import Graph\nQUERY = "SELECT ?x WHERE { ?x a <urn:Pizza> }"\n'


def _asking(*names: str, more: str = "") -> str:
    """A test file in which each test queries for pizzas."""
    return ASKS + more + "".join(f"\ndef {name}(graph):\n    assert graph.query(QUERY)\n" for name in names)


PLAIN = {
    "onto.ttl": "<urn:margherita> a <urn:Pizza> .\n",
    "tests/test_a.py": _asking("test_one", "test_two"),
    "tests/test_b.py": _asking("test_three"),
}


def _changed(repo: Repo, revision: str = "v1") -> dict[str, str]:
    """The tests that have changed, with the reasons."""
    root = repo.root
    graph = load(root / "onto.ttl").graph
    suite = find_tests([root], Vocabulary.of(graph, graph), FinderOptions(root=root))
    repository = Repository.around(root)
    commit = repository.commit(revision, root)
    judge = ChangedTests(Edits(repository, commit, revision, [root / "onto.ttl"]))
    return {test.name: why for test in suite.tests if (why := judge.why(test)) is not None}


def _names(changed: Mapping[str, str]) -> set[str]:
    return {name.rpartition("::")[2] for name in changed}


def _repo(tmp_path: Path, files: Mapping[str, str]) -> Repo:
    return Repo.at(tmp_path, {**PLAIN, **files})


def test_no_test_has_changed_if_only_the_ontology_has(tmp_path: Path) -> None:
    repo = _repo(tmp_path, {})
    repo.write({"onto.ttl": "<urn:margherita> a <urn:Cake> .\n"})
    assert _changed(repo) == {}


@pytest.mark.parametrize("is_committed", [True, False])
def test_an_edited_test_changes_no_other_test_of_its_file(tmp_path: Path, is_committed: bool) -> None:
    repo = _repo(tmp_path, {})
    edit = {"tests/test_a.py": _asking("test_one", "test_two").replace("assert", "assert 1 +", 1)}
    if is_committed:
        repo.commit(edit, "v2")
    else:
        repo.write(edit)
    assert _changed(repo) == {"tests/test_a.py::test_one": "it was edited"}


def test_code_at_the_top_of_a_file_may_refer_to_an_edited_test(tmp_path: Path) -> None:
    code = _asking("test_one", "test_two") + "\nALL = [test_one]\n\ndef test_all(graph):\n"
    code += "    assert graph.query(QUERY)\n    for test in ALL:\n        test(graph)\n"
    repo = _repo(tmp_path, {"tests/test_a.py": code})
    repo.write({"tests/test_a.py": code.replace("assert", "assert 1 +", 1)})
    assert _changed(repo) == {
        "tests/test_a.py::test_one": "it was edited",
        "tests/test_a.py::test_two": "it refers to a test that was edited",
        "tests/test_a.py::test_all": "it refers to a test that was edited",
    }


def test_new_tests_in_existing_new_and_untracked_files(tmp_path: Path) -> None:
    repo = _repo(tmp_path, {})
    repo.write({"tests/test_a.py": _asking("test_one", "test_two", "test_new"), "tests/test_c.py": _asking("test_far")})
    changed = _changed(repo)
    assert changed == {"tests/test_a.py::test_new": "it is new", "tests/test_c.py::test_far": "it is new"}


def test_a_renamed_file_is_a_new_one(tmp_path: Path) -> None:
    repo = _repo(tmp_path, {})
    repo.git("mv", "tests/test_b.py", "tests/test_c.py")
    assert _changed(repo) == {"tests/test_c.py::test_three": "it is new"}


def test_comments_and_layout_do_not_count(tmp_path: Path) -> None:
    repo = _repo(tmp_path, {"tests/conftest.py": "import os\n"})
    text = PLAIN["tests/test_a.py"].replace("assert", "# asks\n\n    assert")
    repo.write({"tests/test_a.py": text, "tests/conftest.py": "import os  # why\n"})
    assert _changed(repo) == {}


def test_code_that_all_tests_of_a_file_share(tmp_path: Path) -> None:
    repo = _repo(tmp_path, {})
    repo.write({"tests/test_a.py": _asking("test_one", "test_two", more="LIMIT = 3\n")})
    assert _names(_changed(repo)) == {"test_one", "test_two"}


def test_a_test_that_refers_to_an_edited_one(tmp_path: Path) -> None:
    text = _asking("test_one", "test_two") + "\ndef test_both(graph):\n    test_one(graph)\n    graph.query(QUERY)\n"
    repo = _repo(tmp_path, {"tests/test_a.py": text})
    repo.write({"tests/test_a.py": text.replace("assert", "assert not", 1)})
    assert _names(_changed(repo)) == {"test_one", "test_both"}


def test_methods_of_classes(tmp_path: Path) -> None:
    text = ASKS + (
        "class TestMenu:\n"
        "    limit = 3\n"
        "    def test_one(self, graph): assert graph.query(QUERY)\n"
        "    def test_two(self, graph): assert graph.query(QUERY)\n"
        "class TestMore(TestMenu):\n"
        "    def test_three(self, graph): assert graph.query(QUERY)\n"
    )
    repo = _repo(tmp_path, {"tests/test_a.py": text})
    repo.write({"tests/test_a.py": text.replace("assert", "assert 1 and", 1)})
    # Only running a class would show which tests it inherits.
    assert set(_changed(repo)) == {f"tests/test_a.py::{name}::test_one" for name in ("TestMenu", "TestMore")} | {
        "tests/test_a.py::TestMore::test_two"
    }
    repo.write({"tests/test_a.py": text.replace("limit = 3", "limit = 4")})
    assert len(_changed(repo)) == 5


# -- code that a test uses -------------------------------------------------------------------------------------------

HELPER = "tests/helper.py"


@pytest.mark.parametrize(
    ("statement", "file"),
    [
        ("from helper import ask", "tests/helper.py"),
        ("import helper", "tests/helper.py"),
        ("import helper as h", "tests/helper.py"),
        ("from helper import *", "tests/helper.py"),
        ("from .helper import ask", "tests/helper.py"),
        ("from . import helper", "tests/helper.py"),
        ("from ..common.helper import ask", "common/helper.py"),
        ("from tests.support.helper import ask", "tests/support/helper.py"),
        ("import tests.support.helper", "tests/support/helper.py"),
        ("from tests.support import helper", "tests/support/helper.py"),
        ("from menu.prices import total", "src/menu/prices.py"),
        ("from menu.prices import total", "src/menu/__init__.py"),
        ("from menu.prices import total", "packages/food/src/menu/prices.py"),
        ("import menu", "lib/menu/__init__.py"),
        ("def late():\n    from helper import ask", "tests/helper.py"),
        ("if True:\n    import helper", "tests/helper.py"),
        ("import importlib\nhelper = importlib.import_module('helper')", "tests/helper.py"),
        ("helper = __import__('support.helper')", "tests/support/helper.py"),
        ("import pytest\nhelper = pytest.importorskip('support.helper')", "tests/support/helper.py"),
        ("pytest_plugins = ['support.fixtures']", "tests/support/fixtures.py"),
        ("import sys\nTOOL = [sys.executable, '-m', 'menu.tool']", "src/menu/tool.py"),
        ("TOOL = ['python', 'scripts/tool.py']", "scripts/tool.py"),
        ("from unittest.mock import patch\nP = patch('menu.prices.total')", "src/menu/prices.py"),
    ],
)
def test_a_module_that_a_test_imports(tmp_path: Path, statement: str, file: str) -> None:
    repo = _repo(tmp_path, {"tests/test_a.py": _asking("test_one", more=statement + "\n"), file: "VALUE = 1\n"})
    assert _changed(repo) == {}
    repo.write({file: "VALUE = 2\n"})
    assert _changed(repo) == {"tests/test_a.py::test_one": f"it uses {file}, which was edited"}
    repo.write({file: None})
    assert _changed(repo) == {"tests/test_a.py::test_one": f"it uses {file}, which was removed"}


def test_imports_are_followed_through_packages_and_star_imports(tmp_path: Path) -> None:
    files = {
        "tests/test_a.py": _asking("test_one", more="from menu import *\n"),
        "src/menu/__init__.py": "from .inner import total\n",
        "src/menu/inner/__init__.py": "from .deep import total\n",
        "src/menu/inner/deep.py": "import space.part\n",
        "src/space/part.py": "VALUE = 1\n",  # a namespace package: it has no __init__.py
        "src/other.py": "VALUE = 1\n",
    }
    repo = _repo(tmp_path, files)
    repo.write({"src/other.py": "VALUE = 2\n"})
    assert _changed(repo) == {}
    for name in ("src/menu/__init__.py", "src/menu/inner/__init__.py", "src/menu/inner/deep.py", "src/space/part.py"):
        repo.write({name: files[name] + "MORE = 1\n"})
        assert _names(_changed(repo)) == {"test_one"}, name
        repo.write({name: files[name]})


def test_a_module_that_now_hides_another(tmp_path: Path) -> None:
    repo = _repo(tmp_path, {"tests/test_a.py": _asking("test_one", more="import helper\n"), "src/helper.py": "A = 1\n"})
    repo.write({"tests/helper.py": "A = 2\n"})
    assert _changed(repo) == {"tests/test_a.py::test_one": "it uses tests/helper.py, which is new"}


def test_module_names_that_are_not_constant(tmp_path: Path) -> None:
    code = "import importlib, sys\nplugin = importlib.import_module(sys.argv[0])\n"
    far = "A = open('menu.json').read()\n"
    files = {"tests/test_a.py": _asking("test_one", more=code), "plugins/far.py": far, "data/menu.json": "1"}
    repo = _repo(tmp_path, {**files, "data/other.json": "1"})
    repo.write({"data/other.json": "2"})
    assert _changed(repo) == {}
    repo.write({"data/menu.json": "2"})  # what is imported may read it
    assert _names(_changed(repo)) == {"test_one"}
    repo.write({"data/menu.json": "1", "plugins/far.py": far + "B = 2\n"})
    assert _names(_changed(repo)) == {"test_one"}


def test_a_standard_module_is_not_a_file_elsewhere(tmp_path: Path) -> None:
    files = {"tests/test_a.py": _asking("test_one", more="import json\n"), "src/menu/json.py": "A = 1\n"}
    repo = _repo(tmp_path, files)
    repo.write({"src/menu/json.py": "A = 2\n"})
    assert _changed(repo) == {}


@pytest.mark.parametrize("change", ["import os\nimport sys\n", None])
def test_a_conftest_counts_for_the_tests_in_its_folder(tmp_path: Path, change: str | None) -> None:
    inner = {"tests/inner/test_c.py": _asking("test_four"), "tests/inner/conftest.py": "import os\n"}
    repo = _repo(tmp_path, {**inner, "tests/conftest.py": "import os\n"})
    repo.write({"tests/inner/conftest.py": change})
    assert _names(_changed(repo)) == {"test_four"}
    repo.write({"tests/conftest.py": change})
    assert _names(_changed(repo)) == {"test_one", "test_two", "test_three", "test_four"}


def test_a_new_conftest(tmp_path: Path) -> None:
    repo = _repo(tmp_path, {})
    repo.write({"tests/conftest.py": "import os\n"})
    assert len(_changed(repo)) == 3


def test_a_module_that_a_conftest_imports(tmp_path: Path) -> None:
    files = {"tests/conftest.py": "from fixtures import menu\n", "tests/fixtures.py": "menu = 1\n"}
    repo = _repo(tmp_path, files)
    repo.write({"tests/fixtures.py": "menu = 2\n"})
    assert len(_changed(repo)) == 3


@pytest.mark.parametrize(
    ("name", "old", "new", "counts"),
    [
        ("pytest.ini", "[pytest]\n", "[pytest]\naddopts = -x\n", True),
        ("pyproject.toml", "[tool.pytest.ini_options]\n", "[tool.pytest.ini_options]\naddopts = '-x'\n", True),
        ("pyproject.toml", "[project]\nname = 'a'\n", "[project]\nname = 'b'\n", False),
        ("setup.cfg", "[metadata]\n", "[tool:pytest]\n", True),
        ("tests/tox.ini", "[pytest]\n", None, True),
        ("docs/pytest.ini", "[pytest]\n", "[pytest]\naddopts = -x\n", False),
    ],
)
def test_pytest_settings(tmp_path: Path, name: str, old: str, new: str | None, counts: bool) -> None:
    repo = _repo(tmp_path, {name: old})
    repo.write({name: new})
    assert len(_changed(repo)) == (3 if counts else 0)


# -- data that a test reads ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "file"),
    [
        ("TEXT = open('tests/data/menu.json')", "tests/data/menu.json"),
        ("from pathlib import Path\nDATA = Path(__file__).parent / 'data' / 'menu.json'", "tests/data/menu.json"),
        ("from pathlib import Path\nDATA = Path(__file__).parent / 'data'", "tests/data/deep/menu.json"),
        ("from pathlib import Path\nDATA = Path(__file__).with_suffix('.json')", "tests/test_a.json"),
        ("from pathlib import Path\nDATA = sorted(Path('queries').glob('*.rq'))", "queries/pizzas.rq"),
        ("from pathlib import Path\nDATA = sorted(Path(__file__).parents[1].rglob('*.csv'))", "far/away/menu.csv"),
        ("import os\nDATA = os.listdir(os.path.dirname(__file__))", "tests/menu.json"),
        ("from pathlib import Path\nDATA = list(Path(__file__).parents[1].iterdir())", "menu.json"),
        ("def read(name): return open(f'{name}-menu.json')", "old-menu.json"),
        ("def read(name): return open('data/%s.csv' % name)", "data/x.csv"),
        ("def read(name): return open('{}.csv'.format(name))", "x.csv"),
        ("NAMES = ['margherita']\ndef read(name): return open(name + '.csv')", "data/margherita.csv"),
        ("import subprocess\nRUN = ['bash', './run-it']", "run-it"),
        ("import shapes", "tests/test_a/data.txt"),  # called after the test file, as plugins for data files have it
        ("import shapes", "tests/__snapshots__/test_a.ambr"),
        ("SHAPES = 'shapes.ttl'", "tests/shapes.ttl"),
    ],
)
def test_a_file_that_a_test_may_read(tmp_path: Path, code: str, file: str) -> None:
    repo = _repo(tmp_path, {"tests/test_a.py": _asking("test_one", more=code + "\n"), file: "1\n", "README.md": "1"})
    repo.write({"README.md": "2"})
    is_upwards = "parents[1].iterdir" in code  # and README.md is what it finds there
    assert _names(_changed(repo)) == ({"test_one"} if is_upwards else set())
    repo.write({"README.md": "1", file: "2\n"})
    changed = {name: why for name, why in _changed(repo).items() if not name.endswith((".rq", ".sql"))}
    assert changed == {"tests/test_a.py::test_one": f"it may read {file}, which was edited"}
    repo.write({file: None})
    assert _changed(repo) == {"tests/test_a.py::test_one": f"it may read {file}, which was removed"}


def test_a_file_that_a_helper_reads_and_a_new_one_that_matches_its_pattern(tmp_path: Path) -> None:
    helper = "from pathlib import Path\nCASES = sorted((Path(__file__).parent / 'cases').glob('*.csv'))\n"
    repo = _repo(tmp_path, {"tests/test_a.py": _asking("test_one", more="import helper\n"), "tests/helper.py": helper})
    repo.write({"tests/cases/new.csv": "1"})
    assert _changed(repo) == {"tests/test_a.py::test_one": "it may read tests/cases/new.csv, which is new"}


def test_a_folder_that_a_helper_elsewhere_lists(tmp_path: Path) -> None:
    helper = "def cases(folder):\n    return sorted(folder.iterdir())\n"
    code = "from pathlib import Path\nfrom support.cases import cases\nCASES = cases(Path(__file__).parent)\n"
    files = {"tests/test_a.py": _asking("test_one", more=code), "src/support/cases.py": helper, "README.md": "1"}
    repo = _repo(tmp_path, files)
    repo.write({"tests/new.json": "1", "README.md": "2"})
    assert _changed(repo) == {"tests/test_a.py::test_one": "it may read tests/new.json, which is new"}


def test_a_data_folder_of_a_package(tmp_path: Path) -> None:
    code = "from importlib.resources import files\nCASES = list(files('menu.data').iterdir())\n"
    repo = _repo(tmp_path, {"tests/test_a.py": _asking("test_one", more=code), "src/menu/data/x.json": "1"})
    repo.write({"src/menu/data/x.json": "2"})
    assert _names(_changed(repo)) == {"test_one"}


def test_a_test_file_that_is_a_link(tmp_path: Path) -> None:
    repo = _repo(tmp_path, {"shared/checks.py": _asking("test_one")})
    (tmp_path / "tests/test_link.py").symlink_to("../shared/checks.py")
    repo.commit({}, "v2")
    assert _changed(repo, "v2") == {}
    repo.write({"shared/checks.py": _asking("test_one").replace("assert", "assert not")})
    assert _changed(repo, "v2") == {"tests/test_link.py::test_one": "it was edited"}


def test_a_submodule_that_is_at_another_commit(tmp_path: Path) -> None:
    inner = Repo.at(tmp_path / "inner", {"helper.py": "A = 1\n"})
    repo = _repo(tmp_path / "outer", {"tests/test_a.py": _asking("test_one", more="from lib.helper import A\n")})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", f"file://{inner.root}", "lib")
    repo.commit({}, "v2")
    assert _changed(repo, "v2") == {}
    Repo(repo.root / "lib").commit({"helper.py": "A = 2\n"}, "newer")
    assert _names(_changed(repo, "v2")) == {"test_one"}


# -- tests that are no Python ----------------------------------------------------------------------------------------

QUERIES = {
    "queries/one.rq": "SELECT ?x WHERE { ?x a <urn:Pizza> }",
    "queries/one.csv": "x\n",
    "queries/two.sparql": "SELECT ?x WHERE { ?x a <urn:Pizza> }",
    "queries/expected/two.json": "{}",
    "queries/three.sql": "SELECT * FROM t WHERE kind = 'Pizza'",
    "queries/three.csv": "x\n",
}


@pytest.mark.parametrize(
    "text",
    [
        QUERIES["queries/one.rq"] + "# kgprobe: ignore unknown-term",
        "# kgprobe: ontology onto.ttl\n# a remark\n" + QUERIES["queries/one.rq"],
        "SELECT ?x\nWHERE {\n  ?x a <urn:Pizza> # kgprobe: ignore disjoint\n}\n",
    ],
)
def test_comments_of_a_query_do_not_count(tmp_path: Path, text: str) -> None:
    repo = _repo(tmp_path, QUERIES)
    repo.write({"queries/one.rq": text})
    assert _changed(repo) == {}
    repo.write({"queries/one.rq": text.replace("urn:Pizza", "urn:Pizzas")})
    assert _changed(repo) == {"queries/one.rq": "it was edited"}


@pytest.mark.parametrize(
    "text",
    [
        "# kgprobe: regime=rdfs\n" + QUERIES["queries/one.rq"],
        QUERIES["queries/one.rq"].replace("<urn:Pizza>", "'<urn:Pizza> # more'"),
        QUERIES["queries/one.rq"].replace("SELECT ?x", "SELECT *"),
    ],
)
def test_other_edits_of_a_query_count(tmp_path: Path, text: str) -> None:
    repo = _repo(tmp_path, QUERIES)
    repo.write({"queries/one.rq": text})
    assert _changed(repo) == {"queries/one.rq": "it was edited"}


@pytest.mark.parametrize(
    ("file", "test"),
    [
        ("queries/one.rq", "one.rq"),
        ("queries/one.csv", "one.rq"),
        ("queries/two.sparql", "two.sparql"),
        ("queries/expected/two.json", "two.sparql"),
        ("queries/three.sql", "three.sql"),
        ("queries/three.csv", "three.sql"),
    ],
)
def test_a_query_and_its_expected_results(tmp_path: Path, file: str, test: str) -> None:
    repo = _repo(tmp_path, QUERIES)
    assert _changed(repo) == {}
    repo.write({file: QUERIES[file] + " LIMIT 9"})
    own = file.endswith(test)
    assert _changed(repo) == {f"queries/{test}": "it was edited" if own else f"{file} was edited"}
    if not own:
        repo.write({file: None})
        assert _changed(repo) == {f"queries/{test}": f"{file} was removed"}


def test_an_entry_of_a_manifest_and_its_files(tmp_path: Path) -> None:
    manifest = """
        @prefix mf: <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#> .
        @prefix qt: <http://www.w3.org/2001/sw/DataAccess/tests/test-query#> .
        <> a mf:Manifest ; mf:entries ( <#one> <#two> ) .
        <#one> mf:action [ qt:query <one.rq> ; qt:data <one-data.ttl> ] ; mf:result <one-result.srx> .
        <#two> mf:action [ qt:query <two.rq> ] .
        """
    query = "SELECT ?x WHERE { ?x a <urn:Pizza> }"
    data = {"w3c/one-data.ttl": "<urn:a> a <urn:Pizza> .", "w3c/one-result.srx": "<sparql/>"}
    repo = _repo(tmp_path, {"w3c/manifest.ttl": manifest, "w3c/one.rq": query, "w3c/two.rq": query, **data})
    assert _changed(repo) == {}
    for file in ("w3c/one.rq", "w3c/one-data.ttl", "w3c/one-result.srx"):
        more = " LIMIT 9" if file.endswith(".rq") else "# more"
        repo.write({file: (repo.root / file).read_text(encoding="utf-8") + more})
        assert set(_changed(repo)) == {"w3c/manifest.ttl#one"}, file
        repo.git("checkout", "--quiet", "--", file)
    repo.write({"w3c/manifest.ttl": manifest + "# more"})
    assert set(_changed(repo)) == {"w3c/manifest.ttl#one", "w3c/manifest.ttl#two"}


def test_files_that_git_ignores_do_not_count(tmp_path: Path) -> None:
    files = {".gitignore": "out/\n", "tests/test_a.py": _asking("test_one", more="OUT = 'out/menu.json'\n")}
    repo = _repo(tmp_path, files)
    repo.write({"out/menu.json": "1"})
    assert _changed(repo) == {}


_ROOT = "from pathlib import Path\nimport glob, os\nimport pytest\nfrom rdflib import Graph\n"
_ROOT += "ROOT = Path(__file__).resolve().parent.parent\n"


@pytest.mark.parametrize(
    "listing",
    [
        "ROOT.glob('*.ttl')",
        "ROOT.rglob('*.ttl')",
        "ROOT.glob('**/*.ttl')",
        "glob.glob('**/*.ttl', recursive=True)",
        "glob.glob(str(ROOT / '**' / '*.ttl'), recursive=True)",
        "glob.glob(os.path.join(ROOT, '**', '*.ttl'), recursive=True)",
        "glob.glob(os.path.join(ROOT, '*.' + 'ttl'))",
        "glob.glob(f'{ROOT}/**/*.ttl', recursive=True)",
        "glob.glob(str(ROOT) + '/*.ttl')",
        "glob.iglob('%s/*.ttl' % ROOT)",
        "glob.iglob('{}/*.ttl'.format(ROOT))",
        "ROOT.rglob(PATTERN)",
        "Path.cwd().rglob('*.ttl')",
        "[p for p in ROOT.iterdir() if p.suffix == '.ttl']",
        "[p for p in ROOT.rglob('*') if p.suffix in ('.ttl', '.owl')]",
        "[ROOT / p for p in os.listdir(ROOT) if p.endswith('.ttl')]",
        "sorted(p for p in ROOT.rglob('*') if p.is_file() and p.suffix == '.ttl')",
    ],
)
def test_a_conftest_that_lists_the_graphs_of_the_root_depends_on_them_alone(tmp_path: Path, listing: str) -> None:
    conftest = f"{_ROOT}PATTERN = '**/*.ttl'\n@pytest.fixture\ndef graph():\n    found = Graph()\n"
    conftest += f"    for file in {listing}:\n        found.parse(file)\n    return found\n"
    others = {"README.md": "Pizza\n", "src/app.py": "PRICE = 1\n", "docs/menu.csv": "1\n", "data/more.ttl": ""}
    repo = _repo(tmp_path, {"tests/conftest.py": conftest, **others})
    repo.write({"README.md": "Pizza!\n", "src/app.py": "PRICE = 2\n", "docs/menu.csv": "2\n", "new.yaml": "a: 1\n"})
    assert _changed(repo) == {}
    repo.write({"data/more.ttl": "<urn:a> a <urn:Pizza> .\n"})
    assert _names(_changed(repo)) == {"test_one", "test_two", "test_three"}


@pytest.mark.parametrize(
    "listing",
    [
        "ROOT.iterdir()",
        "ROOT.rglob('*')",
        "ROOT.rglob(os.environ['PATTERN'])",
        "glob.glob(os.path.join(ROOT, PATTERN, '*'))",
        "[p for p in ROOT.iterdir() if p.suffix != '.py']",
        "[p for p in ROOT.iterdir() if p.suffix == '.ttl' or p.is_file()]",
        "[p for p in ROOT.iterdir() if not p.suffix == '.ttl']",
    ],
)
def test_a_conftest_that_lists_all_files_depends_on_all_of_them(tmp_path: Path, listing: str) -> None:
    conftest = f"{_ROOT}PATTERN = os.environ['X']\n@pytest.fixture\ndef graph():\n    return list({listing})\n"
    repo = _repo(tmp_path, {"tests/conftest.py": conftest, "README.md": "Pizza\n"})
    repo.write({"README.md": "Pizza!\n"})
    assert _names(_changed(repo)) == {"test_one", "test_two", "test_three"}
