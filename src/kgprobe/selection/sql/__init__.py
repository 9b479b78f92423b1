"""Reads SQL statements: which rows of which stored tables can matter to their results.

The entry point is `reader.read_statements`; its answer has the types of `selection.tests`. Reading order: `statements`
(from text to trees), `definitions` and `catalogue` (what relations and functions are), `values` (what is known about a
value), then `queries` with `relations` (what stands after FROM), `expressions` and `restrictions` (conditions), and
`reader`.
"""
