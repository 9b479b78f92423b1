"""Strategies for Hypothesis: mutants of a graph, random graphs, and data for an ontology.

They need `pip install 'kgprobe[hypothesis]'`.

    from hypothesis import given
    from kgprobe import load
    from kgprobe.strategies import mutants

    @given(mutants(load("menu.ttl"), "abox"))
    def test_menu(graph):
        assert print_menu(graph)

A mutant that fails shrinks to one with fewer mutations, and a random graph to one with fewer and simpler triples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

from kgprobe.api import chosen_operators
from kgprobe.errors import InputError, UnavailableError
from kgprobe.masks.mask import Mask
from kgprobe.mutation.operator import NO_PINS, Operator, Propose, Site
from kgprobe.rdf.graph import FreshNames, Graph
from kgprobe.rdf.terms import RDF, XSD, BlankNode, Literal, NamedNode, Term, Triple

try:
    from hypothesis import strategies as st
except ImportError:
    raise UnavailableError("Hypothesis is not installed", hint="pip install 'kgprobe[hypothesis]'") from None

__all__ = ["aboxes", "graphs", "mutants"]

_EXAMPLE = "https://example.org/"
_IRIS = [NamedNode(f"{_EXAMPLE}{name}") for name in "abcde"]
_PREDICATES = [NamedNode(f"{_EXAMPLE}{name}") for name in "pqr"]
_BLANKS = [BlankNode(label) for label in ("b0", "b1", "b2")]
_LARGEST_CHOICE = 2**32 - 1


def mutants(
    graph: Graph,
    operators: str | Iterable[str | Operator] = "generic",
    *,
    max_mutations: int = 10,
    mask: Mask | None = None,
) -> st.SearchStrategy[Graph]:
    """Graphs that differ from this one by up to `max_mutations` mutations; shrinks towards the graph itself.

    `operators` are named as in `kgprobe.mutants`. Only graphs that the `mask` admits are drawn. The mask must also
    admit the seed graph, because examples shrink towards it.
    """
    chosen = chosen_operators(operators)
    if mask is not None and not mask.admits(graph):
        raise InputError("the mask does not admit the graph itself", hint="kgprobe.check(graph, mask) says why")
    proposers = [operator.bound(NO_PINS) for operator in chosen]
    # An operator and a number for each mutation: Hypothesis shrinks by leaving out steps and reducing the numbers.
    steps = st.lists(
        st.tuples(st.sampled_from(proposers), st.integers(0, _LARGEST_CHOICE)), min_size=0, max_size=max_mutations
    )
    drawn = steps.map(lambda asked: _mutated(graph, asked))
    return drawn if mask is None else drawn.filter(mask.admits)


def _mutated(seed_graph: Graph, steps: Sequence[tuple[Propose, int]]) -> Graph:
    """The graph after these steps; an operator that does not apply changes nothing."""
    graph = seed_graph.copy()
    fresh = FreshNames(graph, 0)
    for propose, number in steps:
        change = propose(Site(graph, Random(number), fresh, NO_PINS))
        if change is not None:
            graph.change(change.removed, change.added)
    return graph


def graphs(
    *,
    subjects: Sequence[NamedNode | BlankNode] = (*_IRIS, *_BLANKS),
    predicates: Sequence[NamedNode] = (*_PREDICATES, RDF.type),
    objects: Sequence[Term] = (),
    min_size: int = 0,
    max_size: int = 25,
    mask: Mask | None = None,
) -> st.SearchStrategy[Graph]:
    """Random graphs over these terms. With few names, triples share nodes, which is where bugs are.

    Without `objects`, an object is a subject or a literal: texts with odd characters, numbers in several spellings,
    language tags. Only graphs that the `mask` admits are drawn.
    """
    values = st.sampled_from(list(objects)) if objects else st.one_of(st.sampled_from(list(subjects)), _literals())
    triples = st.builds(Triple, st.sampled_from(list(subjects)), st.sampled_from(list(predicates)), values)
    drawn = st.lists(triples, min_size=min_size, max_size=max_size, unique=True).map(Graph)
    return drawn if mask is None else drawn.filter(mask.admits)


_ANYTHING = "SELECT * { ?s a ?c . ?s ?p ?o }"
_MOST_DATA_SETS = 400
_CHANCES_TO_STAY = 15


def aboxes(
    ontology: str | Path | Graph | Sequence[str | Path | Graph], *, query: str | None = None, seed: int = 0
) -> st.SearchStrategy[Graph]:
    """Data about individuals that are consistent with an ontology, without the ontology itself.

    With a `query`, they are the data on which `kgprobe query test` would try it: most of them match, others nearly do.
    A failing example shrinks to fewer triples. `kgprobe.rdf.graph.Graph` objects can be added to the ontology.

    InputError if the query is not SPARQL, or the ontology cannot be read or is inconsistent.
    """
    from kgprobe.queries.testing.run import DataSource

    source = DataSource(_ANYTHING if query is None else query, ontology, seed=seed, most=_MOST_DATA_SETS)

    @st.composite
    def draw_data(draw: st.DrawFn) -> Graph:
        triples = source.data(draw(st.integers(0, _MOST_DATA_SETS - 1)))
        # 0 leaves a triple out: removing facts keeps data consistent, and Hypothesis shrinks towards 0.
        kept = [triple for triple in triples if draw(st.integers(0, _CHANCES_TO_STAY))]
        return Graph(kept, spelling=source.spelling)

    return draw_data()


def _literals() -> st.SearchStrategy[Literal]:
    return st.one_of(
        st.sampled_from(["1", "0", "-1", "01", "99999999999999999999"]).map(
            lambda text: Literal(text, datatype=XSD.integer)
        ),
        st.sampled_from(["1", "1.0", "1.00", "-0.5"]).map(lambda text: Literal(text, datatype=XSD.decimal)),
        st.sampled_from(["true", "1"]).map(lambda text: Literal(text, datatype=XSD.boolean)),
        st.sampled_from(["en", "en-gb", "de"]).map(lambda tag: Literal("x", language=tag)),
        st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=5).map(Literal),
    )
