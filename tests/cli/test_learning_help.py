"""The examples in the help of `kgprobe locate` and `kgprobe mask` run, in their order, on the results of a campaign."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from support.commands import kgprobe

_FILES = Path(__file__).resolve().parents[2] / "docs" / "files"
_CAFE = "https://example.org/cafe#"


@pytest.fixture(name="campaigns", scope="module")
def _campaigns(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the examples name."""
    folder = tmp_path_factory.mktemp("examples") / "files"
    shutil.copytree(_FILES, folder, symlinks=False)
    menu = (folder / "menu.toml").read_text(encoding="utf-8")
    quick = menu.replace('[mask]\nreasoner = "auto"\n', "").replace("mutants = 60", "mutants = 20")
    for name in ("profile", "run"):
        (folder / f"{name}.toml").write_text(quick, encoding="utf-8")
        done = kgprobe("test", folder / f"{name}.toml", "--reduce", "0", real=True)
        assert done.returncode == 1, done.stderr
    (folder / "seed.ttl").write_text(f"@prefix : <{_CAFE}> . :tea :price 2 ; :size 3 .\n")
    number = "http://www.w3.org/2001/XMLSchema#integer"
    price, size = (f'[{_CAFE}tea, {_CAFE}{name}, "{value}"^^{number}]' for name, value in (("price", 2), ("size", 3)))
    rows = [f"0;[];[{price}]", f"1;[];[{size}]"]
    (folder / "a.mutants.csv").write_text("\n".join(["id;addedAxioms;removedAxioms", *rows]) + "\n")
    (folder / "a.verdicts.csv").write_text("id,oracle\n0,failed\n1,passed\n")
    shape = f"@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <{_CAFE}> .\n"
    for name, path in (("a", "price"), ("b", "size")):
        (folder / f"{name}.ttl").write_text(
            f"{shape}:{name} a sh:NodeShape ; sh:targetNode :tea ; sh:property [ sh:path :{path} ; sh:maxCount 9 ] .\n"
        )
    return folder


@pytest.mark.parametrize(
    ("command", "count"),
    [("locate", 5), ("mask learn", 4), ("mask score", 3), ("mask suggest", 3), ("mask", 3)],
)
def test_the_examples_run(
    command: str, count: int, campaigns: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "files"
    shutil.copytree(campaigns, folder)
    monkeypatch.chdir(folder)
    if command == "mask score":
        assert kgprobe("mask", "learn", "run.sqlite", "--out", "mask.ttl", real=True).returncode == 0
    shown = kgprobe(*command.split(), "--help").stdout.partition("Examples:")[2].splitlines()
    examples = [re.split(r" {2,}", line.strip())[0].split()[1:] for line in shown if line.strip()]
    assert len(examples) == count
    for example in examples:
        if example[:2] == ["locate", "profile.sqlite"] and "--case" in example:
            example[-1] = "2"  # a case that fails here
        done = kgprobe(*example, real=True)
        assert done.returncode == 0, (example, done.stderr)
        assert done.stdout, example
