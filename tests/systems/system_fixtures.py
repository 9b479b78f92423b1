"""What the tests of systems need: small cases, and a way to tell whether a process is left."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import Literal, NamedNode, Triple
from kgprobe.model import Case

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what processes do")


def graph(size: int = 3) -> Graph:
    """A graph of so many triples."""
    return Graph(Triple(NamedNode(f"urn:s{n}"), NamedNode("urn:p"), Literal(str(n))) for n in range(size))


def case(of: Graph | None = None) -> Case:
    """A case, of a small graph if of none in particular."""
    return Case("case", graph() if of is None else of)


def is_running(pid: int) -> bool:
    """Whether a process does anything; one that waits for its parent to notice its end does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state not in "ZX"


def are_gone(pids: Path, *, at_least: int) -> bool:
    """Whether all processes whose numbers are in a file have ended, soon."""
    numbers = [int(line) for line in pids.read_text(encoding="ascii").split()]
    assert len(numbers) >= at_least, numbers
    end = time.perf_counter() + 3
    while any(map(is_running, numbers)) and time.perf_counter() < end:
        time.sleep(0.02)
    return not any(map(is_running, numbers))
