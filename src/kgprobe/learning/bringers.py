"""Which built-in operators bring a feature into a graph: found by applying each of them to its own examples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kgprobe.input_coverage.feature_set import FeatureSet
from kgprobe.input_coverage.iris import IriFeatures, NamespaceFeatures
from kgprobe.mutation.catalogue import all_operators, example_graph, prefixes_of, trials
from kgprobe.mutation.operator import Operator
from kgprobe.mutation.update import UpdateOperator
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Variable

__all__ = ["bringers"]

# Enough to see most of what an operator draws at random. The constants of its templates are looked up as well.
_TRIALS = 12
# Calls in an operator that have a constant, or a value of a constant datatype, as their result.
_CALLS = ("pick", "value")


def bringers(features: FeatureSet, missing: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For each missing feature, the names of the operators that would bring it, or a part of it."""
    parts = {feature: features.parts(feature) for feature in missing}
    if not parts:
        return {}
    brought = {operator.description.name: _brought(operator, features.basis) for operator in all_operators()}
    return {
        feature: tuple(name for name, found in brought.items() if not found.isdisjoint(needed))
        for feature, needed in parts.items()
    }


def _brought(operator: Operator, features: FeatureSet) -> set[str]:
    """The features that the operator adds to its examples, and those of the constants that it inserts."""
    found = set(_in_templates(operator, features))
    examples = [example_graph(example.before, prefixes_of(operator)) for example in operator.description.examples]
    for before in (*examples, Graph()):  # declarations need nothing to begin with
        find = features.finder(before)
        had = set(find(before))
        for graph in trials(operator, before, _TRIALS):
            found.update(feature for feature in find(graph) if feature not in had)
    return found


def _in_templates(operator: Operator, features: FeatureSet) -> Iterator[str]:
    if not isinstance(operator, UpdateOperator) or not isinstance(features, IriFeatures | NamespaceFeatures):
        return
    request = operator.request
    known = {part for triple in (*request.delete, *operator.where.needed) for part in triple}
    parts = [part for triple in request.insert for part in triple]
    parts += [part for call in request.calls if call.function in _CALLS for part in call.arguments]
    for part in parts:
        if not isinstance(part, Variable) and part not in known:
            yield from features.counted(part)
