"""The change from one graph to another, up to the names of blank nodes."""

from __future__ import annotations

import itertools
import random
from collections import Counter, defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st
from support.shared_data import needs_shared_data, shared
from support.strategies import changed_graphs, graphs, graphs_and_deltas, triple_lists

from kgprobe.formats.files import load
from kgprobe.rdf.canonical import component_fingerprint, components, isomorphic
from kgprobe.rdf.diff import aligned, changed_rows, diff
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.rows import Numbers
from kgprobe.rdf.table import collection_paused
from kgprobe.rdf.terms import RDF, BlankNode, Literal, NamedNode, Term, Triple, with_blanks

A, B, P, Q = (NamedNode(f"http://example.org/{name}") for name in "abpq")
X, Y, Z = map(BlankNode, "xyz")


def renamed(graph: Graph, seed: int = 0) -> Graph:
    """The same graph with other labels, and its triples in another order."""
    triples = list(graph)
    shuffle = random.Random(seed).shuffle
    shuffle(triples)
    old = [term for term in graph.terms() if isinstance(term, BlankNode)]
    new = list(old)
    shuffle(new)
    names = dict(zip(old, new, strict=True))
    return Graph(with_blanks(triple, names.__getitem__) for triple in triples)


def applied(old: Graph, delta: Delta) -> Graph:
    changed = old.copy()
    changed.apply(delta)
    return changed


# Trees, lists, rings and twins of blank nodes, some of them with further triples.
_node = st.integers(0, 7).map(lambda n: BlankNode(f"n{n}"))
_edges = st.builds(Triple, _node, st.sampled_from([P, Q, RDF.rest]), _node)
_said = st.builds(Triple, _node, st.sampled_from([P, Q]), st.sampled_from([A, B, Literal("1")]))
_names_it = st.builds(Triple, st.sampled_from([A, B]), st.sampled_from([P, Q]), _node)
structures = st.lists(st.one_of(_edges, _said, _names_it), max_size=14).map(Graph)


@given(graphs, graphs)
def test_applying_the_difference_gives_the_other_graph(old: Graph, new: Graph) -> None:
    assert isomorphic(applied(old, diff(old, new)), new)


@given(structures, structures)
@settings(max_examples=100, deadline=None)
def test_applying_the_difference_of_blank_node_structures(old: Graph, new: Graph) -> None:
    assert isomorphic(applied(old, diff(old, new)), new)


@given(changed_graphs(), changed_graphs())
def test_graphs_may_have_been_changed_before(old: tuple[Graph, object], new: tuple[Graph, object]) -> None:
    assert isomorphic(applied(old[0], diff(old[0], new[0])), new[0])


@given(graphs_and_deltas())
def test_graphs_on_one_table_differ_in_at_most_their_changes(pair: tuple[Graph, Delta]) -> None:
    old, delta = pair
    new = applied(old, delta)
    found = diff(old, new)
    assert isomorphic(applied(old, found), new)
    assert len(found) <= len(delta)


@given(graphs_and_deltas())
def test_without_blank_nodes_the_difference_is_exact(pair: tuple[Graph, Delta]) -> None:
    def ground(triple: Triple) -> bool:
        return not isinstance(triple.subject, BlankNode) and not isinstance(triple.object, BlankNode)

    old, delta = pair
    new = Graph(filter(ground, applied(old, delta)))
    old = Graph(filter(ground, old))
    expected = Delta(filter(ground, delta.removed), filter(ground, delta.added))
    assert diff(old, new) == expected


@given(st.one_of(graphs, structures), st.integers(0, 9))
@settings(deadline=None)
def test_different_labels_are_not_a_difference(graph: Graph, seed: int) -> None:
    assert len(diff(graph, renamed(graph, seed))) == 0


@given(st.one_of(graphs, structures))
def test_a_graph_does_not_differ_from_itself(graph: Graph) -> None:
    assert diff(graph, graph) == diff(graph, Graph(graph)) == diff(graph, graph.copy()) == Delta()


