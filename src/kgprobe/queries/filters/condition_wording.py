"""Reasons why conditions cannot hold, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgprobe.queries.filters.branches import COMPARISONS
from kgprobe.queries.filters.expressions import evaluated
from kgprobe.queries.filters.functions import ADDED, wrong_argument
from kgprobe.queries.filters.refutation import Fact, Link, domain_of
from kgprobe.queries.filters.term_sets import NUMBER_SPACES, TermSet, order_family
from kgprobe.queries.filters.value_rendering import in_words
from kgprobe.queries.filters.values import ValueSet
from kgprobe.sparql.algebra import Aggregate, Bind, Call, Constant, Expression, Span, Values
from kgprobe.sparql.traversal import expressions_in
from kgprobe.sparql.writing import text_of

__all__ = ["joined", "kind_of", "reason_for", "why_without_value"]

_Content = Expression | Bind | Values
_ARTICLES = {"IRI": "an IRI"}
_MOST_KINDS = 3
_KIND_TESTS = frozenset({"ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC"})


def reason_for(conditions: Sequence[tuple[_Content, str]], facts: Sequence[Fact | Link]) -> str:
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


def _reason_for_one(content: _Content, text: str, facts: Sequence[Fact | Link], known: Sequence[str]) -> str:
    """Why one condition cannot hold with these facts, of which those that say something are known."""
    match content:
        case Values(rows=rows):
            return f"no row of {_text(content)} fits: {joined(known)}" if rows else f"{_text(content)} has no rows"
        case Bind(variable=variable, expression=expression) if known:
            return f"{variable} is the value of `{text_of(expression)}`, but {joined(known)}"
        case Bind():
            return f"`{text}` is never true"
    unbound = next((fact for fact in facts if isinstance(fact, Fact) and fact.is_bound is False), None)
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
    compared = [each for each in contents if not isinstance(each, Bind)]
    if len(compared) != 1 or not isinstance(compared[0], Call) or compared[0].name not in COMPARISONS:
        return ""
    expressions = (each.expression if isinstance(each, Bind) else each for each in contents)
    parts = (part for each in expressions if not isinstance(each, Values) for part in expressions_in(each))
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


def _fact_words(fact: Fact | Link) -> str:
    if fact.words:
        return fact.words
    if isinstance(fact, Link):
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


def why_without_value(expression: Expression, facts: Sequence[Fact | Link]) -> str | None:
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


def _mismatch(condition: Expression, facts: Sequence[Fact | Link]) -> str | None:
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
            left, right = ({order_family(each) for each in value.families} for value in values)
            if not left & right:
                sides = (f"{text_of(side)} {_is(value)}" for side, value in zip(call.arguments, values, strict=True))
                return f"{', and '.join(sides)}: `{text_of(call)}` is never true"
    return None


def _failed_test(condition: Expression, facts: Sequence[Fact | Link]) -> str | None:
    """Why a test such as isIRI fails."""
    if not isinstance(condition, Call) or condition.name not in _KIND_TESTS:
        return None
    [argument] = condition.arguments
    kind = kind_of(evaluated(argument, domain_of(facts)))
    return f"{text_of(argument)} is {kind}, so `{text_of(condition)}` is never true" if kind else None


def _mismatch_after_binds(condition: _Content, all_of: Sequence[_Content], facts: Sequence[Fact | Link]) -> str | None:
    """The same for a condition on variables that BINDs compute: the reason begins with what they are."""
    if isinstance(condition, Bind | Values):
        return None
    binds = [each for each in all_of if isinstance(each, Bind)]
    domain = domain_of(facts)
    computed = [Fact(each.variable, 0, evaluated(each.expression, domain)) for each in binds]
    mismatch = _mismatch(condition, [*facts, *computed])
    values = joined([f"{each.variable} is `{text_of(each.expression)}`" for each in binds])
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
