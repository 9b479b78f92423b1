"""The algebra of a query means what the query means: written out in full, it has the same algebra and answers."""

from __future__ import annotations

from random import Random

import pyoxigraph
from support.sparql_text import document_text, operation_text, without_places

from kgprobe.errors import InputError
from kgprobe.sparql.documents import read_document
from sparql.random_algebra import random_algebra
from sparql.random_queries import PREFIXES, random_graph, random_query

_UNDEFINED = ("LIMIT", "OFFSET", "SAMPLE", "GROUP_CONCAT")  # the answer depends on an order that SPARQL does not define


def test_random_algebra_is_read_again() -> None:
    compared = 0
    for seed in range(300):
        operation = random_algebra(Random(seed))
        text = operation_text(operation)
        try:
            [found] = read_document(text).operations
        except InputError:
            continue
        assert without_places(found) == without_places(operation), text
        compared += 1
    assert compared > 290


def answers(store: pyoxigraph.Store, text: str) -> object:
    try:
        found = store.query(text)
    except (RuntimeError, ValueError) as error:
        return type(error)
    if isinstance(found, pyoxigraph.QueryBoolean):
        return bool(found)
    if isinstance(found, pyoxigraph.QueryTriples):
        return len(list(found))
    names = [variable.value for variable in found.variables]
    return sorted(names), sorted(str([str(row[name]) for name in sorted(names)]) for row in found)


def test_answers_stay_the_same() -> None:
    random = Random(16)
    compared = 0
    for _ in range(400):
        text = random_query(random)
        try:
            found = read_document(text)
        except InputError:
            continue
        if any(word in text for word in _UNDEFINED) or found.operations[0].span.start < len(PREFIXES) - 1:
            continue
        store = pyoxigraph.Store()
        store.extend(pyoxigraph.Quad(*triple) for triple in random_graph(random))
        assert answers(store, document_text(found)) == answers(store, text), text
        compared += 1
    assert compared > 200


def test_operators_bind_as_in_sparql() -> None:
    """Each expression has the same value if all of its brackets are written."""
    random = Random(7)
    store = pyoxigraph.Store()
    compared = 0
    for _ in range(500):
        pieces = [random.choice(["1", "2.5", "?x", "-1", "+3", "- ?x", "!?y", "(2 - 1)", "3"])]
        for _ in range(random.randrange(1, 6)):
            sign = random.choice([" + ", "+", " - ", "-", " * ", "/", " && ", "||"])
            pieces += [sign, random.choice(["1", "2.5", "?x", "-1", "+3", "-?x", "!?y", "3"])]
        text = "".join(pieces)
        if random.random() < 0.5:
            text += random.choice([" = ", " < ", " >= ", " != "]) + random.choice(["?x", "1 + 2", "4 - 1 * 2"])
        text = f"SELECT ?r {{ BIND(5 AS ?x) BIND(false AS ?y) BIND({text} AS ?r) }}"
        try:
            [query] = read_document(text).operations
        except InputError:
            continue
        assert answers(store, operation_text(query)) == answers(store, text), text
        compared += 1
    assert compared > 400
