"""The schema of a graph, as far as questions need it: relations, how they are worded, their traits, and axioms.

Entry point: `traits.schema_of`. Read `axioms` (what a graph states), `consequences` (what follows for traits),
`resolution` (names that a user wrote), then `traits`. `profiles` has built-in settings, `mining` finds traits in facts.
"""
