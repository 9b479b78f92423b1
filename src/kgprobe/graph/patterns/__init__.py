"""Patterns: finds all matches, or one random match, of a SPARQL WHERE clause in a graph.

The entry point is `where.compile_where`. Read `pattern` (patterns, and the order of lookups), `syntax` (the parser),
`where`, then `enumeration` (all matches) and `sampling` (one match), which generate Python functions (`generated`).
"""

from kgprobe.graph.patterns.pattern import Binding, Filter, Pattern, TriplePattern, Variable
from kgprobe.graph.patterns.where import Where, compile_where

__all__ = ["Binding", "Filter", "Pattern", "TriplePattern", "Variable", "Where", "compile_where"]
