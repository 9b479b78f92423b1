"""Reasons why conditions cannot hold, in plain words, and sets of literal values as data ranges and in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial

from kgprobe.owl.expression import Argument
from kgprobe.owl.expression import Expression as DataRange
from kgprobe.owl.literal_values import DATES, FLOATS, NUMBERS, SPACES, Value, literal_of, number_value
from kgprobe.owl.value_parts import TEXT_LAYERS, Cut, Intervals, Part, Points, Texts
from kgprobe.owl.value_sets import EVERYTHING, ValueSet
from kgprobe.queries.filters.expressions import COMPARISONS, evaluated
from kgprobe.queries.filters.functions import ADDED, wrong_argument
from kgprobe.queries.filters.refutation import KnownTerms, SameValue, domain_of
from kgprobe.queries.filters.term_sets import NUMBER_SPACES, TermSet, order_family
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, Literal, NamedNode
from kgprobe.sparql.algebra import Aggregate, Bind, Call, Constant, Expression, Span, Values, text_of
from kgprobe.sparql.traversal import expressions_in

_REALS = (XSD.integer, XSD.decimal, OWL.rational, OWL.real)
_CHAIN = tuple(XSD[datatype] for datatype, _ in TEXT_LAYERS)


class _NotExpressibleError(Exception):
    """OWL 2 has no data range for this set."""


def data_range(values: ValueSet) -> Argument | None:
    """A data range with exactly these values; None if OWL 2 has none, or if the values are not known exactly."""
    if not values.is_exact:
        return None
    if values.is_empty:
        return _not(RDFS.Literal)
    if (~values).is_empty:
        return RDFS.Literal
    is_most = "other" in values.spaces
    try:
        found = _union(_pieces(~values if is_most else values))
    except _NotExpressibleError:
        return None
    return _not(found) if is_most else found


def _not(argument: Argument) -> DataRange:
    return DataRange("DataComplementOf", argument)


def _and(*arguments: Argument) -> Argument:
    return arguments[0] if len(arguments) == 1 else DataRange("DataIntersectionOf", *arguments)


def _union(pieces: Iterable[Argument]) -> Argument:
    found = tuple(dict.fromkeys(pieces))
    return found[0] if len(found) == 1 else DataRange("DataUnionOf", *found)


def _pieces(values: ValueSet) -> Iterator[Argument]:
    yield from _chained([values.part(space) for space in NUMBERS], _REALS, _number_piece)
    for space in FLOATS:
        yield from _float_pieces(values, space)
    texts = values.part("string")
    if isinstance(texts, Texts):
        yield from _text_pieces(texts)
    yield from _date_time_pieces(values)
    for space in SPACES:
        part = values.part(space)
        kind = space.partition(" ")[0]
        if space in values.spaces and isinstance(part, Points) and not space.endswith(" NaN"):
            yield _point_piece(space, part)
        elif space in values.spaces and kind in DATES[1:]:  # XML Schema restricts them, but OWL 2 does not
            if not values.part(kind) == values.part(f"{kind} without zone") == SPACES[kind]:
                raise _NotExpressibleError
            yield XSD[kind]


# -- chains of datatypes: each is within the next ----------------------------------------------------------------------


def _chained(
    parts: Sequence[Part], datatypes: Sequence[NamedNode], piece: Callable[[NamedNode, Part], Iterable[Argument]]
) -> Iterator[Argument]:
    """Pieces for the layers of a chain. The first layers that have the same part need only one datatype."""
    same = 1
    while same < len(parts) and parts[same] == parts[0]:
        same += 1
    if not _is_nothing(parts[0]):
        yield from piece(datatypes[same - 1], parts[0])
    for layer in range(same, len(parts)):
        if not _is_nothing(parts[layer]):
            yield from (_and(each, _not(datatypes[layer - 1])) for each in piece(datatypes[layer], parts[layer]))


def _is_nothing(part: Part) -> bool:
    return isinstance(part, Intervals) and part.is_empty


def _literal_in(space: str, key: Fraction) -> Literal | None:
    return literal_of(Value(space, key))


def _number_literal(key: Fraction) -> Literal | None:
    return literal_of(number_value(key))


def _number_piece(datatype: NamedNode, part: Part) -> Iterator[Argument]:
    return _restrictions(datatype, part, _number_literal)


_LOW_FACETS, _HIGH_FACETS = ("minInclusive", "minExclusive"), ("maxExclusive", "maxInclusive")


def _restrictions(datatype: NamedNode, part: Part, literal: Callable[[Fraction], Literal | None]) -> Iterator[Argument]:
    if not isinstance(part, Intervals):
        return
    for low, high in part.pairs:
        facets: list[Argument] = []
        for (limit, after), names in (
            (low, ("minInclusive", "minExclusive")),
            (high, ("maxExclusive", "maxInclusive")),
        ):
            text = None if math.isinf(limit) else literal(Fraction(limit))
            if text is not None:
                facets += [XSD[names[after]], text]
        yield DataRange("DatatypeRestriction", datatype, *facets) if facets else datatype


def _text_pieces(texts: Texts) -> Iterator[Argument]:
    listed = [Literal(text) for _, text in sorted(texts.exceptions)]
    kept = [text for text, key in zip(listed, sorted(texts.exceptions), strict=True) if key in texts]
    removed = [text for text in listed if text not in kept]
    if kept:
        yield DataRange("DataOneOf", *kept)
    for each in _chained(texts.lengths[::-1], _CHAIN[::-1], _length_piece):
        yield _and(each, _not(DataRange("DataOneOf", *removed))) if removed else each


def _length_piece(datatype: NamedNode, part: Part) -> Iterator[Argument]:
    if not isinstance(part, Intervals):
        return
    for (low, _), (high, _) in part.pairs:
        facets: list[Argument] = []
        if low > 0:
            facets += [XSD.minLength, Literal(int(low))]
        if not math.isinf(high):
            facets += [XSD.maxLength, Literal(int(high))]
        yield DataRange("DatatypeRestriction", datatype, *facets) if facets else datatype


# -- other spaces ------------------------------------------------------------------------------------------------------


def _float_pieces(values: ValueSet, space: str) -> Iterator[Argument]:
    part = values.part(space)
    nan = f"{space} NaN"
    has_nan = nan in values.spaces
    if part == SPACES[space] and has_nan:
        yield XSD[space]
        return
    yield from _restrictions(XSD[space], part, partial(_literal_in, space))
    if has_nan:
        yield DataRange("DataOneOf", Literal("NaN", datatype=XSD[space]))


def _date_time_pieces(values: ValueSet) -> Iterator[Argument]:
    zoned, unzoned = values.part("dateTime"), values.part("dateTime without zone")
    if zoned == unzoned == SPACES["dateTime"]:
        yield XSD.dateTime
        return
    yield from _restrictions(XSD.dateTimeStamp, zoned, partial(_literal_in, "dateTime"))
    for restriction in _restrictions(XSD.dateTime, unzoned, partial(_literal_in, "dateTime without zone")):
        yield _and(restriction, _not(XSD.dateTimeStamp))


def _point_piece(space: str, part: Points) -> Argument:
    datatype = RDF[space] if space in ("XMLLiteral", "langString") else XSD[space]
    if part == SPACES[space]:
        return datatype
    literals = [literal_of(Value(space, key)) for key in sorted(part.members, key=repr)]
    listed = DataRange("DataOneOf", *(literal for literal in literals if literal is not None))
    return _and(datatype, _not(listed)) if part.is_complement else listed


# -- words -------------------------------------------------------------------------------------------------------------

_NAMES = {"langString": "strings with a language", "anyURI": "URIs", "boolean": "truth values", "string": "strings"}
_MOST_LISTED = 5


def in_words(values: ValueSet) -> str:
    """The set in plain words, as in "whole numbers from 0"."""
    if values.is_empty:
        return "no value"
    if values.possibly == EVERYTHING.possibly:
        return "any literal"
    found = [*_number_words(values), *_text_words(values.part("string")), *_other_words(values)]
    return " or ".join(dict.fromkeys(found))


def _number_words(values: ValueSet) -> Iterator[str]:
    parts = {space: values.part(space) for space in NUMBERS if space in values.spaces}
    named = "whole numbers" if set(parts) == {"integer"} else "numbers"
    spans = {span for part in parts.values() if isinstance(part, Intervals) for span in part.pairs}
    for low, high in sorted(spans):
        yield _span_words(named, low, high, _number_literal)
    for space in FLOATS:
        part = values.part(space)
        if space not in values.spaces or not isinstance(part, Intervals):
            continue
        pairs = [(-math.inf, 0), (math.inf, 1)] if part == SPACES[space] else None
        for low, high in [(pairs[0], pairs[1])] if pairs else part.pairs:
            yield _span_words(f"{space}s", low, high, partial(_literal_in, space))


def _span_words(named: str, low: Cut, high: Cut, literal: Callable[[Fraction], Literal | None]) -> str:
    ends = [None if math.isinf(end) else literal(Fraction(end)) for end, _ in (low, high)]
    if ends[0] is not None and ends[0] == ends[1]:
        return ends[0].value
    text = named
    if ends[0] is not None:
        text += f" {'above' if low[1] else 'from'} {ends[0].value}"
    if ends[1] is not None:
        text += f" {'to' if high[1] and ends[0] is not None else 'up to' if high[1] else 'below'} {ends[1].value}"
    return text


def _text_words(part: Part) -> Iterator[str]:
    if not isinstance(part, Texts):
        return
    listed = [f'"{text}"' for layer, text in sorted(part.exceptions) if (layer, text) in part]
    yield from listed[:_MOST_LISTED]
    if len(listed) > _MOST_LISTED:
        yield "other strings"
    for low, high in sorted({span for lengths in part.lengths for span in lengths.pairs}):
        if math.isinf(high[0]):
            yield "strings" if low[0] == 0 else f"strings of at least {low[0]} characters"
        elif low[0] == high[0]:
            yield f"strings of {low[0]} characters"
        else:
            yield f"strings of {low[0]} to {high[0]} characters"


def _other_words(values: ValueSet) -> Iterator[str]:
    for space in SPACES:
        if space not in values.spaces or space in (*NUMBERS, *FLOATS, "string", "other") or space.endswith(" NaN"):
            continue
        part = values.part(space)
        kind = space.partition(" ")[0]
        if isinstance(part, Points) and not part.is_complement and len(part.members) <= _MOST_LISTED:
            yield from sorted(str(literal_of(Value(space, key))) for key in part.members)
        elif isinstance(part, Intervals) and kind in DATES:
            for low, high in part.pairs:
                yield _span_words(f"{kind}s", low, high, partial(_literal_in, space))
        else:
            yield _NAMES.get(space, f"{space} values")


# -- reasons -----------------------------------------------------------------------------------------------------------

_Content = Expression | Bind | Values
_ARTICLES = {"IRI": "an IRI"}
_MOST_KINDS = 3
_KIND_TESTS = frozenset({"ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC"})


def reason_for(conditions: Sequence[tuple[_Content, str]], facts: Sequence[KnownTerms | SameValue]) -> str:
    """Why these conditions and facts cannot hold together. Each condition comes with its text, which may be empty."""
    texts = [text or _text(content) for content, text in conditions]
    if not conditions:
        return f"no value can be all of this: {joined([_fact_words(fact) for fact in facts])}"
    known = [words for fact in facts if (words := _fact_words(fact))]
    if len(conditions) == 1:
        return _reason_for_one(conditions[0][0], texts[0], facts, known)
    others = [content for content, _ in conditions if not isinstance(content, Bind)]
    if len(others) == 1 and (
        mismatch := _mismatch_after_binds(others[0], [content for content, _ in conditions], facts)
    ):
        return mismatch
    both = "cannot both hold" if len(texts) == 2 else "cannot all hold"
    return f"{joined([f'`{text}`' for text in texts])} {both}{_because(known, *(content for content, _ in conditions))}"


def _reason_for_one(content: _Content, text: str, facts: Sequence[KnownTerms | SameValue], known: Sequence[str]) -> str:
    """Why one condition cannot hold with these facts, of which those that say something are known."""
    match content:
        case Values(rows=rows):
            return f"no row of {_text(content)} fits: {joined(known)}" if rows else f"{_text(content)} has no rows"
        case Bind(variable=variable, expression=expression) if known:
            return f"{variable} is the value of `{text_of(expression)}`, but {joined(known)}"
        case Bind():
            return f"`{text}` is never true"
    unbound = next((fact for fact in facts if isinstance(fact, KnownTerms) and fact.is_bound is False), None)
    if unbound is not None:
        return f"{unbound.variable} is never bound here, so `{text}` is never true"
    if mismatch := _mismatch(content, facts):
        return mismatch
    if not known and (failed := _failed_test(content, facts)):
        return failed
    return f"`{text}` is never true{_because(known, content)}"


def _because(known: Sequence[str], *contents: _Content) -> str:
    """What is known, or the reason that is left if nothing is: a COUNT in a group that certainly has a row."""
    if known:
        return f": {joined(known)}"
    compared = [content for content in contents if not isinstance(content, Bind)]
    if len(compared) != 1 or not isinstance(compared[0], Call) or compared[0].name not in COMPARISONS:
        return ""
    expressions = (content.expression if isinstance(content, Bind) else content for content in contents)
    parts = (
        part for expression in expressions if not isinstance(expression, Values) for part in expressions_in(expression)
    )
    has_rows = any(isinstance(part, Aggregate) and part.has_rows for part in parts)
    return ", because each group has a row" if has_rows else ""


def joined(texts: Sequence[str]) -> str:
    """Some texts as one: "a, b and c"."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}" if texts else ""


