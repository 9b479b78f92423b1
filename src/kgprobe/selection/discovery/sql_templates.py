"""Tells the constants of an SQL text from the rest, so that texts with the same rest are parsed once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from kgprobe.selection.warehouse.reads import Constants, Source, TablesUse

__all__ = ["Template", "filled", "split"]

_START, _END = "\ue002", "\ue003"
_HIDDEN = re.compile(f"{_START}(\\d+){_END}")
# Only texts whose strings end in the same place in all dialects: no backslashes, dollars, backticks and `#`.
_UNCLEAR = re.compile(r"[\\$`\ue000-\ue003]|^\s*#|(?<![\w'])[eEnNbBxX]'|&'|'\s*\n\s*'", re.MULTILINE)
_PLACE = re.compile(r"\{|%\(|%s")  # what is filled in, also in a constant
_PARTS = re.compile(r"""--[^\n]*|/\*(?>(?:[^*]|\*(?!/))*)\*/|"[^"\n]*"|'((?:[^'\n]|'')*)'|(['"]|/\*)""")


@dataclass(frozen=True, slots=True)
class Template:
    """A text in which marks stand for the constants. The same constant has the same mark."""

    text: str
    constants: tuple[str, ...]
    places: tuple[tuple[int, int, int], ...]  # the number of the constant, and where it is in the original text


def split(text: str) -> Template | None:
    """The constants of a text, and the rest; None if dialects may disagree on where they end."""
    if _UNCLEAR.search(text):
        return None
    numbers: dict[str, int] = {}
    parts: list[str] = []
    places: list[tuple[int, int, int]] = []
    last = 0
    for found in _PARTS.finditer(text):
        if found.lastindex is None:
            if found[0].startswith('"'):
                continue
            if "/*" in found[0][2:]:
                return None
            parts += (text[last : found.start()], "\n" * found[0].count("\n") or " ")  # comments say nothing
            last = found.end()
            continue
        if found.lastindex == 2:
            return None
        said = found[1]
        if _PLACE.search(said):
            return None
        start, end = found.span(1)
        number = numbers.setdefault(said, len(numbers))
        places.append((number, start, end))
        parts += (text[last:start], f"{_START}{number}{_END}")
        last = end
    parts.append(text[last:])
    return Template("".join(parts), tuple(said.replace("''", "'") for said in numbers), tuple(places))


def filled(use: TablesUse, constants: tuple[str, ...]) -> TablesUse:
    """A use of a template with its constants."""

    def fill(text: str) -> str:
        return _HIDDEN.sub(lambda found: constants[int(found[1])], text) if _START in text else text

    def each_constant(said: Constants) -> Constants:
        patterns = tuple((fill(pattern), escape) for pattern, escape in said.patterns)
        return Constants(frozenset(map(fill, said.texts)), patterns, said.folds)

    def each_source(source: Source) -> Source:
        return replace(source, constants=_mapped(source.constants)) if source.constants else source

    def _mapped(by_column: Mapping[str, Constants]) -> dict[str, Constants]:
        return {column: each_constant(said) for column, said in by_column.items()}

    return TablesUse(tuple(map(each_source, use.sources)), fill(use.text), use.line)
