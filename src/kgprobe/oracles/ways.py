"""How something failed, told so that the same failure on a smaller graph, under other names, can be recognized.

Two bugs can share an exception and a function. What tells them apart is the message and the line. Messages are compared
without the names and numbers in them: those of the smaller graph are others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import PureWindowsPath

from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import Literal, NamedNode, Term
from kgprobe.model import Observation, Way
from kgprobe.oracles.crash_shape import IRI, PATH, is_overflow

__all__ = ["are_alike", "blanked", "names_in_messages", "way_of", "way_told_by"]

_BLANK = "…"
_MOST_LINES = 20
_LONGEST_LINE = 500
# In this order: what a later one takes for a number may be part of what an earlier one removes.
_NAMES: tuple[tuple[re.Pattern[str], str], ...] = (
    *((pattern, _BLANK) for pattern in IRI),
    (re.compile(r"_:[\w\-.]+|\bN[0-9a-f]{32}\b"), _BLANK),  # blank nodes, and those of rdflib
    # What is quoted is a name, unless it is one of the program: a type, an attribute, an argument.
    (re.compile(r"(?<!attribute )(?<!argument )(?<!\w)'[^'\n]*'(?! object\b)(?!\w)"), _BLANK),
    (re.compile(r'"[^"\n]*"|`[^`\n]*`|\u2018[^\u2019\n]*\u2019|“[^”\n]*”|«[^»\n]*»'), _BLANK),
    *((pattern, _BLANK) for pattern in PATH),
    (re.compile(r"\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{16,}\b"), _BLANK),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), _BLANK),
    # A number, which is no part of a name: segment-7 and v1.2 are names.
    (re.compile(r"(?<![\w$])(?<!\w[\-.])[-+]?(?:\d(?:[\d.,:]*\d)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w$]|-\w)"), _BLANK),
)
# A list of names is as good as one of them: how many there are depends on the graph.
_BRACKETS = re.compile(rf"[\[({{<]\s*{_BLANK}\s*[\])}}>]")
_LISTS = re.compile(rf"{_BLANK}(?:[\s,;:=|/&+*.\-]*(?:\band\b\s*|\bor\b\s*)?{_BLANK})+")
_WORD = re.compile(r"(?:[\w.\-]*:)?\w(?:[\w.\-]*\w)?")
_COMPLAINT = re.compile(
    r"error|exception|panic|fatal|fail|abort|assert|fault|cannot|can't|could not|unable|invalid|illegal|unexpected"
    r"|unknown|undefined|missing|not found|no such|denied|refused",
    re.IGNORECASE,
)


def way_of(seen: Observation) -> Way:
    """The way in which a run failed by how it ended."""
    if seen.crash is None:
        return Way(blanked(_complaint(seen)))
    place = seen.crash.place
    if place is None or is_overflow(seen.crash.kind):  # where the stack runs over is chance
        return Way(blanked(seen.crash.message))
    return Way(blanked(seen.crash.message), f"{PureWindowsPath(place.file).name}:{place.line}")


def way_told_by(message: str) -> Way:
    """The way of a failure that one line tells."""
    return Way(blanked(message.partition("\n")[0]))


def are_alike(one: Way, other: Way, names: Callable[[], Collection[str]]) -> bool:
    """Whether two failures are of one kind. `names` are those of both graphs, and asked for only if they matter."""
    if one.place != other.place:
        return False
    if one.message == other.message:
        return True
    known = names()
    return _without(one.message, known) == _without(other.message, known)


def names_in_messages(graph: Graph) -> set[str]:
    """What a message can call something in this graph: the last part of an IRI, and the text of a literal."""
    return {text for term in graph.terms() if (text := _called(term))}


def blanked(message: str) -> str:
    """A message without numbers and what are names by their looks; each line once."""
    lines = [_one_line(line) for line in message.splitlines()[:_MOST_LINES]]
    return "\n".join(dict.fromkeys(filter(None, lines)))


def _one_line(line: str) -> str:
    text = line[:_LONGEST_LINE]
    for pattern, replacement in _NAMES:
        text = pattern.sub(replacement, text)
    return _folded(text)


def _folded(text: str) -> str:
    text = " ".join(text.split())
    while (shorter := _LISTS.sub(_BLANK, _BRACKETS.sub(_BLANK, text))) != text:
        text = shorter
    return text


def _without(message: str, names: Collection[str]) -> str:
    for name in sorted((name for name in names if " " in name and name in message), key=len, reverse=True):
        message = message.replace(name, _BLANK)

    def blank(word: re.Match[str]) -> str:
        text = word[0]
        return _BLANK if text in names or text.rpartition(":")[2] in names else text

    return _folded(_WORD.sub(blank, message))


def _called(term: Term) -> str:
    if isinstance(term, NamedNode):
        return re.split(r"[#/:]", term.value.rstrip("#/:"))[-1]
    return " ".join(term.value.split()) if isinstance(term, Literal) and len(term.value) <= _LONGEST_LINE else ""


def _complaint(seen: Observation) -> str:
    """What a system without an exception has to say: its last complaint, wherever it is written."""
    found = _last_complaint(seen.stderr) or _last_line(seen.stderr) or _last_complaint(seen.stdout)
    # What an answer in JSON quotes are its words, not names.
    return found or ("" if seen.value is None else str(seen.value).replace("'", "").replace('"', ""))


def _last_complaint(text: str) -> str:
    lines = _lines(text)
    at = next((number for number in reversed(range(len(lines))) if _COMPLAINT.search(lines[number])), None)
    if at is None:
        return ""
    return "\n".join(lines[at : at + 2]) if lines[at].endswith(":") else lines[at]


def _last_line(text: str) -> str:
    return "".join(_lines(text)[-1:])


def _lines(text: str) -> list[str]:
    return list(_nonempty(text[-_LONGEST_LINE * _MOST_LINES :].splitlines()))


def _nonempty(lines: Iterable[str]) -> Iterable[str]:
    return (line.strip() for line in lines if line.strip())
