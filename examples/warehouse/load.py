"""Loads an ontology into the warehouse: `python load.py food.ttl warehouse.sqlite`.

`load` works with any connection of Python's database API. The tables are filled by SQL, in `etl.sql`.
"""

import re
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pyoxigraph

FOLDER = Path(__file__).parent


def statements(file: str) -> list[str]:
    """The statements of a file."""
    text = re.sub(r"^--.*\n", "", (FOLDER / file).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [each for each in text.split(";\n") if each.strip()]


def rows(ontology: bytes) -> list[tuple[str, str, str]]:
    """The triples of an ontology in Turtle. IRIs are shortened to their last parts."""
    found = pyoxigraph.parse(ontology, format=pyoxigraph.RdfFormat.TURTLE)
    return [(_text(each.subject), _text(each.predicate), _text(each.object)) for each in found]


def _text(term: Any) -> str:
    if isinstance(term, pyoxigraph.BlankNode):
        return f"_:{term.value}"
    return re.split("[#/]", term.value)[-1] if isinstance(term, pyoxigraph.NamedNode) else str(term.value)


def load(cursor: Any, ontology: bytes, mark: str = "?") -> None:
    """Fill an empty database. `mark` is how its driver writes a parameter."""
    cursor.execute("CREATE TABLE triples (subject VARCHAR(200), predicate VARCHAR(80), object VARCHAR(200))")
    cursor.executemany(f"INSERT INTO triples VALUES ({mark}, {mark}, {mark})", rows(ontology))  # noqa: S608 - a mark
    for statement in (*statements("schema.sql"), *statements("etl.sql")):
        cursor.execute(statement)


if __name__ == "__main__":
    database = sqlite3.connect(sys.argv[2])
    load(database.cursor(), Path(sys.argv[1]).read_bytes())
    database.commit()
