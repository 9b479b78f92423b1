"""Why a test was selected, in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kgprobe.graph.terms import RDF, Term, Triple
from kgprobe.selection.impact import Hit
from kgprobe.selection.selector import Selected
from kgprobe.selection.tests import TermUse, Test

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
    spelled: Callable[[Term], str],
    is_asserted: Callable[[Triple], bool],
    derived_from: Callable[[Triple, bool], tuple[Triple, ...]] = lambda _, __: (),
) -> list[Reason]:
    """All reasons for which a test was selected. `derived_from` tells which stated triples an entailed one is from."""
    found = []
    for hit in selected.hits:
        asserted = is_asserted(hit.changed.triple)
        sources = () if asserted else derived_from(hit.changed.triple, hit.changed.added)
        path = tuple(_triple(each, spelled) for each in (*sources, *_between(hit)))
        sign = "+" if hit.changed.added else "-"
        change = f"{sign} {_triple(hit.changed.triple, spelled)}"
        found.append(Reason(change, not asserted, path, _use(hit, spelled), hit.use.line))
    return found + unseen_reasons(selected.test)


def unseen_reasons(test: Test) -> list[Reason]:
    """Why a test is always selected, if it is."""
    return [Reason("", entailed=False, path=(), use=_unseen(why), line=test.line) for why in test.unseen]


_UNSEEN = "cannot see what this test uses"


def _unseen(why: str) -> str:
    return why if why.startswith(_UNSEEN) else f"{_UNSEEN}: {why}"


def _between(hit: Hit) -> tuple[Triple, ...]:
    """The other triples on the way; a way that is the changed triple alone says nothing new."""
    return tuple(triple for triple in hit.path if triple != hit.changed.triple)


def _use(hit: Hit, spelled: Callable[[Term], str]) -> str:
    if hit.use.text:
        return hit.use.text
    return spelled(hit.use.term) if isinstance(hit.use, TermUse) else "any triple"


def _triple(triple: Triple, spelled: Callable[[Term], str]) -> str:
    predicate = "a" if triple.predicate == RDF.type else spelled(triple.predicate)
    return f"{spelled(triple.subject)} {predicate} {spelled(triple.object)}"  # type: ignore[arg-type]  # no RDF 1.2
