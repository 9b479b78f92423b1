"""HermiT says that A is unsatisfiable."""

from owlapi import classified, unsatisfiable

found = unsatisfiable(classified("hermit", "hermit-binary-value.ofn"))
print("HermiT: unsatisfiable:", found)
assert found == {"A"}
