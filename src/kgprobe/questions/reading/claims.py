"""Answers that restate the claim of a question: "She is not the author"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise

from kgprobe.questions.reading.languages import ENGLISH, Language, languages
from kgprobe.questions.reading.question import AskedClaim, contains, reworded, spelled
from kgprobe.questions.reading.text import Token, is_title

_ENGLISH = languages()[ENGLISH]
_ARTICLES, _FILLERS, _OBJECTS = (_ENGLISH.words[name] for name in ("articles", "fillers", "objects"))
_VERBS, _PRONOUNS, _PREPOSITIONS = _ENGLISH.verbs, _ENGLISH.subjects, _ENGLISH.words["prepositions"]
_SOURCES, _CONFIRMS = _ENGLISH.words["sources"], _ENGLISH.words["confirms"]
_BELIEFS = tuple(tuple(text.split()) for text in _ENGLISH.words["beliefs"])

_PLACES = _ENGLISH.words["places"]
_EVIDENCE, _DENIALS = (
    tuple(sorted((tuple(text.split()) for text in _ENGLISH.words[name]), key=len, reverse=True))
    for name in ("evidence", "denials")
)
_OWNERS = frozenset({"his", "her", "its", "their"})
_LONGEST_BELIEF = 8
_NEGATING = (
    ("anything", "but"), ("by", "no", "means"), ("in", "no", "way"), ("far", "from", "being"), ("not", "at", "all"),
)  # fmt: skip
_NOBODY_ELSE = (
    ("none", "other", "than"), ("nobody", "but"), ("nobody", "other", "than"), ("no", "one", "but"),
    ("no", "one", "other", "than"),
)  # fmt: skip
_NOT_NOW = frozenset({"will", "had"})
_ONLY = frozenset({"only", "just", "merely", "simply"})
_HEARSAY = _ENGLISH.words["hearsay"]
_NEGATIVE = frozenset({"not", "never", "no", "nothing", "nowhere", "none", "nobody", "neither"})
_LONGEST_CLAIM = 20
_LIKE = 0.6
_CAPITALISED = "de"  # where all nouns have capitals, not only names


@dataclass(frozen=True, slots=True)
class Restated:
    """Whether a sentence asserts or denies a claim. `is_whole`: it names all that the question names."""

    asserts: bool
    is_whole: bool


def restated(tokens: Sequence[Token], question: AskedClaim, language: Language) -> Restated | None:
    """Whether the words of a sentence or clause assert or deny the claim of the question; None if neither is sure."""
    if language.code != ENGLISH:
        return _in_another_language(tokens, question, language)
    if is_title(tokens) and not (question.words | _NEGATIVE).issuperset(
        token.text for token in tokens if token.is_word
    ):  # "You Will"
        return None
    words = [spelled(token.text) for token in tokens if token.is_word and token.text not in _ARTICLES]
    if question.relation[:1] == ("not",):
        plain = replace(question, claim=_without_not(question.claim), relation=question.relation[1:])
        claim = restated(tokens, plain, language)
        return claim and Restated(not claim.asserts, claim.is_whole)
    words = _in_plain_words(_without_source(words), question)
    words = _simple_tense(words)
    if _is_unproven(words):
        return None
    words = _without_contrast(words)
    named = _named_negations(words, question.claim)
    negating = {i for i, word in enumerate(words) if word in ("not", "never") or _is_no(words, i, question)} - named
    negations = len(negating)
    words = [word for i, word in enumerate(words) if i not in negating and word not in _FILLERS]
    words, is_denied = _without_denial(_without_beliefs(words))
    negations += is_denied
    if negations and _is_subject(words, question) and not _VERBS.intersection(words):
        # "not Tim Peters": a denial if nothing else is denied with the name.
        return Restated(False, False) if tokens[0].text == "not" else None
    whole = _match(words, question)
    if whole is None and question.verb:
        others = reworded(words, question.claim, is_denied=negations % 2 == 1, is_definite=question.is_definite)
        whole = next((match for other in others if (match := _match(other, question)) is not None), None)
    if whole is None and _joins_both(words, question):
        whole = True
    asserts = negations % 2 == 0
    if whole is False and asserts and question.is_definite and _is_one_of_several(tokens, question):
        return None
    return None if whole is None else Restated(asserts, whole)


def _joins_both(words: Sequence[str], question: AskedClaim) -> bool:
    """Whether words say of both things that they are related in a way that has no direction: "they are neighbors"."""
    noun = spelled(words[-1].removesuffix("s")) if words else ""
    pair = (*question.subject, *question.object), (*question.object, *question.subject)
    is_symmetric = noun in _ENGLISH.words["symmetric"] and noun == question.relation[0] if question.relation else False
    return is_symmetric and tuple(words[:-2]) in pair and words[-2] == "are"


def _without_not(claim: tuple[str, ...]) -> tuple[str, ...]:
    place = claim.index("not")
    return (*claim[:place], *claim[place + 1 :])


def _is_one_of_several(tokens: Sequence[Token], question: AskedClaim) -> bool:
    """Whether the noun of the claim follows "a", not "the": "she is a famous author"."""
    words = [token.text for token in tokens]
    nouns = [place for place, word in enumerate(words) if word == question.relation[0]]
    return any(word in ("a", "an") for place in nouns for word in words[max(0, place - 3) : place])


def _without_neither(words: list[str], question: AskedClaim) -> list[str]:
    """The words with one subject that is ours, and "not": "neither Lyon nor Rome is in Spain"."""
    nor = words.index("nor")
    verb = next((place for place in range(nor, len(words)) if words[place] in _VERBS), None)
    if verb is None or question.subject not in (tuple(words[:nor]), tuple(words[nor + 1 : verb])):
        return words
    return [*question.subject, words[verb], "not", *words[verb + 1 :]]


def _in_plain_words(words: Sequence[str], question: AskedClaim) -> list[str]:
    """The words with "not" for "by no means" and the like, and without "none other than" at the start."""
    start = next((len(phrase) for phrase in _NOBODY_ELSE if tuple(words[: len(phrase)]) == phrase), 0)
    plain = list(words[start:])
    if plain[:1] == ["neither"] and "nor" in plain:
        plain = _without_neither(plain[1:], question)
    for phrase in _NEGATING:
        if (place := contains(plain, phrase)) > 0:
            plain[place : place + len(phrase)] = ["not"]
    return plain


def _is_unproven(words: Sequence[str]) -> bool:
    """Whether the words say that a claim is not known to be true: "I am not sure that", "it does not follow that"."""
    head = list(words[:_LONGEST_BELIEF])
    place = next((place for place, word in enumerate(head) if word in ("not", "never")), None)
    if place is None:
        return False
    del head[place]
    return any(tuple(head[: len(phrase)]) == phrase and place <= len(phrase) for phrase in _EVIDENCE)


def _without_denial(words: list[str]) -> tuple[list[str], bool]:
    """The words without "it is denied that" at the start, and whether that was there."""
    length = next((len(phrase) for phrase in _DENIALS if tuple(words[: len(phrase)]) == phrase), 0)
    if not length or len(words) <= length + 2:
        return words, False
    return words[length + (words[length] == "that") :], True


def _is_no(words: Sequence[str], place: int, question: AskedClaim) -> bool:
    """Whether a "no" denies the noun of the claim: "is no neighbor of"."""
    return (
        words[place] == "no"
        and place > 0
        and words[place - 1] in _VERBS
        and words[place + 1 : place + 2] == list(question.relation[:1])
    )


def _without_contrast(words: list[str]) -> list[str]:
    """Without another claim that is denied at the end: "she is the author of Curtain and not the author of Emma"."""
    place = contains(words, ("and", "not"))
    return words[:place] if place > 0 and not _VERBS.isdisjoint(words[:place]) else words


def _is_subject(words: Sequence[str], question: AskedClaim) -> bool:
    """Whether the words are the start of the claim, or the second name there: "Peters" for "Tim Peters"."""
    claim = question.claim
    is_surname = tuple(words) == claim[1:2] and question.names.issuperset(claim[:2])
    return bool(words) and (tuple(words) == claim[: len(words)] or is_surname)


def _named_negations(words: Sequence[str], claim: tuple[str, ...]) -> set[int]:
    """The places of negations that belong to a name of the claim: "Never Let Me Go"."""
    pairs = {pair for pair in pairwise(claim) if pair[0] in ("not", "never")}
    return {i for i, pair in enumerate(pairwise(words)) if pair in pairs}


def begins_with_subject(tokens: Sequence[Token], question: AskedClaim) -> bool:
    """Whether a sentence begins with a pronoun, or with the first word of the claim and has a verb."""
    words = [token.text for token in tokens if token.is_word and token.text not in _ARTICLES]
    if not words or words[0] in _PRONOUNS - {"there", "you", "we"}:
        return bool(words)
    return words[:1] == list(question.claim[:1]) and not _VERBS.isdisjoint(words)


def denies_object(tokens: Sequence[Token], question: AskedClaim) -> bool:
    """Whether a clause is "not" and the end of the claim: "it is in Italy, not France", "but not the capital"."""
    words, claim = tuple(token.text for token in tokens if token.is_word), question.claim
    noun = tuple(word for word in words[1:] if word not in _ARTICLES | _OWNERS)
    ends = [question.relation[:1], question.relation + question.object, (*question.relation[-1:], *question.object)]
    if words[:1] == ("not",) and noun in ends:
        return bool(noun)
    start = len(claim) - len(words) + 1
    is_end = words[:1] == ("not",) and len(words) > 1 < start and words[1:] == claim[start:]
    return is_end and question.names.issuperset(words[1:]) and claim[start - 1] in _PREPOSITIONS


def names_object(tokens: Sequence[Token], question: AskedClaim) -> bool:
    """Whether a clause is the object of the question with its preposition: "and therefore in Europe"."""
    words = tuple(token.text for token in tokens if token.is_word and token.text not in _ARTICLES)
    return bool(question.object) and words == (*question.relation[-1:], *question.object)


def _simple_tense(words: Sequence[str]) -> list[str]:
    """The words with "is" for "has been" and "can be", "not" for "no longer", and without "in fact" and "not only"."""
    simple: list[str] = []
    for word in words:
        if word in ("be", "as") and len(simple) > 1 and _is_hearsay(simple):
            is_denied = "not" in simple[-3:]
            while simple[-1] not in _VERBS:
                simple.pop()
            simple += ["not"] if is_denied else []
        elif (
            word in ("be", "been")
            and any(word in _VERBS for word in simple[-2:])
            and not _NOT_NOW.intersection(simple[-2:])
        ):
            place = next(i for i in (-1, -2) if simple[i] in _VERBS)
            simple[place] = "is"
        elif word == "longer" and simple[-1:] == ["no"]:
            simple[-1] = "not"
        elif word == "yet" and simple[-1:] == ["not"]:
            continue
        elif (*simple[-1:], word) == ("in", "fact") or (simple[-1:] == ["not"] and word in _ONLY):
            simple.pop()
        else:
            simple.append(word)
    return simple


def _is_hearsay(words: Sequence[str]) -> bool:
    """Whether words end with "is known to", "is often considered to" or "serves"."""
    words = words[:-1] if words[-1] == "to" else words
    verbs = [place for place, word in enumerate(words) if word in _VERBS]
    rest = set(words[verbs[-1] + 1 :]) - {"not"} if verbs else set()
    return bool(rest) and rest <= _HEARSAY


def _without_source(words: list[str]) -> list[str]:
    """Without words that name a source of the claim at the start: "the context confirms that …"."""
    if "that" not in words[2:-1]:
        return words
    that = words.index("that", 2)
    is_source = words[that - 1] in _CONFIRMS and bool(_SOURCES.intersection(words[:that]))
    return words[that + 1 :] if is_source and not _NEGATIVE.intersection(words[:that]) else words


def _without_beliefs(words: list[str]) -> list[str]:
    for belief in _BELIEFS:
        if tuple(words[: len(belief)]) == belief and len(words) > len(belief):
            words = words[len(belief) :]
            return words[1:] if words[0] == "that" and len(words) > 2 else words
    return words


def _match(words: Sequence[str], question: AskedClaim) -> bool | None:
    """True if the words restate the whole claim, False if they refer to it, None otherwise."""
    claim = question.claim
    for position, word in enumerate(words):
        if word not in _VERBS:
            continue
        subject, rest = tuple(words[:position]), tuple(words[position + 1 :])
        if not question.verb:
            return _refers_without_question(subject, rest)
        if subject + rest == claim or (rest + subject == claim and rest):
            return True
        if _is_complement(subject, rest, question) or _is_object_first(subject, rest, claim):
            return False
        if _is_pronoun(subject):
            if not rest and subject[0] in ("it", "this") and word in ("was", "were"):
                return None  # "it was", but may not be any more
            if not rest or any(_is_part(rest, claim[start:]) for start in range(1, len(claim))):
                return False
        elif subject and _names_start(subject, claim, rest):
            return False
    return True if question.verb in ("does", "do", "did") and _is_inflected(words, claim) else None


def _is_complement(subject: tuple[str, ...], rest: tuple[str, ...], question: AskedClaim) -> bool:
    """Whether a claim is like "It is Ottawa" or "The capital is Ottawa", if it was asked whether Ottawa is it."""
    if subject in (("it",), ("that",), ("this",)):
        return bool(rest) and rest == question.subject
    return bool(rest and question.relation) and subject == question.relation[:1] and _is_subject(rest, question)


def _is_object_first(subject: tuple[str, ...], rest: tuple[str, ...], claim: tuple[str, ...]) -> bool:
    """Whether a claim begins with its end, and ends with its beginning: "the author is Ada"."""
    return bool(rest) and rest == claim[: len(rest)] and _is_part(subject, claim[len(rest) :])


def _is_pronoun(subject: tuple[str, ...]) -> bool:
    return len(subject) == 1 and subject[0] in _PRONOUNS


def _refers_without_question(subject: tuple[str, ...], rest: tuple[str, ...]) -> bool | None:
    """Without a question, only "he is (not)" and "she is (not) the author" can be trusted to refer to it."""
    if not _is_pronoun(subject) or subject[0] in ("these", "those", "there"):
        return None
    return False if not rest or (subject[0] in ("he", "she", "they") and len(rest) <= 6) else None


def _names_start(subject: tuple[str, ...], claim: tuple[str, ...], rest: tuple[str, ...]) -> bool:
    """Whether the subject is the start of the claim or its last word ("Peters"), and the rest what follows there."""
    for end in range(1, len(claim) + 1):
        for start in range(max(0, end - len(subject)), end):
            if claim[start:end] == subject and start <= 2 and (not rest or _is_part(rest, claim[end:])):
                return True
    return False


def _is_part(rest: tuple[str, ...], expected: tuple[str, ...]) -> bool:
    """Whether the rest says what is expected, perhaps only up to a preposition, or with a pronoun at its end."""
    if rest == expected:
        return True
    if rest and rest[-1] in _OBJECTS and len(rest) > 1 and rest[-2] in _PREPOSITIONS:
        return expected[: len(rest) - 1] == rest[:-1]
    if rest[-1:] == ("there",) and len(rest) > 1:
        rest = rest[:-1]
    length = len(rest)
    if length == 0 or expected[:length] != rest or len(expected) <= length:
        return False
    return expected[length] in _PREPOSITIONS or rest[-1].isdigit()


def _is_inflected(words: Sequence[str], claim: tuple[str, ...]) -> bool:
    """Whether the words are the claim with its verb inflected: "contains" for "does … contain"."""
    if len(words) != len(claim):
        return False
    different = [(said, meant) for said, meant in zip(words, claim, strict=True) if said != meant]
    return len(different) == 1 and different[0][0] in set(_inflections(different[0][1]))


def _inflections(verb: str) -> Iterator[str]:
    yield from (f"{verb}s", f"{verb}es", f"{verb}d", f"{verb}ed")
    if verb.endswith("y"):
        yield from (f"{verb[:-1]}ies", f"{verb[:-1]}ied")
    if verb == "have":
        yield from ("has", "had")


def _negations(tokens: Sequence[Token], language: Language) -> int:
    count = position = 0
    while position < len(tokens):
        length, kinds = language.match(tokens, position)
        count += "negation" in kinds
        position += max(length, 1)
    return count


def _is_like(word: str, name: str) -> bool:
    """Whether a word may be a name in the spelling of another language: Kioto, Kyoto."""
    return word[:1] == name[:1] and SequenceMatcher(None, word, name).ratio() > _LIKE


def _in_another_language(tokens: Sequence[Token], question: AskedClaim, language: Language) -> Restated | None:
    """A claim in a language that need not be the question's: its subject is a pronoun, or it has all names."""
    words = [token.text for token in tokens if token.is_word]
    negations = _negations(tokens, language)
    verbs = [i for i, word in enumerate(words) if word in language.verbs]
    has_names = bool(question.names) and question.names <= set(words)
    first, second = contains(words, question.subject), contains(words, question.object)
    if 0 <= second < first:
        return None  # perhaps the opposite direction
    if has_names and (verbs or negations):
        return Restated(negations % 2 == 0, True)
    starts_well = bool(words) and (
        words[0] in language.subjects or words[0] in language.verbs or "negation" in language.match(tokens, 0)[1]
    )
    if len(words) > 1 and not language.hints.intersection(words[1:]):
        starts_well = False  # "Nu metal"
    others = language.code != _CAPITALISED and any(
        token.is_capital and token.text not in question.words for token in tokens[1:]
    )
    if question.claim and question.claim[0] in question.names and words and _is_like(words[0], question.claim[0]):
        starts_well, others = True, False
    # Names in another script cannot be compared with those of the question.
    is_other_script = not any(word.isascii() for word in words)
    if negations % 2 and (is_other_script or (starts_well and not others)) and len(words) <= _LONGEST_CLAIM:
        return Restated(False, False)
    return None
