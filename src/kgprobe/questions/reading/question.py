"""The question that an answer is for, taken apart, and other words in which it can be repeated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from kgprobe.questions.reading.languages import ENGLISH, languages
from kgprobe.questions.reading.text import Token, plain, sentences_of, tokens_of

_ENGLISH = languages()[ENGLISH]
_ARTICLES, _FILLERS = (_ENGLISH.words[name] for name in ("articles", "fillers"))
_PREPOSITIONS = _ENGLISH.words["prepositions"] | {"than"}
_FRAMES = sorted((tuple(text.split()) for text in _ENGLISH.words["frames"]), key=len, reverse=True)
_BOTH = "both"
_SHORTEST_OUR = 6  # letters: "colour", but not "four"
_DOES = ("does", "do", "did")

Words = tuple[str, ...]


@dataclass(frozen=True)
class AskedClaim:
    """What a question asks.

    `claim` has the words of the claim without the first verb and without articles. `subject`, `relation` and `object`
    are its three parts, if the question joins two things; `is_definite`: "the author of", not "an author of". `parts`
    are the questions that a conjunction joins, each with its number as `ordinal` and the `others`.
    """

    verb: str = ""
    claim: Words = ()
    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    subject: Words = ()
    relation: Words = ()
    object: Words = ()
    parts: tuple[AskedClaim, ...] = ()
    ordinal: int | None = None
    others: tuple[AskedClaim, ...] = ()
    is_definite: bool = False

    @cached_property
    def turned(self) -> AskedClaim | None:
        """The question with its two things exchanged; None if that would ask the same, or makes no sense."""
        is_symmetric = not _ENGLISH.words["symmetric"].isdisjoint(self.relation)
        if not self.subject or not self.object or is_symmetric or self.subject == self.object:
            return None
        claim = (*self.object, *self.relation, *self.subject)
        return replace(self, claim=claim, subject=self.object, object=self.subject)


NOTHING_ASKED = AskedClaim()


def contains(words: Sequence[str], part: Words) -> int:
    """The place of a part in words, -1 if it is not there."""
    length = len(part)
    places = range(len(words) - length + 1) if length else range(0)
    return next((place for place in places if tuple(words[place : place + length]) == part), -1)


def spelled(word: str) -> str:
    """A word in one of its two spellings: "neighbor" for "neighbour"."""
    return f"{word[:-3]}or" if len(word) >= _SHORTEST_OUR and word.endswith("our") else word


def repeats(tokens: Sequence[Token], question: AskedClaim) -> bool:
    """Whether words repeat a question."""
    return contains(_bare([token for token in tokens if token.is_word]), (question.verb, *question.claim)) >= 0


@lru_cache(maxsize=10_000)
def asked(question: str) -> AskedClaim:
    """What a question asks; without words if there is no question."""
    tokens = [token for token in tokens_of(plain(question)) if token.is_word or token.text == ","]
    words = frozenset(token.text for token in tokens)
    names = frozenset(token.text for token in tokens[1:] if token.is_capital)
    last = _last_question(question)
    whole = replace(_one(last), words=words, names=names)
    parts = tuple(
        replace(_one(part), words=words, names=names, ordinal=place) for place, part in enumerate(_parts(last))
    )
    return replace(whole, parts=parts) if len(parts) > 1 and all(part.verb for part in parts) else whole


def _last_question(question: str) -> list[Token]:
    """The words and commas of the question itself: what comes after a lead-in ("Someone says …, is Ada …?")."""
    last: list[Token] = []
    for sentence in sentences_of(tokens_of(plain(question))):
        tokens = sentence.tokens
        starts = [0] + [i + 1 for i, token in enumerate(tokens) if token.text == ","]
        starts = [start for start in starts if start < len(tokens) and tokens[start].text in _ENGLISH.verbs] or [0]
        if sentence.is_question or not last:
            last = [token for token in tokens[starts[0] :] if token.is_word or token.text == ","]
    return _without_frame(last)


def _without_frame(tokens: list[Token]) -> list[Token]:
    """The question inside of "Is it true that …?", with its verb in front."""
    words = tuple(token.text for token in tokens)
    for frame in _FRAMES:
        if words[: len(frame)] == frame:
            inner = tokens[len(frame) :]
            verb = next((i for i, token in enumerate(inner) if i and token.text in _ENGLISH.verbs), None)
            return tokens if verb is None else [inner[verb], *inner[:verb], *inner[verb + 1 :]]
    return tokens


def _one(tokens: Sequence[Token]) -> AskedClaim:
    """A question that is not a conjunction, or is read as none."""
    words = [token for token in tokens if token.is_word]
    if not words or words[0].text not in _ENGLISH.verbs:
        return NOTHING_ASKED
    verb, *rest = words
    start = _complement(rest)
    inner = next((i for i in range(start + 1, len(rest)) if rest[i].text in _PREPOSITIONS), len(rest))
    if inner == len(rest) and verb.text in _DOES:
        inner = start
    ends = (rest[:start], rest[start : inner + 1], rest[inner + 1 :])
    subject, relation, object_ = (_bare(part) for part in ends)
    claim = (*subject, *relation, *object_)
    if not subject or subject[0] in _ENGLISH.subjects:
        return AskedClaim(verb.text, claim)
    is_definite = rest[start].text == "the"
    return AskedClaim(verb.text, claim, subject=subject, relation=relation, object=object_, is_definite=is_definite)


def _complement(tokens: Sequence[Token]) -> int:
    """Where the words about the subject begin: at an article that no preposition is in front of, or in lower case."""
    for place in range(1, len(tokens)):
        token, before = tokens[place], tokens[place - 1].text
        starts = token.text in _ARTICLES and not token.is_capital and before not in _PREPOSITIONS | _ARTICLES
        if starts or token.text == "not":
            return place
    return next((i for i in range(1, len(tokens)) if tokens[0].is_capital and not tokens[i].is_capital), 1)


def _bare(tokens: Sequence[Token]) -> Words:
    return tuple(spelled(token.text) for token in tokens if token.text not in _ARTICLES | _FILLERS)


def _parts(tokens: list[Token]) -> Iterator[list[Token]]:
    """The questions of a conjunction: "Is A the author of B, and is C …?", or "Is A both the author of B and a …?"."""
    words = [token.text for token in tokens]
    thats = [i for i in range(1, len(words) - 1) if words[i - 1 : i + 1] == ["and", "that"]]
    if thats:  # "Is it true that A is …, and that B is …?"
        for start, end in zip([0, *(that + 1 for that in thats)], [*thats, len(words)], strict=True):
            part = [token for token in tokens[start:end] if token.text != ","]
            part = part[:-1] if end in thats else part
            verb = next((i for i, token in enumerate(part) if token.text in _ENGLISH.verbs), 0)
            yield [*part[verb : verb + 1], *part[:verb], *part[verb + 1 :]]
        return
    cuts = [i for i in range(1, len(words)) if words[i] in _ENGLISH.verbs and words[i - 1] in (",", "and")]
    cuts = [cut for cut in cuts if words[cut - 1] == "," or words[cut - 2] == "," or words[cut] == words[0]]
    if cuts:
        for start, end in zip([0, *cuts], [*cuts, len(words)], strict=True):
            part = tokens[start:end]
            while part and part[-1].text in (",", "and"):
                part.pop()
            yield part
    elif _BOTH in words:
        both = words.index(_BOTH)
        ands = [i for i in range(both, len(words) - 1) if words[i] == "and" and words[i + 1] in _ARTICLES]
        ands = [i for i in ands if not tokens[i + 1].is_capital]
        if len(ands) == 1:
            yield tokens[:both] + tokens[both + 1 : ands[0]]
            yield tokens[:both] + tokens[ands[0] + 1 :]


_PLACES, _INSIDE, _LIES, _CONTAINS = (_ENGLISH.words[name] for name in ("places", "inside", "lies", "contains"))
_AUXILIARIES, _MODIFIERS, _SETTLEMENTS = (_ENGLISH.words[name] for name in ("auxiliaries", "modifiers", "settlements"))
_MORE = frozenset({"in", "with", "together", "along", "since", "until", "alongside"})
_TIMES = frozenset({"centuries", "decades", "years", "ages", "long"})
_DIRECTIONS = _ENGLISH.words["directions"]
_SUBJECTS = {"him": "he", "her": "she", "them": "they"}
_AGENTS = ("er", "or")
_SHORTEST_AGENT = 5  # letters: "owner", but not "heir of" or "her"
_IRREGULAR = {
    "author": ("write", "writes", "wrote", "written", "author", "authored"),
    "writer": ("write", "writes", "wrote", "written"),
    "maker": ("make", "makes", "made"),
    "builder": ("build", "builds", "built"),
    "leader": ("lead", "leads", "led"),
    "winner": ("win", "wins", "won"),
    "singer": ("sing", "sings", "sang", "sung"),
}
_IMPLIED = {
    **dict.fromkeys(("mother", "father"), "parent"),
    **dict.fromkeys(("son", "daughter"), "child"),
    **dict.fromkeys(("brother", "sister"), "sibling"),
    **dict.fromkeys(("husband", "wife"), "spouse"),
}
_INVERSE = {"parent": "child", "child": "parent"}
_WRITERS = frozenset({"author", "writer"})
_WORKS = frozenset({"novel", "book", "poem", "play", "work", "story", "essay"})
_SAME = {"man": "male", "woman": "female", "male": "man", "female": "woman"}


def reworded(words: Sequence[str], claim: Sequence[str], *, is_denied: bool, is_definite: bool) -> Iterator[list[str]]:
    """The words of a sentence with the noun of the claim, if they can be put so. Neither has articles.

    `is_denied`: the sentence is negated. Who is not the sole author can be an author, so less can be put otherwise.
    `is_definite`: the claim has "the", so that one of several is not it.
    """
    words = _without_year(words)
    if not is_denied and words[1:-1] and (shorter := _without_more(words, claim)) != words:
        yield shorter
        words = shorter
    yield from _in_usual_words(words, is_definite=is_definite)
    if words and claim and _SAME.get(words[-1]) == claim[-1]:
        yield [*words[:-1], claim[-1]]
    if not is_denied and _MODIFIERS.intersection(words):
        yield [word for word in words if word not in _MODIFIERS]
    for position in range(1, len(claim) - 2) if not is_denied else ():
        yield from _by_kinship(words, claim[position], claim[:position], claim[position + 2 :])
    for position in range(1, len(claim) - 2):
        noun, preposition = claim[position], claim[position + 1]
        if preposition == "of":
            yield from _as_genitive(words, noun, claim[position + 2 :])
        if noun in _PLACES and preposition in _INSIDE:
            yield from _as_place(words, ["is", noun, preposition], is_denied=is_denied)
        elif (preposition == "of" or noun.endswith("ment")) and (forms := _verb_forms(noun)):
            yield from _as_agent(words, ["is", noun, preposition], forms)


def _by_kinship(words: Sequence[str], noun: str, person: Sequence[str], other: Sequence[str]) -> Iterator[list[str]]:
    """With "parent" for "mother", and "Ann is parent of Bob" for "Bob is son of Ann"."""
    named = [_IMPLIED.get(word, word) for word in words]
    if named != list(words) and noun in named:
        yield named
        yield from _as_genitive(named, noun, other)
    if (inverse := _INVERSE.get(noun)) in named:
        of = [*other, "is", inverse, "of", *person]
        owned = [*other, "is", *person, "s", inverse]
        if named in (of, owned):
            yield [*person, "is", noun, "of", *other]


def _in_usual_words(words: list[str], *, is_definite: bool) -> Iterator[list[str]]:
    """With "is" for "serves as" and for "'s", and "capital" for "capital city"."""
    if not _AUXILIARIES.intersection(words) and words[1:].count("s") == 1:  # "Marie's the mother of Noel"
        yield ["is" if word == "s" else word for word in words]
    if (place := contains(words, ("serves", "as"))) > 0:
        yield [*words[:place], "is", *words[place + 2 :]]
    if (
        (place := contains(words, ("one", "of"))) > 0 and words[place + 2 : place + 3] and not is_definite
    ):  # "is one of the parts of"
        plural = words[place + 2]
        for singular in (plural.removesuffix("s"), plural.removesuffix("es"), f"{plural.removesuffix('ies')}y"):
            yield [*words[:place], singular, *words[place + 3 :]]
    if (place := contains(words, ("capital", "city"))) > 0:
        yield [*words[: place + 1], *words[place + 2 :]]


def _without_more(words: list[str], claim: Sequence[str]) -> list[str]:
    """Without what follows the end of the claim: "in Saxony-Anhalt in Germany", "with his brother"."""
    for length in range(3, 0, -1):
        end = tuple(claim[-length:])
        place = contains(words, end)
        after = words[place + length :] if place > 1 else []
        if after and (after[0] in _MORE or (after[0] == "for" and after[-1] in _TIMES)):
            return words[: place + length]
    return words


def _as_genitive(words: list[str], noun: str, thing: Sequence[str]) -> Iterator[list[str]]:
    """With "author of it" for "its author", and "capital of France" for "France's capital"."""
    for position, word in enumerate(words):
        if word != noun or position == 0:
            continue
        owner = [*thing, "s"]
        start = position - len(owner)
        if words[position - 1] == "its":
            yield [*words[: position - 1], noun, "of", "it", *words[position + 1 :]]
        elif start >= 0 and words[start:position] == owner:
            yield [*words[:start], noun, "of", *thing, *words[position + 1 :]]


def _without_year(words: Sequence[str]) -> list[str]:
    """Without a year at the end: "in 1818"."""
    return list(words[:-2] if len(words) > 4 and words[-2] == "in" and words[-1].isdigit() else words)


def _as_place(words: list[str], middle: list[str], *, is_denied: bool) -> Iterator[list[str]]:
    for position, word in enumerate(words[:-1]):
        if position == 0 or word not in _LIES | _CONTAINS:
            continue
        before, after = _without_auxiliaries(words[:position]), words[position + 1 :]
        if word in _CONTAINS:
            yield [*_whole(after), *middle, *before]
            continue
        inside = next((i for i, word in enumerate(after) if word in _INSIDE | {"to"}), None)
        if inside is None:
            continue
        is_settlement = inside > 0 and after[inside - 1] in _SETTLEMENTS and not is_denied
        is_part = inside == 1 and after[0] in _PLACES
        if inside == 0 or is_part or is_settlement:
            yield [*before, *middle, *_whole(after[inside + 1 :])]


def _whole(words: list[str]) -> list[str]:
    """The place itself for a part of it, or without its kind: "the southern part of France", "the city of Lyon"."""
    if words[:1] and words[0] in _DIRECTIONS:
        words = words[1:]
    for position, word in enumerate(words[:-2]):
        if word in _ENGLISH.verbs | _ENGLISH.subjects:
            break
        if word in _PLACES | _SETTLEMENTS and words[position + 1] == "of":
            return words[position + 2 :]
    return words


def _without_auxiliaries(words: list[str]) -> list[str]:
    while words and words[-1] in _AUXILIARIES:
        words = words[:-1]
    return words


def _as_agent(words: list[str], middle: list[str], forms: frozenset[str]) -> Iterator[list[str]]:
    for position, word in enumerate(words):
        if position and middle[1] in _WRITERS and word in _WORKS and words[position + 1 : position + 2] == ["by"]:
            yield [*words[position + 2 :], *middle, *_without_auxiliaries(words[:position])]
        if position == 0 or word not in forms:
            continue
        before, after = _without_auxiliaries(words[:position]), words[position + 1 :]
        if after[:1] == ["by"]:
            yield [*(_SUBJECTS.get(word, word) for word in after[1:]), *middle, *before]
        elif after:
            yield [*before, *middle, *after]


def _verb_forms(noun: str) -> frozenset[str]:
    """The forms of the verb that a noun for a person is made from: "create", "creates", "created" for "creator"."""
    if noun in _IRREGULAR:
        return frozenset(_IRREGULAR[noun])
    if noun.endswith("ment") and len(noun) > _SHORTEST_AGENT:
        stem = noun.removesuffix("ment")
        return frozenset((stem, f"{stem}s", f"{stem}ed"))
    if not noun.endswith(_AGENTS) or len(noun) < _SHORTEST_AGENT:
        return frozenset()
    stem = noun[:-2]
    return frozenset((stem, f"{stem}e", f"{stem}s", f"{stem}es", f"{stem}ed"))
