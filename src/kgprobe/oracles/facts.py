"""Answers as sets of facts, so that several answers can be compared and their differences shown in a few lines.

A fact has a shape, without names of the graph, and a text, with names. Class hierarchies can be large, and those of one
ontology are nearly equal, so the facts that they share are not listed. Systems can only disagree on whether one class
is below another if their hierarchies differ at one of the two classes or between them.
"""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from kgprobe.rdf.reachability import Condensed, Edges, reached
from kgprobe.rdf.terms import OWL, BlankNode, Literal, NamedNode
from kgprobe.reasoners.protocol import Hierarchy

__all__ = [
    "MOST_LINES",
    "SUBCLASS",
    "UNSATISFIABLE",
    "Fact",
    "answer_line",
    "answer_text",
    "disputed",
    "disputed_subclasses",
    "facts",
    "hierarchy_facts",
    "is_by_question",
    "is_single",
    "item_texts",
    "listed",
    "shortened",
    "text_difference",
    "value_facts",
]

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
# Keys of an answer that could be names of queries. An IRI or a blank node is a name of the graph.
_PLAIN_NAME = re.compile(r"[\w .\-]{1,80}")
_XSD = re.compile(r"<http://www\.w3\.org/2001/XMLSchema#(\w+)>")
UNSATISFIABLE_CLASSES = "unsatisfiable classes"
SUBCLASS = "subclass"
UNSATISFIABLE = "unsatisfiable class"
_EXTREMES = frozenset({OWL.Thing, OWL.Nothing})
_NOTHING: frozenset[NamedNode] = frozenset()
_IMPOSSIBLE = frozenset({OWL.Nothing})
MOST_LINES = 20
# A line of output can be as long as a whole document.
_LONGEST_LINE = 400
# difflib takes quadratic time; larger texts are shown from the first line that differs.
_MOST_COMPARED = 2_000
_CONTEXT = 2


class Fact(NamedTuple):
    """One statement of an answer."""

    shape: str
    text: str


def is_single(value: Any) -> bool:
    """Whether an answer is a single value, such as a truth value or a number, and not a collection."""
    return isinstance(value, bool | int | float | str | bytes | NamedNode | BlankNode | Literal)


def is_by_question(value: Any) -> bool:
    """Whether an answer consists of answers to several questions, by name."""
    return isinstance(value, Mapping) and all(isinstance(key, str) and _PLAIN_NAME.fullmatch(key) for key in value)


def answer_text(value: Any) -> str:
    """One item of an answer as text. Blank nodes are numbered per item, since their labels mean nothing elsewhere."""
    return _text(value, {})


def value_facts(value: Any, question: str = "") -> frozenset[Fact]:
    """The facts of an answer that is plain data.

    The order of a list does not matter, but the number of times an item occurs does. `question` names the question, if
    known.
    """
    return frozenset(_facts(value, question))


def _facts(value: Any, question: str) -> Iterator[Fact]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _entry_facts(str(key), inner, _entry_shape(str(key), inner, question))
    elif isinstance(value, set | frozenset | list | tuple):
        yield from (Fact(_rows_shape(question), text) for text in _counted(value))
    else:
        yield Fact("answer", answer_text(value))


def _entry_facts(path: str, value: Any, shape: str) -> Iterator[Fact]:
    if isinstance(value, Mapping) and not _is_blank(value):
        for key, inner in value.items():
            yield from _entry_facts(f"{path}.{key}", inner, shape)
    elif isinstance(value, set | frozenset | list | tuple):
        yield from (Fact(shape, f"{path} = {text}") for text in _counted(value))
    else:
        yield Fact(shape, f"{path} = {answer_text(value)}")


def _rows_shape(question: str) -> str:
    if question == UNSATISFIABLE_CLASSES:
        return "unsatisfiable class"
    return f"rows of {question}" if question else "fact"


def _entry_shape(key: str, value: Any, question: str) -> str:
    if question or not _PLAIN_NAME.fullmatch(key):
        return _rows_shape(question)
    return f"rows of {key}" if isinstance(value, set | frozenset | list | tuple) else f"value of {key}"


