"""A pytest plugin that deselects tests that a change to the ontology cannot affect.

`pytest --kg-since REVISION` compares the ontology with its version at the revision. A test is deselected if it uses the
ontology, but no changed part of it, and has not changed itself. Tests that do not use the ontology always run. Without
one of its options, the plugin does nothing, and imports nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kgprobe.selection.discovery.search import FinderOptions, Search
    from kgprobe.selection.ontology_versions import OntologyVersions
    from kgprobe.selection.plan import SelectionPlan
    from kgprobe.selection.tests import Test
    from kgprobe.selection.warehouse.profile import Warehouse

pytest_plugins = ["kgprobe.pytest_mutants", "kgprobe.pytest_queries", "kgprobe.pytest_questions"]

_WITH_VALUES = ("--kg-since", "--kg-old", "--kg-new", "--kg-regime", "--kg-queries", "--kg-ontology")
_EXPLANATION, _WARNINGS = "kgprobe_explanation", "kgprobe_warnings"
_explanation, _warnings = pytest.StashKey[list[str]](), pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kgprobe", "select tests that a change to the ontology can affect")
    group.addoption(
        "--kg-since",
        metavar="REVISION",
        help="Run only tests that ontology changes since this revision can affect, or that have changed themselves.",
    )
    group.addoption("--kg-old", metavar="FILE", help="The old version of the ontology, instead of --kg-since.")
    group.addoption("--kg-new", metavar="FILE", help="The new version of the ontology.")
    group.addoption(
        "--kg-regime",
        metavar="REGIME",
        help="The entailments that the system under test computes: none, rdfs, rl or dl.",
    )
    group.addoption("--kg-explain", action="store_true", help="Print why each test runs, and how many are deselected.")
    parser.addini("kg_ontology", "The files of the ontology, for --kg-since.", type="paths", default=[])
    parser.addini(
        "kg_imports", "Folders with imported ontologies.  [the folder of the ontology]", type="paths", default=[]
    )
    parser.addini(
        "kg_catalogs", "OASIS XML catalogs for imports.  [catalog-v001.xml next to the ontology]", type="paths"
    )
    parser.addini(
        "kg_schema", "Files and folders with the definitions of tables that SQL asks.", type="paths", default=[]
    )
    parser.addini("kg_database", "The URL of a live database with these definitions.", default="")
    parser.addini("kg_dialect", "The SQL dialect of the tests.  [all that fit]", default="")
    parser.addini("kg_warehouse", "A profile of the tables that tests read: a file, or go, i2b2 or labels.", default="")
    parser.addini(
        "kg_regime", "The entailments that the system under test computes: none, rdfs, rl or dl.", default="none"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "kg_terms(*terms): the terms of the ontology that a test uses; kgprobe then ignores its source."
    )
    misread = _misread_option(config)
    if misread is not None:
        config.issue_config_time_warning(pytest.PytestConfigWarning(misread), stacklevel=2)


def _misread_option(config: pytest.Config) -> str | None:
    """A warning if pytest looked for its settings around the value of one of our options, and not in this project.

    It looks for them before it knows the options of plugins, so it takes `FILE` in `--kg-old FILE` for a path to tests.
    """
    here, root = config.invocation_params.dir, config.rootpath
    if here.is_relative_to(root) and not _has_settings_between(here, root):
        return None
    given = list(map(str, config.invocation_params.args))
    for option, value in pairwise(given):
        if option in _WITH_VALUES and (here / value).exists():
            settings = config.inipath or root
            return (
                f"kgprobe: pytest took the value of {option} for a path to tests, and uses {settings} instead of your"
                f" settings: write {option}={value}"
            )
    return None


def _has_settings_between(here: Path, root: Path) -> bool:
    """Whether a folder has settings of pytest, from the current one up to the root, without the root."""
    folders = [here, *here.parents]
    for folder in folders[: folders.index(root)]:
        if any((folder / name).exists() for name in ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")):
            return True
        project = folder / "pyproject.toml"
        if project.is_file() and b"[tool.pytest" in project.read_bytes():
            return True
    return False


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not any(config.getoption(option) for option in ("kg_since", "kg_old", "kg_new")):
        return
    from kgprobe.errors import KgprobeError

    try:
        versions = _versions(config)
        plan = _plan(config, items, versions)
    except KgprobeError as error:
        raise pytest.UsageError(f"kgprobe: {error}") from None
    config.stash[_warnings] = list(versions.warnings)
    known = {test.name for test in plan.tests}
    chosen = {planned.test.name for planned in plan.chosen}
    dropped = [item for item in items if _name(item) in known and _name(item) not in chosen]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        gone = set(map(id, dropped))
        items[:] = [item for item in items if id(item) not in gone]
    if config.getoption("kg_explain"):
        config.stash[_explanation] = _explained(plan, len(items), len(dropped))


def _plan(config: pytest.Config, items: Sequence[pytest.Item], given: OntologyVersions) -> SelectionPlan:
    from kgprobe.entailment.rules import Regime
    from kgprobe.errors import InputError, did_you_mean
    from kgprobe.selection.changed_tests import ChangedTests, with_changed_tests
    from kgprobe.selection.discovery.finder import find_tests
    from kgprobe.selection.discovery.search import Search
    from kgprobe.selection.plan import safe_plan
    from kgprobe.selection.tests import Suite
    from kgprobe.selection.vocabulary import Vocabulary

    regime = config.getoption("kg_regime") or config.getini("kg_regime")
    if regime not in list(Regime):
        raise InputError(f"there is no regime '{regime}'", hint=did_you_mean(regime, list(Regime)))
    versions = given.versions
    vocabulary = Vocabulary.of(versions.new, versions.old)
    files = sorted({item.path for item in items})
    options = _finder(config)
    tests = {test.name: test for test in find_tests(files, vocabulary, options).tests}
    by_name: dict[str, list[pytest.Item]] = {}
    for item in items:
        by_name.setdefault(_name(item), []).append(item)
    search = Search(vocabulary, options)
    for name, same in by_name.items():
        if any(item.get_closest_marker("kg_terms") for item in same):
            tests[name] = _marked(name, same, tests.get(name), search)
    suite = Suite(tuple(tests[name] for name in sorted(tests)))
    plan = safe_plan(versions, suite, Regime(regime), warehouse=_warehouse(config))
    return plan if given.edits is None else with_changed_tests(plan, ChangedTests(given.edits, _plugins(config)))


def _warehouse(config: pytest.Config) -> Warehouse | None:
    named = config.getini("kg_warehouse")
    if not named:
        return None
    from kgprobe.config.warehouse import BUILT_IN, load_warehouse

    return load_warehouse(named if named in BUILT_IN else str(config.rootpath / named))


def _finder(config: pytest.Config) -> FinderOptions:
    from kgprobe.selection.discovery.search import FinderOptions

    described = _warehouse(config)
    dialect = config.getini("kg_dialect") or None
    if dialect is not None:
        from kgprobe.selection.sql.statements import checked_dialect

        dialect = checked_dialect(dialect)
    return FinderOptions(
        root=config.rootpath,
        schema=tuple(config.getini("kg_schema")),
        beside=tuple(_folders(config)),
        database=config.getini("kg_database") or None,
        dialect=dialect,
        stored=() if described is None else described.relations,
    )


def _folders(config: pytest.Config) -> Iterator[Path]:
    """The folders in which pytest looks for tests."""
    for argument in config.args:
        path = config.invocation_params.dir / argument.partition("::")[0]
        if path.exists():
            yield path if path.is_dir() else path.parent


def _plugins(config: pytest.Config) -> list[Path]:
    """The files of plugins, except conftest.py, which counts only for the tests around it."""
    found = (getattr(plugin, "__file__", None) for plugin in config.pluginmanager.get_plugins())
    return [path for file in found if file and (path := Path(file).resolve()).name != "conftest.py"]


def _name(item: pytest.Item) -> str:
    """The node id without parameters: all parameters of a test share its source."""
    return item.nodeid.partition("[")[0]


def _marked(name: str, items: Sequence[pytest.Item], found: Test | None, search: Search) -> Test:
    """A test that declares what it uses, by marks, which may also come from parameters.

    The cases of a test are one test, so all their marks count. If a case has none, what its source uses counts, too.
    """
    from dataclasses import replace

    from kgprobe.selection.discovery.python_files import PYTHON
    from kgprobe.selection.tests import Test

    marks = [list(item.iter_markers("kg_terms")) for item in items]
    names = dict.fromkeys(str(term) for each in marks for mark in each for term in mark.args)
    known = [search.named(term, name) for term in names]
    uses = tuple(use for terms, _ in known for use in terms)
    unseen = tuple(reason for _, reasons in known for reason in reasons)
    test = found or Test(name, PYTHON, file=items[0].path)
    if all(marks):
        return replace(test, uses=uses, unseen=unseen, patterns=(), queries=())
    if found is None:
        unseen += ("cannot see what this test uses: some of its cases have no kg_terms",)
    return replace(test, uses=(*test.uses, *uses), unseen=(*test.unseen, *unseen))


# -- the two versions ------------------------------------------------------------------------------------------------


def _versions(config: pytest.Config) -> OntologyVersions:
    from kgprobe.errors import InputError
    from kgprobe.selection.ontology_versions import ontology_between, ontology_since

    old, new, since = (config.getoption(option) for option in ("kg_old", "kg_new", "kg_since"))
    folders, catalogs = (config.getini(name) or () for name in ("kg_imports", "kg_catalogs"))
    if since and old:
        raise InputError("--kg-since and --kg-old both set the old version", hint="use only one of them")
    if since:
        files = [Path(new)] if new else config.getini("kg_ontology")
        return ontology_since(since, files, config.rootpath, folders, catalogs)
    if not (old and new):
        raise InputError(f"{'--kg-old' if new else '--kg-new'} is missing: name both versions of the ontology")
    return ontology_between(Path(old), Path(new), folders, catalogs)


# -- reasons ---------------------------------------------------------------------------------------------------------


def _explained(plan: SelectionPlan, kept: int, dropped: int) -> list[str]:
    lines = [
        f"{kept} tests to run, {dropped} deselected: {plan.removed} triples removed, {plan.added} added",
        *plan.how,
    ]
    for planned in plan.chosen:
        lines.append(planned.test.name)
        lines += [f"  {reason}" for reason in planned.because]
    return lines


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the output of an xdist worker to the main process."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        for name, key in ((_EXPLANATION, _explanation), (_WARNINGS, _warnings)):
            output[name] = session.config.stash.get(key, [])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the output of one worker: all of them have collected the same tests."""
    for name, key in ((_EXPLANATION, _explanation), (_WARNINGS, _warnings)):
        lines = getattr(node, "workeroutput", {}).get(name)
        if lines:
            node.config.stash[key] = lines


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    warnings = [f"warning: {line}" for line in config.stash.get(_warnings, [])]
    lines = [*warnings, *config.stash.get(_explanation, [])]
    if lines:
        terminalreporter.section("kgprobe")
        for line in lines:
            terminalreporter.line(line)
