"""JFact says inconsistent."""

from owlapi import started

is_consistent = started("jfact", "jfact-empty-class-as-individual.ofn").isConsistent()
print("JFact: consistent:", is_consistent)
assert not is_consistent
