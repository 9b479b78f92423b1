"""Which syntax a text is written in, found from the text; its name only decides where texts look alike."""

from __future__ import annotations

import re

from kgprobe.errors import InputError, Position
from kgprobe.graph.formats import xml_guard
from kgprobe.graph.formats.catalogue import FORMATS, Format, by_extension
from kgprobe.graph.formats.source import Source

__all__ = ["detect"]

_COMMENT_LINES = re.compile(r"(?:\s*#[^\n]*(?:\n|$))*\s*")
# What a text begins with, once white space and comments are skipped.
_BEGINNINGS = (
    ("functional", re.compile(r"(?:Prefix|Ontology)\s*\(")),
    (
        "manchester",
        re.compile(
            r"(?:Prefix|Ontology|Import|Annotations|Class|Datatype|Individual|(?:Object|Data|Annotation)Property"
            r"|(?:Equivalent|Disjoint)(?:Classes|Properties)|SameIndividual|DifferentIndividuals):\s"
        ),
    ),
    ("jsonld", re.compile(r'\{\s*["}]|\[\s*[{\[]|\[\s*\]\s*$')),
    ("obo", re.compile(r"(?:!.*\n\s*)*(?:(?:format-version|data-version|ontology)\s*:|\[(?:Term|Typedef|Instance)\])")),
)
_IRI = r"<[a-zA-Z][^<>\s:]*:[^<>\s]*>"
_LITERAL = r'"(?:[^"\\\n]|\\.)*"(?:@[\w-]+|\^\^<[^>\s]*>)?'
_STATEMENT = re.compile(
    rf"(?:{_IRI}|_:\S+)\s*{_IRI}\s*(?:{_IRI}|_:\S+|{_LITERAL})\s*(?P<graph>{_IRI}|_:\S+)?\s*\.\s*(?:#.*)?"
)
_DIRECTIVE = re.compile(r"^\s*(?:@prefix|@base|PREFIX|BASE)\s", re.IGNORECASE | re.MULTILINE)
_ANY_IRI = re.compile(r"<[^<>\s]*>")
# Strings, also one that the end of the text cuts off, IRIs and comments: what is left has braces only in TriG.
_OPAQUE = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:"""|\Z)'
    r"|'''(?:[^'\\]|\\.|'(?!''))*(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|<[^<>\s]*>"
    r"|#[^\n]*",
    re.DOTALL,
)
_MOST_LINES = 200


def detect(source: Source) -> Format:
    """The format of a text; `InputError` if it is none that we know."""
    text = source.head.decode(errors="replace")
    claimed = by_extension(source.stem)
    if not text.strip():
        return claimed or FORMATS["turtle"]  # an empty text is an empty graph, in the syntaxes that allow one
    found = _from_content(text, claimed)
    if found is None:
        raise InputError(
            "this is no graph in any format that kgprobe reads",
            where=Position(source.name),
            hint=f"it reads {', '.join(FORMATS)}",
        )
    return FORMATS[found]


def _from_content(text: str, claimed: Format | None) -> str | None:
    element = xml_guard.root(text.encode()) if text.lstrip().startswith("<") else None
    if element and (element.prefixes or text.lstrip().startswith(("<?", "<!"))):
        return "owlxml" if element.name == "Ontology" else "rdfxml"
    rest = text[_COMMENT_LINES.match(text).end() :]  # type: ignore[union-attr]  # it matches the empty text, too
    for name, beginning in _BEGINNINGS:
        if beginning.match(rest):
            return name
    return _line_based(text, claimed) or _turtle_like(text, claimed)


def _line_based(text: str, claimed: Format | None) -> str | None:
    """N-Triples, N-Quads or tab-separated triples, if every line of the beginning is."""
    lines = [line for line in map(str.strip, text.split("\n")[: _MOST_LINES + 1]) if line and not line.startswith("#")]
    if len(lines) > 1:
        lines.pop()  # it may be cut off
    statements = [_STATEMENT.fullmatch(line) for line in lines]
    if lines and all(statements):
        # Turtle and TriG contain N-Triples, and N-Quads too: a name that says so is believed.
        if claimed and claimed.name in ("turtle", "trig", "nquads"):
            return claimed.name
        return "nquads" if any(found and found["graph"] for found in statements) else "ntriples"
    return "tsv" if lines and all(line.count("\t") in (2, 3) for line in lines) else None


def _turtle_like(text: str, claimed: Format | None) -> str | None:
    name = claimed.name if claimed else None
    if _DIRECTIVE.search(text) or (_ANY_IRI.search(text) and name not in ("ntriples", "nquads")):
        return "trig" if name == "trig" or "{" in _OPAQUE.sub(" ", text) else "turtle"
    # Nothing speaks for any format. A name that claims one of these is believed: its errors say more than we can.
    return name if name in ("turtle", "trig", "ntriples", "nquads", "obo", "tsv") else None
