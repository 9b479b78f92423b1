"""Reads a Manchester syntax document token by token: names, literals, and what to say when something else is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final, NoReturn

from kgprobe.errors import InputError, nearest
from kgprobe.graph.formats.manchester.tokens import KEYWORDS, RESERVED, Token, position, tokenize
from kgprobe.graph.formats.owl_terms import STANDARD_PREFIXES, literal
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Subject

__all__ = ["MAX_DEPTH", "Reader"]

# Deeper than any person or tool writes, and shallow enough that recursion over the tree stays safe.
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
# "true" and "false" without quotes are beyond the specification, but it is how OWLAPI writes booleans.
_BOOLEANS: Final = frozenset(["true", "false"])
_ESCAPED: Final = re.compile(r'\\(["\\])')
_LONGEST_FOUND: Final = 60
_MOST_DIGITS: Final = 18


class Reader:
    """A cursor over the tokens of one document, with its prefixes and with what it declares each name to be."""

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
        """The token `count` places further; past the end, the end."""
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
        """One level deeper; every call is answered by `leave`, or the document is refused."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self.refuse(f"nested more than {MAX_DEPTH} levels deep")

    def leave(self) -> None:
        self._depth -= 1

    def fail(self, expected: str, candidates: Iterable[str] = ()) -> NoReturn:
        """Refuses the document for its current token; `candidates` are what a misspelt word may have meant."""
        token = self.token
        if token.kind == "end":
            self.refuse(f"expected {expected}, found the end of the file")
        found = token.text if len(token.text) <= _LONGEST_FOUND else token.text[:_LONGEST_FOUND] + "…"
        hint = _suggestion(token.text, candidates) if token.kind == "word" else None
        self.refuse(f"expected {expected}, found {found}", hint=hint)

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
        """A full, abbreviated or simple IRI; `what` says in an error what it was to name."""
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

    # What names are

    def declare(self, name: NamedNode, kind: str) -> None:
        self._kinds.setdefault(name, set()).add(kind)

    def is_declared(self, name: object, kind: str) -> bool:
        return isinstance(name, NamedNode) and kind in self._kinds.get(name, ())

    def is_datatype(self, token: Token) -> bool:
        """Whether a name is a datatype and not a class: built in, or declared."""
        if token.kind not in ("word", "iri"):
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
        # Before any other character a backslash stands for itself, as OWLAPI has it: patterns are full of them.
        lexical = _ESCAPED.sub(r"\1", token.text[1:-1])
        language = self.advance().text[1:] if self.token.kind == "tag" else None
        datatype = self.datatype() if not language and self.accept("^^") else None
        return literal(lexical, language=language, datatype=datatype)

    def cardinality(self) -> int:
        if self.token.kind != "integer" or self.token.text[0] in "+-" or len(self.token.text) > _MOST_DIGITS:
            self.fail(f"a cardinality, which is a number from 0, with at most {_MOST_DIGITS} digits")
        return int(self.advance().text)


def _suggestion(word: str, candidates: Iterable[str]) -> str | None:
    meant = nearest(word, candidates) if len(word) <= _LONGEST_FOUND else None
    return f"did you mean '{meant}'?" if meant else None
