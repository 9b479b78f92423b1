"""Reads single definitions: of tables, views, macros and functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from kgprobe.selection.sql.statements import readings
from kgprobe.selection.tests import Column, Relation, holds_text

TEMPORARY = "pg_temp"
"""The schema of temporary relations, which hide others of the same name."""
_TEMPORARY = frozenset([TEMPORARY, "temp", "temporary"])
FUNCTIONS = frozenset(["FUNCTION", "PROCEDURE", "MACRO", "AGGREGATE"])
"""The kinds of definitions of functions."""
IDENTIFIER = r"(?:[\w$]+|\"[^\"]+\"|`[^`]+`|\[[^\]]+\])"
"""A name as it may be written."""
_FUNCTION = re.compile(
    rf"\s*CREATE\s+(?:OR\s+REPLACE\s+)?FUNCTION\s+({IDENTIFIER}(?:\.{IDENTIFIER})*)\s*\(", re.IGNORECASE
)
_LANGUAGE = re.compile(r"\bLANGUAGE\s+'?(\w+)'?", re.IGNORECASE)
_COLUMNS = re.compile(r"\s*RETURNS\s+TABLE\s*\(", re.IGNORECASE)
_BODY = re.compile(
    r"\bAS\s+(?:\$(?P<tag>\w*)\$(?P<dollar>.*?)\$(?P=tag)\$|'(?P<text>(?:[^']|'')*)')", re.IGNORECASE | re.DOTALL
)
_ATOMIC = re.compile(r"\bBEGIN\s+ATOMIC\b(.*)\bEND\s*\Z", re.IGNORECASE | re.DOTALL)
_RETURN = re.compile(r"\bRETURN\s+(.*)\Z", re.IGNORECASE | re.DOTALL)
_SETS = re.compile(r"\bSET\s+\w+(?:\.\w+)?\s*(?:=|TO\b|FROM\b)", re.IGNORECASE)
_MODE = re.compile(r"\s*(?:(INOUT|OUT|VARIADIC)\b|IN\s)?\s*(.*)", re.IGNORECASE | re.DOTALL)
_STRINGS = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function, with its default."""

    name: str
    default: exp.Expr | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A stored table, or something that is computed: a view, a macro or a function. `problem` says why it is opaque."""

    name: str
    schema: str = ""
    relation: Relation | None = None  # of a stored table
    body: exp.Expr | None = None
    columns: tuple[str, ...] = ()  # names that the definition gives to the columns of its body
    parameters: tuple[Parameter, ...] | None = None  # of a function; None if it is a relation
    problem: str = ""
    file: str = ""
    is_local: bool = False  # its rows come from the test itself
    has_keys: bool = False  # whether a new row can be refused or numbered because of others
    foreign_keys: tuple[tuple[str, str], ...] = ()  # a column, and the table whose key it refers to
    dialect: str = ""

    @property
    def is_function(self) -> bool:
        return self.parameters is not None

    @property
    def keyed_to(self) -> frozenset[str]:
        """The tables that its foreign keys refer to."""
        return frozenset(table for _, table in self.foreign_keys)


def is_same(first: Definition, second: Definition) -> bool:
    """Whether two definitions say the same, wherever they stand."""
    return replace(first, file="", dialect="") == replace(second, file="", dialect="")


def name_of(node: exp.Expr | None) -> tuple[str, str]:
    """The name and the schema of a table node, in lower case."""
    while isinstance(node, exp.Schema | exp.UserDefinedFunction):
        node = node.this
    if isinstance(node, exp.Table):
        return node.name.lower(), schema_name(node.db)
    return (node.name.lower() if node is not None else ""), ""


def schema_name(name: str) -> str:
    """The name of a schema in lower case; that of temporary relations has one name in all dialects."""
    return TEMPORARY if name.lower() in _TEMPORARY else name.lower()


def plain_name(name: str) -> str:
    """The last part of a name, in lower case."""
    return name.rpartition(".")[2].strip('"`[]').lower()


def defined(tree: exp.Create, dialect: str, file: str, *, is_local: bool) -> Definition | None:
    """What a statement defines; None if that is nothing that a query can use."""
    kind = (tree.kind or "").upper()
    name, schema = name_of(tree.this)
    if tree.find(exp.TemporaryProperty):
        schema = TEMPORARY
    body = tree.expression
    if kind == "VIEW" or (kind == "TABLE" and isinstance(body, exp.Query)):
        return Definition(name, schema, body=body, columns=_columns(tree.this), file=file, dialect=dialect)
    if kind == "TABLE":
        return _table(tree, name, schema, file, dialect, is_local=is_local)
    if kind in FUNCTIONS:
        return _function(tree, name, schema, file, dialect)
    return None


def _columns(node: exp.Expr) -> tuple[str, ...]:
    if not isinstance(node, exp.Schema):
        return ()
    return tuple(part.name.lower() for part in node.expressions if isinstance(part, exp.Identifier | exp.ColumnDef))


def _table(tree: exp.Create, name: str, schema: str, file: str, dialect: str, *, is_local: bool) -> Definition:
    node = tree.this
    if tree.find(exp.InheritsProperty, exp.LikeProperty, exp.PartitionedOfProperty, exp.Clone):
        problem = "it is made from another table"
        return Definition(name, schema, relation=Relation(name), problem=problem, file=file)
    parts = node.expressions if isinstance(node, exp.Schema) else []
    keys = [key_columns(part) for part in parts]
    alone = frozenset(key[0] for key in keys if len(key) == 1)
    columns = tuple(column_of(part, alone) for part in parts if isinstance(part, exp.ColumnDef))
    references = tuple(reference for part in parts for reference in references_of(part))
    if is_local:
        return Definition(name, schema, Relation(name, columns), file=file, is_local=True, dialect=dialect)
    has_keys = any(keys) or any(column.is_key for column in columns) or bool(node.find(*_NUMBERED)) or not columns
    return Definition(
        name, schema, Relation(name, columns), file=file, has_keys=has_keys, foreign_keys=references, dialect=dialect
    )


def references_of(part: exp.Expr) -> Iterator[tuple[str, str]]:
    """The columns of a foreign key, and the table that it refers to. Of a key of several columns, none is the key."""
    for reference in part.find_all(exp.Reference):
        key = reference.find_ancestor(exp.ForeignKey)
        columns = [part.name] if key is None else [one.name for one in key.expressions]
        yield columns[0].lower() if len(columns) == 1 else "", name_of(reference.this)[0]


_NUMBERED = (
    *(exp.GeneratedAsIdentityColumnConstraint, exp.AutoIncrementColumnConstraint, exp.NextValueFor, exp.Anonymous),
    *(exp.PrimaryKeyColumnConstraint, exp.UniqueColumnConstraint),
)


def key_columns(part: exp.Expr) -> tuple[str, ...]:
    """The columns of a constraint that they are a key."""
    if isinstance(part, exp.Constraint | exp.AddConstraint):
        return next((key for expression in part.expressions if (key := key_columns(expression))), ())
    if isinstance(part, exp.PrimaryKey):
        return tuple(expression.name.lower() for expression in part.expressions)
    if isinstance(part, exp.UniqueColumnConstraint):
        return _columns(part.this) if part.this is not None else ()
    return ()


def column_of(node: exp.ColumnDef, keys: frozenset[str]) -> Column:
    """A column as it is declared; `keys` are the columns that constraints of the table make keys."""
    name = node.name.lower()
    kind = node.kind.sql() if isinstance(node.kind, exp.Expr) else str(node.args.get("kind") or "")
    kinds = [constraint.args.get("kind") for constraint in node.constraints]
    is_key = name in keys or any(
        isinstance(kind, exp.PrimaryKeyColumnConstraint | exp.UniqueColumnConstraint) for kind in kinds
    )
    collation = next((kind for kind in kinds if isinstance(kind, exp.CollateColumnConstraint)), None)
    is_text = holds_text(kind)
    if collation is not None:
        kind = f"{kind} COLLATE {collation.this.name}"
    return Column(name, kind, is_text, is_key)


def _function(tree: exp.Create, name: str, schema: str, file: str, dialect: str) -> Definition:
    parts = tree.this.expressions if isinstance(tree.this, exp.UserDefinedFunction) else []
    parameters = tuple(Parameter(part.name.lower() if part.name else "", _default(part)) for part in parts)
    returns = tree.find(exp.ReturnsProperty)
    columns: tuple[str, ...] = ()
    if returns is not None and isinstance(returns.this, exp.Schema):
        columns = tuple(expression.name.lower() for expression in returns.this.expressions if expression.name)
    found = Definition(name, schema, parameters=parameters, columns=columns, file=file, dialect=dialect)
    problem = _why_opaque(tree, parts)
    if problem:
        return replace(found, problem=problem)
    body = tree.expression.this if isinstance(tree.expression, exp.Return) else tree.expression
    if isinstance(body, exp.Heredoc | exp.RawString | exp.Literal):
        return _with_body(found, body.name, dialect)
    return replace(found, problem="it has no body that kgprobe can read") if body is None else replace(found, body=body)


def _default(parameter: exp.Expr) -> exp.Expr | None:
    if isinstance(parameter, exp.ColumnDef):
        return next((default.this for default in parameter.find_all(exp.DefaultColumnConstraint)), None)
    return parameter.expression if isinstance(parameter, exp.PropertyEQ | exp.EQ) else None


def _why_opaque(tree: exp.Create, parameters: Iterable[exp.Expr]) -> str:
    language = tree.find(exp.LanguageProperty)
    spoken = language.this.name.lower() if language is not None else ""
    if spoken not in ("", "sql"):
        return f"it is written in {spoken}"
    if (tree.kind or "").upper() != "FUNCTION" and (tree.kind or "").upper() != "MACRO":
        return "it is more than a function"
    if tree.find(exp.SetConfigProperty):
        return "it runs with other settings"
    kinds = [rule.args.get("kind") for one in parameters if isinstance(one, exp.ColumnDef) for rule in one.constraints]
    return (
        "it has parameters for its results"
        if any(isinstance(kind, exp.InOutColumnConstraint) for kind in kinds)
        else ""
    )


def _with_body(found: Definition, text: str, dialect: str) -> Definition:
    """A function whose body is a text: it returns what its only statement returns."""
    # The parser takes `$1` for a variable, and the marks of places would hide it.
    numbered = re.sub(r"\$(\d+)", r"__kgprobe_parameter_\1", text)
    reading = readings(numbered, dialect)[0]
    if reading.problem or reading.masked.problems:
        return replace(found, problem=reading.problem or reading.masked.problems[0][0])
    trees = [statement.tree for statement in reading.statements]
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        return replace(found, problem="its body is more than one query")
    return replace(found, body=trees[0])


# -- functions of PostgreSQL, which the parser does not know -----------------------------------------------------------


def function_in_text(text: str, file: str) -> Definition | None:
    """The function that a statement of PostgreSQL defines; None if it defines none."""
    found = _FUNCTION.match(text)
    end = _closing(text, found.end()) if found is not None else None
    if found is None or end is None:
        return None
    parts = found[1].split(".")
    parameters, problem = _parameters(text[found.end() : end])
    rest = text[end + 1 :]
    columns: tuple[str, ...] = ()
    if (table := _COLUMNS.match(rest)) is not None and (stop := _closing(rest, table.end())) is not None:
        columns = tuple(part.split()[0].strip('"').lower() for part in _apart(rest[table.end() : stop]) if part.split())
        rest = rest[stop + 1 :]
    schema = plain_name(parts[-2]) if len(parts) > 1 else ""
    definition = Definition(
        plain_name(parts[-1]), schema, columns=columns, parameters=parameters, file=file, dialect="postgres"
    )
    written = _BODY.search(rest)
    clauses = rest[: written.start()] + rest[written.end() :] if written else rest
    language = _LANGUAGE.search(clauses)
    if language is not None and language[1].lower() != "sql":
        return replace(definition, problem=f"it is written in {language[1].lower()}")
    if problem or _SETS.search(clauses):
        return replace(definition, problem=problem or "it runs with other settings")
    body = _body(written, clauses)
    return (
        replace(definition, problem="it has no body that kgprobe can read")
        if body is None
        else _with_body(definition, body, "postgres")
    )


def _body(written: re.Match[str] | None, clauses: str) -> str | None:
    if written is not None:
        return written["dollar"] if written["dollar"] is not None else written["text"].replace("''", "'")
    if (atomic := _ATOMIC.search(clauses)) is not None:
        return atomic[1]
    returned = _RETURN.search(clauses)
    return f"SELECT {returned[1]}" if returned is not None else None


def _parameters(text: str) -> tuple[tuple[Parameter, ...], str]:
    """The parameters, and why they cannot be followed."""
    found = []
    for part in _apart(text):
        mode = _MODE.match(part)
        if mode is not None and mode[1]:
            return (), "it has parameters for its results" if mode[1].upper() != "VARIADIC" else "its parameters vary"
        words, _, default = re.sub(r"\bDEFAULT\b", "=", mode[2] if mode else part, flags=re.IGNORECASE).partition("=")
        parts = words.split()
        name = parts[0].strip('"').lower() if len(parts) > 1 else ""
        value = readings(f"SELECT {default}", "postgres")[0].statements if default else ()
        tree = value[0].tree if value else None
        found.append(Parameter(name, tree.expressions[0] if isinstance(tree, exp.Select) else None))
    return tuple(found), ""


def _closing(text: str, start: int) -> int | None:
    """The place of the bracket that ends what starts here."""
    hidden = _STRINGS.sub(lambda found: " " * len(found[0]), text)
    depth = 1
    for place in range(start, len(hidden)):
        depth += {"(": 1, ")": -1}.get(hidden[place], 0)
        if depth == 0:
            return place
    return None


def _apart(text: str) -> list[str]:
    """The parts of a list between its commas."""
    hidden = _STRINGS.sub(lambda found: " " * len(found[0]), text)
    parts, start, depth = [], 0, 0
    for place, character in enumerate(hidden):
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]
