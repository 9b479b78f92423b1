"""Tests with bound parameters. The fixture `warehouse` is a connection to the database."""

import csv
from pathlib import Path

import pytest


def count(warehouse, parent):
    query = "SELECT COUNT(*) FROM orders JOIN closure ON closure.child = orders.term WHERE closure.parent = ?"
    return warehouse.execute(query, (parent,)).fetchone()[0]


def test_vegetarian_pizzas_are_ordered(warehouse):
    query = "SELECT COUNT(*) FROM orders JOIN closure ON closure.child = orders.term WHERE closure.parent = ?"
    assert warehouse.execute(query, ("VeggiePizza",)).fetchone()[0] == 2


@pytest.mark.parametrize(("parent", "orders"), [("Pizza", 4), ("Drink", 4), ("Tea", 1)])
def test_orders_below(warehouse, parent, orders):
    assert count(warehouse, parent) == orders


CASES = (Path(__file__).parent / "cases.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", list(csv.DictReader(CASES.splitlines())))
def test_labels(warehouse, case):
    assert warehouse.execute("SELECT label FROM term WHERE id = ?", (case["term"],)).fetchone() == (case["label"],)
