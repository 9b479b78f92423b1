"""Small ontologies with known right answers, for testing reasoners.

The cases for single constructs are in `cases.txt`. The cases for pairs of constructs are built from the parts in
`case_parts.txt`, whose meaning is obvious. One part forces an individual into a class expression, and another part
forces it out. One derives a link, and another forbids it, or narrowly fails to forbid it. The
two halves of a case share nothing but the individual or the link that they are about, so their models can be joined:
the case is inconsistent if one half forces what the other forbids, and consistent otherwise.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import combinations
from typing import TypeAlias

from kgprobe.formats import functional
from kgprobe.owl.expression import Expression
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Consistency, Entails, Reasoner, Task

__all__ = ["Case", "Score", "all_cases", "score"]

_Table: TypeAlias = dict[str, list[str]]
_EXPECTED = {"consistent": True, "inconsistent": False, "entails": True, "not": False}


@dataclass(frozen=True)
class Case:
    """An ontology, a question about it, and the right answer by OWL 2's direct semantics."""

    name: str
    ontology: Ontology
    task: Task
    expected: bool


@cache
def all_cases() -> tuple[Case, ...]:
    """All cases. The name of a case is its construct, or its pair of constructs, and a number."""
    counts: Counter[str] = Counter()
    cases = []
    for construct, line in (*_single(), *_pairs()):
        counts[construct] += 1
        cases.append(_case(f"{construct}-{counts[construct]}", line))
    return tuple(cases)


@dataclass(frozen=True, slots=True)
class Score:
    """The cases by outcome. A wrong answer with a reservation is wrong, but not misleading."""

    right: tuple[str, ...]
    wrong: tuple[str, ...]
    undecided: tuple[str, ...]
    misleading: tuple[str, ...]
    seconds: float

    @property
    def total(self) -> int:
        return len(self.right) + len(self.wrong) + len(self.undecided)


def score(reasoner: Reasoner, cases: Sequence[Case] | None = None) -> Score:
    """Run the cases (all of them, unless some are given) in one batch."""
    tried = all_cases() if cases is None else cases
    start = time.perf_counter()
    answers = [given[0] for given in reasoner.answer_many([(case.ontology, [case.task]) for case in tried])]
    seconds = time.perf_counter() - start
    judged = list(zip(tried, answers, strict=True))
    wrong = [(case, answer) for case, answer in judged if answer.value is not None and answer.value != case.expected]
    return Score(
        right=tuple(case.name for case, answer in judged if answer.value == case.expected),
        wrong=tuple(case.name for case, _ in wrong),
        undecided=tuple(case.name for case, answer in judged if answer.value is None),
        misleading=tuple(case.name for case, answer in wrong if answer.complete),
        seconds=seconds,
    )


def _single() -> Iterator[tuple[str, str]]:
    construct = ""
    for line in _lines("cases.txt"):
        if line.startswith("== "):
            construct = line.removeprefix("== ")
        else:
            yield construct, line


def _lines(file: str) -> list[str]:
    text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _case(name: str, line: str) -> Case:
    word, _, rest = line.partition(" ")
    premises, _, conclusion = rest.partition("|-")
    ontology = Ontology(_parsed(premises, name))
    if not conclusion:
        return Case(name, ontology, Consistency(), _EXPECTED[word])
    (axiom,) = _parsed(conclusion, name)
    return Case(name, ontology, Entails(axiom), _EXPECTED[word])


def _parsed(axioms: str, name: str) -> tuple[Expression, ...]:
    return functional.parse(f"Prefix(:=<urn:case:>)\nOntology(\n{axioms}\n)", name).axioms


def _pairs() -> Iterator[tuple[str, str]]:
    """The name of each case, and the case as a line of `cases.txt`."""
    parts = _parts()
    for first, second in combinations(parts["kinds"].items(), 2):
        yield from _nested(first, second)
    yield from _clashes(parts["links"], parts["no links"] | parts["no simple links"])
    yield from _clashes(parts["composite links"], parts["no links"])
    yield from _clashes(parts["values"], parts["no values"])


def _parts() -> dict[str, _Table]:
    """The tables of parts by name; a part has its construct, and texts."""
    tables: dict[str, _Table] = {}
    table: _Table = {}
    texts: list[str] = []
    for line in _lines("case_parts.txt"):
        if line.startswith("== "):
            table = tables[line.removeprefix("== ")] = {}
        elif line.startswith("  "):
            texts.append(line.strip())
        else:
            texts = table[line] = []
    return tables


def _nested(first: tuple[str, list[str]], second: tuple[str, list[str]]) -> Iterator[tuple[str, str]]:
    """One expression below the other, with an individual that is in the first, and in or out of the second."""
    name = f"{first[0]}+{second[0]}"
    one, inside_one, _ = (text.replace("%", "1") for text in first[1])
    two, inside_two, outside_two = (text.replace("%", "2") for text in second[1])
    yield name, f"inconsistent SubClassOf({one} {two}) {inside_one} {outside_two}"
    yield name, f"consistent SubClassOf({two} {one}) {inside_two} {inside_one}"


def _clashes(given: _Table, forbidden: _Table) -> Iterator[tuple[str, str]]:
    for name, (premises,) in given.items():
        for other, (clash, harmless) in forbidden.items():
            yield f"{name}+{other}", f"inconsistent {premises} {clash}"
            yield f"{name}+{other}", f"consistent {premises} {harmless}"
