"""What a built-in profile and the user say about relations, joined, as axioms and words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kgprobe.errors import nearest
from kgprobe.questions.schema.axioms import Axioms, Pair
from kgprobe.questions.schema.resolution import Vocabulary
from kgprobe.questions.settings import TRAITS, RelationSettings, SettingsError
from kgprobe.questions.wording.words import Words, words_given

__all__ = ["GivenRelation", "axioms_given", "relations_given", "words_of"]


@dataclass(frozen=True, slots=True)
class GivenRelation:
    """The settings of a relation, and the name under which they are found in the user's settings."""

    name: str
    settings: RelationSettings

    def path(self, key: str) -> tuple[str, ...]:
        """Where a setting of the relation is."""
        return ("relations", self.name, key)


def relations_given(
    profile: Mapping[str, RelationSettings], user: Mapping[str, RelationSettings], names: Vocabulary
) -> dict[int, GivenRelation]:
    """The settings for each relation by its id. The user's words replace those of the profile; all else is added."""
    by_user: dict[int, GivenRelation] = {}
    for name, settings in user.items():
        _check_traits(name, settings)
        id_ = names.id_of(name, ("relations", name))
        if id_ in by_user:
            message = f"'{name}' and '{by_user[id_].name}' are the same relation"
            raise SettingsError(message, path=("relations", name))
        by_user[id_] = GivenRelation(name, settings)
    by_profile = {names.id_of(iri, ("profile",)): GivenRelation(iri, each) for iri, each in profile.items()}
    both = {
        id_: GivenRelation(given.name, _joined(by_profile[id_].settings, given.settings))
        for id_, given in by_user.items()
        if id_ in by_profile
    }
    return by_profile | by_user | both


def words_of(given: GivenRelation) -> Words | None:
    """The words that the settings give. SettingsError if they cannot be used."""
    if given.settings.words is None:
        return None
    try:
        return words_given(*given.settings.words, is_turned=given.settings.turned)
    except ValueError as error:
        hint = 'words are an article, a noun and a preposition, as in ["the", "author", "of"]'
        raise SettingsError(str(error), path=given.path("words"), hint=hint) from None


def axioms_given(given: Mapping[int, GivenRelation], relations: Vocabulary, classes: Vocabulary) -> Axioms:
    """The axioms that the settings state. SettingsError if they name something unknown."""

    def pairs(key: str, among: Vocabulary) -> Iterator[Pair]:
        for id_, each in given.items():
            for other in getattr(each.settings, key.replace("-", "_")):
                yield id_, among.id_of(other, each.path(key))

    inverses = frozenset(pairs("inverse-of", relations))
    return Axioms(
        traits=frozenset((id_, trait) for id_, each in given.items() for trait in each.settings.traits),
        inverses=inverses | {(b, a) for a, b in inverses},
        sub_properties=frozenset(pairs("sub-property-of", relations)),
        domains=frozenset(pairs("domain", classes)),
        ranges=frozenset(pairs("range", classes)),
        chains=frozenset(
            (tuple(relations.id_of(step, each.path("chains")) for step in chain), id_)
            for id_, each in given.items()
            for chain in _long_enough(each)
        ),
    )


def _long_enough(given: GivenRelation) -> Iterable[tuple[str, ...]]:
    for chain in given.settings.chains:
        if len(chain) < 2:
            raise SettingsError("a chain has at least two relations", path=given.path("chains"))
        yield chain


def _check_traits(name: str, settings: RelationSettings) -> None:
    for trait in settings.traits:
        if trait not in TRAITS:
            close = nearest(trait, TRAITS)
            hint = f"did you mean '{close}'?" if close else f"traits are {', '.join(TRAITS)}"
            raise SettingsError(f"'{trait}' is not a trait", path=("relations", name, "traits"), hint=hint)


def _joined(first: RelationSettings, second: RelationSettings) -> RelationSettings:
    worded = first if second.words is None else second
    return RelationSettings(
        words=worded.words,
        turned=worded.turned,
        traits=first.traits + second.traits,
        inverse_of=first.inverse_of + second.inverse_of,
        sub_property_of=first.sub_property_of + second.sub_property_of,
        domain=first.domain + second.domain,
        range=first.range + second.range,
        chains=first.chains + second.chains,
    )
