"""`kgprobe select --record`: run tests against an endpoint that records their queries."""

from __future__ import annotations

from pathlib import Path

from kgprobe.cli.app import tell
from kgprobe.cli.options import Reading
from kgprobe.cli.selection_input import found_tests
from kgprobe.cli.selection_options import SelectOptions
from kgprobe.errors import InputError
from kgprobe.graph.diff import Versions
from kgprobe.selection.discovery.recording import RecordingEndpoint
from kgprobe.selection.running import command_for, run_tests

__all__ = ["recorded_map"]


def recorded_map(path: Path, run: str, options: SelectOptions, reading: Reading) -> int:
    """Run every test with the address of the endpoint in its environment, and write its queries to a file."""
    record = options.recorded
    if record is None:
        raise InputError("--record needs --recorded FILE, the file for the record")
    graph = reading.read(path).graph
    suite = found_tests(options.places, Versions(graph, graph), options.finder())
    command = command_for(run)
    with RecordingEndpoint(graph, record) as endpoint:
        done = run_tests(
            [test.name for test in suite.tests],
            command,
            limit=options.time_limit,
            on_done=lambda _: None,
            environment=endpoint.environment,
        )
    failed = sum(not ran.passed for ran in done)
    tell("note", f"{len(suite.tests)} tests run, {failed} failed; their queries are in {record}")
    return int(bool(failed))
