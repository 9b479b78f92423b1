"""SPARQL, the language: queries and updates as values, their answers on exact terms, and matches of a WHERE clause.

There are two entry points. `documents.read_document` reads a text as `algebra`, with the place of each part.
`reading.read_query` tells which triples the answer of a query depends on (`uses`). Both read the same algebra.

The rooms, from the text to its answers:

- `tokens` is the only lexer. `respelling` writes a text as `pyoxigraph` reads it.
- `pyoxigraph` decides whether a text is SPARQL, `tree` has its syntax tree, and `source` its names and declarations.
- `algebra` and `paths` are the values; `triples` and `algebra_reader` make them from the tree.
- `traversal` is the visitor, and `scopes` knows which variables a part binds.
- `documents` reads a whole text and explains mistakes; `repair` makes a text readable that somebody still types.
- `uses`, `reading` and `similar_queries` tell what an answer depends on; `comments` reads what is for kgprobe.
- `engine` answers queries, and `matching` finds all matches, or one random match, of a WHERE clause.

Two parsers read each text, and neither reads all of SPARQL 1.1. What pyoxigraph refuses is spelled for it in another
way (`respelling`), and what the grammar of tree-sitter does not cover is replaced for it by something of the same
length (`tree`). So every command reads all of SPARQL 1.1. pyoxigraph also reads syntax beyond it, such as `VERSION`,
`TRIPLE(…)`, `"a"@en--ltr` or `LATERAL`. Such a query is answered (`engine.rewriting`), but `read_document` refuses it,
and `read_query` says that it cannot tell which triples the query uses.
"""
