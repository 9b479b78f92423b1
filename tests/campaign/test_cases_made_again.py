"""A case that is made again has the same bytes as the first time, in every format that a system can get."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.commands import kgprobe

from kgprobe.campaign.plan import Plan, PlannedCase
from kgprobe.campaign.run import job_of, open_store
from kgprobe.campaign.sources.mutants import Mutants, MutantSource
from kgprobe.campaign.store import Store
from kgprobe.campaign.trial import Trial
from kgprobe.config.generation import rebuilt
from kgprobe.config.loading import load_profile
from kgprobe.errors import InputError
from kgprobe.formats.catalogue import FORMATS
from kgprobe.formats.files import render, writable_format
from kgprobe.model import Failure, GraphInput, Outcome, Verdict
from kgprobe.mutation.mutant import read_manifest
from kgprobe.rdf.graph import Graph

from .campaigns import results_in, run

_WRITABLE = [name for name, known in FORMATS.items() if known.writable]
_OPERATORS = ["generic", "owl-el", "owl-dl", "abox"]
_STRATEGIES = ["uniform", "coverage"]
# Named and anonymous blank nodes, lists, languages, and literals that look alike.
_SEED = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<http://example.org/onto> a owl:Ontology .
:A a owl:Class ; rdfs:label "a"@EN, "a"@en-GB .
:B a owl:Class ; rdfs:subClassOf :A, [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :C ] .
:C a owl:Class ; owl:equivalentClass [ a owl:Class ; owl:intersectionOf ( :A :B ) ] .
:D a owl:Class ; owl:disjointWith :C .
:p a owl:ObjectProperty ; rdfs:domain :A ; rdfs:range :C .
:d a owl:DatatypeProperty .
:x a owl:NamedIndividual, :A ; :p :y ; :d "1.0"^^xsd:decimal, "1.00"^^xsd:decimal .
:y a owl:NamedIndividual, :B .
"""


def _profile(folder: Path, operators: str, strategy: str, seed: int, *, mutants: int = 6) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "seed.ttl").write_text(_SEED)
    path = folder / "profile.toml"
    path.write_text(f"""
[graph]
seeds = ["seed.ttl"]

[mutation]
operators = ["{operators}"]
strategy = "{strategy}"
mutations = 8
mutants = {mutants}
seed = {seed}

[[systems]]
name = "cat"
command = ["cat", "{{graph}}"]
""")
    return path


@contextmanager
def _opened(profile: Path) -> Iterator[tuple[MutantSource, Plan, Store]]:
    """A plan for a profile that is read from its files, as after an interruption."""
    kind = Mutants()
    loaded = load_profile(profile)
    with kind.prepare(loaded) as prepared, open_store(loaded, prepared) as store:
        [source] = prepared.open(store)
        source.tried(None)
        yield source, Plan(kind, [source], store), store


def _graph(case: PlannedCase) -> Graph:
    assert isinstance(case.input, GraphInput)
    return case.input.graph


def _texts(graph: Graph) -> dict[str, bytes | None]:
    """The graph in each format that can express it."""
    found: dict[str, bytes | None] = {}
    for name in _WRITABLE:
        try:
            found[name] = render(graph, writable_format("", name)).text
        except InputError:
            found[name] = None
    return found


def _in_a_worker(case: PlannedCase, source: MutantSource, profile: Path) -> Graph:
    job = job_of(load_profile(profile), [source])
    return Trial(job)._case(source.task(1, "case", case.input)).graph


@pytest.mark.parametrize("strategy", _STRATEGIES)
@pytest.mark.parametrize("operators", _OPERATORS)
@pytest.mark.parametrize("seeds", [1, pytest.param(10, marks=pytest.mark.thorough)])
def test_cases_of_a_store(tmp_path: Path, operators: str, strategy: str, seeds: int) -> None:
    for seed in range(1, seeds + 1):
        profile = _profile(tmp_path / str(seed), operators, strategy, seed)
        with _opened(profile) as (source, plan, store):
            cases = plan.further(6)
            assert len(cases) == 6
            first = [_texts(_graph(case)) for case in cases]
            assert [_texts(_in_a_worker(case, source, profile)) for case in cases] == first
            for case in cases[::2]:  # the steps of these are kept
                failed = Verdict(Outcome.FAIL, failures=(Failure("cat", "exit status"),))
                store.record(case.planned.number, failed, 0.1, case.whole_recipe())
        with _opened(profile) as (source, plan, store):
            stored = [store.case(case.planned.number) for case in cases]
            again = [plan.remake(each) for each in stored if each is not None]
            assert [_texts(_graph(case)) for case in again] == first
            assert [_texts(_in_a_worker(case, source, profile)) for case in again] == first
            assert all(text is not None for texts in first for name, text in texts.items() if name != "functional")


def test_mutants_of_a_manifest(tmp_path: Path) -> None:
    profile = _profile(tmp_path, "owl-dl", "coverage", 1)
    mutants = tmp_path / "mutants"
    assert kgprobe("mutate", profile, "--out", mutants).returncode == 0
    with _opened(profile) as (_, plan, _):
        cases = plan.further(6)
    for number, case in enumerate(cases, start=1):
        _, graph, _ = rebuilt(read_manifest(mutants / "manifest.jsonl"), number)
        assert _texts(graph) == _texts(_graph(case))
        assert (mutants / f"mutant-{number:04}.ttl").read_bytes() == _texts(_graph(case))["turtle"]


_DIGESTS = """
import sys
from pathlib import Path
from campaign.test_cases_made_again import digests
print(digests(Path(sys.argv[1])))
"""


def digests(profile: Path) -> list[str]:
    """The digests of all cases, made in this process."""
    with _opened(profile) as (_, plan, store):
        planned = store.in_flight()
        cases = [plan.remake(each) for each in planned] if planned else plan.further(6)
        texts = [_texts(_graph(case)) for case in cases]
        return [hashlib.sha256(repr(text).encode()).hexdigest()[:8] for text in texts]


def test_in_other_processes(tmp_path: Path) -> None:
    """In each process, strings have other hashes, and sets another order."""
    profile = _profile(tmp_path, "owl-dl", "uniform", 5)
    here = digests(profile)
    other = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    done = subprocess.run(  # noqa: S603 - our own code
        [sys.executable, "-c", _DIGESTS, str(profile)],
        env={**os.environ, "PYTHONHASHSEED": other, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == str(here)


def test_a_system_that_depends_on_the_order_of_triples_gets_the_same_verdicts(tmp_path: Path) -> None:
    # It fails on about half of all orders, whatever the graph says.
    (tmp_path / "odd.py").write_text(
        "import hashlib, sys\nlines = open(sys.argv[1], 'rb').read()\nsys.exit(hashlib.sha256(lines).digest()[0] % 2)\n"
    )
    profile = _profile(tmp_path, "generic", "coverage", 3, mutants=12)
    text = profile.read_text().replace('["cat", "{graph}"]', f'["{sys.executable}", "odd.py", "{{graph}}"]')
    known = "[[known]]\nsignature = 'cat: *'\n"  # so that it does not matter what it does on the seed graph
    profile.write_text(f"{text}{known}[campaign]\nreduce = 0\n")
    run(profile)
    expected, _, _, _ = results_in(profile)
    assert isinstance(expected, list)
    assert {outcome for _, outcome, _, _ in expected} == {"pass", "fail"}
    with _opened(profile) as (_, _, store):
        store.take_back(0)  # as if it had been killed while all cases were in flight
    run(profile)
    assert results_in(profile)[0] == expected
