"""Reasoners: one protocol for all of them, each in a child process with a time limit and a memory limit.

Entry point: `auto.open_reasoner`. Read `protocol` (tasks and answers), `ontology` (the input of a reasoner),
`catalogue` (the reasoners by name), and `host` and `engines` (their processes). `auto` combines several reasoners: it
knows the gaps of each (`features`, `gaps`, and `cases`, the test cases for them), rewrites axioms that they misread
(`rephrase`), and answers easy questions itself.

`models` finds a finite model (`model_search`, `model_building`), and mends it for mutants at the cost of their changes:
a model is an `interpretation` in which the `conditions` of all axioms hold, those of rules (`swrl`) included.
`small_model` searches harder, for models with few things. `negation` turns an entailment into questions of consistency.
`explanation` finds the axioms that are responsible.
"""
