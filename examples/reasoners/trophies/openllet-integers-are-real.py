"""Openllet says that A is unsatisfiable."""

from owlapi import classified, unsatisfiable

found = unsatisfiable(classified("openllet", "openllet-integers-are-real.ofn"))
print("Openllet: unsatisfiable:", found)
assert found == {"A"}
