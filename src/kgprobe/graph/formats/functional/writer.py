"""OWL functional syntax: axiom trees to text that `functional.parse` reads back as they were."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from kgprobe.graph.axioms.expression import Argument, Expression, OntologyDocument
from kgprobe.graph.formats.owl_terms import STANDARD_PREFIXES
from kgprobe.graph.terms import XSD, BlankNode, Literal, NamedNode, Term

__all__ = ["render"]

_Piece: TypeAlias = "str | Argument"

# Narrower than the grammar allows, so that every reader of functional syntax agrees on where a name ends.
_PREFIX_NAME = re.compile(r"(?:[A-Za-z][A-Za-z0-9_\-]*)?")
_LOCAL_NAME = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_\-]*)?")


def render(document: OntologyDocument) -> Iterator[str]:
    """The lines of the document in functional syntax, each with its line end."""
    prefixes = {name: iri for name, iri in document.prefixes.items() if _can_declare(name, iri)}
    terms = _Terms(prefixes)
    for name, iri in prefixes.items():
        yield f"Prefix({name}:=<{iri}>)\n"
    names = [iri for iri in (document.iri, document.version) if iri is not None]
    yield "Ontology(" + " ".join(f"<{iri.value}>" for iri in names) + "\n"
    for imported in document.imports:
        yield f"Import(<{imported.value}>)\n"
    for tree in (*document.annotations, *document.axioms):
        yield _text(tree, terms) + "\n"
    yield ")\n"


def _can_declare(name: str, iri: str) -> bool:
    if _PREFIX_NAME.fullmatch(name) is None or STANDARD_PREFIXES.get(name, iri) != iri:
        return False
    return re.fullmatch(r"[^<>\n]*", iri) is not None


def _text(tree: Expression, terms: _Terms) -> str:
    """A tree as text, with a stack of pieces instead of recursion; a piece of type str is text already."""
    text: list[str] = []
    pieces: list[_Piece] = [tree]
    while pieces:
        piece = pieces.pop()
        if type(piece) is Expression:
            pieces.append(")")
            arguments = piece.args
            for argument in arguments[:0:-1]:
                pieces += (argument, " ")
            pieces += arguments[:1]
            text.append(f"{piece.head}(")
        elif isinstance(piece, str):
            text.append(piece)
        elif isinstance(piece, int):
            text.append(str(piece))
        else:
            text.append(terms.text(piece))
    return "".join(text)


class _Terms:
    """Writes terms with the prefixes of one document, and remembers how it wrote an IRI."""

    def __init__(self, prefixes: dict[str, str]) -> None:
        self._names = {namespace: f"{name}:" for name, namespace in reversed(prefixes.items())}
        self._lengths = sorted({len(namespace) for namespace in self._names}, reverse=True)
        self._written: dict[NamedNode, str] = {}

    def text(self, term: Term) -> str:
        if isinstance(term, NamedNode):
            known = self._written.get(term)
            if known is None:
                known = self._written[term] = self._iri(term.value)
            return known
        if isinstance(term, BlankNode):
            return f"_:{term.value}"
        return self._literal(term)

    def _iri(self, iri: str) -> str:
        for length in self._lengths:
            prefix = self._names.get(iri[:length])
            if prefix is not None and _LOCAL_NAME.fullmatch(iri, length):
                return prefix + iri[length:]
        return f"<{iri}>"

    def _literal(self, value: Literal) -> str:
        quoted = '"' + value.value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        if value.language is not None:
            direction = f"--{value.direction.value}" if value.direction is not None else ""
            return f"{quoted}@{value.language}{direction}"
        return quoted if value.datatype == XSD.string else f"{quoted}^^{self.text(value.datatype)}"
