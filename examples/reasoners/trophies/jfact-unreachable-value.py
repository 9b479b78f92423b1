"""JFact does not see that nothing can be a C."""

from owlapi import classified, unsatisfiable

found = unsatisfiable(classified("jfact", "jfact-unreachable-value.ofn"))
print("JFact: unsatisfiable:", found)
assert "C" not in found
