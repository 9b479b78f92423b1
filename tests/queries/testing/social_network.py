"""The ontology and the queries of the paper, for tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kgprobe.queries.schema import Schema, load_schema
from kgprobe.queries.testing.data import Result
from kgprobe.queries.testing.request import Request
from kgprobe.queries.testing.run import QueryTest, Settings, prepared_test
from kgprobe.reasoners.auto import opened

FOLDER = Path(__file__).parents[3] / "examples" / "social-network"
PREFIXES = {
    "sn": "https://example.org/social-network#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
MATURE = "sn:age some xsd:integer[>= 40]"
YOUNG = "sn:age some xsd:integer[< 40]"
POPULAR = "sn:Event and (sn:confirmed_by some sn:User)"
THIS_YEAR = 'sn:date some xsd:dateTime[>= "2017-01-01T00:00:00Z"^^xsd:dateTime]'


@cache
def social_network() -> Schema:
    """The ontology."""
    return load_schema([FOLDER / "ontology.ttl"])


def case(number: int) -> str:
    """The query of a case of the paper."""
    return (FOLDER / "queries" / f"{number}.rq").read_text(encoding="utf-8")


def corrected_case_3() -> str:
    """The third case as it should have been."""
    return case(3).replace("?user2 sn:age", "?user1 sn:age")


def result_of(text: str, request: Request | None = None, schema: Schema | None = None, **settings: object) -> Result:
    """The result of a test."""
    with opened() as reasoner:
        chosen = Settings(**settings)  # type: ignore[arg-type]  # the keywords are those of the type
        test: QueryTest = prepared_test(
            text, schema or social_network(), request or Request(), reasoner, chosen, prefixes=PREFIXES
        )
        return test.run()
