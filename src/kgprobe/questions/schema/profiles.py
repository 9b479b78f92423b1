"""Built-in settings for the relations of well-known vocabularies, as TOML files beside this module."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

from kgprobe.errors import nearest
from kgprobe.questions.settings import RelationSettings, SettingsError

__all__ = ["PROFILES", "Profile", "profile_named"]

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
        of_these = {other for name in names for other in self._others(name)}
        return of_these | {name for name, each in self.relations.items() if not {*each.inverse_of}.isdisjoint(names)}

    def _others(self, name: str) -> tuple[str, ...]:
        return (*self.relations[name].inverse_of, *self.relations[name].sub_property_of)


@lru_cache
def profile_named(name: str) -> Profile:
    """A built-in profile. SettingsError if no profile has the name."""
    if name not in PROFILES:
        close = nearest(name, PROFILES)
        hint = f"did you mean '{close}'?" if close else f"profiles are {', '.join(PROFILES)}"
        raise SettingsError(f"there is no profile '{name}'", path=("profile",), hint=hint)
    text = resources.files(__package__).joinpath(PROFILES[name]).read_text(encoding="utf-8")
    table = tomllib.loads(text)
    relations = {name: _settings(given) for name, given in table["relations"].items()}
    return Profile(tuple(table["namespaces"]), relations)


def _settings(given: dict[str, object]) -> RelationSettings:
    return RelationSettings(**{key.replace("-", "_"): _frozen(value) for key, value in given.items()})  # type: ignore[arg-type]


def _frozen(value: object) -> object:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
