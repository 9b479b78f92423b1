"""The time to select tests after an ontology has changed: `python -m bench.selection`.

The whole `kgprobe select` command is compared with parsing the two versions with the parser that it uses: on two
versions of the Gene Ontology with seven query templates for 500 terms each, and on a tree of 105,000 classes, as large
as the ontology of a clinical data warehouse, with 1,331 tests. AFFECT is compared with a brute-force computation of all
sets of descendants. `kgprobe diff` is compared with `runoak diff` of oaklib, if installed: pass its path with --runoak.
"""

from __future__ import annotations

import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from bench.measure import Row, report
from kgprobe.entailment.class_hierarchy import class_edges
from kgprobe.formats.files import load
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode, Term
from kgprobe.selection.paper.model import ontology_graph
from kgprobe.selection.paper.planning import affected

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
GO = (SHARED / "go" / "go-2022-07.obo.gz", SHARED / "go" / "go-2024.obo.gz")
HPO = (SHARED / "hpo" / "hp-2021.obo.gz", SHARED / "hpo" / "hp-2025.obo.gz")
RUNS = 5
TERMS, TREE_CLASSES, TREE_TESTS, TREE_CHANGES = 500, 105_000, 1_331, 10_000
MOST_MEMORY = 1.5  # GB

PROLOGUE = """PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX obo: <http://purl.obolibrary.org/obo/>
PREFIX gaf: <http://example.org/annotations#>
"""
TEMPLATES = {
    "label": "SELECT ?label WHERE { %s rdfs:label ?label }",
    "descendants": "SELECT ?term ?label WHERE { ?term rdfs:subClassOf* %s ; rdfs:label ?label }",
    "ancestors": "SELECT ?term WHERE { %s rdfs:subClassOf+ ?term }",
    "children": """SELECT ?term ?label WHERE {
  ?term rdfs:subClassOf %s
  OPTIONAL { ?term rdfs:label ?label FILTER(STRLEN(?label) > 3) }
}""",
    "part-of": """SELECT ?term WHERE {
  ?term rdfs:subClassOf [ owl:onProperty obo:BFO_0000050 ; owl:someValuesFrom %s ]
}""",
    "products": """SELECT (COUNT(DISTINCT ?gene) AS ?genes) WHERE {
  ?gene gaf:annotatedTo ?term .
  ?term rdfs:subClassOf* %s
}""",
    "unannotated": """SELECT ?term WHERE {
  ?term rdfs:subClassOf+ %s
  FILTER NOT EXISTS { ?gene gaf:annotatedTo ?term }
}""",
}

SQL = "SELECT COUNT(DISTINCT patient) FROM facts JOIN paths USING (concept) WHERE ancestor IN (%s);\n"


@dataclass(frozen=True)
class Used:
    """Processor seconds, memory and output of a process."""

    seconds: float
    gigabytes: float
    output: str


def measured(*command: str) -> Used:
    """Run a command several times, and keep the fastest run."""
    return min((_measured(*command) for _ in range(RUNS)), key=lambda used: used.seconds)


def _measured(*command: str) -> Used:
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE)  # noqa: S603 - commands of ours
        error = process.stderr.read().decode() if process.stderr else ""
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode > 1:
            raise SystemExit(f"{' '.join(command)}: {error}")
        output.seek(0)
        return Used(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20, output.read().decode())


def kgprobe(*arguments: object) -> Used:
    return measured(sys.executable, "-m", "kgprobe", *map(str, arguments))


PARSING = """import sys, time
from kgprobe.formats.files import load
start = time.process_time()
graphs = [load(path) for path in sys.argv[1:]]
print(time.process_time() - start)
"""


def rows_for(what: str, pair: Sequence[Path], tests: Path) -> Iterator[Row]:
    """Compare both modes with parsing, on a pair of versions. They run in turn, since the load of a machine varies."""
    arguments = ("-m", "kgprobe", "select", *map(str, pair), "--tests", str(tests), "--mode")
    runs: dict[str, list[Used]] = {"safe": [], "paper": []}
    parsing = []
    for _ in range(RUNS):
        parsing.append(float(_measured(sys.executable, "-c", PARSING, *map(str, pair)).output))
        for mode, done in runs.items():
            done.append(_measured(sys.executable, *arguments, mode))
    yardstick = min(parsing)
    for mode, done in runs.items():
        used = min(done, key=lambda each: each.seconds)
        name = f"{what}, {mode}: {used.output.partition(' to run')[0]}"
        yield Row(name, f"{used.seconds:.2f} s", f"{yardstick:.2f} s", used.seconds / yardstick, 2.5)
        gigabytes = max(each.gigabytes for each in done)
        yield Row(f"{what}, {mode}: memory", f"{gigabytes:.2f} GB", f"{MOST_MEMORY} GB", gigabytes, MOST_MEMORY)


# -- the Gene Ontology -------------------------------------------------------------------------------------------------


def write_queries(folder: Path) -> None:
    """Seven templates, each for different terms."""
    graph = load(GO[0]).graph
    terms = sorted(term.value for term in _classes(graph) if "/GO_" in term.value)
    for number, (name, template) in enumerate(TEMPLATES.items()):
        for term in Random(number).sample(terms, TERMS):
            identifier = term.rpartition("/")[2]
            query = f"{PROLOGUE}\n{template % f'obo:{identifier}'}\n"
            (folder / f"{name}-{identifier}.rq").write_text(query, encoding="utf-8")


def _classes(graph: Graph) -> Iterable[Term]:
    return (term for term in class_edges(graph).classes if isinstance(term, NamedNode))


# -- a tree ------------------------------------------------------------------------------------------------------------


