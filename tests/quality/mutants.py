"""Small mutants of our own code, and whether the tests of the same folder notice them.

`python -m quality.mutants --count 20 --seed 1` in the folder `tests` draws mutants at random over all packages, or over
those that are named, and runs on each the tests of the folder with the package's name that call the changed function.
Those that nobody notices are printed with their change: some are equivalent, the others show what no test would see.

Nothing in the work tree is changed: each mutant is a copy of `src`. Which test calls which function is found by one run
of the folder, and kept in the temporary folder as long as the code stays the same.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import pytest

__all__ = ["Mutant", "mutants_of", "sampled"]

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "kgprobe"
SECONDS = 600.0
_CALLS = "KGPROBE_TEST_CALLS"  # the file for what the plugin below sees
_OTHER_COMPARISON: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OTHER_OPERATOR: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_OTHER_FUNCTION = {"any": "all", "all": "any", "min": "max", "max": "min", "sorted": "list"}


# -- mutants -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, order=True)
class Mutant:
    """One expression of a function that is replaced: where, and the line before and after."""

    file: str
    line: int
    function: int  # the line of the function with the expression, decorators included
    before: str
    after: str
    number: int = 0  # of the place in the file


def mutants_of(text: str, file: str = "") -> Iterator[Mutant]:
    """All mutants of a module. Code outside functions, types and messages of errors stay as they are."""
    tree = ast.parse(text)
    for number, (function, node, other) in enumerate(_places(tree)):
        yield Mutant(file, node.lineno, _first_line(function), _short(node), _short(other), number)


def mutated(text: str, number: int) -> str:
    """The text of a module with one of its mutants."""
    tree = ast.parse(text)
    _, node, other = list(_places(tree))[number]

    class Replacing(ast.NodeTransformer):
        def visit(self, seen: ast.AST) -> Any:
            return other if seen is node else super().visit(seen)

    return ast.unparse(ast.fix_missing_locations(Replacing().visit(tree)))


def _places(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, ast.expr, ast.expr]]:
    for function in _functions(tree):
        for node in _own_expressions(function):
            for other in _others(node):
                yield function, node, ast.copy_location(other, node)


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node


def _own_expressions(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """The expressions in the body of a function, but not in functions within it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.Raise | ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
            continue
        if isinstance(node, ast.expr):
            yield node
        skipped = node.annotation if isinstance(node, ast.AnnAssign) else None
        waiting += [child for child in ast.iter_child_nodes(node) if child is not skipped]


def _others(node: ast.expr) -> Iterator[ast.expr]:
    """What an expression could be instead."""
    other = deepcopy(node)
    match other:
        case ast.Compare(ops=[operator]) if type(operator) in _OTHER_COMPARISON:
            other.ops = [_OTHER_COMPARISON[type(operator)]()]
            yield other
        case ast.BoolOp():
            yield from _other_conditions(other)
        case ast.BinOp(op=operator) if type(operator) in _OTHER_OPERATOR:
            other.op = _OTHER_OPERATOR[type(operator)]()
            yield other
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _OTHER_FUNCTION:
            func = ast.Name(id=_OTHER_FUNCTION[name], ctx=ast.Load())
            yield ast.Call(func=func, args=arguments, keywords=[] if name == "sorted" else other.keywords)
        case ast.IfExp(body=body, orelse=orelse):
            yield from (body, orelse)
        case ast.Constant(value=int(value)):  # True and False, too
            yield ast.Constant(value=not value if isinstance(value, bool) else value + 1)


def _other_conditions(node: ast.BoolOp) -> Iterator[ast.expr]:
    """The other operator, and each part left out."""
    yield ast.BoolOp(op=ast.Or() if isinstance(node.op, ast.And) else ast.And(), values=node.values)
    for left_out in range(len(node.values)):
        rest = [value for position, value in enumerate(node.values) if position != left_out]
        yield rest[0] if len(rest) == 1 else ast.BoolOp(op=node.op, values=rest)


