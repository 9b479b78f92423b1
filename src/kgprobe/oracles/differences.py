"""How one answer differs from another: for the user, and as what a smaller pair of inputs must still show.

Texts differ in lines, JSON in the values at its paths, results of queries in rows, class hierarchies in pairs of
classes, and graphs in triples. The difference that a reduction keeps is a set of *kinds of changes*: each line, value,
row or triple that is gone or new, without numbers and without names of the graph. So a smaller pair of graphs shows the
same difference if the same kinds of things are gone, the same kinds are new, and nothing else has changed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgprobe.errors import InputError
from kgprobe.formats.files import load_output, read_graph
from kgprobe.oracles.facts import answer_text, disputed, item_texts, shortened, text_difference
from kgprobe.oracles.signatures import blanked
from kgprobe.rdf.canonical import isomorphic
from kgprobe.rdf.terms import Literal, Triple
from kgprobe.reasoners.protocol import Hierarchy

Names = tuple[str, str]
_MOST_KINDS = 500
_LONGEST = 120  # of each side in the headline


@dataclass(frozen=True)
class Difference:
    """What differs: the first change in one line, all changes as lines for the user, and the kinds of changes."""

    headline: str
    lines: tuple[str, ...]
    kinds: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The headline and the lines."""
        return self.headline, *self.lines


def same_output(one: bytes, other: bytes) -> bool:
    """Whether two texts are isomorphic graphs; texts that are not graphs must be equal."""
    if one == other:
        return True
    try:
        loaded = [load_output(text) for text in (one, other)]
    except InputError:
        return False
    # Tables of three columns can be read as graphs, but are seldom meant as graphs.
    if any(graph.format.name == "tsv" for graph in loaded):
        return False
    return isomorphic(loaded[0].graph, loaded[1].graph)


def of_texts(before: str, after: str, names: Names) -> Difference | None:
    """How a text differs from another; None if it does not. Two JSON documents differ in the values at their paths."""
    if before == after:
        return None
    values = _container(before), _container(after)
    if all(value is not None for value in values) and (found := of_values(*values, names)) is not None:
        return found
    gone, new = _only_in_one(before.split("\n"), after.split("\n"))
    if not gone and not new:
        return Difference("the order of lines", text_difference(before, after, names=names), ("another order",))
    return Difference(_headline(gone, new), text_difference(before, after, names=names), _kinds(gone, new))


def _container(text: str) -> Any:
    """The object or array that a text is in JSON; None if it is something else."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def of_values(before: Any, after: Any, names: Names, partial: Iterable[str] = ()) -> Difference | None:
    """How one structured answer differs from another; None if it does not.

    `partial` has those names whose answers may be incomplete: what such an answer lacks may still hold.
    """
    if isinstance(before, str) and isinstance(after, str):
        return of_texts(before, after, names)
    if isinstance(before, Hierarchy) and isinstance(after, Hierarchy):
        found = disputed({names[0]: before, names[1]: after})
        gone = [(fact.text, fact.text) for fact, having in found.items() if names[0] in having]
        new = [(fact.text, fact.text) for fact, having in found.items() if names[1] in having]
    else:
        if isinstance(before, Hierarchy) or isinstance(after, Hierarchy):  # False stands for an inconsistent ontology
            before, after = ("inconsistent" if value is False else value for value in (before, after))
        missing = _only_in_one(_leaves(before), _leaves(after))
        gone, new = ([(_path(leaf), _unquoted(leaf)) for leaf in leaves] for leaves in missing)
    gone = [] if names[1] in partial else gone
    new = [] if names[0] in partial else new
    if not gone and not new:
        return None
    shown_gone, shown_new = [text for text, _ in gone], [text for text, _ in new]
    lines = shortened([f"--- {names[0]}", f"+++ {names[1]}", *_changes(shown_gone, shown_new)])
    kinds = _kinds([kept for _, kept in gone], [kept for _, kept in new])
    return Difference(_headline(shown_gone, shown_new), lines, kinds)


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The values in an answer, each with the path to it. The order of a list does not matter."""
    if isinstance(value, Mapping) and value.get("type") != "bnode":
        for key, inner in value.items():
            yield from _leaves(inner, (*path, str(key)))
    elif isinstance(value, set | frozenset | list | tuple):
        yield from ((*path, "=", text) for text in item_texts(value))
    else:
        yield (*path, "=", "a class hierarchy" if isinstance(value, Hierarchy) else answer_text(value))


def _path(leaf: tuple[str, ...]) -> str:
    *path, _, value = leaf
    return f"{'.'.join(path)} = {value}" if path else value


def _unquoted(leaf: tuple[str, ...]) -> str:
    """A value and the path to it, for its kind: every text in JSON is in quotes, so these do not mark names."""
    return " ".join(leaf).replace('"', "")


def of_outputs(before: bytes, after: bytes, names: Names) -> Difference | None:
    """How a file that was written differs from another. Graphs are equal if they have the same triples."""
    if before == after or same_output(before, after):
        return None
    found = of_texts(before.decode(errors="backslashreplace"), after.decode(errors="backslashreplace"), names)
    if found is None:
        return None
    try:
        gone, new = _only_in_one(map(_told, read_graph(before)), map(_told, read_graph(after)))
    except InputError:
        return found
    return Difference(found.headline, found.lines, _kinds(gone, new) or ("blank nodes",))


def _told(triple: Triple) -> str:
    """A triple by its predicate, and by what kind of term its object is."""
    kind = triple.object.datatype.value if isinstance(triple.object, Literal) else type(triple.object).__name__
    return f"{triple.predicate.value} {kind}".replace("://", "//")


# -- what is gone, and what is new -------------------------------------------------------------------------------------


def _only_in_one(before: Iterable[Any], after: Iterable[Any]) -> tuple[list[Any], list[Any]]:
    """The items that only one of two collections has, or has more often, in their order."""
    old, new = list(before), list(after)
    return list((Counter(old) - Counter(new)).elements()), list((Counter(new) - Counter(old)).elements())


def _headline(gone: Sequence[str], new: Sequence[str]) -> str:
    """One change: the first that has become another of its kind, or else the first that is gone and that is new."""
    of_kind = {_place(text): text for text in reversed(new)}
    for text in gone:
        if (other := of_kind.get(_place(text))) is not None:
            return f"{_shortened(text)} → {_shortened(other)}"
    sides = {"gone": gone, "new": new}
    return "; ".join(f"{side}: {_shortened(texts[0])}" for side, texts in sides.items() if texts)


def _place(text: str) -> str:
    """What two texts share if one has become the other: a path in JSON, or a line without numbers and names."""
    path, is_value, _ = text.partition(" = ")
    return path if is_value else blanked(text)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _changes(gone: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Removed lines, then added ones; of long lists, some of both."""
    yield from (f"-{text}" for text in gone[:_SHOWN])
    yield from (f"+{text}" for text in new[:_SHOWN])
    yield from (f"-{text}" for text in gone[_SHOWN:])
    yield from (f"+{text}" for text in new[_SHOWN:])


_SHOWN = 8


def _kinds(gone: Iterable[str], new: Iterable[str]) -> tuple[str, ...]:
    """Each change without numbers and recognisable names, once."""
    lines = [f"{sign} {blanked(text)}" for sign, texts in (("gone", gone), ("new", new)) for text in texts]
    return tuple(sorted(set(lines))[:_MOST_KINDS])
