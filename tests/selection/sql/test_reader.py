"""What statements read of the stored tables."""

# ruff: noqa: E501, S608 - one line is one statement, and all of them are constants

from __future__ import annotations

import time

import pytest

from kgprobe.selection.sql.catalogue import Catalogue, only_defines
from kgprobe.selection.sql.reader import TablesReading, read_statements
from kgprobe.selection.sql.statements import definitions_in
from kgprobe.selection.tests import Source

SCHEMA = r"""
CREATE TABLE terms (id integer PRIMARY KEY, term text UNIQUE, label varchar(80), path text, about text);
CREATE TABLE closure (term text REFERENCES terms(term), ancestor text REFERENCES terms(term), distance integer);
CREATE TABLE orders (id integer PRIMARY KEY, type text, price numeric, code char(8), tags text[]);
CREATE VIEW veggie AS SELECT term FROM closure WHERE ancestor = 'VeggiePizza';
CREATE MATERIALIZED VIEW counted(name, many) AS SELECT ancestor, count(*) FROM closure GROUP BY ancestor;
CREATE FUNCTION below(name text) RETURNS SETOF text AS $$ SELECT term FROM closure WHERE ancestor = $1 $$ LANGUAGE sql;
CREATE FUNCTION is_veggie(x text) RETURNS boolean LANGUAGE sql
  RETURN EXISTS (SELECT 1 FROM closure c WHERE c.term = x AND c.ancestor = 'VeggiePizza');
CREATE FUNCTION opaque(x text) RETURNS text AS $$ BEGIN RETURN x; END $$ LANGUAGE plpgsql;
CREATE TABLE parent (x text);
CREATE TABLE child () INHERITS (parent);
CREATE VIEW first_of_cycle AS SELECT * FROM second_of_cycle;
CREATE VIEW second_of_cycle AS SELECT * FROM first_of_cycle;
CREATE VIEW over_opaque AS SELECT opaque(term) AS term FROM terms;
"""


def read(text: str, dialect: str | None = "postgres", **parameters: list[str] | None) -> TablesReading:
    return read_statements(text, Catalogue.of([("schema.sql", SCHEMA)], dialect), dialect, parameters)


def sources(text: str, dialect: str | None = "postgres") -> tuple[Source, ...]:
    found = read(text, dialect)
    assert found.problems == ()
    return tuple(source for use in found.uses for source in use.sources)


def restrictions(text: str, dialect: str | None = "postgres") -> list[tuple[str, dict[str, object]]]:
    """The tables, with the texts or patterns of each restriction, or the tables that a column must have values of."""
    found = sources(text, dialect)
    shown = []
    for each in found:
        said: dict[str, object] = {}
        for column, constants in each.constants.items():
            said[column] = sorted([*constants.texts, *(pattern for pattern, _ in constants.patterns)])
        for equal in each.equal:
            said[equal.column] = [f"{found[at.source].table}.{at.column}" for at in equal.values_of]
        shown.append((each.table, said))
    return shown


VEGGIE = ("closure", {"ancestor": ["VeggiePizza"]})


