"""What kgprobe knows about a format: its names, its reader and writer, how its texts begin, and its language tags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TypeAlias

from kgprobe.formats import xml_guard
from kgprobe.formats.source import Source
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import TableBuilder
from kgprobe.rdf.terms import Literal, Term, Triple

__all__ = ["Format"]

_COMMENT_LINES = re.compile(r"(?:\s*#[^\n]*(?:\n|$))*\s*")
# A Turtle text can begin with the IRI `<?x>`, but not with these; an IRI has no space inside.
_XML = re.compile(r"\s*<(?:\?xml\s|!DOCTYPE\s|!--|[\w.:\-]+\s+[\w.:\-]+\s*=)")
_DOCTYPE = re.compile(r"<!DOCTYPE\s+(?:[^\s:>\[]+:)?([^\s:>\[]+)")
_CHUNK = 1 << 20
_LONGEST = 64  # no tag is longer; chunks overlap by this much, so that a tag across their border is found

Reader: TypeAlias = "Callable[[Source, Format, TableBuilder, str | None], tuple[dict[str, str], list[str]]]"
"""Adds the triples of a text to a builder, with a base for relative IRIs. Gives its prefixes, and notes."""
Writer: TypeAlias = "Callable[[Graph, Format], tuple[bytes, tuple[str, ...]]]"
"""The text of a graph, with notes for the user. InputError if the format cannot express the graph."""


class Beginning:
    """The first part of a text, without a line that is cut off, and the format that the file name suggests, if any."""

    def __init__(self, text: str, claimed: str | None) -> None:
        self.text = text
        self.claimed = claimed

    @cached_property
    def code(self) -> str:
        """The text without white space and comment lines before the first token."""
        return self.text[_COMMENT_LINES.match(self.text).end() :]  # type: ignore[union-attr]  # it matches the empty text

    @cached_property
    def lines(self) -> list[str]:
        """The lines that are not empty, and not comments."""
        return [line for line in map(str.strip, self.text.split("\n")) if line and not line.startswith("#")]

    @cached_property
    def is_xml(self) -> bool:
        """Whether the text is XML."""
        return self.text.lstrip().startswith("<") and bool(
            _XML.match(self.text) or (self._root and self._root.prefixes)
        )

    @cached_property
    def root_element(self) -> str | None:
        """The name of the root element of an XML text, unless a long or broken beginning hides it."""
        doctype = _DOCTYPE.search(self.text)
        return self._root.name if self._root else doctype[1] if doctype else None

    @cached_property
    def _root(self) -> xml_guard.XmlRoot | None:
        return xml_guard.root(self.text.encode())


def first_token(form: re.Pattern[str]) -> Callable[[Beginning], bool]:
    """Texts whose first token, after white space and comments, has this form."""
    return lambda beginning: form.match(beginning.code) is not None


@dataclass(frozen=True, slots=True)
class LanguageTags:
    """Where a format has language tags. pyoxigraph's terms have them in lower case, and people write `en-GB`.

    RDF compares tags without regard to case. So their spelling is recorded when a file is read, and restored when it is
    written. If a file spells a tag in several ways, the most frequent spelling is kept.
    """

    capitals: tuple[re.Pattern[bytes], ...]
    """What has to occur in a text with a tag in capitals. It may match other text; it only saves the second pass."""
    used: re.Pattern[bytes]
    """Each tag as the only group that matches. Strings, IRIs and comments without a tag match without a group."""
    written: re.Pattern[bytes]
    """In a text that kgprobe writes: all strings, or what else has a tag. The second group is the tag or empty."""

    def noted(self, stream: IO[bytes], terms: Iterable[Term]) -> dict[str, str]:
        """The spelling of each language tag of the terms that the text does not write in lower case."""
        languages = {term.language for term in terms if type(term) is Literal and term.language}
        if not languages or not self._has_capitals(stream):
            return {}
        stream.seek(0)
        spellings: Counter[str] = Counter()
        for groups, count in Counter(self.used.findall(stream.read())).items():
            tag = (b"".join(groups) if isinstance(groups, tuple) else groups).decode()
            if tag.lower() in languages:
                spellings[tag] += count
        most_frequent: dict[str, str] = {}
        for tag, _ in spellings.most_common():
            most_frequent.setdefault(tag.lower(), tag)
        return {tag: spelling for tag, spelling in most_frequent.items() if tag != spelling}

    def _has_capitals(self, stream: IO[bytes]) -> bool:
        before = b""
        while chunk := stream.read(_CHUNK):
            text = before + chunk
            if any(look.search(text) for look in self.capitals):
                return True
            before = chunk[-_LONGEST:]
        return False

    def restored(self, text: bytes, spellings: Mapping[str, str]) -> bytes:
        """The text, which has lower-case tags, with the recorded spellings."""
        if not spellings:
            return text
        by_tag = {tag.encode(): spelling.encode() for tag, spelling in spellings.items()}
        return self.written.sub(lambda part: part[1] + by_tag.get(part[2], part[2]), text)


STRING = rb'"(?>(?:[^"\\]|\\.)*)"'
TAG = rb"@([A-Za-z0-9-]+)"
TAG_CAPITALS = tuple(re.compile(before + rb"[a-z0-9-]*[A-Z][A-Za-z0-9-]*") for before in (rb'"\s*@', rb"'@"))
NO_STRINGS = rb"|\\.|<[^<>\s]*+>|\#[^\r\n]*+"  # a name may have an escaped quote or #
# All strings, including those without a tag, so that the end of one is not mistaken for the start of the next.
WRITTEN_IN_TEXT = re.compile(rb"(" + STRING + rb"@?)([a-z0-9-]*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One syntax for graphs. A module in `syntaxes` lists it in `FORMATS`; nothing else has to know it."""

    name: str
    title: str
    extensions: tuple[str, ...]
    """What file names end with, the usual one first."""
    read: Reader
    write: Writer | None = None
    """None if kgprobe only reads the format."""
    media_type: str = ""
    """For a system that gets graphs in this format over HTTP."""
    starts: Callable[[Beginning], bool] | None = None
    """Whether a text begins as only this format does."""
    likelihood: Callable[[Beginning], int] | None = None
    """Asked if no format begins like this: how likely a text is in this format; 0 if it is not."""
    tags: LanguageTags | None = None
    """None if language tags keep their case in any case, or if the format has none."""
    stream: Callable[[Source, Format], Generator[Triple, None, list[str]]] | None = None
    """Gives the triples one by one, and in the end notes for the user; None if a text can only be read as a whole."""
    writes_any_graph: bool = False
    """Whether it can express all graphs, and not only ontologies."""

    @property
    def writable(self) -> bool:
        """Whether kgprobe can write the format."""
        return self.write is not None

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, ...]:
        from kgprobe.formats.catalogue import by_name

        return by_name, (self.name,)
