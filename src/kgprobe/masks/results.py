"""Violations of shapes, and their description in words.

Every engine reports the same kind of result, which SHACL calls a validation result. This module makes the words from
the shapes, so that they do not depend on the engine.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kgprobe.masks.paths import Path, read_path
from kgprobe.masks.shapes_file import LISTS
from kgprobe.rdf.graph import BrokenListError, Graph, read_list
from kgprobe.rdf.spelling import Spelling, is_bare
from kgprobe.rdf.terms import RDF, SH, XSD, BlankNode, Literal, NamedNode, Subject, Term, Triple
from kgprobe.wording import number_of

__all__ = ["triple_text", "words"]


@dataclass(frozen=True)
class Result:
    """One violation: the node, the shape, the constraint, and the value."""

    focus: Term
    shape: Subject
    component: str  # the name of the constraint component, such as MinCount
    path: Path | None
    value: Term | None
    # The message of the engine; used only if we have no words for the constraint.
    message: str = field(default="", compare=False)


# The requirement on a value, by constraint component, with a place for the parameter's value.
_DEMANDS = {
    "Class": ("class", "be an instance of {}"),
    "Datatype": ("datatype", "be a well-formed literal of type {}"),
    "NodeKind": ("nodeKind", "be of kind {}"),
    "In": ("in", "be one of {}"),
    "LanguageIn": ("languageIn", "be in one of the languages {}"),
    "MinLength": ("minLength", "have at least {}"),
    "MaxLength": ("maxLength", "have at most {}"),
    "Pattern": ("pattern", "match {}"),
    "MinInclusive": ("minInclusive", "be at least {}"),
    "MinExclusive": ("minExclusive", "be more than {}"),
    "MaxInclusive": ("maxInclusive", "be at most {}"),
    "MaxExclusive": ("maxExclusive", "be less than {}"),
    "Node": ("node", "conform to {}"),
    "Not": ("not", "not conform to {}"),
    "And": ("and", "conform to all of {}"),
    "Or": ("or", "conform to at least one of {}"),
    "Xone": ("xone", "conform to exactly one of {}"),
    "Disjoint": ("disjoint", "not be a value of {} as well"),
    "LessThan": ("lessThan", "be less than all values of {}"),
    "LessThanOrEquals": ("lessThanOrEquals", "be at most as large as all values of {}"),
}
# Requirements on all values of a path, with places for the parameter's value, the path and the qualified shape.
_DEMANDS_ON_ALL = {
    "MinCount": ("minCount", "must have at least {0} for {1}"),
    "MaxCount": ("maxCount", "must have at most {0} for {1}"),
    "HasValue": ("hasValue", "must have the value {0} for {1}"),
    "UniqueLang": ("uniqueLang", "must have no two values of the same language for {1}"),
    "QualifiedMinCount": ("qualifiedMinCount", "must have, for {1}, at least {0} conforming to {2}"),
    "QualifiedMaxCount": ("qualifiedMaxCount", "must have, for {1}, at most {0} conforming to {2}"),
}
_LONGEST_LIST = 8
_GIVEN_SHAPES = {"node", "not", "and", "or", "xone", "qualifiedValueShape"}


def words(result: Result, shapes: Graph, data: Spelling) -> str:
    """The result as a sentence: the focus node, the requirement, and the shape that has the requirement."""
    spelling = Spelling({**shapes.spelling.prefixes, **data.prefixes})
    named = named_above(result.shape, shapes)
    shape = "without a name" if named is None else spelling.term(named)
    return f"{term_text(result.focus, spelling)} {_reason(result, shapes, spelling)} (shape {shape})"


def _reason(result: Result, shapes: Graph, spelling: Spelling) -> str:
    messages = [shapes.term(row[2]).value for row in shapes.rows(shapes.key(result.shape), shapes.key(SH.message))]
    if messages:
        return f"is rejected: {min(messages)}"
    path = result.path.text(spelling) if result.path else None
    value = term_text(result.value, spelling) if result.value is not None else None
    if result.component == "Closed":
        return f"must not have {path}, and has {value}"
    if result.component == "HasValue" and path is None:
        return f"must be {_expected(result.shape, 'hasValue', shapes, spelling)}"
    if result.component == "Equals":
        other = _expected(result.shape, "equals", shapes, spelling)
        if path is None:
            return f"must have itself, and nothing else, for {other}"
        return f"must have the same values for {path} and {other}, and has {value} for only one of them"
    if result.component in _DEMANDS_ON_ALL:
        parameter, demand = _DEMANDS_ON_ALL[result.component]
        qualified = _expected(result.shape, "qualifiedValueShape", shapes, spelling)
        return demand.format(_expected(result.shape, parameter, shapes, spelling), path, qualified)
    if result.component in _DEMANDS:
        parameter, demand = _DEMANDS[result.component]
        must = f"must {demand.format(_expected(result.shape, parameter, shapes, spelling))}"
        return must if path is None else f"has {value} for {path}, which {must}"
    place = f" for {path}" if path else ""
    return _by_query(result, shapes, "" if result.value in (None, result.focus) else f", with {value}{place}")


def _by_query(result: Result, shapes: Graph, about: str) -> str:
    """The message of a query in the shapes. Messages that engines generate are not informative."""
    if result.component != "SPARQL":
        return f"is rejected by {result.component}: {result.message or 'it does not hold'}{about}"
    constraints = [row[2] for row in shapes.rows(shapes.key(result.shape), shapes.key(SH.sparql))]
    if any(shapes.count(constraint, shapes.key(SH.message)) for constraint in constraints):
        return f"is rejected: {result.message}{about}"
    return f"is found by a query that must find nothing{about}"


def _expected(shape: Term, parameter: str, shapes: Graph, spelling: Spelling) -> str:
    """The value of a shape's parameter, as text."""
    given = [shapes.term(row[2]) for row in shapes.rows(shapes.key(shape), shapes.key(SH[parameter]))]
    if parameter in LISTS:
        given = [member for head in given for member in read_list(shapes, head).members]
    if parameter.endswith("Count"):
        return " and ".join(number_of(int(term.value), "value") for term in given)
    if parameter.endswith("Length"):
        return " and ".join(number_of(int(term.value), "character") for term in given)
    is_shape = parameter in _GIVEN_SHAPES
    texts = [shape_text(term, shapes, spelling) if is_shape else term_text(term, spelling) for term in given]
    more = len(texts) - _LONGEST_LIST  # the end of a long list does not help
    return ", ".join(texts[:_LONGEST_LIST]) + (f" and {more} more" if more > 0 else "")


