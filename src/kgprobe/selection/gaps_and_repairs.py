"""New entities that no test uses, and repairs of tests that name entities that are gone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.diff import Versions
from kgprobe.graph.graph import Graph
from kgprobe.graph.terms import OWL, RDF, RDFS, Literal, NamedNode
from kgprobe.selection.gaps import gaps
from kgprobe.selection.plan import Plan
from kgprobe.selection.repair import broken_tests, repairs

__all__ = ["with_gaps_and_repairs"]

_REPLACEMENTS = (
    NamedNode("http://purl.obolibrary.org/obo/IAO_0100001"),
    NamedNode("http://purl.org/dc/terms/isReplacedBy"),
)


def with_gaps_and_repairs(plan: Plan, versions: Versions) -> Plan:
    """The plan with the new entities that no test uses, and with repairs of tests that use entities that are gone."""
    named = dict.fromkeys(mention.term for test in plan.tests for mention in test.mentions)
    gone = _gone(versions, named)
    broken = broken_tests(plan.tests, gone, dict(_stated_replacements(versions))) if gone else []
    if any(each.replacement is None for each in broken):
        renamed = dict(_renamed(versions))
        broken = [each if each.replacement else replace(each, replacement=renamed.get(each.term)) for each in broken]
    return replace(
        plan,
        gaps=tuple(gaps(_added(versions), plan.tests, versions.new)),
        broken=tuple(broken),
        repairs=tuple(repairs(broken, lambda term: _label(term, versions.new))),
    )


def _label(term: NamedNode, graph: Graph) -> str | None:
    from kgprobe.ontology.axiom_wording import labels_of  # only here: few plans have anything to repair

    return next(iter(labels_of(term, graph)), None)


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


def _gone(versions: Versions, named: Iterable[NamedNode]) -> set[NamedNode]:
    """The terms that the new version no longer has, or has deprecated."""
    old, new = versions.old, versions.new
    removed = {subject for subject, _, _ in versions.gone}
    deprecated = new.key(OWL.deprecated)
    newly_deprecated = {subject for subject, predicate, _ in versions.come if predicate == deprecated}
    gone = set()
    for term in named:
        key = old.key(term)
        if (key in removed and not new.mentions(term)) or (
            key in newly_deprecated
            and old.mentions(term)
            and _is_deprecated(term, new)
            and not _is_deprecated(term, old)
        ):
            gone.add(term)
    return gone


def _is_deprecated(term: NamedNode, graph: Graph) -> bool:
    values = (triple.object for triple in graph.triples(term, OWL.deprecated))
    return any(isinstance(value, Literal) and value.value in ("true", "1") for value in values)


def _stated_replacements(versions: Versions) -> Iterator[tuple[NamedNode, NamedNode]]:
    """The pairs of a term and its replacement that the new version states."""
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
