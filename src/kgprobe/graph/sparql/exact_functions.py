"""What `rewriting` puts into queries: functions of SPARQL that know what a stand-in stands for."""

from __future__ import annotations

from collections.abc import Callable

from pyoxigraph import QuerySolutions, Store

from kgprobe.graph.sparql.engine import Function, Functions, answer
from kgprobe.graph.sparql.rewriting import FUNCTIONS
from kgprobe.graph.sparql.stand_ins import exact, stand_in
from kgprobe.graph.terms import BlankNode, Literal, NamedNode, Term

__all__ = ["AGGREGATES", "EXACT_FUNCTIONS"]


def _str(term: Term) -> Term | None:
    return None if isinstance(term, BlankNode) else Literal(term.value)


def _datatype(term: Term) -> Term | None:
    found = exact(term)
    return found.datatype if isinstance(found, Literal) else None


def _strdt(text: Term, datatype: Term) -> Term | None:
    is_plain = isinstance(text, Literal) and text.datatype == Literal("").datatype
    return stand_in(Literal(text.value, datatype=datatype)) if is_plain and isinstance(datatype, NamedNode) else None


_BY_NAME: dict[str, Function] = {"value": exact, "str": _str, "datatype": _datatype, "strdt": _strdt}
EXACT_FUNCTIONS: Functions = {NamedNode(FUNCTIONS + name): function for name, function in _BY_NAME.items()}


class _Aggregate:
    """An aggregate of SPARQL over the literals that stand-ins stand for."""

    def __init__(self, name: str, *, is_distinct: bool) -> None:
        self._name = name
        self._is_distinct = is_distinct
        self._terms: list[Term] = []

    def accumulate(self, term: Term) -> None:
        self._terms.append(term)

    def finish(self) -> Term | None:
        terms = list(dict.fromkeys(self._terms)) if self._is_distinct else self._terms
        found = self._of(terms)
        if found is None or self._name not in ("MIN", "MAX"):
            return found
        # The least or greatest term itself, as it is written.
        alike = [term for term in terms if self._of([term]) == found]
        return min(alike, key=str, default=found)

    def _of(self, terms: list[Term]) -> Term | None:
        store = Store()
        blanks: dict[Term, Term] = {
            term: NamedNode(f"urn:kgprobe:blank:{n}") for n, term in enumerate(terms) if isinstance(term, BlankNode)
        }
        values = " ".join(str(blanks.get(term, exact(term))) for term in terms)
        results = answer(store, f"SELECT ({self._name}(?x) AS ?found) {{ VALUES ?x {{ {values} }} }}", self._name)
        assert isinstance(results, QuerySolutions)  # noqa: S101 - that is what SELECT gives
        found: Term | None = next(results)["found"]
        return next((blank for blank, name in blanks.items() if name == found), found)


def _aggregate(name: str, *, is_distinct: bool) -> Callable[[], _Aggregate]:
    return lambda: _Aggregate(name, is_distinct=is_distinct)


AGGREGATES = {
    NamedNode(f"{FUNCTIONS}{name.lower()}{'-distinct' if is_distinct else ''}"): _aggregate(
        name, is_distinct=is_distinct
    )
    for name in ("SUM", "AVG", "MIN", "MAX")
    for is_distinct in (False, True)
}
