"""The schema: relations with words and traits, and axioms, from the graph, a built-in profile and the settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from kgprobe.questions.facts.database import IRI, LITERAL, Facts
from kgprobe.questions.facts.names import is_documentation
from kgprobe.questions.schema.axioms import Axioms, Pair, completed, predicates_of, stated_axioms
from kgprobe.questions.schema.evidence import Mined, MinedTraits, contradictions, mine
from kgprobe.questions.schema.given import (
    GivenRelation,
    Vocabulary,
    axioms_given,
    is_iri,
    local_name,
    profile_named,
    relations_given,
    words_of,
)
from kgprobe.questions.settings import TRAITS, RelationSettings, Settings
from kgprobe.questions.wording.labels import Words, words_of_label, words_of_local_name
from kgprobe.questions.wording.nouns import NO_NOUN, noun_of_local_name, usable_nouns
from kgprobe.rdf.terms import OWL, RDF, RDFS, SKOS, XSD

__all__ = ["ANNOTATION"]

ANNOTATION = "the relation is an annotation"
_TYPE_NAMES = frozenset({"a", "rdf:type", RDF["type"].value})


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

    A relation that the settings name, but that the graph does not have, has an id greater than all ids of terms, and
    so has rdf:type (`type_id`) in a graph without classes. `class_nouns` has the noun of each class that can be asked
    about, and `unusable_classes` says why others cannot. Mined pairs of relations are among the axioms; `mined_pairs`
    has them under "inverse" and "sub-property". `nested` has relations of a built-in profile whose values lie within
    each other, as places do, and the relation to the value around. `notes` are for the user.
    """

    relations: Mapping[int, Relation]
    axioms: Axioms
    relation_names: Vocabulary
    class_names: Vocabulary
    type_id: int
    is_type_closed: bool = False
    class_nouns: Mapping[int, str] = field(default_factory=dict)
    unusable_classes: Mapping[int, str] = field(default_factory=dict)
    mined_pairs: Mapping[tuple[str, int, int], Mined] = field(default_factory=dict)
    nested: frozenset[Pair] = frozenset()
    notes: tuple[str, ...] = ()

    def with_trait(self, trait: str, *, mined: bool = True) -> tuple[int, ...]:
        """The relations with a trait, in order; `mined`: also if the trait was found in the facts only."""
        return tuple(
            id_
            for id_, relation in sorted(self.relations.items())
            if trait in relation.traits or (mined and trait in relation.mined)
        )

    def is_mined(self, axiom: str, ids: tuple[int, ...]) -> bool:
        """Whether only the facts support that relations are "inverse", or one is a "sub-property" of the other."""
        return len(ids) == 2 and (axiom, *ids) in self.mined_pairs

    def iri(self, id_: int) -> str:
        """The IRI of a relation, or of rdf:type."""
        return RDF["type"].value if id_ == self.type_id else self.relations[id_].iri

    @property
    def inverses(self) -> frozenset[Pair]:
        """Pairs of relations that are inverse to each other, both ways. A relation is never paired with itself."""
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


def schema_of(facts: Facts, settings: Settings) -> Schema:
    """The schema of a graph. SettingsError if the settings name something that the graph does not have."""
    predicates = predicates_of(facts)
    sizes: dict[int, int] = dict(facts.sql("SELECT p, count(*) FROM edges GROUP BY p"))
    stated = stated_axioms(facts, predicates)
    used = _used_relations(facts, stated, sizes)
    profile = profile_named(settings.profile).settings_for(used) if settings.profile else {}
    relation_ids = used | _new_ids(facts, used, profile, settings)
    type_id = predicates.get(RDF["type"].value, _first_new_id(facts) + len(relation_ids))
    relation_names = Vocabulary("relation", relation_ids)
    class_names = Vocabulary("class", _classes(facts, stated, type_id))
    given = relations_given(profile, settings.relations, relation_names)
    axioms = completed(stated | axioms_given(given, relation_names, class_names))
    notes = contradictions(facts, axioms, type_id, sizes, unique_names=settings.unique_names)
    mined = mine(facts, type_id).without(axioms) if settings.mine else MinedTraits()
    closed = {relation_names.id_of(name, ("closed",)) for name in settings.closed if name not in _TYPE_NAMES}
    labels = _labels(facts, predicates, {*relation_ids.values(), *class_names.ids.values()})
    nouns, flaws = _class_nouns(class_names.ids, labels, axioms)
    return Schema(
        {
            id_: _relation(id_, iri, axioms, mined, given.get(id_), labels.get(id_), is_closed=id_ in closed)
            for iri, id_ in sorted(relation_ids.items(), key=lambda item: item[1])
        },
        axioms | Axioms(inverses=frozenset(mined.inverses), sub_properties=frozenset(mined.sub_properties)),
        relation_names,
        class_names,
        type_id,
        is_type_closed=not _TYPE_NAMES.isdisjoint(settings.closed),
        class_nouns=nouns,
        unusable_classes=flaws,
        mined_pairs={("inverse", *pair): evidence for pair, evidence in mined.inverses.items()}
        | {("sub-property", *pair): evidence for pair, evidence in mined.sub_properties.items()},
        nested=_nested(profile, relation_ids),
        notes=notes,
    )


