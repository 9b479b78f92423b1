"""Writes conditions as SHACL, in Turtle, and in words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kgprobe.masks.learning.conditions import (
    AtLeast,
    AtMost,
    Bound,
    Clause,
    Exactly,
    HasValue,
    Lacks,
    LinkedCondition,
    OfClass,
    OfDatatype,
    OneOf,
    ShapeCondition,
    ShapeTest,
)
from kgprobe.masks.paths import Alternative, Inverse, Path, Predicate, Repeat, Sequence_
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode, Term

__all__ = ["clause_in_words", "clause_text", "kind_of"]

_SAFE_LOCAL = re.compile(r"[A-Za-z_](?:[\w\-]*[A-Za-z0-9_])?", re.ASCII)
_SAFE_PREFIX = re.compile(r"(?:[A-Za-z][\w\-]*)?", re.ASCII)
_MOST_IN_WORDS = 4  # conditions of one alternative
_REPEATS = {"*": "sh:zeroOrMorePath", "+": "sh:oneOrMorePath", "?": "sh:zeroOrOnePath"}
_BOUNDS = {
    "minInclusive": "at least",
    "minExclusive": "more than",
    "maxInclusive": "at most",
    "maxExclusive": "less than",
}


def prefixes_for(spelling: Spelling) -> dict[str, str]:
    """The prefixes of a graph that Turtle can use as they are, with that of SHACL."""
    own = {
        prefix: iri
        for prefix, iri in spelling.prefixes.items()
        if prefix not in ("sh", "mask") and iri and _SAFE_PREFIX.fullmatch(prefix) and _is_plain(iri)
    }
    return {**own, "sh": "http://www.w3.org/ns/shacl#", "mask": "urn:kgprobe:mask:"}


def _is_plain(iri: str) -> bool:
    return not re.search(r"[\s<>\"{}|^`\\]", iri)


def _term(term: Term, prefixes: Mapping[str, str]) -> str:
    """A term in Turtle."""
    if isinstance(term, Literal):
        if term.language or term.datatype == XSD.string:
            return str(term)
        return f"{str(term).rpartition('^^')[0]}^^{_term(term.datatype, prefixes)}"
    if not isinstance(term, NamedNode):
        return str(term)
    fitting = [
        (len(iri), f"{prefix}:{local}")
        for prefix, iri in prefixes.items()
        if term.value.startswith(iri) and _SAFE_LOCAL.fullmatch(local := term.value[len(iri) :])
    ]
    return max(fitting)[1] if fitting else str(term)


def _path(path: Path, prefixes: Mapping[str, str]) -> str:
    match path:
        case Predicate(iri):
            return _term(iri, prefixes)
        case Inverse(inner):
            return f"[ sh:inversePath {_path(inner, prefixes)} ]"
        case Sequence_(paths):
            return f"( {' '.join(_path(part, prefixes) for part in paths)} )"
        case Alternative(paths):
            return f"[ sh:alternativePath ( {' '.join(_path(part, prefixes) for part in paths)} ) ]"
        case Repeat(inner, sign):
            return f"[ {_REPEATS[sign]} {_path(inner, prefixes)} ]"


def _demand(path: Path, test: ShapeTest, prefixes: Mapping[str, str]) -> str:
    """The test as what a node shape says about its node."""
    at = f"sh:path {_path(path, prefixes)}"
    match test:
        case HasValue(term):
            return f"sh:property [ {at} ; sh:hasValue {_term(term, prefixes)} ]"
        case Lacks(term):
            return f"sh:not [ a sh:NodeShape ; sh:property [ {at} ; sh:hasValue {_term(term, prefixes)} ] ]"
        case Exactly(count):
            return f"sh:property [ {at} ; sh:minCount {count} ; sh:maxCount {count} ]"
        case AtLeast(count, of) | AtMost(count, of):
            return f"sh:property [ {at} ; {_count(test, count, of, prefixes)} ]"
        case OneOf(terms):
            return f"sh:property [ {at} ; sh:in ( {' '.join(_term(term, prefixes) for term in terms)} ) ]"
        case Bound(name, limit):
            return f"sh:property [ {at} ; sh:{name} {_term(limit, prefixes)} ]"
        case OfClass(class_):
            return f"sh:property [ {at} ; sh:class {_term(class_, prefixes)} ]"
        case OfDatatype(datatype):
            return f"sh:property [ {at} ; sh:datatype {_term(datatype, prefixes)} ]"


def _count(test: ShapeTest, count: int, of: NamedNode | None, prefixes: Mapping[str, str]) -> str:
    bound = "Min" if isinstance(test, AtLeast) else "Max"
    if of is None:
        return f"sh:{bound.lower()}Count {count}"
    return f"sh:qualifiedValueShape [ sh:class {_term(of, prefixes)} ] ; sh:qualified{bound}Count {count}"


def _about(condition: ShapeCondition, prefixes: Mapping[str, str]) -> str:
    """The condition as what a node shape says about the node or class of its focus."""
    demand = _demand(condition.path, condition.test, prefixes)
    via = condition.focus.via
    return demand if via is None else f"sh:property [ sh:path {_path(via, prefixes)} ; sh:node [ {demand} ] ]"


def _linked(linked: LinkedCondition, prefixes: Mapping[str, str]) -> str:
    """The condition as what a shape for another node says."""
    about = _about(linked.condition, prefixes)
    if linked.link is None:
        return about
    there = f"[ sh:in ( {_term(linked.link.end, prefixes)} ) ; {about} ]"
    path = _path(linked.link.path, prefixes)
    return f"sh:property [ sh:path {path} ; sh:qualifiedValueShape {there} ; sh:qualifiedMinCount 1 ]"


def clause_text(clause: Clause, name: str, prefixes: Mapping[str, str]) -> str:
    """The shape in Turtle."""
    focus = clause.condition.focus
    target = "sh:targetClass" if focus.is_class else "sh:targetNode"
    start = focus.term if clause.link is None else clause.link.start
    demand = _linked(LinkedCondition(clause.condition, clause.link), prefixes)
    if clause.alternatives:
        options = [f"[ {demand} ]"]
        for together in clause.alternatives:
            options.append(f"[ {' ; '.join(_linked(linked, prefixes) for linked in together)} ]")
        joined = "\n    ".join(options)
        demand = f"sh:or (\n    {joined}\n  )"
    return f"mask:{name} a sh:NodeShape ;\n  {target} {_term(start, prefixes)} ;\n  {demand} .\n"


# -- in words ----------------------------------------------------------------------------------------------------------


def kind_of(clause: Clause) -> str:
    """The kind of a shape, in one word."""
    if clause.alternatives:
        return "combination"
    condition = clause.condition
    match condition.test:
        case HasValue() if any(isinstance(part, Repeat) for part in _parts(condition.path)):
            return "connectivity"
        case HasValue():
            return "class" if condition.path == Predicate(RDF.type) else "pin"
        case AtLeast() | AtMost() | Exactly():
            return "cardinality"
        case OneOf():
            return "allowed values"
        case Lacks():
            return "forbidden value"
        case Bound():
            return "range"
        case OfClass():
            return "class"
        case OfDatatype():
            return "datatype"


def _parts(path: Path) -> tuple[Path, ...]:
    return path.paths if isinstance(path, Sequence_) else (path,)


def clause_in_words(clause: Clause, spelling: Spelling) -> str:
    """What a shape requires, in one sentence without a full stop."""
    said = _condition_in_words(clause.condition, spelling)
    for together in clause.alternatives:
        if len(together) <= _MOST_IN_WORDS:
            said += f"; or {' and '.join(_condition_in_words(linked.condition, spelling) for linked in together)}"
    # Longer ones describe single graphs.
    long = sum(len(together) > _MOST_IN_WORDS for together in clause.alternatives)
    if not long:
        return said
    return f"{said}; or the graph is like {'a passing case' if long == 1 else f'one of {long} passing cases'}"


def _condition_in_words(condition: ShapeCondition, spelling: Spelling) -> str:
    focus = condition.focus
    who = spelling.term(focus.term)
    if focus.is_class:
        who = f"each {who}"
    if focus.via is not None:
        who = f"each value of {focus.via.text(spelling)} of {who}"
    if condition.path == Predicate(RDF.type) and isinstance(condition.test, HasValue):
        return f"{who} is a {spelling.term(condition.test.term)}"
    path = condition.path.text(spelling)
    demanded = _of_each_value(condition.test, spelling)
    if demanded is not None:
        return f"each value of {path} of {who} is {demanded}"
    return f"{who} {_of_all_values(condition.test, path, spelling)}"


def _of_each_value(test: ShapeTest, spelling: Spelling) -> str | None:
    match test:
        case OneOf(terms):
            return f"one of {', '.join(map(spelling.term, terms))}"
        case Bound(name, limit):
            return f"{_BOUNDS[name]} {limit.value}"
        case OfClass(type_) | OfDatatype(type_):
            return f"a {spelling.term(type_)}"
        case _:
            return None


def _of_all_values(test: ShapeTest, path: str, spelling: Spelling) -> str:
    match test:
        case HasValue(term):
            return f"has {path} {spelling.term(term)}"
        case Lacks(term):
            return f"does not have {path} {spelling.term(term)}"
        case Exactly(count):
            return f"has exactly {_values(count, path)}"
        case AtMost(0, of):
            return f"has no value of {path}{_instances(1, of, spelling)}"
        case AtLeast(count, of) | AtMost(count, of):
            bound = "least" if isinstance(test, AtLeast) else "most"
            return f"has at {bound} {_values(count, path)}{_instances(count, of, spelling)}"
        case _:
            raise AssertionError(test)


def _values(count: int, path: str) -> str:
    return f"{count} value{'s' if count != 1 else ''} of {path}"


def _instances(count: int, of: NamedNode | None, spelling: Spelling) -> str:
    if of is None:
        return ""
    return f" that {'is an instance' if count == 1 else 'are instances'} of {spelling.term(of)}"
