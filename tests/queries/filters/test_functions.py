"""The table of functions: each row refuses what it must refuse, and pyoxigraph never returns what it rules out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product

import pytest
from pyoxigraph import Store

from kgprobe.owl.value_sets import ValueSet
from kgprobe.queries.filters.functions import FUNCTIONS, result_of, wrong_argument
from kgprobe.queries.filters.term_sets import ANYTHING, IRIS, NODES, TermSet
from kgprobe.rdf.terms import XSD, BlankNode, Literal, NamedNode, Term
from queries.filters.random_conditions import MIXED

_NUMBER, _TEXT, _DATE, _IRI = (
    Literal(5),
    Literal("a"),
    Literal("2020-01-01T00:00:00Z", datatype=XSD.dateTime),
    NamedNode("u:a"),
)
_FLAG, _TAGGED, _DAY = Literal(True), Literal("a", language="en"), Literal("2020-01-01", datatype=XSD.date)
_DURATION = Literal("P1D", datatype=XSD.duration)

# For each function: arguments that it takes, and arguments that are an error in every engine.
_ROWS: dict[str, tuple[list[tuple[Term, ...]], list[tuple[Term, ...]]]] = {
    "=": ([(_NUMBER, _NUMBER), (_IRI, _NUMBER)], []),
    "!=": ([(_IRI, _IRI)], []),
    "<": ([(_NUMBER, _NUMBER), (_DAY, _DAY)], []),
    ">": ([(_TEXT, _TEXT)], []),
    "<=": ([(_DATE, _DATE)], []),
    ">=": ([(_FLAG, _FLAG)], []),
    "!": ([(_FLAG,), (_NUMBER,), (_TEXT,)], [(_IRI,), (_DATE,)]),
    "+": ([(_NUMBER, _NUMBER), (_DAY, _DURATION), (_TEXT, _TEXT)], [(_IRI, _NUMBER), (_NUMBER, _FLAG)]),
    "-": ([(_NUMBER, _NUMBER), (_DAY, _DAY), (_NUMBER,)], [(_TEXT, _NUMBER), (_TEXT,), (_IRI,)]),
    "*": ([(_NUMBER, _NUMBER)], [(_TEXT, _NUMBER), (_NUMBER, _DATE)]),
    "/": ([(_NUMBER, _NUMBER)], [(_NUMBER, _TEXT)]),
    "STR": ([(_NUMBER,), (_IRI,)], []),
    "LANG": ([(_TEXT,), (_NUMBER,)], [(_IRI,)]),
    "LANGMATCHES": ([(_TEXT, _TEXT)], [(_NUMBER, _TEXT), (_TEXT, _IRI)]),
    "DATATYPE": ([(_TEXT,), (_NUMBER,)], [(_IRI,)]),
    "IRI": ([(_TEXT,), (_IRI,), (_NUMBER,)], []),
    "URI": ([(_TEXT,)], []),
    "BNODE": ([(_TEXT,), ()], [(_NUMBER,), (_IRI,)]),
    "RAND": ([()], []),
    "ABS": ([(_NUMBER,)], [(_TEXT,), (_IRI,)]),
    "CEIL": ([(_NUMBER,)], [(_TEXT,)]),
    "FLOOR": ([(_NUMBER,)], [(_FLAG,)]),
    "ROUND": ([(_NUMBER,)], [(_DATE,)]),
    "CONCAT": ([(_TEXT, _TEXT), (_NUMBER,)], []),
    "STRLEN": ([(_TEXT,), (_TAGGED,)], [(_NUMBER,), (_IRI,)]),
    "UCASE": ([(_TEXT,)], [(_NUMBER,)]),
    "LCASE": ([(_TAGGED,)], [(_FLAG,)]),
    "ENCODE_FOR_URI": ([(_TEXT,)], [(_IRI,)]),
    "CONTAINS": ([(_TEXT, _TEXT)], [(_NUMBER, _TEXT), (_TEXT, _NUMBER)]),
    "STRSTARTS": ([(_TAGGED, _TEXT)], [(_IRI, _TEXT)]),
    "STRENDS": ([(_TEXT, _TEXT)], [(_DATE, _TEXT)]),
    "STRBEFORE": ([(_TEXT, _TEXT)], [(_NUMBER, _TEXT)]),
    "STRAFTER": ([(_TEXT, _TEXT)], [(_TEXT, _FLAG)]),
    "SUBSTR": ([(_TEXT, _NUMBER), (_TEXT, _NUMBER, _NUMBER)], [(_NUMBER, _NUMBER), (_TEXT, _TEXT)]),
    "REPLACE": ([(_TEXT, _TEXT, _TEXT)], [(_NUMBER, _TEXT, _TEXT), (_TEXT, _TEXT, _NUMBER)]),
    "REGEX": ([(_TEXT, _TEXT), (_TAGGED, _TEXT, Literal("i"))], [(_NUMBER, _TEXT), (_IRI, _TEXT), (_TEXT, _NUMBER)]),
    "YEAR": ([(_DATE,), (_DAY,)], [(_TEXT,), (_NUMBER,), (_IRI,)]),
    "MONTH": ([(_DATE,)], [(_NUMBER,)]),
    "DAY": ([(_DAY,)], [(_FLAG,)]),
    "HOURS": ([(_DATE,)], [(_TEXT,)]),
    "MINUTES": ([(_DATE,)], [(_IRI,)]),
    "SECONDS": ([(_DATE,)], [(_NUMBER,)]),
    "TIMEZONE": ([(_DATE,)], [(_TEXT,)]),
    "TZ": ([(_DATE,)], [(_NUMBER,)]),
    "NOW": ([()], []),
    "UUID": ([()], []),
    "STRUUID": ([()], []),
    **{name: ([(_TEXT,)], [(_NUMBER,), (_IRI,)]) for name in ("MD5", "SHA1", "SHA256", "SHA384", "SHA512")},
    "STRLANG": ([(_TEXT, _TEXT)], [(_NUMBER, _TEXT), (_IRI, _TEXT)]),
    "STRDT": ([(_TEXT, _IRI)], [(_NUMBER, _IRI), (_TEXT, _TEXT)]),
    "SAMETERM": ([(_IRI, _NUMBER)], []),
    **{name: ([(_IRI,), (_NUMBER,)], []) for name in ("ISIRI", "ISURI", "ISBLANK", "ISLITERAL", "ISNUMERIC")},
    "&&": ([(_FLAG, _FLAG)], []),
    "||": ([(_FLAG, _FLAG)], []),
    XSD.boolean.value: ([(_NUMBER,), (_TEXT,)], [(_IRI,), (_DATE,)]),
    XSD.integer.value: ([(_FLAG,), (Literal("5"),)], [(_IRI,), (_DATE,), (Literal("abc"),)]),
    XSD.decimal.value: ([(_NUMBER,)], [(_IRI,), (Literal("abc"),)]),
    XSD.double.value: ([(_NUMBER,), (Literal("INF"),)], [(_DATE,)]),
    XSD.float.value: ([(_NUMBER,)], [(_DATE,), (Literal(""),)]),
    XSD.dateTime.value: ([(_DATE,), (_DAY,), (Literal("2020-01-01T00:00:00Z"),)], [(_NUMBER,), (_IRI,), (_FLAG,)]),
    XSD.date.value: ([(_DATE,), (Literal("2020-01-01"),)], [(_NUMBER,), (_IRI,)]),
    XSD.string.value: ([(_NUMBER,), (_IRI,)], []),
}


def test_every_function_has_a_row() -> None:
    assert set(_ROWS) == set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_each_row_fires_and_does_not_fire(name: str) -> None:
    taken, refused = _ROWS[name]
    for arguments in taken:
        assert not result_of(name, _sets(arguments)).is_empty, arguments
    for arguments in refused:
        assert result_of(name, _sets(arguments)).is_empty, arguments


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_call_with_unknown_arguments_may_work(name: str) -> None:
    for arguments in _ROWS[name][0]:
        assert not result_of(name, (ANYTHING,) * len(arguments)).is_empty


def test_a_call_with_an_argument_that_is_an_error_is_an_error() -> None:
    assert result_of("STRLEN", (TermSet(),)).is_empty
    assert result_of("+", (ANYTHING, TermSet())).is_empty


def test_the_wrong_argument_is_named_with_the_kind_that_is_needed() -> None:
    assert wrong_argument("REGEX", [ANYTHING, IRIS]) == (1, "string")
    assert wrong_argument("STRLEN", [NODES]) == (0, "string")
    assert wrong_argument("+", [ANYTHING, NODES]) == (1, "number, string, date or duration")
    assert wrong_argument("STRLEN", [TermSet.of_values(ValueSet.of_datatype(XSD.token))]) is None
    assert wrong_argument("http://example.org/own", [NODES]) is None


# -- against pyoxigraph ------------------------------------------------------------------------------------------------

_INFIX = frozenset({"=", "!=", "<", "<=", ">", ">=", "&&", "||", "+", "-", "*", "/"})
_FIRST = tuple(MIXED.terms)
_SECOND = (
    _NUMBER,
    _TEXT,
    _TAGGED,
    _DATE,
    _DAY,
    _DURATION,
    _IRI,
    _FLAG,
    Literal(0),
    Literal("NaN", datatype=XSD.double),
)


@lru_cache(maxsize=1)
def _store() -> Store:
    return Store()


def _sets(arguments: Sequence[Term]) -> tuple[TermSet, ...]:
    return tuple(TermSet.of_term(argument) for argument in arguments)


def _evaluated(name: str, arguments: Sequence[Term]) -> Term | None:
    texts = [
        f"BNODE({Literal(argument.value)})" if isinstance(argument, BlankNode) else str(argument)
        for argument in arguments
    ]
    if name in _INFIX and len(texts) == 2:
        call = f"{texts[0]} {name} {texts[1]}"
    else:
        call = f"{f'<{name}>' if ':' in name else name}({', '.join(texts)})"
    (row,) = _store().query(f"SELECT ({call} AS ?result) {{}}")  # type: ignore[misc]  # solutions
    found: Term | None = row["result"]
    return found


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - {"IRI", "URI", "RAND", "NOW", "UUID", "STRUUID"}))
def test_pyoxigraph_returns_nothing_that_the_table_rules_out(name: str) -> None:
    numbers = {len(arguments) for arguments in _ROWS[name][0]} - {0}
    count = 0
    for number in numbers:
        for arguments in product(_FIRST, *(_SECOND,) * min(number - 1, 1)):
            full = (*arguments, *(_TEXT,) * (number - len(arguments)))
            found = _evaluated(name, full)
            count += 1
            if found is not None:
                assert found in result_of(name, _sets(full)), (full, found)
    assert count >= len(_FIRST)
