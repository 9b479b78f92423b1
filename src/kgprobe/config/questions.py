"""The table [questions] of a profile: cases are questions whose answers follow from each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, TypeAlias

from kgprobe.config.tables import AnyText, Facts, File, Problem, Reading, described, key
from kgprobe.errors import did_you_mean
from kgprobe.questions.settings import FORMS, TRAITS, RelationSettings, Settings

__all__ = ["QuestionsTable", "RelationTable", "settings_of"]

_CONTEXTS = {True: "premises", False: "none"}


_Names: TypeAlias = Annotated[tuple[str, ...], Reading.ONE_OR_MORE]
_NAME = described("A name", "A local name, a prefixed name or an IRI.")
_RELATION = described("A relation", "A local name, a prefixed name or an IRI.")


@dataclass(frozen=True)
class RelationTable:
    """The words and traits of a relation, and how it is related to others."""

    words: tuple[AnyText, ...] = key(
        "Words",
        "An article, a noun and a preposition, such as the, author, of.",
        items=("A word", "An article, a noun or a preposition."),
        default=(),
    )
    turned: bool = key("Turned", "A sentence begins with the subject of a fact, not with its object.", default=False)
    traits: tuple[str, ...] = key(
        "Traits",
        "The traits of the relation.",
        items=described("A trait", "A trait of a relation.", enum=TRAITS),
        default=(),
    )
    inverse_of: _Names = key("Inverse", "The relations that it is the inverse of.", items=_NAME, default=())
    sub_property_of: _Names = key("Sub-property", "The relations that follow from it.", items=_NAME, default=())
    domain: _Names = key("Domain", "The classes of its subjects.", items=_NAME, default=())
    range: _Names = key("Range", "The classes of its objects.", items=_NAME, default=())
    chains: tuple[tuple[str, ...], ...] = key(
        "Chains",
        "Paths of relations that it follows from.",
        items=described("A path", "Two or more relations, one after the other.", items=_RELATION),
        default=(),
    )

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

    facts: tuple[Facts, ...] = key(
        "Facts",
        "Graphs, folders with graphs, patterns, or the URL of a SPARQL endpoint: the facts that questions are "
        "made from.",
        items=("A source of facts", "A file, a folder, a pattern or a URL."),
        minItems=1,
        default=(),
    )
    cases: File | None = key(
        "Cases",
        "A file with cases that kgprobe questions generate has written, to ask instead of making cases from facts.",
        default=None,
    )
    rules: tuple[str, ...] = key(
        "Rules",
        "The rules of inference: names of built-in rules, and TOML files. By default, all that apply.",
        items=("A rule", "The name of a rule, or a file such as uncle.toml."),
        default=(),
    )
    closed: tuple[str, ...] = key(
        "Closed relations",
        "Relations of which the facts are complete: what does not follow from them is false.",
        items=("A relation", "A local name, a prefixed name or an IRI."),
        default=(),
    )
    limit: int = key(
        "Limit", "The largest number of cases for each rule and relation.", minimum=1, maximum=1000000000, default=1000
    )
    seed: int = key("Random seed", "The same number gives the same cases.", default=0)
    language: str = key("Language", "The language of the labels, such as en.", default="en")
    profile: str | None = key(
        "Vocabulary",
        "Use the words and traits that kgprobe knows for a vocabulary.",
        enum=("schema.org",),
        default=None,
    )
    unique_names: bool = key("Unique names", "Things with different names are different things.", default=False)
    mine: bool = key(
        "Mine traits", "Find traits of relations in the facts. Findings that rely on them are marked.", default=False
    )
    forms: tuple[str, ...] = key(
        "Forms",
        "The forms of the questions.",
        items=described("A form", "The form of a question.", enum=FORMS),
        minItems=1,
        default=("yes-no",),
    )
    context: bool | str = key(
        "Context",
        "The context of a conclusion: its premises (true), nothing (false), or also unrelated facts (distractors).",
        enum=(True, False, "distractors"),
        default=True,
    )
    reader: str = key(
        "Reader", "How the decision in an answer is found.", enum=("words", "paper", "similarity"), default="words"
    )
    relations: Mapping[str, RelationTable] = key(
        "Relations",
        "What the graph does not say about relations, by their local names, prefixed names or IRIs.",
        items=("A relation", "Its words and traits."),
        default={},
    )

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
    from kgprobe.questions.rules import built_in

    if rule not in built_in():
        hint = did_you_mean(rule, built_in(), f"valid are {', '.join(built_in())}, and files: uncle.toml")
        yield Problem(f"there is no rule '{rule}'", key, hint, at_value=True)


def _is_file_name(rule: str) -> bool:
    return rule.casefold().endswith(".toml")


def settings_of(table: QuestionsTable, folder: Path) -> Settings:
    """The settings for making cases; `folder` is the folder of the profile."""
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
