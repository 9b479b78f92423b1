"""Test selection: the tests that a change of an ontology can affect.

The entry point is `plan.safe_plan`: from two versions (`graph.diff.Versions`) and a suite (`tests`, found by
`discovery`) to a plan. Reading order: `tests`, `changed_triples`, `chains`, `impact`, `plan`. Beside these,
`gaps_and_repairs` completes a plan, `running` runs it, and `audit` checks on mutants that selection is safe.
`ontology_versions` finds the two versions and the other files that changed; `changed_tests` adds the tests that were
edited, with `dependencies` for the files that a test needs. `paper` is an older algorithm, for comparison.
"""
