"""The reasons for which a test was selected, in words."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from kgprobe.graph.terms import RDF, Term, Triple
from kgprobe.ontology.wording import Names
from kgprobe.queries.uses import PathUse, TripleUse
from kgprobe.selection.impact import Hit, Selected
from kgprobe.selection.tests import TermUse, Test, TestUse

__all__ = ["Reason", "reasons", "unseen_reasons"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a test was selected: the changed triple, the path from it to the test, and the use that it affects."""

    change: str  # `+ triple` or `- triple`; empty if the uses of the test are unknown
    entailed: bool
    path: tuple[str, ...]  # triples that connect the change to a term of the test
    use: str
    line: int | None

    def __str__(self) -> str:
        if not self.change:
            return self.use
        where = f"line {self.line}: " if self.line else ""
        how = f" via {'; '.join(self.path)}" if self.path else ""
        return f"{self.change}{' (entailed)' if self.entailed else ''}{how} affects {where}{self.use}"


def reasons(
    selected: Selected,
    names: Names,
    is_asserted: Callable[[Triple], bool],
    derived_from: Callable[[Triple, bool], tuple[Triple, ...]] = lambda _, __: (),
) -> list[Reason]:
    """All reasons for which a test was selected. `derived_from` gives the asserted triples behind an entailed one."""
    found = []
    for hit in selected.hits:
        asserted = is_asserted(hit.changed.triple)
        sources = () if asserted else derived_from(hit.changed.triple, hit.changed.added)
        triples = (hit.changed.triple, *sources, *_between(hit))
        first, *path = (_triple(each, names.explained) for each in triples)
        shown = {term for each in triples for term in (each.subject, each.object)}
        change = f"{'+' if hit.changed.added else '-'} {first}"
        found.append(Reason(change, not asserted, tuple(path), _use(hit, names, shown), hit.use.line))
    return found + unseen_reasons(selected.test)


def unseen_reasons(test: Test) -> list[Reason]:
    """Why a test is always selected; empty for other tests."""
    return [Reason("", entailed=False, path=(), use=_unseen(why), line=test.line) for why in test.unseen]


# A pattern can name thousands of terms; readers need only the first few.
_MOST_LABELS = 3
_UNSEEN = "cannot see what this test uses"


def _unseen(why: str) -> str:
    return why if why.startswith(_UNSEEN) else f"{_UNSEEN}: {why}"


def _between(hit: Hit) -> tuple[Triple, ...]:
    """The triples of the path, without the changed triple itself."""
    return tuple(triple for triple in hit.path if triple != hit.changed.triple)


def _use(hit: Hit, names: Names, shown: Collection[object]) -> str:
    use = hit.use
    if not use.text:
        return names.explained(use.term) if isinstance(use, TermUse) else "any triple"
    labels = ((term, names.label_of_opaque(term)) for term in _named(use) if term not in shown)
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
