"""Names, axioms and expressions in words, for people to read.

Axioms are close to OWL's Manchester syntax, with labels in place of names: `Tea SubClassOf servedWith some Milk`. Names
without a label are shown by their local names. Two names can look the same, so this cannot be read back. `Names` keeps
them apart: it spells a name in a short form, with its label beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from kgprobe.owl.axiom_groups import Axiom
from kgprobe.owl.expression import Argument, Expression, split_annotations
from kgprobe.owl.grammar import ENTITIES
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import STANDARD_PREFIXES, Spelling, is_bare
from kgprobe.rdf.terms import OBO, RDFS, SKOS, XSD, BlankNode, Literal, NamedNode, Term

__all__ = ["Names", "axiom_in_words", "in_words", "labels_of", "name_in_words", "obo_id"]

_LABELS = (RDFS.label, SKOS.prefLabel)
_LANGUAGES = ("", "en", "en-us", "en-gb")
_WORD = re.compile(r"[\w\-.:+]+")
_LOCAL_NAME = re.compile(r"[^#/:]+$")
_RESERVED = Spelling(STANDARD_PREFIXES)
_FACETS = {"xsd:minInclusive": ">=", "xsd:minExclusive": ">", "xsd:maxInclusive": "<=", "xsd:maxExclusive": "<"}
_Template: TypeAlias = Callable[[Sequence[str]], str]
_OBO_NAME = re.compile(re.escape(OBO.iri) + r"([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z][A-Za-z0-9]*)*)_([0-9][A-Za-z0-9]*)")
# The last part of a name, if it has a digit; and the words of a label.
_WITH_NUMBER = re.compile(r"[^#/]*\d[^#/]*$")
_WORDS = re.compile(r"[^\W\d_]{3,}")


def axiom_in_words(axiom: Axiom, graph: Graph) -> str:
    """An axiom in words; triples that are not an axiom are shown as triples."""
    if axiom.expression is None:
        return " ; ".join(map(graph.spelling.triple, axiom.triples))
    return in_words(axiom.expression, graph)


def in_words(expression: Argument, graph: Graph) -> str:
    """An axiom's tree, a class expression, a data range or a single term in words; its annotations come last."""
    if type(expression) is not Expression:
        return _atomic(expression, graph)
    # Not recursive: a tree from an untrusted file can be deeper than Python's stack.
    order: list[Expression] = [expression]
    for tree in order:
        order.extend(argument for argument in tree.args if type(argument) is Expression)
    made: dict[int, str] = {}
    for tree in reversed(order):
        annotations, arguments = split_annotations(tree)
        head = tree.head
        texts = [_operand(head, argument, made, graph) for argument in arguments]
        suffix = f" [{', '.join(made[id(annotation)] for annotation in annotations)}]" if annotations else ""
        made[id(tree)] = _TEMPLATES[head](texts) + suffix
    return made[id(expression)]


def name_in_words(name: NamedNode, graph: Graph) -> str:
    """The label of a name, in quotes unless it is one word; else its local name.

    A label in another language is used only for a name that says nothing by itself: people who write queries know the
    others as they write them.
    """
    labels = labels_of(name, graph)
    local = _LOCAL_NAME.search(name.value)
    is_word = local is not None and _WORD.fullmatch(local[0]) is not None
    if labels and not (is_word and _WITH_NUMBER.search(name.value) is None and _has_only_foreign_labels(name, graph)):
        return labels[0] if _WORD.fullmatch(labels[0]) else f"'{labels[0]}'"
    if is_reserved(name):
        return _RESERVED.term(name)
    return local[0] if local is not None and is_word else graph.spelling.term(name)


def _has_only_foreign_labels(name: NamedNode, graph: Graph) -> bool:
    return all(map(_is_foreign, _labels(name, graph)))


def labels_of(name: NamedNode, graph: Graph) -> list[str]:
    """All labels of a name, one per line; the first is the one that represents the name in words."""
    found = _labels(name, graph).items()
    labels = sorted((_is_foreign(label), place, _preference(label), label.value) for label, place in found)
    return list(dict.fromkeys(" ".join(text.split()) for *_, text in labels))


def _labels(name: NamedNode, graph: Graph) -> dict[Literal, int]:
    """The labels, each with the place of its property among those for labels."""
    found: dict[Literal, int] = {}
    for place, predicate in enumerate(_LABELS):
        for value in map(graph.term, graph.objects(graph.key(name), graph.key(predicate))):
            if type(value) is Literal and value.value.strip():
                found.setdefault(value, place)
    return found


