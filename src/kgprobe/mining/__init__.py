"""Rules that hold in graphs, and mutation operators made from them.

`rules` has the values: a rule, and what a search found.
"""
