"""A query or an update as a tree of values: groups, patterns and expressions, each with its place in the text.

The tree follows the text. Predicate lists, object lists, brackets and collections are expanded into triples; nothing
else is rewritten, so that every part can be shown to the person who wrote it. `Group.elements` are in the order of the
text. Offsets count characters from 0, and an end is exclusive.

Blank nodes are hidden variables; two groups never share one. Variables are not renamed: a variable of a sub-select that
is not projected has the same name as one outside, but is another variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import XSD, Literal, NamedNode, Term
from kgprobe.sparql.paths import Path

__all__ = [
    "Aggregate",
    "Bind",
    "Call",
    "Constant",
    "Document",
    "Element",
    "Exists",
    "Expression",
    "Filter",
    "Given",
    "GraphGroup",
    "GraphTriples",
    "Group",
    "Management",
    "Minus",
    "Modify",
    "NamedTerm",
    "Operation",
    "Optional",
    "Part",
    "PlacedTriple",
    "QueryTree",
    "Service",
    "Span",
    "Union",
    "Values",
    "VariableUse",
    "text_in_full",
    "text_of",
]


Form: TypeAlias = OneOf["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"]
# A position of a triple.
Part: TypeAlias = Variable | Term


class Given(Variable):
    """A term that is fixed before the query runs, but that the text does not tell.

    It is the value of a variable that the software around the query binds, such as `$this` in SHACL. If it is hidden,
    it is a term as it is written: an IRI that is relative without a BASE, or a literal with such a datatype. It is the
    same term in all scopes. Two of them may be one term.
    """

    __slots__ = ()

    @property
    def is_iri(self) -> bool:
        """Whether it is certainly an IRI."""
        return self.hidden and self.name[0] not in "\"'"

    def __str__(self) -> str:
        return self.name if self.hidden else f"?{self.name}"


class Span(NamedTuple):
    """The characters from `start` up to, but not including, `end`."""

    start: int
    end: int


# -- expressions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Constant:
    """An IRI or a literal."""

    term: Term
    span: Span


@dataclass(frozen=True, slots=True)
class VariableUse:
    """A variable in an expression."""

    variable: Variable
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """An operator or a function with its arguments.

    An operator goes by its sign: `=`, `!=`, `<`, `<=`, `>`, `>=`, `&&`, `||`, `!`, `+`, `-`, `*`, `/`. A sign before a
    single operand has one argument. A chain of `&&` or of `||` without brackets is one call with two or more arguments;
    other operators between operands have two. `IN` and `NOT IN` have the value first, then the members of the list.

    A built-in function goes by its keyword in upper case: `BOUND`, `STR`, `ISIRI`, `IF`, `COALESCE`. A function with an
    IRI, such as a cast, goes by that IRI in full, without brackets; if the IRI is not known, as it is written.
    """

    name: str
    arguments: tuple[Expression, ...]
    span: Span

    @property
    def has_iri(self) -> bool:
        """Whether it is a function with an IRI."""
        return ":" in self.name or (self.name.startswith("<") and self.name.endswith(">"))

    @property
    def is_extension(self) -> bool:
        """Whether only some engines know the function. It may return anything, even if an argument has an error."""
        return self.has_iri and not self.name.startswith(XSD.iri)


@dataclass(frozen=True, slots=True)
class Exists:
    """`EXISTS { … }`, or `NOT EXISTS { … }` if it is negated."""

    group: Group
    is_negated: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`COUNT(DISTINCT ?x)`. The argument of `COUNT(*)` is None.

    It `has_rows` if the groups of the query certainly have a row, and the argument a value in it. The reader of a text
    leaves that open.
    """

    name: str
    argument: Expression | None
    is_distinct: bool
    span: Span
    separator: str | None = None
    has_rows: bool = False


Expression: TypeAlias = Constant | VariableUse | Call | Exists | Aggregate


# -- the elements of a group -------------------------------------------------------------------------------------------


class PlacedTriple(NamedTuple):  # which is faster to make than a dataclass
    """A triple of a pattern or a template, and where its three parts are.

    `span` covers the parts as far as they belong to this triple alone: in `?a :p ?b ; :q ?c` the second triple is
    `:q ?c`. A part that the text does not spell out, such as the first cell of a collection, has the span of the syntax
    that implies it.
    """

    subject: Part
    predicate: Variable | NamedNode | Path
    object: Part
    span: Span
    subject_span: Span
    predicate_span: Span
    object_span: Span


