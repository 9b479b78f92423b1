"""Recognises failures: by the shape of a crash, which findings are grouped by, and by the way of a failure.

During reduction, a smaller graph must fail in the same way, possibly under other names. Two bugs can share an exception
and a function; the message and the line distinguish them. Messages are compared without names and numbers. Known bugs
are recognised by the signatures of their failures.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from pathlib import PureWindowsPath

from kgprobe.model import Observation, Way, is_of_the_language
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Term

__all__ = [
    "IRI",
    "PATH",
    "KnownBugs",
    "are_alike",
    "blanked",
    "crash_shape",
    "is_overflow",
    "names_in_messages",
    "stable",
    "variant_of",
    "way_of",
    "way_told_by",
]

_MOST_FRAMES = 3
# The rest of a long line does not help to distinguish bugs, and the output of a system can have any length.
_LONGEST = 500
# The place where the stack overflows is arbitrary; only the functions that call each other belong to the bug.
_OVERFLOW = re.compile(r"stack ?overflow|recursion", re.IGNORECASE)
_TEMPORARY = r"(?:/private)?(?:/tmp|/var/tmp|/var/folders|/dev/shm|/run/user)/"
_SEGMENT = r"[^\s\\/:,()]"
# Recognisable names of the graph, and names of temporary files.
IRI = (
    re.compile(r"<[A-Za-z][A-Za-z0-9+.\-]*:(?!:)[^<>\s]*>"),
    re.compile(r"\b(?:https?|file|urn|ftp)://?[^\s)>\]\"',]*|\burn:[^\s)>\]\"',]*"),
)
PATH = (re.compile(rf"(?:{_TEMPORARY}|[A-Za-z]:\\[^\s:]*\\Temp\\)[^\s:,)]*"),)
# In this order: what a later one takes for a path or a number may be part of what an earlier one removes.
_UNSTABLE: tuple[tuple[re.Pattern[str], str], ...] = (
    # The two most common formats of frames: Java's and Python's.
    (re.compile(r"^\s*at\s+"), ""),
    (re.compile(r"^\s*#\d+\s+"), ""),
    (re.compile(r"\((?:[\w$.\-]+\.(?:java|kt|scala|groovy|clj)(?::\d+)?|Native Method|Unknown Source)\)"), ""),
    (re.compile(r"""^\s*File "([^"]*)", line \d+(?:, in (.*))?$"""), r"\1 \2"),
    # Generated names and counters.
    (re.compile(r"\$\$Lambda\b[\w$/.]*?(?=\.[A-Za-z]|$)"), "$$Lambda"),
    (re.compile(r"\blambda\$(\w+)\$\d+"), r"lambda$\1"),
    (re.compile(r"\b(GeneratedMethodAccessor|GeneratedConstructorAccessor|\$Proxy)\d+"), r"\1"),
    (re.compile(r"::h[0-9a-f]{16}\b"), ""),
    # Names of the graph, file names and memory addresses.
    *((pattern, "…") for pattern in IRI),
    (re.compile(r'"[^"]*"|\'[^\']*\''), "…"),
    *((pattern, "…") for pattern in PATH),
    # Folders, and the modules of Java.
    (re.compile(rf"(?:[A-Za-z]:)?{_SEGMENT}*(?:[\\/]+{_SEGMENT}+)*[\\/]+(?={_SEGMENT})"), ""),
    (re.compile(r"\s*[+@]?\s*\b0x[0-9a-fA-F]+\b"), ""),
    (re.compile(r",?\s*\b(?:line|column)\s+\d+"), ""),
    (re.compile(r"(?::\d+)+\b"), ""),
    (re.compile(r"(?<![\w.$])\d+(?![\w.$])"), ""),
    (re.compile(r"\(\s*\)"), ""),
)

_BLANK = "…"
_MOST_LINES = 20
_LONGEST_LINE = 500
# In this order: what a later one takes for a number may be part of what an earlier one removes.
_NAMES: tuple[tuple[re.Pattern[str], str], ...] = (
    *((pattern, _BLANK) for pattern in IRI),
    (re.compile(r"_:[\w\-.]+|\bN[0-9a-f]{32}\b"), _BLANK),  # blank nodes, and those of rdflib
    # A quoted text is a name of the graph, unless it belongs to the program: a type, an attribute, an argument.
    (re.compile(r"(?<!attribute )(?<!argument )(?<!\w)'[^'\n]*'(?! object\b)(?!\w)"), _BLANK),
    (re.compile(r'"[^"\n]*"|`[^`\n]*`|\u2018[^\u2019\n]*\u2019|“[^”\n]*”|«[^»\n]*»'), _BLANK),
    *((pattern, _BLANK) for pattern in PATH),
    (re.compile(r"\b0x[0-9a-fA-F]+\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{16,}\b"), _BLANK),
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), _BLANK),
    # A number that is not part of a name: segment-7 and v1.2 are names.
    (re.compile(r"(?<![\w$])(?<!\w[\-.])[-+]?(?:\d(?:[\d.,:]*\d)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w$]|-\w)"), _BLANK),
)
_NUMBERS = -2  # the last two
# A list of names counts as one name, since its length depends on the graph.
_BRACKETS = re.compile(rf"[\[({{<]\s*{_BLANK}\s*[\])}}>]")
_LISTS = re.compile(rf"{_BLANK}(?:[\s,;:=|/&+*.\-]*(?:\band\b\s*|\bor\b\s*)?{_BLANK})+")
_WORD = re.compile(r"(?:[\w.\-]*:)?\w(?:[\w.\-]*\w)?")
_COMPLAINT = re.compile(
    r"error|exception|panic|fatal|fail|abort|assert|fault|cannot|can't|could not|unable|invalid|illegal|unexpected"
    r"|unknown|undefined|missing|not found|no such|denied|refused",
    re.IGNORECASE,
)


