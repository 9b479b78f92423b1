"""The rules of inference: one TOML file for each built-in rule, and the language of such files.

Entry points: `built_in` gives the built-in rules by name, `read_rule` reads a file, and `chosen_rules` gives the rules
that a user asks for. Start with `transitive.toml`. To add a rule, add a file.

`?a R ?b` is an atom: things have names with a question mark. A capital letter stands for a relation or a class, which
the conditions and the facts determine; any other word is the name of one, and an IRI is in angle brackets. `R/S` is a
path, `?a a C` says that a thing belongs to a class, and `?a alias ?n` that it has another name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

from kgprobe.errors import InputError, Position, did_you_mean
from kgprobe.given_files import LARGEST_SETTINGS, parse_toml, read_text
from kgprobe.wording import number_of

__all__ = ["built_in", "rule_named"]


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
class SoundnessCondition:
    """What the schema must say, such as `transitive R`."""

    name: str
    parts: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> SoundnessCondition:
        """Read a condition. ValueError if it is not one."""
        name, *parts = text.split() or [""]
        if name not in CONDITIONS:
            valid = did_you_mean(name, CONDITIONS, f"one of {', '.join(CONDITIONS)}")
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
    conditions: tuple[SoundnessCondition, ...] = ()
    at_least: int = 0

    @property
    def things(self) -> tuple[str, ...]:
        """The variables for things, in the order in which they occur; those of the premises come first."""
        atoms = (*self.premises, *self.conclusion)
        named = (thing for atom in atoms for thing in atom.things)
        return tuple(dict.fromkeys(thing for thing in named if not (self.at_least and thing == COUNTED)))

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
    def _parts(self) -> Iterator[Atom | SoundnessCondition]:
        yield from self.premises
        yield from self.conclusion
        yield from self.conditions


COUNTED = "?*"
"""The object of the conclusion of a rule that counts."""


def _conclusion_of(text: str) -> tuple[tuple[Atom, ...], int]:
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


# The order of the built-in rules: those of the paper first. Others follow by name.
_ORDER = (
    *("composition", "alias", "transitive", "inverse", "symmetric", "inverse-of", "sub-property", "subclass"),
    *("functional", "domain", "range", "disjoint", "chain", "conjunction", "counting"),
)
_KEYS = ("about", "premises", "conclusion", "expected", "sound", "variants")
_MOST_PREMISES = 6
_Value = TypeVar("_Value")


@cache
def built_in() -> Mapping[str, Rule]:
    """The built-in rules by name, those of the paper first."""
    return rules_in(resources.files("kgprobe.questions.rules"))


def rules_in(folder: Traversable) -> Mapping[str, Rule]:
    """A rule for each TOML file of a folder, by name."""
    files = {file.name.removesuffix(".toml"): file for file in folder.iterdir() if file.name.endswith(".toml")}
    names = sorted(files, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name))
    return {name: _rule(name, files[name].read_text("utf-8"), files[name].name) for name in names}


def rule_named(name: str) -> Rule:
    """The built-in rule with this name. InputError, with the nearest name, if there is none."""
    if name not in built_in():
        hint = did_you_mean(name, built_in(), f"the rules are {', '.join(built_in())}")
        raise InputError(f"no rule is named '{name}'", hint=hint)
    return built_in()[name]


def read_rule(path: Path) -> Rule:
    """The rule in a file; its name is the name of the file. InputError, with the line, if it is broken."""
    return _rule(path.stem, read_text(path, LARGEST_SETTINGS), str(path))


def chosen_rules(wanted: Sequence[str | Path]) -> tuple[Rule, ...]:
    """The rules with these names and in these files; all built-in rules if there are none."""
    if not wanted:
        return tuple(built_in().values())
    rules: dict[str, Rule] = {}
    for name in wanted:
        is_file = isinstance(name, Path) or name.endswith(".toml")
        rule = read_rule(Path(name)) if is_file else rule_named(str(name))
        if rules.setdefault(rule.name, rule).source != rule.source:
            raise InputError(f"two rules are named '{rule.name}'", hint="rename the file of one of them")
    return tuple(rules.values())


def _rule(name: str, text: str, file: str) -> Rule:
    document = parse_toml(text, file)
    source = _Source(file, text)
    source.check_keys(document, _KEYS)
    about = source.text(document, "about", "")
    given = document.get("variants", [{}])
    if not isinstance(given, list) or not given or not all(isinstance(table, dict) for table in given):
        raise source.error("'variants' must be a list of tables", "variants")
    shared = {key: value for key, value in document.items() if key not in ("variants", "about")}
    for table in given:
        source.check_keys(table, _KEYS[1:-1])
    return Rule(name, about, tuple(_variant(source, shared | table) for table in given), text)


def _variant(source: _Source, table: Mapping[str, Any]) -> Variant:
    for key in ("premises", "conclusion", "expected"):
        if key not in table:
            raise source.error(f"the key '{key}' is missing", "")
    expected = source.text(table, "expected", "")
    if expected not in ("yes", "no"):
        raise source.error(f'\'expected\' is "{expected}"; it must be "yes" or "no"', "expected")
    premises = tuple(source.read(Atom.of, text) for text in source.texts(table, "premises"))
    if not 0 < len(premises) <= _MOST_PREMISES:
        raise source.error(f"a rule needs 1 to {_MOST_PREMISES} premises", "premises")
    written = source.text(table, "conclusion", "")
    conclusion, at_least = source.read(_conclusion_of, written)
    conditions = tuple(source.read(SoundnessCondition.of, text) for text in source.texts(table, "sound"))
    variant = Variant(premises, conclusion, expected, conditions, at_least)
    source.check(variant, written)
    return variant


class _Source:
    """A file of a rule, which knows on which line a text is."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self._lines = text.split("\n")

    def error(self, message: str, near: str) -> InputError:
        """An error about the first line that has a text."""
        line = next((number for number, line in enumerate(self._lines, 1) if near and near in line), None)
        return InputError(message, where=Position(self._file, line))

    def check_keys(self, table: Mapping[str, Any], valid: Iterable[str]) -> None:
        """Refuse unknown keys."""
        for key in table:
            if key not in valid:
                hint = did_you_mean(key, valid, f"the keys are {', '.join(valid)}")
                raise self.error(f"a rule has no key '{key}' ({hint})", key)

    def text(self, table: Mapping[str, Any], key: str, default: str) -> str:
        """The text of a key."""
        value = table.get(key, default)
        if not isinstance(value, str):
            raise self.error(f"'{key}' must be a text", key)
        return value

    def texts(self, table: Mapping[str, Any], key: str) -> list[str]:
        """The texts of a key; none if it is missing."""
        value = table.get(key, [])
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self.error(f"'{key}' must be a list of texts", key)
        return value

    def read(self, reader: Callable[[str], _Value], text: str) -> _Value:
        """A text as a value. InputError, with its line, if it cannot be read."""
        try:
            return reader(text)
        except ValueError as error:
            raise self.error(str(error), text) from None

    def check(self, variant: Variant, conclusion: str) -> None:
        """Refuse rules that cannot be applied."""
        for message, near in _problems(variant, conclusion):
            raise self.error(message, near)


def _problems(variant: Variant, conclusion: str) -> Iterator[tuple[str, str]]:
    """Why a rule cannot be applied, and a text that is near the mistake."""
    known = {thing for atom in variant.premises if not atom.is_alias for thing in atom.things}
    for atom in variant.premises:
        if len(atom.path) > 1:
            yield "a premise has one relation; write a premise for each step", "/".join(atom.path)
        if atom.is_alias and (atom.subject not in known or atom.object in known):
            yield "an alias is a new name of a thing that another premise is about", atom.object
    if any(atom.is_alias for atom in variant.conclusion):
        yield "a conclusion cannot be about a name", conclusion
    if len(variant.fresh) > 1 or (variant.fresh and variant.expected == "yes"):
        new = " and ".join(variant.fresh)
        yield f"no premise has {new}; only a conclusion with the answer no can have one new thing", conclusion
    if variant.expected == "no" and (variant.at_least or len(variant.conclusion) > 1):
        yield "a conclusion with the answer no must be one claim", conclusion
    for condition in variant.conditions:
        for part in condition.parts:
            if part.startswith("?") and part not in variant.things:
                yield f"'{part}' is in no premise and not in the conclusion", part
