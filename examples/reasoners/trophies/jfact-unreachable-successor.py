"""JFact does not find that F is unsatisfiable."""

from owlapi import classified, unsatisfiable

found = unsatisfiable(classified("jfact", "jfact-unreachable-successor.ofn"))
print("JFact: unsatisfiable:", found)
assert "F" not in found
