"""From a configuration of RDFMutate to a profile and the operators that it names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from kgprobe.config.rdfmutate.configuration import Configuration, Named, read_configuration
from kgprobe.config.rdfmutate.rules import Rule, read_rules
from kgprobe.config.rdfmutate.search import find_file
from kgprobe.config.rdfmutate.translation import translated
from kgprobe.config.writing import relative, toml_array, toml_string
from kgprobe.errors import InputError, Position, nearest, one_line
from kgprobe.graph.files import Loaded, load
from kgprobe.mutation.catalogue import all_operators
from kgprobe.mutation.update import parse_operator

__all__ = ["Conversion", "convert"]

_OPERATORS = "operators"


@dataclass(frozen=True)
class Conversion:
    """The text of a profile, those of operators by the paths that the profile has for them, and what to know of it."""

    profile: str
    operators: dict[str, str]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Entry:
    """What stands for one operator of RDFMutate: operators by name or file, which share its weight."""

    operators: tuple[str, ...]
    comment: str


def convert(path: Path, folder: Path) -> Conversion:
    """Read a configuration, and what it names. `folder` is where the profile will be."""
    return _Converter(read_configuration(path), folder).conversion()


class _Converter:
    def __init__(self, configuration: Configuration, folder: Path) -> None:
        self._configuration = configuration
        self._folder = folder
        self._notes: list[str] = []
        self._operators: dict[str, str] = {}

    def conversion(self) -> Conversion:
        seed = self._file(self._configuration.seed)
        masks = [self._file(mask) for mask in self._configuration.masks]
        entries = [self._class(named) for named in self._configuration.classes]
        entries += [entry for named in self._configuration.rules for entry in self._rules(named)]
        if not entries:
            message = "a configuration without mutation_operators makes no mutants"
            raise InputError(message, where=Position(str(self._configuration.path)))
        profile = "\n".join(self._profile(seed, masks, entries))
        self._note_the_rest()
        return Conversion(profile + "\n", self._operators, tuple(dict.fromkeys(self._notes)))

    # -- files and operators ------------------------------------------------------------------------------------------

    def _file(self, named: Named) -> Path:
        path, note = find_file(named, self._configuration.path)
        if note:
            self._notes.append(note)
        return path

    def _class(self, named: Named) -> _Entry:
        """The operators of the catalogue that do what a class of RDFMutate does."""
        known = _by_class()
        if named.name not in known:
            meant = nearest(named.name, known)
            hint = f"did you mean '{meant}'?" if meant else "see 'kgprobe operators list' for what there is"
            raise InputError(f"no operator of kgprobe is RDFMutate's '{named.name}'", where=named.where, hint=hint)
        return _Entry(tuple(known[named.name]), named.name)

    def _rules(self, named: Named) -> Iterator[_Entry]:
        path = self._file(named)
        loaded = _loaded(path)
        rules = read_rules(loaded)
        for rule in rules:
            if not rule.head:
                self._notes.append(f"{path}: rule '{one_line(rule.label)}' has nothing in its head, and is left out")
                continue
            name = self._name(path, rule, rules)
            text, notes = translated(rule, name, path.name, loaded.graph.spelling.prefixes)
            self._notes += [f"{path}: {note}" for note in notes]
            file = f"{_OPERATORS}/{name}.ru"
            parse_operator(text, file)  # what SPARQL cannot say, such as a value as a subject, is told now
            self._operators[file] = text
            yield _Entry((file,), one_line(f"{path.name}, {rule.label}" if rule.label else path.name))

    def _name(self, path: Path, rule: Rule, rules: Sequence[Rule]) -> str:
        """A name that no other operator has: that of the file, and of the rule if it is not the only one."""
        label = f"-{_plain(rule.label)}" if len(rules) > 1 and _plain(rule.label) else ""
        wanted = _plain(path.name.partition(".")[0]) + label
        wanted = wanted if wanted[:1].isalpha() else f"rule-{wanted}".rstrip("-")
        taken = {Path(file).stem.casefold() for file in self._operators}
        numbers = (f"{wanted}-{number}" for number in range(2, len(taken) + 3))
        return next(name for name in (wanted, *numbers) if name.casefold() not in taken)

    # -- the profile --------------------------------------------------------------------------------------------------

    def _profile(self, seed: Path, masks: Sequence[Path], entries: Sequence[_Entry]) -> Iterator[str]:
        configuration = self._configuration
        yield f"# What {one_line(configuration.path.name)} tells RDFMutate, for kgprobe."
        yield from ("", "[graph]", f"seeds = {toml_array([relative(seed, self._folder)])}")
        yield from ("", "[mutation]", "operators = [")
        written = set()
        for entry in entries:
            for operator in entry.operators:
                if operator not in written:
                    yield f"  {toml_string(operator)}, # {entry.comment}"
                written.add(operator)
        yield "]"
        yield from _weights(entries)
        yield f"mutations = {configuration.mutations}"
        yield f"mutants = {configuration.mutants}"
        yield f"seed = {configuration.strategy_seed} # RDFMutate's own numbers lead to other mutants"
        yield "attempts = 1000 # for each mutant; RDFMutate goes on for ever"
        yield from self._mask(masks)
        yield from ("", "[output]", 'folder = "mutants"')
        yield f"format = {toml_string('ofn' if configuration.output_type == 'owl' else 'ttl')}"

    def _mask(self, masks: Sequence[Path]) -> Iterator[str]:
        reasoning = self._configuration.reasoning
        reasons = reasoning.consistency and reasoning.reasoner != "none"
        if not masks and not reasons:
            return
        yield from ("", "[mask]")
        if masks:
            yield f"shapes = {toml_array(relative(mask, self._folder) for mask in masks)}"
        if reasons:
            theirs = reasoning.reasoner or "pellet"
            yield f'reasoner = "auto" # RDFMutate: {theirs}'
            self._notes.append(f"condition.reasoning.reasoner: {theirs} is now auto, which needs no Java")

    def _note_the_rest(self) -> None:
        """What a profile has no place for."""
        configuration = self._configuration
        self._notes.append(f"output_graph.file: {configuration.output.name} is now the folder mutants")
        if configuration.overwrite:
            self._notes.append("output_graph.overwrite is not carried over")
        if configuration.print_summary:
            self._notes.append("print_summary is not carried over: the manifest of a run tells each step")
        if not configuration.strict_parsing:
            self._notes.append("strict_parsing: false is not carried over: what cannot be read is always an error")


def _loaded(path: Path) -> Loaded:
    try:
        return load(path)
    except InputError as error:
        # The user has a file that never worked, and should not look for the fault here.
        message = f"this file itself is broken, and RDFMutate cannot read it either: {error.message}"
        if path.suffix == ".ttl":
            message = f"this file itself is broken Turtle, and RDFMutate cannot read it either: {error.message}"
        raise InputError(message, where=error.where or Position(str(path)), hint=error.hint) from None


@cache
def _by_class() -> Mapping[str, list[str]]:
    """The operators of the catalogue by the classes of RDFMutate that they stand for."""
    found: dict[str, list[str]] = defaultdict(list)
    for operator in all_operators():
        for name in operator.description.rdfmutate:
            found[name].append(operator.description.name)
    return dict(found)


def _weights(entries: Sequence[_Entry]) -> Iterator[str]:
    """RDFMutate draws from a list: an operator that is there twice has twice the weight."""
    weights: dict[str, Fraction] = defaultdict(Fraction)
    for entry in entries:
        for operator in entry.operators:
            name = operator.removeprefix(f"{_OPERATORS}/").removesuffix(".ru")
            weights[name] += Fraction(1, len(entry.operators))
    unusual = [f"{toml_string(name)} = {float(weight):g}" for name, weight in weights.items() if weight != 1]
    if unusual:
        yield f"weights = {{ {', '.join(unusual)} }}"


def _plain(text: str) -> str:
    """The text as part of a name."""
    return "-".join(re.findall(r"\w+", text, re.ASCII))
