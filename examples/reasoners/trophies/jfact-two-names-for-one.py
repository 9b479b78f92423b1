"""JFact raises an exception in TBox.transformSingletonWithSP."""

import jpype
from owlapi import started

try:
    started("jfact", "jfact-two-names-for-one.ofn").isConsistent()
    raise SystemExit("JFact raises no exception")
except jpype.JException as error:
    trace = str(error.stacktrace())
    print("JFact:", trace.splitlines()[0])
    assert "UnreachableSituationException" in trace
    assert "transformSingletonWithSP" in trace
