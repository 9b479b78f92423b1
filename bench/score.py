"""What selection saves when a test suite is scored: `python -m bench.score`.

Executions and wall time with selection are compared with running every test on every mutant: on the pizzeria of the
examples, with its queries in kgprobe and as processes. For queries in kgprobe, the processor time of `auto` is compared
with that of `never`: on the pizzeria, an ontology of pizzas, and the Human Phenotype Ontology, if those are there.
The scores of all modes must be the same.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bench.measure import Row, best_of_each, report
from kgprobe.formats.files import load
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.tests import Suite
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.suite_score.judging import Judge, Setting
from kgprobe.suite_score.model import Score, Selecting
from kgprobe.suite_score.scoring import ScoreJob, scored

PIZZERIA = Path(__file__).resolve().parents[1] / "examples" / "pizzeria"
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PIZZA = SHARED / "pizza" / "pizza-new.owl"
HPO = SHARED / "hpo" / "hp-2021.obo.gz"
RUNS = 3
FEWER_EXECUTIONS, FASTER, MOST_OVERHEAD = 10, 5, 1.2

PREFIXES = """PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX obo: <http://purl.obolibrary.org/obo/>
PREFIX p: <http://www.co-ode.org/ontologies/pizza/pizza.owl#>
"""
# Queries about one name; queries that match many triples; and such that almost every change affects.
POINTED = ["SELECT ?l WHERE { %s rdfs:label ?l }", "SELECT ?x WHERE { ?x rdfs:subClassOf %s }"]
PATHS = ["SELECT ?x WHERE { ?x rdfs:subClassOf* %s }", "SELECT ?x WHERE { %s rdfs:subClassOf+ ?x }"]
BROAD = [
    "SELECT ?x ?l WHERE { ?x rdfs:label ?l }",
    "SELECT ?x ?y WHERE { ?x owl:disjointWith ?y }",
    "SELECT (COUNT(*) AS ?n) WHERE { ?x rdfs:subClassOf ?y }",
    "SELECT ?x ?t WHERE { ?x rdfs:subClassOf [ owl:onProperty ?p ; owl:someValuesFrom ?t ] }",
]
EVERYTHING = ["SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }", "SELECT ?s WHERE { ?s ?p ?o . ?s a owl:Class }"]
PIZZAS = ["p:Pizza", "p:NamedPizza", "p:PizzaTopping", "p:Margherita"]
PHENOTYPES = ["obo:HP_0000118", "obo:HP_0000707", "obo:HP_0001250", "obo:HP_0000924"]

# A test as a process: it passes if the answer is the one that it gave first, on the original.
CHECK = """import sys
from pathlib import Path
from pyoxigraph import QueryBoolean, QuerySolutions, Store
store = Store()
store.load(path=sys.argv[2])
test = Path(sys.argv[1])
found = store.query(test.read_text())
if isinstance(found, QuerySolutions):
    said = "\\n".join(sorted(" ".join(str(row[name]) for name in found.variables) for row in found))
else:
    said = str(bool(found)) if isinstance(found, QueryBoolean) else "\\n".join(sorted(map(str, found)))
known = test.with_suffix(".known")
if not known.exists():
    known.write_text(said)
