"""Gaps and repairs: new entities that no test uses, and tests that name a removed or deprecated entity."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kgprobe.errors import InputError, Position
from kgprobe.rdf.diff import Versions
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import Spelling
from kgprobe.rdf.table import Key, KeyTriple
from kgprobe.rdf.terms import OBO, OWL, RDF, RDFS, NamedNode, Term
from kgprobe.selection.discovery.files import SQL_SUFFIXES, text_of
from kgprobe.selection.discovery.sql_files import SQL
from kgprobe.selection.plan import Broken, Gap, Repair, SelectionPlan
from kgprobe.selection.renamed import entity_renames
from kgprobe.selection.stale_names import StalePlace, is_deprecated, named_but_gone, stale_places
from kgprobe.selection.tests import Mention, TermUse, Test
from kgprobe.written_files import write_file

__all__ = ["apply", "with_gaps_and_repairs"]

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
        text = text_of(test.file) if test.file is not None else ""
        if text is None:
            continue
        for name in dict.fromkeys((mention.term, mention.written) for mention in test.mentions):
            in_file = (mention for mention in test.mentions if mention.file == test.file)
            mentions = [mention for mention in in_file if (mention.term, mention.written) == name]
            way = _way(mentions[0], graph) if mentions else None
            if way is not None:
                statement = _statement(text, mentions)
                template = found.setdefault((statement, way), _Template(statement, _WAYS[way]))
                template.tests.add(test.name)
                template.types |= _types(mentions[0].term, graph)
    enough = [name for name in found.values() if len(name.tests) >= _FEWEST]
    yield from sorted(enough, key=lambda each: (-len(each.tests), each.text))


def _statement(text: str, mentions: Sequence[Mention]) -> str:
    """The statement in one line, without comments, and with holes in place of some constants."""
    for mention in sorted(mentions, key=lambda mention: -mention.start):
        text = text[: mention.start] + _HOLE + text[mention.end :]
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


# -- suggestions: queries that are true --------------------------------------------------------------------------------


class _Facts:
    """Writes queries that are true of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._spelling = Spelling({**_USUAL_PREFIXES, **graph.spelling.prefixes})
        self._predicates = [(predicate, graph.key(predicate)) for predicate in _PREDICATES]

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


# Properties that name the replacement of an entity.
_REPLACEMENTS = (
    NamedNode("http://purl.obolibrary.org/obo/IAO_0100001"),
    NamedNode("http://purl.org/dc/terms/isReplacedBy"),
)
_PARENTS = (RDFS.subClassOf, RDFS.subPropertyOf, RDF.type)
_BUILT_IN = (RDF.iri, RDFS.iri, OWL.iri)
_QUERIES = (".rq", ".sparql")
_UNQUOTABLE = frozenset("\"'`\\&<>,;\t\n")  # may mean something else in another language


def with_gaps_and_repairs(plan: SelectionPlan, versions: Versions) -> SelectionPlan:
    """The plan with its gaps and repairs."""
    tests, gone = named_but_gone(versions, plan.tests)
    broken = broken_tests(tests, gone, dict(_stated_replacements(versions)))
    if any(broken_test.replacement is None for broken_test in broken):
        renamed = dict(_renamed(versions))
        broken = [lost if lost.replacement else replace(lost, replacement=renamed.get(lost.term)) for lost in broken]
    places = stale_places(plan.tests, versions)
    replacements = _replacements(versions, {place.stale.term for place in places if place.stale.is_gone})

    def label_of(term: NamedNode) -> str | None:
        return _label(term, versions.new)

    return replace(
        plan,
        gaps=tuple(gaps(_added(versions), plan.tests, versions.new)),
        broken=(*broken, *_with_stale_labels(places, broken, replacements)),
        repairs=tuple(repairs(broken, label_of, _new_labels(places, replacements, label_of))),
    )


def _replacements(versions: Versions, terms: Collection[NamedNode]) -> dict[NamedNode, NamedNode]:
    """The replacements of these terms, as far as they are known."""
    if not terms:
        return {}
    found = {**dict(_renamed(versions)), **dict(_stated_replacements(versions))}
    return {term: found[term] for term in terms if term in found}


