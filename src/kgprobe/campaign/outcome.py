"""What comes of a case in one text, so that a reduction can tell whether the same comes of a smaller graph."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from kgprobe.campaign.task import Result
from kgprobe.errors import InputError
from kgprobe.graph.canonical import fingerprint
from kgprobe.graph.rdfc import TooSymmetricError
from kgprobe.graph.written import read_graph
from kgprobe.model import Failure, Observation
from kgprobe.oracles.comparison import facts
from kgprobe.oracles.crash_shape import crash_shape
from kgprobe.oracles.ways import are_alike

__all__ = ["Kept", "Sameness", "described", "kept_in", "kept_success"]

# Each run has a folder of its own, and programs tell in which file something is wrong.
_FOLDER = re.compile(re.escape(tempfile.gettempdir()) + r"[^\s\"']*?kgprobe-\w+")


def described(runs: Sequence[Sequence[Observation]]) -> tuple[str, str]:
    """How the systems ended, and a digest of all that they said; of several runs, what came most often."""
    told = Counter((_together(map(_ending, observed)), _digest(observed)) for observed in runs)
    ((most, _),) = told.most_common(1)
    return most


class Sameness(StrEnum):
    """When a smaller graph counts as one that does the same."""

    SIGNATURE = "signature"
    ENDING = "ending"
    EXACT = "exact"


@dataclass(frozen=True)
class Kept:
    """What a smaller graph must still do. `text` tells people.

    `failure` is what went wrong with the whole graph, or None if that succeeded; a smaller one must fail in the same
    way, under whatever names.
    """

    sameness: Sameness
    value: str
    text: str
    failure: Failure | None = None
    others: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """What the systems said about the failure."""
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
    """What is to be kept of these runs of one graph: the failure with the lowest rank, or the run that it is in.

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


# -- an observation as text --------------------------------------------------------------------------------------------


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
    """What a file says: labels of blank nodes, and the order of triples, mean nothing."""
    try:
        return str(fingerprint(read_graph(output)))
    except (InputError, TooSymmetricError):
        return hashlib.sha256(output).hexdigest()
