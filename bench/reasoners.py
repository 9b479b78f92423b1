"""The overhead of calling a reasoner, and `auto` against HermiT on real ontologies.

Run with `python -m bench.reasoners`. The own time of a Java reasoner is that inside its process, from the text of an
ontology to the answer, as it reports. It is measured with all texts ready before the first is sent, so that kgprobe's
work, which runs in parallel, cannot slow the reasoner down and flatter the ratio. Our time is the time that the caller
waits, including the conversion from a graph to that text. The graphs of a batch are mutants of one graph, as in a
campaign; a second batch holds the same graphs with separate tables, as if each came from a different file.
"""

from __future__ import annotations

import time
from pathlib import Path

from bench.measure import Row, report
from kgprobe.formats import functional
from kgprobe.formats.files import load
from kgprobe.owl import to_triples
from kgprobe.owl.expression import Expression, OntologyDocument
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDF, NamedNode, Triple
from kgprobe.reasoners.auto import open_reasoner
from kgprobe.reasoners.catalogue import REASONERS
from kgprobe.reasoners.ontology import Ontology
from kgprobe.reasoners.protocol import Consistency, Reasoner

ORE = Path(__file__).resolve().parents[2] / "shared" / "data" / "ore"
BATCH = 100
TASKS = [Consistency()]
# It has no model with one individual, so `auto` must start a reasoner.
TWO_THINGS: Expression = Expression("DifferentIndividuals", NamedNode("urn:bench:a"), NamedNode("urn:bench:b"))

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


def variants(graph: Graph) -> list[Graph]:
    """Variants of the graph, each with another new individual, and without another of its triples."""
    triples = sorted(graph, key=str)
    found = []
    for number in range(BATCH):
        changed = graph.copy()
        changed.remove(triples[number % len(triples)])
        changed.add(Triple(NamedNode(f"urn:bench:{number}"), RDF.type, NamedNode("urn:bench:F")))
        found.append(changed)
    return found


def one_by_one(reasoner: Reasoner, graphs: list[Graph]) -> tuple[float, float]:
    """The median seconds that a caller waits for one check, and those that the reasoner takes for it."""
    waited, own = [], []
    for graph in graphs * 2:
        start = time.perf_counter()
        (answer,) = reasoner.answer(graph, TASKS)
        waited.append(time.perf_counter() - start)
        own.append(answer.seconds)
    return _middle(waited), _middle(own)


def in_a_batch(reasoner: Reasoner, graphs: list[Graph]) -> tuple[float, float]:
    """The minimum seconds that a caller waits for all of them, and the minimum that the reasoner takes itself."""
    waited, own = [], []
    for _ in range(10):
        start = time.perf_counter()
        reasoner.answer_many([(each, TASKS) for each in graphs])
        waited.append(time.perf_counter() - start)
        ready = [Ontology.of(each) for each in graphs]
        for each in ready:
            _ = each.text
        own.append(sum(given[0].seconds for given in reasoner.answer_many([(each, TASKS) for each in ready])))
    return min(waited), min(own)


def _middle(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]


def small_checks(name: str) -> list[Row]:
    """Measure a warm check of a small ontology, alone and in a batch."""
    graphs = variants(small_graph())
    unrelated = list(map(Graph, graphs))
    reasoner = open_reasoner(name, Limits(30, 512))
    try:
        for _ in range(5):  # Java compiles what it runs often
            in_a_batch(reasoner, graphs)
        rows = []
        for what, limit, (ours, own) in (
            ("one warm check of a small graph", 3.0, one_by_one(reasoner, graphs)),
            (f"{BATCH} of them in a batch", 1.5, in_a_batch(reasoner, graphs)),
            (f"{BATCH} that share no table", 1.5, in_a_batch(reasoner, unrelated)),
        ):
            rows.append(Row(f"{name}: {what}", f"{ours * 1e3:.2f} ms", f"{own * 1e3:.2f} ms", ours / own, limit))
        return rows
    finally:
        reasoner.close()


def real_ontologies() -> list[Row]:
    """Compare both on all files of the ORE corpus, which are read before the measurement."""
    ontologies = [Ontology.of(load(path).graph) for path in sorted(ORE.glob("*.owl"))]
    for each in ontologies:
        _ = each.text
    seconds, verdicts = {}, {}
    for name in ("auto", "hermit"):
        reasoner = open_reasoner(name, Limits(300, 4096))
        reasoner.answer(Ontology((TWO_THINGS,)), TASKS)  # starting is not reasoning
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
