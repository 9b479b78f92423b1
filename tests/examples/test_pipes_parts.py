"""The parts of the pipe inspection example: the robot, its graph, the operators, and the masks in their order."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import combinations
from pathlib import Path

import pyoxigraph
import pytest
from support.pipes_robot import PIPES, robot

from kgprobe.config.loading import load_profile
from kgprobe.config.preparation import prepare
from kgprobe.formats.files import load
from kgprobe.masks.mask import Mask
from kgprobe.masks.shacl import read_shapes
from kgprobe.mutation.catalogue import all_operators
from kgprobe.mutation.generator import Generator
from kgprobe.mutation.update import read_operator
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Triple

_PROFILES = sorted(PIPES.glob("*.toml"))
_MASKS = sorted((PIPES / "masks").glob("*.ttl"))

_NO_POSITION = "no position"
_BRANCH_AT_START = "a branch where the robot starts"
_BRANCH = "a branch further on"

_HEADER = f"PREFIX : <{robot.NAMESPACE}>\n"
_FIGURE_1D = """
    :auv a :Robot ; :isAt :p1 .
    :p1 a :Pipe ; :nextTo :p2 , :p3 .
    :p2 a :Pipe ; :nextTo :p1 .
    :p3 a :Pipe ; :nextTo :p1 .
"""
_THREE_TRIPLES = ":auv :isAt :p1 . :p1 :nextTo :p2 , :p3 ."
_FIGURE_7 = """
    :auv a :Robot ; :isAt :p1 .
    :p1 a :Pipe ; :nextTo :p2 .
    :p2 a :Pipe ; :nextTo :p1 , :p3 , :p4 .
    :p3 a :Pipe ; :nextTo :p2 .
    :p4 a :Pipe ; :nextTo :p2 .
"""
_MIDDLE = """
    :auv a :Robot ; :isAt :p2 .
    :p1 a :Pipe ; :nextTo :p2 .
    :p2 a :Pipe ; :nextTo :p1 , :p3 .
    :p3 a :Pipe ; :nextTo :p2 .
"""
_TWO_PIPES = ":auv a :Robot ; :isAt :p1 . :p1 a :Pipe . :p2 a :Pipe ; :nextTo :p3 . :p3 a :Pipe ; :nextTo :p2 ."
_ONE_WAY = ":auv a :Robot ; :isAt :p1 . :p1 a :Pipe . :p2 a :Pipe ; :nextTo :p1 ."
_THROUGH_A_VALVE = """
    :auv a :Robot ; :isAt :p1 .
    :p1 a :Pipe ; :nextTo :v .
    :v a :Valve ; :nextTo :p1 , :p2 , :p3 .
    :p2 a :Pipe ; :nextTo :v .
    :p3 a :Pipe ; :nextTo :v .
