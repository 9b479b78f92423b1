"""The relations and functions of a database, from the statements that define them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from sqlglot import exp

from kgprobe.selection.sql.definitions import (
    FUNCTIONS,
    IDENTIFIER,
    TEMPORARY,
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
    schema_name,
)
from kgprobe.selection.sql.statements import Reading, Statement, definitions_in
from kgprobe.selection.tests import Relation


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
            name: definition.relation
            for name, found in self.relations.items()
            for definition in found
            if definition.relation is not None and not definition.is_local
        }

    def key_of(self, table: str, column: str) -> tuple[str, bool]:
        """The table whose key a column is or refers to, and whether it is the key itself; no name if it is neither."""
        for definition in self.relations.get(table, ()):
            if definition.relation is not None:
                found = definition.relation.by_name.get(column)
                if found is not None and found.is_key:
                    return table, True
                return next((other for name, other in definition.foreign_keys if name == column), ""), False
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
            name: tuple(one for one in found if one.schema != TEMPORARY) for name, found in others.relations.items()
        }
        return replace(
            self,
            relations={**{name: found for name, found in lasting.items() if found}, **self.relations},
            functions={**others.functions, **self.functions},
            path=self.path or others.path,
            guarded={**others.guarded, **self.guarded},
        )

    def _meant(self, found: tuple[Definition, ...], schema: str) -> Definition | None:
        schema = schema_name(schema)
        if schema:
            exact = [definition for definition in found if definition.schema == schema]
            found = tuple(exact) or tuple(one for one in found if not one.schema and schema != TEMPORARY)
        elif len(found) > 1:
            by_schema = {definition.schema: definition for definition in found}
            first = next((by_schema[name] for name in (TEMPORARY, *self.path) if name in by_schema), None)
            if first is not None:
                return first
        if len(found) < 2:
            return found[0] if found else None
        if all(is_same(replace(definition, schema=""), replace(found[0], schema="")) for definition in found[1:]):
            return found[0]
        schemas = ", ".join(sorted(definition.schema or "no schema" for definition in found))
        return replace(found[0], problem=f"it is defined in several schemas: {schemas}")


class Definitions:
    """Collects definitions from statements, in their order."""

    def __init__(self, base: Catalogue | None = None) -> None:
        base = base or Catalogue()
        self._relations = {name: {one.schema: one for one in found} for name, found in base.relations.items()}
        self._functions = {
            name: {definition.schema: definition for definition in found} for name, found in base.functions.items()
        }
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
        for table in tables:
            self._put(table)

    def guard(self, table: str, kind: str) -> None:
        """A table has a trigger, a rule or a policy."""
        self._guarded[table.lower()] = kind

    def look_up(self, schemas: Iterable[str]) -> None:
        """The schemas in which names without a schema are looked up."""
        self._path = tuple(schema.lower() for schema in schemas)

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
                replaces, exists = bool(tree.args.get("replace")), bool(tree.args.get("exists"))
                self._put(found, replaces=replaces, exists=exists, is_local=is_local)
            elif tree.kind and tree.kind.upper() == "TRIGGER":
                self._opaque(statement.text, "", file, is_local=is_local)
        elif isinstance(tree, exp.Alter):
            self._alter(tree)
        elif isinstance(tree, exp.Drop):
            self._drop(tree, file, is_local=is_local)
        elif isinstance(tree, exp.Command | exp.Set):
            if path := re.match(
                r"SET\s+(?:SESSION\s+|LOCAL\s+)?search_path\s*(?:TO|=)\s*(.*)", statement.text, re.I | re.S
            ):
                named = (part.strip().strip("'\"").lower() for part in path[1].split(","))
                self._path = tuple(schema for schema in named if schema and not schema.startswith("$"))
            else:
                self._opaque(statement.text, "kgprobe cannot read its definition", file, is_local=is_local)

    def _drop(self, tree: exp.Drop, file: str, *, is_local: bool) -> None:
        """What has these names, where the database looks for them first, is gone. A file cannot undo other files."""
        known = self._functions if (tree.kind or "").upper() in FUNCTIONS else self._relations
        for node in tree.args.get("tables") or [tree.this]:
            name, schema = name_of(node)
            found = known.get(name, {})
            places = (schema, "") if schema else (TEMPORARY, *self._path, "")
            place = next((place for place in places if place in found), None)
            is_clear = place is not None and not (found[place].is_function and found[place].problem)
            if place is not None and is_clear and (is_local or found[place].file == file):
                del found[place]
            if not found:
                known.pop(name, None)

    def _note_parents(self, tree: exp.Create) -> None:
        """A table from which another one inherits also has the rows of that."""
        for parents in tree.find_all(exp.InheritsProperty):
            self._guarded.update((plain_name(table.name), "child table") for table in parents.find_all(exp.Table))

    def _put(self, found: Definition, *, replaces: bool = False, exists: bool = False, is_local: bool = False) -> None:
        if is_local and not found.schema and self._path:
            found = replace(found, schema=self._path[0])  # where the database makes it
        known = (self._functions if found.is_function else self._relations).setdefault(found.name, {})
        other = known.get(found.schema)
        # A function may have the name of another, with parameters of other types.
        is_own = is_local and not found.is_function
        if other is None or found.is_local or (replaces and (is_own or other.file == found.file)):
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

    def _opaque(self, text: str, problem: str, file: str, *, is_local: bool = False) -> None:
        """Remember the name of something that is defined in a way that cannot be read."""
        if (function := function_in_text(text, file)) is not None:
            self._put(function, replaces=_REPLACES.match(text) is not None, is_local=is_local)
        elif found := _GUARD.match(text):
            self._guarded[plain_name(found[2])] = found[1].lower()
        elif found := _CREATES.match(text):
            is_function = found[1].upper() in FUNCTIONS
            name = plain_name(found[2])
            schema = plain_name(found[2].rpartition(".")[0]) if "." in found[2] else ""
            parameters: tuple[Parameter, ...] | None = () if is_function else None
            opaque = Definition(name, schema, parameters=parameters, problem=problem, file=file)
            self._put(opaque, is_local=is_local)


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
    columns = tuple(replace(part, is_key=True) if key == (part.name,) else part for part in table.relation.columns)
    references = (*table.foreign_keys, *references_of(action))
    relation = Relation(table.name, columns)
    return replace(table, relation=relation, has_keys=table.has_keys or bool(key), foreign_keys=references)


# Settings that change no result: limits, logs, output, and what only administrators notice.
_HARMLESS_SETTINGS_WORDS = """
    application_id application_name arithabort auto_vacuum autocommit autoprint autotrace busy_timeout bytea_output
    cache_size cache_spill check_function_bodies checkpoint_threshold client_encoding client_min_messages
    collation_list colsep compile_options constraints database_list datestyle default_table_access_method
    default_tablespace default_with_oids define disable_progress_bar echo enable_profiling enable_progress_bar
    encoding escape escape_string_warning explain_output feedback foreign_key_checks foreign_key_list foreign_keys
    function_list heading headsep idle_in_transaction_session_timeout index_info index_list index_xinfo
    innodb_lock_wait_timeout intervalstyle journal_mode journal_size_limit lc_messages linesize lock_timeout
    locking_mode log_min_messages log_statement long max_execution_time max_expression_depth max_memory memory_limit
    mmap_size names newpage nocount null numwidth optimize page_size pages pagesize password preserve_insertion_order
    profiling progress_bar_time query_timeout role row_security schema search_path secure_delete serveroutput session
    show_tables sqlblanklines sqlprompt sql_log_bin sql_notes sql_safe_updates statement_timeout
    statement_timeout_in_seconds synchronous synchronous_commit table_info table_list table_xinfo tab temp_directory
    temp_store term termout threads time time_zone timezone timing transaction transaction_timeout trimout trimspool
    unique_checks user_version verify version wal_autocheckpoint wal_checkpoint work_mem maintenance_work_mem
    wrap xact_abort xmloption
