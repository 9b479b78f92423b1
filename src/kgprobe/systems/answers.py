"""What a system answers, read as the profile says: so that answers of programs, services, functions and reasoners can
be compared with each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

from kgprobe.errors import InputError, one_line
from kgprobe.graph.written import read_graph
from kgprobe.model import Case, Observation
from kgprobe.processes.captured import CUT, MOST_KEPT, is_cut
from kgprobe.reasoners.protocol import Hierarchy
from kgprobe.systems.answered_hierarchy import hierarchy_in_graph, hierarchy_in_json
from kgprobe.systems.protocol import System
from kgprobe.systems.query_results import Results, results_in, rows_of

__all__ = ["KINDS", "Answering", "UnreadableError", "read_answer"]

_SHOWN = 60
_TRUTH = {"true": True, "consistent": True, "false": False, "inconsistent": False}


class UnreadableError(Exception):
    """An answer that is not of the kind that was agreed on; the text says what was expected."""


class Answering:
    """A system whose answer is read: the value of an observation is what it answers, None if that cannot be read.

    The answer is what a function returned, the body of a response, what a program wrote to its output file, or else
    what it printed. `statuses` are the exit statuses with which there is an answer.
    """

    def __init__(self, system: System, kind: str, statuses: Collection[int]) -> None:
        self._system = system
        self._kind = kind
        self._statuses = statuses

    @property
    def name(self) -> str:
        return self._system.name

    def start(self) -> None:
        """Start the system."""
        self._system.start()

    def run(self, case: Case) -> Observation:
        """Run the system, and read its answer."""
        seen = self._system.run(case)
        if not seen.is_finished:
            return seen
        if seen.exit_code is not None and seen.exit_code not in self._statuses:
            return replace(seen, value=None, remark=_with(seen, f"no answer: exit status {seen.exit_code}"))
        if CUT in seen.remark:
            return replace(seen, value=None)
        if seen.value is None and seen.output is None and is_cut(seen.stdout):
            limit = f"more than {MOST_KEPT} bytes were printed; a command can write its answer to {{output}}"
            return replace(seen, remark=_with(seen, f"its answer cannot be read: {limit}"))
        try:
            return replace(seen, value=read_answer(self._kind, _given(seen)))
        except UnreadableError as error:
            return replace(seen, value=None, remark=_with(seen, str(error)))

    def close(self) -> None:
        """End the system."""
        self._system.close()


def read_answer(kind: str, given: object) -> Any:
    """An answer of a kind, as text or as what a function returned. UnreadableError if it is something else."""
    expected, read = _READERS[kind]
    try:
        return read(given)
    except (ValueError, TypeError, SyntaxError, OSError, RecursionError, InputError) as error:
        shown = _shown(given)
        reason = error.message if isinstance(error, InputError) else str(error)
        what = f"its answer cannot be read: expected {expected}, not {shown}"
        raise UnreadableError(one_line(f"{what} ({reason})" if reason else what)) from None


def _given(seen: Observation) -> object:
    if seen.value is not None:
        return seen.value
    return seen.stdout if seen.output is None else seen.output


def _with(seen: Observation, reason: str) -> str:
    return "; ".join(filter(None, [seen.remark, reason]))


def _shown(given: object) -> str:
    text = given.decode(errors="replace") if isinstance(given, bytes) else given
    text = text if isinstance(text, str) else repr(text)
    if not text.strip():
        return "an empty text"
    folded = one_line(text)
    return f"'{folded}'" if len(folded) <= _SHOWN else f"'{folded[:_SHOWN]}…'"


# -- one function for each kind of answer ------------------------------------------------------------------------------


def _consistency(given: object) -> bool:
    if isinstance(given, bool):
        return given
    found = _TRUTH.get(_text(given).strip().casefold())
    if found is None:
        raise ValueError
    return found


def _hierarchy(given: object) -> Hierarchy | bool:
    if not isinstance(given, str | bytes):
        return hierarchy_in_json(given)
    text = _text(given).strip()
    if _TRUTH.get(text.casefold()) is False:
        return False
    parsed = _parsed(text) if text.startswith("{") else None
    if isinstance(parsed, Mapping) and not any(key.startswith("@") for key in parsed):
        return hierarchy_in_json(parsed)
    return hierarchy_in_graph(read_graph(text.encode(errors="surrogatepass")))


def _rows(given: object) -> Results:
    return results_in(_bytes(given)) if isinstance(given, str | bytes) else rows_of(given)


def _plain_text(given: object) -> str:
    if not isinstance(given, str | bytes):
        return json.dumps(given, sort_keys=True, ensure_ascii=False, default=str)
    return _text(given).replace("\r\n", "\n").removesuffix("\n")


def _json(given: object) -> Any:
    found = json.loads(_text(given)) if isinstance(given, str | bytes) else given
    if found is None:
        raise ValueError("null says nothing")
    return found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None  # Turtle and TriG can begin with a brace, too


def _text(given: object) -> str:
    if isinstance(given, bytes):
        return given.decode("utf-8-sig")
    if isinstance(given, str):
        return given.removeprefix("\ufeff")
    raise TypeError


def _bytes(given: str | bytes) -> bytes:
    return given.encode(errors="surrogatepass") if isinstance(given, str) else given


_READERS: Mapping[str, tuple[str, Callable[[object], Any]]] = {
    "consistency": ("'consistent' or 'inconsistent'", _consistency),
    "hierarchy": (
        "an ontology, a JSON object of classes and arrays of their superclasses, or 'inconsistent'",
        _hierarchy,
    ),
    "rows": ("SPARQL results in JSON, XML, TSV or CSV", _rows),
    "json": ("JSON", _json),
    "text": ("text", _plain_text),
}
KINDS = tuple(_READERS)
"""What a system can answer with."""
