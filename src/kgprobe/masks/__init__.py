"""Which graphs are admissible: shapes, pinned triples, queries that must hold."""
