"""Random statements of all kinds that the reader knows, over random tables, views and macros, in DuckDB's dialect."""

# ruff: noqa: S608 - making up SQL is what it is for

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

__all__ = ["TABLES", "Known", "Row", "Statements", "definitions", "random_rows"]

Row = dict[str, str | int | None]

TABLES: dict[str, dict[str, str]] = {
    "terms": {"id": "text", "label": "text", "kind": "text"},
    "edges": {"child": "text", "parent": "text", "kind": "text", "distance": "integer"},
    "facts": {"id": "text", "amount": "integer", "label": "text"},
}
_JOINS = [
    *(
        "JOIN",
        "JOIN",
        "LEFT JOIN",
        "LEFT JOIN",
        "LEFT JOIN",
        "LEFT JOIN",
        "RIGHT JOIN",
        "RIGHT JOIN",
        "FULL JOIN",
        "SEMI JOIN",
        "ANTI JOIN",
        "CROSS JOIN",
        ",",
    ),
    *("LATERAL", "LATERAL", "USING", "LEFT USING", "FULL USING", "POSITIONAL JOIN", "BRACKETS", "BRACKETS"),
]
_STORED = ["A", "A", "B", "B", "C", "D", "Ab", "aB"]
_TEXTS = [*_STORED, "A", "B", "A%", "b_"]


def definitions() -> list[str]:
    """The statements that make tables."""
    return [
        f"CREATE TABLE {name} ({', '.join(f'{column} {kind}' for column, kind in columns.items())})"
        for name, columns in TABLES.items()
    ]


def random_rows(table: str, random: Random, most: int = 12) -> list[Row]:
    """The rows of a table; some values are missing, and some rows are equal."""
    return [random_row(table, random) for _ in range(random.randint(0, most))]


def random_row(table: str, random: Random) -> Row:
    row: Row = {}
    for column, kind in TABLES[table].items():
        value: str | int | None = random.choice(_STORED) if kind == "text" else random.randint(0, 3)
        row[column] = None if random.random() < 0.08 else value
    return row


@dataclass
class Known:
    """A relation by its name, with the names and types of its columns."""

    name: str
    columns: dict[str, str]


