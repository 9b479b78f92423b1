"""Real graphs: each triple is in one group, and the profiles are those that OWLAPI finds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support.shared_data import needs_shared_data, shared, thinned

from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.profiles import Profile, profiles

_LINES = (Path(__file__).parent / "profile_verdicts.txt").read_text().splitlines()[1:]
_VERDICTS = dict(line.split(" | ") for line in _LINES)
# They lack prefixes, which OWLAPI invents.
_NO_GRAPHS = {f"rdfmutate-configs/rules/{name}.ttl" for name in ("dataProp", "makeReflexive", "negatedAssertion")}
_NO_GRAPHS.add("rdfmutate-configs/rules/removeRelation.ttl")
_FILES = [path for path in _VERDICTS if path not in _NO_GRAPHS]


def test_all_verdicts_were_read() -> None:
    assert len(_VERDICTS) == 167
    assert sum(path.startswith("ore/") for path in _VERDICTS) == 123


@needs_shared_data
def test_skipped_files_are_not_graphs() -> None:
    for path in _NO_GRAPHS:
        with pytest.raises(InputError):
            load(shared(path))


@needs_shared_data
@pytest.mark.parametrize("path", thinned(_FILES))
def test_groups_and_profiles(path: str) -> None:
    graph = load(shared(path)).graph
    view = AxiomView(graph)
    axioms = list(view)
    counted = Counter(graph.keys(triple) for axiom in axioms for triple in axiom.triples)
    assert len(counted) == counted.total() == len(graph)
    assert counted.keys() == set(graph.rows())
    alone = AxiomView(graph)
    for triple in list(graph)[:: max(1, len(graph) // 20)]:
        assert alone.axiom_of(triple) == view.axiom_of(triple)
    found = profiles(axioms)
    assert " ".join(profile.value for profile in Profile if profile in found) == _VERDICTS[path].replace("-", "")
