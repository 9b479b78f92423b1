"""Contradictions between an ontology and the statements of a query, as proofs.

Entry point: `clash.ClashFinder`. Read `statements` (what patterns say about individuals), `derivations` (contradictions
in simple steps), `clash`, and `shared_values` (keys and disjoint data properties). `inferred_types` asks for the
classes of a variable.
"""
