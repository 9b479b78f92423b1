"""Databases that are loaded from an ontology: what tables hold, and which rows a change of the ontology changes."""
