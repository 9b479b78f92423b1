"""Terms become integers, inside the database: a part of a graph is written as N-Triples, and DuckDB does the rest.

A Python dictionary of all terms of a large graph would not fit into memory, and would be slower. The parser's own
writer is nearly free, and its N-Triples have one form for each term, with all control characters escaped.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from kgprobe.errors import InputError, Position
from kgprobe.questions.facts.database import BLANK, IRI, LITERAL
from kgprobe.rdf.terms import XSD

if TYPE_CHECKING:
    import duckdb

__all__ = ["add_part", "create", "has_random_blanks", "make_terms", "rename_random_blanks"]

# A term's key is its N-Triples form; that of a blank node also has the number of its source, since labels are local.
_TABLES = """
CREATE TABLE dictionary (id INTEGER, key VARCHAR);
CREATE TABLE loaded_facts (source INTEGER, s INTEGER, p INTEGER, o INTEGER);
"""
# U+0001 occurs in no line, because the writer escapes it. No term is longer than 16 MiB; escaped, it may be six times
# as long.
_LINES = """read_csv(?, delim = chr(1), quote = '', escape = '', comment = '', header = false, auto_detect = false,
  columns = {{'line': 'VARCHAR'}}, new_line = '\\n', max_line_size = 120000000)"""
_PART = f"""
CREATE OR REPLACE TEMP TABLE part AS
SELECT {{s}} AS s, p, {{o}} AS o FROM (
  SELECT s, p, substr(line, length(s) + length(p) + 3, length(line) - length(s) - length(p) - 4) AS o
  FROM (SELECT line, split_part(line, ' ', 1) AS s, split_part(line, ' ', 2) AS p FROM {_LINES}))
"""  # noqa: S608 - constants, and a number
_KEYS_OF_PART = """
CREATE OR REPLACE TEMP TABLE keys_of_part AS
SELECT key, min(place) AS place FROM (
  SELECT s AS key, 3 * rowid AS place FROM part
  UNION ALL SELECT p, 3 * rowid + 1 FROM part
  UNION ALL SELECT o, 3 * rowid + 2 FROM part)
GROUP BY key
"""
# Triple terms, and literals with a direction.
_RDF_1_2 = """
SELECT key FROM keys_of_part WHERE starts_with(key, '<<')
  OR starts_with(key, '"') AND (ends_with(key, '--ltr') OR ends_with(key, '--rtl')) LIMIT 1
"""
# The dictionary is read only once for each part.
_KNOWN_KEYS = """
CREATE OR REPLACE TEMP TABLE known_keys AS
SELECT key, place, dictionary.id FROM keys_of_part LEFT JOIN dictionary USING (key)
"""
_NEW_KEYS = """
CREATE OR REPLACE TEMP TABLE new_keys AS
SELECT CAST((SELECT count(*) FROM dictionary) + row_number() OVER (ORDER BY place) - 1 AS INTEGER) AS id, key
FROM known_keys WHERE id IS NULL
"""
_GROW = "INSERT INTO dictionary SELECT id, key FROM new_keys"
_IDS_OF_PART = """
CREATE OR REPLACE TEMP TABLE ids_of_part AS
SELECT key, id FROM known_keys WHERE id IS NOT NULL UNION ALL SELECT key, id FROM new_keys
"""
_ENCODE = """
INSERT INTO loaded_facts
SELECT CAST(? AS INTEGER), subjects.id, predicates.id, objects.id FROM part
JOIN ids_of_part AS subjects ON part.s = subjects.key
JOIN ids_of_part AS predicates ON part.p = predicates.key
JOIN ids_of_part AS objects ON part.o = objects.key
"""
_RANDOM_BLANK = "'^_{0}:[0-9a-f]{{24,32}}$'"
_QUOTED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}


def create(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the tables that loading needs."""
    connection.execute(_TABLES)


