"""The words of a relation: article, noun and preposition, as in "the author of". The user gives them, or a label does.

A label is a noun ("birth place", "has part"), which names the object of a triple, or it reads from the subject to the
object ("part of", "is located in"). Other labels are verbs ("knows"), or cannot be told from verbs ("influences"), or
are ambiguous. If in doubt, a label gives no words: a question that reads the wrong way round has the wrong answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgprobe.questions.wording.nouns import (
    indefinite,
    joined_prefixes,
    looks_plural,
    noun_of,
    split_local_name,
    without_article,
    words_in,
)

ARTICLES = ("", "a", "an", "the")
"""The articles that words can have; "" is for words that need none: "located in"."""


@dataclass(frozen=True, slots=True)
class Words:
    """How a relation is worded. The paper's Extension(R) is the three words in a row.

    A sentence begins with the object of a triple: (Emma, author, Jane) is "Jane is the author of Emma". If the words
    are turned, it begins with the subject: (Ada, alumniOf, Oxford) is "Ada is an alumna of Oxford". Words without a
    preposition name a kind: (Ada, gender, female) is "Ada is a female", and `noun` is the name of the relation.
    """

    article: str
    noun: str
    preposition: str
    is_turned: bool = False
    is_from_label: bool = False

    @property
    def is_kind(self) -> bool:
        """Whether the object of a triple is a kind of things, as in "Ada is a female"."""
        return not self.preposition

    @property
    def is_definite(self) -> bool:
        """Whether the words claim that there is only one such thing."""
        return self.article == "the"

    @property
    def extension(self) -> str:
        """The words in a row: "the author of"."""
        return " ".join(part for part in (self.article, self.noun, self.preposition) if part)


def words_given(article: str, noun: str, preposition: str, *, is_turned: bool = False) -> Words:
    """The words that a user gave, with "a" and "an" corrected. ValueError if they cannot be used."""
    article, noun, preposition = (" ".join(part.split()) for part in (article, noun, preposition))
    article = article.lower()
    if article not in ARTICLES:
        raise ValueError(f"'{article}' is not an article")
    if not preposition:
        if article not in ("a", "an"):
            raise ValueError(f"'{article} {noun}' has no preposition")
        return Words("a", noun, "", is_turned=True)
    noun = without_article(noun) if article else noun
    if not noun:
        raise ValueError("the noun is empty")
    if article in ("a", "an"):
        article = indefinite(noun)
    return Words(article, noun, preposition, is_turned)


NO_WORDS = "the label of the relation is not English words"
VERB = "the label of the relation is a verb"
PLURAL = "the label of the relation is a verb or a plural"
UNKNOWN = "the label of the relation is not made of words that kgprobe knows"
NO_DIRECTION = "the label of the relation is a noun that can name either end"
AMBIGUOUS = "the label of the relation is ambiguous"

_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:[-'\u2019][A-Za-z\u00c0-\u024f]+)*")
_HUMP = re.compile(r"(?<=\b[a-z]{2})(?=[A-Z])|(?<=\b[a-z]{3})(?=[A-Z])|(?<=[a-z]{4})(?=[A-Z][a-z])")
_ARTICLES = frozenset({"a", "an", "the"})
_JOINTS = frozenset({"and", "or", "but", "nor", "that", "which", "who"})
_MOST_WORDS = 6
_SINGULARS = {"alumnae": "alumna", "alumni": "alumnus", "children": "child", "people": "person"}


def words_of_local_name(name: str, *, is_functional: bool = False) -> Words | str:
    """The words that the last part of an IRI gives, such as "birthPlace", or why it gives none."""
    return _of_tokens(split_local_name(name), is_functional)


def words_of_label(label: str, *, is_functional: bool = False) -> Words | str:
    """The words that a label gives, or why it gives none."""
    tokens = label.replace("(s)", "").split()
    if len(tokens) == 1:  # many labels are local names
        return words_of_local_name(tokens[0], is_functional=is_functional)
    if len(tokens) > 1 and label.isupper():
        label = label.lower()
    label = _HUMP.sub(" ", label.replace("(s)", "").replace("_", " "))
    return _of_tokens(noun_of(" ".join(joined_prefixes(label.split()))).split(), is_functional)


def _of_tokens(tokens: Sequence[str], is_functional: bool) -> Words | str:
    if len(tokens) == 1 and tokens[0].isascii() and tokens[0].isalpha():
        known = _separated(tokens[0])
        tokens, is_known = known or tokens, bool(known)
    else:
        is_known = True
    words = _of_words(tokens, is_functional)
    return words if is_known or (isinstance(words, str) and words != NO_DIRECTION) else UNKNOWN


def _of_words(tokens: Sequence[str], is_functional: bool) -> Words | str:
    if not tokens or len(tokens) > _MOST_WORDS or not all(map(_WORD.fullmatch, tokens)):
        return NO_WORDS
    if all(len(token) == 1 for token in tokens) or not _JOINTS.isdisjoint(tokens):
        return NO_WORDS
    if not {"deprecated", "obsolete"}.isdisjoint(token.lower() for token in tokens):
        return AMBIGUOUS
    first, rest = tokens[0].lower(), tokens[1:]
    if first == "is":
        return _after_is(rest)
    if first in ("are", "was", "were", "be", "been", "had", "have", "can", "may", "must", "will", "should"):
        return VERB
    if first == "has":
        return VERB if not rest or _is_participle(rest[0]) else _noun(rest, is_functional, "of")
    if first == "contains" and rest and rest[-1] not in words_in("prepositions"):
        return _noun(rest, is_functional, "in")
    if tokens[-1] in words_in("prepositions"):
        return _from_subject(tokens)
    return _noun(tokens, is_functional, "of") if _names_object(tokens, is_functional) else _why_not(tokens)


def _names_object(tokens: Sequence[str], is_functional: bool) -> bool:
    """Whether a noun surely says what the object of a triple is to its subject."""
    tokens = [token for token in tokens if token not in _ARTICLES]
    *before, last = [token.lower() for token in _until_preposition(tokens)] or [""]
    if len(before) + 1 < len(tokens) or (not before and last in words_in("kinds-of")):
        return True  # "head of government" and "type"
    if before and (before[0] in words_in("superlatives") or before[-1] in words_in("before-places-of")):
        return True
    if any(word.endswith("ly") for word in before):
        return False
    last = _SINGULARS.get(last, last)
    is_role = last in words_in("roles") or "-".join((*before[-1:], last)) in words_in("roles")
    return is_role or last in words_in("abbreviations") or (is_functional and last in words_in("attributes"))


def _why_not(tokens: Sequence[str]) -> str:
    reason = _noun(tokens, False, "of")
    return reason if isinstance(reason, str) else NO_DIRECTION


# ---- from the subject to the object


def _after_is(tokens: Sequence[str]) -> Words | str:
    """ "is part of", "is located in", "is the capital of"."""
    if len(tokens) < 2 or tokens[-1] not in words_in("prepositions"):
        return AMBIGUOUS if tokens else VERB
    *phrase, preposition = tokens
    article = phrase.pop(0) if phrase[0] in _ARTICLES else ""
    if not phrase or phrase[-1] in words_in("prepositions"):
        return AMBIGUOUS
    if not article and (_is_participle(phrase[-1]) or phrase[-1] in words_in("states-by-adjective")):
        return _state(phrase, preposition)
    flaw = _flaw(phrase)
    if flaw is not None:
        return flaw
    if article:
        return _turned("the" if article == "the" else indefinite(phrase[0]), phrase, preposition)
    return _turned(indefinite(phrase[0]), phrase, preposition) if preposition in ("of", "in", "for") else AMBIGUOUS


def _from_subject(tokens: Sequence[str]) -> Words | str:
    """ "part of", "located in", "written by"; not "acted in", which does not follow "is"."""
    *phrase, preposition = tokens
    if not phrase or not words_in("prepositions").isdisjoint(phrase):
        return AMBIGUOUS
    last = phrase[-1]
    if last.removesuffix("s") in words_in("verbs") and last != last.removesuffix("s"):  # "works for"
        return VERB
    if last in words_in("states") or last in words_in("states-by-adjective"):
        return _state(phrase, preposition)
    if _is_participle(last):
        return _state(phrase, preposition) if preposition == "by" else VERB
    flaw = _flaw(phrase)
    if flaw is not None:
        return flaw
    if not _is_known(last) and not last.isupper():
        return NO_DIRECTION  # "synset domain topic of"
    singular = [*phrase[:-1], _SINGULARS.get(last, last)]
    fits = preposition in ("of", "in", "for") or (preposition == "to" and last in words_in("nouns-before-to"))
    return _turned(indefinite(singular[0]), singular, preposition) if fits else AMBIGUOUS


def _state(phrase: Sequence[str], preposition: str) -> Words | str:
    """ "located in" and "directly owned by", but not "interval finished by"."""
    if all(word.endswith("ly") or word in words_in("adverbs") for word in phrase[:-1]):
        return _turned("", phrase, preposition)
    return AMBIGUOUS


def _turned(article: str, phrase: Sequence[str], preposition: str) -> Words:
    return Words(article, " ".join(phrase), preposition, is_turned=True, is_from_label=True)


# ---- words that are written as one


def _separated(name: str) -> list[str]:
    """The words of a name in lower case that is written as one: "located in" for "locatedin".

    Only names with a preposition at the end, or "has" or "is" in front, are taken apart. Empty if a word is not known.
    """
    name = name if name.isupper() else name.lower()
    if name.isupper() or _is_known(name):
        return [name]
    for ending in sorted(words_in("prepositions"), key=len, reverse=True):
        stem = name.removesuffix(ending)
        if stem != name and (words := _known_words(stem)):
            return [*words, ending]
    start = next((start for start in ("has", "is") if name.startswith(start) and _is_known(name[len(start) :])), None)
    return [start, name[len(start) :]] if start else []


def _known_words(stem: str) -> list[str]:
    """A word, or "has" or "is" and a word, in front of a preposition."""
    for start in ("has", "is"):
        if stem.startswith(start) and _is_known(stem[len(start) :]):
            return [start, stem[len(start) :]]
    return [stem] if _is_known(stem) else []


def _is_known(word: str) -> bool:
    lists = (
        "roles",
        "wholes",
        "states",
        "states-by-adjective",
        "participles",
        "verbs",
        "attributes",
        "kinds-of",
        "plurals",
    )
    others = ("adjectives", "not-nouns", "prepositions", "masses", "nouns-before-to", "nouns-in-ed-and-ing", "adverbs")
    singular = word.removesuffix("s")
    return word in _SINGULARS or any({word, singular} & words_in(name) for name in (*lists, *others))


# ---- nouns for the object


def _noun(tokens: Sequence[str], is_functional: bool, preposition: str) -> Words | str:
    if tokens[0] in _ARTICLES:
        tokens = tokens[1:]
    flaw = _flaw(tokens) if tokens else NO_WORDS
    if flaw is not None:
        return flaw
    phrase = [*tokens[:-1], _SINGULARS.get(tokens[-1], tokens[-1])]
    head = _head(phrase)
    if tokens[-1] in words_in("masses") and len(tokens) == len(_until_preposition(tokens)):
        return AMBIGUOUS
    is_definite = is_functional or head in words_in("kinds-of") or phrase[0] in words_in("superlatives")
    article = "the" if is_definite else indefinite(phrase[0])
    return Words(article, " ".join(phrase), preposition, is_from_label=True)


def _flaw(phrase: Sequence[str]) -> str | None:
    """Why some words are not a noun phrase that is safe to use; None if they are."""
    head = _until_preposition(phrase)
    if not head:
        return AMBIGUOUS
    if len(head) < len(phrase):
        inner = phrase[len(head)]
        after = phrase[len(head) + 1 :]
        if inner != "of" or head[-1] not in words_in("attributes") or not after:
            return AMBIGUOUS
        if not words_in("prepositions").isdisjoint(after) or not _ARTICLES.isdisjoint(after):
            return AMBIGUOUS
    if any(_may_be_verb(word) for word in head[:-1]):
        return VERB
    return _flaw_of_head(head[-1], is_alone=len(phrase) == 1)


def _flaw_of_head(word: str, *, is_alone: bool) -> str | None:
    if word in words_in("nouns-in-ed-and-ing") or word in words_in("nouns-in-ly") or word in _SINGULARS:
        return None
    if word.isupper() and word.lower() not in words_in("abbreviations") and not _is_known(word.lower()):
        return NO_WORDS
    if looks_plural(word):
        return PLURAL
    if word in words_in("not-nouns") or word in words_in("adjectives") or word in words_in("states-by-adjective"):
        return AMBIGUOUS
    if _is_participle(word) or (is_alone and word in words_in("verbs")):
        return VERB
    if word.endswith(("ing", "ly", "ous", "ful", "less", "able", "ible")) and word.islower():
        return AMBIGUOUS
    return None


def _may_be_verb(word: str) -> bool:
    """Whether a word in front of a noun can be or follow a verb: "holds position", "won prize", "also see"."""
    return looks_plural(word) or word in words_in("verbs") or word in words_in("adverbs")


def _is_participle(word: str) -> bool:
    if word in words_in("nouns-in-ed-and-ing"):
        return False
    return word in words_in("participles") or (
        word.endswith("ed") and not word.endswith("eed") and word.islower() and len(word) > 3
    )


def _until_preposition(phrase: Sequence[str]) -> Sequence[str]:
    places = [number for number, word in enumerate(phrase) if word in words_in("prepositions")]
    return phrase[: places[0]] if places else phrase


def _head(phrase: Sequence[str]) -> str:
    return _until_preposition(phrase)[-1]
