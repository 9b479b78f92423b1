"""Reasoners: one protocol for all of them, each in a child process with a time limit and a memory limit.

Entry point: `auto.open_reasoner`. Read `protocol` (tasks and answers), `ontology` (the input of a reasoner),
`catalogue` (the reasoners by name), and `host` and `engines` (their processes). `auto` combines several reasoners: it
knows the gaps of each (`features`, `gaps`, and `cases`, the test cases for them), rewrites axioms that they misread
(`rephrase`), and answers easy questions itself (`small_model`). `negation` turns an entailment into
questions of consistency. `explanation` finds the axioms that are responsible.
"""
