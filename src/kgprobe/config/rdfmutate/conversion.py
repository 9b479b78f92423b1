"""From a configuration of RDFMutate to a profile and the operators that it names.

Some operator classes of RDFMutate have counterparts here; for the others, this module knows why they have none.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path

from kgprobe.config.rdfmutate.configuration import (
    ASSOCIATION_RULE,
    Configuration,
    Extraction,
    Named,
    RuleFile,
    read_configuration,
)
from kgprobe.config.rdfmutate.rules import Rule, RuleReader, read_rules, translated
from kgprobe.config.toml import relative, toml_array, toml_string
from kgprobe.errors import InputError, Position, did_you_mean, one_line
from kgprobe.formats.files import Loaded, load
from kgprobe.mining.operators import Update, operators_of, update_of, update_text
from kgprobe.mutation.catalogue import all_operators
from kgprobe.mutation.update import parse_operator, read_operator
from kgprobe.rdf.spelling import STANDARD_PREFIXES
from kgprobe.reasoners.catalogue import REASONERS

_OPERATORS = "operators"
_DEFAULT_REASONER = "pellet"
_MOST_MINED_ATOMS = 3
_REASONERS = {"elk": "elk", "hermit": "hermit", "pellet": "openllet"}
# Letters of an operator's name, which is that of its file, too.
_LONGEST_NAME = 80
# Named in a configuration, these change nothing: their arguments can only be set in Kotlin.
_IDLE = {
    "AddStatementMutation": "it adds a statement that only Kotlin code can give it",
    "ReplaceNodeInStatementMutation": "it replaces a node that only Kotlin code can give it",
    "ReplaceNodeWithNode": "it replaces a node that only Kotlin code can give it",
    "RuleMutation": "it applies a rule, and rules come from the file of a 'resource'",
    "Mutation": "it is the base class of all operators, and changes nothing itself",
}
_BASE = "it is an abstract class, which RDFMutate cannot use, either"
_EXAMPLE = "it belongs to an example of RDFMutate; write it as a .ru file"
_REFUSED = {
    **dict.fromkeys(
        (
            *("AddClassRelationMutation", "AddComplexSubClassAxiomMutation", "AddDataPropClassRelationMutation"),
            *("AddIndividualRelationMutation", "AddNegativePropertyRelationMutation", "AddTypeInformationMutation"),
            *("AddObjectPropClassRelationMutation", "AddRelationBetweenDataPropMutation"),
            *("AddRelationBetweenObjectPropMutation", "AddRelationByTypesMutation", "DeclareObjectOfTypeMutation"),
            *("RemoveStatementByRelationMutation", "RemoveStatementByTypeOfRelationMutation", "AUVMutation"),
        ),
        _BASE,
    ),
    **dict.fromkeys(("AddPipeSegmentMutation", "FOAFMutant", "Mutant", "PizzaMutation", "SPARQLMutant"), _EXAMPLE),
}


@dataclass(frozen=True)
class Conversion:
    """The text of a profile, the texts of operators by the paths that the profile has for them, and notes for users.

    For a configuration that extracts operators, there is only the `command` that does the same.
    """

    profile: str
    operators: dict[str, str]
    notes: tuple[str, ...]
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Entry:
    """The counterpart of one operator of RDFMutate: operators by name or file, which share its weight."""

    operators: tuple[str, ...]
    comment: str


def converted(path: Path, folder: Path) -> Conversion:
    """The profile and the operators for a configuration, or how to mine. `folder` is where the profile will be."""
    configuration = read_configuration(path)
    if isinstance(configuration, Extraction):
        return _mining(configuration, folder)
    return _Converter(configuration, folder).conversion()


def _mining(extraction: Extraction, folder: Path) -> Conversion:
    """RDFMutate calls the number of matches of a whole rule its support, as its miner does."""
    notes: list[str] = []
    files = []
    for graph in extraction.graphs:
        path, note = _find_file(graph, extraction.path)
        files.append(str(path))
        notes += [note] if note else []
    if extraction.atoms > _MOST_MINED_ATOMS:
        told = f"parameters.max_rule_length: {extraction.atoms} is now {_MOST_MINED_ATOMS}"
        notes.append(f"{told}: kgprobe finds no longer rules, but it takes them from a file of ASSOCIATION_RULE")
    notes.append(f"output.file: {extraction.output.name} is now the folder {folder / _OPERATORS}")
    options = {
        "--min-support": extraction.rule_matches,
        "--min-body": extraction.rule_matches,
        "--min-head": extraction.head_matches,
        "--min-confidence": f"{extraction.confidence:g}",
        "--max-atoms": min(extraction.atoms, _MOST_MINED_ATOMS),
        "--time-limit": extraction.seconds,
        "--out": folder / _OPERATORS,
    }
    words = [*files, "--vocabulary-only", *(str(word) for option in options.items() for word in option)]
    force = ["--force"] if extraction.overwrite else []
    return Conversion("", {}, tuple(notes), ("kgprobe", "operators", "mine", *words, *force))


class _Converter:
    def __init__(self, configuration: Configuration, folder: Path) -> None:
        self._configuration = configuration
        self._folder = folder
        self._notes: list[str] = []
        self._left_out: list[str] = []
        self._operators: dict[str, str] = {}

    def conversion(self) -> Conversion:
        seed = self._file(self._configuration.seed)
        masks = [path for mask in self._configuration.masks for path in self._mask_file(mask)]
        entries = [entry for named in self._configuration.classes for entry in self._class(named)]
        entries += [entry for named in self._configuration.rules for entry in self._rules(named)]
        if not entries:
            message = "a configuration without mutation_operators makes no mutants"
            if self._left_out:
                message = f"no operator is left: {self._left_out[0]}"
            raise InputError(message, where=Position(str(self._configuration.path)))
        profile = "\n".join(self._profile(seed, masks, entries))
        self._note_the_rest()
        return Conversion(profile + "\n", self._operators, tuple(dict.fromkeys(self._notes)))

    # -- files and operators ------------------------------------------------------------------------------------------

    def _file(self, named: Named) -> Path:
        path, note = _find_file(named, self._configuration.path)
        if note:
            self._notes.append(note)
        return path

    @contextmanager
    def _lenient(self) -> Iterator[None]:
        """With strict_parsing: false, RDFMutate skips operators that it cannot read."""
        try:
            yield
        except InputError as error:
            if self._configuration.strict_parsing:
                raise
            self._leave_out(f"{error}; it is left out, since strict_parsing is false")

    def _leave_out(self, note: str) -> None:
        self._notes.append(note)
        self._left_out.append(note)

    def _mask_file(self, named: Named) -> Iterator[Path]:
        with self._lenient():
            path = self._file(named)
            _loaded(path)
            yield path

    def _class(self, named: Named) -> Iterator[_Entry]:
        """The counterparts of a class of RDFMutate."""
        name = class_name(named.name)
        if name != named.name:
            self._notes.append(f"{named.where}: {one_line(named.name)} is taken to be {one_line(name)}")
        if reason := idle_reason(name):
            self._leave_out(f"{named.where}: {name} is left out, as it changes nothing in RDFMutate: {reason}")
            return
        with self._lenient():
            found = counterparts(name)
            if found is None:
                raise _without_counterpart(name, named.where)
            for operator, text in found.texts:
                self._operators[f"{_OPERATORS}/{operator}.ru"] = text
            files = (f"{_OPERATORS}/{operator}.ru" for operator, _ in found.texts)
            yield _Entry((*found.names, *files), name)

    def _association_rules(self, named: RuleFile) -> Iterator[_Entry]:
        """All operators of mined rules: those that add the pattern of a rule, and those that remove it."""
        path = self._file(named)
        seed = _loaded(self._file(self._configuration.seed)).graph
        for where, rule in read_rules(path, {**STANDARD_PREFIXES, **seed.spelling.prefixes}):
            with self._lenient():
                if isinstance(rule, InputError):
                    raise rule
                for operator in operators_of(rule):
                    update = update_of(operator, seed)
                    file = self._operator_file(update)
                    yield _Entry((file,), f"{path.name}, line {where.line}")

    def _operator_file(self, update: Update) -> str:
        """The file of an operator: the same for the same text."""
        for number in itertools.count(1):
            name = update.name if number == 1 else f"{update.name}-{number}"
            text = update_text(replace(update, name=name))
            file = f"{_OPERATORS}/{name}.ru"
            if self._operators.setdefault(file, text) == text:
                return file
        raise AssertionError("there are enough numbers")

    def _rules(self, named: RuleFile) -> Iterator[_Entry]:
        if named.syntax == ASSOCIATION_RULE:
            with self._lenient():
                yield from self._association_rules(named)
            return
        with self._lenient():
            path = self._file(named)
            loaded = _loaded(path)
            reader = RuleReader(loaded)
            rules = []
            for root in reader.roots():
                with self._lenient():
                    rules.append(reader.rule(root))
            # Rules are blank nodes, whose labels a parser makes up.
            rules.sort(key=lambda rule: (rule.label, str(rule.body), str(rule.head)))
            for rule in rules:
                with self._lenient():
                    yield from self._rule(path, rule, rules, loaded.graph.spelling.prefixes)

    def _rule(self, path: Path, rule: Rule, rules: Sequence[Rule], prefixes: Mapping[str, str]) -> Iterator[_Entry]:
        if not rule.head:
            self._leave_out(f"{path}: rule '{one_line(rule.label)}' has nothing in its head, and is left out")
            return
        name = self._name(path, rule, rules)
        text, notes = translated(rule, name, path.name, prefixes)
        self._notes += [f"{path}: {note}" for note in notes]
        file = f"{_OPERATORS}/{name}.ru"
        parse_operator(text, file)  # an error now if SPARQL cannot express the rule, such as a literal as a subject
        self._operators[file] = text
        yield _Entry((file,), one_line(f"{path.name}, {rule.label}" if rule.label else path.name))

    def _name(self, path: Path, rule: Rule, rules: Sequence[Rule]) -> str:
        """A name that no other operator has: that of the file, and of the rule if it is not the only one."""
        label = f"-{_plain(rule.label)}" if len(rules) > 1 and _plain(rule.label) else ""
        wanted = (_plain(path.name.partition(".")[0]) + label)[:_LONGEST_NAME]
        wanted = wanted if wanted[:1].isalpha() else f"rule-{wanted}".rstrip("-")
        taken = {Path(file).stem.casefold() for file in self._operators}
        numbers = (f"{wanted}-{number}" for number in range(2, len(taken) + 3))
        return next(name for name in (wanted, *numbers) if name.casefold() not in taken)

    # -- the profile --------------------------------------------------------------------------------------------------

    def _profile(self, seed: Path, masks: Sequence[Path], entries: Sequence[_Entry]) -> Iterator[str]:
        configuration = self._configuration
        yield f"# The RDFMutate configuration {one_line(configuration.path.name)} as a profile for kgprobe."
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
        yield "attempts = 1000 # for each mutant; RDFMutate has no limit"
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
            theirs = reasoning.reasoner or _DEFAULT_REASONER
            ours, why = _reasoner(reasoning.reasoner)
            yield f"reasoner = {toml_string(ours)} # RDFMutate: {theirs}"
            if ours != theirs:
                self._notes.append(f"condition.reasoning.reasoner: {theirs} is now {ours}, {why}")

    def _note_the_rest(self) -> None:
        """Settings that a profile cannot express."""
        configuration = self._configuration
        self._notes.append(f"output_graph.file: {configuration.output.name} is now the folder mutants")
        if configuration.overwrite:
            self._notes.append("output_graph.overwrite is not carried over")
        if configuration.print_summary:
            self._notes.append("print_summary is not carried over: the manifest of a run lists each step")


def _loaded(path: Path) -> Loaded:
    try:
        return load(path)
    except InputError as error:
        # The user has a file that never worked, and should not look for the fault here.
        message = f"this file itself is broken, and RDFMutate cannot read it either: {error.message}"
        if path.suffix == ".ttl":
            message = f"this file itself is broken Turtle, and RDFMutate cannot read it either: {error.message}"
        raise InputError(message, where=error.where or Position(str(path)), hint=error.hint) from None


def _without_counterpart(name: str, where: Position) -> InputError:
    reason = refusal(name)
    hint = reason or did_you_mean(name, known_classes(), "see 'kgprobe operators list', or write it as a .ru file")
    return InputError(f"RDFMutate's '{one_line(name)}' has no counterpart here", where=where, hint=hint)


def _weights(entries: Sequence[_Entry]) -> Iterator[str]:
    """RDFMutate draws from a list: an operator that occurs twice has twice the weight."""
    weights: dict[str, Fraction] = defaultdict(Fraction)
    for entry in entries:
        for operator in entry.operators:
            name = operator.removeprefix(f"{_OPERATORS}/").removesuffix(".ru")
            weights[name] += Fraction(1, len(entry.operators))
    unusual = [f"{toml_string(name)} = {float(weight):g}" for name, weight in weights.items() if weight != 1]
    if unusual:
        yield f"weights = {{ {', '.join(unusual)} }}"


def _reasoner(theirs: str | None) -> tuple[str, str]:
    """The reasoner to use for one of RDFMutate, and why it is another one. Theirs are used where they are installed."""
    ours = _REASONERS.get(theirs or "")
    if ours is None:
        return "auto", "which needs no Java"
    available = REASONERS[ours].available()
    if available.version is None:
        return "auto", f"which needs no Java: for {ours}, {available.install}"
    return ours, "which continues it"


def _plain(text: str) -> str:
    """The text as part of a name."""
    return "-".join(re.findall(r"\w+", text, re.ASCII))


def _find_file(named: Named, configuration: Path) -> tuple[Path, str | None]:
    """The file, and a note if it was not where the name says, seen from the configuration.

    RDFMutate is mostly started at the root of a project, which is a folder above the configuration; and files are
    copied without the folders that they were in.
    """
    folder = configuration.parent
    for place in _places(Path(named.name), folder):
        if place.is_file():
            note = None if place == folder / named.name else f"{named.name} is taken to be {place}"
            return place, note
    message = f"{named.name} was not found from the configuration, from here, or from any folder above"
    raise InputError(message, where=named.where)


def _places(name: Path, folder: Path) -> Iterator[Path]:
    yield folder / name
    yield Path.cwd() / name
    if not name.is_absolute():
        yield from (above / name for above in folder.resolve().parents)
    for first in range(1, len(name.parts)):
        shorter = Path(*name.parts[first:])
        yield folder / shorter
        yield Path.cwd() / shorter


@dataclass(frozen=True)
class Counterparts:
    """The counterpart of a class: operators of the catalogue by their names, and others with their texts."""

    names: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()


def class_name(written: str) -> str:
    """The simple name of a class. In Kotlin's lists, names end with ::class and a comma."""
    return written.rstrip(", ").removesuffix("::class").rpartition(".")[2]


