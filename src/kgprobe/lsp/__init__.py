"""A language server for SPARQL: diagnostics, completion, quick fixes, formatting, renaming and more in an editor.

Entry point: `server.serve`, the only module that imports pygls. Read `positions` (UTF-16), `sessions` (the ontologies
of a document); `completion`, `hover`, `definitions`, `formatting` and `scopes`, which work on plain texts and offsets;
`editing`, which says what they find in the words of the protocol; then `server`.
"""
