"""Discovery: finds the tests of a suite, and the parts of the ontology that each test uses, without running them.

The entry point is `finder.find_tests`. Reading order: `search` (options and shared state), `files`,
`languages`, `finder`, then one module for each language of tests: `python_files` (with `python`),
`sparql_files`, `sql_files`, `text_files`. `declared` adds uses that a matrix, a record or a command states, and
`recording` writes such records.
"""
