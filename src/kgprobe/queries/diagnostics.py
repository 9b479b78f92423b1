"""What a check of a query reports: diagnostics with places, reasons and fixes, and the codes that classify them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

__all__ = ["Code", "Diagnostic", "Edit", "Fix", "Place", "Report", "Severity", "Undecided"]


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
    """The diagnostics of some queries in the order of the text, the parts that are undecided, and what was skipped."""

    queries: int = 0
    diagnostics: tuple[Diagnostic, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    skipped: tuple[Undecided, ...] = ()

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(diagnostic for diagnostic in self.diagnostics if diagnostic.is_error)

    def __add__(self, other: Report) -> Report:
        return Report(
            self.queries + other.queries,
            self.diagnostics + other.diagnostics,
            self.undecided + other.undecided,
            self.skipped + other.skipped,
        )


# -- codes -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Assumption:
    """What errors take for granted about the data and the software that runs the query."""

    name: str
    words: str


RDF_DATA = Assumption(
    "rdf-data",
    "The data are an RDF 1.1 dataset: subjects and the names of graphs are IRIs or blank nodes, predicates are IRIs,"
    " and objects are any terms, also of rdf:type. The engine finds the triples of the data, and computes no others.",
)
CONSISTENT_DATA = Assumption(
    "consistent-data",
    "The triples of all graphs together are consistent with the ontology, read as OWL 2.",
)
DECLARED_KINDS = Assumption(
    "declared-kinds",
    "The values of a property that the ontology declares only as an object property are IRIs or blank nodes, and those"
    " of a data property are literals.",
)
STANDARD_SCOPES = Assumption(
    "standard-scopes",
    "Variables have the scopes of SPARQL 1.1, and conditions have its errors. Nothing is assumed where many engines"
    " differ: about the name of a graph in its own GRAPH, and about what a SERVICE returns.",
)
STANDARD_FUNCTIONS = Assumption(
    "standard-functions",
    "The operators and functions of SPARQL 1.1 take the arguments that the standard or a common engine gives them."
    " Other functions may return anything. No number is too large for the engine.",
)
NOTHING_BOUND_BEFORE = Assumption(
    "nothing-bound-before",
    "No variable has a value before the query runs, except those that its origin names, those that are always written"
    " with $, those that are called as in SHACL, SPIN and grlc (?this, ?value, ?PATH, ?currentShape, ?shapesGraph,"
    " ?arg1 and ?_name), and those that a program around the query may bind.",
)
CLOSED_NAMESPACES = Assumption(
    "closed-namespaces",
    "The namespaces that the ontology defines have only the names that it uses. This is a rule, and not a proof.",
)
ASSUMPTIONS = (
    RDF_DATA,
    CONSISTENT_DATA,
    DECLARED_KINDS,
    STANDARD_SCOPES,
    STANDARD_FUNCTIONS,
    NOTHING_BOUND_BEFORE,
    CLOSED_NAMESPACES,
)


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of diagnostic: its stable name, a title, an explanation, and what its errors assume.

    Without assumptions, it is always a warning.
    """

    name: str
    title: str
    words: str
    assumes: tuple[Assumption, ...] = ()


