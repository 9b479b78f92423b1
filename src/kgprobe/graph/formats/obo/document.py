"""What the clauses of one OBO document share: its identifiers, its relations, and what it mentions without a frame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Generic, TypeAlias, TypeVar

from kgprobe.graph.formats.obo.ids import OIO, Identifiers, Typedef
from kgprobe.graph.formats.obo.text import Malformed
from kgprobe.graph.formats.obo.triples import Pairs, Triples
from kgprobe.graph.terms import OWL, RDFS, NamedNode

__all__ = ["Document", "Expression", "Remembered", "Role"]

_Value = TypeVar("_Value")

Expression: TypeAlias = Callable[[], int]
"""Makes a class expression, blank nodes and all, each time it is called; gives its number."""

Role: TypeAlias = NamedNode
"""What an identifier is used as: owl:Class, owl:ObjectProperty, owl:AnnotationProperty or owl:NamedIndividual."""

# Qualifiers with the name of a tag are the annotations that the tag makes.
_TAG_PROPERTIES: Final = {"xref": OIO.hasDbXref, "name": RDFS.label, "comment": RDFS.comment}
# These need no declaration.
_BUILT_IN: Final = frozenset(
    [RDFS.label, RDFS.comment, RDFS.seeAlso, RDFS.isDefinedBy, OWL.deprecated, OWL.versionInfo]
)


class Remembered(dict[str, _Value], Generic[_Value]):
    """What texts mean, worked out once for each text: most ends of lines come up again and again."""

    def __init__(self, work_out: Callable[[str], _Value]) -> None:
        super().__init__()
        self._work_out = work_out

    def __missing__(self, text: str) -> _Value:
        value = self[text] = self._work_out(text)
        return value


@dataclass
class Combination:
    """The members of the intersection or union that a class is equal to, and the annotations of that axiom."""

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
        """The number of an entity that is used in this role."""
        number = self.ids.entity(identifier, text, start)
        self.mentioned[role].add(number)
        return number

    def lone(self, value: str) -> tuple[str, int] | None:
        """The identifier that a clause consists of, but for a comment, and its number; None if there is more to it.

        Nothing else that a clause can have, not even a space, is allowed in an IRI: to try is the fastest way to know.
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
        """The number of a property that annotates."""
        number = self.triples.number(term)
        self.mentioned[OWL.AnnotationProperty].add(number)
        return number

    def pairs(self, qualifiers: Iterable[tuple[str, str]], text: str, references: Iterable[str] = ()) -> Pairs:
        """The annotations that references and qualifiers make."""
        literal = self.triples.literal
        made: list[tuple[int, int]] = []
        for reference in references:
            made.append((self._xref, literal(reference)))
        for name, value in qualifiers:
            made.append((self._qualifier(name, text), literal(value)))
        return tuple(made)

    def combination(self, subject: int, kind: NamedNode) -> Combination:
        """What is known so far of the intersection or union that a class is equal to."""
        return self.combinations.setdefault((subject, kind), Combination(self.frame_line))

    def declare_mentioned(self) -> None:
        """Declare what is used but has no frame: without that, OWL could not tell what it is."""
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
            raise Malformed(f"the qualifier '{name}' gives no valid IRI: {problem}", text) from None
