"""The architecture page lists the packages and the direction of imports; both are checked against the code."""

from __future__ import annotations

import re
import tomllib

from .fences import ROOT, fences

PAGE = ROOT / "docs" / "explanation" / "architecture.md"


def layers() -> list[list[str]]:
    """The layers of the import contract, from top to bottom."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    [contract] = [each for each in contracts if each["containers"] == ["kgprobe"]]  # others are about one package
    return [re.findall(r"\w+", layer) for layer in contract["layers"] if layer != "__main__"]


def folders() -> list[str]:
    """The folders and modules of the page."""
    names = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return [name.rstrip("/") for name in names]


def exists(name: str) -> bool:
    # An empty folder is left out: git does not keep it.
    place = ROOT / "src" / "kgprobe" / name
    return place.is_file() or any(place.glob("**/*.py"))


def test_all_folders_of_the_page_exist() -> None:
    assert [name for name in folders() if not exists(name)] == []


def test_folders_are_those_of_the_contract() -> None:
    in_contract = {name for layer in layers() for name in layer}
    assert sorted(name.removesuffix(".py") for name in folders()) == sorted(in_contract)


def test_layers_are_those_of_the_contract() -> None:
    shown = [[line.split(", ") for line in block.lines] for block in fences(PAGE)]
    assert layers() in shown
