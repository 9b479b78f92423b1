"""The relations and functions of a database, from the statements that define them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from sqlglot import exp

from kgprobe.selection.warehouse.relations import Relation
from kgprobe.selection.warehouse.sql.definitions import (
    FUNCTIONS,
    IDENTIFIER,
    Definition,
    Parameter,
    column_of,
    defined,
    function_in_text,
    is_same,
    key_columns,
    name_of,
    plain_name,
    references_of,
)
from kgprobe.selection.warehouse.sql.statements import Reading, Statement, definitions_in

__all__ = [
    "HARMLESS",
    "HARMLESS_COMMANDS",
    "Catalogue",
    "Definition",
    "Definitions",
    "Parameter",
    "only_defines",
    "reads_rows",
]


@dataclass(frozen=True)
class Catalogue:
    """Everything that is defined, by its name in lower case, without a schema."""

    relations: Mapping[str, tuple[Definition, ...]] = field(default_factory=dict)
    functions: Mapping[str, tuple[Definition, ...]] = field(default_factory=dict)
    path: tuple[str, ...] = ()  # the schemas in which names without a schema are looked up
    guarded: Mapping[str, str] = field(default_factory=dict)  # tables with triggers, rules or policies
    builtin: frozenset[str] = frozenset()  # more functions that the database itself has

    @classmethod
    def of(
        cls, files: Iterable[tuple[str, str]] = (), dialect: str | None = None, stored: Iterable[Relation] = ()
    ) -> Catalogue:
        """The definitions in texts, each with the name of its file, and further stored tables."""
        found = Definitions()
        for file, text in files:
            found.read(text, file, dialect)
        for relation in stored:
            found.store(relation)
        return found.catalogue()

    @cached_property
    def tables(self) -> dict[str, Relation]:
        """The stored tables by their names."""
        return {
            name: each.relation
            for name, found in self.relations.items()
            for each in found
            if each.relation is not None and not each.is_local
        }

    def key_of(self, table: str, column: str) -> tuple[str, bool]:
        """The table whose key a column is or refers to, and whether it is the key itself; no name if it is neither."""
        for each in self.relations.get(table, ()):
            if each.relation is not None:
                found = each.relation.by_name.get(column)
                if found is not None and found.is_key:
                    return table, True
                return next((other for name, other in each.foreign_keys if name == column), ""), False
        return "", False

    def relation(self, name: str, schema: str = "") -> Definition | None:
        """The relation that a statement means by this name; None if there is none."""
        return self._meant(self.relations.get(name, ()), schema)

    def function(self, name: str, schema: str = "") -> Definition | None:
        """The function with this name; None if no definition is known."""
        return self._meant(self.functions.get(name, ()), schema)

    def with_others(self, others: Catalogue) -> Catalogue:
        """With what others define, where nothing of that name is known."""
        lasting = {
            name: tuple(each for each in found if each.schema != "pg_temp") for name, found in others.relations.items()
        }
        return replace(
            self,
            relations={**{name: found for name, found in lasting.items() if found}, **self.relations},
            functions={**others.functions, **self.functions},
            path=self.path or others.path,
            guarded={**others.guarded, **self.guarded},
        )

    def _meant(self, found: tuple[Definition, ...], schema: str) -> Definition | None:
        if schema:
            exact = [each for each in found if each.schema == schema]
            found = tuple(exact) or tuple(each for each in found if not each.schema)
        elif len(found) > 1:
            by_schema = {each.schema: each for each in found}
            first = next((by_schema[name] for name in ("pg_temp", *self.path) if name in by_schema), None)
            if first is not None:
                return first
        if len(found) < 2:
            return found[0] if found else None
        if all(is_same(replace(each, schema=""), replace(found[0], schema="")) for each in found[1:]):
            return found[0]
        schemas = ", ".join(sorted(each.schema or "no schema" for each in found))
        return replace(found[0], problem=f"it is defined in several schemas: {schemas}")


class Definitions:
    """Collects definitions from statements, in their order."""

    def __init__(self, base: Catalogue | None = None) -> None:
        base = base or Catalogue()
        self._relations = {name: {each.schema: each for each in found} for name, found in base.relations.items()}
        self._functions = {name: {each.schema: each for each in found} for name, found in base.functions.items()}
        self._path = base.path
        self._guarded = dict(base.guarded)
        self._builtin = base.builtin
        self.problems: list[str] = []

    def catalogue(self) -> Catalogue:
        """What has been collected so far."""
        return Catalogue(
            {name: tuple(found.values()) for name, found in self._relations.items()},
            {name: tuple(found.values()) for name, found in self._functions.items()},
            self._path,
            dict(self._guarded),
            self._builtin,
        )

    def read(self, text: str, file: str, dialect: str | None = None) -> None:
        """Collect the definitions in a text. What cannot be parsed becomes a problem."""
        self.collect(definitions_in(text, dialect), file)

    def collect(self, reading: Reading, file: str) -> None:
        """Collect the definitions in a text that has been parsed."""
        for statement in reading.statements:
            if statement.problem:
                self.problems.append(f"{file}:{statement.line}: {statement.problem}")
                self._opaque(statement.text, statement.problem, file)
            else:
                self.add(statement, reading, file)

    def store(self, relation: Relation) -> None:
        """A stored table. If a definition says more about its columns, that stays."""
        known = self._relations.setdefault(relation.name, {})
        if not known:
            known[""] = Definition(relation.name, relation=relation)

    def tables(self, tables: Iterable[Definition]) -> None:
        """Stored tables, with all that is known about them."""
        for each in tables:
            self._put(each, replaces=False, exists=False)

    def guard(self, table: str, kind: str) -> None:
        """A table has a trigger, a rule or a policy."""
        self._guarded[table.lower()] = kind

    def look_up(self, schemas: Iterable[str]) -> None:
        """The schemas in which names without a schema are looked up."""
        self._path = tuple(each.lower() for each in schemas)

    def builtin(self, names: Iterable[str]) -> None:
        """Functions that the database itself has."""
        self._builtin |= frozenset(names)

    def add(self, statement: Statement, reading: Reading, file: str = "", *, is_local: bool = False) -> None:
        """Collect what one statement defines; local ones replace what has been known."""
        tree = statement.tree
        if isinstance(tree, exp.Create):
            self._note_parents(tree)
            found = defined(tree, reading.dialect, file, is_local=is_local)
            if found is not None:
                self._put(
                    found, replaces=is_local or bool(tree.args.get("replace")), exists=bool(tree.args.get("exists"))
                )
            elif tree.kind and tree.kind.upper() == "TRIGGER":
                self._opaque(statement.text, "", file)
        elif isinstance(tree, exp.Alter):
            self._alter(tree)
        elif isinstance(tree, exp.Drop):
            name, schema = name_of(tree.this)
            for known in (self._relations, self._functions):
                known.get(name, {}).pop(schema, None)
                if not known.get(name, True):
                    del known[name]
        elif isinstance(tree, exp.Command | exp.Set):
            if path := re.match(
                r"SET\s+(?:SESSION\s+|LOCAL\s+)?search_path\s*(?:TO|=)\s*(.*)", statement.text, re.I | re.S
            ):
                self._path = tuple(each.strip().strip("'\"").lower() for each in path[1].split(","))
            else:
                self._opaque(statement.text, "kgprobe cannot read its definition", file)

    def _note_parents(self, tree: exp.Create) -> None:
        """A table from which another one inherits also has the rows of that."""
        for parents in tree.find_all(exp.InheritsProperty):
            self._guarded.update((plain_name(each.name), "child table") for each in parents.find_all(exp.Table))

    def _put(self, found: Definition, *, replaces: bool, exists: bool) -> None:
        known = (self._functions if found.is_function else self._relations).setdefault(found.name, {})
        other = known.get(found.schema)
        if other is None or (replaces and (found.is_local or other.file == found.file)):
            known[found.schema] = found
        elif not is_same(other, found) and not (exists and other.file == found.file):
            where = " and ".join(dict.fromkeys(filter(None, (other.file, found.file))))
            reason = f"its definitions differ ({where})" if where else "its definitions differ"
            known[found.schema] = replace(other, problem=other.problem or reason)

    def _alter(self, tree: exp.Alter) -> None:
        name, schema = name_of(tree.this)
        known = self._relations.get(name, {})
        other = known.get(schema) or (next(iter(known.values())) if len(known) == 1 else None)
        if other is None or other.relation is None:
            return
        for action in tree.args.get("actions") or ():
            if isinstance(action, exp.ColumnDef):
                columns = (*other.relation.columns, column_of(action, frozenset()))
                other = replace(other, relation=Relation(name, columns))
            elif isinstance(action, exp.AddConstraint):
                other = _constrained(other, action)
            elif isinstance(action, exp.AlterRename | exp.RenameColumn):
                other = replace(other, problem="kgprobe does not follow the change of its name")
        known[other.schema] = other

    def _opaque(self, text: str, problem: str, file: str) -> None:
        """Remember the name of something that is defined in a way that cannot be read."""
        if (function := function_in_text(text, file)) is not None:
            self._put(function, replaces=_REPLACES.match(text) is not None, exists=False)
        elif found := _GUARD.match(text):
            self._guarded[plain_name(found[2])] = found[1].lower()
        elif found := _CREATES.match(text):
            is_function = found[1].upper() in FUNCTIONS
            name = plain_name(found[2])
            schema = plain_name(found[2].rpartition(".")[0]) if "." in found[2] else ""
            parameters: tuple[Parameter, ...] | None = () if is_function else None
            self._put(
                Definition(name, schema, parameters=parameters, problem=problem, file=file),
                replaces=False,
                exists=False,
            )


HARMLESS = (
    *(exp.Set, exp.Use, exp.Pragma, exp.Transaction, exp.Commit, exp.Rollback, exp.Comment, exp.Grant, exp.Revoke),
    *(exp.Analyze, exp.Alter, exp.Drop, exp.TruncateTable, exp.EndStatement, exp.Semicolon),
)
"""Statements that read no rows."""
_HARMLESS_COMMANDS_WORDS = """
    SET RESET ANALYZE VACUUM GRANT REVOKE COMMENT BEGIN START COMMIT END ROLLBACK SAVEPOINT RELEASE LOCK PRAGMA
    USE DISCARD CHECKPOINT DEALLOCATE
