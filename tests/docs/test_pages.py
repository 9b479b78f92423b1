"""README and docs/: commands print what the pages show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from kgprobe.cli.app import COMMANDS

from . import console
from .fences import ROOT, fences, pages
from .session import blocks, outcomes, outcomes_from_a_clone

README = ROOT / "README.md"
# Languages of blocks that are not run. `bash` and the like are missing on purpose: commands use `console`.
SHOWN = {"ini", "json", "lisp", "lua", "mermaid", "python", "sparql", "sql", "text", "toml", "turtle", "xml", "yaml"}


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in pages() if page != README], ids=named)
def test_page(page: Path) -> None:
    found = {block.line: block for block in blocks(page)}
    # Counted without the parser, so that a block that the parser overlooks is noticed.
    claimed = len(re.findall(r"(?:`{3,}|~{3,})\s*console\b", page.read_text(encoding="utf-8")))
    claimed += sum(
        block.language == "python" and any(line.lstrip().startswith(">>>") for line in block.lines)
        for block in fences(page)
    )
    results = outcomes(page)
    assert len(found) == len(results) == claimed
    if wrong := {line: complaints for line, complaints in results.items() if complaints}:
        told = ("\n".join([str(found[line]), *complaints]) for line, complaints in wrong.items())
        pytest.fail("\n\n".join(told), pytrace=False)


def test_readme_works_as_pasted_from_a_fresh_clone() -> None:
    assert len(blocks(README)) > 5
    if complaints := outcomes_from_a_clone(README):
        pytest.fail("\n\n".join(complaints), pytrace=False)


@pytest.mark.parametrize("page", pages(), ids=named)
def test_languages(page: Path) -> None:
    allowed = SHOWN | {"console"} | ({"sh"} if page.name == "README.md" else set())
    assert [str(block) for block in fences(page) if block.language not in allowed] == []


def nav_pages(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, list | dict):
        for inner in entry.values() if isinstance(entry, dict) else entry:
            yield from nav_pages(inner)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_page_that_runs_it(command: str) -> None:
    page = ROOT / "docs" / "reference" / f"{command}.md"
    assert page.is_file()
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert f"reference/{command}.md" in set(nav_pages(config["nav"]))
    commands = [step.command for block in blocks(page) if block.language == "console" for step in console.steps(block)]
    assert any(re.search(rf"\bkgprobe {command}\b", text) for text in commands), commands
