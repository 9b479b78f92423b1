"""How good a test suite is: the share of changes of an ontology that some test notices.

The entry point is `scoring.score`. Reading order: `model` (the values), `mutants` (the changes), `tests` (what runs),
`judging` (one change against the tests, and a query for each change that no test notices), `selecting` (which tests
selection may leave out), `store` (results that survive the process), `limit` and `workers` (processes that can be
ended), `scoring`.
"""
