"""Campaigns: cases are drawn, run, judged and stored, and failing ones are reduced. The path of every method.

`run.run_campaign` is the entry point: it runs the campaign of a profile and yields events. To read on:

- `source` and `sources/`: where cases come from; `plan` numbers them.
- `task`, `trial`, `executor`: how a case gets to a worker, and how it is run and judged there.
- `loop`: the campaign itself. `reducing` and `experiment`: reductions of what it found.
- `store`: all results. `summary`, `one_case` and `reproduction` are what can be done with them.
"""