def counterparts(name: str) -> Counterparts | None:
    """The counterpart of a class; None if it has none."""
    return _known().get(name)


def idle_reason(name: str) -> str | None:
    """Why a class of RDFMutate changes nothing; None if it does change something."""
    return _IDLE.get(name)


def refusal(name: str) -> str | None:
    """Why a class of RDFMutate has no counterpart, if that is known."""
    return _REFUSED.get(name)


def known_classes() -> list[str]:
    """All classes that have a counterpart."""
    return sorted(_known())


@cache
def _known() -> Mapping[str, Counterparts]:
    built_in: dict[str, list[str]] = defaultdict(list)
    for operator in all_operators():
        for name in operator.description.rdfmutate:
            built_in[name].append(operator.description.name)
    found = {name: Counterparts(tuple(operators)) for name, operators in built_in.items()}
    for special in map(read_operator, sorted(_suave().glob("*.ru"))):
        for name in special.description.rdfmutate:
            found[name] = Counterparts(texts=((special.description.name, special.source),))
    return found


def _suave() -> Path:
    """The operators for SUAVE: in the package if that is installed, and among the examples where it is developed."""
    inside = Path(__file__).parent / "suave"
    return inside if inside.is_dir() else Path(__file__).parents[4] / "examples" / "suave"
