"""SPARQL queries: the terms that they name, and the triples that their answers depend on.

The entry point is `reading.read_query`. Reading order: `uses` (the result), `tree` and `source` (the parsed text),
`prologue`, `triples`, `paths`, `restrictions`, `groups`, `reading`. `validation` explains syntax errors, and
`similar_queries` reads queries that differ only in names once.
"""
