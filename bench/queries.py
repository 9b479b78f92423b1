"""Checking a SPARQL query against a large ontology, compared with one check of that ontology by rustdl.

Run with `python -m bench.queries`. The yardstick is one warm check of consistency of the whole ontology by rustdl,
from its axioms to the answer. Our time is that of the whole check, from the text of the query to the diagnostics with
their explanations; the ontology is prepared before, as in an editor. After a keystroke, the query differs in one
pattern from one that was checked, and no fixes are made.

The rows about tests of queries are those of `bench.query_tests`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from bench import query_tests
from bench.measure import Row, report
from kgprobe.owl import to_triples
from kgprobe.owl.expression import Expression, OntologyDocument
from kgprobe.queries.clashes.reasoning import Engines
from kgprobe.queries.diagnosis.checking import Checker
from kgprobe.queries.diagnostics import Report
from kgprobe.queries.files.texts import QueryText
from kgprobe.queries.schema import Schema, load_schema
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Triple
from kgprobe.reasoners.ontology import declarations, entities
from kgprobe.reasoners.protocol import Consistency
from kgprobe.sparql.documents import read_document

ORE = Path(__file__).resolve().parents[2] / "shared" / "data" / "ore"
FILES = ["ore_ont_11619.owl", "ore_ont_9947.owl", "ore_ont_10742.owl"]
PATTERNS = 30
MISTAKES = 3
RUNS = 7
_MADE = "urn:bench:"


def made_ontology(size: int = 5000) -> Schema:
    """A tree of classes with disjoint branches, domains, ranges and restrictions."""
    random = Random(1)
    links = [NamedNode(f"{_MADE}p{n}") for n in range(size // 50)]
    axioms: list[Expression] = []
    classes = [NamedNode(f"{_MADE}C{n}") for n in range(size)]
    for prop in links:
        axioms.append(Expression("ObjectPropertyDomain", prop, random.choice(classes[8:40])))
        axioms.append(Expression("ObjectPropertyRange", prop, random.choice(classes[8:40])))
    axioms.append(Expression("DisjointClasses", *classes[:8]))
    for n in range(8, size):
        axioms.append(Expression("SubClassOf", classes[n], classes[n // 4 if n >= 32 else n % 8]))
        if n % 4 == 0:
            axioms.append(
                Expression(
                    "SubClassOf", classes[n], Expression("ObjectAllValuesFrom", links[n % len(links)], classes[n // 2])
                )
            )
        if len(axioms) >= size:
            break
    document = OntologyDocument(axioms=(*declarations(axioms), *axioms))
    return Schema(Graph(Triple(*statement) for statement in to_triples.triples(document)))


def _patterns(schema: Schema, random: Random) -> list[str]:
    """Patterns in threes: a subject with its class, its object, and the class of that. Some have a wrong class."""
    used = sorted(entities(schema.ontology.axioms), key=str)
    classes = [each for kind, each in used if kind == "Class"]
    links = [each for kind, each in used if kind == "ObjectProperty"] or [NamedNode(f"{_MADE}p")]
    apart = _disjoint_pairs(schema, random)
    found = []
    for n in range(PATTERNS // 3):
        link = random.choice(links)
        starts, ends = ([said.what for said in told] for told in (schema.domains(link), schema.ranges(link)))
        found.append(f"?v{n} a {(starts or [random.choice(classes)])[0]} .")
        found.append(f"?v{n} {link} ?w{n} .")
        found.append(f"?w{n} a {(ends or [random.choice(classes)])[0]} .")
    for n in random.sample(range(PATTERNS // 3), MISTAKES if apart else 0):
        one, other = random.choice(apart)
        found[n * 3] = f"?v{n} a {one} ."
        found[n * 3 + 2] = f"?v{n} a {other} ."
    return found


def _disjoint_pairs(schema: Schema, random: Random) -> list[tuple[NamedNode, NamedNode]]:
    """Classes below two disjoint ones, as far below as stated subclasses lead."""
    below: dict[object, list[NamedNode]] = {}
    stated: list[tuple[NamedNode, ...]] = []
    for axiom in schema.ontology.axioms:
        names = tuple(each for each in axiom.args if type(each) is NamedNode)
        if axiom.head == "SubClassOf" and len(names) == 2:
            below.setdefault(names[1], []).append(names[0])
        elif axiom.head == "DisjointClasses" and len(names) > 1:
            stated.append(names)

    def lowered(name: NamedNode) -> NamedNode:
        for _ in range(random.randrange(4)):
            name = random.choice(below.get(name, [name]))
        return name

    pairs = [random.sample(random.choice(stated), 2) for _ in range(MISTAKES * 3)] if stated else []
    return [(lowered(one), lowered(other)) for one, other in pairs]


def _text(patterns: list[str]) -> str:
    return "SELECT * WHERE {\n" + "\n".join(patterns) + "\n}"


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _whole_check(schema: Schema, engines: Engines) -> float:
    """The seconds of one warm check of the whole ontology."""

    def check() -> object:
        return engines.fast.answer(schema.ontology, [Consistency()])

    return min(_seconds(check) for _ in range(RUNS + 2))


def _as_in_editor(checker: Checker, query: QueryText) -> Report:
    """The check after a keystroke: fixes are made only when the user asks for them."""
    return checker.check_document(read_document(query.text, tolerant=True), query, has_fixes=False)


def _rows(name: str, schema: Schema, engines: Engines) -> Iterator[Row]:
    yardstick = _whole_check(schema, engines)
    first, later, clashes = [], [], 0
    for seed in range(RUNS):
        random = Random(seed)
        patterns = _patterns(schema, random)
        checker = Checker(schema, engines)  # without answers from earlier queries
        query = QueryText.whole("query", _text(patterns))
        first.append(_seconds(lambda checker=checker, query=query: checker.check(query)))  # type: ignore[misc]
        clashes += sum(bool(each.axioms) for each in checker.check(query).diagnostics)
        changed = QueryText.whole("query", _text([*patterns[:-2], patterns[0].replace("?v0", "?v9"), patterns[-1]]))
        later.append(_seconds(lambda checker=checker, query=changed: _as_in_editor(checker, query)))  # type: ignore[misc]
    for what, times, limit in (
        (f"{name}: check of {PATTERNS} patterns, {clashes} contradictions explained in {RUNS}", first, 3.0),
        (f"{name}: after a keystroke", later, 0.5),
    ):
        middle = sorted(times)[len(times) // 2]
        yield Row(what, f"{middle * 1e3:.1f} ms", f"{yardstick * 1e3:.1f} ms", middle / yardstick, limit)


def main() -> None:
    """Print the ratios."""
    engines = Engines()
    try:
        rows = list(_rows("made, 5,000 axioms", made_ontology(), engines))
        for name in FILES if ORE.is_dir() else ():
            rows += _rows(name.removesuffix(".owl"), load_schema([ORE / name]), engines)
    finally:
        engines.close()
    report([*rows, *query_tests.rows()])


if __name__ == "__main__":
    main()
