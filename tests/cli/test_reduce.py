"""`kgprobe reduce`, run as a user runs it, on real commands and real reasoners."""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.commands import INTERRUPTIBLE, Done, assert_refused, kgprobe

from kgprobe.cli import progress, reduce
from kgprobe.cli.reduce import ReduceOptions, Target
from kgprobe.formats.files import load, save
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Triple
from kgprobe.reasoners.catalogue import REASONERS
from kgprobe.reduction.problem import Progress

CRASHES = """
import sys

def parse(text):
    if "urn:bad" in text and "urn:worse" in text:
        print("it was", text.count("urn:"))
        raise ValueError("bad and worse")

parse(open(sys.argv[1]).read() if len(sys.argv) > 1 else sys.stdin.read())
"""
QUICK = ("--workers", "1", "--repeats", "2", "--json")  # for tests about something else
BAD = "<urn:bad> <urn:p5> <urn:worse> .\n"
MANY = "".join(f"<urn:s{n}> <urn:p{n % 7}> <urn:o{n % 5}> .\n" for n in range(24))

# Openllet does not see that A is below B; HermiT and ELK do. The triples that follow are unrelated.
REFLEXIVE = """
@prefix : <https://example.org/#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:p a owl:ObjectProperty , owl:ReflexiveProperty .
:A a owl:Class .
:B a owl:Class ; owl:equivalentClass [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :A ] .
:C a owl:Class ; rdfs:subClassOf :D , [ a owl:Restriction ; owl:onProperty :q ; owl:someValuesFrom :D ] .
:D a owl:Class ; rdfs:label "d" .
:q a owl:ObjectProperty .
:i a :A .
"""
needs_java = pytest.mark.skipif(
    not all(REASONERS[name].available().usable for name in ("openllet", "hermit", "elk")),
    reason="needs Openllet, HermiT and ELK",
)


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.nt"
    lines = MANY.splitlines(True)
    path.write_text("".join([*lines[:12], BAD, *lines[12:]]))
    return path


@pytest.fixture
def small(graph: Path) -> Path:
    """For tests whose number of runs grows quickly with the graph."""
    lines = MANY.splitlines(True)
    graph.write_text("".join([*lines[:3], BAD, *lines[3:7]]))
    return graph


def script(folder: Path, text: str = CRASHES, name: str = "tool.py") -> str:
    """The command that runs a script."""
    (folder / name).write_text(text)
    return shlex.join([sys.executable, str(folder / name)])


def values(done: Done) -> dict[str, object]:
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert isinstance(value, dict)
    return value


def triples(path: Path) -> set[Triple]:
    return set(load(path).graph)


BAD_TRIPLE = Triple(NamedNode("urn:bad"), NamedNode("urn:p5"), NamedNode("urn:worse"))


# -- commands ----------------------------------------------------------------------------------------------------------


def test_a_crash_is_reduced_to_the_triple_that_causes_it(graph: Path) -> None:
    system = script(graph.parent) + " {graph}"
    run = kgprobe("reduce", graph, "--system", system, "--no-simplify")
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("graph.nt: 25 triples → 1 triple, 1 axiom, in ")
    assert "no axiom and no triple can be left out" in run.stdout
    assert "crashed: ValueError in tool.py:parse" in run.stdout
    reduced = graph.parent / "graph.reduced.ttl"
    assert f"written to   {reduced}" in run.stdout
    assert triples(reduced) == {BAD_TRIPLE}

    again = kgprobe("reduce", graph, "--system", system)
    assert_refused(again, "graph.reduced.ttl: already exists", "--force")
    assert kgprobe("reduce", graph, "--system", system, "--force").returncode == 0
    [simple] = triples(reduced)
    assert (simple.subject, simple.object) == (BAD_TRIPLE.subject, BAD_TRIPLE.object)
    assert simple.predicate != BAD_TRIPLE.predicate


