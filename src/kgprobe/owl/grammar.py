"""The grammar of OWL in tables: the arguments that each construct takes, and the RDF vocabulary that expresses it.

A reader of OWL gives each argument a letter (an IRI is `I`, an unnamed class expression `C`, …), and asks `kind_of`
whether the construct accepts the letters in that order. The answer is the letter of the construct itself, so that
checking a nested document is one look-up for each closing bracket.

`argument_kinds` determines whether the name in a position denotes a class, a property, an individual and so on.

Both directions of the mapping to RDF share the tables of vocabulary. They follow "OWL 2 Web Ontology Language: Mapping
to RDF Graphs" (W3C), and for rules the SWRL submission.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache

from kgprobe.errors import did_you_mean
from kgprobe.owl.expression import Argument, Expression, split_annotations, term
from kgprobe.rdf.terms import OWL, RDFS, NamedNode, Namespace, Term
from kgprobe.wording import number_of

__all__ = [
    "AXIOMS",
    "CARDINALITIES",
    "CHAINS",
    "CLASS",
    "CLASS_EXPRESSIONS",
    "COLLECTIONS",
    "DATATYPE",
    "DATA_COUNTS",
    "DATA_PROPERTY",
    "DATA_RANGES",
    "DEEPEST",
    "GROUPS",
    "HEADS",
    "INDIVIDUAL",
    "OBJECT_COUNTS",
    "OBJECT_PROPERTY",
    "ONTOLOGY",
    "SWRL",
    "argument_kinds",
    "contents_of",
    "kind_of",
    "operands_of",
    "suggestion",
    "usage",
]

CLASS, DATATYPE, INDIVIDUAL, LITERAL = "Class", "Datatype", "NamedIndividual", "Literal"
OBJECT_PROPERTY, DATA_PROPERTY, ANNOTATION_PROPERTY = "ObjectProperty", "DataProperty", "AnnotationProperty"
DEEPEST = 500
"""How deeply expressions may be nested. Real ontologies stay below 30; hostile ones exhaust Python's stack."""
ONTOLOGY = "G"
# The meaning of each letter, as worded in error messages.
_LETTERS = {
    "I": "IRI",
    "B": "anonymous individual",
    "L": "literal",
    "N": "number",
    "C": "class expression",
    "D": "data range",
    "V": "inverse property",
    "H": "property chain",
    "A": "annotation",
    "E": "entity",
    "M": "import",
    "X": "axiom",
    "S": "list of properties",
    "P": "list of object properties",
    "O": "empty list",
    "W": "variable",
    "T": "atom",
    "Y": "body",
    "Q": "head",
    "G": "ontology",
}
# The words of the table below: each as a pattern over letters, and the kind of a name or literal in its place.
_WORDS: dict[str, tuple[str, str | None]] = {
    "class": ("[IC]", CLASS),
    "className": ("I", CLASS),
    "range": ("[ID]", DATATYPE),
    "datatype": ("I", DATATYPE),
    "objectProperty": ("[IV]", OBJECT_PROPERTY),
    "objectPropertyName": ("I", OBJECT_PROPERTY),
    "dataProperty": ("I", DATA_PROPERTY),
    "annotationProperty": ("I", ANNOTATION_PROPERTY),
    "individual": ("[IB]", INDIVIDUAL),
    "individualName": ("I", INDIVIDUAL),
    "individualOrVariable": ("[IBW]", INDIVIDUAL),
    "literal": ("L", LITERAL),
    "literalOrVariable": ("[LW]", LITERAL),
    "annotated": ("[IB]", None),
    "value": ("[IBL]", None),
    "number": ("N", None),
    "facet": ("I", None),
    "iri": ("I", None),
    "chain": ("H", None),
    "entity": ("E", None),
    "import": ("M", None),
    "annotation": ("A", None),
    "axiom": ("X", None),
    "atom": ("T", None),
    "body": ("Y", None),
    "head": ("Q", None),
}
# Construct: the letter of the result, and the arguments after the annotations.
_SHAPES: dict[str, tuple[str, str]] = {
    "Ontology": ("G", "iri? iri? import* annotation* axiom*"),
    "Import": ("M", "iri"),
    "Annotation": ("A", "annotationProperty value"),
    # Entities, as a declaration names them
    "Class": ("E", "className"),
    "Datatype": ("E", "datatype"),
    "ObjectProperty": ("E", "objectPropertyName"),
    "DataProperty": ("E", "dataProperty"),
    "AnnotationProperty": ("E", "annotationProperty"),
    "NamedIndividual": ("E", "individualName"),
    # Properties
    "ObjectInverseOf": ("V", "objectPropertyName"),
    "ObjectPropertyChain": ("H", "objectProperty objectProperty+"),
    # Class expressions
    "ObjectIntersectionOf": ("C", "class class+"),
    "ObjectUnionOf": ("C", "class class+"),
    "ObjectComplementOf": ("C", "class"),
    "ObjectOneOf": ("C", "individual+"),
    "ObjectSomeValuesFrom": ("C", "objectProperty class"),
    "ObjectAllValuesFrom": ("C", "objectProperty class"),
    "ObjectHasValue": ("C", "objectProperty individual"),
    "ObjectHasSelf": ("C", "objectProperty"),
    "ObjectMinCardinality": ("C", "number objectProperty class?"),
    "ObjectMaxCardinality": ("C", "number objectProperty class?"),
    "ObjectExactCardinality": ("C", "number objectProperty class?"),
    "DataSomeValuesFrom": ("C", "dataProperty+ range"),
    "DataAllValuesFrom": ("C", "dataProperty+ range"),
    "DataHasValue": ("C", "dataProperty literal"),
    "DataMinCardinality": ("C", "number dataProperty range?"),
    "DataMaxCardinality": ("C", "number dataProperty range?"),
    "DataExactCardinality": ("C", "number dataProperty range?"),
    # Data ranges
    "DataIntersectionOf": ("D", "range range+"),
    "DataUnionOf": ("D", "range range+"),
    "DataComplementOf": ("D", "range"),
    "DataOneOf": ("D", "literal+"),
    "DatatypeRestriction": ("D", "datatype (facet literal)+"),
    # Axioms
    "Declaration": ("X", "entity"),
    "SubClassOf": ("X", "class class"),
    "EquivalentClasses": ("X", "class class+"),
    "DisjointClasses": ("X", "class class+"),
    "DisjointUnion": ("X", "className class class+"),
    "SubObjectPropertyOf": ("X", "(objectProperty|chain) objectProperty"),
    "EquivalentObjectProperties": ("X", "objectProperty objectProperty+"),
    "DisjointObjectProperties": ("X", "objectProperty objectProperty+"),
    "InverseObjectProperties": ("X", "objectProperty objectProperty"),
    "ObjectPropertyDomain": ("X", "objectProperty class"),
    "ObjectPropertyRange": ("X", "objectProperty class"),
    "FunctionalObjectProperty": ("X", "objectProperty"),
    "InverseFunctionalObjectProperty": ("X", "objectProperty"),
    "ReflexiveObjectProperty": ("X", "objectProperty"),
    "IrreflexiveObjectProperty": ("X", "objectProperty"),
    "SymmetricObjectProperty": ("X", "objectProperty"),
    "AsymmetricObjectProperty": ("X", "objectProperty"),
    "TransitiveObjectProperty": ("X", "objectProperty"),
    "SubDataPropertyOf": ("X", "dataProperty dataProperty"),
    "EquivalentDataProperties": ("X", "dataProperty dataProperty+"),
    "DisjointDataProperties": ("X", "dataProperty dataProperty+"),
    "DataPropertyDomain": ("X", "dataProperty class"),
    "DataPropertyRange": ("X", "dataProperty range"),
    "FunctionalDataProperty": ("X", "dataProperty"),
    "DatatypeDefinition": ("X", "datatype range"),
    "HasKey": ("X", "class (objectProperty*)(dataProperty*)"),
    "SameIndividual": ("X", "individual individual+"),
    "DifferentIndividuals": ("X", "individual individual+"),
    "ClassAssertion": ("X", "class individual"),
    "ObjectPropertyAssertion": ("X", "objectProperty individual individual"),
    "NegativeObjectPropertyAssertion": ("X", "objectProperty individual individual"),
    "DataPropertyAssertion": ("X", "dataProperty individual literal"),
    "NegativeDataPropertyAssertion": ("X", "dataProperty individual literal"),
    "AnnotationAssertion": ("X", "annotationProperty annotated value"),
    "SubAnnotationPropertyOf": ("X", "annotationProperty annotationProperty"),
    "AnnotationPropertyDomain": ("X", "annotationProperty iri"),
    "AnnotationPropertyRange": ("X", "annotationProperty iri"),
    # Rules: not part of OWL 2 itself, but of the syntaxes that its tools write
    "DLSafeRule": ("X", "body head"),
    "Body": ("Y", "atom*"),
    "Head": ("Q", "atom*"),
    "Variable": ("W", "iri"),
    "ClassAtom": ("T", "class individualOrVariable"),
    "DataRangeAtom": ("T", "range literalOrVariable"),
    "ObjectPropertyAtom": ("T", "objectProperty individualOrVariable individualOrVariable"),
    "DataPropertyAtom": ("T", "dataProperty individualOrVariable literalOrVariable"),
    "BuiltInAtom": ("T", "iri literalOrVariable+"),
    "SameIndividualAtom": ("T", "individualOrVariable individualOrVariable"),
    "DifferentIndividualsAtom": ("T", "individualOrVariable individualOrVariable"),
}
HEADS = frozenset(_SHAPES)
"""The names of all constructs."""
AXIOMS = tuple(head for head, (letter, _) in _SHAPES.items() if letter == "X" and head != "DLSafeRule")
"""The kinds of axioms in OWL 2 itself, which has no rules."""
CLASS_EXPRESSIONS = tuple(head for head, (letter, _) in _SHAPES.items() if letter == "C")
DATA_RANGES = tuple(head for head, (letter, _) in _SHAPES.items() if letter == "D")
SWRL = Namespace("http://www.w3.org/2003/11/swrl#")
ENTITIES: dict[str, NamedNode] = {
    "Class": OWL.Class,
    "Datatype": RDFS.Datatype,
    "ObjectProperty": OWL.ObjectProperty,
    "DataProperty": OWL.DatatypeProperty,
    "AnnotationProperty": OWL.AnnotationProperty,
    "NamedIndividual": OWL.NamedIndividual,
}
# first argument -> predicate -> second argument
LINKS: dict[str, NamedNode] = {
    "SubClassOf": RDFS.subClassOf,
    "SubObjectPropertyOf": RDFS.subPropertyOf,
    "SubDataPropertyOf": RDFS.subPropertyOf,
    "SubAnnotationPropertyOf": RDFS.subPropertyOf,
    "ObjectPropertyDomain": RDFS.domain,
    "DataPropertyDomain": RDFS.domain,
    "AnnotationPropertyDomain": RDFS.domain,
    "ObjectPropertyRange": RDFS.range,
    "DataPropertyRange": RDFS.range,
    "AnnotationPropertyRange": RDFS.range,
    "InverseObjectProperties": OWL.inverseOf,
    "DatatypeDefinition": OWL.equivalentClass,
}
# each argument -> predicate -> the next one
CHAINS: dict[str, NamedNode] = {
    "EquivalentClasses": OWL.equivalentClass,
    "EquivalentObjectProperties": OWL.equivalentProperty,
    "EquivalentDataProperties": OWL.equivalentProperty,
    "SameIndividual": OWL.sameAs,
}
# two arguments: a predicate; more: a node of a class, with a list of members
GROUPS: dict[str, tuple[NamedNode, NamedNode]] = {
    "DisjointClasses": (OWL.disjointWith, OWL.AllDisjointClasses),
    "DisjointObjectProperties": (OWL.propertyDisjointWith, OWL.AllDisjointProperties),
    "DisjointDataProperties": (OWL.propertyDisjointWith, OWL.AllDisjointProperties),
    "DifferentIndividuals": (OWL.differentFrom, OWL.AllDifferent),
}
# the argument -> rdf:type -> this class
CHARACTERISTICS: dict[str, NamedNode] = {
    "FunctionalObjectProperty": OWL.FunctionalProperty,
    "FunctionalDataProperty": OWL.FunctionalProperty,
    "InverseFunctionalObjectProperty": OWL.InverseFunctionalProperty,
    "ReflexiveObjectProperty": OWL.ReflexiveProperty,
    "IrreflexiveObjectProperty": OWL.IrreflexiveProperty,
    "SymmetricObjectProperty": OWL.SymmetricProperty,
    "AsymmetricObjectProperty": OWL.AsymmetricProperty,
    "TransitiveObjectProperty": OWL.TransitiveProperty,
}
# a node of a class, with a list of the arguments
COLLECTIONS: dict[str, tuple[NamedNode, NamedNode]] = {
    "ObjectIntersectionOf": (OWL.Class, OWL.intersectionOf),
    "ObjectUnionOf": (OWL.Class, OWL.unionOf),
    "ObjectOneOf": (OWL.Class, OWL.oneOf),
    "DataIntersectionOf": (RDFS.Datatype, OWL.intersectionOf),
    "DataUnionOf": (RDFS.Datatype, OWL.unionOf),
    "DataOneOf": (RDFS.Datatype, OWL.oneOf),
}
COMPLEMENTS: dict[str, tuple[NamedNode, NamedNode]] = {
    "ObjectComplementOf": (OWL.Class, OWL.complementOf),
    "DataComplementOf": (RDFS.Datatype, OWL.datatypeComplementOf),
}
# owl:Restriction: the predicate of the last argument
FILLERS: dict[str, NamedNode] = {
    "ObjectSomeValuesFrom": OWL.someValuesFrom,
    "ObjectAllValuesFrom": OWL.allValuesFrom,
    "ObjectHasValue": OWL.hasValue,
    "DataSomeValuesFrom": OWL.someValuesFrom,
    "DataAllValuesFrom": OWL.allValuesFrom,
    "DataHasValue": OWL.hasValue,
}
# owl:Restriction: the predicate of the number without a filler, with a filler, and of the filler
CARDINALITIES: dict[str, tuple[NamedNode, NamedNode, NamedNode]] = {
    "ObjectMinCardinality": (OWL.minCardinality, OWL.minQualifiedCardinality, OWL.onClass),
    "ObjectMaxCardinality": (OWL.maxCardinality, OWL.maxQualifiedCardinality, OWL.onClass),
    "ObjectExactCardinality": (OWL.cardinality, OWL.qualifiedCardinality, OWL.onClass),
    "DataMinCardinality": (OWL.minCardinality, OWL.minQualifiedCardinality, OWL.onDataRange),
    "DataMaxCardinality": (OWL.maxCardinality, OWL.maxQualifiedCardinality, OWL.onDataRange),
    "DataExactCardinality": (OWL.cardinality, OWL.qualifiedCardinality, OWL.onDataRange),
}
OBJECT_COUNTS = frozenset(head for head in CARDINALITIES if head.startswith("Object"))
DATA_COUNTS = frozenset(CARDINALITIES) - OBJECT_COUNTS
# the class of the atom's node, and the predicates of its arguments
ATOMS: dict[str, tuple[NamedNode, tuple[NamedNode, ...]]] = {
    "ClassAtom": (SWRL.ClassAtom, (SWRL.classPredicate, SWRL.argument1)),
    "DataRangeAtom": (SWRL.DataRangeAtom, (SWRL.dataRange, SWRL.argument1)),
    "ObjectPropertyAtom": (
        SWRL.IndividualPropertyAtom,
        (SWRL.propertyPredicate, SWRL.argument1, SWRL.argument2),
    ),
    "DataPropertyAtom": (
        SWRL.DatavaluedPropertyAtom,
        (SWRL.propertyPredicate, SWRL.argument1, SWRL.argument2),
    ),
    "SameIndividualAtom": (SWRL.SameIndividualAtom, (SWRL.argument1, SWRL.argument2)),
    "DifferentIndividualsAtom": (SWRL.DifferentIndividualsAtom, (SWRL.argument1, SWRL.argument2)),
}


