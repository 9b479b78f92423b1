"""A look at XML before it reaches a parser that trusts it.

pyoxigraph's RDF/XML parser expands entities without limit, takes a file that is cut short for a whole one, names no
line in its errors, and does not tell prefixes. One pass of expat over the text finds all of this at little cost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import IO, Any
from xml.parsers import expat

from kgprobe.errors import InputError, Position

__all__ = ["XmlRoot", "check", "entity_watch", "root"]

_CHUNK = 1 << 18
_REFERENCE = re.compile(r"&([^;&\s#]+);")
_REFERENCE_BYTES = re.compile(rb"&([^;&\s#]+);")
_BUILT_IN = {"lt": 1, "gt": 1, "amp": 1, "quot": 1, "apos": 1}
# Entities stand for namespaces, in real files; together they may make a text this much longer, and no more.
_MOST_GROWTH = 10
_ALWAYS_ALLOWED = 1 << 20


@dataclass(frozen=True)
class XmlRoot:
    """The first element of a document: its name without a prefix, and the prefixes that it declares."""

    name: str
    prefixes: dict[str, str] = field(default_factory=dict)


def root(head: bytes) -> XmlRoot | None:
    """The first element of a text, of which only the beginning is given; None if it does not begin as XML does."""
    found: list[XmlRoot] = []
    parser = _parser("", found)
    try:
        parser.Parse(head, False)
    except (expat.ExpatError, InputError):
        # Whatever is wrong is for the format's own reader to say.
        return found[0] if found else None
    return found[0] if found else None


def check(stream: IO[bytes], name: str) -> XmlRoot:
    """Read a whole document, and refuse it if it is not well-formed or would grow out of bounds."""
    found: list[XmlRoot] = []
    parser = _parser(name, found)
    lengths = entity_watch(parser, name)
    size, growth = 0, 0
    try:
        while chunk := stream.read(_CHUNK):
            size += len(chunk)
            if lengths:
                growth += sum(lengths.get(n.decode(errors="replace"), 0) for n in _REFERENCE_BYTES.findall(chunk))
                if growth > _ALWAYS_ALLOWED + _MOST_GROWTH * size:
                    raise _too_large(name, "its entities make it many times longer than it is")
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise InputError(_explained(error), where=Position(name, error.lineno, error.offset + 1)) from None
    return found[0]


def entity_watch(parser: expat.XMLParserType, name: str) -> dict[str, int]:
    """Refuse entities of this document that nobody needs for a graph; return how long each of the others gets."""
    lengths = dict(_BUILT_IN)

    def declared(entity: str, is_parameter: bool, value: str | None, *_: Any) -> None:
        if value is None or is_parameter:
            raise InputError(
                f"declares the external or parameter entity '{entity}', which is never read",
                where=Position(name, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1),
            )
        length = len(value) + sum(lengths.get(inner, 0) for inner in _REFERENCE.findall(value))
        if length > _ALWAYS_ALLOWED:
            raise _too_large(name, f"the entity '{entity}' alone expands to {length:,} characters")
        lengths[entity] = length

    parser.EntityDeclHandler = declared
    return lengths


def _parser(name: str, found: list[XmlRoot]) -> expat.XMLParserType:
    parser = expat.ParserCreate()
    entity_watch(parser, name)

    def started(element: str, attributes: dict[str, str]) -> None:
        declared = {key: value for key, value in attributes.items() if key == "xmlns" or key.startswith("xmlns:")}
        prefixes = {key.partition(":")[2]: value for key, value in declared.items()}
        found.append(XmlRoot(element.rpartition(":")[2], prefixes))
        parser.StartElementHandler = None  # the rest of the document goes by at full speed

    parser.StartElementHandler = started
    return parser


def _explained(error: expat.ExpatError) -> str:
    return f"this is not well-formed XML: {expat.ErrorString(error.code)}"


def _too_large(name: str, what: str) -> InputError:
    return InputError(f"this XML is not read: {what}", where=Position(name))
