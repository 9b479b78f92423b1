"""First tests for new entities: a statement in SQL like those of the suite, or a query in SPARQL that is true.

If most of the tests are in SQL, a suggestion is the statement that the most of them share up to one constant, with the
name of the new entity, spelled as the others are: by its label, IRI, CURIE or local name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from kgprobe.errors import InputError
from kgprobe.given_files import exact_text
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.terms import OBO, OWL, RDF, RDFS, NamedNode, Term
from kgprobe.selection.discovery.sql_files import SQL
from kgprobe.selection.tests import Mention, Test

__all__ = ["Suggestions"]

_USUAL_PREFIXES = {"rdf": RDF.iri, "rdfs": RDFS.iri, "owl": OWL.iri}
_PREDICATES = (RDFS.subClassOf, RDFS.subPropertyOf, RDF.type, RDFS.domain, RDFS.range)
_FEWEST = 2  # tests that make a statement a template
_HOLE = "\0"
_PARTS = re.compile(r"(?P<gap>(?:--[^\n]*|/\*.*?\*/|\s)+)|'(?:[^']|'')*'|\"[^\"]*\"", re.DOTALL)


class Suggestions:
    """Suggests a test for an entity of a graph, in the style of these tests."""

    def __init__(self, graph: Graph, tests: Sequence[Test]) -> None:
        self._graph = graph
        self._facts = _Facts(graph)
        in_sql = [test for test in tests if test.language == SQL and test.file is not None]
        in_sparql = sum(test.language.is_query for test in tests)
        self._templates = list(_templates(in_sql, graph)) if len(in_sql) > in_sparql else []

    def about(self, term: NamedNode) -> str:
        """A query about an entity."""
        types = _types(term, self._graph)
        for template in self._templates:
            if not types.isdisjoint(template.types):
                name = template.spelled(term, self._graph)
                if name is not None:
                    return template.text.replace(_HOLE, name.replace("'", "''"))
        return self._facts.about(term)


# -- statements that tests share up to one constant --------------------------------------------------------------------

_Spelled = Callable[[NamedNode, Graph], str | None]


@dataclass
class _Template:
    """A statement with a hole for the name of an entity, how it is spelled, and the types of those that fill it."""

    text: str
    spelled: _Spelled
    tests: set[str] = field(default_factory=set)
    types: set[Term] = field(default_factory=set)


def _templates(tests: Sequence[Test], graph: Graph) -> Iterator[_Template]:
    """The templates of enough tests, those of most tests first."""
    found: dict[tuple[str, str], _Template] = {}
    for test in tests:
        try:
            text = exact_text(test.file) if test.file is not None else ""
        except InputError:  # it can no longer be read
            continue
        for name in dict.fromkeys((mention.term, mention.written) for mention in test.mentions):
            mentions = [each for each in test.mentions if (each.term, each.written) == name and each.file == test.file]
            way = _way(mentions[0], graph) if mentions else None
            if way is not None:
                statement = _statement(text, mentions)
                template = found.setdefault((statement, way), _Template(statement, _WAYS[way]))
                template.tests.add(test.name)
                template.types |= _types(mentions[0].term, graph)
    enough = [each for each in found.values() if len(each.tests) >= _FEWEST]
    yield from sorted(enough, key=lambda each: (-len(each.tests), each.text))


def _statement(text: str, mentions: Sequence[Mention]) -> str:
    """The statement in one line, without comments, and with holes in place of some constants."""
    for each in sorted(mentions, key=lambda each: -each.start):
        text = text[: each.start] + _HOLE + text[each.end :]
    return _PARTS.sub(lambda found: " " if found["gap"] else found[0], text).strip()


def _types(term: NamedNode, graph: Graph) -> set[Term]:
    return set(map(graph.term, graph.objects(graph.key(term), graph.key(RDF.type))))


def _label(term: NamedNode, graph: Graph) -> str | None:
    from kgprobe.owl.wording import labels_of  # only here: most plans have no new entities

    return next(iter(labels_of(term, graph)), None)


def _curie(term: NamedNode, graph: Graph) -> str | None:
    if term.value.startswith(OBO.iri):
        prefix, bar, local = term.value[len(OBO.iri) :].partition("_")
        return f"{prefix}:{local}" if bar else None
    spelled = graph.spelling.term(term)
    return None if spelled.startswith(("<", ":")) else spelled


def _local_name(term: NamedNode, _: Graph) -> str | None:
    found = re.search(r"[^/#:]+$", term.value)
    return found[0] if found else None


_WAYS: dict[str, _Spelled] = {
    "iri": lambda term, _: term.value,
    "curie": _curie,
    "label": _label,
    "local name": _local_name,
}


def _way(mention: Mention, graph: Graph) -> str | None:
    """How a mention spells its term; None for a way in which no other term could be spelled."""
    said = mention.written.replace("''", "'")
    for way, spelled in _WAYS.items():
        if spelled(mention.term, graph) == said:
            return way
    return None


# -- queries that are true ---------------------------------------------------------------------------------------------


class _Facts:
    """Writes queries that are true of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._spelling = Spelling({**_USUAL_PREFIXES, **graph.spelling.prefixes})
        self._predicates = [(each, graph.key(each)) for each in _PREDICATES]

    def about(self, term: NamedNode) -> str:
        """A query about an entity: the term directly above it, or any type."""
        chosen = None
        for fact in self._facts(term):
            chosen = chosen or fact
            if not fact[1].value.startswith(OWL.iri):
                chosen = fact
                break
        if chosen is None:
            return f"ASK {{ {term} ?property ?value }}"
        subject, predicate, object_ = map(self._spelling.term, (term, *chosen))
        names = [part.partition(":")[0] for part in (subject, predicate, object_) if not part.startswith("<")]
        prologue = "".join(f"PREFIX {name}: <{self._spelling.prefixes[name]}> " for name in dict.fromkeys(names))
        return f"{prologue}ASK {{ {subject} {predicate} {object_} }}"

    def _facts(self, term: NamedNode) -> Iterator[tuple[NamedNode, NamedNode]]:
        key = self._graph.key(term)
        for predicate, predicate_key in self._predicates:
            for object_ in map(self._graph.term, self._graph.objects(key, predicate_key)):
                if isinstance(object_, NamedNode):
                    yield predicate, object_
