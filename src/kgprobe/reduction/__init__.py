"""Makes a failing input smaller while it still fails in the same way, and as often.

`reducer.reduce` reduces a graph, and `parts.reduce_parts` anything that consists of parts. Read `problem` first: it
knows what has run, and nothing about graphs. `rates` says when a failure that comes and goes is confirmed, and `search`
finds the parts that a failure needs. The passes for graphs are `mutations`, `axioms`, `simplifications` and `minimal`;
`reducer` calls them in order.
"""
