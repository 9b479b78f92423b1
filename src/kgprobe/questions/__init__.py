"""Questions made from the facts of a graph, so that some answers follow from others.

Entry points: `generate` makes cases from a graph, and `read_answer` reads the answer of a system. A case is a value of
`cases`; `settings` has everything that decides which cases are made.
"""
