"""The robot of examples/pipes, in this process."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from kgprobe.rdf.graph import Graph

__all__ = ["PIPES", "is_missed", "robot"]

PIPES = Path(__file__).resolve().parents[2] / "examples" / "pipes"


def _robot() -> ModuleType:
    spec = spec_from_file_location("pipes_robot", PIPES / "robot.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


robot = _robot()


def is_missed(graph: Graph) -> bool:
    """Whether the robot crashes, or misses a segment."""
    try:
        return bool(robot.inspect(graph)["missed"])
    except LookupError:
        return True