def named_above(node: Term, shapes: Graph) -> Term | None:
    """The node itself if it has a name, or else the nearest node above it that has one."""
    if isinstance(node, NamedNode):
        return node
    level, seen = [shapes.key(node)], {shapes.key(node)}
    while level:
        above = dict.fromkeys(row[0] for key in level for row in shapes.rows(None, None, key) if row[0] not in seen)
        named = [shapes.term(key) for key in above if isinstance(shapes.term(key), NamedNode)]
        if named:
            return min(named, key=str)
        level = list(above)
        seen.update(above)
    return None


# -- terms, triples and shapes as text ---------------------------------------------------------------------------------

# Deeper nesting is not readable in an error message.
_DEEPEST = 2
_MOST_MEMBERS = 8


def term_text(term: Term, spelling: Spelling) -> str:
    """A term as in Turtle, with numbers without their types."""
    if not isinstance(term, Literal) or term.language or term.datatype == XSD.string:
        return spelling.term(term)
    if is_bare(term):
        return term.value
    return f"{Literal(term.value)}^^{spelling.term(term.datatype)}"


def triple_text(triple: Triple, spelling: Spelling) -> str:
    """A triple as in Turtle, with numbers without their types."""
    if not isinstance(triple.object, Literal):
        return spelling.triple(triple)
    return f"{spelling.term(triple.subject)} {spelling.term(triple.predicate)} {term_text(triple.object, spelling)}"


def shape_text(shape: Term, shapes: Graph, spelling: Spelling, *, depth: int = 0) -> str:
    """The name of a shape. A shape without a name is shown by its constraints, if they are short."""
    if not isinstance(shape, BlankNode):
        return term_text(shape, spelling)
    if depth == _DEEPEST:
        return "[ … ]"
    demands = [
        f"{spelling.term(predicate)} {_value_text(predicate, value, shapes, spelling, depth)}"
        for predicate, value in _demands(shape, shapes)
    ]
    return f"[ {' ; '.join(demands)} ]" if demands else "[ ]"


def _demands(shape: Term, shapes: Graph) -> list[tuple[NamedNode, Term]]:
    rows = [(shapes.term(row[1]), shapes.term(row[2])) for row in shapes.rows(shapes.key(shape))]
    told = [(p, o) for p, o in rows if isinstance(p, NamedNode) and p != RDF.type]
    return sorted(told, key=lambda demand: (demand[0] != SH.path, str(demand[0]), str(demand[1])))


def _value_text(predicate: NamedNode, value: Term, shapes: Graph, spelling: Spelling, depth: int) -> str:
    if predicate == SH.path:
        return read_path(shapes, value).text(spelling)
    if predicate.value.removeprefix(SH.iri) not in LISTS:
        return shape_text(value, shapes, spelling, depth=depth + 1)
    try:
        members = read_list(shapes, value).members
    except BrokenListError:
        return "( … )"
    texts = [shape_text(member, shapes, spelling, depth=depth + 1) for member in members[:_MOST_MEMBERS]]
    return f"( {' '.join([*texts, *(['…'] if len(members) > _MOST_MEMBERS else [])])} )"
