"""The file that `kgprobe reduce` writes to."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from kgprobe.cli.app import tell
from kgprobe.cli.reduction_options import ReduceOptions
from kgprobe.config.writing import check_new, check_writable
from kgprobe.errors import InputError, Position
from kgprobe.graph.files import save, writable_format
from kgprobe.graph.formats.catalogue import FORMATS, Format, by_extension
from kgprobe.graph.graph import Graph
from kgprobe.report.wording import number_of

__all__ = ["Target"]


class Target:
    """The file with the best graph so far."""

    def __init__(self, name: str, options: ReduceOptions) -> None:
        wanted = None if options.written_as is None else writable_format(name, options.written_as)
        self.path = _out(name, options.out, wanted or FORMATS["turtle"])
        self._best: Graph | None = None
        self._triples: int | None = None  # of what is in the file
        check_new(self.path, force=options.force)
        for other in (name, options.seed_graph, options.profile):
            if other and self.path.exists() and Path(other).exists() and self.path.samefile(other):
                raise InputError("is needed, and must not be replaced", where=Position(str(self.path)))
        check_writable(self.path)
        if wanted is None:
            wanted = writable_format(self.path.name, None if by_extension(self.path.name) else "turtle")
        self._format = wanted.name
        if self._format == "functional":
            # A part of a graph need not be an ontology.
            raise InputError(
                "functional syntax cannot say every graph", where=Position(str(self.path)), hint="use .ttl"
            )

    def write(self, graph: Graph) -> None:
        """Replace the file."""
        self._best = graph.copy()
        save(graph, self.path, format_name=self._format)
        self._triples = len(graph)

    def tell(self) -> None:
        """Say where the best so far is, to somebody who does not get more."""
        if self._best is not None:
            with suppress(InputError):
                self.write(self._best)  # an interruption can come before it is written, or before that is noted
        if self._triples is not None:
            tell("note", f"the best so far, {number_of(self._triples, 'triple')}, is in {self.path}")


def _out(name: str, out: str | None, wanted: Format) -> Path:
    if out == "" or out == "-":
        raise InputError("--out names no file", hint="the best so far is kept there all the time")
    if out is not None:
        return Path(out)
    if name == "<stdin>":
        raise InputError("a graph from standard input has no name to write to", hint="name a file with --out")
    path = Path(name)
    path = path.with_suffix("") if path.suffix == ".gz" else path
    return path.with_name(f"{path.stem}.reduced.{wanted.extensions[0]}")
