"""FILTERs: which conditions can never hold, or always do.

Entry point: `conditions.judge`. Read `owl.value_sets` (sets of literal values), `term_sets`, `functions` (the operators
of SPARQL) and `expressions`, which also splits conditions into cases; then `conditions`. `refutation` and `orders`
prove that a case fails; `condition_wording` says so.
"""