# Texts that name an unchanged term, and read rows about others in a way that a list of their strings does not show.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * FROM veggie", [VEGGIE]),
        ("SELECT * FROM below('VeggiePizza')", [VEGGIE]),
        ("SELECT 'Food' FROM orders WHERE is_veggie(type)", [VEGGIE, ("orders", {})]),
        ("SELECT * FROM terms WHERE term <> 'Food'", [("terms", {})]),
        (
            "SELECT a.label FROM terms a JOIN closure c ON a.term = c.term WHERE c.ancestor = 'Food'",
            [("closure", {"ancestor": ["Food"]}), ("terms", {"term": ["closure.term"]})],
        ),
        ("SELECT * FROM terms, closure WHERE ancestor = 'Food'", [("closure", {"ancestor": ["Food"]}), ("terms", {})]),
        ("SELECT * FROM terms WHERE term = ANY('{Food,\"Two words\"}')", [("terms", {"term": ["Food", "Two words"]})]),
        ("SELECT * FROM terms WHERE term = ANY(string_to_array('A,B', ','))", [("terms", {"term": ["A", "B"]})]),
        (
            "SELECT * FROM terms WHERE term IN (SELECT json_array_elements_text('[\"A\", \"B\"]'))",
            [("terms", {"term": ["A", "B"]})],
        ),
        ("SELECT * FROM terms WHERE term = trim(' A ')", [("terms", {"term": ["A"]})]),
        ("SELECT * FROM terms WHERE trim(term) = 'A'", [("terms", {"term": ["%A%"]})]),
        (
            r"SELECT * FROM terms WHERE path LIKE '\\Pizza\\VeggiePizza\\%'",
            [("terms", {"path": [r"\\Pizza\\VeggiePizza\\%"]})],
        ),
        (
            "SELECT * FROM terms WHERE label = 'Food' AND to_tsvector('english', about) @@ to_tsquery('veggie')",
            [("terms", {"label": ["Food"]})],
        ),
        ("SELECT * FROM terms WHERE to_tsvector(about) @@ plainto_tsquery('Food')", [("terms", {})]),
        ("SELECT * FROM terms WHERE label ~ 'Fo+d'", [("terms", {})]),
        ("SELECT * FROM terms WHERE label ~* '^(Food|Drink)$'", [("terms", {"label": ["Drink", "Food"]})]),
        ("SELECT * FROM counted WHERE name = 'Food'", [("closure", {"ancestor": ["Food"]})]),
        ("SELECT * FROM counted WHERE many > 3", [("closure", {})]),
    ],
)  # fmt: skip
def test_what_texts_read_beside_the_terms_that_they_name(text: str, expected: object) -> None:
    assert restrictions(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT * FROM terms WHERE term IN ('A', 'B') AND label ILIKE 'x%'", [("terms", {"term": ["A", "B"], "label": ["x%"]})]),
        ("SELECT * FROM terms WHERE term = 'A' OR label = 'B'", [("terms", {"term": ["A"]}), ("terms", {"label": ["B"]})]),
        ("SELECT * FROM terms WHERE NOT (term <> 'A' OR label IS NULL)", [("terms", {"term": ["A"]})]),
        ("SELECT * FROM terms WHERE term = 'A' OR length(label) = 3", [("terms", {})]),
        ("SELECT * FROM terms WHERE CASE WHEN term = 'A' THEN label END = 'B'", [("terms", {})]),
        ("SELECT * FROM terms WHERE lower(term) = 'a'", [("terms", {"term": ["a"]})]),
        ("SELECT * FROM terms WHERE id = 5", [("terms", {"id": ["5"]})]),
        ("SELECT * FROM orders WHERE price = 5", [("orders", {})]),
        ("SELECT * FROM orders WHERE price = '5'", [("orders", {})]),
        ("SELECT * FROM orders WHERE code = 'A'", [("orders", {"code": ["A", "A%"]})]),
        (
            "SELECT * FROM terms t LEFT JOIN closure c ON c.term = t.term AND c.ancestor = 'A' AND t.label = 'B'",
            [("closure", {"ancestor": ["A"]}), ("terms", {})],
        ),
        (
            "SELECT * FROM terms t LEFT JOIN closure c ON c.term = t.term WHERE t.label = 'B'",
            [("terms", {"label": ["B"]}), ("closure", {"term": ["terms.term"]})],
        ),
        ("SELECT * FROM terms t FULL JOIN closure c ON c.ancestor = 'A' AND c.term = t.term", [("terms", {}), ("closure", {})]),
        (
            "SELECT * FROM terms WHERE term NOT IN (SELECT term FROM closure WHERE ancestor = 'A')",
            [("closure", {"ancestor": ["A"]}), ("terms", {})],
        ),
        (
            "SELECT * FROM terms t WHERE label = 'A' AND NOT EXISTS (SELECT 1 FROM closure c WHERE c.term = t.term)",
            [("terms", {"label": ["A"]}), ("closure", {"term": ["terms.term"]})],
        ),
        ("SELECT * FROM (SELECT * FROM terms LIMIT 3) x WHERE term = 'A'", [("terms", {})]),
        ("SELECT * FROM (SELECT term, count(*) FROM closure GROUP BY 1) x WHERE term = 'A'", [("closure", {"term": ["A"]})]),
        ("SELECT * FROM (SELECT term, rank() OVER (ORDER BY label) FROM terms) x WHERE term = 'A'", [("terms", {})]),
        (
            "SELECT x FROM (SELECT term AS x FROM terms UNION SELECT ancestor FROM closure) u WHERE x = 'A'",
            [("terms", {"term": ["A"]}), ("closure", {"ancestor": ["A"]})],
        ),
        (
            "WITH w AS (SELECT term FROM closure WHERE ancestor = 'A') SELECT * FROM orders JOIN w ON w.term = type",
            [("closure", {"ancestor": ["A"]}), ("orders", {"type": ["closure.term"]})],
        ),
        (
            "WITH RECURSIVE r(x) AS (SELECT term FROM terms WHERE label = 'A' UNION SELECT c.ancestor FROM closure c"
            " JOIN r ON c.term = r.x) SELECT x FROM r",
            [("terms", {"label": ["A"]}), ("closure", {"term": ["terms.term", "closure.ancestor"]})],
        ),
        ("SELECT * FROM terms WHERE term IN (VALUES ('A'), ('B'))", [("terms", {"term": ["A", "B"]})]),
        (
            "INSERT INTO closure VALUES ('A', 'B'); SELECT o.* FROM closure c JOIN orders o ON o.type = c.term WHERE c.ancestor = 'B'",
            [("terms", {}), ("closure", {"ancestor": ["B"]}), ("orders", {})],  # the new row connects other orders
        ),
        ("SELECT * FROM terms WHERE false", []),
        ("BEGIN; CREATE UNIQUE INDEX one ON terms (label); ROLLBACK", [("terms", {})]),
        ("ALTER TABLE closure ADD FOREIGN KEY (term) REFERENCES terms (term); SELECT 1", [("closure", {}), ("terms", {})]),
        ("ALTER TABLE terms ALTER COLUMN label SET NOT NULL; SELECT 1", [("terms", {})]),
        ("CREATE TABLE mine (x TEXT REFERENCES terms (term)); INSERT INTO mine VALUES ('A'); SELECT 1", [("terms", {})]),
        ("SELECT * FROM terms WHERE NOT (term <> ANY('{}'))", [("terms", {})]),
        (
            "SELECT 1 FROM closure c, LATERAL (SELECT c.term AS x UNION ALL SELECT c.ancestor) l WHERE l.x = 'A'",
            [("closure", {})],  # either column will do
        ),
        (
            "SELECT 1 FROM closure c, LATERAL (SELECT term FROM terms EXCEPT SELECT c.term) l WHERE l.term = 'A'",
            [("terms", {"term": ["A"]}), ("closure", {})],
        ),
        ("SELECT 1 FROM closure c, LATERAL (SELECT c.term AS x) l WHERE l.x = 'A'", [("closure", {"term": ["A"]})]),
        (
            "SELECT * FROM orders o LEFT JOIN (terms t JOIN closure c ON t.term = c.term AND c.ancestor = 'A') ON t.term = o.type",
            [("closure", {"ancestor": ["A"]}), ("terms", {"term": ["closure.term"]}), ("orders", {})],
        ),
        (
            "SELECT * FROM orders o LEFT JOIN ((SELECT * FROM terms) t JOIN closure c ON t.term = c.term) ON t.term = o.type WHERE c.ancestor = 'A'",
            [
                ("closure", {"ancestor": ["A"]}),
                ("terms", {"term": ["closure.term"]}),
                ("orders", {}),
            ],
        ),
        (
            "SELECT * FROM ((terms t JOIN closure c USING (term)) JOIN orders ON type = t.term) WHERE term = 'A'",
            [
                ("terms", {"term": ["A"]}),
                ("closure", {"term": ["terms.term"]}),
                ("orders", {"type": ["terms.term"]}),
            ],
        ),
        ("SELECT * FROM terms WHERE about @@to_tsquery('a')", [("terms", {})]),
        ("DELETE FROM orders WHERE type = 'A'", [("orders", {"type": ["A"]})]),
        (
            "CREATE TEMP TABLE mine AS SELECT term FROM closure WHERE ancestor = 'A'; SELECT count(*) FROM mine",
            [("closure", {"ancestor": ["A"]})] * 2,
        ),
        ("CREATE TABLE mine (x text); INSERT INTO mine VALUES ('A'); SELECT * FROM mine", []),
        ("\\set name 'A'\nSELECT * FROM terms WHERE term = :'name'", [("terms", {"term": ["A"]})]),
        ("\\set name '''A'''\nSELECT * FROM terms WHERE term = :name", [("terms", {"term": ["A"]})]),
        ("\\set more 'OR true'\nSELECT * FROM terms WHERE term = 'A' :more", [("terms", {})]),
        ("\\set t closure\nSELECT * FROM :t WHERE ancestor = 'A'", [("closure", {"ancestor": ["A"]})]),
        ("\\set name A\n\\set name 'A' 'B'\nSELECT * FROM terms WHERE term = :'name'", [("terms", {})]),
        ("\\set name :other\nSELECT * FROM terms WHERE term = :'name'", [("terms", {})]),
        ("\\set name `date`\nSELECT * FROM terms WHERE term = :'name'", [("terms", {})]),
        ("SELECT * FROM terms WHERE term = 'A' AND id BETWEEN :a AND :b", [("terms", {"term": ["A"]})]),
        ("SELECT * FROM terms WHERE term = $$A$$ AND label = E'B\\'s'", [("terms", {"term": ["A"], "label": ["B's"]})]),
    ],
)  # fmt: skip
def test_which_rows_matter(text: str, expected: object) -> None:
    assert restrictions(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT * FROM first_of_cycle", "the definition of 'first_of_cycle' refers to itself"),
        ("SELECT * FROM over_opaque", "'opaque' cannot be followed: it is written in plpgsql"),
        ("SELECT * FROM parent", "relation 'parent' has a child table"),
        ("SELECT nextval('s')", "function 'nextval' is not known"),
        ("SELECT * FROM read_csv('x.csv')", "function"),
        ("SELECT FROM WHERE", "cannot be parsed"),
        ("CALL p()", "CALL"),
        ("PRAGMA foreign_key_check", "it checks the whole database"),
        ("SELECT * FROM terms WHERE term = 'A' :more", "stands for more than a value"),
        ("SELECT * FROM terms :more WHERE term = 'A'", "stands for more than a value"),
        ("\\set a 1\n\\set a 2\nSELECT * FROM terms WHERE id = :a", "the variable 'a' of psql may stand for anything"),
    ],
)
def test_what_may_read_anything(text: str, reason: str) -> None:
    found = read(text)
    assert reason in found.problems[0][0]


