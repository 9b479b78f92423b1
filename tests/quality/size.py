"""How large the source code is: lines, files, the longest functions, and what stands in two places.

`python -m quality.size` in the folder `tests` prints the figures for `src`, or for the folder that is its argument.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

__all__ = ["Duplicate", "Function", "Size", "measured"]

SOURCE = Path(__file__).resolve().parents[2] / "src"
SHORTEST_DUPLICATE = 10
# Lines that say nothing by themselves, so that a run of them is no duplicate.
_SAYS_NOTHING = re.compile(r"(?:#.*|[\W_]*|(?:from|import)\s.*|\w+,)")


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method: where it is, how many lines it has, and how many parameters besides `self` and `cls`."""

    place: str
    lines: int
    parameters: int


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The same lines in two places, not counting those that say nothing."""

    first: str
    second: str
    lines: int


@dataclass(frozen=True)
class Size:
    """The figures of a source tree."""

    lines: int
    files: int
    functions: tuple[Function, ...]
    duplicates: tuple[Duplicate, ...]


def measured(folder: Path) -> Size:
    """The size of all Python files below a folder."""
    texts = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    return Size(
        lines=sum(text.count("\n") for text in texts.values()),
        files=len(texts),
        functions=tuple(function for name in sorted(texts) for function in _functions(name, texts[name])),
        duplicates=tuple(_duplicates(texts)),
    )


def _functions(name: str, text: str) -> Iterator[Function]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            given = node.args
            names = [
                each.arg
                for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
                if each
            ]
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield Function(f"{name}:{node.lineno} {node.name}", lines, len(set(names) - {"self", "cls"}))


def _duplicates(texts: dict[str, str]) -> Iterator[Duplicate]:
    """The longest runs of the same lines. Each pair of places is named once."""
    lines = {name: _lines_that_say_something(texts[name]) for name in sorted(texts)}
    places: defaultdict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for name, those in lines.items():
        for start in range(len(those) - SHORTEST_DUPLICATE + 1):
            window = tuple(line for _, line in those[start : start + SHORTEST_DUPLICATE])
            places[window].append((name, start))
    seen: set[tuple[str, int, str, int]] = set()
    for found in places.values():
        for number, first in enumerate(found):
            for second in found[number + 1 :]:
                if (*first, *second) not in seen:
                    length = _shared(lines[first[0]], first[1], lines[second[0]], second[1])
                    shifts = range(length - SHORTEST_DUPLICATE + 1)
                    seen.update((first[0], first[1] + by, second[0], second[1] + by) for by in shifts)
                    both = [f"{name}:{lines[name][start][0]}" for name, start in (first, second)]
                    yield Duplicate(both[0], both[1], length)


def _lines_that_say_something(text: str) -> list[tuple[int, str]]:
    stripped = ((number, line.strip()) for number, line in enumerate(text.split("\n"), 1))
    return [(number, line) for number, line in stripped if not _SAYS_NOTHING.fullmatch(line)]


def _shared(left: Sequence[tuple[int, str]], start: int, right: Sequence[tuple[int, str]], other: int) -> int:
    length = 0
    while start + length < len(left) and other + length < len(right):
        if left[start + length][1] != right[other + length][1]:
            break
        length += 1
    return length


def main(folder: Path = SOURCE) -> None:
    """Print the figures."""
    size = measured(folder)
    lengths = [function.lines for function in size.functions]
    longest = sorted(size.functions, key=lambda function: -function.lines)
    widest = sorted(size.functions, key=lambda function: -function.parameters)
    print(f"source lines            {size.lines:>8,}")
    print(f"files                   {size.files:>8,}")
    print(f"functions               {len(lengths):>8,}")
    p99 = quantiles(lengths, n=100)[-1]
    print(f"lines of a function     median {median(lengths):g}, p99 {p99:g}, most {max(lengths)}")
    print(f"functions over 60 lines {sum(each > 60 for each in lengths):>8}")
    print(f"over 8 parameters       {sum(function.parameters > 8 for function in size.functions):>8}")
    print(f"duplicates of {SHORTEST_DUPLICATE} lines  {len(size.duplicates):>8}")
    for function in longest[:3]:
        print(f"  long  {function.lines:>4} {function.place}")
    for function in widest[:3]:
        print(f"  wide  {function.parameters:>4} {function.place}")
    for duplicate in sorted(size.duplicates, key=lambda each: -each.lines)[:20]:
        print(f"  twice {duplicate.lines:>4} {duplicate.first} ~ {duplicate.second}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
