"""A plugin for pytest: SPARQL queries as tests, and queries in tests.

`pytest --kg-queries 'queries/**/*.rq'` checks each query against its ontology: a query with an error is a test that
fails. The fixture `kg_query` checks a query and runs it:

    def test_open_orders(kg_query):
        assert len(kg_query("queries/open_orders.rq", "orders.ttl")) == 3

All tests of a session share the reasoners. The plugin imports nothing until a query is checked.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    import rdflib

    from kgprobe.errors import KgprobeError
    from kgprobe.queries.clashes.reasoning import Engines
    from kgprobe.queries.diagnosis.checking import Checker
    from kgprobe.queries.diagnostics import Diagnostic, Report
    from kgprobe.queries.files.query_files import QuerySource
    from kgprobe.rdf.graph import Graph
    from kgprobe.rdf.terms import Term

_SUFFIXES = (".rq", ".sparql", ".ru")
# A warning travels with the report of its test, also from a worker of xdist.
_WARNING = "kgprobe_warning"
_files = pytest.StashKey[frozenset[Path]]()
_checks = pytest.StashKey["_Checks"]()

_GivenGraph: TypeAlias = "Graph | rdflib.Graph | str | os.PathLike[str]"
_Answer: TypeAlias = "list[dict[str, Term]] | bool | Graph"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kgprobe-queries", "check SPARQL queries against an ontology")
    group.addoption(
        "--kg-queries",
        metavar="GLOB",
        action="append",
        default=[],
        help="Check these query files (.rq, .sparql, .ru), each as a test. A folder stands for all its query files.",
    )
    group.addoption(
        "--kg-ontology",
        metavar="FILE",
        action="append",
        default=[],
        help="The ontology of the queries. Without it, a comment '# kgprobe: ontology FILE' in a query names it, or"
        " the setting kg_ontology.",
    )


# -- query files as tests ----------------------------------------------------------------------------------------------


@pytest.hookimpl(trylast=True)  # other plugins may still change the arguments
def pytest_configure(config: pytest.Config) -> None:
    patterns: list[str] = config.getoption("kg_queries")
    if not patterns:
        return
    found = [path for pattern in patterns for path in _matching(pattern, config)]
    config.stash[_files] = frozenset(found)
    # pytest itself only looks below the paths that it was given.
    given = [_absolute(config.invocation_params.dir / arg.partition("::")[0]) for arg in config.args]
    config.args += [str(path) for path in found if not any(path.is_relative_to(above) for above in given)]


def _matching(pattern: str, config: pytest.Config) -> list[Path]:
    """The query files that a glob describes, relative to the current folder, or else to the root of the tests."""
    for folder in (config.invocation_params.dir, config.rootpath):
        # Path.glob takes no absolute patterns.
        matches = glob.glob(pattern, root_dir=folder, recursive=True)  # noqa: PTH207
        files = {_absolute(file) for match in matches for file in _query_files(folder / match)}
        if files:
            return sorted(files)
    raise pytest.UsageError(f"kgprobe: --kg-queries {pattern}: no query file ({', '.join(_SUFFIXES)}) matches")


def _query_files(path: Path) -> Iterator[Path]:
    for file in path.rglob("*") if path.is_dir() else [path]:
        if file.suffix in _SUFFIXES and file.is_file():
            yield file


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - pytest does not follow links, either


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    files = parent.config.stash.get(_files, None)
    if files is None:
        return None
    # A shell expands an unquoted glob, so that only the first file belongs to the option.
    is_argument = file_path.suffix in _SUFFIXES and parent.session.isinitpath(file_path)
    if file_path not in files and not is_argument:
        return None
    # Below the root of the tests, pytest makes a node id that is a path; elsewhere, the path would not exist.
    nodeid = None if file_path.is_relative_to(parent.config.rootpath) else file_path.as_posix()
    return _QueryFile.from_parent(parent, path=file_path, nodeid=nodeid)


class _QueryFile(pytest.File):
    """A file with a query or updates."""

    def collect(self) -> Iterable[pytest.Item]:
        yield _QueryItem.from_parent(self, name="check")


class _QueryItem(pytest.Item):
    """The check of a query file."""

    # Some plugins, such as pytest-lsp, fail if a test does not have this.
    funcargs: Mapping[str, object] = MappingProxyType({})

    def runtest(self) -> None:
        report = _checks_of(self.config).check(self.path, _shown(self.path, self.config))
        self.user_properties += [
            (_WARNING, str(diagnostic)) for diagnostic in report.diagnostics if not diagnostic.is_error
        ]
        if report.errors:
            raise _QueryError(report.errors)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The diagnostics without a traceback, which would only show kgprobe's code."""
        from kgprobe.errors import KgprobeError

        if isinstance(excinfo.value, _QueryError):
            return str(excinfo.value)
        if isinstance(excinfo.value, KgprobeError):
            return f"kgprobe: {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, f"query {_shown(self.path, self.config)}"


