"""Selection of tests in SQL against a warehouse that was really loaded: `python -m bench.warehouse`.

Two versions of an ontology are loaded into DuckDB by an ETL in SQL, which shares no code with kgprobe. Seven templates
with 500 terms each, as in the paper, run on both. Tests whose results differ must be selected: with a profile of the
tables, and without one. The paper's algorithm selects from the same tests. The time is that of comparing the versions
and selecting, as a multiple of reading both files.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from bench.selection import GO, HPO
from kgprobe.config.warehouse import warehouse_in
from kgprobe.entailment.closure import entailed_change
from kgprobe.entailment.rules import Regime
from kgprobe.formats.files import load
from kgprobe.rdf.diff import Versions, aligned
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import collection_paused
from kgprobe.rdf.terms import OWL, RDF, BlankNode, Literal, NamedNode, Term
from kgprobe.selection.discovery.sql_files import SQL, SqlTexts
from kgprobe.selection.impact import select
from kgprobe.selection.paper.planning import covered_entities, paper_plan
from kgprobe.selection.sql.catalogue import Catalogue
from kgprobe.selection.tests import Suite, Test
from kgprobe.selection.vocabulary import Vocabulary

if TYPE_CHECKING:
    import duckdb

TERMS = 500
GENES = 20_000

SCHEMA = """
CREATE TABLE term (id INTEGER PRIMARY KEY, acc VARCHAR UNIQUE NOT NULL, name VARCHAR);
CREATE TABLE term2term (term1_id INTEGER, term2_id INTEGER, relation VARCHAR);
CREATE TABLE graph_path (term1_id INTEGER, term2_id INTEGER, distance INTEGER);
CREATE TABLE association (gene VARCHAR, acc VARCHAR);
"""
ETL = """
INSERT INTO term
SELECT row_number() OVER (ORDER BY s), replace(regexp_extract(s, '[^/#]*$'), '_', ':'), any_value(label ORDER BY label)
FROM (SELECT DISTINCT s FROM triples WHERE p = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'
      AND o = 'http://www.w3.org/2002/07/owl#Class' AND s NOT LIKE '\\_:%' ESCAPE '\\')
LEFT JOIN (SELECT s AS named, o AS label FROM triples WHERE p = 'http://www.w3.org/2000/01/rdf-schema#label')
ON named = s GROUP BY s;
CREATE TABLE ids AS SELECT id, s AS iri FROM term JOIN (SELECT DISTINCT s FROM triples WHERE s LIKE 'http%')
ON acc = replace(regexp_extract(s, '[^/#]*$'), '_', ':');
INSERT INTO term2term
SELECT DISTINCT upper.id, lower.id, 'is_a' FROM triples JOIN ids lower ON lower.iri = s JOIN ids upper ON upper.iri = o
WHERE p = 'http://www.w3.org/2000/01/rdf-schema#subClassOf';
INSERT INTO term2term
SELECT DISTINCT upper.id, lower.id, regexp_extract(property.o, '[^/#]*$')
FROM triples JOIN ids lower ON lower.iri = s
JOIN triples property ON property.s = triples.o AND property.p = 'http://www.w3.org/2002/07/owl#onProperty'
JOIN triples filler ON filler.s = triples.o AND filler.p = 'http://www.w3.org/2002/07/owl#someValuesFrom'
JOIN ids upper ON upper.iri = filler.o
WHERE triples.p = 'http://www.w3.org/2000/01/rdf-schema#subClassOf';
INSERT INTO graph_path
WITH RECURSIVE path (upper, lower, distance) AS (
  SELECT id, id, 0 FROM term
  UNION
  SELECT edge.term1_id, path.lower, path.distance + 1 FROM path JOIN term2term edge ON edge.term2_id = path.upper
)
SELECT upper, lower, min(distance) FROM path GROUP BY upper, lower;
"""
PROFILE = """
[warehouse]
data = ["association"]
[warehouse.tables.term]
rows = "terms"
of = "classes"
columns = { id = "term key", acc = "term", name = "rdfs:label" }
[warehouse.tables.term2term]
rows = "edges"
columns = { term1_id = "upper key", term2_id = "term key", relation = "relation" }
[warehouse.tables.graph_path]
rows = "closure"
of = "classes"
reflexive = true
columns = { term1_id = "upper key", term2_id = "term key", distance = "distance" }
"""
TEMPLATES = {
    "label": "SELECT name FROM term WHERE acc = '%s';",
    "descendants": """SELECT DISTINCT lower.acc, lower.name FROM term upper
