"""Readable names for the terms of two versions of a graph: short forms and labels."""

from __future__ import annotations

import re
from functools import lru_cache

from kgprobe.comparison.model import OBO
from kgprobe.graph.axioms.name_kinds import is_reserved
from kgprobe.graph.graph import Graph
from kgprobe.graph.spelling import Spelling
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, NamedNode, Term
from kgprobe.ontology.axiom_wording import labels_of

__all__ = ["Names", "obo_id"]

_OBO_NAME = re.compile(re.escape(OBO.iri) + r"([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z][A-Za-z0-9]*)*)_([0-9][A-Za-z0-9]*)")
# The last part of a name, if it has a digit; and the words of a label.
_WITH_NUMBER = re.compile(r"[^#/]*\d[^#/]*$")
_WORDS = re.compile(r"[^\W\d_]{3,}")
_STANDARD = {"owl": OWL.iri, "rdf": RDF.iri, "rdfs": RDFS.iri, "xsd": XSD.iri}


def obo_id(name: NamedNode) -> str | None:
    """The short form that OBO ontologies use: `GO:0000001` for http://purl.obolibrary.org/obo/GO_0000001."""
    found = _OBO_NAME.fullmatch(name.value)
    return f"{found[1]}:{found[2]}" if found else None


class Names:
    """Spells names with the prefixes of both versions, and finds their labels, first in the new version."""

    def __init__(self, old: Graph, new: Graph) -> None:
        self._graphs = (new, old)
        self._spelling = Spelling({**_STANDARD, **old.spelling.prefixes, **new.spelling.prefixes})
        self._short = lru_cache(maxsize=None)(self._spelled)

    def short(self, term: Term) -> str:
        """A name in a short form, or in angle brackets; a literal as in Turtle."""
        return self._short(term) if type(term) is NamedNode else self._spelling.term(term)

    def label(self, term: Term) -> str | None:
        """The label of a name."""
        if type(term) is not NamedNode or is_reserved(term):
            return None
        return next((labels[0] for graph in self._graphs if (labels := labels_of(term, graph))), None)

    def with_label(self, term: Term) -> str:
        """A name in a short form, followed by its label if it has one."""
        label = self.label(term)
        return self.short(term) if label is None else f"{self.short(term)} '{label}'"

    def explained(self, term: Term) -> str:
        """A name in a short form, followed by its label if the name is opaque: `GO:0008150 'biological_process'`."""
        label = self.label_of_opaque(term)
        return self.short(term) if label is None else f"{self.short(term)} '{label}'"

    def label_of_opaque(self, term: Term) -> str | None:
        """The label of an opaque name, such as a number."""
        if type(term) is not NamedNode or not (found := _WITH_NUMBER.search(term.value)):
            return None
        label = self.label(term)
        if label is None:
            return None
        name = found[0].casefold()
        if any(word.casefold() in name for word in _WORDS.findall(label)):
            return None
        return "".join(character if character.isprintable() else "�" for character in label)

    def _spelled(self, name: NamedNode) -> str:
        return obo_id(name) or self._spelling.term(name)
