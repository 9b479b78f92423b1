"""Parts of a query that cannot match: their triples, conditions and values contradict each other or the ontology.

Conditions that always hold, or depend on the engine, and expressions that have no value are found on the way.

Candidates for fixes are literals that are written as something else (strings that look like numbers, dates or IRIs, and
numbers), other variables, and patterns that are turned round.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count

from kgprobe.queries.diagnosis.changes import Candidate, Rank, Replaced, spelled, variable_slips, variables_of
from kgprobe.queries.diagnosis.names import is_near
from kgprobe.queries.diagnosis.proving import Blame, Remark, UndecidedWorld, concerned_variable, message_of
from kgprobe.queries.diagnosis.rules import Finding, Inspection, OpenQuestion, Rule
from kgprobe.queries.patterns.facts import Edge, scopes_of
from kgprobe.queries.patterns.worlds import Role, World, worlds_of
from kgprobe.queries.schema import Schema
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode
from kgprobe.sparql.algebra import Document, Modify, Operation, PlacedTriple, Span
from kgprobe.sparql.tokens import Token, tokens

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?")
_WHOLE_DECIMAL = re.compile(r"[+-]?\d+\.0*")
_ABSOLUTE_IRI = re.compile(r"(?:https?|ftp|mailto|urn|tel|doi|info|file):[^\s<>\"{}|^`\\]+")


_TYPED = {
    XSD.date: r"-?\d{4,}-\d\d-\d\d",
    XSD.dateTime: r"-?\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?",
    XSD.time: r"\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?",
    XSD.gYear: r"\d{4}",
    XSD.gYearMonth: r"\d{4}-\d\d",
    XSD.duration: r"-?P(?=[\dT])(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?",
}


def literal_changes(spans: Iterable[Span], document: Document, *, is_open: bool = False) -> Iterator[Candidate]:
    """Strings that look like numbers, dates or IRIs as what they look like, and numbers as strings or years.

    If there are several, all of the same kind are also changed at once. If it is open which part of the query is wrong,
    a number may well be meant as one, and a string as a string.
    """
    around = list(spans)
    found: dict[str, list[Replaced]] = {}
    for span, text, content in _plain_literals(tokens(document.text), document):
        if any(outer.start <= span.start < outer.end for outer in around):
            for kind, changed in _readings(text, content, document):
                found.setdefault(kind, []).append((span, changed))
    for kind, edits in found.items():
        # 3.0 has the value 3, but a pattern with 3.0 does not match data with 3.
        is_other_term = kind == "number" and any(_WHOLE_DECIMAL.fullmatch(changed) for _, changed in edits)
        has_doubts = is_other_term or (is_open and kind in ("string", "number"))
        for chosen in (*((edit,) for edit in edits), *([tuple(edits)] if len(edits) > 1 else [])):
            title = f"write {', '.join(changed for _, changed in chosen)}"
            yield Candidate(title, chosen, Rank.LITERAL, has_doubts)


def _plain_literals(found: Sequence[Token], document: Document) -> Iterator[tuple[Span, str, str]]:
    """The numbers and the strings without a language: where they are, their text, and a string's content."""
    for place, token in enumerate(found):
        following = [each.text for each in found[place + 1 : place + 3]]
        if token.kind == "number":
            yield Span(token.start, token.end), token.text, ""
        elif token.kind == "string" and not "".join(following[:1]).startswith(("^^", "@")):
            yield Span(token.start, token.end), token.text, token.text[1:-1]
        elif token.kind == "string" and following[0] == "^^" and following[1:] == [spelled(XSD.string, document)]:
            yield Span(token.start, found[place + 2].end), token.text, token.text[1:-1]


def _readings(text: str, content: str, document: Document) -> Iterator[tuple[str, str]]:
    """What a literal may be meant to be: the kind, and how it is written."""
    if not content:
        yield "string", f'"{text}"'
    elif _NUMBER.fullmatch(content):
        yield "number", content
    elif _ABSOLUTE_IRI.fullmatch(content):
        yield "IRI", f"<{content}>"
    for datatype, pattern in _TYPED.items():
        if re.fullmatch(pattern, content or text):
            quote = text[0] if content else '"'
            yield datatype.value, f"{quote}{content or text}{quote}^^{spelled(datatype, document)}"


# -- patterns ----------------------------------------------------------------------------------------------------------

_TEMPLATES = (Role.INSERT, Role.DELETE, Role.CONSTRUCT)
_MOST_RIVALS = 6
_NUMBERED = re.compile(r"(.*?)(\d*)$")


