"""Finding where a pattern matches a graph: all places, or one of them at random."""

from kgprobe.graph.patterns.pattern import Binding, Filter, Pattern, TriplePattern, Variable
from kgprobe.graph.patterns.where import Where, compile_where

__all__ = ["Binding", "Filter", "Pattern", "TriplePattern", "Variable", "Where", "compile_where"]
