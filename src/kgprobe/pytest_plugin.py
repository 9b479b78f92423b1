"""A plugin for pytest: tests that a change of the ontology cannot affect are not run.

`pytest --kg-since REVISION` compares the ontology with what it was, and deselects tests that use the ontology, and of
which it can be told that they use nothing that has changed. Other tests are left alone. Without one of its options, the
plugin does nothing, and imports nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kgprobe.selection.alignment import Versions
    from kgprobe.selection.discovery.vocabulary import Vocabulary
    from kgprobe.selection.plan import Plan
    from kgprobe.selection.tests import Test

_EXPLANATION = "kgprobe_explanation"
_explanation = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kgprobe", "tests that a change of the ontology can affect")
    group.addoption(
        "--kg-since", metavar="REVISION", help="Run only tests that changes since this revision can affect."
    )
    group.addoption("--kg-old", metavar="FILE", help="The ontology as it was, instead of --kg-since.")
    group.addoption("--kg-new", metavar="FILE", help="The ontology as it is.")
    group.addoption("--kg-regime", metavar="REGIME", help="What the system takes to be true: none, rdfs, rl or dl.")
    group.addoption("--kg-explain", action="store_true", help="Say why tests are run, and how many are not.")
    parser.addini("kg_ontology", "Files of the ontology, for --kg-since.", type="paths", default=[])
    parser.addini("kg_regime", "What the system takes to be true: none, rdfs, rl or dl.", default="none")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "kg_terms(*terms): the terms of the ontology that a test uses, for kgprobe; nothing else is guessed."
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not any(config.getoption(option) for option in ("kg_since", "kg_old", "kg_new")):
        return
    from kgprobe.errors import KgprobeError

    try:
        plan = _plan(config, items)
    except KgprobeError as error:
        raise pytest.UsageError(f"kgprobe: {error}") from None
    known = {test.name for test in plan.tests}
    chosen = {each.test.name for each in plan.chosen}
    dropped = [item for item in items if _name(item) in known and _name(item) not in chosen]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        gone = set(map(id, dropped))
        items[:] = [item for item in items if id(item) not in gone]
    if config.getoption("kg_explain"):
        config.stash[_explanation] = _explained(plan, len(items), len(dropped))


def _plan(config: pytest.Config, items: Sequence[pytest.Item]) -> Plan:
    from kgprobe.entailment.regime import Regime
    from kgprobe.errors import InputError, nearest
    from kgprobe.selection.discovery.finder import find_tests
    from kgprobe.selection.discovery.options import FinderOptions
    from kgprobe.selection.discovery.vocabulary import Vocabulary
    from kgprobe.selection.planning import safe_plan
    from kgprobe.selection.tests import Suite

    regime = config.getoption("kg_regime") or config.getini("kg_regime")
    if regime not in list(Regime):
        meant = nearest(regime, list(Regime))
        raise InputError(f"there is no regime '{regime}'", hint=f"did you mean '{meant}'?" if meant else None)
    versions = _versions(config)
    vocabulary = Vocabulary.of(versions.new, versions.old)
    files = sorted({item.path for item in items})
    found = find_tests(files, vocabulary, FinderOptions(root=config.rootpath))
    by_mark = {_name(item): _marked(item, vocabulary) for item in items if item.get_closest_marker("kg_terms")}
    tests = [by_mark.pop(test.name, test) for test in found.tests]
    return safe_plan(versions, Suite((*tests, *by_mark.values())), Regime(regime))


def _name(item: pytest.Item) -> str:
    """The node id without parameters: all parameters of a test share its text."""
    return item.nodeid.partition("[")[0]


def _marked(item: pytest.Item, vocabulary: Vocabulary) -> Test:
    """A test that says what it uses, by marks that may also come from parameters."""
    from kgprobe.selection.tests import TermUse, Test

    names = dict.fromkeys(str(name) for mark in item.iter_markers("kg_terms") for name in mark.args)
    uses = [TermUse(term, name) for name in names for term in vocabulary.resolve(name)]
    unknown = tuple(f"no term is called '{name}'" for name in names if not vocabulary.resolve(name))
    return Test(_name(item), "python", tuple(uses), unknown, item.path)


# -- the two versions ------------------------------------------------------------------------------------------------


def _versions(config: pytest.Config) -> Versions:
    from kgprobe.errors import InputError
    from kgprobe.graph.files import load
    from kgprobe.selection.alignment import aligned

    old, new, since = (config.getoption(option) for option in ("kg_old", "kg_new", "kg_since"))
    if since and old:
        raise InputError("--kg-since and --kg-old both say what the old version is", hint="leave one of them out")
    if since:
        return _since(since, [Path(new)] if new else config.getini("kg_ontology"), config.rootpath)
    if not (old and new):
        raise InputError(f"{'--kg-old' if new else '--kg-new'} is missing: the other version of the ontology")
    return aligned(load(old).graph, load(new).graph)


def _since(revision: str, files: Sequence[Path], root: Path) -> Versions:
    """The ontology at a revision, and now. If nobody says which files it is in, it is in those that have changed."""
    from kgprobe.graph.files import load
    from kgprobe.graph.imports import united
    from kgprobe.selection.alignment import aligned
    from kgprobe.selection.versions import changed_files, version_file

    existed = dict.fromkeys(files, True) or {
        file: was for file, was in changed_files(root, revision) if _is_graph(file)
    }
    before, after = [], []
    for file, was_there in existed.items():
        if was_there:
            with version_file(file, revision) as copy:
                before.append(load(copy))
        if file.exists():
            after.append(load(file))
    return aligned(united(before), united(after))


def _is_graph(file: Path) -> bool:
    """Whether a file is a graph, by its name. Names that are more often something else do not count."""
    from kgprobe.graph.formats.catalogue import by_extension

    return by_extension(file.name) is not None and file.suffix not in (".json", ".xml", ".tsv")


# -- why -------------------------------------------------------------------------------------------------------------


def _explained(plan: Plan, kept: int, dropped: int) -> list[str]:
    lines = [
        f"{kept} tests to run, {dropped} deselected: {plan.removed} triples removed, {plan.added} added",
        *plan.how,
    ]
    for each in plan.chosen:
        lines.append(each.test.name)
        lines += [f"  {reason}" for reason in each.because]
    return lines


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of xdist sends what it has to say to the process that started it."""
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is not None and _explanation in session.config.stash:
        output[_EXPLANATION] = session.config.stash[_explanation]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """All workers have collected the same tests, so one of them says it all."""
    lines = getattr(node, "workeroutput", {}).get(_EXPLANATION)
    if lines:
        node.config.stash[_explanation] = lines


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lines = config.stash.get(_explanation, None)
    if lines:
        terminalreporter.section("kgprobe")
        for line in lines:
            terminalreporter.line(line)
