"""The check of a query: facts that cannot hold together, which of them to blame, and how to repair the query.

Entry point: `checking.Checker`. It asks the `rules` for findings. Most of them need `views` (facts as statements),
`term_conflicts` and `condition_conflicts` (facts that cannot hold together) and `proving` (which of them to blame, and
why, in words); others look at `names`. `changes` repair queries.
"""
