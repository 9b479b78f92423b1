"""Testing a SPARQL query on generated data, compared with only loading the data and running the query.

Run with `python -m bench.query_tests`. The query is the third one of the social network, and the property is that the
event takes place in 2017 or later. The yardstick loads each data set on which the query has an answer into a new store
of pyoxigraph and runs the query. Our time is that of the whole test: making the data, deciding whether they are
consistent, running the query on ontology and data, and checking each answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from pyoxigraph import Quad, Store

from bench.measure import Row, report
from kgprobe.queries.schema import Schema, load_schema
from kgprobe.queries.testing.data import Datum, Wishes
from kgprobe.queries.testing.request import Request
from kgprobe.queries.testing.run import QueryTest, Settings, prepared_test
from kgprobe.reasoners.auto import opened

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "social-network"
THIS_YEAR = '?event: sn:date some xsd:dateTime[>= "2017-01-01T00:00:00Z"^^xsd:dateTime]'
DATA_SETS = 10_752
FEWER = 2_000
RUNS = 3
INDIVIDUALS = (6, 12)


def _timed_test(schema: Schema, text: str, wanted: int, wishes: Wishes) -> tuple[float, list[Sequence[Datum]], int]:
    """The processor seconds until enough consistent data sets with an answer were tested, these, and the questions."""
    found: list[Sequence[Datum]] = []
    with opened() as reasoner:
        start = time.process_time()
        settings = Settings(tests=2 * wanted, wishes=wishes)
        prefixes = schema.graph.spelling.prefixes
        test: QueryTest = prepared_test(
            text, schema, Request(expect=[THIS_YEAR]), reasoner, settings, prefixes=prefixes
        )
        for data in test.data_sets:
            verdict = test.judged(data)
            assert verdict.breach is None, "the query has the property"
            if verdict.is_nontrivial:
                found.append(data)
                if len(found) == wanted:
                    break
        return time.process_time() - start, found, test.judge.asks


def _yardstick(data_sets: Sequence[Sequence[Datum]], text: str) -> float:
    start = time.process_time()
    for data in data_sets:
        store = Store()
        store.extend(Quad(triple.subject, triple.predicate, triple.object) for triple in data)
        assert len(list(store.query(text))) >= 0  # type: ignore[arg-type]
    return time.process_time() - start


def rows() -> Iterator[Row]:
    """The measurements."""
    schema = load_schema([FOLDER / "ontology.ttl"])
    text = (FOLDER / "queries" / "3.rq").read_text(encoding="utf-8")
    seconds, data_sets, asks = min(
        (_timed_test(schema, text, DATA_SETS, Wishes()) for _ in range(RUNS)), key=itemgetter(0)
    )
    yardstick = min(_yardstick(data_sets, text) for _ in range(RUNS))
    what = f"query test: {len(data_sets):,} data sets, {asks} questions to a reasoner"
    yield Row(what, f"{seconds:.2f} s", f"{yardstick:.2f} s", seconds / yardstick, 4.0)
    small, large = (_timed_test(schema, text, FEWER, Wishes(individuals=number))[0] for number in INDIVIDUALS)
    what = f"query test: {INDIVIDUALS[1]} individuals, compared with {INDIVIDUALS[0]}"
    yield Row(what, f"{large:.2f} s", f"{small:.2f} s", large / small, 4.0)


def main() -> None:
    """Print the ratios."""
    report(list(rows()))


if __name__ == "__main__":
    main()
