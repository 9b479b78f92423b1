"""OWL axioms as trees, and the triples that stand for them."""
