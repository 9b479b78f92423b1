"""The data of a test, what is wanted of them, and the result of a test: frozen values.

A triple in the default graph is a `Triple`, as for most queries. One in a named graph is a `Quad`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

from pyoxigraph import DefaultGraph, Quad, RdfFormat, parse, serialize

from kgprobe.errors import InputError, KgprobeError, Position
from kgprobe.formats.catalogue import by_name
from kgprobe.formats.files import read_graph, render
from kgprobe.owl.expression import Argument, Expression
from kgprobe.queries.schema import Schema
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import OWL, RDF, BlankNode, Literal, NamedNode, Term, Triple

__all__ = ["Counterexample", "Data", "Outcome", "Result", "Wishes", "triple_of"]

Datum: TypeAlias = Triple | Quad
Data: TypeAlias = tuple[Datum, ...]
GraphName: TypeAlias = NamedNode | BlankNode


def graph_of(datum: Datum) -> GraphName | None:
    """The named graph of a triple; None for the default graph."""
    return datum.graph_name if isinstance(datum, Quad) else None  # type: ignore[return-value]  # no default graph here


def placed(subject: Term | Triple, predicate: Term, object_: Term | Triple, graph: Term | None) -> Datum:
    """A triple in a graph."""
    if graph is None:
        return Triple(subject, predicate, object_)  # type: ignore[arg-type]
    return Quad(subject, predicate, object_, graph)  # type: ignore[arg-type]


def triple_of(datum: Datum) -> Triple:
    """The triple, wherever it is."""
    return datum.triple if isinstance(datum, Quad) else datum


def by_graph(data: Iterable[Datum]) -> dict[GraphName | None, list[Triple]]:
    """The triples of each graph."""
    found: dict[GraphName | None, list[Triple]] = {}
    for datum in data:
        found.setdefault(graph_of(datum), []).append(triple_of(datum))
    return found


# -- text --------------------------------------------------------------------------------------------------------------


def written(data: Iterable[Datum], prefixes: dict[str, str]) -> str:
    """Data in Turtle, or in TriG if some of them are in a named graph, with the prefixes that they use."""
    ordered = sorted(data, key=str)
    names = {name.value for datum in ordered for name in _names(datum)}
    used = {prefix: iri for prefix, iri in prefixes.items() if iri and any(name.startswith(iri) for name in names)}
    by_iri = {iri: prefix for prefix, iri in sorted(used.items(), reverse=True) if prefix} | {
        iri: "" for prefix, iri in used.items() if not prefix and iri not in [i for p, i in used.items() if p]
    }
    known = {prefix: iri for iri, prefix in by_iri.items()}
    text = _rendered(ordered, known)
    # Turtle has short forms for `rdf:type` and for some literals, which need no prefix.
    needed = {prefix: iri for prefix, iri in known.items() if f"{prefix}:" in text.replace(f"@prefix {prefix}:", "")}
    return text if needed == known else _rendered(ordered, needed)


def _rendered(ordered: Sequence[Datum], known: dict[str, str]) -> str:
    triples = [datum for datum in ordered if isinstance(datum, Triple)]
    if len(triples) == len(ordered):
        return render(Graph(triples, spelling=Spelling(known)), by_name("turtle")).text.decode()
    quads = sorted((_as_quad(datum) for datum in ordered), key=lambda quad: (str(quad.graph_name), str(quad.triple)))
    text = serialize(quads, format=RdfFormat.TRIG, prefixes=known)
    assert text is not None  # noqa: S101 - serialize returns None only if it writes to a stream
    return text.decode()


def _as_quad(datum: Datum) -> Quad:
    return datum if isinstance(datum, Quad) else Quad(datum.subject, datum.predicate, datum.object)


def _names(datum: Datum) -> Iterable[NamedNode]:
    for term in (datum.subject, datum.predicate, datum.object, graph_of(datum)):
        if isinstance(term, NamedNode):
            yield term
        elif isinstance(term, Literal):
            yield term.datatype


def read_data(text: str, name: str = "<data>") -> Data:
    """Data from Turtle or TriG. InputError with the position of a mistake."""
    try:
        quads: Sequence[Quad] = list(parse(text, format=RdfFormat.TRIG))
    except SyntaxError as error:
        raise InputError(error.msg, where=Position(name, error.lineno, error.offset)) from None
    if all(isinstance(quad.graph_name, DefaultGraph) for quad in quads):
        return tuple(read_graph(text.encode()))
    found = dict.fromkeys(quad.triple if isinstance(quad.graph_name, DefaultGraph) else quad for quad in quads)
    if any(isinstance(part, Triple) for datum in found for part in (datum.subject, datum.object)):
        raise InputError("has triples about triples, which kgprobe does not read", where=Position(name))
    return tuple(found)


# -- what the user, the ontology and the properties suggest ------------------------------------------------------------

_MOST_INDIVIDUALS = 24


@dataclass(frozen=True)
class Wishes:
    """What the user wants of the data: values of properties, members of classes, and how many of each.

    `least` and `most` count the values of a property of one individual, or the members of a class. `individuals` is
    about how many new individuals a data set has; None leaves it to the generator.
    """

    values: Mapping[NamedNode, tuple[Term, ...]] = field(default_factory=dict)
    members: Mapping[NamedNode, tuple[NamedNode, ...]] = field(default_factory=dict)
    least: Mapping[NamedNode, int] = field(default_factory=dict)
    most: Mapping[NamedNode, int] = field(default_factory=dict)
    individuals: int | None = None

    @property
    def individuals_named(self) -> frozenset[NamedNode]:
        """The individuals that the data may have."""
        named = (term for terms in (*self.members.values(), *self.values.values()) for term in terms)
        return frozenset(term for term in named if isinstance(term, NamedNode))

    def unmet(self, data: Iterable[Datum], schema: Schema) -> frozenset[tuple[str, NamedNode]]:
        """The wishes that data do not meet: what is wrong, and the name that it is about.

        Facts of the ontology count for `least` and `most`. `individuals` only says how to begin.
        """
        given = list(data)
        found: set[tuple[str, NamedNode]] = set()
        for name in dict.fromkeys([*self.values, *self.members, *self.least, *self.most]):
            is_class = "Class" in schema.kinds(name)
            stated = schema.graph.triples(None, RDF.type, name) if is_class else schema.graph.triples(None, name, None)
            pairs = _pairs(given, name, is_class=is_class)
            allowed = self.members.get(name) if is_class else self.values.get(name)
            if allowed and any(value not in allowed for _, value in pairs):
                found.add(("values", name))
            owners = {owner for owner, _ in pairs}
            all_pairs = pairs | _pairs(stated, name, is_class=is_class)
            counts = Counter(owner for owner, _ in all_pairs if is_class or owner in owners)
            if min(counts.values(), default=0 if is_class else self.least.get(name, 0)) < self.least.get(name, 0):
                found.add(("least", name))
            if name in self.most and max(counts.values(), default=0) > self.most[name]:
                found.add(("most", name))
        return frozenset(found)


def _pairs(data: Iterable[Datum], name: NamedNode, *, is_class: bool) -> set[tuple[object, object]]:
    """The members of a class, with the class; or the owners of a property, with its values."""
    if is_class:
        return {(name, datum.subject) for datum in data if datum.predicate == RDF.type and datum.object == name}
    return {(datum.subject, datum.object) for datum in data if datum.predicate == name}


@dataclass(frozen=True)
class Hints:
    """What the properties to test, the ontology and the user suggest: constants, and values for some properties."""

    constants: Mapping[NamedNode, tuple[Literal, ...]]
    values: Mapping[NamedNode, tuple[Term, ...]]
    individuals: tuple[NamedNode, ...]
    classes: tuple[NamedNode, ...]
    object_properties: tuple[NamedNode, ...]
    data_properties: tuple[NamedNode, ...]


def is_value_of(datum: Datum, individual: Term) -> bool:
    """Whether this is a triple that gives an individual a literal."""
    return datum.subject == individual and isinstance(datum.object, Literal)


def names_in(kind: Argument) -> Iterator[NamedNode]:
    """The names in a class or data range."""
    if isinstance(kind, NamedNode):
        yield kind
    elif isinstance(kind, Expression):
        for argument in kind.args:
            yield from names_in(argument)


def hints_of(schema: Schema, asked: Mapping[str, Sequence[Argument]], wishes: Wishes) -> Hints:
    """The hints of an ontology, of the classes that properties ask about, by variable, and of the user."""
    constants: dict[NamedNode, dict[Literal, None]] = {}
    trees = [*schema.ontology.axioms, *(kind for kinds in asked.values() for kind in kinds)]
    for tree in trees:
        _collect(tree, constants)
    individuals = dict.fromkeys(
        argument
        for axiom in schema.ontology.axioms
        if axiom.head in ("ClassAssertion", "ObjectPropertyAssertion", "DataPropertyAssertion")
        for argument in axiom.args[1:]
        if isinstance(argument, NamedNode)
    )
    of_properties = [name for kinds in asked.values() for kind in kinds for name in names_in(kind)]
    ordered = [*of_properties, *(each for each in sorted(schema.names, key=str) if not each.value.startswith(OWL.iri))]
    names = dict.fromkeys(ordered)
    members = [member for each in wishes.members.values() for member in each]
    return Hints(
        constants={name: tuple(found)[:8] for name, found in constants.items()},
        values=wishes.values,
        individuals=tuple(dict.fromkeys([*members, *individuals]))[:_MOST_INDIVIDUALS],
        classes=tuple(each for each in names if "Class" in schema.kinds(each)),
        object_properties=tuple(each for each in names if "ObjectProperty" in schema.kinds(each)),
        data_properties=tuple(each for each in names if "DataProperty" in schema.kinds(each)),
    )


def _collect(tree: Argument, found: dict[NamedNode, dict[Literal, None]], name: NamedNode | None = None) -> None:
    """The literals in an axiom or class, by the data property that they belong to."""
    if isinstance(tree, Expression):
        if tree.head.startswith("Data") and tree.args:
            first = next((argument for argument in tree.args if isinstance(argument, NamedNode)), None)
            name = first if tree.head not in ("DataOneOf", "DatatypeRestriction", "DataComplementOf") else name
        for argument in tree.args:
            _collect(argument, found, name)
    elif isinstance(tree, Literal) and name is not None:
        found.setdefault(name, {})[tree] = None


# -- results -----------------------------------------------------------------------------------------------------------

Answer = Mapping[str, Term]
"""One answer of a query: its variables that are bound. The answer of an ASK query that is true has none."""


class Outcome(StrEnum):
    """The outcomes of a test."""

    PASSED = "passed"
    FALSIFIED = "falsified"
    NO_ANSWER = "no-answer"
    NO_CONSISTENT_DATA = "no-consistent-data"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Counterexample:
    """Data on which the query breaks a property: only the triples that are added to the ontology.

    `turtle` is in TriG if some of the triples are in named graphs; in `triples`, these are quads. `answer` is the one
    that breaks the property, and None if the property is about all answers together.
    """

    turtle: str
    triples: Data
    answer: Answer | None
    property: str
    reason: str

    def value(self) -> dict[str, Any]:
        """The counterexample for JSON."""
        answer = None if self.answer is None else {name: str(term) for name, term in self.answer.items()}
        return {
            "turtle": self.turtle,
            "triples": len(self.triples),
            "answer": answer,
            "property": self.property,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class Result:
    """The outcome, and how much was tried.

    `tests` counts the data sets whose consistency was decided, `consistent` those of them that are consistent, and
    `nontrivial` those of them on which the query has an answer. `undecided` counts data sets that are not tests,
    because no reasoner decides whether they are consistent or whether an answer has a property. `proven`: a proof
    covers all data, not just the tests. `proof` states it in words.
    """

    outcome: Outcome
    tests: int
    consistent: int
    nontrivial: int
    undecided: int
    proven: bool
    seed: int
    counterexample: Counterexample | None = None
    proof: str = ""

    @property
    def is_passed(self) -> bool:
        """Whether the query passed."""
        return self.outcome is Outcome.PASSED

    @property
    def exit_code(self) -> int:
        """The exit code of a command with this result."""
        return {Outcome.PASSED: 0, Outcome.UNDECIDED: KgprobeError.exit_code}.get(self.outcome, 1)

    def value(self) -> dict[str, Any]:
        """The result for JSON."""
        return {
            "outcome": str(self.outcome),
            "tests": self.tests,
            "consistent": self.consistent,
            "nontrivial": self.nontrivial,
            "undecided": self.undecided,
            "proven": self.proven,
            "proof": self.proof,
            "seed": self.seed,
            "counterexample": None if self.counterexample is None else self.counterexample.value(),
        }
