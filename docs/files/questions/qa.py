"""A program that answers questions about places and composers. It does not know that "in" is transitive."""

import re

IN = {
    "Tuscany": "Italy",
    "Lazio": "Italy",
    "Lucca": "Tuscany",
    "Pisa": "Tuscany",
    "Rome": "Lazio",
    "Piazza Grande": "Lucca",
}
COMPOSERS = {"Tosca": "Puccini", "La Cenerentola": "Rossini"}
BIRTHPLACES = {"Puccini": "Lucca", "Rossini": "Pesaro"}
OTHER_NAMES = {"Toscana": "Tuscany"}
QUESTION = re.compile(r"Is (.+?) ((a place in|the composer of|the birthplace of|the alternative name for) (.+))\?")


def answer(prompt: str) -> str:
    """Yes if the first thing of a question is one of those that the rest describes."""
    found = next(filter(None, map(QUESTION.fullmatch, prompt.splitlines())), None)
    if found is None:
        return "I do not understand the question."
    if found[3] == "the alternative name for":
        return "Yes." if OTHER_NAMES.get(found[1]) == found[4] else "No."
    return "Yes." if described(found[1]) & described(found[2]) else "No."


def described(words: str) -> set[str]:
    """The things that some words describe: 'the composer of Tosca' is Puccini."""
    if words.startswith("a place in "):
        outer = described(words.removeprefix("a place in "))
        return {place for place in IN if outer & around(place)}
    for start, values in (("the composer of ", COMPOSERS), ("the birthplace of ", BIRTHPLACES)):
        if words.startswith(start):
            return {values[thing] for thing in described(words.removeprefix(start)) if thing in values}
    return {OTHER_NAMES.get(words, words)}


def around(place: str) -> set[str]:
    """The places that a place is in."""
    return {IN[place]}
