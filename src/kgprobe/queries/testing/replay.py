"""Runs a query on saved counterexamples again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from kgprobe.errors import InputError
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.entry import prepared_test
from kgprobe.queries.testing.request import Text
from kgprobe.queries.testing.run import Settings
from kgprobe.queries.testing.saved import Saved, with_checks
from kgprobe.reasoners.protocol import Reasoner

__all__ = ["Replayed", "replayed"]


@dataclass(frozen=True)
class Replayed:
    """What became of a saved counterexample: whether its property still fails, and the reason."""

    name: str
    property: str
    is_failing: bool
    reason: str

    def value(self) -> dict[str, Any]:
        """The result for JSON."""
        return {"name": self.name, "property": self.property, "failing": self.is_failing, "reason": self.reason}


def replayed(
    saved: Saved,
    query: Text,
    schema: Schema,
    reasoner: Reasoner,
    settings: Settings,
    find: Callable[[str], Callable[..., Any]],
) -> Replayed:
    """Run a query on saved data, and check the properties that were saved with them."""
    chosen = replace(settings, regime=saved.regime)
    prefixes = schema.graph.spelling.prefixes
    try:
        request = with_checks(saved, find)
        test = prepared_test(query.text, schema, request, reasoner, chosen, name=query.name, prefixes=prefixes)
    except InputError as error:
        return Replayed(saved.name, saved.broken, is_failing=True, reason=f"it cannot be run: {error}")
    data = tuple(datum for datum in saved.data if not test.is_stated(datum))
    breach = test.breach(data)
    if breach is not None:
        return Replayed(saved.name, breach.property, is_failing=True, reason=breach.reason)
    consistent = test.judge.is_consistent(data)
    reason = "the property holds" if consistent else "the data are no longer consistent with the ontology"
    if consistent is None:
        return Replayed(
            saved.name, saved.broken, is_failing=True, reason="it is undecided whether the data are consistent"
        )
    return Replayed(saved.name, saved.broken, is_failing=False, reason=reason)
