"""JFact puts C below A and B, which does not follow, but not A and B below C, which does."""

from owlapi import above, classified

jfact = classified("jfact", "jfact-one-individual.ofn")
found = {name: above(jfact, name) for name in ("A", "B", "C")}
print("JFact: above each:", found)
assert found == {"A": set(), "B": set(), "C": {"A", "B"}}
