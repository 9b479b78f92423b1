"""Reads a query: the triples that its answer depends on, and the IRIs that it names.

A path without edges connects each node of the graph to itself, so its answer depends on which nodes the graph has. For
a constant the standard differs: such a path connects it to itself even if the graph does not have it. Some engines
comply and pyoxigraph does not, so a constant is treated like any other node.

The nodes of the graph make no difference if an end is anchored: if another triple of the group has the same variable as
its subject or object, so that the value is always a node.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import TypeAlias, cast

from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import NamedNode
from kgprobe.sparql.algebra import (
    Bind,
    Call,
    Constant,
    Dataset,
    Exists,
    Filter,
    Form,
    Group,
    Management,
    Modify,
    NamedTerm,
    Part,
    PlacedTriple,
    Projected,
    QueryTree,
    Service,
    Values,
    VariableUse,
)
from kgprobe.sparql.algebra_reader import AlgebraReader
from kgprobe.sparql.documents import check_document, check_query
from kgprobe.sparql.paths import (
    AlternativePath,
    Edge,
    EdgePath,
    NegatedPath,
    Path,
    RepeatedPath,
    SequencePath,
    directed,
    legs,
    may_be_empty,
)
from kgprobe.sparql.respelling import legible
from kgprobe.sparql.source import Source, is_computed, prologue_of
from kgprobe.sparql.tokens import prologue_end
from kgprobe.sparql.traversal import Node, parts_of
from kgprobe.sparql.uses import ANYTHING, AnyUse, Condition, PathUse, Restrictions, Slot, TripleUse, Use

__all__ = ["Query", "looks_like_query", "read_query", "read_update"]

_FORM = re.compile(r"(?:SELECT|ASK|CONSTRUCT|DESCRIBE)\b", re.IGNORECASE)
# The text after the form of a query, including placeholders of templates: `SELECT {columns} WHERE …`.
_CONTINUATIONS = {
    "SELECT": re.compile(r"\s*(?:(?:DISTINCT|REDUCED)\b\s*)?[*?$({%]", re.IGNORECASE),
    "ASK": re.compile(r"\s*(?:\{|WHERE\b|FROM\b)", re.IGNORECASE),
    "CONSTRUCT": re.compile(r"\s*(?:\{|WHERE\b|FROM\b)", re.IGNORECASE),
    "DESCRIBE": re.compile(r"\s*(?:[*?$<{%]|[\w.\-]*:\w)"),
}
_FROM_A_TABLE = re.compile(r"\bFROM(?>\s+)(?!NAMED\b|<|[\w.\-]*:)", re.IGNORECASE)
_SELECTED = re.compile(r"[?$]\w|\bWHERE\b", re.IGNORECASE)
_WHOLE_GRAPHS = frozenset(("ADD", "MOVE", "COPY"))  # updates that read graphs without a pattern


@dataclass(frozen=True)
class Query:
    """The uses, patterns and terms of a query.

    The guarantee of `uses`: if no triple that only one of two graphs has matches any of them, the query has the same
    answer on both graphs, to the extent that SPARQL defines the answer. (It does not for RAND and NOW, for LIMIT
    without a complete order, and for the names of new blank nodes.) There is no guarantee if `unseen` has a reason.

    A `TripleUse` matches a triple whose parts its slots allow, and for which its conditions are true. An `AnyUse`
    matches every triple. A `PathUse` matches if the pairs of nodes that it connects differ between the two graphs.

    A reflexive `PathUse` connects each node of the graph (each subject and object of a triple) to itself. So it depends
    on which nodes the graph has, if its ends allow them. This includes constants: engines disagree on whether a path
    without edges matches at a constant that the graph does not have. A `PathUse` without edges depends on nothing else.

    A slot whose variable begins with `_:` is a blank node that occurs twice in one pattern; no condition names it.
    """

    form: Form
    prefixes: dict[str, str]  # the declared prefixes, and the given ones that the text does not declare
    uses: tuple[Use, ...]
    patterns: tuple[TriplePattern, ...]
    terms: tuple[NamedTerm, ...]
    unseen: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_query(text: str, name: str = "<query>", prefixes: Mapping[str, str] | None = None) -> Query:
    """Read a SPARQL 1.1 query; error messages give `name` as its source.

    `prefixes` apply if the text does not declare its own.
    """
    prefixes = prefixes or {}
    text = legible(text)
    check_query(text, name, prefixes)
    source = Source(text, prefixes)
    operations = () if source.tree.broken is not None else AlgebraReader(source).operations()
    query = operations[0] if len(operations) == 1 else None
    if not isinstance(query, QueryTree):
        return _unread(source, prefixes)
    reader = _UseReader(source)
    reader.read(query)
    if query.form == "DESCRIBE":
        # The description of a node may continue over any number of blank nodes.
        reader.uses.append(AnyUse("DESCRIBE", source.line(query.span.start)))
    return Query(
        form=query.form,
        prefixes=source.prefixes,
        uses=tuple(sorted(reader.uses, key=_line) if len(reader.uses) > 1 else reader.uses),
        patterns=tuple(reader.patterns),
        terms=tuple(source.terms),
        unseen=tuple(dict.fromkeys(reader.unseen + _unseen_terms(source))),
        notes=tuple(_assumption(dataset, source) for dataset in query.datasets),
    )


def _assumption(dataset: Dataset, source: Source) -> str:
    line, written = source.line(dataset.span.start), source.written(*dataset.span)
    return f"line {line}: {written} is assumed to be the graph under test"


def read_update(text: str, name: str = "<update>", prefixes: Mapping[str, str] | None = None) -> Query:
    """Read SPARQL 1.1 updates: what they write depends on the triples that `uses` of the result match."""
    prefixes = prefixes or {}
    source = Source(text, prefixes)
    check_document(text, name, prefixes, source.tree)
    reader = _UseReader(source)
    for update in AlgebraReader(source).operations() if source.tree.broken is None else ():
        if isinstance(update, Management) and update.name in _WHOLE_GRAPHS:
            reader.uses.append(AnyUse(update.name, source.line(update.span.start)))
        elif isinstance(update, Modify) and update.where is not None:
            reader.read(update.where)
    unseen = reader.unseen + _unseen_terms(source)
    if source.tree.broken is not None:
        unseen.append("kgprobe cannot parse this SPARQL")
    return Query("CONSTRUCT", source.prefixes, tuple(reader.uses), (), tuple(source.terms), tuple(unseen))


def _unseen_terms(source: Source) -> list[str]:
    found = []
    for node in source.unknown:
        written = source.written(node.start, node.end)
        found.append(f"line {source.line(node.start)}: {written} is relative, and the query has no BASE")
    for named in source.terms:
        if is_computed(named.term):
            found.append(f"line {named.line}: {named.written} is a property that some engines compute")
    return found


def _line(use: Use) -> int:
    return use.line or 0


def looks_like_query(text: str) -> bool:
    """Whether a string seems to be a SPARQL query or a template of one. It may still have mistakes."""
    found = _FORM.match(text, prologue_end(text))
    if found is None or not _CONTINUATIONS[found[0].upper()].match(text, found.end()):
        return False
    form, end = found[0].upper(), found.end()
    brace = text.find("{", end)
    if brace < 0:
        return form == "DESCRIBE" and "\n" not in text[end:].strip()
    if form == "SELECT" and not _SELECTED.search(text, end):
        return False
    return "}" in text[brace:] and not _FROM_A_TABLE.search(text, end, brace)


def _unread(source: Source, prefixes: Mapping[str, str]) -> Query:
    """The result for a valid query that the tree-sitter grammar cannot parse."""
    begins = _FORM.match(source.text, prologue_end(source.text))
    form = begins[0].upper() if begins else "SELECT"
    declared = prologue_of(source.text[: begins.start()] if begins else "", prefixes).prefixes
    line = source.text.count("\n", 0, source.tree.broken or 0) + 1
    reason = f"line {line}: kgprobe cannot parse this SPARQL"
    return Query(cast(Form, form), dict(declared), (), (), (), (reason,))


# -- every triple of every group is a use ------------------------------------------------------------------------------

_PLAIN = (Variable, NamedNode)  # predicates that are not paths
_NO_VARIABLES: frozenset[Variable] = frozenset()


class _UseReader:
    """Collects the uses of the groups of one query."""

    def __init__(self, source: Source) -> None:
        self.uses: list[Use] = []
        self.patterns: list[TriplePattern] = []
        self.unseen: list[str] = []
        self._source = source
        self._nodes = _Nodes(source.text)
        self._exists = 0  # the nesting depth of EXISTS

    def read(self, part: Node) -> None:
        """Read a part of the query: its groups, and the groups inside its expressions."""
        pending = [part]
        while pending:
            part = pending.pop()
            match part:
                case Constant() | VariableUse() | Projected(expression=None):
                    pass
                case Group():
                    self._read_group(part)
                case Exists(group):
                    self._exists += 1
                    self._read_group(group)
                    self._exists -= 1
                case Service(span=span):
                    self.unseen.append(f"line {self._source.line(span.start)}: SERVICE queries another system")
                case _:
                    if isinstance(part, Call) and part.is_extension:
                        line, written = self._source.line(part.span.start), self._source.written_name(part.span.start)
                        self.unseen.append(f"line {line}: the function {written} may read any triple")
                    pending += parts_of(part)[::-1]

    def _read_group(self, group: Group) -> None:
        triples: list[PlacedTriple] = []
        restrictions = Restrictions(self._source)
        place = len(self.uses)
        for element in group.elements:
            match element:
                case PlacedTriple():
                    triples.append(element)
                    subject, predicate, object_, *_ = element
                    if isinstance(predicate, _PLAIN):
                        self.patterns.append((subject, predicate, object_))
                    else:
                        self.patterns += _path_patterns(subject, predicate, object_, self._nodes)
                case Filter(condition):
                    if not restrictions.add_filter(condition):
                        self.read(condition)
                case Bind(expression):
                    self.read(expression)
                    if not self._exists:
                        restrictions.add_bind(element)
                case Values():
                    # In EXISTS, some engines substitute the outer value of a variable in triples, but not in VALUES.
                    if not self._exists:
                        restrictions.add_values(element)
                case _:
                    self.read(element)
        self.uses[place:place] = _uses_of(triples, restrictions, self._nodes, self._source)


class _Nodes:
    """New variables for a text: for the nodes between the steps of a path, and for the predicate of such a step."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._numbers = count(1)

    def hidden(self) -> Variable:
        return Variable(f"[/{next(self._numbers)}]", hidden=True)

    def predicate(self) -> str:
        """A variable name that the text does not use."""
        return next(name for n in count() if (name := f"predicate{n or ''}") not in self._text)


