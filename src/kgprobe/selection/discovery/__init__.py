"""Finds the tests of a suite, and what of the ontology each of them uses, by reading them."""
