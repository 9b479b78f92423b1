"""The robot of examples/pipes, in this process."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from campaign.campaigns import PIPES

from kgprobe.graph.graph import Graph

__all__ = ["is_missed"]


def _robot() -> ModuleType:
    spec = spec_from_file_location("pipes_robot", PIPES / "robot.py")
    assert spec is not None
    assert spec.loader is not None
    robot = module_from_spec(spec)
    spec.loader.exec_module(robot)
    return robot


_ROBOT = _robot()


def is_missed(graph: Graph) -> bool:
    """Whether the robot crashes, or misses a segment."""
    try:
        return bool(_ROBOT.inspect(graph)["missed"])
    except LookupError:
        return True
