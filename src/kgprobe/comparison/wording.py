"""A comparison as text: all of it, or a summary that fits on a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TypeVar

from kgprobe.comparison.model import (
    SCOPES,
    AnnotationChange,
    Aspect,
    ChangedAxiom,
    Comparison,
    EntityChange,
    Kind,
    Obsoleted,
    Renamed,
    Subsumptions,
    ValueChange,
)
from kgprobe.owl.axiom_groups import Axiom
from kgprobe.owl.wording import Names, axiom_in_words
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import Literal, NamedNode, Term

__all__ = ["Section", "Wording", "overview_lines", "section_lines"]

# A summary lists up to this many changes of a kind, and counts them if there are more.
_FEW = 12
_LONGEST_TEXT = 70
_CONTEXT = 25  # characters to show before the first difference
_PLURALS = {
    Kind.CLASS: "classes",
    **{kind: f"{kind.removesuffix('y')}ies" for kind in Kind if kind.endswith("property")},
    Kind.ONTOLOGY: "ontologies",
    Kind.OTHER: "other names",
}
_Change = TypeVar("_Change")


@dataclass(frozen=True)
class Section:
    """Changes of one kind: a title, a count, and one line for each change or for each group of changes."""

    title: str
    count: int
    lines: int
    items: Callable[[], Iterator[str]]
    rest: int = 0  # the number of changes without a line


def overview_lines(found: Comparison) -> Iterator[str]:
    """The numbers of entities of each kind that were added, removed and changed."""
    counts = found.counts.kinds
    yield f"{'':<24}{'added':>9}{'removed':>9}{'changed':>9}"
    for kind in Kind:
        if any(count[kind] for count in counts):
            yield f"{_PLURALS.get(kind, f'{kind}s'):<24}" + "".join(f"{count[kind]:>9,}" for count in counts)


def section_lines(sections: Sequence[Section], most: int | None = None) -> Iterator[str]:
    """All lines of the sections, or at most `most` lines in all."""
    shown = [section.lines for section in sections] if most is None else _shown(sections, most)
    for section, count in zip(sections, shown, strict=True):
        yield f"{section.title} ({section.count:,})"
        yield from (f"  {line}" for line in islice(section.items(), count))
        if more := section.lines - count + section.rest:
            yield f"  … and {more:,} more"


def _shown(sections: Sequence[Section], most: int) -> list[int]:
    """The number of lines to show of each section: about the same for each; the first ones get the remainder."""
    shown = [0] * len(sections)
    left = most - 2 * len(sections)  # a title and a line for the rest, for each section
    is_more = True
    while is_more:
        is_more = False
        for place, section in enumerate(sections):
            # The last line of a section takes the place of "and 1 more".
            price = 0 if section.lines + section.rest == shown[place] + 1 else 1
            if section.lines > shown[place] and left >= price:
                shown[place] += 1
                left -= price
                is_more = True
    return shown


class Wording:
    """Puts a comparison into words: each change, or in a summary counts for large groups."""

    def __init__(self, found: Comparison, old: Graph, new: Graph, *, summary: bool) -> None:
        self._found = found
        self._graphs = old, new
        self._names = Names(old, new)
        self._summary = summary

    def how_inferred(self) -> list[str]:
        """One or two lines on how the class hierarchies were found."""
        if self._found.inferred is None:
            return []
        old, new = self._found.inferred.how
        if old == new:
            return [f"class hierarchies: {old}"]
        return [f"class hierarchy before: {old}", f"class hierarchy after: {new}"]

    def sections(self) -> list[Section]:
        """The sections of all kinds of changes in the comparison."""
        found = self._found
        made = [
            _section("added", found.added, self._whole),
            _section("removed", found.removed, self._whole),
            _section("renamed", found.renamed, self._renamed),
            _section("obsoleted", found.obsoleted, self._obsoleted),
            _section("no longer obsolete", found.unobsoleted, lambda entity: self._names.with_label(entity.term)),
            _section("moved", found.moved, self._moved),
            self._of_aspect("labels changed", Aspect.LABEL),
            self._of_aspect("definitions changed", Aspect.DEFINITION),
            self._of_aspect("synonyms changed", Aspect.SYNONYM),
            self._other_annotations(),
            self._annotations_of_statements(),
            self._axioms(),
            *self._inferred(),
        ]
        return [section for section in made if section.count]

    # -- sections ---------------------------------------------------------------------------------------------------

    def _of_aspect(self, title: str, aspect: Aspect) -> Section:
        return _section(title, self._found.by_aspect[aspect], lambda change: self._changed_values(change, aspect))

    def _other_annotations(self) -> Section:
        title, changes = "other annotations changed", self._found.by_aspect[Aspect.ANNOTATION]
        if not self._summary or len(changes) <= _FEW:
            return self._of_aspect(title, Aspect.ANNOTATION)
        return self._counted(title, len(changes), self._found.counts.annotations)

    def _annotations_of_statements(self) -> Section:
        title, changes = "annotations of statements changed", self._found.annotations
        if not self._summary or len(changes) <= _FEW:
            return _section(title, changes, self._annotation)
        return self._counted(title, len(changes), self._found.counts.of_statements)

    def _counted(self, title: str, count: int, values: Mapping[NamedNode, tuple[int, int]]) -> Section:
        """The numbers of removed and added values of each predicate, the most frequent first."""
        often = sorted(values, key=lambda predicate: (-sum(values[predicate]), predicate.value))
        words = [f"{self._names.with_label(predicate)}: {_counts(*values[predicate])}" for predicate in often]
        return Section(title, count, len(words), lambda: iter(words))

    def _axioms(self) -> Section:
        moved = {change.entity.term for change in self._found.moved}
        axioms = [axiom for axiom in self._found.axioms if not (axiom.about in moved and _says_parent(axiom))]
        if not self._summary or len(axioms) <= _FEW:
            return _section("axioms changed", axioms, self._axiom)
        gone, come = (Counter(axiom.kind for axiom in axioms if axiom.added is added) for added in (False, True))
        often = sorted(gone | come, key=lambda kind: (-gone[kind] - come[kind], kind))
        words = [f"{kind}: {_counts(gone[kind], come[kind])}" for kind in often]
        return Section("axioms changed", len(axioms), len(words), lambda: iter(words))

    def _inferred(self) -> Iterator[Section]:
        changes = self._found.inferred
        if changes is None:
            return
        for title, pairs in (("gained", changes.gained), ("lost", changes.lost)):
            lines = len(pairs.listed)
            items = partial(self._pairs, pairs)
            yield Section(f"inferred subsumptions {title}", pairs.count, lines, items, rest=pairs.count - lines)
        yield _section("unsatisfiable now", changes.unsatisfiable, self._names.with_label)
        yield _section("satisfiable again", changes.satisfiable, self._names.with_label)

    # -- single changes ---------------------------------------------------------------------------------------------

    def _whole(self, change: EntityChange) -> str:
        return f"{change.entity.kind} {self._names.with_label(change.entity.term)}"

    def _renamed(self, renamed: Renamed) -> str:
        old, new = (self._names.with_label(entity.term) for entity in (renamed.old, renamed.new))
        return f"{renamed.new.kind} {old} → {new} ({renamed.why})"

    def _obsoleted(self, obsoleted: Obsoleted) -> str:
        parts = [self._names.with_label(obsoleted.entity.term)]
        for words, terms in (("replaced by", obsoleted.replaced_by), ("consider", obsoleted.consider)):
            if terms:
                parts.append(f"{words} {self._list(terms)}")
        return "; ".join(parts)

    def _moved(self, change: EntityChange) -> str:
        gone = [term for value in change.about(Aspect.PARENT) for term in value.removed]
        come = [term for value in change.about(Aspect.PARENT) for term in value.added]
        name = self._names.with_label(change.entity.term)
        if gone and come:
            return f"{name}: from {self._list(gone)} to {self._list(come)}"
        return f"{name}: {'no longer' if gone else 'now also'} under {self._list(gone or come)}"

    def _changed_values(self, change: EntityChange, aspect: Aspect) -> str:
        named = self._names.short(change.entity.term) if aspect is Aspect.LABEL else None
        values = "; ".join(self._value(value) for value in change.about(aspect))
        return f"{named or self._names.with_label(change.entity.term)}: {values}"

    def _value(self, value: ValueChange) -> str:
        sort = ""
        if value.aspect is Aspect.SYNONYM:
            sort = f"{SCOPES.get(value.predicate) or self._names.short(value.predicate)} "
        elif value.aspect is Aspect.ANNOTATION:
            sort = f"{self._names.short(value.predicate)} "
        gone = [self._text(term, value.added) for term in value.removed]
        come = [self._text(term, value.removed) for term in value.added]
        if len(gone) == len(come) == 1:
            return f"{sort}{gone[0]} → {come[0]}"
        return ", ".join([*(f"- {sort}{text}" for text in gone), *(f"+ {sort}{text}" for text in come)])

    def _annotation(self, change: AnnotationChange) -> str:
        statement = f"{self._names.short(change.predicate)} {self._text(change.object)}"
        return f"{self._names.with_label(change.subject)}: {statement}: {self._value(change.annotation)}"

    def _axiom(self, axiom: ChangedAxiom) -> str:
        words = axiom_in_words(Axiom(axiom.expression, axiom.triples), self._graphs[axiom.added])
        about = "" if axiom.about is None else f"{self._names.short(axiom.about)}: "
        return f"{'+' if axiom.added else '-'} {about}{words}"

    def _pairs(self, pairs: Subsumptions) -> Iterator[str]:
        for lower, upper in pairs.listed:
            yield f"{self._names.with_label(lower)} below {self._names.with_label(upper)}"

    # -- terms ------------------------------------------------------------------------------------------------------

    def _list(self, terms: Iterable[Term]) -> str:
        return ", ".join(self._names.with_label(term) for term in terms)

    def _text(self, term: Term, others: Sequence[Term] = ()) -> str:
        """A value: a name with its label, or a literal on one line.

        In a summary, long values are cut so that the part remains in which they differ from the values that replaced
        them, or that they replaced.
        """
        if type(term) is not Literal:
            return self._names.with_label(term)
        text, tag = _on_one_line(term), f"@{term.language}" if term.language else ""
        alike = [literal for literal in others if type(literal) is Literal]
        if any(literal.language == term.language and _on_one_line(literal) == text for literal in alike):
            return self._names.short(term)  # they differ in their datatypes, or in white space
        if self._summary and len(text) > _LONGEST_TEXT:
            text = cut_where_it_differs(text, [_on_one_line(literal) for literal in alike], _LONGEST_TEXT)
        return f"'{text}'{tag}"


def _on_one_line(literal: Literal) -> str:
    return " ".join(literal.value.split())


def cut_where_it_differs(text: str, others: Sequence[str], longest: int) -> str:
    """An excerpt of a text around the place where it begins to differ from the most similar other text."""
    nearest = max(others, key=lambda other: _same_start(text, other) + _same_start(text[::-1], other[::-1]), default="")
    start = max(0, min(_same_start(text, nearest) - _CONTEXT, len(text) - longest))
    end = start + longest
    shown = ("…" + text[start + 1 : end]) if start else text[:end]
    return shown if end >= len(text) else shown[:-1] + "…"


def _same_start(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _section(title: str, changes: Sequence[_Change], words: Callable[[_Change], str]) -> Section:
    return Section(title, len(changes), len(changes), lambda: map(words, changes))


def _counts(gone: int, come: int) -> str:
    return ", ".join([*([f"-{gone:,}"] if gone else []), *([f"+{come:,}"] if come else [])])


def _says_parent(axiom: ChangedAxiom) -> bool:
    """Whether an axiom only says that one name is below another."""
    if axiom.expression is None or not axiom.kind.endswith(("ClassOf", "PropertyOf", "ClassAssertion")):
        return False
    arguments = axiom.expression.args
    return len(arguments) == 2 and all(type(part) is NamedNode for part in arguments)