# A triple as it is written, for messages, and its line.
_Place: TypeAlias = tuple[str, int]


def _uses_of(
    triples: Sequence[PlacedTriple], restrictions: Restrictions, nodes: _Nodes, source: Source
) -> Iterator[Use]:
    """The uses of the triples directly in a group, with the restrictions of the group on their values."""
    anchored: frozenset[Variable] | None = None
    for triple in triples:
        subject, predicate, object_, *_ = triple
        place = _written(triple, source), source.line(triple.predicate_span.start)
        if isinstance(predicate, _PLAIN):
            yield _triple_use(place, subject, restrictions.slot(predicate), object_, restrictions)
        else:
            if anchored is None:
                anchored = frozenset(_anchored(triples))
            yield from _PathUses(place, restrictions, nodes).of_path(subject, predicate, object_, anchored)


def _written(triple: PlacedTriple, source: Source) -> str:
    """A triple on one line. Of brackets as its subject, only the signs are shown; a collection is shown as a whole."""
    _, _, _, span, subject, predicate, object_ = triple
    if predicate == subject:
        return source.written(*predicate)
    is_anonymous = source.text[subject.start] == "[" and object_ != subject
    if span.start == subject.start and not is_anonymous:
        return source.written(*span)
    first = "[]" if is_anonymous else source.written(*subject)
    return f"{first} {source.written(*predicate)} {source.written(*object_)}"


