"""How answers differ, which differences are the same, and what else a run can show that is no difference."""

from __future__ import annotations

from typing import Any

import pytest

from kgprobe.model import Crash, Failure, Observation, Outcome, Status, Verdict, Way
from kgprobe.oracles.differences import of_outputs, of_texts, of_values
from kgprobe.oracles.differential import Differential, SameAsSeed
from kgprobe.oracles.protocol import Observed, Oracle, judged
from kgprobe.oracles.signatures import are_alike
from kgprobe.oracles.single_run import ExitStatus
from kgprobe.reasoners.protocol import Hierarchy

from .made import CASE, SEED, WITH_SEED, hierarchy, iri

_NAMES = ("seed", "case")


def way(before: Any, after: Any) -> Way:
    found = of_values(before, after, _NAMES)
    assert found is not None
    return Way(difference=found.kinds)


def same(one: tuple[Any, Any], other: tuple[Any, Any], *names: str) -> bool:
    return are_alike(way(*one), way(*other), lambda: set(names))


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        # Numbers, and names of either graph, do not count; neither does how often something changed.
        (("2 corridors", "1 corridors"), ("7 corridors", "0 corridors"), ()),
        (("Latte costs 2.50\nend", "end"), ("Mocha costs 3\nend\n", "end\n"), ("Latte", "Mocha")),
        (("a x\nb x", ""), ("a x", ""), ("a", "b")),
        (({"p1": 1, "p2": 1}, {}), ({"p1": 1}, {}), ("p1", "p2")),
        (({"price": [1, 2]}, {"price": [1]}), ({"price": [5]}, {"price": []}), ()),
        ((hierarchy("A < B", "B < C"), hierarchy("B < C", "A")), (hierarchy("X < Y"), hierarchy("X", "Y")), ()),
        (({"q": frozenset({(('"a"', "<urn:b>"), 1)})}, {"q": frozenset()}),) * 2 + (("a",),),
    ],
)
def test_the_same_difference(one: tuple[Any, Any], other: tuple[Any, Any], names: tuple[str, ...]) -> None:
    assert same(one, other, *names)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Something is gone, but not the same; or something else has changed as well; or it is new instead.
        (("Latte costs 2\nend", "end"), ("no menu\nend", "end")),
        (("a\nb", "b"), ("a\nb", "")),
        (("a", "a\nb"), ("a\nb", "a")),
        (({"mission": "complete"}, {"mission": "failed"}), ({"mission": "complete"}, {"mission": "stuck"})),
        (({"mission": "complete"}, {"mission": "failed"}), ({"state": "complete"}, {"state": "failed"})),
        (({"ok": True}, {"ok": False}), ({"ok": False}, {"ok": True})),
        ((hierarchy("A < B"), hierarchy("A", "B")), (hierarchy("A", "B"), hierarchy("A < nothing", "B"))),
        (({"q": frozenset({(("a", "b"), 1)})}, {}), ({"r": frozenset({(("a", "b"), 1)})}, {})),
        ((hierarchy("A"), False), (False, hierarchy("A"))),
    ],
)
def test_another_difference(one: tuple[Any, Any], other: tuple[Any, Any]) -> None:
    assert not same(one, other)
    assert same(one, one)


def test_an_empty_answer_is_no_substitute_for_what_was_lost() -> None:
    """The difference that every part of a graph makes must not be taken for one that a mutation made."""
    menu = "Menu\n- Latte costs 2.50\n- Mocha costs 3.00\n2 drinks"
    assert not same((menu, menu.replace("3.00", "3.x")), (menu, "Menu\n0 drinks"), "Latte", "Mocha")


