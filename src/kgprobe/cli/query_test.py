"""`kgprobe query test`: test a SPARQL query on generated data."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from kgprobe.cli.options import Reading, option, print_json, reads_graphs, takes
from kgprobe.cli.progress import counting_progress
from kgprobe.errors import InputError, Position

if TYPE_CHECKING:
    from kgprobe.queries.schema import Schema
    from kgprobe.queries.testing.request import Request, Text
    from kgprobe.queries.testing.run import Settings

_EXAMPLES = """\b
Examples:
  kgprobe query test report.rq --ontology onto.ttl              can it have an answer?
  kgprobe query test report.rq --ontology onto.ttl --expect '?user: ex:age some xsd:integer[>= 18]'
  kgprobe query test new.rq --ontology onto.ttl --same-as old.rq
  kgprobe query test report.rq --ontology onto.ttl --expect '?user: ex:Member' --save failing
  kgprobe query test report.rq --ontology onto.ttl --replay failing
"""
_file = click.Path(exists=True, dir_okay=False, allow_dash=True)


@dataclass(frozen=True, kw_only=True)
class QueryTestOptions:
    """The options of the command."""

    ontologies: tuple[str, ...] = option(
        "--ontology",
        metavar="FILE",
        multiple=True,
        help="The ontology. May be given more than once. Without it, a comment '# kgprobe: ontology FILE' names it.",
    )
    expect: tuple[str, ...] = option(
        "--expect",
        metavar="'?VAR: CLASS'",
        multiple=True,
        help="?VAR is in this class (Manchester syntax), in each answer.",
    )
    possible: bool = option(
        "--possible", is_flag=True, help="With --expect: ?VAR can be in the class; it need not follow."
    )
    related: tuple[str, ...] = option(
        "--related", metavar="'?A PROPERTY ?B'", multiple=True, help="This triple follows, for each answer."
    )
    ask: tuple[str, ...] = option(
        "--ask", metavar="FILE", multiple=True, type=_file, help="This ASK query holds, for each answer."
    )
    nonempty: bool = option("--nonempty", is_flag=True, help="There is an answer, on all data.")
    empty: bool = option("--empty", is_flag=True, help="There is no answer, on any data.")
    at_most: int | None = option(
        "--at-most", metavar="N", type=click.IntRange(min=0), help="There are at most this many answers."
    )
    same_as: tuple[str, ...] = option(
        "--same-as", metavar="QUERY", multiple=True, type=_file, help="This query has the same answers."
    )
    python: tuple[str, ...] = option(
        "--python",
        metavar="MODULE:FUNCTION",
        multiple=True,
        help="This function of an answer and the graph returns true. The module is looked up from the current folder.",
    )
    regime: str = option(
        "--regime",
        type=click.Choice(["none", "rdfs", "rl", "dl"]),
        default="none",
        show_default=True,
        help="What the query sees: the stated triples, or also those that follow.",
    )
    tests: int = option(
        "--tests", metavar="N", type=click.IntRange(min=1), default=256, show_default=True, help="Data sets to try."
    )
    seed: int = option(
        "--seed", metavar="N", type=int, default=0, show_default=True, help="Another seed gives other random data."
    )
    data: str | None = option(
        "--data",
        metavar="FILE.toml",
        type=click.Path(exists=True, dir_okay=False),
        help="Values and numbers for the data.",
    )
    save: str | None = option(
        "--save", metavar="FOLDER", type=click.Path(file_okay=False), help="Save a counterexample in this folder."
    )
    replay: str | None = option(
        "--replay",
        metavar="FOLDER",
        type=click.Path(exists=True, file_okay=False),
        help="Run the query on the counterexamples in this folder, and nothing else.",
    )
    as_json: bool = option("--json", is_flag=True, help="Print JSON.")

    @property
    def request(self) -> Request:
        """The properties to test."""
        from kgprobe.queries.testing.request import Request

        if self.possible and not self.expect:
            raise InputError("--possible is about --expect, which is not given")
        return Request(
            self.expect,
            self.possible,
            self.related,
            tuple(map(_text, self.ask)),
            self.nonempty,
            self.empty,
            self.at_most,
            tuple(map(_text, self.same_as)),
            {name: _function(name) for name in self.python},
        )

    def settings(self, query: Text, schema: Schema) -> Settings:
        """How to test a query."""
        from kgprobe.config.query_data import read_wishes
        from kgprobe.queries.testing.data import Wishes
        from kgprobe.queries.testing.request import read_query
        from kgprobe.queries.testing.run import Settings, as_regime

        prefixes = dict(schema.graph.spelling.prefixes)
        prefixes |= read_query(query.text, query.name, prefixes).prefixes
        wishes = Wishes() if self.data is None else read_wishes(Path(self.data), schema, prefixes)
        return Settings(self.tests, self.seed, as_regime(self.regime), wishes)


@click.command("test", epilog=_EXAMPLES, short_help="test a query on generated data")
@click.argument("path", metavar="QUERY", type=_file)
@takes(QueryTestOptions)
@reads_graphs
def command(reading: Reading, path: str, options: QueryTestOptions) -> int:
    """Test QUERY on data that are generated from the query and the ontology, and check every answer.

    Only data that are consistent with the ontology count. A counterexample is reduced to the fewest triples, and is run
    again before it is shown. Without any property, the query passes if it has an answer on consistent data.
    """
    from kgprobe.queries.schema import load_schema

    query = _text(path)
    ontologies = options.ontologies or _named_in(query)
    schema = load_schema([reading.read(ontology) for ontology in ontologies])
    settings = options.settings(query, schema)
    request = options.request
    if options.replay is not None:
        return _replay(query, schema, settings, Path(options.replay), as_json=options.as_json)
    return _run(query, schema, request, settings, replace(options, ontologies=ontologies))


def _run(query: Text, schema: Schema, request: Request, settings: Settings, options: QueryTestOptions) -> int:
    from kgprobe.queries.schema import check_consistency
    from kgprobe.queries.testing.run import prepared_test
    from kgprobe.queries.testing.saved import save
    from kgprobe.reasoners.auto import opened
    from kgprobe.report.queries import result_lines

    prefixes = schema.graph.spelling.prefixes
    with opened() as reasoner:
        test = prepared_test(query.text, schema, request, reasoner, settings, name=query.name, prefixes=prefixes)
        check_consistency(schema, reasoner)
        with counting_progress(f"testing {query.name}", settings.tests) as advance:
            result = test.run(advance)
    saved = None
    if options.save is not None and result.counterexample is not None:
        saved = save(
            Path(options.save),
            result.counterexample,
            query=query.name,
            ontologies=options.ontologies,
            request=request,
            regime=settings.regime,
        )
    if options.as_json:
        print_json({"query": query.name, **result.value(), "saved": None if saved is None else str(saved)})
    else:
        for line in result_lines(query.name, result, test.spell):
            click.echo(line)
        if saved is not None:
            click.echo(f"  saved as {saved}")
    return result.exit_code


def _replay(query: Text, schema: Schema, settings: Settings, folder: Path, *, as_json: bool) -> int:
    from kgprobe.queries.testing.saved import replayed, saved_in
    from kgprobe.reasoners.auto import opened
    from kgprobe.report.queries import replay_lines

    with opened() as reasoner:
        results = [
            replayed(counterexample, query, schema, reasoner, settings, _function)
            for counterexample in saved_in(folder)
            if counterexample.query == Path(query.name).name
        ]
    failing = sum(result.is_failing for result in results)
    if as_json:
        outcome = "falsified" if failing else "passed"
        print_json({"query": query.name, "outcome": outcome, "replayed": [result.value() for result in results]})
    else:
        for line in replay_lines(query.name, results):
            click.echo(line)
    return 1 if failing else 0


def _named_in(query: Text) -> tuple[str, ...]:
    """The ontologies that the comments of a query name."""
    from kgprobe.queries.diagnosis.checking import named_ontologies
    from kgprobe.queries.files.query_files import source_of

    found = named_ontologies(source_of(query.name, query.text))
    if not found:
        hint = "--ontology FILE, or a comment '# kgprobe: ontology FILE' in the query, names one"
        raise InputError("no ontology is given", where=Position(query.name), hint=hint)
    return found


def _text(path: str) -> Text:
    from kgprobe.queries.files.query_files import read_source
    from kgprobe.queries.testing.request import Text

    source = read_source(path)
    return Text(source.file.text, source.file.name)


def _function(name: str) -> Callable[..., Any]:
    """A function that the user names on the command line, in a module that can be imported from the current folder."""
    module, _, function = name.partition(":")
    where = Position("--python")
    if not module or not function:
        raise InputError(f"'{name}' is not MODULE:FUNCTION", where=where)
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found: Any = getattr(importlib.import_module(module), function)
    except Exception as error:  # the user's module may raise anything
        raise InputError(f"{name} cannot be imported: {type(error).__name__}: {error}", where=where) from None
    if not callable(found):
        raise InputError(f"{name} is not a function", where=where)
    return cast("Callable[..., Any]", found)