def _path_patterns(subject: Part, path: Path, object_: Part, nodes: _Nodes) -> Iterator[TriplePattern]:
    """A triple with a path as plain patterns: sequences become several, repetitions one; others are omitted."""
    match path:
        case EdgePath(edges) | RepeatedPath(EdgePath(edges), _, True) if len(edges) == 1:
            [(predicate, backwards)] = edges
            start, end = directed(subject, object_, backwards=backwards)
            yield start, predicate, end
        case SequencePath(parts):
            for start, part, end in legs(subject, parts, object_, nodes.hidden):
                yield from _path_patterns(start, part, end, nodes)


def _anchored(triples: Sequence[PlacedTriple]) -> Iterator[Variable]:
    for triple in triples:
        if isinstance(triple.predicate, _PLAIN) or not may_be_empty(triple.predicate):
            yield from (part for part in (triple.subject, triple.object) if isinstance(part, Variable))


def _triple_use(
    place: _Place, subject: Part, predicate: Slot, object_: Part, restrictions: Restrictions, *more: Condition
) -> TripleUse:
    first, last = restrictions.slot(subject), restrictions.slot(object_)
    if first is ANYTHING and isinstance(subject, Variable) and subject == object_:
        first = last = Slot(None, subject.name)  # only here does the identity of a blank node matter
    conditions = more + restrictions.conditions(first, predicate, last)
    return TripleUse(first, predicate, last, conditions, *place)