def candidates(finding: Blame, document: Document, schema: Schema) -> Iterator[Candidate]:
    """Changes of all patterns that take part: that one is to blame is no more than likely."""
    facts = (finding.blamed, *finding.others)
    # Of two conditions, or a condition and a VALUES or BIND, either may be the wrong one.
    is_open = sum(not isinstance(fact, Edge) for fact in facts) > 1
    yield from literal_changes([fact.source.span for fact in facts], document, is_open=is_open)
    if finding.conflict.code not in ("contradiction", "node-and-literal"):
        return
    for source in dict.fromkeys(fact.source for fact in facts):
        yield from _of_pattern(source, finding, document, schema)
    yield from _other_variables(finding, document)


def _other_variables(finding: Blame, document: Document) -> Iterator[Candidate]:
    """The pattern that is to blame with a variable whose name is near, instead of the one that the error is about."""
    fact, variable = finding.blamed, concerned_variable(finding)
    if not isinstance(fact, Edge) or variable is None or variable.hidden:
        return
    ends = ((fact.subject, fact.source.subject_span), (fact.object, fact.source.object_span))
    spans = [span for part, span in ends if part == variable]
    if len(spans) != 1:
        return
    written = document.text[spans[0].start : spans[0].end]
    if written[1:] != variable.name:
        return
    for other in _beside(variable, finding):
        if all(part != other for part, _ in ends) and is_near(variable.name, other.name):
            new = f"{written[0]}{other.name}"
            title = f"use another variable: {new}"
            yield Candidate(title, ((spans[0], new),), Rank.OTHER_VARIABLE, has_doubts=True)


def _beside(variable: Variable, finding: Blame) -> list[Variable]:
    """The other variables with the scope of a variable, in the order of the patterns."""
    edges = [fact for fact in finding.world.facts if isinstance(fact, Edge)]
    parts = dict.fromkeys(part for edge in edges for part in (edge.subject, edge.object))
    return [
        part
        for part in parts
        if isinstance(part, Variable)
        and part != variable
        and not part.hidden
        and scopes_of(part) == scopes_of(variable)
    ]


def _of_pattern(triple: object, finding: Blame, document: Document, schema: Schema) -> Iterator[Candidate]:
    if not isinstance(triple, PlacedTriple):
        return
    if isinstance(triple.subject, Variable) and triple.subject == triple.object:
        yield from _with_new_variable(triple, document)
    elif isinstance(triple.predicate, NamedNode) and triple.predicate != RDF.type:
        yield from _turned_round(triple, finding, document, schema)


def _with_new_variable(triple: PlacedTriple, document: Document) -> Iterator[Candidate]:
    """The triple with a variable of its own as its object, unless another variable of the query fits there."""
    written = document.text[triple.object_span.start : triple.object_span.end]
    if written[:1] in ("?", "$"):
        used = dict.fromkeys(variable.text[1:] for variable in variables_of(document))
        stem = _NUMBERED.fullmatch(written[1:])
        base = stem[1] if stem else written[1:]
        new = next(f"{written[0]}{base}{number}" for number in count(2) if f"{base}{number}" not in used)
        ends = (triple.subject_span, triple.object_span)
        rivals = tuple(((end, f"?{other}"),) for other in used if other != written[1:] for end in ends)
        title = f"use another variable: {new}"
        has_doubts = len(rivals) > _MOST_RIVALS
        yield Candidate(title, ((triple.object_span, new),), Rank.NEW_VARIABLE, has_doubts, rivals)


def _turned_round(triple: PlacedTriple, finding: Blame, document: Document, schema: Schema) -> Iterator[Candidate]:
    """The triple from its object to its subject: with the ends swapped, with the inverse property, or backwards.

    It is the right change for certain only if neither end fits: if one does, the other may be the wrong variable.
    """
    if isinstance(triple.object, Literal) or isinstance(triple.subject, Literal):
        return
    assert isinstance(triple.predicate, NamedNode)  # noqa: S101 - the caller has asked
    text = document.text
    subject, predicate, value = (text[s:e] for s, e in (triple.subject_span, triple.predicate_span, triple.object_span))
    is_alone = _is_alone(triple, finding)
    rivals = tuple(((span, _unused(document)),) for span in (triple.subject_span, triple.object_span))
    world = finding.world
    is_written = world.role in _TEMPLATES and any(fact.source is triple for fact in world.own)
    has_doubts = is_written or world.is_negated or not _has_ends(triple.predicate, schema)
    if is_alone:
        title = f"swap the ends: {value} {predicate} {subject}"
        edits = ((triple.subject_span, value), (triple.object_span, subject))
        yield Candidate(title, edits, Rank.SWAP, has_doubts, rivals)
    inverses = [
        name for inverse in schema.inverses(triple.predicate) if (name := spelled(inverse, document)) != predicate
    ]
    for name in inverses:
        title = f"use the inverse property: {subject} {name} {value}"
        yield Candidate(title, ((triple.predicate_span, name),), Rank.INVERSE, has_doubts, rivals)
    if not is_alone and not inverses and not is_written:
        title = f"follow the property backwards: {subject} ^{predicate} {value}"
        edits_ = ((triple.predicate_span, f"^{predicate}"),)
        yield Candidate(title, edits_, Rank.BACKWARDS, has_doubts, rivals)


