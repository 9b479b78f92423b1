"""Divides triples into groups: one for each axiom, and one for each structure that is not an axiom.

The reader of axioms does most of the work. It assigns some triples to several axioms, and some to none. Here, each
triple belongs to exactly one group:

- A triple that several owl:Axiom nodes annotate is one axiom, with the annotations of all of them.
- The triple that makes a name a variable of rules is a separate group, because any number of rules share the variable.
- The name of an ontology, its version, and each import are separate groups; its annotations are read like those of
  any other name. An ontology without a name is one group with all triples that depend on its blank node.
- Triples that are not an axiom form a group if a blank node joins them, unless that is an individual of an axiom.
  Annotations of such a blank node belong to the same group.

If such triples only spell an axiom in an older or looser way, the group has the axiom as its expression. Real files
have such spellings, and tools accept them. The reader of axioms does not, because it must be able to write the same
triples again. Here, only the meaning matters, so they are rewritten into the one way that the mapping to RDF defines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from kgprobe.owl.axiom_reader import AxiomReader, Stated
from kgprobe.owl.expression import Expression, split_annotations
from kgprobe.owl.grammar import CARDINALITIES, SWRL
from kgprobe.owl.name_kinds import EntityKinds, KnownKinds
from kgprobe.owl.triple_index import TripleIndex
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Term, Triple

__all__ = ["Axiom", "axiom_groups"]

_PAIRWISE: dict[object, NamedNode] = {
    OWL.AllDisjointClasses: OWL.disjointWith,
    OWL.AllDisjointProperties: OWL.propertyDisjointWith,
    OWL.AllDifferent: OWL.differentFrom,
}
_NUMBER_PREDICATES = {predicate for names in CARDINALITIES.values() for predicate in names[:2]}
_NUMBER_TYPES = {XSD.int, XSD.integer, XSD.long, XSD.short, XSD.string, XSD.positiveInteger, XSD.nonNegativeInteger}


@dataclass(frozen=True, slots=True)
class Axiom:
    """Triples that belong together, in the order of their text, and the OWL axiom that they state.

    `expression` is a tree as in `kgprobe.owl.expression`, or None if the triples are not an OWL axiom. Other
    expressions are `Ontology(name)`, `Ontology(name version)`, `Import(name)` and `Variable(name)`.
    """

    expression: Expression | None
    triples: tuple[Triple, ...]

    @property
    def head(self) -> str | None:
        """The name of the kind of axiom, such as `SubClassOf`."""
        return None if self.expression is None else self.expression.head


def axiom_groups(triples: Iterable[Triple], kinds: KnownKinds | None = None) -> list[Axiom]:
    """The groups of triples that share no blank node with others; the kinds of names are found among them if not given.

    The groups are in the order of the text of their first triples.
    """
    index = TripleIndex(triples)
    return _Division(index, EntityKinds(index, kinds)).groups()


class _Division:
    def __init__(self, index: TripleIndex, kinds: EntityKinds) -> None:
        self._index = index
        self._kinds = kinds
        self._made: list[tuple[list[int], Expression | None]] = []

    def groups(self) -> list[Axiom]:
        reader = AxiomReader(self._index, self._kinds)
        self._nameless_ontologies(reader)
        reader.read([subject for subject in self._index.about if self._kinds.is_ontology(subject)])
        stated = [*reader.axioms, *map(self._as_assertion, reader.about_ontologies)]
        left = [number for number in range(len(self._index.statements)) if number not in reader.used]
        absorbed = self._groups_of_the_rest(left, stated) if left else set()
        by_triple: dict[int, list[Stated]] = {}
        for axiom in stated:
            if axiom.number not in absorbed:
                by_triple.setdefault(axiom.number, []).append(axiom)
        for several in by_triple.values():
            numbers = set().union(*(axiom.unit.triples for axiom in several))
            if several[0].tree.head == "DLSafeRule":
                numbers = {number for number in numbers if not self._is_typing(number)}
            self._made.append((sorted(numbers), _merged([axiom.tree for axiom in several])))
        self._variables(reader.used)
        self._made.sort(key=lambda made: made[0])
        original = self._index.original
        return [Axiom(tree, tuple(map(original, numbers))) for numbers, tree in self._made]

    def _nameless_ontologies(self, reader: AxiomReader) -> None:
        for number in self._index.having(RDF.type):
            subject, _, value = self._index.statements[number]
            if value == OWL.Ontology and type(subject) is BlankNode:
                header = reader.header(number)
                if header is not None:
                    version = () if header.version is None else (header.version,)
                    imports: list[Expression] = [Expression("Import", imported) for imported in header.imports]
                    tree: Expression = Expression("Ontology", subject, *version, *imports, *header.annotations)
                    self._made.append((sorted(header.unit.triples), tree))

    def _as_assertion(self, about: Stated) -> Stated:
        """An annotation of an ontology, as the same annotation of its name."""
        nested, (predicate, value) = split_annotations(about.tree)
        subject = self._index.statements[about.number][0]
        return Stated(about.number, Expression("AnnotationAssertion", *nested, predicate, subject, value), about.unit)

    def _is_typing(self, number: int) -> bool:
        return self._index.statements[number][1:] == (RDF.type, SWRL.Variable)

    def _variables(self, used: set[int]) -> None:
        """The types of variables that rules use; those that no rule uses are left over."""
        for number in used:
            if self._is_typing(number):
                self._made.append(([number], Expression("Variable", self._index.statements[number][0])))

    def _groups_of_the_rest(self, left: list[int], stated: list[Stated]) -> set[int]:
        """Groups the triples that are not an axiom; returns the annotation assertions in these groups."""
        individuals: set[Term] = set()
        assertions: dict[int, set[int]] = {}
        for axiom in stated:
            if axiom.tree.head != "AnnotationAssertion":
                individuals |= axiom.unit.individuals
            elif axiom.unit.individuals:
                for number in axiom.unit.triples:
                    assertions.setdefault(number, set()).update(axiom.unit.triples)
        remaining, absorbed = set(left), set[int]()

        def joined(number: int) -> Iterator[int]:
            for near in chain(assertions.get(number, ()), self._joined(number, individuals)):
                if near in remaining or near in assertions:
                    yield near

        for start in left:
            if start not in remaining:
                continue
            group = reached([start], joined)
            remaining.difference_update(group)
            absorbed.update(group)
            numbers = sorted(group)
            self._made.append((numbers, self._header_part(start) if len(group) == 1 else self._loose_axiom(numbers)))
        return absorbed

    def _loose_axiom(self, numbers: list[int]) -> Expression | None:
        """The axiom that these triples spell in an older way."""
        triples = list(map(self._index.original, numbers))
        written, variables = _rewritten(triples), _untyped_variables(triples)
        if written == triples and not variables:
            return None
        index = TripleIndex(written)
        reader = AxiomReader(index, EntityKinds(index, _WithVariables(self._kinds.of, variables)))
        reader.read([])
        is_one = len(reader.axioms) == 1 and len(reader.used) == len(index.statements)
        return reader.axioms[0].tree if is_one else None

    def _joined(self, number: int, individuals: set[Term]) -> Iterable[int]:
        if self._is_typing(number):
            return
        for node in self._index.blank_nodes(number):
            if node not in individuals:
                yield from (other for other in self._index.mentions[node] if not self._is_typing(other))

    def _header_part(self, number: int) -> Expression | None:
        """The part of an ontology's header that a triple of its name states."""
        subject, predicate, value = self._index.statements[number]
        if type(subject) is not NamedNode or type(value) is not NamedNode:
            return None
        if predicate == RDF.type:
            kinds = {OWL.Ontology: "Ontology", SWRL.Variable: "Variable"}
            return Expression(kinds[value], subject) if value in kinds else None
        if self._kinds.is_ontology(subject):
            if predicate == OWL.versionIRI:
                return Expression("Ontology", subject, value)
            if predicate == OWL.imports:
                return Expression("Import", value)
        return None