def _pattern(head: str) -> re.Pattern[str]:
    """The arguments of a construct as a regular expression over letters."""
    if head == "":
        return re.compile("[IV]*")
    made, words = _SHAPES[head]
    if head == "HasKey":  # at least one of the two lists has a member, and only the first has inverse properties
        return re.compile("A*[IC](?:[SP][SO]|OS)")
    body = re.sub(r"[A-Za-z]+", lambda word: _WORDS[word[0]][0], words).replace(" ", "")
    return re.compile(("A*" if made in "XA" else "") + body)


_PATTERNS = {head: _pattern(head) for head in (*_SHAPES, "")}


def _list_kind(letters: str) -> str:
    return "P" if "V" in letters else "S" if letters else "O"


def kind_of(head: str, letters: str) -> str | None:
    """The letter of a construct with these arguments, or None if it does not take them."""
    # Most constructs are short, and the same few combinations occur again and again.
    return _checked(head, letters) if len(letters) < 12 else _check(head, letters)


def _check(head: str, letters: str) -> str | None:
    if _PATTERNS[head].fullmatch(letters) is None:
        return None
    return _SHAPES[head][0] if head else _list_kind(letters)


_checked = lru_cache(maxsize=4096)(_check)

# A group that repeats, a choice, or a word that may repeat.
_STEP = re.compile(r"\((?P<group>[\w ]+)\)\+|\((?P<choice>\w+)\|\w+\)|(?P<word>\w+)(?P<times>[?*+]?)")


