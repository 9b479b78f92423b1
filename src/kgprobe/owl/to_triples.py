"""From OWL structure to RDF: the triples that stand for an ontology document.

This is section 2 of "OWL 2 Web Ontology Language: Mapping to RDF Graphs". Rules, which that text does not cover, are
written as the OWL API and Protégé write them. An unnamed expression becomes a blank node. Nothing here recurses,
because a tree from an untrusted file can be deeper than Python's stack: `_Mapping.node` names a tree, and
`_Mapping.drain` describes the named trees one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, pairwise
from typing import TypeAlias

from kgprobe.owl.expression import (
    Argument,
    Expression,
    OntologyDocument,
    inner,
    is_headed,
    name,
    parts_of,
    split_annotations,
    subject,
    term,
)
from kgprobe.owl.grammar import (
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
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Subject, Term

__all__ = ["triples"]

_Statement: TypeAlias = tuple[Subject, NamedNode, Term]

_Arguments: TypeAlias = tuple[Argument, ...]

_TRUE = Literal("true", datatype=XSD.boolean)


def triples(
    document: OntologyDocument, *, header: bool = True, reserved: Collection[str] = ()
) -> Iterator[tuple[Subject, NamedNode, Term]]:
    """The triples of an ontology, axiom by axiom; a triple that two axioms share comes twice.

    Blank nodes are `b0`, `b1`, …, without the labels of the document's anonymous individuals and the `reserved` ones.
    Without `header`, no triple declares the ontology. This is the form of a graph that only has axioms.
    """
    mapping = _Mapping(_individual_labels(document) | set(reserved))
    if header:
        mapping.header(document)
        yield from mapping.drain()
    for axiom in document.axioms:
        mapping.axiom(axiom)
        yield from mapping.drain()


def _individual_labels(document: OntologyDocument) -> set[str]:
    parts = chain.from_iterable(map(parts_of, (*document.axioms, *document.annotations)))
    return {part.value for part in parts if type(part) is BlankNode}


class _Mapping:
    """The triples made so far, and the trees that have a node but no triples yet."""

    def __init__(self, reserved: set[str]) -> None:
        self._reserved = reserved
        self._next_label = 0
        self._made: list[_Statement] = []
        self._pending: list[tuple[BlankNode, Expression]] = []

    def drain(self) -> Iterator[_Statement]:
        """Describes all pending expressions, and yields all triples made."""
        pending = self._pending
        while pending:
            node, tree = pending.pop()
            _DESCRIPTIONS[tree.head](self, node, tree)
        yield from self._made
        self._made.clear()

    def add(self, subject: Subject, predicate: NamedNode, value: Term) -> None:
        self._made.append((subject, predicate, value))

    def fresh(self) -> BlankNode:
        while True:
            label = f"b{self._next_label}"
            self._next_label += 1
            if label not in self._reserved:
                return BlankNode(label)

    def node(self, argument: Argument) -> Term:
        """The term itself, or a blank node that `drain` will describe."""
        if type(argument) is Expression:
            return self._blank(argument)
        return term(argument)

    def subject(self, argument: Argument) -> Subject:
        """As `node`, for an argument that cannot be a literal."""
        return self._blank(argument) if type(argument) is Expression else subject(argument)

    def _blank(self, tree: Expression) -> BlankNode:
        fresh = self.fresh()
        self._pending.append((fresh, tree))
        return fresh

    def sequence(self, members: Sequence[Argument], cell_type: NamedNode | None = None) -> Term:
        """The head of a list."""
        cells = [self.fresh() for _ in members]
        for index, (cell, member) in enumerate(zip(cells, members, strict=True)):
            if cell_type is not None:
                self.add(cell, RDF.type, cell_type)
            self.add(cell, RDF.first, self.node(member))
            self.add(cell, RDF.rest, cells[index + 1] if index + 1 < len(cells) else RDF.nil)
        return cells[0] if cells else RDF.nil

    def header(self, document: OntologyDocument) -> None:
        ontology = self.fresh() if document.iri is None else document.iri
        self.add(ontology, RDF.type, OWL.Ontology)
        if document.version is not None:
            self.add(ontology, OWL.versionIRI, document.version)
        for imported in document.imports:
            self.add(ontology, OWL.imports, imported)
        self.annotate(ontology, document.annotations)

    def annotate(self, annotated: Subject, annotations: Collection[Expression]) -> None:
        """Annotations on a node, with their own annotations."""
        pending = [(annotated, annotation) for annotation in annotations]
        while pending:
            owner, annotation = pending.pop()
            nested, arguments = split_annotations(annotation)
            predicate, value = name(arguments[0]), term(arguments[1])
            self.add(owner, predicate, value)
            if nested:
                node: Subject = self.reify(OWL.Annotation, owner, predicate, value)
                pending.extend((node, annotation) for annotation in nested)

    def reify(self, kind: NamedNode, source: Subject, predicate: NamedNode, target: Term) -> BlankNode:
        node = self.fresh()
        self.add(node, RDF.type, kind)
        self.add(node, OWL.annotatedSource, source)
        self.add(node, OWL.annotatedProperty, predicate)
        self.add(node, OWL.annotatedTarget, target)
        return node

    def state(
        self, source: Subject, predicate: NamedNode, target: Term, annotations: Collection[Expression] = ()
    ) -> None:
        """The main triple of an axiom, with its annotations on a separate node."""
        self.add(source, predicate, target)
        if annotations:
            self.annotate(self.reify(OWL.Axiom, source, predicate, target), annotations)

    def axiom(self, axiom: Expression) -> None:
        head = axiom.head
        annotations, arguments = split_annotations(axiom)
        if head in LINKS and not is_headed(arguments[0], "ObjectPropertyChain"):
            first, second = self.subject(arguments[0]), self.node(arguments[1])
            self.state(first, LINKS[head], second, annotations)
        elif head in CHARACTERISTICS:
            self.state(self.subject(arguments[0]), RDF.type, CHARACTERISTICS[head], annotations)
        elif head in CHAINS:
            nodes = [self.subject(argument) for argument in arguments]
            for left, right in pairwise(nodes):
                self.state(left, CHAINS[head], right, annotations)
        elif head in GROUPS:
            _group(self, head, arguments, annotations)
        else:
            _AXIOMS[head](self, arguments, annotations)


# Axioms: one function for each that is in none of the tables.


def _group(mapping: _Mapping, head: str, members: _Arguments, annotations: list[Expression]) -> None:
    pairwise, kind = GROUPS[head]
    if len(members) == 2:
        mapping.state(mapping.subject(members[0]), pairwise, mapping.node(members[1]), annotations)
        return
    node = mapping.fresh()
    mapping.add(node, RDF.type, kind)
    mapping.add(node, OWL.members, mapping.sequence(members))
    mapping.annotate(node, annotations)


def _declaration(mapping: _Mapping, arguments: _Arguments, annotations: list[Expression]) -> None:
    entity = inner(arguments[0])
    mapping.state(name(entity.args[0]), RDF.type, ENTITIES[entity.head], annotations)


def _property_chain(mapping: _Mapping, arguments: _Arguments, annotations: list[Expression]) -> None:
    chain, implied = inner(arguments[0]), mapping.subject(arguments[1])
    mapping.state(implied, OWL.propertyChainAxiom, mapping.sequence(chain.args), annotations)


def _disjoint_union(mapping: _Mapping, arguments: _Arguments, annotations: list[Expression]) -> None:
    mapping.state(mapping.subject(arguments[0]), OWL.disjointUnionOf, mapping.sequence(arguments[1:]), annotations)


def _has_key(mapping: _Mapping, arguments: _Arguments, annotations: list[Expression]) -> None:
    keyed, objects, data = arguments
    keys = inner(objects).args + inner(data).args
    mapping.state(mapping.subject(keyed), OWL.hasKey, mapping.sequence(keys), annotations)


def _class_assertion(mapping: _Mapping, arguments: _Arguments, annotations: list[Expression]) -> None:
    kind, individual = arguments
    mapping.state(subject(individual), RDF.type, mapping.node(kind), annotations)


def _assertion(mapping: _Mapping, arguments: _Arguments, annotations: list[Expression]) -> None:
    predicate, source, target = arguments
    if type(predicate) is Expression:  # ObjectInverseOf: a predicate cannot be blank, so the ends are swapped
        predicate, source, target = predicate.args[0], target, source
    mapping.state(subject(source), name(predicate), term(target), annotations)


def _negative_assertion(mapping: _Mapping, arguments: _Arguments, annotations: list[Expression]) -> None:
    predicate, source, target = arguments
    node = mapping.fresh()
    mapping.add(node, RDF.type, OWL.NegativePropertyAssertion)
    mapping.add(node, OWL.sourceIndividual, term(source))
    mapping.add(node, OWL.assertionProperty, mapping.node(predicate))
    how = OWL.targetValue if type(target) is Literal else OWL.targetIndividual
    mapping.add(node, how, term(target))
    mapping.annotate(node, annotations)


def _rule(mapping: _Mapping, arguments: _Arguments, annotations: list[Expression]) -> None:
    body, head = map(inner, arguments)
    node = mapping.fresh()
    mapping.add(node, RDF.type, SWRL.Imp)
    mapping.add(node, SWRL.body, mapping.sequence(body.args, SWRL.AtomList))
    mapping.add(node, SWRL.head, mapping.sequence(head.args, SWRL.AtomList))
    mapping.annotate(node, annotations)


_AXIOMS: dict[str, Callable[[_Mapping, _Arguments, list[Expression]], None]] = {
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
    mapping.add(node, OWL.inverseOf, term(tree.args[0]))


def _collection(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    kind, predicate = COLLECTIONS[tree.head]
    mapping.add(node, RDF.type, kind)
    mapping.add(node, predicate, mapping.sequence(tree.args))


def _complement(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    kind, predicate = COMPLEMENTS[tree.head]
    mapping.add(node, RDF.type, kind)
    mapping.add(node, predicate, mapping.node(tree.args[0]))


def _restriction(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    mapping.add(node, RDF.type, OWL.Restriction)
    if len(tree.args) == 2:
        mapping.add(node, OWL.onProperty, mapping.node(tree.args[0]))
    else:
        mapping.add(node, OWL.onProperties, mapping.sequence(tree.args[:-1]))
    mapping.add(node, FILLERS[tree.head], mapping.node(tree.args[-1]))


def _has_self(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    mapping.add(node, RDF.type, OWL.Restriction)
    mapping.add(node, OWL.onProperty, mapping.node(tree.args[0]))
    mapping.add(node, OWL.hasSelf, _TRUE)


def _cardinality(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    unqualified, qualified, filler = CARDINALITIES[tree.head]
    mapping.add(node, RDF.type, OWL.Restriction)
    mapping.add(node, OWL.onProperty, mapping.node(tree.args[1]))
    number = Literal(str(tree.args[0]), datatype=XSD.nonNegativeInteger)
    mapping.add(node, qualified if len(tree.args) == 3 else unqualified, number)
    if len(tree.args) == 3:
        mapping.add(node, filler, mapping.node(tree.args[2]))


def _datatype_restriction(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    datatype, *restrictions = tree.args
    facets = [mapping.fresh() for _ in restrictions[::2]]
    mapping.add(node, RDF.type, RDFS.Datatype)
    mapping.add(node, OWL.onDatatype, term(datatype))
    mapping.add(node, OWL.withRestrictions, mapping.sequence(facets))
    for facet, predicate, value in zip(facets, restrictions[::2], restrictions[1::2], strict=True):
        mapping.add(facet, name(predicate), term(value))


def _atom(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    kind, predicates = ATOMS[tree.head]
    mapping.add(node, RDF.type, kind)
    for predicate, argument in zip(predicates, tree.args, strict=True):
        mapping.add(node, predicate, _variable(mapping, argument))


def _built_in_atom(mapping: _Mapping, node: BlankNode, tree: Expression) -> None:
    mapping.add(node, RDF.type, SWRL.BuiltinAtom)
    mapping.add(node, SWRL.builtin, term(tree.args[0]))
    arguments = [_variable(mapping, argument) for argument in tree.args[1:]]
    mapping.add(node, SWRL.arguments, mapping.sequence(arguments))


def _variable(mapping: _Mapping, argument: Argument) -> Term:
    if is_headed(argument, "Variable"):
        variable = name(argument.args[0])
        mapping.add(variable, RDF.type, SWRL.Variable)
        return variable
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
