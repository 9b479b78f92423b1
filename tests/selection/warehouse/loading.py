"""Random ontologies, edits, and loaders of tables in SQL, which share no code with kgprobe's own rows of tables."""

# ruff: noqa: S608 - making up SQL is what it is for

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import duckdb

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, Literal, NamedNode, Term, Triple

__all__ = ["COLUMNS", "Fact", "Loader", "edited", "graph_of", "random_facts", "random_loader"]

Fact = tuple[str, ...]

NAMES = ["A", "B", "C", "D", "Ab", "aB", "E", "F"]
PROPERTIES = ["P", "B"]
TEXTS = ["A", "B", "C", "D", "Ab", "aB"]
SYNONYM = NamedNode("urn:x:synonym")
COLUMNS = {
    "terms": {"id": "text", "label": "text", "kind": "text"},
    "edges": {"child": "text", "parent": "text", "kind": "text", "distance": "integer"},
    "synonyms": {"id": "text", "label": "text"},
    "paths": {"id": "text", "label": "text", "level": "integer"},
    "facts": {"id": "text", "amount": "integer", "label": "text"},
}


# -- ontologies --------------------------------------------------------------------------------------------------------


def random_facts(random: Random) -> set[Fact]:
    """An ontology as facts, each of which stands for a few triples."""
    facts: set[Fact] = {("class", name) for name in NAMES if random.random() < 0.9}
    facts |= {("property", name) for name in PROPERTIES}
    facts |= {_fact(random) for _ in range(random.randint(8, 26))}
    return facts


def edited(facts: set[Fact], random: Random) -> set[Fact]:
    """The same ontology after a few edits."""
    changed = set(facts)
    for _ in range(random.randint(1, 3)):
        if random.random() < 0.5:
            changed.discard(random.choice(sorted(changed)))
        else:
            changed.add(_fact(random))
    return changed


def _fact(random: Random) -> Fact:
    one, other, third = (random.choice(NAMES) for _ in range(3))
    text, relation = random.choice(TEXTS), random.choice(PROPERTIES)
    choices: list[Fact] = [
        *[("below", one, other)] * 5,
        *[("label", one, text)] * 4,
        *[("some", one, relation, other)] * 3,
        ("kind", one, text),
        ("synonym", one, text),
        ("same", one, other),
        ("defined", one, other, relation, third),
        ("related", one, relation, other),
        ("old", one),
        ("class", one),
        ("transitive", relation),
    ]
    return random.choice(choices)


def graph_of(facts: set[Fact]) -> Graph:
    """The triples of an ontology."""
    return Graph(triple for fact in sorted(facts) for triple in _triples(fact))


def _name(text: str) -> NamedNode:
    return NamedNode(f"urn:x:{text}")


def _triples(fact: Fact) -> Iterator[Triple]:
    kind, first, *rest = fact
    name = _name(first)
    simple: dict[str, tuple[NamedNode, Term]] = {
        "class": (RDF.type, OWL.Class),
        "property": (RDF.type, OWL.ObjectProperty),
        "transitive": (RDF.type, OWL.TransitiveProperty),
        "old": (OWL.deprecated, Literal("true")),
    }
    values = {"label": RDFS.label, "kind": RDFS.comment, "synonym": SYNONYM}
    if kind in simple:
        yield Triple(name, *simple[kind])
    elif kind in values:
        yield Triple(name, values[kind], Literal(rest[0]))
    elif kind in ("below", "same"):
        yield Triple(name, RDFS.subClassOf if kind == "below" else OWL.equivalentClass, _name(rest[0]))
    elif kind == "related":
        yield Triple(name, _name(rest[0]), _name(rest[1]))
    elif kind == "some":
        blank = BlankNode("-".join(fact))
        yield Triple(name, RDFS.subClassOf, blank)
        yield from _restriction(blank, *rest)
    else:
        label = "-".join(fact)
        blank, inner, cells = BlankNode(label), BlankNode(f"{label}-r"), [BlankNode(f"{label}-{n}") for n in (0, 1)]
        yield Triple(name, OWL.equivalentClass, blank)
        yield Triple(blank, OWL.intersectionOf, cells[0])
        yield Triple(cells[0], RDF.first, _name(rest[0]))
        yield Triple(cells[0], RDF.rest, cells[1])
        yield Triple(cells[1], RDF.first, inner)
        yield Triple(cells[1], RDF.rest, RDF.nil)
        yield from _restriction(inner, *rest[1:])