def item_texts(items: Iterable[Any]) -> Iterator[str]:
    """The items of a collection as texts; rows of a query as often as they occur."""
    for item in sorted(items, key=str) if isinstance(items, frozenset) else items:
        if isinstance(items, frozenset) and _is_counted_row(item):
            cells, count = item
            yield from [_XSD.sub(r"xsd:\1", " | ".join(cell or "(unbound)" for cell in cells))] * count
        elif isinstance(items, frozenset) and _is_triple(item):
            yield f"{' '.join(item)} ."
        else:
            yield answer_text(item)


def answer_line(value: Any) -> str:
    """A whole answer in one line. It can be long."""
    if isinstance(value, Hierarchy):
        return f"a hierarchy; classes: {len(value.groups)}, unsatisfiable: {len(value.unsatisfiable)}"
    if isinstance(value, frozenset):
        rows = list(item_texts(value))
        return f"{len(rows)} row{'' if len(rows) == 1 else 's'}: {'; '.join(rows)}" if rows else "no rows"
    if isinstance(value, Mapping) and any(isinstance(inner, frozenset) for inner in value.values()):
        return ", ".join(f"{key}: {answer_line(inner)}" for key, inner in value.items())
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def _is_counted_row(item: Any) -> bool:
    return (
        isinstance(item, tuple)
        and len(item) == 2
        and isinstance(item[0], tuple)
        and type(item[1]) is int
        and all(isinstance(cell, str) for cell in item[0])
    )


def _is_triple(item: Any) -> bool:
    return isinstance(item, tuple) and len(item) == 3 and all(isinstance(term, str) for term in item)


def _counted(items: Iterable[Any]) -> Iterator[str]:
    """The items as texts; repeated items get a number."""
    for text, count in Counter(item_texts(items)).items():
        yield text
        yield from (f"{text} (time {n})" for n in range(2, count + 1))


def _text(value: Any, labels: dict[str, str]) -> str:
    if isinstance(value, BlankNode):
        return labels.setdefault(value.value, f"_:b{len(labels) + 1}")
    if isinstance(value, Mapping):
        if _is_blank(value):
            return labels.setdefault(str(value["value"]), f"_:b{len(labels) + 1}")
        entries = sorted(value.items(), key=lambda entry: str(entry[0]))
        return "{" + ", ".join(f"{key}: {_text(inner, labels)}" for key, inner in entries) + "}"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted(_text(item, labels) for item in value)) + "}"
    if isinstance(value, list | tuple):
        return "(" + ", ".join(_text(item, labels) for item in value) + ")"
    if value is None or isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False)
    return _ADDRESS.sub("", str(value))


def _is_blank(value: Mapping[Any, Any]) -> bool:
    """Whether this is a blank node in the JSON format of query results."""
    return value.get("type") == "bnode" and "value" in value


def hierarchy_facts(hierarchy: Hierarchy) -> frozenset[Fact]:
    """All facts of a hierarchy: each pair of a class and one above it, and the unsatisfiable classes."""
    view = _View(hierarchy)
    classes = view.name_of.keys() | hierarchy.unsatisfiable
    return frozenset(_fact(lower, upper) for lower in classes - _EXTREMES for upper in view.above(lower))


def disputed_subclasses(hierarchies: Mapping[str, Hierarchy]) -> dict[Fact, frozenset[str]]:
    """The facts that some of the hierarchies have and others lack, with those that have them.

    Facts at the places where the hierarchies differ come before those that follow from them. If the systems disagree on
    whether a class is satisfiable, no other fact about it is listed, since every fact would follow.
    """
    shared = _shared(hierarchies)
    if len(shared) < 2:
        return {}
    views = [(_View(hierarchy), frozenset(systems)) for hierarchy, systems in shared]
    first, *others = (hierarchy for hierarchy, _ in shared)
    changed = set().union(*(_changed(first, other) for other in others))
    affected = set().union(*(view.at_or_below(changed) for view, _ in views)) - _EXTREMES
    uppers = [OWL.Nothing, *(set().union(*(view.at_or_above(changed) for view, _ in views)) - _EXTREMES)]
    numbers = {upper: number for number, upper in enumerate(uppers)}
    numbered = [(_Numbered(view, numbers, affected), systems) for view, systems in views]
    direct: dict[Fact, frozenset[str]] = {}
    derived: dict[Fact, frozenset[str]] = {}
    for lower in affected:
        beside = set().union(*(view.beside(lower) for view, _ in views)) if lower in changed else _NOTHING
        for number, systems in _disputed_above(lower, numbered):
            upper = uppers[number]
            (direct if upper in beside or upper == OWL.Nothing else derived)[_fact(lower, upper)] = systems
    return dict(sorted(direct.items())) | dict(sorted(derived.items()))