sys.exit(known.read_text() != said)
"""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--quick", action="store_true", help="leave out processes and large ontologies")
    quick = parser.parse_args().quick
    report([*_executions(), *_overhead_of_pizzeria()])
    if not quick:
        report(list(_processes()))
    with tempfile.TemporaryDirectory() as folder:
        report(list(_overhead_of_others(Path(folder), quick=quick)))


def _suite(place: Path, graph: Graph) -> Suite:
    return find_tests([place], Vocabulary.of(graph, graph))


def _pizzeria() -> ScoreJob:
    graph = load(PIZZERIA / "menu-1.ttl").graph
    return ScoreJob(graph=graph, suite=_suite(PIZZERIA / "tests", graph))


def _same(found: Sequence[Score]) -> None:
    """Stop if selection has changed a score."""
    numbers = {(each.killed, each.survived, each.equivalent, each.undecided) for each in found}
    if len(numbers) != 1:
        sys.exit(f"the scores differ: {sorted(numbers)}")


def _executions() -> Iterator[Row]:
    asked = _pizzeria()
    found = [scored(replace(asked, select=how)) for how in Selecting]
    _same(found)
    ours, without = found[0].executions, found[0].executions_without_selection
    yield Row(
        "pizzeria, every axiom: executions",
        f"{ours:,}",
        f"{without:,}",
        without / ours,
        FEWER_EXECUTIONS,
        at_least=True,
    )
    ours, without = _each_triple(asked)
    yield Row(
        "pizzeria, every triple: executions",
        f"{ours:,}",
        f"{without:,}",
        without / ours,
        FEWER_EXECUTIONS,
        at_least=True,
    )


def _each_triple(asked: ScoreJob) -> tuple[int, int]:
    """The executions if each triple is taken out once, with and without selection."""
    setting = Setting(asked.graph, asked.suite, selecting=Selecting.ALWAYS, all_kills=True)
    with Judge(setting) as judge:
        failing = {each.test for each in judge.failures()}
        judge.keep([each.test.name for each in judge.tests if each.test.name not in failing])
        order = range(len(judge.tests))
        done = [judge.judged(Delta(removed=[triple]), order) for triple in asked.graph]
    ran = sum(len(judge.tests) if each.ran is None else len(each.ran) for each in done)
    return ran, sum(each.runs_without_selection for each in done)


def _processes() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "check.py").write_text(CHECK, encoding="utf-8")
        for file in sorted((PIZZERIA / "tests").glob("*.rq")):
            (place / file.name).write_bytes(file.read_bytes())
        graph = load(PIZZERIA / "menu-1.ttl").graph
        run = f"{sys.executable} {place / 'check.py'} {{test}} {{graph}}"
        asked = ScoreJob(graph=graph, suite=_suite(place, graph), run=run)
        times, found = [], []
        for how in (Selecting.AUTO, Selecting.NEVER):
            began = time.perf_counter()
            found.append(scored(replace(asked, select=how)))
            times.append(time.perf_counter() - began)
        _same(found)
    ours, other = times
    yield Row("pizzeria, processes: wall time", f"{ours:.1f} s", f"{other:.1f} s", other / ours, FASTER, at_least=True)


def _overhead_of_pizzeria() -> Iterator[Row]:
    asked = _pizzeria()
    yield _overhead("pizzeria, every axiom: processor time of auto", asked)
    yield _overhead("pizzeria, 500 operators", replace(asked, operators=("generic", "abox"), count=500))


def _overhead_of_others(folder: Path, *, quick: bool) -> Iterator[Row]:
    if not PIZZA.exists():
        return
    graph = load(PIZZA).graph
    yield from _overheads("pizza", graph, PIZZAS, folder / "pizza", ())
    if HPO.exists() and not quick:
        yield from _overheads("HPO", load(HPO).graph, PHENOTYPES, folder / "hpo", ("generic",), count=20)


def _overheads(
    what: str, graph: Graph, names: Sequence[str], folder: Path, operators: tuple[str, ...], count: int = 100
) -> Iterator[Row]:
    suites = {
        "queries about one name": [each % name for each in POINTED for name in names],
        "paths": [each % name for each in PATHS for name in names],
        "broad queries": BROAD,
        "queries that all changes affect": EVERYTHING,
        "all": [*(each % name for each in (*POINTED, *PATHS) for name in names), *BROAD, *EVERYTHING],
    }
    for title, queries in suites.items():
        place = folder / title
        place.mkdir(parents=True)
        for number, query in enumerate(queries):
            (place / f"{number:02}.rq").write_text(PREFIXES + query, encoding="utf-8")
        asked = ScoreJob(graph=graph, suite=_suite(place, graph), operators=operators, count=count, skip_failing=True)
        yield _overhead(f"{what}, {title}", asked)


def _overhead(what: str, asked: ScoreJob) -> Row:
    asked = replace(asked, seconds=math.inf)  # in this process: the start of another would hide a difference
    _same([scored(replace(asked, select=how)) for how in Selecting])  # also fills caches
    ours, other = best_of_each(
        RUNS,
        lambda: scored(replace(asked, select=Selecting.AUTO)),
        lambda: scored(replace(asked, select=Selecting.NEVER)),
    )
    return Row(what, f"{ours:.2f} s", f"{other:.2f} s", ours / other, MOST_OVERHEAD)


if __name__ == "__main__":
    main()
