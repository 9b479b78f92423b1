"""Test selection: the tests that a change of an ontology can affect.

The stages, with their modules:

1. versions: `ontology_versions` finds the two versions and the other files that changed.
2. change: `changed_triples` has the triples that changed, and the chains of edges; `renamed` recognises new names.
3. tests found: `discovery` reads a suite into values of `tests`, with a module for each language of tests. `vocabulary`
   finds terms by their names, and `sql` the rows that statements in SQL read.
4. dependencies: `changed_tests` finds the tests that were edited, with `dependencies` for the files that a test needs.
5. impact: `impact` decides which tests the change can affect, with `cones` for tests that only name a term, and
   `warehouse` for tests that ask a database which is loaded from the ontology.
6. plan: `plan.safe_plan` is the entry point. `order` says which tests come first, `stale_names` what is gone,
   `gaps_and_repairs` what to write.
7. run and check: `running` runs a plan, `recording` sees what tests use when they run; `audit` checks that selection
   is safe.

`report.selection` shows a plan. `paper` is an older algorithm, for comparison.
"""
