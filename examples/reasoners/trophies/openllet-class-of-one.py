"""Openllet does not find that A is a subclass of DbXref."""

from owlapi import above, classified

found = above(classified("openllet", "openllet-class-of-one.ofn"), "A")
print("Openllet: above A:", found)
assert "DbXref" not in found
