"""SPARQL queries against an ontology: which parts of a query can never match, and whether its answers are as expected.

The entry points are `check` and `test`, or `diagnosis.checking.Checker` for many queries. Reading order: `schema` (an
ontology, prepared for many queries), `patterns` (what must hold if a group of the query matches), `clashes` (proofs
that this contradicts the ontology), `filters` (literals and conditions), `diagnosis` (the check), `files` (queries in
files), and `testing` (queries on generated data).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kgprobe.queries.diagnostics import Report
    from kgprobe.queries.testing.data import Result
    from kgprobe.rdf.graph import Graph

__all__ = ["check", "test"]


def check(text: str, ontology: str | Path | Graph | Sequence[str | Path | Graph]) -> Report:
    """Check a query or updates against an ontology, or against several as one: files or graphs.

    InputError if the text is not SPARQL, or the ontology cannot be read or is inconsistent.
    """
    # Imported late: the package is imported with each of its modules, and most do not need a reasoner.
    from kgprobe.queries.diagnosis.checking import Checker
    from kgprobe.queries.files.texts import QueryText
    from kgprobe.queries.schema import load_schema
    from kgprobe.rdf.graph import Graph

    given = [ontology] if isinstance(ontology, str | Path | Graph) else list(ontology)
    with Checker(load_schema(given)) as checker:
        checker.require_consistency()
        return checker.check(QueryText.whole("<query>", text))


def test(
    text: str,
    ontology: str | Path | Graph | Sequence[str | Path | Graph],
    *,
    expect: str | Sequence[str] = (),  # noqa: PT028 - pytest does not collect this function
    possible: bool = False,  # noqa: PT028
    related: str | Sequence[str] = (),  # noqa: PT028
    ask: str | Sequence[str] = (),  # noqa: PT028
    nonempty: bool = False,  # noqa: PT028
    empty: bool = False,  # noqa: PT028
    at_most: int | None = None,  # noqa: PT028
    same_as: str | Sequence[str] = (),  # noqa: PT028
    checks: Sequence[Callable[..., Any]] = (),  # noqa: PT028
    regime: str = "none",  # noqa: PT028
    tests: int = 256,  # noqa: PT028
    seed: int = 0,  # noqa: PT028
) -> Result:
    """Test a query on data that are generated from it and the ontology, and check its answers.

    The properties are those of `kgprobe query test`: `expect` holds texts such as `?user: ex:age some
    xsd:integer[>= 18]`, `ask` and `same_as` the texts of queries, and `checks` functions of an answer and the graph.

    InputError if the query, a property or the ontology is wrong.
    """
    from kgprobe.queries.testing.request import Request, Text
    from kgprobe.queries.testing.run import run_test

    def listed(given: str | Sequence[str]) -> tuple[str, ...]:
        return (given,) if isinstance(given, str) else tuple(given)

    request = Request(
        listed(expect),
        possible,
        listed(related),
        tuple(Text(each, f"<ask {number}>") for number, each in enumerate(listed(ask), start=1)),
        nonempty,
        empty,
        at_most,
        tuple(Text(each, f"<same as {number}>") for number, each in enumerate(listed(same_as), start=1)),
        {getattr(each, "__name__", str(each)): each for each in checks},
    )
    return run_test(text, ontology, request, tests=tests, seed=seed, regime=regime)
