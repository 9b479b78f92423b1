"""SPARQL queries checked against an ontology."""
