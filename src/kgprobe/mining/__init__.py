"""Rules that hold in graphs, and mutation operators made from them.

The entry points are `search.mine`, which finds rules, and `operators.mined_operators`, which turns them into operators.

For rules, read `rules` (the values), `index` (a graph as numbers), `findings`, then the searches: `unary_heads`,
`binary_heads`, `paths` and `shared_pairs`. `redundancy` and `assembly` turn what they find into rules, `union` joins
those of several graphs, and `rule_files` writes them. `budget` limits time and memory.

For operators, read `operators`, `operator_text` and `operator_files`. `repairs` has variants that stay in OWL 2 EL, by
`addition_repairs` and `removal_repairs`; `kgprobe.learning.operator_trials` tries them.
"""
