"""How a system under test is started, run and observed.

A system answers `run(case)` with an `Observation`. It is not trusted: it runs in its own processes and folder, within
limits, and nothing that it sends is executed.

Read `protocol` first (the interface of a system), then `command`, the simplest kind, with `payload` (the data sent to
it), `placeholders` and `endings` (how a run ended). The other kinds are `function` with `function_worker` and `wire`,
`http` and `sparql` with `remote`, `service` and `exchange`, and `reasoner`. `answers` and `query_results` read the
answers of any of them.
"""
