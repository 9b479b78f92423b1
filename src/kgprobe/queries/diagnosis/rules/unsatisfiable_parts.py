"""Parts of a query that cannot match: their triples, conditions and values contradict each other or the ontology.

Conditions that always hold, or depend on the engine, and expressions that have no value are found on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain

from kgprobe.queries.diagnosis.changes import Candidate, variable_slips
from kgprobe.queries.diagnosis.findings import Finding, Inspection, OpenQuestion, Rule
from kgprobe.queries.diagnosis.fixes import candidates
from kgprobe.queries.diagnosis.proving import Blame, Remark, UndecidedWorld, concerned_variable, message_of
from kgprobe.queries.patterns.worlds import Role, World, worlds_of
from kgprobe.sparql.algebra import Document, Modify, Operation, Span

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
        return not any(not isinstance(each, Modify) or each.deleted for each in document.operations)
    return True


def _with_other_deletions(
    proven: Iterable[Blame | Remark | UndecidedWorld], operation: Operation
) -> Iterator[Blame | Remark | UndecidedWorld]:
    """The same, with a proviso for triples of a DELETE that are never there, if others of it may be."""
    deleted = sum(len(each.triples) for each in operation.deleted) if isinstance(operation, Modify) else 0
    if deleted < 2:
        yield from proven
        return
    findings = list(proven)
    gone = {each.world.span for each in findings if isinstance(each, Blame) and each.world.role is Role.DELETE}
    for each in findings:
        if isinstance(each, Blame) and each.world.role is Role.DELETE and len(gone) < deleted:
            proviso = each.conflict.proviso or "the other triples of this DELETE may be there"
            yield replace(each, conflict=replace(each.conflict, proviso=proviso))
        else:
            yield each


def _first(world: World) -> Span:
    """The place of the first pattern of a world."""
    return min((fact.source.span for fact in world.own), default=world.span)
