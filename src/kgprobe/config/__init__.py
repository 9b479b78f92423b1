"""Profiles: one file that says what to do with a graph, checked before anything is done."""
