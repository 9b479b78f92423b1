"""Graphs: exact sets of triples, changes that cost O(change), and reading graphs from files.

The entry points are `files` (`load` and `save`) and `graph.Graph`.

Read `terms`, `table` (triples that never change), `key_graph` (a table with changes), then `graph`. `rows` is the part
of these that needs numpy, and `derived` caches values computed from a table or a graph. `diff` and `canonical` compare
graphs up to the names of blank nodes. The folders: `patterns` finds matches, `sparql` runs queries, `formats` reads and
writes files, and `axioms` turns triples into OWL axioms and back.
"""
