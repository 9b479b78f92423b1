"""The state that the clauses of one OBO document share: triples, identifiers, relations and declarations."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Generic, TypeAlias, TypeVar

import numpy as np

from kgprobe.formats.syntaxes.obo.text import Malformed, word
from kgprobe.rdf.table import Interner, TableBuilder
from kgprobe.rdf.terms import OBO, OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Namespace, Term

# -- triples -----------------------------------------------------------------------------------------------------------

# The positions of a shape that the numbers of a record fill. The numbers of terms start at 0.
FIRST: Final = -1
SECOND: Final = -2
THIRD: Final = -3
_FOURTH: Final = -4

Pairs: TypeAlias = tuple[tuple[int, int], ...]
"""Annotations, as pairs of the numbers of a property and a value."""

_Records: TypeAlias = list[int]


class Triples:
    """Triples as flat lists of term numbers. A term gets a number only when a triple needs it."""

    def __init__(self, builder: TableBuilder) -> None:
        self.intern = builder.intern
        self.cells: list[int] = []
        self._shapes: list[tuple[tuple[int, ...], _Records]] = []
        self._blanks = 0
        self._annotated: set[tuple[int, int, int, Pairs]] = set()

    def records(self, *shape: int) -> _Records:
        """A list to extend with records; each record fills the places of a shape, which makes its triples.

        Most clauses of one kind differ only in two or three numbers, so only those are collected for each clause.
        """
        records: _Records = []
        self._shapes.append((shape, records))
        return records

    def numbers(self) -> Iterator[array[int]]:
        """All triples, as flat arrays of term numbers."""
        yield array("I", self.cells)
        for shape, records in self._shapes:
            values = np.frombuffer(array("I", records), dtype=np.uint32).reshape(-1, -min(shape))
            rows = np.empty((len(values), len(shape)), dtype=np.uint32)
            for place, number in enumerate(shape):
                rows[:, place] = values[:, FIRST - number] if number < 0 else number
            yield array("I", rows.tobytes())

    def number(self, term: Term) -> int:
        """The number of a term."""
        return self.intern.setdefault(term, len(self.intern))  # a new term is hashed once, not twice

    def literal(self, text: str) -> int:
        """The number of a plain literal."""
        intern = self.intern
        return intern.setdefault(Literal(text), len(intern))

    def blank(self) -> int:
        """The number of a new blank node; labels follow the order in which the file needs them."""
        intern = self.intern
        intern[BlankNode(f"b{self._blanks}")] = number = len(intern)
        self._blanks += 1
        return number

    def add(self, subject: int, predicate: int, object_: int, annotations: Pairs = ()) -> None:
        """Add a triple, and its annotations as OWL reifies them; an annotated triple is reified only once."""
        self.cells += (subject, predicate, object_)
        if annotations:
            self.annotate(subject, predicate, object_, annotations)

    def annotate(self, subject: int, predicate: int, object_: int, annotations: Pairs) -> None:
        """Add the annotations, at least one, of a triple that is added elsewhere."""
        annotated = self._annotated
        before = len(annotated)
        annotated.add((subject, predicate, object_, annotations))
        if len(annotated) == before:
            return
        axioms = self._axioms
        node = self.blank()
        axioms += (node, subject, predicate, object_)
        cells = self.cells
        for key, value in annotations:
            cells += (node, key, value)

    def some(self, property_: int, class_: int) -> int:
        """A new someValuesFrom restriction."""
        restrictions = self._restrictions
        node = self.blank()
        restrictions += (node, property_, class_)
        return node

    def restriction(self, property_: int, kind: NamedNode, value: int) -> int:
        """A new restriction of another kind."""
        return self._new(OWL.Restriction, (OWL.onProperty, property_), (kind, value))

    def cardinality(self, property_: int, kind: NamedNode, limit: int, class_: int) -> int:
        """A new qualified cardinality restriction."""
        return self._new(OWL.Restriction, (OWL.onProperty, property_), (kind, limit), (OWL.onClass, class_))

    def complement(self, class_: int) -> int:
        """A new complement of a class."""
        return self._new(OWL.Class, (OWL.complementOf, class_))

    def combination(self, kind: NamedNode, members: Sequence[int]) -> int:
        """A new intersection or union of classes."""
        return self._new(OWL.Class, (kind, self.list(members)))

    def list(self, members: Sequence[int]) -> int:
        """The first cell of a new list."""
        cells = [self.blank() for _ in members]
        first, rest, nil = self.number(RDF.first), self.number(RDF.rest), self.number(RDF.nil)
        for cell, member, following in zip(cells, members, [*cells[1:], nil], strict=True):
            self.cells += (cell, first, member, cell, rest, following)
        return cells[0]

    def _new(self, type_: NamedNode, *parts: tuple[NamedNode, int]) -> int:
        node = self.blank()
        self.add(node, self.type, self.number(type_))
        for predicate, value in parts:
            self.add(node, self.number(predicate), value)
        return node

    @cached_property
    def type(self) -> int:
        """The number of rdf:type."""
        return self.number(RDF.type)

    @cached_property
    def subclass(self) -> int:
        """The number of rdfs:subClassOf."""
        return self.number(RDFS.subClassOf)

    @cached_property
    def _restrictions(self) -> _Records:
        """Records of a blank node, a property and a class."""
        number = self.number
        return self.records(
            *(FIRST, self.type, number(OWL.Restriction)),
            *(FIRST, number(OWL.onProperty), SECOND),
            *(FIRST, number(OWL.someValuesFrom), THIRD),
        )

    @cached_property
    def _axioms(self) -> _Records:
        """Records of a blank node, and the subject, predicate and object of the triple that it reifies."""
        number = self.number
        return self.records(
            *(FIRST, number(OWL.annotatedSource), SECOND),
            *(FIRST, number(OWL.annotatedProperty), THIRD),
            *(FIRST, number(OWL.annotatedTarget), _FOURTH),
            *(FIRST, self.type, number(OWL.Axiom)),
        )


# -- identifiers -------------------------------------------------------------------------------------------------------

# Prefixed identifiers are translated as OWLAPI and ROBOT do, because published ontologies use their IRIs:
# "GO:0000001" is obo:GO_0000001. A local part with an underscore gets a fragment: "EX:a_b" is obo:EX#_a_b.

IAO: Final = Namespace(OBO.iri + "IAO_")
OIO: Final = Namespace("http://www.geneontology.org/formats/oboInOwl#")

# The specification declares these for every document; the document's idspaces take precedence.
STANDARD_IDSPACES: Final = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "oboInOwl": OIO.iri,
    "owl": OWL.iri,
    "rdf": RDF.iri,
    "rdfs": RDFS.iri,
    "xsd": XSD.iri,
}
# An identifier with one of these prefixes is already an IRI.
_SCHEMES: Final = {scheme: f"{scheme}:" for scheme in ("http", "https", "ftp", "urn")}
_PREFERRED: Final = ("BFO:", "RO:")


@dataclass(slots=True)
class Typedef:
    """The facts about a relation that the reader needs before it reads the frames."""

    xrefs: list[str] = field(default_factory=list)
    is_metadata: bool = False
    is_class_level: bool = False


def is_url(identifier: str) -> bool:
    """Whether an identifier is already an IRI."""
    scheme, colon, _ = identifier.partition(":")
    return bool(colon) and scheme in _SCHEMES


def find_typedefs(document: str) -> dict[str, Typedef]:
    """The relations that a document defines, by identifier. They usually come last, after their uses."""
    typedefs: dict[str, Typedef] = {}
    start = 0 if document.startswith("[Typedef]") else document.find("\n[Typedef]")
    while start >= 0:
        end = document.find("\n[", start + 1)
        clauses = [line.partition(":") for line in document[start : end if end >= 0 else None].split("\n")]
        values = [(tag.strip(), value.strip()) for tag, _, value in clauses]
        # A malformed identifier or reference is reported later, when its clause is read.
        identifier = next((word(value, 0)[0] for tag, value in values if tag == "id"), None)
        typedef = typedefs.setdefault(identifier or "", Typedef())
        references = (word(value, 0)[0] for tag, value in values if tag == "xref")
        typedef.xrefs += [reference for reference in references if reference]
        typedef.is_metadata |= any(tag == "is_metadata_tag" and value[:4] == "true" for tag, value in values)
        typedef.is_class_level |= any(tag == "is_class_level" and value[:4] == "true" for tag, value in values)
        start = document.find("\n[Typedef]", start + 1)
    return typedefs


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
        """Number the entity of a new identifier; ValueError if its IRI is not valid.

        Callers try `get` first. This is not `__missing__`, which Python code reaches only by a detour through C.
        """
        intern = self._intern
        number = self[identifier] = intern.setdefault(NamedNode(self.iri(identifier)), len(intern))
        return number

    def entity(self, identifier: str, text: str, start: int = 0) -> int:
        """The number of an entity; errors refer to `text` at `start`."""
        number = self.get(identifier)
        if number is not None:
            return number
        try:
            return self.new(identifier)
        except ValueError as problem:
            raise Malformed(f"'{identifier}' does not make a valid IRI: {problem}", text, start) from None

    def iri(self, identifier: str) -> str:
        """The IRI that an identifier stands for; its syntax is not checked."""
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
    """The reference that an unprefixed relation is a shorthand for; among equals, the first."""
    candidates = [xref for xref in xrefs if xref != identifier]
    return min(candidates, key=lambda x: (not x.startswith(_PREFERRED), x.partition(":")[0] not in idspaces))


# -- the document ------------------------------------------------------------------------------------------------------

_Value = TypeVar("_Value")

Expression: TypeAlias = Callable[[], int]
"""Makes a class expression with new blank nodes on each call; returns its number."""

Role: TypeAlias = NamedNode
"""The role of an identifier: owl:Class, owl:ObjectProperty, owl:AnnotationProperty or owl:NamedIndividual."""

# Qualifiers named after a tag make the same annotations as the tag.
_TAG_PROPERTIES: Final = {"xref": OIO.hasDbXref, "name": RDFS.label, "comment": RDFS.comment}
# These need no declaration.
_BUILT_IN: Final = frozenset(
    [RDFS.label, RDFS.comment, RDFS.seeAlso, RDFS.isDefinedBy, OWL.deprecated, OWL.versionInfo]
)


class Remembered(dict[str, _Value], Generic[_Value]):
    """A cache of parsed texts: most line endings recur many times."""

    def __init__(self, work_out: Callable[[str], _Value]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, text: str) -> _Value:
        value = self[text] = self._work_out(text)
        return value


@dataclass
class Combination:
    """The members of the intersection or union that a class is equivalent to, and the annotations of that axiom."""

    line: int
    members: list[Expression] = field(default_factory=list)
    annotations: dict[tuple[int, int], None] = field(default_factory=dict)


class Document:
    """The state of reading one document."""

    def __init__(self, triples: Triples, ids: Identifiers, typedefs: Mapping[str, Typedef]) -> None:
        self.triples = triples
        self.ids = ids
        self.typedefs = typedefs
        self.frames: dict[int, Role] = {}
        self.frame_line = 0
        self.in_namespace: set[int] = set()
        self.combinations: dict[tuple[int, NamedNode], Combination] = {}
        self.mentioned: defaultdict[Role, set[int]] = defaultdict(set)

    def mention(self, identifier: str, role: Role, text: str, start: int = 0) -> int:
        """The number of an entity, which is recorded as used in this role."""
        number = self.ids.entity(identifier, text, start)
        self.mentioned[role].add(number)
        return number

    def lone(self, value: str) -> tuple[str, int] | None:
        """The identifier and its number if the clause has nothing else but a comment; otherwise None.

        Anything else that a clause can have, even a space, is invalid in an IRI: to try is the fastest test.
        """
        identifier = value.partition("!")[0].strip()
        number = self.ids.get(identifier)
        if number is None:
            try:
                number = self.ids.new(identifier)
            except ValueError:
                return None
        return identifier, number

    def annotation_property(self, term: NamedNode) -> int:
        """The number of an annotation property."""
        number = self.triples.number(term)
        self.mentioned[OWL.AnnotationProperty].add(number)
        return number

    def pairs(self, qualifiers: Iterable[tuple[str, str]], text: str, references: Iterable[str] = ()) -> Pairs:
        """The annotations made from references and qualifiers."""
        literal = self.triples.literal
        made: list[tuple[int, int]] = []
        for reference in references:
            made.append((self._xref, literal(reference)))
        for name, value in qualifiers:
            made.append((self._qualifier(name, text), literal(value)))
        return tuple(made)

    def combination(self, subject: int, kind: NamedNode) -> Combination:
        """The intersection or union that a class is equivalent to, as read so far."""
        return self.combinations.setdefault((subject, kind), Combination(self.frame_line))

    def declare_mentioned(self) -> None:
        """Declare entities that are used without a frame, because OWL requires a declaration."""
        triples = self.triples
        built_in = {triples.intern[term] for term in _BUILT_IN & triples.intern.keys()}
        for role, numbers in self.mentioned.items():
            for number in sorted(numbers - self.frames.keys() - built_in):
                triples.add(number, triples.type, triples.number(role))

    @cached_property
    def _xref(self) -> int:
        return self.annotation_property(OIO.hasDbXref)

    def _qualifier(self, name: str, text: str) -> int:
        if ":" in name or name in self.typedefs:
            return self.mention(name, OWL.AnnotationProperty, text)
        try:
            return self.annotation_property(_TAG_PROPERTIES.get(name) or OIO[name])
        except ValueError as problem:
            raise Malformed(f"the qualifier '{name}' does not make a valid IRI: {problem}", text) from None
