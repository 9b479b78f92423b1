"""The worker process of `FunctionSystem`: calls the user's function on graphs and other values that its parent sends.

The parent is trusted and sends pickles. The replies are JSON, since the function may do anything to this process.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.util
import json
import os
import pickle
import re
import shutil
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from types import ModuleType
from typing import Any

from kgprobe.errors import nearest
from kgprobe.processes.channel import Channel
from kgprobe.processes.limits import bound_processor_time
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.table import KeyTriple, TripleTable
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Triple
from kgprobe.systems.endings import crash_of
from kgprobe.user_functions import called, refusal

LARGEST_REPLY = 1 << 26
_LONGEST_MESSAGE = 2_000


class _NotFoundError(Exception):
    """The function does not exist; the second argument is a similar name, if one exists."""


class _RefusedError(Exception):
    """The function exists, but can give no answer."""


class _Worker:
    def __init__(self, function: Callable[[Any], object], folder: Path, *, takes_file: bool) -> None:
        self._function = function
        self._folder = folder
        self._save: Callable[[Graph, Path], object] | None = None
        if takes_file:
            # This imports all formats. Workers are started often, and start in half the time without it.
            from kgprobe.formats.files import save

            self._save = save
        self._seeds: dict[int, tuple[TripleTable, Spelling]] = {}

    def learn(self, number: int, seed: tuple[TripleTable, Spelling], forgotten: int | None) -> None:
        """Keep a table: later graphs come as changes to it."""
        self._seeds[number] = seed
        if forgotten is not None:
            self._seeds.pop(forgotten, None)

    def call_on_graph(self, number: int, changes: dict[KeyTriple, bool]) -> dict[str, Any]:
        """The reply: the function's value for a graph, or how it failed."""
        table, spelling = self._seeds[number]
        graph = Graph.from_table(table, spelling)
        graph.__setstate__((table, spelling, changes))
        self._clean_up()
        if self._save is None:
            return self._called(graph)
        file = self._folder / "graph.ttl"
        self._save(graph, file)
        return self._called(str(file))

    def call_on_value(self, value: object) -> dict[str, Any]:
        """The reply: the function's value for another value, or how it failed."""
        self._clean_up()
        return self._called(value)

    def _called(self, given: object) -> dict[str, Any]:
        start = time.perf_counter()
        try:
            value = called(self._function, given)
            seconds = time.perf_counter() - start
            reply: dict[str, Any] = {"value": encoded(value), "seconds": seconds}
        except MemoryError as error:
            reply = {"memory": str(error)[:_LONGEST_MESSAGE], "seconds": time.perf_counter() - start}
        except BaseException as error:  # including SystemExit: the function must not end this process
            reply = {**_told(error), "seconds": time.perf_counter() - start}
        _flush()
        return reply

    def _clean_up(self) -> None:
        """Empty the folder, and make it the current one, before each call."""
        try:
            os.chdir(self._folder)
            left = list(os.scandir(self._folder))
        except OSError:
            self._folder.mkdir(parents=True, exist_ok=True)
            os.chdir(self._folder)
            return
        for entry in left:
            with contextlib.suppress(OSError, RecursionError):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    Path(entry.path).unlink()


def main(descriptor: int, settings: dict[str, Any]) -> None:
    """Serve one parent until it ends."""
    os.set_inheritable(descriptor, False)  # the function's own child processes must not get it
    channel = Channel(socket.socket(fileno=descriptor))
    us, folder = os.getpid(), Path.cwd()
    try:
        function = _find(settings["function"], Path(settings["source"]))
    except _RefusedError as error:
        channel.send(json.dumps({"refused": str(error)}).encode())
        return
    except _NotFoundError as error:
        channel.send(json.dumps({"missing": error.args[0], "meant": error.args[1]}).encode())
        return
    except BaseException as error:
        _flush()
        channel.send(json.dumps({"broken": _told(error)}).encode())
        return
    worker = _Worker(function, folder, takes_file=settings["takes_file"])
    _flush()
    gc.freeze()  # these objects stay, so the collector can skip them
    channel.send(json.dumps({"ready": True}).encode())
    while True:
        try:
            kind, call, *arguments = pickle.loads(channel.receive())  # noqa: S301 - our parent made it
        except (EOFError, OSError):
            return  # the parent was killed; the guard removes the folder
        if kind == "seed":
            worker.learn(*arguments)
            continue
        seconds, *given = arguments
        bound_processor_time(seconds)
        reply = worker.call_on_graph(*given) if kind == "graph" else worker.call_on_value(*given)
        if os.getpid() != us:  # the function has forked: only the original process answers
            os._exit(0)
        channel.send(_bounded(json.dumps({**reply, "call": call}), call))


def _bounded(reply: str, call: int) -> bytes:
    if len(reply) <= LARGEST_REPLY:
        return reply.encode()
    return json.dumps({"call": call, "too_large": len(reply), "seconds": 0.0}).encode()


