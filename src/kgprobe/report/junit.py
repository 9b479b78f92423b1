"""A campaign in JUnit's format, which CI servers read: failing cases one by one, all others in numbers.

A million passing cases are of no use to a CI server, so those of one source are one test case; a failing case has its
own, under its finding. Totals are counted from the written elements, so that they cannot contradict them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from xml.etree import ElementTree

from kgprobe.campaign.store import Store
from kgprobe.campaign.summary import Summary
from kgprobe.errors import one_line
from kgprobe.model import Outcome
from kgprobe.report.wording import number_of, xml_text

__all__ = ["junit_text"]

_MOST_FAILURES = 1000


def junit_text(store: Store, summary: Summary, name: str) -> str:
    """The report as XML."""
    suite = ElementTree.Element("testsuite", name=f"kgprobe {name}", time=f"{summary.seconds:.3f}")
    _add_findings(suite, store, summary)
    _add_left_out(suite, summary)
    _add_others(suite, store, summary.reasons)
    found = Counter(child.tag for case in suite for child in case)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(found["failure"]))
    suite.set("skipped", str(found["skipped"]))
    suite.set("errors", "0")
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _add_findings(suite: ElementTree.Element, store: Store, summary: Summary) -> None:
    for found in summary.findings:
        signature = found.finding.signature
        for number in store.cases_of(signature, _MOST_FAILURES):
            case = ElementTree.SubElement(suite, "testcase", classname=_safe(signature), name=f"case {number}")
            words = "\n".join(store.words(signature, number))
            if found.known is None:
                ElementTree.SubElement(case, "failure", message=_safe(signature)).text = xml_text(words)
            else:
                ElementTree.SubElement(case, "skipped", message=_safe(f"known bug: {found.known}"))


def _add_left_out(suite: ElementTree.Element, summary: Summary) -> None:
    for name, why in summary.counts.left_out.items():
        case = ElementTree.SubElement(suite, "testcase", classname=_safe(name), name=summary.source.thing)
        ElementTree.SubElement(case, "skipped", message=_safe(f"left out: {why}"))


def _add_others(suite: ElementTree.Element, store: Store, reasons: Mapping[Outcome, Mapping[str, int]]) -> None:
    """One test case for all cases of a source with the same outcome, except failures."""
    sources = store.sources()
    for (source, outcome), count in sorted(store.outcomes_by_source().items()):
        if outcome is Outcome.FAIL:
            continue
        name = f"{number_of(count, 'case')}: {outcome.value}"
        case = ElementTree.SubElement(suite, "testcase", classname=_safe(sources[source].name), name=name)
        if outcome is not Outcome.PASS:
            why = next(iter(reasons.get(outcome, {})), "")  # the most frequent reason
            ElementTree.SubElement(case, "skipped", message=_safe(": ".join(filter(None, [outcome.value, why]))))


def _safe(text: str) -> str:
    return one_line(text)
