"""Masks learned from graphs on which a system passed or failed.

The entry points are `learning.learn_mask` and `scoring.score_mask`. Read `cases` (what is given; `csv_cases` reads it
from files), `observations` and `slots` (where cases differ), `conditions` (what a shape can say), `candidates`,
`combinations` and `exceptions` (the shapes to choose from), `choosing`, and `shacl_text` (the result as SHACL).
"""
