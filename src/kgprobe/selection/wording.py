"""Why a test was selected, in words."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from kgprobe.comparison.names import Names
from kgprobe.graph.terms import RDF, Term, Triple
from kgprobe.queries.uses import PathUse, TripleUse
from kgprobe.selection.impact import Hit
from kgprobe.selection.selector import Selected
from kgprobe.selection.tests import TermUse, Test, TestUse

__all__ = ["Reason", "reasons", "unseen_reasons"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a test was selected: what changed, how that leads to the test, and what in the test it touches."""

    change: str  # `+ triple` or `- triple`; empty if it is not known what the test uses
    entailed: bool
    path: tuple[str, ...]  # triples from the change to what the test names
    use: str
    line: int | None

    def __str__(self) -> str:
        if not self.change:
            return self.use
        where = f"line {self.line}: " if self.line else ""
        how = f", by way of {'; '.join(self.path)}" if self.path else ""
        return f"{self.change}{' (entailed)' if self.entailed else ''}{how} touches {where}{self.use}"


def reasons(
    selected: Selected,
    names: Names,
    is_asserted: Callable[[Triple], bool],
    derived_from: Callable[[Triple, bool], tuple[Triple, ...]] = lambda _, __: (),
) -> list[Reason]:
    """All reasons for which a test was selected. `derived_from` tells which stated triples an entailed one is from."""
    found = []
    for hit in selected.hits:
        asserted = is_asserted(hit.changed.triple)
        sources = () if asserted else derived_from(hit.changed.triple, hit.changed.added)
        triples = (hit.changed.triple, *sources, *_between(hit))
        first, *path = (_triple(each, names.explained) for each in triples)
        told = {term for each in triples for term in (each.subject, each.object)}
        change = f"{'+' if hit.changed.added else '-'} {first}"
        found.append(Reason(change, not asserted, tuple(path), _use(hit, names, told), hit.use.line))
    return found + unseen_reasons(selected.test)


def unseen_reasons(test: Test) -> list[Reason]:
    """Why a test is always selected, if it is."""
    return [Reason("", entailed=False, path=(), use=_unseen(why), line=test.line) for why in test.unseen]


# A pattern can name thousands of terms; a person reads the first.
_MOST_LABELS = 3
_UNSEEN = "cannot see what this test uses"


def _unseen(why: str) -> str:
    return why if why.startswith(_UNSEEN) else f"{_UNSEEN}: {why}"


def _between(hit: Hit) -> tuple[Triple, ...]:
    """The other triples on the way; a way that is the changed triple alone says nothing new."""
    return tuple(triple for triple in hit.path if triple != hit.changed.triple)


def _use(hit: Hit, names: Names, told: Collection[object]) -> str:
    use = hit.use
    if not use.text:
        return names.explained(use.term) if isinstance(use, TermUse) else "any triple"
    labels = ((term, names.label_of_opaque(term)) for term in _named(use) if term not in told)
    known = [f"{names.short(term)} is '{label}'" for term, label in labels if label is not None]
    return use.text if not known else f"{use.text}, where {' and '.join(known[:_MOST_LABELS])}"


def _named(use: TestUse) -> list[Term]:
    """The terms that a use names, in a fixed order."""
    match use:
        case TermUse():
            return [use.term]
        case TripleUse() | PathUse():
            return [term for slot in (use.subject, use.object) for term in sorted(slot.terms or (), key=str)]
    return []


def _triple(triple: Triple, spelled: Callable[[Term], str]) -> str:
    predicate = "a" if triple.predicate == RDF.type else spelled(triple.predicate)
    return f"{spelled(triple.subject)} {predicate} {spelled(triple.object)}"  # type: ignore[arg-type]  # no RDF 1.2
