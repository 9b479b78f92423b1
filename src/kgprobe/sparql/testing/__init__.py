"""Property-based testing of SPARQL queries: finds small data on which a query breaks what its author expects.

Entry point: `run.QueryTest`. Read `properties` (what the answers must have) and `outcome` (the result) first. Data are
made by `templates` (the ways in which a query can match), `assignments` (terms for its variables) and `datasets` (the
order in which data are tried). `judging` decides whether data are consistent and what follows from them, with `facts`
and `models`, and asks a reasoner only if it has to. `evaluation` and `breaches` run the query and check its answers,
`proofs` looks for a proof that covers all data, and `shrinking` makes a counterexample small.
"""
