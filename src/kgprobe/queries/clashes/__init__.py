"""Contradictions between an ontology and the statements of a query, as proofs.

Entry point: `clash.ClashFinder`. `reasoning` has the reasoners, the axioms that can matter, and the reasons: the fewest
axioms and patterns. `queries.statements` and `queries.derivations` find contradictions in simple steps.
"""