@given(structures, structures)
@settings(deadline=None)
def test_components_are_matched_like_fingerprints(old: Graph, new: Graph) -> None:
    # Every blank node gets a new name, so no labels agree.
    apart = Graph(with_blanks(triple, lambda node: BlankNode(f"other{node.value}")) for triple in new)
    counts = [Counter(map(component_fingerprint, components(graph)[1])) for graph in (old, new)]
    sizes = {component_fingerprint(c): len(c) for graph in (old, new) for c in components(graph)[1]}
    left = (counts[0] - counts[1]) + (counts[1] - counts[0])
    assert len(diff(old, apart)) <= sum(sizes[key] * count for key, count in left.items())
    assert (len(diff(old, apart)) == 0) is (not left)


def test_a_change_inside_a_component_is_small_when_labels_agree() -> None:
    old = Graph([Triple(A, P, X), Triple(X, Q, Literal("1"))])
    new = Graph([Triple(A, P, X), Triple(X, Q, Literal("2"))])
    assert len(diff(old, new)) == 2


def test_a_change_inside_a_component_is_small_when_labels_differ() -> None:
    old = Graph([Triple(A, P, X), Triple(X, P, B), Triple(X, Q, Literal("1"))])
    new = Graph([Triple(A, P, Y), Triple(Y, P, B), Triple(Y, Q, Literal("2"))])
    assert diff(old, new) == Delta([Triple(X, Q, Literal("1"))], [Triple(X, Q, Literal("2"))])


def test_identical_blank_nodes_are_counted() -> None:
    one, two = ([Triple(A, P, node), Triple(node, Q, B)] for node in (X, Y))
    assert len(diff(Graph(one + two), Graph(two))) == 2
    assert len(diff(Graph(two), Graph(one + two))) == 2
    assert len(diff(Graph(one + two), renamed(Graph(one + two)))) == 0


def test_identical_blank_nodes_inside_a_tree_are_counted() -> None:
    def tree(*leaves: BlankNode) -> Graph:
        return Graph([Triple(A, P, X), *(Triple(X, P, leaf) for leaf in leaves), *(Triple(n, Q, B) for n in leaves)])

    leaves = [BlankNode(f"leaf{n}") for n in range(3)]
    assert len(diff(tree(*leaves), tree(*reversed(leaves)))) == 0
    assert len(diff(tree(*leaves), tree(*leaves[:2]))) == 2


def test_accidentally_equal_labels_do_not_matter() -> None:
    def described(order: list[int]) -> Graph:
        said = [(NamedNode(f"http://example.org/{n}"), Literal(f"{n}")) for n in order]
        return Graph(
            triple
            for n, (name, text) in enumerate(said)
            for triple in (Triple(name, P, BlankNode(f"b{n}")), Triple(BlankNode(f"b{n}"), Q, text))
        )

    assert len(diff(described(list(range(50))), described(list(range(1, 51))))) == 4


def test_new_blank_nodes_have_labels_that_the_old_graph_lacks() -> None:
    taken = BlankNode("d0")
    old = Graph([Triple(A, P, taken)])
    new = Graph([Triple(A, P, X), Triple(B, P, Y), Triple(Y, Q, B)])
    delta = diff(old, new)
    assert not delta.removed
    assert taken not in {part for triple in delta.added for part in (triple.subject, triple.object)}


def test_a_long_list_is_fast() -> None:
    cells = [BlankNode(f"n{n}") for n in range(8_000)]
    items = [Triple(cell, RDF.first, Literal(str(n))) for n, cell in enumerate(cells)]
    links = [Triple(one, RDF.rest, other) for one, other in itertools.pairwise(cells)]
    graph = Graph([Triple(A, P, cells[0]), *items, *links])
    assert len(diff(graph, renamed(graph))) == 0


