"""Inferences: a conclusion is asked only if all premises were right, for each system by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from kgprobe.model import Case, Crash, Dialogue, Inference, Observation, Outcome, Prompt, Reading, Status, Verdict
from kgprobe.oracles.inference import InferenceOracle, answered_in, relation_name
from kgprobe.oracles.protocol import ForSystems, Observed, judged, majority, needed

P1 = Prompt("Is Lucca a place in Tuscany?", expected="yes")
P2 = Prompt("Is Tuscany a place in Italy?", expected="yes")
BASIC = Prompt("Is Lucca a place in Italy?", "Lucca is a place in Tuscany.", "yes", kind="basic")
EXTENDED = Prompt("Is Lucca a place in Peru?", "Lucca is a place in Tuscany.", "no", kind="extended")
OPEN = Prompt("Where is Lucca?", "", "Italy", "open", ("Italy",), kind="basic")
INFERENCE = Inference("transitive", ("http://schema.org/containsPlace",), (P1, P2), (BASIC, EXTENDED))
CASE = Case("case", INFERENCE)


def read(answer: str, prompt: Prompt) -> Reading:
    """A reader for tests: yes and no, and names for open questions."""
    word = answer.strip().casefold()
    if prompt.form == "open":
        return Reading("right" if answer in prompt.right else "wrong")
    if word in ("yes", "no"):
        return Reading(word)
    return Reading("undecided", "it has neither", "wrong format" if word == "italy" else "")


ORACLE = InferenceOracle(read)
STRICT = InferenceOracle(read, strict=True)


def reply(system: str, text: str) -> Observation:
    """An answer; a text that starts with ! is a failed request."""
    if text.startswith("!"):
        return Observation(system, Status.CRASHED, crash=Crash("ValueError", text[1:]))
    return Observation(system, Status.FINISHED, stdout=text, exit_code=0)


def asked(answers: Mapping[str, Mapping[str, str]], oracle: InferenceOracle, case: Case = CASE) -> tuple[Verdict, str]:
    """The verdict, and everything that was asked. `answers` maps systems to questions to answers; else yes."""
    observed, log = Observed(), []
    while wanted := needed([oracle], case, observed, list(answers)):
        for given, systems in wanted:
            assert isinstance(given, Dialogue)
            [prompt] = given.prompts
            for system in sorted(systems):
                log.append(f"{system}: {prompt.text}")
                observed = observed.and_on(given, [reply(system, answers[system].get(prompt.text, "yes"))])
    return judged([oracle], case, observed), "\n".join(log)


def test_a_wrong_conclusion_after_right_premises_is_a_bug() -> None:
    verdict, log = asked({"small": {BASIC.text: "No", EXTENDED.text: "no"}}, ORACLE)
    assert verdict.outcome is Outcome.FAIL
    [failure] = verdict.failures
    assert failure.signature == "small: transitive: containsPlace: basic, yes → no"
    assert failure.words == (
        f"premise: {P1.text}",
        "  answer: yes",
        f"premise: {P2.text}",
        "  answer: yes",
        "context: Lucca is a place in Tuscany.",
        f"question: {BASIC.text}",
        "  expected: yes",
        "  answer: No",
    )
    assert log.count("small:") == 4
    assert verdict.details == {
        "systems": {
            "small": {
                "premises": [["right", "yes"], ["right", "yes"]],
                "conclusions": [["wrong", "no"], ["right", "no"]],
            }
        }
    }


@pytest.mark.parametrize("answer", ["no", "perhaps", "!out of tokens", ""])
def test_no_conclusion_is_asked_unless_all_premises_were_right(answer: str) -> None:
    verdict, log = asked({"small": {P2.text: answer}}, ORACLE)
    assert verdict.outcome is Outcome.INVALID
    assert BASIC.text not in log
    assert P1.text in log
    assert P2.text in log
    assert verdict.details is not None
    assert verdict.details["systems"]["small"]["conclusions"] == []


def test_each_system_is_asked_by_itself() -> None:
    answers = {
        "knows": {EXTENDED.text: "no"},
        "wrong": {EXTENDED.text: "yes"},
        "ignorant": {P1.text: "no"},
    }
    verdict, log = asked(answers, ORACLE)
    assert [failure.signature for failure in verdict.failures] == [
        "wrong: transitive: containsPlace: extended, no → yes"
    ]
    assert "ignorant: Is Lucca a place in Italy?" not in log
    assert "knows: Is Lucca a place in Italy?" in log
    del answers["wrong"]
    assert asked(answers, ORACLE)[0].outcome is Outcome.PASS


def test_undecided_answers_are_not_bugs_unless_the_paper_reads_them() -> None:
    answers = {"small": {BASIC.text: "Italy", EXTENDED.text: "no"}}
    verdict, _ = asked(answers, ORACLE)
    assert (verdict.outcome, verdict.why) == (Outcome.UNDECIDED, "undecided: wrong format")
    strict, _ = asked(answers, STRICT)
    assert [f.signature for f in strict.failures] == ["small: transitive: containsPlace: basic, yes → wrong format"]


@pytest.mark.parametrize("oracle", [ORACLE, STRICT])
def test_a_failed_request_is_never_an_answer(oracle: InferenceOracle) -> None:
    verdict, _ = asked({"small": {BASIC.text: "!no tokens", EXTENDED.text: "no"}}, oracle)
    assert verdict.outcome is Outcome.UNDECIDED
    assert verdict.why == "a request failed: crashed: ValueError: no tokens"
    verdict, _ = asked({"small": {BASIC.text: "!a", EXTENDED.text: "!b"}}, oracle)
    assert verdict.outcome is Outcome.INVALID  # nothing was tested


def test_a_status_that_is_not_expected_is_a_failed_request() -> None:
    seen = replace(reply("small", "no"), exit_code=500)
    observed = Observed().and_on(Dialogue((P1,)), [seen]).and_on(Dialogue((P2,)), [reply("small", "yes")])
    verdict = ORACLE.judge(CASE, observed)
    assert (verdict.outcome, verdict.why) == (Outcome.INVALID, "a request failed: status 500")


def test_other_forms_are_right_or_wrong() -> None:
    case = Case("open", replace(INFERENCE, conclusions=(OPEN,)))
    assert asked({"small": {OPEN.text: "Italy"}}, ORACLE, case)[0].outcome is Outcome.PASS
    verdict, _ = asked({"small": {OPEN.text: "Peru"}}, ORACLE, case)
    assert [failure.signature for failure in verdict.failures] == [
        "small: transitive: containsPlace: basic, open: wrong"
    ]


def test_a_function_may_return_true_or_false() -> None:
    case = Case("case", replace(INFERENCE, premises=(), conclusions=(BASIC,)))
    for value, outcome in ((True, Outcome.PASS), (False, Outcome.FAIL), ("no", Outcome.FAIL)):
        observed = Observed().and_on(Dialogue((BASIC,)), [Observation("f", Status.FINISHED, value=value)])
        assert ORACLE.judge(case, observed).outcome is outcome


def test_without_premises_the_conclusions_are_asked_at_once() -> None:
    case = Case("case", replace(INFERENCE, premises=()))
    assert list(ORACLE.needs(case, Observed())) == [Dialogue((BASIC,)), Dialogue((EXTENDED,))]


def test_details_survive_several_oracles_and_runs() -> None:
    verdict, _ = asked({"small": {EXTENDED.text: "no"}}, ORACLE)
    assert majority([verdict, verdict, Verdict(Outcome.FAIL)]).details == verdict.details
    assert verdict.details is not None
    answers = verdict.details["systems"]["small"]["premises"]
    assert [answered_in(each).result for each in answers] == ["right", "right"]
    for damaged in (["right"], [1, 2], ["good", "yes"], "right", ["right", "yes", "a", "b"]):
        with pytest.raises(ValueError, match="not"):
            answered_in(damaged)


def test_needs_of_several_oracles_are_joined() -> None:
    class Other:
        name = "other"
        compares_systems = False

        def needs(self, _case: Case, _observed: Observed) -> list[ForSystems]:
            return [ForSystems(Dialogue((P1,)), frozenset({"b", "unknown"}))]

        def judge(self, _case: Case, _observed: Observed) -> Verdict:
            return Verdict(Outcome.PASS)

    assert needed([Other(), ORACLE], CASE, Observed(), ["a", "b"]) == [
        (Dialogue((P1,)), frozenset({"a", "b"})),
        (Dialogue((P2,)), frozenset({"a", "b"})),
    ]
    seen = Observed().and_on(Dialogue((P1,)), [reply("a", "yes")])
    assert needed([Other()], CASE, seen, ["a", "b"]) == [(Dialogue((P1,)), frozenset({"b"}))]
    seen = seen.and_on(Dialogue((P1,)), [reply("b", "yes")])
    assert needed([Other()], CASE, seen, ["a", "b"]) == []
    assert [each.system for each in seen.on(Dialogue((P1,)))] == ["a", "b"]


@pytest.mark.parametrize(
    ("iri", "name"),
    [
        ("http://schema.org/containsPlace", "containsPlace"),
        ("http://a.org/v#partOf", "partOf"),
        ("schema:author", "author"),
        ("author", "author"),
        ("http://a.org/", "http://a.org/"),
    ],
)
def test_relations_have_their_local_names_in_signatures(iri: str, name: str) -> None:
    assert relation_name(iri) == name
