"""The axioms that an OBO header carries in functional syntax, because OBO itself has no words for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kgprobe.errors import InputError
from kgprobe.graph.axioms.to_triples import triples as triples_of
from kgprobe.graph.formats import functional
from kgprobe.graph.formats.obo.ids import OBO, STANDARD_IDSPACES
from kgprobe.graph.formats.obo.text import Malformed, unescape
from kgprobe.graph.formats.obo.triples import Triples
from kgprobe.graph.terms import BlankNode, Term

__all__ = ["add_axioms"]

# The specification's prefixes; tools write a document of its own into the header, with prefixes of its own.
_OPENING: Final = (
    "".join(f"Prefix({prefix}:=<{iri}>)\n" for prefix, iri in STANDARD_IDSPACES.items())
    + f"Prefix(:=<{OBO.iri}>)\nOntology(\n"
)


def add_axioms(values: Sequence[str], triples: Triples) -> None:
    """Add the axioms that the values of the owl-axioms clauses have together; errors are in the first of them."""
    texts = [unescape(value.strip()) for value in values]
    documents = [text for text in texts if text.startswith(("Prefix(", "Ontology("))]
    fragments = [text for text in texts if text not in documents]
    if fragments:
        documents.append(_OPENING + "\n".join([*fragments, ")"]))
    for text in documents:
        _add(text, values[0], triples)


def _add(text: str, value: str, triples: Triples) -> None:
    try:
        ontology = functional.parse(text, "owl-axioms")
    except InputError as problem:
        raise Malformed(f"not axioms in functional syntax: {problem.message}", value, hint=problem.hint) from None
    if ontology.imports or ontology.annotations:
        raise Malformed("owl-axioms may have axioms, but no imports and no annotations of an ontology", value)
    # All blank nodes get labels of this document: those of the axioms may be taken here.
    blanks: dict[Term, int] = {}

    def number(term: Term) -> int:
        if type(term) is not BlankNode:
            return triples.number(term)
        if term not in blanks:
            blanks[term] = triples.blank()
        return blanks[term]

    for statement in triples_of(ontology, header=False):
        triples.cells += map(number, statement)
