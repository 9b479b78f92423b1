"""`kgprobe lsp`: check SPARQL queries in an editor while they are written."""

from __future__ import annotations

from pathlib import Path

import click

from kgprobe.errors import UnavailableError

_EXAMPLES = """\b
Examples:
  kgprobe lsp                          started by an editor; queries name their ontology in a comment
  kgprobe lsp --ontology menu.ttl      use this ontology for queries without such a comment
"""


@click.command("lsp", epilog=_EXAMPLES)
@click.option(
    "--ontology",
    "ontologies",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="The ontology of queries that do not name one. Repeatable.",
)
def command(ontologies: tuple[Path, ...]) -> None:
    """Start a language server for SPARQL, which an editor talks to over standard input and output.

    A query names its ontology in a comment: # kgprobe: ontology FILE
    """
    try:
        from kgprobe.lsp.server import serve  # only here: it needs an extra, and loads slowly
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise UnavailableError("pygls is not installed", hint="pip install 'kgprobe[lsp]'") from None
    serve(ontologies)
