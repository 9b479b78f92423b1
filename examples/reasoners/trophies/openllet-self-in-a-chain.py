"""Openllet does not find that B is a subclass of A; JFact raises an exception."""

import jpype
from owlapi import above, classified

found = above(classified("openllet", "openllet-self-in-a-chain.ofn"), "B")
print("Openllet: above B:", found)
assert "A" not in found
try:
    classified("jfact", "openllet-self-in-a-chain.ofn")
    raise SystemExit("JFact raises no exception")
except jpype.JException as error:
    print("JFact:", error)
    assert "ConcurrentModificationException" in str(error.getCause() or error)
