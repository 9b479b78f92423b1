"""`kgprobe mutate`: make mutants of a seed graph by random, recorded steps."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import option, print_json, spelled, takes
from kgprobe.cli.progress import counting_progress
from kgprobe.config.generation import folder_for, generator_for, rebuilt
from kgprobe.config.loading import load_profile
from kgprobe.config.preparation import Material, Seed, prepare_mutation
from kgprobe.config.profile import GraphTable, Inputs, MaskTable, MutationTable, OutputTable, PinsTable
from kgprobe.errors import InputError
from kgprobe.formats.files import save
from kgprobe.masks.shacl import ENGINES
from kgprobe.mutation.generator import STRATEGIES
from kgprobe.mutation.mutant import read_manifest
from kgprobe.mutation.output import Written, change_text, clear
from kgprobe.report.mutation import Made
from kgprobe.wording import number_of
from kgprobe.written_files import check_writable, write_new

_EXAMPLES = """\b
Examples:
  kgprobe mutate profile.toml                                   with the settings of a profile
  kgprobe mutate onto.owl --operators owl-el --mutations 30 --count 100 --seed 42 --out mutants
  kgprobe mutate robot.ttl --operators generic --mask shapes.ttl --pin robot: --write patches
  kgprobe mutate profile.toml --count 5 --json                  only five, with the results as JSON
  kgprobe mutate --replay mutants/manifest.jsonl#17             mutant 17 again, to standard output
