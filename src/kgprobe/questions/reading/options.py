"""Answers that list what can be chosen: "A. Yes / B. No … Answer: A", check boxes, and odds for each of the two."""

from __future__ import annotations

import re

__all__ = ["chosen", "excludes", "is_odds"]

_LINE = re.compile(
    r"(?:(?<=\n)|(?<=\s)|\A)[ \t>*_-]*(?:(?:option|choice) )?\(?(?P<key>[A-Ea-e]|[1-5])\s?[.):]\s?[*_]*"
    r"(?P<text>(?P<word>yes|no|true|false)\b[*_.,;]*(?=\s|\Z)|[^\n]{1,80}?(?=\n|\Z|\s+\(?[B-Eb-e2-5][.):]\s"
    r"|\s+(?:(?:final|my|the|correct) )*(?:answer|choice)\b))",
    re.IGNORECASE,
)
_MARK = r"[\[(][ xX\u2713\u2714]?[\])]|[☐☑☒✓✔✅✗✘❌✖○◯●◉]"
_BOXES = (
    re.compile(rf"(?P<mark>{_MARK})\s*(?P<word>yes|no|true|false)\b", re.IGNORECASE),
    re.compile(rf"\b(?P<word>yes|no|true|false)\s*[:=\u2013-]?\s*(?P<mark>{_MARK})", re.IGNORECASE),
)
_CROSSED = re.compile(
    r"^\W*(?P<word>yes|no|true|false)[ \t]*:[ \t]*(?P<mark>[xX\u2713\u2714]?)[ \t]*$", re.IGNORECASE | re.M
)
_TICKS = frozenset("☑✓✔✅☒●◉xX")
_NUMBER = r"\W{0,3}\d+(?:[.,]\d+)?\s*%?"
_ODDS = re.compile(rf"\bP\((?:yes|no|true|false)\b|\byes\b{_NUMBER}\)?[\s,;/|\u2013-]*\bno\b{_NUMBER}", re.IGNORECASE)
_EXCLUDED = re.compile(
    r"\b(?i:not (?:option|choice)|rul\w+ out(?: option| choice)?|eliminat\w+(?: option| choice)?) \(?[A-E1-5]\b"
    r"|\b(?i:option|choice) \(?[A-E1-5]\b[^.\n]{0,20} is (?i:not|wrong|false|incorrect)\b"
)
_CHOICE = (
    r"(?:(?<=\banswer)|(?<=\banswer is)|(?<=\bchoice)|(?<=\bchoice is)|(?<=\boption)|(?<=\boption is)|(?<=\bchoose)"
    r"|(?<=\bselect)|(?<=\bpick)|(?<=\bselected)|(?<=\bchosen)|(?<=\bgo with)|(?<=\bis)|(?<=->)|(?<=→)|(?<==>)"
    r"|(?<=\A)|(?<=\n))"
    r"(?P<before>[\s:*_(=\"'`\[]*)(?P<key>{keys})(?![\w'])(?=[)\].*_\"'`]*(?:[.,;:!]|\s*\Z|\s*\n|\s+(?:because|since|as|\())|[):]\s)"
)


def chosen(text: str) -> str | None:
    """The text without the options that it lists, and with the words of an option for its letter or number.

    None if it lists no options; empty if it does not choose one.
    """
    return _ticked(text) or _lettered(text)


def is_odds(text: str) -> bool:
    """Whether a text gives yes and no a probability each: "Yes (95%), No (5%)"."""
    return bool(_ODDS.search(text))


def excludes(text: str) -> bool:
    """Whether a text says which option is wrong: "Option B (no) is incorrect"."""
    return bool(_EXCLUDED.search(text))


def _ticked(text: str) -> str | None:
    for pattern in (*_BOXES, _CROSSED):
        boxes = list(pattern.finditer(text))
        words = {box["word"].lower() for box in boxes}
        if words not in ({"yes", "no"}, {"true", "false"}):
            continue
        ticked = {box["word"].lower() for box in boxes if not _TICKS.isdisjoint(box["mark"])}
        if len(ticked) == 1:
            return ticked.pop()
    return None


def _lettered(text: str) -> str | None:
    options: dict[str, str] = {}
    spans: list[tuple[int, int]] = []
    for line in _LINE.finditer(text):
        key = line["key"].upper()
        starts_line = not text[: line.start()].rpartition("\n")[2].rpartition(":")[2].strip()
        is_next = key == chr(ord(max(options)) + 1) if options else key in ("A", "1") and starts_line
        if not is_next:
            continue
        options[key] = line["word"] or line["text"]
        spans.append(line.span())
    words = {option.lower() for option in options.values()}
    decides = words >= {"yes", "no"} or words >= {"true", "false"}
    if len(options) < 2:
        return None
    rest = text
    for start, end in reversed(spans):
        rest = rest[:start] + "\n" + rest[end:]
    keys = "|".join(options) + "|" + "|".join(options).lower()
    choice = re.compile(_CHOICE.format(keys=keys), re.IGNORECASE)
    rest, count = choice.subn(lambda match: f"{match['before']} {options[match['key'].upper()]}", rest)
    return rest.strip() if decides or count else None
