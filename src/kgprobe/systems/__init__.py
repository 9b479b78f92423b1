"""How a system under test is started, run and observed.

A system answers `run(case)` with an `Observation`. It is not trusted: it runs in its own processes and folder, within
limits, and nothing that it sends is executed.

Read `protocol` first (the interface of a system, and the payload that it gets), then `command`, the simplest kind, with
`endings` (how a run ended). The other kinds are `function` with `function_worker`, `remote`, which also has
what `sparql` shares with it, and `reasoner`. `answers` reads the answers of any of them.

Systems that are asked questions: `prompts` has their payloads, and makes each of these kinds one that replies in text.
`chat` is for models, with `pacing` (how fast they are asked). A program can read a line for each question, and a
function can take many at once.
"""
