"""Names of classes and other kinds as nouns: "City" becomes "a city", and "NASA mission" stays."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from kgprobe.questions.wording.articles import indefinite, without_article
from kgprobe.questions.wording.lexicon import words_in

__all__ = [
    "NO_NOUN",
    "flaw_of_noun",
    "joined_prefixes",
    "kind_in_words",
    "looks_plural",
    "noun_of",
    "noun_of_local_name",
    "split_local_name",
    "usable_nouns",
    "with_article",
]

NO_NOUN = "class has no name"
_LONGEST = 200

_PREFIXES = frozenset({"sub", "super"})
_BOUNDARY = re.compile(r"[_\-\s]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_PLAIN_WORD = re.compile(r"[A-Z][a-z]+(?:[-'\u2019][a-z]+)*")
_LETTERS = re.compile(r"[^\W\d_]")
# Little words stay in lower case in a title.
_LITTLE = frozenset({"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"})


def with_article(noun: str) -> str:
    """The noun with "a" or "an" in front."""
    return f"{indefinite(noun)} {noun}"


def kind_in_words(name: str) -> str:
    """The name of a kind of things as it reads after "is": "a city"."""
    return with_article(noun_of(name))


def noun_of(name: str) -> str:
    """The name of a class as a noun within a sentence, in lower case as far as that is safe.

    Only a label in title case ("Musical Work") or with a capital at the start ("Musical work") is changed, and in it
    only ordinary words: not NASA, iPhone, McDonald or European. A capital elsewhere is there for a reason.
    """
    words = without_article(name).split(" ")
    rest = [word for word in words[1:] if word not in _LITTLE and _LETTERS.search(word)]
    is_title = all(_PLAIN_WORD.fullmatch(word) or _is_acronym(word) for word in rest)
    is_sentence = not any(_PLAIN_WORD.fullmatch(word) for word in rest)
    if not is_title and not is_sentence:
        return " ".join(words)
    return " ".join(_lowered(word) for word in words)


def _lowered(word: str) -> str:
    if not _PLAIN_WORD.fullmatch(word) or any(
        part in words_in("proper") for part in re.split(r"[-'\u2019]", word.lower())
    ):
        return word
    return word.lower()


def _is_acronym(word: str) -> bool:
    return word.isupper() and len(word) > 1


def flaw_of_noun(noun: str) -> str | None:
    """Why a noun cannot follow "is a"; None if it can."""
    if not _LETTERS.search(noun):
        return "class name is not a word"
    last = noun.split(" ")[-1].lower()
    if looks_plural(noun):
        return "class name is a plural"
    if last in words_in("adjectives"):
        return "class name is an adjective"
    return None


def looks_plural(phrase: str) -> bool:
    """Whether the head of a noun phrase looks like a plural: "French footballers", "members of parliament"."""
    head = re.split(r" (?:of|in|for|from|at|by|with|on|to|that|who|which|and) ", phrase, maxsplit=1)[0]
    last = head.split(" ")[-1]
    if last.lower() in words_in("plurals"):
        return True
    if last.lower() in words_in("singular-in-s") or not last.islower():
        return False
    return last.endswith("s") and not last.endswith(("ss", "us", "is", "ics")) and len(last) > 3


def split_local_name(name: str) -> list[str]:
    """The words in the last part of an IRI: "birthPlace", "birth_place" and "ISBNNumber"; acronyms keep capitals."""
    words = joined_prefixes([word for word in _BOUNDARY.split(name) if word])
    return [word if _is_acronym(word) else word.lower() for word in words]


def joined_prefixes(words: Sequence[str]) -> list[str]:
    """The words with "suborganization" for "sub" and "organization"."""
    found: list[str] = []
    for word in words:
        is_joined = found[-1:] != [] and found[-1].lower() in _PREFIXES and not _is_acronym(word)
        found[-1:] = [found[-1] + word.lower()] if is_joined else [*found[-1:], word]
    return found


def noun_of_local_name(name: str) -> str | None:
    """The noun in the last part of the IRI of a class: "MusicGroup"; None if it is a code."""
    words = split_local_name(name)
    return " ".join(words) if words and all(word.replace("'", "").isalpha() for word in words) else None


def usable_nouns(
    names: Mapping[int, str], representatives: Mapping[int, int] | None = None
) -> tuple[dict[int, str], dict[int, str]]:
    """The nouns of kinds by id, from their names; and why the others have none.

    Two kinds with the same noun cannot be told apart, unless they are equivalent: then they have a representative in
    common.
    """
    same = representatives or {}
    nouns = {id_: noun_of(" ".join(name.split())) for id_, name in sorted(names.items())}
    count = Counter(key for key, _ in {(_key(noun), same.get(id_, id_)) for id_, noun in nouns.items()})
    flaws = {id_: flaw for id_, noun in nouns.items() if (flaw := _flaw(noun, count)) is not None}
    return {id_: noun for id_, noun in nouns.items() if id_ not in flaws}, flaws


def _flaw(noun: str, count: Mapping[str, int]) -> str | None:
    if len(noun) > _LONGEST:
        return "class name is too long"
    return "class name is shared" if count[_key(noun)] > 1 else flaw_of_noun(noun)


def _key(noun: str) -> str:
    return unicodedata.normalize("NFC", noun).casefold()