JOIN graph_path ON upper.id = graph_path.term1_id JOIN term lower ON lower.id = graph_path.term2_id
WHERE upper.acc = '%s' AND distance <> 0;""",
    "ancestors": """SELECT DISTINCT upper.acc, upper.name, distance FROM term lower
JOIN graph_path ON lower.id = graph_path.term2_id JOIN term upper ON upper.id = graph_path.term1_id
WHERE lower.acc = '%s';""",
    "children": """SELECT child.acc, child.name FROM term parent
JOIN term2term ON parent.id = term2term.term1_id JOIN term child ON child.id = term2term.term2_id
WHERE parent.acc = '%s';""",
    "part-of": """SELECT part.acc, part.name FROM term whole
JOIN term2term ON whole.id = term2term.term1_id JOIN term part ON part.id = term2term.term2_id
WHERE whole.acc = '%s' AND term2term.relation = 'part_of';""",
    "products": """SELECT COUNT(DISTINCT association.gene) FROM term upper
JOIN graph_path ON upper.id = graph_path.term1_id JOIN term lower ON lower.id = graph_path.term2_id
JOIN association ON association.acc = lower.acc
WHERE upper.acc = '%s';""",
    "unannotated": """SELECT lower.acc FROM term upper
JOIN graph_path ON upper.id = graph_path.term1_id JOIN term lower ON lower.id = graph_path.term2_id
WHERE upper.acc = '%s' AND NOT EXISTS (SELECT 1 FROM association WHERE association.acc = lower.acc);""",
}


@dataclass(frozen=True)
class Figures:
    """What selection did for one pair of versions, with or without a profile."""

    what: str
    changed: int
    selected: int
    missed: int
    ratio_of_time: float

    def __str__(self) -> str:
        share = self.selected / self.changed if self.changed else 0.0
        return (
            f"{self.what:<34}{self.changed:>9,}{self.selected:>10,}{share:>9.2f}{self.missed:>8,}"
            f"{self.ratio_of_time:>9.2f}"
        )


def loaded(graph: Graph, genes: Sequence[tuple[str, str]]) -> duckdb.DuckDBPyConnection:
    """A database with one version, filled by the ETL."""
    import duckdb

    database = duckdb.connect()
    with tempfile.TemporaryDirectory() as folder:
        for name, rows in (("triples", _rows(graph)), ("genes", genes)):
            with (Path(folder) / name).open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(rows)
        database.execute(
            f"CREATE TABLE triples AS FROM read_csv('{folder}/triples', header = false, all_varchar = true,"
            " names = ['s', 'p', 'o'], max_line_size = 10000000)"
        )
        database.execute(SCHEMA)
        database.execute(ETL)
        if genes:
            database.execute(f"INSERT INTO association FROM read_csv('{folder}/genes', header = false)")
    return database


def _rows(graph: Graph) -> Iterator[tuple[str, str, str]]:
    for subject, predicate, object_ in zip(*graph.columns(), strict=True):
        yield _text(subject), predicate.value, _text(object_)


def _text(term: Term) -> str:
    """A blank node or a literal starts with a sign that no IRI starts with."""
    sign = "_:" if isinstance(term, BlankNode) else "'" if isinstance(term, Literal) else ""
    return sign + term.value


def results(database: duckdb.DuckDBPyConnection, tests: Sequence[Test]) -> list[Counter[tuple[object, ...]]]:
    """The rows that each test returns; which comes first does not matter."""
    return [Counter(database.execute(test.queries[0]).fetchall()) for test in tests]


def suite(graph: Graph, other: Graph) -> list[Test]:
    """The templates, each with terms of the old version."""
    is_a, class_ = graph.key(RDF.type), graph.key(OWL.Class)
    names = (graph.term(key) for key in graph.subjects(is_a, class_))
    terms = sorted(term.value for term in names if isinstance(term, NamedNode))
    texts = SqlTexts(Vocabulary.of(other, graph), Catalogue.of([("schema.sql", SCHEMA)], "duckdb"), "duckdb")
    tests = []
    for number, (name, template) in enumerate(TEMPLATES.items()):
        for iri in Random(number).sample(terms, TERMS):
            acc = iri.rpartition("/")[2].replace("_", ":")
            text = template % acc
            read = texts.read(text)
            tests.append(Test(f"{name}-{acc}", SQL, read.uses, read.unseen, queries=(text,), terms=read.terms))
    return tests


def paper_rows(what: str, versions: Versions, tests: list[Test], changed: set[str], reading: float) -> None:
    """The row of the paper's Table 5, the time of its algorithm, and the coverage of the tests as in its Table 3."""
    start = time.process_time()
    with collection_paused():
        found = paper_plan(versions, Suite(tuple(tests)))
    taken = time.process_time() - start
    chosen = {each.test.name for each in found.plan.chosen}
    covered = covered_entities(tests, versions.old)
    sets = found.sets
    print(
        f"{what}, the paper's algorithm: ADD {len(sets.add):,}, DELETE {len(sets.delete):,}, "
        f"AFFECT {len(sets.affect):,}; "
        f"{len(chosen):,} of {len(tests):,} tests ({len(chosen) / len(tests):.2%}), {len(changed - chosen):,} missed; "
        f"{taken:.2f} s ({taken / reading:.2f}); coverage {covered.percent:.2f} % of {covered.classes:,} classes and "
        f"{covered.properties_and_restrictions:,} properties and restrictions"
    )


