"""Profiles: TOML files that configure all commands, checked before anything runs.

`loading.load_profile` reads a profile, and `preparation.prepare` reads the files that it names. Read `profile` first
(the table types), with `systems` and `questions` beside it; then `tables` (what types say about keys, and how tables
are filled), `schema` (the JSON Schema, made from the types), `toml` (where keys are in a file), `loading`, and
`preparation`. `rdfmutate` converts configurations of RDFMutate. `kgprobe.campaign.harness` makes systems and oracles
from their tables.
"""
