"""Literals and FILTERs: which values a literal can have, and which conditions can never hold, or always do.

Entry point: `conditions.judge`. Read `values` (sets of literal values, with `value_examples` and `value_rendering`),
`term_sets`, `functions` (the operators of SPARQL) and `expressions`, then `conditions`. `branches` splits conditions
into cases; `refutation`, `orders` and `differences` prove that a case fails, `safety` that a condition never does;
`condition_wording` says so.
"""
