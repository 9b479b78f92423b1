"""Which failure a reduction keeps, and whether a smaller graph still has it."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from kgprobe.campaign.task import Result
from kgprobe.errors import InputError
from kgprobe.graph.canonical import fingerprint
from kgprobe.graph.files import read_graph
from kgprobe.graph.rdfc import TooSymmetricError
from kgprobe.model import Failure, Observation, Status
from kgprobe.oracles.facts import facts
from kgprobe.oracles.signatures import KnownBugs, are_alike, crash_shape
from kgprobe.reduction.problem import DoesNotFailError

__all__ = ["Kept", "NoSuchFailureError", "Sameness", "Wanted", "described", "kept_in", "kept_success"]

_ABOUT_THE_END = {*map(str, Status), "exit status"}
# Each run has its own folder, and programs name the file in which something is wrong.
_FOLDER = re.compile(re.escape(tempfile.gettempdir()) + r"[^\s\"']*?kgprobe-\w+")


class NoSuchFailureError(InputError):
    """The graph fails, but not in the way that was asked for."""


class Sameness(StrEnum):
    """What counts as the same failure in a smaller graph: its signature, how all runs end, or all output."""

    SIGNATURE = "signature"
    ENDING = "ending"
    EXACT = "exact"


@dataclass(frozen=True)
class Kept:
    """The failure that a smaller graph must still have; `text` describes it.

    `failure` is the failure of the whole graph, or None if that succeeded. A smaller graph must fail in the same way,
    whatever its names are.
    """

    sameness: Sameness
    value: str
    text: str
    failure: Failure | None = None
    others: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The lines that describe the failure."""
        return () if self.failure is None else self.failure.words

    def is_in(self, result: Result, names: Callable[[], Collection[str]]) -> bool:
        """Whether a run did it; `names` are those of the whole graph and of the one that was run."""
        if self.sameness is Sameness.EXACT:
            return result.exact == self.value
        if self.sameness is Sameness.ENDING and result.outcome != self.value:
            return False
        return self.failure_in(result, names) is not None

    def failure_in(self, result: Result, names: Callable[[], Collection[str]]) -> Failure | None:
        """The failure of a run that is this one."""
        if self.failure is None or result.verdict is None:
            return None
        for failure in result.verdict.failures:
            if failure.signature == self.failure.signature and are_alike(failure.way, self.failure.way, names):
                return failure
        return None


def kept_in(results: Iterable[Result], sameness: Sameness, rank: Callable[[Failure], int | None]) -> Kept | None:
    """Choose what to keep from these runs of one graph: the failure with the lowest rank, or the run with it.

    A failure without a rank does not count. None if none is left.
    """
    ranked = [
        (at, failure, result)
        for result in results
        for failure in (result.verdict.failures if result.verdict else ())
        if (at := rank(failure)) is not None
    ]
    if not ranked:
        return None
    # Of several failures that rank first, the most frequent is kept, so that its rate is as high as can be.
    frequency = Counter((failure.signature, failure.way) for _, failure, _ in ranked)
    _, chosen, result = min(ranked, key=lambda each: (each[0], -frequency[each[1].signature, each[1].way]))
    others = dict.fromkeys(failure.signature for _, failure, _ in ranked if failure.signature != chosen.signature)
    if sameness is Sameness.SIGNATURE:
        return Kept(sameness, chosen.signature, chosen.signature, chosen, tuple(others))
    return _whole(result, sameness, chosen)


def _whole(result: Result, sameness: Sameness, failure: Failure | None = None) -> Kept:
    value = result.exact if sameness is Sameness.EXACT else result.outcome
    text = f"{result.outcome}, with exactly this output" if sameness is Sameness.EXACT else result.outcome
    return Kept(sameness, value, text, failure)


def kept_success(results: Sequence[Result]) -> Kept:
    """The exact outcome of the first run, which need not be a failure."""
    return _whole(results[0], Sameness.EXACT)


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which failure to keep, if there are several: one that fits `signature`, a pattern in which * is any text.

    Failures that are not known come first; with `disagreements_first`, those that are not about how a run ended. With
    `or_success`, the exact outcome of a graph without a failure can be kept, too.
    """

    sameness: Sameness = Sameness.SIGNATURE
    signature: str | None = None
    known: KnownBugs = field(default_factory=lambda: KnownBugs([]))
    disagreements_first: bool = False
    or_success: bool = False

    def chosen(self, results: Sequence[Result]) -> Kept:
        """The failure to keep of these runs of one graph. DoesNotFailError if there is none."""
        found = kept_in(results, self.sameness, self._rank)
        if found is not None:
            return found
        if self.or_success and self.sameness is Sameness.EXACT and self.signature is None:
            return kept_success(results)
        verdicts = [result.verdict for result in results if result.verdict is not None]
        signatures = dict.fromkeys(failure.signature for verdict in verdicts for failure in verdict.failures)
        if signatures:
            hint = f"there is {'; '.join(signatures)}"
            raise NoSuchFailureError(f"no failure fits the signature '{self.signature}'", hint=hint)
        why = next((verdict.why for verdict in verdicts if verdict.why), None)
        raise DoesNotFailError("no system fails on this graph: there is nothing to reduce", hint=why)

    def _rank(self, failure: Failure) -> int | None:
        if self.signature is not None and not _fits(self.signature, failure):
            return None
        if self.disagreements_first:
            return int(failure.kind in _ABOUT_THE_END)
        return int(self.known.note_for(failure.signature) is not None)


def _fits(pattern: str, failure: Failure) -> bool:
    return KnownBugs([(pattern, "")]).note_for(failure.signature) is not None


# -- an observation as text --------------------------------------------------------------------------------------------


def described(runs: Sequence[Sequence[Observation]]) -> tuple[str, str]:
    """How the systems ended, and a digest of all their output; of several runs, the most frequent result."""
    results = Counter((_together(map(_ending, observed)), _digest(observed)) for observed in runs)
    ((most, _),) = results.most_common(1)
    return most


def _together(texts: Iterable[str]) -> str:
    return "; ".join(texts)


def _ending(seen: Observation) -> str:
    """How one system ended."""
    parts = [str(seen.status), "" if seen.crash is None else crash_shape(seen)]
    code = "" if seen.exit_code is None else f"exit status {seen.exit_code}"
    return f"{seen.system}: {', '.join([': '.join(filter(None, parts)), *filter(None, [code])])}"


def _digest(observed: Sequence[Observation]) -> str:
    texts = (text for seen in observed for text in _all_of(seen))
    return hashlib.sha256("\0".join(texts).encode(errors="surrogatepass")).hexdigest()


def _all_of(seen: Observation) -> Iterator[str]:
    yield _ending(seen)
    yield _FOLDER.sub("…", seen.stdout)
    yield _FOLDER.sub("…", seen.stderr)
    yield "no answer" if seen.value is None else repr(sorted(facts(seen.value)))
    yield "no output" if seen.output is None else _content(seen.output)


def _content(output: bytes) -> str:
    """A digest of the content of a file. For a graph, blank node labels and the order of triples do not count."""
    try:
        return str(fingerprint(read_graph(output)))
    except (InputError, TooSymmetricError):
        return hashlib.sha256(output).hexdigest()
