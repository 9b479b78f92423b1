"""Compares two versions of an ontology, for people and for programs: `kgprobe diff`.

The entry point is `compare.compare`. It returns a `model.Comparison`, which `wording` prints and `formats` writes as
JSON or KGCL commands. Read `model` first, then `compare`, which uses `versions` (the entities and rows of each version,
and renames) and `axioms`.
"""
