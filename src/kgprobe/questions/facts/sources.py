"""The sources of facts: graph files, folders of them, and SPARQL endpoints.

All triples of an endpoint are read, whatever order it answers in and however many rows it answers with. LIMIT and
OFFSET would need a stable order, which no endpoint promises. Instead, the triples of each relation are split by a
digest of their text into buckets that fit into one answer. The endpoint also counts each bucket, so an answer that it
cut short is noticed.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlencode

from pyoxigraph import QueryResultsFormat, QuerySolutions, parse_query_results

from kgprobe.errors import InputError, Position, UnavailableError, one_line
from kgprobe.formats import files
from kgprobe.formats.catalogue import by_extension
from kgprobe.network.exchange import Connections, HttpAnswer, NoAnswerError, check_url, exchange
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Triple
from kgprobe.wording import number_of

_PAGE = 20_000
_MOST_TRIPLES = 50_000_000
_SECONDS = 120.0
_ATTEMPTS = 6
_LONGEST_WAIT = 30.0
_DIGITS = 32  # of an MD5 digest
_HEADERS = {
    "Content-Type": "application/x-www-form-urlencoded",
    "Accept": "application/sparql-results+json",
    "User-Agent": "kgprobe",
}
_BUSY = (429, 500, 502, 503, 504)
# The text of a blank node is an error, so such triples are in no bucket. Their labels mean something only within one
# answer, so all of them must fit into one.
_NAMED = "FILTER(!isBlank(?s) && !isBlank(?o))"
_UNNAMED = "FILTER(isBlank(?s) || isBlank(?o))"
_DIGEST = 'MD5(CONCAT(STR(?s), " ", STR(?p), " ", STR(?o)))'


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A SPARQL endpoint. `page` are the most triples to ask for at once; `most` are the most triples to load."""

    url: str
    page: int = _PAGE
    most: int = _MOST_TRIPLES
    seconds: float = _SECONDS
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        check_url(self.url)

    def counts(self) -> tuple[int, dict[str, int]]:
        """The number of all triples, and of those of each relation, without blank nodes."""
        with self._asked() as asking:
            return asking.total(), asking.relations()

    def triples(self) -> Generator[Triple, None, list[str]]:
        """All triples. UnavailableError if the endpoint does not answer, or not completely. Returns notes."""
        notes: list[str] = []
        with self._asked() as asking:
            total = asking.total()
            if total > self.most:
                has = number_of(total, "triple")
                raise UnavailableError(f"{self.url} has {has}, and at most {self.most:,} can be loaded")
            relations = asking.relations()
            named = asking.count(_NAMED)
            if sum(relations.values()) == named:
                for relation, count in sorted(relations.items()):
                    yield from asking.bucket(f"?s <{relation}> ?o BIND(<{relation}> AS ?p)", "", count)
            else:  # the list of relations was cut short
                yield from asking.bucket("?s ?p ?o", "", named)
            unnamed = total - named
            if 0 < unnamed <= asking.page:
                yield from asking.unnamed(unnamed)
            elif unnamed:
                notes.append(f"{unnamed} triples with blank nodes are left out: they do not fit into one answer")
        return notes

    @contextmanager
    def _asked(self) -> Iterator[_Asking]:
        connections = Connections()
        try:
            yield _Asking(self, connections)
        finally:
            connections.close()


