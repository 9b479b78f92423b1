"""Names of classes as nouns: "City" becomes "a city", and "NASA mission" stays."""

from __future__ import annotations

from kgprobe.questions.wording.articles import indefinite, without_article

__all__ = ["kind_in_words", "noun_of", "with_article"]


def with_article(noun: str) -> str:
    """The noun with "a" or "an" in front."""
    return f"{indefinite(noun)} {noun}"


def kind_in_words(name: str) -> str:
    """The name of a kind of things as it reads after "is": "a city"."""
    return with_article(noun_of(name))


def noun_of(name: str) -> str:
    """The name of a class as a noun within a sentence, in lower case if that is safe."""
    name = without_article(name)
    words = name.split(" ")
    if all(word.istitle() for word in words):
        return name.lower()
    return name
