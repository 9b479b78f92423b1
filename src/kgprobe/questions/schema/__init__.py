"""The schema of a graph, as far as questions need it: relations, how they are worded, their traits, and axioms.

The entry point is `traits.schema_of`, which joins the other modules: `axioms` (what a graph states, and what follows),
`given` (what built-in profiles and the user say), and `evidence` (traits that the facts support or contradict).
"""