def _is_foreign(label: Literal) -> bool:
    return (label.language or "").lower() not in _LANGUAGES


def _preference(label: Literal) -> tuple[int, str]:
    language = (label.language or "").lower()
    return _LANGUAGES.index(language) if language in _LANGUAGES else len(_LANGUAGES), language


def _operand(head: str, argument: Argument, made: dict[int, str], graph: Graph) -> str:
    """An argument inside something larger: in brackets if it has several words and the larger one is an expression."""
    if type(argument) is not Expression:
        return _atomic(argument, graph)
    text = made[id(argument)]
    return f"({text})" if head in _WITH_BRACKETS and argument.head in _IN_BRACKETS else text


def _atomic(argument: Argument, graph: Graph) -> str:
    if type(argument) is NamedNode:
        return name_in_words(argument, graph)
    if type(argument) is Literal:
        if is_bare(argument):
            return argument.value
        if argument.language or argument.datatype == XSD.string:
            return str(argument)
        return f"{Literal(argument.value)}^^{name_in_words(argument.datatype, graph)}"
    return f"_:{argument.value}" if type(argument) is BlankNode else str(argument)


def _joined(word: str) -> _Template:
    return f" {word} ".join


def _before(word: str) -> _Template:
    return lambda texts: f"{word} {', '.join(texts)}"


def _pair_or_list(between: str, before: str) -> _Template:
    """Two arguments have a word between them; more than two have a word before them."""
    return lambda texts: f" {between} ".join(texts) if len(texts) == 2 else f"{before}: {', '.join(texts)}"


def _first_and_list(word: str) -> _Template:
    return lambda texts: f"{texts[0]} {word} {', '.join(texts[1:])}"


def _restriction(word: str) -> _Template:
    return lambda texts: f"{', '.join(texts[:-1])} {word} {texts[-1]}"


def _cardinality(word: str) -> _Template:
    return lambda texts: " ".join([texts[1], word, texts[0], *texts[2:]])


def _listed(texts: Sequence[str]) -> str:
    return "{" + ", ".join(texts) + "}"


def _facets(texts: Sequence[str]) -> str:
    pairs = zip(texts[1::2], texts[2::2], strict=True)
    return f"{texts[0]}[{', '.join(f'{_FACETS.get(facet, facet)} {value}' for facet, value in pairs)}]"


def _fact(texts: Sequence[str]) -> str:
    return f"{texts[1]} {texts[0]} {texts[2]}"


def _called(texts: Sequence[str]) -> str:
    return f"{texts[0]}({', '.join(texts[1:])})"


def _named(head: str) -> _Template:
    return lambda texts: f"{head}({', '.join(texts)})"


def _ontology(texts: Sequence[str]) -> str:
    return "Ontology: " + ", ".join(texts)


_CHARACTERISTICS = (
    *("Functional", "InverseFunctional", "Transitive"),
    *("Symmetric", "Asymmetric", "Reflexive", "Irreflexive"),
)

# "Object" or "Data" comes before each of these names.
_EXPRESSIONS: dict[str, _Template] = {
    "IntersectionOf": _joined("and"),
    "UnionOf": _joined("or"),
    "ComplementOf": _before("not"),
    "OneOf": _listed,
    "SomeValuesFrom": _restriction("some"),
    "AllValuesFrom": _restriction("only"),
    "HasValue": _restriction("value"),
    "MinCardinality": _cardinality("min"),
    "MaxCardinality": _cardinality("max"),
    "ExactCardinality": _cardinality("exactly"),
}

