"""The sentences and questions of a binding, as templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kgprobe.questions.generation.bindings import Binding
from kgprobe.questions.generation.knowledge import Knowledge
from kgprobe.questions.rules.syntax import Atom, Variant
from kgprobe.questions.wording import sentences
from kgprobe.questions.wording.templates import Single, Slot, Template

__all__ = ["OTHER", "Wording", "claim_of", "via_of", "wording_of"]

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
        found = [single for each in (*self.premises, *self.statements, self.question) for single in each.singles]
        return tuple(dict.fromkeys(replace(each, variable=self._thing(each.variable)) for each in found))

    @property
    def other_singles(self) -> tuple[Single, ...]:
        """What each "the" of the extended question needs."""
        return tuple(replace(each, variable=self._thing(each.variable)) for each in self.other.singles)

    def _thing(self, variable: str) -> str:
        return self.alias_of.get(variable, variable)

    @property
    def reads_like_a_premise(self) -> bool:
        """Whether the question about the conclusion is one of the questions about premises."""
        return any(_folded(each) == _folded(self.question) for each in self.premises)


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
        claim = claim_of(atom, binding, knowledge)
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


def claim_of(atom: Atom, binding: Binding, knowledge: Knowledge) -> sentences.PathClaim | sentences.KindClaim | None:
    """An atom as a claim that can be worded."""
    if atom.is_type:
        noun = knowledge.class_nouns.get(binding.numbers[atom.object])
        return None if noun is None else sentences.KindClaim(atom.subject, noun, is_noun=True)
    path = tuple(knowledge.schema.relations[each] for each in binding.relations(atom))
    via = via_of(atom, binding.variant)
    return sentences.PathClaim(atom.subject, path, atom.object, via)


def _question(binding: Binding, knowledge: Knowledge) -> Template | None:
    claims = [claim_of(atom, binding, knowledge) for atom in binding.variant.conclusion]
    known = [claim for claim in claims if claim is not None]
    if len(known) < len(claims):
        return None
    if binding.variant.at_least:
        (claim,) = known
        if not isinstance(claim, sentences.PathClaim):
            return None
        return sentences.count_question(claim, binding.variant.at_least)
    return sentences.question(known[0]) if len(known) == 1 else sentences.conjunction(known)


def via_of(atom: Atom, variant: Variant) -> tuple[str, ...]:
    """The variables between the steps of a path, from the premises that are its steps."""
    found: list[str] = []
    here = atom.subject
    for number, step in enumerate(atom.path[:-1]):
        following = (each.object for each in variant.premises if each.subject == here and each.path == (step,))
        here = next(following, f"?*{number}")
        found.append(here)
    return tuple(found)


def _with_other(question: Template, first: str) -> Template:
    parts = tuple(
        Slot(OTHER, part.form) if isinstance(part, Slot) and part.variable == first else part for part in question.parts
    )
    singles = tuple(replace(each, variable=OTHER) if each.variable == first else each for each in question.singles)
    return Template(parts, singles)


def _folded(template: Template) -> Sequence[object]:
    return [part.casefold() if isinstance(part, str) else part for part in template.parts]
