"""What joins methods with each other or with stored results. Each module has its own entry point.

- `operator_trials` tries mined operators on graphs, and repairs or drops those that leave OWL 2 EL.
- `mutant_coverage` measures the features of seed graphs and mutants.
"""
