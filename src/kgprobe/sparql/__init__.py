"""SPARQL queries against an ontology: which parts of a query can never match, and why.

Read `schema` (an ontology, prepared for many queries), `statements` (what patterns say about individuals) and `clash`
(the proof that statements contradict the ontology; `shared_values` handles keys for it).
"""
