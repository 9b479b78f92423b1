"""In some runs, JFact says that the class A is a subclass of B."""

from owlapi import above, classified

found = [above(classified("jfact", "jfact-range-of-a-name.ofn"), "A") for _ in range(20)]
print("JFact: above A, in 20 runs:", found)
assert {"B"} in found