def test_parameters_with_known_values() -> None:
    found = read_statements(
        "SELECT * FROM terms WHERE term = %s AND label = %(label)s AND about = :other",
        Catalogue.of([("schema.sql", SCHEMA)]),
        "postgres",
        {"1": ["A", "B"], "label": ["C"], "other": None},
    )
    (source,) = found.uses[0].sources
    assert {column: sorted(each.texts) for column, each in source.constants.items()} == {
        "term": ["A", "B"],
        "label": ["C"],
    }


def test_a_name_that_may_come_from_outside_counts_there() -> None:
    text = "SELECT (SELECT max(v) FROM generate_series(1, 3) v WHERE label = 'A') FROM terms"
    (source,) = sources(text)
    assert (source.columns, source.constants) == (frozenset(["label"]), {})


def test_without_a_dialect_every_meaning_counts() -> None:
    text = "SELECT * FROM terms WHERE term = 'A' || 'B'"
    assert restrictions(text, "postgres") == [("terms", {"term": ["AB"]})]
    assert ("terms", {}) in restrictions(text, None)  # MySQL reads `||` as OR
    assert {
        each.folds
        for source in sources("SELECT * FROM terms WHERE term = 'A'", None)
        for each in source.constants.values()
    } == {True}


def test_keys_connect_rows_about_the_same_term() -> None:
    for condition, by_key in (("c.term = t.term", True), ("c.ancestor = o.type", False)):
        text = f"SELECT 1 FROM terms t, closure c, orders o WHERE {condition} AND t.label = 'A' AND o.code = 'B'"
        assert {each.by_key for source in sources(text) for each in source.equal} == {by_key}


