"""A configuration of RDFMutate: YAML with fixed keys. Anything else in it is an error, as it is for RDFMutate."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import yaml

from kgprobe.errors import InputError, Position, did_you_mean, nearest
from kgprobe.given_files import DEEPEST, LARGEST_SETTINGS, read_text

_Value = TypeVar("_Value")
_KINDS = ("rdf", "owl")
_REASONERS = ("hermit", "pellet", "jena", "elk", "none")
SWRL = "swrl"
ASSOCIATION_RULE = "ASSOCIATION_RULE"
_SYNTAXES = (SWRL, ASSOCIATION_RULE)
# RDFMutate's whole numbers have 32 bits.
_INTEGERS = range(-(1 << 31), 1 << 31)
_LONGEST_NUMBER = 40
# An alias can stand for a long list, again and again.
_MOST_OPERATORS = 10_000
_BRACKETS = re.compile(r"[\[\]{}]")
_STRING, _INTEGER, _BOOLEAN = "tag:yaml.org,2002:str", "tag:yaml.org,2002:int", "tag:yaml.org,2002:bool"
_FLOAT = "tag:yaml.org,2002:float"


@dataclass(frozen=True)
class Named:
    """A file or an operator that a configuration names, and where it does."""

    name: str
    where: Position


@dataclass(frozen=True)
class RuleFile(Named):
    """A file of rules, and the syntax that they are in."""

    syntax: str


@dataclass(frozen=True)
class Reasoning:
    """Whether mutants must be consistent, and by which reasoner."""

    consistency: bool = False
    reasoner: str | None = None


@dataclass(frozen=True)
class Configuration:
    """A configuration with the defaults of RDFMutate. Operators are classes and files of SWRL rules, as in the text."""

    path: Path
    seed: Named
    seed_type: str
    output: Named
    output_type: str
    overwrite: bool
    mutations: int
    mutants: int
    strategy_seed: int
    reasoning: Reasoning
    masks: tuple[Named, ...]
    classes: tuple[Named, ...]
    rules: tuple[RuleFile, ...]
    strict_parsing: bool
    print_summary: bool


@dataclass(frozen=True)
class Extraction:
    """A configuration for mining operators from graphs."""

    path: Path
    graphs: tuple[Named, ...]
    output: Named
    overwrite: bool
    rule_matches: int
    head_matches: int
    confidence: float
    atoms: int
    seconds: int


def read_configuration(path: str | Path) -> Configuration | Extraction:
    """Read a configuration for mutants, or for extraction. InputError with the place of the first mistake."""
    return _Reader(Path(path)).configuration()


class _Table:
    """A mapping of the file. Each key is taken once; keys that are left at the end are unknown."""

    def __init__(self, node: yaml.Node | None, reader: _Reader, name: str) -> None:
        self._reader = reader
        self._name = name
        self._left: dict[str, yaml.Node] = {}
        self._asked: list[str] = []
        self.where = reader.position(node) if node else Position(reader.file)
        if node is None or _is_null(node):
            return
        if not isinstance(node, yaml.MappingNode):
            raise InputError(f"'{name}' is a mapping of keys to values", where=self.where)
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value in self._left:
                raise InputError(f"'{name}' has a key that is not a name or occurs twice", where=reader.position(key))
            self._left[key.value] = value
        self._keys = {key.value: key for key, _ in node.value}

    def __enter__(self) -> _Table:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            for key in self._left:
                hint = did_you_mean(key, self._asked, f"RDFMutate knows {', '.join(self._asked)}")
                where = self._reader.position(self._keys[key])
                raise InputError(f"RDFMutate has no key '{key}' in '{self._name}'", where=where, hint=hint)

    def take(self, key: str) -> yaml.Node | None:
        self._asked.append(key)
        found = self._left.pop(key, None)
        return None if found is None or _is_null(found) else found

    def has(self, key: str) -> bool:
        return key in self._left

    def needed_table(self, key: str) -> _Table:
        if key not in self._left:
            self._asked.append(key)
            raise self._missing(key)
        return self.table(key)

    def table(self, key: str) -> _Table:
        return _Table(self.take(key), self._reader, key)

    def tables(self, key: str) -> Iterator[_Table]:
        node = self.take(key)
        if node is not None and not isinstance(node, yaml.SequenceNode):
            raise InputError(f"'{key}' is a list", where=self._reader.position(node))
        for element in node.value if node else ():
            yield _Table(element, self._reader, key)

    def list_of_names(self, key: str) -> Iterator[Named]:
        node = self.take(key)
        if node is not None and not isinstance(node, yaml.SequenceNode):
            raise InputError(f"'{key}' is a list", where=self._reader.position(node))
        for element in node.value if node else ():
            yield Named(self._scalar(element, key, _STRING, "a list of strings"), self._reader.position(element))

    def share(self, key: str) -> float:
        node = self.take(key)
        if node is None:
            raise self._missing(key)
        is_integer = isinstance(node, yaml.ScalarNode) and node.tag == _INTEGER
        value = (
            float(self._constructed(node, key, _INTEGER, "a number", int))
            if is_integer
            else self._constructed(node, key, _FLOAT, "a number", float)
        )
        if not 0 <= value <= 1:
            raise InputError(f"'{key}' is a number from 0 to 1, not {value:g}", where=self._reader.position(node))
        return value

    def named(self, key: str) -> Named:
        node = self.take(key)
        if node is None:
            raise self._missing(key)
        return Named(self._scalar(node, key, _STRING, "a string"), self._reader.position(node))

    def choice(self, key: str, valid: Sequence[str], default: str | None) -> str | None:
        node = self.take(key)
        if node is None:
            return default
        value = self._scalar(node, key, _STRING, "a string")
        if value not in valid:
            hint = did_you_mean(value, valid, f"valid are {', '.join(valid)}")
            raise InputError(f"'{value}' is not a value for '{key}'", where=self._reader.position(node), hint=hint)
        return value

    def integer(self, key: str, default: int | None, *, least: int | None = None) -> int:
        node = self.take(key)
        if node is None and default is None:
            raise self._missing(key)
        if node is None:
            return default or 0
        number = self._constructed(node, key, _INTEGER, "a whole number", int)
        if number not in _INTEGERS:
            message = f"'{key}' is too large, as a whole number of RDFMutate has 32 bits"
            raise InputError(message, where=self._reader.position(node))
        if least is not None and number < least:
            raise InputError(f"'{key}' is at least {least}, not {number}", where=self._reader.position(node))
        return number

    def boolean(self, key: str, default: bool) -> bool:
        node = self.take(key)
        return default if node is None else self._constructed(node, key, _BOOLEAN, "true or false", bool)

    def _missing(self, key: str) -> InputError:
        written = nearest(key, self._left)
        hint = f"it has '{written}'" if written else None
        return InputError(f"'{self._name}' needs '{key}'", where=self.where, hint=hint)

    def _scalar(self, node: yaml.Node, key: str, tag: str, kind: str) -> str:
        if not isinstance(node, yaml.ScalarNode) or node.tag != tag:
            raise InputError(f"'{key}' is {kind}", where=self._reader.position(node))
        return str(node.value)

    def _constructed(self, node: yaml.Node, key: str, tag: str, kind: str, type_: type[_Value]) -> _Value:
        text = self._scalar(node, key, tag, kind)
        if len(text) > _LONGEST_NUMBER:
            message = f"'{key}' is {kind}, not a value of {len(text)} characters"
            raise InputError(message, where=self._reader.position(node))
        value = yaml.safe_load(text)
        if type(value) is not type_:  # it has the tag, and is something else: !!int "many"
            raise InputError(f"'{key}' is {kind}", where=self._reader.position(node))
        return value


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self.file = str(path)

    def position(self, node: yaml.Node) -> Position:
        return Position(self.file, node.start_mark.line + 1, node.start_mark.column + 1)

    def configuration(self) -> Configuration | Extraction:
        with _Table(self._root(), self, "configuration") as root:
            return self._extraction(root) if root.has("kg_files") else self._mutation(root)

    def _extraction(self, root: _Table) -> Extraction:
        root.take("jar_location")
        graphs = tuple(root.list_of_names("kg_files"))
        if not graphs:
            raise InputError("'kg_files' names no graph", where=root.where)
        with root.needed_table("output") as output:
            output_file, overwrite = output.named("file"), output.boolean("overwrite", False)
            output.choice("type", _KINDS, "rdf")
        with root.needed_table("parameters") as parameters:
            return Extraction(
                path=self._path,
                graphs=graphs,
                output=output_file,
                overwrite=overwrite,
                rule_matches=parameters.integer("min_rule_match", None, least=1),
                head_matches=parameters.integer("min_head_match", None, least=1),
                confidence=parameters.share("min_confidence"),
                atoms=parameters.integer("max_rule_length", None, least=2),
                seconds=parameters.integer("timeout", 3600, least=1),
            )

    def _mutation(self, root: _Table) -> Configuration:
        with root.needed_table("seed_graph") as seed:
            seed_file, seed_type = seed.named("file"), seed.choice("type", _KINDS, "rdf")
        with root.table("output_graph") as output:
            output_file, output_type = output.named("file"), output.choice("type", _KINDS, "rdf")
            overwrite = output.boolean("overwrite", False)
        with root.table("strategy") as strategy:
            strategy.choice("name", ("random",), "random")
            strategy_seed = strategy.integer("seed", 42)
        with root.table("condition") as condition:
            reasoning = self._reasoning(condition)
            masks = tuple(self._masks(condition))
        classes, rules = self._operators(root)
        return Configuration(
            path=self._path,
            seed=seed_file,
            seed_type=seed_type or "rdf",
            output=output_file,
            output_type=output_type or "rdf",
            overwrite=overwrite,
            mutations=root.integer("number_of_mutations", None, least=1),
            mutants=root.integer("number_of_mutants", 1, least=1),
            strategy_seed=strategy_seed,
            reasoning=reasoning,
            masks=masks,
            classes=classes,
            rules=rules,
            strict_parsing=root.boolean("strict_parsing", True),
            print_summary=root.boolean("print_summary", False),
        )

    def _root(self) -> yaml.Node:
        text = read_text(self._path, LARGEST_SETTINGS)
        self._check_depth(text)
        try:
            root: yaml.Node | None = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            where = Position(self.file, mark.line + 1, mark.column + 1) if mark else Position(self.file)
            raise InputError(f"this is not YAML: {error.problem or error.context}", where=where) from None
        except RecursionError:
            raise InputError("this is nested too deeply", where=Position(self.file)) from None
        except (yaml.YAMLError, ValueError) as error:
            raise InputError(f"this is not YAML: {error}", where=Position(self.file)) from None
        if root is None:
            raise InputError("this configuration is empty", where=Position(self.file))
        return root

    def _check_depth(self, text: str) -> None:
        """Brackets in brackets: the time that the parser takes grows with the square of their depth."""
        depth = 0
        for found in _BRACKETS.finditer(text):
            depth = depth + 1 if found[0] in "[{" else max(depth - 1, 0)
            if depth > DEEPEST:
                where = Position(self.file, text.count("\n", 0, found.start()) + 1)
                raise InputError(f"brackets are nested more than {DEEPEST} levels deep", where=where)

    def _reasoning(self, condition: _Table) -> Reasoning:
        with condition.table("reasoning") as table:
            return Reasoning(table.boolean("consistency", False), table.choice("reasoner", _REASONERS, None))

    def _masks(self, condition: _Table) -> Iterator[Named]:
        for element in condition.tables("masks"):
            with element as mask:
                yield mask.named("file")

    def _operators(self, root: _Table) -> tuple[tuple[Named, ...], tuple[RuleFile, ...]]:
        classes: list[Named] = []
        rules: list[RuleFile] = []
        for element in root.tables("mutation_operators"):
            with element as entry:
                module, resource = entry.take("module"), entry.take("resource")
                if (module is None) == (resource is None):
                    raise InputError("an operator has either a 'module' or a 'resource'", where=entry.where)
                if module is not None:
                    classes += self._module(_Table(module, self, "module"))
                else:
                    rules.append(self._resource(_Table(resource, self, "resource")))
                if len(classes) + len(rules) > _MOST_OPERATORS:
                    message = f"there are more than {_MOST_OPERATORS} operators up to here"
                    raise InputError(message, where=entry.where)
        return tuple(classes), tuple(rules)

    def _module(self, module: _Table) -> list[Named]:
        with module:
            module.named("location")
            found = []
            for element in module.tables("operators"):
                with element as operator:
                    found.append(operator.named("className"))
            return found

    def _resource(self, resource: _Table) -> RuleFile:
        with resource:
            file = resource.named("file")
            return RuleFile(file.name, file.where, resource.choice("syntax", _SYNTAXES, SWRL) or SWRL)


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"
