"""How a file spells its terms: prefixes, and the case of language tags. Spelling is not part of the graph."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Triple

__all__ = ["STANDARD_PREFIXES", "Spelling", "is_bare"]

STANDARD_PREFIXES = {"owl": OWL.iri, "rdf": RDF.iri, "rdfs": RDFS.iri, "xsd": XSD.iri}
"""The prefixes that OWL syntaxes need not declare."""
_BARE = {
    XSD.integer: re.compile(r"[+-]?\d+"),
    XSD.decimal: re.compile(r"[+-]?\d*\.\d+"),
    XSD.boolean: re.compile("true|false"),
}
_LOCAL_NAME = re.compile(r"[\w\-]*(?:[\w\-.]*[\w\-])?")


def is_bare(literal: Literal) -> bool:
    """Whether Turtle can write the literal without quotes and datatype, as in `5`."""
    form = _BARE.get(literal.datatype)
    return form is not None and form.fullmatch(literal.value) is not None


@dataclass(frozen=True)
class Spelling:
    """Prefixes and language tags for writing a graph, so that the new file looks like the original."""

    prefixes: Mapping[str, str] = field(default_factory=dict)
    # Language tags that are not all lower case, by their lower-case form. Terms use the lower-case form.
    language_tags: Mapping[str, str] = field(default_factory=dict)

    def term(self, term: object) -> str:
        """A term for people to read, with a prefix if possible."""
        if isinstance(term, Literal) and not term.language and term.datatype != XSD.string:
            return f"{str(term).rpartition('^^')[0]}^^{self.term(term.datatype)}"
        if not isinstance(term, NamedNode):
            return str(term)
        fitting = [
            (len(iri), f"{prefix}:{local}")
            for prefix, iri in self.prefixes.items()
            if iri and term.value.startswith(iri) and _LOCAL_NAME.fullmatch(local := term.value[len(iri) :])
        ]
        return max(fitting)[1] if fitting else str(term)

    def triple(self, triple: Triple) -> str:
        """A triple for people to read, as in Turtle."""
        predicate = "a" if triple.predicate == RDF.type else self.term(triple.predicate)
        return f"{self.term(triple.subject)} {predicate} {self.term(triple.object)}"