def crash_shape(seen: Observation) -> str:
    """The shape of a crash: `NullPointerException in a.B.c < d.E.f`, the innermost function first."""
    if seen.crash is None:
        return "" if seen.exit_code is None else f"exit status {seen.exit_code}"
    kind = stable(seen.crash.kind)
    frames = list(filter(None, map(stable, seen.crash.frames)))
    told = _circle(frames) if is_overflow(kind) else _innermost(frames)
    return f"{kind} in {' < '.join(told)}" if told else kind


def is_overflow(kind: str) -> bool:
    """Whether an exception is a stack overflow."""
    return _OVERFLOW.search(kind) is not None


def stable(text: str) -> str:
    """A frame, or the name of an exception, without lines, addresses, folders and names of the graph."""
    text = text[:_LONGEST]
    for pattern, replacement in _UNSTABLE:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())


def _innermost(frames: Sequence[str]) -> list[str]:
    """The first frames of the system itself. Recursive calls count once, since their number depends on the graph.

    Frames of the language's standard library are left out, since they say little about the caller.
    """
    own = [frame for frame in frames if not is_of_the_language(frame)]
    return [frame for frame, _ in itertools.groupby(own or frames)][:_MOST_FRAMES]


def _circle(frames: Iterable[str]) -> list[str]:
    """The frames that repeat, in an order that does not depend on where the cycle was cut."""
    return sorted(frame for frame, count in Counter(frames).items() if count > 1)[:_MOST_FRAMES]


def way_of(seen: Observation) -> Way:
    """The way of a failure, from how the run ended."""
    if seen.crash is None:
        return Way(blanked(_complaint(seen)))
    place = seen.crash.place
    if place is None or is_overflow(seen.crash.kind):  # the place of an overflow is arbitrary
        return Way(blanked(seen.crash.message))
    return Way(blanked(seen.crash.message), f"{PureWindowsPath(place.file).name}:{place.line}")


def way_told_by(message: str) -> Way:
    """The way of a failure, from a one-line message."""
    return Way(blanked(message.partition("\n")[0]))


def are_alike(one: Way, other: Way, names: Callable[[], Collection[str]]) -> bool:
    """Whether two failures are of one kind. `names` yields the names in both graphs, and is called only if needed."""
    if one.place != other.place:
        return False
    if one.message == other.message and set(one.difference) == set(other.difference):
        return True
    known = names()
    if _without(one.message, known) != _without(other.message, known):
        return False
    return _lines_without(one.difference, known) == _lines_without(other.difference, known)


def names_in_messages(graph: Graph) -> set[str]:
    """The names that a message can use for terms of this graph: local names of IRIs, texts of literals."""
    return {text for term in graph.terms() if (text := _called(term))}


def blanked(message: str) -> str:
    """A message without numbers and recognisable names; each line once."""
    lines = [_one_line(line) for line in message.splitlines()[:_MOST_LINES]]
    return "\n".join(dict.fromkeys(filter(None, lines)))


def variant_of(message: str) -> str:
    """A one-line message without recognisable names, but with its numbers: "0 corridors" is not "2 corridors"."""
    return _one_line(message, _NAMES[:_NUMBERS])


def _one_line(line: str, patterns: Sequence[tuple[re.Pattern[str], str]] = _NAMES) -> str:
    text = line[:_LONGEST_LINE]
    for pattern, replacement in patterns:
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


def _lines_without(lines: Sequence[str], names: Collection[str]) -> set[str]:
    """The lines without names. Lines that then are equal count once."""
    if not lines:
        return set()
    text = "\n".join(lines)
    present = {name for name in names if name in text}
    return {_without(line, present) for line in lines}


def _called(term: Term) -> str:
    if isinstance(term, NamedNode):
        return re.split(r"[#/:]", term.value.rstrip("#/:"))[-1]
    return " ".join(term.value.split()) if isinstance(term, Literal) and len(term.value) <= _LONGEST_LINE else ""


def _complaint(seen: Observation) -> str:
    """The last error message of a system that raised no exception, from any of its outputs."""
    found = _last_complaint(seen.stderr) or _last_line(seen.stderr) or _last_complaint(seen.stdout)
    # Quoted texts in a JSON answer are plain strings, not names.
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


class KnownBugs:
    """Patterns of signatures, each with a note, such as a link to an issue.

    A pattern must match a whole signature; `*` matches any text. No other character is special, since brackets and
    question marks occur in signatures.
    """

    def __init__(self, patterns: Sequence[tuple[str, str]]) -> None:
        self.patterns = tuple(patterns)

    def note_for(self, signature: str) -> str | None:
        """The note of the first pattern that matches; None if the bug is not known."""
        return next((note for expression, note in self._compiled if expression.fullmatch(signature)), None)

    def never_matched(self, signatures: Iterable[str]) -> list[str]:
        """The patterns that match none of these signatures: a known bug that does not occur may have been fixed."""
        seen = set(signatures)
        return [
            pattern
            for (pattern, _), (expression, _) in zip(self.patterns, self._compiled, strict=True)
            if not any(map(expression.fullmatch, seen))
        ]

    @cached_property
    def _compiled(self) -> list[tuple[re.Pattern[str], str]]:
        return [
            (re.compile(".*".join(map(re.escape, pattern.split("*"))), re.DOTALL), note)
            for pattern, note in self.patterns
        ]
