"""JFact does not see that C is a subclass of F, which is equivalent to it."""

from owlapi import above, classified

found = above(classified("jfact", "jfact-equivalent-fillers.ofn"), "C")
print("JFact: above C:", found)
assert "F" not in found
