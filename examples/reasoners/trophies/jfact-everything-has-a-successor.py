"""In some runs, JFact says that the class E is a subclass of F."""

from owlapi import above, classified

found = [above(classified("jfact", "jfact-everything-has-a-successor.ofn"), "E") for _ in range(20)]
print("JFact: above E, in 20 runs:", found)
assert {"F"} in found
