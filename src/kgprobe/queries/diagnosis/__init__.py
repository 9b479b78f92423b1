"""The check of a query: facts that cannot hold together, which of them to blame, and how to repair the query.

Entry point: `checking.Checker`. Read `diagnostics` (the result and its codes), `views` (facts as statements), `rules`
and `condition_rules` (conflicts), `proving` (which fact to blame), `names` and `vocabularies` (unknown names),
`suspicions` (warnings), `clash_wording`, `fixes` and `checking`.
"""
