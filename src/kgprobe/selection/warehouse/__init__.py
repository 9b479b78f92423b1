"""Databases that are loaded from an ontology: what their tables hold, and which rows a change of the ontology changes."""