@cache
def argument_kinds(head: str, count: int) -> tuple[str | None, ...]:
    """For each of `count` arguments after the annotations, the kind of a name or a literal in that position.

    None if it has no kind, as for a number or a facet. The kind of a list is that of its members.
    """
    if head == "HasKey":
        return (CLASS, OBJECT_PROPERTY, DATA_PROPERTY)
    steps: list[tuple[list[str], bool]] = []
    for step in _STEP.finditer(_SHAPES[head][1] if head in _SHAPES else ""):
        words = (step["group"] or step["choice"] or step["word"]).split()
        steps.append((words, step["group"] is not None or step["times"] in ("*", "+")))
    spare = count - sum(not repeats for _, repeats in steps)
    kinds: list[str | None] = []
    for words, repeats in steps:
        kinds += [_WORDS[word][1] for word in words] * (max(spare, 0) // len(words) if repeats else 1)
    return tuple(kinds[:count])


def operands_of(head: str) -> tuple[str, ...]:
    """The constructs that can be directly inside a class expression: class expressions, or data ranges."""
    words = re.findall(r"\w+", _SHAPES[head][1])
    return CLASS_EXPRESSIONS if "class" in words else DATA_RANGES if "range" in words else ()


def usage(head: str, letters: str) -> str:
    """One line that states the expected arguments of a construct, and the actual ones."""
    given = [_LETTERS[letter] for letter in letters[:6]] + (["…"] if len(letters) > 6 else [])
    found = ", ".join(given) if given else "nothing"
    counted = number_of(len(letters), "argument")
    if not head:
        return f"a bare list takes properties, found {counted}: {found}"
    return f"{head} takes ({_SHAPES[head][1]}), found {counted}: {found}"


def suggestion(head: str) -> str | None:
    """A hint for a name that is not a construct."""
    return did_you_mean(head, HEADS)


@dataclass(slots=True)
class Contents:
    """The contents of one axiom. The properties of its annotations are separate, because no rule applies to them."""

    expressions: list[Expression] = field(default_factory=list)
    """All expressions within the axiom; the axiom itself comes first."""
    names: list[tuple[str, Term]] = field(default_factory=list)
    """Names, anonymous individuals and literals, each with its kind (see `grammar`)."""
    annotation_properties: list[Term] = field(default_factory=list)


def contents_of(axiom: Expression) -> Contents:
    """The contents of an axiom or of any other expression."""
    found = Contents()
    pending = [axiom]
    while pending:
        current = pending.pop()
        annotations, arguments = split_annotations(current)
        pending += annotations
        if current.head == "Annotation":
            found.annotation_properties.append(term(arguments[0]))
            continue
        found.expressions.append(current)
        for kind, argument in zip(argument_kinds(current.head, len(arguments)), arguments, strict=False):
            if type(argument) is not Expression:
                if kind is not None:
                    found.names.append((kind, term(argument)))
            elif argument.head:
                pending.append(argument)
            else:
                _add_members(argument.args, kind, found, pending)
    return found


def _add_members(members: tuple[Argument, ...], kind: str | None, found: Contents, pending: list[Expression]) -> None:
    """The members of a bare list, which are of the list's kind."""
    for member in members:
        if type(member) is Expression:
            pending.append(member)
        elif kind is not None:
            found.names.append((kind, term(member)))