@dataclass(frozen=True, slots=True)
class Filter:
    """`FILTER …`. A condition of HAVING is one, too."""

    condition: Expression
    span: Span


@dataclass(frozen=True, slots=True)
class Bind:
    """`BIND(expression AS ?variable)`."""

    expression: Expression
    variable: Variable
    span: Span


@dataclass(frozen=True, slots=True)
class Values:
    """`VALUES (?a ?b) { … }`. None stands for UNDEF."""

    variables: tuple[Variable, ...]
    rows: tuple[tuple[Term | None, ...], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Optional:
    """`OPTIONAL { … }`."""

    group: Group
    span: Span


@dataclass(frozen=True, slots=True)
class Union:
    """`{ … } UNION { … }`, with two or more branches."""

    branches: tuple[Group, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Minus:
    """`MINUS { … }`."""

    group: Group
    span: Span


@dataclass(frozen=True, slots=True)
class GraphGroup:
    """`GRAPH name { … }`."""

    name: Variable | NamedNode
    group: Group
    span: Span


@dataclass(frozen=True, slots=True)
class Service:
    """`SERVICE [SILENT] name { … }`. Another system answers its group.

    The label service of Wikibase binds `?xLabel` for each `?x` of the query: such variables are its `labels`.
    """

    name: Variable | NamedNode
    group: Group
    is_silent: bool
    span: Span
    labels: frozenset[Variable] = frozenset()


@dataclass(frozen=True, slots=True)
class Group:
    """`{ … }`, with its elements in the order of the text. The span includes the braces."""

    elements: tuple[Element, ...]
    span: Span

    def __hash__(self) -> int:  # faster than the generated one, which looks at all that is in the group
        return hash((self.span, self.elements[:1]))


# -- queries and updates -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Projected:
    """A variable that a SELECT returns, with the expression that computes it, if any."""

    variable: Variable
    expression: Expression | None
    span: Span


@dataclass(frozen=True, slots=True)
class QueryTree:
    """A query of any form, or a sub-select.

    `projected` is None for `SELECT *`, `DESCRIBE *` and for ASK. The results of a DESCRIBE are variables and IRIs: the
    IRIs are in `described`. `template` is that of CONSTRUCT. The grouped expressions are in `groups`: a Bind if they
    have a name (`GROUP BY (… AS ?x)`). `values` is the VALUES after the query, and `datasets` are its FROM clauses.
    """

    form: Form
    projected: tuple[Projected, ...] | None
    where: Group | None
    span: Span
    template: tuple[PlacedTriple, ...] = ()
    described: tuple[Constant, ...] = ()
    groups: tuple[Expression | Bind, ...] = ()
    having: tuple[Filter, ...] = ()
    order: tuple[Expression, ...] = ()
    values: Values | None = None
    is_distinct: bool = False
    limit: int | None = None
    offset: int | None = None
    datasets: tuple[Dataset, ...] = ()


@dataclass(frozen=True, slots=True)
class Dataset:
    """`FROM <g>`, or `FROM NAMED <g>` if it `is_named`."""

    name: Variable | NamedNode
    is_named: bool
    span: Span


@dataclass(frozen=True, slots=True)
class GraphTriples:
    """The triples of a template that are in one graph: the default graph if `graph` is None."""

    graph: Variable | NamedNode | None
    triples: tuple[PlacedTriple, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Modify:
    """An update that writes triples: `INSERT DATA`, `DELETE DATA`, `DELETE WHERE`, or `DELETE … INSERT … WHERE …`.

    `where` is None for DATA. For `DELETE WHERE`, the triples are in both `where` and `deleted`. `graph` is that of
    WITH, and `datasets` are the USING clauses.
    """

    deleted: tuple[GraphTriples, ...]
    inserted: tuple[GraphTriples, ...]
    where: Group | None
    span: Span
    graph: Variable | NamedNode | None = None
    datasets: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Management:
    """An update of whole graphs, which has no pattern: LOAD, CLEAR, DROP, ADD, MOVE, COPY, CREATE."""

    name: str
    span: Span


Element: TypeAlias = (
    PlacedTriple | Filter | Bind | Values | Optional | Union | Minus | GraphGroup | Service | Group | QueryTree
)
Operation: TypeAlias = QueryTree | Modify | Management


class NamedTerm(NamedTuple):
    """A place where a query names an IRI: characters `start` to `end` of its text, as `written` there."""

    term: NamedNode
    start: int
    end: int
    written: str
    line: int


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its operations: one query, or any number of updates.

    `terms` are all places where it names an IRI, and `comments` all comments, both in the order of the text. If it is
    `broken`, the text is not SPARQL at this offset, and the operations hold only the parts that can be read.
    """

    text: str
    prefixes: Mapping[str, str]
    operations: tuple[Operation, ...]
    terms: tuple[NamedTerm, ...]
    comments: tuple[Span, ...]
    broken: int | None = None


# -- expressions as text -----------------------------------------------------------------------------------------------

_SIGNS = frozenset({"=", "!=", "<", "<=", ">", ">=", "&&", "||", "+", "-", "*", "/"})
_CONNECTIVES = frozenset({"&&", "||"})
_LISTS = frozenset({"IN", "NOT IN"})
_SHORT = (XSD.integer, XSD.decimal, XSD.double, XSD.boolean)  # without quotes
_SPELLED = {
    **{name: f"is{name[2:].capitalize()}" for name in ("ISBLANK", "ISLITERAL", "ISNUMERIC")},
    "ISIRI": "isIRI",
    "ISURI": "isURI",
    "SAMETERM": "sameTerm",
    "LANGMATCHES": "langMatches",
}


def text_of(expression: Expression) -> str:
    """The expression for people: numbers without quotes, the names of XML Schema with a prefix, and no groups."""
    return _text(expression, "", in_full=False)


def text_in_full(expression: Expression) -> str:
    """The expression for an engine, without the query around it.

    ValueError for one that looks at a graph or at several rows.
    """
    return _text(expression, "", in_full=True)


def _text(expression: Expression, around: str, *, in_full: bool) -> str:
    """The expression inside an operator; `around` is empty if no operator is around it."""
    match expression:
        case VariableUse(variable):
            is_blank = variable.hidden and not isinstance(variable, Given)
            return "a blank node" if is_blank and not in_full else str(variable)
        case Constant(term):
            return str(term) if in_full else _term(term)
        case Exists() | Aggregate() if in_full:
            raise ValueError(type(expression).__name__)
        case Exists(is_negated=is_negated):
            return "NOT EXISTS {…}" if is_negated else "EXISTS {…}"
        case Aggregate(name, argument, is_distinct):
            inside = "*" if argument is None else _text(argument, "", in_full=in_full)
            return f"{name}({'DISTINCT ' if is_distinct else ''}{inside})"
        case Call():
            return _call(expression, around, in_full=in_full)


def _call(call: Call, around: str, *, in_full: bool) -> str:
    name = call.name
    operator = name if name in _SIGNS or name in _LISTS or name == "!" else ""
    texts = [_text(argument, operator, in_full=in_full) for argument in call.arguments]
    if name in _LISTS:
        text = f"{texts[0]} {name} ({', '.join(texts[1:])})"
        return f"({text})" if around and around not in _CONNECTIVES else text
    if name in _SIGNS and len(texts) > 1:
        text = f" {name} ".join(texts)
        return f"({text})" if around else text
    if operator:
        return f"{name}{texts[0]}"
    named = _name(name, in_full=in_full) if call.has_iri else name if in_full else _SPELLED.get(name, name)
    return f"{named}({', '.join(texts)})"


def _name(iri: str, *, in_full: bool) -> str:
    if iri.startswith(XSD.iri) and not in_full:
        return f"xsd:{iri.removeprefix(XSD.iri)}"
    return iri if iri.startswith("<") else f"<{iri}>"


def _term(term: Term) -> str:
    if isinstance(term, NamedNode):
        return _name(term.value, in_full=False)
    if not isinstance(term, Literal) or term.language or term.datatype == XSD.string:
        return str(term)
    if term.datatype in _SHORT:
        return term.value
    return f"{str(term).rpartition('^^')[0]}^^{_name(term.datatype.value, in_full=False)}"
