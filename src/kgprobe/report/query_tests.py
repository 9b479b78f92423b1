"""The result of testing a query, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kgprobe.queries.testing.outcome import Counterexample, Outcome, Result
from kgprobe.queries.testing.replay import Replayed
from kgprobe.rdf.terms import Term
from kgprobe.wording import number_of

__all__ = ["replay_lines", "result_lines"]


def result_lines(name: str, result: Result, spell: Callable[[Term], str]) -> Iterator[str]:
    """The outcome in one line, then the counts, and the counterexample."""
    tests = number_of(result.tests, "test")
    match result.outcome:
        case Outcome.FALSIFIED:
            yield f"{name}: falsified after {tests}"
        case Outcome.PASSED:
            yield f"{name}: passed {tests}"
        case Outcome.NO_ANSWER:
            yield f"{name}: no answer in {tests}"
        case Outcome.NO_CONSISTENT_DATA:
            yield f"{name}: no consistent data in {tests}"
        case Outcome.UNDECIDED:
            yield f"{name}: undecided: no reasoner knows of data that are consistent"
    if result.proof:
        yield f"  proven for all data: {result.proof}"
    yield f"  data sets that are consistent: {_share(result.consistent, result.tests)}"
    yield f"  those on which the query has an answer: {_share(result.nontrivial, result.consistent)}"
    if result.undecided:
        yield f"  data sets that are not tests, because no reasoner decides them: {result.undecided}"
    if result.counterexample is not None:
        yield from _counterexample(result.counterexample, spell)


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({100 * part / whole:.0f} %)" if whole else "")


def _counterexample(found: Counterexample, spell: Callable[[Term], str]) -> Iterator[str]:
    yield f"  {found.property}"
    if found.answer is not None:
        shown = ", ".join(f"?{name} = {spell(term)}" for name, term in found.answer.items())
        yield f"  does not hold for the answer {shown}" if shown else "  does not hold for the answer"
    yield f"  because {found.reason}"
    if not found.triples:
        yield "  with no data at all, only the ontology"
        return
    yield f"  with {number_of(len(found.triples), 'triple')} added to the ontology:"
    yield from (f"    {line.expandtabs(4)}" for line in found.turtle.splitlines() if line.strip())


def replay_lines(name: str, results: Sequence[Replayed]) -> Iterator[str]:
    """One line for each counterexample, then the number of those that still fail."""
    for each in results:
        verdict = "still fails" if each.is_failing else "holds now"
        yield f"{each.name}: {verdict}: {each.property}: {each.reason}"
    failing = sum(each.is_failing for each in results)
    yield f"{name}: {number_of(len(results), 'counterexample')} replayed, {failing} still failing"