def add_part(connection: duckdb.DuckDBPyConnection, lines: Path, source: int, name: str) -> None:
    """Add the triples of an N-Triples file, which pyoxigraph has written.

    `source` is the number of their source, and `name` its name. InputError if a term is not RDF 1.1.
    """
    columns = {each: f"if(starts_with({each}, '_'), '_{source}:' || substr({each}, 3), {each})" for each in ("s", "o")}
    connection.execute(_PART.format(**columns), [str(lines)])
    connection.execute(_KEYS_OF_PART)
    if newer := connection.execute(_RDF_1_2).fetchone():
        raise InputError(f"uses RDF 1.2, but kgprobe reads RDF 1.1: {newer[0]}", where=Position(name))
    for step in (_KNOWN_KEYS, _NEW_KEYS, _GROW, _IDS_OF_PART):
        connection.execute(step)
    connection.execute(_ENCODE, [source])
    for table in ("part", "keys_of_part", "known_keys", "new_keys", "ids_of_part"):
        connection.execute(f"DROP TABLE {table}")


def has_random_blanks(connection: duckdb.DuckDBPyConnection, source: int) -> bool:
    """Whether blank nodes of a source got random labels, which differ each time that it is read."""
    pattern = _RANDOM_BLANK.format(source)
    found = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 FROM dictionary WHERE regexp_full_match(key, {pattern}) LIMIT 1)"  # noqa: S608 - constants, and a number
    ).fetchone()
    return found is not None and found[0] > 0


def rename_random_blanks(connection: duckdb.DuckDBPyConnection, source: int) -> None:
    """Replace the random labels of a source with b0, b1, … in order, so that it always gives the same terms."""
    pattern = _RANDOM_BLANK.format(source)
    connection.execute(
        f"""
CREATE OR REPLACE TEMP TABLE renamed AS
WITH random AS (
  SELECT id, row_number() OVER (ORDER BY id) AS n FROM dictionary WHERE regexp_full_match(key, {pattern})),
taken AS (SELECT key FROM dictionary WHERE starts_with(key, '_{source}:')),
candidates AS (SELECT '_{source}:b' || number AS key, number FROM range((SELECT count(*) FROM taken)) AS t(number)),
free AS (SELECT key, row_number() OVER (ORDER BY number) AS n FROM candidates ANTI JOIN taken USING (key))
SELECT random.id, free.key FROM random JOIN free USING (n)"""  # noqa: S608 - constants, and a number
    )
    connection.execute("UPDATE dictionary SET key = renamed.key FROM renamed WHERE dictionary.id = renamed.id")
    connection.execute("DROP TABLE renamed")


def make_terms(connection: duckdb.DuckDBPyConnection) -> None:
    """Make the table of terms from the dictionary."""
    connection.create_function("kgprobe_unescaped", _unescaped, ["VARCHAR"], "VARCHAR")
    connection.execute(_TERMS)
    connection.remove_function("kgprobe_unescaped")


def _unescaped(text: str) -> str:
    return _QUOTED.sub(lambda found: _ESCAPED[found[3]] if found[3] else chr(int(found[1] or found[2], 16)), text)


# The last quote of a key ends the lexical form, since neither a language tag nor an IRI has one.
_TERMS = f"""
CREATE OR REPLACE TABLE terms AS
SELECT id, CAST(kind AS TINYINT) AS kind,
  CASE WHEN kind = {LITERAL} AND contains(text, '\\') THEN kgprobe_unescaped(text) ELSE text END AS text, extra
FROM (
  SELECT id, {IRI} AS kind, substr(key, 2, length(key) - 2) AS text, '' AS extra
  FROM dictionary WHERE starts_with(key, '<')
  UNION ALL
  SELECT id, {BLANK}, substr(key, strpos(key, ':') + 1), substr(key, 2, strpos(key, ':') - 2)
  FROM dictionary WHERE starts_with(key, '_')
  UNION ALL
  SELECT id, {LITERAL}, substr(key, 2, length(key) - length(tail) - 2),
    CASE WHEN tail = '' THEN '{XSD.string.value}'
      WHEN starts_with(tail, '@') THEN substr(tail, 2)
      ELSE substr(tail, 4, length(tail) - 4) END
  FROM (SELECT id, key, regexp_extract(key, '[^"]*$') AS tail FROM dictionary WHERE starts_with(key, '"')))
ORDER BY id
"""  # noqa: S608 - constants
