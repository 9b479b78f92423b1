"""Learns a mask from cases: the smallest set of SHACL shapes that excludes failing mutants and no passing ones.

`score_mask` says how well any mask fits judged cases: it should admit those that pass, and exclude those that fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from pyoxigraph import RdfFormat, parse

from kgprobe.errors import InputError
from kgprobe.masks.learning.candidates import simple_candidates
from kgprobe.masks.learning.choosing import choose
from kgprobe.masks.learning.combinations import Links, Option, combinations_of, single_options
from kgprobe.masks.learning.conditions import Clause
from kgprobe.masks.learning.exceptions import with_exceptions
from kgprobe.masks.learning.observations import Evidence, JudgedGraph, OnProgress, nobody_watches
from kgprobe.masks.learning.shacl_text import clause_in_words, clause_text, kind_of, prefixes_for
from kgprobe.masks.mask import Mask
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import Triple

__all__ = ["LearnedMask", "LearnedShape", "MaskScore", "fisher", "learn_mask", "mask_and_candidates", "score_mask"]


_SIGNIFICANT = 0.05
_FOR_A_CASE = 0.02  # bits
_MOST_SUPPORT = 50
FIRM, TENTATIVE = "firm", "tentative"


@dataclass(frozen=True)
class LearnedShape:
    """A shape, what it says in words, and how well the cases support it.

    `explains` are the failing cases that violate it, `excludes` the passing ones. `p` is Fisher's p-value: how likely a
    shape that has nothing to do with the failures would be violated by as many failing cases. The strength is `firm` if
    p stays below 0.05 when multiplied by the number of different explanations that were considered.
    """

    name: str
    kind: str
    words: str
    explains: tuple[str, ...]
    excludes: tuple[str, ...]
    p: float
    strength: str
    clause: Clause = field(repr=False)
    turtle: str = field(repr=False)

    def holds(self, graph: Graph) -> bool:
        """Whether a graph conforms to the shape, by lookups."""
        return self.clause.holds(graph)

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "kind": self.kind,
            "words": self.words,
            "explains": list(self.explains),
            "excludes": list(self.excludes),
            "p": self.p,
            "strength": self.strength,
        }


@dataclass(frozen=True)
class Unneeded:
    """A triple of the seed that no failure depends on, and the passing cases that lack it."""

    triple: Triple
    words: str
    cases: tuple[str, ...]


@dataclass(frozen=True)
class LearnedMask:
    """The shapes that were learned, and what they leave open.

    `unexplained` are the failing cases that conform to all shapes; `conflicts` are groups of equal mutants with
    different verdicts, because of which no mask can have an accuracy above `ceiling`.
    """

    cases: int
    failing: int
    passing: int
    shapes: tuple[LearnedShape, ...]
    unexplained: tuple[str, ...]
    conflicts: tuple[tuple[str, ...], ...]
    ceiling: float
    accuracy: float
    unneeded: tuple[Unneeded, ...] = ()
    considered: int = 0
    prefixes: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def holds(self, graph: Graph) -> bool:
        """Whether the mask admits a graph, by lookups."""
        return all(shape.holds(graph) for shape in self.shapes)

    def to_turtle(self) -> str:
        """The mask as Turtle, with a comment for each shape."""
        lines = [f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in self.prefixes]
        for shape in self.shapes:
            says = f"# {_comment(shape.words)}\n"
            explains = f"# {shape.strength}: explains {len(shape.explains)} of {self.failing} failing cases"
            wrong = f", excludes {len(shape.excludes)} passing ones" if shape.excludes else ""
            lines.append(f"\n{says}{explains}{wrong}, p = {shape.p:.2g}\n{shape.turtle}")
        return "".join(lines)

    @cached_property
    def graph(self) -> Graph:
        """The mask as a shapes graph."""
        quads = parse(self.to_turtle().encode(), format=RdfFormat.TURTLE)
        return Graph([quad.triple for quad in quads], spelling=Spelling(dict(self.prefixes)))

    def as_json(self) -> dict[str, object]:
        """The result as `kgprobe mask learn --json` prints it."""
        return {
            "cases": self.cases,
            "failing": self.failing,
            "passing": self.passing,
            "shapes": [shape.as_json() for shape in self.shapes],
            "unexplained": list(self.unexplained),
            "conflicts": [list(group) for group in self.conflicts],
            "ceiling": self.ceiling,
            "accuracy": self.accuracy,
            "unneeded": [{"triple": unneeded.words, "cases": list(unneeded.cases)} for unneeded in self.unneeded],
        }


def _comment(words: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in words).split())


def learn_mask(
    cases: Sequence[JudgedGraph], *, noise: float = 0.0, on_progress: OnProgress = nobody_watches
) -> LearnedMask:
    """The smallest mask that excludes the failing cases and no passing one.

    `noise` is the share of verdicts that may be wrong. Then the mask may also exclude a few passing cases, and leave
    failing ones unexplained, where that makes it simpler.
    """
    check_cases(cases, noise)
    evidence = Evidence(cases)
    return _learned(evidence, _options(evidence, noise, on_progress), noise)


def mask_and_candidates(
    cases: Sequence[JudgedGraph],
    *,
    noise: float = 0.0,
    most: int = 200,
    on_progress: OnProgress = nobody_watches,
) -> tuple[LearnedMask, list[LearnedShape]]:
    """The smallest mask, and shapes that compete to explain the failing cases, the simplest first.

    They exclude no passing case; with noise, they may exclude a few.
    """
    check_cases(cases, noise)
    evidence = Evidence(cases)
    options = _options(evidence, noise, on_progress)
    considered = _considered(options)
    fitting = [option for option in options if _fits(option, evidence, noise)]
    fitting.sort(key=lambda option: (option.bits - 4 * (option.violated & evidence.failing).bit_count(), option.bits))
    shapes = [_shape(f"Candidate{i}", option, evidence, considered) for i, option in enumerate(fitting[:most], 1)]
    return _learned(evidence, options, noise), shapes


def _learned(evidence: Evidence, options: Sequence[Option], noise: float) -> LearnedMask:
    chosen = choose(options, evidence.failing, evidence.passing, noise=noise)
    return _described(evidence, chosen, _considered(options))


def _considered(options: Sequence[Option]) -> int:
    """The number of different explanations."""
    return len({option.violated for option in options})


def _fits(option: Option, evidence: Evidence, noise: float) -> bool:
    wrong = (option.violated & evidence.passing).bit_count()
    right = (option.violated & evidence.failing).bit_count()
    return right > 0 and (not wrong or (noise > 0 and wrong < right))


def check_cases(cases: Sequence[JudgedGraph], noise: float) -> None:
    """Refuse cases from which nothing can be learned."""
    if not 0 <= noise < 0.5:
        raise InputError(f"the noise is {noise:g}", hint="it is a share of wrong verdicts, from 0 to below 0.5")
    failing = sum(case.failed for case in cases)
    if not cases:
        raise InputError("there are no cases", hint="a mask is learned from passing and failing ones")
    if not failing:
        raise InputError(f"no case fails: all {len(cases)} pass", hint="without failures, every graph is admissible")
    if failing == len(cases):
        raise InputError(f"no case passes: all {len(cases)} fail", hint="run mutants with fewer mutations")


def _options(evidence: Evidence, noise: float, on_progress: OnProgress) -> list[Option]:
    candidates = simple_candidates(evidence, noise=noise, on_progress=on_progress)
    links = Links(evidence)
    options = single_options(candidates)
    options += combinations_of(candidates, evidence, links, noise=noise, on_progress=on_progress)
    if not noise:
        options += with_exceptions(candidates, evidence, on_progress)
    return [replace(option, bits=option.bits - _support(option, evidence)) for option in options]


def _support(option: Option, evidence: Evidence) -> float:
    """A shape that explains more is preferred to one that is about as simple, even if other shapes explain the rest."""
    return _FOR_A_CASE * min(_MOST_SUPPORT, (option.violated & evidence.failing).bit_count())


def _described(evidence: Evidence, chosen: Sequence[Option], considered: int) -> LearnedMask:
    cases = evidence.cases
    ordered = sorted(chosen, key=lambda option: (-(option.violated & evidence.failing).bit_count(), option.bits))
    shapes = tuple(_shape(f"Learned{i}", option, evidence, considered) for i, option in enumerate(ordered, 1))
    excluded = 0
    for option in chosen:
        excluded |= option.violated
    wrong = (evidence.failing & ~excluded).bit_count() + (evidence.passing & excluded).bit_count()
    return LearnedMask(
        cases=len(cases),
        failing=evidence.failing.bit_count(),
        passing=evidence.passing.bit_count(),
        shapes=shapes,
        unexplained=_names(evidence.failing & ~excluded, evidence),
        conflicts=tuple(tuple(cases[number].name for number in group) for group in conflicts_among(cases)),
        ceiling=ceiling_of(cases),
        accuracy=(len(cases) - wrong) / len(cases),
        unneeded=_unneeded(evidence, chosen),
        considered=considered,
        prefixes=tuple(prefixes_for(evidence.seeds[0].spelling).items()),
    )


def _shape(name: str, option: Option, evidence: Evidence, considered: int) -> LearnedShape:
    spelling = evidence.seeds[0].spelling
    explains, excludes = option.violated & evidence.failing, option.violated & evidence.passing
    p = fisher(explains.bit_count(), option.violated.bit_count(), evidence.failing.bit_count(), len(evidence.cases))
    return LearnedShape(
        name=name,
        kind=kind_of(option.clause),
        words=clause_in_words(option.clause, spelling),
        explains=_names(explains, evidence),
        excludes=_names(excludes, evidence),
        p=p,
        strength=FIRM if p * considered <= _SIGNIFICANT else TENTATIVE,
        clause=option.clause,
        turtle=clause_text(option.clause, name, prefixes_for(spelling)),
    )


def _names(numbers: int, evidence: Evidence) -> tuple[str, ...]:
    return tuple(case.name for i, case in enumerate(evidence.cases) if numbers >> i & 1)


def _unneeded(evidence: Evidence, chosen: Sequence[Option]) -> tuple[Unneeded, ...]:
    """The triples of the seeds that passing mutants lack, and that no failing mutant would need to be admissible."""
    lacking: dict[Triple, int] = {}
    for number, case in enumerate(evidence.cases):
        for triple in case.change.removed:
            lacking[triple] = lacking.get(triple, 0) | 1 << number
    spelling = evidence.seeds[0].spelling
    return tuple(
        Unneeded(triple, spelling.triple(triple), _names(numbers & evidence.passing, evidence))
        for triple, numbers in sorted(lacking.items(), key=lambda item: str(item[0]))
        if numbers & evidence.passing and not _is_missed(triple, numbers & evidence.failing, evidence, chosen)
    )


def _is_missed(triple: Triple, failing: int, evidence: Evidence, chosen: Sequence[Option]) -> bool:
    """Whether the mask would admit one of these failing mutants if it had the triple."""
    for number, graph in enumerate(evidence.graphs):
        if failing >> number & 1:
            violated = [option.clause for option in chosen if option.violated >> number & 1]
            if not violated:
                continue
            completed = graph.copy()
            completed.add(triple)
            if all(clause.holds(completed) for clause in violated):
                return True
    return False


# -- how well masks fit cases ------------------------------------------------------------------------------------------


def fisher(explained: int, excluded: int, failing: int, cases: int) -> float:
    """The one-sided p-value: how likely `excluded` cases chosen at random have at least `explained` failing ones."""
    total = _log_choose(cases, excluded)
    most = min(excluded, failing)
    least = max(explained, excluded - (cases - failing))
    chances = [
        _log_choose(failing, hits) + _log_choose(cases - failing, excluded - hits) - total
        for hits in range(least, most + 1)
    ]
    return min(1.0, math.fsum(map(math.exp, chances)))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def conflicts_among(cases: Sequence[JudgedGraph]) -> list[list[int]]:
    """Groups of equal mutants with different verdicts, as numbers of cases."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, case in enumerate(cases):
        groups.setdefault((id(case.seed), case.change.removed, case.change.added), []).append(number)
    return [group for group in groups.values() if len({cases[number].failed for number in group}) > 1]


