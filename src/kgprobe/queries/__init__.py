"""SPARQL queries and updates: their parts and where they are, and the triples that an answer depends on.

There are two entry points. `documents.read_document` reads a text as `algebra`, with the place of each part.
`reading.read_query` tells which triples the answer of a query depends on (`uses`). Both read the same tree.

Reading order: `tree` and `source` (the parsed text), `prologue`, `paths`, `algebra`, `traversal` (walks through the
algebra), `triples`, `expressions`, `algebra_reader`, `documents`; then `uses`, `restrictions`, `groups`, `reading`.
`validation` explains mistakes, `repair` helps to read texts that somebody still types, and `similar_queries` reads
queries that differ only in names once.
"""
