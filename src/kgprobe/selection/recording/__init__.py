"""Recording what tests use: the SPARQL queries that reach an endpoint, and the SQL that tests run.

The endpoint listens on localhost only, and answers from one graph. A test identifies itself by the path of its endpoint
address, by the header `X-Kgprobe-Test`, or by the parameter `kgprobe-test`. Each query is recorded when it arrives.

SQL is recorded by a cursor that stands between tests and their database. `--record` puts this folder on the path of
tests, so that their interpreter loads `sitecustomize` from it. The lines that it writes for one test become one entry.

`discovery.declared` reads such records.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Final, TypeVar
from urllib.parse import parse_qs, quote, unquote, urlsplit

from pyoxigraph import QueryResultsFormat, RdfFormat, serialize

from kgprobe.errors import InputError, Position, one_line
from kgprobe.given_files import read_bytes
from kgprobe.rdf.graph import Graph
from kgprobe.sparql.engine.exact_store import ExactStore
from kgprobe.sparql.engine.results import Rows, serialized
from kgprobe.sparql.tokens import words
from kgprobe.written_files import OwnKind

ENDPOINT_VARIABLE: Final = "KGPROBE_ENDPOINT"
"""The environment variable with the address of the endpoint."""
TEST_VARIABLE: Final = "KGPROBE_TEST"
"""The environment variable with the name of the test."""

_Format = TypeVar("_Format", QueryResultsFormat, RdfFormat)

_HEADER: Final = "X-Kgprobe-Test"
_PARAMETER: Final = "kgprobe-test"
_LARGEST_REQUEST: Final = 10 << 20
_FORM: Final = "application/x-www-form-urlencoded"
_RESULTS: Final = (QueryResultsFormat.JSON, QueryResultsFormat.XML, QueryResultsFormat.CSV, QueryResultsFormat.TSV)
_RECORD: Final = OwnKind("a record of tests", lambda start: start.startswith(b"{") and b'"test"' in start)
_TRIPLES: Final = (RdfFormat.N_TRIPLES, RdfFormat.TURTLE, RdfFormat.RDF_XML)


class RecordingEndpoint:
    """The endpoint, as a context manager. It is open within its `with` block."""

    def __init__(self, graph: Graph, record: Path, *, test: str | None = None) -> None:
        """`test` is the test of requests that do not name one. Existing content of the file is kept."""
        # Not the shared store of the graphs, which follows the graph that was queried last.
        self._store = ExactStore(graph)
        self._record = record
        self._seen: set[tuple[str | None, str]] = set()
        self._turn = threading.Lock()
        self._server: _Server | None = None
        self.test = test

    def __enter__(self) -> RecordingEndpoint:
        _RECORD.check(self._record)
        try:
            self._record.open("a", encoding="utf-8").close()
        except OSError as error:
            where = Position(str(self._record))
            raise InputError(f"the record cannot be written: {error.strerror}", where=where) from None
        self._server = _Server(self._store, self.saw)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def url(self) -> str:
        """The address for tests that identify themselves in another way, or by `test`."""
        if self._server is None:
            raise RuntimeError("the endpoint is not open")
        return f"http://127.0.0.1:{self._server.server_address[1]}/sparql"

    def url_for(self, test: str) -> str:
        """The address for one test."""
        return f"{self.url.removesuffix('/sparql')}/tests/{quote(test, safe='')}/sparql"

    def environment(self, test: str | None = None) -> dict[str, str]:
        """The environment variables with the address of the endpoint and the name of the test."""
        if test is None:
            return {ENDPOINT_VARIABLE: self.url}
        return {ENDPOINT_VARIABLE: self.url_for(test), TEST_VARIABLE: test}

    def saw(self, test: str | None, query: str) -> None:
        """Record a query of a test; None if the test is unknown."""
        asked = (test if test is not None else self.test, query)
        with self._turn:
            if asked not in self._seen:
                self._seen.add(asked)
                self.add({"test": asked[0], "queries": [query]})

    def is_complete(self, test: str) -> None:
        """Record that a test was observed from start to end, and uses nothing else."""
        with self._turn:
            self.add({"test": test, "complete": True})

    def add(self, entry: Mapping[str, object]) -> None:
        """Add an entry to the record."""
        with self._record.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(entry, ensure_ascii=False) + "\n")


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, store: ExactStore, saw: Callable[[str | None, str], None]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.store = store
        self.saw = saw


class _RefusedError(Exception):
    """A refused request: its HTTP status, and the reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = 60

    def do_GET(self) -> None:
        self._respond(b"")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > _LARGEST_REQUEST:
            self.close_connection = True
            self._send(413 if length.isdigit() else 411, "text/plain", b"the request has no length, or is too large")
            return
        self._respond(self.rfile.read(int(length)))

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the base class calls it so
        """Log nothing."""

    def _respond(self, body: bytes) -> None:
        try:
            test, query = self._asked(body)
            self.server.saw(test, query)
            media_type, content = self._answer(query)
        except _RefusedError as refusal:
            self._send(refusal.status, "text/plain; charset=utf-8", str(refusal).encode())
        else:
            self._send(200, media_type, content)

    def _asked(self, body: bytes) -> tuple[str | None, str]:
        """The test that a request comes from, and its query."""
        address = urlsplit(self.path)
        parameters = parse_qs(address.query, keep_blank_values=True)
        kind = self.headers.get_content_type()
        try:
            if kind == "application/sparql-query":
                parameters["query"] = [body.decode()]
            elif kind == _FORM and body:
                parameters |= parse_qs(body.decode(), keep_blank_values=True)
        except ValueError:
            raise _RefusedError(400, "the request is not UTF-8 text") from None
        if "update" in parameters or kind == "application/sparql-update":
            raise _RefusedError(403, "this endpoint does not accept updates")
        if len(parameters.get("query", ())) != 1:
            raise _RefusedError(400, "the request has no query, or more than one")
        steps = address.path.strip("/").split("/")
        in_path = unquote(steps[1]) if len(steps) > 1 and steps[0] == "tests" else None
        in_header = _as_utf8(self.headers.get(_HEADER))
        return in_path or in_header or parameters.get(_PARAMETER, [None])[0], parameters["query"][0]

    def _answer(self, query: str) -> tuple[str, bytes]:
        if "SERVICE" in words(query):
            raise _RefusedError(400, "SERVICE needs the network, which this endpoint does not use")
        try:
            found = self.server.store.query(query)
            if isinstance(found, bool):
                results = self._wanted(_RESULTS[:2])
                return results.media_type, serialized(found, results)
            if isinstance(found, Rows):
                results = self._wanted(_RESULTS)
                return results.media_type, serialized(found, results)
            triples = self._wanted(_TRIPLES)
            return triples.media_type, serialize(found, format=triples) or b""
        except (SyntaxError, ValueError, OSError, RuntimeError, InputError) as error:
            raise _RefusedError(400, one_line(str(error))) from None

    def _wanted(self, offered: tuple[_Format, ...]) -> _Format:
        """The first offered format that the request accepts; the first of all if it names none of them."""
        accepted = self.headers.get("Accept", "")
        return next((media for media in offered if media.media_type.partition(";")[0] in accepted), offered[0])

    def _send(self, status: int, media_type: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _as_utf8(header: str | None) -> str | None:
    """A header as UTF-8: the server decodes headers as Latin-1, but most programs send UTF-8."""
    if header is None or header.isascii():
        return header
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


# -- SQL ---------------------------------------------------------------------------------------------------------------

_LARGEST = 1 << 26
_MOST_STATEMENTS = 10_000
_FOLDER = Path(__file__).parent
# They read nothing, or only what other statements of the test have written.
_CONTROL = ("BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "START TRANSACTION", "PRAGMA", "SET ", "END")


class SqlRecorder:
    """Records the SQL of tests while it is open. Each test gets its own file."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="kgprobe-")
        self._files: dict[str, Path] = {}

    def __enter__(self) -> SqlRecorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def environment(self, test: str) -> dict[str, str]:
        """The environment variables that make an interpreter record what it runs for a test."""
        file = self._files.setdefault(test, Path(self._folder.name) / str(len(self._files)))
        path = os.environ.get("PYTHONPATH")
        return {
            "KGPROBE_SQL_RECORD": str(file),
            "PYTHONPATH": f"{_FOLDER}{os.pathsep}{path}" if path else str(_FOLDER),
        }

    def entry(self, test: str, *, has_passed: bool) -> dict[str, object] | None:
        """The entry of a test for the record; None if it ran no SQL that was seen.

        It is complete if the test came to its end, and did nothing that cannot be recorded.
        """
        statements: dict[str, None] = {}
        unseen: dict[str, None] = {}
        running: set[int] = set()
        for kind, value in self._lines(test, unseen):
            match kind, value:
                case "start", int():
                    running.add(value)
                case "end", int():
                    running.discard(value)
                case "sql", str() if not _is_control(value.strip().upper()):
                    statements[value.strip()] = None
                case "unseen", str():
                    unseen[value] = None
        if not statements:
            return None
        if len(statements) > _MOST_STATEMENTS:
            unseen[f"it ran more than {_MOST_STATEMENTS:,} statements"] = None
        if running or not has_passed:
            unseen["it did not come to its end when it was recorded"] = None
        found: dict[str, object] = {"test": test, "sql": list(statements)[:_MOST_STATEMENTS]}
        return {**found, "unseen": list(unseen)} if unseen else {**found, "complete": True}

    def _lines(self, test: str, unseen: dict[str, None]) -> Iterator[tuple[object, object]]:
        file = self._files.get(test)
        if file is None or not file.exists():
            return
        try:
            lines = read_bytes(file, _LARGEST).decode().splitlines()
        except (InputError, UnicodeDecodeError):
            unseen["its record is too large, or damaged"] = None
            return
        for line in lines:
            try:
                kind, value = json.loads(line)
            except (ValueError, TypeError):
                unseen["its record is damaged"] = None
            else:
                yield kind, value


def _is_control(statement: str) -> bool:
    return statement.startswith(_CONTROL) and "SELECT" not in statement
