"""Mutants: graphs that differ from a seed graph by random, recorded steps.

The entry points are `catalogue` (the built-in operators) and `generator` (from a seed graph and operators to mutants).

Read `operator` first; it defines an operator, its header, and the pins that it respects. Then read `update` (operators
in SPARQL Update) with `update_syntax`; `functions` and `profile_rules` hold the functions that they may
call. Then `generator`, with the strategies that pick the next operator. `mutant` and `output` hold the results. The
folder `operators` contains the operators themselves; those in Python use `axiom_rows` and `functions`.
"""
