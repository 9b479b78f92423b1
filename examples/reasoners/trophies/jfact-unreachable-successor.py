"""JFact does not see that nothing can be an F."""

from owlapi import classified, unsatisfiable

found = unsatisfiable(classified("jfact", "jfact-unreachable-successor.ofn"))
print("JFact: unsatisfiable:", found)
assert "F" not in found
