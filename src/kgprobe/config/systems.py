"""The systems under test of a profile: a table type for each kind. `system_table` has what they share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kgprobe.config.system_table import (
    WORD,
    AnsweringTable,
    GraphSent,
    PromptSent,
    ServerTable,
    SystemTable,
    keep_answers_key,
    run_seconds_key,
)
from kgprobe.config.tables import IN_SAME_TABLE, AnyText, File, Problem, key
from kgprobe.errors import InputError
from kgprobe.formats.files import render, writable_format
from kgprobe.given_files import is_there
from kgprobe.rdf.graph import Graph

if TYPE_CHECKING:
    from kgprobe.model import Usage

REASONERS = ("auto", "rustdl", "pyhermit", "hermit", "openllet", "elk", "jfact", "konclude")
"""The names of reasoners in profiles. Loading the reasoners to list them would take longer than reading a profile."""
# These can express every graph.
_FOR_ALL_GRAPHS = {"turtle", "ttl", "ntriples", "nt", "nquads", "nq", "trig"}
# The server did not look at the request: credentials, payment, or too many requests.
_NOT_NOW = frozenset({401, 402, 403, 407, 408, 425, 429})
_INPUTS = 'graphs: "graph" or "file"; questions: "prompt", "prompts", "question" or "questions"'


@dataclass(frozen=True)
class PricesTable:
    """The prices of a million tokens."""

    input: float = key("Input", "The price of a million tokens of questions.", minimum=0, default=0.0)
    output: float = key("Output", "The price of a million tokens of answers.", minimum=0, default=0.0)

    def cost(self, usage: Usage) -> float:
        """The cost of some tokens."""
        return (self.input * usage.input_tokens + self.output * usage.output_tokens) / 1_000_000


@dataclass(frozen=True, kw_only=True)
class CommandTable(AnsweringTable):
    """A program that is run once for each case. With `questions` "lines", it runs once and reads a line for each."""

    command: tuple[AnyText, ...] = key(
        "Command",
        "A program and its arguments. {graph} is the file with the mutant, {output} a file to write to, {python} "
        "this Python. Without {graph}, the mutant goes to standard input.",
        items=WORD,
        minItems=1,
    )
    sends: GraphSent = field(default=GraphSent(), metadata=IN_SAME_TABLE)
    asks: PromptSent = field(default=PromptSent(), metadata=IN_SAME_TABLE)
    questions: str = key(
        "Questions",
        "How a command gets questions: each starts the program, with the prompt as {prompt} in its arguments or "
        "else on standard input; lines starts it once, and sends it a line of JSON for each question.",
        enum=("each", "lines"),
        default="each",
    )

    def files(self, folder: Path) -> Iterator[Path]:
        """Arguments that name a file."""
        return (folder / word for word in self.command if is_there(folder / word, Path.is_file))

    def _usual_name(self) -> str:
        words = [word for word in self.command if not word.startswith("{")]
        return Path(words[0]).stem if words else "command"


@dataclass(frozen=True, kw_only=True)
class FunctionTable(AnsweringTable):
    """A function in Python, which gets a graph, the path of a file, or a question. `input` None: the usual one."""

    function: str = key(
        "Function", "file.py:function or package.module:function", pattern=r"^[^:]+:[A-Za-z_][A-Za-z_0-9]*$"
    )
    input: str | None = key(
        "Input",
        "The argument of the function: a kgprobe graph, or the path of a Turtle file. For questions: a prompt, a "
        "list of prompts, a question as a dictionary with question, context and prompt, or a list of these. By "
        "default, a graph or a prompt.",
        enum=("graph", "file", "prompt", "prompts", "question", "questions"),
        default=None,
    )
    asks: PromptSent = field(default=PromptSent(), metadata=IN_SAME_TABLE)

    @property
    def takes_batches(self) -> bool:
        """Whether it takes a list."""
        return self.input in ("prompts", "questions")

    def check_input(self, kind: str) -> None:
        """InputError if its `input` is another one."""
        gets_graphs = self.input in ("graph", "file")
        if kind == "dialogue" and gets_graphs:
            raise InputError(f"'{self.name}' has input = \"{self.input}\", but is asked questions", hint=_INPUTS)
        if kind == "graph" and not gets_graphs and self.input is not None:
            raise InputError(f"'{self.name}' has input = \"{self.input}\", but gets graphs", hint=_INPUTS)

    def files(self, folder: Path) -> Iterator[Path]:
        """The file of the function."""
        file = folder / self.function.rpartition(":")[0]
        return iter([file] if is_there(file, Path.is_file) else [])

    def problems(self, folder: Path) -> Iterator[Problem]:
        """A file outside the folder of the profile."""
        file, _, _ = self.function.rpartition(":")
        if file.endswith(".py") and not (folder / file).resolve().is_relative_to(folder.resolve()):
            message = f"{file} is outside the folder of the profile; code there is not run"
            yield Problem(message, ("function",), at_value=True)

    def _usual_name(self) -> str:
        return self.function.rpartition(":")[2]


@dataclass(frozen=True, kw_only=True)
class ReasonerTable(SystemTable):
    """A reasoner that kgprobe knows."""

    reasoner: str = key("Reasoner", "One of the reasoners of 'kgprobe reasoners'.", enum=REASONERS)
    task: str = key(
        "Task",
        "The question to a reasoner: is the graph consistent, or what is its class hierarchy.",
        enum=("consistency", "hierarchy"),
        default="consistency",
    )

    @property
    def question(self) -> str | None:
        """The question that it answers."""
        return self.task

    def check_input(self, kind: str) -> None:
        """InputError for questions."""
        if kind == "dialogue":
            self._refuse_questions()

    def _usual_name(self) -> str:
        return self.reasoner


@dataclass(frozen=True, kw_only=True)
class HttpTable(ServerTable, AnsweringTable):
    """A service that gets each case in a request."""

    http: str = key("HTTP service", "The address that mutants are sent to. {port} is the port of the service below.")
    sends: GraphSent = field(default=GraphSent(), metadata=IN_SAME_TABLE)
    asks: PromptSent = field(default=PromptSent(), metadata=IN_SAME_TABLE)
    method: str = key("HTTP method", "How mutants are sent.", enum=("POST", "PUT"), default="POST")
    headers: Mapping[str, AnyText] = key(
        "HTTP headers", "Headers of each request.", items=("A header", "Its value."), default={}
    )

    def is_answer(self, code: int | None, statuses: Collection[int]) -> bool:
        """A status below 500 comes with an answer, unless it says that the server has not looked at the request."""
        return super().is_answer(code, statuses) or (code is not None and code < 500 and code not in _NOT_NOW)

    def _usual_name(self) -> str:
        return "http"


@dataclass(frozen=True, kw_only=True)
class SparqlTable(ServerTable):
    """A SPARQL endpoint, which gets the graph of each case and then answers queries."""

    sparql: str = key("SPARQL endpoint", "The address that queries are sent to, after the mutant was uploaded.")
    store: str | None = key(
        "Graph store", "The address that mutants are uploaded to, by the Graph Store Protocol.", default=None
    )
    queries: tuple[File, ...] = key(
        "Queries",
        "Files with a SPARQL query each, for a SPARQL endpoint.",
        items=("A file", "A file with a query."),
        default=(),
    )
    keep_answers: bool = keep_answers_key()

    @property
    def keeps_answers(self) -> bool:
        """Whether the user wants them kept."""
        return self.keep_answers

    @property
    def is_shared(self) -> bool:
        """It holds one graph at a time."""
        return True

    def is_answer(self, code: int | None, _statuses: Collection[int]) -> bool:
        """The protocol of SPARQL says which status an answer has."""
        return code in (None, 200)

    def check_input(self, kind: str) -> None:
        """InputError for questions."""
        if kind == "dialogue":
            self._refuse_questions()

    def problems(self, _folder: Path) -> Iterator[Problem]:
        """Queries are missing."""
        if not self.queries:
            yield Problem("a sparql system needs 'queries'")

    def _usual_name(self) -> str:
        return "sparql"


@dataclass(frozen=True, kw_only=True)
class ChatTable(SystemTable):
    """A model of an OpenAI-compatible server. `max_requests` and the other caps are for all runs together.

    Everything that has no influence on the answers is left out of `repr`: a campaign can be resumed with another value.
    """

    chat: str = key(
        "Chat server",
        "The address of an OpenAI-compatible API, such as http://127.0.0.1:8080/v1. Questions are sent to "
        "chat/completions below it.",
    )
    model: str = key("Model", "The name of the model, for a chat server.", default="")
    asks: PromptSent = field(default=PromptSent(), metadata=IN_SAME_TABLE)
    answer_tokens: int | None = key(
        "Tokens of an answer",
        "The largest number of tokens of one answer. By default, the chat server decides.",
        minimum=1,
        default=None,
    )
    temperature: float | Literal["default"] = key(
        "Temperature",
        'A number, or "default" to send none: some chat models accept no temperature but their own.',
        minimum=0,
        maximum=2,
        pattern=r"^default$",
        default=0,
    )
    seconds: float = run_seconds_key(repr=False)
    key_env: str | None = key(
        "Key", "The environment variable that has the key for a chat server.", default=None, repr=False
    )
    concurrency: int = key(
        "Requests in flight",
        "The largest number of requests to a chat server at the same time.",
        minimum=1,
        maximum=1024,
        default=4,
        repr=False,
    )
    max_requests: int | None = key(
        "Most requests",
        "The campaign ends after this number of requests to the chat server. A higher number resumes it.",
        minimum=0,
        default=None,
        repr=False,
    )
    max_tokens: int | None = key(
        "Most tokens",
        "The campaign ends after this number of tokens, of all questions and answers together. A higher number "
        "resumes it.",
        minimum=0,
        default=None,
        repr=False,
    )
    max_cost: float | None = key(
        "Highest cost",
        "The campaign ends at this cost, by the prices below. A higher one resumes it.",
        minimum=0,
        default=None,
        repr=False,
    )
    prices: PricesTable | None = key(
        "Prices", "The prices of a million tokens, in any currency.", default=None, repr=False
    )

    def problems(self, _folder: Path) -> Iterator[Problem]:
        """A model or prices are missing, or the address is not a URL."""
        from kgprobe.systems.chat import request_url

        try:
            request_url(self.chat)
        except InputError as error:
            yield Problem(error.message, ("chat",), error.hint, at_value=True)
        if not self.model:
            yield Problem("a chat system needs 'model'", (), 'write model = "…", a name that the server knows')
        if self.key_env is not None and not (self.key_env.isascii() and self.key_env.isidentifier()):
            hint = "a key itself does not belong in a profile"  # so this message does not repeat it
            yield Problem("'key-env' is the name of an environment variable", ("key-env",), hint, at_value=True)
        if self.max_cost is not None and self.prices is None:
            hint = "write prices = { input = 0.15, output = 0.6 }, for a million tokens"
            yield Problem("'max-cost' needs 'prices'", ("max-cost",), hint)

    @property
    def keeps_answers(self) -> bool:
        """They cost money."""
        return True

    @property
    def waits(self) -> bool:
        """Its server is never started here."""
        return True

    @property
    def in_flight(self) -> int | None:
        """Its `concurrency`."""
        return self.concurrency

    def check_input(self, kind: str) -> None:
        """InputError for graphs."""
        if kind == "graph":
            raise InputError(f"'{self.name}' is a chat system: it takes questions, not graphs", hint="add [questions]")

    def cost(self, usage: Usage) -> float | None:
        """The cost by its prices."""
        return None if self.prices is None else self.prices.cost(usage)

    def limit_reached(self, usage: Usage) -> str:
        """The cap that allows no further request after these; empty if there is none."""
        cost = self.cost(usage) or 0.0
        if self.max_requests is not None and usage.requests >= self.max_requests:
            return f"max-requests = {self.max_requests}"
        if self.max_tokens is not None and usage.tokens >= self.max_tokens:
            return f"max-tokens = {self.max_tokens}"
        if self.max_cost is not None and cost >= self.max_cost:
            return f"max-cost = {self.max_cost:g}"
        return ""

    def _usual_name(self) -> str:
        return self.model or "chat"


SYSTEMS: Mapping[str, type[SystemTable]] = {
    "command": CommandTable,
    "reasoner": ReasonerTable,
    "http": HttpTable,
    "sparql": SparqlTable,
    "chat": ChatTable,
}
"""The table types of [[systems]], by the key that a table of the type has. [[python.systems]] has functions."""


def can_all_be_sent(graph: Graph, systems: Iterable[SystemTable]) -> bool:
    """Whether all systems can be sent this graph: a part of an ontology need not be one."""
    formats = {table.sends.format for table in systems if isinstance(table, CommandTable | HttpTable)}
    try:
        for name in formats - _FOR_ALL_GRAPHS:
            render(graph, writable_format("-", name))
    except InputError:
        return False
    return True