COMMON_CODES = (
    Code(
        "contradiction",
        "triple patterns contradict the ontology",
        "If the patterns matched, the data would contradict axioms of the ontology: disjoint classes, domains and"
        " ranges, irreflexive or asymmetric properties, cardinalities, definitions. The axioms are listed. In a"
        " negated group (NOT EXISTS, MINUS) it is a warning: the group never removes anything.",
        (RDF_DATA, CONSISTENT_DATA, DECLARED_KINDS, STANDARD_SCOPES),
    ),
    Code(
        "literal-as-subject",
        "a literal is the subject of a triple",
        "RDF has no triples whose subject is a literal, so that the pattern matches nothing. It is a warning if nothing"
        " declares the property: some engines compute such properties.",
        (RDF_DATA,),
    ),
    Code(
        "literal-for-object-property",
        "a literal is the object of an object property",
        "The values of an object property are individuals. If the values should be literals, the pattern probably needs"
        " another property. For properties of RDF, RDFS and OWL, such as rdf:type, it is a warning: data may have"
        " literals there.",
        (DECLARED_KINDS,),
    ),
    Code(
        "node-for-data-property",
        "an IRI or a blank node is the object of a data property",
        "The values of a data property are literals.",
        (DECLARED_KINDS,),
    ),
    Code(
        "node-and-literal",
        "a variable would have to be a node and a literal",
        "One pattern uses the variable as an individual, another as a literal. No term is both.",
        (RDF_DATA, DECLARED_KINDS, STANDARD_SCOPES, STANDARD_FUNCTIONS),
    ),
    Code(
        "value-out-of-range",
        "a value is outside the range of its property",
        "The range of the data property, or of a property above it, does not contain the value. Values count, not"
        " names of datatypes: 3 is a decimal, and -1 is not a nonNegativeInteger. For a variable, the ranges of all"
        " properties that have it as their value must have a value in common.",
        (CONSISTENT_DATA, DECLARED_KINDS, STANDARD_SCOPES),
    ),
    Code(
        "false-filter",
        "conditions that cannot hold",
        "A FILTER, HAVING or VALUES cannot hold: the conditions contradict each other, the ranges of the properties, or"
        " facts of the ontology; or an operator gets values that it does not take. If only the facts that are given now"
        " contradict it, and other data may add more, it is a warning.",
        (RDF_DATA, CONSISTENT_DATA, DECLARED_KINDS, STANDARD_SCOPES, STANDARD_FUNCTIONS),
    ),
    Code(
        "unbound-in-filter",
        "a FILTER needs a variable that is never bound",
        "Where the FILTER stands, no pattern binds the variable, so that the condition has an error for every row. A"
        " FILTER sees only the variables of its own group. It is a warning if some engine or some software may give the"
        " variable a value, or if the condition can be true without it.",
        (STANDARD_SCOPES, STANDARD_FUNCTIONS, NOTHING_BOUND_BEFORE),
    ),
    Code(
        "engine-dependent",
        "a comparison on which engines differ",
        "SPARQL 1.1 does not say how an xsd:dateTime compares with an xsd:date. Some engines compare them; in others,"
        " the condition has an error, so that it is never true. A cast makes it clear.",
    ),
    Code(
        "unknown-term",
        "a name that the ontology does not have",
        "The name is in a namespace that the ontology defines (its own, rdf:, rdfs: or owl:), but it does not exist"
        " there. It is a warning for individuals, which data may add, for identifiers that ontologies share, such as"
        " those of OBO, and in namespaces of imports that were not found.",
        (CLOSED_NAMESPACES,),
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
        "unbound-variable",
        "an expression uses a variable that has no value there",
        "Where BIND, SELECT, GROUP BY or ORDER BY uses the variable, nothing has bound it: it is mistyped, is bound"
        " only later, or belongs to another scope. The expression has an error, a COUNT is 0, and ORDER BY orders"
        " nothing.",
    ),
    Code(
        "no-value",
        "an expression that is always an error",
        "BIND, SELECT or GROUP BY computes something that has no value for any row, such as the length of an IRI or the"
        " sum of strings, so that the variable has no value.",
    ),
    Code(
        "unconnected-exists",
        "EXISTS shares no variable with the patterns around it",
        "The group of EXISTS or NOT EXISTS has only variables of its own, so that it is true for all rows or for none."
        " Usually a variable is mistyped.",
    ),
    Code(
        "leading-optional",
        "an OPTIONAL comes before the patterns that it extends",
        "SPARQL takes the parts of a group in their order. An OPTIONAL with nothing before it extends nothing: if it"
        " matches anything in the data, the patterns after it must agree with it. It should come after them.",
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


def in_text_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics by place; errors come before warnings at the same place."""
    return tuple(
        sorted(dict.fromkeys(diagnostics), key=lambda found: (found.place.start, not found.is_error, found.code))
    )
