"""OWL 2 profiles, compared with a live run of OWLAPI's checker on each case and each real graph."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from support.owlapi import needs_owlapi, read_by_owlapi
from support.shared_data import graph_files, needs_shared_data, shared
from support.turtle import turtle

from kgprobe.errors import InputError
from kgprobe.formats.files import load, save
from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.owl.expression import Expression
from kgprobe.owl.profiles import Profile, violations
from owl.test_profiles import CASES, PREAMBLE

# These are not valid Turtle: OWLAPI invents the prefixes that four of them lack, and cannot read the other two.
_NO_GRAPHS = {
    *(f"rdfmutate-configs/rules/{name}.ttl" for name in ("addPipe", "dataProp", "makeReflexive", "negatedAssertion")),
    *("rdfmutate-configs/rules/removeRelation.ttl", "rdfmutate-configs/shapes/complexPath.ttl"),
}
_NO_ONTOLOGIES = {"kg/wn18rr.tsv.gz", "kg/yago-sample.tsv.gz"}
_LARGE = {"go/go-2022-07.obo.gz", "go/go-2024.obo.gz", "hpo/hp-2021.obo.gz", "hpo/hp-2025.obo.gz"}
# OWLAPI does not support `PREFIX` in Turtle or compressed OBO, so it gets the triples that kgprobe read.
_FOR_OWLAPI_REWRITTEN = {"reasoner-bugs/P2/ont_5.owl", *_LARGE}
_FAILURES = {"shacl-w3c/sparql/node/prefixes-001.ttl": "IllegalStateException"}
# OWLAPI separates an annotation from its rule, and counts it as another violating axiom.
_AXIOMS_MORE = {"suave/suave_unmutatable.owl": 1}


@needs_owlapi
def test_the_stored_verdicts_agree_with_owlapi(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.ttl" for number in range(len(CASES))]
    for file, (_, _, body) in zip(files, CASES, strict=True):
        file.write_text(turtle(PREAMBLE + body), encoding="utf-8")
    judged = read_by_owlapi(files)
    found = {name: _in_words(judged[file].profiles) for file, (name, _, _) in zip(files, CASES, strict=True)}
    assert found == {name: verdict for name, verdict, _ in CASES}
    assert len(found) == len(CASES) == 327


@needs_shared_data
def test_all_valid_real_graphs_are_judged() -> None:
    assert len(graph_files()) == 326
    assert len(_small_files()) == 314
    for path in _NO_GRAPHS:
        with pytest.raises(InputError):
            load(shared(path))


@needs_owlapi
@needs_shared_data
@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.thorough)])
def test_verdicts_on_real_graphs_agree_with_owlapi(step: int, tmp_path: Path) -> None:
    files = _small_files()[::step]
    assert len(files) > 50
    _assert_same_verdicts(files, tmp_path)


@needs_owlapi
@needs_shared_data
@pytest.mark.thorough
@pytest.mark.parametrize("path", sorted(_LARGE))
def test_verdicts_on_a_large_ontology_agree_with_owlapi(path: str, tmp_path: Path) -> None:
    _assert_same_verdicts([path], tmp_path)


def _small_files() -> list[str]:
    return [path for path in graph_files() if path not in _NO_GRAPHS | _NO_ONTOLOGIES | _LARGE]


def _assert_same_verdicts(paths: list[str], folder: Path) -> None:
    """Check the profiles and, for ontologies, the number of axioms that violate each of them."""
    files = {path: _for_owlapi(path, folder) for path in paths}
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(read_by_owlapi, list(files.values()))  # in a separate process, in parallel
        offending = {path: _offending(path) for path in paths}
        judged = waiting.result()
    different: list[tuple[str, object, object]] = []
    for path, file in files.items():
        theirs = judged[file]
        assert theirs.failure == _FAILURES.get(path), path
        if theirs.failure is not None:
            continue
        ours = {profile.value: len(axioms) for profile, axioms in offending[path].items()}
        if _in_words(theirs.profiles) != _in_words(name for name, count in ours.items() if not count):
            different.append((path, theirs.profiles, ours))
        counts = {name: len(axioms) - _AXIOMS_MORE.get(path, 0) for name, axioms in theirs.offending.items()}
        if not path.startswith("shacl-w3c") and counts != ours:
            different.append((path, counts, ours))
    assert different == []


def _for_owlapi(path: str, folder: Path) -> Path:
    if path not in _FOR_OWLAPI_REWRITTEN:
        return shared(path)
    file = folder / f"{path.replace('/', '-')}.nt"
    save(load(shared(path)).graph, file)
    return file.rename(file.with_suffix(".ttl"))  # OWLAPI reads N-Triples as Turtle


def _offending(path: str) -> dict[Profile, set[object]]:
    found: dict[Profile, set[object]] = {profile: set() for profile in Profile}
    for violation in violations(AxiomView(load(shared(path)).graph)):
        found[violation.profile].add(_counted_as(violation.axiom))
    return found


def _counted_as(axiom: Axiom) -> object:
    """OWLAPI treats "p is the inverse of q" and "q is the inverse of p" as one axiom; the graph has two."""
    tree: Expression | None = axiom.expression
    return frozenset(tree) if tree is not None and tree.head == "InverseObjectProperties" else axiom


def _in_words(names: Iterable[str]) -> str:
    inside = set(names)
    return " ".join(profile.value for profile in Profile if profile.value in inside) or "-"
