"""Masks: checks that decide which graphs are admissible.

The entry points are `mask.Mask` and `files.read_checks`.

Read `mask` first. The checks are in `pins` (triples and namespaces that must stay), `ask` (queries), `shacl` (shapes)
and `consistency` (a reasoner). For shapes, `shapes_file` refuses broken ones, and `constraints`, `paths` and
`evaluation` validate nodes; `incremental` reads shapes, and validates a mutant from its changes alone, and `shacl`
itself runs the validators shifty and pyshacl. `results` describes violations in words. `judge` runs a check in a
process with a time limit. `from_axioms` makes shapes from the axioms of an ontology, and the package `learning` from
graphs on which a system passed or failed.
"""