def _text(content: _Content) -> str:
    if isinstance(content, Bind):
        return f"BIND({text_of(content.expression)} AS {content.variable})"
    if isinstance(content, Values):
        return f"VALUES ({' '.join(map(str, content.variables))})"
    return text_of(content)


def _fact_words(fact: KnownTerms | SameValue) -> str:
    if fact.words:
        return fact.words
    if isinstance(fact, SameValue):
        return f"{fact.left} and {fact.right} have the same value"
    if fact.is_bound is False:
        return f"{fact.variable} is never bound"
    if fact.allowed.terms is None and fact.allowed.families and not fact.allowed.families & {"IRI", "blank node"}:
        values = fact.allowed.literals
        if values.possibly != ValueSet.of_spaces(*values.spaces).possibly:
            return f"the values of {fact.variable} are {in_words(values)}"
    kind = kind_of(fact.allowed)
    return f"{fact.variable} is {kind}" if kind else ""


def kind_of(terms: TermSet) -> str:
    """The kind of some terms, as in "a number"; empty if they may be of many kinds."""
    if terms.constant is not None:
        return text_of(Constant(terms.constant, _nowhere()))
    kinds = sorted(_kinds(terms))
    if not kinds or len(kinds) > _MOST_KINDS:
        return "a literal" if kinds and not {"IRI", "blank node"} & set(kinds) else ""
    if kinds == ["IRI", "blank node"]:
        return "a node"
    return " or ".join(_ARTICLES.get(kind, f"a {kind}") for kind in kinds)