def test_definitions_that_differ_make_their_users_opaque() -> None:
    catalogue = Catalogue.of(
        [("a.sql", "CREATE VIEW v AS SELECT 'A' AS x"), ("b.sql", "CREATE VIEW v AS SELECT 'B' AS x")]
    )
    found = read_statements("SELECT * FROM v", catalogue)
    assert found.problems == (("'v' cannot be followed: its definitions differ (a.sql and b.sql)", 1),)
    same = Catalogue.of([("a.sql", "CREATE VIEW v AS SELECT 'A' AS x"), ("b.sql", "create view V as select 'A' as x")])
    assert read_statements("SELECT * FROM v", same).problems == ()


def test_a_dump_of_postgresql() -> None:
    dump = """SET statement_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
\\restrict x
CREATE EXTENSION IF NOT EXISTS unaccent WITH SCHEMA public;
CREATE TABLE public.t (id integer NOT NULL, term text);
ALTER TABLE public.t OWNER TO postgres;
COPY public.t (id, term) FROM stdin;
1	It's; here
2	\\N
\\.
ALTER TABLE ONLY public.t ADD CONSTRAINT t_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.t ADD CONSTRAINT other FOREIGN KEY (term) REFERENCES public.u(term);
"""
    reading = definitions_in(dump.replace("\\\\", "\\"), None)
    assert (reading.problem, only_defines(reading.statements)) == ("", True)
    catalogue = Catalogue.of([("dump.sql", dump.replace("\\\\", "\\"))])
    assert catalogue.key_of("t", "id") == ("t", True)
    assert catalogue.key_of("t", "term") == ("u", False)


