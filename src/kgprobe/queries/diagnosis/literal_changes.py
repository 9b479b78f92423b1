"""Literals that are written as something else: strings that look like numbers, dates or IRIs, and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kgprobe.queries.diagnosis.changes import Candidate, Rank, Replaced, spelled
from kgprobe.rdf.terms import XSD
from kgprobe.sparql.algebra import Document, Span
from kgprobe.sparql.tokens import Token, tokens

__all__ = ["literal_changes"]

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?")
_WHOLE_DECIMAL = re.compile(r"[+-]?\d+\.0*")
_ABSOLUTE_IRI = re.compile(r"(?:https?|ftp|mailto|urn|tel|doi|info|file):[^\s<>\"{}|^`\\]+")


_TYPED = {
    XSD.date: r"-?\d{4,}-\d\d-\d\d",
    XSD.dateTime: r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?",
    XSD.time: r"\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?",
    XSD.gYear: r"\d{4}",
    XSD.gYearMonth: r"\d{4}-\d\d",
    XSD.duration: r"-?P(?=[\dT])(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?",
}


def literal_changes(spans: Iterable[Span], document: Document, *, is_open: bool = False) -> Iterator[Candidate]:
    """Strings that look like numbers, dates or IRIs as what they look like, and numbers as strings or years.

    If there are several, all of the same kind are also changed at once. If it is open which part of the query is wrong,
    a number may well be meant as one, and a string as a string.
    """
    around = list(spans)
    found: dict[str, list[Replaced]] = {}
    for span, text, content in _plain_literals(tokens(document.text), document):
        if any(each.start <= span.start < each.end for each in around):
            for kind, changed in _readings(text, content, document):
                found.setdefault(kind, []).append((span, changed))
    for kind, edits in found.items():
        # 3.0 has the value 3, but a pattern with 3.0 does not match data with 3.
        is_other_term = kind == "number" and any(_WHOLE_DECIMAL.fullmatch(changed) for _, changed in edits)
        has_doubts = is_other_term or (is_open and kind in ("string", "number"))
        for chosen in (*((edit,) for edit in edits), *([tuple(edits)] if len(edits) > 1 else [])):
            title = f"write {', '.join(changed for _, changed in chosen)}"
            yield Candidate(title, chosen, Rank.LITERAL, has_doubts)


def _plain_literals(found: Sequence[Token], document: Document) -> Iterator[tuple[Span, str, str]]:
    """The numbers and the strings without a language: where they are, their text, and a string's content."""
    for place, token in enumerate(found):
        following = [each.text for each in found[place + 1 : place + 3]]
        if token.kind == "number":
            yield Span(token.start, token.end), token.text, ""
        elif token.kind == "string" and not "".join(following[:1]).startswith(("^^", "@")):
            yield Span(token.start, token.end), token.text, token.text[1:-1]
        elif token.kind == "string" and following[0] == "^^" and following[1:] == [spelled(XSD.string, document)]:
            yield Span(token.start, found[place + 2].end), token.text, token.text[1:-1]


def _readings(text: str, content: str, document: Document) -> Iterator[tuple[str, str]]:
    """What a literal may be meant to be: the kind, and how it is written."""
    if not content:
        yield "string", f'"{text}"'
    elif _NUMBER.fullmatch(content):
        yield "number", content
    elif _ABSOLUTE_IRI.fullmatch(content):
        yield "IRI", f"<{content}>"
    for datatype, pattern in _TYPED.items():
        if re.fullmatch(pattern, content or text):
            quote = text[0] if content else '"'
            yield datatype.value, f"{quote}{content or text}{quote}^^{spelled(datatype, document)}"