def _merged(trees: list[Expression]) -> Expression:
    """One tree, with all annotations, for trees that differ only in their annotations."""
    if len(trees) == 1:
        return trees[0]
    parts = [split_annotations(tree) for tree in trees]
    return Expression(
        trees[0].head, *(annotation for annotations, _ in parts for annotation in annotations), *parts[0][1]
    )


def _without_groups_of_two(triples: list[Triple]) -> list[Triple]:
    """The triples, with one triple for each group of two, such as two classes: in the mapping, groups are larger.

    Annotations of the node of a group become annotations of the triple.
    """
    groups = [triple for triple in triples if _is_group(triple)]
    if not groups:
        return triples
    index = _Single(triples)
    written = dict.fromkeys(triples)
    for group in groups:
        node, predicate, found = group.subject, _PAIRWISE[group.object], index.pair(group)
        if found is None:
            continue
        for triple in found.structure:
            written.pop(triple, None)  # two groups can share a list
        written[Triple(found.one, predicate, found.other)] = None
        if index.is_annotated(node):
            about = {
                RDF.type: OWL.Axiom,
                OWL.annotatedSource: found.one,
                OWL.annotatedProperty: predicate,
                OWL.annotatedTarget: found.other,
            }
            written |= dict.fromkeys(Triple(node, key, value) for key, value in about.items())
    return list(written)


