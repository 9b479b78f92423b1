"""RDFC-1.0, the standard way to name blank nodes by their place in a graph, with a limit on the time it takes.

The standard's algorithm is exponential in how symmetric the blank nodes are, and cannot be interrupted. What could
take long is therefore done in a process of its own: `python -m kgprobe.graph.rdfc` reads N-Quads and writes them back
with canonical labels.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable

from pyoxigraph import BlankNode, CanonicalizationAlgorithm, Dataset, Quad, RdfFormat, parse, serialize

from kgprobe.errors import KgprobeError
from kgprobe.graph.terms import Triple

__all__ = ["TooSymmetricError", "canonical_lines"]

# Six blank nodes that all look alike take some 30 ms at the worst, and each further one ten times as long.
_QUICK = 5
_SECONDS = 20.0


class TooSymmetricError(KgprobeError):
    """The blank nodes of a graph look too much alike to be told apart in reasonable time."""


def canonical_lines(triples: Iterable[Triple], *, seconds: float = _SECONDS) -> list[str]:
    """The triples as sorted N-Quads lines with canonical blank-node labels."""
    quads = [Quad(triple.subject, triple.predicate, triple.object) for triple in triples]
    blanks = {term for quad in quads for term in (quad.subject, quad.object) if isinstance(term, BlankNode)}
    if len(blanks) <= _QUICK:
        return _canonicalize(quads)
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", __name__],
            input=serialize(quads, format=RdfFormat.N_QUADS),
            stdout=subprocess.PIPE,
            timeout=seconds,
            check=True,
        )
    except subprocess.TimeoutExpired:
        raise TooSymmetricError(
            f"{len(blanks)} blank nodes look too much alike to be compared within {seconds:g} s",
            hint="give some of them names, or more properties that differ",
        ) from None
    return done.stdout.decode().splitlines()


def _canonicalize(quads: Iterable[Quad]) -> list[str]:
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return sorted(f"{quad} ." for quad in dataset)


if __name__ == "__main__":
    lines = _canonicalize(parse(sys.stdin.buffer, format=RdfFormat.N_QUADS))
    sys.stdout.write("\n".join(lines))
