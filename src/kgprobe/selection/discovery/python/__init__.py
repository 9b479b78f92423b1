"""Python test files: finds the tests and their uses by reading the code. No code is imported or run.

The entry point is `tests.PythonTests`. Reading order: `modules` (files and imports), `scopes` (the meaning of a name),
`values`, `folding` and `evaluation` (the possible values of an expression), `visitor`, `graph_accesses` and `findings`
(the graph accesses in one definition), `test_uses` (the uses of a test in all code that it reaches), `tests`.
"""
