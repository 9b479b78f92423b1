"""OWL: axioms and the triples that stand for them, the axioms and entities of a graph, profiles, and axioms in words.

Entry points: `axioms.AxiomView`, the axioms of a graph, which follows its changes; `axiom_reader.read` and
`to_triples.triples`, which are both directions of "OWL 2: Mapping to RDF Graphs" (W3C); and `profiles.profiles`, the
OWL 2 profiles of axioms, with `dl_rules` and `datatypes`.

Read `expression` (the value) and `grammar` (its arguments and vocabulary) first. Then follow a graph from
`triple_index` and `name_kinds` through `node_definitions` and `axiom_patterns` to `axiom_reader`, `axiom_groups` (which
divides all triples of a graph into axioms) and `axioms`. `unusual_axioms` and the end of `axiom_groups` handle triples
that the mapping would not write. `entities` lists the names, and `wording` writes names and axioms for a reader.

`meaning` explains class expressions and axioms by a few simple ones: whoever evaluates them starts there, as `locality`
does, with which `modules` finds the axioms that can matter for some names. `literal_values` has the values that
literals denote, and the spaces that they are in; `value_parts` has sets of values within one space, and `value_sets`
those of data ranges.
"""
