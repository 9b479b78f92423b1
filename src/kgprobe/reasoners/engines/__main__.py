"""The child process: reads questions from its parent, and answers them until the parent ends."""

from __future__ import annotations

import importlib
import json
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from kgprobe.errors import UnavailableError, one_line
from kgprobe.processes.channel import Channel, serving_parent
from kgprobe.processes.limits import bound_processor_time
from kgprobe.reasoners import engines
from kgprobe.reasoners.engines import Engine, UnanswerableError
from kgprobe.reasoners.host import Question

_MOST_FRAMES = 10


def main(name: str, memory_mb: int, descriptor: int) -> None:
    """Serve one parent. The current folder is for files of the engine."""
    with serving_parent(descriptor) as channel:
        try:
            engine: Engine = _module(name).engine(name, memory_mb, Path.cwd())
        except UnavailableError as error:
            channel.send(json.dumps({"unavailable": error.message, "install": error.hint}).encode())
            return
        channel.send(json.dumps({"limits_itself": engine.limits_itself}).encode())
        while True:
            asked, body = json.loads(channel.receive()), channel.receive().decode()
            _answer_all(engine, body, asked["questions"], asked["seconds"], channel)


def _module(name: str) -> Any:
    """The module with this name, or the one that lists the name among those of its engines."""
    modules = [module.name for module in iter_modules(engines.__path__) if module.name != "__main__"]
    for module in sorted(modules, key=lambda candidate: candidate != name):
        imported = importlib.import_module(f"{engines.__name__}.{module}")
        if module == name or name in getattr(imported, "NAMES", ()):
            return imported
    raise ValueError(f"no module for {name}")


def _answer_all(engine: Engine, body: str, questions: list[Question], seconds: float, channel: Channel) -> None:
    loaded = False
    for question in questions:
        start = time.perf_counter()
        engine.omission = ""
        bound_processor_time(seconds)
        try:
            if not loaded:
                engine.load(body)
                loaded = True
            reply = {"value": _answer(engine, question), "omission": engine.omission}
        except UnanswerableError as reason:
            reply = _no_answer(str(reason), reason.kind, reason.trace)
        except (MemoryError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of a Rust library is not an Exception
            traceback.print_exc()
            reply = _no_answer(one_line(f"{type(error).__name__}: {error}"), _full_name(type(error)), _trace(error))
        channel.send(json.dumps({**reply, "seconds": time.perf_counter() - start}).encode())


def _answer(engine: Engine, question: Question) -> Any:
    match question["ask"]:
        case "consistent":
            return engine.consistent()
        case "entails":
            return engine.entails(question["axiom"], question["refutations"])
        case "unsatisfiable":
            return engine.unsatisfiable()
        case "classify":
            return engine.classify()
        case other:
            raise ValueError(f"no such question: {other}")


def _no_answer(why: str, kind: str, trace: Sequence[str]) -> dict[str, Any]:
    return {"value": None, "why": why, "kind": kind, "trace": trace}


def _full_name(kind: type) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _trace(error: BaseException) -> list[str]:
    """The frames of an exception, the innermost first, without those of this package."""
    ours = Path(__file__).parent
    frames = [(Path(frame.filename), frame.name) for frame in traceback.extract_tb(error.__traceback__)]
    return [f"{file.name}:{function}" for file, function in reversed(frames) if file.parent != ours][:_MOST_FRAMES]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
