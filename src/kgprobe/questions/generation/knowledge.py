"""All that is known while cases are made: the schema by relation, the closure, and the names of classes."""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from kgprobe.questions.generation.closure import Closure, close, with_trait
from kgprobe.questions.generation.engines import Engine
from kgprobe.questions.schema.given import local_name
from kgprobe.questions.schema.traits import Relation, Schema
from kgprobe.questions.settings import Settings
from kgprobe.questions.wording.nouns import usable_nouns, with_article
from kgprobe.questions.wording.sentences import Single

_LARGE = 2_000_000
_SHARE = 16


@dataclass(frozen=True)
class Knowledge:
    """The schema and the closure, with the questions that are asked of them."""

    engine: Engine
    schema: Schema
    settings: Settings
    closure: Closure
    type_id: int
    _made: set[str] = field(default_factory=set)
    _sizes: dict[str, int] = field(default_factory=dict)
    _meetings: dict[tuple[str, str], frozenset[tuple[int, int]]] = field(default_factory=dict)

    @cached_property
    def facts_of(self) -> Mapping[int, int]:
        """The number of stated facts of each relation."""
        return dict(self.engine.query("SELECT p, count(*) FROM edges GROUP BY p"))

    @cached_property
    def members_of(self) -> Mapping[int, int]:
        """The number of stated members of each class."""
        return dict(self.engine.query(f"SELECT o, count(*) FROM edges WHERE p = {self.type_id} GROUP BY o"))

    @cached_property
    def asked(self) -> tuple[Relation, ...]:
        """The relations that have words, in the order of their IRIs."""
        worded = (relation for relation in self.schema.relations.values() if relation.words is not None)
        return tuple(sorted(worded, key=lambda relation: relation.iri))

    @property
    def class_nouns(self) -> Mapping[int, str]:
        """The noun of each class that can be asked about."""
        return self.schema.class_nouns

    @property
    def several_tables(self) -> list[str]:
        """The tables that `several` has made."""
        return sorted(name for name in self._made if name.startswith("several_"))

    @cached_property
    def has_unusable(self) -> bool:
        """Whether there are things without a name in the facts."""
        return self.engine.count("unusable") > 0

    def several(self, single: Single) -> str:
        """The name of a table of the things that have several values of a relation, so that "the" describes none."""
        ends = ("o", "s") if single.is_backwards else ("s", "o")
        name = f"several_{ends[0]}_{single.relation}".replace("-", "n")
        if name not in self._made:
            self._made.add(name)
            many = "" if single.relation in self.closure.unfinished else " HAVING count(*) > 1"
            end = ends[0]
            query = f"SELECT {end} AS id FROM {self._values(single, 'closure')} GROUP BY {end}{many}"
            if self.closure.has_merged:
                wide = f"SELECT {end} AS id FROM {self._values(single, 'widest')} GROUP BY {end}{many}"
                query += f" UNION {wide} UNION SELECT id FROM merged WHERE rep IN ({wide})"
            self.engine.table(name, query)
        return name

    def _values(self, single: Single, view: str) -> str:
        """The facts that decide whether a "the" describes a single thing.

        A birth place and the region around it do not make "the birth place" ambiguous: only values that are around no
        other value count.
        """
        relation = single.relation
        steps = [] if single.is_backwards else [step for nested, step in self.schema.nested if nested == relation]
        nearer = (
            f"SELECT 1 FROM {view} AS v JOIN {view} AS t ON t.s = v.o WHERE v.p = {relation} AND v.s = c.s"
            f" AND v.o <> c.o AND t.o = c.o AND t.p IN ({_listed(steps)})"
        )
        only = f" AND NOT EXISTS ({nearer})" if steps else ""
        return f"(SELECT s, o FROM {view} AS c WHERE c.p = {relation}{only}) AS value_facts"

    def pool(self, relation: int, *, objects: bool) -> tuple[str, int]:
        """A table of the things at one end of a relation that can be asked about, numbered from 0, and its size."""
        end = "o" if objects else "s"
        name = f"pool_{end}_{relation}".replace("-", "n")
        if name not in self._made:
            self._made.add(name)
            usable = f" AND {end} NOT IN (SELECT id FROM unusable)" if self.has_unusable else ""
            self.engine.table(
                name,
                f"SELECT id, row_number() OVER (ORDER BY id) - 1 AS n"
                f" FROM (SELECT DISTINCT {end} AS id FROM edges WHERE p = {relation}{usable}) AS things",
            )
            self._sizes[name] = self.engine.count(name)
        return name, self._sizes[name]

    def meeting(self, end: str, other_end: str) -> frozenset[tuple[int, int]]:
        """The pairs of relations whose facts share a thing: at one end (s or o) of the first, and of the second.

        In a large graph, a part of the things decides.
        """
        key = (end, other_end)
        if key not in self._meetings:
            share = f" WHERE {{0}} % {_SHARE} = 0" if sum(self.facts_of.values()) > _LARGE else ""
            one, other = (
                f"(SELECT DISTINCT p, {column} AS thing FROM edges{share.format(column)})"
                for column in (end, other_end)
            )
            pairs = self.engine.query(f"SELECT DISTINCT a.p, b.p FROM {one} AS a JOIN {other} AS b USING (thing)")
            self._meetings[key] = frozenset((p, q) for p, q in pairs)
        return self._meetings[key]

    # ---- relations

    def wider(self, relation: int) -> tuple[int, ...]:
        """The relation and all above it."""
        return tuple(sorted({relation, *self._wider[relation]}))

    @cached_property
    def _wider(self) -> Mapping[int, set[int]]:
        wider: dict[int, set[int]] = defaultdict(set)
        for narrow, wide in self.schema.sub_properties:
            wider[narrow].add(wide)
        return wider

    def has(self, relation: int, trait: str) -> bool:
        """Whether a relation has a trait, stated or mined."""
        known = self.schema.relations.get(relation)
        return known is not None and (trait in known.traits or trait in known.mined)

    def is_mined(self, relation: int, trait: str) -> bool:
        """Whether only the facts support that a relation has a trait."""
        known = self.schema.relations[relation]
        return trait not in known.traits and trait in known.mined

    def is_closed(self, relation: int) -> bool:
        """Whether all facts of a relation are known."""
        known = self.schema.relations.get(relation)
        return known is not None and known.is_closed and relation not in self.closure.unfinished

    @cached_property
    def transitive(self) -> frozenset[int]:
        """The transitive relations."""
        return with_trait(self.schema, "transitive")

    def iri(self, number: int) -> str:
        """The IRI of a relation or a class."""
        known = self.schema.relations.get(number)
        return self.engine.facts.iri(number) if known is None else known.iri

    def named(self, number: int) -> str:
        """A relation or a class in explanations: by its noun or local name; an identifier with digits by its label."""
        local = local_name(self.iri(number))
        if number in self.class_nouns or not any(map(str.isdigit, local)):
            return self.class_nouns.get(number, local)
        labels = self.engine.query(f"SELECT name FROM labels WHERE id = {number}")
        return str(labels[0][0]) if labels else local

    # ---- classes

    @cached_property
    def _narrower_classes(self) -> Mapping[int, set[int]]:
        narrower: dict[int, set[int]] = defaultdict(set)
        for narrow, wide in self.schema.sub_classes:
            narrower[wide].add(narrow)
        return narrower

    @cached_property
    def _disjoint_with(self) -> Mapping[int, set[int]]:
        disjoint: dict[int, set[int]] = defaultdict(set)
        for a, b in self.schema.disjoint_classes:
            disjoint[a].add(b)
            disjoint[b].add(a)
        return disjoint

    @cached_property
    def _wider_classes(self) -> Mapping[int, set[int]]:
        wider: dict[int, set[int]] = defaultdict(set)
        for narrow, wide in self.schema.sub_classes:
            wider[narrow].add(wide)
        return wider

    def disjoint_from(self, classes: Iterable[int]) -> frozenset[int]:
        """The classes that have no common member with one of the given classes."""
        above = {wide for class_ in classes for wide in (class_, *self._wider_classes.get(class_, ()))}
        excluded = {other for class_ in above for other in self._disjoint_with.get(class_, ())}
        return frozenset(narrow for class_ in excluded for narrow in (class_, *self._narrower_classes.get(class_, ())))

    @cached_property
    def all_disjoint(self) -> tuple[tuple[int, int], ...]:
        """All pairs of disjoint classes that can have members; also the table `disjoint_pairs`."""
        classes = {end for pair in self.schema.disjoint_classes for end in pair}
        classes |= {narrow for class_ in classes for narrow in self._narrower_classes.get(class_, ())}
        pairs = sorted((class_, other) for class_ in classes for other in self.disjoint_from([class_]))
        self.engine.rows("disjoint_pairs", "a INTEGER, b INTEGER", pairs)
        return tuple(pairs)

    def disjoint_relations(self, relation: int) -> frozenset[int]:
        """The relations that never hold together with a relation."""
        wider = self.wider(relation)
        return frozenset(other for one, other in self.schema.disjoint_properties if one in wider)

    def domains_of(self, relation: int) -> frozenset[int]:
        """The classes of everything that has a relation."""
        wider = self.wider(relation)
        return frozenset(class_ for relation, class_ in self.schema.domains if relation in wider)

    def ranges_of(self, relation: int) -> frozenset[int]:
        """The classes of every value of a relation."""
        wider = self.wider(relation)
        return frozenset(class_ for relation, class_ in self.schema.ranges if relation in wider)


