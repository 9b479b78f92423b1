"""Rewrites a query so that it works on stores that have stand-ins for some literals.

Terms that are only matched, joined, counted, grouped or passed on may stay stand-ins: each stands for one literal.
Where a value is needed, as in `?x + 1`, `?x < ?y` or `ORDER BY ?x`, a function returns the literal itself. Where the
form of a literal is needed, in STR, DATATYPE and STRDT, our function replaces SPARQL's. So every expression can be
written in two ways: as a term, which may be a stand-in, and as a value, which is not.

This module does not check that a text is a query: pyoxigraph has parsed it before. It does not use `tokens`, because
only the grammar decides whether `<` begins an IRI or compares, and whether `?` begins a variable or follows a path.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kgprobe.rdf.terms import XSD, Literal, NamedNode
from kgprobe.sparql.engine.pyoxigraph import unescaped
from kgprobe.sparql.engine.stand_ins import stand_in
from kgprobe.sparql.tokens import NAME_CHARACTERS

__all__ = ["FUNCTIONS", "NotUnderstoodError", "Rewritten", "rewritten"]

FUNCTIONS = "urn:kgprobe:sparql:"
"""The namespace of our functions and aggregates."""

_GAP = re.compile(r"(?>(?:\s+|\#[^\n\r]*)*)")
_IRI = re.compile(r'<(?>[^<>"{}|^`\\\x00-\x20]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*>')
_NAME_START = r"[^\W\d_]"
_LOCAL = (
    rf"(?:[\w:]|%[0-9A-Fa-f]{{2}}|\\.)"
    rf"(?:(?:[{NAME_CHARACTERS}:\-]|%[0-9A-Fa-f]{{2}}|\\.)|\.(?=[{NAME_CHARACTERS}:.\-%\\]))*"
)
_PREFIXED = re.compile(rf"(?:{_NAME_START}(?:[{NAME_CHARACTERS}\-]|\.(?=[{NAME_CHARACTERS}\-.]*:))*)?:(?:{_LOCAL})?")
_BLANK = re.compile(rf"_:\w(?:[{NAME_CHARACTERS}\-]|\.(?=[{NAME_CHARACTERS}.\-]))*")
_VARIABLE = re.compile(rf"[?$][{NAME_CHARACTERS}]+")
_STRING = re.compile(
    r'"""(?>(?:[^"\\]|\\.|"(?!""))*)"""|\'\'\'(?>(?:[^\'\\]|\\.|\'(?!\'\'))*)\'\'\''
    r'|"(?>(?:[^"\\\n\r]|\\.)*)"|\'(?>(?:[^\'\\\n\r]|\\.)*)\'',
    re.DOTALL,
)
_TAG = re.compile(r"@[A-Za-z]+(?:-[A-Za-z0-9]+)*(?:--[A-Za-z]+)?")
_NUMBER = re.compile(r"[+-]?(?:(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)[eE][+-]?[0-9]+|[0-9]*\.[0-9]+|[0-9]+)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_OPERATOR = re.compile(r"\|\||&&|!=|<=|>=|[=<>+\-*/]")
_BRACKET = re.compile("[()]")
_BEFORE_STEP, _BEHIND_STEP, _BETWEEN_STEPS = map(re.compile, (r"[\^!]", r"[*+]|\?(?!\w)", r"[/|]"))
_BEFORE_OPERAND = re.compile(r"!(?!=)|[+-](?![0-9.])")
_BOOLEANS = frozenset(("TRUE", "FALSE"))
_MODIFIERS = frozenset(("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES"))
_GROWING = frozenset(("CONCAT", "REPLACE", "GROUP_CONCAT"))
_AGGREGATES = frozenset(("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"))


class NotUnderstoodError(Exception):
    """The query uses a feature beyond SPARQL 1.1."""


@dataclass(frozen=True)
class Rewritten:
    """A query for stores with stand-ins.

    `is_needed` says that the original does not work even for a store without stand-ins: it names a literal that a store
    would rewrite, or creates literals. `functions` are the names of the functions that the query calls. If
    `is_bounded`, answering the query on a graph of n triples takes at most about n to the power of `patterns` steps.
    Closures of paths, and texts that grow with every call, have no such bound. `growth` is how many times longer than
    the texts in the graph and in the query a text can get.
    """

    text: str
    is_needed: bool
    functions: tuple[str, ...]
    patterns: int
    is_bounded: bool
    growth: float

    @property
    def looks_at_values(self) -> bool:
        """Whether the query does more with literals than match them. If not, the original works for all stores."""
        return FUNCTIONS in self.text


@dataclass(frozen=True)
class _Written:
    """An expression as a term, which may be a stand-in, and as a value."""

    term: str
    value: str


def rewritten(text: str, prefixes: Mapping[str, str]) -> Rewritten:
    """The query for stores with stand-ins. `prefixes` apply unless the text declares its own."""
    rewriter = _Rewriter(text, prefixes)
    made = rewriter.query()
    functions = tuple(dict.fromkeys(rewriter.functions))
    return Rewritten(made, rewriter.is_needed, functions, rewriter.patterns, rewriter.is_bounded, rewriter.growth)


def _call(name: str, *arguments: str) -> str:
    return f"<{FUNCTIONS}{name}>({', '.join(arguments)})"


def _same(text: str) -> _Written:
    return _Written(text, text)


class _Rewriter:
    def __init__(self, text: str, prefixes: Mapping[str, str]) -> None:
        self._text = text
        self._at = 0
        self._prefixes = dict(prefixes)
        self.is_needed = False
        self.functions: list[str] = []
        self.patterns = 0
        self.is_bounded = True
        self.growth = 1.0

    # -- reading -------------------------------------------------------------------------------------------------

    def _gap(self) -> str:
        """White space and comments. A comment becomes a line break, because the next token may end up on its line."""
        found = _GAP.match(self._text, self._at)
        assert found is not None  # noqa: S101 - it also matches the empty text
        self._at = found.end()
        return "\n" if "\n" in found[0] or "\r" in found[0] else " "

    def _sees(self, sign: str) -> bool:
        self._gap()
        return self._text.startswith(sign, self._at)

    def _word(self) -> str:
        """The next keyword, in upper case. The beginning of a prefixed name is not a keyword."""
        self._gap()
        found = _WORD.match(self._text, self._at)
        return "" if found is None or _PREFIXED.match(self._text, self._at) else found[0].upper()

    def _take(self, sign: str) -> str:
        self._gap()
        if self._text[self._at : self._at + len(sign)].upper() != sign:
            raise NotUnderstoodError
        self._at += len(sign)
        return f" {sign}"

    def _match(self, pattern: re.Pattern[str]) -> str | None:
        self._gap()
        found = pattern.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found[0]

    def _needed(self, pattern: re.Pattern[str]) -> str:
        found = self._match(pattern)
        if found is None:
            raise NotUnderstoodError
        return found

    def _name(self) -> str | None:
        """An IRI, in full or by its prefix."""
        return self._match(_IRI) or self._match(_PREFIXED)

    def _needed_name(self) -> str:
        found = self._name()
        if found is None:
            raise NotUnderstoodError
        return found

    def _full(self, name: str) -> str:
        """The IRI that a name stands for."""
        if name.startswith("<"):
            return unescaped(name[1:-1])
        prefix, _, local = name.partition(":")
        if prefix not in self._prefixes:
            raise NotUnderstoodError
        return self._prefixes[prefix] + re.sub(r"\\(.)", r"\1", local)

    # -- the query -----------------------------------------------------------------------------------------------

    def query(self) -> str:
        written = self._prologue() + self._form()
        self._gap()
        if self._at < len(self._text):
            raise NotUnderstoodError
        return written

    def _prologue(self) -> str:
        written = ""
        while (word := self._word()) in ("PREFIX", "BASE", "VERSION"):
            written += self._take(word)
            if word == "PREFIX":
                prefix = self._needed(_PREFIXED)
                iri = self._needed(_IRI)
                self._prefixes[prefix[:-1]] = unescaped(iri[1:-1])
                written += f" {prefix} {iri}\n"
            else:
                written += f" {self._match(_IRI) or self._needed(_STRING)}\n"
        return written

    def _form(self) -> str:
        match self._word():
            case "SELECT":
                return self._select()
            case "ASK":
                return self._take("ASK") + self._dataset() + self._where() + self._modifiers()
            case "CONSTRUCT":
                written = self._take("CONSTRUCT")
                if self._sees("{"):
                    written += self._group()
                return written + self._dataset() + self._where() + self._modifiers()
            case "DESCRIBE":
                written = self._take("DESCRIBE")
                while found := self._described():
                    written += f" {found}"
                written += self._dataset()
                has_pattern = self._word() == "WHERE" or self._sees("{")
                return written + (self._where() if has_pattern else "") + self._modifiers()
        raise NotUnderstoodError

    def _described(self) -> str | None:
        if self._sees("*"):
            return self._take("*")
        return self._match(_VARIABLE) or (None if self._word() else self._name())

    def _dataset(self) -> str:
        written = ""
        while self._word() == "FROM":
            written += self._take("FROM")
            if self._word() == "NAMED":
                written += self._take("NAMED")
            written += f" {self._needed_name()}"
        return written

    def _where(self) -> str:
        written = self._take("WHERE") if self._word() == "WHERE" else ""
        return written + self._group()

    def _select(self) -> str:
        written = self._take("SELECT")
        if (word := self._word()) in ("DISTINCT", "REDUCED"):
            written += self._take(word)
        if self._sees("*"):
            written += self._take("*")
        while True:
            if self._sees("("):
                written += self._renamed()
            elif (variable := self._match(_VARIABLE)) is not None:
                written += f" {variable}"
            else:
                break
        return written + self._dataset() + self._where() + self._modifiers()

    def _renamed(self) -> str:
        """`(expression AS ?variable)`; in GROUP BY, the variable is optional."""
        self._take("(")
        written = self._expression().term
        if self._word() == "AS":
            self._take("AS")
            written += f" AS {self._needed(_VARIABLE)}"
        return f" ({written}{self._take(')')}"

    def _modifiers(self) -> str:
        written = ""
        while (word := self._word()) in _MODIFIERS:
            written += self._take(word)
            match word:
                case "GROUP":
                    written += self._take("BY") + self._conditions(self._grouping)
                case "HAVING":
                    written += self._conditions(self._constraint)
                case "ORDER":
                    written += self._take("BY") + self._conditions(self._ordering)
                case "VALUES":
                    written += self._data()
                case _:
                    written += f" {self._needed(_NUMBER)}"
        return written

    def _conditions(self, read: Callable[[], str]) -> str:
        written = ""
        while not self._sees("}") and self._at < len(self._text) and self._word() not in _MODIFIERS:
            written += read()
        return written

    def _grouping(self) -> str:
        if (variable := self._match(_VARIABLE)) is not None:
            return f" {variable}"
        return self._renamed() if self._sees("(") else f" ({self._primary().term})"

    def _ordering(self) -> str:
        direction = self._take(word) if (word := self._word()) in ("ASC", "DESC") else " ASC"
        return f"{direction}({self._primary().value})"

    def _constraint(self) -> str:
        return f" ({self._primary().value})"

    # -- patterns ------------------------------------------------------------------------------------------------

    def _group(self) -> str:
        written = self._take("{")
        if self._word() == "SELECT":
            return written + self._select() + self._take("}")
        while not self._sees("}"):
            written += self._element()
        return written + self._take("}")

    def _element(self) -> str:
        if self._sees("{"):
            return self._group()
        if self._sees("."):
            return self._take(".")
        word = self._word()
        match word:
            case "UNION" | "OPTIONAL" | "MINUS" | "LATERAL":
                return self._take(word)
            case "GRAPH" | "SERVICE":
                silent = self._take(word) + (self._take("SILENT") if self._word() == "SILENT" else "")
                return f"{silent} {self._match(_VARIABLE) or self._needed_name()}"
            case "FILTER":
                return self._take(word) + self._constraint()
            case "BIND":
                return self._take(word) + self._renamed()
            case "VALUES":
                return self._take(word) + self._data()
        return self._triples()

    def _data(self) -> str:
        written = ""
        self.patterns += 1
        while not self._sees("{"):
            written += f" {self._match(_VARIABLE) or self._match(_BRACKET) or self._needed(_WORD)}"
        written += self._take("{")
        while not self._sees("}"):
            if (bracket := self._match(_BRACKET)) is not None:
                written += f" {bracket}"
            elif self._word() == "UNDEF":
                written += self._take("UNDEF")
            else:
                written += f" {self._constant(may_call=False).term}"
        return written + self._take("}")

    def _triples(self) -> str:
        has_properties = self._sees("[") or self._sees("(")
        written = self._node()
        return written if has_properties and self._ends() else written + self._properties()

    def _ends(self) -> bool:
        """Whether the next token is not a property."""
        return any(map(self._sees, ".}]{")) or self._word() not in ("", "A")

    def _properties(self) -> str:
        written = ""
        while True:
            self.patterns += 1
            written += self._verb() + self._node()
            while self._sees(","):
                self.patterns += 1
                written += self._take(",") + self._node()
            while self._sees(";"):
                written += self._take(";")
            if not written.endswith(";") or self._ends():
                return written

    def _node(self) -> str:
        if self._sees("<<") or self._sees("{|") or self._sees("~"):
            raise NotUnderstoodError  # triples about triples, which our graphs do not have
        if self._sees("["):
            written = self._take("[")
            return written + ("" if self._sees("]") else self._properties()) + self._take("]")
        if self._sees("("):
            written = self._take("(")
            while not self._sees(")"):
                self.patterns += 2
                written += self._node()
            return written + self._take(")")
        plain = self._match(_VARIABLE) or self._match(_BLANK)
        return f" {plain or self._constant(may_call=False).term}"

    def _verb(self) -> str:
        variable = self._match(_VARIABLE)
        return f" {variable}" if variable is not None else self._path()

    def _path(self) -> str:
        """A whole path. Each step may be followed by a sign that continues it."""
        written = ""
        while True:
            while (sign := self._match(_BEFORE_STEP)) is not None:
                written += f" {sign}"
            if self._sees("("):
                written += self._take("(") + ("" if self._sees(")") else self._path()) + self._take(")")
            elif self._word() == "A":
                written += f" {self._needed(_WORD)}"
            else:
                written += f" {self._needed_name()}"
            while (sign := self._match(_BEHIND_STEP)) is not None:
                self.is_bounded = False
                written += sign
            sign = self._match(_BETWEEN_STEPS)
            if sign is None:
                return written
            self.patterns += 1
            written += sign

    # -- expressions ---------------------------------------------------------------------------------------------

    def _expression(self) -> _Written:
        """An expression with operators is a value. One without operators is the same as its only part."""
        parts: list[str] = []
        while True:
            signs = ""
            while (sign := self._match(_BEFORE_OPERAND)) is not None:
                signs += sign
            part = self._primary()
            parts.append(signs + part.value)
            if (word := self._word()) in ("IN", "NOT"):
                negated = self._take("NOT") if word == "NOT" else ""
                parts.append(f"{negated}{self._take('IN')} ({', '.join(each.value for each in self._arguments())})")
            operator = self._match(_OPERATOR)
            if operator is None:
                return _same(" ".join(parts)) if len(parts) > 1 or signs else part
            parts.append(operator)

    def _arguments(self) -> list[_Written]:
        self._take("(")
        found: list[_Written] = []
        while not self._sees(")"):
            found.append(self._expression())
            if self._sees(","):
                self._take(",")
        self._take(")")
        return found

    def _primary(self) -> _Written:
        if self._sees("("):
            self._take("(")
            inner = self._expression()
            self._take(")")
            return _Written(f"({inner.term})", f"({inner.value})")
        if self._sees("<<"):
            raise NotUnderstoodError
        if (variable := self._match(_VARIABLE)) is not None:
            return _Written(variable, _call("value", variable))
        word = self._word()
        if word and word not in _BOOLEANS:
            self._needed(_WORD)
            return self._built_in(word)
        return self._constant()

    def _constant(self, *, may_call: bool = True) -> _Written:
        """An IRI, a call of a function named by an IRI if there may be one, or a literal."""
        if (string := self._match(_STRING)) is not None:
            return self._string(string)
        if (number := self._match(_NUMBER)) is not None:
            datatype = XSD.double if "e" in number.lower() else XSD.decimal if "." in number else XSD.integer
            return self._literal(Literal(number, datatype=datatype), number)
        if self._word() in _BOOLEANS:
            return _same(self._needed(_WORD))
        name = self._needed_name()
        if not may_call or not self._sees("("):
            return _same(name)
        self.functions.append(self._full(name))
        return _same(f"{name}({', '.join(each.value for each in self._arguments())})")

    def _string(self, string: str) -> _Written:
        quotes = 3 if string[:3] in ('"""', "'''") else 1
        value = unescaped(string[quotes:-quotes])
        if (tag := self._match(_TAG)) is not None:
            return _same(f"{string}{tag}")
        if not self._sees("^^"):
            return _same(string)
        self._take("^^")
        name = self._needed_name()
        return self._literal(Literal(value, datatype=NamedNode(self._full(name))), f"{string}^^{name}")

    def _literal(self, literal: Literal, written: str) -> _Written:
        stored = stand_in(literal)
        if stored == literal:
            return _same(written)
        self.is_needed = True
        return _Written(str(stored), written)

    def _built_in(self, word: str) -> _Written:
        if word == "NOT":
            return _same(f"NOT{self._take('EXISTS')}{self._group()}")
        if word == "EXISTS":
            return _same(f"EXISTS{self._group()}")
        if word in _AGGREGATES:
            return self._aggregate(word)
        if word == "BOUND":
            self._take("(")
            return _same(f"BOUND({self._needed(_VARIABLE)}{self._take(')')}")
        arguments = self._arguments()
        self._note_growth(word, len(arguments))
        terms, values = [each.term for each in arguments], [each.value for each in arguments]
        native = f"{word}({', '.join(values)})"
        match word:
            case "STR" | "DATATYPE":
                return _same(_call(word.lower(), *terms))
            case "SAMETERM":
                return _same(f"sameTerm({', '.join(terms)})")
            case "IF":
                return _Written(f"IF({', '.join([*values[:1], *terms[1:]])})", native)
            case "COALESCE":
                return _Written(f"COALESCE({', '.join(terms)})", native)
            case "STRDT":
                self.is_needed = True
                return _Written(_call("strdt", *values), native)
        return _same(native)

    def _note_growth(self, word: str, arguments: int) -> None:
        if word in _GROWING:
            self.is_bounded = False
            self.growth *= max(arguments, 1) if word == "CONCAT" else math.inf

    def _aggregate(self, word: str) -> _Written:
        self._note_growth(word, 1)
        self._take("(")
        is_distinct = self._word() == "DISTINCT"
        distinct = f"{self._take('DISTINCT')} " if is_distinct else ""
        if self._sees("*"):
            return _same(f"{word}({distinct}{self._take('*')}{self._take(')')}")
        argument = self._expression()
        separator = ""
        if self._sees(";"):
            separator = f"{self._take(';')}{self._take('SEPARATOR')}{self._take('=')} {self._needed(_STRING)}"
        self._take(")")
        if word in ("SUM", "AVG", "MIN", "MAX"):
            made = _call(f"{word.lower()}-distinct" if is_distinct else word.lower(), argument.term)
        elif word == "GROUP_CONCAT":
            made = f"{word}({distinct}{argument.value}{separator})"
        else:
            made = f"{word}({distinct}{argument.term})"
        return _Written(made, _call("value", made) if word in ("MIN", "MAX", "SAMPLE") else made)
