"""The triples that a graph entails under RDFS, OWL 2 RL or OWL 2 DL (`regime.Regime`).

Entry points: `closure.closed` gives the closure of a graph, `change.entailed_change` the changes of the closure when a
graph changes, `explanation.derivation` a proof of a triple, and `class_hierarchy.class_edges` the inferred hierarchy.

Reading order, for RDFS and OWL 2 RL: `rules`, `facts`, `joins`, `saturation`, then `transitive_rules` and `list_rules`,
then `rule_conclusions`. For OWL 2 DL: `stated_hierarchy`, `completeness`, `class_hierarchy`, `class_conclusions`.
"""