def test_unchanged_parts_are_not_compared() -> None:
    # These cannot be distinguished in reasonable time.
    nodes = [BlankNode(f"n{n}") for n in range(12)]
    clique = [Triple(one, P, other) for one in nodes for other in nodes if one != other]
    old = Graph([*clique, Triple(X, P, A)])
    new = old.copy()
    new.remove(Triple(X, P, A))
    new.add(Triple(X, P, B))
    assert len(diff(old, new)) == len(diff(old, Graph(new))) == 2


@given(st.one_of(graphs, structures), st.one_of(graphs, structures))
@settings(deadline=None)
def test_changed_rows_turn_one_graph_into_the_other(old: Graph, new: Graph) -> None:
    changed = changed_rows(old, new)

    def triples(*parts: Numbers) -> Counter[Triple]:
        return Counter(Triple(*(changed.terms[number] for number in row)) for rows in parts for row in rows.tolist())

    left = Counter(old) - triples(changed.removed, changed.gone)
    kept = Counter(new) - triples(changed.added, changed.come)
    assert len(left) == len(old) - len(changed.removed) - len(changed.gone)
    assert isomorphic(Graph(left), Graph(kept))


def test_a_quoted_triple_is_compared_by_its_labels() -> None:
    def graph(node: BlankNode) -> Graph:
        return Graph([Triple(A, P, Triple(node, P, B)), Triple(node, Q, B)])

    assert len(diff(graph(X), graph(X))) == 0
    assert applied(graph(X), diff(graph(X), graph(Y))) == graph(Y)


def said_by_node(graph: Graph) -> Counter[frozenset[tuple[Term | None, ...]]]:
    """The triples of a graph without edges between blank nodes, grouped by blank node."""
    found: dict[object, set[tuple[Term | None, ...]]] = defaultdict(set)
    for row in graph.rows():
        parts = tuple(map(graph.term, row))
        hidden = tuple(None if type(part) is BlankNode else part for part in parts)
        assert hidden[0] or hidden[2]
        found[parts[hidden.index(None)] if None in hidden else row].add(hidden)
    return Counter(map(frozenset, found.values()))


@needs_shared_data
def test_two_versions_of_a_real_ontology() -> None:
    old, new = (load(str(shared(f"go/go-{version}.obo.gz"))).graph for version in ("2022-07", "2024"))
    delta = diff(old, new)
    with collection_paused():
        assert said_by_node(applied(old, delta)) == said_by_node(new)
    assert len(delta) < 40_000  # of half a million triples


@given(graphs, graphs)
def test_the_old_graph_with_its_changes_is_the_new_one(old: Graph, new: Graph) -> None:
    for whole_components in (False, True):
        versions = aligned(old, new, whole_components=whole_components)
        assert versions.old is old
        assert versions.new.table is old.table
        assert isomorphic(versions.new, new)
        assert set(versions.new) == (set(old) - set(versions.removed())) | set(versions.added())


@given(triple_lists, st.randoms(use_true_random=False))
def test_another_file_with_the_same_graph_has_no_changes(triples: list[Triple], shuffler: random.Random) -> None:
    shuffled = [with_blanks(triple, lambda node: BlankNode(f"other{node.value}")) for triple in triples]
    shuffler.shuffle(shuffled)
    assert not aligned(Graph(triples), Graph(shuffled), whole_components=True).new.changed_keys


def test_a_change_below_a_blank_node_is_attributed_to_the_name_above() -> None:
    a, p, q = (NamedNode(f"http://example.org/{name}") for name in "apq")
    before = Graph([Triple(a, p, BlankNode("x")), Triple(BlankNode("x"), p, a), Triple(a, p, q)])
    after = Graph([Triple(a, p, BlankNode("x")), Triple(BlankNode("x"), q, a), Triple(a, p, q)])
    changes = aligned(before, after, whole_components=True).new.changes()
    assert Triple(a, p, BlankNode("x")) in changes.removed
    [added] = [triple for triple in changes.added if triple.subject == a]
    assert added.predicate == p
    assert added.object != BlankNode("x")
    assert len(changes) == 4
    assert len(aligned(before, after).new.changes()) == 2
