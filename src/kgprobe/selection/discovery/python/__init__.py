"""Python test files: finds the tests and their uses by reading the code. No code is imported or run.

The entry point is `tests.PythonTests`. The stages, with their modules:

1. code: `modules` (files and imports), `scopes` (the meaning of a name).
2. values: `values` (values, and operations on them), `evaluation` (the values of an expression), `case_files`.
3. tests: `collection` (what pytest collects), `fixtures`.
4. one definition: `visitor` and `findings` (its queries and names).
5. graphs: `interfaces` (what is known of the libraries), `variables` and `tracking` (where graphs begin), `graph_flow`
   with `propagation` and `arguments` (where they go), `graph_reading` and `sql_calls` (what each use of them reads).
6. one test: `reach` (all code that it reaches), `tests` (its uses there).
"""