def ceiling_of(cases: Sequence[JudgedGraph]) -> float:
    """The largest share of cases that any mask can get right: of equal mutants, only those with the usual verdict."""
    lost = 0
    for group in conflicts_among(cases):
        failed = sum(cases[number].failed for number in group)
        lost += min(failed, len(group) - failed)
    return (len(cases) - lost) / len(cases) if cases else 1.0


@dataclass(frozen=True)
class MaskScore:
    """The cases that a mask gets right and wrong.

    `too_permissive` are failing cases that it admits, `too_strict` passing cases that it excludes.
    """

    cases: int
    accuracy: float
    ceiling: float
    correct: int
    too_permissive: tuple[str, ...]
    too_strict: tuple[str, ...]

    def as_json(self) -> dict[str, object]:
        """The result as `kgprobe mask score --json` prints it."""
        return {
            "cases": self.cases,
            "accuracy": self.accuracy,
            "ceiling": self.ceiling,
            "correct": self.correct,
            "too_permissive": list(self.too_permissive),
            "too_strict": list(self.too_strict),
        }


def score_mask(
    mask: Mask | Callable[[Graph], bool],
    cases: Sequence[JudgedGraph],
    *,
    on_progress: Callable[[int], None] | None = None,
) -> MaskScore:
    """The score of a mask, or of any function that says whether a graph is admissible."""
    if not cases:
        raise InputError("there are no cases", hint="a mask is judged by passing and failing ones")
    admits = mask.admits if isinstance(mask, Mask) else mask
    too_permissive: list[str] = []
    too_strict: list[str] = []
    for number, case in enumerate(cases, 1):
        if admits(case.graph()) is case.failed:
            (too_permissive if case.failed else too_strict).append(case.name)
        if on_progress is not None:
            on_progress(number)
    correct = len(cases) - len(too_permissive) - len(too_strict)
    return MaskScore(
        cases=len(cases),
        accuracy=correct / len(cases),
        ceiling=ceiling_of(cases),
        correct=correct,
        too_permissive=tuple(too_permissive),
        too_strict=tuple(too_strict),
    )
