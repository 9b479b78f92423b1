"""A request to test a query, as a user writes it: the query, the properties of its answers, and settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.formats.manchester.expressions import class_or_data_range
from kgprobe.formats.manchester.reader import RESERVED, Reader
from kgprobe.owl.expression import Argument, Expression
from kgprobe.queries.schema import Schema
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.spelling import STANDARD_PREFIXES
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode, Term
from kgprobe.sparql.algebra import Document, GraphGroup, PlacedTriple, QueryTree, Service
from kgprobe.sparql.documents import read_document
from kgprobe.sparql.engine.exact_store import PreparedQuery
from kgprobe.sparql.pyoxigraph import position
from kgprobe.sparql.scopes import bound_within
from kgprobe.sparql.traversal import elements_within

__all__ = ["Query", "Request", "Text", "read_query", "refuse_graphs"]


@dataclass(frozen=True)
class Query:
    """A query to test: its text, its tree, and its form for evaluation."""

    text: str
    name: str
    tree: QueryTree
    prepared: PreparedQuery
    prefixes: Mapping[str, str]

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of its answers. Those of a triple are its three parts."""
        if self.tree.form in ("CONSTRUCT", "DESCRIBE"):
            return ("subject", "predicate", "object")
        if self.tree.form == "ASK":
            return ()
        if self.tree.projected is not None:
            return tuple(column.variable.name for column in self.tree.projected)
        bound = bound_within(self.tree).possible
        return tuple(sorted(variable.name for variable in bound if not variable.hidden))

    @property
    def has_graphs(self) -> bool:
        """Whether the query looks at named graphs."""
        return bool(self.tree.datasets) or any(
            isinstance(element, GraphGroup) for element in elements_within([self.tree])
        )


def read_query(text: str, name: str, prefixes: Mapping[str, str] | None = None) -> Query:
    """The query in a text. InputError if it is not a query, or one that cannot run on generated data."""
    given = dict(prefixes or {})
    document = read_document(text, name, given)
    tree = _only_query(document, name)
    for element in elements_within([tree]):
        if isinstance(element, Service):
            reason = "another system answers SERVICE, so no data can be made for it"
            hint = "test the query without it, with VALUES for its answers"
            raise InputError(reason, where=position(text, element.span.start, name), hint=hint)
    return Query(text, name, tree, PreparedQuery.of(text, name, given), {**given, **document.prefixes})


def _only_query(document: Document, name: str) -> QueryTree:
    [*operations] = document.operations
    if len(operations) == 1 and isinstance(operations[0], QueryTree):
        return operations[0]
    what = "this is an update" if operations else "there is no query"
    raise InputError(
        f"{what}; only queries have answers that can be tested",
        where=Position(name),
        hint="kgprobe query check reads updates, too" if operations else None,
    )


def refuse_graphs(query: Query) -> None:
    """InputError if the query looks at named graphs, where the data have to be one graph."""
    if query.has_graphs:
        raise InputError(
            "the query looks at named graphs, and the data here are one graph",
            where=Position(query.name),
            hint="kgprobe query test makes data with named graphs",
        )


# -- properties --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Expectation:
    """What a variable stands for is in a class, or in a data range. With `is_possible`, it need only be able to be."""

    text: str
    variable: str
    kind: Argument
    is_data_range: bool = False
    is_possible: bool = False


