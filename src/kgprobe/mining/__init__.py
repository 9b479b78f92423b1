"""Rules that hold in graphs, and mutation operators made from them.

The entry points are `search.mine`, which finds rules, and `operators.mined_operators`, which turns them into operators.

For rules, read `rules` (what a search looks for, may use and finds), `index` (a graph as numbers), `search`, and the
searches for rules of longer forms: `heads` and `paths`.

For operators, read `operators`. `repairs` has variants that stay in OWL 2 EL, written as in `repair_draft`;
`kgprobe.learning.operator_trials` tries them. `files` reads and writes rules and operators.
"""
