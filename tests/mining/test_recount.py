"""Rules of real graphs, counted again with SPARQL."""

from __future__ import annotations

from collections import defaultdict

import pytest
from pyoxigraph import Quad, QuerySolutions, Store
from support.shared_data import needs_shared_data, shared

from kgprobe.formats.files import load
from kgprobe.mining.rules import Rule
from kgprobe.mining.search import mine
from kgprobe.rdf.pattern import TriplePattern, Variable

# So many rules of each form are counted again.
PER_FORM = 4


@needs_shared_data
@pytest.mark.parametrize(("name", "least_rules", "least_forms"), [("wn18rr", 1500, 15), ("yago-sample", 2500, 8)])
def test_counts_are_those_of_sparql(name: str, least_rules: int, least_forms: int) -> None:
    graph = load(shared(f"kg/{name}.tsv.gz"), base="http://example.org/").graph
    mined = mine(graph, min_support=20, min_body=20)
    assert mined.is_complete
    assert len(mined.rules) > least_rules
    store = Store()
    store.bulk_extend(Quad(each.subject, each.predicate, each.object) for each in graph)
    forms: dict[tuple[object, ...], list[Rule]] = defaultdict(list)
    for rule in mined.rules:
        forms[form(rule)].append(rule)
    assert len(forms) >= least_forms
    checked = 0
    for rules in forms.values():
        for rule in rules[:: max(1, len(rules) // PER_FORM)][:PER_FORM]:
            assert recounted(store, rule) == (rule.support, rule.body_size, rule.head_size, rule.pca_body_size), rule
            checked += 1
    assert checked >= 2 * least_forms


def form(rule: Rule) -> tuple[object, ...]:
    """Where a rule has which variables."""
    atoms = (rule.head, *rule.body)
    return tuple(tuple(str(part) if isinstance(part, Variable) else "" for part in atom) for atom in atoms)


def recounted(store: Store, rule: Rule) -> tuple[int, int, int, int]:
    """The four counts of a rule by SPARQL queries, as they are defined."""
    body, head = " . ".join(map(text, rule.body)), text(rule.head)
    names = " ".join(str(part) for part in rule.head if isinstance(part, Variable))
    subject, predicate, object_ = rule.head
    some = f"{subject} {predicate} ?any" if isinstance(subject, Variable) else f"?any {predicate} {object_}"
    return (
        count(store, f"SELECT DISTINCT {names} WHERE {{ {body} . {head} }}"),
        count(store, f"SELECT DISTINCT {names} WHERE {{ {body} }}"),
        count(store, f"SELECT {names} WHERE {{ {head} }}"),
        count(store, f"SELECT DISTINCT {names} WHERE {{ {body} FILTER EXISTS {{ {some} }} }}"),
    )


def count(store: Store, query: str) -> int:
    solutions = store.query(f"SELECT (COUNT(*) AS ?n) WHERE {{ {query} }}")
    assert isinstance(solutions, QuerySolutions)
    [solution] = solutions
    return int(solution["n"].value)


def text(atom: TriplePattern) -> str:
    return " ".join(map(str, atom))
