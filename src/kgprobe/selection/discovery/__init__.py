"""Discovery: finds the tests of a suite, and the parts of the ontology that each test uses, without running them.

The entry point is `finder.find_tests`. Reading order: `files` (and the languages of tests), `search` (options and
shared state), `finder`, then one module for each language: `python_files` (with `python`), `sparql_files`, `sql_files`,
`text_files`. `declared` adds uses that a matrix, a record or a command states.
"""
