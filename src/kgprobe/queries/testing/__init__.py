"""Property-based testing of SPARQL queries: finds small data on which a query breaks what its author expects.

Entry points: `entry.run_test`, and `run.QueryTest` for a test that is ready to run. Read `properties` (what the answers
must have), `request` (how a user asks for it), `tested_query` and `outcome` (the result) first. `data` are triples,
perhaps in named graphs. They are made by `expansion` and `templates` (the ways in which a query can match), `hints`,
`candidates` and `assignments` (terms for its variables), `neighbours`, `asked_facts` and `random_parts` (variations)
and `datasets` (the order in which data are tried). `judging` decides whether data are consistent and what follows from
them, with `value_signs`, `facts`, `fact_rules`, `models` and `model_search`, and asks a reasoner only if it has to.
`evaluation` runs the query, under OWL 2 DL with `entailed`, and `breaches` checks its answers. `proofs` looks for a
proof that covers all data, `shrinking` makes a counterexample small, and `saved` and `replay` keep counterexamples as
regression tests.
"""
