"""OWL 2 Manchester syntax: text to axiom trees."""

from kgprobe.formats.manchester.document import parse

__all__ = ["parse"]
