"""The words of a relation: article, noun and preposition, as in "the author of"."""

from __future__ import annotations

from dataclasses import dataclass

from kgprobe.questions.wording.articles import indefinite, without_article

__all__ = ["ARTICLES", "Words", "words_given"]

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
