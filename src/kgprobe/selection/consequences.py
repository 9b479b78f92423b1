"""What else a change asks for: tests of what is new, and repairs of tests that name what is gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, NamedNode
from kgprobe.selection.alignment import Versions
from kgprobe.selection.comparison.versions import TwoVersions
from kgprobe.selection.gaps import gaps
from kgprobe.selection.plan import Plan
from kgprobe.selection.repair import broken_tests

__all__ = ["with_consequences"]

_REPLACEMENTS = (
    NamedNode("http://purl.obolibrary.org/obo/IAO_0100001"),
    NamedNode("http://purl.org/dc/terms/isReplacedBy"),
)


def with_consequences(plan: Plan, versions: Versions) -> Plan:
    """The plan, with the new entities that no test uses, and the tests that use entities which are gone."""
    broken = broken_tests(plan.tests, lambda term: _is_gone(term, versions), dict(_stated_replacements(versions)))
    if any(each.replacement is None for each in broken):  # to look for entities that say the same takes longer
        renamed = dict(_renamed(versions))
        broken = [each if each.replacement else replace(each, replacement=renamed.get(each.term)) for each in broken]
    return replace(plan, gaps=tuple(gaps(_added(versions), plan.tests, versions.new)), broken=tuple(broken))


def _added(versions: Versions) -> Iterator[NamedNode]:
    """The entities that only the new version declares, or gives a type to."""
    seen = set()
    for triple in versions.delta.added:
        entity = triple.subject
        if triple.predicate == RDF.type and isinstance(entity, NamedNode) and entity not in seen:
            seen.add(entity)
            is_entity = isinstance(triple.object, NamedNode) and triple.object != OWL.Ontology
            if is_entity and not versions.old.mentions(entity) and not _is_deprecated(entity, versions.new):
                yield entity


def _is_gone(term: NamedNode, versions: Versions) -> bool:
    """Whether an entity of the old version is not there any more, or should not be used any more."""
    if not versions.old.mentions(term):
        return False
    if not versions.new.mentions(term):
        return True
    return _is_deprecated(term, versions.new) and not _is_deprecated(term, versions.old)


def _is_deprecated(term: NamedNode, graph: Graph) -> bool:
    return any(triple.object.value in ("true", "1") for triple in graph.triples(term, OWL.deprecated))


def _stated_replacements(versions: Versions) -> Iterator[tuple[NamedNode, NamedNode]]:
    """What the new version says is to be used in place of what."""
    for predicate in _REPLACEMENTS:
        for triple in versions.new.triples(None, predicate):
            if isinstance(triple.subject, NamedNode) and isinstance(triple.object, NamedNode):
                yield triple.subject, triple.object


def _renamed(versions: Versions) -> Iterator[tuple[NamedNode, NamedNode]]:
    """Entities that say the same as others which are gone."""
    both = TwoVersions(versions.old, versions.new)
    for old, (new, _) in both.renames.items():
        before, after = both.terms[old], both.terms[new]
        if isinstance(before, NamedNode) and isinstance(after, NamedNode):
            yield before, after
