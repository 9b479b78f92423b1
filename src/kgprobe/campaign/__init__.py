"""Campaigns: draw cases, run and judge them, store the results, and reduce failing cases. Every method uses this path.

`run.run_campaign` is the entry point: it runs the campaign of a profile and yields events. Read in this order:

- `run`: the loop of a campaign.
- `source` and `sources/`: where cases come from; `plan` numbers them.
- `executor` and `trial`: how a case gets to a worker, and how it is run and judged there. `local` and `cluster`
  are executors. `harness` makes the systems and the oracles of a profile.
- `experiment` and `reducing`: reductions of failing cases.
- `store`: all results. `summary` and `reproduction` use them. `answers` keeps answers that cost money, with
  `observation_text`.
- `sources/questions`: also questions for a function in this process, without a campaign.
"""