def test_names_in_several_schemas() -> None:
    tables = "CREATE TABLE one.t (x text); CREATE TABLE two.t (y text);"
    text = "SELECT * FROM t"
    assert "several schemas: one, two" in read_statements(text, Catalogue.of([("a", tables)])).problems[0][0]
    chosen = Catalogue.of([("a", f"{tables} SET search_path TO two;")], "postgres")
    assert read_statements("SELECT y FROM t", chosen).problems == ()
    assert read_statements("SELECT x FROM one.t", chosen).problems == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CREATE TEMP TABLE terms (term text); SELECT term FROM terms", []),
        ("CREATE TEMP TABLE terms (term text); SELECT term FROM pg_temp.terms", []),
        ("CREATE TEMP TABLE terms (term text); SELECT label FROM public.terms", ["terms"]),
        ("CREATE TEMP TABLE terms (term text); DROP TABLE terms; SELECT label FROM terms", ["terms"]),
        ("CREATE TEMP TABLE IF NOT EXISTS terms (term text); SELECT term FROM terms", []),
        ("CREATE TEMP VIEW seen AS SELECT label FROM public.terms; CREATE TEMP TABLE terms (x text); SELECT * FROM seen", ["terms"]),
        ("DROP VIEW veggie; CREATE VIEW veggie AS SELECT type FROM orders; SELECT * FROM veggie", ["orders"]),
        ("DROP FUNCTION below; CREATE FUNCTION below(x text) RETURNS text LANGUAGE sql AS 'SELECT type FROM orders'; SELECT below('a')", ["orders"]),
        ("CREATE OR REPLACE VIEW veggie AS SELECT type FROM orders; SELECT * FROM veggie", ["orders"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("in_database", [False, True])
def test_names_mean_what_the_test_itself_has_defined(text: str, expected: list[str], in_database: bool) -> None:
    schema = SCHEMA.replace("CREATE TABLE ", "CREATE TABLE public.").replace("FUNCTION ", "FUNCTION public.")
    schema = schema.replace("VIEW veggie", "VIEW public.veggie") + "SET search_path TO public;"
    catalogue = Catalogue.of([("schema.sql", schema if in_database else SCHEMA)], "postgres")
    found = read_statements(text, catalogue, "postgres")
    assert found.problems == ()
    assert [source.table for use in found.uses for source in use.sources] == expected


@pytest.mark.parametrize("path", ["", "SET search_path TO public;"])
def test_a_function_with_the_name_of_another_may_be_either(path: str) -> None:
    schema = SCHEMA.replace("FUNCTION ", "FUNCTION public.") + path
    text = "CREATE OR REPLACE FUNCTION below(x integer) RETURNS text LANGUAGE sql AS 'SELECT 1'; SELECT below('a')"
    found = read_statements(text, Catalogue.of([("schema.sql", schema if path else SCHEMA)], "postgres"), "postgres")
    assert "its definitions differ" in found.problems[0][0]


def test_a_dropped_relation_is_not_known() -> None:
    assert "relation 'veggie' is not known" in read("DROP VIEW veggie; SELECT * FROM veggie").problems[0][0]
    files = [("schema.sql", SCHEMA), ("teardown.sql", "DROP VIEW veggie; DROP TABLE terms;")]
    assert read_statements("SELECT * FROM veggie", Catalogue.of(files, "postgres"), "postgres").problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COLUMNS('lab.*') FROM terms WHERE term = 'Food'",
        "SELECT id FROM terms WHERE label.upper() = 'FOOD'",
        "SELECT [x FOR x IN (SELECT list(label) FROM terms) IF x <> 'Food']",
    ],
)
@pytest.mark.parametrize("dialect", ["duckdb", None])
def test_columns_in_ways_of_writing_of_one_dialect(text: str, dialect: str | None) -> None:
    found = read(text, dialect)
    seen = {name for use in found.uses for source in use.sources for name in source.columns or ["label"]}
    assert found.problems or "label" in seen