@lru_cache(maxsize=1024)
def _directions(edges: frozenset[Edge]) -> tuple[Slot | None, Slot | None]:
    """The predicates of the edges that are followed forwards, and of those that are followed backwards."""
    forwards = frozenset(predicate for predicate, backwards in edges if not backwards)
    inverse = frozenset(predicate for predicate, backwards in edges if backwards)
    return Slot(forwards) if forwards else None, Slot(inverse) if inverse else None


class _PathUses:
    """Creates the uses of one triple with a path. All of them have the text of the triple."""

    def __init__(self, place: _Place, restrictions: Restrictions, nodes: _Nodes) -> None:
        self._place = place
        self._restrictions = restrictions
        self._nodes = nodes

    def of_path(self, subject: Part, path: Path, object_: Part, anchored: frozenset[Variable]) -> Iterator[Use]:
        match path:
            case EdgePath(edges):
                yield from self._of_step(edges, subject, object_)
            case NegatedPath(excluded, backwards):
                yield self._of_other(excluded, *directed(subject, object_, backwards=backwards))
            case AlternativePath(parts):
                for part in parts:
                    yield from self.of_path(subject, part, object_, anchored)
            case SequencePath(parts):
                steps = list(legs(subject, parts, object_, self._nodes.hidden))
                if not may_be_empty(path):
                    # One part has an edge, whose ends are nodes, and so are all nodes that connect it to other parts.
                    ends = (subject, *(end for _, _, end in steps))
                    anchored |= {end for end in ends if isinstance(end, Variable)}
                for start, part, end in steps:
                    yield from self.of_path(start, part, end, anchored)
            case RepeatedPath():
                yield from self._of_repeated(subject, path, object_, anchored)

    def _of_step(self, edges: frozenset[Edge], subject: Part, object_: Part) -> Iterator[TripleUse]:
        forwards, inverse = _directions(edges)
        if forwards is not None:
            yield _triple_use(self._place, subject, forwards, object_, self._restrictions)
        if inverse is not None:
            yield _triple_use(self._place, object_, inverse, subject, self._restrictions)

    def _of_other(self, excluded: frozenset[NamedNode], subject: Part, object_: Part) -> TripleUse:
        if not excluded:
            return _triple_use(self._place, subject, ANYTHING, object_, self._restrictions)
        name = self._nodes.predicate()
        listed = ", ".join(sorted(map(str, excluded)))
        other = Condition(f"?{name} NOT IN ({listed})", (name,))
        return _triple_use(self._place, subject, Slot(None, name), object_, self._restrictions, other)

    def _of_repeated(
        self, subject: Part, path: RepeatedPath, object_: Part, anchored: frozenset[Variable]
    ) -> Iterator[Use]:
        first, last = self._restrictions.slot(subject), self._restrictions.slot(object_)
        reflexive = path.may_be_none and subject not in anchored and object_ not in anchored
        if path.many and isinstance(path.inner, EdgePath):
            yield PathUse(first, path.inner.edges, last, reflexive, *self._place)
            return
        if reflexive:
            yield PathUse(first, frozenset(), last, reflexive, *self._place)
        if path.many:  # a match of the inner path may be anywhere along the way
            subject, object_, anchored = self._nodes.hidden(), self._nodes.hidden(), _NO_VARIABLES
        yield from self.of_path(subject, path.inner, object_, anchored)
