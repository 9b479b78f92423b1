"""Cases and a small world for tests of questions: places in places, with other names for some of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

__all__ = ["LINKS", "World", "cases", "write_profile"]

IN = "https://example.org/in"
LINKS = [(f"Village {n}", f"County {n}", f"Land {n % 3}") for n in range(12)]


class World:
    """Answers like a program that knows all places, except for what it is told to get wrong.

    `wrong` are questions that it gets wrong, and `unclear` those that it does not decide.
    """

    def __init__(self, wrong: Iterable[str] = (), unclear: Iterable[str] = ()) -> None:
        self.right = {
            question["question"]: question["expected"]
            for case in cases()
            for question in (*case["antecedents"], *case["consequences"])
        }
        self.wrong = set(wrong)
        self.unclear = set(unclear)

    def __call__(self, prompt: str) -> str:
        """The answer to a prompt, which contains the question."""
        question = next((line for line in prompt.splitlines() if line in self.right), "")
        if question in self.unclear or not question:
            return "That depends on whom you ask."
        right = self.right[question]
        return {"yes": "No.", "no": "Yes."}[right] if question in self.wrong else f"{right.capitalize()}."


def cases(count: int = len(LINKS)) -> list[dict[str, Any]]:
    """Cases as JSON: two premises, a basic conclusion, and an extended one."""
    return [_case(number, *link) for number, link in enumerate(LINKS[:count])]


def _case(number: int, village: str, county: str, land: str) -> dict[str, Any]:
    first, second = (f"{inner} is a place in {outer}." for inner, outer in ((village, county), (county, land)))
    context = f"{first} {second}"
    return {
        "id": f"case-{number}",
        "rule": "transitive" if number % 2 else "composition",
        "relations": [IN],
        "facts": [[_iri(village), IN, _iri(county)], [_iri(county), IN, _iri(land)]],
        "antecedents": [_question(village, county, "yes"), _question(county, land, "yes")],
        "consequences": [
            {**_question(village, land, "yes", context), "kind": "basic", "why": "it is transitive"},
            {**_question(village, "Atlantis", "no", context), "kind": "extended", "why": "nothing is in Atlantis"},
        ],
    }


def _question(inner: str, outer: str, expected: str, context: str = "") -> dict[str, Any]:
    claim = {"subject": _iri(inner), "path": [IN], "object": _iri(outer)}
    return {"question": f"Is {inner} a place in {outer}?", "context": context, "expected": expected, "claim": claim}


def _iri(name: str) -> str:
    return f"https://example.org/{name.replace(' ', '_')}"


def write_profile(folder: Path, *urls: str, count: int = len(LINKS), more: str = "", system: str = "") -> Path:
    """A profile that asks the models at these addresses the cases."""
    (folder / "cases.jsonl").write_text("".join(f"{json.dumps(case)}\n" for case in cases(count)))
    systems = "".join(
        f'[[systems]]\nname = "model{number}"\nchat = "{url}"\nmodel = "m"\nseconds = 10\n{system}\n'
        for number, url in enumerate(urls, start=1)
    )
    profile = folder / "qa.toml"
    profile.write_text(f'[questions]\ncases = "cases.jsonl"\n{more}\n{systems}')
    return profile


def basic(number: int) -> str:
    """The basic conclusion of a case."""
    text: str = cases()[number]["consequences"][0]["question"]
    return text


def extended(number: int) -> str:
    """The extended conclusion of a case."""
    text: str = cases()[number]["consequences"][1]["question"]
    return text


def premise(number: int, which: int = 0) -> str:
    """A premise of a case."""
    text: str = cases()[number]["antecedents"][which]["question"]
    return text


Answer = Callable[[str, int], str]