def _is_group(triple: Triple) -> bool:
    return triple.predicate == RDF.type and triple.object in _PAIRWISE and type(triple.subject) is BlankNode


class _Pair(NamedTuple):
    one: NamedNode | BlankNode
    other: NamedNode | BlankNode
    structure: list[Triple]


class _Single:
    """Triples that are the only one with their subject and predicate."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._found: dict[tuple[object, object], list[Triple]] = {}
        self._about: Counter[object] = Counter()
        for triple in triples:
            self._found.setdefault((triple.subject, triple.predicate), []).append(triple)
            self._about[triple.subject] += 1

    def is_annotated(self, node: object) -> bool:
        """Whether a group has triples besides its type and its members."""
        return self._about[node] > 2

    def pair(self, group: Triple) -> _Pair | None:
        """The two members of a group, and the triples that make them its members; None if its form differs."""
        kind, listed = self._only(group.subject, RDF.type), self._only(group.subject, OWL.members)
        first, rest = self._cell(listed)
        second, end = self._cell(rest)
        if kind is None or listed is None or first is None or rest is None or second is None or end is None:
            return None
        one, other = first.object, second.object
        if end.object != RDF.nil or not isinstance(one, NamedNode | BlankNode):
            return None
        if not isinstance(other, NamedNode | BlankNode):
            return None
        return _Pair(one, other, [kind, listed, first, rest, second, end])

    def _cell(self, to: Triple | None) -> tuple[Triple | None, Triple | None]:
        """The triples with the member and with the rest of the list cell that a triple leads to."""
        if to is None or type(to.object) is not BlankNode:
            return None, None
        return self._only(to.object, RDF.first), self._only(to.object, RDF.rest)

    def _only(self, subject: object, predicate: NamedNode) -> Triple | None:
        found = self._found.get((subject, predicate), ())
        return found[0] if len(found) == 1 else None


def _rewritten(triples: Iterable[Triple]) -> list[Triple]:
    """The triples as the mapping to RDF would write them, if their loose spellings are known."""
    given = list(triples)
    restrictions = {triple.subject for triple in given if triple.object == OWL.Restriction}
    lists = {triple.subject for triple in given if triple.predicate == RDF.first}
    written = []
    for triple in given:
        subject, predicate, value = triple.subject, triple.predicate, triple.object
        if predicate == RDF.type and type(subject) is BlankNode:
            if (value == RDF.List and subject in lists) or (value == OWL.Class and subject in restrictions):
                continue  # true, and adds nothing
            if value == OWL.DataRange:
                value = RDFS.Datatype
        elif predicate == OWL.distinctMembers:
            predicate = OWL.members
        elif predicate in _NUMBER_PREDICATES:
            value = _number(value) if type(value) is Literal else value
        written.append(Triple(subject, predicate, value))
    return _without_groups_of_two(written)


def _number(literal: Literal) -> Literal:
    text = literal.value.strip()
    if literal.datatype not in _NUMBER_TYPES or not (text.isascii() and text.isdigit()):
        return literal
    return Literal(text.lstrip("0") or "0", datatype=XSD.nonNegativeInteger)


def _untyped_variables(triples: Iterable[Triple]) -> frozenset[Term]:
    """Names among the arguments of a rule's built-ins: these can only be variables, declared or not."""
    values: dict[NamedNode, dict[object, object]] = {RDF.first: {}, RDF.rest: {}, SWRL.arguments: {}}
    for triple in triples:
        if triple.predicate in values:
            values[triple.predicate][triple.subject] = triple.object
    members = (term for head in values[SWRL.arguments].values() for term in _members(head, values))
    return frozenset(term for term in members if type(term) is NamedNode)


def _members(cell: object, values: dict[NamedNode, dict[object, object]]) -> Iterator[object]:
    seen: set[object] = set()
    while cell in values[RDF.rest] and cell not in seen:
        seen.add(cell)
        yield values[RDF.first].get(cell)
        cell = values[RDF.rest][cell]


class _WithVariables:
    """The kinds of names, where some names are variables."""

    def __init__(self, known: Callable[[Term], frozenset[str]], variables: frozenset[Term]) -> None:
        self._known = known
        self._variables = variables

    def get(self, term: Term, _: frozenset[str], /) -> frozenset[str]:
        known = self._known(term)
        return known | {"Variable"} if term in self._variables else known
