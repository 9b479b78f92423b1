"""Where an answer is: in JSON, a box or a tag, behind a label such as "Final answer:", or in a list of options."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from kgprobe.questions.reading.languages import languages
from kgprobe.questions.reading.text import fold


@dataclass(frozen=True, slots=True)
class Marked:
    """The text that a mark makes the answer, and the name of the mark."""

    text: str
    mark: str


_KEYS = (
    *(
        "final_answer",
        "finalanswer",
        "final answer",
        "final",
        "answer",
        "answers",
        "ans",
        "decision",
        "verdict",
        "result",
    ),
    *("prediction", "label", "conclusion", "response", "reply", "output", "value", "choice", "judgment", "judgement"),
    *("is_true", "istrue", "is_correct", "iscorrect", "correct", "true", "truth", "holds", "boolean", "bool"),
    *("yes_no", "yes_or_no", "yesno", "reponse", "antwort", "respuesta", "resposta", "risposta", "raspuns"),
    *(
        "odpowiedz",
        "odpoved",
        "valasz",
        "cevap",
        "yanit",
        "svar",
        "ответ",
        "答案",
        "回答",
        "答え",
        "답",
        "정답",
        "답변",
    ),
    *("content", "text", "message", "generated_text", "completion", "data", "الجواب", "الاجابة"),
)
_QUESTION_KEYS = ("question", "q", "claim", "statement", "query")
_DECISIONS = frozenset({"yes", "no"})
_ERROR_KEYS = ("error", "errors", "detail", "error_message", "exception")
_REVISES = re.compile(r"correct|revis|updat|actual|final")
_FENCE = re.compile(r"```[ \t]*+[\w+-]*+[ \t]*+\n?(.*?)(?:```|\Z)", re.S)
_PAIR = re.compile(
    r"""["']?\b(final[_ ]?answer|answer|decision|verdict|result|conclusion)["']?\s*[:=]\s*["']?([^\W\d_]{1,20})\b""",
    re.I,
)
_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_TEX = re.compile(r"\\(?:text(?:bf|it|rm|sf|tt)?|mathrm|mathbf|mathsf|mathtt|bf|rm|operatorname)\b\s*|\\[,;:! ]|[{}$]")
_TAG = re.compile(
    r"<\s*(final[_-]?answer|answer|final|result|response|output|verdict|decision|conclusion|solution)\s*>"
    r"(.{0,2000}?)(?:<\s*/\s*\1\s*>|\Z)",
    re.I | re.S,
)
_BRACKET_TAG = re.compile(r"\[\[([^\[\]]{1,60})\]\]|\[(?:ANSWER|FINAL)\]([^\[\]]{1,200})", re.I)
_LABEL = re.compile(
    r"(?m)(?:(?:^|(?<=[.!?。;]\s))[ \t>*_#|-]*+|(?<=[*_#>]))([^\W\d_][^\n:=.!?]{0,40}?)[ \t*_]*+[:=][ \t*_]*+"
)
_HEADING = re.compile(r"(?m)^[ \t]*+(?:#{1,6}[ \t]*+|[*_]{2})([^\n:*_# ][^\n:*_#]{1,39})[*_: ]*+\n++")

_MOST_LABELS = 5
_LONGEST_LABELLED = 2_000


def json_answer(text: str) -> Marked | None:
    """The answer in a text that is JSON, or has JSON in a code fence or at its end. An error has an empty answer."""
    for candidate in _json_texts(text):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        decision = _json_value(value, 0)
        if decision is not None:
            return decision
    if text.lstrip("`json \n").startswith("{") and (pair := _PAIR.search(text)):
        return Marked(pair[2], f'JSON "{pair[1]}"')
    return None


def _json_texts(text: str) -> Iterator[str]:
    yield text
    for fence in reversed(list(_FENCE.finditer(text))):
        yield fence[1].strip()
    for opening, closing in ("{}", "[]"):
        start, end = text.find(opening), text.rfind(closing)
        if 0 <= start < end:
            yield text[start : end + 1]
        last = text.rfind(opening)
        if start < last < end:
            yield text[last : end + 1]


def _json_value(value: Any, depth: int) -> Marked | None:
    if depth > 5:
        return None
    match value:
        case bool():
            return Marked("yes" if value else "no", "JSON")
        case str():
            return Marked(value, "JSON")
        case [only]:
            return _json_value(only, depth + 1)
        case [*several]:
            if len({fold(str(text)) for text in several} & _DECISIONS) > 1:
                return Marked("", "several answers")
            return _json_answers(several)
        case dict():
            return _json_answers([value]) or _json_object(value, depth)
    return None


def _json_answers(values: list[Any]) -> Marked | None:
    """Several questions with an answer each."""
    lines: list[str] = []
    for value in values:
        keys = {fold(str(key)): key for key in value} if isinstance(value, dict) else {}
        asks = next((value[keys[key]] for key in _QUESTION_KEYS if key in keys), None)
        answer = _json_object(value, 1) if asks else None
        if answer is None or not isinstance(asks, str):
            return None
        lines.append(f"{asks}{'' if asks.rstrip().endswith('?') else ':'} {answer.text}.")
    return Marked("\n".join(lines), "JSON") if lines else None


def _json_object(value: dict[Any, Any], depth: int) -> Marked | None:
    keys = {fold(str(key)).replace("-", "_"): key for key in value}
    if any(value[keys[key]] for key in _ERROR_KEYS if key in keys) and not any(key in keys for key in _KEYS[:9]):
        return Marked("", "JSON error")
    if keys and _DECISIONS.issuperset(keys):
        ticked = [key for key in keys if value[keys[key]] is True]
        return Marked(ticked[0] if len(ticked) == 1 else "", "JSON")
    for key in _KEYS:
        if key in keys:
            decision = _json_value(value[keys[key]], depth + 1)
            if decision is not None:
                said = fold(decision.text)
                is_revised = any(
                    _REVISES.search(other) and fold(str(value[keys[other]])) in _DECISIONS - {said}
                    for other in keys
                    if said in _DECISIONS and other != key
                )
                return Marked("" if is_revised else decision.text, f'JSON "{key}"')
            if value[keys[key]] is None or isinstance(value[keys[key]], list):
                return Marked("", f'JSON "{key}"')
    return _json_of_other_keys(value, depth)


def _json_of_other_keys(value: dict[Any, Any], depth: int) -> Marked | None:
    for part in value.values():
        if isinstance(part, list | dict) and (decision := _json_value(part, depth + 1)):
            return decision
    if len(value) == 1:
        return _json_value(next(iter(value.values())), depth + 1)
    decided = {
        str(key): "yes" if said in (True, "yes") else "no"
        for key, part in value.items()
        if (said := part.strip(" .").lower() if isinstance(part, str) else part) in (True, False, "yes", "no")
        and isinstance(part, bool | str)
    }
    lines = [f"{key.replace('_', ' ')}: {said}." for key, said in decided.items()]
    return Marked("\n".join(lines) if len(lines) > 1 else next(iter(decided.values())), "JSON") if lines else None


def marked(text: str) -> Marked | None:
    """The last box or tag of a text."""
    marks: list[tuple[int, Marked]] = []
    for box in _BOX.finditer(text):
        marks.append((box.start(), Marked(_TEX.sub(" ", _braced(text, box.end())), "boxed")))
    for tag in _TAG.finditer(text):
        marks.append((tag.start(), Marked(tag[2], f"<{tag[1].lower()}>")))
    for bracket in _BRACKET_TAG.finditer(text):
        marks.append((bracket.start(), Marked(bracket[1] or bracket[2], "[[…]]")))
    return max(marks, key=lambda mark: mark[0])[1] if marks else None


def without_tex(text: str) -> str:
    """The text without the commands of LaTeX that set words in a formula, unless it has a box."""
    return _TEX.sub(" ", text) if "\\text" in text and not _BOX.search(text) else text


def _braced(text: str, start: int) -> str:
    """The text up to the brace that closes, at most 500 characters."""
    depth = 1
    for position in range(start, min(len(text), start + 500)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return text[start:position]
    return text[start : start + 500]


def labelled(text: str) -> Iterator[Marked]:
    """The texts after the last labels such as "Final answer:", the very last one first.

    Each goes up to the end of the text, but is cut if it is long: the decision comes right after its label.
    """
    labels = _labels()
    places = []
    for pattern in (_LABEL, _HEADING):
        for match in pattern.finditer(text):
            words = tuple(fold(word) for word in re.findall(r"[^\W_]+|;", match[1]))
            if words in labels or "".join(words) in labels:
                places.append(
                    (
                        match.end(),
                        Marked(text[match.end() : match.end() + _LONGEST_LABELLED], f'after "{match[1].strip()}"'),
                    )
                )
    places.sort(key=lambda pair: -pair[0])
    for _, label in places[:_MOST_LABELS]:
        if label.text.strip():
            yield label


@cache
def _labels() -> frozenset[Any]:
    labels: set[Any] = set()
    for language in languages().values():
        for phrase in language.answers:
            labels.add(phrase)
            labels.add("".join(phrase))
    return frozenset(labels)


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
