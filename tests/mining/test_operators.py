"""Operators from rules: how many there are, what they do, and that the operator reader takes them."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mutation.example_runner import fits, graph_of, outcomes, prefixes_of

from kgprobe.errors import InputError
from kgprobe.mining.files import write_operators
from kgprobe.mining.operators import MinedOperator, mined_operators, operators_of, update_of, update_text
from kgprobe.mining.rules import Rule
from kgprobe.mutation.operator import NO_PINS, Site
from kgprobe.mutation.update import UpdateOperator, parse_operator, read_operator
from kgprobe.rdf.graph import FreshNames, Graph
from kgprobe.rdf.pattern import TriplePattern, Variable, variables_of
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term, Triple

from .random_rules import rules

A, B, C = (Variable(name) for name in "abc")
_EX = "https://kgprobe.example/#"
TYPE, PIPE, NEXT = RDF.type, NamedNode(_EX + "Pipe"), NamedNode(_EX + "nextTo")
# The example of section 5.4.
PIPES = Rule(((A, TYPE, PIPE), (A, NEXT, B)), (B, NEXT, A), 50, 50, 50, 50)


def _read(operator: MinedOperator) -> UpdateOperator:
    return parse_operator(update_text(update_of(operator)), "<mined>")


def _filled(atoms: tuple[TriplePattern, ...], binding: dict[str, Term]) -> set[Triple]:
    def term(part: Variable | Term) -> Term:
        return binding[part.name] if isinstance(part, Variable) else part

    return {Triple(*map(term, atom)) for atom in atoms}  # type: ignore[arg-type]  # checked by the test


@given(rules(most_body=4))
@settings(max_examples=150)
def test_a_rule_with_n_body_atoms_has_2_to_the_n_additions_and_one_removal_less(rule: Rule) -> None:
    made = list(operators_of(rule))
    n = len(rule.body)
    assert sum(not each.removed for each in made) == 2**n
    assert sum(bool(each.removed) for each in made) == 2**n - 1
    assert all(bool(each.added) != bool(each.removed) for each in made)
    assert len({(each.finds, each.leaves) for each in mined_operators([rule])}) == len(mined_operators([rule]))


@given(rules(), st.permutations(["x", "y", "z"]), st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_the_names_of_variables_and_the_order_of_atoms_make_no_difference(
    rule: Rule, names: list[str], random: Random
) -> None:
    renamed = dict(zip(("x", "y", "z"), names, strict=True))

    def other(atom: TriplePattern) -> TriplePattern:
        return tuple(Variable(renamed[p.name]) if isinstance(p, Variable) else p for p in atom)  # type: ignore[return-value]

    body = [other(atom) for atom in rule.body]
    random.shuffle(body)
    twin = Rule(tuple(body), other(rule.head), 1, 1, 1, 1)
    one, both = mined_operators([rule]), mined_operators([rule, twin])
    assert len(both) == len(one)
    assert {update_of(each).name for each in both} == {update_of(each).name for each in one}


@given(rules(most_body=2), rules(most_body=2))
@settings(max_examples=100)
def test_operators_are_merged_exactly_if_renaming_makes_them_equal(one: Rule, other: Rule) -> None:
    """Against all renamings, tried one by one."""

    def is_same(first: MinedOperator, second: MinedOperator) -> bool:
        mine, yours = (variables_of((*each.finds, *each.leaves)) for each in (first, second))
        if len(mine) != len(yours):
            return False
        for order in itertools.permutations(yours):
            names = {old.name: new for old, new in zip(mine, order, strict=True)}

            def renamed(atoms: tuple[TriplePattern, ...], names: dict[str, Variable] = names) -> set[object]:
                return {tuple(names[p.name] if isinstance(p, Variable) else p for p in atom) for atom in atoms}

            if renamed(first.finds) == set(second.finds) and renamed(first.leaves) == set(second.leaves):
                return True
        return False

    every = [*operators_of(one), *operators_of(other)]
    different: list[MinedOperator] = []
    for operator in every:
        if not any(is_same(operator, known) for known in different):
            different.append(operator)
    assert len(mined_operators([one, other])) == len(different)


@given(rules(), st.integers(0, 1 << 30))
@settings(max_examples=60)
def test_each_operator_is_read_and_does_what_section_5_4_says(rule: Rule, seed: int) -> None:
    random = Random(seed)
    for mined in mined_operators([rule]):
        operator = _read(mined)
        nodes = [NamedNode(f"{_EX}n{n}") for n in range(3)] + [BlankNode("b")]
        binding: dict[str, Term] = {each.name: random.choice(nodes) for each in variables_of(mined.finds)}
        graph = Graph([*_filled(mined.finds, binding), Triple(nodes[0], NEXT, nodes[1])])
        before = set(graph)
        change = operator.bound(NO_PINS)(Site(graph, random, FreshNames(graph, seed), NO_PINS))
        if change is None:  # then the whole rule is there for every match
            assert not mined.removed
            assert not mined.new_nodes
            assert _filled(mined.leaves, binding) <= before
            continue
        values = {name: graph.term(key) for name, key in change.binding.items()}
        assert _filled(mined.finds, values) <= before
        assert all(values[each.name] not in graph.terms() for each in mined.new_nodes)
        graph.change(change.removed, change.added)
        if mined.removed:
            assert set(graph) == before - _filled(mined.removed, values)
        else:
            assert set(graph) == before | _filled(mined.leaves, values)


@given(rules())
@settings(max_examples=40)
def test_the_example_of_each_operator_is_right(rule: Rule) -> None:
    for mined in mined_operators([rule]):
        operator = _read(mined)
        [example] = operator.description.examples
        before, after = (graph_of(text, prefixes_of(operator)) for text in (example.before, example.after))
        assert any(fits(graph, before, after) for graph, _ in outcomes(operator, before, 400)), operator.source


def test_the_operators_of_the_example_in_the_paper() -> None:
    made = mined_operators([PIPES])
    assert len(made) == 7
    for each in made:
        assert update_of(each).domain_specific
        assert update_of(each).target == "abox"
    [adding] = [each for each in made if [atom[1] for atom in each.finds] == [TYPE]]
    assert len(adding.new_nodes) == 1
    assert {atom[1] for atom in adding.added} == {NEXT}
    [removing] = [each for each in made if {atom[1] for atom in each.removed} == {TYPE, NEXT} and len(each.leaves) == 1]
    assert [atom[1] for atom in removing.leaves] == [NEXT]


def test_rules_over_the_same_atoms_share_operators() -> None:
    turned = Rule((PIPES.body[0], PIPES.head), PIPES.body[1], 50, 50, 50, 50)
    # The two rules are one, up to the names of variables, except for the type: additions to nothing and to the type are
    # the same, and so is the removal of both relations and that of everything.
    each = [len(mined_operators([rule])) for rule in (PIPES, turned)]
    assert each == [7, 7]
    shared = 14 - len(mined_operators([PIPES, turned]))
    assert shared == 4


def test_an_addition_to_nothing_applies_to_an_empty_graph() -> None:
    [operator] = [each for each in mined_operators([PIPES]) if not each.finds]
    graph = Graph()
    change = _read(operator).bound(NO_PINS)(Site(graph, Random(1), FreshNames(graph, 1), NO_PINS))
    assert change is not None
    assert len(change.added) == 3


def test_an_addition_makes_no_statement_about_a_literal() -> None:
    rule = Rule(((A, NEXT, B),), (B, TYPE, PIPE), 1, 1, 1, 1)
    [operator] = [each for each in mined_operators([rule]) if len(each.finds) == 1 and each.added]
    graph = Graph([Triple(NamedNode(_EX + "n"), NEXT, Literal("text"))])
    assert _read(operator).bound(NO_PINS)(Site(graph, Random(1), FreshNames(graph, 1), NO_PINS)) is None


def test_names_and_words_are_readable() -> None:
    rule = Rule(((A, OWL.onProperty, B),), (A, TYPE, OWL.Restriction), 1, 1, 1, 1)
    shown = {update_of(each).name.rpartition("-")[0]: update_of(each) for each in mined_operators([rule])}
    assert set(shown) == {
        "AddRestrictionOnProperty",
        "AddRestriction-WhereOnProperty",
        "RemoveRestrictionOnProperty",
    }
    adding = shown["AddRestriction-WhereOnProperty"]
    assert adding.does == "add that A is of type owl:Restriction; where A owl:onProperty B"
    assert (adding.target, adding.domain_specific) == ("tbox", False)
    labels = Graph([Triple(NEXT, RDFS.label, Literal("is next to"))])
    [described] = [update_of(each, labels).does for each in mined_operators([PIPES]) if not each.finds]
    assert "'is next to'" in described
    assert "new nodes" in described


def test_operators_with_the_same_name_are_both_written(tmp_path: Path) -> None:
    one, other = (replace(update_of(each), name="Same") for each in mined_operators([PIPES])[:2])
    written = write_operators([one, other], tmp_path / "new" / "folder")
    assert [path.name for path in written.files] == ["Same.ru", "Same-2.ru"]
    texts = [path.read_text() for path in written.files]
    assert len(set(texts)) == 2
    assert [read_operator(path).description.name for path in written.files] == ["Same", "Same-2"]
    write_operators([one, other], tmp_path / "new" / "folder")
    assert [path.read_text() for path in written.files] == texts


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    [one] = [update_of(each) for each in mined_operators([PIPES])[:1]]
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(InputError):
            write_operators([one], folder)


def test_a_blank_node_is_no_constant() -> None:
    with pytest.raises(ValueError, match="blank node"):
        list(operators_of(Rule(((A, NEXT, BlankNode("b")),), (A, TYPE, PIPE), 1, 1, 1, 1)))