def _nowhere() -> Span:
    return Span(0, 0)


def _kinds(terms: TermSet) -> Iterator[str]:
    for family in terms.families - {"date"}:
        is_whole = family == "number" and not terms.literals.spaces & set(NUMBER_SPACES[1:])
        yield "whole number" if is_whole else family
    yield from {
        space.partition(" ")[0] for space in terms.literals.spaces if "date" in terms.families and _is_date(space)
    }


def _is_date(space: str) -> bool:
    return space.partition(" ")[0] in ("dateTime", "date", "gYear", "gYearMonth", "time", "gMonth", "gDay", "gMonthDay")


# -- expressions that are always an error ------------------------------------------------------------------------------


def why_without_value(expression: Expression, facts: Sequence[KnownTerms | SameValue]) -> str | None:
    """Why an expression is an error whatever its variables stand for; None if it may have a value."""
    domain = domain_of(facts)
    for part in expressions_in(expression):
        if isinstance(part, Aggregate) and part.name in ("SUM", "AVG") and part.argument is not None:
            added = evaluated(part.argument, domain)
            if not added.is_empty and (added & ADDED).is_empty:
                return f"{text_of(part.argument)} {_is(added)}, and `{text_of(part)}` needs a number"
    if not evaluated(expression, domain).is_empty:
        return None
    return _mismatch(expression, facts) or "its parts never fit together"


