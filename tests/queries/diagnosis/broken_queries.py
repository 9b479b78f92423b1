"""Right queries, and mistakes made in them: slips in names, variables and namespaces, swapped ends, wrong literals."""

# ruff: noqa: E501 - one line for each query
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

__all__ = ["MISTAKES", "RIGHT", "broken"]

_PREFIXES = """\
PREFIX sn: <https://example.org/social-network#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""
RIGHT = tuple(
    _PREFIXES + text
    for text in (
        "SELECT ?user ?age { ?user rdf:type sn:User . ?user sn:age ?age . FILTER(?age > 40) }",
        "SELECT ?user ?event { ?user sn:invited_to ?event . ?event sn:confirmed_by ?user }",
        "SELECT ?person ?friend { ?person sn:friend_of ?friend . ?friend sn:age 40 . ?person sn:name ?name } ORDER BY ?name",
        "SELECT (COUNT(?message) AS ?total) { ?message sn:sent_by ?author . ?author sn:name ?name }",
        "SELECT ?event ?date { ?event a sn:Event . ?event sn:date ?date . ?event sn:created_by ?author } LIMIT 10",
        "ASK { ?user sn:likes ?event . ?event sn:added_by ?author . FILTER NOT EXISTS { ?author sn:friend_of ?user } }",
        "SELECT ?user { ?user sn:attends_to ?event OPTIONAL { ?event sn:date ?date } FILTER(!BOUND(?date)) }",
        "SELECT DISTINCT ?liker { ?liker sn:likes ?event . ?liker sn:age ?years . FILTER(?years >= 18 && ?years < 65) }",
        "CONSTRUCT { ?fan sn:friend_of ?author } WHERE { ?fan sn:likes ?message . ?message sn:sent_by ?author }",
        "SELECT ?class { ?class rdfs:subClassOf sn:Activity . ?class a owl:Class }",
        "SELECT ?user ?label { ?user sn:friend_of sn:antonio . ?user sn:name ?label FILTER(STRLEN(?label) > 3) }",
        "SELECT ?author (AVG(?age) AS ?mean) { ?event sn:added_by ?author . ?author sn:age ?age } GROUP BY ?author",
    )
)
"""Queries in which a check finds nothing."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _slip(word: str, random: Random) -> str:
    """A word with one slip."""
    place = random.randrange(len(word))
    match random.choice("sdir"):
        case "s" if place + 1 < len(word):
            return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        case "d":
            return word[:place] + word[place + 1 :]
        case "i":
            return word[:place] + random.choice(_LETTERS) + word[place:]
    return word[:place] + random.choice(_LETTERS) + word[place + 1 :]


def _somewhere(pattern: str, change: Callable[[re.Match[str], Random], str]) -> Callable[[str, Random], str]:
    def changed(text: str, random: Random) -> str:
        found = list(re.compile(pattern).finditer(text, text.index("\n", text.rindex("PREFIX"))))
        if not found:
            return text
        match = random.choice(found)
        return text[: match.start()] + change(match, random) + text[match.end() :]

    return changed


def _name(match: re.Match[str], random: Random) -> str:
    return match[1] + _slip(match[2], random)


def _namespace(text: str, random: Random) -> str:
    return text.replace(*random.choice((("network#>", "network/>"), ("social-network#>", "social-netwrok#>"))))


MISTAKES: dict[str, Callable[[str, Random], str]] = {
    "a name": _somewhere(r"(sn:)(\w+)", _name),
    "a name of a vocabulary": _somewhere(r"((?:rdf|rdfs|owl):)(\w+)", _name),
    "a variable": _somewhere(r"(\?)(\w{4,})", _name),
    "a namespace": _namespace,
    "swapped ends": _somewhere(r"(\?\w+) (sn:\w+) (\?\w+)", lambda match, _: f"{match[3]} {match[2]} {match[1]}"),
    "a number as a string": _somewhere(r"(?<=[ (])(\d+)(?= )", lambda match, _: f'"{match[1]}"'),
}
"""Mistakes, each as a function that makes it somewhere in a query, or changes nothing."""


def broken(seed: int, count: int) -> Iterator[tuple[str, str, str]]:
    """Queries with one mistake: the kind of mistake, the right query and the wrong one."""
    random = Random(seed)
    seen = set(RIGHT)
    for number in range(count * 4):
        kind = list(MISTAKES)[number % len(MISTAKES)]
        right = random.choice(RIGHT)
        wrong = MISTAKES[kind](right, random)
        if wrong not in seen and count:
            seen.add(wrong)
            count -= 1
            yield kind, right, wrong
