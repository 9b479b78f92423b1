"""A SPARQL endpoint as a system under test: it is loaded with the graph, and the value is its answers to queries."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit, urlunsplit

from pyoxigraph import QueryResultsFormat, RdfFormat, parse

from kgprobe.errors import InputError, one_line
from kgprobe.model import Case, Observation, Status
from kgprobe.network.exchange import LARGEST_ANSWER, HttpAnswer, check_url
from kgprobe.processes.limits import Limits
from kgprobe.systems.answers import Results, solutions, term_text
from kgprobe.systems.protocol import GraphText, TextPayload, content_for
from kgprobe.systems.remote import Conversation, Remote, Service

__all__ = ["Results", "SparqlSystem"]

_ACCEPT = (
    "application/sparql-results+json, application/sparql-results+xml;q=0.9, application/n-triples, text/turtle;q=0.9"
)


class SparqlSystem:
    """An endpoint and named queries; the value is a mapping from their names to `Results`.

    The graph replaces the default graph of the store, through the Graph Store HTTP Protocol at `store_url`; without
    one, that is `store` beside the endpoint. A query that the endpoint refuses has no results (None), and the exit code
    is the status that it answered with.
    """

    def __init__(
        self,
        name: str,
        endpoint: str,
        queries: Mapping[str, str],
        *,
        store_url: str | None = None,
        payload: TextPayload | None = None,
        limits: Limits | None = None,
        service: Service | None = None,
    ) -> None:
        if not queries:
            raise InputError(f"'{name}' has no queries", hint="name at least one")
        self.name = name
        self._endpoint = check_url(endpoint)
        self._store = _store(check_url(store_url or _beside(endpoint)))
        self._queries = dict(queries)
        self._payload = payload or GraphText()
        self._remote = Remote(name, self._endpoint, limits, service)

    def start(self) -> None:
        """Start the service, or check that the server can be reached."""
        self._remote.start()

    def run(self, case: Case) -> Observation:
        """Put a graph into the store, and run the queries."""
        text = content_for(case, self._payload, self.name)
        if isinstance(text, Observation):
            return text
        with _turn(self._store):
            return self._remote.observe(lambda conversation: self._talk(conversation, text))

    def close(self) -> None:
        """End the service."""
        self._remote.close()

    def _talk(self, conversation: Conversation, text: bytes) -> Observation:
        headers = {"Content-Type": self._payload.media_type}
        stored = conversation.ask("PUT", self._store, body=text, headers=headers)
        if not 200 <= stored.status < 300:
            remark = f"the graph was refused: {stored.status}"
            return Observation(self.name, Status.FINISHED, exit_code=stored.status, stdout=stored.text, remark=remark)
        values: dict[str, Results | None] = {}
        code, remarks, texts, unreadable = 200, [], [], False
        for name, query in self._queries.items():
            answer = conversation.ask("POST", self._endpoint, body=urlencode({"query": query}).encode(), headers=_FORM)
            values[name] = None
            if answer.status == 200:
                try:
                    values[name] = _results(answer)
                except (ValueError, TypeError, SyntaxError, OSError, RecursionError) as error:
                    remarks.append(f"the answer to '{name}' cannot be read: {one_line(str(error))}")
                    unreadable = True
            else:
                code = answer.status if code == 200 else code
                remarks.append(f"the query '{name}' was refused: {answer.status}")
                texts.append(answer.text)
        return Observation(
            self.name,
            Status.FINISHED,
            value=values,
            exit_code=code,
            stdout="\n".join(texts),
            remark="; ".join(remarks),
            is_unreadable=unreadable,
        )


# A store holds one graph, so threads that share it take turns.
_turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
_choosing = threading.Lock()


def _turn(store: str) -> threading.Lock:
    with _choosing:
        return _turns[store]


_FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": _ACCEPT}


def _beside(endpoint: str) -> str:
    """The usual address of the store: that of the endpoint with its last segment replaced."""
    parts = urlsplit(endpoint)
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rpartition("/")[0] + "/store", "", ""))


def _store(url: str) -> str:
    """The default graph of a store, unless the address names a graph."""
    return url if urlsplit(url).query else f"{url}?default"


def _results(answer: HttpAnswer) -> Results:
    if answer.is_cut:
        raise ValueError(f"it was cut at {LARGEST_ANSWER} bytes")
    triples = RdfFormat.from_media_type(answer.media_type)
    results = QueryResultsFormat.from_media_type(answer.media_type)
    # Check this first: otherwise, results in JSON could be taken for triples in JSON.
    if results is not None:
        return solutions(answer.body, results)
    if triples is None:
        raise ValueError(f"it has the unsupported type {answer.media_type}")
    return frozenset(
        (term_text(quad.subject), term_text(quad.predicate), term_text(quad.object))
        for quad in parse(answer.body, format=triples)
    )