# -- operands of the wrong kind ----------------------------------------------------------------------------------------


def _mismatch(condition: Expression, facts: Sequence[KnownTerms | SameValue]) -> str | None:
    """The first call in a condition with an operand that it never takes, in words."""
    domain = domain_of(facts)
    for call in _calls(condition):
        values = [evaluated(argument, domain) for argument in call.arguments]
        if any(value.is_empty for value in values):
            continue
        wrong = wrong_argument(call.name, values)
        if wrong is not None:
            number, wanted = wrong
            argument = call.arguments[number]
            return f"{text_of(argument)} {_is(values[number])}, and `{text_of(call)}` needs {_a(wanted)}"
        if call.name in ("<", ">") and len(values) == 2:
            for side, value in zip(call.arguments, values, strict=True):
                if value.families <= {"IRI", "blank node"}:
                    return f"{text_of(side)} {_is(value)}, and `{call.name}` compares only literals"
        if call.name in ("=", "<", "<=", ">", ">=") and len(values) == 2:
            left, right = ({order_family(family) for family in value.families} for value in values)
            if not left & right:
                sides = (f"{text_of(side)} {_is(value)}" for side, value in zip(call.arguments, values, strict=True))
                return f"{', and '.join(sides)}: `{text_of(call)}` is never true"
    return None


