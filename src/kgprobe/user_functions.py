"""Calls functions of the user. A coroutine is not an answer: it is run, and its result is.

Every call of a function that a user gives goes through `called`.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from kgprobe.errors import InputError

if TYPE_CHECKING:
    import asyncio

__all__ = ["called", "refusal"]

_OF_THIS_THREAD = threading.local()
_ASYNC_GENERATOR = 0x200  # the flag of code that is both `async` and has a `yield`; importing `inspect` takes time


def called(function: Callable[..., Any], *given: object) -> Any:
    """What a function returns. If it is asynchronous, this waits for its result.

    All calls from one thread share an event loop, because clients that a function keeps belong to one. InputError if
    the function is an asynchronous generator, which has no result.
    """
    found = function(*given)
    kind = type(found)
    if hasattr(kind, "__aiter__") and hasattr(kind, "asend"):
        why = refusal(function) or "an asynchronous generator has no result"
        raise InputError(why, hint="return the answer instead")
    return _waited_for(found) if hasattr(kind, "__await__") else found


def refusal(function: object) -> str | None:
    """Why a function cannot be called, if its code says so."""
    code = getattr(function, "__code__", None)
    if code is None or not code.co_flags & _ASYNC_GENERATOR:
        return None
    name = getattr(function, "__name__", "function")
    return f"'{name}' is an asynchronous generator: it yields, and returns no answer"


def _waited_for(found: Awaitable[Any]) -> Any:
    import asyncio  # only here: it takes longer than most functions

    async def wait() -> Any:
        return await found

    if not _runs_a_loop():
        return _runner().run(wait())
    # This thread runs a loop already, for example that of an asynchronous test: use another thread.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, wait()).result()


def _runs_a_loop() -> bool:
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _runner() -> asyncio.Runner:
    import asyncio

    runner: asyncio.Runner | None = getattr(_OF_THIS_THREAD, "runner", None)
    if runner is None:
        runner = _OF_THIS_THREAD.runner = asyncio.Runner()
    return runner
