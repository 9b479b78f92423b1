"""Reading rules: the built-in ones, and those in files of a user."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from kgprobe.errors import InputError, Position, nearest
from kgprobe.given_files import LARGEST_SETTINGS, parse_toml, read_text
from kgprobe.questions.rules.syntax import Atom, Condition, Rule, Variant, conclusion_of

__all__ = ["built_in", "chosen_rules", "read_rule", "rule_named"]

_NAMES = (
    *("composition", "alias", "transitive", "inverse", "symmetric", "inverse-of", "sub-property", "subclass"),
    *("functional", "domain", "range", "disjoint", "chain", "conjunction", "counting"),
)
_KEYS = ("about", "premises", "conclusion", "expected", "sound", "variants")
_MOST_PREMISES = 6
_Value = TypeVar("_Value")


@cache
def built_in() -> Mapping[str, Rule]:
    """The built-in rules by name, those of the paper first."""
    folder = resources.files("kgprobe.questions.rules")
    return {name: _rule(name, folder.joinpath(f"{name}.toml").read_text("utf-8"), f"{name}.toml") for name in _NAMES}


def rule_named(name: str) -> Rule:
    """The built-in rule with this name. InputError, with the nearest name, if there is none."""
    if name not in built_in():
        meant = nearest(name, built_in())
        hint = f"did you mean '{meant}'?" if meant else f"the rules are {', '.join(built_in())}"
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
    for each in wanted:
        is_file = isinstance(each, Path) or each.endswith(".toml")
        rule = read_rule(Path(each)) if is_file else rule_named(str(each))
        if rules.setdefault(rule.name, rule).source != rule.source:
            raise InputError(f"two rules are named '{rule.name}'", hint="rename the file of one of them")
    return tuple(rules.values())


def _rule(name: str, text: str, file: str) -> Rule:
    document = parse_toml(text, file)
    source = _Source(file, text)
    source.check_keys(document, _KEYS)
    about = source.text(document, "about", "")
    given = document.get("variants", [{}])
    if not isinstance(given, list) or not given or not all(isinstance(each, dict) for each in given):
        raise source.error("'variants' must be a list of tables", "variants")
    shared = {key: value for key, value in document.items() if key not in ("variants", "about")}
    for each in given:
        source.check_keys(each, _KEYS[1:-1])
    return Rule(name, about, tuple(_variant(source, shared | each) for each in given), text)


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
    conclusion, at_least = source.read(conclusion_of, written)
    conditions = tuple(source.read(Condition.of, text) for text in source.texts(table, "sound"))
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
                meant = nearest(key, valid)
                hint = f"did you mean '{meant}'?" if meant else f"the keys are {', '.join(valid)}"
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
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
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
