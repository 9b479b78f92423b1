"""Compares two versions of an ontology, for people and for programs: `kgprobe diff`.

The entry point is `compare.compare`. It returns a `model.Comparison`, which `wording` prints, `document` writes as JSON
and `kgcl` writes as KGCL commands. Read `model` first, then `compare`, which uses `versions` (the entities and rows of
each version), `renames` and `axioms`.
"""