def figures(what: str, pair: Sequence[Path]) -> Iterator[Figures]:
    with collection_paused():
        start = time.process_time()
        graphs = [load(path).graph for path in pair]
        reading = time.process_time() - start
        tests = suite(*graphs)
        versions = aligned(*graphs)
    accs = sorted({test.name.partition("-")[2] for test in tests})
    genes = [(f"g{number}", Random(number).choice(accs)) for number in range(GENES)]
    answers = [results(loaded(graph, genes), tests) for graph in graphs]
    changed = {test.name for test, old, new in zip(tests, *answers, strict=True) if old != new}
    paper_rows(what, versions, tests, changed, reading)
    for described in ("with a profile", "without"):
        with collection_paused():
            start = time.process_time()
            profile = warehouse_in(PROFILE, "profile") if described != "without" else None
            found = select(
                Suite(tuple(tests)),
                Regime.NONE,
                lambda regime: entailed_change(versions.old, versions.new, regime),
                profile,
            )
            taken = time.process_time() - start
        chosen = {each.test.name for each in found.selected}
        yield Figures(f"{what}, {described}", len(changed), len(chosen), len(changed - chosen), taken / reading)
        for name in TEMPLATES:
            counts = [
                sum(each.startswith(f"{name}-") for each in group) for group in (changed, chosen, changed - chosen)
            ]
            print(f"    {name:<14}{counts[0]:>6} changed{counts[1]:>6} selected{counts[2]:>6} missed")
        unclear = [each.test for each in found.selected if each.test.unseen]
        if unclear:
            print(f"    {len(unclear)} cannot be analysed: {unclear[0].unseen[0]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.parse_args()
    if not GO[0].exists():
        raise SystemExit(f"the ontologies do not exist: {GO[0]}")
    rows = [row for what, pair in (("GO 2022-2024", GO), ("HPO 2021-2025", HPO)) for row in figures(what, pair)]
    print(f"{'':<34}{'changed':>9}{'selected':>10}{'share':>9}{'missed':>8}{'time':>9}")
    for row in rows:
        print(row)
    print(
        "wanted: share at most 1.3 with a profile and 3 without; none missed; time at most 2, where reading both is 1"
    )


if __name__ == "__main__":
    main()
