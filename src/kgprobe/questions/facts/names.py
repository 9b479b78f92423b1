"""Which terms stand for the same thing, and how a thing is called in questions.

A thing has one name and aliases, or a reason why no name describes it. A name that two things share describes neither,
whether it is a label or an alias. Names are compared without regard to case and white space.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from kgprobe.questions.facts.database import IRI, LITERAL
from kgprobe.questions.wording.nouns import NEEDS_THE
from kgprobe.rdf.terms import OWL, RDF, RDFS, SKOS, XSD

if TYPE_CHECKING:
    import duckdb

__all__ = ["NO_NAME"]

SCHEMA_ORG = ("http://schema.org/", "https://schema.org/")
LABEL_PROPERTIES = (RDFS.label.value, SKOS.prefLabel.value, *(f"{namespace}name" for namespace in SCHEMA_ORG))
"""The properties of labels, the best first."""
ALIAS_PROPERTIES = (SKOS.altLabel.value, *(f"{namespace}alternateName" for namespace in SCHEMA_ORG))
"""The properties of other names. owl:sameAs also leads to other names."""

# Facts with these predicates are about the schema or about names. rdf:type is a fact, unless the class is of these.
_SCHEMA_NAMESPACES = (RDFS.iri, OWL.iri, RDF.iri, "http://www.w3.org/ns/shacl#")
_SCHEMA_PROPERTIES = (
    *LABEL_PROPERTIES,
    *ALIAS_PROPERTIES,
    SKOS.hiddenLabel.value,
    *(f"{namespace}{name}" for namespace in SCHEMA_ORG for name in ("domainIncludes", "rangeIncludes", "inverseOf")),
)

# The values of these explain a thing to people; as answers to a question they make no sense.
_NOTES = ("changeNote", "definition", "editorialNote", "example", "historyNote", "notation", "note", "scopeNote")
_DESCRIPTIONS = ("abstract", "description", "identifier", "title")
_DOCUMENTATION = frozenset(
    {
        *_SCHEMA_PROPERTIES,
        *(SKOS[name].value for name in _NOTES),
        *(f"http://purl.org/dc/{part}/{name}" for part in ("elements/1.1", "terms") for name in _DESCRIPTIONS),
        *(f"{namespace}{name}" for namespace in SCHEMA_ORG for name in ("description", "identifier", "image", "url")),
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
    return " OR ".join(f"starts_with({column}, '{namespace}')" for namespace in _SCHEMA_NAMESPACES)


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


NO_NAME = "no name"
PIECE_OF_IRI = "name is a piece of an IRI"
IDENTIFIER = "name is an identifier"
TOO_LONG = "name is too long"
SHARED = "name is shared"
_LONGEST = 200
_MOST_WORDS = 8  # of a value: a longer one is a sentence, not a name

# RE2 knows Unicode's classes: white space and control characters become one space.
_TIDY = r"trim(regexp_replace(nfc_normalize({0}), '[\s\p{{Z}}\p{{Cc}}]+', ' ', 'g'))"
_KEY = "CASE WHEN regexp_full_match({0}, '[\\x20-\\x7e]*') THEN lower({0}) ELSE kgprobe_name_key({0}) END"
# Something that can be seen: a letter, a mark, a number, punctuation or a symbol.
_VISIBLE = r"[\p{L}\p{N}\p{P}\p{S}]"
_LABEL, _ALIAS = 0, 1

_PROPERTIES = """
CREATE OR REPLACE TEMP TABLE name_properties AS
SELECT terms.id, role, rank FROM terms JOIN (VALUES {rows}) AS given(iri, role, rank) ON terms.text = given.iri
WHERE terms.kind = {IRI}
"""
# `fit` prefers the exact language, then a regional form of it.
_STATED = f"""
CREATE OR REPLACE TEMP TABLE stated AS
WITH tidied AS (SELECT id, {_TIDY.format("text")} AS name, fit FROM (
  SELECT id, text, CASE WHEN extra = $language THEN 0 WHEN starts_with(extra, $language || '-') THEN 1
    WHEN extra = '{XSD.string.value}' THEN 2 END AS fit
  FROM terms WHERE kind = {LITERAL} AND id IN (
    SELECT o FROM facts WHERE p IN (SELECT id FROM name_properties))) WHERE fit IS NOT NULL)
