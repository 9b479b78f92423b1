"""A language server for SPARQL: diagnostics, hover, completion, quick fixes and definitions in an editor.

Entry point: `server.serve`, the only module that imports pygls. Read `positions` (UTF-16), `sessions` (the ontologies
of a document), `completion`, `hover` and `definitions`, which work on plain texts and offsets, then `server`.
"""
