"""A report in JUnit's format is XML whatever a case is called, and its totals are those of its elements."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from kgprobe.report.junit import JUNIT, JUnitCase, JUnitOutcome, junit_text

CASES = st.builds(JUnitCase, st.text(), st.text(), st.sampled_from(JUnitOutcome), st.text(), st.text())


@given(st.lists(CASES, max_size=5), st.text(), st.none() | st.floats(0, 1e6))
def test_any_case_can_be_written(cases: list[JUnitCase], name: str, seconds: float | None) -> None:
    text = junit_text(name, cases, seconds=seconds)
    assert JUNIT.is_one(text.encode()[:2000])
    [suite] = ElementTree.fromstring(text)  # noqa: S314 - our own text
    elements = list(suite)
    assert len(elements) == len(cases) == int(suite.attrib["tests"])
    for outcome, total in ((JUnitOutcome.FAILED, "failures"), (JUnitOutcome.SKIPPED, "skipped")):
        count = sum(element.find(outcome.value) is not None for element in elements)
        assert count == sum(case.outcome is outcome for case in cases) == int(suite.attrib[total])
    assert ("time" in suite.attrib) == (seconds is not None)


def test_what_xml_cannot_have_is_left_out_and_the_rest_stays() -> None:
    text = junit_text("<&>", [JUnitCase("a\"b'", "x\0y", JUnitOutcome.FAILED, "two\nlines", "]]> <b>\x1b[1m é")])
    [suite] = ElementTree.fromstring(text)  # noqa: S314 - our own text
    [case] = suite
    failure = case.find("failure")
    assert failure is not None
    assert (suite.attrib["name"], case.attrib) == ("kgprobe <&>", {"classname": "a\"b'", "name": "x y"})
    assert (failure.attrib["message"], failure.text) == ("two lines", "]]> <b>[1m é")


def test_no_other_xml_is_a_report() -> None:
    assert not JUNIT.is_one(b"<?xml version='1.0'?>\n<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>")
    assert not JUNIT.is_one(b"# <testsuite")
    assert JUNIT.is_one(b"<testsuite name='another tool'/>")
