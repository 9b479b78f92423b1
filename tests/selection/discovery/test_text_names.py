"""Names in texts, against a search for each name by itself."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import RDFS, Literal, NamedNode, Triple
from kgprobe.selection.discovery.text_names import NamesInText
from kgprobe.selection.vocabulary import Vocabulary

NAMES = st.lists(st.text("abB (-'é", min_size=1, max_size=7), min_size=1, max_size=5, unique=True)
TEXTS = st.text("abB (-'\",\né\t", max_size=40)


def _vocabulary(names: list[str]) -> Vocabulary:
    return Vocabulary.of(
        Graph(
            [Triple(NamedNode(f"http://example.org/T{n}T"), RDFS.label, Literal(name)) for n, name in enumerate(names)]
        )
    )


def _places(name: str, text: str) -> list[tuple[int, int]]:
    """All whole-word occurrences of a name, whatever the case and the white space is."""
    words = name.strip().split()
    if not words:
        return []
    pattern = r"\s+".join(map(re.escape, words))
    before = r"(?<!\w)" if re.match(r"\w", words[0]) else ""
    after = r"(?!\w)" if re.search(r"\w\Z", words[-1]) else ""
    return [found.span(1) for found in re.finditer(f"(?=({before}{pattern}{after}))", text, re.IGNORECASE)]


@given(NAMES, TEXTS, st.booleans(), st.booleans())
def test_each_name_is_found_unless_a_longer_one_has_it(
    names: list[str], text: str, has_cells: bool, are_words_apart: bool
) -> None:
    finder = NamesInText(_vocabulary(names))
    found, _ = finder.found_in(text, has_cells=has_cells, are_words_apart=are_words_apart)
    spans = {(each.start, each.end) for each in found}
    for each in found:
        assert text[each.start : each.end] == each.written
    for name in names:
        is_common = len("".join(name.split())) == 1 or not any(map(str.isalpha, name))
        for start, end in _places(name, text):
            is_inside = any(first <= start and end <= last and (first, last) != (start, end) for first, last in spans)
            assert (start, end) in spans or is_inside or (is_common and any(map(str.isalnum, name))), (name, start)
    allowed = {place for name in names for place in _places(name, text)}
    assert spans <= allowed


def test_a_longer_name_hides_a_shorter_one_only_if_plain_spaces_are_in_it() -> None:
    finder = NamesInText(_vocabulary(["green tea", "tea"]))
    said = [each.written for each in finder.found_in("green tea\ngreen\ntea", has_cells=True)[0]]
    assert said == ["green tea", "green\ntea", "tea"]
