"""What reaching a reasoner costs beside its own time, and `auto` against HermiT on real ontologies.

Run with `python -m bench.reasoners`. The own time of a Java reasoner is what it takes inside its process, from the text
of an ontology to the answer, as its answers say. Ours is what the caller waits, with the way from a graph to that text.
"""

from __future__ import annotations

import time
from pathlib import Path

from bench.measure import Row, report
from kgprobe.graph.axioms import to_triples
from kgprobe.graph.axioms.expression import OntologyDocument
from kgprobe.graph.files import load
from kgprobe.graph.formats import functional
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import Triple
from kgprobe.reasoners.catalogue import REASONERS
from kgprobe.reasoners.choice import open_reasoner
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Consistency, Limits, Reasoner

ORE = Path(__file__).resolve().parents[2] / "shared" / "data" / "ore"
BATCH = 100
TASKS = [Consistency()]

_SMALL = """
Prefix(:=<urn:bench:>)
Ontology(
SubClassOf(:A :B) SubClassOf(:B ObjectSomeValuesFrom(:p :C)) SubClassOf(:C ObjectAllValuesFrom(:q :D))
DisjointClasses(:C :D) TransitiveObjectProperty(:p) EquivalentClasses(:E ObjectUnionOf(:C :D))
ObjectPropertyDomain(:q :E) SubClassOf(:F ObjectMaxCardinality(1 :q :D))
ClassAssertion(:A :a) ClassAssertion(:D :b) ClassAssertion(:F :a) ObjectPropertyAssertion(:q :a :b)
Declaration(ObjectProperty(:p)) Declaration(ObjectProperty(:q))
)
"""


def small_graph() -> Graph:
    """A graph of twelve axioms."""
    document = functional.parse(_SMALL, "small")
    statements = to_triples.triples(OntologyDocument(axioms=document.axioms))
    return Graph(Triple(*statement) for statement in statements)


def one_by_one(reasoner: Reasoner, graph: Graph) -> tuple[float, float]:
    """The least seconds that a caller waits for one check, and the least that the reasoner takes for it."""
    waited, own = [], []
    for _ in range(200):
        start = time.perf_counter()
        (answer,) = reasoner.answer(graph, TASKS)
        waited.append(time.perf_counter() - start)
        own.append(answer.seconds)
    return _middle(waited), _middle(own)


def in_a_batch(reasoner: Reasoner, graph: Graph) -> tuple[float, float]:
    """The same for a batch of different graphs."""
    waited, own = [], []
    for _ in range(10):
        graphs = [graph.copy() for _ in range(BATCH)]
        start = time.perf_counter()
        answers = reasoner.answer_many([(each, TASKS) for each in graphs])
        waited.append(time.perf_counter() - start)
        own.append(sum(given[0].seconds for given in answers))
    return min(waited), min(own)


def _middle(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]


def small_checks(name: str) -> list[Row]:
    """A warm check of a small ontology, by itself and in a batch."""
    graph = small_graph()
    reasoner = open_reasoner(name, Limits(30, 512))
    try:
        for _ in range(5):  # Java compiles what it runs often
            in_a_batch(reasoner, graph)
        rows = []
        for what, limit, (ours, own) in (
            ("one warm check of a small graph", 3.0, one_by_one(reasoner, graph)),
            (f"{BATCH} of them in a batch", 1.5, in_a_batch(reasoner, graph)),
        ):
            rows.append(Row(f"{name}: {what}", f"{ours * 1e3:.2f} ms", f"{own * 1e3:.2f} ms", ours / own, limit))
        return rows
    finally:
        reasoner.close()


def real_ontologies() -> list[Row]:
    """All files of the ORE corpus: both get the same ontologies, which are read from the files before."""
    ontologies = [Ontology.of(load(path).graph) for path in sorted(ORE.glob("*.owl"))]
    for each in ontologies:
        _ = each.text
    seconds, verdicts = {}, {}
    for name in ("auto", "hermit"):
        reasoner = open_reasoner(name, Limits(300, 4096))
        reasoner.answer(ontologies[0], TASKS)  # starting is not reasoning
        start = time.perf_counter()
        verdicts[name] = [given[0].value for given in reasoner.answer_many([(each, TASKS) for each in ontologies])]
        seconds[name] = time.perf_counter() - start
        reasoner.close()
    same = sum(a == b for a, b in zip(verdicts["auto"], verdicts["hermit"], strict=True))
    what = f"auto on {len(ontologies)} ORE files, {same} answers the same as HermiT's"
    ours, theirs = seconds["auto"], seconds["hermit"]
    return [Row(what, f"{ours:.2f} s", f"{theirs:.2f} s", theirs / ours, 5.0, at_least=True)]


def main() -> None:
    """Print the ratios."""
    rows = []
    for name in ("hermit", "openllet", "elk", "jfact"):
        if REASONERS[name].available().usable:
            rows += small_checks(name)
    if ORE.is_dir() and REASONERS["hermit"].available().usable:
        rows += real_ontologies()
    report(rows)


if __name__ == "__main__":
    main()