def _failed_test(condition: Expression, facts: Sequence[KnownTerms | SameValue]) -> str | None:
    """Why a test such as isIRI fails."""
    if not isinstance(condition, Call) or condition.name not in _KIND_TESTS:
        return None
    [argument] = condition.arguments
    kind = kind_of(evaluated(argument, domain_of(facts)))
    return f"{text_of(argument)} is {kind}, so `{text_of(condition)}` is never true" if kind else None


def _mismatch_after_binds(
    condition: _Content, all_of: Sequence[_Content], facts: Sequence[KnownTerms | SameValue]
) -> str | None:
    """The same for a condition on variables that BINDs compute: the reason begins with what they are."""
    if isinstance(condition, Bind | Values):
        return None
    binds = [content for content in all_of if isinstance(content, Bind)]
    domain = domain_of(facts)
    computed = [KnownTerms(bind.variable, 0, evaluated(bind.expression, domain)) for bind in binds]
    mismatch = _mismatch(condition, [*facts, *computed])
    values = joined([f"{bind.variable} is `{text_of(bind.expression)}`" for bind in binds])
    mismatch = mismatch or _failed_test(condition, [*facts, *computed])
    return None if mismatch is None else f"{values}; {mismatch}"


def _is(terms: TermSet) -> str:
    plain = TermSet(terms.iris, terms.blanks, terms.literals)
    return f"is {kind_of(plain) or 'of another kind'}"


def _a(words: str) -> str:
    return f"an {words}" if words[0] in "Iaeiou" else f"a {words}"


def _calls(expression: Expression) -> Iterator[Call]:
    """All calls in an expression, the innermost first."""
    if isinstance(expression, Call):
        for argument in expression.arguments:
            yield from _calls(argument)
        yield expression
