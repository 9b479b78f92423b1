"""Writes a starter profile for a graph, with comments on other keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgprobe.config.profile import MutationTable
from kgprobe.config.toml import relative, toml_array, toml_string
from kgprobe.formats.imports import imports_of
from kgprobe.mutation.catalogue import SETS
from kgprobe.owl.axioms import AxiomView
from kgprobe.owl.entities import entities
from kgprobe.owl.profiles import Profile, profiles
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode
from kgprobe.wording import number_of

__all__ = ["SCHEMA_FILE", "Start", "starter_profile"]

SCHEMA_FILE = "profile.schema.json"
"""The schema of profiles, for editors; it is in the folder of the profile, so that it works without a network."""

# Reading axioms takes some 50 µs a triple: up to here, a few seconds.
_MOST_TRIPLES = 100_000
# Mutations for one mutant. An ontology has thousands of axioms; of a few facts, many changes would leave nothing.
_SEVERAL, _FEW = 10, 3


@dataclass(frozen=True)
class Start:
    """How the graph was read, as its profile should say it."""

    graph: Path
    format: str | None = None
    base: str | None = None
    imports: Sequence[Path] = ()
    catalogs: Sequence[Path] = ()
    mask: Path | None = None


def starter_profile(graph: Graph, start: Start, folder: Path, *, own: Graph | None = None) -> str:
    """The text of a profile for a graph; `folder` is where it will be.

    `graph` includes all imports, and `own` has only the triples of the file itself.
    """
    mutation = _mutation(graph, graph if own is None else own)
    parts = (_graph(start, folder), mutation, _mask(graph, start, folder), _pins(graph), _output(), _systems())
    # Editors look for the schema in the first line.
    first = f"#:schema {SCHEMA_FILE}"
    second = "# Makes mutants of a graph, and runs software on them. Paths are relative to this file."
    return "\n".join([first, second, *map("\n".join, parts)]) + "\n"


def _graph(start: Start, folder: Path) -> Iterator[str]:
    yield from ("", "[graph]", f"seeds = {toml_array([relative(start.graph, folder)])}")
    yield (f"format = {toml_string(start.format)}" if start.format else '# format = "turtle"  # or detected')
    if start.base:
        yield f"base = {toml_string(start.base)}"
    for key, paths, example in (
        ("imports", start.imports, '["ontologies"]  # folders to search for owl:imports'),
        ("catalogs", start.catalogs, '["catalog-v001.xml"]  # or OASIS XML catalogs'),
    ):
        named = toml_array(relative(path, folder) for path in paths)
        yield f"{key} = {named}" if paths else f"# {key} = {example}"


def _mutation(graph: Graph, own: Graph) -> Iterator[str]:
    chosen, why = _operators(graph, own)
    mutations = _FEW if chosen in ("abox", "generic") else _SEVERAL
    yield from ("", "[mutation]", f"# {why}", f"operators = {toml_array([chosen])}")
    yield from (f"# {toml_string(name)}: {does}" for name, does in SETS.items() if name != chosen)
    yield '# "AddSubClassOf" is one operator, "operators/*.ru" are your own files'
    yield "# weights = { AddSubClassOf = 3 }  # three times as often as the others"
    yield f"mutations = {mutations}  # operators to apply for each mutant"
    yield f"mutants = {MutationTable.mutants}"
    yield 'strategy = "uniform"    # or "coverage": mutants with constructs that no mutant had before'
    yield "seed = 42  # the same number gives the same mutants"
    yield "attempts = 1000  # for each mutant, until the mask admits one"


def _operators(graph: Graph, own: Graph) -> tuple[str, str]:
    """The set of operators for a graph, and the reason for this choice."""
    if not entities(graph).classes:
        return "generic", "The graph has no classes."
    said = entities(own)
    if len(said.individuals) > len(said.classes):
        counts = f"{number_of(len(said.individuals), 'individual')} and {number_of(len(said.classes), 'class')}"
        return "abox", f"The graph has {counts}: these operators change individuals only."
    if len(graph) > _MOST_TRIPLES:
        return "owl-el", "The graph is large, so its OWL profile was not checked. These operators stay in OWL 2 EL."
    inside = profiles(AxiomView(graph))
    if Profile.EL in inside:
        return "owl-el", "The graph is in the profile OWL 2 EL. These operators keep it there."
    if Profile.DL in inside:
        return "owl-dl", "The graph is in OWL 2 DL."
    return "owl-dl", "The graph has OWL classes, but is not in OWL 2 DL ('kgprobe info' shows profiles)."


def _mask(graph: Graph, start: Start, folder: Path) -> Iterator[str]:
    yield from ("", "[mask]  # which mutants are admissible; without any condition, all are")
    if start.mask is None:
        yield '# shapes = ["shapes.ttl"]  # SHACL'
    else:
        yield f"shapes = {toml_array([relative(start.mask, folder)])}  # SHACL, from the axioms of the graph"
    yield '# queries = ["has-task.rq"]  # SPARQL ASK queries that must be true'
    if entities(graph).classes:
        yield '# reasoner = "auto"  # mutants must be consistent'


def _pins(graph: Graph) -> Iterator[str]:
    yield from ("", "[pins]  # triples that no operator may touch")
    yield '# files = ["fixed.ttl"]  # triples that stay'
    namespaces = _imported_namespaces(graph)
    named = f"namespaces = {toml_array(namespaces)}" if namespaces else '# namespaces = ["ex:"]'
    yield f"{named}    # triples with a subject in these stay: IRIs, or prefixes of the graph"
    yield f"{'' if imports_of(graph) else '# '}imports = true  # all triples of imported files stay"


def _imported_namespaces(graph: Graph) -> list[str]:
    """The namespaces of imported ontologies, of those whose names the graph uses."""
    candidates = {
        iri.value if iri.value.endswith(("#", "/")) else iri.value + end for iri in imports_of(graph) for end in "#/"
    }
    used = {
        candidate
        for term in graph.terms()
        if isinstance(term, NamedNode)
        for candidate in candidates
        if term.value.startswith(candidate) and term.value != candidate
    }
    return sorted(used)


def _output() -> Iterator[str]:
    yield from ("", "[output]", 'folder = "mutants"')
    yield 'format = "ttl"  # or nt, nq, trig, rdf, jsonld, ofn'
    yield 'write = "graphs"   # or the changes: "patches", "updates" (SPARQL)'


def _systems() -> Iterator[str]:
    yield from (
        "",
        "# The systems that 'kgprobe test' runs on each mutant. A crash or a timeout always counts as a failure.",
    )
    yield "# [[systems]]"
    yield '# name = "planner"'
    yield '# command = ["bin/planner", "{graph}"]  # or reasoner = "elk", http = "http://…", sparql = "http://…"'
    yield "# seconds = 60"
    yield "# memory-mb = 2048"
    yield ""
    yield "# [oracle]"
    yield "# same-as-seed = true  # the answer must be the same as on the seed graph"
    yield "# runs = 5  # for a system with randomness: the majority decides"
    yield ""
    yield "# [python]  # functions in Python files, which are run"
    yield '# systems = [{ function = "robot.py:inspect" }]'
    yield '# oracle = "judge.py:is_right"'
