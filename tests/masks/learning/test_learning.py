"""Learned masks: what they say, how sure they are, and that SHACL validators agree with them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from random import Random

import pytest
from support.known_truths import HELD_OUT, TUNED, judged, plant, with_wrong_verdicts
from support.shared_data import needs_shared_data, shared

from kgprobe.errors import InputError
from kgprobe.formats.files import load
from kgprobe.masks.learning.csv_cases import read_judged
from kgprobe.masks.learning.learning import learn_mask, mask_and_candidates, score_mask
from kgprobe.masks.learning.observations import JudgedGraph
from kgprobe.masks.mask import Mask
from kgprobe.masks.shacl import ShaclCheck, read_shapes
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode, Term, Triple

EX = "https://example.org/x#"


def name(text: str) -> NamedNode:
    return NamedNode(EX + text)


def fact(subject: str, predicate: str, value: str | int) -> Triple:
    object_: Term = Literal(str(value), datatype=XSD.integer) if isinstance(value, int) else name(value)
    return Triple(name(subject), RDF.type if predicate == "a" else name(predicate), object_)


SEED = Graph(
    [
        *(fact(robot, "a", "Robot") for robot in ("r1", "r2", "r3")),
        *(fact(robot, "speed", 5) for robot in ("r1", "r2", "r3")),
        *(fact(robot, "uses", "map") for robot in ("r1", "r2", "r3")),
        fact("map", "a", "Map"),
        fact("atlas", "a", "Map"),
    ]
)


def case(
    number: int, failed: bool, removed: list[Triple] | None = None, added: list[Triple] | None = None
) -> JudgedGraph:
    return JudgedGraph(f"x#{number}", SEED, Delta(removed or [], added or []), failed)


def test_a_triple_without_which_the_system_fails_is_pinned() -> None:
    mask = learn_mask(
        [
            case(1, True, [fact("r1", "uses", "map")]),
            case(2, True, [fact("r1", "uses", "map"), fact("r2", "speed", 5)]),
            case(3, False, [fact("r2", "speed", 5)]),
            case(4, False, [fact("r2", "uses", "map")]),
        ]
    )
    [shape] = mask.shapes
    assert (shape.kind, shape.explains, shape.excludes) == ("pin", ("x#1", "x#2"), ())
    assert shape.p == pytest.approx(1 / 6)
    assert shape.strength == "tentative"
    assert (mask.accuracy, mask.ceiling, mask.unexplained, mask.conflicts) == (1.0, 1.0, (), ())
    # r2's speed is also gone from a failing case, but that fails without it, too.
    assert [str(each.triple) for each in mask.unneeded] == [
        str(fact("r2", "speed", 5)),
        str(fact("r2", "uses", "map")),
    ]
    assert not mask.holds(case(0, True, [fact("r1", "uses", "map")]).graph())
    assert mask.holds(SEED)


def changed_speed(number: int, robot: str, speed: int, failed: bool) -> JudgedGraph:
    return case(number, failed, [fact(robot, "speed", 5)], [fact(robot, "speed", speed)])


def test_a_bound_is_round_and_holds_for_the_class() -> None:
    speeds = [("r1", -3), ("r2", -8), ("r3", -1), ("r1", 4), ("r2", 80), ("r3", 1), ("r1", 9)]
    mask = learn_mask([changed_speed(i, robot, speed, speed < 0) for i, (robot, speed) in enumerate(speeds)])
    [shape] = mask.shapes
    assert shape.kind == "range"
    assert "sh:minInclusive" in shape.turtle
    assert "sh:targetClass" in shape.turtle


def test_instances_of_a_class_are_counted() -> None:
    """Each robot uses a map. Whether that still is one depends on its type, and another thing does not help."""
    use, type_, charger = fact("r1", "uses", "map"), fact("map", "a", "Map"), fact("r1", "uses", "charger")
    other = fact("r1", "uses", "atlas")
    mask = learn_mask(
        [
            case(1, True, [use], [charger]),
            case(2, True, [type_]),
            case(3, True, [type_], [charger]),
            case(4, False, [use], [other]),
            case(5, False, [type_], [other]),
            case(6, False, [], [charger]),
            case(7, False, [], [charger, other]),
        ]
    )
    [shape] = mask.shapes
    assert (shape.kind, mask.accuracy) == ("cardinality", 1.0)
    assert "has at least 1 value of" in shape.words
    assert "that is an instance of" in shape.words
    assert "sh:qualifiedMinCount" in shape.turtle


def test_changes_that_fail_only_together_become_a_combination() -> None:
    one, other, third = (fact(robot, "uses", "map") for robot in ("r1", "r2", "r3"))
    mask = learn_mask(
        [
            *(case(i, True, [one, other]) for i in range(3)),
            *(case(3 + i, False, [triple]) for i, triple in enumerate((one, other, third))),
            case(6, False, [one, third]),
            case(7, False, [other, third]),
        ]
    )
    [shape] = mask.shapes
    assert shape.kind == "combination"
    assert "sh:or" in shape.turtle
    check = ShaclCheck(mask.graph, "mask")
    assert not check.admits(case(0, True, [one, other]).graph())
    assert check.admits(case(0, True, [one, third]).graph())


def test_a_combination_of_nodes_that_only_a_search_connects_and_that_can_be_gone() -> None:
    """No path from one node to the other is in all passing graphs, and neither node is."""
    sensor, valve = fact("s1", "monitors", "t1"), fact("v1", "controls", "p1")
    of_sensor, of_valve = [sensor, fact("s1", "a", "Sensor")], [valve, fact("v1", "a", "Valve")]
    others = [
        fact("Sensor", "a", "Class"),
        fact("Valve", "a", "Class"),
        fact("t1", "a", "Tank"),
        fact("p1", "a", "Pump"),
    ]
    others += [fact("Tank", "a", "Class"), fact("Pump", "a", "Class")]
    seed = Graph([*of_sensor, *of_valve, *others])
    gone = [[sensor], of_sensor, [valve], of_valve]
    gone += [[*one, *other] for one in gone[:2] for other in gone[2:]]
    gone += [[*each, other] for each in gone for other in others]
    cases = [
        JudgedGraph(f"x#{i}", seed, Delta(each, []), sensor in each and valve in each) for i, each in enumerate(gone)
    ]
    mask = learn_mask(cases)
    [shape] = mask.shapes
    assert (shape.kind, len(shape.explains), mask.accuracy) == ("combination", 28, 1.0)
    check = Mask([ShaclCheck(mask.graph, "learned")])
    assert [each.name for each in cases if check.admits(each.graph()) is each.failed] == []


def test_equal_mutants_with_different_verdicts_bound_the_accuracy() -> None:
    gone = [fact("r1", "uses", "map")]
    mask = learn_mask([case(1, True, gone), case(2, False, gone), case(3, True, gone), case(4, False)])
    assert mask.conflicts == (("x#1", "x#2", "x#3"),)
    assert mask.ceiling == 0.75
    assert mask.shapes == ()  # each would exclude the passing one
    assert mask.unexplained == ("x#1", "x#3")
    assert mask.accuracy == 0.5


@pytest.mark.parametrize(
    ("failed", "said"), [([], "no cases"), ([True, True], "no case passes"), ([False], "no case fails")]
)
def test_cases_that_teach_nothing_are_refused(failed: list[bool], said: str) -> None:
    with pytest.raises(InputError, match=said):
        learn_mask([case(i, each) for i, each in enumerate(failed)])


@pytest.mark.parametrize("noise", [-0.1, 0.5, float("nan")])
def test_noise_is_a_share_below_one_half(noise: float) -> None:
    with pytest.raises(InputError, match="noise"):
        learn_mask([case(1, True, [fact("r1", "uses", "map")]), case(2, False)], noise=noise)


def test_who_watches_is_told_what_is_going_on() -> None:
    told: list[tuple[str, int, int]] = []
    cases = [
        *(case(i, True, [fact("r1", "uses", "map")], [fact("r1", "uses", f"x{i}")]) for i in range(9)),
        case(11, False, [fact("r1", "uses", "map"), fact("r2", "speed", 5)]),
        case(12, False),
        case(13, False, [], [fact("r1", "speed", 6)]),
        case(14, False, [], [fact("r1", "speed", 7)]),
    ]
    learn_mask(cases, on_progress=lambda *now: told.append(now))
    assert {what for what, _, _ in told} >= {"looking at what has changed", "describing exceptions"}
    assert all(0 <= done < total for _, done, total in told)


def test_competing_shapes_say_what_they_explain() -> None:
    cases = [case(1, True, [fact("r1", "uses", "map")], [fact("r1", "uses", "atlas")]), case(2, False)]
    mask, found = mask_and_candidates(cases)
    assert mask == learn_mask(cases)
    assert len(found) > 1
    assert all(shape.explains == ("x#1",) and not shape.excludes for shape in found)
    assert all(shape.holds(SEED) and not shape.holds(cases[0].graph()) for shape in found)


@pytest.mark.parametrize("kind", [*TUNED, *HELD_OUT])
def test_known_truths_are_found_and_validators_agree(kind: str) -> None:
    random = Random(f"test {kind}")
    seed = plant(random, 4)
    truth = {**TUNED, **HELD_OUT}[kind](seed, random)
    stream = judged(seed, truth, random, balanced=True)
    cases, new = list(islice(stream, 100)), list(islice(stream, 120))
    mask = learn_mask(cases)
    if kind == "pair":
        assert mask == learn_mask(cases)
    assert not any(shape.excludes for shape in mask.shapes)
    check = ShaclCheck(mask.graph, "mask")
    for each in (*cases, *new[:50]):
        assert check.admits(each.graph()) is mask.holds(each.graph())
    for shape in mask.shapes:
        violating = {each.name for each in cases if not shape.holds(each.graph())}
        assert violating == {*shape.explains, *shape.excludes}
    right = sum(mask.holds(each.graph()) is not each.failed for each in new)
    assert right / len(new) >= 0.88


def test_wrong_verdicts_are_not_explained() -> None:
    random = Random("noise")
    seed = plant(random, 5)
    truth: Callable[[Graph], bool] = TUNED["cardinality"](seed, random)
    stream = judged(seed, truth, random, balanced=True)
    cases, new = with_wrong_verdicts(list(islice(stream, 150)), 0.06, random), list(islice(stream, 100))
    mask = learn_mask(cases, noise=0.06)
    assert sum(mask.holds(each.graph()) is not each.failed for each in new) >= 93
    assert len(mask.shapes) < len(learn_mask(cases).shapes)


BATCHES = ("onlySuave02", "onlySuave03", "onlyGeneric03", "onlySuave04", "onlySuave05")


@needs_shared_data
def test_the_suave_batches_are_explained_up_to_the_ceiling() -> None:
    folder = shared("suave/verdicts")
    seed = load(shared("suave/suave_original_with_imports.ttl")).graph
    cases = read_judged(
        seed,
        [folder / f"{batch}.mutants.csv" for batch in BATCHES],
        [folder / f"{batch}.verdicts.csv" for batch in BATCHES],
    )
    mask = learn_mask(cases)
    assert (mask.cases, mask.failing) == (90, 18)
    assert mask.conflicts == (("onlySuave04#7", "onlySuave05#4"),)
    assert mask.accuracy == mask.ceiling == pytest.approx(89 / 90)
    score = score_mask(Mask([ShaclCheck(mask.graph, "mask")]), cases)
    assert (score.correct, score.too_permissive, score.too_strict) == (89, ("onlySuave05#4",), ())
    theirs = [score_mask(Mask(read_shapes(shared(f"suave/masks/mask{i}.ttl"))), cases).correct for i in range(8)]
    assert theirs == [72, 76, 80, 80, 75, 73, 68, 66]
