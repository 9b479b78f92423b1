"""Judges mutants: whether something else follows from them, whether a test notices, and which query would have."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType, TracebackType

from kgprobe.entailment.closure import EntailedChange
from kgprobe.entailment.rules import Regime, UndecidedError
from kgprobe.processes.guard import Guards
from kgprobe.processes.limits import clean_folder
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.spelling import STANDARD_PREFIXES, Spelling
from kgprobe.rdf.table import Key
from kgprobe.rdf.terms import RDF, BlankNode, Literal, NamedNode, Triple
from kgprobe.reasoners.auto import opened
from kgprobe.reasoners.protocol import Consistency
from kgprobe.selection.impact import select
from kgprobe.selection.tests import Suite, TablesUse, TermUse, Test, TestUse
from kgprobe.sparql.engine.exact_store import GraphStore, PreparedQuery, answer_of
from kgprobe.sparql.uses import AnyUse, PathUse, Slot, TripleUse
from kgprobe.suite_score.limit import Limit
from kgprobe.suite_score.model import Fate, GraphFile, Judged, LeftOut, Selecting, State
from kgprobe.suite_score.tests import Command, Runnable, command_tests, query_tests, shape_tests

MOST_TRIPLES = 25
"""Larger patterns are hard to read, and can be slow to match."""
_MOST_ENTAILED = 20


def suggested(delta: Delta, change: EntailedChange, graph: Graph) -> str | None:
    """A query with different answers on the two graphs of a change, which the delta made; None if none was found."""
    writer = QueryWriter(graph)
    for query in _candidates(delta, change, writer):
        if _answer(query, change.old) != _answer(query, change.new):
            return query
    return None


def _answer(query: str, graph: Graph) -> object:
    return answer_of(query, GraphStore(graph))


def _candidates(delta: Delta, change: EntailedChange, writer: QueryWriter) -> Iterator[str]:
    stated: list[Sequence[Triple]] = [part for part in (delta.removed, delta.added) if part]
    for part in stated:
        if len(part) <= MOST_TRIPLES:
            yield from writer.query("ASK {{ {} }}", _connected(part))
    # What follows from the change: a triple with names only is the easiest to ask for.
    for triple in islice((entailed for entailed in _entailed(change) if _is_named(entailed)), _MOST_ENTAILED):
        yield from writer.query("ASK {{ {} }}", [triple])
    for part in stated:
        if len(part) <= MOST_TRIPLES:
            yield from writer.query("SELECT (COUNT(*) AS ?count) WHERE {{ {} }}", _connected(part))
    for part in (*stated, list(islice(_entailed(change), _MOST_ENTAILED))):
        for triple in part:
            yield from writer.query("SELECT (COUNT(*) AS ?count) WHERE {{ {} }}", [triple])
    predicates = dict.fromkeys(triple.predicate for part in (*stated, list(_entailed(change))) for triple in part)
    for predicate in predicates:
        yield from writer.count(predicate)


def _entailed(change: EntailedChange) -> Iterator[Triple]:
    triple = change.names.triple
    return map(triple, (*change.gone, *change.come))


def _is_named(triple: Triple) -> bool:
    return not isinstance(triple.subject, BlankNode) and not isinstance(triple.object, BlankNode)


def _connected(triples: Sequence[Triple]) -> list[Triple]:
    """The triples of names first, and each blank node after the triple that leads to it."""
    about: dict[object, list[Triple]] = {}
    for triple in triples:
        about.setdefault(triple.subject, []).append(triple)
    inner = {triple.object for triple in triples if isinstance(triple.object, BlankNode)}
    pending = [subject for subject in about if subject not in inner] or list(about)[:1]
    found: dict[Triple, None] = {}
    for subject in pending:
        for triple in about.pop(subject, ()):
            found[triple] = None
            if triple.object in about:
                pending.append(triple.object)
    return [*found, *(triple for triple in triples if triple not in found)]


class QueryWriter:
    """Writes queries on one line, with the prefixes that they use. Blank nodes become variables."""

    def __init__(self, graph: Graph) -> None:
        self._spelling = Spelling({**STANDARD_PREFIXES, **graph.spelling.prefixes})

    def query(
        self, template: str, triples: Sequence[Triple], named: dict[BlankNode, str] | None = None
    ) -> Iterator[str]:
        """The query; nothing if it would have parts that SPARQL 1.1 does not have. `named` gets the variables."""
        if any(type(triple.object) is Triple for triple in triples):
            return
        used: dict[str, None] = {}
        variables = {} if named is None else named
        texts = []
        for triple in triples:
            parts = [self._term(part, used, variables) for part in (triple.subject, triple.predicate, triple.object)]
            texts.append(" ".join(["a" if triple.predicate == RDF.type and i == 1 else p for i, p in enumerate(parts)]))
        yield self._prologue(used) + template.format(" . ".join(texts))

    def count(self, predicate: NamedNode) -> Iterator[str]:
        used: dict[str, None] = {}
        text = self._term(predicate, used, {})
        yield f"{self._prologue(used)}SELECT (COUNT(*) AS ?count) WHERE {{ ?subject {text} ?object }}"

    def _term(self, term: object, used: dict[str, None], variables: dict[BlankNode, str]) -> str:
        if isinstance(term, BlankNode):
            return variables.setdefault(term, f"?x{len(variables) + 1}")
        if isinstance(term, Literal) and not term.language and "^^" in str(term):
            return f"{Literal(term.value)}^^{self._term(term.datatype, used, variables)}"
        if not isinstance(term, NamedNode):
            return str(term)
        text = self._spelling.term(term)
        if not text.startswith("<") and term != RDF.type:
            used[text.partition(":")[0]] = None
        return str(term) if term == RDF.type else text

    def _prologue(self, used: dict[str, None]) -> str:
        return "".join(f"PREFIX {name}: <{self._spelling.prefixes[name]}> " for name in used)


def is_equivalent(change: EntailedChange, regime: Regime, graph: Graph) -> bool:
    """Whether the closures say the same.

    Under a regime, blank nodes are things without a name: if all that is gone is a copy of what is still there, such as
    one of two equal restrictions, the same follows. Without one, only the triples count.
    """
    if not change.gone and not change.come:
        return True
    if regime is Regime.NONE or change.come or len(change.gone) > MOST_TRIPLES:
        return False
    gone = change.removed
    if not all(isinstance(triple.subject, BlankNode) or isinstance(triple.object, BlankNode) for triple in gone):
        return False
    variables: dict[BlankNode, str] = {}
    store = GraphStore(change.new)
    for query in QueryWriter(graph).query("ASK {{ {} }}", gone, variables):
        # Blank nodes that the mutant still has stand for themselves.
        kept = {name.removeprefix("?"): node for node, name in variables.items() if change.new.mentions(node)}
        return store.ask(PreparedQuery.of(query, "<query>"), kept) is True
    return False


_NOTHING: Mapping[str, str] = MappingProxyType({})
# Work that is not a test.
_EQUIVALENCE = "<equivalence>"
_SUGGESTION = "<suggestion>"


@dataclass(frozen=True)
class Setting:
    """Everything that a judge needs. It can be sent to other processes."""

    graph: Graph
    suite: Suite
    shapes: tuple[Path, ...] = ()
    command: Command | None = None
    seconds: float = math.inf  # for a query or a shape on one graph
    file_name: str = "graph.ttl"  # of the graph that the command reads
    format_name: str = "turtle"
    regime: Regime = Regime.NONE
    reasoner: str | None = None
    selecting: Selecting = Selecting.AUTO
    all_kills: bool = False
    whole_axioms: bool = False  # mutants lack an axiom each, which makes no consistent ontology inconsistent


class Judge:
    """The tests, ready to run, and the original that they have learned. Used in a `with`.

    With a limit, this process ends if a query takes too long. What is then `given_up` in another process is not run
    there: the names of tests or of other work, and why.
    """

    def __init__(self, setting: Setting, limit: Limit | None = None) -> None:
        self._setting = setting
        self._limit = limit
        self._resources = ExitStack()
        self.notes: list[str] = []
        self.left_out: list[LeftOut] = []
        self.broken: list[LeftOut] = []
        self.tests: list[Runnable] = []
        self._learned: set[str] = set()

    def __enter__(self) -> Judge:
        with ExitStack() as if_it_fails:
            self._resources = if_it_fails
            setting = self._setting
            self._reasoner = None if setting.reasoner is None else if_it_fails.enter_context(opened(setting.reasoner))
            self._file: GraphFile | None = None
            if setting.command is not None:
                folder = if_it_fails.enter_context(clean_folder())
                self._file = GraphFile(folder, setting.file_name, setting.format_name)
            self.tests = self._found()
            self._resources = if_it_fails.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._resources.close()

    def _found(self) -> list[Runnable]:
        setting = self._setting
        found: list[Runnable] = []
        if setting.command is not None:
            guards = Guards()
            self._resources.callback(guards.close)
            found += command_tests(setting.suite, setting.command, guards)
        else:
            sorted_ = query_tests(setting.suite, setting.regime, setting.graph.spelling.prefixes, self._limit)
            found += sorted_.runnable
            self.left_out += sorted_.left_out
            self.broken += sorted_.broken
            self.notes += sorted_.notes
        for path in setting.shapes:
            seconds = None if setting.seconds == math.inf else setting.seconds
            found += shape_tests(path, setting.regime, seconds)
        return found

    # -- the original --------------------------------------------------------------------------------------------------

    def failures(self, given_up: Mapping[str, str] = _NOTHING) -> list[LeftOut]:
        """The tests that fail on the original, and why. All tests learn its answers."""
        state = self._state(self._setting.graph)
        failing = [LeftOut(name, f"it {why}") for name, why in given_up.items()]
        for runnable in self.tests:
            if runnable.test.name not in given_up:
                why = runnable.failure(state)
                failing += [] if why is None else [LeftOut(runnable.test.name, why)]
                self._learned.add(runnable.test.name)
        return sorted((*self.broken, *failing), key=lambda left_out: left_out.test)

    def keep(self, names: Sequence[str]) -> None:
        """Judge by these tests only, in this order."""
        known = {runnable.test.name: runnable for runnable in self.tests}
        self.tests = [known[name] for name in names]
        self._compared = compared(self.tests, self._setting.graph, self._setting.selecting)
        self._few = Suite(tuple(self.tests[number].test for number in sorted(self._compared)))

    def learn(self, names: Sequence[str]) -> None:
        """Judge by these tests only, which are known to pass on the original within the limit."""
        state = self._state(self._setting.graph)
        wanted = set(names) - self._learned
        with nullcontext() if self._limit is None else self._limit.suspended():
            for runnable in self.tests:
                if runnable.test.name in wanted and not runnable.is_process:
                    runnable.failure(state)
        self.keep(names)

    def is_consistent(self, graph: Graph) -> bool | None:
        """Whether the reasoner finds a graph consistent; None if it cannot tell."""
        assert self._reasoner is not None  # noqa: S101 - the caller has checked
        [answer] = self._reasoner.answer(graph, [Consistency()])
        return answer.value is True if answer.decided else None

    # -- mutants -------------------------------------------------------------------------------------------------------

    def judged(self, delta: Delta, order: Sequence[int], given_up: Mapping[str, str] = _NOTHING) -> Judged:
        """What becomes of a mutant. Tests run in this order, up to the first that kills, unless all kills count."""
        setting = self._setting
        graph = setting.graph.copy()
        graph.apply(delta)
        is_consistent: bool | None = True
        if setting.reasoner is not None and not setting.whole_axioms:
            is_consistent = self.is_consistent(graph)
            if is_consistent is False:
                return Judged(Fate.KILLED, "inconsistent")
        state = self._state(graph)
        try:
            change = state.change(setting.regime)
        except UndecidedError as error:
            return Judged(Fate.UNDECIDED, f"what follows from it is not known: {error.message}")
        if _EQUIVALENCE in given_up:
            return Judged(Fate.UNDECIDED, f"comparing it with the original {given_up[_EQUIVALENCE]}")
        with self._limited(_EQUIVALENCE):
            if is_equivalent(change, setting.regime, setting.graph):
                return Judged(Fate.EQUIVALENT)
        found = self._run(state, order, given_up)
        if found.fate is not Fate.SURVIVED:
            return found
        if is_consistent is None:
            return replace(found, fate=Fate.UNDECIDED, why="the reasoner cannot tell whether it is consistent")
        if _SUGGESTION in given_up:
            return found
        with self._limited(_SUGGESTION):
            return replace(found, suggestion=suggested(delta, change, setting.graph))

    def _run(self, state: State, order: Sequence[int], given_up: Mapping[str, str]) -> Judged:
        """Run the tests that the change can affect."""
        selected = self._selected(state)
        ran: list[int] = []
        killers: list[int] = []
        doubt = ""
        for number in order:
            if number in self._compared and number not in selected:
                continue
            ran.append(number)
            name = self.tests[number].test.name
            is_killer = None if name in given_up else self.tests[number].kills(state)
            if is_killer:
                killers.append(number)
                if not self._setting.all_kills:
                    break
            elif is_killer is None:
                doubt = doubt or f"{name} {given_up.get(name, 'has no result')}"
        without = order.index(killers[0]) + 1 if killers and not self._setting.all_kills else len(order)
        which = None if len(ran) == len(order) else tuple(sorted(ran))
        if killers:
            return Judged(Fate.KILLED, "", tuple(sorted(killers)), which, without)
        return Judged(Fate.UNDECIDED if doubt else Fate.SURVIVED, doubt, (), which, without)

    def _selected(self, state: State) -> frozenset[int]:
        if not self._compared:
            return frozenset()
        try:
            found = select(self._few, self._setting.regime, state.change).selected
        except UndecidedError:  # of a test with a regime of its own
            return self._compared
        names = {failure.test.name for failure in found}
        return frozenset(number for number in self._compared if self.tests[number].test.name in names)

    def _limited(self, name: str) -> AbstractContextManager[None]:
        return nullcontext() if self._limit is None else self._limit.of(name)

    def _state(self, graph: Graph) -> State:
        return State(self._setting.graph, graph, self._reasoner, self._file)


# -- which tests are compared with a change before they run ------------------------------------------------------------

# Comparing a change with one use of a test takes about as long as matching this many triples; a path takes longer.
_TRIPLES_PER_USE = 400
_TRIPLES_PER_PATH = 1000


def compared(tests: Sequence[Runnable], graph: Graph, selecting: Selecting) -> frozenset[int]:
    """The numbers of the tests that run on a mutant only if selection says that the change can affect them.

    `auto` decides by counts, not by the clock, so that a result does not depend on the load of the machine: a process
    always costs more than the comparison; a query costs at least as much as the triples that its patterns match one by
    one.
    """
    if selecting is Selecting.NEVER:
        return frozenset()
    if selecting is Selecting.ALWAYS:
        return frozenset(range(len(tests)))
    return frozenset(
        number for number, runnable in enumerate(tests) if runnable.is_process or _pays(runnable.test, graph)
    )


def _pays(test: Test, graph: Graph) -> bool:
    if test.unseen or not test.queries:
        return False
    comparing = sum(_TRIPLES_PER_PATH if isinstance(use, PathUse) else _TRIPLES_PER_USE for use in test.uses)
    return sum(_matching(use, graph) for use in test.uses) > comparing


def _matching(use: TestUse, graph: Graph) -> int:
    """The number of triples that match a use, if it has at most one term in each place."""
    match use:
        case TripleUse():
            slots = (use.subject, use.predicate, use.object)
            if any(slot.terms is not None and len(slot.terms) != 1 for slot in slots):
                return 0
            return graph.count(*(_key(slot, graph) for slot in slots))
        case PathUse():
            if use.subject.terms is not None or use.object.terms is not None:
                return 0  # from a given node, a path reaches few others
            return sum(graph.count(None, graph.key(predicate)) for predicate, _ in use.edges)
        case TermUse() | TablesUse():
            return 0
        case AnyUse():
            return len(graph)


def _key(slot: Slot, graph: Graph) -> Key | None:
    return None if slot.terms is None else graph.key(next(iter(slot.terms)))
