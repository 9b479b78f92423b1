"""What a change of the ontology changes in the tables that a loading profile describes, as far as a statement sees it.

A statement depends on the rows of its sources that pass their restrictions. They are compared source by source. If the
rows of the earlier sources do not differ, a semijoin with them allows the same values in both versions, so the values
in the old version are enough. In a recursive query, the rows are the least fixed point: if no changed row passes with
the values of the old version, the same rows are the fixed point in the new one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.table import Key
from kgprobe.selection.changed_triples import Changed, ChangedTriples
from kgprobe.selection.cones import Cones
from kgprobe.selection.tests import Constants, Equal, Source, TablesUse
from kgprobe.selection.vocabulary import compiled
from kgprobe.selection.warehouse.affected import EverythingChangesError
from kgprobe.selection.warehouse.layout import Layout, Versions
from kgprobe.selection.warehouse.profile import (
    KEY,
    UNKNOWN,
    Cell,
    Content,
    NamesIn,
    Role,
    Scheme,
    TermsByText,
    Warehouse,
    content_of,
    folded,
    local_name,
)
from kgprobe.selection.warehouse.rows import DOUBT, Row, TableRows

# With more values than this, a restriction costs more than it saves. Without it, more rows count.
_MOST_VALUES: Final = 5_000
_MOST_ROWS: Final = 50_000


@dataclass(frozen=True)
class ChangedRow:
    """A row that only one version of a table has, or (without cells) a table in which any row may change."""

    table: str
    cells: Mapping[str, str]
    added: bool
    changed: Changed | None

    def __str__(self) -> str:
        if not self.cells:
            return f"any row of {self.table} may change"
        cells = ", ".join(f"{column} {value}" for column, value in self.cells.items())
        return f"{self.table} {'gains' if self.added else 'loses'} a row ({cells})"


def unknown_parts(warehouse: Warehouse, use: TablesUse) -> Iterator[str]:
    """The tables and columns of a statement that a profile does not describe."""
    said = f"the warehouse profile {warehouse.name}".rstrip()
    for source in use.sources:
        if source.table in warehouse.loaded_from_elsewhere:
            continue
        if source.table not in warehouse.by_name:
            yield f"{said} has no table '{source.table}': describe it, or add it to 'data'{_at(source.line)}"
            continue
        known = {column.lower() for column in warehouse.by_name[source.table].columns}
        used = {*(source.columns or ()), *source.constants, *(equal.column for equal in source.equal)}
        used.update(
            at.column
            for other in use.sources
            for equal in other.equal
            for at in equal.values_of
            if use.sources[at.source] is source
        )
        for column in sorted(used - known):
            yield f"{said} does not say what the column {source.table}.{column} holds{_at(source.line)}"


def _at(line: int | None) -> str:
    return f" (line {line})" if line else ""


class Loaded:
    """The tables of a warehouse in two versions. Rows are made only where a statement looks."""

    def __init__(self, warehouse: Warehouse, graphs: Sequence[Graph], triples: ChangedTriples, cones: Cones) -> None:
        old, new = graphs
        names = NamesIn(old, graphs, warehouse.prefixes), NamesIn(new, graphs, warehouse.prefixes)
        texts = TermsByText(list(zip(graphs, names, strict=True)))
        self._warehouse = warehouse
        self._versions = Versions((old, new), names, texts, triples, cones, warehouse.prefixes)
        self._tables: dict[str, TableRows] = {}
        self._matchers: dict[Constants, _Matcher] = {}

    def hit(self, use: TablesUse) -> ChangedRow | None:
        """A changed row that the statement can see; None if there is none."""
        sources = tuple(map(self._understood, use.sources))
        evaluation = _Evaluation(self, sources)
        for number, source in enumerate(sources):
            if source.table not in self._warehouse.loaded_from_elsewhere:
                table = self.table(source.table)
                if table is not None and (label := table.affected.other_label) is not None:
                    return ChangedRow(source.table, {}, added=label[1], changed=label)
                try:
                    found = evaluation.changed(number)
                except EverythingChangesError as reason:
                    return ChangedRow(source.table, {}, added=reason.changed[1], changed=reason.changed)
                if found is not None:
                    return found
        return None

    def _understood(self, source: Source) -> Source:
        """The source without restrictions to texts of which nobody knows for what the loader writes them."""
        table = self.table(source.table)
        if table is None:
            return source
        unclear = {
            column
            for column, said in source.constants.items()
            if any(table.may_stand_for_anything(column, text) for text in said.texts)
        }
        if not unclear:
            return source
        kept = {column: said for column, said in source.constants.items() if column not in unclear}
        columns = None if source.columns is None else source.columns | unclear
        return replace(source, columns=columns, constants=kept)

    def doubts(self, use: TablesUse) -> Iterator[str]:
        """Texts that name a term in another way than the profile says that the column does: one of the two is wrong."""
        for source in use.sources:
            table = self.table(source.table)
            for column, constants in source.constants.items() if table is not None else ():
                content = table.contents[column] if table is not None else None
                if content is None or content.scheme in (None, Scheme.KEY) or content.role is Role.RELATION:
                    continue
                for text in sorted(constants.texts):
                    if not self.meant(content, text) and (scheme := self._other_scheme(text, content)) is not None:
                        place = f"{source.table}.{column}"
                        yield (
                            f"the warehouse profile {self._warehouse.name} says that {place} names terms by "
                            f"{content.scheme.value}, but '{text}' is the {scheme.value} of a term{_at(source.line)}"
                        )

    def _other_scheme(self, text: str, content: Content) -> Scheme | None:
        for scheme in (Scheme.LABEL, Scheme.LOCAL_NAME, Scheme.CURIE, Scheme.IRI):
            if scheme is not content.scheme and self.meant(content_of(f"term {scheme.value}", "terms"), text):
                return scheme
        return None

    def table(self, name: str) -> TableRows | None:
        """The rows of a table; None if it is data."""
        if name in self._warehouse.loaded_from_elsewhere:
            return None
        if name not in self._tables:
            scheme = Scheme(self._warehouse.identifiers)
            self._tables[name] = TableRows(Layout(name, self._warehouse.by_name[name], self._versions, scheme))
        return self._tables[name]

    def meant(self, content: Content, text: str) -> Iterable[Key] | None:
        """The terms for which a column holds a text; None if nobody knows."""
        return self._versions.texts.meant(content, text)

    def named(self, term: Key | None) -> dict[str, str]:
        """The term that a row belongs to, if none of its columns is seen."""
        return {"about": "nothing" if term is None else local_name(self._versions.graphs[0].term(term).value)}

    def matcher(self, constants: Constants) -> _Matcher:
        """Tells which cells pass a restriction."""
        if constants not in self._matchers:
            self._matchers[constants] = _Matcher(constants)
        return self._matchers[constants]


class _Matcher:
    """Which cells may equal one of some constants, or match one of some patterns."""

    def __init__(self, constants: Constants) -> None:
        self._texts = set(map(folded, constants.texts))
        self._patterns = [compiled(pattern, escape) for pattern, escape in constants.patterns]

    def passes(self, cell: Cell) -> bool:
        return any(map(self._is_one, cell))

    def _is_one(self, text: str) -> bool:
        if text.startswith("\0") or folded(text) in self._texts:
            return True
        return any(pattern.fullmatch(text) for pattern in self._patterns)


class _Values:
    """The values of columns, for a semijoin. A key and a text may be the same value, so they are not told apart."""

    def __init__(self, cells: Iterable[Cell]) -> None:
        self.texts = {text if text.startswith("\0") else folded(text) for cell in cells for text in cell}
        self._has_unknown = any(text.startswith(UNKNOWN) for text in self.texts)
        self._has_keys = any(text.startswith(KEY) for text in self.texts)
        self._has_names = any(not text.startswith("\0") for text in self.texts)

    def pass_(self, cell: Cell) -> bool:
        return self._has_unknown or any(map(self._is_one, cell))

    def _is_one(self, text: str) -> bool:
        if text.startswith(KEY):
            return text in self.texts or self._has_names
        return text.startswith(UNKNOWN) or folded(text) in self.texts or self._has_keys


class _Evaluation:
    """The rows that one statement sees."""

    def __init__(self, loaded: Loaded, sources: Sequence[Source]) -> None:
        self._loaded = loaded
        self._sources = sources
        self._complete: dict[int, list[Row] | None] = {}
        self._so_far: dict[int, list[Row] | None] = {}
        self._values_of: dict[int, _Values | None] = {}

    def changed(self, number: int) -> ChangedRow | None:
        """A row of a source that passes its restrictions in one version only."""
        source = self._sources[number]
        table = self._loaded.table(source.table)
        assert table is not None  # noqa: S101 - data do not change
        shown = [place for column, place in table.columns.items() if _matters(column, source)]

        def doubts(row: Row) -> list[Cell]:
            return [] if table.layout.keeps_all else [cell[-1:] for cell in row if cell and cell[-1].startswith(DOUBT)]

        for term, *rows in self._candidates(number, table):
            counts = [
                Counter((*(row[p] for p in shown), *doubts(row)) for row in each if self._passes(row, number))
                for each in rows
            ]
            if counts[0] != counts[1]:
                gone, come = counts[0] - counts[1], counts[1] - counts[0]
                row = next(iter(gone or come))
                columns = [column for column, place in table.columns.items() if place in shown]
                cells = {column: _shown(cell) for column, cell in zip(columns, row, strict=False) if _is_clear(cell)}
                cause = None if term is None else table.affected.cause(term, added=not gone)
                return ChangedRow(source.table, cells or self._loaded.named(term), added=not gone, changed=cause)
        return None

    def _candidates(self, number: int, table: TableRows) -> Iterator[tuple[Key | None, Sequence[Row], Sequence[Row]]]:
        access = self._access(number, table)
        if access is None:
            yield from table.changed_rows
            return
        role, keys = access
        distances = [column for column, content in table.contents.items() if content.thing == "distance"]
        by_distance = any(_matters(column, self._sources[number]) for column in distances)
        for key in keys:
            if table.layout.is_about_pairs:
                yield from table.changed_pairs(key, upwards=role is Role.TERM, by_distance=by_distance)
            elif table.may_differ(key):
                yield key, table.rows(0, key), table.rows(1, key)

    # -- the rows that pass in the old version -------------------------------------------------------------------

    def _rows(self, number: int) -> list[Row] | None:
        """The rows of a source that pass its restrictions in the old version; None if there are too many to list."""
        if number in self._complete:
            return self._complete[number]
        if number in self._so_far:
            return self._so_far[number]
        self._so_far[number] = []
        while True:
            found = self._selected(number)
            if found is None or len(found) == len(self._so_far[number] or ()):
                break
            self._so_far[number] = found
        del self._so_far[number]
        if not self._so_far:
            self._complete[number] = found
        return found

    def _selected(self, number: int) -> list[Row] | None:
        table = self._loaded.table(self._sources[number].table)
        access = None if table is None else self._access(number, table)
        if table is None or access is None:
            return None
        role, keys = access
        found: dict[Row, None] = {}
        for key in keys:
            rows = table.rows_to(0, key) if role is Role.UPPER else table.rows(0, key)
            found.update((row, None) for row in rows if self._passes(row, number))
            if len(found) > _MOST_ROWS:
                return None
        return list(found)

    # -- restrictions --------------------------------------------------------------------------------------------

    def _access(self, number: int, table: TableRows) -> tuple[Role, Sequence[Key]] | None:
        """The terms that a restriction leaves, and their role in the rows; None if no restriction does."""
        found: list[tuple[Role, Sequence[Key]]] = []
        source = self._sources[number]
        for column, constants in source.constants.items():
            if not constants.patterns:
                found += self._narrowed(table, column, constants.texts)
        for equal in source.equal:
            values = self._values(equal)
            if values is not None:
                found += self._narrowed(table, equal.column, values.texts)
        return min(found, key=lambda each: len(each[1]), default=None)

    def _narrowed(self, table: TableRows, column: str, texts: Iterable[str]) -> Iterator[tuple[Role, Sequence[Key]]]:
        for role, contents in table.named_by(column):
            keys: dict[Key, None] = {}
            for text in texts:
                for content in contents:
                    meant = self._loaded.meant(content, text)
                    if meant is None:
                        return
                    keys.update(dict.fromkeys(meant))
                if len(keys) > _MOST_VALUES:
                    return
            yield role, list(keys)

    def _values(self, equal: Equal) -> _Values | None:
        """The values that a semijoin allows; None for any."""
        if id(equal) in self._values_of:
            return self._values_of[id(equal)]
        found = self._made_values(equal)
        if not self._so_far:
            self._values_of[id(equal)] = found
        return found

    def _made_values(self, equal: Equal) -> _Values | None:
        cells: list[Cell] = []
        for at in equal.values_of:
            rows = self._rows(at.source)
            table = self._loaded.table(self._sources[at.source].table)
            if rows is None or table is None:
                return None
            place = table.columns[at.column]
            cells += [row[place] for row in rows]
        return _Values(cells)

    def _passes(self, row: Row, number: int) -> bool:
        source, table = self._sources[number], self._loaded.table(self._sources[number].table)
        assert table is not None  # noqa: S101 - rows come from a table
        for column, constants in source.constants.items():
            if not self._loaded.matcher(constants).passes(row[table.columns[column]]):
                return False
        for equal in source.equal:
            values = self._values(equal)
            if values is not None and not values.pass_(row[table.columns[equal.column]]):
                return False
        return True


def _matters(column: str, source: Source) -> bool:
    if source.columns is None or column in source.columns or column in source.constants:
        return True
    return any(equal.column == column for equal in source.equal)


def _is_clear(cell: Cell) -> bool:
    return bool(cell) and cell[0] != UNKNOWN


def _shown(cell: Cell) -> str:
    text = cell[0]
    return local_name(text.rstrip(">")) if text.startswith("\0") else f"'{text}'"
