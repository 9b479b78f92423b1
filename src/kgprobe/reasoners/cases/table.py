"""The table of cases: reads `single.txt`, adds the pairs, and names each case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from kgprobe.graph.axioms.expression import Expression
from kgprobe.graph.formats import functional
from kgprobe.reasoners.cases import pairs
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Consistency, Entails, Task

__all__ = ["Case", "all_cases"]

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
    for construct, line in (*_single(), *pairs.lines()):
        counts[construct] += 1
        cases.append(_case(f"{construct}-{counts[construct]}", line))
    return tuple(cases)


def _single() -> Iterator[tuple[str, str]]:
    construct = ""
    text = resources.files(__package__).joinpath("single.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line.startswith("== "):
            construct = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            yield construct, line


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