_TEMPLATES: dict[str, _Template] = {
    "": ", ".join,
    "Ontology": _ontology,
    "Import": _before("Import:"),
    "Annotation": " ".join,
    "Declaration": "".join,
    **{kind: _before(f"{kind.removeprefix('Named')}:") for kind in ENTITIES},
    # expressions
    **{kind + name: template for kind in ("Object", "Data") for name, template in _EXPRESSIONS.items()},
    "ObjectInverseOf": _before("inverse"),
    "ObjectPropertyChain": _joined("o"),
    "ObjectHasSelf": lambda texts: f"{texts[0]} Self",
    "DatatypeRestriction": _facets,
    "Variable": lambda texts: f"?{texts[0]}",
    # classes
    "SubClassOf": _joined("SubClassOf"),
    "EquivalentClasses": _joined("EquivalentTo"),
    "DisjointClasses": _pair_or_list("DisjointWith", "DisjointClasses"),
    "DisjointUnion": _first_and_list("DisjointUnionOf"),
    "HasKey": lambda texts: f"{texts[0]} HasKey {', '.join(filter(None, texts[1:]))}",
    "DatatypeDefinition": _joined("EquivalentTo"),
    # properties
    **{f"Sub{kind}PropertyOf": _joined("SubPropertyOf") for kind in ("Object", "Data", "Annotation")},
    **{f"Equivalent{kind}Properties": _joined("EquivalentTo") for kind in ("Object", "Data")},
    **{f"Disjoint{kind}Properties": _pair_or_list("DisjointWith", "DisjointProperties") for kind in ("Object", "Data")},
    **{f"{kind}PropertyDomain": _joined("Domain") for kind in ("Object", "Data", "Annotation")},
    **{f"{kind}PropertyRange": _joined("Range") for kind in ("Object", "Data", "Annotation")},
    "InverseObjectProperties": _joined("InverseOf"),
    **{f"{characteristic}ObjectProperty": _before(f"{characteristic}:") for characteristic in _CHARACTERISTICS},
    "FunctionalDataProperty": _before("Functional:"),
    # individuals
    "SameIndividual": _joined("SameAs"),
    "DifferentIndividuals": _pair_or_list("DifferentFrom", "DifferentIndividuals"),
    "ClassAssertion": lambda texts: f"{texts[1]} Type {texts[0]}",
    **{f"{kind}PropertyAssertion": _fact for kind in ("Object", "Data")},
    **{f"Negative{kind}PropertyAssertion": lambda texts: f"not ({_fact(texts)})" for kind in ("Object", "Data")},
    "AnnotationAssertion": _fact,
    # rules
    "DLSafeRule": _joined("->"),
    "Body": ", ".join,
    "Head": ", ".join,
    **{f"{kind}Atom": _called for kind in ("Class", "DataRange", "ObjectProperty", "DataProperty", "BuiltIn")},
    "SameIndividualAtom": _named("SameAs"),
    "DifferentIndividualsAtom": _named("DifferentFrom"),
}

_IN_BRACKETS = {"ObjectInverseOf", "ObjectHasSelf"} | {
    kind + name for kind in ("Object", "Data") for name in _EXPRESSIONS if name != "OneOf"
}

_WITH_BRACKETS = _IN_BRACKETS | {"ObjectPropertyChain", "ClassAtom", "DataRangeAtom", "ObjectPropertyAtom"}


def obo_id(name: NamedNode) -> str | None:
    """The short form that OBO ontologies use: `GO:0000001` for http://purl.obolibrary.org/obo/GO_0000001."""
    found = _OBO_NAME.fullmatch(name.value)
    return f"{found[1]}:{found[2]}" if found else None


class Names:
    """Spells names with the prefixes of both versions, and finds their labels, first in the new version."""

    def __init__(self, old: Graph, new: Graph) -> None:
        self._graphs = (new, old)
        self._spelling = Spelling({**STANDARD_PREFIXES, **old.spelling.prefixes, **new.spelling.prefixes})
        self._short = lru_cache(maxsize=None)(self._spelled)

    def short(self, term: Term) -> str:
        """A name in a short form, or in angle brackets; a literal as in Turtle."""
        return self._short(term) if type(term) is NamedNode else self._spelling.term(term)

    def label(self, term: Term) -> str | None:
        """The label of a name."""
        if type(term) is not NamedNode or is_reserved(term):
            return None
        return next((labels[0] for graph in self._graphs if (labels := labels_of(term, graph))), None)

    def with_label(self, term: Term) -> str:
        """A name in a short form, followed by its label if it has one."""
        label = self.label(term)
        return self.short(term) if label is None else f"{self.short(term)} '{label}'"

    def explained(self, term: Term) -> str:
        """A name in a short form, followed by its label if the name is opaque: `GO:0008150 'biological_process'`."""
        label = self.label_of_opaque(term)
        return self.short(term) if label is None else f"{self.short(term)} '{label}'"

    def label_of_opaque(self, term: Term) -> str | None:
        """The label of an opaque name, such as a number."""
        if type(term) is not NamedNode or not (found := _WITH_NUMBER.search(term.value)):
            return None
        label = self.label(term)
        if label is None:
            return None
        name = found[0].casefold()
        if any(word.casefold() in name for word in _WORDS.findall(label)):
            return None
        return "".join(character if character.isprintable() else "�" for character in label)

    def _spelled(self, name: NamedNode) -> str:
        return obo_id(name) or self._spelling.term(name)
