"""What a crash is told by: the exception and the innermost frames, without what differs from run to run."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from kgprobe.model import Observation, is_of_the_language

__all__ = ["IRI", "PATH", "crash_shape", "is_overflow", "stable"]

_MOST_FRAMES = 3
# Nobody tells bugs apart by what comes later, and what a system prints can have any length.
_LONGEST = 500
# Where the stack runs over is chance; only the functions that call each other in circles belong to the bug.
_OVERFLOW = re.compile(r"stack ?overflow|recursion", re.IGNORECASE)
_TEMPORARY = r"(?:/private)?(?:/tmp|/var/tmp|/var/folders|/dev/shm|/run/user)/"
_SEGMENT = r"[^\s\\/:,()]"
# Names of the graph that look like it, and names of files that are made for one run.
IRI = (
    re.compile(r"<[A-Za-z][A-Za-z0-9+.\-]*:(?!:)[^<>\s]*>"),
    re.compile(r"\b(?:https?|file|urn|ftp)://?[^\s)>\]\"',]*|\burn:[^\s)>\]\"',]*"),
)
PATH = (re.compile(rf"(?:{_TEMPORARY}|[A-Za-z]:\\[^\s:]*\\Temp\\)[^\s:,)]*"),)
# In this order: what a later one takes for a path or a number may be part of what an earlier one removes.
_UNSTABLE: tuple[tuple[re.Pattern[str], str], ...] = (
    # The two ways in which most frames are written: Java's and Python's.
    (re.compile(r"^\s*at\s+"), ""),
    (re.compile(r"^\s*#\d+\s+"), ""),
    (re.compile(r"\((?:[\w$.\-]+\.(?:java|kt|scala|groovy|clj)(?::\d+)?|Native Method|Unknown Source)\)"), ""),
    (re.compile(r"""^\s*File "([^"]*)", line \d+(?:, in (.*))?$"""), r"\1 \2"),
    # Names that a machine gave, and numbers that it counts by.
    (re.compile(r"\$\$Lambda\b[\w$/.]*?(?=\.[A-Za-z]|$)"), "$$Lambda"),
    (re.compile(r"\blambda\$(\w+)\$\d+"), r"lambda$\1"),
    (re.compile(r"\b(GeneratedMethodAccessor|GeneratedConstructorAccessor|\$Proxy)\d+"), r"\1"),
    (re.compile(r"::h[0-9a-f]{16}\b"), ""),
    # Names of the graph, of files and of places in memory.
    *((pattern, "…") for pattern in IRI),
    (re.compile(r'"[^"]*"|\'[^\']*\''), "…"),
    *((pattern, "…") for pattern in PATH),
    # Folders, and the modules of Java.
    (re.compile(rf"(?:[A-Za-z]:)?{_SEGMENT}*(?:[\\/]+{_SEGMENT}+)*[\\/]+(?={_SEGMENT})"), ""),
    (re.compile(r"\s*[+@]?\s*\b0x[0-9a-fA-F]+\b"), ""),
    (re.compile(r",?\s*\b(?:line|column)\s+\d+"), ""),
    (re.compile(r"(?::\d+)+\b"), ""),
    (re.compile(r"(?<![\w.$])\d+(?![\w.$])"), ""),
    (re.compile(r"\(\s*\)"), ""),
)


def crash_shape(seen: Observation) -> str:
    """The shape of the crash that was seen: `NullPointerException in a.B.c < d.E.f`, the innermost function first."""
    if seen.crash is None:
        return "" if seen.exit_code is None else f"exit status {seen.exit_code}"
    kind = stable(seen.crash.kind)
    frames = list(filter(None, map(stable, seen.crash.frames)))
    told = _circle(frames) if is_overflow(kind) else _innermost(frames)
    return f"{kind} in {' < '.join(told)}" if told else kind


def is_overflow(kind: str) -> bool:
    """Whether an exception says that functions called each other too often."""
    return _OVERFLOW.search(kind) is not None


def stable(text: str) -> str:
    """A frame, or the name of an exception, without lines, addresses, folders and names of the graph."""
    text = text[:_LONGEST]
    for pattern, replacement in _UNSTABLE:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())


def _innermost(frames: Sequence[str]) -> list[str]:
    """The first frames of the system itself. How often a function calls itself depends on the graph: it counts once.

    Frames of the language's own library say little about who has called it.
    """
    own = [frame for frame in frames if not is_of_the_language(frame)]
    return [frame for frame, _ in itertools.groupby(own or frames)][:_MOST_FRAMES]


def _circle(frames: Iterable[str]) -> list[str]:
    """The frames that come again and again, in an order that does not depend on where the circle was cut."""
    return sorted(frame for frame, count in Counter(frames).items() if count > 1)[:_MOST_FRAMES]