def write_tree(folder: Path) -> tuple[Path, Path]:
    """Two versions of a tree of classes: some are moved, some removed, some added."""
    random = Random(7)
    parents = {n: random.randrange(max(n // 10 - 50, 0), n // 5 + 1) if n > 20 else 0 for n in range(1, TREE_CLASSES)}
    changed = dict(parents)
    has_children = set(parents.values())
    leaves = [n for n in parents if n not in has_children]
    for n in random.sample(leaves, TREE_CHANGES):
        del changed[n]
    for n in random.sample(sorted(changed), TREE_CHANGES):
        if n > 20:
            changed[n] = random.randrange(n // 5 + 1)
    changed |= {TREE_CLASSES + n: random.randrange(TREE_CLASSES // 5) for n in range(TREE_CHANGES)}
    return _write_tree(folder / "old.owl", parents), _write_tree(folder / "new.owl", changed)


def _write_tree(path: Path, parents: dict[int, int]) -> Path:
    present = {0, *parents}
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#"'
            ' xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">\n<owl:Ontology rdf:about="http://example.org/tree"/>\n'
        )
        for n in sorted(present):
            above = parents.get(n)
            parent = "" if above is None else f'<rdfs:subClassOf rdf:resource="http://example.org/tree#C{above}"/>'
            label = f"<rdfs:label>Concept {n}</rdfs:label>"
            file.write(f'<owl:Class rdf:about="http://example.org/tree#C{n}">{label}{parent}</owl:Class>\n')
        file.write("</rdf:RDF>\n")
    return path


def write_tree_tests(folder: Path) -> None:
    """Tests as in a data warehouse: counts of patients with a concept, or with anything below it."""
    random = Random(11)
    for number in range(TREE_TESTS):
        terms = [random.randrange(TREE_CLASSES) for _ in range(random.choice([1, 1, 2, 3]))]
        names = ", ".join(f"'Concept {n}'" for n in terms)
        query = SQL % names
        (folder / f"count-{number:04}.sql").write_text(query, encoding="utf-8")


# -- brute force -------------------------------------------------------------------------------------------------------


def affected_classes(pair: Sequence[Path]) -> tuple[set[Term], set[Term]]:
    """The classes in AFFECT, and those that brute force finds."""
    graphs = [load(path).graph for path in pair]
    edges = [class_edges(graph) for graph in graphs]
    sets = affected(*(ontology_graph(graph, found) for graph, found in zip(graphs, edges, strict=True)))
    ours = {entity.source for entity in sets.affect if entity.label is None}
    numbers: dict[Term, int] = {}
    for found in edges:
        for term in (*found.classes, *(end for edge in found.edges for end in edge)):
            numbers.setdefault(term, len(numbers))
    old, new = (_descendants(found.edges, numbers) for found in edges)
    in_new = set(edges[1].classes)
    return ours, {term for term in edges[0].classes if term not in in_new or old[numbers[term]] != new[numbers[term]]}


def _descendants(edges: Iterable[tuple[Term, Term]], numbers: dict[Term, int]) -> list[int]:
    """The classes below each, as the bits of a number: passed up until nothing changes."""
    below = [0] * len(numbers)
    pairs = sorted({(numbers[lower], numbers[upper]) for lower, upper in edges if lower != upper})
    uppers: dict[int, list[int]] = {}
    for lower, upper in pairs:
        uppers.setdefault(lower, []).append(upper)
    pending = list(range(len(numbers)))
    while pending:
        lower = pending.pop()
        reached = below[lower] | 1 << lower
        for upper in uppers.get(lower, ()):
            if below[upper] | reached != below[upper]:
                below[upper] |= reached
                pending.append(upper)
    return [bits & ~(1 << number) for number, bits in enumerate(below)]


def check_affect(what: str, pair: Sequence[Path]) -> None:
    ours, brute = affected_classes(pair)
    verdict = "ok" if ours == brute else f"MISSED: {len(ours ^ brute):,} differ"
    print(f"AFFECT of {what}: {len(ours):,} classes; brute force: {len(brute):,}  {verdict}", flush=True)


# -- runoak ------------------------------------------------------------------------------------------------------------


def diff_row(runoak: str, folder: Path) -> Row:
    plain = []
    for path in HPO:
        plain.append(folder / path.name.removesuffix(".gz"))
        plain[-1].write_bytes(gzip.decompress(path.read_bytes()))
    ours = kgprobe("diff", *plain)
    theirs = _measured(runoak, "-i", f"simpleobo:{plain[0]}", "diff", "-X", f"simpleobo:{plain[1]}")
    name = "kgprobe diff, HPO 2021 and 2025, against runoak diff"
    return Row(
        name, f"{ours.seconds:.2f} s", f"{theirs.seconds:.1f} s", theirs.seconds / ours.seconds, 10, at_least=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--runoak", default=shutil.which("runoak"), help="the program of oaklib")
    given = parser.parse_args()
    if not GO[0].exists():
        raise SystemExit(f"the ontologies do not exist: {GO[0]}")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        queries, tree, sql = (Path(folder) / name for name in ("queries", "tree", "sql"))
        for each in (queries, tree, sql):
            each.mkdir()
        write_queries(queries)
        write_tree_tests(sql)
        pair = write_tree(tree)
        rows += rows_for("Gene Ontology", GO, queries)
        rows += rows_for("tree of 105,000", pair, sql)
        if given.runoak:
            rows.append(diff_row(given.runoak, tree))
        report(rows)
        check_affect("the Gene Ontology", GO)
        check_affect("the tree", pair)
    if not given.runoak:
        print("runoak is not installed: pip install oaklib, and name it with --runoak")


if __name__ == "__main__":
    main()
