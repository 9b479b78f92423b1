"""The clauses of OBO frames that make logical axioms: subclasses, relationships, definitions and property chains.

As in `clauses`, each function makes the handler of one tag in one document.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from kgprobe.formats.syntaxes.obo.clauses import Clause
from kgprobe.formats.syntaxes.obo.document import (
    FIRST,
    IAO,
    SECOND,
    Document,
    Expression,
    Pairs,
    Remembered,
    Triples,
    Typedef,
)
from kgprobe.formats.syntaxes.obo.text import (
    Malformed,
    Qualifiers,
    end_of_clause,
    expect_word,
    word,
)
from kgprobe.rdf.terms import OWL, RDFS, XSD, Literal, NamedNode

_Plan: TypeAlias = tuple[Callable[[int], tuple[int, int, int]], Pairs]
"""A function that makes the triple of a clause for a subject, with its blank nodes; and the triple's annotations."""

_CARDINALITIES: Final = ("cardinality", "minCardinality", "maxCardinality")
_QUANTIFIERS: Final = ("all_some", "all_only")
_GCI: Final = ("gci_relation", "gci_filler")
_NO_TYPEDEF: Final = Typedef()


def subclass(document: Document) -> Clause:
    """A superclass, with the condition that gci_relation and gci_filler state, if any."""
    classes = document.mentioned[OWL.Class]
    add, extend = document.triples.add, document.triples.records(FIRST, document.triples.subclass, SECOND).extend
    targets: dict[str, int] = {}  # of clauses that have only a target

    def plan(value: str) -> _Plan:
        identifier, end = expect_word(value, 0)
        target = document.mention(identifier, OWL.Class, value)
        return _subclass_plan(lambda: target, end_of_clause(value, end), value, document)

    plans = Remembered(plan)

    def clause(subject: int, value: str) -> None:
        target = targets.get(value)
        if target is None and value not in plans:
            lone = document.lone(value)
            if lone is not None:
                targets[value] = target = lone[1]
                classes.add(target)
        if target is not None:
            extend((subject, target))
        else:
            make, pairs = plans[value]
            add(*make(subject), pairs)

    return clause


def relationship(document: Document) -> Clause:
    """A relation from all members of the class to some members of another, or as the qualifiers state."""
    triples, ids, classes = document.triples, document.ids, document.mentioned[OWL.Class]
    add, some, extend = triples.add, triples.some, triples.records(FIRST, triples.subclass, SECOND).extend
    relations: dict[str, int] = {}  # those between members of classes

    def plan(value: str) -> _Plan:
        relation, target, end = _relation_and_target(value)
        qualifiers = end_of_clause(value, end)
        typedef = document.typedefs.get(relation, _NO_TYPEDEF)
        if typedef.is_metadata or typedef.is_class_level:
            role = OWL.AnnotationProperty if typedef.is_metadata else OWL.ObjectProperty
            property_ = document.mention(relation, role, value)
            entity = ids.entity(target, value)
            return lambda subject: (subject, property_, entity), document.pairs(qualifiers, value)
        relations[relation] = document.mention(relation, OWL.ObjectProperty, value)
        return _subclass_plan(_expression(relation, target, qualifiers, value, document), qualifiers, value, document)

    seen: set[tuple[int, str]] = set()

    def clause(subject: int, value: str) -> None:
        before = len(seen)
        seen.add((subject, value))
        if len(seen) == before:  # a repeated clause must not make a second blank node
            return
        words = value.split(None, 1)
        if len(words) == 2 and words[0] in relations:
            lone = document.lone(words[1])
            if lone is not None:
                classes.add(lone[1])
                extend((subject, some(relations[words[0]], lone[1])))
                return
        make, pairs = plan(value)
        add(*make(subject), pairs)

    return clause


def member(kind: NamedNode, document: Document) -> Clause:
    """A member of the intersection or union that defines the class: a class, or a relation to a class."""

    def plan(value: str) -> tuple[Expression, Pairs]:
        first, end = expect_word(value, 0)
        second, end = word(value, end)
        qualifiers = end_of_clause(value, end)
        if second is None:
            class_ = document.mention(first, OWL.Class, value)
            return lambda: class_, document.pairs(qualifiers, value)
        if kind != OWL.intersectionOf:
            raise Malformed(f"expected the end of the clause, found '{second}'", value)
        pairs = document.pairs(_annotating(qualifiers), value)
        return _expression(first, second, qualifiers, value, document), pairs

    plans = Remembered(plan)

    def clause(subject: int, value: str) -> None:
        expression, pairs = plans[value]
        combination = document.combination(subject, kind)
        combination.members.append(expression)
        combination.annotations.update(dict.fromkeys(pairs))

    return clause


def equivalent_combinations(document: Document) -> int | None:
    """Add the intersections and unions that define classes; return the line of one with a single member, if any."""
    triples = document.triples
    for (subject, kind), combination in document.combinations.items():
        if len(combination.members) < 2:
            return combination.line
        node = triples.combination(kind, [expression() for expression in combination.members])
        triples.add(subject, triples.number(OWL.equivalentClass), node, tuple(combination.annotations))
    return None