def test_what_rollback_has_undone() -> None:
    made = "BEGIN; CREATE TEMP TABLE terms (term text); SELECT term FROM terms; ROLLBACK;"
    assert read(made).problems == ()
    assert read(f"{made} SELECT label FROM terms").problems[0][0] == "ROLLBACK may have undone what it defined"
    assert read("BEGIN; SELECT 1; ROLLBACK; SELECT label FROM terms").problems == ()


@pytest.mark.parametrize(
    ("dialect", "setting"),
    [
        ("postgres", "SET transform_null_equals = on"),
        ("postgres", "SET standard_conforming_strings TO off"),
        ("duckdb", "SET default_collation = 'nocase'"),
        ("duckdb", "SET VARIABLE n = (SELECT count(*) FROM terms)"),
        ("sqlite", "PRAGMA case_sensitive_like = ON"),
        ("mysql", "SET sql_mode = 'ANSI_QUOTES'"),
        ("mysql", "SET NAMES utf8 COLLATE utf8_bin"),
        ("mysql", "SET @n = (SELECT count(*) FROM terms)"),
        ("snowflake", "SET n = (SELECT count(*) FROM terms)"),
    ],
)
def test_a_setting_may_change_what_others_mean(dialect: str, setting: str) -> None:
    assert read(f"{setting}; SELECT id FROM terms WHERE about = NULL", dialect).problems