@dataclass
class Statements:
    """Makes random statements. `known` are the relations that they can use."""

    random: Random
    known: list[Known] = field(default_factory=lambda: [Known(name, dict(columns)) for name, columns in TABLES.items()])
    numbered: int = 0
    macros: list[str] = field(default_factory=list)

    def view(self) -> str:
        """The definition of a new view, which later statements may use."""
        name = self._name("v")
        query, columns = self.query(2, [])
        self.known.append(Known(name, columns))
        return f"CREATE VIEW {name} AS {query}"

    def recursive_view(self) -> str:
        """The definition of a closure."""
        name = self._name("v")
        self.known.append(Known(name, {"start": "text", "node": "text"}))
        start = self.random.choice(["SELECT id, id FROM terms", "SELECT child, parent FROM edges"])
        condition = self.random.choice(["", " WHERE e.kind = 'A'", " WHERE e.child <> 'C'"])
        step = f"SELECT r.start, e.parent FROM r JOIN edges e ON e.child = r.node{condition}"
        return (
            f"CREATE VIEW {name} AS WITH RECURSIVE r(start, node) AS ({start} UNION {step}) SELECT start, node FROM r"
        )

    def macro(self) -> str:
        """The definition of a new macro with one parameter."""
        name = self._name("m")
        if self.random.random() < 0.5:
            self.macros.append(name)
            table = self.random.choice(list(TABLES))
            column = self._text_column(TABLES[table])
            body = f"(SELECT count(*) FROM {table} q WHERE q.{column} = p)"
            return f"CREATE MACRO {name}(p) AS {body}"
        table = self.random.choice(list(TABLES))
        column = self._text_column(TABLES[table])
        self.known.append(Known(f"{name}('{self._text()}')", dict(TABLES[table])))
        return f"CREATE MACRO {name}(p) AS TABLE SELECT * FROM {table} WHERE {column} = p"

    def statement(self) -> list[str]:
        """One statement, or several that change rows and then read them."""
        kind = self.random.random()
        if kind < 0.12:
            return self.temporary()
        if kind < 0.3:
            return [*self.changes(), self.query(2, [])[0]]
        return [self.query(3, [])[0]]

    def temporary(self) -> list[str]:
        """Statements that make a temporary relation, which may hide a table, use it, and may drop it again."""
        name = self.random.choice([*TABLES, self._name("x")])
        columns = TABLES.get(name, {"id": "text", "label": "text"})
        values = ", ".join(
            self._text_of([Known("q", TABLES["terms"])]) if kind == "text" else "1" for kind in columns.values()
        )
        names = ", ".join(columns)
        kind = self.random.choice(["TABLE", "VIEW"])
        where = self.condition(1, [Known("q", TABLES["terms"])])
        made = (
            f"CREATE TEMP {kind} {name} AS SELECT * FROM (SELECT {values} FROM main.terms q WHERE {where}) z({names})"
        )
        known = list(self.known)
        if name not in TABLES:
            self.known.append(Known(name, dict(columns)))
        used = self.query(2, [])[0]
        self.known = known
        dropped = [f"DROP {kind} {name}", self.query(2, [])[0]] if self.random.random() < 0.5 else []
        return [made, *([] if dropped and self.random.random() < 0.5 else [used]), *dropped]

    def changes(self) -> list[str]:
        """Statements that change rows."""
        table = self.random.choice(list(TABLES))
        alias = table
        column = self._text_column(TABLES[table])
        here = [Known(alias, TABLES[table])]
        match self.random.randint(0, 3):
            case 0:
                return [f"DELETE FROM {table} WHERE {self.condition(1, here)}"]
            case 1:
                return [f"UPDATE {table} SET {column} = '{self._text()}' WHERE {self.condition(1, here)}"]
            case 2:
                other = self.random.choice([name for name in TABLES if name != table])
                both = [*here, Known(other, TABLES[other])]
                key = self._text_column(TABLES[other])
                return [
                    f"DELETE FROM {table} USING {other} WHERE {table}.{column} = {other}.{key}"
                    f" AND {self.condition(0, both)}"
                ]
        if self.random.random() < 0.5:
            values = ", ".join(
                f"'{self._text()}'" if kind == "text" else str(self.random.randint(0, 3))
                for kind in TABLES[table].values()
            )
            return [f"INSERT INTO {table} VALUES ({values})"]
        return [f"INSERT INTO {table} SELECT * FROM {table} WHERE {self.condition(1, here)}"]

    # -- queries -------------------------------------------------------------------------------------------------

    def query(self, depth: int, outer: list[Known]) -> tuple[str, dict[str, str]]:
        """A query, and the names and types of its columns."""
        kind = self.random.random()
        if depth > 1 and kind < 0.12:
            return self._set_operation(depth, outer)
        if depth > 1 and kind < 0.24:
            return self._with(depth, outer)
        if depth > 1 and kind < 0.32 and not outer:
            return self._recursive(depth)
        return self._select(depth, outer)

    def _set_operation(self, depth: int, outer: list[Known]) -> tuple[str, dict[str, str]]:
        operation = self.random.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT", "EXCEPT ALL", "INTERSECT ALL"])
        parts = [self._one_text(depth - 1, outer) for _ in range(2)]
        return f"SELECT * FROM ({parts[0]} {operation} {parts[1]}) z(value)", {"value": "text"}

    def _one_text(self, depth: int, outer: list[Known]) -> str:
        sources, here = self._from(depth)
        return f"SELECT {self._text_of(here)} AS value FROM {sources}{self._where(depth, [*outer, *here])}"

    def _with(self, depth: int, outer: list[Known]) -> tuple[str, dict[str, str]]:
        name = self._name("w")
        inner, columns = self.query(depth - 1, outer)
        self.known.append(Known(name, columns))
        try:
            body, output = self._select(depth - 1, outer, must=Known(name, columns))
        finally:
            self.known = [each for each in self.known if each.name != name]
        return f"WITH {name} AS ({inner}) {body}", output

    def _recursive(self, depth: int) -> tuple[str, dict[str, str]]:
        name = self._name("r")
        start = self.random.choice(
            [f"SELECT '{self._text()}', 0", self._one_text(1, []).replace(" AS value", ", 0", 1)]
        )
        condition = self.random.choice(
            ["", f" AND e.kind = '{self._text()}'", " AND e.kind IN (SELECT label FROM terms)"]
        )
        column, other = self.random.choice([("child", "parent"), ("parent", "child")])
        passed = self.random.choice([f"e.{other}", f"e.{other}", f"coalesce(e.{other}, 'A')", "x.value"])
        step = f"SELECT {passed}, x.n + 1 FROM {name} x JOIN edges e ON e.{column} = x.value WHERE x.n < 3{condition}"
        columns = {"value": "text", "n": "integer"}
        self.known.append(Known(name, columns))
        try:
            body, output = self._select(depth - 1, [], must=Known(name, columns))
        finally:
            self.known = [each for each in self.known if each.name != name]
        return f"WITH RECURSIVE {name}(value, n) AS ({start} UNION ALL {step}) {body}", output

    def _select(self, depth: int, outer: list[Known], must: Known | None = None) -> tuple[str, dict[str, str]]:
        sources, here = self._from(depth, must)
        scope = [*outer, *here]
        where = self._where(depth, scope)
        kind = self.random.random()
        if kind < 0.15:
            key = self._text_of(here)
            having = self.random.choice(
                ["", " HAVING count(*) > 1", f" HAVING max({self._text_of(here)}) = '{self._text()}'"]
            )
            counted = self.random.choice(
                ["count(*)", f"max({self._text_of(here)})", f"count(DISTINCT {self._text_of(here)})"]
            )
            return (
                f"SELECT {key} AS k, {counted}::text AS c FROM {sources}{where} GROUP BY {key}{having}",
                {"k": "text", "c": "text"},
            )
        if kind < 0.25:
            value = self.random.choice(["count(*)::text", f"min({self._text_of(here)})", f"max({self._text_of(here)})"])
            return f"SELECT {value} AS c FROM {sources}{where}", {"c": "text"}
        if kind < 0.32:
            key, ordered = self._text_of(here), self._text_of(here)
            window = f"row_number() OVER (PARTITION BY {key} ORDER BY {ordered})"
            if self.random.random() < 0.5:
                window = f"count(*) OVER (PARTITION BY {key})"
            return f"SELECT {key} AS k, ({window})::text AS c FROM {sources}{where}", {"k": "text", "c": "text"}
        if kind < 0.38 and len(here) == 1:
            return f"SELECT * FROM {sources}{where}", dict(here[0].columns)
        distinct = self.random.choice(["", "", "DISTINCT "])
        columns = {f"c{number}": "text" for number in range(self.random.randint(1, 2))}
        values = ", ".join(f"{self._value(depth, scope, here)} AS {name}" for name in columns)
        tail = ""
        if self.random.random() < 0.12:
            tail = f" ORDER BY ALL LIMIT {self.random.randint(1, 2)}"
        return f"SELECT {distinct}{values} FROM {sources}{where}{tail}", columns

    def _value(self, depth: int, scope: list[Known], here: list[Known]) -> str:
        kind = self.random.random()
        if kind < 0.6 or depth < 1:
            return self._text_of(here)
        if kind < 0.68:
            return f"coalesce({self._text_of(scope)}, '{self._text()}')"
        if kind < 0.76:
            return f"CASE WHEN {self.condition(depth - 1, scope)} THEN {self._text_of(here)} ELSE '{self._text()}' END"
        if kind < 0.82:
            return f"{self._text_of(here)} || '{self._text()}'"
        if kind < 0.88 and self.macros:
            return f"{self.random.choice(self.macros)}({self._text_of(here)})::text"
        sources, inner = self._from(0)
        return f"(SELECT max({self._text_of(inner)}) FROM {sources}{self._where(depth - 1, [*scope, *inner])})"

    # -- after FROM ----------------------------------------------------------------------------------------------

    def _from(self, depth: int, must: Known | None = None) -> tuple[str, list[Known]]:
        text, first = self._relation(depth, must)
        here = [first]
        hidden: list[Known] = []
        for _ in range(self.random.choice([0, 0, 1, 1, 1, 2]) if depth else 0):
            other_text, other = self._relation(depth - 1)
            kind = self.random.choice(_JOINS)
            both = [*here, other]
            if kind in ("CROSS JOIN", "POSITIONAL JOIN"):
                text += f" {kind} {other_text}"
            elif kind == ",":
                text = f"{text} CROSS JOIN {other_text}"
            elif kind == "LATERAL":
                name = self._name("l")
                inner, columns = self._lateral(here)
                text += f", LATERAL ({inner}) {name}"
                other = Known(name, columns)
            elif kind == "BRACKETS":
                third_text, third = self._relation(depth - 1)
                outer, inner = (self.random.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]) for _ in range(2))
                within = f"{self._joining([other], third)} AND {self.condition(0, [other, third])}"
                on = f"{self._joining(here, third)} AND {self.condition(0, [*both, third])}"
                text += f" {outer} ({other_text} {inner} {third_text} ON {within}) ON {on}"
                here.append(third)
            elif kind.endswith("USING") and (shared := self._shared(here, other)):
                text += f" {kind.removesuffix('USING')}JOIN {other_text} USING ({shared})"
                # The merged column has no table.
                other = Known(other.name, {name: each for name, each in other.columns.items() if name != shared})
                here[0] = Known(here[0].name, {name: each for name, each in here[0].columns.items() if name != shared})
            else:
                kind = "JOIN" if kind.endswith("USING") else kind
                on = self.condition(0, both) if self.random.random() < 0.4 else self._joining(here, other)
                if self.random.random() < 0.3:
                    on = f"{on} AND {self.condition(0, both)}"
                text += f" {kind} {other_text} ON {on}"
                if kind in ("SEMI JOIN", "ANTI JOIN"):
                    hidden.append(other)
                    continue
            here.append(other)
        usable = [each for each in here if any(kind == "text" for kind in each.columns.values())]
        return text, usable or here

    def _lateral(self, here: list[Known]) -> tuple[str, dict[str, str]]:
        text, inner = self._relation(0)
        column = self._text_of([inner])
        if self.random.random() < 0.4:
            operation = self.random.choice(["UNION ALL", "UNION", "EXCEPT", "INTERSECT"])
            other = self.random.choice([f"SELECT {self._text_of(here)}", f"SELECT '{self._text()}'"])
            first = self.random.choice([f"SELECT {self._text_of(here)} AS x", f"SELECT {column} AS x FROM {text}"])
            return f"{first} {operation} {other}", {"x": "text"}
        return (
            f"SELECT {column} AS x FROM {text} WHERE {self._text_of([inner])} = {self._text_of(here)}",
            {"x": "text"},
        )

    def _shared(self, here: list[Known], other: Known) -> str | None:
        if len(here) != 1:
            return None
        names = [name for name in here[0].columns if name in other.columns and here[0].columns[name] == "text"]
        return self.random.choice(names) if names else None

    def _joining(self, here: list[Known], other: Known) -> str:
        return f"{self._text_of(here)} = {self._text_of([other])}"

    def _relation(self, depth: int, must: Known | None = None) -> tuple[str, Known]:
        name = self._name("t")
        kind = self.random.random()
        if must is None and depth > 0 and kind < 0.25:
            query, columns = self.query(depth - 1, [])
            kind = self.random.random()
            if kind < 0.3:
                query = f"SELECT * FROM ({query}) ORDER BY ALL LIMIT {self.random.randint(1, 3)}"
            elif kind < 0.5:
                query = f"SELECT *, row_number() OVER (ORDER BY {next(iter(columns))})::text AS row FROM ({query})"
                columns = {**columns, "row": "text"}
            elif kind < 0.6:
                query = f"SELECT max({next(iter(columns))}) AS top, count(*)::text AS many FROM ({query})"
                columns = {"top": "text", "many": "text"}
            return f"({query}) {name}", Known(name, columns)
        if must is None and kind < 0.29:
            values = ", ".join(f"('{self._text()}')" for _ in range(self.random.randint(1, 2)))
            return f"(VALUES {values}) {name}(x)", Known(name, {"x": "text"})
        if must is None and kind < 0.32:
            return f"unnest(['{self._text()}', '{self._text()}']) {name}(x)", Known(name, {"x": "text"})
        known = must or self.random.choice(self.known)
        return f"{known.name} {name}", Known(name, known.columns)

    # -- conditions ----------------------------------------------------------------------------------------------

    def _where(self, depth: int, scope: list[Known]) -> str:
        return f" WHERE {self.condition(depth, scope)}" if self.random.random() < 0.5 else ""

    def condition(self, depth: int, scope: list[Known]) -> str:
        """A condition on the columns of relations."""
        kind = self.random.random()
        if depth > 0 and kind < 0.35:
            parts = [self.condition(depth - 1, scope) for _ in range(2)]
            return f"({self.random.choice([' AND ', ' AND ', ' OR ']).join(parts)})"
        if depth > 0 and kind < 0.43:
            return f"NOT ({self.condition(depth - 1, scope)})"
        if depth > 0 and kind < 0.65:
            return self._with_query(depth, scope)
        return self.random.choice(self._simple)(self._text_of(scope), scope)

    def _with_query(self, depth: int, scope: list[Known]) -> str:
        sources, inner = self._from(depth - 1)
        where = self._where(depth - 1, [*scope, *inner])
        negation = self.random.choice(["", "", "NOT "])
        match self.random.randint(0, 3):
            case 0:
                return f"{negation}EXISTS (SELECT 1 FROM {sources}{where})"
            case 1:
                return f"{self._text_of(scope)} {negation}IN (SELECT {self._text_of(inner)} FROM {sources}{where})"
            case 2:
                return f"{self._text_of(scope)} = (SELECT max({self._text_of(inner)}) FROM {sources}{where})"
        one, other = self._text_of(scope), self._text_of(scope)
        pair = f"{self._text_of(inner)}, {self._text_of(inner)}"
        return f"({one}, {other}) {negation}IN (SELECT {pair} FROM {sources}{where})"

    @property
    def _simple(self) -> list[Callable[[str, list[Known]], str]]:
        def text() -> str:
            return self._text().replace("'", "''")

        return [
            *[lambda column, _: f"{column} = '{text()}'"] * 8,
            lambda column, _: f"'{text()}' = {column}",
            *[lambda column, scope: f"{column} = {self._text_of(scope)}"] * 3,
            lambda column, _: f"{column} IN ('{text()}', '{text()}')",
            lambda column, _: f"{column} IN ('{text()}', '{text()}', 'A')",
            lambda column, _: f"{column} NOT IN ('{text()}', '{text()}')",
            lambda column, _: f"{column} <> '{text()}'",
            lambda column, _: f"{column} = ANY(['{text()}', '{text()}'])",
            lambda column, _: f"{column} IN (SELECT unnest(string_split('{text()},{text()}', ',')))",
            lambda column, _: f"{column} LIKE '{text()[:1]}%'",
            lambda column, _: f"{column} LIKE '_{text()[-1:]}'",
            lambda column, _: f"{column} NOT LIKE '{text()[:1]}%'",
            lambda column, _: f"{column} ILIKE '{text()}'",
            lambda column, _: f"{column} LIKE 'A!%' ESCAPE '!'",
            lambda column, _: f"lower({column}) = '{text().lower()}'",
            lambda column, _: f"upper({column}) LIKE '{text().upper()}%'",
            lambda column, _: f"trim({column}) = '{text()}'",
            lambda column, _: f"substr({column}, 1, 1) = '{text()[:1]}'",
            lambda column, _: f"starts_with({column}, '{text()[:1]}')",
            lambda column, _: f"contains({column}, '{text()[-1:]}')",
            lambda column, _: f"{column} SIMILAR TO '{text()[:1]}.*'",
            lambda column, _: f"regexp_matches({column}, '^{text()[:1]}')",
            lambda column, _: f"{column} BETWEEN 'A' AND 'B'",
            lambda column, _: f"{column} IS NULL",
            lambda column, _: f"{column} IS NOT NULL",
            lambda column, _: f"{column} IS NOT DISTINCT FROM '{text()}'",
            lambda column, _: f"{column} IS DISTINCT FROM '{text()}'",
            lambda column, scope: f"{column} IS NOT DISTINCT FROM {self._text_of(scope)}",
            lambda column, _: f"coalesce({column}, 'A') = '{text()}'",
            lambda column, _: f"CASE WHEN {column} = 'A' THEN 'B' ELSE {column} END = '{text()}'",
            lambda column, _: f"({column} = '{text()}') IS NOT TRUE",
            lambda column, _: f"nullif({column}, 'A') = '{text()}'",
            lambda column, _: f"{column} || 'b' = '{text()}'",
            lambda column, _: f"'A' || '{text()}' = {column}",
            lambda column, _: f"length({column}) = 1",
            lambda column, _: f"({column}, {column}) IN (('{text()}', '{text()}'), ('A', 'A'))",
            lambda column, scope: self._number_condition(scope) or f"{column} = 'A'",
            *self._in_words_of_duckdb,
        ]

    @property
    def _in_words_of_duckdb(self) -> list[Callable[[str, list[Known]], str]]:
        text = self._text
        return [
            lambda column, _: f"{column}[1] = '{text()[:1]}'",
            lambda column, _: f"{column} IN ['{text()}', '{text()}']",
            lambda column, _: f"{column} COLLATE NOCASE = '{text()}'",
            lambda column, _: f"{{'a': {column}}} = {{'a': '{text()}'}}",
            lambda column, _: f"{column} GLOB '{text()[:1]}*'",
            lambda column, _: f"regexp_full_match({column}, '{text()}')",
            lambda column, _: f"{column} BETWEEN '{text()}' AND '{text()}'",
            lambda column, scope: f"{column} = ANY (SELECT {self._text_of(scope)})",
            lambda column, scope: f"{column} IS NOT DISTINCT FROM lower({self._text_of(scope)})",
        ]

    def _number_condition(self, scope: list[Known]) -> str | None:
        found = [f"{each.name}.{name}" for each in scope for name, kind in each.columns.items() if kind == "integer"]
        if not found:
            return None
        number = self.random.randint(0, 3)
        operator = self.random.choice(["=", "=", "<", ">=", "<>"])
        return f"{self.random.choice(found)} {operator} {number}"

    # -- names ---------------------------------------------------------------------------------------------------

    def _text_of(self, scope: list[Known]) -> str:
        found = [f"{each.name}.{name}" for each in scope for name, kind in each.columns.items() if kind == "text"]
        return self.random.choice(found) if found else f"'{self._text()}'"

    def _text_column(self, columns: dict[str, str]) -> str:
        return self.random.choice([name for name, kind in columns.items() if kind == "text"])

    def _text(self) -> str:
        return self.random.choice(_TEXTS)

    def _name(self, kind: str) -> str:
        self.numbered += 1
        return f"{kind}{self.numbered}"
