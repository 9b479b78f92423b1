"""Test selection: from a change of an ontology to the tests that it can affect."""
