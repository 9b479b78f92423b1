"""The OWL view of a graph: its axioms, its entities, its profiles, and axioms in words.

Entry point: `axioms.AxiomView`, the axioms of a graph, which follows its changes. `profiles.profiles` determines the
OWL 2 profiles of the axioms; it uses `dl_rules` and `datatypes`. `entities` lists the names, `modules` finds the axioms
that can matter for some names, and `wording` writes names and axioms for a reader. `literal_values` has the values that
literals denote; they are in `value_spaces`, whose parts are in `value_parts`. Read `axioms` first, then any of the
others.
"""
