"""RDFC-1.0, the standard algorithm for naming blank nodes by their position in a graph, with a time limit.

The algorithm takes exponential time if the blank nodes are symmetric, and it cannot be interrupted. Graphs for which
it may be slow are therefore handled in another process: `python -m kgprobe.rdf.rdfc` reads N-Quads and writes them
back with canonical labels.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from pyoxigraph import BlankNode, CanonicalizationAlgorithm, Dataset, Quad, RdfFormat, parse, serialize

from kgprobe.errors import KgprobeError
from kgprobe.processes.limits import Limits, Passed, ending
from kgprobe.rdf.terms import Triple

if TYPE_CHECKING:
    from kgprobe.processes.guard import Guards

__all__ = ["TooSymmetricError"]

# Six blank nodes that all look the same take up to about 30 ms, and each further one takes ten times as long.
_QUICK = 5
_SECONDS = 20.0
_MEMORY_MB = 4096
_MOST_GROWTH = 64  # a canonical label is longer than one letter, by much less than this


class TooSymmetricError(KgprobeError):
    """The blank nodes of a graph are too similar to be distinguished in reasonable time."""


def canonical_lines(triples: Iterable[Triple], *, seconds: float = _SECONDS) -> list[str]:
    """The triples as sorted N-Quads lines with canonical blank-node labels."""
    quads = [Quad(triple.subject, triple.predicate, triple.object) for triple in triples]
    blanks = {term for quad in quads for term in (quad.subject, quad.object) if isinstance(term, BlankNode)}
    if len(blanks) <= _QUICK:
        return _canonicalize(quads)
    text = serialize(quads, format=RdfFormat.N_QUADS)
    assert text is not None  # noqa: S101 - no file was given to write to
    return _canonicalized_elsewhere(text, len(blanks), seconds)


@cache
def _guards() -> Guards:
    """One guard for all calls: starting it takes as long as most calls."""
    from kgprobe.processes.guard import Guards

    return Guards()


def _canonicalized_elsewhere(text: bytes, blanks: int, seconds: float) -> list[str]:
    from kgprobe.processes.child import Setup, run  # the child process does not need it

    ended = run(
        [sys.executable, "-m", __name__],
        Limits(seconds, _MEMORY_MB),
        Setup(most_output=_MOST_GROWTH * len(text)),
        sent=text,
        all_or_nothing=True,
        guards=_guards(),
    )
    if ended.passed is not None:
        bound = f"{seconds:g} s" if ended.passed is Passed.TIME else f"{_MEMORY_MB} MB"
        raise TooSymmetricError(
            f"{blanks} blank nodes are too similar to be compared within {bound}",
            hint="give some of them names, or more properties that differ",
        )
    lines = ended.stdout.whole
    if ended.code or lines is None:
        raise RuntimeError(f"canonicalization failed ({ending(ended.code)}): {ended.stderr.text()}")
    return lines.decode().splitlines()


def _canonicalize(quads: Iterable[Quad]) -> list[str]:
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return sorted(f"{quad} ." for quad in dataset)


if __name__ == "__main__":
    lines = _canonicalize(parse(sys.stdin.buffer, format=RdfFormat.N_QUADS))
    sys.stdout.write("\n".join(lines))
