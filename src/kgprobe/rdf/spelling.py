"""How a file spells its terms: prefixes, and the case of language tags. Spelling is not part of the graph.

RDF compares language tags without regard to case, and pyoxigraph's terms carry them in lower case. People write
`en-GB`, though, and expect that spelling when the file is written again. So the spelling is recorded when a file is
read, and restored when it is written. If a file spells a tag in several ways, the most frequent spelling is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import IO

from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term, Triple

__all__ = ["STANDARD_PREFIXES", "Spelling", "is_bare", "noted_tags", "restored_tags"]

STANDARD_PREFIXES = {"owl": OWL.iri, "rdf": RDF.iri, "rdfs": RDFS.iri, "xsd": XSD.iri}
"""The prefixes that OWL syntaxes need not declare."""
_BARE = {
    XSD.integer: re.compile(r"[+-]?\d+"),
    XSD.decimal: re.compile(r"[+-]?\d*\.\d+"),
    XSD.boolean: re.compile("true|false"),
}
_LOCAL_NAME = re.compile(r"[\w\-]*(?:[\w\-.]*[\w\-])?")
_CHUNK = 1 << 20
_LONGEST = 64  # no tag is longer; chunks overlap by this much, so that a tag across their border is found
# The first pass may match text that is not a tag; it decides whether a second pass is needed. Patterns that begin with
# fixed text are ten times faster than one that begins with alternatives.
_WITH_CAPITALS = rb"[a-z0-9-]*[A-Z][A-Za-z0-9-]*"
_LOOKS = [re.compile(before + _WITH_CAPITALS) for before in (rb'"\s*@', rb"'@")]
_XML_LOOKS = [re.compile(rb"xml:lang\s*=\s*[\"']" + _WITH_CAPITALS)]
_JSON_LOOKS = [re.compile(rb'"' + _WITH_CAPITALS + rb'"')]
# The second pass finds the actual tags. It skips IRIs, comments and the content of strings, which may look like tags.
_TAG = rb"@([A-Za-z0-9-]+)"
_SKIPPED = rb"|\\.|<[^<>\s]*+>|\#[^\r\n]*+"  # a name may have an escaped quote or #
_STRING = rb'"(?>(?:[^"\\]|\\.)*)"'
_TURTLE_STRING = (
    # Atomic groups: before 3.11.4, Python loses its place in a possessive repetition with a look ahead in it.
    rb'(?:"""(?>(?:[^"\\]|\\.|"(?!""))*)"""|\'\'\'(?>(?:[^\'\\]|\\.|\'(?!\'\'))*)\'\'\''
    rb'|"(?>(?:[^"\\\n]|\\.)*)"|\'(?>(?:[^\'\\\n]|\\.)*)\')'
)
_IN_TURTLE = re.compile(_TURTLE_STRING + rb"(?:" + _TAG + rb")?" + _SKIPPED, re.DOTALL)
_IN_OWL = re.compile(_STRING + rb"(?:\s*" + _TAG + rb")?" + _SKIPPED, re.DOTALL)
_IN_TSV = re.compile(_STRING + rb"(?:" + _TAG + rb")?", re.DOTALL)
_IN_XML = re.compile(rb"<[^<>]*?\sxml:lang\s*=\s*[\"']([A-Za-z0-9-]+)[\"']")
# After "@language", or a key of a language map.
_IN_JSON = re.compile(rb'"@language"\s*:\s*"([A-Za-z0-9-]+)"|"([A-Za-z0-9-]+)"\s*:')
_TAGS = {
    **dict.fromkeys(["turtle", "trig", "ntriples", "nquads"], _IN_TURTLE),
    **dict.fromkeys(["functional", "manchester"], _IN_OWL),
    "tsv": _IN_TSV,
    **dict.fromkeys(["rdfxml", "owlxml"], _IN_XML),
    "jsonld": _IN_JSON,
}
# All strings, including those without a tag, so that the end of one is not mistaken for the start of the next. In XML,
# whole elements, since a language tag occurs only inside one.
_WRITTEN_IN_TEXT = re.compile(rb'("(?>(?:[^"\\]|\\.)*)"@?)([a-z0-9-]*)', re.DOTALL)
_WRITTEN_IN_XML = re.compile(rb'(<[^<>]*\sxml:lang=")([a-z0-9-]+)')
_WRITTEN_IN_JSON = re.compile(rb'("@language":")([a-z0-9-]+)')
_WRITTEN = {"rdfxml": _WRITTEN_IN_XML, "jsonld": _WRITTEN_IN_JSON}


def is_bare(literal: Literal) -> bool:
    """Whether Turtle can write the literal without quotes and datatype, as in `5`."""
    form = _BARE.get(literal.datatype)
    return form is not None and form.fullmatch(literal.value) is not None


@dataclass(frozen=True)
class Spelling:
    """Prefixes and language tags for writing a graph, so that the new file looks like the original."""

    prefixes: Mapping[str, str] = field(default_factory=dict)
    # Language tags that are not all lower case, by their lower-case form. Terms use the lower-case form.
    language_tags: Mapping[str, str] = field(default_factory=dict)

    def term(self, term: object) -> str:
        """A term for people to read, with a prefix if possible."""
        if isinstance(term, Literal) and not term.language and term.datatype != XSD.string:
            return f"{str(term).rpartition('^^')[0]}^^{self.term(term.datatype)}"
        if not isinstance(term, NamedNode):
            return str(term)
        fitting = [
            (len(iri), f"{prefix}:{local}")
            for prefix, iri in self.prefixes.items()
            if iri and term.value.startswith(iri) and _LOCAL_NAME.fullmatch(local := term.value[len(iri) :])
        ]
        return max(fitting)[1] if fitting else str(term)

    def triple(self, triple: Triple) -> str:
        """A triple for people to read, as in Turtle."""
        predicate = "a" if triple.predicate == RDF.type else self.term(triple.predicate)
        return f"{self.term(triple.subject)} {predicate} {self.term(triple.object)}"


def noted_tags(stream: IO[bytes], format_name: str, terms: Iterable[Term]) -> dict[str, str]:
    """The spelling of each language tag of the terms that the text does not write in lower case."""
    if format_name not in _TAGS:
        return {}
    used = {term.language for term in terms if type(term) is Literal and term.language}
    if not used or not _has_capitals(stream, format_name):
        return {}
    stream.seek(0)
    spellings: Counter[str] = Counter()
    for found, count in Counter(_TAGS[format_name].findall(stream.read())).items():
        tag = (b"".join(found) if isinstance(found, tuple) else found).decode()
        if tag.lower() in used:
            spellings[tag] += count
    most_frequent: dict[str, str] = {}
    for tag, _ in spellings.most_common():
        most_frequent.setdefault(tag.lower(), tag)
    return {tag: spelling for tag, spelling in most_frequent.items() if tag != spelling}


def _has_capitals(stream: IO[bytes], format_name: str) -> bool:
    looks = {_IN_XML: _XML_LOOKS, _IN_JSON: _JSON_LOOKS}.get(_TAGS[format_name], _LOOKS)
    before = b""
    while chunk := stream.read(_CHUNK):
        text = before + chunk
        if any(look.search(text) for look in looks):
            return True
        before = chunk[-_LONGEST:]
    return False


def restored_tags(text: bytes, format_name: str, spellings: Mapping[str, str]) -> bytes:
    """The text, which has lower-case tags, with the recorded spellings."""
    if not spellings:
        return text
    by_tag = {tag.encode(): spelling.encode() for tag, spelling in spellings.items()}
    pattern = _WRITTEN.get(format_name, _WRITTEN_IN_TEXT)
    return pattern.sub(lambda found: found[1] + by_tag.get(found[2], found[2]), text)
