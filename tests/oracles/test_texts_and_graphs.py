"""Outputs compared with expected texts and with those on the seed graph, and queried."""

from __future__ import annotations

import dataclasses
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgprobe.errors import InputError
from kgprobe.formats.files import read_graph
from kgprobe.model import Observation, Outcome, Status
from kgprobe.oracles.differences import same_output
from kgprobe.oracles.differential import SameAsSeed
from kgprobe.oracles.facts import text_difference
from kgprobe.oracles.protocol import Observed
from kgprobe.oracles.single_run import ExpectedOutput, OutputQuery, Part
from kgprobe.rdf.terms import BlankNode, Literal

from .made import CASE, SEED, WITH_SEED, hierarchy, iri, said

DONE = Observation("tool", Status.FINISHED, exit_code=0)


def done(**parts: object) -> Observation:
    return dataclasses.replace(DONE, **parts)  # type: ignore[arg-type]  # a test knows what it gives


# -- what is expected ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stdout", ["a\nb", "a\nb\n", "a\r\nb\r\n"])
def test_expected_text(stdout: str) -> None:
    assert ExpectedOutput("a\nb\n").judge(CASE, Observed.of(CASE, [done(stdout=stdout)])).outcome is Outcome.PASS


def test_unexpected_text_is_shown_as_a_difference() -> None:
    verdict = ExpectedOutput("a\nb\nc\n").judge(CASE, Observed.of(CASE, [done(stdout="a\nB\nc\n")]))
    (failure,) = verdict.failures
    assert failure.signature == "tool: unexpected output: stdout"
    assert failure.words == ("--- expected", "+++ observed", " a", "-b", "+B", " c")


def test_a_long_difference_is_cut() -> None:
    verdict = ExpectedOutput("x").judge(CASE, Observed.of(CASE, [done(stdout="\n".join(map(str, range(1000))))]))
    words = verdict.failures[0].words
    assert len(words) == 21
    assert words[-1].startswith("and ")
    assert max(map(len, text_difference("a", "b" * 10_000))) == 400


def test_expected_json() -> None:
    oracle = ExpectedOutput('{"b": [1, 2.5], "a": null}', part=Part.VALUE)
    assert oracle.judge(CASE, Observed.of(CASE, [done(value={"a": None, "b": (1, 2.5)})])).outcome is Outcome.PASS
    verdict = oracle.judge(CASE, Observed.of(CASE, [done(value={"a": None, "b": [1, 3]})]))
    assert [failure.signature for failure in verdict.failures] == ["tool: unexpected output: value"]
    assert any("2.5" in line for line in verdict.failures[0].words)


def test_expected_json_for_types_that_json_lacks() -> None:
    oracle = ExpectedOutput('["<urn:test:a>", "<urn:test:b>"]', part=Part.VALUE)
    assert oracle.judge(CASE, Observed.of(CASE, [done(value=frozenset({iri("b"), iri("a")}))])).outcome is Outcome.PASS


def test_expected_json_must_be_json() -> None:
    with pytest.raises(InputError, match="the expected value is not JSON"):
        ExpectedOutput("{", part=Part.VALUE)


def test_unfinished_runs_are_not_judged() -> None:
    verdict = ExpectedOutput("a").judge(CASE, Observed.of(CASE, [Observation("tool", Status.TIMED_OUT)]))
    assert verdict.outcome is Outcome.UNDECIDED
    assert verdict.why == "tool gave no answer: timed out"


# -- the same as on the seed -----------------------------------------------------------------------------------------


def with_seed(before: Observation, after: Observation) -> Observed:
    """Observations on the seed graph and on the case."""
    return Observed.of(CASE, [after]).and_on(SEED, [before])


def compared(before: Observation, after: Observation) -> list[tuple[str, tuple[str, ...]]]:
    oracle = SameAsSeed()
    assert list(oracle.needs(WITH_SEED, Observed())) == [SEED, WITH_SEED.input]
    verdict = oracle.judge(WITH_SEED, with_seed(before, after))
    assert verdict.outcome is (Outcome.FAIL if verdict.failures else Outcome.PASS)
    return [(failure.signature, failure.words) for failure in verdict.failures]


