"""Graphs: exact sets of triples, cheap changes to them, and the files they come from."""
