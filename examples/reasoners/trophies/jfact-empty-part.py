"""JFact does not find that B is a subclass of A."""

from owlapi import above, classified

found = above(classified("jfact", "jfact-empty-part.ofn"), "B")
print("JFact: above B:", found)
assert "A" not in found
