"""The pieces of a sentence: clauses with one verdict, before or after what it is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgprobe.questions.reading.asking import Asked
from kgprobe.questions.reading.clauses import SYMBOLS, Clause, Item, clauses_of, tokens_in
from kgprobe.questions.reading.languages import Language, languages
from kgprobe.questions.reading.text import Sentence, Token, is_title
from kgprobe.questions.reading.topics import About, about, has_verb

__all__ = ["Piece", "Verdict", "pieces_of", "verdict_of"]

_ANSWERS = {code: {" ".join(words) for words in each.answers} for code, each in languages().items()}


@dataclass(frozen=True, slots=True)
class Piece:
    """Some clauses of a sentence with one verdict or none.

    `verdict`: "yes", "no" or empty. `leads`: the verdict comes first. `topic`: the words beside the verdict.
    """

    start: int
    clauses: tuple[Clause, ...]
    verdict: str
    leads: bool
    topic: tuple[Token, ...]

    @property
    def openers(self) -> frozenset[str]:
        """The kinds of words that begin its clauses."""
        return frozenset().union(*(clause.openers for clause in self.clauses))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision of a clause, and its other words: "yes", "to Quebec in Canada"."""

    decision: str
    others: tuple[Token, ...]


def pieces_of(sentence: Sentence, question: Asked, language: Language) -> Iterator[Piece]:
    """The sentence cut so that each piece has one verdict, before or after what it is about."""
    clauses = [clause for clause in clauses_of(sentence.tokens, language) if not _is_label(clause, language)]
    verdicts = [verdict_of(clause, language) for clause in clauses]
    places = [place for place, verdict in enumerate(verdicts) if verdict is not None]
    first = verdicts[0] if verdicts else None
    leads = first is not None and (clauses[0].items[0].is_answer or (len(clauses) > 1 and not first.others))
    cuts = {0, *(places if leads else (place + 1 for place in places))}
    cuts |= {place for place, clause in enumerate(clauses) if _objects(clause, question, language)}
    cuts |= {place for place, clause in enumerate(clauses) if any("open" in item.kinds for item in clause.items)}
    cuts |= {place for place in places if clauses[place].openers & {"so", "change"}}
    starts = sorted(cut for cut in cuts if cut < len(clauses))
    for start, end in zip(starts, [*starts[1:], len(clauses)], strict=False):
        begin = sentence.tokens[0] if start == 0 else clauses[start].items[0].tokens[0]
        yield _piece(begin.start, clauses[start:end], verdicts[start:end])


def _objects(clause: Clause, question: Asked, language: Language) -> bool:
    """Whether a clause is an objection with a claim of its own: "but Canada is not in Quebec"."""
    tokens = clause.tokens
    if not clause.openers & {"but", "although"} or not has_verb(tokens, language):
        return False
    return about(tokens, question, language) in (About.OURS, About.TURNED)


def _is_label(clause: Clause, language: Language) -> bool:
    """Whether a clause is only the label of an answer: "A1", "Final answer"."""
    words = tuple(item.text for item in clause.items if item.tokens[0].kind == "word")
    return not clause.openers and " ".join(words) in _ANSWERS[language.code]


def _piece(start: int, clauses: Sequence[Clause], verdicts: Sequence[Verdict | None]) -> Piece:
    place = next((place for place, verdict in enumerate(verdicts) if verdict is not None), None)
    topic = [
        token
        for clause, verdict in zip(clauses, verdicts, strict=True)
        if verdict is not None or place is None or "although" not in clause.openers  # "since it is in Rome, yes"
        for token in (clause.tokens if verdict is None else verdict.others)
    ]
    is_judged = len(clauses) > 1 and verdicts[0] is not None and not verdicts[0].others  # "True: …"
    leads = place == 0 and (clauses[0].items[0].is_answer or is_judged)
    decision = verdicts[place] if place is not None else None
    return Piece(start, tuple(clauses), decision.decision if decision else "", leads, tuple(topic))


def verdict_of(clause: Clause, language: Language) -> Verdict | None:
    """The decision of a clause that begins or ends with one."""
    items = [item for item in clause.items if "ignored" not in item.kinds]
    symbols = {SYMBOLS[item.text] for item in items if item.text in SYMBOLS}
    words = [item for item in items if item.tokens[0].is_word]
    if len(symbols) == 1:
        return Verdict(symbols.pop(), tokens_in(item for item in words if not item.is_answer))
    if not words or any("open" in item.kinds for item in words):
        return None
    first, last = words[0], words[-1]
    if is_title(tokens_in(words)) and not any(item.kinds for item in words[1:]):  # "Yes Man"
        return None
    if first.is_answer and "negation" not in first.kinds - {"no"}:
        return Verdict("yes" if "yes" in first.kinds else "no", tokens_in(words[1:]))
    decides = last.kinds & {"yes", "no", "true", "false"}
    if not decides or (last.kinds & {"true", "false"} and len(words) > 1 and not _is_judged(words[:-1], language)):
        return None
    negations = sum("negation" in item.kinds for item in words[-3:-1])
    is_yes = bool(decides & {"yes", "true"}) == (negations % 2 == 0)
    rest = list(words[:-1])
    pronouns = language.subjects if len(rest) > 1 else frozenset()
    while rest and (rest[-1].text in language.verbs | pronouns or "negation" in rest[-1].kinds):
        rest.pop()
    return Verdict("yes" if is_yes else "no", tokens_in(rest))


def _is_judged(before: Sequence[Item], language: Language) -> bool:
    return before[-1].text in language.verbs or "negation" in before[-1].kinds
