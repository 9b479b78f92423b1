"""Everything that decides which cases are made from a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kgprobe.errors import InputError, Position

__all__ = ["FORMS", "TRAITS", "RelationSettings", "Settings", "SettingsError"]

TRAITS = ("asymmetric", "functional", "inverse-functional", "irreflexive", "symmetric", "transitive")
"""The traits that a relation can have."""

FORMS = ("yes-no", "choice", "open")
"""The forms of a question."""


@dataclass(frozen=True, slots=True)
class RelationSettings:
    """What the user says about a relation.

    `words` are an article, a noun and a preposition: "the", "author", "of". With `turned`, the sentence begins with the
    subject of a triple, not with its object: "Ada is an alumna of Oxford". Words without a preposition ("a", "gender",
    "") are for relations whose objects are kinds: "Ada is a female". The other relations are names of relations;
    `domain`, `range` are names of classes; `chains` are paths from which the relation follows.
    """

    words: tuple[str, str, str] | None = None
    turned: bool = False
    traits: tuple[str, ...] = ()
    inverse_of: tuple[str, ...] = ()
    sub_property_of: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    range: tuple[str, ...] = ()
    chains: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """Which rules are applied to which relations, how the questions are worded, and how many there are.

    `rules` are names of built-in rules and files; empty: all that apply. `limit` counts the cases of each rule and
    relation. `relations` has names as the user wrote them: local names, prefixed names or IRIs. `context` is
    "premises", "none" or "distractors". `profile` names a built-in set of relations with words and traits.
    """

    rules: tuple[str | Path, ...] = ()
    closed: tuple[str, ...] = ()
    limit: int = 1000
    seed: int = 0
    language: str = "en"
    relations: Mapping[str, RelationSettings] = field(default_factory=dict)
    profile: str | None = None
    unique_names: bool = False
    mine: bool = False
    forms: tuple[str, ...] = ("yes-no",)
    context: str = "premises"


class SettingsError(InputError):
    """A wrong value in the settings. `path` leads to it: ("relations", "containsPlce")."""

    def __init__(
        self, message: str, *, path: tuple[str, ...] = (), where: Position | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, where=where, hint=hint)
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.message, self.path, self.where, self.hint))


def _rebuild(message: str, path: tuple[str, ...], where: Position | None, hint: str | None) -> SettingsError:
    return SettingsError(message, path=path, where=where, hint=hint)
