"""What an axiom is made of: its expressions, and the names in it with the kind of entity that each stands for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kgprobe.graph.axioms.expression import Argument, Expression, inner, split_annotations, term
from kgprobe.graph.terms import Term

__all__ = [
    "ANNOTATION_PROPERTY",
    "CLASS",
    "DATATYPE",
    "DATA_PROPERTY",
    "INDIVIDUAL",
    "LITERAL",
    "OBJECT_PROPERTY",
    "Parts",
    "parts",
]

CLASS, DATATYPE, INDIVIDUAL, LITERAL = "Class", "Datatype", "NamedIndividual", "Literal"
OBJECT_PROPERTY, DATA_PROPERTY, ANNOTATION_PROPERTY = "ObjectProperty", "DataProperty", "AnnotationProperty"


# A letter for what each argument of a construct is; before a star, as many arguments as there are.
_KINDS = {
    "C": CLASS,
    "T": DATATYPE,
    "O": OBJECT_PROPERTY,
    "D": DATA_PROPERTY,
    "A": ANNOTATION_PROPERTY,
    "I": INDIVIDUAL,
    "L": LITERAL,
    "N": None,
    "V": None,
}
_LETTERS = {
    **dict.fromkeys(("ObjectIntersectionOf", "ObjectUnionOf", "ObjectComplementOf"), "C*"),
    **dict.fromkeys(("DataIntersectionOf", "DataUnionOf", "DataComplementOf"), "T*"),
    **dict.fromkeys(("ObjectOneOf", "SameIndividual", "DifferentIndividuals"), "I*"),
    **dict.fromkeys(("SameIndividualAtom", "DifferentIndividualsAtom"), "I*"),
    **dict.fromkeys(("ObjectSomeValuesFrom", "ObjectAllValuesFrom"), "OC"),
    **dict.fromkeys(("ObjectMinCardinality", "ObjectMaxCardinality", "ObjectExactCardinality"), "NOC"),
    **dict.fromkeys(("DataMinCardinality", "DataMaxCardinality", "DataExactCardinality"), "NDT"),
    **dict.fromkeys(("DataSomeValuesFrom", "DataAllValuesFrom"), "D*T"),
    **dict.fromkeys(("SubClassOf", "EquivalentClasses", "DisjointClasses", "DisjointUnion"), "C*"),
    **dict.fromkeys(("SubObjectPropertyOf", "InverseObjectProperties", "ObjectPropertyChain"), "O*"),
    **dict.fromkeys(("EquivalentObjectProperties", "DisjointObjectProperties", "ObjectInverseOf"), "O*"),
    **dict.fromkeys(("SubDataPropertyOf", "EquivalentDataProperties", "DisjointDataProperties"), "D*"),
    **dict.fromkeys(("ObjectPropertyAssertion", "NegativeObjectPropertyAssertion", "ObjectPropertyAtom"), "OII"),
    **dict.fromkeys(("DataPropertyAssertion", "NegativeDataPropertyAssertion", "DataPropertyAtom"), "DIL"),
    **dict.fromkeys(("ClassAssertion", "ClassAtom"), "CI"),
    **dict.fromkeys(("AnnotationPropertyDomain", "AnnotationPropertyRange"), "AV"),
    "ObjectHasValue": "OI",
    "ObjectHasSelf": "O",
    "DataHasValue": "DL",
    "DataOneOf": "L*",
    "DatatypeRestriction": "TV*",
    "DatatypeDefinition": "T*",
    "ObjectPropertyDomain": "OC",
    "ObjectPropertyRange": "OC",
    "DataPropertyDomain": "DC",
    "DataPropertyRange": "DT",
    "SubAnnotationPropertyOf": "A*",
    "AnnotationAssertion": "AVV",
    "Annotation": "AV",
    "DataRangeAtom": "TL",
    "BuiltInAtom": "VL*",
    "FunctionalDataProperty": "D",
    "Class": "C",
    "Datatype": "T",
    "NamedIndividual": "I",
    "ObjectProperty": "O",
    "DataProperty": "D",
    "AnnotationProperty": "A",
}


@dataclass(slots=True)
class Parts:
    """The parts of one axiom. The properties of its annotations are apart, because no rule applies to them."""

    expressions: list[Expression] = field(default_factory=list)
    """All trees within the axiom's own tree, that tree first."""
    names: list[tuple[str, Term]] = field(default_factory=list)
    """Names, anonymous individuals and literals, each with its kind."""
    annotation_properties: list[Term] = field(default_factory=list)


def parts(tree: Expression) -> Parts:
    """The parts of an axiom's tree."""
    found = Parts()
    pending = [tree]
    while pending:
        current = pending.pop()
        annotations, arguments = split_annotations(current)
        pending += annotations
        head = current.head
        if head == "Annotation":
            found.annotation_properties.append(term(arguments[0]))
            continue
        found.expressions.append(current)
        for kind, argument in _with_kinds(head, arguments):
            if type(argument) is Expression:
                pending.append(argument)
            elif kind is not None:
                found.names.append((kind, term(argument)))
        found.names += ((LITERAL, term(value)) for value in arguments[2::2] if head == "DatatypeRestriction")
    return found


def _with_kinds(head: str, arguments: tuple[Argument, ...]) -> Iterator[tuple[str | None, Argument]]:
    if head == "HasKey":
        keyed, objects, data = arguments
        yield CLASS, keyed
        yield from ((OBJECT_PROPERTY, each) for each in inner(objects).args)
        yield from ((DATA_PROPERTY, each) for each in inner(data).args)
        return
    letters = _LETTERS.get(head) or ("O" if head.endswith("ObjectProperty") else "V*")
    if "*" in letters:
        repeated = letters[letters.index("*") - 1] * (len(arguments) - len(letters) + 2)
        letters = letters.replace(letters[letters.index("*") - 1] + "*", repeated)
    for letter, argument in zip(letters, arguments, strict=False):  # a cardinality's filler may be missing
        yield _KINDS[letter], argument