"""
HARMLESS_COMMANDS = frozenset(_HARMLESS_COMMANDS_WORDS.split())
_READING_PRAGMA = re.compile(
    r"PRAGMA\s+(?:\w+\.)?(?:(?:integrity|quick|foreign_key)_check|storage_info|database_size|(?:page|freelist)_count)\b",
    re.IGNORECASE,
)
_CREATES = re.compile(
    r"CREATE\s+(?:OR\s+REPLACE\s+)?(?:\w+\s+)*?(FUNCTION|PROCEDURE|MACRO|AGGREGATE|TABLE|VIEW)\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    rf"({IDENTIFIER}(?:\.{IDENTIFIER})*)",
    re.IGNORECASE,
)
_REPLACES = re.compile(r"\s*CREATE\s+OR\s+REPLACE\b", re.IGNORECASE)
_GUARD = re.compile(
    rf"CREATE\s+(?:OR\s+REPLACE\s+)?(?:\w+\s+)*?(TRIGGER|RULE|POLICY)\b.*?\b(?:ON|TO)\s+({IDENTIFIER}(?:\.{IDENTIFIER})*)",
    re.IGNORECASE | re.DOTALL,
)


def _constrained(table: Definition, action: exp.Expr) -> Definition:
    """A table with one more constraint."""
    assert table.relation is not None  # noqa: S101 - it is a table
    key = key_columns(action)
    columns = tuple(replace(each, is_key=True) if key == (each.name,) else each for each in table.relation.columns)
    references = (*table.foreign_keys, *references_of(action))
    relation = Relation(table.name, columns)
    return replace(table, relation=relation, has_keys=table.has_keys or bool(key), foreign_keys=references)


def reads_rows(pragma: str) -> bool:
    """Whether a PRAGMA says something about rows."""
    return _READING_PRAGMA.match(pragma) is not None


def only_defines(statements: Iterable[Statement]) -> bool:
    """Whether statements only define something, or prepare that, and read nothing. What is undone is a test."""
    found = [
        _defines(each.tree) and not isinstance(each.tree, exp.Rollback) and not reads_rows(each.text)
        for each in statements
    ]
    return bool(found) and all(found)


def _defines(tree: exp.Expr | None) -> bool:
    if isinstance(tree, exp.Create):
        return (tree.kind or "").upper() != "TABLE" or not isinstance(tree.expression, exp.Query)
    if isinstance(tree, exp.Select):  # dumps of PostgreSQL start with such a setting
        return tree.args.get("from_") is None and all(
            each.find(exp.Anonymous) is not None and each.find(exp.Anonymous).name.lower() in ("set_config", "setval")
            for each in tree.expressions
        )
    if isinstance(tree, exp.Insert):
        return isinstance(tree.expression, exp.Values) and not tree.args.get("returning")
    if isinstance(tree, exp.Command):
        word = str(tree.this).upper()
        return word in HARMLESS_COMMANDS or word in ("CREATE", "ALTER")
    return isinstance(tree, HARMLESS)
