"""Masks learned from graphs on which a system passed or failed.

The entry points are `learning.learn_mask` and `learning.score_mask`. Read `observations` (what is given, and where
cases differ; `csv_cases` reads cases from files), `conditions` (what a shape can say), `candidates`, `combinations` and
`exceptions` (the shapes to choose from), `choosing`, and `shacl_text` (the result as SHACL).
"""
