"""What joins methods with each other or with stored results. Each module in this list is an entry point.

- `operator_trials` tries mined operators on graphs, and repairs or drops those that leave OWL 2 EL.
- `mutant_coverage` measures the features of seed graphs and mutants.
- `stored_campaign` opens the campaign of a store and makes its mutants again, for learned masks and for coverage.
- `suggesting` finds mutants that decide between candidates for a mask; `mask_loop` learns a mask in rounds.
- `locating` finds the steps of failing mutants that cause their failures.
"""
