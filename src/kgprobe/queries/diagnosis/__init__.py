"""The check of a query: facts that cannot hold together, which of them to blame, and how to repair the query.

Entry point: `checking.Checker`. It asks the `rules` for `findings`. Most of them need `views` (facts as statements),
`term_conflicts` and `condition_conflicts` (facts that cannot hold together), `proving` (which fact to blame) and
`clash_wording`; others look at `names` with `name_uses`. `changes` and `fixes` repair queries.
"""
