"""JFact does not find that C is a subclass of F, although the two are equivalent."""

from owlapi import above, classified

found = above(classified("jfact", "jfact-equivalent-fillers.ofn"), "C")
print("JFact: above C:", found)
assert "F" not in found
