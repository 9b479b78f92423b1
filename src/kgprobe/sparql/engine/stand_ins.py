"""Stand-ins for literals that a store would rewrite.

pyoxigraph's store keeps the value of a number, a date or a boolean, but not its spelling: `01` becomes `1`, and
`"5"^^xsd:nonNegativeInteger` becomes an `xsd:integer`. So a literal that would change is stored with another datatype,
which pyoxigraph does not know and leaves alone.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from pyoxigraph import Quad, Store

from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode, Term

__all__ = ["FUNCTIONS", "MARK", "exact", "is_stored_exactly", "rewritten_literals", "stand_in", "stored_forms"]

FUNCTIONS = "urn:kgprobe:sparql:"
"""The namespace of our functions and aggregates, which read stand-ins."""

MARK = "urn:kgprobe:exact:"
_ALWAYS_EXACT = (XSD.string, RDF.langString)
# Most literals that are not strings have one of these forms, and checking with a store takes longer.
_PLAIN_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_PLAIN_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,8})\.[0-9]{0,8}[1-9]")
_PREDICATE = NamedNode("urn:kgprobe:form")


def stand_in(term: Term) -> Term:
    """The stored form of a term: the term itself if a store keeps it unchanged, else its stand-in."""
    if not isinstance(term, Literal) or is_stored_exactly(term):
        return term
    return Literal(term.value, datatype=NamedNode(MARK + term.datatype.value))


def exact(term: Term) -> Term:
    """The term for its stored form."""
    if not isinstance(term, Literal) or not term.datatype.value.startswith(MARK):
        return term
    return Literal(term.value, datatype=NamedNode(term.datatype.value.removeprefix(MARK)))


def is_stored_exactly(literal: Literal) -> bool:
    """Whether a store keeps a literal unchanged."""
    known = _known(literal)
    return _survives(literal) if known is None else known


def rewritten_literals(terms: Iterable[Term]) -> list[Literal]:
    """The literals among these terms that a store would rewrite."""
    doubtful = [term for term in terms if isinstance(term, Literal) and not _known(term)]
    forms = stored_forms(doubtful) if doubtful else {}
    return [literal for literal in doubtful if _is_marked(literal) or forms[literal] != literal]


def stored_forms(literals: Iterable[Literal]) -> dict[Literal, Term]:
    """The form in which a store returns each literal."""
    numbered = list(literals)
    store = Store()
    store.bulk_extend(Quad(NamedNode(f"urn:{n}"), _PREDICATE, literal) for n, literal in enumerate(numbered))
    return {numbered[int(quad.subject.value.removeprefix("urn:"))]: quad.object for quad in store}


def _known(literal: Literal) -> bool | None:
    """Whether a store keeps a literal unchanged; None if only a store can tell."""
    datatype = literal.datatype
    if datatype in _ALWAYS_EXACT:
        return True
    if datatype == XSD.integer and _PLAIN_INTEGER.fullmatch(literal.value):
        return True
    if datatype == XSD.decimal and _PLAIN_DECIMAL.fullmatch(literal.value):
        return True
    if _is_marked(literal):
        return False  # else it would be taken for a stand-in
    return None if datatype.value.startswith(XSD.iri) else True


def _is_marked(literal: Literal) -> bool:
    return literal.datatype.value.startswith(MARK)


@functools.lru_cache(maxsize=1 << 16)
def _survives(literal: Literal) -> bool:
    store = Store()
    store.add(Quad(_PREDICATE, _PREDICATE, literal))
    return literal in (quad.object for quad in store)
