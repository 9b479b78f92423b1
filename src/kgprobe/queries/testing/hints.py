"""What the user, the ontology and the properties to test suggest for the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kgprobe.owl.expression import Argument, Expression
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.data import Datum
from kgprobe.rdf.terms import OWL, RDF, Literal, NamedNode, Term

__all__ = ["Hints", "Wishes", "hints_of", "names_in"]

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
        return {(name, each.subject) for each in data if each.predicate == RDF.type and each.object == name}
    return {(each.subject, each.object) for each in data if each.predicate == name}


@dataclass(frozen=True)
class Hints:
    """What the properties to test, the ontology and the user suggest: constants, and values for some properties."""

    constants: Mapping[NamedNode, tuple[Literal, ...]]
    values: Mapping[NamedNode, tuple[Term, ...]]
    individuals: tuple[NamedNode, ...]
    classes: tuple[NamedNode, ...]
    object_properties: tuple[NamedNode, ...]
    data_properties: tuple[NamedNode, ...]


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
            first = next((each for each in tree.args if isinstance(each, NamedNode)), None)
            name = first if tree.head not in ("DataOneOf", "DatatypeRestriction", "DataComplementOf") else name
        for argument in tree.args:
            _collect(argument, found, name)
    elif isinstance(tree, Literal) and name is not None:
        found.setdefault(name, {})[tree] = None
