"""Show that a judgement is right: run the query as published and a repaired one on small data.

    python evidence.py ../checkouts --judgements judgements.csv

`../checkouts` has a folder OWNER+NAME for each repository. For each bug that is judged true, this prints how many
answers each of the two queries has. bugs.toml has the repairs, the folder `data` the data.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import tomllib
from pathlib import Path

import pyoxigraph

from kgprobe.queries.files.query_files import read_source
from kgprobe.queries.files.texts import unknown_prefixes

_HERE = Path(__file__).parent
# What the projects themselves fill into their templates.
_FILLED_IN = (
    (re.compile(r"<HYGIENE_TESTS_FILTER_PARAMETER>"), '".*"'),
    (re.compile(r"\{%.*?%\}", re.DOTALL), ""),
    (re.compile(r"\{\{ q \}\}"), "Q1"),
    (re.compile(r"\{\{arg1\}\}"), ""),
    (re.compile(r"\{\{ sparql_helpers[^}]*\}\}"), ""),
    (re.compile(re.escape(r"'\\\\$1'")), r"'\\\\$1'"),
    (re.compile(r"\bafn:localname\("), "STR("),
    (re.compile(r"\bconcat \(", re.IGNORECASE), "CONCAT("),
)


def main() -> int:
    """Print a row for each bug; 1 if a repair changes nothing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--judgements", type=Path, default=_HERE / "judgements.csv")
    given = parser.parse_args()
    bugs = tomllib.loads((_HERE / "bugs.toml").read_text())
    with given.judgements.open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["verdict"] == "true" and row["bug"]]
    unchanged = 0
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("repository", "path", "line", "bug", "as published", "repaired"))
    for place in dict.fromkeys(tuple(row[name] for name in ("repository", "path", "line", "bug")) for row in rows):
        repository, path, line, bug = place
        file = given.checkouts / repository.replace("/", "+") / path
        before, after = _answers(file, int(line), bugs[bug])
        writer.writerow((*place, before, after))
        unchanged += before == after
    print(f"{unchanged} repairs change nothing", file=sys.stderr)
    return 1 if unchanged else 0


def _answers(file: Path, line: int, bug: dict) -> tuple[int, int]:
    """The numbers of answers of the query at a line, as published and repaired."""
    source = read_source(str(file))
    text = source.file.text
    start = sum(len(each) for each in text.splitlines(keepends=True)[: line - 1])
    repaired_line = text[start:].partition("\n")[0]
    end = start + len(repaired_line)
    [query] = [
        each for each in source.queries if not each.offsets or (each.offsets[0] <= end and start < each.offsets[-1])
    ]
    published = text if source.is_query_file else query.text
    if query.is_template and not source.is_query_file:
        published = text[query.offsets[0] : query.offsets[-1]]
    old, new = bug["replace"]
    if bug.get("anywhere"):  # the line contradicts another one, and that one is repaired
        repaired_line = old
    changed = repaired_line.replace(old, new)
    for also in bug.get("also", ()):
        changed = changed.replace(*also)
    if changed == repaired_line or repaired_line not in published:
        return 0, 0
    store = pyoxigraph.Store()
    store.load((_HERE / "data" / bug["data"]).read_bytes(), pyoxigraph.RdfFormat.TRIG)
    dated = pyoxigraph.NamedNode("http://example.org/2015-12-15")
    store.load(b"<urn:s> <urn:p> <urn:o> .", pyoxigraph.RdfFormat.TURTLE, to_graph=dated)
    prefixes = {**query.prefixes, **unknown_prefixes(query.text, query.prefixes)}
    texts = (
        published,
        _replaced(published, repaired_line, changed, start if source.is_query_file and not bug.get("anywhere") else 0),
    )
    given = bug.get("given", {})
    before, after = (_count(store, _with_values(_filled(each), given), prefixes) for each in texts)
    return before, after


def _replaced(text: str, line: str, by: str, start: int) -> str:
    """A text with a line replaced where it is at or after an offset, or else where it is first."""
    place = text.find(line, start)
    place = text.find(line) if place < 0 else place
    return text[:place] + by + text[place + len(line) :]


def _with_values(text: str, given: dict[str, str]) -> str:
    """A query with the IRIs that a program gives its variables."""
    for name, iri in given.items():
        text = re.sub(rf"[?$]{name}\b", f"<{iri}>", text)
    return text


def _filled(text: str) -> str:
    for pattern, value in _FILLED_IN:
        text = pattern.sub(value, text)
    return text


def _count(store: pyoxigraph.Store, text: str, prefixes: dict[str, str]) -> int:
    """The number of rows or triples, or what a query counts; for an update, the number of quads that are left."""
    if re.search(r"^\s*DELETE", text, re.MULTILINE):
        copy = pyoxigraph.Store()
        copy.extend(store)
        copy.update(text, prefixes=prefixes)
        return len(copy)
    answers = list(store.query(re.sub(r"\bFROM <[^>]*>", "", text), prefixes=prefixes))
    if len(answers) == 1 and isinstance(answers[0], pyoxigraph.QuerySolution) and len(answers[0]) == 1:
        value = answers[0][0]
        if isinstance(value, pyoxigraph.Literal) and value.value.isdigit():
            return int(value.value)
    return len(set(map(str, answers)))


if __name__ == "__main__":
    sys.exit(main())
