"""How good a test suite is: the share of changes of an ontology that some test notices.

The entry point is `scoring.score`. Reading order: `model` (the values), `mutants` (the changes), `tests` (what runs),
`judging` (one change against the tests, those that selection may leave out, and a query for each change that no test
notices), `store` (results that survive the process), `limit` and `workers` (processes that can be ended), `scoring`
(the loop, and the order of tests).
"""
