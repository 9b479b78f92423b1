"""The graphs and case studies of the demo."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from kgprobe.formats.files import Loaded, load

__all__ = ["case_study", "example"]


def example(name: str) -> Loaded:
    """A built-in graph."""
    with as_file(files("kgprobe.demo").joinpath(name)) as path:
        return load(path)


def case_study(name: str) -> Path:
    """The folder of a case study: inside an installed package, or among the examples of a source tree."""
    inside = Path(__file__).parent / name
    return inside if inside.is_dir() else Path(__file__).parents[3] / "examples" / name
