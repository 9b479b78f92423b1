"""Makes a failing input smaller while it still fails in the same way, and as often.

`reducer.reduce` reduces a graph, and `search.reduce_parts` anything that consists of parts. Read `problem` first: it
runs candidates, decides when a flaky failure is confirmed, and does not depend on graphs. `search` finds the parts that
a failure needs. `graph_problem` is the problem for graphs. The passes for graphs are in `removals` and
`simplifications`; `reducer` calls them in order.
"""