def _find(reference: str, source: Path) -> Callable[[Any], object]:
    place, _, name = reference.rpartition(":")
    module = _module_of_file(source / place) if place.endswith(".py") else _module(place)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            valid = [attribute for attribute in dir(found) if callable(getattr(found, attribute, None))]
            raise _NotFoundError(f"{place} has no function '{name}'", nearest(part, valid))
        found = getattr(found, part)
    if not callable(found):
        raise _NotFoundError(f"'{name}' in {place} cannot be called: it is {type(found).__qualname__}", None)
    refused = refusal(found)
    if refused is not None:
        raise _RefusedError(refused)
    function: Callable[[Any], object] = found
    return function


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # The module exists, but imports something that does not: it is broken, not missing.
        if error.name is None or not (name == error.name or name.startswith(f"{error.name}.")):
            raise
        raise _NotFoundError(f"the module '{name}' does not exist", _near_module(name)) from None


def _near_module(name: str) -> str | None:
    """A similar name among the modules in the user's folder."""
    files = [*Path(sys.path[0]).glob("*.py"), *Path(sys.path[0]).glob("*/*.py")]
    known = [".".join(file.relative_to(sys.path[0]).with_suffix("").parts) for file in files]
    return nearest(name, [each.removesuffix(".__init__") for each in known])


def _module_of_file(file: Path) -> ModuleType:
    if not file.is_file():
        near = nearest(file.name, [other.name for other in file.parent.glob("*.py")]) if file.parent.is_dir() else None
        raise _NotFoundError(f"the file {file} does not exist", near)
    sys.path.insert(1, str(file.parent))  # as Python does for a script
    name = f"{file.stem}_" if file.stem in sys.modules else file.stem
    specification = importlib.util.spec_from_file_location(name, file)
    assert specification is not None  # noqa: S101 - it ends with .py
    assert specification.loader is not None  # noqa: S101 - it ends with .py
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # dataclasses and pickle look for a class's module there
    specification.loader.exec_module(module)
    return module


def _told(error: BaseException) -> dict[str, Any]:
    """An exception as JSON."""
    crash = crash_of(error)
    place = None if crash.place is None else (crash.place.file, crash.place.line, crash.place.text)
    told: dict[str, Any] = {"raised": crash.kind, "message": crash.message, "frames": crash.frames, "place": place}
    told["libraries"] = crash.libraries
    if isinstance(error, SystemExit):
        told["exit_code"] = error.code if isinstance(error.code, int) else int(error.code is not None)
    else:
        with contextlib.suppress(Exception):
            traceback.print_exception(error)  # as it would be if the function were a program
    return told


def _flush() -> None:
    """Write out the function's output before the reply."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the function may have put anything there
            stream.flush()


# -- any value as JSON -------------------------------------------------------------------------------------------------
# Lists, mappings and sets become a letter and their items, so that each value can be decoded unambiguously.

_LIST, _MAPPING, _SET = "l", "m", "s"
_DEEPEST = 200
_MOST_BITS = 10_000  # Python refuses to write much longer numbers
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def encoded(value: object, depth: int = 0) -> Any:
    """A value as JSON. Values that JSON does not have become text."""
    match value:
        case None | bool() | float():
            return value
        case str():
            return str(value)
        case int():
            return int(value) if value.bit_length() <= _MOST_BITS else hex(value)
        case NamedNode() | BlankNode() | Literal() | Triple():
            return str(value)
        case Graph():
            return "".join(sorted(f"{triple} .\n" for triple in value))
    if depth < _DEEPEST:
        match value:
            case list() | tuple():
                return [_LIST, [encoded(item, depth + 1) for item in value]]
            case Mapping():
                return [_MAPPING, [[_key(key), encoded(item, depth + 1)] for key, item in value.items()]]
            case Set():
                return [_SET, [encoded(item, depth + 1) for item in value]]
    return _text(value)


def decoded(wire: Any, *, hashable: bool = False) -> Any:
    """The value; sets are frozen, and lists in them are tuples. ValueError if it was not made by `encoded`."""
    if not isinstance(wire, list):
        if isinstance(wire, dict):
            raise ValueError("an object that is not a mapping")
        return wire
    match wire:
        case ["l", list(items)]:
            values = [decoded(item, hashable=hashable) for item in items]
            return tuple(values) if hashable else values
        case ["s", list(items)]:
            return frozenset(decoded(item, hashable=True) for item in items)
        case ["m", list(items)]:
            pairs = [(str(key), decoded(item, hashable=hashable)) for key, item in items]
            return tuple(pairs) if hashable else dict(pairs)
    raise ValueError("neither a list nor a mapping nor a set")


def _key(key: object) -> str:
    if isinstance(key, str | int | float | NamedNode | BlankNode | Literal):
        return str(key)
    return _text(key)


def _text(value: object) -> str:
    """Python's text for a value, without its address in memory, which differs in each run."""
    try:
        return _ADDRESS.sub("", repr(value))
    except Exception:  # its class is the user's
        return f"<{type(value).__qualname__}>"


if __name__ == "__main__":
    # Calls need these. Loading them must not take time from the first call, nor find files of the user by their names.
    import resource  # noqa: F401

    import kgprobe.rdf.rows  # noqa: F401 - and numpy with it

    given = json.loads(sys.argv[2])
    sys.path[0] = given["source"]  # instead of the current folder
    main(int(sys.argv[1]), given)
