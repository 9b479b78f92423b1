"""The tokens of OWL 2 Manchester syntax, and the words that its grammar reserves.

A token keeps its text as written, with the quotes of a string and the brackets of an IRI, so that comparing a token's
text with a keyword can never mistake the one for the other.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple, TypeAlias

from kgprobe.errors import InputError, Position

__all__ = ["CONNECTIVES", "KEYWORDS", "RESERVED", "Kind", "Token", "position", "tokenize"]

Kind: TypeAlias = Literal[
    "keyword", "word", "iri", "node", "string", "tag", "integer", "decimal", "float", "mark", "end"
]

_KEYWORDS = """Prefix: Ontology: Import: Annotations:
    Class: ObjectProperty: DataProperty: AnnotationProperty: Datatype: Individual:
    SubClassOf: SuperClassOf: EquivalentTo: DisjointWith: DisjointUnionOf: HasKey: Individuals:
    Domain: Range: Characteristics: SubPropertyOf: SuperPropertyOf: InverseOf: SubPropertyChain:
    Types: Facts: SameAs: DifferentFrom:
    EquivalentClasses: DisjointClasses: EquivalentProperties: DisjointProperties:
    SameIndividual: DifferentIndividuals: Rule: ValuePartition:"""
KEYWORDS: Final = frozenset(_KEYWORDS.split())
CONNECTIVES: Final = frozenset(["and", "or", "that"])
RESERVED: Final = CONNECTIVES | {"not", "some", "only", "value", "Self", "min", "max", "exactly", "inverse"}

# Possessive quantifiers: a string that never ends is found out in one pass. A word is anything up to the next
# delimiter; whether it makes a valid IRI is for the IRI itself to say.
_TOKEN: Final = re.compile(
    r"""(?P<gap>\s++|\#[^\r\n]*+)
    |(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")
    |(?P<iri><[^<>"{}|^`\\\x00-\x20]*+>)
    |(?P<tag>@[A-Za-z]++(?:-[A-Za-z0-9]++)*+)
    |(?P<mark>\^\^|[<>]=?|[()\[\]{},])
    |(?P<word>[^\s()\[\]{},<>"^@\#]++)""",
    re.VERBOSE | re.DOTALL,
)
_INTEGER: Final = re.compile(r"[+-]?[0-9]++")
_DECIMAL: Final = re.compile(r"[+-]?[0-9]++\.[0-9]++")
_FLOAT: Final = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?[fF]")


class Token(NamedTuple):
    """One token: what it is, how it is written, and where it starts."""

    kind: Kind
    text: str
    offset: int


def position(text: str, name: str, offset: int) -> Position:
    """The line and column of an offset, worked out only when an error needs them."""
    return Position(name, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def tokenize(text: str, name: str) -> list[Token]:
    """All tokens of the text, the last of which is its end."""
    tokens: list[Token] = []
    offset = 1 if text.startswith("\ufeff") else 0
    in_facets = False
    while offset < len(text):
        found = _TOKEN.match(text, offset)
        if found is None:
            raise InputError(_why_no_token(text[offset]), where=position(text, name, offset))
        written, group = found.group(), found.lastgroup
        if group == "iri" and in_facets and tokens[-1].text != "^^":
            # In "[<5,>2]" the first facet only looks like the IRI "<5,>".
            written, group = "<=" if text.startswith("<=", offset) else "<", "mark"
        if group == "mark":
            if written in ("<", "<=") and not in_facets:
                raise InputError(
                    "expected an IRI in '<' and '>', without spaces or quotes",
                    where=position(text, name, offset),
                )
            in_facets = written == "[" or (in_facets and written != "]")
        if group != "gap":
            tokens.append(Token(_kind(group, written), written, offset))
        offset += len(written)
    tokens.append(Token("end", "", len(text)))
    return tokens


def _why_no_token(character: str) -> str:
    if character == '"':
        return "expected the string that starts here to end, found the end of the file"
    return f"expected a name, a keyword or a literal, found {character!r}"


def _kind(group: str | None, written: str) -> Kind:
    match group:
        case "iri" | "string" | "tag" | "mark":
            return group
    if written in KEYWORDS:
        return "keyword"
    if written.startswith("_:"):
        return "node"
    if written[0] in "+-.0123456789":
        if _INTEGER.fullmatch(written):
            return "integer"
        if _DECIMAL.fullmatch(written):
            return "decimal"
        if _FLOAT.fullmatch(written):
            return "float"
    return "word"