class _View:
    """A hierarchy with indexes for lookups."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy

    @cached_property
    def name_of(self) -> dict[NamedNode, NamedNode]:
        """The group of each class, by the name of the group."""
        return {member: name for name, members in self.hierarchy.groups.items() for member in members}

    @cached_property
    def _children(self) -> Mapping[NamedNode, list[NamedNode]]:
        children: dict[NamedNode, list[NamedNode]] = defaultdict(list)
        for name, parents in self.hierarchy.parents.items():
            for parent in parents:
                children[parent].append(name)
        return children

    def right_above(self, name: NamedNode) -> Iterable[NamedNode]:
        """The names of the groups directly above a group."""
        return self.hierarchy.parents.get(name, ())

    def _right_below(self, name: NamedNode) -> Iterable[NamedNode]:
        return self._children.get(name, ())

    def above(self, lower: NamedNode) -> frozenset[NamedNode]:
        """The classes above a class, equivalent ones included; owl:Nothing alone if it can have no member."""
        if lower in self.hierarchy.unsatisfiable:
            return _IMPOSSIBLE
        name = self.name_of.get(lower)
        if name is None:
            return _NOTHING
        groups, at_or_above = self.hierarchy.groups, reached([name], self.right_above)
        return frozenset().union(*(groups.get(member, {member}) for member in at_or_above)) - _EXTREMES - {lower}

    def beside(self, lower: NamedNode) -> frozenset[NamedNode]:
        """The classes that are equivalent to a class or directly above it."""
        name = self.name_of.get(lower)
        if name is None:
            return _NOTHING
        groups, parents = self.hierarchy.groups, self.hierarchy.parents.get(name, _NOTHING)
        return groups[name].union(*(groups.get(parent, {parent}) for parent in parents))

    def at_or_below(self, classes: Iterable[NamedNode]) -> set[NamedNode]:
        """These classes and all below them."""
        return self._with_reached(classes, self._right_below)

    def at_or_above(self, classes: Iterable[NamedNode]) -> set[NamedNode]:
        """These classes and all above them."""
        return self._with_reached(classes, self.right_above)

    def _with_reached(
        self, classes: Iterable[NamedNode], step: Callable[[NamedNode], Iterable[NamedNode]]
    ) -> set[NamedNode]:
        found = set(classes)
        names = {self.name_of[node] for node in found if node in self.name_of}
        groups = self.hierarchy.groups
        return found.union(*(groups.get(name, {name}) for name in reached(names, step)))


class _Numbered:
    """A hierarchy that stores the relevant classes above a class as the bits of one number.

    Many classes can be below a place where hierarchies differ, but few are above it. Bit 0 is for owl:Nothing.
    """

    def __init__(self, view: _View, numbers: Mapping[NamedNode, int], classes: Iterable[NamedNode]) -> None:
        """`numbers` has the bits of the relevant upper classes; `classes` are the lower classes."""
        self._view = view
        self._numbers = numbers
        names = list(reached({view.name_of[class_] for class_ in classes if class_ in view.name_of}, view.right_above))
        self._places = {name: place for place, name in enumerate(names)}
        pairs = [(self._places[name], self._places[above]) for name in names for above in view.right_above(name)]
        self._condensed = Condensed(Edges.of(pairs, len(names)), range(len(names)))
        bits: dict[int, int] = {}
        for upper in numbers:
            place = self._places.get(view.name_of.get(upper, upper))
            if place is not None:
                bits[place] = bits.get(place, 0) | self._bit(upper)
        self._gathered = self._condensed.gathered(bits)

    def above(self, lower: NamedNode) -> int:
        """The classes above a class, equivalent ones included; owl:Nothing alone if it can have no member."""
        if lower in self._view.hierarchy.unsatisfiable:
            return 1
        name = self._view.name_of.get(lower)
        if name is None:
            return 0
        return self._gathered[self._condensed.component_of[self._places[name]]] & ~self._bit(lower)

    def _bit(self, upper: NamedNode) -> int:
        number = self._numbers.get(upper)
        return 0 if number is None else 1 << number


def _shared(hierarchies: Mapping[str, Hierarchy]) -> list[tuple[Hierarchy, list[str]]]:
    """The distinct hierarchies, each with the systems that have it."""
    shared: list[tuple[Hierarchy, list[str]]] = []
    for system, hierarchy in hierarchies.items():
        for known, systems in shared:
            if known is hierarchy or known == hierarchy:
                systems.append(system)
                break
        else:
            shared.append((hierarchy, [system]))
    return shared


def _changed(one: Hierarchy, other: Hierarchy) -> set[NamedNode]:
    """The classes whose group, or the groups directly above it, differ."""
    changed = set(one.unsatisfiable ^ other.unsatisfiable)
    for name in one.groups.keys() | other.groups.keys():
        members, others = one.groups.get(name, _NOTHING), other.groups.get(name, _NOTHING)
        if members != others or one.parents.get(name, _NOTHING) != other.parents.get(name, _NOTHING):
            changed |= members | others
    return changed


def _disputed_above(
    lower: NamedNode, views: list[tuple[_Numbered, frozenset[str]]]
) -> Iterator[tuple[int, frozenset[str]]]:
    """The numbers of the classes that only some systems put above a class, with these systems."""
    above = [(view.above(lower), systems) for view, systems in views]
    every = some = above[0][0]
    for bits, _ in above:
        every &= bits
        some |= bits
    disputed = some & ~every
    if some & 1:
        disputed &= 1
    while disputed:
        number = disputed.bit_length() - 1
        disputed ^= 1 << number
        yield number, frozenset().union(*(systems for bits, systems in above if bits >> number & 1))


def _fact(lower: NamedNode, upper: NamedNode) -> Fact:
    if upper == OWL.Nothing:
        return Fact(UNSATISFIABLE, f"{lower} ⊑ owl:Nothing")
    return Fact(SUBCLASS, f"{lower} ⊑ {upper}")


def facts(value: Any, question: str = "") -> frozenset[Fact]:
    """All facts of an answer. A large hierarchy has many; `disputed` compares hierarchies without listing them."""
    return hierarchy_facts(value) if isinstance(value, Hierarchy) else value_facts(value, question)


def disputed(values: Mapping[str, Any], question: str = "") -> dict[Fact, frozenset[str]]:
    """The facts that only some answers have, with the systems that have them, most significant first."""
    hierarchies = {system: value for system, value in values.items() if isinstance(value, Hierarchy)}
    if len(hierarchies) == len(values):
        return disputed_subclasses(hierarchies)
    claimed: dict[Fact, set[str]] = defaultdict(set)
    for system, value in values.items():
        for fact in facts(value, question):
            claimed[fact].add(system)
    return {fact: frozenset(claimed[fact]) for fact in sorted(claimed) if len(claimed[fact]) < len(values)}


def shortened(lines: Sequence[str]) -> tuple[str, ...]:
    """The first lines, and the number of the others."""
    shown = tuple(
        line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…" for line in lines[:MOST_LINES]
    )
    return shown if len(lines) <= MOST_LINES else (*shown, f"and {len(lines) - MOST_LINES} more")


def listed(names: Sequence[str]) -> str:
    """Names as in a sentence: `a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def text_difference(before: str, after: str, *, names: tuple[str, str] = ("expected", "observed")) -> tuple[str, ...]:
    """How one text differs from another, as a short unified diff."""
    if before.endswith("\n") and after.endswith("\n"):
        before, after = before[:-1], after[:-1]
    old, new = before.split("\n"), after.split("\n")
    pairs = enumerate(zip(old, new, strict=False))
    start = max(next((n for n, (one, other) in pairs if one != other), min(len(old), len(new))) - _CONTEXT, 0)
    old, new = old[start : start + _MOST_COMPARED], new[start : start + _MOST_COMPARED]
    lines = list(difflib.unified_diff(old, new, *names, lineterm="", n=_CONTEXT))
    # Line numbers are of no use to a reader who sees the lines.
    return shortened(lines[:2] + [line for line in lines[2:] if not line.startswith("@@ ")])
