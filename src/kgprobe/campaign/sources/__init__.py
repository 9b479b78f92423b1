"""The kinds of sources that cases come from: mutants of seed graphs, given graphs, data for a query, and questions.

`kind_for` finds the kind that a profile asks for. Each module implements the protocols of `kgprobe.campaign.source` for
one kind; `seed_trials` runs the systems on seed graphs before mutants are made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kgprobe.campaign.source import SourceKind
from kgprobe.campaign.store import Store
from kgprobe.config.profile import CasesTable, Method, MutationTable, Profile, QueryTable
from kgprobe.config.questions import QuestionsTable

__all__ = ["QUESTIONS", "kind_for", "kind_in"]

QUESTIONS = "questions"
"""The name that questions have in a store."""

# A kind is imported only when it is used: each loads a method with its libraries.


def _mutants() -> SourceKind:
    from kgprobe.campaign.sources.mutants import Mutants

    return Mutants()


def _given_graphs() -> SourceKind:
    from kgprobe.campaign.sources.given_graphs import GivenGraphs

    return GivenGraphs()


def _query_data() -> SourceKind:
    from kgprobe.campaign.sources.query_data import QueryData

    return QueryData()


def _questions() -> SourceKind:
    from kgprobe.campaign.sources.questions import Questions

    return Questions()


_BY_TABLE: Mapping[type[Method], Callable[[], SourceKind]] = {
    MutationTable: _mutants,
    CasesTable: _given_graphs,
    QueryTable: _query_data,
    QuestionsTable: _questions,
}
# By the names that the kinds have in a store.
_BY_NAME = {"mutants": _mutants, "given graphs": _given_graphs, "query data": _query_data, QUESTIONS: _questions}


def kind_for(profile: Profile) -> SourceKind:
    """The kind that a profile asks for."""
    return _BY_TABLE[type(profile.method)]()


def kind_in(store: Store) -> SourceKind:
    """The kind whose cases a store holds. InputError if this is not a kind that we know."""
    name = store.source_kind
    if name not in _BY_NAME:
        raise store.damaged(f"it holds cases from an unknown source, {name!r:.60}")
    return _BY_NAME[name]()
