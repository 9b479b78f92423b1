"""What a profile of the tables would save: tests that are selected only because some annotation has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from kgprobe.entailment.closure import EntailedChange
from kgprobe.entailment.rules import Regime
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OWL, RDFS, SKOS, NamedNode, Term
from kgprobe.selection.changed_triples import Changed
from kgprobe.selection.cones import Cones
from kgprobe.selection.impact import Selection
from kgprobe.selection.warehouse.reads import TablesUse
from kgprobe.selection.warehouse.without_profile import Regions

__all__ = ["hints"]

# With fewer tests, a hint is not worth the time to find it.
_FEWEST: Final = 10
_LEAST_SHARE: Final = 0.2
# What annotations of axioms are written with, beside their properties.
_OF_ANNOTATIONS: Final = (OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget, OWL.Axiom)
_MOST_NAMED: Final = 3


def hints(found: Selection, spelled: Callable[[Term], str]) -> tuple[str, ...]:
    """Lines about the annotations that no table may hold, and how many of the selected tests they account for."""
    statements: dict[Regime, list[list[TablesUse]]] = {}
    for each in found.selected:
        uses = [hit.use for hit in each.hits if isinstance(hit.use, TablesUse)]
        if uses and len(uses) == len(each.hits) and not each.test.unseen:
            statements.setdefault(each.regime, []).append(uses)
    said = (
        _hint(found.impacts[regime].change, found.impacts[regime].in_closures, tests, spelled)
        for regime, tests in statements.items()
        if len(tests) >= _FEWEST
    )
    return tuple(filter(None, said))


def _hint(
    change: EntailedChange,
    changed: Sequence[tuple[KeyTriple, Changed]],
    tests: Sequence[Sequence[TablesUse]],
    spelled: Callable[[Term], str],
) -> str:
    counts = _annotations(change, changed)
    if not counts:
        return ""
    common = [key for key, _ in counts.most_common()]
    for predicates in ([common[0]], common):
        ignored = {*predicates, *(map(change.old.key, _OF_ANNOTATIONS) if predicates is common else ())}
        left = [each for each in changed if ignored.isdisjoint(each[0][1:])]
        regions = Regions((change.old, change.new), Cones(change.old, change.new, left))
        saved = sum(not any(regions.way_to(use) for use in uses) for uses in tests) if left else len(tests)
        if saved >= len(tests) * _LEAST_SHARE:
            names = [spelled(change.old.term(key)) for key in predicates[:_MOST_NAMED]]
            more = " and others" if len(predicates) > _MOST_NAMED else ""
            return (
                f"hint: {saved:,} of the {len(tests):,} selected tests in SQL are selected only because of "
                f"{', '.join(names)}{more}; if no table holds that, say so in a warehouse profile (--warehouse)"
            )
    return ""


def _annotations(change: EntailedChange, changed: Iterable[tuple[KeyTriple, Changed]]) -> Counter[Key]:
    """How often each property has changed that is not about labels or the structure of the ontology."""
    graph = change.old
    counts = Counter(keys[1] for keys, _ in changed)
    for key in list(counts):
        term = graph.term(key)
        if type(term) is NamedNode and (term == SKOS.prefLabel or (is_reserved(term) and term != RDFS.comment)):
            del counts[key]
    return counts