"""


def _triples(turtle: str) -> list[Triple]:
    quads = pyoxigraph.parse((_HEADER + turtle).encode(), pyoxigraph.RdfFormat.TURTLE)
    return [Triple(quad.subject, quad.predicate, quad.object) for quad in quads]


@cache
def _mask(shapes: int = len(_MASKS)) -> Mask:
    return Mask(read_shapes(*_MASKS[:shapes]))


# -- the robot ---------------------------------------------------------------------------------------------------------


def test_the_robot_inspects_its_pipe() -> None:
    graph = load(PIPES / "pipes.ttl").graph
    assert robot.inspect(graph) == {"mission": robot.COMPLETE, "inspected": ["p1", "p2"], "missed": []}
    assert _mask().admits(graph)


@pytest.mark.parametrize(
    ("turtle", "mission", "missed", "first_mask"),
    [
        pytest.param(_FIGURE_1D, robot.PASSED, ["p2"], 2, id="a branch where it starts"),
        pytest.param(_MIDDLE, robot.PASSED, ["p1"], 2, id="a start in the middle"),
        pytest.param(_FIGURE_7, robot.PASSED, ["p3"], 3, id="a branch further on"),
        pytest.param(_TWO_PIPES, robot.UNREACHED, ["p2", "p3"], 4, id="two pipes"),
    ],
)
def test_the_robot_misses_segments(turtle: str, mission: str, missed: list[str], first_mask: int) -> None:
    graph = Graph(_triples(turtle))
    report = robot.inspect(graph)
    assert (report["mission"], report["missed"]) == (mission, missed)
    assert [_mask(shapes).admits(graph) for shapes in (first_mask - 1, first_mask)] == [True, False]


@pytest.mark.parametrize("turtle", [":p1 a :Pipe .", ":auv :isAt :p1 , :p2 . :p1 a :Pipe . :p2 a :Pipe ."])
def test_the_robot_needs_exactly_one_position(turtle: str) -> None:
    graph = Graph(_triples(turtle))
    with pytest.raises(LookupError, match="the initial position cannot be extracted"):
        robot.inspect(graph)
    assert not _mask(1).admits(graph)


@pytest.mark.parametrize(
    ("turtle", "code", "said"),
    [
        pytest.param(_MIDDLE.replace(":isAt :p2", ":isAt :p1"), 0, ["complete", "p1 p2 p3", "nothing"], id="complete"),
        pytest.param(_FIGURE_1D, 1, [robot.PASSED, "p1 p3", "p2"], id="passed"),
        pytest.param(_TWO_PIPES, 3, [robot.UNREACHED, "p1", "p2 p3"], id="never reached"),
        pytest.param(":p1 a :Pipe .", 1, ["Traceback", "LookupError: the initial position"], id="crash"),
        pytest.param(":auv :isAt", 2, ["graph.ttl:2:"], id="no graph"),
    ],
)
def test_the_robot_is_a_program(turtle: str, code: int, said: list[str], tmp_path: Path) -> None:
    file = tmp_path / "graph.ttl"
    file.write_text(_HEADER + turtle, encoding="utf-8")
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, str(PIPES / "robot.py"), str(file)], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == code, done.stderr
    for text in said:
        assert text in done.stdout + done.stderr


def test_the_branch_reduces_to_three_triples() -> None:
    whole = _triples(_FIGURE_1D)
    assert len(whole) == 9
    failing = [
        set(some)
        for size in range(len(whole) + 1)
        for some in combinations(whole, size)
        if _kind(Graph(some)) == _BRANCH_AT_START
    ]
    minimal = [some for some in failing if not any(other < some for other in failing)]
    assert minimal == [set(_triples(_THREE_TRIPLES))]


# -- the masks ---------------------------------------------------------------------------------------------------------


def _kind(graph: Graph) -> str:
    """The outcome of the mission, or the reason why it did not start."""
    try:
        mission: str = robot.inspect(graph)["mission"]
    except LookupError:
        return _NO_POSITION
    if mission != robot.PASSED:
        return mission
    [start] = graph.objects(graph.key(robot.AUV), graph.key(robot.IS_AT))
    return _BRANCH_AT_START if graph.count(start, graph.key(robot.NEXT_TO)) > 1 else _BRANCH


def _missions(profile_file: Path) -> Counter[str]:
    profile = load_profile(profile_file)
    with prepare(profile) as ready:
        [seed] = ready.seeds
        mutation = profile.mutation
        generator = Generator(
            seed.graph, ready.operators, mutations=mutation.mutations, seed=mutation.seed, mask=seed.mask
        )
        return Counter(_kind(mutant.graph) for mutant in generator.mutants(mutation.mutants))


def test_each_profile_adds_one_mask() -> None:
    masks = [[path.resolve() for path in load_profile(file).mask.shapes] for file in _PROFILES]
    assert masks == [_MASKS[:size] for size in range(5)]


@pytest.mark.parametrize(
    ("number", "failures"),
    [
        (0, {_NO_POSITION, _BRANCH_AT_START, _BRANCH, robot.UNREACHED}),
        (1, {_BRANCH_AT_START, _BRANCH, robot.UNREACHED}),
        (2, {_BRANCH, robot.UNREACHED}),
        (3, {robot.UNREACHED}),
        (4, set()),
    ],
)
def test_each_mask_makes_one_failure_disappear(number: int, failures: set[str]) -> None:
    missions = _missions(_PROFILES[number])
    assert missions.total() == load_profile(_PROFILES[number]).mutation.mutants
    assert missions.keys() == failures | {robot.COMPLETE}


@pytest.mark.parametrize("turtle", [_ONE_WAY, _THROUGH_A_VALVE], ids=["one way", "through a valve"])
def test_the_masks_rely_on_the_operators(turtle: str) -> None:
    """They would admit graphs that no operator here creates, and that the robot cannot handle."""
    graph = Graph(_triples(turtle))
    assert _mask().admits(graph)
    assert robot.inspect(graph)["mission"] != robot.COMPLETE


# -- the operators -----------------------------------------------------------------------------------------------------


def test_operator_names_are_unique() -> None:
    # Their examples run with those of all other operators, which are identified by name.
    names = {read_operator(file).description.name: file.stem for file in (PIPES / "operators").glob("*.ru")}
    assert len(names) == 7
    assert all(name == stem for name, stem in names.items())
    assert not names.keys() & {operator.description.name for operator in all_operators()}
