"""How a run ended, judged by its exit code, signal, limit or traceback."""

from __future__ import annotations

import linecache
import re
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import dropwhile
from pathlib import Path, PureWindowsPath

from kgprobe.model import Crash, Place, Status, is_of_the_language, without_colours
from kgprobe.processes.limits import OUT_OF_MEMORY_WORDS, Limits, Passed, ending

__all__ = ["MOST_FRAMES", "crash_in", "crash_of", "frame", "innermost_own", "judged", "limit_passed", "lost_guard"]

_LAST_WORDS = 2_000


def limit_passed(passed: Passed, limits: Limits) -> tuple[Status, str]:
    """The status of a run that was ended because of a limit, and a remark."""
    if passed is Passed.TIME:
        return Status.TIMED_OUT, f"time limit of {limits.seconds:g} s passed"
    return Status.OUT_OF_MEMORY, f"memory limit of {limits.memory_mb} MB passed"


def judged(code: int, stderr: str, lost: str = "") -> tuple[Status, Crash | None]:
    """The status of a process that ended within its limits. An exit code alone is not a crash; an exception is.

    `lost` is what the process did to its guard, if anything.
    """
    if lost:
        return Status.CRASHED, lost_guard(lost)
    if code == 0:
        return Status.FINISHED, None
    crash = crash_in(stderr)
    words = stderr[-_LAST_WORDS:]
    if any(sign in words for sign in OUT_OF_MEMORY_WORDS):
        return Status.OUT_OF_MEMORY, crash
    if code < 0:
        last = words.strip().splitlines()[-1:]
        message = crash.message if crash else "".join(last)
        return Status.CRASHED, Crash(
            ending(code), message, crash.frames if crash else (), crash.place if crash else None
        )
    return (Status.CRASHED, crash) if crash else (Status.FINISHED, None)


def lost_guard(lost: str) -> Crash:
    """The crash of a system that killed or stopped its guard."""
    return Crash(f"{lost} its parent process", "its parent is the guard process of kgprobe")


# -- exceptions in the output of a program -----------------------------------------------------------------------------

MOST_FRAMES = 50
_LONGEST_MESSAGE = 2_000
_LONGEST_LINE = 4_000  # patterns are slow on lines of a megabyte
_MOST_MESSAGE_LINES = 20
_LONGEST_SOURCE_LINE = 200

# Python's own library, packages that were installed, and code without a file, except that of `python -c`.
_LIBRARY_FILE = re.compile(
    r"[\\/](?:site|dist)-packages[\\/]|[\\/]lib(?:64)?[\\/](?:python|pypy)\d[\d.]*t?[\\/]|[\\/]Python\d+[\\/]Lib[\\/]"
    r"|^<(?!string>|stdin>)"
)
_PACKAGE = re.compile(r"[\\/](?:site|dist)-packages[\\/](?P<name>[^\\/]+)")
_KGPROBE = str(Path(__file__).parents[1])
_CALLER = re.compile(rf"{re.escape(_KGPROBE)}[\\\\/]|.*[\\\\/]asyncio[\\\\/]")  # of a function of the user
_PYTHON_START = "Traceback (most recent call last):"
_PYTHON_FRAME = re.compile(
    r'^\s*(?:\|\s)?\s*File "(?P<file>[^"\n]*)", line (?P<line>\d+)(?:, in (?P<function>.+))?\s*$'
)
# A name with dots at the start of a line, alone or before a colon.
_PYTHON_EXCEPTION = re.compile(r"^(?P<kind>[^\W\d]\w*(?:\.(?:\w+|<locals>))*)(?:: (?P<message>.*)|:?\s*)$")
_FATAL_START = re.compile(r"^Fatal Python error: (?P<message>.*)$")
_FATAL_FRAME = re.compile(r'^\s+File "(?P<file>[^"\n]*)", line (?P<line>\d+|\?\?\?) in (?P<function>.+?)\s*$')

