"""The triples that a graph entails under RDFS, OWL 2 RL or OWL 2 DL (`rules.Regime`).

Entry points: `closure.closed` gives the closure of a graph, `closure.entailed_change` the changes of the closure when a
graph changes, `explanation.derivation` a proof of a triple, and `class_hierarchy.class_edges` the inferred hierarchy.

Reading order, for RDFS and OWL 2 RL: `rules`, `facts`, `saturation`, then `procedures` (the rules that are code), then
`rule_conclusions`. For OWL 2 DL: `stated_hierarchy`, `class_hierarchy`.
"""
