"""The schema: relations with words and traits, and axioms, from the graph, a built-in profile and the settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kgprobe.errors import nearest
from kgprobe.graph.terms import RDF, RDFS, XSD
from kgprobe.questions.schema.axioms import Axioms, Database, Pair, stated_axioms
from kgprobe.questions.schema.consequences import completed
from kgprobe.questions.schema.resolution import Vocabulary, local_name
from kgprobe.questions.settings import TRAITS, RelationSettings, Settings, SettingsError
from kgprobe.questions.wording.labels import words_of_label, words_of_local_name
from kgprobe.questions.wording.words import Words, words_given

__all__ = ["Mined", "Relation", "Schema", "schema_of"]


@dataclass(frozen=True, slots=True)
class Mined:
    """How well the facts support a trait that nobody stated: instances, and the share of them that agree."""

    instances: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of the graph. `why_no_words` says why it is not asked about, if `words` is None."""

    id: int
    iri: str
    words: Words | None
    traits: frozenset[str] = frozenset()
    mined: Mapping[str, Mined] = field(default_factory=dict, hash=False)
    is_closed: bool = False
    why_no_words: str = ""


@dataclass(frozen=True, slots=True)
class Schema:
    """Relations by id, and axioms by ids; see `axioms.Axioms`. Consequences are included.

    A relation that no fact of the graph has, but that the settings name, has a negative id. `notes` are for the user.
    """

    relations: Mapping[int, Relation]
    axioms: Axioms
    relation_names: Vocabulary
    class_names: Vocabulary
    notes: tuple[str, ...] = ()

    @property
    def inverses(self) -> frozenset[Pair]:
        """Pairs of relations that are inverse to each other, both ways; a symmetric relation with itself."""
        return self.axioms.inverses

    @property
    def sub_properties(self) -> frozenset[Pair]:
        """(narrow, wide) pairs of relations, transitively closed; equivalent ones are wider than each other."""
        return self.axioms.sub_properties

    @property
    def chains(self) -> frozenset[tuple[tuple[int, ...], int]]:
        """Paths of relations, and the relation that follows from each."""
        return self.axioms.chains

    @property
    def domains(self) -> frozenset[Pair]:
        """(relation, class) pairs; also those of wider relations."""
        return self.axioms.domains

    @property
    def ranges(self) -> frozenset[Pair]:
        """(relation, class) pairs; also those of wider relations."""
        return self.axioms.ranges

    @property
    def sub_classes(self) -> frozenset[Pair]:
        """(narrow, wide) pairs of classes, transitively closed."""
        return self.axioms.sub_classes

    @property
    def disjoint_classes(self) -> frozenset[Pair]:
        """Pairs of classes that are stated to be disjoint, both ways; their subclasses are disjoint, too."""
        return self.axioms.disjoint_classes

    @property
    def disjoint_properties(self) -> frozenset[Pair]:
        """Pairs of disjoint relations, both ways, and their narrower relations."""
        return self.axioms.disjoint_properties


def schema_of(facts: Database, settings: Settings) -> Schema:
    """The schema of a graph. SettingsError if the settings name something that the graph does not have."""
    stated = stated_axioms(facts)
    used = _used_relations(facts, stated)
    relation_names = Vocabulary("relation", {iri: id_ for id_, iri in used.items()})
    class_names = Vocabulary("class", _classes(facts, stated))
    given = _given(settings, relation_names)
    axioms = completed(stated | _axioms_given(given, relation_names, class_names))
    closed = {relation_names.id_of(name, ("closed",)) for name in settings.closed}
    labels = _labels(facts, used)
    relations = {
        id_: _relation(id_, iri, given.get(id_), axioms, id_ in closed, labels.get(id_)) for id_, iri in used.items()
    }
    return Schema(relations, axioms, relation_names, class_names)


def _relation(
    id_: int, iri: str, given: tuple[str, RelationSettings] | None, axioms: Axioms, is_closed: bool, label: str | None
) -> Relation:
    traits = frozenset(trait for trait in TRAITS if (id_, trait) in axioms.traits)
    words = _words(iri, given, label, is_functional="functional" in traits)
    if isinstance(words, str):
        return Relation(id_, iri, None, traits, is_closed=is_closed, why_no_words=words)
    return Relation(id_, iri, words, traits, is_closed=is_closed)


def _words(
    iri: str, given: tuple[str, RelationSettings] | None, label: str | None, *, is_functional: bool
) -> Words | str:
    if given is not None and given[1].words is not None:
        name, settings = given
        article, noun, preposition = given[1].words
        try:
            return words_given(article, noun, preposition, is_turned=settings.turned)
        except ValueError as error:
            hint = 'words are an article, a noun and a preposition: ["the", "author", "of"]'
            raise SettingsError(str(error), path=("relations", name, "words"), hint=hint) from None
    if label is not None:
        return words_of_label(label, is_functional=is_functional)
    return words_of_local_name(local_name(iri), is_functional=is_functional)


