"""A plugin for pytest: tests that run on mutants of a graph.

    @pytest.mark.kg_mutants("menu.ttl", operators="abox", mask="shapes.ttl", count=50)
    def test_menu(mutant):
        assert print_menu(mutant)

Each mutant is a test with its own id, such as `test_menu[menu#17]`, which runs that mutant again. With the fixture
`kg_reduce`, the graph of a failing test is made small. The plugin imports nothing until such a test exists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from kgprobe.masks.mask import Mask
    from kgprobe.mutation.mutant import Mutant
    from kgprobe.rdf.graph import Graph
    from kgprobe.reduction.reducer import Reduction

_MARK = "kg_mutants"
_FIXTURE = "mutant"
_MARK_HELP = (
    "kg_mutants(graph, operators='generic', mask=(), count=20, mutations=5, seed=0, reasoner=None): run the test on "
    "mutants of a graph, which it gets as `mutant`. Paths are relative to the test's file."
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("kg_reduced", "The folder for graphs that kg_reduce has made small.", default=".kgprobe")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", _MARK_HELP)


@dataclass
class _Mutants:
    """The mutants that one mark requests, made when a test needs them and kept for later tests."""

    path: Path
    operators: str | Iterable[str]
    masks: tuple[Path, ...]
    count: int
    mutations: int
    seed: int
    reasoner: str | None
    made: list[Mutant] = field(default_factory=list)
    source: Iterator[Mutant] | None = None

    @cached_property
    def mask(self) -> Mask:
        """The mask that admits the mutants, and the parts of them that a failing test is reduced to."""
        from kgprobe.api import read_mask

        return read_mask(*self.masks, reasoner=self.reasoner)

    @cached_property
    def seed_graph(self) -> Graph:
        """The graph that all mutants are made of."""
        from kgprobe.api import load

        return load(self.path)

    def graph(self, number: int) -> Graph | None:
        """The graph of a mutant, counted from 1; None if fewer exist."""
        from kgprobe.api import mutants

        if self.source is None:
            self.source = mutants(
                self.seed_graph,
                self._operators(),
                count=self.count,
                mutations=self.mutations,
                seed=self.seed,
                mask=self.mask,
            )
        while len(self.made) < number:
            mutant = next(self.source, None)
            if mutant is None:
                return None
            self.made.append(mutant)
        return self.made[number - 1].graph.copy()  # a test may change it

    def _operators(self) -> list[str]:
        given = [self.operators] if isinstance(self.operators, str) else list(self.operators)
        return [str(self.path.parent / name) if name.endswith(".ru") else name for name in given]


@dataclass(frozen=True)
class _Asked:
    """One mutant of a mark."""

    mutants: _Mutants
    number: int


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    mark = metafunc.definition.get_closest_marker(_MARK)
    if mark is None:
        return
    where = f"{metafunc.definition.nodeid}: @pytest.mark.{_MARK}"
    if _FIXTURE not in metafunc.fixturenames:
        raise pytest.UsageError(f"{where} needs a test that takes '{_FIXTURE}'")
    try:
        asked = _asked(metafunc.definition.path.parent, *mark.args, **mark.kwargs)
    except TypeError as error:
        raise pytest.UsageError(f"{where}: {str(error).removeprefix('_asked() ')}; it is {_MARK_HELP}") from None
    if not asked.path.is_file():
        raise pytest.UsageError(f"{where}: {asked.path} does not exist")
    name = asked.path.name.partition(".")[0]
    numbers = range(1, asked.count + 1)
    metafunc.parametrize(
        _FIXTURE,
        [_Asked(asked, number) for number in numbers],
        indirect=True,
        ids=[f"{name}#{number}" for number in numbers],
    )


def _asked(
    folder: Path,
    graph: str,
    *,
    operators: str | Iterable[str] = "generic",
    mask: str | Iterable[str] = (),
    count: int = 20,
    mutations: int = 5,
    seed: int = 0,
    reasoner: str | None = None,
) -> _Mutants:
    if count < 1 or mutations < 1:
        raise TypeError("count and mutations are at least 1")
    masks = tuple(folder / name for name in ([mask] if isinstance(mask, str) else mask))
    return _Mutants(folder / graph, operators, masks, count, mutations, seed, reasoner)


@pytest.fixture(name=_FIXTURE)
def _mutant(request: pytest.FixtureRequest) -> Graph:
    """The graph of a mutant, which the test may change. The mark `kg_mutants` names the seed graph."""
    from kgprobe.errors import KgprobeError

    asked = getattr(request, "param", None)
    if not isinstance(asked, _Asked):
        pytest.fail(f"a test that takes '{_FIXTURE}' needs @pytest.mark.{_MARK}(\"graph.ttl\")", pytrace=False)
    try:
        graph = asked.mutants.graph(asked.number)
    except KgprobeError as error:
        pytest.fail(f"kgprobe: {error}", pytrace=False)
    if graph is None:
        made = len(asked.mutants.made)
        what = f"only {made} valid mutants of {asked.mutants.path.name} were found"
        if made == 0:  # otherwise, a mask that rejects everything would look like success
            pytest.fail(f"kgprobe: no valid mutant of {asked.mutants.path.name} was found", pytrace=False)
        pytest.skip(f"kgprobe: {what}")
    return graph


@pytest.fixture
def kg_reduce(request: pytest.FixtureRequest) -> Callable[[Graph, Callable[[Graph], object]], None]:
    """Call a check on a graph; if it fails, find a small graph on which it fails in the same way, and fail with that.

        def test_menu(mutant, kg_reduce):
            kg_reduce(mutant, lambda graph: print_menu(graph))

    The small graph is one that the mask of the mark admits. It is written to a file, and the failure names it. The
    check must not depend on earlier calls.
    """

    def run(graph: Graph, check: Callable[[Graph], object]) -> None:
        from kgprobe.user_functions import refusal

        refused = refusal(check)
        if refused is not None:
            pytest.fail(f"kgprobe: {refused}", pytrace=False)
        failure = _failure(graph, check)
        if failure is None:
            return
        from kgprobe.formats.files import save
        from kgprobe.reduction.problem import DoesNotFailError

        try:
            reduction = _reduced(graph, check, failure, _mutants_of(request))
        except DoesNotFailError:
            failure.add_note("kgprobe: not reduced: it did not fail again")
            raise failure from None
        if isinstance(reduction, str):
            failure.add_note(f"kgprobe: not reduced: the graph is not admissible: {reduction}")
            raise failure
        file = _file(request)
        save(reduction.graph, file)
        failure = _failure(reduction.graph, check) or failure
        size = f"{reduction.triples_after} of {reduction.triples_before} triples"
        failure.add_note(f"kgprobe: fails on {size}, which are in {file}")
        raise failure

    return run


def _mutants_of(request: pytest.FixtureRequest) -> _Mutants | None:
    """The mutants that the test runs on, if it has the mark."""
    call = getattr(request.node, "callspec", None)
    asked = None if call is None else call.params.get(_FIXTURE)
    return asked.mutants if isinstance(asked, _Asked) else None


def _reduced(
    graph: Graph, check: Callable[[Graph], object], failure: BaseException, made: _Mutants | None
) -> Reduction | str:
    """A small graph that fails in the same way, by the rules of campaigns; or why the graph is not admissible."""
    from kgprobe.campaign.executor import Result
    from kgprobe.campaign.experiment import Sameness, kept_in
    from kgprobe.config.preparation import Limits
    from kgprobe.masks.mask import Mask
    from kgprobe.model import Observation, Status, Verdict
    from kgprobe.oracles.signatures import names_in_messages
    from kgprobe.oracles.single_run import ExitStatus
    from kgprobe.reduction.reducer import reduce
    from kgprobe.systems.endings import crash_of

    def judged(error: BaseException | None) -> Result:
        if error is None:
            return Result(0, None)
        crash = crash_of(error)
        verdict: Verdict = ExitStatus().of(Observation("test", Status.CRASHED, crash=crash))
        return Result(0, verdict)

    mask = Mask() if made is None else made.mask
    objection = Limits(mask).objection(graph)
    if objection is not None:
        return objection
    kept = kept_in([judged(failure)], Sameness.SIGNATURE, lambda _: 0)
    assert kept is not None  # noqa: S101 - an exception is a failure
    names = names_in_messages(graph)
    return reduce(
        graph,
        lambda part: kept.is_in(judged(_failure(part, check)), lambda: names | names_in_messages(part)),
        mask=mask,
        seed=made.seed_graph if made is not None and made.seed_graph.table is graph.table else None,
    )


def _failure(graph: Graph, check: Callable[[Graph], object]) -> BaseException | None:
    from kgprobe.user_functions import called

    try:
        called(check, graph.copy())
    except (KeyboardInterrupt, SystemExit, GeneratorExit):
        raise
    except pytest.skip.Exception:
        raise
    except BaseException as error:  # pytest.fail does not raise an Exception
        return error
    return None


def _file(request: pytest.FixtureRequest) -> Path:
    folder = request.config.rootpath / str(request.config.getini("kg_reduced"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder / (re.sub(r"[^\w.#-]+", "-", request.node.nodeid).strip("-")[-120:] + ".ttl")
