"""The formats by name, by file extension, and by the beginning of a text.

The content of a text decides its format; the file name decides only where the content is ambiguous. Each module in
`syntaxes` adds the formats that it lists.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import PurePath
from pkgutil import iter_modules

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.formats import syntaxes
from kgprobe.formats.format import Beginning, Format
from kgprobe.formats.source import Source

__all__ = ["FORMATS", "by_extension", "by_name"]

_HTML = re.compile(r"\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+)?html\b[^<>]*>", re.IGNORECASE | re.DOTALL)


def _formats() -> list[Format]:
    """Those that can be written come first, and before them those that can express any graph."""
    modules = (import_module(f"{syntaxes.__name__}.{module.name}") for module in iter_modules(syntaxes.__path__))
    formats: list[Format] = [format_ for module in modules for format_ in module.FORMATS]
    return sorted(formats, key=lambda format_: (not format_.writes_any_graph, not format_.writable))


FORMATS = {format_.name: format_ for format_ in _formats()}


def by_name(name: str) -> Format:
    """The format with this name or file extension; otherwise `InputError` with the closest name as a hint."""
    wanted = name.casefold().lstrip(".")
    known = FORMATS.get(wanted) or by_extension(f"x.{wanted}")
    if known is None:
        hint = did_you_mean(name, FORMATS, f"available formats: {', '.join(FORMATS)}")
        raise InputError(f"no format named '{name}'", hint=hint)
    return known


def by_extension(file_name: str) -> Format | None:
    """The format that the extension of a file name suggests, if any; `.gz` is ignored."""
    extension = PurePath(file_name.removesuffix(".gz")).suffix.lstrip(".").casefold()
    return next((format_ for format_ in FORMATS.values() if extension in format_.extensions), None)


def detect(source: Source) -> Format:
    """The format of a text; `InputError` if kgprobe does not support it."""
    text = source.head.decode(errors="replace")
    claimed = by_extension(source.stem)
    if _HTML.match(text):
        raise InputError(
            "is a web page, not a graph",
            where=Position(source.name),
            hint="the download may have returned a page about the ontology",
        )
    claim = claimed.name if claimed else None
    if not Beginning(text, claim).code:
        return claimed or FORMATS["turtle"]  # an empty text is an empty graph, in the syntaxes that allow one
    # The last line may be cut off, unless the head is the whole text.
    beginning = Beginning(text if source.head_is_all else text.rpartition("\n")[0] or text, claim)
    for format_ in FORMATS.values():
        if format_.starts is not None and format_.starts(beginning):
            return format_
    likelihoods = {
        format_.likelihood(beginning): format_
        for format_ in reversed(FORMATS.values())
        if format_.likelihood is not None
    }
    if not any(likelihoods):
        raise InputError(
            "not a graph in any format that kgprobe reads",
            where=Position(source.name),
            hint=f"supported formats: {', '.join(FORMATS)}",
        )
    return likelihoods[max(likelihoods)]