SELECT facts.s AS id, role, rank, fit, name
FROM facts JOIN name_properties ON facts.p = name_properties.id JOIN tidied ON facts.o = tidied.id
"""  # noqa: S608 - constants
_IN_LANGUAGE = "CREATE OR REPLACE TEMP TABLE in_language AS SELECT DISTINCT id, role FROM stated WHERE fit < 2"
# The end of an IRI: all after the last / or #, or after the last colon if it has neither.
_LOCAL = r"regexp_extract(text, '[^/#:]*$')"
# An ending of the IRI that people do not write: an identifier with digits, a name in camel case, or with delimiters.
_PIECE = rf"""(contains(name, '://') OR contains(name, '_') OR name = text
  OR ((ends_with(text, '/' || name) OR ends_with(text, '#' || name) OR ends_with(text, ':' || name)
       OR ends_with(name, ':' || {_LOCAL}) AND NOT contains(name, ' '))
      AND regexp_matches(name, '[/#:%]|\p{{Ll}}\p{{Lu}}|^\p{{L}}*\p{{N}}+$')))"""
# What people do not call a thing, whatever its IRI: codes of Wikidata, Freebase and databases, numbers, UUIDs and
# hashes, senses of WordNet, percent signs, and words with the number of a record after them.
_CODE = "|".join(
    (
        r"Q\d{2,}|[PLEM]\d{4,}|/?[mg][./]0\w+|\d{6,}",
        r"[A-Za-z]{1,8}[:_-]?\d{5,}|[A-Za-z]{2,10}:\w*\d\w*|concept:.*",
        r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-.*|[0-9a-f]*(?:\d[a-f]|[a-f]\d)[0-9a-f]{10,}",
        r"\w+[.#][nvars][.#]\d+|.*_[A-Z]{2}_\d+|.*%[0-9A-F]{2}.*|.*[A-Za-z]\S* \d{7,}",
        r"(?:wordnet|geoent|geoclass|wikicat|wikicategory|yago) .*",
    )
)
# A literal without a language counts for a thing that has none in the language, for labels and aliases separately.
_JUDGED = f"""
CREATE OR REPLACE TEMP TABLE judged AS
SELECT coalesce(same.rep, stated.id) AS id, stated.id AS stated_of, stated.role, rank, fit, name,
  fit < 2 OR in_language.id IS NULL AS counts,
  {_KEY.format("name")} AS key,
  CASE WHEN NOT regexp_matches(name, '{_VISIBLE}') THEN '{NO_NAME}'
    WHEN length(name) > {_LONGEST} THEN '{TOO_LONG}'
    WHEN terms.kind = {IRI} AND {_PIECE} THEN '{PIECE_OF_IRI}'
    WHEN terms.kind = {IRI} AND regexp_full_match(name, '{_CODE}') THEN '{IDENTIFIER}' END AS flaw
FROM stated JOIN terms ON stated.id = terms.id LEFT JOIN same ON stated.id = same.id
LEFT JOIN in_language ON stated.id = in_language.id AND stated.role = in_language.role
"""  # noqa: S608 - constants
_LABELS = f"""
CREATE OR REPLACE TABLE labels AS
SELECT id, name FROM (
  SELECT stated_of AS id, name, row_number() OVER (PARTITION BY stated_of ORDER BY fit, rank, name) AS n
  FROM judged WHERE counts AND role = {_LABEL} AND flaw IS NULL)
WHERE n = 1 ORDER BY id
"""  # noqa: S608 - constants
# Relations are not things: a relation "capital" does not make the name of a class ambiguous.
_RELATIONS = f"""
CREATE OR REPLACE TEMP TABLE relations AS
SELECT DISTINCT p AS id FROM facts
UNION
SELECT facts.s FROM facts JOIN terms AS property ON facts.p = property.id JOIN terms AS class ON facts.o = class.id
WHERE property.text = '{RDF.type.value}'
  AND class.text IN ('{RDF["Property"].value}', '{OWL.iri}ObjectProperty', '{OWL.iri}DatatypeProperty',
    '{OWL.iri}AnnotationProperty')
"""  # noqa: S608 - constants
_SHARED_KEYS = """
CREATE OR REPLACE TEMP TABLE shared_keys AS
SELECT key FROM judged WHERE id NOT IN (SELECT id FROM relations) GROUP BY key HAVING min(id) <> max(id)
"""
_CANDIDATES = f"""
CREATE OR REPLACE TEMP TABLE candidates AS
SELECT judged.id, role, rank, fit, name, judged.key,
  coalesce(flaw, CASE WHEN shared_keys.key IS NOT NULL THEN '{SHARED}' END) AS flaw