class _Asking:
    """Questions to an endpoint over connections that stay open. `page` shrinks if the endpoint answers with less."""

    def __init__(self, endpoint: Endpoint, connections: Connections) -> None:
        self._endpoint = endpoint
        self._connections = connections
        self.page = endpoint.page

    def total(self) -> int:
        """The number of triples."""
        return self.count("")

    def count(self, filter_: str) -> int:
        """The number of triples that pass a filter."""
        rows = self._rows(f"SELECT (COUNT(*) AS ?n) WHERE {{ ?s ?p ?o {filter_} }}")
        return _number(rows[0]["n"]) if rows else 0

    def relations(self) -> dict[str, int]:
        """The number of triples of each relation, without blank nodes."""
        rows = self._rows(f"SELECT ?p (COUNT(*) AS ?n) WHERE {{ ?s ?p ?o {_NAMED} }} GROUP BY ?p")
        return {row["p"].value: _number(row["n"]) for row in rows if row["p"] is not None}

    def bucket(self, pattern: str, prefix: str, count: int) -> Iterator[Triple]:
        """The triples of a pattern whose digest begins with a prefix; there are `count` of them."""
        if count <= self.page:
            rows = self._triples(pattern, prefix)
            if len(rows) == count:
                yield from rows
                return
            if len(rows) > count or count <= 1:
                raise self._inconsistent(count, len(rows))
            self.page = len(rows) or count // 2  # it cuts longer answers short, or they are too large for us
        if len(prefix) == _DIGITS:
            raise self._inconsistent(count, 0)
        parts = self._parts(pattern, prefix)
        if sum(parts.values()) != count:
            raise self._inconsistent(count, sum(parts.values()))
        for longer, number in sorted(parts.items()):
            yield from self.bucket(pattern, longer, number)

    def unnamed(self, count: int) -> list[Triple]:
        """The triples with blank nodes."""
        rows = self._select(f"SELECT ?s ?p ?o WHERE {{ ?s ?p ?o {_UNNAMED} }}")
        if len(rows) != count:
            raise self._inconsistent(count, len(rows))
        return rows

    def _triples(self, pattern: str, prefix: str) -> list[Triple]:
        within = f'FILTER(STRSTARTS({_DIGEST}, "{prefix}"))' if prefix else ""
        return self._select(f"SELECT ?s ?p ?o WHERE {{ {pattern} {_NAMED} {within} }}")

    def _parts(self, pattern: str, prefix: str) -> dict[str, int]:
        """The numbers of triples in the buckets inside a bucket, by their prefixes."""
        within = f'FILTER(STRSTARTS(?digest, "{prefix}"))' if prefix else ""
        rows = self._rows(
            f"SELECT ?part (COUNT(*) AS ?n) WHERE {{ {pattern} {_NAMED} BIND({_DIGEST} AS ?digest) {within}"
            f" BIND(SUBSTR(?digest, 1, {len(prefix) + 1}) AS ?part) }} GROUP BY ?part"
        )
        return {row["part"].value: _number(row["n"]) for row in rows if row["part"] is not None}

    def _select(self, query: str) -> list[Triple]:
        try:
            return [Triple(row["s"], row["p"], row["o"]) for row in self._rows(query)]
        except (TypeError, ValueError) as error:
            raise self._unreadable(error) from None

    def _rows(self, query: str) -> list[Any]:
        answer = self._answer(query)
        if answer.is_cut:  # too large for us
            return []
        try:
            solutions = parse_query_results(answer.body, QueryResultsFormat.JSON)
            if not isinstance(solutions, QuerySolutions):
                raise ValueError("it is not a table")
            rows = list(solutions)
        except (ValueError, SyntaxError, OSError, RecursionError) as error:
            raise self._unreadable(error) from None
        if any(not isinstance(value, NamedNode | BlankNode | Literal | None) for row in rows for value in row):
            raise self._unreadable("it uses RDF 1.2, but kgprobe reads RDF 1.1")
        return rows

    def _answer(self, query: str) -> HttpAnswer:
        """The answer to a query; a busy endpoint is asked again, after a while."""
        endpoint = self._endpoint
        body = urlencode({"query": query}).encode()
        problem = ""
        for attempt in range(_ATTEMPTS):
            wait = min(_LONGEST_WAIT, 0.5 * 2**attempt)
            try:
                answer = exchange(
                    *("POST", endpoint.url),
                    seconds=endpoint.seconds,
                    body=body,
                    headers=_HEADERS,
                    connections=self._connections,
                )
            except NoAnswerError as error:
                problem = error.remark
            else:
                if answer.status == 200:
                    return answer
                problem = f"status {answer.status}: {one_line(answer.text)[:200]}"
                if answer.status not in _BUSY:
                    break
                wait = _stated_wait(answer, wait)
            if attempt < _ATTEMPTS - 1:
                endpoint.sleep(wait)
        raise UnavailableError(f"the facts of {endpoint.url} cannot be read: {problem}")

    def _inconsistent(self, counted: int, received: int) -> UnavailableError:
        return UnavailableError(
            f"{self._endpoint.url} counted {counted} triples and answered with {received}", hint="it may have changed"
        )

    def _unreadable(self, why: object) -> UnavailableError:
        return UnavailableError(f"an answer of {self._endpoint.url} cannot be read: {one_line(str(why))}")


