"""Mutants as files: patches and updates for other tools, and a manifest for reproducing them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Quad, RdfFormat, Store, parse
from support.turtle import graph_in

from kgprobe.errors import InputError
from kgprobe.formats.catalogue import by_name
from kgprobe.formats.files import load
from kgprobe.mutation.catalogue import named, operator_set
from kgprobe.mutation.generator import Generator, Weighted
from kgprobe.mutation.mutant import Mutant, entry_line, header_line, read_manifest
from kgprobe.mutation.output import MANIFEST, MutantFolder, Written, clear, rdf_patch, sparql_update
from kgprobe.rdf.canonical import isomorphic
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import Triple

INSPECTION = Path("src/kgprobe/demo/inspection.ttl")


def mutants(seed_graph: Graph, seed: int, count: int = 1, mutations: int = 6) -> list[Mutant]:
    operators = [Weighted(operator) for operator in (*operator_set("owl-dl"), *operator_set("generic"))]
    return list(Generator(seed_graph, operators, mutations=mutations, seed=seed).mutants(count))


def in_store(graph: Graph) -> Store:
    store = Store()
    store.extend(Quad(triple.subject, triple.predicate, triple.object) for triple in graph)
    return store


def as_graph(store: Store) -> Graph:
    return Graph(quad.triple for quad in store)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_applying_a_patch_gives_the_mutant(seed: int) -> None:
    graph = load(INSPECTION).graph
    [mutant] = mutants(graph, seed)
    lines = rdf_patch(mutant.delta).splitlines()
    assert (lines[0], lines[-1]) == ("TX .", "TC .")

    def triples(sign: str) -> list[Triple]:
        text = "\n".join(line[2:] for line in lines[1:-1] if line.startswith(sign))
        return [quad.triple for quad in parse(text.encode(), RdfFormat.N_TRIPLES)]

    graph.apply(Delta(removed=triples("D"), added=triples("A")))
    assert graph == mutant.graph


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_applying_an_update_gives_the_mutant(seed: int) -> None:
    graph = load(INSPECTION).graph
    [mutant] = mutants(graph, seed)
    try:
        request = sparql_update(mutant.delta, graph)
    except InputError:
        return  # indistinguishable blank nodes are refused, see below
    store = in_store(graph)
    store.update(request)
    # A store normalises literals, so the mutant is loaded into one as well.
    assert isomorphic(as_graph(store), as_graph(in_store(mutant.graph)))


def test_most_changes_can_be_written_as_updates() -> None:
    graph = load(INSPECTION).graph
    refused = 0
    for mutant in mutants(graph, 1, count=20):
        try:
            sparql_update(mutant.delta, graph)
        except InputError:
            refused += 1
    assert refused < 5


def test_indistinguishable_blank_nodes_are_refused() -> None:
    twins = graph_in(b"<urn:a> <urn:p> [ <urn:q> 1 ] , [ <urn:q> 1 ] .")
    gone = next(iter(twins.triples(None, next(iter(twins)).predicate)))
    with pytest.raises(InputError, match="cannot distinguish"):
        sparql_update(Delta(removed=[gone]), twins)


def test_blank_nodes_are_identified_by_their_surroundings() -> None:
    text = b"<urn:a> <urn:p> [ <urn:q> 1 ] , [ <urn:q> 2 ] ."
    graph = graph_in(text)
    gone = [triple for triple in graph if '"2"' in str(triple.object)]
    store = in_store(graph)
    store.update(sparql_update(Delta(removed=gone), graph))
    assert sorted(str(quad.object) for quad in store.quads_for_pattern(None, gone[0].predicate, None, None)) == [
        '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
    ]


def test_blank_nodes_of_a_long_list_are_identified_by_its_end() -> None:
    members = " ".join(f"<urn:m{number}>" for number in range(30))
    text = f"<urn:a> <urn:p> ( {members} ) . <urn:b> <urn:p> ( {members} <urn:last> ) ."
    graph = graph_in(text.encode())
    gone = [triple for triple in graph if str(triple.object) == "<urn:m15>"]
    store = in_store(graph)
    store.update(sparql_update(Delta(removed=gone[:1]), graph))
    graph.apply(Delta(removed=gone[:1]))
    assert isomorphic(as_graph(store), graph)


def test_many_indistinguishable_blank_nodes_are_refused_quickly() -> None:
    rows = "".join(f"_:n{a} <urn:p> _:n{b} .\n" for a in range(12) for b in range(12) if a != b)
    graph = Graph(quad.triple for quad in parse(rows.encode(), RdfFormat.N_TRIPLES))
    with pytest.raises(InputError, match="cannot distinguish"):
        sparql_update(Delta(removed=[next(iter(graph))]), graph)


def test_blank_node_labels_that_are_not_valid_variable_names() -> None:
    text = b'_:a.b <urn:p> "1" . _:a-b <urn:p> "2" . _:a_b <urn:p> "3" . '
    graph = Graph(quad.triple for quad in parse(text, RdfFormat.TURTLE, rename_blank_nodes=False))
    store = in_store(graph)
    store.update(sparql_update(Delta(removed=list(graph)[:2], added=[]), graph))
    assert len(store) == 1
    store = in_store(graph)
    store.update(sparql_update(Delta(removed=list(graph)), graph))
    assert not len(store)


def test_a_folder_has_all_mutants_and_a_manifest(tmp_path: Path) -> None:
    graph = load(INSPECTION).graph
    made = mutants(graph, 3, count=4)
    with MutantFolder(tmp_path / "new" / "out", graph, by_name("nt"), Written.GRAPHS, {"some": "thing"}) as folder:
        files = [folder.write(mutant) for mutant in made]
    assert [path.name for path in files] == [f"mutant-000{n}.nt" for n in range(1, 5)]
    manifest = read_manifest(folder.manifest)
    assert manifest.header["some"] == "thing"
    for mutant, path in zip(made, files, strict=True):
        entry = manifest.entry(mutant.number)
        assert entry.delta == mutant.delta
        assert entry.operators == tuple(step.operator for step in mutant.steps)
        assert isomorphic(load(path).graph, mutant.graph)


def test_an_earlier_run_is_overwritten_only_on_request(tmp_path: Path) -> None:
    graph = load(INSPECTION).graph
    (tmp_path / "mine.txt").write_text("keep")
    for _ in range(2):
        with MutantFolder(tmp_path, graph, by_name("turtle"), Written.PATCHES, {}) as folder:
            folder.write(mutants(graph, 3)[0])
        with pytest.raises(InputError, match="this folder already contains mutants"), folder:
            pass
        clear(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_other_files_with_names_of_mutants_are_kept(tmp_path: Path) -> None:
    graph = load(INSPECTION).graph
    folder = MutantFolder(tmp_path, graph, by_name("turtle"), Written.PATCHES, {})
    (tmp_path / "mutant-notes.txt").write_text("keep")
    (tmp_path / "mutant-0001.ttl").write_text("somebody needs it")
    with pytest.raises(InputError, match="this folder already contains mutants"), folder:
        pass
    for manifest in ("", '{"kind": "of another program"}\n'):
        (tmp_path / MANIFEST).write_text(manifest)
        with pytest.raises(
            InputError, match=r"files with names of mutants \(mutant-0001.ttl\), but no manifest of mutants"
        ):
            clear(tmp_path)
        assert (tmp_path / "mutant-0001.ttl").exists()
        assert (tmp_path / MANIFEST).read_text() == manifest
    (tmp_path / MANIFEST).write_text(header_line({}))
    with pytest.raises(InputError, match=r"mutant-0001.ttl: is still needed"):
        clear(tmp_path, keep=[tmp_path / "mutant-0001.ttl"])
    assert (tmp_path / "mutant-0001.ttl").read_text() == "somebody needs it"
    clear(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mutant-notes.txt"]
    with folder:
        folder.write(mutants(graph, 3)[0])


def test_folders_that_cannot_be_written_to(tmp_path: Path) -> None:
    graph = load(INSPECTION).graph
    (tmp_path / "file").write_text("")
    (tmp_path / "odd" / MANIFEST).mkdir(parents=True)
    for name, message in (("file", "file: is a file, not a folder"), ("file/inside", "Not a directory")):
        with (
            pytest.raises(InputError, match=message),
            MutantFolder(tmp_path / name, graph, by_name("turtle"), Written.PATCHES, {}),
        ):
            pass
    with pytest.raises(InputError, match=r"odd: has files with names of mutants"):
        clear(tmp_path / "odd")
    clear(tmp_path / "file")


def test_write_errors_name_the_file(tmp_path: Path) -> None:
    twins = graph_in(b"<urn:a> <urn:p> [ <urn:q> 1 ] , [ <urn:q> 1 ] .")
    operators = [Weighted(named("RemoveTriple"))]
    [mutant] = Generator(twins, operators, mutations=1).mutants(1)
    message = r"mutant-0001.ru: a SPARQL Update cannot distinguish"
    with (
        MutantFolder(tmp_path, twins, by_name("turtle"), Written.UPDATES, {}) as folder,
        pytest.raises(InputError, match=message),
    ):
        folder.write(mutant)
    clear(tmp_path)
    with MutantFolder(tmp_path, twins, by_name("turtle"), Written.PATCHES, {}) as folder:
        (tmp_path / "mutant-0001.rdfp").mkdir()
        with pytest.raises(InputError, match=r"mutant-0001.rdfp: cannot be written: Is a directory"):
            folder.write(mutant)


def test_a_manifest_is_valid_before_the_first_mutant(tmp_path: Path) -> None:
    with MutantFolder(tmp_path, load(INSPECTION).graph, by_name("nt"), Written.GRAPHS, {"some": "thing"}) as folder:
        assert read_manifest(folder.manifest).header["some"] == "thing"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a manifest of mutants"),
        ("{}\n", "is not a manifest of mutants"),
        ("[1]\n", ":1: is not a manifest of mutants"),
        ("[" * 100_000 + "\n", ":1: this JSON is nested too deeply"),
        (
            header_line({}) + '{"mutant":' + "9" * 5000 + "}\n",
            ":2: this JSON is nested too deeply, or has too long a number",
        ),
        (header_line({}) + '{"mutant":1,"steps":[{"removed":["' + "<< " * 50_000 + '"]}]}\n', ":2: this mutant cannot"),
        ("not json\n", ":1:1: is not JSON"),
        ('{"kind":"kgprobe-manifest","version":7}\n', "version 7"),
        (header_line({}), "there is no mutant 1 (it has none)"),
        (header_line({}) + '{"mutant":1}\n', ":2: this mutant cannot be read"),
        (header_line({}) + '{"mutant":1,"steps":[{"operator":"x","removed":["nonsense"],"added":[]}]}\n', ":2: "),
        (header_line({}) + "{\n", ":2:2: is not JSON"),
        (header_line({}) + '{"mutant":"1"}\n', ":2: this line has no mutant number"),
        (header_line({}) + '{"mutant":true,"steps":[]}\n', ":2: this line has no mutant number"),
    ],
)
def test_invalid_manifests(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / MANIFEST
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        read_manifest(path).entry(1)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_line_of_the_manifest_lists_each_step() -> None:
    graph = load(INSPECTION).graph
    [mutant] = mutants(graph, 5, mutations=2)
    line = entry_line(mutant, "mutant-0001.ttl")
    assert line.count("\n") == 1
    for step in mutant.steps:
        assert f'"operator":"{step.operator}"' in line
