"""Names: how near two of them are, which namespaces the ontology defines, and which names can stand in a place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from kgprobe.queries.diagnosis.name_uses import BUILT_IN_NAMES, VOCABULARIES, NameRole, NameUse
from kgprobe.queries.schema import Schema
from kgprobe.rdf.terms import RDFS, XSD, Literal, NamedNode, Namespace

_DIGITS = re.compile(r"\d+")
_SHORTEST = 3  # `?a` and `?b` are never slips of each other
_FARTHEST = 4
_SHORTEST_WORD = 5


def is_near(one: str, other: str) -> bool:
    """Whether names differ, but by few characters for their length."""
    longer = max(len(one), len(other))
    if one == other or min(len(one), len(other)) < _SHORTEST:
        return False
    limit = 1 if longer < 8 else 2 if longer < 12 else min(longer // 4, _FARTHEST)
    return abs(len(one) - len(other)) <= limit and distance(one, other) <= limit


def is_other_number(one: str, other: str) -> bool:
    """Whether names differ only in their numbers, which is seldom a slip: `?user1` and `?user2`."""
    return one != other and _DIGITS.sub("0", one) == _DIGITS.sub("0", other)


def is_other_letter(one: str, other: str) -> bool:
    """Whether short names differ in a letter, so that both may be words: `?data` and `?date`."""
    is_swap = sorted(one.casefold()) == sorted(other.casefold())
    return len(one) == len(other) < _SHORTEST_WORD and not is_swap


def is_other_word(one: str, other: str) -> bool:
    """Whether a name is another with more at its ends, as `?sampler` is to `?sample`. A doubled letter is a slip."""
    short, long = sorted((one, other), key=len)
    has_more = long.startswith(short) or long.endswith(short)
    return is_other_number(one, other) or (has_more and long not in (short + short[-1:], short[:1] + short))


def distance(one: str, other: str) -> int:
    """How many characters were forgotten, added, replaced, or swapped with the next."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        current = [row]
        for column, wanted in enumerate(other, start=1):
            costs = [last[column] + 1, current[-1] + 1, last[column - 1] + (letter != wanted)]
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == wanted:
                costs.append(before[column - 2] + 1)
            current.append(min(costs))
        before, last = last, current
    return last[-1]


# -- namespaces --------------------------------------------------------------------------------------------------------

_VANN = Namespace("http://purl.org/vocab/vann/")
_LOCAL = re.compile(r"[^#/:]*$")
_NEAR_NAMESPACE = 2  # characters


def namespace_of(name: NamedNode) -> str:
    """The IRI of a name without its last part."""
    return _LOCAL.sub("", name.value)


@lru_cache(maxsize=8)
def own_namespaces(schema: Schema) -> frozenset[str]:
    """The namespaces that the ontology defines.

    That of its IRI, its preferred namespace, those of the names that it claims with rdfs:isDefinedBy, and the one with
    most of its names.
    """
    found: set[str] = set()
    for iri in schema.iris:
        base = iri.value.rstrip("#/")
        found |= {f"{base}#", f"{base}/"}
    graph = schema.graph
    for triple in graph.triples(None, _VANN.preferredNamespaceUri):
        if isinstance(triple.object, NamedNode | Literal):
            found.add(triple.object.value)
    for triple in graph.triples(None, RDFS.isDefinedBy):
        if triple.object in schema.iris and isinstance(triple.subject, NamedNode):
            found.add(namespace_of(triple.subject))
    counts = Counter(namespace_of(name) for name in schema.names if not name.value.startswith(VOCABULARIES))
    for namespace, count in counts.most_common(1):
        if 2 * count > counts.total():
            found.add(namespace)
    return frozenset(found - set(VOCABULARIES))


@lru_cache(maxsize=256)
def near_namespaces(namespace: str, schema: Schema) -> tuple[str, ...]:
    """The known namespaces that this one may be a slip of: one or two characters differ, such as `/` for `#`."""
    known = {*own_namespaces(schema), *VOCABULARIES, *(namespace_of(name) for name in schema.names)} - {namespace}
    near = (each for each in known if is_near(namespace, each) and not is_other_number(namespace, each))
    return tuple(sorted(each for each in near if distance(namespace, each) <= _NEAR_NAMESPACE))


# -- kinds of names ----------------------------------------------------------------------------------------------------

_PROPERTIES = frozenset({"ObjectProperty", "DataProperty", "AnnotationProperty", "Property"})
KINDS_OF = {
    NameRole.PROPERTY: _PROPERTIES,
    NameRole.CLASS: frozenset({"Class"}),
    NameRole.INDIVIDUAL: frozenset({"NamedIndividual"}),
    NameRole.DATATYPE: frozenset({"Datatype"}),
}


def known_name(iri: str, schema: Schema) -> NamedNode | None:
    """The name of the ontology or of a vocabulary with this IRI, which need not be a legal one."""
    try:
        name = NamedNode(iri)
    except ValueError:
        return None
    return name if name in BUILT_IN_NAMES or name in schema.names else None


def same_kind(use: NameUse, names: Iterable[NamedNode], schema: Schema) -> Iterator[NamedNode]:
    """The names that can stand where a name is used. By custom, classes of vocabularies begin with a capital."""
    wanted = KINDS_OF.get(use.role)
    for name in names:
        if not name.value.startswith(VOCABULARIES):
            is_fitting = wanted is None or bool(schema.kinds(name) & wanted)
        elif use.role is NameRole.DATATYPE:
            is_fitting = name.value.startswith(XSD.iri)
        else:
            is_class = name.value.rpartition("#")[2][:1].isupper()
            is_fitting = wanted is None or is_class == (use.role is NameRole.CLASS)
        if is_fitting:
            yield name
