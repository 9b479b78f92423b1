"""Where the case studies are."""

from __future__ import annotations

from pathlib import Path

__all__ = ["case_study"]


def case_study(name: str) -> Path:
    """The folder of a case study: in the package if that is installed, and among the examples where it is developed."""
    inside = Path(__file__).parent / name
    return inside if inside.is_dir() else Path(__file__).parents[3] / "examples" / name
