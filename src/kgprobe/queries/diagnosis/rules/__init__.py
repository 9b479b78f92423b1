"""What rules are told about a query and find in it, and the rules: each module of this package has a `RULE`.

The rules look at a query in the order of their names.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from kgprobe.errors import InputError, did_you_mean
from kgprobe.queries.diagnosis.changes import Candidate
from kgprobe.queries.diagnosis.proving import Prover
from kgprobe.queries.diagnostics import COMMON_CODES, Code
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


# -- all rules ---------------------------------------------------------------------------------------------------------


def rules_in(package: ModuleType) -> tuple[Rule, ...]:
    """The rules of the modules of a package."""
    names = (module.name for module in iter_modules(package.__path__))
    return tuple(import_module(f"{package.__name__}.{name}").RULE for name in names)


def codes_of(rules: Iterable[Rule]) -> dict[str, Code]:
    """The codes of findings by name: those that several rules have, and those of one."""
    return {code.name: code for code in (*COMMON_CODES, *(code for rule in rules for code in rule.codes))}


RULES = rules_in(sys.modules[__name__])
CODES = codes_of(RULES)


def code_named(name: str) -> Code:
    """The code with this name."""
    if name not in CODES:
        hint = did_you_mean(name, CODES, "'kgprobe query codes' lists them")
        raise InputError(f"no code is named '{name}'", hint=hint)
    return CODES[name]
