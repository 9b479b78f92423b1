"""OWL 2 Manchester syntax: text to axiom trees."""

from kgprobe.graph.formats.manchester.document import parse

__all__ = ["parse"]
