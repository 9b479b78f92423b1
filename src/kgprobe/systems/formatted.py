"""The graph of a case in the format that a system reads."""

from __future__ import annotations

from kgprobe.errors import InputError
from kgprobe.graph.files import render
from kgprobe.graph.formats.catalogue import Format
from kgprobe.model import Case, Observation, Status

__all__ = ["formatted"]


def formatted(case: Case, format_: Format, system: str) -> bytes | Observation:
    """The text, or an observation if the format cannot express the graph: then the system is not to blame."""
    try:
        return render(case.graph, format_).text
    except InputError as error:
        remark = f"{error.message} (choose another format for it in the profile)"
        return Observation(system, Status.INEXPRESSIBLE, remark=remark)
