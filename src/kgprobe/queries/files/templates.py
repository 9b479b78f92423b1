"""Queries with parts that are filled in later, as templates, format strings and joined strings have them.

What is filled in may be any term, and often any text. So a template becomes several queries: in the first, each part is
a term about which nothing is known, or is left out; in the others, the parts bind every variable of the query, or the
blocks of the template are missing. Only what is found in all of them holds whatever is filled in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kgprobe.queries.files.texts import HOLE, Located, joined
from kgprobe.sparql.algebra import Span

Mistake = Callable[[str], "int | None"]
"""Gives the offset of the first mistake of a text; None if it is SPARQL."""

_NAME = r"[A-Za-z_][\w.\-]*"
# What the usual template engines and format functions fill in. None of these is SPARQL, but for a part of a string.
_HOLE = re.compile(
    rf"""
      \{{\{{\{{[^{{}}\n]{{0,200}}\}}\}}\}}
    | \{{\{{[-~&>]?\s*+(?![?$<"'_:])[^{{}}?$<\n]{{1,200}}\}}\}}
    | \{{\{{[-~]?\s*+{_NAME}\s*\([^{{}}]{{0,400}}\)[^{{}}?$<]{{0,200}}\}}\}}
    | \{{\#[^\n{{}}]{{0,200}}\#\}}
    | \{{\s*{_NAME}(?:\[[^\[\]{{}}\s]*\])?(?:![rsa])?(?::[^{{}}\s]{{0,20}})?\s*\}} | \{{\d{{1,3}}\}}
    | [\$\#@]\{{[^{{}}\n]{{1,200}}\}}
    | %(?![0-9A-Fa-f]{{2}}%){_NAME}% | %%{_NAME}%% | %\(\w{{1,100}}\)[sdr] | %(?:\d\$)?[sd](?!\w)
    | \$[A-Za-z_]\w*\$
    | <[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+>
    | <%=[^%]{{1,200}}%> | <<[A-Za-z_][\w ]*>> | \[\[[A-Za-z_][\w ]*\]\] | @@[A-Za-z_]\w*@@ | __[A-Z][A-Z0-9_]*__
    """,
    re.VERBOSE,
)
_BLOCK = re.compile(
    r"\{%[-+~]?\s*(?P<word>\w+)[^%]{0,500}%\}|\{\{(?P<mark>[#^/])\s*[\w.]+[^{}]{0,200}\}\}"
    r"|\{\{\s*(?P<between>else)\b[^{}]{0,200}\}\}"
    r"|<%(?!=|\w+%>)[^%]{0,500}%>"
)
_OPENS = frozenset(("if", "for", "block", "with", "filter", "call", "unless", "ifequal"))
_BETWEEN = frozenset(("else", "elif", "elsif", "elseif"))
_UNKNOWN = frozenset(("macro", "raw", "extends", "trans", "autoescape"))
_MUSTACHE = {"#": "if", "^": "if", "/": "end"}
_MOST_HOLES = 60
_LONGEST = 50_000  # characters: each attempt to fill it reads it again
_MOST_ATTEMPTS = 80
_MARKS = "\ue000\ue001"  # in no name of SPARQL: one character for each of a hole, two of them to tell neighbours apart
_M = f"[{_MARKS}]"
_PART = rf"(?:[\w.:%@\-]|{_M}|\\.)"
_TOKEN = re.compile(
    rf"""
      (?P<comment> \#[^\n\r]* )
    | (?P<string>  \"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\" | '''(?:[^'\\]|\\.|'(?!''))*'''
                 | "(?:[^"\\\n\r]|\\.)*" | '(?:[^'\\\n\r]|\\.)*' )
    | (?P<iri>     <[^<>"{{}}|^`\\\s]*> )
    | (?P<variable>[?$](?:\w|{_M})+ )
    | (?P<name>    {_PART}{{0,100}}{_M}{_PART}{{0,100}} )
    | (?P<word>    \w[\w:.\-]* )
    | (?P<sign>    . )
    """,
    re.VERBOSE | re.DOTALL,
)
_VALUES = re.compile(r"\bVALUES\s*[?$]\w+\s*\Z", re.IGNORECASE)  # what follows is a group, and no field of a format
# SPARQL has no such words, but for two functions.
_PLACEHOLDER = re.compile(r"(?!GROUP_CONCAT|ENCODE_FOR_URI)([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\.?\Z")
_DECLARED = re.compile(r"(?:\bPREFIX\s+[^\s<>]*:|\bBASE)\s*\Z", re.IGNORECASE)
_COUNT = re.compile(r"\b(?:LIMIT|OFFSET)\s*\Z", re.IGNORECASE)
_ROWS = re.compile(r"\bVALUES\s*(\([^()]*\)|[?$]\w+)\s*\{[^{}]*\Z", re.IGNORECASE)
_VARIABLE = re.compile(r"[?$](\w+)")
_TARGET = re.compile(r"\bAS\s+[?$](\w+)", re.IGNORECASE)


@dataclass(frozen=True)
class Filled:
    """A query, the variables that have a value when it runs, and what stands in the template for its variables."""

    located: Located
    bound_before: frozenset[str]
    written: Mapping[str, str]


@dataclass(frozen=True)
class Fillings:
    """The queries of a template, of which the first is shown; or the reason why there are none."""

    queries: tuple[Filled, ...] = ()
    reason: str = ""


def with_holes(located: Located) -> Located:
    """A text with the parts that a template engine or a format function fills in."""
    taken = sorted(located.holes)
    words = (token for token in _TOKEN.finditer(located.text) if token.lastgroup == "word")
    names = (name.span(1) for token in words if (name := _PLACEHOLDER.match(located.text, *token.span())))
    found = [
        Span(start, end)
        for start, end in (*(match.span() for match in _HOLE.finditer(located.text)), *names)
        if _VALUES.search(located.text, max(0, start - 200), start) is None or located.text[start : start + 2] == "{{"
        if not any(hole.start < end and start < hole.end for hole in taken)
    ]
    return Located(located.text, located.offsets, tuple(sorted([*taken, *found])))


def is_template(located: Located) -> bool:
    """Whether a text has parts that are filled in."""
    return bool(located.holes) or _BLOCK.search(located.text) is not None


def fillings(located: Located, mistake: Mistake) -> Fillings:
    """The queries that stand for all that a template can become."""
    if len(located.holes) > _MOST_HOLES or len(located.text) > _LONGEST:
        return Fillings(reason="a template that is too long, or has too many parts that are filled in")
    bare = _without_blocks(located)
    if bare is None:
        return Fillings(reason="a template with parts that depend on each other")
    first, *others = [_filled(text, mistake) for text in bare]
    possible = [other for other in others if other is not None]
    if first is None or (others and not possible):
        return Fillings(reason="a template that is no query before it is filled in")
    made: list[Filled] = []
    for one in (first, *possible):
        most = _most_bound(one, mistake)
        if most is None:
            return Fillings(reason="a template into which any text can be filled")
        made += [one.filled, *most]
    return Fillings(tuple(made))


# -- blocks ------------------------------------------------------------------------------------------------------------


def _without_blocks(located: Located) -> list[Located] | None:
    """A text with the first branch of each block; also with the last ones, and without any; None if it is not clear."""
    tags = list(_BLOCK.finditer(located.text))
    if not tags:
        return [located]
    branches: list[str] = []  # of the blocks around
    firsts: list[tuple[int, int]] = []
    lasts: list[tuple[int, int]] = []
    rest: list[tuple[int, int]] = []
    place = 0
    for tag in [*tags, None]:
        span = (place, tag.start() if tag else len(located.text))
        firsts += [span] if all(branch == "first" for branch in branches) else []
        lasts += [span] if all(branch == "last" for branch in branches) else []
        rest += [] if branches else [span]
        if tag is None:
            break
        place = tag.end()
        word = tag["word"] or tag["between"] or _MUSTACHE.get(tag["mark"] or "", "set")
        if word in _UNKNOWN or (not branches and (word in _BETWEEN or word.startswith("end"))):
            return None
        if word in _BETWEEN:
            branches[-1] = "last" if word == "else" else "between"
        elif word in _OPENS:
            branches.append("first")
        elif word.startswith("end"):
            branches.pop()
    if branches:
        return None
    return [_parts(located, spans) for spans in (firsts, lasts, rest) if spans is not rest or rest != lasts]


def _parts(located: Located, spans: Sequence[tuple[int, int]]) -> Located:
    return joined(located.part(*span) for span in spans)


# -- filling -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Slot:
    """A part of a text with a hole, and what may stand there. If any text can, `within` is the bracket around it."""

    span: Span
    choices: tuple[str, ...]
    is_free: bool
    within: str


@dataclass(frozen=True)
class _Attempt:
    """A text after filling: where its slots are now."""

    filled: Filled
    slots: tuple[tuple[_Slot, Span], ...]


def _filled(located: Located, mistake: Mistake) -> _Attempt | None:
    """The text with something in each slot so that it is a query; None if nothing fits."""
    slots = list(_slots(located))
    chosen = [0] * len(slots)
    for _ in range(_MOST_ATTEMPTS):
        attempt = _attempt(located, slots, [slot.choices[which] for slot, which in zip(slots, chosen, strict=True)])
        wrong = mistake(attempt.filled.located.text)
        if wrong is None:
            return attempt
        # The mistake is at or after the slot that causes it.
        places = [span.start for _, span in attempt.slots]
        left = [which for which, slot in enumerate(slots) if chosen[which] + 1 < len(slot.choices)]
        before = [which for which in left if places[which] <= wrong]
        if not left:
            return None
        chosen[before[-1] if before else left[0]] += 1
    return None


def _attempt(located: Located, slots: Sequence[_Slot], contents: Sequence[str]) -> _Attempt:
    parts: list[Located] = []
    places: list[tuple[_Slot, Span]] = []
    place = length = 0
    for slot, content in zip(slots, contents, strict=True):
        before = located.part(place, slot.span.start)
        start = length + len(before.text)
        length = start + len(content)
        places.append((slot, Span(start, length)))
        parts += [before, Located(content, [located.offsets[slot.span.start]] * (len(content) + 1))]
        place = slot.span.end
    text = joined([*parts, located.part(place, len(located.text))])
    written = {
        f"?{name}": located.text[slot.span.start : slot.span.end].replace(HOLE, "…")
        for slot, content in zip(slots, contents, strict=True)
        for name in _VARIABLE.findall(content)
    }
    names = frozenset(name[1:] for name in written if name.startswith("?hole_"))
    return _Attempt(Filled(Located(text.text, text.offsets), names, written), tuple(places))


def _slots(located: Located) -> Iterator[_Slot]:
    """The tokens with holes, and what may stand for each, best first."""
    masked = _masked(located)
    numbers: dict[str, int] = {}
    brackets: list[str] = []
    for token in _TOKEN.finditer(masked):
        kind = token.lastgroup
        if kind == "sign":
            if token[0] in "({[":
                brackets.append(token[0])
            elif token[0] in ")}]" and brackets:
                brackets.pop()
        span = Span(*token.span())
        if kind == "word" or not any(mark in token[0] for mark in _MARKS):
            continue
        # The same text stands for the same value, unless it is an operand of the program.
        written = located.text[span.start : span.end]
        number = numbers.setdefault(written if any(map(str.isalpha, written)) else str(span.start), len(numbers))
        before = masked[max(0, span.start - 200) : span.start]
        within = brackets[-1] if brackets else ""
        yield _Slot(span, *_choices(str(kind), token[0], number, before, within), within)


def _masked(located: Located) -> str:
    text = list(located.text)
    for number, hole in enumerate(located.holes):
        text[hole.start : hole.end] = _MARKS[number % 2] * (hole.end - hole.start)
    return "".join(text)


def _choices(kind: str, token: str, number: int, before: str, within: str) -> tuple[tuple[str, ...], bool]:
    """What may stand for a token with holes, and whether any text can be there."""
    variable, iri = f" ?hole_{number} ", f" <urn:x-hole:{number}> "
    if kind == "comment":
        return ("#",), False
    if kind == "string":
        return (variable, " UNDEF ", f'"hole {number}"'), False
    if kind == "iri":
        return ((f"<urn:x-hole:{number}/>",), False) if _DECLARED.search(before) else ((variable, iri), False)
    if kind == "variable":
        return (f"?filled_{number} ", variable), True
    if any(char not in _MARKS for char in token):
        return (variable, iri, f" hole{number}", ""), ":" not in token
    if _DECLARED.search(before):
        return (f"<urn:x-hole:{number}/>", ""), False
    if _COUNT.search(before):
        return ("1", ""), False
    if (rows := _ROWS.search(before)) is not None:
        return (f" ({' UNDEF' * len(_VARIABLE.findall(rows[1]))}) " if rows[1][0] == "(" else " UNDEF ",), False
    if within == "(":
        return (variable, iri, f" || ?hole_{number} ", f", ?hole_{number} ", ""), True
    ends = before.rstrip()[-1:]
    begins_statement = ends in ("", "{", "}", ".", ";")
    both = ("", variable) if begins_statement else (variable, "")
    return (*both, iri, f"?hole_{number} .", f"<urn:x-hole:{number}> {{ }}"), True


def _most_bound(attempt: _Attempt, mistake: Mistake) -> list[Filled] | None:
    """The query in which what is filled in also binds all variables; None if that is not possible where it should be.

    Where a term can be filled in, so can a variable, and where a text can be, so can patterns.
    """
    filled = attempt.filled.located
    targets = set(_TARGET.findall(filled.text)) | attempt.filled.bound_before
    names = [name for name in dict.fromkeys(_VARIABLE.findall(filled.text)) if name not in targets]
    if not names or not any(slot.is_free for slot, _ in attempt.slots):
        return []
    variables = ", ".join(f"?{name}" for name in names)
    all_of_them = f" ?any_1 ?any_2 {variables} . "
    rows = f" VALUES ({' '.join(f'?{name}' for name in names)}) {{ ({' 1' * len(names)}) }} "
    insertions: list[tuple[int, str]] = []
    for slot, span in attempt.slots:
        if not slot.is_free:
            continue
        inside = ((span.end, f", {variables} "), (span.start, all_of_them), (span.start, f" ?any_2 {variables} ; "))
        possible = inside if slot.within else ((span.start, rows),)
        works = next((filling for filling in possible if mistake(_inserted(filled, [filling]).text) is None), None)
        if works is not None:
            insertions.append(works)
        elif slot.within not in ("", "("):  # there, it binds nothing
            return None
    text = _inserted(filled, insertions)
    if not insertions:
        return []
    return [replace(attempt.filled, located=text)] if mistake(text.text) is None else None


def _inserted(located: Located, insertions: Sequence[tuple[int, str]]) -> Located:
    parts: list[Located] = []
    place = 0
    for offset, text in sorted(insertions):
        parts += [located.part(place, offset), Located(text, [located.offsets[offset]] * (len(text) + 1))]
        place = offset
    return joined([*parts, located.part(place, len(located.text))])
