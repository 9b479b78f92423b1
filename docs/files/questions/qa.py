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


def answer(prompt: str) -> str:
    question = next(line for line in prompt.splitlines() if line.endswith("?"))
    if found := re.fullmatch("Is (.+) the alternative name for (.+)\\?", question):
        return yes_or_no(OTHER_NAMES.get(found[1]) == found[2])
    if found := re.fullmatch("Is (.+) a place in (.+)\\?", question):
        return yes_or_no(IN.get(thing(found[1])) == thing(found[2]))
    if found := re.fullmatch("Is (.+) the birthplace of (.+)\\?", question):
        return yes_or_no(BIRTHPLACES.get(thing(found[2])) == thing(found[1]))
    if found := re.fullmatch("Is (.+) the composer of (.+)\\?", question):
        return yes_or_no(COMPOSERS.get(thing(found[2])) == thing(found[1]))
    return "I do not understand the question."


def thing(words: str) -> str:
    """The thing that some words describe: 'the composer of Tosca' is Puccini."""
    if words.startswith("the composer of "):
        return COMPOSERS[words.removeprefix("the composer of ")]
    return OTHER_NAMES.get(words, words)


def yes_or_no(is_true: bool) -> str:
    return "Yes." if is_true else "No."