def test_numbers_for_a_machine_and_halving_for_comparison(graph: Path) -> None:
    options = ["--system", script(graph.parent) + " {graph}", "--no-simplify", "--force", *QUICK, "--repeats", "1"]
    ours = values(kgprobe("reduce", graph, *options))
    halved = values(kgprobe("reduce", graph, *options, "--algorithm", "halving"))
    for value in (ours, halved):
        assert (value["triples_before"], value["triples_after"], value["axioms_after"]) == (25, 1, 1)
        assert triples(Path(str(value["written"]))) == {BAD_TRIPLE}
    assert ours["is_minimal"] is True
    assert halved["is_minimal"] is False
    # One of 25 triples is found by four or five halvings of one or two runs each, depending on chance.
    assert 1 + 4 <= int(str(halved["system_runs"])) <= 1 + 2 * 5
    again = values(kgprobe("reduce", graph, *options, "--algorithm", "halving"))
    assert again == halved


def test_without_a_placeholder_the_graph_comes_through_standard_input(graph: Path) -> None:
    value = values(kgprobe("reduce", graph, "--system", script(graph.parent), "--no-simplify", *QUICK))
    assert value["triples_after"] == 1


def test_another_format_for_the_command(graph: Path) -> None:
    tool = "import sys\ntext = sys.stdin.read()\nsys.exit(7 if '<rdf:RDF' in text and 'urn:worse' in text else 0)\n"
    graph.write_text(graph.read_text().replace("urn:p", "urn:p:x"))  # RDF/XML has no name for urn:p1
    system = script(graph.parent, tool)
    assert_refused(kgprobe("reduce", graph, "--system", system), "the command succeeds")
    value = values(kgprobe("reduce", graph, "--system", system, "--system-format", "rdfxml", *QUICK))
    assert value["keeps"] == f"{Path(sys.executable).stem}: finished, exit status 7"
    assert value["triples_after"] == 1


