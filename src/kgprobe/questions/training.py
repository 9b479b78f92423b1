"""Cases as training data: split so that no entity is on two sides, and written as prompts with their answers.

A model that has seen an entity in training could know an answer by heart. So cases that share an entity stay together.
If nearly all cases hang together, they are cut apart, and the cases on the cut are dropped.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgprobe.model import Prompt
from kgprobe.questions.cases import Claim, Fact, Question, QuestionCase, sentences_of

__all__ = ["FORMATS", "entities_of", "examples", "split"]

SIDES: Mapping[str, float] = {"train": 0.6, "validation": 0.2, "test": 0.2}
"""The sides, and their shares of the cases."""
# A side may get this share of all cases more than it should before a group of cases is cut apart.
_TOLERANCE = 0.05
_WORD = re.compile(r"\w+")
_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_ABOUT_CLASSES = (
    "http://www.w3.org/2000/01/rdf-schema#subClassOf",
    "http://www.w3.org/2000/01/rdf-schema#domain",
    "http://www.w3.org/2000/01/rdf-schema#range",
    "http://www.w3.org/2000/01/rdf-schema#subPropertyOf",
    "http://www.w3.org/2002/07/owl#disjointWith",
    "http://www.w3.org/2002/07/owl#inverseOf",
)


@dataclass(frozen=True)
class Split:
    """The cases of each side by their numbers, and those on a cut, which are on no side."""

    sides: Mapping[str, tuple[int, ...]]
    dropped: tuple[int, ...]


def entities_of(case: QuestionCase) -> frozenset[str]:
    """The things that a case is about, and the names to choose from, whose things are not known.

    Classes and relations are not things: most cases share them.
    """
    questions = (*case.antecedents, *case.consequences)
    from_facts = {name for fact in case.facts for name in _things(fact)}
    claims = (question.claim for question in questions)
    claimed = {name for claim in claims if claim is not None for name in _claimed(claim)}
    return frozenset(
        from_facts | claimed | {name for question in questions for name in (*question.right, *question.wrong)}
    )


def _things(fact: Fact) -> Iterator[str]:
    subject, predicate, object_ = fact
    if predicate in _ABOUT_CLASSES:
        return
    yield subject
    if predicate != _RDF and not object_.startswith('"'):
        yield object_


def _claimed(claim: Claim) -> Iterator[str]:
    yield claim.subject
    if claim.path[-1:] != (_RDF,) and not claim.object.startswith('"'):
        yield claim.object


def split(cases: Sequence[frozenset[str]]) -> Split:
    """Split cases, given the entities of each. The result depends on nothing else."""
    total = len(cases)
    sides: dict[str, list[int]] = {side: [] for side in SIDES}
    dropped: list[int] = []
    for group in sorted(_groups(cases), key=lambda numbers: (-len(numbers), numbers)):
        side = max(SIDES, key=lambda side: SIDES[side] * total - len(sides[side]))
        room = SIDES[side] * total - len(sides[side])
        if len(group) <= max(1, room + _TOLERANCE * total):
            sides[side] += group
        else:
            dropped += _cut(group, cases, sides, total)
    return Split({side: tuple(sorted(numbers)) for side, numbers in sides.items()}, tuple(sorted(dropped)))


def _groups(cases: Sequence[frozenset[str]]) -> list[list[int]]:
    """The cases that hang together by their entities, each group in an order in which neighbours are close."""
    with_entity: dict[str, list[int]] = defaultdict(list)
    for number, entities in enumerate(cases):
        for entity in entities:
            with_entity[entity].append(number)
    groups, seen = [], [False] * len(cases)
    for start in range(len(cases)):
        if not seen[start]:
            groups.append(_together(start, cases, with_entity, seen))
    return groups


def _together(
    start: int, cases: Sequence[frozenset[str]], with_entity: dict[str, list[int]], seen: list[bool]
) -> list[int]:
    group, waiting = [], deque([start])
    seen[start] = True
    while waiting:
        number = waiting.popleft()
        group.append(number)
        # Things that few cases are about come first: a hub would bring all cases at once.
        for entity in sorted(cases[number], key=lambda name: (len(with_entity[name]), name)):
            for other in with_entity[entity]:
                if not seen[other]:
                    seen[other] = True
                    waiting.append(other)
    return group


def _cut(
    group: Sequence[int], cases: Sequence[frozenset[str]], sides: dict[str, list[int]], total: int
) -> Iterator[int]:
    """Let each side grow into a part of a group, in proportion to its room. Yields the cases that connect two sides."""
    room = {side: max(0.0, SIDES[side] * total - len(numbers)) for side, numbers in sides.items()}
    # Each side starts in the middle of its part, and grows from neighbour to neighbour, so that few cases connect two.
    growing, begin, unit = {}, 0.0, len(group) / (sum(room.values()) or 1)
    for side, size in room.items():
        middle = int(begin + size * unit / 2)
        begin += size * unit
        if size > 0:
            growing[side] = _Growth([*group[middle:], *group[:middle]])
    neighbours: dict[str, list[int]] = defaultdict(list)
    for number in group:
        for entity in cases[number]:
            neighbours[entity].append(number)
    side_of: dict[str, str] = {}
    left = set(group)
    while growing:
        side = min(growing, key=lambda name: growing[name].size / room[name])

        def fits(number: int, side: str = side) -> bool:
            return number in left and all(side_of.get(entity, side) == side for entity in cases[number])

        def is_free(number: int) -> bool:
            return number in left and side_of.keys().isdisjoint(cases[number])

        chosen = growing[side].next(fits, is_free)
        if chosen is None:
            del growing[side]
            continue
        left.remove(chosen)
        sides[side].append(chosen)
        for entity in sorted(cases[chosen] - side_of.keys()):
            side_of[entity] = side
            growing[side].near.extend(neighbours[entity])
    yield from sorted(left)


class _Growth:
    """A side that grows: the cases near to it, and all others in the order in which it would start at them."""

    def __init__(self, order: Sequence[int]) -> None:
        self.size = 0
        self.near: deque[int] = deque()
        self._order = iter(order)

    def next(self, fits: Callable[[int], bool], is_free: Callable[[int], bool]) -> int | None:
        """The next case to take; None if there is none left. A case that does not fit now never will."""
        while self.near:
            if fits(number := self.near.popleft()):
                self.size += 1
                return number
        for number in self._order:
            if is_free(number):
                self.size += 1
                return number
        return None


# -- formats -----------------------------------------------------------------------------------------------------------


def _chat(question: Question, prompt: str) -> dict[str, Any]:
    """As most services for training chat models want it."""
    answer = _answer(question)
    answer = answer.capitalize() if question.form == "yes-no" else answer
    messages = [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer}]
    return {"messages": messages}


def _text_to_text(question: Question, _prompt: str) -> dict[str, Any]:
    """As for UnifiedQA: the question, and the context on the next line."""
    context = f"\n{question.context}" if question.context else ""
    return {"input": f"{question.text}{context}", "output": _answer(question)}


FORMATS: Mapping[str, Callable[[Question, str], dict[str, Any]]] = {"chat": _chat, "text2text": _text_to_text}
"""The formats of training data, by name."""


def examples(
    cases: Iterable[QuestionCase], format_name: str, prompt_for: Callable[[Prompt], str]
) -> Iterator[dict[str, Any]]:
    """An example for each question of these cases. Cases share premises, and each question is one example."""
    seen: set[tuple[str, str]] = set()
    for case in cases:
        for question in (
            *case.antecedents,
            *(_without_distractors(consequence, case) for consequence in case.consequences),
        ):
            key = question.text, question.context
            if key not in seen:
                seen.add(key)
                yield FORMATS[format_name](question, prompt_for(question.prompt))


def _without_distractors(question: Question, case: QuestionCase) -> Question:
    """The question without sentences about other things, which may be on another side.

    A sentence that states a premise has the words of its question. If a premise has none, the context is of another
    kind, and stays.
    """
    sentences = sentences_of(question.context)
    premises = [_words(antecedent.text) for antecedent in case.antecedents]
    own = [sentence for sentence in sentences if _words(sentence) in premises]
    if len(own) == len(sentences) or any(premise not in map(_words, own) for premise in premises):
        return question
    return replace(question, context=" ".join(own))


def _words(sentence: str) -> Counter[str]:
    return Counter(_WORD.findall(sentence.casefold()))


def _answer(question: Question) -> str:
    return question.expected if question.form == "yes-no" else question.right[0]
