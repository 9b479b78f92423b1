"""Test selection: the tests that a change of an ontology can affect.

The entry point is `plan.safe_plan`: from two versions (`graph.diff.Versions`) and a suite (`tests`, found by
`discovery`) to a plan. Reading order: `tests`, `changed_triples`, `impact`, `order`, `wording`, `plan`. Beside these,
`gaps_and_repairs` completes a plan, `changed_tests` adds the tests that were edited, `running` runs a plan, `audit`
checks on mutants that selection is safe, and `paper` is an older algorithm, for comparison.
"""