def _number(value: Any) -> int:
    try:
        return int(value.value)
    except (AttributeError, ValueError):
        return 0


def _stated_wait(answer: HttpAnswer, otherwise: float) -> float:
    """The seconds that a busy server asks for, up to a limit."""
    stated = answer.headers.get("retry-after", "")
    return min(_LONGEST_WAIT, float(stated)) if stated.isdecimal() else otherwise


# A larger file with the same size and time of change is taken for unchanged: reading it costs seconds.
_ALWAYS_READ = 64 << 20


@dataclass(frozen=True, slots=True)
class Seen:
    """How a source looked when it was loaded. A source that looks the same has the same triples."""

    size: int
    changed: int
    digest: str


class FactSource(Protocol):
    """Something that has triples."""

    @property
    def name(self) -> str:
        """The name in messages."""

    @property
    def identity(self) -> str:
        """Sources with different identities are different, whatever their triples. It does not depend on the folder."""

    @property
    def is_repeatable(self) -> bool:
        """Whether its triples always have the same order, unless it changes."""

    def seen(self) -> Seen:
        """How it looks now."""

    def has_changed(self, since: Seen) -> bool:
        """Whether it looks different from how it looked before."""

    def triples(self) -> Generator[Triple, None, list[str]]:
        """The triples; returns notes for the user."""


@dataclass(frozen=True, slots=True)
class GraphFile:
    """A file with a graph."""

    path: Path
    is_repeatable: bool = True

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def identity(self) -> str:
        return self.path.name  # the base of relative IRIs depends on it

    def seen(self) -> Seen:
        return Seen(*self._status(), self._digest())

    def has_changed(self, since: Seen) -> bool:
        size, changed = self._status()
        if size > _ALWAYS_READ and (size, changed) == (since.size, since.changed):
            return False
        return size != since.size or self._digest() != since.digest

    def triples(self) -> Generator[Triple, None, list[str]]:
        return files.stream(self.path)

    def _status(self) -> tuple[int, int]:
        try:
            status = self.path.stat()
        except (OSError, ValueError):
            return -1, -1  # reading it raises an error with a hint
        return status.st_size, status.st_mtime_ns

    def _digest(self) -> str:
        try:
            with self.path.open("rb") as stream:
                return hashlib.file_digest(stream, "sha256").hexdigest()
        except (OSError, ValueError):
            return ""


@dataclass(frozen=True, slots=True)
class _EndpointSource:
    """A SPARQL endpoint. The numbers of triples of its relations show whether it has changed."""

    endpoint: Endpoint
    is_repeatable: bool = False

    @property
    def name(self) -> str:
        return self.endpoint.url

    @property
    def identity(self) -> str:
        return self.endpoint.url

    def seen(self) -> Seen:
        total, counts = self.endpoint.counts()
        return Seen(total, 0, hashlib.sha256(repr(sorted(counts.items())).encode()).hexdigest())

    def has_changed(self, since: Seen) -> bool:
        return self.seen() != since

    def triples(self) -> Generator[Triple, None, list[str]]:
        return self.endpoint.triples()


def _is_address(source: str | Path) -> bool:
    """Whether a source of facts is the address of an endpoint, not a path."""
    return isinstance(source, str) and source.casefold().startswith(("http://", "https://"))


def sources_of(given: Iterable[str | Path]) -> list[FactSource]:
    """The given files and endpoints; a folder stands for the graph files in it, in the order of their names.

    Graph files are those whose extension stands for a format. InputError if a folder has none.
    """
    sources: list[FactSource] = []
    for source in given:
        if _is_address(source):
            sources.append(_EndpointSource(Endpoint(str(source))))
        elif Path(source).is_dir():
            inside = sorted(_graph_files_in(Path(source)))
            if not inside:
                raise InputError("has no graph files", where=Position(str(source)), hint="name files or another folder")
            sources += map(GraphFile, inside)
        else:
            sources.append(GraphFile(Path(source)))
    if not sources:
        raise InputError("no source of facts is given")
    return sources


def _graph_files_in(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and by_extension(name) is not None:
                yield Path(root, name)
