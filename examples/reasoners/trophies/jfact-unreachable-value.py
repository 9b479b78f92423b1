"""JFact does not find that C is unsatisfiable."""

from owlapi import classified, unsatisfiable

found = unsatisfiable(classified("jfact", "jfact-unreachable-value.ofn"))
print("JFact: unsatisfiable:", found)
assert "C" not in found
