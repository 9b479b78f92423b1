"""How a system under test is started, run and observed.

A system is whatever answers `run(case)` with an `Observation`: see `kgprobe.systems.protocol`. It is not trusted. It
runs in processes of its own, in a folder of its own, with limits, and nothing that it sends is executed.
"""
