"""SPARQL, the language: queries and updates as values, their answers on exact terms, and matches of a WHERE clause.

There are two entry points. `documents.read_document` reads a text as `algebra`, with the place of each part.
`reading.read_query` tells which triples the answer of a query depends on (`uses`). Both read the same tree.

Reading order: `tree` and `source` (the parsed text), `prologue`, `paths`, `algebra`, `traversal` (walks through the
algebra), `triples`, `expressions`, `algebra_reader`, `documents`; then `uses`, `restrictions`, `reading`.
`validation` explains mistakes, `repair` helps to read texts that somebody still types, and `similar_queries` reads
queries that differ only in names once. The folders: `engine` answers queries, and `matching` finds all matches, or one
random match, of a WHERE clause.
"""
