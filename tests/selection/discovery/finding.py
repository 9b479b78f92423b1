"""Support for the tests of discovery: a small pizza ontology, and a search for the tests in given files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import OWL, RDF, RDFS, Literal, NamedNode, Namespace, Term, Triple
from kgprobe.selection.discovery.finder import find_tests
from kgprobe.selection.discovery.search import FinderOptions
from kgprobe.selection.tests import Suite, TermUse, Test
from kgprobe.selection.vocabulary import Vocabulary
from kgprobe.sparql.uses import AnyUse, PathUse, TripleUse

EX = Namespace("http://example.org/pizza#")
OBO = Namespace("http://purl.obolibrary.org/obo/")
SKOS = Namespace("http://www.w3.org/2004/02/skos/core#")
OBO_ID = NamedNode("http://www.geneontology.org/formats/oboInOwl#id")

_CLASSES = ("Pizza", "VeggiePizza", "Margherita", "MushroomPizza", "Food", "Mozzarella", "hasTopping")


def pizzas() -> Graph:
    """Some classes. Three have labels, two of which are the same. One has an OBO identifier."""
    triples = [Triple(EX[name], RDF.type, OWL.Class) for name in _CLASSES]
    triples += [
        Triple(EX.VeggiePizza, RDFS.subClassOf, EX.Pizza),
        Triple(EX.Pizza, RDFS.label, Literal("Pizza pie", language="en")),
        Triple(EX.Margherita, RDFS.label, Literal("Twin's pizza")),
        Triple(EX.MushroomPizza, SKOS.prefLabel, Literal("Twin's pizza")),
        Triple(OBO.GO_0008150, RDFS.label, Literal("biological process")),
        Triple(EX.Food, OBO_ID, Literal("FOOD:1")),
    ]
    return Graph(triples, spelling=Spelling({"ex": EX.iri}))


def vocabulary() -> Vocabulary:
    return Vocabulary.of(pizzas())


def find(folder: Path, files: Mapping[str, str | bytes], **options: Any) -> Suite:
    """Write some files, and find the tests in them."""
    write(folder, files)
    return find_tests([folder], vocabulary(), FinderOptions(root=folder, **options))


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


def only(suite: Suite) -> Test:
    """The one test of a suite."""
    [test] = suite.tests
    check_mentions(suite)
    return test


def check_mentions(suite: Suite) -> None:
    """Every mention of a term matches the text of its file."""
    for test in suite.tests:
        for mention in test.mentions:
            text = mention.file.read_bytes().decode()
            assert text[mention.start : mention.end] == mention.written, mention


def terms(test: Test) -> set[str]:
    """The short names of all terms that a test uses; `*` if it uses every triple."""
    found: set[str] = set()
    for use in (*test.uses, *test.terms):
        match use:
            case TermUse():
                found.add(short(use.term))
            case TripleUse():
                slots = (use.subject, use.predicate, use.object)
                found |= {short(term) for slot in slots for term in slot.terms or ()}
            case PathUse():
                found |= {short(term) for slot in (use.subject, use.object) for term in slot.terms or ()}
                found |= {short(predicate) for predicate, _ in use.edges}
            case AnyUse():
                found.add("*")
    return found


def short(term: Term) -> str:
    return term.value.rpartition("#")[2].rpartition("/")[2]
