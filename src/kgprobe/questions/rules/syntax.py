"""The values that a rule consists of, and the notation of its atoms and conditions.

`?a R ?b` is an atom: things have names with a question mark. A capital letter stands for a relation or a class, which
the conditions and the facts determine; any other word is the name of one, and an IRI is in angle brackets. `R/S` is a
path, `?a a C` says that a thing belongs to a class, and `?a alias ?n` that it has another name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgprobe.errors import nearest
from kgprobe.wording import number_of

__all__ = ["ALIAS", "CONDITIONS", "TYPE", "Atom", "Condition", "Rule", "Variant", "is_letter"]

TYPE, ALIAS = "a", "alias"
"""The steps of a path that are not relations."""

CONDITIONS = {
    "asymmetric": ("relation",),
    "functional": ("relation",),
    "inverse-functional": ("relation",),
    "irreflexive": ("relation",),
    "symmetric": ("relation",),
    "transitive": ("relation",),
    "closed": ("relation",),
    "inverse": ("relation", "relation"),
    "sub-property": ("relation", "relation"),
    "disjoint-property": ("relation", "relation"),
    "chain": ("relation", "relation", "relation"),
    "domain": ("relation", "class"),
    "range": ("relation", "class"),
    "sub-class": ("class", "class"),
    "disjoint": ("class", "class"),
    "different": ("thing", "thing"),
}
"""The conditions, with the kinds of their parts. A chain has two or more relations before the one that follows."""

_LETTER = re.compile(r"[A-Z]\d?")
_THING = re.compile(r"\?[A-Za-z_]\w*")
_STEP = re.compile(r"<[^<>\s]*>|[^/<>\s?]+")
_COUNT = re.compile(r"at least (\d{1,3}) (\?\w+) (\S+)")


def is_letter(name: str) -> bool:
    """Whether the name of a relation or class stands for any of them."""
    return _LETTER.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Atom:
    """From the subject along the path to the object. The object of `a` is a class."""

    subject: str
    path: tuple[str, ...]
    object: str

    @classmethod
    def of(cls, text: str) -> Atom:
        """Read an atom. ValueError if it is not one."""
        words = text.split()
        if len(words) != 3:
            raise ValueError(f"'{text}' is not of the form '?a R ?b'")
        subject, path, object_ = words
        steps = tuple(_STEP.findall(path))
        if "/".join(steps) != path or not steps:
            raise ValueError(f"'{path}' is not a relation or a path")
        _check_thing(subject)
        if steps == (TYPE,):
            if object_.startswith("?"):
                raise ValueError(f"'{object_}' is a thing; after 'a' comes a class")
        else:
            _check_thing(object_)
        if len(steps) > 1 and {TYPE, ALIAS}.intersection(steps):
            raise ValueError(f"'{path}' is not a path of relations")
        return cls(subject, steps, object_)

    @property
    def is_type(self) -> bool:
        """Whether the atom says that a thing belongs to a class."""
        return self.path == (TYPE,)

    @property
    def is_alias(self) -> bool:
        """Whether the atom says that a thing has another name."""
        return self.path == (ALIAS,)

    @property
    def things(self) -> tuple[str, ...]:
        """The variables for things."""
        return (self.subject,) if self.is_type else (self.subject, self.object)

    @property
    def relations(self) -> tuple[str, ...]:
        """The names and letters of relations."""
        return () if self.is_type or self.is_alias else self.path

    @property
    def classes(self) -> tuple[str, ...]:
        """The names and letters of classes."""
        return (self.object,) if self.is_type else ()


@dataclass(frozen=True, slots=True)
class Condition:
    """What the schema must say, such as `transitive R`."""

    name: str
    parts: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Condition:
        """Read a condition. ValueError if it is not one."""
        name, *parts = text.split() or [""]
        if name not in CONDITIONS:
            meant = nearest(name, CONDITIONS)
            valid = f"did you mean '{meant}'?" if meant else f"one of {', '.join(CONDITIONS)}"
            raise ValueError(f"'{name}' is not a condition ({valid})")
        kinds = CONDITIONS[name]
        if len(parts) != len(kinds) and not (name == "chain" and len(parts) > len(kinds)):
            raise ValueError(f"'{name}' needs {number_of(len(kinds), 'name')}, and '{text}' has {len(parts)}")
        for part, kind in zip(parts, kinds, strict=False):
            if part.startswith("?") != (kind == "thing"):
                raise ValueError(f"'{part}' in '{text}' must be a {kind}")
        return cls(name, tuple(parts))

    @property
    def relations(self) -> tuple[str, ...]:
        """The names and letters of relations."""
        return self._of_kind("relation")

    @property
    def classes(self) -> tuple[str, ...]:
        """The names and letters of classes."""
        return self._of_kind("class")

    def _of_kind(self, wanted: str) -> tuple[str, ...]:
        kinds = ("relation",) * len(self.parts) if self.name == "chain" else CONDITIONS[self.name]
        return tuple(part for part, kind in zip(self.parts, kinds, strict=True) if kind == wanted)


@dataclass(frozen=True, slots=True)
class Variant:
    """Premises, and the conclusion from them: one claim, several that hold together, or `at_least` values of one."""

    premises: tuple[Atom, ...]
    conclusion: tuple[Atom, ...]
    expected: str
    conditions: tuple[Condition, ...] = ()
    at_least: int = 0

    @property
    def things(self) -> tuple[str, ...]:
        """The variables for things, in the order in which they occur; those of the premises come first."""
        atoms = (*self.premises, *self.conclusion)
        found = (thing for atom in atoms for thing in atom.things)
        return tuple(dict.fromkeys(thing for thing in found if not (self.at_least and thing == COUNTED)))

    @property
    def aliases(self) -> tuple[str, ...]:
        """The variables that stand for another name of a thing."""
        return tuple(atom.object for atom in self.premises if atom.is_alias)

    @property
    def fresh(self) -> tuple[str, ...]:
        """The variables that only the conclusion has."""
        known = {thing for atom in self.premises for thing in atom.things}
        return tuple(thing for thing in self.things if thing not in known)

    @property
    def relations(self) -> tuple[str, ...]:
        """The names and letters of relations; those of the premises come first."""
        return tuple(dict.fromkeys(name for part in self._parts for name in part.relations))

    @property
    def classes(self) -> tuple[str, ...]:
        """The names and letters of classes; those of the premises come first."""
        return tuple(dict.fromkeys(name for part in self._parts for name in part.classes))

    @property
    def _parts(self) -> Iterator[Atom | Condition]:
        yield from self.premises
        yield from self.conclusion
        yield from self.conditions


COUNTED = "?*"
"""The object of the conclusion of a rule that counts."""


def conclusion_of(text: str) -> tuple[tuple[Atom, ...], int]:
    """The claims of a conclusion, and how many values there must be. ValueError if it is not one."""
    if counted := _COUNT.fullmatch(text.strip()):
        number = int(counted[1])
        if number < 1:
            raise ValueError(f"'{text}' must count at least 1")
        atom = Atom.of(f"{counted[2]} {counted[3]} ?x")
        return (Atom(atom.subject, atom.path, COUNTED),), number
    return tuple(Atom.of(part) for part in text.split(" and ")), 0


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its name, one line about it, its variants, and its source."""

    name: str
    about: str
    variants: Sequence[Variant]
    source: str


def _check_thing(word: str) -> None:
    if not _THING.fullmatch(word):
        raise ValueError(f"'{word}' must be a thing, such as '?a'")