TURTLE = b"<urn:a> <urn:p> _:x . _:x <urn:q> 1 ."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {}),
        ({"seconds": 1.0}, {"seconds": 2.0}),
        ({"value": [1, 2]}, {"value": (2, 1)}),
        ({"value": hierarchy("A < B")}, {"value": hierarchy("A < B")}),
        ({"value": [{"x": BlankNode("a")}]}, {"value": [{"x": BlankNode("b")}]}),
        ({"output": TURTLE}, {"output": b"@prefix u: <urn:> . u:a u:p [ u:q 1 ] ."}),
        (
            {"output": TURTLE},
            {"output": b'<urn:a> <urn:p> _:y .\n_:y <urn:q> "1"^^<urn:t> .'.replace(b'"1"^^<urn:t>', b"1")},
        ),
        ({"output": b"any bytes \xff\x00"}, {"output": b"any bytes \xff\x00"}),
    ],
)
def test_nothing_changed(before: dict[str, object], after: dict[str, object]) -> None:
    assert compared(done(**before), done(**after)) == []


@pytest.mark.parametrize(
    ("before", "after", "signature", "word"),
    [
        ({}, {"status": Status.TIMED_OUT}, "tool: changed: finished to timed out", "finished on the seed"),
        ({"exit_code": 0}, {"exit_code": 3}, "tool: changed: exit status 0 to 3", "0 on the seed, and 3 here"),
        ({"value": {"n": 1}}, {"value": {"n": 2}}, "tool: changed: value", "-n = 1"),
        ({"value": None}, {"value": 2}, "tool: changed: value", "an answer only here"),
        ({"value": hierarchy("A < B")}, {"value": hierarchy("A", "B")}, "tool: changed: value", "gone: <urn:test:A> ⊑"),
        ({"stdout": "a\n"}, {"stdout": "a"}, "tool: changed: stdout", "--- seed"),
        ({"output": TURTLE}, {"output": TURTLE + b"<urn:a> <urn:p> 2 ."}, "tool: changed: output", "+++ case"),
        ({"output": b'{"a": 1}'}, {"output": b'{"a": 2}'}, "tool: changed: output", "-a = 1"),
        ({"output": b"a\tb\tc\nd\te\tf\n"}, {"output": b"d\te\tf\na\tb\tc\n"}, "tool: changed: output", "+++ case"),
        ({"output": b"\xff"}, {"output": b"\xfe"}, "tool: changed: output", "-\\xff"),
        ({"output": b"x"}, {"output": None}, "tool: changed: output", "a file only on the seed"),
    ],
)
def test_changes_are_described(before: dict[str, object], after: dict[str, object], signature: str, word: str) -> None:
    ((found, words),) = compared(done(**before), done(**after))
    assert found == signature
    assert any(line.startswith(word) for line in words)


def test_facts_missing_from_a_partial_answer_are_not_changes() -> None:
    assert compared(said("tool", [1, 2]), said("tool", [1], partial=True)) == []
    assert len(compared(said("tool", [1, 2], partial=True), said("tool", [1]))) == 1


def test_without_a_run_on_the_seed_it_is_undecided() -> None:
    assert list(SameAsSeed().needs(CASE, Observed())) == [CASE.input]  # it has no seed
    nothing_run = SameAsSeed().judge(CASE, Observed.of(CASE, [DONE]))
    assert nothing_run.outcome is Outcome.UNDECIDED
    assert nothing_run.why == "tool was not run on the seed seed"
    unreachable = SameAsSeed().judge(WITH_SEED, with_seed(done(status=Status.UNREACHABLE), DONE))
    assert unreachable.outcome is Outcome.UNDECIDED


def test_only_some_parts_are_compared() -> None:
    oracle = SameAsSeed(parts=["exit status"])
    assert oracle.judge(WITH_SEED, with_seed(done(stdout="12:00"), done(stdout="12:01"))).outcome is Outcome.PASS
    with pytest.raises(InputError, match=r"not a part of an observation: time \(compare exit status, value"):
        SameAsSeed(parts=["time"])


