"""Discovery: finds the tests of a suite, and the parts of the ontology that each test uses, without running them.

The entry point is `finder.find_tests`. Reading order: `search` (options and shared state), `vocabulary` (from names to
terms), `finder`, then one module for each kind of test: `sparql_files`, `sql_files`, `python`, `commands`. `declared`
adds uses that a matrix or a record states, and `recording` writes such records.
"""
