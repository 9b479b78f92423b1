"""What else a change asks for: tests of what is new, and repairs of tests that name what is gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, RDFS, Literal, NamedNode, Triple
from kgprobe.selection.alignment import Versions
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
    broken = broken_tests(plan.tests, _gone(versions).__contains__, dict(_stated_replacements(versions)))
    if any(each.replacement is None for each in broken):
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


def _gone(versions: Versions) -> set[NamedNode]:
    """The entities of the old version that are not there any more, or should not be used any more."""
    removed = {triple.subject for triple in versions.delta.removed}
    added = {triple.subject for triple in versions.delta.added if triple.predicate == OWL.deprecated}
    gone = {term for term in removed if isinstance(term, NamedNode) and not versions.new.mentions(term)}
    for term in added:
        if (
            isinstance(term, NamedNode)
            and _is_deprecated(term, versions.new)
            and not _is_deprecated(term, versions.old)
        ):
            gone.add(term)
    return {term for term in gone if versions.old.mentions(term)}


def _is_deprecated(term: NamedNode, graph: Graph) -> bool:
    values = (triple.object for triple in graph.triples(term, OWL.deprecated))
    return any(isinstance(value, Literal) and value.value in ("true", "1") for value in values)


def _stated_replacements(versions: Versions) -> Iterator[tuple[NamedNode, NamedNode]]:
    """What the new version says is to be used in place of what."""
    for predicate in _REPLACEMENTS:
        for triple in versions.new.triples(None, predicate):
            if isinstance(triple.subject, NamedNode) and isinstance(triple.object, NamedNode):
                yield triple.subject, triple.object


def _renamed(versions: Versions) -> Iterator[tuple[NamedNode, NamedNode]]:
    """Entities that are gone, and the only new ones with the same label."""
    old, new = (_labelled(triples) for triples in (versions.delta.removed, versions.delta.added))
    for label, before in old.items():
        after = [term for term in new.get(label, ()) if not versions.old.mentions(term)]
        if len(before) == len(after) == 1:
            yield before[0], after[0]


def _labelled(triples: Iterable[Triple]) -> dict[object, list[NamedNode]]:
    found: dict[object, list[NamedNode]] = defaultdict(list)
    for triple in triples:
        if triple.predicate == RDFS.label and isinstance(triple.subject, NamedNode):
            found[triple.object].append(triple.subject)
    return found
