"""Checks XML, which may be hostile, before or while a reader parses it.

pyoxigraph's RDF/XML parser expands entities without limit, accepts a truncated file, needs quadratic time for deep
nesting, reports errors without a line, and does not expose prefixes. One pass of expat over the text makes up for all
of this at little cost.

Entities are accepted in the one form that ontologies use: a short name for the start of an IRI. All others are refused,
because they serve to make a small file huge or to fetch other files. Nothing outside the document is ever read.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, NoReturn
from xml.parsers import expat

from kgprobe.errors import InputError, Position

_CHUNK = 1 << 18
_REFERENCE = re.compile(rb"&([^;&\s#]+);")
_DECLARED = re.compile(rb"<!ENTITY\s+([^\s%]+)")
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_LONGEST_ENTITY = 200
# In real files, entities stand for namespaces. Together, they may make a text at most this many times longer.
_MOST_GROWTH = 10
_ALWAYS_ALLOWED = 1 << 20
# Deeper than any list that a serializer nests; pyoxigraph crashes at about 20,000 levels.
_DEEPEST = 5_000


@dataclass(frozen=True)
class XmlRoot:
    """The root element of a document: its name without a prefix, and the prefixes that it declares."""

    name: str
    prefixes: dict[str, str] = field(default_factory=dict)


def root(head: bytes) -> XmlRoot | None:
    """The root element, given the beginning of a text; None if it does not begin like XML."""
    roots: list[XmlRoot] = []
    parser = expat.ParserCreate()

    def started(element: str, attributes: dict[str, str]) -> None:
        roots.append(_root(element, attributes))
        parser.StartElementHandler = None

    parser.StartElementHandler = started
    with suppress(expat.ExpatError, ValueError, LookupError):  # the format's reader reports the error
        parser.Parse(head, False)
    return roots[0] if roots else None


def check(stream: IO[bytes], name: str) -> XmlRoot:
    """Read a whole document; refuse it if it is malformed, nested too deeply, or if its entities expand too much."""
    roots: list[XmlRoot] = []
    parser = expat.ParserCreate()
    depth = 0

    def started(element: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth == 1:
            roots.append(_root(element, attributes))
        elif depth > _DEEPEST:
            _refuse(parser, name, f"nested more than {_DEEPEST:,} levels deep")

    def ended(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartElementHandler = started
    parser.EndElementHandler = ended
    feed(parser, stream, name)
    return roots[0]


def feed(parser: expat.XMLParserType, stream: IO[bytes], name: str) -> None:
    """Feed a whole document to a parser; `InputError` where it is not well-formed, or hostile."""
    watch = _Watch(parser, name)
    try:
        # expat rescans an unfinished tag with each chunk. Growing chunks keep the total cost linear.
        while chunk := stream.read(max(_CHUNK, watch.size // 8)):
            watch.count_references(chunk)
            parser.Parse(chunk, False)
            watch.compare_declarations(chunk)
        parser.Parse(b"", True)
    except expat.ExpatError as problem:
        where = Position(name, problem.lineno, problem.offset + 1)
        raise InputError(f"not XML: {expat.ErrorString(problem.code)}", where=where) from None
    except (ValueError, LookupError) as problem:  # an encoding that Python does not support here
        raise InputError(f"not XML: {problem}", where=Position(name, 1, 1)) from None


class _Watch:
    """Refuses declarations that graphs do not need, and entities that are used too often."""

    def __init__(self, parser: expat.XMLParserType, name: str) -> None:
        self.size = 0
        self._parser = parser
        self._name = name
        self._lengths: dict[bytes, int] = {}
        self._growth = 0
        # The byte offsets of the document type declaration, and the part of its text read so far.
        self._begin: int | None = None
        self._end: int | None = None
        self._declarations = b""
        parser.StartDoctypeDeclHandler = self._doctype_begins
        parser.EndDoctypeDeclHandler = self._doctype_ends
        parser.EntityDeclHandler = self._entity
        parser.AttlistDeclHandler = self._attribute
        parser.SkippedEntityHandler = self._skipped

    def count_references(self, chunk: bytes) -> None:
        """Before a chunk is parsed, add up how much its entities lengthen it."""
        self.size += len(chunk)
        if self._lengths:
            self._growth += sum(self._lengths.get(reference, 0) for reference in _REFERENCE.findall(chunk))
            if self._growth > _ALWAYS_ALLOWED + _MOST_GROWTH * self.size:
                self._refuse(f"its entities expand it to more than {_MOST_GROWTH} times its length")

    def compare_declarations(self, chunk: bytes) -> None:
        """After a chunk is parsed, refuse duplicate declarations: expat uses the first, pyoxigraph the last."""
        if self._begin is None:
            return
        self._declarations += chunk[max(0, self._begin - self.size + len(chunk)) :]
        if self._end is not None:
            names = _DECLARED.findall(_COMMENT.sub(b"", self._declarations[: self._end - self._begin]))
            twice = next((name for name, count in Counter(names).items() if count > 1), None)
            if twice is not None:
                self._refuse(f"the entity '{twice.decode()}' is refused: it is declared more than once")
            self._begin = None  # a document has only one declaration
            self._declarations = b""

    def _doctype_begins(self, *_: object) -> None:
        self._begin = self._parser.CurrentByteIndex

    def _doctype_ends(self) -> None:
        self._end = self._parser.CurrentByteIndex

    def _entity(self, declared: str, is_parameter: bool, value: str | None, *_: object) -> None:
        if is_parameter or value is None:
            self._refuse(f"the entity '{declared}' is refused: only short texts are allowed as entities")
        if len(value) > _LONGEST_ENTITY or any(character in value for character in "&<%"):
            self._refuse(f"the entity '{declared}' is refused: it is not a short text without other entities")
        self._lengths[declared.encode()] = len(value.encode())

    def _attribute(self, _element: str, declared: str, _type: str, default: str | None, _required: int) -> None:
        if default is not None:  # pyoxigraph would ignore it
            self._refuse(
                f"a default for the attribute '{declared}' is refused: write the attribute on each element instead"
            )

    def _skipped(self, reference: str, _is_parameter: bool) -> None:
        self._refuse(f"the entity '{reference}' is not declared in this file")

    def _refuse(self, message: str) -> NoReturn:
        _refuse(self._parser, self._name, message)


def _root(element: str, attributes: dict[str, str]) -> XmlRoot:
    declared = {key: value for key, value in attributes.items() if key == "xmlns" or key.startswith("xmlns:")}
    return XmlRoot(element.rpartition(":")[2], {key.partition(":")[2]: value for key, value in declared.items()})


def _refuse(parser: expat.XMLParserType, name: str, message: str) -> NoReturn:
    where = Position(name, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
    raise InputError(message, where=where)
