"""Mutants: graphs that differ from a seed graph by random steps, each of which is recorded.

The entry points are `catalogue` (the built-in operators) and `generator` (from a seed graph and operators to mutants).

Read `operator` first: what an operator is. Then `update` (operators in SPARQL Update), with `header`, `update_syntax`
and `templates`; `functions` and `profile_rules` hold the functions that operators may call. Then `generator`, with
`strategies` (which operator is next), `pins` (what may not be touched) and `duplicates`. `mutant`, `manifest` and
`output` hold the results. The folder `operators` has the operators themselves.
"""