class _QueryError(Exception):
    """A query has errors."""

    def __init__(self, errors: Iterable[Diagnostic]) -> None:
        from kgprobe.report.queries import diagnostic_lines

        super().__init__("\n".join(line for error in errors for line in diagnostic_lines(error)))


def _shown(path: Path, config: pytest.Config) -> str:
    """A path as messages show it: relative, if it is below the current folder."""
    folder = config.invocation_params.dir
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, [])]
    properties = (user_property for report in reports for user_property in getattr(report, "user_properties", []))
    warnings = sorted({text for name, text in properties if name == _WARNING})
    if warnings:
        terminalreporter.section("kgprobe: warnings about queries")
        for text in warnings:
            terminalreporter.line(text)


# -- checking ----------------------------------------------------------------------------------------------------------


class _Checks:
    """The checkers of a session, one for each ontology, with the same reasoners."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._engines: Engines | None = None
        self._checkers: dict[tuple[str, ...], Checker | KgprobeError] = {}
        self._reports: dict[tuple[str, str, tuple[str, ...]], Report] = {}

    def check(self, path: Path, shown: str) -> Report:
        """The report on a query file. KgprobeError if the file or its ontology cannot be read."""
        from kgprobe.given_files import exact_text

        return self.check_text(exact_text(path), str(path), shown)

    def check_text(self, text: str, name: str, shown: str, ontology: str | None = None) -> Report:
        """The report on a query. The ontologies that its comments name are relative to the file `name`."""
        from kgprobe.queries.diagnosis.checking import check_source
        from kgprobe.queries.files.query_files import refusal, source_of

        ontologies = (ontology,) if ontology else self._ontologies(source_of(name, text))
        key = (text, shown, ontologies)
        if key not in self._reports:  # a test on many graphs checks its query once
            source = source_of(shown, text)
            report, errors = check_source(source, self._checker(ontologies))
            if report.errors and self._given:
                report, errors = check_source(source, self._checker(ontologies), given=self._given)
            if (refused := refusal(source)) is not None or errors:
                raise refused or errors[0]
            self._reports[key] = report
        return self._reports[key]

    @cached_property
    def _given(self) -> frozenset[str]:
        """The names of variables to which the programs of the project give a value."""
        from kgprobe.errors import InputError
        from kgprobe.queries.files.query_files import given_by_programs, query_paths

        with suppress(InputError):  # there are none
            return given_by_programs(query_paths(str(self._config.rootpath)).paths)
        return frozenset()

    def _ontologies(self, source: QuerySource) -> tuple[str, ...]:
        from kgprobe.errors import InputError, Position
        from kgprobe.queries.diagnosis.checking import named_ontologies

        given = [str(self._config.invocation_params.dir / path) for path in self._config.getoption("kg_ontology")]
        found = tuple(given) or named_ontologies(source) or tuple(map(str, self._config.getini("kg_ontology")))
        if not found:
            hint = (
                "a comment '# kgprobe: ontology FILE' in the query, --kg-ontology FILE, or the setting kg_ontology"
                " names one"
            )
            raise InputError("no ontology is given", where=Position(source.file.name), hint=hint)
        return found

    def _checker(self, paths: tuple[str, ...]) -> Checker:
        from kgprobe.errors import KgprobeError

        if paths not in self._checkers:
            try:
                self._checkers[paths] = self._new_checker(paths)
            except KgprobeError as error:
                self._checkers[paths] = error
        found = self._checkers[paths]
        if isinstance(found, KgprobeError):
            raise found
        return found

    def _new_checker(self, ontologies: Sequence[str]) -> Checker:
        from kgprobe.formats.imports import Library, read_catalog
        from kgprobe.queries.clashes.reasoning import Engines
        from kgprobe.queries.diagnosis.checking import Checker
        from kgprobe.queries.schema import load_schema

        folders, catalogs = (self._config.getini(name) or () for name in ("kg_imports", "kg_catalogs"))
        schema = load_schema(ontologies, Library([read_catalog(path) for path in catalogs], folders))
        if self._engines is None:
            self._engines = Engines()
        checker = Checker(schema, self._engines)
        checker.require_consistency()
        return checker

    def close(self) -> None:
        """End the processes of the reasoners."""
        if self._engines is not None:
            self._engines.close()


def _checks_of(config: pytest.Config) -> _Checks:
    if _checks not in config.stash:
        config.stash[_checks] = _Checks(config)
    return config.stash[_checks]


def pytest_unconfigure(config: pytest.Config) -> None:
    if _checks in config.stash:
        config.stash[_checks].close()


# -- queries in tests --------------------------------------------------------------------------------------------------


class _CheckedQueries:
    """The value of the fixture `kg_query`."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._config = request.config
        self._folder = request.path.parent
        self._node = request.node

    def __call__(
        self, query: str | os.PathLike[str], graph: _GivenGraph, *, ontology: str | os.PathLike[str] | None = None
    ) -> _Answer:
        """Check a query, run it on a graph, and return the rows of a SELECT query, the truth of an ASK query, or the
        graph of a CONSTRUCT or DESCRIBE query.

        The query is a file, relative to that of the test, or a text with braces. The graph is a file, a graph of
        kgprobe or a graph of rdflib. The test fails if the query has an error, and shows its warnings.
        """
        __tracebackhide__ = True
        from kgprobe.errors import KgprobeError

        try:
            text, name, shown = self._read(query)
            about = None if ontology is None else str(self._folder / ontology)
            report = _checks_of(self._config).check_text(text, name, shown, about)
            self._node.user_properties += [
                (_WARNING, str(diagnostic)) for diagnostic in report.diagnostics if not diagnostic.is_error
            ]
            if not report.errors:
                return _answer(self._graph(graph), text, shown)
        except KgprobeError as error:
            pytest.fail(f"kgprobe: {error}", pytrace=False)
        pytest.fail(str(_QueryError(report.errors)), pytrace=False)

    def _read(self, query: str | os.PathLike[str]) -> tuple[str, str, str]:
        """The text of a query, the file that its comments are relative to, and its name in messages."""
        from kgprobe.given_files import exact_text

        if isinstance(query, str) and "{" in query:
            return query, str(self._folder / "query.rq"), "<query>"
        path = self._folder / query
        return exact_text(path), str(path), _shown(path, self._config)

    def _graph(self, given: _GivenGraph) -> Graph:
        from kgprobe.api import from_rdflib, load
        from kgprobe.rdf.graph import Graph

        if isinstance(given, Graph):
            return given
        return load(self._folder / given) if isinstance(given, str | os.PathLike) else from_rdflib(given)


def _answer(graph: Graph, text: str, name: str) -> _Answer:
    from kgprobe.errors import InputError, Position
    from kgprobe.rdf.graph import Graph
    from kgprobe.sparql.algebra import QueryTree
    from kgprobe.sparql.documents import read_document
    from kgprobe.sparql.engine.exact_store import ExactStore
    from kgprobe.sparql.engine.results import Rows

    text = text.removeprefix("\ufeff")
    if not all(isinstance(operation, QueryTree) for operation in read_document(text, name).operations):
        raise InputError("kg_query runs queries, and this is an update", where=Position(name))
    found = ExactStore(graph).query(text, name)
    if isinstance(found, bool):
        return found
    return list(found.rows) if isinstance(found, Rows) else Graph(found)


@pytest.fixture
def kg_query(request: pytest.FixtureRequest) -> _CheckedQueries:
    """Check a SPARQL query against its ontology, run it on a graph, and return its rows.

        def test_open_orders(kg_query):
            rows = kg_query("queries/open_orders.rq", "orders.ttl")
            assert [row["order"].value for row in rows] == ["https://example.org/order-7"]

    The ontology is that of `--kg-queries`, or the argument `ontology`.
    """
    return _CheckedQueries(request)