@settings(deadline=None)
@given(st.text(max_size=20), st.text(max_size=20))
def test_a_text_difference_is_empty_exactly_if_the_texts_are_equal(one: str, other: str) -> None:
    assert bool(text_difference(one, other)) is (one != other)


def test_graphs_written_elsewhere_with_relative_names_are_the_same() -> None:
    assert same_output(b"<#a> <urn:p> <#b> .", b"<#a>  <urn:p>  <#b> .")
    assert not same_output(b"<#a> <urn:p> <#b> .", b"<#a> <urn:p> <#c> .")


# -- questions about the output --------------------------------------------------------------------------------------

ASK = "# every a has a p\nASK { FILTER NOT EXISTS { ?x a <urn:A> . FILTER NOT EXISTS { ?x <urn:p> ?y } } }"


def test_a_query_over_the_output_file_or_else_standard_output() -> None:
    oracle = OutputQuery("ASK { <urn:a> <urn:p> ?x }", "has p")
    wrong = b"<urn:b> <urn:p> 1 ."
    assert oracle.judge(CASE, Observed.of(CASE, [done(output=TURTLE, stdout="reading")])).outcome is Outcome.PASS
    assert oracle.judge(CASE, Observed.of(CASE, [done(stdout=TURTLE.decode())])).outcome is Outcome.PASS
    assert oracle.judge(CASE, Observed.of(CASE, [done(output=wrong, stdout=TURTLE.decode())])).outcome is Outcome.FAIL


def test_a_query_that_is_false_shows_why() -> None:
    verdict = OutputQuery(ASK, "p of a").judge(CASE, Observed.of(CASE, [done(output=b"<urn:x> a <urn:A> .")]))
    (failure,) = verdict.failures
    assert failure.signature == "tool: output query: p of a"
    assert failure.words == ("does not hold: every a has a p; ?x is <urn:x>",)


def test_output_that_is_not_a_graph() -> None:
    verdict = OutputQuery(ASK, "q").judge(CASE, Observed.of(CASE, [done(output=b"@prefix a: <urn:a> .\n<urn:x> a .")]))
    (failure,) = verdict.failures
    assert failure.signature == "tool: unreadable output"
    assert failure.words[0].startswith("output:2:")
    written = [done(output=text) for text in (b"Traceback: no", b'{"a": 1}', b"\x00\x01")]
    for seen in (*written, done(stdout="<urn:x> <urn:p> '\ud800' .")):
        (failure,) = OutputQuery(ASK, "q").judge(CASE, Observed.of(CASE, [seen])).failures
        assert failure.kind == "unreadable output"
        assert "tmp" not in failure.words[0]


def test_no_output() -> None:
    verdict = OutputQuery(ASK, "q").judge(CASE, Observed.of(CASE, [done(stdout=" \n")]))
    assert (verdict.outcome, verdict.why) == (Outcome.UNDECIDED, "tool wrote nothing")
    assert OutputQuery(ASK, "q").judge(CASE, Observed.of(CASE, [done(output=b"")])).outcome is Outcome.PASS


def test_empty_json_ld_is_an_empty_graph() -> None:
    assert [len(read_graph(text)) for text in (b"{}", b"[]\n", b'{"@graph": []}')] == [0, 0, 0]
    (triple,) = read_graph(b'{"@id": "urn:a", "urn:p": "x"}')
    assert triple.object == Literal("x")


def test_only_ask_queries_are_accepted() -> None:
    with pytest.raises(InputError, match="is not an ASK query"):
        OutputQuery("SELECT * { ?s ?p ?o }", "q")
    oracle = pickle.loads(pickle.dumps(OutputQuery("ASK { u:a u:p ?x }", "q", {"u": "urn:"})))  # noqa: S301 - our own
    assert oracle.judge(CASE, Observed.of(CASE, [done(output=TURTLE)])).outcome is Outcome.PASS
