"""The classes of a variable where the cursor is, as a reasoner infers them from the patterns around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kgprobe.owl.expression import Expression
from kgprobe.queries.clashes.clash import ClashFinder
from kgprobe.queries.clashes.inferred_types import types_of
from kgprobe.queries.clashes.statements import variable as individual_of
from kgprobe.queries.diagnosis.views import View
from kgprobe.queries.patterns.facts import Choice, Fact, label_of
from kgprobe.queries.patterns.worlds import World, worlds_of
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql.algebra import Document, Span

__all__ = ["VariableClass", "classes_of"]


@dataclass(frozen=True, slots=True)
class VariableClass:
    """A class of a variable, and why: axioms, and the places of patterns in the query."""

    kind: NamedNode
    axioms: tuple[Expression, ...]
    spans: tuple[Span, ...]


def classes_of(variable: Variable, document: Document, offset: int, finder: ClashFinder) -> tuple[VariableClass, ...]:
    """The classes that follow from everything that must hold where the cursor is; none if that cannot hold."""
    for world in _around(document, offset):
        facts = tuple((number, fact) for number, fact in enumerate(world.facts) if not isinstance(fact, Choice))
        view = View(facts, finder.schema)
        named = [each for each in view.nodes if each.name == variable.name and not each.hidden]
        if not named:
            continue
        by_number = dict(facts)
        found = types_of(individual_of(label_of(named[0])), view.statements, finder)
        return tuple(
            VariableClass(each.kind, each.axioms, _places(view.behind(each.origins), by_number)) for each in found
        )
    return ()


def _around(document: Document, offset: int) -> Iterator[World]:
    """The worlds around an offset, the innermost first; if it is outside of all, all of them."""
    worlds = [world for operation in document.operations for world in worlds_of(operation)]
    inside = [world for world in worlds if world.span.start <= offset <= world.span.end]
    yield from sorted(inside or worlds, key=lambda world: world.span.end - world.span.start if inside else 0)


def _places(numbers: tuple[int, ...], facts: Mapping[int, Fact]) -> tuple[Span, ...]:
    return tuple(dict.fromkeys(facts[number].source.span for number in numbers if number in facts))
