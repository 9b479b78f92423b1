"""OWL functional syntax: text to axiom trees, and back.

One regular expression splits the text into tokens. One loop with an explicit stack builds the trees, so that nesting
does not use Python's call stack. Positions are computed only for error messages.

The other OWL syntaxes build the same trees: they share the prefixes, literals and ontology document defined here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias, cast

from pyoxigraph import BaseDirection

from kgprobe.errors import InputError, Position
from kgprobe.owl.expression import Argument, Expression, OntologyDocument, inner, name
from kgprobe.owl.grammar import DEEPEST, HEADS, ONTOLOGY, kind_of, suggestion, usage
from kgprobe.rdf.spelling import STANDARD_PREFIXES
from kgprobe.rdf.terms import RDF, XSD, BlankNode, Literal, NamedNode, Term

__all__ = ["render"]

LONGEST_NUMBER = 1000
"""The most digits of a cardinality; Python refuses to parse much longer numbers."""
# The characters of a name after its first letter; \w lacks the combining marks of SPARQL's PN_CHARS.
_MORE = r"\w\-\u00b7\u0300-\u036f\u203f\u2040"
_PREFIX = rf"(?:[^\W\d_](?:[{_MORE}.]*[{_MORE}])?)?:"
_ABBREVIATED = rf"{_PREFIX}[{_MORE}.:%]*"
_GAP = r"(?>(?:\s|\#[^\n]*\n)*)"  # includes comments; atomic, to rule out backtracking
_FULL = r"<[^<>\n]*>"
# A construct's name and its bracket are one token, as are a literal and its type: half as many tokens, twice as fast.
_TOKEN = re.compile(
    rf"""
      (?P<prefix> Prefix{_GAP}\({_GAP}(?P<prefix_name>{_PREFIX})\s*=\s*(?P<prefix_iri>{_FULL}){_GAP}\) )
    | (?P<open>   (?:(?P<head>[A-Za-z]+){_GAP})?\( )
    | (?P<close>  \) )
    | (?P<iri>    {_FULL} | {_ABBREVIATED} )
    | (?P<blank>  _:(?P<label>[{_MORE}.:]*) )
    | (?P<string> "(?P<text>[^"\\]*(?:\\["\\][^"\\]*)*)"
                  (?:\s*@(?P<language>[A-Za-z0-9\-]+) | \s*\^\^\s*(?P<datatype>{_FULL}|{_ABBREVIATED}))? )
    | (?P<number> \d+(?![{_MORE}:]) )
    | (?P<comment> \#[^\n]* | \A\ufeff )
    | (?P<other>  \S )
    """,
    re.VERBOSE,
)
# An expression may be inside the file, the ontology, a rule and its body.
_DEEPEST = DEEPEST + 4
_Piece: TypeAlias = "str | Argument"
# Narrower than the grammar allows, so that every reader of functional syntax agrees on where a name ends.
_PREFIX_NAME = re.compile(r"(?:[A-Za-z][A-Za-z0-9_\-]*)?")
_LOCAL_NAME = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_\-]*)?")


def expanded(abbreviated: str, prefixes: dict[str, str]) -> str | None:
    """The full IRI of `prefix:local`, or None if the prefix is not declared."""
    prefix, _, local = abbreviated.partition(":")
    namespace = prefixes.get(prefix, STANDARD_PREFIXES.get(prefix))
    return None if namespace is None else namespace + local


def bound_otherwise(prefix: str, namespace: str, prefixes: dict[str, str]) -> str | None:
    """The namespace that a prefix is already bound to, if it is not `namespace`."""
    before = prefixes.get(prefix, STANDARD_PREFIXES.get(prefix, namespace))
    return None if before == namespace else before


def literal(text: str, *, language: str | None, datatype: NamedNode | None) -> Literal:
    """A literal with its lexical form unchanged; ValueError if `language` is not a language tag.

    OWL may write a string with a language as an rdf:PlainLiteral, RDF must not: "hi@en"^^rdf:PlainLiteral is "hi"@en.
    """
    if language:
        tag, _, direction = language.partition("--")
        if direction:  # from RDF 1.2; OWL syntaxes do not have it, but graphs can
            return Literal(text, language=tag, direction=BaseDirection(direction))
        return Literal(text, language=tag)
    if datatype == RDF.PlainLiteral and "@" in text:
        text, _, tag = text.rpartition("@")
        return Literal(text, language=tag) if tag else Literal(text)
    return Literal(text, datatype=datatype) if datatype is not None else Literal(text)


def document_of(ontology: Expression, prefixes: dict[str, str]) -> OntologyDocument:
    """The document for an `Ontology(…)` tree whose arguments have been checked."""
    names = [argument for argument in ontology.args[:2] if type(argument) is NamedNode]
    parts = [inner(argument) for argument in ontology.args[len(names) :]]
    return OntologyDocument(
        iri=names[0] if names else None,
        version=names[1] if len(names) > 1 else None,
        imports=tuple(name(part.args[0]) for part in parts if part.head == "Import"),
        annotations=tuple(part for part in parts if part.head == "Annotation"),
        axioms=tuple(part for part in parts if part.head not in ("Import", "Annotation")),
        prefixes=prefixes,
    )


@dataclass(slots=True)
class _Frame:
    """An open bracket: the construct, its arguments so far, and a letter for each (see `grammar`)."""

    head: str
    opened: re.Match[str] | None
    arguments: list[Argument]
    letters: list[str] = field(default_factory=list)


def parse(text: str, name: str) -> OntologyDocument:
    """The ontology in `text`; error messages call the text `name`.

    Raises InputError, with line and column, where the text is not functional syntax.
    """
    return _Reader(text, name).document()


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._prefixes: dict[str, str] = {}
        self._iris: dict[str, NamedNode] = {}

    def document(self) -> OntologyDocument:
        outermost = _Frame("", None, [])
        stack = [outermost]
        arguments, letters = outermost.arguments, outermost.letters
        known_iris = self._iris
        for token in _TOKEN.finditer(self._text):
            kind = token.lastgroup
            if kind == "iri":
                iri = known_iris.get(token[0])
                arguments.append(iri if iri is not None else self._iri(token, "iri"))
                letters.append("I")
            elif kind == "open":
                frame = self._opened(token, stack)
                stack.append(frame)
                arguments, letters = frame.arguments, frame.letters
            elif kind == "close":
                made, letter = self._closed(token, stack)
                arguments, letters = stack[-1].arguments, stack[-1].letters
                arguments.append(made)
                letters.append(letter)
            elif kind != "comment":
                self._rarer(token, stack)
        if len(stack) > 1:
            opened = cast("re.Match[str]", stack[-1].opened)
            self._fail(f"the file ends inside '{stack[-1].head}(', whose bracket is never closed", opened.start())
        if letters != [ONTOLOGY]:
            self._no_ontology()
        return document_of(inner(outermost.arguments[0]), self._prefixes)

    def _opened(self, token: re.Match[str], stack: list[_Frame]) -> _Frame:
        head = token["head"] or ""
        if len(stack) > _DEEPEST:
            self._fail(f"nested more than {DEEPEST} levels deep", token.start())
        parent = stack[-1]
        if head and head not in HEADS:
            if head == "Prefix":
                self._fail("expected a prefix declaration such as Prefix(ex:=<http://example.org/>)", token.start())
            what = "axiom" if parent.head == "Ontology" else "construct"
            self._fail(f"unknown {what} '{head}'", token.start(), suggestion(head))
        if (len(stack) == 1) != (head == "Ontology") or (not head and parent.head != "HasKey"):
            expected = "'Ontology('" if len(stack) == 1 else "an argument"
            self._fail(f"expected {expected}, found '{head}('", token.start())
        if len(stack) == 1 and ONTOLOGY in parent.letters:
            self._fail("expected the end of the file, found a second ontology", token.start())
        return _Frame(head, token, [])

    def _closed(self, token: re.Match[str], stack: list[_Frame]) -> tuple[Expression, str]:
        if len(stack) == 1:
            self._fail("found ')' without a '(' before it", token.start())
        frame = stack.pop()
        letters = "".join(frame.letters)
        letter = kind_of(frame.head, letters)
        if letter is None:
            opened = cast("re.Match[str]", frame.opened)
            self._fail(usage(frame.head, letters), opened.start())
        return Expression(frame.head, *frame.arguments), letter

    def _rarer(self, token: re.Match[str], stack: list[_Frame]) -> None:
        """Handle a token that is neither a bracket nor an IRI."""
        kind = token.lastgroup
        frame = stack[-1]
        if kind == "string":
            frame.arguments.append(self._literal(token))
            frame.letters.append("L")
        elif kind == "blank":
            try:
                frame.arguments.append(BlankNode(token["label"]))
            except ValueError:
                self._fail(f"'{token[0]}' is not a valid name for an anonymous individual", token.start())
            frame.letters.append("B")
        elif kind == "number":
            if len(token[0]) > LONGEST_NUMBER:
                self._fail(f"a number of {len(token[0])} digits is too long", token.start())
            frame.arguments.append(int(token[0]))
            frame.letters.append("N")
        elif kind == "prefix":
            self._declare(token, stack)
        else:
            self._unexpected(token)

    def _declare(self, token: re.Match[str], stack: list[_Frame]) -> None:
        if len(stack) > 1 or stack[0].arguments:
            self._fail("a prefix must be declared before the ontology", token.start())
        prefix, namespace = token["prefix_name"][:-1], token["prefix_iri"][1:-1]
        before = bound_otherwise(prefix, namespace, self._prefixes)
        if before is not None:
            self._fail(f"the prefix '{prefix}:' already stands for <{before}>", token.start())
        self._prefixes[prefix] = namespace

    def _literal(self, token: re.Match[str]) -> Literal:
        text = token["text"]
        if "\\" in text:
            text = re.sub(r"\\(.)", r"\1", text)
        datatype = self._iri(token, "datatype") if token["datatype"] else None
        try:
            return literal(text, language=token["language"], datatype=datatype)
        except ValueError as problem:
            self._fail(f"not a literal: {problem}", token.start())

    def _iri(self, token: re.Match[str], group: str) -> NamedNode:
        written = token[group]
        known = self._iris.get(written)
        if known is not None:
            return known
        full = written[1:-1] if written[0] == "<" else expanded(written, self._prefixes)
        if full is None:
            prefix = written.partition(":")[0]
            self._fail(f"the prefix '{prefix}:' is not declared", token.start(group))
        try:
            iri = NamedNode(full)
        except ValueError as problem:
            self._fail(f"<{full}> is not an IRI: {problem}", token.start(group))
        self._iris[written] = iri
        return iri

    def _no_ontology(self) -> NoReturn:
        """Report the token before, after or in place of the ontology."""
        depth = 0
        for token in _TOKEN.finditer(self._text):
            kind = token.lastgroup
            depth += (kind == "open") - (kind == "close")
            if depth == 0 and kind not in ("close", "comment", "prefix"):
                self._fail(f"expected one 'Ontology(…)' and nothing else, found '{token[0]}'", token.start())
        self._fail("expected 'Ontology(', found the end of the file", len(self._text))

    def _unexpected(self, token: re.Match[str]) -> NoReturn:
        shown = token[0]
        if shown == '"':
            self._fail('a string that is never closed, or with an escape other than \\" and \\\\', token.start())
        if shown == "<":
            self._fail("an IRI that is never closed", token.start())
        word = re.compile(r"[^\s()<>\"]+").match(self._text, token.start())
        self._fail(f"expected an argument or ')', found '{word[0] if word else shown}'", token.start())

    def _fail(self, message: str, offset: int, hint: str | None = None) -> NoReturn:
        line = self._text.count("\n", 0, offset) + 1
        column = offset - self._text.rfind("\n", 0, offset)
        raise InputError(message, where=Position(self._name, line, column), hint=hint)


def render(document: OntologyDocument) -> Iterator[str]:
    """The lines of the document in functional syntax, each with its line end."""
    prefixes = {prefix: iri for prefix, iri in document.prefixes.items() if _can_declare(prefix, iri)}
    terms = _Terms(prefixes)
    for prefix, iri in prefixes.items():
        yield f"Prefix({prefix}:=<{iri}>)\n"
    names = [iri for iri in (document.iri, document.version) if iri is not None]
    yield "Ontology(" + " ".join(f"<{iri.value}>" for iri in names) + "\n"
    for imported in document.imports:
        yield f"Import(<{imported.value}>)\n"
    for tree in (*document.annotations, *document.axioms):
        yield _text(tree, terms) + "\n"
    yield ")\n"


def _can_declare(name: str, iri: str) -> bool:
    if _PREFIX_NAME.fullmatch(name) is None or STANDARD_PREFIXES.get(name, iri) != iri:
        return False
    return re.fullmatch(r"[^<>\n]*", iri) is not None


def _text(tree: Expression, terms: _Terms) -> str:
    """The text of a tree, built with a stack instead of recursion; pieces of type str are finished text."""
    text: list[str] = []
    pieces: list[_Piece] = [tree]
    while pieces:
        piece = pieces.pop()
        if type(piece) is Expression:
            pieces.append(")")
            arguments = piece.args
            for argument in arguments[:0:-1]:
                pieces += (argument, " ")
            pieces += arguments[:1]
            text.append(f"{piece.head}(")
        elif isinstance(piece, str):
            text.append(piece)
        elif isinstance(piece, int):
            text.append(str(piece))
        else:
            text.append(terms.text(piece))
    return "".join(text)


class _Terms:
    """Writes terms with the prefixes of one document, and caches the text of each IRI."""

    def __init__(self, prefixes: dict[str, str]) -> None:
        self._names = {namespace: f"{name}:" for name, namespace in reversed(prefixes.items())}
        self._lengths = sorted({len(namespace) for namespace in self._names}, reverse=True)
        self._written: dict[NamedNode, str] = {}

    def text(self, term: Term) -> str:
        if isinstance(term, NamedNode):
            known = self._written.get(term)
            if known is None:
                known = self._written[term] = self._iri(term.value)
            return known
        if isinstance(term, BlankNode):
            return f"_:{term.value}"
        return self._literal(term)

    def _iri(self, iri: str) -> str:
        for length in self._lengths:
            prefix = self._names.get(iri[:length])
            if prefix is not None and _LOCAL_NAME.fullmatch(iri, length):
                return prefix + iri[length:]
        return f"<{iri}>"

    def _literal(self, value: Literal) -> str:
        quoted = '"' + value.value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if value.language is not None:
            direction = f"--{value.direction.value}" if value.direction is not None else ""
            return f"{quoted}@{value.language}{direction}"
        return quoted if value.datatype == XSD.string else f"{quoted}^^{self.text(value.datatype)}"
