"""OWL axioms, and the triples that stand for them: both directions of "OWL 2: Mapping to RDF Graphs" (W3C).

Entry points: `to_triples.triples` writes a document as triples; `from_triples.read` reads the axioms of a graph, and
`axiom_groups.axiom_groups` divides all its triples into axioms.

Read `expression` (the value), `grammar` and `contents` (what its arguments are), and `vocabulary` first. Then follow a
graph from `triple_index` and `name_kinds` through `node_definitions`, `axiom_patterns` and `axiom_reader` to
`from_triples` and `axiom_groups`. `older_spellings` and `unusual_axioms` handle what the mapping would not write.
"""
