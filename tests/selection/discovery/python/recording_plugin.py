"""A plugin of pytest that writes to `$KGPROBE_READS` what each test of a session really reads of graphs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from .recorded_reads import Reads, recorded

_recording = recorded()
_all = _recording.__enter__()
_by_test: dict[str, Reads] = {}
_at_import: dict[str, Reads] = {}  # by folder
_folders: dict[str, str] = {}
_failed: dict[str, str] = {}


def _now(reads: Reads) -> None:
    """Record into `reads` from now on."""
    _all.patterns, _all.queries, _all.updates = reads.patterns, reads.queries, reads.updates


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    path = collector.path
    _now(_at_import.setdefault(str(path.parent if path.is_file() else path), Reads()))
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    _folders[item.nodeid] = str(item.path.parent)
    _now(_by_test.setdefault(item.nodeid, Reads()))
    result = yield
    _now(Reads())
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.failed:  # type: ignore[attr-defined]
        _failed[item.nodeid] = str(report.longrepr)[-200:]  # type: ignore[attr-defined]
    return report


def pytest_sessionfinish() -> None:
    found = {}
    for name, reads in _by_test.items():
        checked = _at_import.get(_folders[name], Reads()) if "checked_at_import" in _folders[name] else Reads()
        found[name] = {
            "patterns": sorted(map(list, reads.patterns | checked.patterns), key=str),
            "queries": sorted(reads.queries | checked.queries),
            "updates": sorted(reads.updates | checked.updates),
            "failed": _failed.get(name),
        }
    with Path(os.environ["KGPROBE_READS"]).open("w") as file:
        json.dump(found, file)
