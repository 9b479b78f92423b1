"""What a check of a query reports: diagnostics with places, reasons and fixes, and the codes that classify them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from kgprobe.errors import InputError, nearest

__all__ = [
    "CODES",
    "Code",
    "Diagnostic",
    "Edit",
    "Fix",
    "Place",
    "Related",
    "Report",
    "Severity",
    "Undecided",
    "code_named",
    "in_text_order",
]


class Severity(Enum):
    """An error is proven: in no graph consistent with the ontology can this part of the query match."""

    ERROR = "error"
    WARNING = "warning"


class Place(NamedTuple):
    """A part of a file. Lines and columns count characters from 1, offsets from 0; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text at a place."""

    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change after which the diagnostic is gone, and no other has come. `--fix` makes those that are safe."""

    title: str
    edits: tuple[Edit, ...]
    is_safe: bool = False


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that takes part."""

    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """A part of a query about which nothing could be proven, and why."""

    file: str
    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `excerpt` is the line of the file where it begins; `axioms` are the reasons in words."""

    file: str
    place: Place
    severity: Severity
    code: str
    message: str
    excerpt: str = ""
    variable: str | None = None
    axioms: tuple[str, ...] = ()
    related: tuple[Related, ...] = ()
    fixes: tuple[Fix, ...] = ()

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    def __str__(self) -> str:
        where = f"{self.file}:{self.place.line}:{self.place.column}"
        return f"{where}: {self.severity.value} [{self.code}]: {self.message}"


@dataclass(frozen=True, slots=True)
class Report:
    """The diagnostics of some queries in the order of the text, and the parts that are undecided."""

    queries: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()
    undecided: tuple[Undecided, ...] = ()

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(each for each in self.diagnostics if each.is_error)

    def __add__(self, other: Report) -> Report:
        return Report(
            self.queries + other.queries, self.diagnostics + other.diagnostics, self.undecided + other.undecided
        )


# -- codes -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of diagnostic: its stable name, a title, and an explanation with an example."""

    name: str
    title: str
    words: str


_ALL = (
    Code(
        "contradiction",
        "triple patterns contradict the ontology",
        "If the patterns matched, the data would contradict axioms of the ontology: disjoint classes, domains and"
        " ranges, irreflexive or asymmetric properties, cardinalities, definitions. The axioms are listed. In a"
        " negated group (NOT EXISTS, MINUS) it is a warning: the group never removes anything.",
    ),
    Code(
        "literal-as-subject",
        "a literal is the subject of a triple",
        "RDF has no triples whose subject is a literal, so that the pattern matches nothing.",
    ),
    Code(
        "literal-for-object-property",
        "a literal is the object of an object property",
        "The values of an object property are individuals. If the values should be literals, the pattern probably needs"
        " another property.",
    ),
    Code(
        "node-for-data-property",
        "an IRI or a blank node is the object of a data property",
        "The values of a data property are literals.",
    ),
    Code(
        "node-and-literal",
        "a variable would have to be a node and a literal",
        "One pattern uses the variable as an individual, another as a literal. No term is both.",
    ),
    Code(
        "value-out-of-range",
        "a value is outside the range of its property",
        "The range of the data property, or of a property above it, does not contain the value. Values count, not"
        " names of datatypes: 3 is a decimal, and -1 is not a nonNegativeInteger. For a variable, the ranges of all"
        " properties that have it as their value must have a value in common.",
    ),
    Code(
        "false-filter",
        "conditions that cannot hold",
        "A FILTER, HAVING or VALUES cannot hold: the conditions contradict each other, the ranges of the properties, or"
        " facts of the ontology; or an operator gets values that it does not take. If only the facts that are given now"
        " contradict it, and other data may add more, it is a warning.",
    ),
    Code(
        "unbound-in-filter",
        "a FILTER needs a variable that is never bound",
        "Where the FILTER stands, no pattern binds the variable, so that the condition has an error for every row. A"
        " FILTER sees only the variables of its own group.",
    ),
    Code(
        "unknown-term",
        "a name that the ontology does not have",
        "The name is in a namespace that the ontology defines (its own, rdf:, rdfs: or owl:), but it does not exist"
        " there. It is a warning for individuals, which data may add, for identifiers that ontologies share, such as"
        " those of OBO, and in namespaces of imports that were not found.",
    ),
    Code(
        "wrong-kind",
        "a name stands in a place where its kind makes no sense",
        "A class stands where an individual is expected, an individual or a property stands where a class is expected,"
        " or the predicate is not a property. OWL allows one name for several things, so this is a warning.",
    ),
    Code(
        "cross-product",
        "patterns that have nothing in common",
        "No variable connects two parts of a group, so that each match of one is combined with every match of the"
        " other. Usually a variable is mistyped.",
    ),
    Code(
        "true-filter",
        "a condition that always holds",
        "The condition holds for every match of the patterns, so that it removes nothing.",
    ),
    Code(
        "unbound-column",
        "a result that is never bound",
        "No part of the query can bind the variable, so that the column is empty in every row.",
    ),
    Code(
        "minus-without-effect",
        "MINUS shares no variable with the patterns before it",
        "MINUS removes only rows that share a variable with its group, so that this one removes nothing. FILTER NOT"
        " EXISTS is probably meant.",
    ),
    Code(
        "unknown-code",
        "a comment ignores a code that does not exist",
        "The comment `# kgprobe: ignore CODE` names a code that kgprobe does not have, so that it silences nothing.",
    ),
)
CODES = {code.name: code for code in _ALL}


def code_named(name: str) -> Code:
    """The code with this name."""
    if name not in CODES:
        close = nearest(name, CODES)
        hint = f"did you mean '{close}'?" if close else "'kgprobe query codes' lists them"
        raise InputError(f"no code is named '{name}'", hint=hint)
    return CODES[name]


def in_text_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics by place; errors come before warnings at the same place."""
    return tuple(sorted(set(diagnostics), key=lambda each: (each.place.start, not each.is_error, each.code)))
