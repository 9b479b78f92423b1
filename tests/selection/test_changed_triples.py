"""The changed triples that match a pattern, compared with a SPARQL engine."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import RDFS, XSD, BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.selection import changed_triples as module
from kgprobe.selection.changed_triples import Chains, ChangedTriples
from kgprobe.sparql.uses import ANYTHING, Condition, Slot, TripleUse

A, B, P, Q = (NamedNode(f"urn:{name}") for name in "abpq")
MUSHROOM = Triple(A, RDFS.label, Literal("mushroom", language="en"))
FIVE = Triple(A, P, Literal("5", datatype=XSD.integer))
ODD_FIVE = Triple(B, P, Literal("05", datatype=XSD.integer))
LOOP = Triple(B, Q, B)
BLANK = Triple(BlankNode("x"), Q, A)
OLD = Graph([MUSHROOM, FIVE])
CHANGED = ChangedTriples(OLD, map(OLD.keys, [MUSHROOM, FIVE]), map(OLD.keys, [ODD_FIVE, LOOP, BLANK]))


def _slot(*terms: Term, variable: str | None = None) -> Slot:
    return Slot(frozenset(terms) if terms else None, variable)


def _matching(use: TripleUse) -> set[Triple]:
    return {CHANGED.in_terms(changed).triple for changed in CHANGED.matching(use)}


def test_constants_in_each_combination_of_positions() -> None:
    everything = [MUSHROOM, FIVE, ODD_FIVE, LOOP, BLANK]
    for triple in (LOOP, BLANK):
        parts = [_slot(part) if isinstance(part, NamedNode) else ANYTHING for part in triple]
        for kept in range(8):
            slots = [slot if kept & 1 << place else ANYTHING for place, slot in enumerate(parts)]
            wanted = {
                each
                for each in everything
                if all(slot.terms is None or part in slot.terms for part, slot in zip(each, slots, strict=True))
            }
            subject, predicate, object_ = slots
            assert _matching(TripleUse(subject, predicate, object_)) == wanted


def test_one_of_several_terms() -> None:
    assert _matching(TripleUse(_slot(A, B), _slot(P, Q), ANYTHING)) == {FIVE, ODD_FIVE, LOOP}


def test_a_changed_triple_says_whether_it_was_added() -> None:
    changed = map(CHANGED.in_terms, CHANGED.matching(TripleUse(ANYTHING, _slot(P), ANYTHING)))
    found = {each.triple: each.added for each in changed}
    assert found == {FIVE: False, ODD_FIVE: True}


def test_a_variable_in_two_positions_has_one_value() -> None:
    assert _matching(TripleUse(_slot(variable="x"), _slot(Q), _slot(variable="x"))) == {LOOP}
    assert _matching(TripleUse(_slot(variable="x"), _slot(Q), _slot(variable="y"))) == {LOOP, BLANK}


@pytest.mark.parametrize("written", ["5", "05", "+5"])
def test_a_number_matches_in_any_form(written: str) -> None:
    number = Literal(written, datatype=XSD.integer)
    assert FIVE in _matching(TripleUse(ANYTHING, _slot(P), _slot(number)))
    assert ODD_FIVE in _matching(TripleUse(ANYTHING, _slot(P), _slot(number)))


def test_a_condition_is_judged() -> None:
    cheap = Condition("?v < 5", ("v",))
    assert FIVE not in _matching(TripleUse(ANYTHING, _slot(P), _slot(variable="v"), (cheap,)))
    dear = Condition("?v >= 5", ("v",))
    assert FIVE in _matching(TripleUse(ANYTHING, _slot(P), _slot(variable="v"), (dear,)))


def test_a_literal_that_a_store_would_rewrite_meets_every_condition() -> None:
    # An engine that keeps "05" as it is finds it; pyoxigraph would not.
    lexical = Condition('STR(?v) = "05"', ("v",))
    assert ODD_FIVE in _matching(TripleUse(ANYTHING, _slot(P), _slot(variable="v"), (lexical,)))


@pytest.mark.parametrize(("tag", "is_found"), [("en", True), ("EN", True), ("de", False)])
def test_a_language_in_capital_letters_is_not_judged(tag: str, is_found: bool) -> None:
    # Tags are lower case in pyoxigraph, and not everywhere else.
    language = Condition(f'LANG(?l) = "{tag}"', ("l",))
    found = _matching(TripleUse(ANYTHING, _slot(RDFS.label), _slot(variable="l"), (language,)))
    assert (MUSHROOM in found) == is_found


def test_hidden_variables_may_have_any_name() -> None:
    condition = Condition("isIRI(?o)", ("o",))
    use = TripleUse(Slot(None, "[1]"), _slot(Q), _slot(variable="o"), (condition,))
    assert _matching(use) == {LOOP, BLANK}


def test_no_change_matches_nothing() -> None:
    assert not list(ChangedTriples(OLD, (), ()).matching(TripleUse(ANYTHING, ANYTHING, ANYTHING)))


# -- chains of edges in two states of a graph, against sets of descendants that are computed one by one ----------------


P, Q, R = (NamedNode(f"urn:{name}") for name in "pqr")
NODES = [NamedNode(f"urn:{n}") for n in range(6)]
triples = st.builds(Triple, st.sampled_from(NODES), st.sampled_from([P, Q, R]), st.sampled_from(NODES))
edge_sets = st.frozensets(st.sampled_from([(P, False), (P, True), (Q, False), (Q, True)]), min_size=1)


def _two_states(before: set[Triple], after: set[Triple]) -> tuple[Graph, Graph]:
    old = Graph(sorted(before, key=str))
    new = old.copy()
    new.apply(Delta(sorted(before - after, key=str), sorted(after - before, key=str)))
    return old, new


def _pairs(state: set[Triple], edges: frozenset[tuple[NamedNode, bool]]) -> set[tuple[object, object]]:
    """All pairs that a chain of one or more edges connects, by composing the relation until it stops growing."""
    step: set[tuple[object, object]] = {
        (t.object, t.subject) if back else (t.subject, t.object) for t in state for p, back in edges if p == t.predicate
    }
    found: set[tuple[object, object]] = set(step)
    while more := {(a, d) for (a, b), (c, d) in product(found, step) if b == c} - found:
        found |= more
    return found


def _chains(before: set[Triple], after: set[Triple], edges: frozenset[tuple[NamedNode, bool]]) -> Chains:
    predicates = {predicate for predicate, _ in edges}
    old, new = _two_states(before, after)
    changed = [old.keys(triple) for triple in sorted(before ^ after, key=str) if triple.predicate in predicates]
    return Chains(old, new, edges, changed)


@pytest.mark.parametrize("patience", [-1, 1_000_000], ids=["all at once", "one by one"])
@given(before=st.sets(triples, max_size=12), after=st.sets(triples, max_size=12), edges=edge_sets)
def test_a_chain_is_found_exactly_if_brute_force_finds_a_difference(
    patience: int, before: set[Triple], after: set[Triple], edges: frozenset[tuple[NamedNode, bool]]
) -> None:
    differing = _pairs(before, edges) ^ _pairs(after, edges)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_PATIENCE", patience)
        chains = _chains(before, after, edges)
        key = Graph(sorted(before, key=str)).key
        for node in NODES:
            assert (chains.change(None, key(node)) is not None) == any(upper == node for _, upper in differing)
            assert (chains.change(key(node), None) is not None) == any(lower == node for lower, _ in differing)
        for lower, upper in product(NODES, NODES):
            assert (chains.change(key(lower), key(upper)) is not None) == ((lower, upper) in differing)


@pytest.mark.parametrize("patience", [-1, 1_000_000], ids=["all at once", "one by one"])
@given(before=st.sets(triples, max_size=10), after=st.sets(triples, max_size=10), edges=edge_sets)
def test_the_result_is_a_chain_of_one_state_with_an_edge_that_the_other_lacks(
    patience: int, before: set[Triple], after: set[Triple], edges: frozenset[tuple[NamedNode, bool]]
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_PATIENCE", patience)
        chains = _chains(before, after, edges)
        key = Graph(sorted(before, key=str)).key
        for lower, upper in [(None, node) for node in NODES] + [(node, None) for node in NODES]:
            found = chains.change(*(end and key(end) for end in (lower, upper)))
            if found is None:
                continue
            there, elsewhere = (after, before) if found.added else (before, after)
            assert set(found.edges) <= there
            assert found.changed in found.edges
            assert found.changed not in elsewhere
            assert upper is None or upper in (found.edges[-1].subject, found.edges[-1].object)
            assert lower is None or lower in (found.edges[0].subject, found.edges[0].object)


def test_a_move_within_a_subtree_does_not_change_the_nodes_below() -> None:
    pizza, veggie, mushroom = NODES[:3]
    before = {Triple(veggie, P, pizza), Triple(mushroom, P, pizza)}
    after = {Triple(veggie, P, pizza), Triple(mushroom, P, veggie)}
    chains = _chains(before, after, frozenset([(P, False)]))
    key = Graph(sorted(before, key=str)).key
    assert chains.change(None, key(pizza)) is None
    assert chains.change(None, key(veggie)) is not None
    assert chains.change(key(mushroom), None) is not None