@pytest.mark.parametrize(
    ("dialect", "setting"),
    [
        ("postgres", "SET statement_timeout = 0; SET client_min_messages TO warning; SET TIME ZONE 'UTC'; SET ROLE me"),
        ("postgres", "SET standard_conforming_strings = on; SET enable_seqscan = off; RESET work_mem"),
        ("duckdb", "SET threads = 1; PRAGMA enable_progress_bar"),
        ("sqlite", "PRAGMA foreign_keys = ON; PRAGMA journal_mode = WAL"),
        ("mysql", "SET NAMES utf8; SET @name = 'Pizza'; SET FOREIGN_KEY_CHECKS = 0"),
        ("snowflake", "SET name = 'Pizza'"),
    ],
)
def test_settings_that_change_no_result(dialect: str, setting: str) -> None:
    assert read(f"{setting}; SELECT id FROM terms WHERE about = 'x'", dialect).problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "(" * 5000 + "1" + ")" * 5000,
        "SELECT " + "NOT " * 5000 + "1",
        "SELECT " + "- " * 5000 + "1",
        "SELECT * FROM " + "(SELECT * FROM " * 300 + "terms" + ") x" * 300,
        "SELECT * FROM terms WHERE " + " AND ".join(["term = 'A'"] * 5000),
        "SELECT * FROM terms WHERE " + " OR ".join(f"term = 'A{n}'" for n in range(5000)),
        "SELECT * FROM terms WHERE term = " + " || ".join(["'a'"] * 5000),
        "SELECT " + "CASE WHEN 1=1 THEN " * 300 + "1" + " END" * 300,
        "WITH " + ", ".join(f"w{n} AS (SELECT * FROM {f'w{n - 1}, w{n - 1} x' if n else 'terms'})" for n in range(40))
        + " SELECT * FROM w39",
        "SELECT * FROM terms t" + "".join(f" JOIN closure c{n} ON c{n}.term = t.term" for n in range(300)),
        "'" * 10001,
        "(" * 100_000,
        "\x00\x01\ue000\ue001\ue002",
    ],
    ids=range(13),
)  # fmt: skip
def test_hostile_texts_end_soon(text: str) -> None:
    start = time.process_time()
    assert read(text, None).problems or read(text).uses
    assert time.process_time() - start < 20


def test_an_or_of_many_constants_stays_exact() -> None:
    text = "SELECT * FROM terms WHERE " + " OR ".join(f"term = 'A{n}'" for n in range(200))
    assert [len(each.constants["term"].texts) for each in sources(text)] == [200]


@pytest.mark.parametrize(("type_", "says_which"), [("text", True), ("LONGTEXT", True), ("term_name", False)])
def test_a_type_that_a_user_has_defined_may_compare_in_its_own_way(type_: str, says_which: bool) -> None:
    schema = f"CREATE DOMAIN term_name AS citext; CREATE TABLE a (x {type_}); CREATE TABLE b (x {type_});"
    catalogue = Catalogue.of([("schema.sql", schema)], "postgres")
    [constant] = read_statements("SELECT 1 FROM a WHERE x = 'Pizza'", catalogue, "postgres", {}).uses
    assert bool(constant.sources[0].constants) is says_which
    [joined] = read_statements(
        "SELECT 1 FROM a JOIN b ON a.x = b.x WHERE a.x = 'Pizza'", catalogue, "postgres", {}
    ).uses
    assert any(source.equal or source.constants for source in joined.sources) is says_which
