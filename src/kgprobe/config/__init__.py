"""Profiles: TOML files that configure all commands, checked before anything runs.

`loading.load_profile` reads a profile, and `preparation.prepare` reads the files that it names. Read `profile` first
(the table types), with `systems` and `oracles` beside it; then `tables` (how table types are filled), `toml` (where
keys are in a file), `loading`, and `preparation`. `questions` has the table [questions], and `question_cases` makes
cases from its facts. `rdfmutate` converts configurations of RDFMutate. `kgprobe.campaign.harness` makes systems and
oracles from their tables.
"""
