"""What is known about the database that SQL tests ask: from files with definitions, a live database and a profile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.given_files import exact_text
from kgprobe.selection.discovery.files import SQL_SUFFIXES, walk
from kgprobe.selection.discovery.search import Search
from kgprobe.selection.discovery.sql_files import defines_relations
from kgprobe.selection.warehouse.catalogue import Catalogue, Definitions, only_defines
from kgprobe.selection.warehouse.sql.statements import definitions_in

__all__ = ["catalogue_for"]


def catalogue_for(search: Search) -> Catalogue:
    """The relations and functions that tests can use.

    What a live database says counts most, then files of --schema and files among the tests that only define something.
    A test that makes a relation for itself does not change what others see.
    """
    options = search.options
    live = Catalogue()
    if options.database is not None:
        from kgprobe.selection.warehouse.database import read_database

        live = read_database(options.database)
    found, of_tests = Definitions(), Definitions()
    for file, text, is_given in _texts(search):
        reading = definitions_in(text, options.dialect)
        is_schema = is_given or only_defines(reading.statements)
        (found if is_schema else of_tests).collect(reading, str(file))
    for relation in options.stored:
        found.store(relation)
    for problem in found.problems:
        search.note(problem)
    return live.with_others(found.catalogue()).with_others(of_tests.catalogue())


def _texts(search: Search) -> Iterator[tuple[Path, str, bool]]:
    """The files that may define relations, each once, and whether the user has given it as a schema."""
    seen = set()
    for file in _given(search):
        seen.add(os.path.realpath(file))
        yield file, exact_text(file), True
    beside = walk(search.options.beside, search.root, search.note)
    for each in [*search.sql_files, *(each for each in beside if each.suffix in SQL_SUFFIXES)]:
        place = os.path.realpath(each.path)
        if place not in seen:
            seen.add(place)
            try:
                text = exact_text(each.path)
            except InputError:
                continue  # its test says so
            if defines_relations(text):
                yield each.file, text, False


def _given(search: Search) -> Iterator[Path]:
    """The files of --schema."""
    for path in search.options.schema:
        if not path.exists():
            raise InputError(
                "does not exist", where=Position(str(path)), hint="--schema names a file or folder with SQL"
            )
        if path.is_dir():
            files = [each.file for each in walk([path], search.root, search.note) if each.suffix in SQL_SUFFIXES]
            if not files:
                hint = f"it has definitions in files such as *{SQL_SUFFIXES[0]}"
                raise InputError("has no SQL file", where=Position(str(path)), hint=hint)
            yield from files
        else:
            yield path