@dataclass(frozen=True)
class Related:
    """A triple follows, with the variables of the answer in it."""

    text: str
    subject: Variable | Term
    predicate: NamedNode
    object: Variable | Term

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that must be in the answer."""
        return tuple(part.name for part in (self.subject, self.object) if isinstance(part, Variable))


@dataclass(frozen=True)
class Ask:
    """An ASK query holds, with the variables of the answer in it."""

    text: str
    query: PreparedQuery
    tree: QueryTree


@dataclass(frozen=True)
class PythonCheck:
    """A Python function of an answer and the graph returns a true value."""

    text: str
    function: Callable[[Mapping[str, Term], Graph], Any]


@dataclass(frozen=True)
class Nonempty:
    """The query has an answer on all data."""

    text: str = "--nonempty"


@dataclass(frozen=True)
class Empty:
    """The query has no answer on any data."""

    text: str = "--empty"


@dataclass(frozen=True)
class AtMost:
    """The query has at most this number of answers."""

    number: int

    @property
    def text(self) -> str:
        return f"--at-most {self.number}"


@dataclass(frozen=True)
class SameAs:
    """Another query has the same answers, each as often."""

    text: str
    query: PreparedQuery
    tree: QueryTree


Property: TypeAlias = Expectation | Related | Ask | PythonCheck | Nonempty | Empty | AtMost | SameAs

_HEAD = re.compile(r"\s*[?$](\w+)\s*:\s+|\s*[?$](\w+)\s*:")
_SHORT = frozenset(["integer", "decimal", "float", "string", "true", "false"])
_FACET_NAMES = frozenset(["length", "minLength", "maxLength", "pattern", "langRange", "totalDigits", "fractionDigits"])


def read_expectation(
    text: str,
    schema: Schema,
    prefixes: Mapping[str, str],
    variables: Iterable[str],
    *,
    is_possible: bool = False,
    option: str = "--expect",
    individuals: Container[NamedNode] = (),
) -> Expectation:
    """`?user: sn:age some xsd:integer[>= 40]`. Errors give the option, and the column in its text.

    The text may name what the ontology names, and these individuals of the data.
    """
    head = _HEAD.match(text)
    if head is None:
        raise InputError(
            f"'{text}' has no variable", where=Position(option, 1, 1), hint="write '?variable: CLASS EXPRESSION'"
        )
    variable = head[1] or head[2]
    check_variable(variable, variables, Position(option, 1, text.index(variable)))
    padded = " " * head.end() + text[head.end() :]
    reader = _reader(padded, schema, prefixes, option)
    kind, is_data = class_or_data_range(reader)
    if reader.token.kind != "end":
        reader.fail("the end of the expression, 'and' or 'or'")
    _check_names(padded, schema, prefixes, option, individuals)
    return Expectation(text.strip(), variable, kind, is_data, is_possible)


def check_variable(name: str, variables: Iterable[str], where: Position) -> None:
    """InputError if the query does not return this variable."""
    known = list(variables)
    if name in known:
        return
    listed = ", ".join(f"?{variable}" for variable in known) or "no variables"
    hint = did_you_mean(name, known, f"it returns {listed}", shown="'?{}'")
    raise InputError(f"the query does not return ?{name}", where=where, hint=hint)


def _reader(text: str, schema: Schema, prefixes: Mapping[str, str], option: str) -> Reader:
    reader = Reader(text, option)
    reader.prefixes.update(prefixes)
    for name in schema.names:
        for kind in schema.kinds(name) - {"Property"}:
            reader.declare(name, kind)
    return reader


def _check_names(
    text: str, schema: Schema, prefixes: Mapping[str, str], option: str, individuals: Container[NamedNode]
) -> None:
    """InputError for a name that the ontology does not have: it would make the property meaningless."""
    reader = _reader(text, schema, prefixes, option)
    vocabularies = (OWL.iri, RDF.iri, RDFS.iri, XSD.iri)
    while reader.token.kind != "end":
        token = reader.advance()
        is_name = token.kind in ("word", "iri") and token.text not in RESERVED | _SHORT | _FACET_NAMES
        if not is_name:
            continue
        name = reader.resolve(token)
        if not _is_told(name, schema):
            reader.refuse(_untold(token.text), token=token)
        if not schema.kinds(name) and name not in individuals and not name.value.startswith(vocabularies):
            known = {schema.graph.spelling.term(each): each for each in schema.names}
            reader.refuse(f"the ontology has no {token.text}", hint=did_you_mean(token.text, known), token=token)


def _is_told(name: NamedNode, schema: Schema) -> bool:
    """Whether OWL knows what kind of property a name is, if it is one: else nothing follows about its values."""
    return schema.kinds(name) != {"Property"}


def _untold(name: str) -> str:
    return f"the ontology does not say whether {name} is an object property or a data property"


def read_relation(
    text: str, schema: Schema, prefixes: Mapping[str, str], variables: Iterable[str], *, option: str = "--related"
) -> Related:
    """`?a sn:likes ?b`, a triple as in SPARQL."""
    known = {**STANDARD_PREFIXES, **prefixes}
    try:
        document = read_document(f"ASK {{ {text} }}", option, known)
    except InputError as error:
        raise InputError(f"'{text}' is not a triple: {error.message}", where=Position(option)) from None
    [query] = document.operations
    where = query.where if isinstance(query, QueryTree) else None
    elements = where.elements if where else ()
    if len(elements) != 1 or not isinstance(elements[0], PlacedTriple):
        raise InputError(f"'{text}' is not one triple", where=Position(option), hint="for example '?a ex:knows ?b'")
    [triple] = elements
    assert isinstance(triple, PlacedTriple)  # noqa: S101 - checked above
    if not isinstance(triple.predicate, NamedNode) or isinstance(triple.subject, Literal):
        raise InputError(f"'{text}' needs a property as its predicate", where=Position(option))
    if triple.predicate != RDF.type and not schema.kinds(triple.predicate):
        known_names = {schema.graph.spelling.term(name): name for name in schema.names}
        hint = did_you_mean(schema.graph.spelling.term(triple.predicate), known_names)
        raise InputError(f"the ontology has no {triple.predicate}", where=Position(option), hint=hint)
    if not _is_told(triple.predicate, schema):
        raise InputError(_untold(schema.graph.spelling.term(triple.predicate)), where=Position(option))
    relation = Related(text.strip(), triple.subject, triple.predicate, triple.object)
    for variable in relation.variables:
        check_variable(variable, variables, Position(option, 1, text.index(variable)))
    return relation


def class_of(relation: Related) -> Argument:
    """What a relation asks of its subject, as a class."""
    if relation.predicate == RDF.type and isinstance(relation.object, NamedNode):
        return relation.object
    return Expression("ObjectSomeValuesFrom", relation.predicate, OWL.Thing)


# -- requests ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Text:
    """The text of a query, and the name of its file."""

    text: str
    name: str


@dataclass(frozen=True)
class Request:
    """The properties to test. `checks` are Python functions, by the names under which the user knows them."""

    expect: Sequence[str] = ()
    possible: bool = False
    related: Sequence[str] = ()
    ask: Sequence[Text] = ()
    nonempty: bool = False
    empty: bool = False
    at_most: int | None = None
    same_as: Sequence[Text] = ()
    checks: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def properties_of(
    request: Request, query: Query, schema: Schema, individuals: Container[NamedNode] = ()
) -> list[Property]:
    """The properties of a request. InputError for one that makes no sense for this query, ontology and data."""
    return list(_properties(request, query, schema, individuals))


def _properties(
    request: Request, query: Query, schema: Schema, individuals: Container[NamedNode]
) -> Iterator[Property]:
    prefixes = {**schema.graph.spelling.prefixes, **query.prefixes}
    if request.empty and request.nonempty:
        raise InputError("--empty and --nonempty contradict each other")
    for text in request.expect:
        yield read_expectation(
            text, schema, prefixes, query.variables, is_possible=request.possible, individuals=individuals
        )
    for text in request.related:
        yield read_relation(text, schema, prefixes, query.variables)
    for query_text in request.ask:
        yield _ask(query_text, prefixes)
    if request.nonempty:
        yield Nonempty()
    if request.empty:
        yield Empty()
    if request.at_most is not None:
        yield AtMost(request.at_most)
    for query_text in request.same_as:
        yield _same_as(query_text, query)
    for name, function in request.checks.items():
        yield PythonCheck(f"--python {name}", function)


def _ask(given: Text, prefixes: Mapping[str, str]) -> Ask:
    document = read_document(given.text, given.name, prefixes)
    [*operations] = document.operations
    if len(operations) != 1 or not isinstance(operations[0], QueryTree) or operations[0].form != "ASK":
        raise InputError("--ask needs an ASK query", where=Position(given.name))
    return Ask(f"--ask {given.name}", PreparedQuery.of(given.text, given.name, prefixes), operations[0])


def _same_as(given: Text, query: Query) -> SameAs:
    other = read_query(given.text, given.name, query.prefixes)
    if other.tree.form != query.tree.form:
        message = f"--same-as compares a {query.tree.form} query with a {other.tree.form} query"
        raise InputError(message, where=Position(given.name))
    if set(other.variables) != set(query.variables):
        one, two = (", ".join(f"?{name}" for name in either.variables) or "none" for either in (query, other))
        message = f"--same-as needs the same variables: {query.name} returns {one}, and {given.name} returns {two}"
        raise InputError(message, where=Position(given.name))
    return SameAs(f"--same-as {given.name}", other.prepared, other.tree)