"""
_NUMBER = re.compile(r"[0-9]{1,18}")
# With --replay, only these options are allowed: the manifest determines everything else.
_HOW_TO_WRITE = {"--replay", "--out", "--write", "--format", "--force"}


# -- options -----------------------------------------------------------------------------------------------------------

_QUERIES = (".rq", ".sparql")
_Table = TypeVar("_Table", GraphTable, MaskTable, PinsTable, MutationTable, OutputTable)


@dataclass(frozen=True)
class MutateTables:
    """The tables of a profile that control which mutants to make, and where to write them."""

    inputs: Inputs
    mutation: MutationTable
    output: OutputTable


@dataclass(frozen=True, kw_only=True)
class MutateOptions:
    """The options of the command; those not given are None, false or empty."""

    operators: tuple[str, ...] = option(
        "--operators", metavar="NAME", multiple=True, help="An operator set, an operator, or a .ru file."
    )
    mutations: int | None = option(
        "--mutations", type=click.IntRange(1), metavar="N", help="Steps from the seed graph to a mutant.  [30]"
    )
    count: int | None = option(
        "--count", type=click.IntRange(1), metavar="N", help="Mutants of each seed graph.  [100]"
    )
    seed: int | None = option("--seed", type=int, metavar="N", help="The same number gives the same mutants.  [0]")
    strategy: str | None = option(
        "--strategy", type=click.Choice(list(STRATEGIES)), help="How operators are picked.  [uniform]"
    )
    attempts: int | None = option(
        "--attempts", type=click.IntRange(1), metavar="N", help="Maximum number of attempts for each mutant.  [1000]"
    )
    masks: tuple[str, ...] = option(
        "--mask", metavar="FILE", multiple=True, help="SHACL shapes, or an ASK query named .rq."
    )
    engine: str | None = option(
        "--shacl-engine", type=click.Choice(list(ENGINES)), help="The engine that validates shapes."
    )
    reasoner: str | None = option(
        "--reasoner", metavar="NAME", help="Mutants must be consistent, by this reasoner; auto needs no Java."
    )
    pins: tuple[str, ...] = option(
        "--pin",
        metavar="FILE|NAMESPACE|imports",
        multiple=True,
        help="Triples that no operator touches: those in a file, those with a subject in a namespace, or imports.",
    )
    folders: tuple[str, ...] = option(
        "--imports",
        metavar="FOLDER",
        multiple=True,
        type=click.Path(exists=True, file_okay=False),
        help="Look for owl:imports in this folder.",
    )
    catalogs: tuple[str, ...] = option(
        "--catalog", metavar="FILE", multiple=True, help="Look for owl:imports in this catalog."
    )
    out: str | None = option(
        "--out", metavar="PATH", help="The folder to write to, or with --replay the file.  [mutants]"
    )
    written: str | None = option(
        "--write",
        type=click.Choice([w.value for w in Written]),
        help="Whole graphs, or only the changes.  [graphs]",
    )
    format_name: str | None = option(
        "--format", old="--to", metavar="FORMAT", help="The format of whole graphs.  [turtle]"
    )
    force: bool = option(
        "--force", is_flag=True, help="Replace the mutants of an earlier run, or with --replay the file."
    )
    replay: str | None = option("--replay", metavar="MANIFEST#N", help="Make one mutant of an earlier run again.")
    as_json: bool = option("--json", is_flag=True, help="Print JSON.")

    def __post_init__(self) -> None:
        if self.out == "":
            raise InputError("--out is empty", hint="name a folder, or with --replay a file")

    def given(self) -> Iterator[str]:
        """The options that were given, as they are written."""
        for field in dataclasses.fields(self):
            if getattr(self, field.name) not in (None, (), False):
                yield spelled(self, field.name)

    def applied_to(self, tables: MutateTables) -> MutateTables:
        """The tables of a profile, overridden by values from the command line."""
        queries = [path for path in self.masks if path.lower().endswith(_QUERIES)]
        shapes = [path for path in self.masks if path not in queries]
        files = [pin for pin in self.pins if pin != "imports" and _is_file(pin)]
        namespaces = [pin for pin in self.pins if pin != "imports" and pin not in files]
        inputs = dataclasses.replace(
            tables.inputs,
            graph=_replaced(tables.inputs.graph, imports=_paths(self.folders), catalogs=_paths(self.catalogs)),
            mask=_replaced(
                tables.inputs.mask,
                shapes=_paths(shapes),
                queries=_paths(queries),
                reasoner=self.reasoner,
                shacl_engine=self.engine,
            ),
            pins=_replaced(
                tables.inputs.pins,
                files=_paths(files),
                namespaces=tuple(namespaces),
                imports="imports" in self.pins or None,
            ),
        )
        mutation = _replaced(
            tables.mutation,
            operators=self.operators,
            mutations=self.mutations,
            mutants=self.count,
            seed=self.seed,
            strategy=self.strategy,
            attempts=self.attempts,
        )
        if not mutation.operators and not mutation.python:
            hint = "name a set: --operators generic for any graph, --operators owl-el for an ontology"
            raise InputError("no operators are named", hint=hint)
        output = _replaced(
            tables.output, folder=self.out and Path(self.out), format=self.format_name, write=self.written
        )
        return MutateTables(inputs, mutation, output)


def _replaced(table: _Table, **values: Any) -> _Table:
    return dataclasses.replace(table, **{key: value for key, value in values.items() if value not in (None, ())})


def _paths(names: Iterable[str]) -> tuple[Path, ...]:
    return tuple(map(Path, names))


def _is_file(value: str) -> bool:
    """Whether this names a file; if not, it is a namespace: an IRI, or a prefix with its colon."""
    try:
        return Path(value).is_file() or ":" not in value
    except (OSError, ValueError):
        return False


# -- the command -----------------------------------------------------------------------------------------------------


@click.command("mutate", epilog=_EXAMPLES)
@click.argument("source", metavar="PROFILE|GRAPH", required=False)
@takes(MutateOptions)
def command(source: str | None, options: MutateOptions) -> int:
    """Make mutants of a seed graph: apply random operators to it, and keep the results that the mask admits.

    A PROFILE (a .toml file) can replace all options; options take precedence. Exit code 1: there are fewer mutants than
    asked for.
    """
    if options.replay is not None:
        return _replay(options.replay, source, options)
    if not source:
        raise InputError("name a profile or a graph to make mutants of", hint="see 'kgprobe mutate --help'")
    if source == "-":
        raise InputError("mutate cannot read from standard input: the manifest must name the file of the seed graph")
    tables = options.applied_to(_tables_for(source))
    with prepare_mutation(tables.inputs, tables.mutation) as material:
        for note in material.notes:
            tell("warning", note)
        made = [_run(seed, material, tables.output, force=options.force) for seed in material.seeds]
    if options.as_json:
        print_json({"seeds": [each.value() for each in made]})
    else:
        for each in made:
            _print(each)
    return int(any(each.missing for each in made))


def _tables_for(source: str) -> MutateTables:
    if not source.lower().endswith(".toml"):
        return MutateTables(Inputs(GraphTable((Path(source),))), MutationTable(), OutputTable(Path("mutants")))
    profile = load_profile(source)
    return MutateTables(profile.inputs, profile.mutation, profile.output)


def _run(seed: Seed, material: Material, output: OutputTable, *, force: bool) -> Made:
    count = material.mutation.mutants
    generator = generator_for(seed, material)
    folder = folder_for(seed, material, output)
    _warn_of_rejected(seed)
    if force:
        clear(folder.folder, keep=[other.path for other in material.seeds])
    with folder, counting_progress(f"mutants of {seed.path.name}", count) as advance:
        for mutant in generator.mutants(count):
            folder.write(mutant)
            advance(mutant.number)
    return Made(seed.path, folder.manifest, generator.tally, count)


def _warn_of_rejected(seed: Seed) -> None:
    """A mask that does not even admit the seed graph, or cannot decide, will hardly admit its mutants."""
    if not seed.mask.admits(seed.graph):
        first = seed.mask.rejections(seed.graph)[0]
        tell(
            "warning", f"{seed.path.name}: the mask does not admit the seed graph itself: {first.check}: {first.words}"
        )


# -- replay ------------------------------------------------------------------------------------------------------------


def _replay(replay: str, source: str | None, options: MutateOptions) -> int:
    if source is not None:
        raise InputError("--replay takes the seed graph from the manifest: do not name one")
    for name in options.given():
        if name not in _HOW_TO_WRITE:
            raise InputError(f"--replay makes the same mutant again: {name} is not allowed")
    path, _, number = replay.rpartition("#")
    if not path or not _NUMBER.fullmatch(number):
        raise InputError(f"'{replay}' is not a mutant", hint="write the manifest and a number: manifest.jsonl#17")
    seed, graph, entry = rebuilt(read_manifest(Path(path)), int(number))
    target, written = options.out or "-", Written(options.written or Written.GRAPHS)
    if target != "-":
        check_writable(Path(target), force=options.force, inputs=[path])
    if written is Written.GRAPHS:
        save(
            graph, target, format_name=options.format_name or ("turtle" if target == "-" else None), force=options.force
        )
    elif target == "-":
        click.echo(change_text(entry.delta, seed, written), nl=False)
    else:
        write_new(Path(target), change_text(entry.delta, seed, written), force=options.force)
    return 0


# -- results -----------------------------------------------------------------------------------------------------------


def _print(made: Made) -> None:
    for line in made.lines():
        click.echo(line)
    if made.missing:
        are = "is" if made.missing == 1 else "are"
        many = f"{made.missing} of {number_of(made.asked, 'mutant')} {are} missing"
        tell("warning", f"{many}: all attempts for one of them failed")
