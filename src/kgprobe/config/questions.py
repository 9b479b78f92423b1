"""The table [questions] of a profile: cases are questions whose answers follow from each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from kgprobe.config.tables import Facts, File, OneOrMore, Problem
from kgprobe.errors import did_you_mean

if TYPE_CHECKING:
    from kgprobe.questions.settings import RelationSettings, Settings

__all__ = ["QuestionsTable", "RelationTable", "settings_of"]

_CONTEXTS = {True: "premises", False: "none"}


@dataclass(frozen=True)
class RelationTable:
    """The words and traits of a relation, and how it is related to others."""

    words: tuple[str, ...] = ()
    turned: bool = False
    traits: tuple[str, ...] = ()
    inverse_of: OneOrMore = ()
    sub_property_of: OneOrMore = ()
    domain: OneOrMore = ()
    range: OneOrMore = ()
    chains: tuple[tuple[str, ...], ...] = ()

    def problems(self, _folder: Path) -> Iterator[Problem]:
        """Rules that the schema cannot express."""
        if self.words and (len(self.words) != 3 or not self.words[1].strip()):
            hint = 'an article, a noun and a preposition: write words = ["the", "author", "of"]'
            yield Problem(f"words are three texts, not {list(self.words)}", ("words",), hint, at_value=True)
        for number, chain in enumerate(self.chains):
            if len(chain) < 2:
                message = "a chain is a path of at least two relations"
                yield Problem(message, ("chains", number), 'write chains = [["parent", "brother"]]', at_value=True)


@dataclass(frozen=True)
class QuestionsTable:
    """Cases are questions: made from facts, or given in a file.

    `rules` are names of built-in rules and of files, as they were written. `context` is True: the premises, False:
    none, or "distractors".
    """

    needs_seeds: ClassVar[bool] = False

    facts: tuple[Facts, ...] = ()
    rules: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    limit: int = 1000
    seed: int = 0
    language: str = "en"
    relations: Mapping[str, RelationTable] = field(default_factory=dict)
    profile: str | None = None
    unique_names: bool = False
    mine: bool = False
    forms: tuple[str, ...] = ("yes-no",)
    context: bool | str = True
    reader: str = "words"
    cases: File | None = None

    def problems(self, folder: Path) -> Iterator[Problem]:
        """Rules that the schema cannot express."""
        if self.cases is not None and self.facts:
            yield Problem("[questions] has one of 'facts' and 'cases', not both", ("cases",))
        elif self.cases is None and not self.facts:
            yield Problem("[questions] needs 'facts' or 'cases'", (), 'write facts = ["cities.ttl"]')
        for number, rule in enumerate(self.rules):
            yield from _rule_problems(rule, ("rules", number), folder)


def _rule_problems(rule: str, key: tuple[str | int, ...], folder: Path) -> Iterator[Problem]:
    if _is_file_name(rule):
        if not (folder / rule).is_file():
            yield Problem(f"{folder / rule} does not exist", key, at_value=True)
        return
    # Few profiles have questions, and only those wait for the rules to be read.
    from kgprobe.questions.rules.language import built_in

    if rule not in built_in():
        hint = did_you_mean(rule, built_in(), f"valid are {', '.join(built_in())}, and files: uncle.toml")
        yield Problem(f"there is no rule '{rule}'", key, hint, at_value=True)


def _is_file_name(rule: str) -> bool:
    return rule.casefold().endswith(".toml")


def settings_of(table: QuestionsTable, folder: Path) -> Settings:
    """The settings for making cases; `folder` is the folder of the profile."""
    from kgprobe.questions.settings import Settings

    return Settings(
        rules=tuple(folder / rule if _is_file_name(rule) else rule for rule in table.rules),
        closed=table.closed,
        limit=table.limit,
        seed=table.seed,
        language=table.language,
        relations={name: _relation_settings(each) for name, each in table.relations.items()},
        profile=table.profile,
        unique_names=table.unique_names,
        mine=table.mine,
        forms=table.forms,
        context=table.context if isinstance(table.context, str) else _CONTEXTS[table.context],
    )


def _relation_settings(table: RelationTable) -> RelationSettings:
    from kgprobe.questions.settings import RelationSettings

    words = (table.words[0], table.words[1], table.words[2]) if table.words else None
    return RelationSettings(
        words,
        table.turned,
        table.traits,
        table.inverse_of,
        table.sub_property_of,
        table.domain,
        table.range,
        table.chains,
    )
