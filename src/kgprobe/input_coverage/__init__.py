"""Input coverage: which features of the input space occur in some graphs.

Entry points: `features.feature_set` finds a set of features by its name, and `measure.summarized` turns the features of
graphs into shares, with a test against the seed graphs. Read `feature_set` first, then the kinds of features in `iris`
and `features`. `plotting` draws.

The graphs are given. `kgprobe.learning.mutant_coverage` makes mutants and measures them.
"""
