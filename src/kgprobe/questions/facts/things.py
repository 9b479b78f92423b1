"""Which terms stand for the same thing, and which facts are about things rather than about the schema or names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgprobe.questions.facts.database import IRI, LITERAL
from kgprobe.rdf.terms import OWL, RDF, RDFS, SKOS

if TYPE_CHECKING:
    import duckdb

__all__ = ["ALIAS_PROPERTIES", "LABEL_PROPERTIES", "SCHEMA_ORG", "is_documentation", "make_edges", "make_same"]

SCHEMA_ORG = ("http://schema.org/", "https://schema.org/")
LABEL_PROPERTIES = (RDFS.label.value, SKOS.prefLabel.value, *(f"{each}name" for each in SCHEMA_ORG))
"""The properties of labels, the best first."""
ALIAS_PROPERTIES = (SKOS.altLabel.value, *(f"{each}alternateName" for each in SCHEMA_ORG))
"""The properties of other names. owl:sameAs also leads to other names."""

# Facts with these predicates are about the schema or about names. rdf:type is a fact, unless the class is of these.
_SCHEMA_NAMESPACES = (RDFS.iri, OWL.iri, RDF.iri, "http://www.w3.org/ns/shacl#")
_SCHEMA_PROPERTIES = (
    *LABEL_PROPERTIES,
    *ALIAS_PROPERTIES,
    SKOS.hiddenLabel.value,
    *(f"{each}{name}" for each in SCHEMA_ORG for name in ("domainIncludes", "rangeIncludes", "inverseOf")),
)

# The values of these explain a thing to people; as answers to a question they make no sense.
_NOTES = ("changeNote", "definition", "editorialNote", "example", "historyNote", "notation", "note", "scopeNote")
_DESCRIPTIONS = ("abstract", "description", "identifier", "title")
_DOCUMENTATION = frozenset(
    {
        *_SCHEMA_PROPERTIES,
        *(SKOS[name].value for name in _NOTES),
        *(f"http://purl.org/dc/{part}/{name}" for part in ("elements/1.1", "terms") for name in _DESCRIPTIONS),
        *(f"{each}{name}" for each in SCHEMA_ORG for name in ("description", "identifier", "image", "url")),
    }
)

_SAME_PAIRS = f"""
CREATE OR REPLACE TEMP TABLE pairs AS
SELECT DISTINCT facts.s AS a, facts.o AS b FROM facts
JOIN terms AS property ON facts.p = property.id JOIN terms AS object ON facts.o = object.id
WHERE property.text = '{OWL.sameAs.value}' AND facts.s <> facts.o AND object.kind <> {LITERAL}
"""  # noqa: S608 - constants
# Each step gives every term the smallest number that a neighbour has, then the number which that one has: twice as far
# in each step.
_STEP = """
CREATE OR REPLACE TEMP TABLE next_groups AS
WITH near AS (
  SELECT id, min(number) AS number FROM (
    SELECT id, number FROM groups
    UNION ALL SELECT pairs.a, groups.number FROM pairs JOIN groups ON pairs.b = groups.id
    UNION ALL SELECT pairs.b, groups.number FROM pairs JOIN groups ON pairs.a = groups.id)
  GROUP BY id)
SELECT near.id, least(near.number, further.number) AS number FROM near JOIN near AS further ON near.number = further.id
"""
_CHANGED = "SELECT count(*) FROM groups JOIN next_groups USING (id) WHERE groups.number <> next_groups.number"
# An IRI stands for blank nodes.
_SAME = f"""
CREATE OR REPLACE TABLE same AS
WITH chosen AS (
  SELECT number, arg_min(groups.id, CASE WHEN kind = {IRI} THEN 0 ELSE 4000000000 END + groups.id) AS rep
  FROM groups JOIN terms USING (id) GROUP BY number)
SELECT id, rep FROM groups JOIN chosen USING (number) WHERE id <> rep ORDER BY id
"""  # noqa: S608 - constants


def _texts(values: tuple[str, ...]) -> str:
    return ", ".join(f"'{value}'" for value in values)


def _in_schema(column: str) -> str:
    return " OR ".join(f"starts_with({column}, '{each}')" for each in _SCHEMA_NAMESPACES)


_EDGES = f"""
CREATE OR REPLACE TABLE edges AS
WITH relations AS (
  SELECT id, text = '{RDF.type.value}' AS is_type FROM (SELECT DISTINCT p AS id FROM facts) JOIN terms USING (id)
  WHERE text = '{RDF.type.value}' OR NOT ({_in_schema("text")} OR text IN ({_texts(_SCHEMA_PROPERTIES)}))),
schema_classes AS (SELECT id FROM terms WHERE kind = {IRI} AND ({_in_schema("text")})),
chosen AS (
  SELECT s, p, o FROM facts JOIN relations ON facts.p = relations.id
  WHERE NOT (is_type AND o IN (SELECT id FROM schema_classes)))
SELECT DISTINCT coalesce(a.rep, s) AS s, coalesce(b.rep, p) AS p, coalesce(c.rep, o) AS o FROM chosen
LEFT JOIN same AS a ON s = a.id LEFT JOIN same AS b ON p = b.id LEFT JOIN same AS c ON o = c.id
ORDER BY p, s, o
"""  # noqa: S608 - constants


def is_documentation(relation: str) -> bool:
    """Whether the values of a relation, given by its IRI, only name or explain a thing."""
    return relation in _DOCUMENTATION or relation.startswith(_SCHEMA_NAMESPACES)


def make_same(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the table of terms that stand for the same thing as another term, from the stated owl:sameAs."""
    connection.execute(_SAME_PAIRS)
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE groups AS"
        " SELECT id, id AS number FROM (SELECT a AS id FROM pairs UNION SELECT b FROM pairs)"
    )
    while True:
        connection.execute(_STEP)
        changed = connection.execute(_CHANGED).fetchone()
        connection.execute("DROP TABLE groups")
        connection.execute("ALTER TABLE next_groups RENAME TO groups")
        if changed is None or not changed[0]:
            break
    connection.execute(_SAME)
    connection.execute("DROP TABLE groups; DROP TABLE pairs")


def make_edges(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the table of facts about things."""
    connection.execute(_EDGES)
