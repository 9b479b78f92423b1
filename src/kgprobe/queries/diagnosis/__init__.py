"""The check of a query: facts that cannot hold together, which of them to blame, and how to repair the query.

Entry point: `checking.Checker`. Read `views` (facts as statements), `rules` and `condition_rules` (conflicts),
`proving` (which fact to blame), `clash_wording`, `name_uses` and `names` (unknown names), `suspicions` (warnings),
`changes` and `fixes` (repairs), and `checking`.
"""
