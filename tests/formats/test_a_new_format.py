"""A module in `formats/syntaxes` is all that a new graph format needs: the recipe in CONTRIBUTING.md, carried out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ARROWS = """
import re

from kgprobe.formats.format import STRING, TAG, TAG_CAPITALS, WRITTEN_IN_TEXT, Format, LanguageTags, first_token
from kgprobe.rdf.terms import BlankNode, Literal, NamedNode, Triple

LINE = re.compile('<(.*)> -- <(.*)> -> (?:<(.*)>|"(.*)"@(.*))')


def read(source, format_, builder, base):
    for line in source.text().splitlines()[1:]:
        subject, predicate, value, text, tag = LINE.fullmatch(line).groups()
        last = NamedNode(value) if value else Literal(text, language=tag.lower())
        builder.extend([NamedNode(subject), NamedNode(predicate), last])
    return {}, ["arrows have no prefixes"]


def write(graph, format_):
    lines = [f"{triple.subject} -- {triple.predicate} -> {triple.object}" for triple in graph]
    return "\\n".join(["arrows 1", *lines, ""]).encode(), ()


FORMATS = (
    Format(
        name="arrows",
        title="Arrows",
        extensions=("arr",),
        read=read,
        write=write,
        media_type="text/arrows",
        starts=first_token(re.compile("arrows 1\\n")),
        tags=LanguageTags(TAG_CAPITALS, re.compile(STRING + b"(?:" + TAG + b")?"), WRITTEN_IN_TEXT),
        writes_any_graph=True,
    ),
)
"""
WITH_ARROWS = """
import sys
from kgprobe.formats import syntaxes
syntaxes.__path__.append(sys.argv.pop(1))
"""
COMMAND = WITH_ARROWS + "from kgprobe.__main__ import main; main()"
MEDIA_TYPE = WITH_ARROWS + "from kgprobe.systems.protocol import GraphText; print(GraphText('arrows').media_type)"


def run(folder: Path, code: str, *words: str) -> str:
    """What the code prints, with the folder as one more place of formats."""
    ended = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code, str(folder / "more"), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout + ended.stderr


def test_one_module_is_enough(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "arrows.py").write_text(ARROWS)
    text = 'arrows 1\n<urn:a> -- <urn:b> -> "x"@en-GB\n<urn:a> -- <urn:b> -> <urn:c>\n'
    (tmp_path / "graph").write_text(text)
    assert "arrows have no prefixes" in run(tmp_path, COMMAND, "convert", "graph", "graph.nt")
    assert sorted((tmp_path / "graph.nt").read_text().splitlines()) == [
        '<urn:a> <urn:b> "x"@en-GB .',
        "<urn:a> <urn:b> <urn:c> .",
    ]
    run(tmp_path, COMMAND, "convert", "graph.nt", "again.arr")
    assert sorted((tmp_path / "again.arr").read_text().splitlines()) == sorted(text.splitlines())
    assert "Arrows" in run(tmp_path, COMMAND, "info", "again.arr")
    assert run(tmp_path, MEDIA_TYPE) == "text/arrows\n"
