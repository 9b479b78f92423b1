"""Python test files: finds the tests and their uses by reading the code. No code is imported or run.

The entry point is `tests.PythonTests`. Reading order: `modules` (files and imports), `scopes` (the meaning of a name),
`values`, `folding` and `evaluation` (the possible values of an expression), `visitor`, `text_parts` and `findings` (the
queries and names in one definition), `interfaces` (what is known of the libraries), `variables`, `tracking`,
`graph_flow`, `graph_reading` and `graph_paths` (the graphs of a test, and what each use of them reads), `reach` and
`unnamed_code` (the code that a test reaches), `test_uses` (its uses in all that code), `tests`.
"""
