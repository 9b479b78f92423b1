"""Records what Python code really reads of a graph: at the store of rdflib, and at every method of pyoxigraph's.

Nothing of the analysis under test is used here. `None` in a record stands for any term, as in rdflib.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest
from rdflib.plugins.stores import memory

from kgprobe.selection.tests import TablesUse, TermUse, Test, TestUse
from kgprobe.sparql.reading import read_query, read_update
from kgprobe.sparql.uses import AnyUse, PathUse, Slot, TripleUse

Pattern = tuple[str | None, str | None, str | None]
ANY: Pattern = (None, None, None)


@dataclass
class Reads:
    """The patterns that were asked for, and the queries of which every use was."""

    patterns: set[Pattern] = field(default_factory=set)
    queries: set[str] = field(default_factory=set)
    updates: set[str] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.patterns or self.queries or self.updates)

    def missed_by(self, test: Test) -> list[object]:
        """The reads that no use of a test covers."""
        if test.unseen:
            return []
        missed: list[object] = [each for each in self.patterns if not any(_covers(use, each) for use in test.uses)]
        known = {_meaning(use) for use in test.uses}
        if not any(isinstance(use, AnyUse) for use in test.uses):
            for text in self.queries:
                missed += [use for use in read_query(text).uses if _meaning(use) not in known]
            for text in self.updates:
                missed += [use for use in read_update(text).uses if _meaning(use) not in known]
        return missed


def _meaning(use: TestUse) -> object:
    match use:
        case TripleUse():
            return _terms(use.subject), _terms(use.predicate), _terms(use.object), len(use.conditions)
        case PathUse():
            return _terms(use.subject), use.edges, _terms(use.object)
        case _:
            return type(use)


def _terms(slot: Slot) -> frozenset[str] | None:
    return None if slot.terms is None else frozenset(map(str, slot.terms))


def _covers(use: TestUse, pattern: Pattern) -> bool:
    match use:
        case AnyUse():
            return True
        case TripleUse():
            slots = (use.subject, use.predicate, use.object)
            return all(
                slot.terms is None
                or (asked is not None and asked in {getattr(term, "value", "") for term in slot.terms})
                for slot, asked in zip(slots, pattern, strict=True)
            )
        case PathUse():
            # A path without edges connects every node with itself: rdflib asks for all triples to know the nodes.
            is_open = use.reflexive and use.subject.terms is None and use.object.terms is None
            return (is_open and pattern == ANY) or pattern[1] in {predicate.value for predicate, _ in use.edges}
        case TermUse():
            return getattr(use.term, "value", None) in pattern
        case TablesUse():
            return False  # SQL reads no graph


def _pattern(*terms: Any) -> Pattern:
    s, p, o = (None if term is None else str(getattr(term, "value", term)) for term in terms)
    return s, p, o


_current: list[Reads] = []


@contextmanager
def recorded() -> Iterator[Reads]:
    """Record the reads of all graphs while the block runs."""
    reads = Reads()
    _current.append(reads)
    undo: list[Callable[[], None]] = []
    removing = [0]

    def replace(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        old = getattr(owner, name)
        setattr(owner, name, make(old))
        undo.append(lambda: setattr(owner, name, old))

    for store in (memory.Memory, memory.SimpleMemory):
        replace(store, "triples", lambda old: _asks(old, reads, removing))
        replace(store, "__len__", lambda old: _asks_all(old, reads))
        replace(store, "remove", lambda old: _removes(old, removing))
    replace(memory.Memory, "contexts", lambda old: _asks_all(old, reads))
    replace(pyoxigraph, "Store", _recording_store)
    replace(pyoxigraph, "Dataset", _recording_dataset)
    replace(pyoxigraph, "parse", _recording_parse)
    try:
        yield reads
    finally:
        for each in reversed(undo):
            each()
        _current.remove(reads)


def _asks(old: Any, reads: Reads, removing: list[int]) -> Any:
    def triples(self: Any, pattern: Any, context: Any = None) -> Any:
        if not removing[0]:
            reads.patterns.add(_pattern(*pattern))
        return old(self, pattern, context)

    return triples


def _asks_all(old: Any, reads: Reads) -> Any:
    def all_of(self: Any, *args: Any, **options: Any) -> Any:
        reads.patterns.add(ANY)
        return old(self, *args, **options)

    return all_of


def _removes(old: Any, removing: list[int]) -> Any:
    """What a store looks up in order to remove it is seen by later reads only, and those are recorded."""

    def remove(self: Any, *args: Any, **options: Any) -> Any:
        removing[0] += 1
        try:
            return old(self, *args, **options)
        finally:
            removing[0] -= 1

    return remove


_WRITES = frozenset(
    [
        *("load", "bulk_load", "add", "extend", "bulk_extend", "remove", "discard", "clear", "clear_graph"),
        *("add_graph", "remove_graph", "flush", "optimize"),
    ]
)


def _recording(member: str, args: tuple[Any, ...], options: dict[str, Any], reads: Reads) -> None:
    match member:
        case "quads_for_pattern":
            reads.patterns.add(_pattern(*args[:3]))
        case "quads_for_subject":
            reads.patterns.add(_pattern(args[0], None, None))
        case "quads_for_predicate":
            reads.patterns.add(_pattern(None, args[0], None))
        case "quads_for_object":
            reads.patterns.add(_pattern(None, None, args[0]))
        case "query":
            known = options.get("prefixes") or {}
            declared = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in known.items())
            reads.queries.add(declared + (args[0] if args else options["query"]))
        case "update":
            reads.updates.add(args[0] if args else options["update"])
        case _ if member not in _WRITES:
            reads.patterns.add(ANY)


def _unwrapped(value: Any) -> Any:
    return value._real if isinstance(value, _Proxy) else value


class _Proxy:
    """Stands for an object of pyoxigraph, whose classes are closed. Every member that is not a write is a read."""

    _real: Any

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._real, name)

        def called(*args: Any, **options: Any) -> Any:
            _recording(name, args, options, _current[-1])
            return member(*map(_unwrapped, args), **options)

        return called

    def _all(self) -> Any:
        _current[-1].patterns.add(ANY)
        return self._real

    def __iter__(self) -> Any:
        return iter(self._all())

    def __next__(self) -> Any:
        return next(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __bool__(self) -> bool:
        return bool(self._all())

    def __contains__(self, quad: Any) -> bool:
        return quad in self._all()

    def __str__(self) -> str:
        return str(self._all())

    def __eq__(self, other: object) -> bool:
        return bool(self._all() == _unwrapped(other))

    def __ne__(self, other: object) -> bool:
        return bool(self._all() != _unwrapped(other))

    def __hash__(self) -> int:
        return 0


def _recording_store(real: Any) -> Any:
    class Store(_Proxy):
        def __init__(self, *args: Any) -> None:
            self._real = real(*args)

    return Store


def _recording_dataset(real: Any) -> Any:
    class Dataset(_Proxy):
        def __init__(self, quads: Any = None) -> None:
            self._real = real(_unwrapped(quads))

    return Dataset


def _recording_parse(real: Any) -> Any:
    class Quads(_Proxy):
        def __init__(self, *args: Any, **options: Any) -> None:
            self._real = real(*args, **options)

    return Quads


# -- running the tests of a module -------------------------------------------------------------------------------------


def run(module: str, folder: Path) -> tuple[dict[str, Reads], dict[str, str]]:
    """Run the tests of a module with what its fixtures return: what each reads, and the errors."""
    results: dict[str, Reads] = {}
    errors: dict[str, str] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with recorded() as loading:
            names: dict[str, Any] = {}
            exec(compile(module, "test_a.py", "exec"), names)  # noqa: S102 - our own code
        for name in [name for name in names if name.startswith("test_")]:
            with recorded() as reads:
                reads.patterns |= loading.patterns
                try:
                    _call(names[name], names, {})
                except Exception as error:  # what was read until then counts
                    errors[name] = repr(error)
            results[name] = reads
    return results, errors


def _call(function: Any, names: dict[str, Any], made: dict[str, Any]) -> Any:
    """Call a test or a fixture with what its fixtures return."""
    fixture = getattr(function, "_fixture_function", None)
    function = function if fixture is None else fixture
    for name in inspect.signature(function).parameters:
        if name not in made:
            made[name] = None if name == "request" else _call(names.get(name) or _named(name, names), names, made)
    result = function(**{name: made[name] for name in inspect.signature(function).parameters})
    return next(result) if fixture is not None and inspect.isgenerator(result) else result


def _named(name: str, names: dict[str, Any]) -> Any:
    """The fixture with another name than its function."""
    return next(each for each in names.values() if getattr(each, "name", None) == name)
