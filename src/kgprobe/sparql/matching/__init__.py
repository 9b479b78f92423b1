"""Patterns: finds all matches, or one random match, of a SPARQL WHERE clause in a graph.

The entry point is `where.compile_where`. Read `rdf.pattern` (patterns, and the order of lookups), `filters` (the parts
of a clause that are matched here), `where` (all matches) and `sampling` (one match). The last two generate Python
functions.
"""

from kgprobe.rdf.pattern import Binding, Filter, Pattern, TriplePattern, Variable
from kgprobe.sparql.matching.where import Where, compile_where

__all__ = ["Binding", "Filter", "Pattern", "TriplePattern", "Variable", "Where", "compile_where"]
