"""The bugs that are written up: each is still there, in the versions that are installed, and is on the page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kgprobe.campaign.run import job_of
from kgprobe.campaign.trial import Trial
from kgprobe.config.loading import load_profile
from kgprobe.config.preparation import prepare
from kgprobe.graph.files import load
from kgprobe.model import Case
from kgprobe.oracles.known import KnownBugs
from kgprobe.reasoners.catalogue import REASONERS

_ROOT = Path(__file__).resolve().parents[2]
_FOLDER = _ROOT / "examples" / "reasoners" / "trophies"
_MOST_TRIES = 15  # two of them come and go, in about half of the runs
_ONTOLOGIES = sorted(_FOLDER.glob("*.ofn"))

needs_all = pytest.mark.skipif(
    not all(entry.available().usable for entry in REASONERS.values()), reason="needs all reasoners"
)


@pytest.fixture(scope="module")
def trials() -> Iterator[dict[str, Trial]]:
    """What is asked of all reasoners: the hierarchy of all but pyHermiT, which does not come to an end with that."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(
                Trial(job_of(stack.enter_context(prepare(load_profile(_FOLDER / f"{name}.toml")))))
            )
            for name in ("hierarchy", "consistency")
        }


def _expected(ontology: Path) -> list[str]:
    """The signatures that the comments at the top of a file name; `*` in one is any text."""
    lines = ontology.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix("# ") for line in lines if line.startswith("# ")]


@needs_all
@pytest.mark.parametrize("ontology", _ONTOLOGIES, ids=lambda path: path.stem)
def test_it_is_still_there(trials: dict[str, Trial], ontology: Path) -> None:
    expected = _expected(ontology)
    assert expected
    asked = "consistency" if any("pyhermit" in signature for signature in expected) else "hierarchy"
    case, patterns = Case(ontology.name, load(ontology).graph), KnownBugs([(pattern, "") for pattern in expected])
    signatures: list[str] = []
    for _ in range(_MOST_TRIES):
        verdict, _ = trials[asked].judge(case)
        signatures += [failure.signature for failure in verdict.failures]
        if not patterns.never_matched(signatures):
            break
    assert patterns.never_matched(signatures) == [], signatures


def test_the_page_has_all_of_them() -> None:
    page = (_ROOT / "docs" / "trophies.md").read_text(encoding="utf-8")
    assert not [ontology.name for ontology in _ONTOLOGIES if ontology.stem not in page]