def _given(settings: Settings, names: Vocabulary) -> dict[int, tuple[str, RelationSettings]]:
    found: dict[int, tuple[str, RelationSettings]] = {}
    for name, given in settings.relations.items():
        for trait in given.traits:
            if trait not in TRAITS:
                close = nearest(trait, TRAITS)
                hint = f"did you mean '{close}'?" if close else f"traits are {', '.join(TRAITS)}"
                raise SettingsError(f"'{trait}' is not a trait", path=("relations", name, "traits"), hint=hint)
        id_ = names.id_of(name, ("relations", name))
        if id_ in found:
            message = f"'{name}' and '{found[id_][0]}' are the same relation"
            raise SettingsError(message, path=("relations", name))
        found[id_] = (name, given)
    return found


def _axioms_given(
    given: Mapping[int, tuple[str, RelationSettings]], relations: Vocabulary, classes: Vocabulary
) -> Axioms:
    def others(id_: int, name: str, key: str, named: Iterable[str], among: Vocabulary) -> Iterator[Pair]:
        return ((id_, among.id_of(each, ("relations", name, key))) for each in named)

    every = [(id_, name, each) for id_, (name, each) in given.items()]
    inverses = [
        pair for id_, name, each in every for pair in others(id_, name, "inverse-of", each.inverse_of, relations)
    ]
    return Axioms(
        traits=frozenset((id_, trait) for id_, _, each in every for trait in each.traits),
        inverses=frozenset(each for a, b in inverses for each in ((a, b), (b, a))),
        sub_properties=frozenset(
            pair
            for id_, name, each in every
            for pair in others(id_, name, "sub-property-of", each.sub_property_of, relations)
        ),
        domains=frozenset(
            pair for id_, name, each in every for pair in others(id_, name, "domain", each.domain, classes)
        ),
        ranges=frozenset(pair for id_, name, each in every for pair in others(id_, name, "range", each.range, classes)),
        chains=frozenset(
            (tuple(relations.id_of(step, ("relations", name, "chains")) for step in chain), id_)
            for id_, name, each in every
            for chain in each.chains
        ),
    )


_USED = """
SELECT id, text FROM terms WHERE kind = 0 AND (id IN (SELECT DISTINCT p FROM edges) OR list_contains(?::BIGINT[], id))
"""
_CLASSES = f"""
SELECT id, text FROM terms WHERE kind = 0 AND (list_contains(?::BIGINT[], id) OR id IN (
  SELECT o FROM edges WHERE p IN (SELECT id FROM terms WHERE kind = 0 AND text = '{RDF["type"].value}')))
"""  # noqa: S608 - constants
_LABELS = f"""
SELECT facts.s, label.text, label.extra FROM facts JOIN terms AS property ON facts.p = property.id
JOIN terms AS label ON facts.o = label.id
WHERE list_contains(?::BIGINT[], facts.s) AND property.kind = 0 AND label.kind = 2
  AND property.text IN ('{RDFS.label.value}', 'http://www.w3.org/2004/02/skos/core#prefLabel')
"""  # noqa: S608 - constants


def _used_relations(facts: Database, axioms: Axioms) -> dict[int, str]:
    """The relations of the graph: those of its facts, and those that its axioms are about."""
    mentioned = {
        *axioms.properties,
        *(each for each, _ in axioms.traits | axioms.domains | axioms.ranges),
        *(each for pairs in (axioms.inverses, axioms.sub_properties) for pair in pairs for each in pair),
        *(each for path, relation in axioms.chains for each in (*path, relation)),
    }
    found = dict(facts.sql(_USED, [sorted(mentioned)]))
    return {id_: iri for id_, iri in sorted(found.items()) if iri != RDF["type"].value}


def _classes(facts: Database, axioms: Axioms) -> dict[str, int]:
    mentioned = {
        *axioms.classes,
        *(each for _, each in axioms.domains | axioms.ranges),
        *(each for pair in axioms.sub_classes | axioms.disjoint_classes for each in pair),
    }
    return {iri: id_ for id_, iri in sorted(facts.sql(_CLASSES, [sorted(mentioned)]))}


def _labels(facts: Database, relations: Iterable[int]) -> dict[int, str]:
    """The English label of each relation; sentences are in English, whatever the language of names is."""
    found: dict[int, tuple[int, str]] = {}
    for id_, text, extra in facts.sql(_LABELS, [sorted(relations)]):
        rank = 0 if extra == "en" else 1 if extra.startswith("en-") else 2 if extra == XSD.string.value else 3
        if rank < 3:
            found[id_] = min(found.get(id_, (rank, text)), (rank, text))
    return {id_: text for id_, (_, text) in found.items()}
