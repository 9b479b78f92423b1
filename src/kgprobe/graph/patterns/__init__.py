"""Patterns: where the WHERE of a SPARQL query matches a graph, for all matches or one at random.

The entry point is `compile_where`. Read `pattern` (what a pattern is), `syntax` (how it is read), `where`, then
`lookup_order`, `enumeration` (all matches) and `sampling` (one match), which generate Python functions (`generated`).
"""

from kgprobe.graph.patterns.pattern import Binding, Filter, Pattern, TriplePattern, Variable
from kgprobe.graph.patterns.where import Where, compile_where

__all__ = ["Binding", "Filter", "Pattern", "TriplePattern", "Variable", "Where", "compile_where"]
