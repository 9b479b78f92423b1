"""Entities that only have other names in the new version, such as in a new namespace.

Selection compares names, so a renamed entity is a change of everything about it. But a test whose result cannot hold a
name, and that names no renamed entity, has the same result on the old version as on one with the new names. For such a
test, only the rest of the change counts. This assumes that what is loaded depends on names only in that it holds them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from kgprobe.comparison.versions import TwoVersions
from kgprobe.entailment.closure import EntailedChange, entailed_change
from kgprobe.entailment.rules import Regime
from kgprobe.rdf.diff import Versions, aligned
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OBO, OWL, RDF, RDFS, SKOS, XSD, Literal, NamedNode, Term, Triple
from kgprobe.reasoners.protocol import Reasoner
from kgprobe.selection.impact import Impact, Selected, Selection
from kgprobe.selection.tests import Constants, Source, TablesUse, Test, named_in
from kgprobe.selection.vocabulary import LABELS
from kgprobe.selection.warehouse.profile import Content, Scheme, Table, Warehouse, as_property, local_name
from kgprobe.sparql.tokens import tokens
from kgprobe.sparql.uses import PathUse, TripleUse
from kgprobe.wording import number_of

_BUILT_IN = (RDF.iri, RDFS.iri, OWL.iri, XSD.iri, SKOS.iri)
# Without these, a query can tell entities apart only by what is said about them.
_ABOUT_VALUES = frozenset(["FILTER", "BIND", "VALUES", "SERVICE", "HAVING", "GROUP", "ORDER", "LIMIT", "OFFSET"])
_ONLY_COUNTS = re.compile(
    r"\bSELECT\s*\(\s*COUNT\s*\(\s*(?:DISTINCT\s+)?(?:\*|[?$]\w+)\s*\)\s*AS\s+[?$]\w+\s*\)\s*(?:WHERE\b|\{)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Renames:
    """The renamed entities: their old and new names. The change without them is `residual`.

    `warehouse` says what the tables hold that tests in SQL read, if that is known.
    """

    names: Mapping[NamedNode, NamedNode]
    versions: Versions
    warehouse: Warehouse | None = None

    @cached_property
    def _both(self) -> frozenset[Term]:
        return frozenset([*self.names, *self.names.values()])

    @cached_property
    def _spellings(self) -> frozenset[str]:
        """The ways to write a name, without case, that the other name of the entity does not share."""
        found: set[str] = set()
        for old, new in self.names.items():
            found |= _spellings(old) ^ _spellings(new)
        return frozenset(found)

    def residual(self, regime: Regime, reasoner: Reasoner | None) -> EntailedChange:
        """The change from the old version with the new names."""
        old, new = self.versions.old, self.versions.new
        names = cast(Mapping[object, NamedNode], self.names)
        triples = (Triple(*(names.get(term, term) for term in (t.subject, t.predicate, t.object))) for t in old)  # type: ignore[arg-type]
        versions = aligned(Graph(triples, spelling=old.spelling), new)
        return entailed_change(versions.old, versions.new, regime, reasoner)

    def is_blind_to(self, test: Test) -> bool:
        """Whether a test gives the same result on both names: it names none, and its result holds none."""
        if test.unseen or not test.uses:
            return False
        if all(isinstance(use, TablesUse) for use in test.uses):
            return all(self._is_blind(one) for use in test.uses if isinstance(use, TablesUse) for one in use.sources)
        return test.language.is_query and bool(test.queries) and self._asks_only(test)

    def _is_blind(self, source: Source) -> bool:
        """Whether no value that matters can be a name.

        Without a profile, these values must be constants, so that only the number of rows is unknown.
        """
        if self.warehouse is not None:
            table = self.warehouse.by_name.get(source.table)
            if table is None:
                return source.table in self.warehouse.loaded_from_elsewhere
            contents = table.contents(Scheme(self.warehouse.identifiers))
            used = contents.keys() if source.columns is None else source.columns
            return all(name in contents and self._is_nameless(contents[name], table) for name in used)
        if source.columns is None or not source.columns <= source.constants.keys():
            return False
        return not source.equal and all(map(self._is_no_name, source.constants.values()))

    def _is_nameless(self, content: Content, table: Table) -> bool:
        """Whether a column holds the same for an entity under both names."""
        if content.scheme is not None:
            return content.scheme is Scheme.LABEL and self._keep_labels
        if content.thing == "value":
            return bool(table.over) and all(map(self._is_label, table.over))
        if content.predicate:
            return self._is_label(content.predicate)
        return content.thing in ("distance", "level", "language", "constant")

    def _is_label(self, said: str) -> bool:
        """Whether a profile means a property for labels, whose values are texts."""
        graphs = (self.versions.old, self.versions.new)
        meant = as_property(said, {} if self.warehouse is None else self.warehouse.prefixes, graphs)
        return bool(meant) and set(meant) <= set(LABELS) and self._labels_are_texts

    @cached_property
    def _labels_are_texts(self) -> bool:
        graphs = (self.versions.old, self.versions.new)
        return not any(
            graph.count(None, graph.key(label), graph.key(name))
            for name in self._both
            for label in LABELS
            for graph in graphs
        )

    @cached_property
    def _keep_labels(self) -> bool:
        """Whether each entity is written in the same way as a label: without one, that is its local name."""
        return all(
            local_name(old.value) == local_name(new.value)
            or all(
                any(graph.count(graph.key(name), graph.key(label), None) for label in LABELS[:1])
                for name, graph in ((old, self.versions.old), (new, self.versions.new))
            )
            for old, new in self.names.items()
        )

    def _is_no_name(self, constants: Constants) -> bool:
        """Whether none of these can be a name, or a number that a loader gives to a name."""
        texts = [text.casefold() for text in constants.texts]
        return not constants.patterns and not any(
            text in self._spellings or any(mark in text for mark in ":/#\\") or text.lstrip("+-").isdigit()
            for text in texts
        )

    def _asks_only(self, test: Test) -> bool:
        is_plain = all(
            isinstance(use, PathUse) or (isinstance(use, TripleUse) and not use.conditions) for use in test.uses
        )
        named = (term for use in test.uses for term in named_in(use))
        return is_plain and self._both.isdisjoint(named) and all(map(_is_only_asked, test.queries))

    def without(self, found: Selection, reasoner: Reasoner | None) -> tuple[Selection, frozenset[str], tuple[str, ...]]:
        """The selection without tests that only the new names affect and cannot see them.

        Also the names of the other tests that only the new names affect, and a line for the user.
        """
        impacts: dict[Regime, Impact] = {}

        def is_affected(each: Selected) -> bool:
            if each.undecided or each.test.unseen:
                return True
            if each.regime not in impacts:
                impacts[each.regime] = Impact(self.residual(each.regime, reasoner), self.warehouse)
            return any(impacts[each.regime].hit(use) is not None for use in each.test.uses)

        unaffected = [selected for selected in found.selected if not is_affected(selected)]
        left_out = {selected.test.name for selected in unaffected if self.is_blind_to(selected.test)}
        kept = tuple(selected for selected in found.selected if selected.test.name not in left_out)
        renamed = frozenset(selected.test.name for selected in unaffected) - left_out
        many = "1 entity was" if len(self.names) == 1 else f"{len(self.names):,} entities were"
        how = f"{many} renamed: {number_of(len(left_out), 'test')} that cannot see names left out"
        return Selection(kept, found.total, found.impacts), renamed, (how,)


def entity_renames(versions: Versions, warehouse: Warehouse | None = None) -> Renames | None:
    """The renamed entities, recognised as `kgprobe diff` does; None if there are none."""
    if not _may_be_renamed(versions):
        return None
    both = TwoVersions(versions.old, versions.new)
    found = {
        cast(NamedNode, both.terms[old]): cast(NamedNode, both.terms[new]) for old, (new, _) in both.renames.items()
    }
    names = {
        old: new
        for old, new in found.items()
        if not old.value.startswith(_BUILT_IN) and not versions.old.mentions(new) and not versions.new.mentions(old)
    }
    return Renames(names, versions, warehouse) if names else None


def _may_be_renamed(versions: Versions) -> bool:
    """Whether a lost subject shares a label or a local name with a new one. This takes no longer than the change."""
    lost = _marks(versions.gone, versions.old, versions.new)
    return bool(lost) and not lost.isdisjoint(_marks(versions.come, versions.new, versions.old))


def _marks(rows: Iterable[tuple[object, object, object]], graph: Graph, other: Graph) -> set[str]:
    labels = {graph.key(predicate) for predicate in LABELS}
    found: set[str] = set()
    known: dict[object, bool] = {}
    for subject, predicate, value in rows:
        if subject not in known:
            term = graph.term(subject)  # type: ignore[arg-type]
            known[subject] = isinstance(term, NamedNode) and not other.mentions(term)
            if known[subject]:
                found.add(local_name(term.value))
        if known[subject] and predicate in labels and isinstance(label := graph.term(value), Literal):  # type: ignore[arg-type]
            found.add(label.value)
    return found


def _spellings(name: NamedNode) -> set[str]:
    """An IRI as a table may hold it: whole, or only its end. All that has a mark of an IRI is refused anyway."""
    iri = name.value.casefold()
    local = iri.removeprefix(OBO.iri) if iri.startswith(OBO.iri) else local_name(iri)
    parts = {iri, local}
    for mark in "_-":
        parts |= {local.partition(mark)[2], local.rpartition(mark)[2], local.replace(mark, "")}
    return parts - {""}


def _is_only_asked(query: str) -> bool:
    used = [token.text.upper() for token in tokens(query) if token.kind == "word"]
    if not _ABOUT_VALUES.isdisjoint(used):
        return False
    selects = used.count("SELECT")
    return ("ASK" in used and not selects) or (selects == 1 and bool(_ONLY_COUNTS.search(query)))
