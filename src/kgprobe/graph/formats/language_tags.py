"""The case of language tags, which terms do not keep.

RDF compares language tags without regard to case, and pyoxigraph's terms carry them in lower case. People write
`en-GB`, though, and expect a file to come back as they wrote it. So the spelling is noted when a file is read, and put
back when one is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import IO

from kgprobe.graph.terms import Literal, Term

__all__ = ["noted", "restored"]

_CHUNK = 1 << 20
_LONGEST = 64  # no tag is longer; it keeps one that two chunks share in sight
_TAG = rb"[a-z0-9-]*[A-Z][A-Za-z0-9-]*"
# Two patterns that begin with a fixed text are found ten times faster than one that begins with a choice.
_IN_TEXT = (re.compile(rb'"@(' + _TAG + rb")"), re.compile(rb"'@(" + _TAG + rb")"))
_IN_XML = (re.compile(rb"xml:lang\s*=\s*[\"'](" + _TAG + rb")[\"']"),)
_IN_JSON = (re.compile(rb'"(' + _TAG + rb')"'),)
_PATTERNS = {"rdfxml": _IN_XML, "owlxml": _IN_XML, "jsonld": _IN_JSON}

# A whole literal, or a whole XML tag: only what follows the one, or stands in the other, is a language tag.
_WRITTEN_IN_TEXT = re.compile(rb'("(?:[^"\\]|\\.)*"@)([a-z0-9-]+)')
_WRITTEN_IN_XML = re.compile(rb'(<[^<>]*\sxml:lang=")([a-z0-9-]+)')
_WRITTEN_IN_JSON = re.compile(rb'("@language":")([a-z0-9-]+)')
_WRITTEN = {"rdfxml": _WRITTEN_IN_XML, "jsonld": _WRITTEN_IN_JSON}


def noted(stream: IO[bytes], format_name: str, terms: Iterable[Term]) -> dict[str, str]:
    """How the text spells those language tags of the terms that it does not spell in lower case."""
    if format_name == "obo":  # it has none
        return {}
    used = {term.language for term in terms if type(term) is Literal and term.language}
    if not used:
        return {}
    patterns = _PATTERNS.get(format_name, _IN_TEXT)
    spellings: dict[str, str] = {}
    before = b""
    while chunk := stream.read(_CHUNK):
        text = before + chunk
        for found in chain.from_iterable(pattern.findall(text) for pattern in patterns):
            tag = found.decode()
            if tag.lower() in used:
                spellings.setdefault(tag.lower(), tag)
        before = chunk[-_LONGEST:]
    return spellings


def restored(text: bytes, format_name: str, spellings: Mapping[str, str]) -> bytes:
    """A text that was written with lower-case tags, with the spellings that were noted."""
    if not spellings:
        return text
    by_tag = {tag.encode(): spelling.encode() for tag, spelling in spellings.items()}
    pattern = _WRITTEN.get(format_name, _WRITTEN_IN_TEXT)
    return pattern.sub(lambda found: found[1] + by_tag.get(found[2], found[2]), text)
