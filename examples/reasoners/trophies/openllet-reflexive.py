"""Openllet does not find that A is a subclass of B."""

from owlapi import above, classified

found = above(classified("openllet", "openllet-reflexive.ofn"), "A")
print("Openllet: above A:", found)
assert "B" not in found
