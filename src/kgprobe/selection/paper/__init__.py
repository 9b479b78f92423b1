"""The selection algorithm of "Efficient Regression Testing of Ontology-Driven Systems" (Kim and others, 2012).

It is kept for comparison: it is not safe for every test, and the default selection does not use it. `planning` is the
only module to import from outside. Reading order: `expressions`, `model`, `planning`.
"""
