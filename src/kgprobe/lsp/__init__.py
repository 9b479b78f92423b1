"""A language server for SPARQL: diagnostics, completion, quick fixes, formatting, renaming and more in an editor.

Entry point: `server.serve`, the only module that imports pygls. Read `sessions` (the ontologies of a document);
`completion`, `hover`, `variable_classes` and `scopes`, which work on plain texts and offsets; `editing`, which says
what a text alone tells in the words of the protocol; then `server`.
"""
