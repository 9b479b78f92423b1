"""Splits a Manchester syntax document into tokens, and reads names and literals from them, with errors by position."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NamedTuple, NoReturn, TypeAlias

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.formats.functional import literal
from kgprobe.rdf.spelling import STANDARD_PREFIXES
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Subject

__all__ = ["RESERVED", "Reader", "position"]

# -- tokens ------------------------------------------------------------------------------------------------------------

# A token keeps its text as written, with the quotes of a string and the brackets of an IRI, so that a string or an IRI
# never compares equal to a keyword.

Kind: TypeAlias = typing.Literal[
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

# Possessive quantifiers reject an unterminated string in one pass. A word is anything up to the next delimiter; whether
# it makes a valid IRI is checked when it is resolved.
_TOKEN: Final = re.compile(
    r"""(?P<gap>\s++|\#[^\r\n]*+)
    |(?P<string>"[^"\\]*+(?>(?:\\.[^"\\]*+)*)")
    |(?P<iri><[^<>"{}|^`\\\x00-\x20]*+>)
    |(?P<tag>@[A-Za-z]++(?>(?:-[A-Za-z0-9]++)*))
    |(?P<mark>\^\^|[<>]=?|[()\[\]{},])
    |(?P<word>[^\s()\[\]{},<>"^@\#]++)""",
    re.VERBOSE | re.DOTALL,
)
_INTEGER: Final = re.compile(r"[+-]?[0-9]++")
_DECIMAL: Final = re.compile(r"[+-]?[0-9]++\.[0-9]++")
_FLOAT: Final = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]++)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?[fF]")


class Token(NamedTuple):
    """One token: its kind, its text as written, and its offset."""

    kind: Kind
    text: str
    offset: int


def position(text: str, name: str, offset: int) -> Position:
    """The line and column of an offset, computed only for errors."""
    return Position(name, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def tokenize(text: str, name: str) -> list[Token]:
    """All tokens of the text; the last one is the end token."""
    tokens: list[Token] = []
    offset = 1 if text.startswith("\ufeff") else 0
    in_facets = False
    while offset < len(text):
        match = _TOKEN.match(text, offset)
        if match is None:
            raise InputError(_why_no_token(text[offset]), where=position(text, name, offset))
        written, group = match.group(), match.lastgroup
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


# -- the reader --------------------------------------------------------------------------------------------------------

# Deeper than people or tools write, and shallow enough for safe recursion over the tree.
MAX_DEPTH: Final = 200

_SHORT_DATATYPES: Final = {name: XSD[name] for name in ("integer", "decimal", "float", "string")}
_OTHER_DATATYPES: Final = frozenset(
    [RDFS.Literal, RDF.PlainLiteral, RDF.XMLLiteral, RDF.langString, OWL.real, OWL.rational]
)
_BUILT_IN_PROPERTIES: Final = {
    OWL.topObjectProperty: "ObjectProperty",
    OWL.bottomObjectProperty: "ObjectProperty",
    OWL.topDataProperty: "DataProperty",
    OWL.bottomDataProperty: "DataProperty",
}
# OWLAPI writes booleans without quotes, which the specification does not have.
_BOOLEANS: Final = frozenset(["true", "false"])
_ESCAPED: Final = re.compile(r'\\(["\\])')
_LONGEST_FOUND: Final = 60
_MOST_DIGITS: Final = 18


class Reader:
    """A cursor over the tokens of one document, with its prefixes and the declared kinds of each name."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._tokens = tokenize(text, name)
        self._index = 0
        self._depth = 0
        self._resolved: dict[str, NamedNode] = {}
        self.prefixes: dict[str, str] = {}
        self._kinds: dict[NamedNode, set[str]] = {name: {kind} for name, kind in _BUILT_IN_PROPERTIES.items()}

    @property
    def token(self) -> Token:
        return self._tokens[self._index]

    def pairs(self) -> Iterator[tuple[Token, Token]]:
        """Each token of the document with the next one."""
        return pairwise(self._tokens)

    def ahead(self, count: int) -> Token:
        """The token `count` places ahead, or the end token."""
        return self._tokens[min(self._index + count, len(self._tokens) - 1)]

    def at(self, *texts: str) -> bool:
        return self.token.text in texts

    def advance(self) -> Token:
        token = self.token
        if token.kind != "end":
            self._index += 1
        return token

    def accept(self, text: str) -> bool:
        if self.token.text != text:
            return False
        self._index += 1
        return True

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fail(f"'{text}'", [text])

    def enter(self) -> None:
        """Go one level deeper; `leave` undoes it. Refuses a document that is nested too deeply."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.refuse(f"nested more than {MAX_DEPTH} levels deep")

    def leave(self) -> None:
        self._depth -= 1

    def fail(self, expected: str, candidates: Iterable[str] = ()) -> NoReturn:
        """Refuse the document at its current token; `candidates` are possible corrections of a misspelt word."""
        token = self.token
        if token.kind == "end":
            self.refuse(f"expected {expected}, found the end of the file")
        shown = token.text if len(token.text) <= _LONGEST_FOUND else token.text[:_LONGEST_FOUND] + "…"
        hint = _suggestion(token.text, candidates) if token.kind == "word" else None
        self.refuse(f"expected {expected}, found {shown}", hint=hint)

    def refuse(self, message: str, *, hint: str | None = None, token: Token | None = None) -> NoReturn:
        where = position(self._text, self._name, (token or self.token).offset)
        raise InputError(message, where=where, hint=hint)

    # Names

    def declare_prefix(self, prefix: str, iri: str) -> None:
        before = self.prefixes.get(prefix, STANDARD_PREFIXES.get(prefix, iri))
        if before != iri:
            self.refuse(f"the prefix '{prefix}:' already stands for <{before}>")
        self.prefixes[prefix] = iri

    def at_name(self) -> bool:
        return self.token.kind == "iri" or (self.token.kind == "word" and self.token.text not in RESERVED)

    def iri(self, what: str) -> NamedNode:
        """A full, abbreviated or simple IRI; errors state that `what` was expected."""
        if not self.at_name():
            self.fail(what)
        return self.resolve(self.advance())

    def individual(self) -> Subject:
        if self.token.kind != "node":
            return self.iri("an individual")
        token = self.advance()
        try:
            return BlankNode(token.text[2:])
        except ValueError:
            self.refuse(f"'{token.text}' is not a valid name for an anonymous individual", token=token)

    def datatype(self) -> NamedNode:
        if not self.at_name():
            self.fail("a datatype")
        return self.resolve_datatype(self.advance())

    def resolve_datatype(self, token: Token) -> NamedNode:
        return _SHORT_DATATYPES.get(token.text) or self.resolve(token)

    def resolve(self, token: Token) -> NamedNode:
        """The IRI that a name stands for."""
        if token.text not in self._resolved:
            iri = token.text[1:-1] if token.kind == "iri" else self._expand(token)
            try:
                self._resolved[token.text] = NamedNode(iri)
            except ValueError as error:
                self.refuse(f"<{iri}> is not a valid absolute IRI: {error}", token=token)
        return self._resolved[token.text]

    def _expand(self, token: Token) -> str:
        if token.text.startswith("'"):
            self.refuse(f"expected an IRI, found the label {token.text}", token=token)
        prefix, colon, local = token.text.partition(":")
        if not colon:
            prefix, local = "", token.text
        namespace = self.prefixes.get(prefix, STANDARD_PREFIXES.get(prefix))
        if namespace is None:
            known = [*KEYWORDS, *(f"{known}:" for known in self.prefixes | STANDARD_PREFIXES)]
            hint = _suggestion(f"{prefix}:", known) if prefix else None
            self.refuse(f"the prefix '{prefix}:' of '{token.text}' is not declared", hint=hint, token=token)
        return namespace + local

    # Kinds of names

    def declare(self, name: NamedNode, kind: str) -> None:
        self._kinds.setdefault(name, set()).add(kind)

    def is_declared(self, name: object, kind: str) -> bool:
        return isinstance(name, NamedNode) and kind in self._kinds.get(name, ())

    def is_datatype(self, token: Token) -> bool:
        """Whether a name is a built-in or declared datatype, and not a class."""
        if token.kind not in ("word", "iri") or token.text in RESERVED:
            return False
        if token.text in _SHORT_DATATYPES:
            return "" not in self.prefixes or not self.is_declared(self.resolve(token), "Class")
        name = self.resolve(token)
        if self.is_declared(name, "Class"):
            return False
        built_in = name.value.startswith(XSD.iri) or name in _OTHER_DATATYPES
        return built_in or self.is_declared(name, "Datatype")

    # Literals

    def is_literal(self, token: Token) -> bool:
        return token.kind in ("string", "integer", "decimal", "float") or token.text in _BOOLEANS

    def literal(self) -> Literal:
        token = self.token
        if not self.is_literal(token):
            self.fail("a literal")
        self.advance()
        try:
            match token.kind:
                case "string":
                    return self._string(token)
                case "float":
                    return Literal(token.text[:-1], datatype=XSD.float)
                case "integer" | "decimal":
                    return Literal(token.text, datatype=XSD[token.kind])
                case _:
                    return Literal(token.text, datatype=XSD.boolean)
        except ValueError as error:
            self.refuse(f"not a valid literal: {error}", token=token)

    def _string(self, token: Token) -> Literal:
        # As in OWLAPI, a backslash before any other character is literal: regular expressions are full of them.
        lexical = _ESCAPED.sub(r"\1", token.text[1:-1])
        language = self.advance().text[1:] if self.token.kind == "tag" else None
        datatype = self.datatype() if not language and self.accept("^^") else None
        return literal(lexical, language=language, datatype=datatype)

    def cardinality(self) -> int:
        if self.token.kind != "integer" or self.token.text[0] in "+-" or len(self.token.text) > _MOST_DIGITS:
            self.fail(f"a cardinality (a non-negative integer with at most {_MOST_DIGITS} digits)")
        return int(self.advance().text)


def _suggestion(word: str, candidates: Iterable[str]) -> str | None:
    return did_you_mean(word, candidates) if len(word) <= _LONGEST_FOUND else None
