"""OWL functional syntax: text to axiom trees, and back."""

from kgprobe.graph.formats.functional.reader import parse
from kgprobe.graph.formats.functional.writer import render

__all__ = ["parse", "render"]
