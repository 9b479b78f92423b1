"""OWL axioms, and the triples that stand for them: both directions of "OWL 2: Mapping to RDF Graphs" (W3C).

Entry points: `to_triples.triples` writes a document as triples; `axiom_reader.read` reads the axioms of a graph, and
`axiom_groups.axiom_groups` divides all its triples into axioms.

Read `expression` (the value) and `grammar` (its arguments and vocabulary) first. Then follow a graph from
`triple_index` and `name_kinds` through `node_definitions` and `axiom_patterns` to `axiom_reader` and `axiom_groups`.
`unusual_axioms` and the end of `axiom_groups` handle triples that the mapping would not write.
"""
