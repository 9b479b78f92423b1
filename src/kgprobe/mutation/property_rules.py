"""What OWL 2 DL and EL demand of object properties as a whole, asked of the neighbourhood of a few of them.

A FILTER can ask these questions by IRIs in kgprobe's namespace. An operator that asks before it adds an axiom keeps
an ontology in its profile. The rules are those of section 11 of the structural specification of OWL 2, and of section
2.2.6 of "OWL 2 Profiles".

A question costs as much as the hierarchy around its properties is large, however large the graph is. For that the
answers err on the side of no:

- A property and its inverse count as one.
- A range that is an expression counts as one that no other property has.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgprobe.graph.changes import Key
from kgprobe.graph.graph import Graph
from kgprobe.graph.patterns.filters import Test, remembered
from kgprobe.graph.terms import OWL, BlankNode
from kgprobe.mutation.entity_rules import is_class, is_data_property, is_object_property
from kgprobe.mutation.functions import NAMESPACE
from kgprobe.mutation.import_rules import may_import
from kgprobe.mutation.property_demands import must_be_simple
from kgprobe.mutation.property_ways import WORDS, above, below, has_chains, later, past_chains

__all__ = ["TESTS"]

# They are simple to nobody, whatever the axioms say.
_EXTREMES = (OWL.topObjectProperty, OWL.bottomObjectProperty)


def _is_simple(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether neither a chain nor a transitive property implies the property."""
    return not any(_is_composite(graph, lower) for lower in below(graph, keys[0]))


def _may_compose(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the property may be transitive, or implied by a chain: nothing demands that it be simple."""
    return not must_be_simple(graph, keys[0])


def _may_imply(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the first property may be put below the second."""
    lower, upper = keys
    if must_be_simple(graph, upper) and not _is_simple(graph, (lower,)):
        return False
    if not has_chains(graph):
        return True
    if _is_implied_by_chain(graph, lower) and any(_ranges(graph, each) for each in above(graph, upper)):
        return False
    return lower not in past_chains(graph, upper)  # to close the way would be a circle


def _may_have_range(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the property may get one more range: no chain implies it, the last of which would have to have it too."""
    return not has_chains(graph) or not _is_implied_by_chain(graph, keys[0])


def _may_chain(graph: Graph, keys: tuple[Key, ...]) -> bool:
    """Whether the first property followed by the second may imply the third."""
    first, second, implied = keys
    if must_be_simple(graph, implied):
        return False
    imposed = [each for upper in above(graph, implied) for each in _ranges(graph, upper)]
    if imposed:
        known = _ranges(graph, second)
        if any(each not in known or isinstance(graph.term(each), BlankNode) for each in imposed):
            return False
    # The implied property may itself be at one end of the chain. Nothing else that comes after it may be in it.
    after = later(graph, implied)
    return not any(each in after for each in (first, second) if each != implied)


def _is_composite(graph: Graph, prop: Key) -> bool:
    words = WORDS.of(graph.table)
    if graph.has(prop, words.is_a, words.transitive) or graph.objects(prop, words.chain):
        return True
    return graph.term(prop) in _EXTREMES


def _is_implied_by_chain(graph: Graph, prop: Key) -> bool:
    chain = WORDS.of(graph.table).chain
    return any(graph.objects(lower, chain) for lower in below(graph, prop))


def _ranges(graph: Graph, prop: Key) -> Sequence[Key]:
    return graph.objects(prop, WORDS.of(graph.table).range)


TESTS: dict[str, Test] = {
    NAMESPACE + "isClass": is_class,
    NAMESPACE + "isObjectProperty": is_object_property,
    NAMESPACE + "isDataProperty": is_data_property,
    NAMESPACE + "isSimple": _is_simple,
    NAMESPACE + "mayCompose": _may_compose,
    NAMESPACE + "mayImply": remembered(_may_imply),
    NAMESPACE + "mayHaveRange": _may_have_range,
    NAMESPACE + "mayChain": remembered(_may_chain),
    NAMESPACE + "mayImport": remembered(may_import),
}
