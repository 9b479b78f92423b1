"""Property-based testing of SPARQL queries: finds small data on which a query breaks what its author expects.

Entry points: `run.run_test`, and `run.QueryTest` for a test that is ready to run. Read `request` (what the answers must
have, and how a user asks for it) and `data` (triples, what is wanted of them, and results) first. Data are made by
`expansion` (the ways in which a query can match), `literals` and `assignments` (terms for its variables)
and `datasets` (variations, and the order in which data are tried). `judging` decides whether data are
consistent and what follows from them, with `facts` and `models`, and asks a reasoner only if it has to. `evaluation`
runs the query, and `breaches` checks its answers and makes a counterexample small. `proofs` looks for a proof that
covers all data, and `saved` keeps counterexamples as regression tests.
"""