def _relation(
    id_: int,
    iri: str,
    axioms: Axioms,
    mined: MinedTraits,
    given: GivenRelation | None,
    label: str | None,
    *,
    is_closed: bool,
) -> Relation:
    traits = frozenset(trait for trait in TRAITS if (id_, trait) in axioms.traits)
    given_words = words_of(given) if given else None
    if given_words is None and (id_ in axioms.annotations or is_documentation(iri)):
        return Relation(id_, iri, None, traits, mined.traits.get(id_, {}), is_closed, ANNOTATION)
    words = given_words or _usual_words(iri, label, is_functional="functional" in traits)
    worded, why = (None, words) if isinstance(words, str) else (words, "")
    return Relation(id_, iri, worded, traits, mined.traits.get(id_, {}), is_closed, why)


def _usual_words(iri: str, label: str | None, *, is_functional: bool) -> Words | str:
    """The words of a relation, from its label or its IRI; or why it has none."""
    if label is not None:
        return words_of_label(label, is_functional=is_functional)
    return words_of_local_name(local_name(iri), is_functional=is_functional)


def _nested(profile: Mapping[str, RelationSettings], ids: Mapping[str, int]) -> frozenset[Pair]:
    chains = ((iri, chain) for iri, settings in profile.items() for chain in settings.chains)
    return frozenset((ids[iri], ids[chain[1]]) for iri, chain in chains if len(chain) == 2 and chain[0] == iri)


def _class_nouns(
    classes: Mapping[str, int], labels: Mapping[int, str], axioms: Axioms
) -> tuple[dict[int, str], dict[int, str]]:
    """The noun of each class, and why others have none. A label that only repeats the IRI counts as none."""
    names = {}
    for iri, id_ in classes.items():
        if iri in _CLASSES_OF_ALL:
            continue
        label, local = labels.get(id_), local_name(iri)
        names[id_] = label if label and label != local else noun_of_local_name(local) or label
    equivalent = sorted((a, b) for a, b in axioms.sub_classes if a > b and (b, a) in axioms.sub_classes)
    representatives = dict(reversed(equivalent))  # the smallest of those that a class is equivalent to
    nouns, flaws = usable_nouns({id_: name for id_, name in names.items() if name}, representatives)
    return nouns, flaws | {id_: NO_NOUN for id_, name in names.items() if not name}


def _new_ids(
    facts: Facts, used: Mapping[str, int], profile: Mapping[str, RelationSettings], settings: Settings
) -> dict[str, int]:
    """Ids for relations without facts: of the profile, and IRIs in the settings that are not a misspelled relation."""
    known = Vocabulary("relation", used)
    by_user = (name.strip("<>") for name in settings.relations if is_iri(name.strip("<>")))
    new = {iri for iri in by_user if iri not in used and known.similar_in_namespace(iri) is None}
    first = _first_new_id(facts)
    return {iri: first + number for number, iri in enumerate(sorted((new | {*profile}) - {*used}))}


def _first_new_id(facts: Facts) -> int:
    return int(facts.value("SELECT coalesce(max(id), 0) + 1 FROM terms"))


_USED = f"""
SELECT id, text FROM terms WHERE kind = {IRI} AND id IN (SELECT unnest(?::BIGINT[]))
"""  # noqa: S608 - constants
_CLASSES = f"""
SELECT id, text FROM terms WHERE kind = {IRI} AND id IN (
  SELECT DISTINCT o FROM edges WHERE p = ? UNION SELECT unnest(?::BIGINT[]))
"""  # noqa: S608 - constants
_LABELS = f"""
SELECT facts.s, terms.text, terms.extra FROM facts JOIN terms ON facts.o = terms.id
WHERE facts.p IN (SELECT unnest(?::BIGINT[])) AND facts.s IN (SELECT unnest(?::BIGINT[])) AND terms.kind = {LITERAL}
"""  # noqa: S608 - constants
# Everything is a member of these, so that a question about them says nothing.
_CLASSES_OF_ALL = frozenset({OWL.Thing.value, RDFS.Resource.value})
_LABEL_PROPERTIES = (RDFS.label.value, SKOS.prefLabel.value)


def _used_relations(facts: Facts, axioms: Axioms, sizes: Mapping[int, int]) -> dict[str, int]:
    """The relations of the graph: those of its facts, and those that its axioms are about."""
    mentioned = {
        *sizes,
        *axioms.properties,
        *(relation for relation, _ in axioms.traits | axioms.domains | axioms.ranges),
        *(end for pairs in (axioms.inverses, axioms.sub_properties) for pair in pairs for end in pair),
        *(step for path, relation in axioms.chains for step in (*path, relation)),
    }
    return {iri: id_ for id_, iri in facts.sql(_USED, [sorted(mentioned)]) if iri != RDF["type"].value}


def _classes(facts: Facts, axioms: Axioms, type_id: int) -> dict[str, int]:
    mentioned = {
        *axioms.classes,
        *(class_ for _, class_ in axioms.domains | axioms.ranges),
        *(end for pair in axioms.sub_classes | axioms.disjoint_classes for end in pair),
    }
    return {iri: id_ for id_, iri in sorted(facts.sql(_CLASSES, [type_id, sorted(mentioned)]))}


def _labels(facts: Facts, predicates: Mapping[str, int], ids: Collection[int]) -> dict[int, str]:
    """The English label of each relation and class; sentences are in English, whatever the language of names is."""
    labels: dict[int, tuple[int, str]] = {}
    properties = [predicates[property_] for property_ in _LABEL_PROPERTIES if property_ in predicates]
    for id_, text, extra in facts.sql(_LABELS, [properties, sorted(ids)]) if properties else ():
        rank = 0 if extra == "en" else 1 if extra.startswith("en-") else 2 if extra == XSD.string.value else 3
        if rank < 3:
            labels[id_] = min(labels.get(id_, (rank, text)), (rank, text))
    return {id_: text for id_, (_, text) in labels.items()}