def chain(over_itself: bool, is_reversible: bool, document: Document) -> Clause:
    """A chain of relations that implies this one."""
    triples = document.triples

    def clause(subject: int, value: str) -> None:
        relations = [subject] if over_itself else []
        identifier, end = expect_word(value, 0)
        iri: str | None = identifier
        while iri is not None:
            relations.append(document.mention(iri, OWL.ObjectProperty, value))
            iri, end = word(value, end)
        if len(relations) < 2:
            raise Malformed("a chain needs two relations", value)
        pairs = document.pairs(end_of_clause(value, end), value)
        if is_reversible:
            reversible = document.annotation_property(IAO.isReversiblePropertyChain)
            pairs = ((reversible, triples.literal("true")), *pairs)
        triples.add(subject, triples.number(OWL.propertyChainAxiom), triples.list(relations), pairs)

    return clause


def subproperty(below: bool, annotation: NamedNode, document: Document) -> Clause:
    """A member of the intersection or union that defines the relation; OWL can express only the subproperty axioms."""
    triples = document.triples

    def clause(subject: int, value: str) -> None:
        identifier, end = expect_word(value, 0)
        other = document.mention(identifier, OWL.ObjectProperty, value)
        pairs = document.pairs(end_of_clause(value, end), value)
        lower, upper = (subject, other) if below else (other, subject)
        triples.add(lower, triples.number(RDFS.subPropertyOf), upper, pairs)
        triples.add(subject, document.annotation_property(annotation), other, pairs)

    return clause


def metarelation(role: NamedNode, target_role: NamedNode, document: Document) -> Clause:
    """A relation between the entities themselves, not their members."""

    def clause(subject: int, value: str) -> None:
        relation, target, end = _relation_and_target(value)
        property_ = document.mention(relation, role, value)
        entity = document.mention(target, target_role, value)
        document.triples.add(subject, property_, entity, document.pairs(end_of_clause(value, end), value))

    return clause


def _relation_and_target(value: str) -> tuple[str, str, int]:
    relation, end = expect_word(value, 0)
    target, end = expect_word(value, end)
    return relation, target, end


def _annotating(qualifiers: Qualifiers) -> Qualifiers:
    """The qualifiers that do not change the meaning of an axiom."""
    return [(name, value) for name, value in qualifiers if name not in (*_CARDINALITIES, *_QUANTIFIERS, *_GCI)]


def _subclass_plan(expression: Expression, qualifiers: Qualifiers, value: str, document: Document) -> _Plan:
    triples = document.triples
    subclass_of = triples.subclass
    pairs = document.pairs(_annotating(qualifiers), value)
    condition = dict(qualifiers)
    if "gci_relation" not in condition and "gci_filler" not in condition:
        return lambda subject: (subject, subclass_of, expression()), pairs
    if not ("gci_relation" in condition and "gci_filler" in condition):
        raise Malformed("gci_relation and gci_filler must be used together", value)
    relation = document.mention(condition["gci_relation"], OWL.ObjectProperty, value)
    filler = document.mention(condition["gci_filler"], OWL.Class, value)

    def under_condition(subject: int) -> tuple[int, int, int]:
        restriction = triples.some(relation, filler)
        return triples.combination(OWL.intersectionOf, [subject, restriction]), subclass_of, expression()

    return under_condition, pairs


def _expression(relation: str, target: str, qualifiers: Qualifiers, value: str, document: Document) -> Expression:
    """The class expression for a relation to a class, as the qualifiers state."""
    triples = document.triples
    property_ = document.mention(relation, OWL.ObjectProperty, value)
    if document.typedefs.get(relation, _NO_TYPEDEF).is_class_level:
        individual = document.mention(target, OWL.NamedIndividual, value)
        return partial(triples.restriction, property_, OWL.hasValue, individual)
    class_ = document.mention(target, OWL.Class, value)
    some = partial(triples.some, property_, class_)
    if not qualifiers:
        return some
    settings = dict(qualifiers)
    exact, least, most = (_count(settings.get(name), value) for name in _CARDINALITIES)
    if exact:
        return _counted(triples, property_, OWL.qualifiedCardinality, exact, class_)
    if exact == 0 or most == 0:
        return lambda: triples.restriction(property_, OWL.allValuesFrom, triples.complement(class_))
    only = partial(triples.restriction, property_, OWL.allValuesFrom, class_)
    parts: list[Expression] = []
    if least is not None:
        parts.append(_counted(triples, property_, OWL.minQualifiedCardinality, least, class_))
    if most is not None:
        parts.append(_counted(triples, property_, OWL.maxQualifiedCardinality, most, class_))
    if not parts and settings.get("all_only") == "true":
        parts = [some, only] if settings.get("all_some") == "true" else [only]
    if len(parts) < 2:
        return parts[0] if parts else some
    return lambda: triples.combination(OWL.intersectionOf, [part() for part in parts])


def _count(written: str | None, value: str) -> int | None:
    if written is None:
        return None
    if not (written.isascii() and written.isdigit()) or len(written) > 9:
        raise Malformed(f"expected a number, found '{written}'", value)
    return int(written)


def _counted(triples: Triples, property_: int, kind: NamedNode, count: int, class_: int) -> Expression:
    limit = Literal(str(count), datatype=XSD.nonNegativeInteger)
    return lambda: triples.cardinality(property_, kind, triples.number(limit), class_)