FROM judged LEFT JOIN shared_keys USING (key) JOIN terms USING (id)
WHERE counts AND terms.kind = {IRI} AND judged.id NOT IN (SELECT id FROM relations)
"""  # noqa: S608 - constants
_NAMES = f"""
CREATE OR REPLACE TABLE names AS
SELECT id, name FROM (
  SELECT id, name, row_number() OVER (PARTITION BY id ORDER BY fit, rank, name) AS n
  FROM candidates WHERE role = {_LABEL} AND flaw IS NULL)
WHERE n = 1
"""  # noqa: S608 - constants
_ALIASES = f"""
CREATE OR REPLACE TABLE aliases AS
WITH keyed AS (SELECT id, {_KEY.format("name")} AS key FROM names)
SELECT id, min(name) AS name FROM candidates
WHERE flaw IS NULL AND id IN (SELECT id FROM names) AND (id, key) NOT IN (SELECT id, key FROM keyed)
GROUP BY id, key ORDER BY id, name
"""  # noqa: S608 - constants
# The values of facts. Two literals with the same text are different terms, so a question about the text would be
# ambiguous. A literal in another language has no name in this one.
_LITERALS = f"""
CREATE OR REPLACE TEMP TABLE values_of_facts AS
SELECT id, name, key, CASE
    WHEN NOT regexp_matches(name, '{_VISIBLE}') OR NOT fits THEN '{NO_NAME}'
    WHEN length(name) > {_LONGEST} OR len(string_split(name, ' ')) > {_MOST_WORDS} THEN '{TOO_LONG}'
    WHEN contains(name, '://') THEN '{PIECE_OF_IRI}'
    WHEN count(*) OVER (PARTITION BY key) > 1 OR key IN (SELECT key FROM judged) THEN '{SHARED}' END AS flaw
FROM (
  SELECT id, name, {_KEY.format("name")} AS key, fits FROM (
    SELECT id, {_TIDY.format("text")} AS name,
      contains(extra, ':') OR extra = $language OR starts_with(extra, $language || '-') AS fits
    FROM terms WHERE kind = {LITERAL} AND id IN (SELECT o FROM edges)))
"""  # noqa: S608 - constants
_UNUSABLE = f"""
CREATE OR REPLACE TABLE unusable AS
WITH things AS (SELECT s AS id FROM edges UNION SELECT o FROM edges UNION SELECT id FROM candidates),
reasons AS (
  SELECT id, arg_min(flaw, (fit, rank, name)) AS reason FROM candidates WHERE role = {_LABEL} GROUP BY id)
SELECT id, coalesce(values_of_facts.flaw, reason, '{NO_NAME}') AS reason
FROM things JOIN terms USING (id) LEFT JOIN reasons USING (id) LEFT JOIN values_of_facts USING (id)
WHERE id NOT IN (SELECT id FROM names) AND (kind <> {LITERAL} OR values_of_facts.flaw IS NOT NULL)
ORDER BY id
"""  # noqa: S608 - constants
_WITH_ARTICLE = "UPDATE {table} SET name = 'the ' || name WHERE regexp_matches(name, ?)"
_TEMPORARY = (
    *("name_properties", "stated", "in_language", "judged"),
    *("relations", "shared_keys", "candidates", "values_of_facts"),
)


def _name_key(name: str) -> str:
    """The form in which names are compared: two names with the same key cannot be told apart."""
    return " ".join(unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).split())


def make_names(connection: duckdb.DuckDBPyConnection, language: str) -> None:
    """Make the tables of labels, names, aliases and unusable things, for names in a language."""
    wanted = {"language": language.lower()}
    properties = [(iri, _LABEL, rank) for rank, iri in enumerate(LABEL_PROPERTIES)]
    properties += [(iri, _ALIAS, rank) for rank, iri in enumerate(ALIAS_PROPERTIES)]
    connection.create_function("kgprobe_name_key", _name_key, ["VARCHAR"], "VARCHAR")
    connection.execute(_PROPERTIES.format(rows=", ".join(map(str, properties)), IRI=IRI))
    connection.execute(_STATED, wanted)
    for step in (_IN_LANGUAGE, _JUDGED, _LABELS, _RELATIONS, _SHARED_KEYS, _CANDIDATES, _NAMES, _ALIASES):
        connection.execute(step)
    if language.lower().partition("-")[0] == "en":
        for table in ("names", "aliases"):
            connection.execute(_WITH_ARTICLE.format(table=table), [NEEDS_THE])
    connection.execute(_LITERALS, wanted)
    connection.execute("INSERT INTO names SELECT id, name FROM values_of_facts WHERE flaw IS NULL")
    connection.execute(_UNUSABLE)
    connection.remove_function("kgprobe_name_key")
    for table in _TEMPORARY:
        connection.execute(f"DROP TABLE {table}")
