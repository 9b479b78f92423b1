"""Graphs: exact sets of triples, and changes that cost O(change).

The entry point is `graph.Graph`. Read `terms`, `table` (triples that never change), `key_graph` (a table with changes),
then `graph`. `rows` is the part of these that needs numpy, and `derived` caches values computed from a table or a
graph. `pattern` describes lookups of several triples. `diff` and `canonical` compare graphs up to the names of blank
nodes. Files are read and written by the package `formats`.
"""
