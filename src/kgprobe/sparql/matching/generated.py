"""Compiles functions from generated source that tracebacks and debuggers can show.

Python finds the lines of a file through `linecache`. The source of each function is stored there under a name that no
file has, and removed when the function is freed.
"""

from __future__ import annotations

import itertools
import linecache
import weakref
from collections.abc import Sequence
from typing import Any

__all__ = ["function_from"]

_numbers = itertools.count(1)


def function_from(lines: Sequence[str], name: str, values: dict[str, Any]) -> Any:
    """The function with this name that these lines define. The values become its globals.

    The lines must consist of our own words and numbers. They must not contain text from outside.
    """
    source = "\n".join(lines) + "\n"
    file = f"<kgprobe generated: {name} {next(_numbers)}>"
    exec(compile(source, file, "exec"), values)  # noqa: S102 - see above
    function = values[name]
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    weakref.finalize(function, linecache.cache.pop, file, None).atexit = False
    return function
