"""OBO 1.2 and 1.4: text to triples, by the translation of OBO to OWL."""

from kgprobe.graph.formats.obo.reader import read

__all__ = ["read"]
