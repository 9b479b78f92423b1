"""Test selection: the tests that a change of an ontology can affect.

The entry point is `planning.safe_plan`: from two versions (`graph.diff.Versions`) and a suite (`tests`, found by
`discovery`) to a plan (`plan`). Reading order: `tests`, `changed_triples`, `impact`, `selector`, `planning`. `paper` is
an older algorithm, for comparison; `audit` checks on mutants that selection is safe.
"""
