"""The OWL view of a graph."""
