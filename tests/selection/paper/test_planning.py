"""Algorithm 1 against a second implementation that follows it line by line, and the coverage of Table 3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.shared_data import needs_shared_data, shared

from kgprobe.entailment.class_hierarchy import class_edges
from kgprobe.formats.files import load
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDFS, NamedNode, Term, Triple
from kgprobe.selection.discovery.python_files import PYTHON
from kgprobe.selection.discovery.sparql_files import SPARQL
from kgprobe.selection.discovery.sql_files import SQL
from kgprobe.selection.paper import planning
from kgprobe.selection.paper.expressions import Entity
from kgprobe.selection.paper.model import OntologyGraph, matrix, ontology_graph
from kgprobe.selection.paper.planning import (
    EntityCoverage,
    Sets,
    affected,
    entity_coverage,
    select,
    with_other_descendants,
)
from kgprobe.selection.tests import TermUse
from kgprobe.selection.tests import Test as Case
from selection.paper.versions import iri, model_of, node, rows, shown, told

_Descendants = Mapping[Term, frozenset[Term]]
_A_AND_B = ":A a owl:Class . :B a owl:Class ."
_RESTRICTED = f"""{_A_AND_B} :p a owl:ObjectProperty .
:A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] ."""
_NODES = 8
_ONTOLOGY = """
:A a owl:Class . :B rdfs:subClassOf :A . :C rdfs:subClassOf :B . :D a owl:Class . :E owl:equivalentClass :D .
:C rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :D ] ,
  [ a owl:Restriction ; owl:onProperty :q ; owl:someValuesFrom :D ] .
