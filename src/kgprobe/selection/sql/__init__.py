"""Reads SQL statements: which rows of which stored tables can matter to their results.

The entry point is `reader.read_statements`, and `reads` has the types of its answer. Reading order: `reads`,
`statements` (from text to trees), `definitions` and `catalogue` (what relations and functions are), `values` (what is
known about a value), then `queries` with `relations` (what stands after FROM), `expressions` and `restrictions`
(conditions), and `reader`.
"""
