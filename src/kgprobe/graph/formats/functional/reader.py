"""OWL functional syntax: text to axiom trees.

One regular expression cuts the text into tokens, and one loop with a stack of its own builds the trees, so that no
nesting reaches Python's stack. Positions are worked out only when there is an error to report.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn, cast

from kgprobe.errors import InputError, Position
from kgprobe.graph.axioms.expression import Argument, Expression, OntologyDocument, inner
from kgprobe.graph.axioms.grammar import DEEPEST, HEADS, ONTOLOGY, kind_of, suggestion, usage
from kgprobe.graph.formats.owl_terms import LONGEST_NUMBER, bound_otherwise, document_of, expanded, literal
from kgprobe.graph.terms import BlankNode, Literal, NamedNode

__all__ = ["parse"]


# A letter, then what names may contain; the combining marks of SPARQL's PN_CHARS are not in \w.
_MORE = r"\w\-\u00b7\u0300-\u036f\u203f\u2040"
_PREFIX = rf"(?:[^\W\d_](?:[{_MORE}.]*[{_MORE}])?)?:"
_ABBREVIATED = rf"{_PREFIX}[{_MORE}.:%]*"
_GAP = r"(?:\s|\#[^\n]*\n)*+"  # also comments; possessive, so that no text makes it try twice
_FULL = r"<[^<>\n]*>"

# A construct's name comes with its bracket and a literal with its type: half as many tokens, twice as fast.
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

# The file itself, the ontology, a rule and its body: what can be around an expression.
_DEEPEST = DEEPEST + 4


@dataclass(slots=True)
class _Frame:
    """A bracket that is still open: the construct, its arguments, and a letter for each (see `grammar`)."""

    head: str
    opened: re.Match[str] | None
    arguments: list[Argument]
    letters: list[str] = field(default_factory=list)


def parse(text: str, name: str) -> OntologyDocument:
    """The ontology that `text` states; `name` is how messages call the text.

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
        """All tokens but brackets and IRIs."""
        kind = token.lastgroup
        frame = stack[-1]
        if kind == "string":
            frame.arguments.append(self._literal(token))
            frame.letters.append("L")
        elif kind == "blank":
            try:
                frame.arguments.append(BlankNode(token["label"]))
            except ValueError:
                self._fail(f"'{token[0]}' is not a name of an anonymous individual", token.start())
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
        """Reports what stands before, after or instead of the ontology."""
        depth = 0
        for token in _TOKEN.finditer(self._text):
            kind = token.lastgroup
            depth += (kind == "open") - (kind == "close")
            if depth == 0 and kind not in ("close", "comment", "prefix"):
                self._fail(f"expected one 'Ontology(…)' and nothing else, found '{token[0]}'", token.start())
        self._fail("expected 'Ontology(', found the end of the file", len(self._text))

    def _unexpected(self, token: re.Match[str]) -> NoReturn:
        found = token[0]
        if found == '"':
            self._fail('a string that is never closed, or with an escape other than \\" and \\\\', token.start())
        if found == "<":
            self._fail("an IRI that is never closed", token.start())
        word = re.compile(r"[^\s()<>\"]+").match(self._text, token.start())
        self._fail(f"expected an argument or ')', found '{word[0] if word else found}'", token.start())

    def _fail(self, message: str, offset: int, hint: str | None = None) -> NoReturn:
        line = self._text.count("\n", 0, offset) + 1
        column = offset - self._text.rfind("\n", 0, offset)
        raise InputError(message, where=Position(self._name, line, column), hint=hint)