def test_json_is_compared_by_its_values_wherever_it_is() -> None:
    text = of_texts('{"a": {"b": 1}, "c": [1, 2]}', '{"c": [2, 1],\n "a": {"b": 2}}', _NAMES)
    assert text is not None
    assert text.words == ("a.b = 1 → a.b = 2", "--- seed", "+++ case", "-a.b = 1", "+a.b = 2")
    spaces = of_texts('{"a": 1}', '{"a":1}', _NAMES)  # the text differs, and no value
    assert spaces is not None
    assert '-{"a": 1}' in spaces.lines


def test_a_change_of_one_place_is_not_taken_for_one_of_another() -> None:
    found = of_values({"http://a.org/x": ["A"], "p": 1}, {"http://a.org/y": ["B"], "p": 2}, _NAMES)
    assert found is not None
    assert found.headline == "p = 1 → p = 2"
    other = of_values({"http://a.org/x": ["A"]}, {"http://a.org/y": ["B"]}, _NAMES)
    assert other is not None
    assert other.headline == 'gone: http://a.org/x = "A"; new: http://a.org/y = "B"'


def test_the_end_of_a_text_is_no_line() -> None:
    found = of_texts("total 12\n", "total 21\n", _NAMES)
    assert found is not None
    assert found.lines == ("--- seed", "+++ case", "-total 12", "+total 21")
    assert of_texts("total 12\n", "total 12", _NAMES) is not None


def test_rows_are_shown_as_rows() -> None:
    one = {"prices": frozenset({(('"tea"', '"2"^^<http://www.w3.org/2001/XMLSchema#integer>', ""), 2)})}
    found = of_values(one, {"prices": frozenset()}, _NAMES)
    assert found is not None
    assert found.lines[2:] == ('-prices = "tea" | "2"^^xsd:integer | (unbound)',) * 2


def test_files_that_are_graphs_differ_in_triples() -> None:
    before, after = b"<urn:a> <urn:p> <urn:b> . <urn:a> <urn:q> 1 .", b"<urn:c> <urn:q> 2 ; <urn:p> <urn:b> ."
    other = b"<urn:a> <urn:q> 1 ."
    assert of_outputs(before, before + b"\n", _NAMES) is None
    changed, gone = of_outputs(before, after, _NAMES), of_outputs(before, other, _NAMES)
    assert changed is not None
    assert gone is not None
    assert set(gone.kinds) != set(changed.kinds)
    one = of_outputs(b"<urn:a> <urn:p> 1 .", b"<urn:a> <urn:p> 2 .", _NAMES)
    two = of_outputs(b"<urn:b> <urn:p> 3 .", b"<urn:b> <urn:p> 4 .", _NAMES)
    assert one is not None
    assert two is not None
    assert one.kinds == two.kinds


def test_an_order_of_lines_is_a_difference() -> None:
    found = of_texts("b\na", "a\nb", _NAMES)
    assert found is not None
    assert found.headline == "the order of lines"


# -- with the oracle that judges how runs end ------------------------------------------------------------------------

_ENDINGS = ExitStatus((0, 4), (7,))
_ORACLES: list[Oracle] = [_ENDINGS, SameAsSeed(endings=_ENDINGS)]
_CRASHED = Observation("tool", Status.CRASHED, exit_code=1, crash=Crash("ValueError", "no price"))


def done(code: int | None = 0, stdout: str = "", **more: Any) -> Observation:
    return Observation("tool", Status.FINISHED, exit_code=code, stdout=stdout, **more)


def verdict(before: Observation, after: Observation) -> Verdict:
    return judged(_ORACLES, WITH_SEED, Observed.of(CASE, [after]).and_on(SEED, [before]))


@pytest.mark.parametrize(
    ("after", "signature"),
    [
        (_CRASHED, "tool: crashed: ValueError"),
        (done(1, "other"), "tool: exit status: 1"),
        (Observation("tool", Status.TIMED_OUT, stdout="o"), "tool: timed out or out of memory"),
        (done(4, "other", output=b"x"), "tool: changed: exit status 0 to 4"),
        (done(0, "other", value=[1]), "tool: changed: value"),
    ],
)
def test_a_failure_is_one_finding(after: Observation, signature: str) -> None:
    found = verdict(done(0, "one"), after)
    assert [failure.signature for failure in found.failures] == [signature]