def _with_stale_labels(
    places: Iterable[StalePlace], broken: Iterable[Broken], replacements: Mapping[NamedNode, NamedNode]
) -> list[Broken]:
    """What is wrong with the tests with stale labels, unless they are already known to name the entity."""
    known = {(broken_test.test.name, broken_test.term) for broken_test in broken}
    found = {
        (place.test.name, place.stale): Broken(
            place.test,
            place.stale.term,
            replacements.get(place.stale.term),
            place.stale.label,
            place.stale.now,
        )
        for place in places
        if (place.test.name, place.stale.term) not in known
    }
    return list(found.values())


def _new_labels(
    places: Iterable[StalePlace],
    replacements: Mapping[NamedNode, NamedNode],
    label_of: Callable[[NamedNode], str | None],
) -> dict[Path, dict[tuple[int, int], str]]:
    """What to write in place of stale labels."""
    found: dict[Path, dict[tuple[int, int], str]] = defaultdict(dict)
    for place in places:
        new = place.stale.now
        if new is None and (other := replacements.get(place.stale.term)) is not None:
            new = label_of(other)
        written = None if new is None or new == place.stale.label else place.constant.written_as(new)
        if written is not None:
            found[place.file][place.constant.start, place.constant.end] = written
    return found


# -- entities that a change adds, removes, deprecates or renames -------------------------------------------------------


def _added(versions: Versions) -> Iterator[NamedNode]:
    """The entities that only the new version gives a type."""
    is_a = versions.new.key(RDF.type)
    seen = set()
    for subject, predicate, kind in versions.come:
        if predicate == is_a and subject not in seen:
            seen.add(subject)
            entity, type_ = versions.new.term(subject), versions.new.term(kind)
            if not isinstance(entity, NamedNode) or not isinstance(type_, NamedNode) or type_ == OWL.Ontology:
                continue
            if not versions.old.mentions(entity) and not is_deprecated(entity, versions.new):
                yield entity


def _stated_replacements(versions: Versions) -> Iterator[tuple[NamedNode, NamedNode]]:
    """The pairs of a term and its replacement that the new version states."""
    for predicate in _REPLACEMENTS:
        for triple in versions.new.triples(None, predicate):
            if isinstance(triple.subject, NamedNode) and isinstance(triple.object, NamedNode):
                yield triple.subject, triple.object


def _renamed(versions: Versions) -> Iterator[tuple[NamedNode, NamedNode]]:
    """Removed entities, each with the only new entity that has the same label, or that is said to be the same."""
    renames = entity_renames(versions)
    yield from renames.names.items() if renames is not None else ()
    old, new = (_labelled(rows, versions.new) for rows in (versions.gone, versions.come))
    for label, before in old.items():
        after = [term for term in new.get(label, ()) if not versions.old.mentions(term)]
        if len(before) == len(after) == 1:
            yield before[0], after[0]


def _labelled(rows: Iterable[KeyTriple], graph: Graph) -> dict[Key, list[NamedNode]]:
    label = graph.key(RDFS.label)
    found: dict[Key, list[NamedNode]] = defaultdict(list)
    for subject, predicate, object_ in rows:
        if predicate == label and isinstance(term := graph.term(subject), NamedNode):
            found[object_].append(term)
    return found


# -- gaps: new entities that no test uses, and a first test for each ---------------------------------------------------


def gaps(added: Iterable[NamedNode], tests: Iterable[Test], new: Graph) -> list[Gap]:
    """The new entities that no test names, and for which no test names a term above them."""
    upwards = [new.key(predicate) for predicate in _PARENTS]
    tests = list(tests)
    named = {new.key(term) for test in tests for term in _named(test)}
    suggest = Suggestions(new, tests).about
    known: set[Key] = set()  # terms for which no test names a term above them
    found = []
    for term in added:
        if not _is_covered(new.key(term), named, known, lambda key: _parents(key, upwards, new)):
            found.append(Gap(term, suggest(term)))
    return found


