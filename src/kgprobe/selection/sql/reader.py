"""Reads whole SQL texts: what each statement reads of the stored tables, and what cannot be seen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from kgprobe.selection.sql.catalogue import (
    HARMLESS,
    HARMLESS_COMMANDS,
    Catalogue,
    Definitions,
    only_defines,
    reads_rows,
    unknown_setting,
)
from kgprobe.selection.sql.definitions import Definition
from kgprobe.selection.sql.expressions import NO_COLUMN, Folding
from kgprobe.selection.sql.queries import QueryReader
from kgprobe.selection.sql.statements import MARK, Reading, Statement, readings
from kgprobe.selection.sql.values import Occurrence, Scope, UnknownPartError, line_of
from kgprobe.selection.tests import TablesUse

_UNKNOWN_RELATION = re.compile(r"relation '.*' is not known")


@dataclass(frozen=True, slots=True)
class TablesReading:
    """What a text reads. `problems` say what is unknown, each with its line."""

    uses: tuple[TablesUse, ...] = ()
    problems: tuple[tuple[str, int | None], ...] = ()
    files: tuple[str, ...] = ()  # with the definitions that it uses
    names: tuple[str, ...] = ()  # of its tables and columns, as written
    depends_on_content: bool = False  # whether other constants could change more than the constants of the uses
    is_definition: bool = False  # it only defines relations or functions
    knows_all_but_relations: bool = True  # whether all problems are relations that are not known
    takes_names_for_texts: bool = False  # names in quotes, which are no columns, count as texts

    @property
    def lacks_columns(self) -> bool:
        """Whether it names a column that no table has."""
        return any(reason.endswith(NO_COLUMN) for reason, _ in self.problems)


def read_statements(
    text: str,
    catalogue: Catalogue,
    dialect: str | None = None,
    parameters: Mapping[str, Sequence[str] | None] | None = None,
) -> TablesReading:
    """What a text reads in the dialect, or in all dialects in which it can be parsed."""
    found = [_Program(reading, catalogue, dialect, parameters or {}).read() for reading in readings(text, dialect)]
    if len(found) > 1:
        # A dialect in which there is no such column is not the one that is meant.
        fitting = [reading for reading in found if not reading.lacks_columns]
        # That may be so only because it takes what it cannot read for a text, as SQLite does.
        found = fitting or found[:1] if not all(reading.takes_names_for_texts for reading in fitting) else found
    if len(found) == 1:
        return found[0]
    return TablesReading(
        tuple(dict.fromkeys(use for reading in found for use in reading.uses)),
        tuple(dict.fromkeys(problem for reading in found for problem in reading.problems)),
        tuple(dict.fromkeys(file for reading in found for file in reading.files)),
        tuple(dict.fromkeys(name for reading in found for name in reading.names)),
        any(reading.depends_on_content for reading in found),
        all(reading.is_definition for reading in found),
        all(reading.knows_all_but_relations for reading in found),
    )


class _Program:
    """The statements of one text in one dialect."""

    def __init__(
        self,
        reading: Reading,
        catalogue: Catalogue,
        dialect: str | None,
        parameters: Mapping[str, Sequence[str] | None],
    ) -> None:
        self._reading = reading
        self._definitions = Definitions(catalogue)
        self._catalogue = catalogue
        self._dialect = dialect
        self._folding = Folding(reading.masked.names, {**reading.masked.variables, **parameters})
        self._uses: list[TablesUse] = []
        self._problems: dict[tuple[str, int | None], None] = dict.fromkeys(reading.masked.problems)
        self._files: dict[str, None] = {}
        self._names: dict[str, None] = {}
        self._changes_rows = _changes_rows(reading.statements)
        self._has_defined = self._is_undone = self._takes_names_for_texts = False

    def read(self) -> TablesReading:
        statements = self._reading.statements
        is_definition = only_defines(statements)
        for part in statements:
            if part.problem:
                self._problems[part.problem, part.line] = None
                continue
            try:
                self._note_undone(part)
                self._statement(part)
            except UnknownPartError as error:
                self._problems[error.reason, part.line if error.node is None else line_of(error.node) or part.line] = (
                    None
                )
            except RecursionError:
                self._problems["it is nested too deeply", part.line] = None
        return TablesReading(
            tuple(self._uses),
            tuple(self._problems),
            tuple(self._files),
            tuple(self._names),
            self._folding.depends_on_content,
            is_definition,
            all(_UNKNOWN_RELATION.match(reason) for reason, _ in self._problems),
            self._takes_names_for_texts,
        )

    def _note_undone(self, statement: Statement) -> None:
        """After ROLLBACK, a name may mean again what it meant before."""
        if isinstance(statement.tree, exp.Rollback):
            self._is_undone = self._is_undone or self._has_defined
        elif isinstance(statement.tree, exp.Create | exp.Drop | exp.Alter):
            self._has_defined = True
        if self._is_undone and isinstance(statement.tree, exp.Query | exp.Subquery | exp.DML):
            raise UnknownPartError("ROLLBACK may have undone what it defined")

    def _statement(self, statement: Statement) -> None:
        tree = statement.tree
        assert tree is not None  # noqa: S101 - otherwise there is a problem
        match tree:
            case exp.Query() | exp.Subquery() | exp.Values():
                reader = self._reader(statement)
                reader.used(reader.query(tree, None))
                self._finish(reader, statement)
            case exp.Create():
                self._create(tree, statement)
            case exp.Insert():
                self._insert(tree, statement)
            case exp.Update() | exp.Delete():
                self._update(tree, statement)
            case exp.Merge():
                self._merge(tree, statement)
            case exp.Command() | exp.Execute():
                word = statement.text.split(None, 1)[0].upper()
                if isinstance(tree, exp.Execute) or word not in HARMLESS_COMMANDS or reads_rows(statement.text):
                    raise UnknownPartError(f"it runs {word}, which may read anything")
                self._check_setting(statement)
                self._definitions.add(statement, self._reading, is_local=True)
            case exp.Copy() | exp.LoadData():
                raise UnknownPartError("it copies a file")
            case _ if isinstance(tree, HARMLESS):
                self._harmless(tree, statement)
            case _:
                raise UnknownPartError(f"kgprobe does not know what '{statement.text.split(None, 1)[0]}' reads")

    def _create(self, tree: exp.Create, statement: Statement) -> None:
        kind = (tree.kind or "").upper()
        if kind == "TABLE" and isinstance(tree.expression, exp.Query):
            reader = self._reader(statement)
            reader.used(reader.query(tree.expression, None))
            self._finish(reader, statement)
        if kind == "INDEX" or tree.find(exp.Reference) is not None:
            self._check_constraints(tree, statement)
        name = tree.find(exp.Table)
        known = self._catalogue.relation(name.name.lower(), name.db.lower()) if name is not None else None
        is_temporary = tree.find(exp.TemporaryProperty) is not None
        if is_temporary or not (tree.args.get("exists") and known is not None and not known.is_local):
            self._definitions.add(statement, self._reading, is_local=True)

    def _harmless(self, tree: exp.Expr, statement: Statement) -> None:
        if isinstance(tree, exp.Pragma) and reads_rows(statement.text):
            raise UnknownPartError("it checks the whole database")
        self._check_setting(statement)
        if isinstance(tree, exp.Alter):
            self._check_constraints(tree, statement)
        self._definitions.add(statement, self._reading, is_local=True)

    def _check_setting(self, statement: Statement) -> None:
        """A setting may change what other statements mean, and a variable may have been read from tables."""
        setting = unknown_setting(statement.text, self._reading.dialect, self._reading.masked.names)
        if setting is not None:
            raise UnknownPartError(f"kgprobe does not know what the setting {setting} changes")
        if statement.tree is not None and statement.tree.find(exp.Query) is not None:
            raise UnknownPartError("it sets a value that a query finds")

    def _check_constraints(self, tree: exp.Expr, statement: Statement) -> None:
        """A constraint on stored tables fails if their rows do not meet it."""
        reader = self._reader(statement)
        for table in tree.find_all(exp.Table):
            found = reader.catalogue.relation(table.name.lower(), table.db.lower())
            if found is not None and found.relation is not None and not found.is_local:
                self._whole(reader, found.name)
        self._finish(reader, statement)

    def _insert(self, tree: exp.Insert, statement: Statement) -> None:
        reader = self._reader(statement)
        scope = reader.with_ctes(tree, Scope())
        if isinstance(tree.expression, exp.Query | exp.Subquery | exp.Values):
            reader.used(reader.query(tree.expression, scope))
        target = self._target(tree.this, reader)
        if target is not None and (target.has_keys or tree.args.get("conflict") or tree.args.get("returning")):
            self._whole(reader, target.name)
        for name in target.keyed_to if target is not None else ():
            self._whole(reader, name)
        self._queries_in(reader, tree.args.get("conflict"), tree.args.get("returning"))
        self._finish(reader, statement)

    def _update(self, tree: exp.Expr, statement: Statement) -> None:
        """An update or a deletion reads what a query with the same relations and the same condition reads."""
        reader = self._reader(statement)
        if isinstance(tree.this, exp.Table) and not tree.args.get("tables"):
            from_ = tree.args.get("from_")
            others = [*(tree.args.get("using") or ()), *([from_.this] if from_ is not None else ())]
            joins = [exp.Join(this=other.copy()) for other in others]
            joins += (from_.args.get("joins") or ()) if from_ is not None else ()
            read = exp.Select(
                expressions=[
                    exp.Star(),
                    *(part.expression.copy() for part in tree.expressions if isinstance(part, exp.EQ)),
                ],
                from_=exp.From(this=tree.this.copy()),
                joins=joins,
                where=tree.args["where"].copy() if tree.args.get("where") is not None else None,
                with_=tree.args["with_"].copy() if tree.args.get("with_") is not None else None,
            )
            reader.used(reader.query(read, None))
        else:
            reader.used(reader.coarse(tree))
        self._queries_in(reader, tree.args.get("returning"))
        target = self._target(tree.this, reader)
        if target is not None:
            referring = {
                name
                for name, found in self._catalogue.relations.items()
                for one in found
                if target.name in one.keyed_to
            }
            for name in sorted(target.keyed_to | referring):
                self._whole(reader, name)
            if target.has_keys and isinstance(tree, exp.Update):
                self._whole(reader, target.name)
        self._finish(reader, statement)

    def _queries_in(self, reader: QueryReader, *parts: exp.Expr | None) -> None:
        for part in filter(None, parts):
            for query in part.find_all(exp.Query):
                reader.used(reader.query(query, None))

    def _merge(self, tree: exp.Merge, statement: Statement) -> None:
        reader = self._reader(statement)
        reader.used(reader.coarse(tree))
        self._target(tree.this, reader)
        self._finish(reader, statement)

    def _target(self, node: exp.Expr, reader: QueryReader) -> Definition | None:
        """The stored table that a statement changes; None if the test has made it itself."""
        table = node.this if isinstance(node, exp.Schema) else node
        if not isinstance(table, exp.Table) or MARK in table.name:
            raise UnknownPartError("it changes a relation that kgprobe does not know")
        found = reader.catalogue.relation(table.name.lower(), table.db.lower())
        if found is None:
            raise UnknownPartError(
                f"relation '{table.name}' is not known: add its definition with --schema FILE or --database URL"
            )
        if found.relation is None or found.problem:
            raise UnknownPartError(f"it changes '{table.name}', which is not a table")
        if found.is_local:
            return None
        if found.name in reader.catalogue.guarded:
            raise UnknownPartError(f"relation '{table.name}' has a {reader.catalogue.guarded[found.name]}")
        return found

    def _whole(self, reader: QueryReader, name: str) -> None:
        reader.occurrences.append(Occurrence(name, None, None))

    def _reader(self, statement: Statement) -> QueryReader:
        return QueryReader(
            self._definitions.catalogue(), self._dialect or None, self._folding, first_line=statement.line
        )

    def _finish(self, reader: QueryReader, statement: Statement) -> None:
        self._takes_names_for_texts |= reader.takes_names_for_texts
        self._files.update(reader.files)
        self._names.update(reader.names)
        if not reader.occurrences:
            return
        if self._changes_rows or self._reading.masked.has_templates:
            for occurrence in reader.occurrences:
                occurrence.columns = None
        sources = reader.sources()
        if self._changes_rows:
            # A value that the test has written may connect rows that were not connected before.
            sources = tuple(replace(source, equal=()) for source in sources)
        text = " ".join(re.sub(f"{MARK}(\\d+).", "?", statement.text).split())
        self._uses.append(TablesUse(sources, text, statement.line))


def _changes_rows(statements: Sequence[Statement]) -> bool:
    """Whether statements change tables that they have not made."""
    trees = [statement.tree for statement in statements]
    own = {_table_name(tree) for tree in trees if isinstance(tree, exp.Create) and (tree.kind or "").upper() == "TABLE"}
    changed = {
        _table_name(tree) for tree in trees if isinstance(tree, exp.Insert | exp.Update | exp.Delete | exp.Merge)
    }
    return bool(changed - own)


def _table_name(tree: exp.Expr) -> str:
    table = tree.this.find(exp.Table) if isinstance(tree.this, exp.Expr) else None
    return table.name.lower() if table is not None else ""
