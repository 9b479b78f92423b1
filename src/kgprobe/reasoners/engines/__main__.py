"""The child process: reads questions from its parent, and answers them until the parent has gone."""

from __future__ import annotations

import importlib
import json
import math
import os
import resource
import socket
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from kgprobe.errors import UnavailableError, one_line
from kgprobe.reasoners.channel import Channel
from kgprobe.reasoners.engines.engine import Engine, UnanswerableError
from kgprobe.reasoners.host import Question

_MODULES = {
    "rustdl": "rustdl",
    "pyhermit": "pyhermit",
    "konclude": "konclude",
    "hermit": "java",
    "openllet": "java",
    "elk": "java",
    "jfact": "java",
}
_OUT_OF_MEMORY_EXIT = 3


def main(name: str, memory_mb: int, descriptor: int, folder: Path) -> None:
    """Serve one parent."""
    channel = Channel(socket.socket(fileno=descriptor))
    try:
        module = importlib.import_module(f"kgprobe.reasoners.engines.{_MODULES[name]}")
        engine: Engine = module.engine(name, memory_mb, folder)
    except UnavailableError as error:
        channel.send(json.dumps({"unavailable": error.message, "install": error.hint}).encode())
        return
    channel.send(json.dumps({"limits_itself": engine.limits_itself}).encode())
    while True:
        try:
            asked, body = json.loads(channel.receive()), channel.receive().decode()
        except EOFError:
            return
        _answer_all(engine, body, asked["questions"], asked["seconds"], channel)


def _answer_all(engine: Engine, body: str, questions: list[Question], seconds: float, channel: Channel) -> None:
    loaded = False
    for question in questions:
        start = time.perf_counter()
        _bound_processor_time(seconds)
        try:
            if not loaded:
                engine.load(body)
                loaded = True
            reply = _answer(engine, question)
        except UnanswerableError as reason:
            reply = {"value": None, "complete": False, "why": str(reason)}
        except MemoryError:
            os._exit(_OUT_OF_MEMORY_EXIT)
        except Exception as error:
            traceback.print_exc()
            reply = {"value": None, "complete": False, "why": one_line(f"{type(error).__name__}: {error}")}
        channel.send(json.dumps({**reply, "seconds": time.perf_counter() - start}).encode())


def _answer(engine: Engine, question: Question) -> dict[str, Any]:
    match question["ask"]:
        case "consistent":
            return {"value": engine.consistent()}
        case "entails":
            return {"value": engine.entails(question["axiom"], question["refutations"])}
        case "unsatisfiable":
            return {"value": engine.unsatisfiable()}
        case "classify":
            return {"value": engine.classify()}
        case other:
            raise ValueError(f"no such question: {other}")


def _bound_processor_time(seconds: float) -> None:
    """The parent ends a child that takes too long; this ends one whose parent was killed meanwhile."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime
    allowed = math.ceil(spent + (os.cpu_count() or 1) * (seconds + 10))
    resource.setrlimit(resource.RLIMIT_CPU, (allowed, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
