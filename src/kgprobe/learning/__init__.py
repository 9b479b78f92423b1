"""What joins methods with each other and with stored results: mutants for coverage, cases for learned masks, and more.

Each module has its own entry point; `mutant_coverage` measures the features of seed graphs and mutants.
"""
