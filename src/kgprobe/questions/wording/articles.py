"""Articles: "a" or "an" by sound, and texts that already begin with an article."""

from __future__ import annotations

import re
import unicodedata

from kgprobe.questions.wording.lexicon import words_in

__all__ = ["NEEDS_THE", "indefinite", "without_article"]

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
    found = _FIRST.search(text)
    if not found:
        return "a"
    return "an" if _begins_with_vowel(found.group(), text[found.end() : found.end() + 1]) else "a"


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
