"""A number in a sentence agrees with its noun: 1 triple, 2 triples."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path("src/kgprobe")
_PLURAL = re.compile(r" (?!(?:is|was|has|as|its|this|us|pass|bytes|digits|characters)\b)[a-z]+s\b")
_SHARE = re.compile(r"\bof (?:the )?$")  # 1 of 1 tests
_COUNTED = ("len(", "sum(")
_FIXED = SOURCES / "demo"  # the same graphs each time


def _numbers_without_care(tree: ast.Module) -> Iterator[ast.FormattedValue]:
    """Counts before a plural, in texts that nobody has written another form of for 1."""
    choices = [node for node in ast.walk(tree) if isinstance(node, (ast.IfExp, ast.If))]
    chosen = {id(text) for choice in choices for text in ast.walk(choice) if _asks_for_one(choice.test)}
    for text in ast.walk(tree):
        if isinstance(text, ast.JoinedStr) and id(text) not in chosen:
            before: ast.expr = ast.Constant("")
            for value, after in zip(text.values, [*text.values[1:], ast.Constant("")], strict=True):
                is_plural = _PLURAL.match(_constant(after)) and not _SHARE.search(_constant(before))
                if is_plural and isinstance(value, ast.FormattedValue) and _is_count(value):
                    yield value
                before = value


def _asks_for_one(condition: ast.expr) -> bool:
    return isinstance(condition, ast.Compare) and any(
        isinstance(side, ast.Constant) and side.value in (1, 2) for side in condition.comparators
    )


def _constant(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else ""


def _is_count(value: ast.FormattedValue) -> bool:
    if isinstance(value.value, ast.Name) and value.value.id.isupper():
        return False  # a limit, which is never 1
    has_commas = value.format_spec is not None and ast.unparse(value.format_spec) in ("f','", "','")
    return has_commas or ast.unparse(value.value).startswith(_COUNTED)


def test_counts_agree_with_their_nouns() -> None:
    files = sorted(SOURCES.rglob("*.py"))
    assert len(files) > 100
    wrong = [
        f"{file}:{value.lineno}: {ast.unparse(value.value)}"
        for file in files
        if _FIXED not in file.parents
        for value in _numbers_without_care(ast.parse(file.read_text()))
    ]
    assert wrong == [], "use kgprobe.wording.number_of"
