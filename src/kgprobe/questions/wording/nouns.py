"""Single words: articles, nouns, plurals, and the lists of words in `lexicon.toml`."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources


@cache
def words_in(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(_texts()[name].split())


@cache
def _texts() -> dict[str, str]:
    text = resources.files(__package__).joinpath("lexicon.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


# Names of countries, groups of islands, seas and mountains that take "the" inside of a sentence. Python, DuckDB and
# Spark read the pattern alike. Names that may need it for another reason, such as those of bands, stay as they are.
NEEDS_THE = (
    "^(?:United (?:States|Kingdom|Arab Emirates|Nations|States of America|Kingdom of .+)"
    "|U\\.?S\\.?(?:A\\.?)?|U\\.?K\\.?|UAE|USSR|GDR|EU"
    "|Netherlands|Philippines|Bahamas|Maldives|Seychelles|Gambia|Comoros|Balkans|Americas|Levant|Maghreb"
    "|Soviet Union|European Union|African Union|Arab League|Middle East|Far East|Holy See|West Indies"
    "|(?:Czech|Dominican|Central African|Weimar|Roman|German Democratic|Dutch|Second Spanish) Republic"
    "|(?:Democratic |Federal |People's |Islamic |Socialist |Federative )*Republic of .+"
    "|(?:Kingdom|Duchy|Grand Duchy|Principality|Isle|Gulf|University|Commonwealth) of .+"
    "|(?:Church|Strait|Bay|Battle|Treaty) of .+"
    "|(?:German|North German|Swiss|Russian|Malayan|Nordic) (?:Confederation|Federation|Union|Council)"
    "|(?:Ottoman|Russian|British|Byzantine|German|Mughal|Mongol|Persian|Roman|Holy Roman|Austro-Hungarian) Empire"
    "|(?:Pacific|Atlantic|Indian|Arctic|Southern) Ocean|(?:Suez|Panama|Kiel|Erie|Corinth) Canal"
    "|(?:North|Baltic|Black|Red|Dead|Caspian|Mediterranean|Caribbean|Aegean|Adriatic|Arabian|Yellow|Barents|Bering"
    "|Ionian|Irish|Norwegian|Tasman|South China|East China) Sea|(?:Gobi|Namib|Kalahari|Atacama|Mojave|Thar) Desert"
    "|(?:[A-Z][\\w'-]+ ){1,3}(?:Islands|Isles|Mountains|Peninsula|Archipelago)"
    "|(?:Swiss |Bavarian |Dinaric )?Alps|Andes|Himalayas|Pyrenees|Apennines|Carpathians|Rockies|Urals|Sahara"
    "|Nile|Danube|Rhine|Thames|Volga|Ganges|Loire|Tiber|Euphrates|Tigris)$"
)

_ARTICLE = re.compile(r"\A(?:an?|the)\s+(?=\S)", re.IGNORECASE)
_FIRST = re.compile(r"\d[\d,.]*|[^\W\d_]+")
_VOWELS = "aeiou"
# The names of these letters begin with a vowel: an F, an MP.
_VOWEL_LETTERS = frozenset("aefhilmnorsx")
# Letters that do not consist of a vowel and an accent.
_OTHER_VOWELS = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o"})
# Letters in a row, as in MP, MPs, MSc, XMLFile, mRNA.
_SPELLED = re.compile(r"[A-Z]{2,}[a-z]{0,2}|[A-Z]{3,}[a-z].*|[a-z][A-Z]{2,}.*")
_PRONOUNCEABLE = re.compile(r"(?:[^aeiou]{0,2}[aeiou]{1,2})+[^aeiou]{0,2}")
_LONGEST_CODE = 3  # letters before a number that are read one by one: F16, mp3, but not "room2"
_SILENT_H = re.compile(r"heir|honest|honor(?!i)|honour|hour(?!i)|hors\b")
# Begin with the sound of "you" or "one".
_CONSONANT_SOUND = re.compile(
    r"""eu(?!ler)|ew|one(?:s|self|ness)?\b|once\b|ouija|oaxac|ouaga
    |u\b|ubi|uf[oa]|ugand|uig|uk
    |un(?:anim|i(?!n[^u]|m(?!od)|dea|denti|diom|ll|ssu|ron|rri|rra|tal))
    |ur(?:a|e|i|o(?!$)|u)|us(?:a|e|u|ing)|ut(?![ts]|most)|uv""",
    re.VERBOSE,
)


def without_article(text: str) -> str:
    """The text without an article in front."""
    return _ARTICLE.sub("", text, count=1)


def indefinite(text: str) -> str:
    """ "a" or "an", whichever fits before the text. Other scripts get "a"."""
    letter = _FIRST.search(text)
    if not letter:
        return "a"
    return "an" if _begins_with_vowel(letter.group(), text[letter.end() : letter.end() + 1]) else "a"


def _begins_with_vowel(first: str, following: str) -> bool:
    """Whether a word or number begins with the sound of a vowel; `following` is the character after it."""
    if first[0].isdigit():
        return _number_begins_with_vowel(first)
    plain = "".join(c for c in unicodedata.normalize("NFD", first) if not unicodedata.combining(c))
    word = plain.lower().translate(_OTHER_VOWELS)
    if not "a" <= word[:1] <= "z":
        return False
    is_code = following.isdigit() and len(word) <= _LONGEST_CODE
    if (len(word) == 1 and following != "'") or is_code or _is_spelled(plain, word):
        return word[0] in _VOWEL_LETTERS
    return _word_begins_with_vowel(word)


def _word_begins_with_vowel(word: str) -> bool:
    if word[0] == "y":  # yttrium, Ypres
        return len(word) > 1 and word[1] not in _VOWELS
    if word[0] == "h":
        return _SILENT_H.match(word) is not None
    return word[0] in _VOWELS and _CONSONANT_SOUND.match(word) is None


def _is_spelled(plain: str, word: str) -> bool:
    """Whether a word is read letter by letter."""
    if word in words_in("read-as-words"):
        return False
    if not set(word) & set("aeiouy"):  # html, nth
        return True
    if word in words_in("read-as-letters"):
        return True
    if not _SPELLED.fullmatch(plain):
        return False
    return not (plain.isupper() and (len(word) > 5 or (len(word) == 5 and _PRONOUNCEABLE.fullmatch(word))))


def _number_begins_with_vowel(number: str) -> bool:
    """Eight, eleven and eighteen, also with hundreds, thousands and so on after them."""
    whole = number.split(".")[0]
    digits = whole.replace(",", "")
    if digits.startswith("8"):
        return True
    is_hundreds = len(digits) == 4 and "," not in whole  # 1812, also as a number of hundreds
    return digits.startswith(("11", "18")) and (len(digits) % 3 == 2 or is_hundreds)


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


def _flaw_of_noun(noun: str) -> str | None:
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
    prefixes: list[str] = []
    for word in words:
        is_joined = prefixes[-1:] != [] and prefixes[-1].lower() in _PREFIXES and not _is_acronym(word)
        prefixes[-1:] = [prefixes[-1] + word.lower()] if is_joined else [*prefixes[-1:], word]
    return prefixes


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
    return "class name is shared" if count[_key(noun)] > 1 else _flaw_of_noun(noun)


def _key(noun: str) -> str:
    return unicodedata.normalize("NFC", noun).casefold()


# Endings, longest first: "grandchild" and "spokeswoman" are among them, and "human" is not.
_IRREGULAR = {
    "alumna": "alumnae",
    "alumnus": "alumni",
    "criterion": "criteria",
    "phenomenon": "phenomena",
    "person": "people",
    "taxon": "taxa",
    "child": "children",
    "woman": "women",
    "mouse": "mice",
    "tooth": "teeth",
    "goose": "geese",
    "foot": "feet",
    "wife": "wives",
    "life": "lives",
    "half": "halves",
    "quiz": "quizzes",
}
_SAME = frozenset({"aircraft", "deer", "fish", "headquarters", "offspring", "series", "sheep", "software", "species"})
_IN_OES = frozenset({"cargo", "echo", "embargo", "hero", "mosquito", "potato", "tomato", "torpedo", "veto", "volcano"})
_ENDINGS = (
    (re.compile(r"(?<=[^aeiou])y$"), "ies"),
    (re.compile(r"(?<=s|d|e|h|n|r)man$"), "men"),  # spokesman, nobleman; not human, shaman
    (re.compile(r"(?<=[^aeiou])is$"), "es"),
    (re.compile(r"(?<=l)f$|(?<=ea)f$|(?<=ar)f$"), "ves"),
    (re.compile(r"(?<=s|x|z)$|(?<=ch|sh)$"), "es"),
)
_INNER = re.compile(r"\s+(?:of|in|for|at|to|on|with|by|from)\s")


def plural(noun: str) -> str:
    """The plural of a noun phrase: "places of birth"."""
    inner = _INNER.search(noun)
    phrase, rest = (noun[: inner.start()], noun[inner.start() :]) if inner else (noun, "")
    before, space, last = phrase.rpartition(" ")
    return f"{before}{space}{_word(last)}{rest}"


def _word(word: str) -> str:
    if word in _SAME:
        return word
    if word.isupper():
        return word + "s"
    if word in _IN_OES:
        return word + "es"
    for singular, several in _IRREGULAR.items():
        if word.endswith(singular):
            return word.removesuffix(singular) + several
    for ending, plural_ending in _ENDINGS:
        made, count = ending.subn(plural_ending, word, count=1)
        if count:
            return made
    return word + "s"
