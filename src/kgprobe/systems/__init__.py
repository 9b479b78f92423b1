"""How a system under test is started, run and observed.

A system is whatever answers `run(case)` with an `Observation`: see `kgprobe.systems.protocol`. It is not trusted. It
runs in its own processes and in its own folder, with limits, and nothing that it sends is executed.

`payload` is what a system is sent, and `command`, `http`, `sparql`, `function` and `reasoner` are the ways to send it.
"""
