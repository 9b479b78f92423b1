"""The vocabulary of SHACL that kgprobe and its engines know."""

from __future__ import annotations

from kgprobe.graph.terms import XSD, Literal, NamedNode, Namespace

__all__ = ["CORE_PARAMETERS", "KNOWN_PREDICATES", "LISTS", "ONLY_ONE", "SH", "UNSUPPORTED", "is_not_enforced"]

SH = Namespace("http://www.w3.org/ns/shacl#")

# The kind of value that each parameter of SHACL Core takes.
CORE_PARAMETERS = {
    "IRI": (
        "class datatype equals disjoint lessThan lessThanOrEquals targetClass targetSubjectsOf targetObjectsOf severity"
    ),
    "node kind": "nodeKind",
    "number": "minCount maxCount minLength maxLength qualifiedMinCount qualifiedMaxCount",
    "boolean": "closed uniqueLang deactivated qualifiedValueShapesDisjoint",
    "list": "in languageIn and or xone ignoredProperties",
    "literal": "minInclusive minExclusive maxInclusive maxExclusive",
    "string": "pattern flags",
    "node": "node not property qualifiedValueShape",
    "term": "hasValue targetNode",
}


def _names(*texts: str) -> frozenset[str]:
    return frozenset(" ".join(texts).split())


LISTS = _names(CORE_PARAMETERS["list"])
# A shape has at most one value for each of these.
ONLY_ONE = _names(
    CORE_PARAMETERS["number"],
    CORE_PARAMETERS["boolean"],
    CORE_PARAMETERS["literal"],
    "datatype nodeKind in languageIn ignoredProperties flags severity",
)

_PATHS = "path inversePath alternativePath zeroOrMorePath oneOrMorePath zeroOrOnePath"
_SPARQL = (
    "sparql select ask prefixes declare prefix namespace parameter optional validator nodeValidator propertyValidator"
    " labelTemplate target"
)
# These do not affect which graphs conform. (nodeShape is from a draft; the W3C test suite still uses it.)
_SILENT = (
    "message name description order group defaultValue shapesGraph suggestedShapesGraph conforms result resultSeverity"
    " resultPath resultMessage focusNode value sourceShape sourceConstraintComponent sourceConstraint detail"
    " shapesGraphWellFormed annotationProperty annotationVarName annotationValue resultAnnotation nodeShape"
)
KNOWN_PREDICATES = _names(*CORE_PARAMETERS.values(), _PATHS, _SPARQL, _SILENT)

_NOT_ENFORCED = frozenset(Literal(text, datatype=XSD.boolean) for text in ("1", "0"))
_LENIENT = (SH.uniqueLang, SH.qualifiedValueShapesDisjoint)


def is_not_enforced(predicate: NamedNode, value: object) -> bool:
    """Whether a parameter has no effect because its value is not spelled `true`, as the W3C test suite requires."""
    return predicate in _LENIENT and value in _NOT_ENFORCED


# Features of other tools that our engines do not support, with the reasons.
UNSUPPORTED = {
    "rule": "rules add triples, but a mask only validates",
    "expression": "node expressions are not part of standard SHACL",
    "entailment": "validation does not apply entailment",
    "js": "JavaScript is not run",
}
