"""Fixes for errors: candidates for a finding, of which only those are offered that make the error go away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

from kgprobe.graph.pattern import Variable
from kgprobe.graph.terms import RDF, Literal, NamedNode
from kgprobe.queries.algebra import Document, PlacedTriple, Span
from kgprobe.sparql.diagnosis.clash_wording import concerned_variable
from kgprobe.sparql.diagnosis.diagnostics import Edit, Fix, Report
from kgprobe.sparql.diagnosis.names import StrangeName
from kgprobe.sparql.diagnosis.proving import Finding
from kgprobe.sparql.files.texts import QueryText
from kgprobe.sparql.patterns.facts import Edge, name_of
from kgprobe.sparql.patterns.worlds import Role
from kgprobe.sparql.schema import Schema

__all__ = ["Candidate", "candidates", "fixed_text", "other_variables", "renaming"]

_VARIABLE = re.compile(r"[?$](\w+)")
_NUMBERED = re.compile(r"(.*?)(\d*)$")
_LOCAL_NAME = re.compile(r"[A-Za-z_][\w-]*")


@dataclass(frozen=True)
class Candidate:
    """A change of a query that may repair it: replaced parts of its text."""

    title: str
    edits: tuple[tuple[Span, str], ...]

    def applied(self, text: str) -> str:
        """The text after the change."""
        for span, replacement in sorted(self.edits, reverse=True):
            text = text[: span.start] + replacement + text[span.end :]
        return text

    def fix(self, query: QueryText) -> Fix | None:
        """The change in the file of the query; None if the file has other characters there than the query."""
        if not all(query.is_verbatim(span) for span, _ in self.edits):
            return None
        return Fix(self.title, tuple(Edit(query.place(span), text) for span, text in self.edits))


def candidates(finding: Finding, document: Document, schema: Schema) -> Iterator[Candidate]:
    """Changes of the pattern that is to blame; if that only states a type, also of the others that take part."""
    if finding.conflict.code not in ("contradiction", "node-and-literal"):
        return
    yield from _of_pattern(finding.blamed.source, finding, document, schema)
    if isinstance(finding.blamed, Edge) and finding.blamed.predicate == RDF.type:  # a type is seldom the mistake
        for other in finding.others:
            yield from _of_pattern(other.source, finding, document, schema)


def other_variables(finding: Finding, document: Document) -> Iterator[Candidate]:
    """The pattern that is to blame with another variable of its group, instead of the one that the error is about.

    Such a change is evident only if no other of them repairs the query.
    """
    fact, variable = finding.blamed, concerned_variable(finding)
    if finding.conflict.code not in ("contradiction", "node-and-literal") or not isinstance(fact, Edge):
        return
    ends = ((fact.subject, fact.source.subject_span), (fact.object, fact.source.object_span))
    spans = [span for part, span in ends if part == variable]
    if variable is None or variable.hidden or len(spans) != 1:
        return
    written = document.text[spans[0].start : spans[0].end]
    if _VARIABLE.fullmatch(written) is None or written[1:] != name_of(variable):
        return
    for other in _beside(variable, finding):
        if all(part != other for part, _ in ends):
            new = f"{written[0]}{name_of(other)}"
            yield Candidate(f"use another variable: {new}", ((spans[0], new),))


def _beside(variable: Variable, finding: Finding) -> list[Variable]:
    """The other variables with the scope of a variable, in the order of the patterns."""
    scope = variable.name.removeprefix(name_of(variable))
    edges = [fact for fact in finding.world.facts if isinstance(fact, Edge)]
    parts = dict.fromkeys(part for edge in edges for part in (edge.subject, edge.object))
    return [
        part
        for part in parts
        if isinstance(part, Variable)
        and part != variable
        and not part.hidden
        and part.name.removeprefix(name_of(part)) == scope
    ]


def _of_pattern(triple: object, finding: Finding, document: Document, schema: Schema) -> Iterator[Candidate]:
    if not isinstance(triple, PlacedTriple):
        return
    if isinstance(triple.subject, Variable) and triple.subject == triple.object:
        yield from _with_new_variable(triple, document)
    elif isinstance(triple.predicate, NamedNode) and triple.predicate != RDF.type:
        yield from _turned_round(triple, finding, document, schema)


def _with_new_variable(triple: PlacedTriple, document: Document) -> Iterator[Candidate]:
    written = document.text[triple.object_span.start : triple.object_span.end]
    if _VARIABLE.fullmatch(written):
        used = set(_VARIABLE.findall(document.text))
        stem = _NUMBERED.fullmatch(written[1:])
        base = stem[1] if stem else written[1:]
        new = next(f"{written[0]}{base}{number}" for number in count(2) if f"{base}{number}" not in used)
        yield Candidate(f"use another variable: {new}", ((triple.object_span, new),))


def _turned_round(triple: PlacedTriple, finding: Finding, document: Document, schema: Schema) -> Iterator[Candidate]:
    """The triple from its object to its subject: with the ends swapped, with the inverse property, or backwards."""
    if isinstance(triple.object, Literal) or isinstance(triple.subject, Literal):
        return
    text = document.text
    subject, predicate, value = (text[s:e] for s, e in (triple.subject_span, triple.predicate_span, triple.object_span))
    is_alone = _is_alone(triple, finding)
    if is_alone:
        title = f"swap the ends: {value} {predicate} {subject}"
        yield Candidate(title, ((triple.subject_span, value), (triple.object_span, subject)))
    assert isinstance(triple.predicate, NamedNode)  # noqa: S101 - the caller has asked
    inverses = [spelled for each in schema.inverses(triple.predicate) if (spelled := _spelled(each, document))]
    for spelled in inverses:
        if spelled != predicate:
            title = f"use the inverse property: {subject} {spelled} {value}"
            yield Candidate(title, ((triple.predicate_span, spelled),))
    if not is_alone and not inverses and finding.world.role not in (Role.INSERT, Role.DELETE, Role.CONSTRUCT):
        title = f"follow the property backwards: {subject} ^{predicate} {value}"
        yield Candidate(title, ((triple.predicate_span, f"^{predicate}"),))


def _is_alone(triple: PlacedTriple, finding: Finding) -> bool:
    """Whether no other triple shares the subject or the predicate in the text, with `;` or `,`."""
    spans = (triple.subject_span, triple.predicate_span, triple.object_span)
    if not (spans[0].end <= spans[1].start and spans[1].end <= spans[2].start):
        return False
    sources = {fact.source for fact in finding.world.facts if isinstance(fact.source, PlacedTriple)}
    return not any(
        other.subject_span in spans or other.predicate_span in spans or other.object_span in spans
        for other in sources
        if other != triple
    )


def _spelled(name: NamedNode, document: Document) -> str | None:
    """A name as the query can write it."""
    fitting = [
        (len(namespace), f"{prefix}:{name.value[len(namespace) :]}")
        for prefix, namespace in document.prefixes.items()
        if name.value.startswith(namespace) and _LOCAL_NAME.fullmatch(name.value[len(namespace) :])
    ]
    return max(fitting)[1] if fitting else f"<{name.value}>"


def renaming(strange: StrangeName, document: Document) -> Iterator[Candidate]:
    """The nearest name in place of an unknown one."""
    if strange.nearest is None:
        return
    named = strange.use.named
    spelled = _spelled(strange.nearest, document)
    if named.written.startswith("<"):
        spelled = f"<{strange.nearest.value}>"
    if spelled is not None:
        yield Candidate(f"use the nearest name: {spelled}", ((Span(named.start, named.end), spelled),))


# -- applying fixes ----------------------------------------------------------------------------------------------------


def fixed_text(text: str, report: Report) -> str:
    """The text of a file after all fixes that are the only one for their error. Fixes that overlap wait."""
    chosen: list[Edit] = []
    for diagnostic in report.errors:
        if len(diagnostic.fixes) == 1:
            edits = diagnostic.fixes[0].edits
            if not any(_overlap(new, old) for new in edits for old in chosen):
                chosen += edits
    for edit in sorted(chosen, key=lambda each: each.place.start, reverse=True):
        text = text[: edit.place.start] + edit.text + text[edit.place.end :]
    return text


def _overlap(one: Edit, other: Edit) -> bool:
    return one.place.start < other.place.end and other.place.start < one.place.end
