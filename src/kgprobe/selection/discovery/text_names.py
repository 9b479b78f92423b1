"""Names of terms in any text: IRIs, CURIEs, and labels, local names and identifiers as whole words.

A name that stands in the text counts, whatever the text is. To tell that a text was understood, though, takes more than
a common word: a name is `certain` if it can hardly be there by chance.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from kgprobe.rdf.terms import OWL, RDF, RDFS, SKOS, XSD, NamedNode
from kgprobe.selection.vocabulary import Vocabulary

_WORD = re.compile(r"\w+")
_SPACES = re.compile(r"\s+")
_IRI = re.compile(r"(?:[A-Za-z][\w+.\-]*://|urn:|tag:)[^\s<>\"'{}|^`\\]+")
_CURIE = re.compile(r"(?<![\w:/#.\-])([A-Za-z_][\w.\-]*)?:(?!//)[\w.%\-]*\w")
_PREFIX = re.compile(
    r"(?:prefix\s++([\w.\-]*+)\s*+:\s*+<|xmlns(?::([\w.\-]++))?\s*+=\s*+[\"'])([^\s<>\"'{}|^`\\]+)", re.IGNORECASE
)
_LONGEST_IRI, _MOST_CUTS = 2000, 20
_AFTER_IRI = re.compile(r"[.,;:)\]!?*&]")
_FILLED_IN = re.compile(r"[$]|%(?![0-9A-Fa-f]{2})")
_OTHER_SPACES = frozenset("\n\r\t\v\f")
# In prose and in code, `label` or `id` does not mean the property. Its IRI and its CURIE do.
_USUAL = (
    *(RDF.iri, RDFS.iri, OWL.iri, XSD.iri, SKOS.iri),
    *("http://www.geneontology.org/formats/oboInOwl#", "http://purl.org/dc/"),
)
_QUOTES = "\"'`"
_STARTS_CELL = "\n,;\t|>[({=:"
_ENDS_CELL = "\n,;\t|<])}"
_FEWEST_LETTERS = 8  # of a name with several words, to be there on purpose


@dataclass(frozen=True, slots=True)
class Named:
    """Terms with a name, and where the text has it, as `written`. A name that is certain is not there by chance."""

    terms: tuple[NamedNode, ...]
    start: int
    end: int
    written: str
    is_certain: bool


class NamesInText:
    """Finds the names of a vocabulary in texts."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    def found_in(self, text: str, *, has_cells: bool, are_words_apart: bool = False) -> tuple[list[Named], list[int]]:
        """The names in a text in order, and where it has an IRI that is only the start of one.

        In a text that `has_cells`, as in CSV, a name between two delimiters is a value, as one between quotes is
        everywhere. A name within a longer one does not count, unless spaces separate values (`are_words_apart`).
        """
        spelled, starts = self._spelled(text)
        spaces = [(hit.start(3), hit.end(3)) for hit in _PREFIX.finditer(text)]
        incomplete = [
            (each.start(), each.start() + len(_FILLED_IN.split(each[0])[0]))
            for start in starts
            if (each := _IRI.match(text, start)) is not None
        ]
        taken = _Spans([*((name.start, name.end) for name in spelled if name.is_certain), *spaces, *incomplete])
        found = [name for name in self._worded(text, has_cells=has_cells) if not taken.has(name.start, name.end)]
        longer = _Spans(
            (name.start, name.end)
            for name in found
            if " " in name.written
            and _OTHER_SPACES.isdisjoint(name.written)  # two cells or lines may happen to make a name
            and (not are_words_apart or _is_quoted(text, name.start, name.end))
        )
        kept = [name for name in found if not longer.has(name.start, name.end, is_proper=True)]
        return sorted([*spelled, *kept], key=lambda each: each.start), starts

    # -- IRIs and CURIEs -----------------------------------------------------------------------------------------

    def _spelled(self, text: str) -> tuple[list[Named], list[int]]:
        found, starts = [], []
        prefixes = {hit[1] or hit[2] or "": hit[3] for hit in _PREFIX.finditer(text)}
        declared = {hit.start(3) for hit in _PREFIX.finditer(text)}
        for hit in _IRI.finditer(text):
            iri = next((part for part in _shortened(hit[0]) if self._vocabulary.spelled(f"<{part}>")), None)
            if iri is not None:
                known = self._vocabulary.spelled(f"<{iri}>")
                found.append(Named(known, hit.start(), hit.start() + len(iri), iri, is_certain=True))
            elif hit.start() not in declared and self._vocabulary.has_iri_from(_FILLED_IN.split(hit[0])[0]):
                starts.append(hit.start())
        for written in _CURIE.finditer(text):
            terms = self._curie(written[0], written[1] or "", prefixes)
            if terms:
                found.append(Named(terms, written.start(), written.end(), written[0], is_certain=bool(written[1])))
        return found, starts

    def _curie(self, text: str, prefix: str, prefixes: Mapping[str, str]) -> tuple[NamedNode, ...]:
        if prefix in prefixes:
            return self._vocabulary.spelled(f"<{prefixes[prefix]}{text[len(prefix) + 1 :]}>")
        return self._vocabulary.spelled(text)

    # -- labels, local names and identifiers ---------------------------------------------------------------------

    @cached_property
    def _terms(self) -> dict[str, tuple[NamedNode, ...]]:
        """Terms by their names, folded and with single spaces."""
        found: dict[str, tuple[NamedNode, ...]] = {}
        for name, named in self._vocabulary.names():
            terms = tuple(term for term in named if not term.value.startswith(_USUAL))
            key = _folded(_SPACES.sub(" ", name.strip()))
            known = found.get(key)
            if terms:
                found[key] = terms if known is None else tuple(dict.fromkeys((*known, *terms)))
        found.pop("", None)
        return found

    @cached_property
    def _by_first_word(self) -> dict[str, tuple[tuple[int, int], ...]]:
        """For the first word of names: how far into the name it starts, and how long the name is."""
        found: dict[str, set[tuple[int, int]]] = {}
        for name in self._terms:
            first = _WORD.search(name)
            if first is not None:
                found.setdefault(first[0], set()).add((first.start(), len(name)))
        return {word: tuple(sorted(shapes)) for word, shapes in found.items()}

    @cached_property
    def _without_words(self) -> tuple[str, ...]:
        return tuple(name for name in self._terms if _WORD.search(name) is None)

    def _worded(self, text: str, *, has_cells: bool) -> Iterator[Named]:
        plain, places = _with_single_spaces(text)
        folded = _folded(plain)
        for start, end in self._matches(folded):
            first, last = places(start), places(end - 1) + 1
            written, name = text[first:last], folded[start:end]
            is_value = _is_quoted(text, first, last) or (has_cells and _is_cell(text, first, last))
            # A number or a single letter says nothing, unless it is a value.
            if is_value or not any(map(str.isalnum, name)) or (len(name) > 1 and any(map(str.isalpha, name))):
                yield Named(self._terms[name], first, last, written, is_value or _is_by_intent(written))

    def _matches(self, folded: str) -> Iterator[tuple[int, int]]:
        shapes_of, terms = self._by_first_word, self._terms
        for word in _WORD.finditer(folded):
            for offset, length in shapes_of.get(word[0], ()):
                start = word.start() - offset
                end = start + length
                if start >= 0 and folded[start:end] in terms and _is_whole(folded, start, end):
                    yield start, end
        for name in self._without_words:
            start = folded.find(name)
            while start >= 0:
                yield start, start + len(name)
                start = folded.find(name, start + 1)