def _unused(document: Document) -> str:
    """A variable that is nowhere in the query."""
    used = {variable.text[1:] for variable in variables_of(document)}
    return next(f"?end{number}" for number in count() if f"end{number}" not in used)


def _has_ends(name: NamedNode, schema: Schema) -> bool:
    """Whether the ontology says from what to what a property goes, so that it confirms the ends when swapped."""
    if "DataProperty" in schema.kinds(name):
        return True  # its values are literals
    axioms = {axiom.head for axiom in schema.ontology.axioms if axiom.args[:1] == (name,)}
    return {"ObjectPropertyDomain", "ObjectPropertyRange"} <= axioms


def _is_alone(triple: PlacedTriple, finding: Blame) -> bool:
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


_FACTS = frozenset({"ClassAssertion", "ObjectPropertyAssertion", "DataPropertyAssertion", "SameIndividual"})


def _unsatisfiable_parts(inspection: Inspection) -> Iterator[Finding | OpenQuestion]:
    document, prover = inspection.document, inspection.prover
    for operation in document.operations:
        # Care is only needed if an error was found with care.
        with_care = not inspection.is_changed or prover.has_needed_care
        proven = prover.findings(worlds_of(operation), document.text, with_care=with_care)
        for found in _with_other_deletions(proven, operation):
            match found:
                case Blame():
                    yield _of_blame(found, inspection)
                case Remark(fact=fact, code=code, words=words):
                    span = fact.source.span
                    yield Finding(code, span, words, repairs=partial(variable_slips, document, (span,)))
                case UndecidedWorld(world=world, why=why):
                    yield OpenQuestion(_first(world), why)


RULE = Rule(_unsatisfiable_parts)


def _of_blame(blame: Blame, inspection: Inspection) -> Finding:
    document, query, schema = inspection.document, inspection.query, inspection.schema
    variable = concerned_variable(blame)
    facts = (blame.blamed, *blame.others)

    def repairs() -> Iterable[Candidate]:
        slips = variable_slips(document, tuple(fact.source.span for fact in facts))
        return chain(slips, candidates(blame, document, schema))

    return Finding(
        blame.conflict.code,
        blame.blamed.source.span,
        message_of(blame, lambda fact: query.place(fact.source.span).line),
        _is_proof(blame, document),
        None if variable is None else variable.name,
        tuple(map(schema.words, blame.conflict.axioms)),
        tuple(fact.source.span for fact in blame.others),
        repairs=repairs,
    )


def _is_proof(blame: Blame, document: Document) -> bool:
    """Whether a conflict proves that a part of a query matches nothing, or that an update writes a contradiction."""
    world = blame.world
    if world.role is Role.CONSTRUCT or world.is_negated or not blame.conflict.is_proof:
        return False
    if world.role is Role.INSERT and any(axiom.head in _FACTS for axiom in blame.conflict.axioms):
        # What the ontology states about individuals may be the data that the updates change.
        return not any(not isinstance(operation, Modify) or operation.deleted for operation in document.operations)
    return True


def _with_other_deletions(
    proven: Iterable[Blame | Remark | UndecidedWorld], operation: Operation
) -> Iterator[Blame | Remark | UndecidedWorld]:
    """The same, with a proviso for triples of a DELETE that are never there, if others of it may be."""
    deleted = sum(len(graph.triples) for graph in operation.deleted) if isinstance(operation, Modify) else 0
    if deleted < 2:
        yield from proven
        return
    findings = list(proven)
    gone = {blame.world.span for blame in findings if isinstance(blame, Blame) and blame.world.role is Role.DELETE}
    for finding in findings:
        if isinstance(finding, Blame) and finding.world.role is Role.DELETE and len(gone) < deleted:
            proviso = finding.conflict.proviso or "the other triples of this DELETE may be there"
            yield replace(finding, conflict=replace(finding.conflict, proviso=proviso))
        else:
            yield finding


def _first(world: World) -> Span:
    """The place of the first pattern of a world."""
    return min((fact.source.span for fact in world.own), default=world.span)
