"""What else a change asks for: tests of what is new, and repairs of tests that name what is gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, RDFS, Literal, NamedNode
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
    """The entities that only the new version gives a type to."""
    is_a = versions.new.key(RDF.type)
    seen = set()
    for subject, predicate, kind in versions.come:
        if predicate == is_a and subject not in seen:
            seen.add(subject)
            entity, type_ = versions.new.term(subject), versions.new.term(kind)
            if not isinstance(entity, NamedNode) or not isinstance(type_, NamedNode) or type_ == OWL.Ontology:
                continue
            if not versions.old.mentions(entity) and not _is_deprecated(entity, versions.new):
                yield entity


def _gone(versions: Versions) -> set[NamedNode]:
    """The entities of the old version that are not there any more, or should not be used any more."""
    new, deprecated = versions.new, versions.new.key(OWL.deprecated)
    removed = map(new.term, {subject for subject, _, _ in versions.gone})
    gone = {term for term in removed if isinstance(term, NamedNode) and not new.mentions(term)}
    for key in {subject for subject, predicate, _ in versions.come if predicate == deprecated}:
        term = new.term(key)
        if isinstance(term, NamedNode) and _is_deprecated(term, new) and not _is_deprecated(term, versions.old):
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
    old, new = (_labelled(rows, versions.new) for rows in (versions.gone, versions.come))
    for label, before in old.items():
        after = [term for term in new.get(label, ()) if not versions.old.mentions(term)]
        if len(before) == len(after) == 1:
            yield before[0], after[0]


def _labelled(rows: Iterable[KeyTriple], graph: Graph) -> dict[Key, list[NamedNode]]:
    label = graph.key(RDFS.label)
    found: dict[Key, list[NamedNode]] = defaultdict(list)
    for subject, predicate, object_ in rows:
        if predicate == label and isinstance(term := graph.term(subject), NamedNode):
            found[object_].append(term)
    return found
