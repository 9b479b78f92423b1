"""What OBO identifiers stand for: the IRIs of prefixed, unprefixed and URL identifiers, and of shorthands.

Prefixed identifiers are translated as OWLAPI and ROBOT do, whose IRIs are the ones that published ontologies have:
"GO:0000001" is obo:GO_0000001, and only a local part with an underscore is set apart, "EX:a_b" being obo:EX#_a_b.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from kgprobe.graph.formats.obo.text import Malformed, word
from kgprobe.graph.table import Interner
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, NamedNode, Namespace

__all__ = ["IAO", "OBO", "OIO", "STANDARD_IDSPACES", "Identifiers", "Typedef", "find_typedefs", "is_url"]

OBO: Final = Namespace("http://purl.obolibrary.org/obo/")
IAO: Final = Namespace(OBO.iri + "IAO_")
OIO: Final = Namespace("http://www.geneontology.org/formats/oboInOwl#")

# The specification declares these for every document; an idspace of the document's own comes first.
STANDARD_IDSPACES: Final = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "oboInOwl": OIO.iri,
    "owl": OWL.iri,
    "rdf": RDF.iri,
    "rdfs": RDFS.iri,
    "xsd": XSD.iri,
}
# An identifier with one of these for a prefix is an IRI already.
_SCHEMES: Final = {scheme: f"{scheme}:" for scheme in ("http", "https", "ftp", "urn")}
_PREFERRED: Final = ("BFO:", "RO:")


@dataclass(slots=True)
class Typedef:
    """What the rest of a document must know of a relation before it is read."""

    xrefs: list[str] = field(default_factory=list)
    is_metadata: bool = False
    is_class_level: bool = False


def is_url(identifier: str) -> bool:
    """Whether an identifier is an IRI already."""
    scheme, colon, _ = identifier.partition(":")
    return bool(colon) and scheme in _SCHEMES


def find_typedefs(document: str) -> dict[str, Typedef]:
    """The relations that a document defines, by identifier: they mostly come last, after all that uses them."""
    found: dict[str, Typedef] = {}
    start = 0 if document.startswith("[Typedef]") else document.find("\n[Typedef]")
    while start >= 0:
        end = document.find("\n[", start + 1)
        clauses = [line.partition(":") for line in document[start : end if end >= 0 else None].split("\n")]
        values = [(tag.strip(), value.strip()) for tag, _, value in clauses]
        # An identifier or a reference that is none is reported where its clause is read.
        identifier = next((word(value, 0)[0] for tag, value in values if tag == "id"), None)
        typedef = found.setdefault(identifier or "", Typedef())
        references = (word(value, 0)[0] for tag, value in values if tag == "xref")
        typedef.xrefs += [reference for reference in references if reference]
        typedef.is_metadata |= any(tag == "is_metadata_tag" and value[:4] == "true" for tag, value in values)
        typedef.is_class_level |= any(tag == "is_class_level" and value[:4] == "true" for tag, value in values)
        start = document.find("\n[Typedef]", start + 1)
    return found


class Identifiers(dict[str, int]):
    """The numbers of the entities that identifiers stand for."""

    def __init__(
        self, intern: Interner, unprefixed: str, idspaces: Mapping[str, str], typedefs: Mapping[str, Typedef]
    ) -> None:
        super().__init__()
        self._intern = intern
        self._unprefixed = unprefixed
        self._namespaces = _SCHEMES | STANDARD_IDSPACES | dict(idspaces)
        self.shorthands = {
            identifier: _formal(typedef.xrefs, identifier, idspaces)
            for identifier, typedef in typedefs.items()
            if ":" not in identifier and set(typedef.xrefs) - {identifier}
        }

    def new(self, identifier: str) -> int:
        """The number of the entity of an identifier that is not here yet; ValueError if it gives no valid IRI.

        Callers try `get` first. It is no `__missing__`, which Python code cannot call without a detour through C.
        """
        intern = self._intern
        number = self[identifier] = intern.setdefault(NamedNode(self.iri(identifier)), len(intern))
        return number

    def entity(self, identifier: str, text: str, start: int = 0) -> int:
        """The number of an entity; `text` and `start` say where its identifier was read."""
        number = self.get(identifier)
        if number is not None:
            return number
        try:
            return self.new(identifier)
        except ValueError as problem:
            raise Malformed(f"'{identifier}' gives no valid IRI: {problem}", text, start) from None

    def iri(self, identifier: str) -> str:
        """The IRI that an identifier stands for; it may turn out to be none."""
        if not identifier:
            raise ValueError("it is empty")
        prefix, colon, local = identifier.partition(":")
        namespace = self._namespaces.get(prefix)
        if namespace is not None and colon:
            return namespace + local
        if colon:
            return f"{OBO.iri}{prefix}#_{local}" if "_" in local else f"{OBO.iri}{prefix}_{local}"
        formal = self.shorthands.get(identifier)
        return self._unprefixed + identifier if formal is None else self.iri(formal)


def _formal(xrefs: list[str], identifier: str, idspaces: Mapping[str, str]) -> str:
    """The reference that an unprefixed relation is a shorthand for; of equals, the first."""
    candidates = [xref for xref in xrefs if xref != identifier]
    return min(candidates, key=lambda x: (not x.startswith(_PREFERRED), x.partition(":")[0] not in idspaces))