"""


def _algorithm_1(old: OntologyGraph, new: OntologyGraph, below: _Descendants, below_new: _Descendants) -> Sets:
    """Lines 4 to 20 of the paper, on the descendants of lines 1 to 3."""
    edges, edges_new = ({node: _out(graph, node) for node in sets} for graph, sets in ((old, below), (new, below_new)))
    add = {Entity(each) for each in below_new}
    delete: set[Entity] = set()
    affect: set[Entity] = set()
    for each in below:
        if each in below_new:
            add.remove(Entity(each))
            if below[each] != below_new[each]:
                affect.add(Entity(each))
            if edges[each] != edges_new[each]:
                delete |= edges[each] - edges_new[each]
                affect |= edges[each] - edges_new[each]
                add |= edges_new[each] - edges[each]
        else:
            delete |= {Entity(each)} | edges[each]
            affect |= {Entity(each)} | edges[each]
    for entity in list(add):
        if entity.label is None:
            add |= edges_new[entity.source]
    return Sets(frozenset(add), frozenset(delete), frozenset(affect))


def _out(graph: OntologyGraph, source: Term) -> set[Entity]:
    return set(graph.edges_by_source.get(source, ()))


# -- random ontologies ---------------------------------------------------------------------------------------------

_classes = st.sampled_from([iri(name) for name in "ABCDEF"])


@st.composite
def _ontologies(draw: st.DrawFn) -> tuple[OntologyGraph, _Descendants]:
    """A model, with the descendants of each class computed by definition."""
    classes = draw(st.lists(_classes, unique=True, min_size=1))
    among = st.sampled_from(classes)
    pairs = draw(st.lists(st.tuples(among, among), max_size=8))
    unsatisfiable = draw(st.just(set()) | st.sets(among, max_size=2))
    domains = draw(st.lists(st.tuples(st.sampled_from([iri("p"), iri("q")]), among), max_size=3))
    graph = Graph(Triple(name, RDFS.domain, domain) for name, domain in domains)
    model = ontology_graph(graph, told(pairs, classes, unsatisfiable))
    return model, _below(classes, {*pairs, *((each, other) for each in unsatisfiable for other in classes)})


def _below(classes: list[NamedNode], pairs: set[tuple[NamedNode, NamedNode]]) -> _Descendants:
    while True:
        longer = {(one, three) for one, two in pairs for other, three in pairs if two == other} - pairs
        if not longer:
            break
        pairs = pairs | longer
    return {each: frozenset(lower for lower, upper in pairs if upper == each != lower) for each in classes}


@given(_ontologies(), _ontologies())
def test_sets_agree_with_the_paper_line_by_line(
    old: tuple[OntologyGraph, _Descendants], new: tuple[OntologyGraph, _Descendants]
) -> None:
    assert affected(old[0], new[0]) == _algorithm_1(old[0], new[0], old[1], new[1])


@given(_ontologies())
def test_equal_versions_affect_nothing(ontology: tuple[OntologyGraph, _Descendants]) -> None:
    nothing = frozenset[Entity]()
    assert affected(ontology[0], ontology[0]) == Sets(nothing, nothing, nothing)


# -- real ontologies -----------------------------------------------------------------------------------------------


def _acyclic_below(graph: OntologyGraph) -> _Descendants:
    """The descendants of each class of a hierarchy without cycles, by lines 1 to 3: lower classes first."""
    successors: dict[Term, list[Term]] = {each: [] for each in graph.classes}
    uppers: dict[Term, list[Term]] = {each: [] for each in graph.classes}
    for lower, upper in set(map(tuple, graph.subclass_edges.tolist())):
        successors[graph.terms[upper]].append(graph.terms[lower])
        uppers[graph.terms[lower]].append(graph.terms[upper])
    waiting = {each: len(lowers) for each, lowers in successors.items()}
    ready = [each for each, number in waiting.items() if not number]
    found: dict[Term, frozenset[Term]] = {}
    while ready:
        each = ready.pop()
        found[each] = frozenset(successors[each]).union(*(found[lower] for lower in successors[each]))
        for upper in uppers[each]:
            waiting[upper] -= 1
            ready += [upper] if not waiting[upper] else []
    assert len(found) == len(successors)
    return found


@needs_shared_data
def test_the_gene_ontology_agrees_with_brute_force() -> None:
    graphs = [load(shared(f"go/go-{version}.obo.gz")).graph for version in ("2022-07", "2024")]
    old, new = (ontology_graph(graph, class_edges(graph)) for graph in graphs)
    found = affected(old, new)
    assert found == _algorithm_1(old, new, _acyclic_below(old), _acyclic_below(new))
    assert (len(found.add), len(found.delete), len(found.affect)) == (822, 4147, 7848)


# -- one case at a time --------------------------------------------------------------------------------------------


def test_a_deleted_class_takes_its_property_edges_with_it() -> None:
    edge = ("A", "B", "p[some]")
    assert shown(model_of(_RESTRICTED), model_of(":B a owl:Class .")) == {
        "add": set(),
        "delete": {("A", "-", "-"), edge},
        "affect": {("A", "-", "-"), edge},
    }


def test_a_new_class_brings_its_property_edges_and_affects_nothing_else() -> None:
    assert shown(model_of(":B a owl:Class ."), model_of(_RESTRICTED)) == {
        "add": {("A", "-", "-"), ("A", "B", "p[some]")},
        "delete": set(),
        "affect": set(),
    }


def test_another_kind_of_restriction_is_another_edge() -> None:
    assert shown(model_of(_RESTRICTED), model_of(_RESTRICTED.replace("some", "all"))) == {
        "add": {("A", "B", "p[only]")},
        "delete": {("A", "B", "p[some]")},
        "affect": {("A", "B", "p[some]")},
    }


def test_equivalent_classes_are_below_each_other() -> None:
    old = f"{_A_AND_B} :C rdfs:subClassOf :A ."
    assert shown(model_of(old), model_of(f"{old} :A owl:equivalentClass :B .")) == {
        "add": set(),
        "delete": set(),
        "affect": {("A", "-", "-"), ("B", "-", "-")},
    }


def test_a_subclass_that_a_reasoner_finds_counts() -> None:
    sets = shown(model_of(_RESTRICTED), model_of(f"{_RESTRICTED} :p rdfs:domain :C . :C a owl:Class ."))
    assert sets == {"add": {("C", "-", "-"), ("C", "owl:Thing", "p")}, "delete": set(), "affect": set()}
    old = f"{_RESTRICTED} :C a owl:Class ."
    assert shown(model_of(old), model_of(f"{old} :p rdfs:domain :C ."))["affect"] == {("C", "-", "-")}


def test_a_class_that_becomes_unsatisfiable_is_below_all_classes() -> None:
    old = f"{_A_AND_B} :C rdfs:subClassOf :A ."
    new = f"{old} :C rdfs:subClassOf :B . :A owl:disjointWith :B ."
    assert shown(model_of(old), model_of(new))["affect"] == {("B", "-", "-")}


def test_sub_properties_and_domains_without_a_class_are_compared_like_all_edges() -> None:
    old = ":p a owl:ObjectProperty ; rdfs:subPropertyOf :q ; rdfs:range :A . :q a owl:ObjectProperty ."
    new = ":p a owl:ObjectProperty . :q a owl:ObjectProperty . :A a owl:Class ."
    lost = {("p", "q", "subPropertyOf"), ("owl:Thing", "A", "p")}
    assert shown(model_of(old), model_of(new)) == {"add": set(), "delete": lost, "affect": lost}


def test_owl_thing_is_a_node_only_if_a_class_is_stated_to_be_below_it() -> None:
    old, new = ":A a owl:Class .", _A_AND_B
    assert shown(model_of(old), model_of(new))["affect"] == set()
    stated = ":A rdfs:subClassOf owl:Thing ."
    for one, other in ((old + stated, new), (old, new + stated), (old + stated, new + stated)):
        sets = shown(model_of(one), model_of(other))
        assert sets == {"add": {("B", "-", "-")}, "delete": set(), "affect": {("owl:Thing", "-", "-")}}
    assert shown(model_of(old + stated), model_of(old))["affect"] == set()


def test_a_property_named_alone_is_selected_by_each_of_its_edges() -> None:
    old, new = model_of(_RESTRICTED), model_of(_A_AND_B)
    tests = [Case("p", SQL, uses=(TermUse(iri("p")),)), Case("q", SQL, uses=(TermUse(iri("q")),))]
    [selected] = select(affected(old, new).affect, matrix(tests, old))
    assert selected.test.name == "p"
    assert selected.because == (Entity(iri("A"), iri("B"), f"{iri('p')}[some]"),)


def test_a_test_with_unknown_uses_is_always_selected() -> None:
    model = model_of(_A_AND_B)
    blind = Case("blind", PYTHON, uses=(TermUse(iri("A")),), unseen=("builds its query from a template",))
    [selected] = select(affected(model, model).affect, matrix([blind, Case("A", SQL, uses=blind.uses)], model))
    assert selected.test is blind
    assert selected.because == ()


def test_an_added_edge_selects_nothing_as_in_the_paper() -> None:
    old, new = model_of(_A_AND_B), model_of(_RESTRICTED)
    tests = [Case(name, SQL, uses=(TermUse(iri(name)),)) for name in ("A", "B", "p")]
    assert select(affected(old, new).affect, matrix(tests, old)) == []


_Edges = list[tuple[int, int]]


def _sets(edges: Iterable[tuple[int, int]], nodes: int) -> list[set[int]]:
    """The descendants of each node, by definition: a fixed point over the edges."""
    below: list[set[int]] = [set() for _ in range(nodes)]
    for lower, upper in edges:
        below[upper].add(lower)
    grown = True
    while grown:
        grown = False
        for number in range(nodes):
            more = set().union(*(below[each] for each in below[number])) - below[number]
            below[number] |= more
            grown |= bool(more)
    return [each - {number} for number, each in enumerate(below)]


def _found(old: _Edges, new: _Edges, nodes: int) -> set[int]:
    first, second = (np.array(edges, dtype=np.int64).reshape(-1, 2) for edges in (old, new))
    return with_other_descendants(first, second, nodes)


def _expected(old: _Edges, new: _Edges, nodes: int) -> set[int]:
    before, after = _sets(old, nodes), _sets(new, nodes)
    return {each for each in range(nodes) if before[each] != after[each]}


_edges = st.lists(st.tuples(st.integers(0, _NODES - 1), st.integers(0, _NODES - 1)), max_size=16)


@given(_edges, _edges, _edges)
@example([], [(0, 1), (1, 0)], [])  # a cycle falls apart
@example([(0, 1)], [(1, 2), (2, 1)], [(1, 2)])  # a cycle, with something below it
@example([], [(0, 0)], [])  # a loop is nothing
@example([(0, 2), (1, 2)], [(0, 1)], [(1, 0)])
def test_agrees_with_sets_of_descendants(common: _Edges, only_old: _Edges, only_new: _Edges) -> None:
    old, new = common + only_old, common + only_new
    assert _found(old, new, _NODES) == _expected(old, new, _NODES)


@given(_edges, _edges)
def test_the_size_of_a_block_makes_no_difference(old: _Edges, new: _Edges) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "_BLOCK", 1)
        in_blocks = _found(old, new, _NODES)
    assert in_blocks == _found(old, new, _NODES)


def test_a_node_that_moves_within_a_subtree_makes_no_difference_above_it() -> None:
    old: _Edges = [(2, 1), (3, 1), (4, 2), (5, 4), (1, 0)]
    new: _Edges = [(2, 1), (3, 1), (4, 3), (5, 4), (1, 0)]
    assert _found(old, new, 6) == {2, 3}


def test_a_shortcut_makes_no_difference() -> None:
    chain: _Edges = [(0, 1), (1, 2), (2, 3)]
    assert _found(chain, [*chain, (0, 3), (0, 3)], 4) == set()


def test_a_long_chain_does_not_exhaust_the_stack() -> None:
    length = 20_000
    chain: _Edges = [(node, node + 1) for node in range(length)]
    assert _found(chain, chain[1:], length + 1) == set(range(1, length + 1))
    assert _found(chain, [], length + 1) == set(range(1, length + 1))


def test_a_large_tree_that_changes_in_many_places() -> None:
    random, nodes = Random(6), 3_000
    old = [(node, random.randrange(node // 6 + 1)) for node in range(1, nodes)]
    new = [(lower, random.randrange(lower)) if random.random() < 0.1 else (lower, upper) for lower, upper in old]
    new = [edge for edge in new if random.random() > 0.05]
    expected = _expected(old, new, nodes)
    assert 100 < len(expected) < nodes
    assert _found(old, new, nodes) == expected


def _naming(*names: str) -> list[Case]:
    return [Case(name, SQL, uses=(TermUse(iri(name)),)) for name in names]


@pytest.mark.parametrize(
    ("names", "direct", "indirect", "untouched"),
    [
        (["A"], 1, 2, {("D", "-", "-"), ("E", "-", "-"), ("C", "D", "p[some]"), ("C", "D", "q[some]")}),
        (["A", "B", "B"], 2, 1, {("D", "-", "-"), ("E", "-", "-"), ("C", "D", "p[some]"), ("C", "D", "q[some]")}),
        (["A", "D", "q"], 3, 3, {("C", "D", "p[some]")}),
        (["A", "E", "p", "q"], 4, 3, set()),
    ],
)
def test_classes_below_a_covered_one_are_covered_too(
    names: list[str], direct: int, indirect: int, untouched: set[tuple[str, str, str]]
) -> None:
    model = model_of(_ONTOLOGY)
    found = entity_coverage(_naming(*names), model)
    assert (found.classes, found.properties_and_restrictions, found.tests) == (5, 2, len(names))
    assert (found.direct, found.indirect) == (direct, indirect)
    assert found.percent == pytest.approx(100 * (direct + indirect) / 7)
    assert rows(found.untouched, model) == untouched


def test_a_test_of_everything_covers_all_classes() -> None:
    found = entity_coverage([Case("all", SPARQL, uses=(TermUse(OWL.Thing),))], model_of(_ONTOLOGY))
    assert (found.direct, found.indirect, len(found.untouched)) == (0, 5, 2)


def test_an_unsatisfiable_class_is_below_all_classes() -> None:
    model = ontology_graph(Graph(), told([], [iri("A"), iri("B"), iri("C")], [iri("C")]))
    assert entity_coverage(_naming("A"), model).untouched == [node("B")]


def test_a_test_with_unknown_names_covers_nothing() -> None:
    found = entity_coverage([Case("blind", PYTHON, unseen=("it is a template",)), *_naming("X")], model_of(_ONTOLOGY))
    assert (found.tests, found.direct, found.indirect, found.percent) == (2, 0, 0, 0)
    assert len(found.untouched) == 7


def test_an_empty_ontology_has_no_untouched_entities() -> None:
    assert entity_coverage([], ontology_graph(Graph(), told([], []))) == EntityCoverage(0, 0, 0, 0, 0, 100.0, [])
