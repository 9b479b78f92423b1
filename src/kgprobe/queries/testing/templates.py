"""The ways in which the pattern of a query can match: the usual template first, then those that differ from it."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from kgprobe.queries.testing.expansion import MOST_ROWS, Chooser, Expansion, Template
from kgprobe.rdf.terms import XSD, Literal
from kgprobe.sparql.algebra import Constant, Expression, Filter, QueryTree
from kgprobe.sparql.traversal import elements_within, expressions_in

__all__ = ["deviations", "random_template", "template"]

_MOST_TEMPLATES = 64


def template(query: QueryTree, chooser: Chooser | None = None) -> Template:
    """The template for these choices."""
    return Expansion(chooser or Chooser(), _small_numbers(query)).query(query)


def deviations(query: QueryTree) -> list[Template]:
    """The usual template, then those that differ from it in one choice, each once."""
    first = Chooser()
    found = [template(query, first)]
    pending = [(at, option) for at, options in enumerate(first.options) for option in range(1, options)]
    for at, option in pending[:_MOST_TEMPLATES]:
        chooser = Chooser([0] * at + [option])
        found.append(template(query, chooser))
        # A choice can open others: a branch of a UNION has its own.
        for later in range(at + 1, len(chooser.options)):
            if len(chooser.options) != len(first.options) and len(found) < _MOST_TEMPLATES:
                found += [
                    template(query, Chooser([0] * at + [option] + [0] * (later - at - 1) + [other]))
                    for other in range(1, chooser.options[later])
                ]
    return list(
        {(each.triples, each.graphs, each.conditions, frozenset(each.given.items())): each for each in found}.values()
    )


def random_template(query: QueryTree, random: Random) -> Template:
    """A template with random choices."""
    return template(query, Chooser(random=random))


def _small_numbers(query: QueryTree) -> tuple[int, ...]:
    """The small whole numbers in the conditions of a query: counts may be compared with them."""
    found: set[int] = set()
    for condition in _all_conditions(query):
        for part in expressions_in(condition):
            if isinstance(part, Constant) and isinstance(part.term, Literal) and part.term.datatype == XSD.integer:
                text = part.term.value
                if text.isdecimal() and int(text) < MOST_ROWS:
                    found |= {int(text), int(text) + 1}
    return tuple(sorted(found - {0, 1}))


def _all_conditions(query: QueryTree) -> Iterator[Expression]:
    for element in elements_within([query]):
        if isinstance(element, Filter):
            yield element.condition
        elif isinstance(element, QueryTree):
            yield from (each.condition for each in element.having)
