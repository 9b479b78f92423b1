"""From OWL structure to RDF: the triples that stand for an ontology document.

This is section 2 of "OWL 2 Web Ontology Language: Mapping to RDF Graphs". Rules, which that text does not know, are
written as the OWL API and Protégé write them. An unnamed expression becomes a blank node. Nothing here recurses,
because a tree from an untrusted file can be deeper than Python's stack: `_Mapping.node` names a tree, and
`_Mapping.drain` describes the named trees one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import pairwise
from typing import TypeAlias, cast

from kgprobe.graph.axioms.expression import Expression, OntologyDocument, split_annotations
from kgprobe.graph.axioms.vocabulary import (
    ATOMS,
    CARDINALITIES,
    CHAINS,
    CHARACTERISTICS,
    COLLECTIONS,
    COMPLEMENTS,
    ENTITIES,
    FILLERS,
    GROUPS,
    LINKS,
    SWRL,
)
from kgprobe.graph.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Subject, Term

__all__ = ["triples"]

_Statement: TypeAlias = tuple[Subject, NamedNode, Term]
_Argument: TypeAlias = "str | int | Term | Expression"

_TRUE = Literal("true", datatype=XSD.boolean)


def triples(
    document: OntologyDocument, *, header: bool = True, reserved: Collection[str] = ()
) -> Iterator[tuple[Subject, NamedNode, Term]]:
    """The triples of an ontology, axiom by axiom; a triple that two axioms share comes twice.

    Blank nodes are `b0`, `b1`, …, without the labels of the document's anonymous individuals and the `reserved` ones.
    Without `header`, nothing says that there is an ontology: so is a graph written that has axioms only.
    """
    mapping = _Mapping(_individual_labels(document) | set(reserved))
    if header:
        mapping.header(document)
        yield from mapping.drain()
    for axiom in document.axioms:
        mapping.axiom(axiom)
        yield from mapping.drain()


def _individual_labels(document: OntologyDocument) -> set[str]:
    labels = set()
    pending: list[_Argument] = [*document.axioms, *document.annotations]
    while pending:
        argument = pending.pop()
        if type(argument) is tuple:
            pending.extend(argument)
        elif type(argument) is BlankNode:
            labels.add(argument.value)
    return labels


class _Mapping:
    """The triples made so far, and the trees that have a node but no triples yet."""

    def __init__(self, reserved: set[str]) -> None:
        self._reserved = reserved
        self._next_label = 0
        self._made: list[_Statement] = []
        self._pending: list[tuple[BlankNode, Expression]] = []

    def drain(self) -> Iterator[_Statement]:
        """Describes what is still to describe, and hands out all triples made."""
        pending = self._pending
        while pending:
            node, tree = pending.pop()
            _DESCRIPTIONS[cast(str, tree[0])](self, node, tree)
        yield from self._made
        self._made.clear()

    def add(self, subject: Term, predicate: Term, value: Term) -> None:
        self._made.append((cast(Subject, subject), cast(NamedNode, predicate), value))

    def fresh(self) -> BlankNode:
        while True:
            label = f"b{self._next_label}"
            self._next_label += 1
            if label not in self._reserved:
                return BlankNode(label)

    def node(self, argument: _Argument) -> Term:
        """The term itself, or a blank node that `drain` will describe."""
        if type(argument) is tuple:
            fresh = self.fresh()
            self._pending.append((fresh, argument))
            return fresh
        return cast(Term, argument)

    def sequence(self, members: Collection[_Argument], cell_type: NamedNode | None = None) -> Term:
        """The head of a list."""
        cells = [self.fresh() for _ in members]
        for index, (cell, member) in enumerate(zip(cells, members, strict=True)):
            if cell_type is not None:
                self.add(cell, RDF.type, cell_type)
            self.add(cell, RDF.first, self.node(member))
            self.add(cell, RDF.rest, cells[index + 1] if index + 1 < len(cells) else RDF.nil)
        return cells[0] if cells else RDF.nil

    def header(self, document: OntologyDocument) -> None:
        name = self.fresh() if document.iri is None else document.iri
        self.add(name, RDF.type, OWL.Ontology)
        if document.version is not None:
            self.add(name, OWL.versionIRI, document.version)
        for imported in document.imports:
            self.add(name, OWL.imports, imported)
        self.annotate(name, document.annotations)

    def annotate(self, subject: Term, annotations: Collection[Expression]) -> None:
        """Annotations on a node, with the annotations that these have themselves."""
        pending = [(subject, annotation) for annotation in annotations]
        while pending:
            owner, annotation = pending.pop()
            nested, (predicate, value) = split_annotations(annotation)
            self.add(owner, cast(Term, predicate), cast(Term, value))
            if nested:
                node = self.reify(OWL.Annotation, owner, cast(Term, predicate), cast(Term, value))
                pending.extend((node, each) for each in nested)

    def reify(self, kind: NamedNode, subject: Term, predicate: Term, value: Term) -> BlankNode:
        node = self.fresh()
        self.add(node, RDF.type, kind)
        self.add(node, OWL.annotatedSource, subject)
        self.add(node, OWL.annotatedProperty, predicate)
        self.add(node, OWL.annotatedTarget, value)
        return node

    def state(self, subject: Term, predicate: Term, value: Term, annotations: Collection[Expression] = ()) -> None:
        """The main triple of an axiom, and its annotations on a node of their own."""
        self.add(subject, predicate, value)
        if annotations:
            self.annotate(self.reify(OWL.Axiom, subject, predicate, value), annotations)

    def axiom(self, axiom: Expression) -> None:
        head = cast(str, axiom[0])
        annotations, arguments = split_annotations(axiom)
        if head in LINKS and not _is_chain(arguments[0]):
            subject, value = self.node(arguments[0]), self.node(arguments[1])
            self.state(subject, LINKS[head], value, annotations)
        elif head in CHARACTERISTICS:
            self.state(self.node(arguments[0]), RDF.type, CHARACTERISTICS[head], annotations)
        elif head in CHAINS:
            nodes = [self.node(argument) for argument in arguments]
            for left, right in pairwise(nodes):
                self.state(left, CHAINS[head], right, annotations)
        elif head in GROUPS:
            _group(self, head, arguments, annotations)
        else:
            _AXIOMS[head](self, arguments, annotations)


def _head(tree: _Argument) -> str:
    return cast(str, cast(Expression, tree)[0])


def _is_chain(argument: _Argument) -> bool:
    return type(argument) is tuple and argument[0] == "ObjectPropertyChain"


# Axioms: one function for each that is in none of the tables.


def _group(mapping: _Mapping, head: str, members: Expression, annotations: list[Expression]) -> None:
    pairwise, kind = GROUPS[head]
    if len(members) == 2:
        mapping.state(mapping.node(members[0]), pairwise, mapping.node(members[1]), annotations)
        return
    node = mapping.fresh()
    mapping.add(node, RDF.type, kind)
    mapping.add(node, OWL.members, mapping.sequence(members))
    mapping.annotate(node, annotations)


def _declaration(mapping: _Mapping, arguments: Expression, annotations: list[Expression]) -> None:
    kind, entity = cast(tuple[str, NamedNode], arguments[0])
    mapping.state(entity, RDF.type, ENTITIES[kind], annotations)


def _property_chain(mapping: _Mapping, arguments: Expression, annotations: list[Expression]) -> None:
    chain, implied = cast(Expression, arguments[0]), mapping.node(arguments[1])
    mapping.state(implied, OWL.propertyChainAxiom, mapping.sequence(chain[1:]), annotations)


def _disjoint_union(mapping: _Mapping, arguments: Expression, annotations: list[Expression]) -> None:
    mapping.state(mapping.node(arguments[0]), OWL.disjointUnionOf, mapping.sequence(arguments[1:]), annotations)


def _has_key(mapping: _Mapping, arguments: Expression, annotations: list[Expression]) -> None:
    keyed, objects, data = arguments
    keys = cast(Expression, objects)[1:] + cast(Expression, data)[1:]
    mapping.state(mapping.node(keyed), OWL.hasKey, mapping.sequence(keys), annotations)


def _class_assertion(mapping: _Mapping, arguments: Expression, annotations: list[Expression]) -> None:
    kind, individual = arguments
    mapping.state(cast(Term, individual), RDF.type, mapping.node(kind), annotations)


def _assertion(mapping: _Mapping, arguments: Expression, annotations: list[Expression]) -> None:
    predicate, subject, value = cast("tuple[_Argument, Term, Term]", arguments)
    if type(predicate) is tuple:  # ObjectInverseOf: no blank node can be a predicate, so the ends change places
        predicate, subject, value = predicate[1], value, subject
    mapping.state(subject, cast(Term, predicate), value, annotations)


def _negative_assertion(mapping: _Mapping, arguments: Expression, annotations: list[Expression]) -> None:
    predicate, source, target = arguments
    node = mapping.fresh()
    mapping.add(node, RDF.type, OWL.NegativePropertyAssertion)
    mapping.add(node, OWL.sourceIndividual, cast(Term, source))
    mapping.add(node, OWL.assertionProperty, mapping.node(predicate))
    how = OWL.targetValue if type(target) is Literal else OWL.targetIndividual
    mapping.add(node, how, cast(Term, target))
    mapping.annotate(node, annotations)


def _rule(mapping: _Mapping, arguments: Expression, annotations: list[Expression]) -> None:
    body, head = (cast(Expression, part) for part in arguments)
    node = mapping.fresh()
    mapping.add(node, RDF.type, SWRL.Imp)
    mapping.add(node, SWRL.body, mapping.sequence(body[1:], SWRL.AtomList))
    mapping.add(node, SWRL.head, mapping.sequence(head[1:], SWRL.AtomList))
    mapping.annotate(node, annotations)


_AXIOMS: dict[str, Callable[[_Mapping, Expression, list[Expression]], None]] = {
    "Declaration": _declaration,
    "SubObjectPropertyOf": _property_chain,
    "DisjointUnion": _disjoint_union,
    "HasKey": _has_key,
    "ClassAssertion": _class_assertion,
    "ObjectPropertyAssertion": _assertion,
    "DataPropertyAssertion": _assertion,
    "AnnotationAssertion": _assertion,
    "NegativeObjectPropertyAssertion": _negative_assertion,
    "NegativeDataPropertyAssertion": _negative_assertion,
    "DLSafeRule": _rule,
}


# Descriptions: the triples of a blank node that stands for an unnamed expression.


def _inverse(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    mapping.add(node, OWL.inverseOf, cast(Term, tree[1]))


def _collection(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    kind, predicate = COLLECTIONS[_head(tree)]
    mapping.add(node, RDF.type, kind)
    mapping.add(node, predicate, mapping.sequence(tree[1:]))


def _complement(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    kind, predicate = COMPLEMENTS[_head(tree)]
    mapping.add(node, RDF.type, kind)
    mapping.add(node, predicate, mapping.node(tree[1]))


def _restriction(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    mapping.add(node, RDF.type, OWL.Restriction)
    if len(tree) == 3:
        mapping.add(node, OWL.onProperty, mapping.node(tree[1]))
    else:
        mapping.add(node, OWL.onProperties, mapping.sequence(tree[1:-1]))
    mapping.add(node, FILLERS[_head(tree)], mapping.node(tree[-1]))


def _has_self(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    mapping.add(node, RDF.type, OWL.Restriction)
    mapping.add(node, OWL.onProperty, mapping.node(tree[1]))
    mapping.add(node, OWL.hasSelf, _TRUE)


def _cardinality(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    unqualified, qualified, filler = CARDINALITIES[_head(tree)]
    mapping.add(node, RDF.type, OWL.Restriction)
    mapping.add(node, OWL.onProperty, mapping.node(tree[2]))
    number = Literal(str(tree[1]), datatype=XSD.nonNegativeInteger)
    mapping.add(node, qualified if len(tree) == 4 else unqualified, number)
    if len(tree) == 4:
        mapping.add(node, filler, mapping.node(tree[3]))


def _datatype_restriction(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    facets = [mapping.fresh() for _ in tree[2::2]]
    mapping.add(node, RDF.type, RDFS.Datatype)
    mapping.add(node, OWL.onDatatype, cast(Term, tree[1]))
    mapping.add(node, OWL.withRestrictions, mapping.sequence(facets))
    for facet, predicate, value in zip(facets, tree[2::2], tree[3::2], strict=True):
        mapping.add(facet, cast(Term, predicate), cast(Term, value))


def _atom(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    kind, predicates = ATOMS[_head(tree)]
    mapping.add(node, RDF.type, kind)
    for predicate, argument in zip(predicates, tree[1:], strict=True):
        mapping.add(node, predicate, _variable(mapping, argument))


def _built_in_atom(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    mapping.add(node, RDF.type, SWRL.BuiltinAtom)
    mapping.add(node, SWRL.builtin, cast(Term, tree[1]))
    arguments = [_variable(mapping, argument) for argument in tree[2:]]
    mapping.add(node, SWRL.arguments, mapping.sequence(arguments))


def _variable(mapping: _Mapping, argument: _Argument) -> Term:
    if type(argument) is tuple and argument[0] == "Variable":
        mapping.add(cast(Term, argument[1]), RDF.type, SWRL.Variable)
        return cast(Term, argument[1])
    return mapping.node(argument)


_DESCRIPTIONS: dict[str, Callable[[_Mapping, BlankNode, Expression], None]] = {
    "ObjectInverseOf": _inverse,
    **dict.fromkeys(COLLECTIONS, _collection),
    **dict.fromkeys(COMPLEMENTS, _complement),
    **dict.fromkeys(FILLERS, _restriction),
    "ObjectHasSelf": _has_self,
    **dict.fromkeys(CARDINALITIES, _cardinality),
    "DatatypeRestriction": _datatype_restriction,
    **dict.fromkeys(ATOMS, _atom),
    "BuiltInAtom": _built_in_atom,
}