_JAVA_KIND = r"(?P<kind>[^\W\d][\w$.]*)(?:: (?P<message>.*)|\s*)$"
_JAVA_START = re.compile(rf'^(?:Exception in thread "[^"]*" )?{_JAVA_KIND}')
_JAVA_CAUSE = re.compile(rf"^Caused by: {_JAVA_KIND}")
_JAVA_FRAME = re.compile(
    r"^\s+at (?:[\w.\-@]*/{1,2})*(?P<method>[\w$./]+\.(?:[\w$]+|<init>|<clinit>))\((?P<place>[^)]*)\)"
)
# The Java machine numbers these differently in each run.
_JAVA_NUMBERS = re.compile(r"(?P<name>\$\$Lambda|Accessor|\$Proxy)(?:\$?\d+)?(?:/(?:0x)?[0-9a-f]+)?")


def frame(file: str, function: str) -> str:
    """A Python function in the traceback of a crash: the name of its file, and its own name."""
    return f"{PureWindowsPath(file).name}:{function}"  # PureWindowsPath handles both kinds of slashes


def innermost_own(places: Iterable[Place]) -> Place | None:
    """The innermost place that is not in a library, or the first one; `places` has the innermost first."""
    found = list(places)
    own = (place for place in found if not _LIBRARY_FILE.search(place.file) and not place.file.startswith(_KGPROBE))
    return next(own, found[0] if found else None)


def crash_of(error: BaseException) -> Crash:
    """An exception as a crash. The frames of kgprobe that called the system do not belong to it."""
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    try:
        message = str(error)[:_LONGEST_MESSAGE]
    except Exception:  # its class is the user's
        message = ""
    walked = [(each.f_code, line or 0) for each, line in traceback.walk_tb(error.__traceback__)]
    own = [(code, line) for code, line in walked if not code.co_filename.startswith("<frozen importlib")]
    passed = [*dropwhile(lambda each: _CALLER.match(each[0].co_filename), own)][::-1] or own[::-1]
    place = innermost_own(Place(code.co_filename, line) for code, line in passed)
    if place is not None:
        place = replace(place, text=linecache.getline(place.file, place.line).strip())
    codes = [code for code, _ in passed[:MOST_FRAMES]]
    frames = tuple(frame(code.co_filename, code.co_name) for code in codes)
    return Crash(name, message, frames, place, tuple(library_of(code.co_filename) for code in codes))


def library_of(file: str) -> str:
    """The library that a Python file belongs to; empty if it is not in one."""
    if installed := _PACKAGE.search(file):
        return installed["name"].partition(".")[0]
    return "Python" if _LIBRARY_FILE.search(file) else ""


def crash_in(text: str) -> Crash | None:
    """The exception that a text reports: the last one of a Python program, the innermost cause in Java."""
    lines = [_shortened(line) for line in without_colours(text).splitlines()]
    return _python(lines) or _java(lines) or _fatal(lines)


def _shortened(line: str) -> str:
    # Other output without a line end may come before it.
    return _PYTHON_START if line.rstrip().endswith(_PYTHON_START) else line[:_LONGEST_LINE]


def _python(lines: Sequence[str]) -> Crash | None:
    start = _last(lines, lambda line: line.strip() == _PYTHON_START)
    if start is None:
        return None
    frames: list[str] = []
    libraries: list[str] = []
    places: list[Place] = []
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if found := _PYTHON_FRAME.match(line):
            places.append(Place(found["file"], int(found["line"]), _source(lines[number + 1 : number + 2])))
            if found["function"]:  # a SyntaxError adds a "File" line without a function
                frames.append(frame(found["file"], found["function"]))
                libraries.append(library_of(found["file"]))
        elif not line.startswith((" ", "\t")) and (named := _PYTHON_EXCEPTION.match(line)):
            message = [named["message"] or "", *_continued(lines[number + 1 :])]
            place = innermost_own(reversed(places))
            crash = _crash(named["kind"], "\n".join(message), reversed(frames), place)
            return replace(crash, libraries=tuple(reversed(libraries))[:MOST_FRAMES])
    return None  # it was cut off


