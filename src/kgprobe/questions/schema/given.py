"""What built-in profiles and the user say about relations, as axioms and words.

A name that a user wrote is a local name, a prefixed name or an IRI. It stands for a relation or a class of the graph.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

from kgprobe.errors import did_you_mean, nearest
from kgprobe.questions.schema.axioms import Axioms, Pair
from kgprobe.questions.settings import TRAITS, RelationSettings, SettingsError
from kgprobe.questions.wording.labels import Words, words_given
from kgprobe.rdf.spelling import STANDARD_PREFIXES

__all__ = ["PREFIXES"]

PREFIXES: Mapping[str, tuple[str, ...]] = {
    **{prefix: (iri,) for prefix, iri in STANDARD_PREFIXES.items()},
    "bfo": ("http://purl.obolibrary.org/obo/BFO_",),
    "dbo": ("http://dbpedia.org/ontology/",),
    "dbp": ("http://dbpedia.org/property/",),
    "dbr": ("http://dbpedia.org/resource/",),
    "dc": ("http://purl.org/dc/elements/1.1/",),
    "dcterms": ("http://purl.org/dc/terms/",),
    "foaf": ("http://xmlns.com/foaf/0.1/",),
    "geo": ("http://www.opengis.net/ont/geosparql#", "http://www.w3.org/2003/01/geo/wgs84_pos#"),
    "obo": ("http://purl.obolibrary.org/obo/",),
    "org": ("http://www.w3.org/ns/org#",),
    "prov": ("http://www.w3.org/ns/prov#",),
    "ro": ("http://purl.obolibrary.org/obo/RO_",),
    "schema": ("http://schema.org/", "https://schema.org/"),
    "sdo": ("https://schema.org/", "http://schema.org/"),
    "skos": ("http://www.w3.org/2004/02/skos/core#",),
    "sosa": ("http://www.w3.org/ns/sosa/",),
    "ssn": ("http://www.w3.org/ns/ssn/",),
    "wd": ("http://www.wikidata.org/entity/",),
    "wdt": ("http://www.wikidata.org/prop/direct/",),
    "yago": ("http://yago-knowledge.org/resource/",),
}
"""Prefixes that many graphs use, with the namespaces that they can stand for."""
_LOCAL = re.compile(r"[^/#]+$")
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?://|[^/\s]*:)\S*")
_MOST_SHOWN = 5


def local_name(iri: str) -> str:
    """The last part of an IRI: after the last / or #, or after the last colon if it has neither."""
    name = _LOCAL.search(iri.rstrip("/#"))
    last = name.group() if name else iri
    return last.rpartition(":")[2] or last


def is_iri(name: str) -> bool:
    """Whether a name is a whole IRI, and not a prefixed name."""
    return _IRI.fullmatch(name) is not None


