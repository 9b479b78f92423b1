"""Masks learned from graphs on which a system passed or failed.

`cases` has the values that a learner is given.
"""