def _shortened(iri: str) -> Iterator[str]:
    """An IRI in a text, and its starts, in case it ends before the sentence or the argument does."""
    yield iri
    ends = [hit.start() for hit in _AFTER_IRI.finditer(iri[:_LONGEST_IRI])]
    for end in reversed(ends[-_MOST_CUTS:]):
        yield iri[:end]


class _Spans:
    """Spans of a text, none of which has to be looked at that starts after another."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._spans = sorted(spans)
        self._starts = [start for start, _ in self._spans]
        self._furthest: list[tuple[int, int]] = []  # of the spans so far, the one that ends last
        for span in self._spans:
            last = self._furthest[-1] if self._furthest else span
            self._furthest.append(max(last, span, key=lambda each: each[1]))

    def has(self, start: int, end: int, *, is_proper: bool = False) -> bool:
        """Whether a span has this part of the text, and more than it if `is_proper`."""
        number = bisect_right(self._starts, start) - 1
        if number < 0:
            return False
        first, last = self._furthest[number]
        return end <= last and not (is_proper and (first, last) == (start, end))


def _with_single_spaces(text: str) -> tuple[str, Callable[[int], int]]:
    """The text with a space for each run of white space, and a function from places in it to places in the text."""
    starts, shifts, parts = [0], [0], []
    last = shift = length = 0
    for run in _SPACES.finditer(text):
        parts.append(text[last : run.start()])
        length += run.start() - last + 1
        last = run.end()
        if len(run[0]) > 1:
            shift += len(run[0]) - 1
            starts.append(length)
            shifts.append(shift)
    parts.append(text[last:])
    return " ".join(parts), lambda place: place + shifts[bisect_right(starts, place) - 1]


def _folded(text: str) -> str:
    """The text without differences of case, as long as before."""
    lower = text.lower()
    if text.isascii() or len(lower) == len(text):
        return lower
    return "".join(small if len(small := character.lower()) == 1 else character for character in text)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word goes on beyond a span."""
    before, after = text[start - 1 : start], text[end : end + 1]
    return not (_is_word(before) and _is_word(text[start])) and not (_is_word(after) and _is_word(text[end - 1]))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _is_quoted(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start], text[end : end + 1]
    return bool(before) and before in _QUOTES and before == after


def _is_cell(text: str, start: int, end: int) -> bool:
    before, after = text[max(start - 80, 0) : start].rstrip(" \r"), text[end : end + 80].lstrip(" \r")
    begins = not before or before[-1] in _STARTS_CELL or before.endswith(("\n-", "\n*"))
    return begins and (not after or after[0] in _ENDS_CELL)


def _is_by_intent(written: str) -> bool:
    """Whether a name is hardly there by chance: an identifier, such as VeggiePizza, or several words."""
    if " " in written:
        return sum(map(str.isalpha, written)) >= _FEWEST_LETTERS
    letters = any(map(str.isalpha, written))
    return letters and (any(map(str.isdigit, written)) or any(character.isupper() for character in written[1:]))