def test_parts_that_the_format_cannot_express_are_not_run(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(REFLEXIVE)
    tool = "import sys\nsys.exit('ObjectSomeValuesFrom' in sys.stdin.read())\n"
    options = ["--system", script(tmp_path, tool), "--system-format", "functional", *QUICK]
    value = values(kgprobe("reduce", tmp_path / "a.ttl", *options))
    assert "owl:someValuesFrom" in (tmp_path / "a.reduced.ttl").read_text()
    assert int(str(value["triples_after"])) <= 6


def test_exact_keeps_the_whole_output(small: Path) -> None:
    system = script(small.parent) + " {graph}"
    rough = values(kgprobe("reduce", small, "--system", system, *QUICK))
    exact = values(kgprobe("reduce", small, "--system", system, *QUICK, "--exact", "--force"))
    assert rough["triples_after"] == 1
    # It prints how often `urn:` occurs, so nothing can be left out.
    assert exact["triples_after"] == exact["triples_before"] == 8


def test_a_success_is_reduced_only_with_exact(graph: Path) -> None:
    tool = "import sys\nprint('urn:s17' in open(sys.argv[1]).read(), sys.argv[1])\n"
    system = script(graph.parent, tool) + " {graph}"
    assert_refused(kgprobe("reduce", graph, "--system", system), "the command succeeds", "nothing to reduce", "--exact")
    assert not (graph.parent / "graph.reduced.ttl").exists()
    # The name of the file differs from run to run, and is not part of the outcome.
    value = values(kgprobe("reduce", graph, "--system", system, "--exact", *QUICK))
    assert value["triples_after"] == 1
    assert "urn:s17" in (graph.parent / "graph.reduced.ttl").read_text()


def test_a_flaky_failure(small: Path) -> None:
    tool = f"""
import pathlib, sys
runs = pathlib.Path({str(small.parent / "runs")!r})
with runs.open("a") as stream:
    stream.write(".")
if "urn:bad" in open(sys.argv[1]).read() and runs.stat().st_size % 3 == 0:
    sys.exit(4)
"""
    system = script(small.parent, tool) + " {graph}"
    options = ["--system", system, "--workers", "1", "--no-simplify"]
    assert_refused(kgprobe("reduce", small, *options, "--repeats", "1"), "succeeds")
    run = kgprobe("reduce", small, *options, "--repeats", "9", "--confidence", "0.9")
    assert run.returncode == 0, run.stderr
    assert "; the whole graph failed 3 of 9 runs" in run.stdout
    assert triples(small.parent / "graph.reduced.ttl") == {BAD_TRIPLE}


def test_each_run_obeys_the_limits(small: Path) -> None:
    # A shell, since starting Python can take longer than the limit.
    (small.parent / "tool.sh").write_text('if grep -q urn:worse "$1"; then exec sleep 60; fi\n')
    system = shlex.join(["sh", str(small.parent / "tool.sh"), "{graph}"])
    value = values(
        kgprobe("reduce", small, "--system", system, "--seconds", "1", "--json", "--no-simplify", "--repeats", "1")
    )
    assert "timed out" in str(value["keeps"])
    assert triples(small.parent / "graph.reduced.ttl") == {BAD_TRIPLE}


def test_it_stops_when_the_runs_are_used_up(graph: Path) -> None:
    system = script(graph.parent) + " {graph}"
    run = kgprobe("reduce", graph, "--system", system, "--most-runs", "3", "--workers", "1")
    assert run.returncode == 0, run.stderr
    assert "in 3 runs; the limit on runs was reached" in run.stdout
    assert BAD_TRIPLE in triples(graph.parent / "graph.reduced.ttl")


def test_an_interruption_loses_nothing(graph: Path) -> None:
    tool = CRASHES + "\n"
    tool = tool.replace("import sys", "import sys, time\ntime.sleep(0.3)", 1)
    system = script(graph.parent, tool) + " {graph}"
    out = graph.parent / "best.nt"
    process = subprocess.Popen(  # noqa: S603 - our own command
        [
            *INTERRUPTIBLE,
            "reduce",
            str(graph),
            "--system",
            system,
            "--out",
            str(out),
            *QUICK,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
    )
    end = time.monotonic() + 60
    while time.monotonic() < end and (not out.exists() or len(out.read_text().splitlines()) >= 25):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=120)
    assert process.returncode == 130
    assert stdout == b""
    told = stderr.decode().splitlines()
    left = triples(out)
    assert told[-2:] == [
        f"kgprobe: note: the smallest graph so far, {len(left)} triple{'s' * (len(left) > 1)}, is in {out}",
        "kgprobe: error: interrupted",
    ]
    assert BAD_TRIPLE in left
    assert len(left) < 25


@pytest.mark.parametrize("is_written", [True, False])
def test_an_interruption_while_the_file_is_written(
    is_written: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: dict[str, Any] = dict.fromkeys(field.name for field in dataclasses.fields(ReduceOptions))
    out = tmp_path / "best.nt"
    target = Target("graph.nt", ReduceOptions(**given | {"system": "tool", "repeats": 1, "out": str(out)}))
    made = [Triple(NamedNode("urn:s"), NamedNode("urn:p"), Literal(str(number))) for number in range(9)]
    large, small = Graph(made), Graph(made[:2])
    target.write(large)

    def interrupted(graph: Graph, path: Path, **how: Any) -> None:
        if is_written:
            save(graph, path, **how)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(reduce, "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            target.write(small)
    target.tell()
    assert capsys.readouterr().err == f"kgprobe: note: the smallest graph so far, 2 triples, is in {out}\n"
    assert triples(out) == set(small)


# -- reasoners and profiles --------------------------------------------------------------------------------------------


@needs_java
def test_a_disagreement_of_reasoners(tmp_path: Path) -> None:
    path = tmp_path / "reflexive.ttl"
    path.write_text(REFLEXIVE)
    options = ["--differential", "Openllet,hermit, elk", "--task", "hierarchy", "--workers", "1"]
    value = values(kgprobe("reduce", path, *options, "--json", seconds=180))
    assert value["keeps"] == "openllet: misses: subclass"
    assert value["axioms_after"] == 2
    # The restriction, its equivalence, and the reflexivity of the property; declarations are not needed.
    assert value["triples_after"] == 5


def test_reasoners_that_agree(tmp_path: Path) -> None:
    (tmp_path / "reflexive.ttl").write_text(REFLEXIVE)
    agreed = kgprobe("reduce", tmp_path / "reflexive.ttl", "--differential", "rustdl,pyhermit", "--workers", "1")
    assert agreed.returncode == 2
    assert agreed.stderr.endswith("the reasoners do not disagree about this graph: there is nothing to reduce\n")


PROFILE = """
graph.seeds = ["graph.nt"]
mutation.operators = ["generic"]

[[systems]]
name = "first"
command = ["{python}", "first.py", "{graph}"]

[[systems]]
name = "second"
command = ["{python}", "second.py", "{graph}"]

[[known]]
signature = "first: *"
"""


def test_a_new_failure_comes_before_a_known_bug(small: Path) -> None:
    folder = small.parent
    script(folder, "import sys\nsys.exit(3 if 'urn:s2>' in open(sys.argv[1]).read() else 0)", "first.py")
    script(folder, "import sys\nsys.exit(3 if 'urn:bad' in open(sys.argv[1]).read() else 0)", "second.py")
    (folder / "profile.toml").write_text(PROFILE)
    options = ["--profile", str(folder / "profile.toml"), "--no-simplify", "--force", *QUICK]
    new = values(kgprobe("reduce", small, *options))
    assert new["keeps"] == "second: exit status: 3"
    assert new["not_kept"] == ["first: exit status: 3"]
    assert triples(folder / "graph.reduced.ttl") == {BAD_TRIPLE}
    known = values(kgprobe("reduce", small, *options, "--signature", "first: * 3"))
    assert known["keeps"] == "first: exit status: 3"
    assert known["not_kept"] == []
    [triple] = triples(folder / "graph.reduced.ttl")
    assert triple.subject == NamedNode("urn:s2")
    other = kgprobe("reduce", small, *options, "--signature", "third: *")
    assert_refused(other, "no failure fits the signature 'third: *'", "there is first: exit status")
    small.write_text("<urn:a> <urn:b> <urn:c> .")
    assert_refused(kgprobe("reduce", small, *options), "no system fails on this graph")


def test_changes_are_undone_first(graph: Path) -> None:
    seed = graph.parent / "seed.ttl"
    blank = "<urn:x> <urn:p> [ <urn:q> <urn:y> ; <urn:q> <urn:z> ] .\n"
    seed.write_text(MANY + blank)
    graph.write_text(MANY.replace("urn:s1>", "urn:t1>") + BAD + blank)
    tool = "import sys\ntext = open(sys.argv[1]).read()\nsys.exit('urn:bad' in text and 'urn:z' in text)\n"
    system = script(graph.parent, tool) + " {graph}"
    options = ["--system", system, "--no-simplify", "--seed-graph", str(seed), "--input-format", "turtle"]
    run = kgprobe("reduce", graph, *options)
    assert run.returncode == 0, run.stderr
    assert "mutations    1 changed triple of the seed graph is needed" in run.stdout
    left = triples(graph.parent / "graph.reduced.ttl")
    assert BAD_TRIPLE in left
    assert len(left) == 2


def test_a_profile_that_compares_with_the_seed_graph(graph: Path) -> None:
    folder = graph.parent
    script(folder, "import sys\nprint('urn:bad' in open(sys.argv[1]).read())", "first.py")
    profile = PROFILE.partition("[[systems]]")
    (folder / "profile.toml").write_text(
        profile[0] + 'oracle.same-as-seed = true\n[[systems]]\ncommand = ["{python}", "first.py", "{graph}"]\n'
    )
    options = ["--profile", str(folder / "profile.toml"), "--no-simplify", *QUICK]
    assert_refused(kgprobe("reduce", graph, *options), "compares with", "--seed-graph")
    (folder / "seed.nt").write_text(MANY)
    value = values(kgprobe("reduce", graph, *options, "--seed-graph", folder / "seed.nt"))
    assert "changed: stdout" in str(value["keeps"])
    assert value["changes"] == 1
    assert triples(folder / "graph.reduced.ttl") == {BAD_TRIPLE}


# -- invalid input -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "one of --system, --differential and --profile, and none is given"),
        (["--system", "true", "--differential", "elk,hermit"], "not both --system and --differential"),
        (["--system", ""], "--system does not name a program"),
        (["--system", "tool 'x"], "cannot be split into words"),
        (["--system", "grep {grpah}"], "did you mean '{graph}'?"),
        (["--system", "true", "--task", "hierarchy"], "--task works only with --differential"),
        (["--system", "true", "--outside-mask"], "--outside-mask works only with --profile"),
        (["--system", "true", "--system-format", "docx"], "docx"),
        (["--system", "true"], "the command succeeds"),
        (["--system", "true", "--most-runs", "2", "--repeats", "3"], "--repeats 3 exceeds --most-runs 2"),
        (["--differential", "openlet,hermit"], "did you mean 'openllet'?"),
        (["--differential", ","], "no reasoner named ''"),
        (["--differential", ""], "no reasoner named ''"),
        (["--differential", "hermit"], "two or more different reasoners"),
        (["--differential", "hermit,HermiT"], "two or more different reasoners"),
        (["--differential", "hermit,elk", "--task", "hierarch"], "hierarch"),
        (["--differential", "hermit,elk", "--system-format", "turtle"], "works only with --system"),
        (["--profile", "nowhere.toml"], "nowhere.toml"),
        (["--system", "false", "--confidence", "1"], "0<x<1"),
        (["--system", "false", "--algorithm", "halvin"], "halving"),
        (["--system", "false", "--seed-graph", "nowhere.ttl"], "nowhere.ttl"),
        (["--system", "false", "--out", ""], "--out needs a file"),
        (["--system", "false", "--out", "-"], "--out needs a file"),
        (["--system", "false", "--out", "no/where.ttl"], "no/where.ttl: cannot be written"),
        (["--system", "false", "--out", "where.ofn"], "functional syntax cannot express every graph"),
    ],
)
def test_invalid_arguments_are_refused_in_one_line(arguments: list[str], message: str, graph: Path) -> None:
    assert_refused(kgprobe("reduce", graph, *arguments), message)
    assert [path.name for path in graph.parent.iterdir()] == ["graph.nt"]


def test_an_input_file_is_not_replaced(graph: Path) -> None:
    before = graph.read_bytes()
    for force in ([], ["--force"]):
        refused = kgprobe("reduce", graph, "--system", "false", "--out", graph, *force)
        assert_refused(refused, "is an input file, and must not be replaced")
    assert graph.read_bytes() == before


def test_a_graph_without_a_name_needs_a_file(tmp_path: Path) -> None:
    options = ["reduce", "-", "--system", "false"]
    assert_refused(kgprobe(*options, stdin=BAD.encode()), "name a file with --out")
    run = kgprobe(*options, "--out", tmp_path / "empty.ttl", stdin=BAD.encode())
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("<stdin>: 1 triple → 0 triples")


def test_a_command_that_does_not_exist(graph: Path) -> None:
    run = kgprobe("reduce", graph, "--system", "no-such-program {graph}")
    assert run.returncode == 3
    assert run.stderr.startswith("kgprobe: error: the program no-such-program of 'no-such-program' does not exist")
    assert run.stderr.count("\n") == 1


def test_progress_in_plain_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0)
    with progress.reducing_progress("a.ttl") as on_progress:
        on_progress(Progress("checking", 10, 1))
        on_progress(Progress("axioms", 1, 2))
    assert capsys.readouterr().err.splitlines() == [
        "kgprobe: reducing a.ttl: 10 triples left after 1 run (checking)",
        "kgprobe: reducing a.ttl: 1 triple left after 2 runs (axioms)",
    ]