def _source(following: Sequence[str]) -> str:
    """The line of code that a traceback shows below a frame; none if the next frame or the exception comes at once."""
    return "".join(
        line.strip()[:_LONGEST_SOURCE_LINE]
        for line in following
        if line.startswith("    ") and not _PYTHON_FRAME.match(line)
    )


def _continued(lines: Sequence[str]) -> list[str]:
    """Further lines of a message. Its end is not marked; an empty line or a ruler is a good guess."""
    found: list[str] = []
    for line in lines:
        if not line.strip(" \t-="):
            break
        found.append(line)
    return found[:_MOST_MESSAGE_LINES]


def _java(lines: Sequence[str]) -> Crash | None:
    starts = [n for n in range(len(lines)) if _is_java_start(lines, n)]
    if not starts:
        return None
    in_threads = [n for n in starts if lines[n].startswith("Exception in thread")]
    start = (in_threads or starts)[-1]  # those before it were logged, and the program continued
    end = next((n for n in starts if n > start), len(lines))
    causes = [n for n in range(start, end) if _JAVA_CAUSE.match(lines[n])]
    place = causes[-1] if causes else start
    named = (_JAVA_CAUSE if causes else _JAVA_START).match(lines[place])
    assert named is not None  # noqa: S101 - this is how it was found
    frames: list[str] = []
    places: list[Place] = []
    for line in lines[place + 1 : end]:
        if found := _JAVA_FRAME.match(line):
            frames.append(_JAVA_NUMBERS.sub(_without_number, found["method"]))
            file, colon, number = found["place"].rpartition(":")
            if colon and number.isdecimal() and not is_of_the_language(frames[-1]):
                places.append(Place(file, int(number)))
        elif frames:
            break
    return _crash(named["kind"], named["message"] or "", frames, places[0] if places else None)


def _is_java_start(lines: Sequence[str], place: int) -> bool:
    """Whether a line names an exception: frames follow, possibly after more lines of its message."""
    if not _names_java_exception(lines[place]):
        return False
    if lines[place].startswith("Exception in thread"):
        return True
    for line in lines[place + 1 : place + 1 + _MOST_MESSAGE_LINES]:
        if _JAVA_FRAME.match(line):
            return True
        if _names_java_exception(line):
            return False
    return False


def _names_java_exception(line: str) -> bool:
    named = _JAVA_START.match(line)
    return named is not None and named["kind"].rpartition(".")[2][:1].isupper()


def _without_number(found: re.Match[str]) -> str:
    return found["name"]


def _fatal(lines: Sequence[str]) -> Crash | None:
    """The crash that Python's faulthandler reports when a signal ends the process; innermost frames come first."""
    start = _last(lines, lambda line: _FATAL_START.match(line) is not None)
    if start is None:
        return None
    named = _FATAL_START.match(lines[start])
    assert named is not None  # noqa: S101 - this is how it was found
    frames: list[str] = []
    places: list[Place] = []
    for line in lines[start + 1 :]:
        if found := _FATAL_FRAME.match(line):
            frames.append(frame(found["file"], found["function"]))
            if found["line"].isdecimal():
                places.append(Place(found["file"], int(found["line"])))
        elif frames:
            break  # the next thread
    return _crash("Fatal Python error", named["message"], frames, innermost_own(places))


def _crash(kind: str, message: str, frames: Iterable[str], place: Place | None) -> Crash:
    return Crash(kind, message.strip()[:_LONGEST_MESSAGE], tuple(frames)[:MOST_FRAMES], place)


def _last(lines: Sequence[str], is_wanted: Callable[[str], bool]) -> int | None:
    return next((n for n in range(len(lines) - 1, -1, -1) if is_wanted(lines[n])), None)