def test_several_parts_that_differ_are_all_shown() -> None:
    [failure] = verdict(done(0, "one"), done(4, "two")).failures
    assert "0 on the seed, and 4 here" in failure.words
    assert {"-one", "+two"} <= set(failure.words)


@pytest.mark.parametrize("before", [_CRASHED, done(1), Observation("tool", Status.OUT_OF_MEMORY), done(7)])
def test_a_repair_is_no_failure(before: Observation) -> None:
    found = verdict(before, done(0, "fine"))
    assert (found.outcome, found.failures) == (Outcome.UNDECIDED, ())
    assert "there is nothing to compare with: tool on seed" in found.why


def test_a_graph_that_is_not_accepted_is_no_change() -> None:
    assert verdict(done(0, "fine"), done(7, "no")).outcome is Outcome.INVALID


def test_the_text_that_an_answer_was_read_from_is_not_compared_again() -> None:
    rows = frozenset({(("a",), 1), (("b",), 1)})
    assert (
        verdict(done(0, "a\nb", value=rows, is_read=True), done(0, "b\na", value=rows, is_read=True)).outcome == "pass"
    )
    assert verdict(done(0, "a\nb", value=rows), done(0, "b\na", value=rows)).outcome == "fail"


def test_an_answer_that_cannot_be_read_is_undecided_unless_it_could_be_read_before() -> None:
    unread = done(0, "BANANA", is_unreadable=True, remark="it cannot be read")
    assert verdict(unread, unread).outcome is Outcome.UNDECIDED
    assert verdict(unread, done(0, "yes", value=True, is_read=True)).outcome is Outcome.UNDECIDED
    assert verdict(done(0, "yes", value=True, is_read=True), unread).outcome is Outcome.FAIL
    alone = judged([_ENDINGS], CASE, Observed.of(CASE, [unread, done(0)]))
    assert (alone.outcome, alone.why) == (Outcome.UNDECIDED, "tool: it cannot be read")


def test_hierarchies_of_large_ontologies_are_compared_quickly_and_shown_in_a_few_lines() -> None:
    classes = {iri(f"c{number}"): frozenset({iri(f"c{number}")}) for number in range(3000)}
    parents = {name: frozenset({iri("c0")}) if name != iri("c0") else frozenset() for name in classes}
    flat = Hierarchy(classes, dict.fromkeys(classes, frozenset()), frozenset())
    found = of_values(Hierarchy(classes, parents, frozenset()), flat, _NAMES)
    assert found is not None
    assert len(found.lines) <= 21
    assert len(found.kinds) == 1


def test_texts_of_systems_that_do_not_agree_have_a_difference_that_is_kept() -> None:
    def failure(one: str, two: str, three: str) -> Failure:
        seen = [
            Observation(name, Status.FINISHED, value=text) for name, text in zip("abc", (one, two, three), strict=True)
        ]
        [found] = Differential().judge(CASE, Observed.of(CASE, seen)).failures
        return found

    whole = failure("menu\nLatte 2\nend", "menu\nLatte 2\nend", "menu\nend")
    assert whole.signature == "c: wrong answer: answer"
    assert whole.words[-5:] == ("--- a", "+++ c", " menu", "-Latte 2", " end")
    part, empty = failure("menu\nMocha 5", "menu\nMocha 5", "menu"), failure("menu", "menu", "no menu")
    assert part.signature == empty.signature == whole.signature
    assert are_alike(part.way, whole.way, lambda: {"Latte", "Mocha"})
    assert not are_alike(empty.way, whole.way, lambda: {"Latte", "Mocha"})
    assert failure("x", "y", "z").words[-8:] == ("--- a", "+++ b", "-x", "+y", "--- a", "+++ c", "-x", "+z")
