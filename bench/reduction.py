"""The number of system runs that reduction needs: `python -m bench.reduction`.

The yardstick is the paper's Algorithm 1, `--algorithm halving`, on the same graphs in the same run: with random halves
as in the paper, and with halves in the order of the file, which keeps the triples of an axiom together and suits it
better. Ours is the default, including simplification and final checks. There are two kinds of failures: known bugs of
reasoners, if they reproduce on this machine, and artificial failures in ontologies of the ORE corpus, whose minimal
cause is known. An artificial failure occurs if the graph states one to four given axioms. The causes are drawn so that
each combination of constructs is equally likely. Some consist of axioms with common names, as real causes do, some are
spread over the ontology, and some start with a mutation. Hints are the names in one axiom of the cause, as an oracle
would show them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from bench.measure import Row, report
from kgprobe.formats.files import load
from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.owl.expression import Expression
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import BlankNode, NamedNode, Term, Triple, with_blanks
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.protocol import Classification, Hierarchy, Reasoner
from kgprobe.reduction.problem import Effort, Progress
from kgprobe.reduction.reducer import Finished, Options, Reduction, reduce_in_batches, reducing
from kgprobe.reduction.search import names_in

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
MADE_UP = 20
LEAST_TRIPLES = 1_000
LIMITS = Limits(60, 2048)
_IDLE = {"Declaration", "AnnotationAssertion", "Ontology", "Import", None}


@dataclass(frozen=True)
class Failure:
    """A graph, the axioms that make it fail, and the seed if it is a mutant."""

    name: str
    graph: Graph
    cause: tuple[Axiom, ...]
    seed: Graph | None = None

    def still_fails(self, graphs: Sequence[Graph]) -> list[bool]:
        return [self._fails(graph) for graph in graphs]

    def _fails(self, graph: Graph) -> bool:
        if not all(triple in graph for axiom in self.cause for triple in axiom.triples):
            return False
        view = AxiomView(graph)
        return all(view.axiom_of(axiom.triples[0]).expression == axiom.expression for axiom in self.cause)

    @property
    def hints(self) -> frozenset[Term]:
        """The names that an oracle would show."""
        return names_in(self.cause[0].triples)


# -- artificial failures -----------------------------------------------------------------------------------------------


def made_up() -> list[Failure]:
    files = sorted(SHARED.glob("ore/*.owl"))
    chosen = Random(5).sample(files, len(files))
    found: list[Failure] = []
    for path in chosen:
        graph = load(path).graph
        if len(graph) >= LEAST_TRIPLES and len(found) < MADE_UP:
            found.append(_failure(path.stem, graph, len(found)))
    assert len(found) == MADE_UP
    return found


STYLES = ("spread", "connected", "mutated", "connected", "mutated")


def _failure(name: str, graph: Graph, number: int) -> Failure:
    """One to four axioms in each style."""
    random = Random(number)
    size, style = 1 + number % 4, STYLES[number // 4]
    logical = [axiom for axiom in AxiomView(graph) if axiom.head not in _IDLE]
    seed: Graph | None = None
    cause: list[Axiom] = []
    if style == "mutated":
        seed = graph
        graph, added = _mutant(graph, logical, random)
        cause = [random.choice(added)]
        logical = [axiom for axiom in logical if all(triple in graph for triple in axiom.triples)]
    while len(cause) < size:
        rest = [axiom for axiom in logical if axiom not in cause]
        near = rest if style == "spread" or not cause else _sharing_names(rest, cause)
        cause.append(_drawn(near or rest, random))
    return Failure(f"{name}, {size} {style}", graph, tuple(cause), seed)


def _drawn(axioms: list[Axiom], random: Random) -> Axiom:
    """One of the axioms, drawn uniformly over combinations of constructs, since those make software fail."""
    by_constructs: defaultdict[str, list[Axiom]] = defaultdict(list)
    for axiom in axioms:
        by_constructs[_constructs(axiom)].append(axiom)
    return random.choice(by_constructs[random.choice(sorted(by_constructs))])


def _constructs(axiom: Axiom) -> str:
    found: set[str] = set()
    pending: list[object] = [axiom.expression]
    while pending:
        part = pending.pop()
        if isinstance(part, Expression):
            found.add(part.head)
            pending += part.args
    return " ".join(sorted(found))


def _sharing_names(axioms: list[Axiom], cause: list[Axiom]) -> list[Axiom]:
    known = frozenset[Term]().union(*(names_in(axiom.triples) for axiom in cause))
    return [axiom for axiom in axioms if not known.isdisjoint(names_in(axiom.triples))]


def _mutant(graph: Graph, logical: list[Axiom], random: Random) -> tuple[Graph, list[Axiom]]:
    """The graph without ten of its axioms, and with ten new ones, which are existing axioms with another name."""
    mutant = graph.copy()
    for axiom in random.sample(logical, 10):
        for triple in axiom.triples:
            mutant.remove(triple)
    about = [axiom for axiom in logical if _subject(axiom) is not None]
    added: list[Triple] = []
    while len(added) < 10:
        model, other = _drawn(about, random), _subject(random.choice(about))
        new = [_copied(triple, _subject(model), other, len(added)) for triple in model.triples]
        if new[0] not in mutant:
            for triple in new:
                mutant.add(triple)
            added.append(new[0])
    view = AxiomView(mutant)
    return mutant, [view.axiom_of(triple) for triple in added]


def _subject(axiom: Axiom) -> NamedNode | None:
    """The only name that triples of the axiom are about."""
    names = {triple.subject for triple in axiom.triples if isinstance(triple.subject, NamedNode)}
    return names.pop() if len(names) == 1 else None


def _copied(triple: Triple, old: NamedNode | None, new: NamedNode | None, number: int) -> Triple:
    assert new is not None
    copy = with_blanks(triple, lambda node: BlankNode(f"{node.value}copy{number}"))
    return Triple(new if copy.subject == old else copy.subject, copy.predicate, copy.object)


def compared(failures: Sequence[Failure]) -> list[Row]:
    """The totals of ours with and without hints against halving, and the number of larger results."""
    totals: Counter[str] = Counter()
    larger = 0
    print(f"{'runs > triples':<44}{'triples':>8}{'random halves':>16}{'halves':>16}{'no hints':>16}{'hints':>16}")
    for failure in failures:
        keep = frozenset[Term]().union(*(names_in(axiom.triples) for axiom in failure.cause))
        ours = partial(_reduced, failure, seed=failure.seed, keep=keep)
        halved = partial(_reduced, failure, algorithm="halving")
        results = {
            "random halves": halved(random=Random(0)),
            "halves in order": halved(),
            "without hints": ours(),
            "with hints": ours(hints=failure.hints),
        }
        totals.update({what: result.system_runs for what, result in results.items()})
        least = min(results[how].triples_after for how in ("random halves", "halves in order"))
        larger += sum(results[what].triples_after > least for what in ("without hints", "with hints"))
        columns = "".join(f"{_in_short(result):>16}" for result in results.values())
        print(f"{failure.name:<44}{len(failure.graph):>8}{columns}", flush=True)
    rows = [
        _ratio(f"{len(failures)} made-up failures, {what}, {how}", totals[what], totals[how])
        for how in ("random halves", "halves in order")
        for what in ("without hints", "with hints")
    ]
    return [*rows, Row("results that are larger than those of halving", str(larger), "0", larger, 0)]


def _ratio(what: str, ours: int, theirs: int) -> Row:
    return Row(f"runs: {what}", str(ours), str(theirs), ours / theirs, 0.5)


def _in_short(result: Reduction) -> str:
    return f"{result.system_runs} > {result.triples_after}"


# -- failures of reasoners ---------------------------------------------------------------------------------------------


class Missed:
    """Openllet misses that a class is below another, while HermiT and ELK agree that it is."""

    def __init__(self, reasoners: Sequence[Reasoner]) -> None:
        self._reasoners = reasoners

    def relations(self, graph: Graph) -> set[tuple[NamedNode, NamedNode]]:
        values = [reasoner.answer(graph, [Classification()])[0].value for reasoner in self._reasoners]
        tested, *others = (below(value) if isinstance(value, Hierarchy) else None for value in values)
        if tested is None or None in others:
            return set()
        return set.intersection(*(known for known in others if known is not None)) - tested

    def still_fails(self, graphs: Sequence[Graph]) -> list[bool]:
        return [bool(self.relations(graph)) for graph in graphs]


def below(hierarchy: Hierarchy) -> set[tuple[NamedNode, NamedNode]]:
    """Each pair of a class and another one above it."""
    found: set[tuple[NamedNode, NamedNode]] = set()
    for name, members in hierarchy.groups.items():
        seen, pending = {name}, [name]
        while pending:
            above = hierarchy.parents.get(pending.pop(), frozenset()) - seen
            seen |= above
            pending += above
        above_all = {each for group in seen for each in hierarchy.groups[group]}
        found |= {(member, each) for member in members for each in above_all if member != each}
    return found


def _reduced(failure: Failure, **how: Any) -> Reduction:
    return reduce_in_batches(failure.graph, failure.still_fails, Options(**how))


def counting(what: str, graph: Graph, test: Missed, **how: Any) -> Reduction:
    """A reduction that prints its progress every 25 runs."""
    for event in reducing(graph, test.still_fails, Options(effort=Effort(repeats=1), **how)):
        if isinstance(event, Progress) and event.runs % 25 == 0:
            print(f"  {what}: {event.runs} runs, {event.size} triples left, {event.phase}", file=sys.stderr, flush=True)
        elif isinstance(event, Finished):
            return event.reduction
    raise AssertionError


def p2() -> list[Row]:
    graph = load(SHARED / "reasoner-bugs/P2/ont_5.owl").graph
    reasoners = [open_reasoner(name, LIMITS) for name in ("openllet", "hermit", "elk")]
    try:
        test = Missed(reasoners)
        missed = test.relations(graph)
        if not missed:
            print("P2 does not reproduce here")
            return []
        hints = frozenset[Term]().union(*missed)
        halves = {
            how: counting(f"P2, {how}", graph, test, algorithm="halving", random=random)
            for how, random in (("random halves", Random(0)), ("halves in order", None))
        }
        for how, halved in halves.items():
            print(f"P2, {how}: {_in_short(halved)}")
        rows = []
        for what, known in (("without hints", frozenset[Term]()), ("with hints", hints)):
            result = counting(f"P2, {what}", graph, test, hints=known)
            print(f"P2, {what}: {_in_short(result)}", *sorted(map(str, result.graph)), sep="\n    ")
            rows += [_ratio(f"P2, {what}, {how}", result.system_runs, each.system_runs) for how, each in halves.items()]
            least = min(each.triples_after for each in halves.values())
            rows.append(Row(f"triples: P2, {what}", str(result.triples_after), str(least), result.triples_after, 8))
        return rows
    finally:
        for reasoner in reasoners:
            reasoner.close()


def elsewhere(tries: int) -> None:
    """H1 and P1 do not reproduce here, or only occasionally: print the observations."""
    for name, file, reasoner_name, often in (
        ("H1", "H1/ont_107.owl", "hermit", 1),
        ("P1", "P1/ont_1001.owl", "openllet", tries),
    ):
        graph = load(SHARED / "reasoner-bugs" / file).graph
        reasoner = open_reasoner(reasoner_name, LIMITS)
        try:
            answers = [reasoner.answer(graph, [Classification()])[0] for _ in range(often)]
        finally:
            reasoner.close()
        failed = sum(answer.value is None for answer in answers)
        told = "does not reproduce here" if not failed else "is too rare to be reduced within the time of a benchmark"
        print(f"{name} {told}: {failed} of {often} runs failed")


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--no-reasoners", action="store_true", help="only the artificial failures")
    parser.add_argument("--p1-tries", type=int, default=5, help="how often to look for P1, which takes 5 s each time")
    options = parser.parse_args()
    rows = compared(made_up())
    if not options.no_reasoners:
        rows += p2()
        elsewhere(options.p1_tries)
    report(rows)


if __name__ == "__main__":
    main()
