"""The part of a case that is the same for all facts of a binding: claims, their wording, and why the answers are right.

A shape is a JSON text that is stored once for each binding. A row has the things and the texts of one case; `case_of`
joins the two.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kgprobe.questions.cases import Claim, Fact, Question, QuestionCase
from kgprobe.questions.generation.knowledge import Knowledge
from kgprobe.questions.generation.premises import Binding
from kgprobe.questions.generation.refutation import Reason
from kgprobe.questions.rules import Atom, Rule, SoundnessCondition, Variant
from kgprobe.questions.wording import sentences
from kgprobe.questions.wording.sentences import Single, Slot, Template
from kgprobe.rdf.terms import RDF

OTHER = "?*other"
"""The variable for the thing that replaces another one in an extended question."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The questions and statements of the premises, and the question about the conclusion.

    `first` is the variable of the name with which the question begins. The question about `OTHER` has that instead.
    """

    premises: tuple[Template, ...]
    statements: tuple[Template, ...]
    question: Template
    first: str
    other: Template
    alias_of: Mapping[str, str]

    @property
    def singles(self) -> tuple[Single, ...]:
        """What each "the" of the premises and the basic question needs, in terms of things."""
        parts = [single for premise in (*self.premises, *self.statements, self.question) for single in premise.singles]
        return tuple(dict.fromkeys(replace(single, variable=self._thing(single.variable)) for single in parts))

    @property
    def other_singles(self) -> tuple[Single, ...]:
        """What each "the" of the extended question needs."""
        return tuple(replace(single, variable=self._thing(single.variable)) for single in self.other.singles)

    def _thing(self, variable: str) -> str:
        return self.alias_of.get(variable, variable)

    @property
    def reads_like_a_premise(self) -> bool:
        """Whether the question about the conclusion is one of the questions about premises."""
        return any(_folded(premise) == _folded(self.question) for premise in self.premises)


def wording_of(binding: Binding, knowledge: Knowledge) -> Wording | None:
    """The wording of a binding; None if a part of it cannot be worded."""
    variant = binding.variant
    premises: list[Template] = []
    statements: list[Template] = []
    for atom in variant.premises:
        if atom.is_alias:
            premises.append(sentences.alias_question(atom.object, atom.subject))
            statements.append(sentences.alias_statement(atom.object, atom.subject))
            continue
        claim = _claim_of(atom, binding, knowledge)
        asked = claim and sentences.question(claim)
        stated = claim and sentences.statement(claim)
        if not asked or not stated:
            return None
        premises.append(asked)
        statements.append(stated)
    question = _question(binding, knowledge)
    if question is None:
        return None
    first = question.slots[0].variable
    alias_of = {atom.object: atom.subject for atom in variant.premises if atom.is_alias}
    return Wording(tuple(premises), tuple(statements), question, first, _with_other(question, first), alias_of)


def _claim_of(atom: Atom, binding: Binding, knowledge: Knowledge) -> sentences.PathClaim | sentences.KindClaim | None:
    """An atom as a claim that can be worded."""
    if atom.is_type:
        noun = knowledge.class_nouns.get(binding.numbers[atom.object])
        return None if noun is None else sentences.KindClaim(atom.subject, noun, is_noun=True)
    path = tuple(knowledge.schema.relations[relation] for relation in binding.relations(atom))
    via = _via_of(atom, binding.variant)
    return sentences.PathClaim(atom.subject, path, atom.object, via)


def _question(binding: Binding, knowledge: Knowledge) -> Template | None:
    claims = [_claim_of(atom, binding, knowledge) for atom in binding.variant.conclusion]
    known = [claim for claim in claims if claim is not None]
    if len(known) < len(claims):
        return None
    if binding.variant.at_least:
        (claim,) = known
        if not isinstance(claim, sentences.PathClaim):
            return None
        return sentences.count_question(claim, binding.variant.at_least)
    return sentences.question(known[0]) if len(known) == 1 else sentences.conjunction(known)


def _via_of(atom: Atom, variant: Variant) -> tuple[str, ...]:
    """The variables between the steps of a path, from the premises that are its steps."""
    steps: list[str] = []
    here = atom.subject
    for number, step in enumerate(atom.path[:-1]):
        following = (
            premise.object for premise in variant.premises if premise.subject == here and premise.path == (step,)
        )
        here = next(following, f"?*{number}")
        steps.append(here)
    return tuple(steps)


def _with_other(question: Template, first: str) -> Template:
    parts = tuple(
        Slot(OTHER, part.form) if isinstance(part, Slot) and part.variable == first else part for part in question.parts
    )
    singles = tuple(
        replace(single, variable=OTHER) if single.variable == first else single for single in question.singles
    )
    return Template(parts, singles)


def _folded(template: Template) -> Sequence[object]:
    return [part.casefold() if isinstance(part, str) else part for part in template.parts]


SHAPES = "kgprobe_shapes"
"""The key for the shapes of all cases in the metadata of a Parquet file."""
_MOST = 20  # things or premises of a case; rules have fewer


@dataclass(frozen=True, slots=True)
class Shaped:
    """A binding with its wording and its shape."""

    wording: Wording
    path: tuple[int, ...]
    via: tuple[str, ...]
    relations: list[str]
    key: str
    shape: str


@dataclass(frozen=True, slots=True)
class Made:
    """The cases of a variant: a table with the numbers of their things, in which each binding has its number."""

    rule: str
    variant: Variant
    table: str
    bindings: tuple[Shaped, ...]
    count: int

    @property
    def things(self) -> tuple[str, ...]:
        """The variables for things, without those for names."""
        return tuple(thing for thing in self.variant.things if thing not in self.variant.aliases)


@dataclass(frozen=True, slots=True)
class Row:
    """A case as texts: the IRIs of its things, its questions, and the numbers of the reasons for its answers."""

    id: str
    shape: str
    things: tuple[str, ...]
    other: str | None
    premises: tuple[str, ...]
    context: str
    question: str
    extended: str | None
    reason: int
    other_reason: int | None


def row_of(values: Mapping[str, Any], shapes: Sequence[str]) -> Row:
    """A row of the database, or of a Parquet file, by the names of its columns."""

    def several(name: str) -> tuple[str, ...]:
        texts = (values.get(f"{name}_{number}") for number in range(1, _MOST + 1))
        return tuple(text for text in texts if text is not None)

    return Row(
        values["id"],
        shapes[values["shape"]],
        several("thing"),
        values["other"],
        several("premise"),
        values["context"],
        values["question"],
        values["extended"],
        values["reason"],
        values["other_reason"],
    )


def shape_of(
    rule: Rule,
    binding: Binding,
    wording: Wording,
    knowledge: Knowledge,
    why: Sequence[Reason],
    other: Sequence[Reason],
) -> Shaped:
    """The shape of a binding; `why` and `other` are the reasons for a No in the basic and the extended question."""
    variant = binding.variant
    places = {thing: number for number, thing in enumerate(t for t in variant.things if t not in variant.aliases)}
    places[OTHER] = -1

    def claim(atom: Atom, **moved: str) -> list[Any] | None:
        if atom.is_alias or (variant.at_least and atom in variant.conclusion):
            return None
        ends = [wording.alias_of.get(end, end) for end in (atom.subject, atom.object)]
        if moved:
            ends = [
                OTHER if given == wording.first else end
                for given, end in zip((atom.subject, atom.object), ends, strict=True)
            ]
        if atom.is_type:
            return [places[ends[0]], [RDF.type.value], knowledge.iri(binding.numbers[atom.object])]
        return [places[ends[0]], [knowledge.iri(relation) for relation in binding.relations(atom)], places[ends[1]]]

    single = variant.conclusion[0] if len(variant.conclusion) == 1 else None
    relations = [knowledge.iri(binding.numbers[name]) for name in variant.relations]
    value: dict[str, Any] = {
        "rule": rule.name,
        "relations": relations or [RDF.type.value],
        "premises": [claim(atom) for atom in variant.premises],
        "expected": variant.expected,
        "claim": single and claim(single),
        "other": single and claim(single, moved=OTHER),
        "why": [_why(rule, binding, knowledge), *(reason.why for reason in why)],
        "other_why": ["", *(reason.why for reason in other)],
        "mined": binding.is_mined,
        "mined_why": [number for number, reason in enumerate(why, 1) if reason.is_mined],
        "mined_other": [number for number, reason in enumerate(other, 1) if reason.is_mined],
    }
    key = json.dumps([rule.name, relations, value["premises"], value["claim"], variant.at_least], ensure_ascii=False)
    path, via = (binding.relations(single), _via_of(single, variant)) if single else ((), ())
    return Shaped(wording, path, via, value["relations"], key, json.dumps(value, ensure_ascii=False))


def _why(rule: Rule, binding: Binding, knowledge: Knowledge) -> str:
    """Why the answer to a basic question is yes."""
    said = [
        text
        for condition in binding.variant.conditions
        if (text := _condition_in_words(condition, binding, knowledge)) is not None
    ]
    about = rule.about[:1].lower() + rule.about[1:].rstrip(".")
    return f"it follows from the premises: {', and '.join(said) or about}"


def _condition_in_words(condition: SoundnessCondition, binding: Binding, knowledge: Knowledge) -> str | None:
    names = [f"'{knowledge.named(binding.numbers[part])}'" for part in condition.parts if part in binding.numbers]
    match condition.name, names:
        case "different", _:
            return "the two values are known to be different"
        case "inverse", (one, other):
            return f"{one} and {other} are inverse to each other"
        case (("sub-property" | "sub-class"), (one, other)):
            return f"{one} implies {other}"
        case "domain", (relation, class_):
            return f"whatever has {relation} belongs to {class_}"
        case "range", (relation, class_):
            return f"every value of {relation} belongs to {class_}"
        case "chain", (*path, relation):
            return f"{' followed by '.join(path)} implies {relation}"
        case name, (relation,):
            return f"{relation} is {name}"
    return None


@lru_cache(maxsize=4096)
def _value(shape: str) -> Mapping[str, Any]:
    value: Mapping[str, Any] = json.loads(shape)
    return value


def case_of(row: Row) -> QuestionCase:
    """The case of a row."""
    shape = _value(row.shape)
    things = (*row.things, row.other or "")  # the last one has the number -1

    def claim(given: Sequence[Any] | None) -> Claim | None:
        if given is None:
            return None
        start, path, end = given
        return Claim(things[start], tuple(path), end if isinstance(end, str) else things[end])

    claims = [claim(value) for value in shape["premises"]]
    facts: tuple[Fact, ...] = tuple(
        (claim.subject, claim.path[0], claim.object) for claim in claims if claim is not None
    )
    premises = tuple(Question(text, "yes", claim=claim) for text, claim in zip(row.premises, claims, strict=True))
    conclusions = [
        Question(
            row.question,
            shape["expected"],
            row.context,
            claim(shape["claim"]),
            "basic",
            shape["why"][row.reason],
        )
    ]
    is_mined = shape["mined"] or row.reason in shape["mined_why"]
    if row.extended is not None and row.other_reason is not None:
        why = shape["other_why"][row.other_reason]
        conclusions.append(Question(row.extended, "no", row.context, claim(shape["other"]), "extended", why))
        is_mined = is_mined or row.other_reason in shape["mined_other"]
    return QuestionCase(
        row.id,
        shape["rule"],
        tuple(shape["relations"]),
        facts,
        premises,
        tuple(conclusions),
        is_mined,
    )
