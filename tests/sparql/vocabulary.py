"""Short forms for the expected values of these tests."""

from __future__ import annotations

from kgprobe.rdf.terms import RDFS, XSD, NamedNode, Term
from kgprobe.sparql.reading import Query, read_query
from kgprobe.sparql.uses import PathUse, Slot, TripleUse, Use

__all__ = ["PREFIXES", "iri", "one", "read", "terms", "use", "var"]

PREFIXES = f"PREFIX : <http://example.org/> PREFIX rdfs: <{RDFS.iri}> PREFIX xsd: <{XSD.iri}>\n"


def iri(name: str) -> NamedNode:
    return NamedNode(f"http://example.org/{name}")


def terms(*found: Term) -> frozenset[Term]:
    return frozenset(found)


def one(name: str) -> Slot:
    """The slot of a constant."""
    return Slot(terms(iri(name)))


def var(name: str) -> Slot:
    return Slot(None, name)


def read(query: str) -> Query:
    """A query after the usual prefixes, which are on its first line."""
    return read_query(PREFIXES + query)


def use(group: str, text: str) -> Use:
    """The use of the pattern with this text, in a query with this group."""
    [found] = [found_use for found_use in read(f"SELECT * {{ {group} }}").uses if found_use.text == text]
    assert isinstance(found, TripleUse | PathUse)
    return found