"""
_HARMLESS_SETTINGS = frozenset(_HARMLESS_SETTINGS_WORDS.split())
_PLANNING = ("enable_", "jit", "max_parallel", "parallel_", "force_parallel", "cpu_", "geqo", "random_page", "seq_page")
_SETTING = re.compile(
    r"\s*(?:RE)?SET\s+(?:(?:SESSION|LOCAL|GLOBAL|PERSIST)\s+)?(?P<name>[\w.]+|'\ue000(?P<mark>\d+)\ue001')\s*(?P<more>.*)",
    re.I | re.S,
)
_PRAGMA = re.compile(r"\s*PRAGMA\s+(?:\w+\.)?(?P<name>\w+)\s*(?P<more>.*)", re.I | re.S)
_SYSTEM = frozenset(
    ["sql_mode", "global", "session", "local", "persist"]
)  # after @@ in MySQL, where others are variables


def unknown_setting(text: str, dialect: str, marked: Sequence[str]) -> str | None:
    """The setting that a statement changes, if that may change what others mean. `marked` are the names of marks."""
    found = _SETTING.match(text) or _PRAGMA.match(text)
    if found is None:
        return None
    name, more = found["name"].lower(), found["more"].lower()
    if "mark" in found.groupdict() and found["mark"]:
        name = marked[int(found["mark"])].lower()
        return name if name in _SYSTEM or "collation" in name or "character" in name else None
    if name == "variable" or (dialect == "snowflake" and found.re is _SETTING):
        return None
    if name == "names" and "collate" in more:
        return "names"
    if name == "standard_conforming_strings" and re.fullmatch(r"(?:=|to)\s*'?on'?", more.strip()):
        return None
    return None if name in _HARMLESS_SETTINGS or name.startswith(_PLANNING) else name


def reads_rows(pragma: str) -> bool:
    """Whether a PRAGMA says something about rows."""
    return _READING_PRAGMA.match(pragma) is not None


def only_defines(statements: Iterable[Statement]) -> bool:
    """Whether statements only define something, or prepare that, and read nothing. What is undone is a test."""
    found = [
        _defines(statement.tree) and not isinstance(statement.tree, exp.Rollback) and not reads_rows(statement.text)
        for statement in statements
    ]
    return bool(found) and all(found)


def _defines(tree: exp.Expr | None) -> bool:
    if isinstance(tree, exp.Create):
        return (tree.kind or "").upper() != "TABLE" or not isinstance(tree.expression, exp.Query)
    if isinstance(tree, exp.Select):  # dumps of PostgreSQL start with such a setting
        return tree.args.get("from_") is None and all(
            part.find(exp.Anonymous) is not None and part.find(exp.Anonymous).name.lower() in ("set_config", "setval")
            for part in tree.expressions
        )
    if isinstance(tree, exp.Insert):
        return isinstance(tree.expression, exp.Values) and not tree.args.get("returning")
    if isinstance(tree, exp.Command):
        word = str(tree.this).upper()
        return word in HARMLESS_COMMANDS or word in ("CREATE", "ALTER")
    return isinstance(tree, HARMLESS)
