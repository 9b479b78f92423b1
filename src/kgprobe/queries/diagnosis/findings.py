"""What a rule finds in a query, and what rules are told about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from kgprobe.queries.diagnosis.changes import Candidate
from kgprobe.queries.diagnosis.proving import Prover
from kgprobe.queries.diagnostics import Code
from kgprobe.queries.files.texts import QueryText
from kgprobe.queries.schema import Schema
from kgprobe.sparql.algebra import Document, Span


@dataclass(frozen=True)
class Finding:
    """A part of a query that is wrong, or looks so: its code, its place, and a sentence about it.

    `axioms` are the reasons in words, `related` other parts that take part, and `concerned` further parts in which the
    mistake may be. `repairs` makes changes of the query. Those are offered after which the finding is gone, and no
    other has come.
    """

    code: str
    span: Span
    message: str
    is_error: bool = False
    variable: str | None = None
    axioms: tuple[str, ...] = ()
    related: tuple[Span, ...] = ()
    concerned: tuple[Span, ...] = ()
    repairs: Callable[[], Iterable[Candidate]] = field(default=tuple, compare=False)


@dataclass(frozen=True)
class OpenQuestion:
    """A part of a query about which a rule has no answer, and why."""

    span: Span
    why: str


@dataclass(frozen=True)
class Inspection:
    """A query that rules look at, the ontology, and what proves contradictions between the two.

    If the query is changed, only what was found before the change matters.
    """

    document: Document
    query: QueryText
    schema: Schema
    prover: Prover
    is_changed: bool = False


@dataclass(frozen=True)
class Rule:
    """A function that finds something in a query, and the codes that no other rule has."""

    find: Callable[[Inspection], Iterable[Finding | OpenQuestion]]
    codes: tuple[Code, ...] = ()
