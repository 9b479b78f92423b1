"""Fixes: candidates for a diagnostic, of which those are offered after which it is gone, and nothing else has come.

Each candidate has a rank: how far it is from the text. Of those that work, one is offered if no other has its rank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import count

from kgprobe.graph.pattern import Variable
from kgprobe.graph.sparql.tokens import Token, tokens
from kgprobe.graph.terms import RDF, Literal, NamedNode
from kgprobe.queries.algebra import Document, PlacedTriple, QueryTree, Span
from kgprobe.sparql.diagnosis.clash_wording import concerned_variable
from kgprobe.sparql.diagnosis.diagnostics import Edit, Fix, Report
from kgprobe.sparql.diagnosis.names import NameUse, StrangeName, namespace_of, near_namespaces, same_kind
from kgprobe.sparql.diagnosis.nearness import distance, is_near, is_other_number
from kgprobe.sparql.diagnosis.proving import Finding
from kgprobe.sparql.diagnosis.vocabularies import BUILT_IN_NAMES, VOCABULARIES
from kgprobe.sparql.files.texts import QueryText
from kgprobe.sparql.patterns.facts import Edge, name_of, scope_of
from kgprobe.sparql.patterns.scopes import bound_within
from kgprobe.sparql.patterns.worlds import Role
from kgprobe.sparql.schema import Schema

__all__ = [
    "Candidate",
    "candidates",
    "fixed_text",
    "keeps_results",
    "literal_changes",
    "renaming",
    "variable_slips",
]

_NUMBERED = re.compile(r"(.*?)(\d*)$")
_LOCAL_NAME = re.compile(r"[A-Za-z_][\w-]*")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?")
_ABSOLUTE_IRI = re.compile(r"(?:https?|ftp|mailto|urn|tel|doi|info|file):[^\s<>\"{}|^`\\]+")
_AMBIGUOUS = 100  # added to the rank of changes that are evident only to their author


class Rank(IntEnum):
    """How far a kind of change is from the text. The distance of names is added to the first."""

    SLIP = 0
    NAMESPACE = 10
    LITERAL = 11
    SWAP = 12
    INVERSE = 13
    BACKWARDS = 14
    NEW_VARIABLE = 15
    OTHER_VARIABLE = 16


@dataclass(frozen=True)
class Candidate:
    """A change of a query that may repair it: replaced parts of its text. With doubts, it is only shown."""

    title: str
    edits: tuple[tuple[Span, str], ...]
    rank: int
    has_doubts: bool = False

    def applied(self, text: str) -> str:
        """The text after the change."""
        for span, replacement in sorted(self.edits, reverse=True):
            text = text[: span.start] + replacement + text[span.end :]
        return text

    def fix(self, query: QueryText, *, is_only: bool) -> Fix | None:
        """The change in the file of the query; None if the file has other characters there than the query."""
        if not all(query.is_verbatim(span) for span, _ in self.edits):
            return None
        edits = tuple(Edit(query.place(span), text) for span, text in self.edits)
        return Fix(self.title, edits, is_safe=is_only and not self.has_doubts)


def candidates(finding: Finding, document: Document, schema: Schema) -> Iterator[Candidate]:
    """Changes of all patterns that take part: that one is to blame is no more than likely."""
    facts = (finding.blamed, *finding.others)
    yield from literal_changes([fact.source.span for fact in facts], document)
    if finding.conflict.code not in ("contradiction", "node-and-literal"):
        return
    for source in dict.fromkeys(fact.source for fact in facts):
        yield from _of_pattern(source, finding, document, schema)
    yield from _other_variables(finding, document)


def _other_variables(finding: Finding, document: Document) -> Iterator[Candidate]:
    """The pattern that is to blame with a variable whose name is near, instead of the one that the error is about."""
    fact, variable = finding.blamed, concerned_variable(finding)
    if not isinstance(fact, Edge) or variable is None or variable.hidden:
        return
    ends = ((fact.subject, fact.source.subject_span), (fact.object, fact.source.object_span))
    spans = [span for part, span in ends if part == variable]
    if len(spans) != 1:
        return
    written = document.text[spans[0].start : spans[0].end]
    if written[1:] != name_of(variable):
        return
    for other in _beside(variable, finding):
        if all(part != other for part, _ in ends) and is_near(name_of(variable), name_of(other)):
            new = f"{written[0]}{name_of(other)}"
            title = f"use another variable: {new}"
            yield Candidate(title, ((spans[0], new),), Rank.OTHER_VARIABLE, has_doubts=True)


def _beside(variable: Variable, finding: Finding) -> list[Variable]:
    """The other variables with the scope of a variable, in the order of the patterns."""
    edges = [fact for fact in finding.world.facts if isinstance(fact, Edge)]
    parts = dict.fromkeys(part for edge in edges for part in (edge.subject, edge.object))
    return [
        part
        for part in parts
        if isinstance(part, Variable) and part != variable and not part.hidden and scope_of(part) == scope_of(variable)
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
    if written[:1] in ("?", "$"):
        used = {each.text[1:] for each in _variables(document)}
        stem = _NUMBERED.fullmatch(written[1:])
        base = stem[1] if stem else written[1:]
        new = next(f"{written[0]}{base}{number}" for number in count(2) if f"{base}{number}" not in used)
        yield Candidate(f"use another variable: {new}", ((triple.object_span, new),), Rank.NEW_VARIABLE)


def _turned_round(triple: PlacedTriple, finding: Finding, document: Document, schema: Schema) -> Iterator[Candidate]:
    """The triple from its object to its subject: with the ends swapped, with the inverse property, or backwards."""
    if isinstance(triple.object, Literal) or isinstance(triple.subject, Literal):
        return
    text = document.text
    subject, predicate, value = (text[s:e] for s, e in (triple.subject_span, triple.predicate_span, triple.object_span))
    is_alone = _is_alone(triple, finding)
    if is_alone:
        title = f"swap the ends: {value} {predicate} {subject}"
        assert isinstance(triple.predicate, NamedNode)  # noqa: S101 - the caller has asked
        has_doubts = not _has_ends(triple.predicate, schema)
        edits = ((triple.subject_span, value), (triple.object_span, subject))
        yield Candidate(title, edits, Rank.SWAP, has_doubts)
    assert isinstance(triple.predicate, NamedNode)  # noqa: S101 - the caller has asked
    inverses = [spelled for each in schema.inverses(triple.predicate) if (spelled := _spelled(each, document))]
    for spelled in inverses:
        if spelled != predicate:
            title = f"use the inverse property: {subject} {spelled} {value}"
            yield Candidate(title, ((triple.predicate_span, spelled),), Rank.INVERSE)
    if not is_alone and not inverses and finding.world.role not in (Role.INSERT, Role.DELETE, Role.CONSTRUCT):
        title = f"follow the property backwards: {subject} ^{predicate} {value}"
        yield Candidate(title, ((triple.predicate_span, f"^{predicate}"),), Rank.BACKWARDS)


def _has_ends(name: NamedNode, schema: Schema) -> bool:
    """Whether the ontology says from what to what a property goes, so that it confirms the ends when swapped."""
    if "DataProperty" in schema.kinds(name):
        return True  # its values are literals
    axioms = {axiom.head for axiom in schema.ontology.axioms if axiom.args[:1] == (name,)}
    return {"ObjectPropertyDomain", "ObjectPropertyRange"} <= axioms


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


# -- names -------------------------------------------------------------------------------------------------------------


def renaming(strange: StrangeName, document: Document, schema: Schema) -> Iterator[Candidate]:
    """The names near an unknown one, and another namespace for all names of its prefix."""
    use = strange.use
    if strange.code != "unknown-term" or not strange.may_be_slip:
        return
    if namespaces := list(_other_namespaces(use, document, schema)):
        yield from namespaces
        return  # which mends all names at once
    named = use.named
    for rank, name in _near_names(use, schema):
        spelled = f"<{name.value}>" if named.written.startswith("<") else _spelled(name, document)
        if spelled is not None:
            yield Candidate(f"use the nearest name: {spelled}", ((Span(named.start, named.end), spelled),), rank)


def _near_names(use: NameUse, schema: Schema) -> Iterator[tuple[int, NamedNode]]:
    """Names of the same kind that are near an unknown one, with their distances."""
    unknown = use.named.term
    namespace = next((each for each in VOCABULARIES if unknown.value.startswith(each)), namespace_of(unknown))
    local = unknown.value[len(namespace) :]
    if not local:
        return
    known = BUILT_IN_NAMES if namespace in VOCABULARIES else schema.names
    for name in sorted(same_kind(use, known, schema), key=str):
        own = name.value[len(namespace) :]
        if name.value.startswith(namespace) and is_near(local, own) and not is_other_number(local, own):
            yield Rank.SLIP + distance(local.casefold(), own.casefold()), name
        elif namespace in VOCABULARIES and any(name.value == f"{each}{local}" for each in VOCABULARIES):
            yield Rank.SLIP, name


def _other_namespaces(use: NameUse, document: Document, schema: Schema) -> Iterator[Candidate]:
    """A namespace near the declared one, which has all names that the query writes with this prefix."""
    prefix, colon, _ = use.named.written.partition(":")
    declared = document.prefixes.get(prefix)
    place = _declaration(prefix, document.text)
    if not colon or declared is None or place is None or place.text[1:-1] != declared:
        return
    used = [each for each in document.terms if each.written.startswith(f"{prefix}:")]
    for namespace in near_namespaces(declared, schema):
        moved = [NamedNode(namespace + each.term.value[len(declared) :]) for each in used]
        if all(name in schema.names or name in BUILT_IN_NAMES for name in moved):
            edit = (Span(place.start, place.end), f"<{namespace}>")
            yield Candidate(f"declare PREFIX {prefix}: <{namespace}>", (edit,), Rank.NAMESPACE)


def _declaration(prefix: str, text: str) -> Token | None:
    """The IRI in the only declaration of a prefix."""
    found = tokens(text)
    places = [
        found[place + 2]
        for place, token in enumerate(found[:-2])
        if token.text.upper() == "PREFIX" and found[place + 1].text == f"{prefix}:" and found[place + 2].kind == "iri"
    ]
    return places[0] if len(places) == 1 else None


# -- variables and literals --------------------------------------------------------------------------------------------


def variable_slips(document: Document, spans: Iterable[Span]) -> Iterator[Candidate]:
    """Variables that a query has only once as another variable whose name is near; one of the two is in the spans.

    A column of the results is renamed only by the user, because others may read it.
    """
    written = _variables(document)
    counts = Counter(each.text[1:] for each in written)
    first = {each.text[1:]: each.start for each in reversed(written)}
    columns = {each.variable.name for query in _queries(document) for each in query.projected or ()}
    around = list(spans)
    concerned = {each.text[1:] for each in written if any(span.start <= each.start < span.end for span in around)}
    for token in written:
        name = token.text[1:]
        if counts[name] > 1:
            continue
        for other in counts:
            if concerned.isdisjoint((name, other)) or not is_near(name, other):
                continue
            is_certain = counts[other] > 1 and name not in columns
            is_other_word = is_other_number(name, other) or name.startswith(other) or other.startswith(name)
            has_doubts = not is_certain or is_other_word  # `?sampler` is not `?sample`
            # Of two that occur once, either may be the slip.
            rank = Rank.SLIP + distance(name, other)
            rank += _AMBIGUOUS + (counts[other] == 1 and first[other] > token.start) if has_doubts else 0
            new = f"{token.text[0]}{other}"
            yield Candidate(f"use the variable {new}", ((Span(token.start, token.end), new),), rank, has_doubts)


def _queries(document: Document) -> list[QueryTree]:
    return [each for each in document.operations if isinstance(each, QueryTree)]


def _variables(document: Document) -> list[Token]:
    return [token for token in tokens(document.text) if token.kind == "variable"]


def literal_changes(spans: Iterable[Span], document: Document) -> Iterator[Candidate]:
    """Strings that look like numbers or IRIs as what they look like, and numbers as strings."""
    found = tokens(document.text)
    around = list(spans)
    for place, token in enumerate(found):
        following = found[place + 1].text if place + 1 < len(found) else ""
        if not any(span.start <= token.start < span.end for span in around):
            continue
        changed = None
        if token.kind == "number":
            changed = f'"{token.text}"'
        elif token.kind == "string" and following != "^^" and not following.startswith("@"):
            content = token.text[1:-1]
            changed = content if _NUMBER.fullmatch(content) else None
            changed = f"<{content}>" if _ABSOLUTE_IRI.fullmatch(content) else changed
        if changed is not None:
            yield Candidate(f"write {changed}", ((Span(token.start, token.end), changed),), Rank.LITERAL)


# -- what a change must leave as it is ---------------------------------------------------------------------------------


def keeps_results(before: Document, after: Document, candidate: Candidate) -> bool:
    """Whether the results that had values before a change still have them, apart from a variable that it replaces."""
    replaced = {before.text[span.start + 1 : span.end] for span, _ in candidate.edits}
    return all(
        _results(one) - replaced <= _results(other)
        for one, other in zip(before.operations, after.operations, strict=True)
        if isinstance(one, QueryTree) and isinstance(other, QueryTree)
    )


def _results(query: QueryTree) -> set[str]:
    bound = {variable.name for variable in bound_within(query).possible if not variable.hidden}
    if query.projected is None:
        return bound
    return {column.variable.name for column in query.projected if column.expression is not None} | (
        bound & {column.variable.name for column in query.projected}
    )


# -- applying fixes ----------------------------------------------------------------------------------------------------


def fixed_text(text: str, report: Report) -> tuple[str, int]:
    """The text of a file after all safe fixes, and their number. Fixes that overlap wait."""
    chosen: list[Edit] = []
    applied = 0
    for fix in (fix for diagnostic in report.diagnostics for fix in diagnostic.fixes if fix.is_safe):
        if all(edit in chosen for edit in fix.edits):
            continue  # it mends several mistakes at once
        if not any(_overlap(new, old) for new in fix.edits for old in chosen):
            chosen += fix.edits
            applied += 1
    for edit in sorted(chosen, key=lambda each: each.place.start, reverse=True):
        text = text[: edit.place.start] + edit.text + text[edit.place.end :]
    return text, applied


def _overlap(one: Edit, other: Edit) -> bool:
    return one.place.start < other.place.end and other.place.start < one.place.end
