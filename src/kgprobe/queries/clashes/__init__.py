"""Contradictions between an ontology and the statements of a query, as proofs.

Entry point: `clash.ClashFinder`. Read `statements` (what patterns say about individuals), `engines` (the reasoners),
`cores` (the axioms that can matter; `shared_values` handles keys), `told_axioms` and `derivations` (contradictions in
simple steps), `reasons` (the fewest axioms and patterns) and `clash`. `inferred_types` asks for the classes of a
variable.
"""
