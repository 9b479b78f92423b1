"""Python test files: finds the tests and their uses by reading the code. No code is imported or run.

The entry point is `tests.PythonTests`. Reading order: `modules` (files and imports), `scopes` (the meaning of a name),
`values` and `folding` (the possible values of an expression), `visitor` and `findings` (the graph accesses
in one definition), `reachable_code` (the definitions that a test reaches), `test_uses` (the uses of a test), `tests`.
"""
