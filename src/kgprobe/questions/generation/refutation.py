"""Why a claim is true or false: it follows from the premises, the schema contradicts it, or all facts are known.

A claim that is in the widest closure is never refuted, even if the schema contradicts it: then the graph is
inconsistent. Neither is one that a transitive relation connects with a true one: Puccini's birthplace is Lucca, and so
Italy is not a wrong answer.
"""

# ruff: noqa: S608 - all parts of the queries are ours
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kgprobe.questions.facts.database import LITERAL
from kgprobe.questions.generation.knowledge import Knowledge
from kgprobe.questions.rules import TYPE, SoundnessCondition, Variant


@dataclass(frozen=True, slots=True)
class Asserted:
    """A claim about two columns: from the subject along relations to the object, or to a class.

    In the widest closure, the subject and the object can have other numbers, which are in other columns.
    """

    subject: str
    path: tuple[int, ...]
    object: str
    class_: int | None = None
    wide_subject: str = ""
    wide_object: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for No: an SQL condition, and the same in words."""

    condition: str
    why: str
    is_mined: bool = False


def holds(claim: Asserted, knowledge: Knowledge, view: str = "widest") -> str:
    """SQL: the claim is in a closure."""
    is_wide = view == "widest"
    subject = (is_wide and claim.wide_subject) or claim.subject
    if claim.class_ is not None:
        return (
            f"EXISTS (SELECT 1 FROM {view} AS w WHERE w.p = {knowledge.type_id} AND w.s = {subject}"
            f" AND w.o = {claim.class_})"
        )
    object_ = (is_wide and claim.wide_object) or claim.object
    tables = ", ".join(f"{view} AS w{step}" for step in range(len(claim.path)))
    steps = [f"w{step}.p = {relation}" for step, relation in enumerate(claim.path)]
    steps += [f"w{step}.o = w{step + 1}.s" for step in range(len(claim.path) - 1)]
    last = len(claim.path) - 1
    return f"EXISTS (SELECT 1 FROM {tables} WHERE {' AND '.join(steps)} AND w0.s = {subject} AND w{last}.o = {object_})"


def is_not_near(claim: Asserted, knowledge: Knowledge) -> str:
    """SQL: no transitive relation connects the new thing in a claim, `found`, with a thing of which it is true.

    Neither does it connect the other end, unless the claim is about a transitive relation: Italy contains Tuscany and
    Rome, and yet Rome is not in Tuscany.
    """
    if not knowledge.transitive or claim.class_ is not None:
        return "true"
    subject, object_ = claim.wide_subject or claim.subject, claim.wide_object or claim.object
    tables = ", ".join(f"widest AS w{step}" for step in range(len(claim.path)))
    steps = [f"w{step}.p = {relation}" for step, relation in enumerate(claim.path)]
    steps += [f"w{step}.o = w{step + 1}.s" for step in range(len(claim.path) - 1)]
    end = f"w{len(claim.path) - 1}.o"
    conditions: list[str] = []
    ends = (
        (claim.object, f"w0.s = {subject}", end, object_),
        (claim.subject, f"{end} = {object_}", "w0.s", subject),
    )
    is_transitive = not knowledge.transitive.isdisjoint(claim.path)
    for given, fixed, other, moved in ends:
        if is_transitive and given != "c.found":
            continue
        conditions.extend(
            f"NOT EXISTS (SELECT 1 FROM {tables}, widest AS t WHERE {' AND '.join(steps)} AND {fixed}"
            f" AND t.p IN ({_listed(knowledge.transitive)}) AND t.{near} = {other} AND t.{far} = {moved})"
            for near, far in (("s", "o"), ("o", "s"))
        )
    return " AND ".join(conditions) or "true"


def are_different(a: str, b: str, knowledge: Knowledge) -> str:
    """SQL: two things are known to be different."""
    literals = f"(SELECT id FROM terms WHERE kind = {LITERAL})"
    distinct = f"{a} <> {b}"
    if knowledge.settings.unique_names:
        return f"({distinct} AND {a} NOT IN {literals} AND {b} NOT IN {literals})"
    known = [
        f"EXISTS (SELECT 1 FROM different_groups AS x, different_groups AS y WHERE x.number = y.number"
        f" AND x.id = {a} AND y.id = {b})"
    ]
    if knowledge.all_disjoint:
        known.append(
            f"EXISTS (SELECT 1 FROM closure AS x, closure AS y, disjoint_pairs AS d WHERE x.p = {knowledge.type_id}"
            f" AND y.p = {knowledge.type_id} AND x.s = {a} AND y.s = {b} AND x.o = d.a AND y.o = d.b)"
        )
    return f"({distinct} AND ({' OR '.join(known)}))"


def reasons(claim: Asserted, knowledge: Knowledge) -> tuple[Reason, ...]:
    """The reasons that can refute a claim, the clearest first; none if nothing can."""
    if claim.class_ is not None:
        return tuple(_class_reasons(claim, knowledge))
    if not knowledge.closure.unfinished.isdisjoint(claim.path):
        return ()
    given = [*_single_reasons(claim, knowledge)] if len(claim.path) == 1 else [*_path_reasons(claim, knowledge)]
    given.extend(_end_reasons(claim, knowledge))
    if all(map(knowledge.is_closed, claim.path)):
        names = " and ".join(dict.fromkeys(f"'{knowledge.named(step)}'" for step in claim.path))
        given.append(Reason("true", f"all facts of {names} are known, and this does not follow from them"))
    return tuple(given)


def _class_reasons(claim: Asserted, knowledge: Knowledge) -> Iterator[Reason]:
    assert claim.class_ is not None  # noqa: S101 - the caller checked
    excluded = knowledge.disjoint_from([claim.class_])
    if excluded and knowledge.type_id not in knowledge.closure.unfinished:
        noun = knowledge.class_nouns.get(claim.class_, "this class")
        yield Reason(
            _is_in(claim.subject, excluded, knowledge), f"it belongs to a class that is disjoint from '{noun}'"
        )
    if knowledge.schema.is_type_closed and knowledge.type_id not in knowledge.closure.unfinished:
        yield Reason("true", "all members of classes are known, and this does not follow from them")


def _single_reasons(claim: Asserted, knowledge: Knowledge) -> Iterator[Reason]:
    relation = claim.path[0]
    label = knowledge.named(relation)
    for wider in knowledge.wider(relation):
        name = knowledge.named(wider)
        is_guess = knowledge.schema.is_mined("sub-property", (relation, wider))
        above = "" if wider == relation else f"'{label}' implies '{name}', and "
        if knowledge.has(wider, "asymmetric"):
            yield Reason(
                f"EXISTS (SELECT 1 FROM closure AS r WHERE r.p = {wider} AND r.s = {claim.object}"
                f" AND r.o = {claim.subject})",
                f"{above}'{name}' is asymmetric, and it holds the other way round",
                is_guess or knowledge.is_mined(wider, "asymmetric"),
            )
        if knowledge.has(wider, "functional"):
            yield Reason(
                f"EXISTS (SELECT 1 FROM closure AS r WHERE r.p = {wider} AND r.s = {claim.subject}"
                f" AND {are_different('r.o', claim.object, knowledge)})",
                f"{above}'{name}' has at most one value, and a different one is known",
                is_guess or knowledge.is_mined(wider, "functional"),
            )
        if knowledge.has(wider, "inverse-functional"):
            yield Reason(
                f"EXISTS (SELECT 1 FROM closure AS r WHERE r.p = {wider} AND r.o = {claim.object}"
                f" AND {are_different('r.s', claim.subject, knowledge)})",
                f"{above}only one thing has a given value of '{name}', and a different one is known",
                is_guess or knowledge.is_mined(wider, "inverse-functional"),
            )
    excluded = knowledge.disjoint_relations(relation)
    if excluded:
        yield Reason(
            f"EXISTS (SELECT 1 FROM closure AS r WHERE r.p IN ({_listed(excluded)}) AND r.s = {claim.subject}"
            f" AND r.o = {claim.object})",
            f"a relation holds that is disjoint from '{label}'",
        )


def _path_reasons(claim: Asserted, knowledge: Knowledge) -> Iterator[Reason]:
    if not all(knowledge.has(step, "functional") for step in claim.path):
        return
    tables = ", ".join(f"closure AS r{step}" for step in range(len(claim.path)))
    steps = [f"r{step}.p = {relation}" for step, relation in enumerate(claim.path)]
    steps += [f"r{step}.o = r{step + 1}.s" for step in range(len(claim.path) - 1)]
    names = " and ".join(dict.fromkeys(f"'{knowledge.named(step)}'" for step in claim.path))
    yield Reason(
        f"EXISTS (SELECT 1 FROM {tables} WHERE {' AND '.join(steps)} AND r0.s = {claim.subject}"
        f" AND {are_different(f'r{len(claim.path) - 1}.o', claim.object, knowledge)})",
        f"{names} have at most one value each, and a different thing is known to be at the end",
        any(knowledge.is_mined(step, "functional") for step in claim.path),
    )


def _end_reasons(claim: Asserted, knowledge: Knowledge) -> Iterator[Reason]:
    if knowledge.type_id in knowledge.closure.unfinished:
        return
    for end, relation, classes, what in (
        (claim.subject, claim.path[0], knowledge.domains_of(claim.path[0]), "domain"),
        (claim.object, claim.path[-1], knowledge.ranges_of(claim.path[-1]), "range"),
    ):
        excluded = knowledge.disjoint_from(classes)
        if excluded:
            yield Reason(
                _is_in(end, excluded, knowledge),
                f"one of the two belongs to a class that is disjoint from the {what} of '{knowledge.named(relation)}'",
            )


def _is_in(thing: str, classes: Iterable[int], knowledge: Knowledge) -> str:
    return (
        f"EXISTS (SELECT 1 FROM closure AS k WHERE k.p = {knowledge.type_id} AND k.s = {thing}"
        f" AND k.o IN ({_listed(classes)}))"
    )


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


_Fact: TypeAlias = tuple[str, str, str]


def follows(variant: Variant) -> bool:
    """Whether each claim of the conclusion follows; if not, it must be looked up in the closure."""
    alias_of = {atom.object: atom.subject for atom in variant.premises if atom.is_alias}
    facts = {(atom.subject, atom.path[0], atom.object) for atom in variant.premises if not atom.is_alias}
    while True:
        new = {fact for condition in variant.conditions for fact in _conclusions(condition, facts)} - facts
        if not new:
            break
        facts |= new
    if variant.at_least:
        return _are_counted(variant, facts)
    return all(
        _path_holds(alias_of.get(atom.subject, atom.subject), atom.path, alias_of.get(atom.object, atom.object), facts)
        for atom in variant.conclusion
    )


def _conclusions(condition: SoundnessCondition, facts: set[_Fact]) -> Iterator[_Fact]:
    match condition.name, condition.parts:
        case "transitive", (relation,):
            yield from _joined((relation, relation), relation, facts)
        case "chain", (*path, relation):
            yield from _joined(tuple(path), relation, facts)
        case "symmetric", (relation,):
            yield from ((o, relation, s) for s, p, o in facts if p == relation)
        case "inverse", (one, other):
            yield from ((o, other, s) for s, p, o in facts if p == one)
            yield from ((o, one, s) for s, p, o in facts if p == other)
        case "sub-property", (narrow, wide):
            yield from ((s, wide, o) for s, p, o in facts if p == narrow)
        case "sub-class", (narrow, wide):
            yield from ((s, TYPE, wide) for s, p, o in facts if p == TYPE and o == narrow)
        case "domain", (relation, class_):
            yield from ((s, TYPE, class_) for s, p, _ in facts if p == relation)
        case "range", (relation, class_):
            yield from ((o, TYPE, class_) for _, p, o in facts if p == relation)


def _joined(path: tuple[str, ...], relation: str, facts: set[_Fact]) -> Iterator[_Fact]:
    ends = {(s, o) for s, p, o in facts if p == path[0]}
    for step in path[1:]:
        ends = {(start, o) for start, middle in ends for s, p, o in facts if p == step and s == middle}
    return ((start, relation, end) for start, end in ends)


def _path_holds(start: str, path: tuple[str, ...], end: str, facts: set[_Fact]) -> bool:
    here = {start}
    for step in path:
        here = {o for s, p, o in facts if p == step and s in here}
    return end in here


def _are_counted(variant: Variant, facts: set[_Fact]) -> bool:
    """Whether enough values are there that are all different from each other."""
    (atom,) = variant.conclusion
    if len(atom.path) > 1:
        return False
    values = sorted({o for s, p, o in facts if s == atom.subject and p == atom.path[0]})
    different = {frozenset(condition.parts) for condition in variant.conditions if condition.name == "different"}
    return len(values) >= variant.at_least and all(
        frozenset((one, other)) in different for number, one in enumerate(values) for other in values[:number]
    )
