"""Random projects are run before and after random edits: a test whose result changes must have been selected.

The projects import modules and read data in all the ways that the generator knows. The results come from running the
tests, so they do not depend on how kgprobe decides.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from support.repositories import Repo, needs_git

from kgprobe.git.repository import Repository
from kgprobe.selection.changed_tests import ChangedTests
from kgprobe.selection.discovery.python_files import PYTHON
from kgprobe.selection.ontology_versions import Edits
from kgprobe.selection.tests import Test

pytestmark = needs_git

MODULES = [
    *("src/menu/prices.py", "src/menu/inner/deep.py", "src/menu/__init__.py", "src/menu/inner/__init__.py"),
    *("src/space/part.py", "src/alone.py", "tests/helpers/__init__.py", "tests/helpers/asking.py", "tests/plain.py"),
]
FEW = (0, 1, 11)  # the last one imports by names that are built at run time, and reads data there
FOLDERS = ["tests/data", "src/menu/tables", "cases/deep", "tests/more"]
HEAD = "import importlib, os, subprocess, sys\nfrom importlib.resources import files\nfrom pathlib import Path\n"
RUN = """
import importlib, json, sys
sys.path[:0] = ["src", "tests", "."]
print(json.dumps({name: importlib.import_module(name).VALUE for name in sys.argv[1:]}))
"""


def _dotted(file: str) -> str:
    parts = Path(file).with_suffix("").parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(file: str, number: int, random: Random) -> str:
    """A statement that gives `x<number>` the value of a module."""
    name, x = _dotted(file), f"x{number}"
    package, _, last = name.rpartition(".")
    ways = [
        f"import {name} as m{number}\n{x} = m{number}.VALUE",
        f"from {name} import VALUE as {x}",
        f"{x} = importlib.import_module({name!r}).VALUE",
        f"def f{number}():\n    from {name} import VALUE\n    return VALUE\n{x} = f{number}()",
        f"from {name} import *\n{x} = VALUE",
        f"{x} = __import__({name!r}, fromlist=['VALUE']).VALUE",
        f"{x} = importlib.import_module('.'.join({name.split('.')!r})).VALUE",
    ]
    if package:
        ways.append(f"from {package} import {last} as m{number}\n{x} = m{number}.VALUE")
    return random.choice(ways)


def _read(folder: str, number: int, random: Random, depth: int) -> str:
    """A statement that gives `x<number>` a value from the files of a folder."""
    x, root = f"x{number}", f"Path(__file__).resolve().parents[{depth}]"
    parts = " / ".join(repr(part) for part in Path(folder).parts)
    total = "sum(int(each.read_text()) for each in"
    ways = [
        f"{x} = int(({root} / {parts} / 'one.txt').read_text())",
        f"{x} = int(open(os.path.join({root}, {', '.join(map(repr, Path(folder).parts))}, 'two' + '.txt')).read())",
        f"{x} = {total} sorted(({root} / {parts}).glob('*.txt')))",
        f"{x} = {total} ({root} / {parts}).iterdir())",
        f"{x} = {total} [({root} / {folder!r} / f'{{name}}.txt') for name in ('one', 'two')])",
        f"{x} = {total} [({root} / {folder!r} / ('%s.txt' % name)) for name in ('one', 'two')])",
        f"{x} = {total} {root}.rglob('t*.txt'))",
        f"{x} = {total} [Path(folder, name) for folder, _, names in os.walk({root} / 'cases') for name in names])",
    ]
    if folder.startswith("src/"):
        ways.append(f"{x} = {total} files({_dotted(folder + '/x.py').rpartition('.')[0]!r}).iterdir())")
    return random.choice(ways)


def _module(file: str, may_import: list[str], random: Random) -> str:
    """The text of a module. It imports only modules before it in the list, so that there are no cycles."""
    lines = [HEAD, f"OWN = {random.randrange(100)}"]
    chosen = random.sample(may_import, min(len(may_import), random.randrange(3)))
    lines += [_imported(each, number, random) for number, each in enumerate(chosen)]
    count = len(chosen)
    if random.random() < 0.4:
        lines.append(_read(random.choice(FOLDERS), count, random, len(Path(file).parts) - 1))
        count += 1
    lines.append("VALUE = OWN" + "".join(f" + 3 * x{number}" for number in range(count)))
    return "\n".join(lines) + "\n"


def _project(random: Random) -> dict[str, str]:
    files = {f"{folder}/{name}.txt": str(random.randrange(100)) for folder in FOLDERS for name in ("one", "two")}
    # A package runs before its modules, so it imports nothing here.
    packages = [each for each in MODULES if each.endswith("__init__.py")]
    others = random.sample([each for each in MODULES if each not in packages], len(MODULES) - len(packages))
    order = [*packages, *others]
    for place, file in enumerate(order):
        files[file] = _module(file, [] if file in packages else order[:place], random)
    for number in range(6):
        file = f"tests/test_{number}.py"
        files[file] = _module(file, order, random) + "\ndef test_it(graph):\n    assert VALUE\n"
    return files


def _edited(files: dict[str, str], random: Random) -> dict[str, str | None]:
    """One edit: of a module or a data file, or a data file that is added or removed."""
    match random.randrange(4):
        case 0 | 1:
            file = random.choice([each for each in files if each.endswith(".py")])
            return {file: files[file].replace("OWN = ", "OWN = 1000 + ")}
        case 2:
            return {random.choice([each for each in files if each.endswith(".txt")]): "1000"}
    return {f"{random.choice(FOLDERS)}/{random.choice(['three', 'zero'])}.txt": "1000"}


def _given(root: Path) -> dict[str, int]:
    names = [f"test_{number}" for number in range(6)]
    done = subprocess.run(  # noqa: S603 - a project of our own
        [sys.executable, "-B", "-c", RUN, *names], cwd=root, capture_output=True, text=True, check=True, timeout=300
    )
    found: dict[str, int] = json.loads(done.stdout)
    return found


def _judged(root: Path) -> dict[str, bool]:
    repository = Repository.around(root)
    judge = ChangedTests(Edits(repository, repository.commit("v1", root), "v1"))
    tests = {f"test_{number}": root / f"tests/test_{number}.py" for number in range(6)}
    return {
        name: judge.why(Test(f"tests/{name}.py::test_it", PYTHON, file=file)) is not None
        for name, file in tests.items()
    }


@pytest.mark.parametrize(
    "seed", [*FEW, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(2, 40) if seed not in FEW)]
)
def test_a_test_with_a_different_result_was_selected(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    files = _project(random)
    repo = Repo.at(tmp_path, files)
    before = _given(tmp_path)
    changed = kept = 0
    for _ in range(6):
        edit = _edited(files, random)
        repo.write(edit)
        after, selected = _given(tmp_path), _judged(tmp_path)
        missed = [name for name in before if before[name] != after[name] and not selected[name]]
        assert not missed, edit
        changed += sum(before[name] != after[name] for name in before)
        kept += sum(not each for each in selected.values())
        repo.write({file: files.get(file) for file in edit})
    if seed in FEW:  # neither nothing nor everything, or else nothing was tested
        assert changed > 0
        assert kept > 0
