"""The functions behind the names that `import kgprobe` offers. `docs/reference/api.md` documents them.

Each is a short call into the packages below, with convenient arguments: a path instead of a source, the name of an
operator set instead of operators. The returned values are those of the packages.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from kgprobe.errors import InputError, UnavailableError
from kgprobe.masks.mask import Mask, Rejection
from kgprobe.mutation.mutant import Mutant
from kgprobe.mutation.operator import Operator
from kgprobe.rdf.graph import Graph
from kgprobe.user_functions import called

if TYPE_CHECKING:
    import pyoxigraph
    import rdflib

    from kgprobe.campaign.events import Event
    from kgprobe.campaign.summary import Summary
    from kgprobe.model import Verdict
    from kgprobe.rdf.terms import Triple
    from kgprobe.selection.plan import SelectionPlan

__all__ = [
    "Reason",
    "check",
    "chosen_operators",
    "consistent",
    "explain",
    "from_pyoxigraph",
    "from_rdflib",
    "judge",
    "load",
    "mutants",
    "operators",
    "read_mask",
    "run_campaign",
    "save",
    "select",
    "to_pyoxigraph",
    "to_rdflib",
]

_Path: TypeAlias = "str | PathLike[str]"


# -- graphs ------------------------------------------------------------------------------------------------------------


def load(
    path: _Path,
    *,
    format: str | None = None,  # noqa: A002 - the name on the command line
    base: str | None = None,
    imports: Iterable[_Path] = (),
    catalogs: Iterable[_Path] = (),
) -> Graph:
    """Read a graph from a file in any of the formats that kgprobe reads.

    The format is detected from the content unless `format` names one. `imports` are folders, and `catalogs` OASIS XML
    catalogs, in which `owl:imports` are looked up; without either, imports are not followed. Nothing uses a network.
    """
    from kgprobe.formats.files import load as load_file
    from kgprobe.formats.imports import Library, read_catalog, with_imports

    loaded = load_file(Path(path), format_name=format, base=base)
    folders, read_catalogs = list(map(Path, imports)), [read_catalog(Path(catalog)) for catalog in catalogs]
    if not folders and not read_catalogs:
        return loaded.graph
    return with_imports(loaded, Library(read_catalogs, folders)).graph


def save(graph: Graph, path: _Path, *, output_format: str | None = None, force: bool = False) -> None:
    """Write a graph to a file, completely or not at all.

    The format is that of the file's extension, unless `output_format` names one. A file that exists is replaced only
    with `force`.
    """
    from kgprobe.formats.files import save as save_file
    from kgprobe.written_files import AlreadyExistsError

    try:
        save_file(graph, Path(path), format_name=output_format, force=force)
    except AlreadyExistsError as error:
        raise InputError(error.message, where=error.where, hint="force=True replaces it") from None


# -- masks and reasoners -----------------------------------------------------------------------------------------------


def read_mask(*paths: _Path, prefixes: Mapping[str, str] | None = None, reasoner: str | None = None) -> Mask:
    """A mask from files: SHACL shapes, and SPARQL ASK queries in files named `.rq` or `.sparql`.

    Queries may use these `prefixes` besides their own. With a `reasoner`, such as `"auto"`, graphs must also be
    consistent.
    """
    from kgprobe.masks.files import read_checks

    checks = read_checks(map(Path, paths), prefixes=prefixes)
    if reasoner is None:
        return Mask(checks)
    from kgprobe.masks.consistency import ConsistencyCheck
    from kgprobe.reasoners.auto import open_reasoner

    opened = open_reasoner(reasoner)
    mask = Mask([*checks, ConsistencyCheck(opened)])
    weakref.finalize(mask, opened.close)
    return mask


def check(graph: Graph, mask: Mask) -> list[Rejection]:
    """Why the mask does not admit the graph: one rejection for each problem, none if the graph is valid."""
    return mask.rejections(graph)


def consistent(graph: Graph, *, reasoner: str = "auto", seconds: float = 60.0) -> bool | None:
    """Whether the graph, read as an ontology, has a model. None if that is not certain."""
    from kgprobe.processes.limits import Limits
    from kgprobe.reasoners.auto import opened
    from kgprobe.reasoners.protocol import Consistency

    with opened(reasoner, Limits(seconds=seconds)) as asked:
        [answer] = asked.answer(graph, [Consistency()])
    return answer.value is True if answer.decided else None


@dataclass(frozen=True)
class Reason:
    """The axioms that make a graph inconsistent, in functional syntax and in words.

    `is_minimal` means that none of them can be left out.
    """

    axioms: tuple[str, ...]
    words: tuple[str, ...]
    is_minimal: bool


def explain(graph: Graph, *, reasoner: str = "auto", seconds: float = 10.0) -> Reason | None:
    """The axioms that make the graph inconsistent; None if it is consistent.

    The search for fewer axioms takes at most `seconds`. UnavailableError if the reasoner cannot tell whether the graph
    is consistent.
    """
    from kgprobe.owl.wording import in_words
    from kgprobe.reasoners.auto import opened
    from kgprobe.reasoners.explanation import axiom_texts
    from kgprobe.reasoners.explanation import explain as explain_by

    with opened(reasoner) as asked:
        found = explain_by(graph, asked, seconds=seconds)
    if found.axioms is not None:
        texts = axiom_texts(found.axioms, graph.spelling.prefixes)
        return Reason(tuple(texts), tuple(in_words(axiom, graph) for axiom in found.axioms), found.is_minimal)
    if not found.answer.decided:
        raise UnavailableError(f"it is not known whether the graph is consistent: {found.answer.why}")
    return None


# -- mutants -----------------------------------------------------------------------------------------------------------


def operators(*names: _Path) -> list[Operator]:
    """Operators by the names of sets (`"owl-el"`), of operators (`"AddSubClassOf"`) and of files (`"mine/*.ru"`)."""
    from kgprobe.mutation.catalogue import resolve_operators

    return resolve_operators(map(str, names), Path())


def mutants(
    graph: Graph,
    operators: str | Iterable[str | Operator] = "generic",
    *,
    count: int = 100,
    mutations: int = 30,
    seed: int = 0,
    mask: Mask | None = None,
) -> Iterator[Mutant]:
    """Mutants of a graph, made one by one: `mutant.graph`, and `mutant.steps` that led to it.

    The same graph, operators and `seed` give the same mutants. No two are the same, and the `mask` admits all of them.
    It yields fewer than `count` if no more can be found.
    """
    from kgprobe.mutation.generator import Generator, Weighted

    chosen = list(map(Weighted, chosen_operators(operators)))
    return Generator(graph, chosen, mutations=mutations, seed=seed, mask=mask).mutants(count)


def chosen_operators(given: str | Iterable[str | Operator]) -> list[Operator]:
    """The operators that a caller means by one name, or by several names and operators."""
    found: list[Operator] = []
    for each in [given] if isinstance(given, str) else given:
        found += operators(each) if isinstance(each, str) else [each]
    if not found:
        raise InputError("there are no operators to draw from", hint="name a set, such as 'generic'")
    return found


# -- campaigns and selection -------------------------------------------------------------------------------------------


def run_campaign(
    profile: _Path, *, workers: int | None = None, on_event: Callable[[Event], object] | None = None
) -> Summary:
    """Run the campaign of a profile, or resume it, and summarise the content of its store.

    `on_event` gets each event as it happens. `workers` is the number of cases that run at the same time; by default,
    the profile, the number of processors, or the concurrency of chat systems determines it.
    """
    from contextlib import closing

    from kgprobe.campaign.harness import known_in
    from kgprobe.campaign.local import usual_workers
    from kgprobe.campaign.run import run_campaign as campaign_events
    from kgprobe.campaign.store import read_store
    from kgprobe.campaign.summary import summary_of
    from kgprobe.config.loading import load_profile

    loaded = load_profile(Path(profile))
    count = workers or loaded.campaign.workers
    with closing(campaign_events(loaded, lambda job: usual_workers(job, count))) as events:
        for event in events:
            if on_event is not None:
                called(on_event, event)
    with read_store(loaded.campaign.store) as store:
        return summary_of(store, known_in(loaded.known))


def judge(profile: _Path, graph: _Path, *, origin: str | None = None, seed_graph: _Path | None = None) -> Verdict:
    """Run the systems of a profile on the graph in a file, and let its oracles judge. Nothing is stored.

    `origin` is the name of the seed graph that the graph is compared with, if the oracle needs one; by default, the
    first one. `seed_graph` is a file with another graph to compare it with, such as a reduced seed graph.
    """
    from kgprobe.campaign.reproduction import verdict_on_graph
    from kgprobe.config.loading import load_profile

    _, verdict = verdict_on_graph(
        load_profile(Path(profile)),
        Path(graph),
        origin=origin,
        seed_graph=None if seed_graph is None else Path(seed_graph),
    )
    return verdict


def select(old: Graph, new: Graph, *tests: _Path, regime: str = "none") -> SelectionPlan:
    """The tests in these files and folders that the change from `old` to `new` can affect, each with the reasons.

    `regime` is the inference that the tested system performs on a graph: `none` (stated triples only), `rdfs`, `rl` or
    `dl`.
    """
    from kgprobe.entailment.rules import Regime
    from kgprobe.rdf.diff import aligned
    from kgprobe.selection.discovery.finder import find_tests
    from kgprobe.selection.plan import safe_plan
    from kgprobe.selection.vocabulary import Vocabulary

    if regime not in list(Regime):
        raise InputError(f"there is no regime '{regime}'", hint=f"valid are {', '.join(Regime)}")
    versions = aligned(old, new)
    suite = find_tests(list(map(Path, tests)), Vocabulary.of(versions.new, versions.old))
    return safe_plan(versions, suite, Regime(regime))


# -- other libraries ---------------------------------------------------------------------------------------------------


def to_rdflib(graph: Graph) -> rdflib.Graph:
    """The graph for rdflib, with the same lexical forms, language tags and blank node labels, and its prefixes."""
    from kgprobe.rdf.rdflib_graphs import to_rdflib as convert

    return convert(graph)


def from_rdflib(graph: rdflib.Graph) -> Graph:
    """A graph from rdflib. Changes that rdflib made when it read a file, such as `01` to `1`, remain."""
    from kgprobe.rdf.rdflib_graphs import from_rdflib as convert

    return convert(graph)


def to_pyoxigraph(graph: Graph) -> list[pyoxigraph.Triple]:
    """The triples as pyoxigraph's, exactly. Its `Store` would rewrite literals, so this does not create one."""
    return list(graph)


def from_pyoxigraph(triples: Iterable[Triple | pyoxigraph.Quad]) -> Graph:
    """A graph of pyoxigraph's triples or quads: a list, a `Dataset`, a `Store`, or the result of `pyoxigraph.parse`.

    Names of graphs are left out.
    """
    import pyoxigraph

    return Graph(triple.triple if isinstance(triple, pyoxigraph.Quad) else triple for triple in triples)