def knowledge_of(engine: Engine, schema: Schema, settings: Settings) -> Knowledge:
    """Close the facts under the schema, and make the tables that are needed for all rules."""
    closure = close(engine, schema, schema.type_id)
    _make_different(engine, schema)
    _make_kinds(engine, schema)
    engine.table(
        "alias_numbers",
        "SELECT id, name, CAST(row_number() OVER (ORDER BY id, name) AS INTEGER) AS number,"
        " count(*) OVER (PARTITION BY id) = 1 AS is_only FROM aliases",
    )
    return Knowledge(engine, schema, settings, closure, schema.type_id)


def _make_different(engine: Engine, schema: Schema) -> None:
    """The things that the graph states to be different: members of one group, by the number of the group."""
    groups = sorted(schema.axioms.different)
    engine.rows(
        "different_groups",
        "id INTEGER, number INTEGER",
        ((thing, number) for number, group in enumerate(groups) for thing in group),
    )


def _make_kinds(engine: Engine, schema: Schema) -> None:
    """The values of relations such as gender, as kinds of things: "a female"."""
    relations = [
        relation.id for relation in schema.relations.values() if relation.words is not None and relation.words.is_kind
    ]
    nouns: dict[int, str] = {}
    if relations:
        names = f"SELECT id, name FROM names WHERE id IN (SELECT o FROM edges WHERE p IN ({_listed(relations)}))"
        nouns, _ = usable_nouns(dict(engine.query(names)))
    engine.rows("kind_words", "id INTEGER, name VARCHAR", ((id_, with_article(noun)) for id_, noun in nouns.items()))


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))