def _named(test: Test) -> set[Term]:
    found: set[Term] = {mention.term for mention in test.mentions}
    found |= {use.term for use in (*test.uses, *test.terms) if isinstance(use, TermUse)}
    return found


def _is_covered(start: Key, named: set[Key], known: set[Key], parents: Callable[[Key], Iterable[Key]]) -> bool:
    seen = {start}
    pending = [start]
    for key in pending:
        if key in named:
            return True
        for parent in parents(key):
            if parent not in seen and parent not in known:
                seen.add(parent)
                pending.append(parent)
    known |= seen
    return False


def _parents(key: Key, upwards: Iterable[Key], graph: Graph) -> Iterator[Key]:
    for predicate in upwards:
        for parent in graph.objects(key, predicate):
            term = graph.term(parent)
            if isinstance(term, NamedNode) and not term.value.startswith(_BUILT_IN):
                yield parent


# -- repairs: tests that name a removed or deprecated entity -----------------------------------------------------------


def broken_tests(
    tests: Iterable[Test], gone: Mapping[str, Sequence[NamedNode]], replacements: Mapping[NamedNode, NamedNode]
) -> list[Broken]:
    """The tests that name removed or deprecated entities, once for each such entity."""
    found = []
    for test in tests:
        found += [Broken(test, term, replacements.get(term)) for term in gone.get(test.name, ())]
    return found


def repairs(
    broken: Iterable[Broken],
    label_of: Callable[[NamedNode], str | None],
    labels: Mapping[Path, Mapping[tuple[int, int], str]],
) -> list[Repair]:
    """The repaired files, with the new `labels` in their places.

    Names without a replacement, or that cannot be rewritten, stay as they are.
    """
    places: dict[Path, dict[tuple[int, int], str]] = defaultdict(dict)
    for broken_test in broken:
        if broken_test.replacement is None:
            continue
        for mention in broken_test.test.mentions:
            if mention.term == broken_test.term:
                new = _rewritten(mention, broken_test.replacement, label_of)
                if new is not None:
                    places[mention.file][mention.start, mention.end] = new
    for file, written in labels.items():
        places[file].update(written)
    return [repair for file in sorted(places) if (repair := _repair(file, places[file])) is not None]


def apply(found: Iterable[Repair]) -> None:
    """Write the repaired files. InputError if a file has changed since it was read."""
    for repair in found:
        if text_of(repair.file) != repair.before:
            raise InputError("has changed since it was read", where=Position(str(repair.file)), hint="run again")
        write_file(repair.file, repair.after.encode())


def _repair(file: Path, places: Mapping[tuple[int, int], str]) -> Repair | None:
    before = after = text_of(file)
    if before is None or after is None:
        return None
    for (start, end), new in sorted(places.items(), reverse=True):
        after = after[:start] + new + after[end:]
    return Repair(file, before, after) if after != before else None


def _rewritten(mention: Mention, replacement: NamedNode, label_of: Callable[[NamedNode], str | None]) -> str | None:
    """The replacement in the form of the old name: as a full IRI, with the same prefix, or as a label."""
    old, new, written = mention.term.value, replacement.value, mention.written
    if old in written:
        return written.replace(old, new)
    prefix, colon, local = written.partition(":")
    if colon:
        for separator in (local, local.replace(":", "_"), f"{prefix}_{local}"):
            if old.endswith(separator) and new.startswith(old[: -len(separator)]):
                rest = new[len(old) - len(separator) :]
                if separator == f"{prefix}_{local}":  # an OBO name: GO:0000001 is …/GO_0000001
                    return rest.replace("_", ":", 1) if "_" in rest else None
                return f"{prefix}:{rest}" if _is_plain(rest) else f"<{new}>"
        return f"<{new}>" if mention.file.suffix in _QUERIES else None
    if old.endswith(written) and new.startswith(old[: -len(written)]):
        return new[len(old) - len(written) :]
    label = label_of(replacement)
    if label and mention.file.name.lower().endswith(SQL_SUFFIXES):
        return label.replace("'", "''")
    return label if label and _UNQUOTABLE.isdisjoint(label) else None


def _is_plain(local: str) -> bool:
    return all(character.isalnum() or character in "_-" for character in local)
