"""`.ci/run` runs the two `sh` blocks of README completely, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from .fences import ROOT, fences

BASH = shutil.which("bash") or "bash"

PAGE = """
```sh
{first}
```

```console
$ echo console >> log
```

```sh
echo second >> log
```
"""


def ci_run(clone: Path, readme: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a copy of `.ci/run` in a folder that otherwise contains only a README."""
    (clone / ".ci").mkdir(parents=True)
    script = shutil.copy(ROOT / ".ci" / "run", clone / ".ci" / "run")
    (clone / "README.md").write_text(readme, encoding="utf-8")
    return subprocess.run(  # noqa: S603 - our own script
        [BASH, str(script)],
        env=os.environ | ({"PATH": path} if path else {}),
        capture_output=True,
        text=True,
        check=False,
    )


def test_ci_runs_exactly_the_blocks_of_readme(tmp_path: Path) -> None:
    # A stand-in for the inner shell records its input, so nothing is installed or tested twice.
    stand_in = tmp_path / "bin" / "bash"
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!{BASH}\nprintf "%s\\0" "$@" >> {tmp_path}/given\n', encoding="utf-8")
    stand_in.chmod(0o755)
    readme = ROOT / "README.md"
    done = ci_run(
        tmp_path / "clone",
        readme.read_text(encoding="utf-8"),
        path=f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}",
    )
    assert done.returncode == 0, done.stderr
    expected = [block.text for block in fences(readme) if block.language == "sh"]
    assert len(expected) == 2
    given = (tmp_path / "given").read_text(encoding="utf-8").split("\0")[:-1]
    assert given == ["-ec", expected[0], "-ec", expected[1]]
    assert sorted(path.name for path in (tmp_path / "clone").iterdir()) == [".ci", "README.md"]


def test_ci_runs_blocks_in_order(tmp_path: Path) -> None:
    done = ci_run(tmp_path, PAGE.format(first="echo first >> log"))
    assert (done.returncode, (tmp_path / "log").read_text(encoding="utf-8")) == (0, "first\nsecond\n")


@pytest.mark.parametrize("first", ["false", "false\ntrue"])
def test_ci_stops_when_a_block_fails(tmp_path: Path, first: str) -> None:
    done = ci_run(tmp_path, PAGE.format(first=first))
    assert done.returncode == 1
    assert not (tmp_path / "log").exists()


def test_ci_fails_when_the_second_block_fails(tmp_path: Path) -> None:
    done = ci_run(tmp_path, PAGE.format(first="true").replace("echo second >> log", "exit 7"))
    assert done.returncode == 7


@pytest.mark.parametrize("readme", ["", "```sh\ntrue\n```\n", "```sh\ntrue\n```\n" * 3])
def test_ci_requires_two_blocks(tmp_path: Path, readme: str) -> None:
    assert ci_run(tmp_path, readme).returncode == 1
