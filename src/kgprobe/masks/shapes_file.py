"""Checks that engines support everything in a shapes graph.

Engines ignore what they do not know: a misspelt parameter, a count that is not a number, a broken regular expression.
A mask would then admit graphs that its author wanted to reject, so such shapes are refused before an engine gets them.
The tables list the vocabulary of SHACL that kgprobe and its engines know.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from pyoxigraph import QuerySolutions, Store

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.masks.paths import BrokenPathError, read_path
from kgprobe.rdf.graph import BrokenListError, Graph, read_list
from kgprobe.rdf.terms import SH, XSD, BlankNode, Literal, NamedNode, Term
from kgprobe.sparql.pyoxigraph import answer, check_evaluable, decoded
from kgprobe.sparql.tokens import words

_NODE_KINDS = {SH.IRI, SH.BlankNode, SH.Literal, SH.BlankNodeOrIRI, SH.BlankNodeOrLiteral, SH.IRIOrLiteral}
_QUERIES = ("select", "ask", "construct", "update")
_CLOSURES = ("zeroOrMorePath", "oneOrMorePath")
_NESTING = ("property", "qualifiedValueShape", "node")
_REFUSED = {
    "SERVICE": "SERVICE would use the network, which a check must not",
    "FROM": "FROM names another graph, but a check covers only one graph",
}
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


_KINDS: dict[str, tuple[str, Callable[[Term], bool]]] = {
    "IRI": ("an IRI", lambda term: isinstance(term, NamedNode)),
    "node kind": ("a node kind such as sh:IRI", lambda term: term in _NODE_KINDS),
    "number": ("a whole number that is not negative", lambda term: _is(term, XSD.integer, r"\+?\d+|-0+")),
    "boolean": ("true or false", lambda term: _is(term, XSD.boolean, "true|false")),
    "literal": ("a literal", lambda term: isinstance(term, Literal)),
    "string": ("a string", lambda term: _is(term, XSD.string, "(?s).*")),
    "node": ("a shape", lambda term: not isinstance(term, Literal)),
    "list": ("a list", lambda term: not isinstance(term, Literal)),
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


def check_shapes(shapes: Graph, name: str) -> None:
    """Refuse a graph with SHACL terms that are misspelt, malformed or unsupported; `name` is the file."""
    _Checker(shapes, name).check()


def has_queries(shapes: Graph) -> bool:
    """Whether the shapes contain SPARQL."""
    return any(shapes.count(None, shapes.key(SH[word])) for word in _QUERIES)


def may_run_away(shapes: Graph) -> bool:
    """Whether validation can take far longer than visiting each triple a few times.

    This applies to queries, to closures of paths, and to deeply nested shapes, which visit each value of each value,
    and so on.
    """
    if has_queries(shapes) or any(shapes.count(None, shapes.key(SH[word])) for word in _CLOSURES):
        return True
    steps = [(row[0], row[2]) for word in _NESTING for row in shapes.rows(None, shapes.key(SH[word]))]
    inner = {outer for outer, _ in steps}
    middle = {outer for outer, value in steps if value in inner}
    return any(value in middle for _, value in steps)


class _Checker:
    def __init__(self, shapes: Graph, name: str) -> None:
        self._shapes = shapes
        self._name = name

    def check(self) -> None:
        used = {row[1] for row in self._shapes.rows()}
        known = [term.value.removeprefix(SH.iri) for term in map(self._shapes.term, used) if _is_shacl(term)]
        if len(self._shapes) and not known:
            raise self._error("has triples, but no SHACL shape, and would admit everything")
        for word in sorted(known):
            self._check_known(word)
        for kind, parameters in CORE_PARAMETERS.items():
            for parameter in parameters.split():
                self._check_values(parameter, kind)
        for parameter in sorted(ONLY_ONE):
            self._check_single(parameter)
        self._check_parts()

    def _check_parts(self) -> None:
        for triple in self._shapes.triples(None, SH.path):
            self._check_path(triple.subject, triple.object)
        for triple in self._shapes.triples(None, SH.property):
            if not self._shapes.count(self._shapes.key(self._term(triple.object)), self._shapes.key(SH.path)):
                raise self._error(f"{self._spell(triple.object)} is used with sh:property, but has no sh:path")
        for triple in self._shapes.triples(None, SH.pattern):
            self._check_pattern(self._term(triple.subject), self._term(triple.object))
        for word in _QUERIES:
            for triple in self._shapes.triples(None, SH[word]):
                self._check_query(triple.subject, word, self._term(triple.object))

    def _check_known(self, word: str) -> None:
        if word in KNOWN_PREDICATES:
            return
        if word in UNSUPPORTED:
            raise self._error(f"sh:{word} is not supported: {UNSUPPORTED[word]}")
        if self._shapes.count(None, self._shapes.key(SH.path), self._shapes.key(SH[word])):
            return  # a parameter of a constraint component that this shapes graph defines
        raise self._error(f"sh:{word} is not known", hint=did_you_mean(word, KNOWN_PREDICATES, shown="sh:{}"))

    def _check_values(self, parameter: str, kind: str) -> None:
        if kind == "term":
            return
        wanted, is_right = _KINDS[kind]
        for triple in self._shapes.triples(None, SH[parameter]):
            if is_not_enforced(triple.predicate, triple.object):
                continue
            if not is_right(self._term(triple.object)):
                what = f"sh:{parameter} of {self._spell(triple.subject)}"
                raise self._error(f"{what} must be {wanted}, not {self._spell(triple.object)}")
            if parameter in LISTS:
                self._check_list(parameter, self._term(triple.object))

    def _check_list(self, parameter: str, head: Term) -> None:
        try:
            read_list(self._shapes, head)
        except BrokenListError as error:
            raise self._error(f"sh:{parameter} must be a list: {error}") from None

    def _check_single(self, parameter: str) -> None:
        seen: set[object] = set()
        for triple in self._shapes.triples(None, SH[parameter]):
            if triple.subject in seen:
                raise self._error(f"{self._spell(triple.subject)} has more than one sh:{parameter}")
            seen.add(triple.subject)

    def _check_path(self, shape: object, path: object) -> None:
        # In the definition of a constraint component, sh:path names a parameter, which is also a path.
        if self._shapes.count(self._shapes.key(self._term(shape)), self._shapes.key(SH.path)) > 1:
            raise self._error(f"{self._spell(shape)} has more than one sh:path")
        try:
            read_path(self._shapes, self._term(path))
        except BrokenPathError as error:
            raise self._error(f"sh:path of {self._spell(shape)}: {error}") from None

    def _check_query(self, owner: object, word: str, query: Term) -> None:
        if not isinstance(query, Literal):
            raise self._error(f"sh:{word} of {self._spell(owner)} must be a query, not {self._spell(query)}")
        # Some engines decode escapes before they look for brackets and keywords; others do not.
        texts = {query.value, decoded(query.value)}
        for text in texts:
            check_evaluable(text, f"{self._name}: sh:{word} of {self._spell(owner)}")
        used = set().union(*map(words, texts))
        for keyword, reason in _REFUSED.items():
            if keyword in used:
                raise self._error(f"sh:{word} of {self._spell(owner)}: {reason}")

    def _check_pattern(self, shape: Term, pattern: Term) -> None:
        flags = next((self._term(t.object) for t in self._shapes.triples(shape, SH.flags)), Literal(""))
        solutions = answer(Store(), f"SELECT (REGEX('', {pattern}, {flags}) AS ?works) {{}}", self._name)
        assert isinstance(solutions, QuerySolutions)  # noqa: S101 - SELECT returns solutions
        if any(solution["works"] is None for solution in solutions):
            raise self._error(f"sh:pattern of {self._spell(shape)} is not a regular expression: {self._spell(pattern)}")

    def _term(self, term: object) -> Term:
        assert isinstance(term, NamedNode | BlankNode | Literal)  # noqa: S101 - our readers make no nested triples
        return term

    def _spell(self, term: object) -> str:
        return self._shapes.spelling.term(term)

    def _error(self, message: str, hint: str | None = None) -> InputError:
        return InputError(message, where=Position(self._name), hint=hint)


def _is_shacl(term: Term) -> bool:
    return isinstance(term, NamedNode) and term.value.startswith(SH.iri)


def _is(term: Term, datatype: NamedNode, form: str) -> bool:
    return isinstance(term, Literal) and term.datatype == datatype and re.fullmatch(form, term.value) is not None
