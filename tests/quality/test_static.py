"""What can be said about the project without running it: lint, format, types, imports, documentation.

Each tool runs as a contributor would run it, from the root of the checkout, and none needs a network.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# import-linter has a script but no module that `python -m` could run.
LINT_IMPORTS = (
    "-c",
    "from importlinter.cli import lint_imports_command; lint_imports_command()",
    "--no-cache",
)


def run(*arguments: str, cwd: Path = ROOT, source: Path = ROOT / "src") -> subprocess.CompletedProcess[str]:
    """Run a tool with this interpreter. `source` comes first on its path: it sees this code and no other."""
    return subprocess.run(  # noqa: S603 - our own tools, our own arguments
        [sys.executable, *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(source), "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def assert_clean(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode != 0:
        pytest.fail(f"exit code {done.returncode}\n{done.stdout}", pytrace=False)


def test_lint() -> None:
    assert_clean(run("-m", "ruff", "check"))


def test_format() -> None:
    assert_clean(run("-m", "ruff", "format", "--check", "--diff"))


def test_types() -> None:
    # mypy refuses a folder without Python files, and git does not keep an empty one.
    checked = [folder for folder in ("src", "tests", "bench") if any((ROOT / folder).rglob("*.py"))]
    assert checked[:2] == ["src", "tests"]
    assert_clean(run("-m", "mypy", *checked))


def test_imports_point_one_way() -> None:
    assert_clean(run(*LINT_IMPORTS))


_CONTRACT = "[[tool.importlinter.contracts]]"


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A package with the layers of kgprobe, all of them empty, under kgprobe's own contract. A test may spoil it."""
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    [contract, *_] = tomllib.loads(settings)["tool"]["importlinter"]["contracts"]
    assert contract["containers"] == ["kgprobe"]
    # The others are about the inside of packages, which are empty here.
    before, mark, text = settings.partition(_CONTRACT)
    (tmp_path / "pyproject.toml").write_text(before + mark + text.partition(_CONTRACT)[0], encoding="utf-8")
    names = [name.strip(" ()") for layer in contract["layers"] for name in layer.split("|")]
    for name in ["", *names]:
        (tmp_path / "kgprobe" / name).mkdir()
        (tmp_path / "kgprobe" / name / "__init__.py").touch()
    return tmp_path


def test_a_package_without_imports_keeps_the_contract(toy: Path) -> None:
    assert len(list((toy / "kgprobe").iterdir())) > 20
    assert_clean(run(*LINT_IMPORTS, cwd=toy, source=toy))


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        pytest.param(
            "errors/__init__.py",
            "from kgprobe import cli\n",
            "kgprobe.errors is not allowed to import kgprobe.cli",
            id="upwards",
        ),
        pytest.param(
            "mutation/__init__.py",
            "from kgprobe import selection\n",
            "kgprobe.mutation is not allowed to import kgprobe.selection",
            id="between methods",
        ),
        pytest.param("helpers/__init__.py", "", "kgprobe.helpers", id="a package without a layer"),
    ],
)
def test_the_contract_bites(toy: Path, file: str, text: str, complaint: str) -> None:
    spoiled = toy / "kgprobe" / file
    spoiled.parent.mkdir(exist_ok=True)
    spoiled.write_text(text, encoding="utf-8")
    done = run(*LINT_IMPORTS, cwd=toy, source=toy)
    assert done.returncode == 1, done.stdout
    assert complaint in done.stdout


def test_documentation_builds(tmp_path: Path) -> None:
    done = run("-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site"))
    assert_clean(done)
    assert (tmp_path / "site" / "index.html").is_file()