def _restriction(blank: BlankNode, relation: str, filler: str) -> Iterator[Triple]:
    yield Triple(blank, OWL.onProperty, _name(relation))
    yield Triple(blank, OWL.someValuesFrom, _name(filler))


# -- loaders -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Loader:
    """How tables are loaded. The table `edges` has direct edges or a closure."""

    scheme: str
    of: str
    without_old: bool
    over: tuple[str, ...]
    restrictions: bool
    definitions: bool
    is_closure: bool
    reflexive: bool
    one_property: bool
    transitive: tuple[str, ...]

    @property
    def shows_relations(self) -> bool:
        return not self.is_closure or self.one_property

    def profile(self) -> str:
        """The profile that describes this loader."""
        common = f'of = "{self.of}"\nwithout = {["owl:deprecated"] if self.without_old else []}\n'
        relation = "relation local-name" if self.shows_relations else "constant"
        return f"""
[warehouse]
identifiers = "{self.scheme}"
data = ["facts"]
[warehouse.prefixes]
x = "urn:x:"
[warehouse.tables.terms]
rows = "terms"
{common}columns = {{ id = "term", label = "rdfs:label", kind = "rdfs:comment" }}
[warehouse.tables.edges]
rows = "{"closure" if self.is_closure else "edges"}"
over = {[each if ":" in each else f"x:{each}" for each in self.over]}
restrictions = {str(self.restrictions).lower()}
definitions = {str(self.definitions).lower()}
reflexive = {str(self.reflexive).lower()}
one-property = {str(self.one_property).lower()}
transitive = {[f"x:{each}" for each in self.transitive]}
{common}columns = {{ child = "term", parent = "upper", kind = "{relation}", distance = "{
            "distance" if self.is_closure else "constant"
        }" }}
[warehouse.tables.synonyms]
rows = "annotations"
over = ["x:synonym"]
{common}columns = {{ id = "term", label = "value" }}
[warehouse.tables.paths]
rows = "paths"
separator = "/"
names = "{self.scheme}"
{common}columns = {{ id = "term", label = "path", level = "level" }}
""".replace("'", '"')

    def load(self, graph: Graph) -> duckdb.DuckDBPyConnection:
        """A database with the tables."""
        database = duckdb.connect()
        database.execute("SET threads = 1")
        database.execute("CREATE TABLE triples (s TEXT, p TEXT, o TEXT)")
        rows = [
            (_text(subject), predicate.value, _text(object_))
            for subject, predicate, object_ in zip(*graph.columns(), strict=True)
        ]
        if rows:
            database.executemany("INSERT INTO triples VALUES (?, ?, ?)", rows)
        for statement in self._statements():
            database.execute(statement)
        return database

    def _statements(self) -> Iterator[str]:
        yield "CREATE MACRO local(iri) AS regexp_extract(iri, '[^:/#]*$')"
        yield (
            "CREATE MACRO labelled(iri) AS "
            f"(SELECT substr(min(o), 2) FROM triples l WHERE l.s = iri AND l.p = '{RDFS.label.value}')"
        )
        named = {"local-name": "local(iri)", "iri": "iri", "label": "coalesce(labelled(iri), local(iri))"}
        yield f"CREATE MACRO named(iri) AS {named[self.scheme]}"
        yield f"CREATE VIEW holder AS {self._having()}"
        yield f"CREATE VIEW edge AS {self._edges()}"
        comment = f"(SELECT substr(min(o), 2) FROM triples k WHERE k.s = iri AND k.p = '{RDFS.comment.value}')"
        yield f"CREATE TABLE terms AS SELECT named(iri) AS id, labelled(iri) AS label, {comment} AS kind FROM holder"
        kind = "local(rel)" if self.shows_relations else "'A'"
        source = self._closure() if self.is_closure else "SELECT lower, rel, upper, 1 AS distance FROM edge"
        yield (
            f"CREATE TABLE edges AS SELECT named(lower) AS child, named(upper) AS parent, {kind} AS kind, "
            f"distance::INTEGER AS distance FROM ({source}) JOIN holder ON iri = lower"
        )
        yield (
            "CREATE TABLE synonyms AS SELECT named(iri) AS id, substr(o, 2) AS label FROM triples "
            f"JOIN holder ON iri = s WHERE p = '{SYNONYM.value}'"
        )
        yield f"CREATE TABLE paths AS {self._paths()}"
        yield "CREATE TABLE facts (id TEXT, amount INTEGER, label TEXT)"
        values = ", ".join(f"('{TEXTS[n % 5]}', {n % 3}, '{TEXTS[n * 7 % 6]}')" for n in range(12))
        yield f"INSERT INTO facts VALUES {values}"

    def _having(self) -> str:
        found = "SELECT DISTINCT s AS iri FROM triples WHERE NOT starts_with(s, '_:')"
        if self.of == "classes":
            found += f" AND s IN (SELECT s FROM triples WHERE p = '{RDF.type.value}' AND o = '{OWL.Class.value}')"
        if self.without_old:
            found += f" AND s NOT IN (SELECT s FROM triples WHERE p = '{OWL.deprecated.value}')"
        return found

    def _edges(self) -> str:
        below, same = RDFS.subClassOf.value, OWL.equivalentClass.value
        rel = (
            "SELECT r.s AS blank, r.o AS rel, f.o AS upper FROM triples r JOIN triples f ON f.s = r.s "
            f"WHERE r.p = '{OWL.onProperty.value}' AND f.p = '{OWL.someValuesFrom.value}'"
        )
        starts = f"'{below}', '{same}'" if self.definitions else f"'{below}'"
        is_name = "AND NOT starts_with(o, '_:')"
        direct = f"SELECT s AS lower, '{below}' AS rel, o AS upper FROM triples WHERE p IN ({starts}) {is_name}"
        parts = [f"SELECT * FROM ({direct}) WHERE NOT starts_with(lower, '_:')"]
        if self.restrictions:
            parts.append(
                f"SELECT t.s, x.rel, x.upper FROM triples t JOIN ({rel}) x ON x.blank = t.o "
                f"WHERE t.p IN ({starts}) AND NOT starts_with(t.s, '_:')"
            )
        if self.definitions:
            cells = (
                "WITH RECURSIVE cell(s, place) AS ("
                f"SELECT t.s, i.o FROM triples t JOIN triples i ON i.s = t.o AND i.p = '{OWL.intersectionOf.value}' "
                f"WHERE t.p IN ({starts}) UNION "
                f"SELECT cell.s, n.o FROM cell JOIN triples n ON n.s = cell.place AND n.p = '{RDF.rest.value}') "
                f"SELECT cell.s, m.o FROM cell JOIN triples m ON m.s = cell.place AND m.p = '{RDF.first.value}'"
            )
            parts.append(f"SELECT s, '{below}', o FROM ({cells}) WHERE NOT starts_with(o, '_:')")
            if self.restrictions:
                parts.append(f"SELECT c.s, x.rel, x.upper FROM ({cells}) c JOIN ({rel}) x ON x.blank = c.o")
        stated = (
            f"SELECT s FROM triples WHERE p = '{RDF.type.value}' AND o = '{OWL.ObjectProperty.value}'"
            if not self.over
            else "SELECT s FROM triples WHERE s <> 'urn:x:synonym'"
        )
        parts.append(
            f"SELECT s, p, o FROM triples WHERE (p IN ({stated}) OR p IN ({self._wanted()})) "
            "AND starts_with(p, 'urn:x:') AND starts_with(o, 'urn:x:') AND starts_with(s, 'urn:x:')"
        )
        every = f"SELECT DISTINCT lower, rel, upper FROM ({' UNION ALL '.join(parts)}) e(lower, rel, upper)"
        return f"{every} WHERE rel IN ({self._wanted()})" if self.over else every

    def _wanted(self) -> str:
        iris = [RDFS.subClassOf.value if ":" in each else f"urn:x:{each}" for each in self.over]
        return ", ".join(f"'{iri}'" for iri in iris) or "''"

    def _closure(self) -> str:
        below = f"'{RDFS.subClassOf.value}'"
        if not self.one_property:
            steps = (
                "WITH RECURSIVE up(lower, upper, n) AS (SELECT lower, upper, 1 FROM edge UNION "
                "SELECT up.lower, e.upper, n + 1 FROM up JOIN edge e ON e.lower = up.upper WHERE n < 12) "
                f"SELECT lower, {below} AS rel, upper, min(n) AS distance FROM up GROUP BY lower, upper"
            )
        else:
            transitive = (
                ", ".join(f"'urn:x:{each}'" for each in self.transitive)
                or f"SELECT s FROM triples WHERE p = '{RDF.type.value}' AND o = '{OWL.TransitiveProperty.value}'"
            )
            steps = (
                "WITH RECURSIVE up(lower, rel, upper, n) AS (SELECT lower, rel, upper, 1 FROM edge UNION "
                f"SELECT up.lower, CASE WHEN up.rel = {below} THEN e.rel ELSE up.rel END, e.upper, n + 1 "
                "FROM up JOIN edge e ON e.lower = up.upper WHERE n < 24 AND "
                f"(up.rel = {below} OR e.rel = {below} OR (e.rel = up.rel AND e.rel IN ({transitive})))) "
                "SELECT lower, rel, upper, min(n) AS distance FROM up GROUP BY lower, rel, upper"
            )
        if not self.reflexive:
            return steps
        others = f"SELECT * FROM ({steps}) WHERE lower <> upper OR rel <> {below}"
        return f"{others} UNION ALL SELECT iri, {below}, iri, 0 FROM holder"

    def _paths(self) -> str:
        below = f"t.p = '{RDFS.subClassOf.value}' AND NOT starts_with(t.o, '_:')"
        upper = f"SELECT 1 FROM triples t WHERE t.s = top AND {below} AND NOT list_contains(seen, t.o)"
        return (
            "WITH RECURSIVE up(iri, top, seen) AS (SELECT iri, iri, [iri] FROM holder UNION "
            "SELECT up.iri, t.o, list_prepend(t.o, seen) FROM up JOIN triples t ON t.s = up.top "
            f"WHERE {below} AND NOT list_contains(seen, t.o)) "
            "SELECT named(iri) AS id, '/' || (SELECT string_agg(named(step), '/' ORDER BY n) FROM "
            "(SELECT unnest(seen) AS step, generate_subscripts(seen, 1) AS n)) || '/' AS label, "
            f"(len(seen) - 1)::INTEGER AS level FROM up WHERE NOT EXISTS ({upper})"
        )


def _text(term: Term) -> str:
    sign = "_:" if isinstance(term, BlankNode) else "'" if isinstance(term, Literal) else ""
    return sign + term.value


def random_loader(random: Random) -> Loader:
    def is_so(share: float = 0.5) -> bool:
        return random.random() < share

    is_closure = is_so()
    one_property = is_closure and is_so()
    below = ("rdfs:subClassOf",)
    return Loader(
        scheme=random.choice(["local-name", "local-name", "label", "label", "iri"]),
        of=random.choice(["all", "classes"]),
        without_old=is_so(),
        over=random.choice([(), below, (*below, "P"), (*below, *PROPERTIES)]),
        restrictions=is_so(0.7),
        definitions=is_so(),
        is_closure=is_closure,
        reflexive=is_closure and is_so(),
        one_property=one_property,
        transitive=random.choice([(), ("P",), tuple(PROPERTIES)]) if one_property else (),
    )