def _first_line(function: ast.FunctionDef) -> int:
    """As a code object has it."""
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def _short(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 100 else f"{text[:99]}…"


def sampled(count: int, seed: int, packages: Sequence[str] = ()) -> list[Mutant]:
    """Mutants at random, from one package after the other; of the files of a package, from long ones more often."""
    random = Random(seed)
    order = [file.parent.name for file in sorted(PACKAGE.glob("*/__init__.py"))]
    order = [name for name in order if (ROOT / "tests" / name).is_dir() and (not packages or name in packages)]
    random.shuffle(order)
    files = {package: sorted((PACKAGE / package).rglob("*.py")) for package in order}
    sizes = {package: [path.stat().st_size for path in files[package]] for package in order}
    chosen: dict[tuple[str, int], Mutant] = {}
    for package in islice(cycle(order), 20 * count):
        [path] = random.choices(files[package], sizes[package])
        found = list(mutants_of(path.read_text(encoding="utf-8"), path.relative_to(PACKAGE).as_posix()))
        if found:
            mutant = random.choice(found)
            chosen.setdefault((mutant.file, mutant.number), mutant)
        if len(chosen) == count:
            break
    return sorted(chosen.values())


# -- which test calls which function -----------------------------------------------------------------------------------


class _Watching:
    """A plugin of pytest: the functions of kgprobe that each test calls in its own process."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._prefix = f"{PACKAGE}{os.sep}"
        self._callers: defaultdict[str, set[str]] = defaultdict(set)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Watch one test, with its fixtures."""
        seen: set[tuple[str, int]] = set()

        def watch(frame: FrameType, event: str, _: object) -> None:
            if event == "call":
                seen.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

        sys.setprofile(watch)
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            for name, line in seen:
                if name.startswith(self._prefix):
                    self._callers[f"{name.removeprefix(self._prefix)}:{line}"].add(item.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write what was seen."""
        self._file.write_text(json.dumps({place: sorted(tests) for place, tests in self._callers.items()}))


def pytest_configure(config: pytest.Config) -> None:
    """This module is a plugin of the runs that it starts."""
    if _CALLS in os.environ:
        config.pluginmanager.register(_Watching(Path(os.environ[_CALLS])))


def callers(folder: str) -> dict[str, list[str]]:
    """The tests of a folder by the functions that they call: `cli/app.py:12`, the line being that of the function."""
    kept = Path(tempfile.gettempdir()) / f"kgprobe-test-calls-{_digest(folder)}.json"
    if not kept.exists():
        print(f"running tests/{folder} once, to see what each test calls …", file=sys.stderr, flush=True)
        unfinished = kept.with_suffix(".part")
        _pytest(ROOT / "src", [f"tests/{folder}"], {_CALLS: str(unfinished)}, stops=False)
        unfinished.replace(kept)
    found: dict[str, list[str]] = json.loads(kept.read_text())
    return found


def _digest(folder: str) -> str:
    digest = hashlib.sha256(folder.encode())
    for place in (PACKAGE, ROOT / "tests" / folder):
        for path in sorted(place.rglob("*.py")):
            digest.update(path.read_bytes())
    return f"{folder}-{digest.hexdigest()[:12]}"


def _pytest(source: Path, which: Sequence[str], environment: dict[str, str], *, stops: bool) -> bool:
    """Run tests on a copy of the code. Whether all have passed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "quality.mutants"]
    paths = os.pathsep.join([str(source), str(ROOT / "tests")])
    try:
        done = subprocess.run(  # noqa: S603 - our own tests
            [*command, *(["-x"] if stops else []), *which],
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": paths} | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS if stops else None,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False  # an endless loop is noticed
    return done.returncode == 0


# -- the command -------------------------------------------------------------------------------------------------------


def judged(mutant: Mutant, tests_of: Callable[[str], dict[str, list[str]]]) -> str:
    """Whether a mutant is noticed. If no test of its folder calls the function in its own process, all of them run."""
    folder = mutant.file.split("/")[0]
    which = tests_of(folder).get(f"{mutant.file}:{mutant.function}") or [f"tests/{folder}"]
    with tempfile.TemporaryDirectory(prefix="kgprobe-mutant-") as place:
        source = Path(place) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        file = source / "kgprobe" / mutant.file
        file.write_text(mutated(file.read_text(encoding="utf-8"), mutant.number), encoding="utf-8")
        return "survived" if _pytest(source, which, {}, stops=True) else "noticed"


def main() -> None:
    """Make mutants, and print which are noticed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("packages", nargs="*", help="packages of kgprobe; all by default")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    known: dict[str, dict[str, list[str]]] = {}

    def tests_of(folder: str) -> dict[str, list[str]]:
        if folder not in known:
            known[folder] = callers(folder)
        return known[folder]

    fates: Counter[str] = Counter()
    for mutant in sampled(given.count, given.seed, given.packages):
        fate = judged(mutant, tests_of)
        fates[fate] += 1
        print(f"{fate:<9} {mutant.file}:{mutant.line}  {mutant.before}  →  {mutant.after}", flush=True)
    print(f"{fates['noticed']} of {fates.total()} noticed; look at the others: some are equivalent")


if __name__ == "__main__":
    main()
