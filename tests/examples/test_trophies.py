"""The documented bugs: each still reproduces in the installed versions, with and without kgprobe."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kgprobe.campaign.executor import Job
from kgprobe.campaign.harness import harness_of
from kgprobe.campaign.trial import Trial
from kgprobe.config.loading import load_profile
from kgprobe.formats.files import load
from kgprobe.model import Case
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.reasoners.catalogue import REASONERS

_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = _ROOT / "examples" / "reasoners" / "trophies"
_PAGE = _ROOT / "docs" / "trophies.md"
_MOST_TRIES = 15  # two of them occur in about half of the runs
_ONTOLOGIES = sorted(_FOLDER.glob("*.ofn"))
_IN_EVERY_RUN = {"rustdl-something", "konclude-reflexive-and-asymmetric", "pyhermit-negative-value"}
_JAVA = ("hermit", "openllet", "jfact")

needs_all = pytest.mark.skipif(
    not all(entry.available().usable for entry in REASONERS.values()), reason="needs all reasoners"
)

# -- without kgprobe ---------------------------------------------------------------------------------------------------

# All scripts of an engine in one process: a Java machine takes seconds to start.
_RUN_ALL = """
import contextlib, io, json, runpy, sys
folder, *names = sys.argv[1:]
sys.path.insert(0, folder)
failed = {}
for name in names:
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            runpy.run_path(f"{folder}/{name}.py", run_name="__main__")
    except BaseException as error:
        failed[name] = f"{error!r} {said.getvalue()}"
print(json.dumps({"failed": failed, "has_kgprobe": "kgprobe" in sys.modules}))
"""


@pytest.mark.parametrize(
    ("engine", "number"),
    [
        pytest.param(engine, number, marks=pytest.mark.skipif(not status.usable, reason=f"{status.missing}"))
        for engine, number in (("rustdl", 2), ("pyhermit", 3), ("konclude", 3), ("hermit", 15))
        if (status := REASONERS[engine].available())
    ],
)
def test_each_bug_reproduces_without_kgprobe(engine: str, number: int) -> None:
    starts = _JAVA if engine == "hermit" else (engine,)
    names = [path.stem for path in _ONTOLOGIES if path.stem.startswith(starts)]
    assert len(names) == number
    done = subprocess.run(  # noqa: S603 - our own interpreter, our own scripts
        [sys.executable, "-c", _RUN_ALL, str(_FOLDER), *names], capture_output=True, text=True, check=True, timeout=600
    )
    assert json.loads(done.stdout.splitlines()[-1]) == {"failed": {}, "has_kgprobe": False}


# -- with kgprobe ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trials() -> Iterator[dict[str, Trial]]:
    """The question for all reasoners: the hierarchy, except for pyHermiT, whose classification does not terminate."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(Trial(Job(harness_of(load_profile(_FOLDER / f"{name}.toml")))))
            for name in ("hierarchy", "consistency")
        }


def _expected(ontology: Path) -> list[str]:
    """The signatures in the comments at the top of a file; `*` matches any text."""
    lines = ontology.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("# ") for line in lines if line.startswith("# ")]


@needs_all
@pytest.mark.parametrize(
    "ontology",
    [
        pytest.param(path, id=path.stem, marks=() if path.stem in _IN_EVERY_RUN else pytest.mark.thorough)
        for path in _ONTOLOGIES
    ],
)
def test_kgprobe_finds_each_bug(trials: dict[str, Trial], ontology: Path) -> None:
    expected = _expected(ontology)
    assert expected
    is_about_models = any("pyhermit" in signature or "says" in signature for signature in expected)
    asked = "consistency" if is_about_models else "hierarchy"
    case, patterns = (
        Case.of_graph(ontology.name, load(ontology).graph),
        KnownBugs([(pattern, "") for pattern in expected]),
    )
    signatures: list[str] = []
    for _ in range(_MOST_TRIES):
        verdict, _ = trials[asked].judge(case)
        signatures += [failure.signature for failure in verdict.failures]
        if not patterns.never_matched(signatures):
            break
    assert patterns.never_matched(signatures) == [], signatures


# -- the page ----------------------------------------------------------------------------------------------------------


def test_the_page_lists_all_bugs_and_their_upstream_status() -> None:
    page = _PAGE.read_text(encoding="utf-8")
    entries = re.split(r"^(?=\*\*`)", page, flags=re.MULTILINE)[1:]
    assert {stem for entry in entries for stem in re.findall(r"`([a-z]+-[a-z-]+)`", entry)} == {
        path.stem for path in _ONTOLOGIES
    }
    assert len(entries) == 19
    assert [entry.splitlines()[0] for entry in entries if not re.search(r"Upstream:\s", entry)] == []
