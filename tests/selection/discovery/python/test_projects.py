"""Projects are run by pytest, and what their tests read is compared with their uses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.python_files import PYTHON
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.tests import Test
from kgprobe.sparql.uses import AnyUse

from ..finding import vocabulary
from .interface_cases import DATA
from .project_cases import HEAD, PROJECTS
from .recorded_reads import Reads

_FILE = re.compile(r"^#--- (\S+)\n", re.MULTILINE)
_TOP = Path(__file__).parents[3]


def write_project(folder: Path, number: int, text: str) -> None:
    """Write the files of a project, with the number in place of NN."""
    folder.mkdir()
    (folder / "pizza.ttl").write_text(DATA)
    first, *others = _FILE.split(text)
    files = {"test_NN.py": HEAD + first, **dict(zip(others[::2], others[1::2], strict=True))}
    for name, content in files.items():
        file = folder / name.replace("NN", str(number))
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text(content.replace("NN", str(number)).replace("FILE", repr(str(folder / "pizza.ttl"))))


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Reads], dict[str, Test]]:
    """What the tests of all projects read, and the tests that are found, by name."""
    root = tmp_path_factory.mktemp("projects")
    for number, (name, text) in enumerate(PROJECTS.items()):
        write_project(root / name, number, text)
    plugin = f"{__package__}.recording_plugin"
    options = ["-q", "-p", plugin, "-p", "no:cacheprovider", "-p", "no:xdist", "-W", "ignore", f"--rootdir={root}"]
    record = root / "reads.json"
    environment = {**os.environ, "PYTHONPATH": str(_TOP), "KGPROBE_READS": str(record)}
    command = [sys.executable, "-m", "pytest", *options, "."]
    ran = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)  # noqa: S603
    assert ran.returncode == 0, ran.stdout
    reads: dict[str, Reads] = {}
    for name, each in json.loads(record.read_text()).items():
        patterns = {(s, p, o) for s, p, o in each["patterns"]}
        whole = reads.setdefault(name.partition("[")[0], Reads())
        whole.patterns |= patterns
        whole.queries |= set(each["queries"])
        whole.updates |= set(each["updates"])
    suite = find_tests([root], vocabulary(), FinderOptions(root=root))
    return reads, {test.name: test for test in suite.tests}


@pytest.mark.parametrize("project", PROJECTS)
def test_every_read_of_a_project_is_a_use_or_the_test_is_unanalysable(
    read: tuple[dict[str, Reads], dict[str, Test]], project: str
) -> None:
    reads, tests = read
    own = {name: each for name, each in reads.items() if name.startswith(f"{project}/")}
    assert own
    assert all(own.values()), "a test that reads nothing proves nothing"
    missed = {name: each.missed_by(tests.get(name, Test("", PYTHON))) for name, each in own.items()}
    assert {name: each for name, each in missed.items() if each} == {}


def test_what_registration_leads_to_is_analysed(read: tuple[dict[str, Reads], dict[str, Test]]) -> None:
    """To call everything unknown would miss nothing, too."""
    _, tests = read
    for name in ("registered", "registered_elsewhere", "hooks", "checked_at_import", "fixtures"):
        own = [test for full, test in tests.items() if full.startswith(f"{name}/")]
        precise = [test for test in own if not test.unseen and not any(isinstance(use, AnyUse) for use in test.uses)]
        assert 2 * len(precise) >= len(own), name
