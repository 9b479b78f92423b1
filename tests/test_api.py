"""The public interface: every name exists, is documented and typed, and costs nothing until it is used."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pyoxigraph
import pytest
import rdflib
from hypothesis import given
from support.strategies import graphs

import kgprobe
from kgprobe.rdf.canonical import isomorphic
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import XSD, BlankNode, Literal, NamedNode, Triple

_ROOT = Path(__file__).resolve().parents[1]
_PAGE = (_ROOT / "docs" / "reference" / "api.md").read_text(encoding="utf-8")
_NAMES = sorted(set(kgprobe.__all__) - {"__version__"})
EX = "https://example.org/"


def _triple(text: str, *, language: str | None = None, datatype: str | None = None) -> Triple:
    if language is not None:
        literal = Literal(text, language=language)
    else:
        literal = Literal(text, datatype=None if datatype is None else NamedNode(datatype))
    return Triple(NamedNode(f"{EX}s"), NamedNode(f"{EX}p"), literal)


@pytest.mark.parametrize("name", _NAMES)
def test_each_name_exists_and_is_documented(name: str) -> None:
    value = getattr(kgprobe, name)
    assert value.__doc__
    assert re.search(rf"`(?:kgprobe\.)?{name}s?\b", _PAGE), name


def test_only_the_listed_names_are_public() -> None:
    assert len(_NAMES) == 36
    assert dir(kgprobe) == sorted(kgprobe.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = kgprobe.nothing


def test_functions_are_functions_whatever_was_imported_before() -> None:
    """A package with the name of a function would take its place as soon as something imports the package."""
    script = "import pkgutil, kgprobe; names = [m.name for m in pkgutil.iter_modules(kgprobe.__path__)];"
    script += " print(sorted(set(names) & set(kgprobe.__all__)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == "[]\n"


def test_importing_kgprobe_imports_nothing_else() -> None:
    script = "import kgprobe, sys; print([name for name in sys.modules if name.startswith(('kgprobe.', 'pyoxi'))])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout == "['kgprobe.version']\n"


def test_the_package_is_marked_as_typed() -> None:
    assert (Path(kgprobe.__file__).parent / "py.typed").is_file()


@given(graphs)
def test_a_round_trip_through_rdflib(graph: Graph) -> None:
    again = kgprobe.from_rdflib(kgprobe.to_rdflib(graph))
    assert again == graph


@given(graphs)
def test_a_round_trip_through_pyoxigraph(graph: Graph) -> None:
    assert kgprobe.from_pyoxigraph(kgprobe.to_pyoxigraph(graph)) == graph
    quads = [pyoxigraph.Quad(each.subject, each.predicate, each.object) for each in graph]
    assert kgprobe.from_pyoxigraph(pyoxigraph.Dataset(quads)) == graph


@pytest.mark.parametrize(
    "triple",
    [
        _triple("01", datatype=XSD.integer.value),
        _triple("1.00", datatype=XSD.decimal.value),
        _triple("TRUE", datatype=XSD.boolean.value),
        _triple("2001-02-30", datatype=XSD.date.value),
        _triple("a\r\nb"),
        _triple("x", language="en-gb"),
        _triple("<a/>", datatype="http://www.w3.org/1999/02/22-rdf-syntax-ns#XMLLiteral"),
        Triple(BlankNode("b7"), NamedNode(f"{EX}p"), BlankNode("b7")),
    ],
)
def test_rdflib_changes_no_term(triple: Triple) -> None:
    theirs = kgprobe.to_rdflib(Graph([triple]))
    assert len(theirs) == 1
    assert list(kgprobe.from_rdflib(theirs)) == [triple]


def test_language_tags_keep_their_case(tmp_path: Path) -> None:
    file = tmp_path / "tags.ttl"
    file.write_text('<urn:s> <urn:p> "x"@en-GB .')
    theirs = kgprobe.to_rdflib(kgprobe.load(file))
    [(_, _, literal)] = theirs
    assert isinstance(literal, rdflib.Literal)
    assert literal.language == "en-GB"
    assert kgprobe.from_rdflib(theirs).spelling.language_tags == {"en-gb": "en-GB"}


def test_prefixes_are_converted() -> None:
    theirs = rdflib.Graph(bind_namespaces="none")
    theirs.bind("ex", EX)
    theirs.add((rdflib.URIRef(f"{EX}s"), rdflib.URIRef(f"{EX}p"), rdflib.Literal(1)))
    ours = kgprobe.from_rdflib(theirs)
    assert ours.spelling.prefixes["ex"] == EX
    assert dict(kgprobe.to_rdflib(ours).namespaces())["ex"] == rdflib.URIRef(EX)


def test_rdflib_may_contain_triples_that_are_not_rdf() -> None:
    theirs = rdflib.Graph()
    theirs.add((rdflib.Literal("a subject"), rdflib.URIRef(f"{EX}p"), rdflib.Literal(1)))
    with pytest.raises(kgprobe.InputError, match="not an RDF triple"):
        kgprobe.from_rdflib(theirs)
    theirs = rdflib.Graph()
    theirs.add((rdflib.URIRef("not an IRI"), rdflib.URIRef(f"{EX}p"), rdflib.Literal(1)))
    with pytest.raises(kgprobe.InputError, match="not an RDF term"):
        kgprobe.from_rdflib(theirs)


def test_a_mask_with_a_reasoner_and_its_reasons() -> None:
    text = """@prefix : <urn:x:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    :A a owl:Class ; owl:disjointWith :B . :B a owl:Class . :x a :A , :B , owl:NamedIndividual ."""
    graph = kgprobe.from_pyoxigraph(pyoxigraph.parse(text.encode(), format=pyoxigraph.RdfFormat.TURTLE))
    mask = kgprobe.read_mask(reasoner="auto")
    [rejection] = kgprobe.check(graph, mask)
    assert "inconsistent" in rejection.words
    assert kgprobe.consistent(graph) is False
    reason = kgprobe.explain(graph)
    assert reason is not None
    assert reason.is_minimal
    assert sorted(axiom.partition("(")[0] for axiom in reason.axioms) == [
        "ClassAssertion",
        "ClassAssertion",
        "DisjointClasses",
    ]
    assert len(reason.words) == 3


def test_mutants_are_those_of_the_command_line(tmp_path: Path) -> None:
    from support.commands import kgprobe as command

    seed = _ROOT / "docs" / "files" / "cafe.ttl"
    asked = ["--operators", "abox", "--mutations", "4", "--count", "6", "--seed", "9", "--out", str(tmp_path)]
    assert command("mutate", seed, *asked).returncode == 0
    mutants = list(kgprobe.mutants(kgprobe.load(seed), "abox", mutations=4, count=6, seed=9))
    written = [kgprobe.load(file) for file in sorted(tmp_path.glob("*.ttl"))]
    assert len(written) == 6
    assert all(isomorphic(mutant.graph, file) for mutant, file in zip(mutants, written, strict=True))


def test_errors_are_reported_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(kgprobe.InputError, match="did you mean 'abox'"):
        kgprobe.operators("aboxx")
    with pytest.raises(kgprobe.InputError, match="no operators to draw from"):
        kgprobe.mutants(kgprobe.Graph(), [])
    graph = kgprobe.load(_ROOT / "docs" / "files" / "cafe.ttl")
    with pytest.raises(kgprobe.InputError, match="there is no regime 'owl'"):
        kgprobe.select(graph, graph, tmp_path, regime="owl")
    with pytest.raises(kgprobe.InputError, match="is not a folder"):
        kgprobe.load(_ROOT / "docs" / "files" / "cafe.ttl", imports=[tmp_path / "nowhere"])
    with pytest.raises(kgprobe.InputError):
        kgprobe.reduce(graph, lambda _: False)


@pytest.mark.parametrize(
    ("missing", "use"),
    [("rdflib", "kgprobe.to_rdflib(kgprobe.Graph())"), ("hypothesis", "import kgprobe.strategies")],
)
def test_a_missing_extra_is_one_line_with_the_command_that_installs_it(missing: str, use: str) -> None:
    script = f"import sys, kgprobe\nsys.modules[{missing!r}] = None\n{use}\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(f"(pip install 'kgprobe[{missing}]')"), done.stderr


def test_a_file_is_replaced_only_with_force(tmp_path: Path) -> None:
    graph = kgprobe.load("docs/files/cafe.ttl")
    kgprobe.save(graph, tmp_path / "copy.ttl")
    with pytest.raises(kgprobe.KgprobeError, match=r"copy\.ttl: already exists \(force=True replaces it\)"):
        kgprobe.save(graph, tmp_path / "copy.ttl")
    kgprobe.save(graph, tmp_path / "copy.ttl", force=True)
