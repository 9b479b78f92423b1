"""The prologue of a query: the prefixes and the base that it declares, and the IRIs of names under it.

It also recognises properties that some engines compute: a pattern with one matches more than the triples of the graph.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from pyoxigraph import RdfFormat
from pyoxigraph import parse as parse_rdf

from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql.engine.pyoxigraph import unescaped

__all__ = [
    "DECLARATIONS",
    "GAP",
    "UPDATES",
    "Prologue",
    "first_word",
    "is_computed",
    "is_update",
    "prologue_end",
    "prologue_of",
]

_COMPUTED = (
    "bif:",  # Virtuoso
    "http://jena.apache.org/ARQ/list#",
    "http://jena.apache.org/ARQ/property#",
    "http://jena.apache.org/spatial#",
    "http://jena.apache.org/text#",
    "http://jena.hpl.hp.com/ARQ/list#",
    "http://jena.hpl.hp.com/ARQ/property#",
    "http://qlever.cs.uni-freiburg.de/builtin-functions/",
    "http://www.bigdata.com/rdf/",
    "http://www.ontotext.com/connectors/",
    "http://www.ontotext.com/owlim/",
    "http://www.ontotext.com/path#",
    "http://www.openrdf.org/contrib/lucenesail#",
    # The topological relations of GeoSPARQL, which follow from coordinates.
    "http://www.opengis.net/ont/geosparql#eh",
    "http://www.opengis.net/ont/geosparql#rcc8",
    "http://www.opengis.net/ont/geosparql#sf",
    "tag:stardog:api:",
)


def is_computed(term: NamedNode) -> bool:
    """Whether some engines compute the triples with this property."""
    return term.value.startswith(_COMPUTED)


# -- PREFIX and BASE ---------------------------------------------------------------------------------------------------

# Regular expressions, to match without regard to case: white space and comments, and any number of declarations.
GAP = r"(?>(?:\s+|\#[^\n\r]*)*)"
DECLARATIONS = rf"(?>(?:\s+|\#[^\n\r]*|PREFIX{GAP}[^\s:<>]*:{GAP}<[^<>]*>|BASE{GAP}<[^<>]*>)*)"
_DECLARATION = re.compile(
    rf"\#[^\n\r]* | PREFIX{GAP}(?P<prefix>[^\s:<>]*):{GAP}<(?P<iri>[^<>]*)> | BASE{GAP}<(?P<base>[^<>]*)>",
    re.VERBOSE | re.IGNORECASE,
)
_PROLOGUE = re.compile(DECLARATIONS, re.IGNORECASE)
_WORD = re.compile(r"\w*")
# The words that begin an update.
UPDATES = ("INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "DROP", "ADD", "MOVE", "COPY", "CREATE")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_LOCAL_ESCAPE = re.compile(r"\\(.)")
_MOST_REMEMBERED = 10_000  # names


class Prologue:
    """The declarations of a query or an update, and the defaults that apply if it does not declare a prefix."""

    def __init__(self, text: str, defaults: Mapping[str, str]) -> None:
        self.prefixes = dict(defaults)
        self.base: str | None = None
        self.computed: set[str] = set()  # the names looked up so far that are computed properties
        self._terms: dict[str, NamedNode | None] = {}
        for found in _DECLARATION.finditer(text):
            if found["base"] is not None:
                self.base = self._iri(found["base"])
            elif found["iri"] is not None:
                self._declare(found["prefix"], self._iri(found["iri"]))

    def _declare(self, prefix: str, iri: str | None) -> None:
        if iri is None:
            self.prefixes.pop(prefix, None)  # it now has another, unknown meaning
        else:
            self.prefixes[prefix] = iri

    def term(self, written: str) -> NamedNode | None:
        """The IRI of a name; None if it is relative and there is no BASE."""
        found = self._terms.get(written)
        if found is None and written not in self._terms:
            if len(self._terms) >= _MOST_REMEMBERED:
                self._terms.clear()
            found = self._terms[written] = self._term(written)
            if found is not None and is_computed(found):
                self.computed.add(written)
        return found

    def _term(self, written: str) -> NamedNode | None:
        if written[0] == "<":
            iri = self._iri(written[1:-1])
        else:
            prefix, _, local = written.partition(":")
            namespace = self.prefixes.get(prefix)
            if "\\" in local:
                local = _LOCAL_ESCAPE.sub(r"\1", local)
            iri = None if namespace is None else namespace + local
        try:
            return None if iri is None else NamedNode(iri)
        except ValueError:
            return None

    def _iri(self, written: str) -> str | None:
        written = unescaped(written)
        if _SCHEME.match(written):
            return written
        return None if self.base is None else _resolved(self.base, written)


def prologue_of(text: str, defaults: Mapping[str, str]) -> Prologue:
    """The prologue with this text. Cached, because many queries have the same prologue."""
    return _prologue(text, tuple(sorted(defaults.items())) if defaults else ())


@functools.lru_cache(maxsize=64)
def _prologue(text: str, defaults: tuple[tuple[str, str], ...]) -> Prologue:
    return Prologue(text, dict(defaults))


def prologue_end(text: str) -> int:
    """The offset of the first word after the declarations."""
    found = _PROLOGUE.match(text)
    return found.end() if found else 0


def first_word(text: str) -> str:
    """The first word after the declarations, if any."""
    found = _WORD.match(text, prologue_end(text))
    return found[0] if found else ""


def is_update(text: str) -> bool:
    """Whether the first word of a text, after its declarations, begins an update. An empty text is one, too."""
    word = first_word(text)
    return word.upper() in UPDATES or (not word and prologue_end(text) == len(text))


@functools.lru_cache(maxsize=1024)
def _resolved(base: str, relative: str) -> str | None:
    """The absolute form of a relative IRI, from the library that also parses queries."""
    try:
        [triple] = parse_rdf(f"<{relative}> <a:a> <a:a> .", RdfFormat.TURTLE, base_iri=base)
    except (SyntaxError, ValueError):
        return None
    return triple.subject.value if isinstance(triple.subject, NamedNode) else None
