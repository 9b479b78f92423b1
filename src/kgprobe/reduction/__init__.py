"""Makes a failing input smaller while it still fails in the same way, and as often.

`reducer.reduce` reduces a graph, and `parts.reduce_parts` anything that consists of parts. Read `problem` first: it
runs candidates and remembers the results, and does not depend on graphs. `rates` decides when a flaky failure is
confirmed, and `search` finds the parts that a failure needs. The passes for graphs are `mutations`, `axioms`,
`simplifications` and `minimal`; `reducer` calls them in order.
"""