class Vocabulary:
    """The relations or the classes that a user can name."""

    def __init__(self, what: str, ids: Mapping[str, int]) -> None:
        """`what` is the word for one of them in messages; `ids` has the id of each IRI."""
        self.what = what
        self.ids = ids
        self._by_local: dict[str, list[str]] = defaultdict(list)
        for iri in sorted(ids):
            self._by_local[local_name(iri)].append(iri)

    def id_of(self, name: str, path: tuple[str, ...]) -> int:
        """The id of the name. SettingsError, with the path of the setting, if it is unknown or ambiguous."""
        candidates = self.candidates(name)
        if len(candidates) == 1:
            return self.ids[candidates[0]]
        if candidates:
            shown = ", ".join(candidates[:_MOST_SHOWN])
            more = ", …" if len(candidates) > _MOST_SHOWN else ""
            message = f"'{name}' can be {len(candidates)} {self.what}s of the graph: {shown}{more}"
            raise SettingsError(message, path=path, hint="write the IRI")
        close = self._nearest(name)
        hint = f"did you mean '{close}'?" if close else None
        raise SettingsError(f"the graph has no {self.what} '{name}'", path=path, hint=hint)

    def candidates(self, name: str) -> list[str]:
        """The IRIs that the name can stand for."""
        name = name.removeprefix("<").removesuffix(">") if name.startswith("<") else name
        if name in self.ids:
            return [name]
        prefix, colon, local = name.partition(":")
        if is_iri(name):
            return []
        if not colon:
            return self._by_local.get(name, [])
        if prefix in PREFIXES:
            return [iri for namespace in PREFIXES[prefix] if (iri := namespace + local) in self.ids]
        # The prefixes of the graph's files are not known here, so only the local name counts.
        return self._by_local.get(local, [])

    def similar_in_namespace(self, iri: str) -> str | None:
        """The IRI of the same namespace whose local name is nearest, if one is close."""
        namespace = iri.removesuffix(local_name(iri))
        locals_ = {local_name(iri_) for iri_ in self.ids if iri_.removesuffix(local_name(iri_)) == namespace}
        close = nearest(local_name(iri), locals_)
        return close and namespace + close

    def _nearest(self, name: str) -> str | None:
        if is_iri(name.strip("<>")):
            return nearest(name.strip("<>"), self.ids)
        prefix, colon, local = name.rpartition(":")
        close = nearest(local, self._by_local)
        return close and f"{prefix}{colon}{close}"


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
    by_profile = {names.id_of(iri, ("profile",)): GivenRelation(iri, settings_) for iri, settings_ in profile.items()}
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
        for id_, relation in given.items():
            for other in getattr(relation.settings, key.replace("-", "_")):
                yield id_, among.id_of(other, relation.path(key))

    inverses = frozenset(pairs("inverse-of", relations))
    return Axioms(
        traits=frozenset((id_, trait) for id_, relation in given.items() for trait in relation.settings.traits),
        inverses=inverses | {(b, a) for a, b in inverses},
        sub_properties=frozenset(pairs("sub-property-of", relations)),
        domains=frozenset(pairs("domain", classes)),
        ranges=frozenset(pairs("range", classes)),
        chains=frozenset(
            (tuple(relations.id_of(step, relation.path("chains")) for step in chain), id_)
            for id_, relation in given.items()
            for chain in _long_enough(relation)
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
            hint = did_you_mean(trait, TRAITS, f"traits are {', '.join(TRAITS)}")
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


PROFILES = {"schema.org": "schema_org.toml"}
"""The built-in profiles, and their files."""


@dataclass(frozen=True, slots=True)
class Profile:
    """Settings by local names, for a vocabulary that can have several namespaces."""

    namespaces: tuple[str, ...]
    relations: Mapping[str, RelationSettings]

    def settings_for(self, used: Collection[str]) -> dict[str, RelationSettings]:
        """Settings by IRIs, for the relations that a graph uses and those whose facts follow from its facts."""
        return {
            namespace + name: settings
            for namespace in self.namespaces
            for name, settings in self._in_namespace(namespace, used)
        }

    def _in_namespace(self, namespace: str, used: Collection[str]) -> Iterator[tuple[str, RelationSettings]]:
        relevant = {name for name in self.relations if namespace + name in used}
        while more := self._implied(relevant) - relevant:
            relevant |= more

        def among(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(namespace + name for name in names if name in relevant)

        for name in sorted(relevant):
            settings = self.relations[name]
            yield (
                name,
                replace(
                    settings,
                    inverse_of=among(settings.inverse_of),
                    sub_property_of=among(settings.sub_property_of),
                    chains=tuple(among(chain) for chain in settings.chains if relevant.issuperset(chain)),
                ),
            )

    def _implied(self, names: Collection[str]) -> set[str]:
        given = [self.relations[name] for name in names]
        of_these = {other for settings in given for other in (*settings.inverse_of, *settings.sub_property_of)}
        return of_these | {
            name for name, settings in self.relations.items() if not {*settings.inverse_of}.isdisjoint(names)
        }


@lru_cache
def profile_named(name: str) -> Profile:
    """A built-in profile. SettingsError if no profile has the name."""
    if name not in PROFILES:
        hint = did_you_mean(name, PROFILES, f"profiles are {', '.join(PROFILES)}")
        raise SettingsError(f"there is no profile '{name}'", path=("profile",), hint=hint)
    text = resources.files(__package__).joinpath(PROFILES[name]).read_text(encoding="utf-8")
    table = tomllib.loads(text)
    relations = {name: _settings(given) for name, given in table["relations"].items()}
    return Profile(tuple(table["namespaces"]), relations)


def _settings(given: dict[str, object]) -> RelationSettings:
    return RelationSettings(**{key.replace("-", "_"): _frozen(value) for key, value in given.items()})  # type: ignore[arg-type]


def _frozen(value: object) -> object:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
