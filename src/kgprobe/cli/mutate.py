"""`kgprobe mutate`: graphs that differ from a seed graph by random, recorded steps."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from kgprobe.cli.app import tell
from kgprobe.cli.options import print_json
from kgprobe.cli.progress import counting_progress
from kgprobe.config.generation import folder_for, generator_for, rebuilt
from kgprobe.config.loading import load_profile
from kgprobe.config.places import Places
from kgprobe.config.preparation import Preparation, Seed, prepare
from kgprobe.config.profile import GraphTable, MaskTable, MutationTable, OutputTable, PinsTable, Profile
from kgprobe.config.writing import write_new
from kgprobe.errors import InputError
from kgprobe.graph.files import save
from kgprobe.masks.shacl import ENGINES
from kgprobe.mutation.generator import Tally
from kgprobe.mutation.manifest import read_manifest
from kgprobe.mutation.output import Written, change_text, clear
from kgprobe.mutation.strategies import STRATEGIES

_EXAMPLES = """\b
Examples:
  kgprobe mutate profile.toml                                   all that a profile says
  kgprobe mutate onto.owl --operators owl-el --mutations 30 --count 100 --seed 42 --out mutants
  kgprobe mutate robot.ttl --operators generic --mask shapes.ttl --pin robot: --write patches
  kgprobe mutate profile.toml --count 5 --json                  fewer of them, and numbers for a machine
  kgprobe mutate --replay mutants/manifest.jsonl#17             mutant 17 once more, on standard output
"""
_QUERIES = (".rq", ".sparql")
_NUMBER = re.compile(r"[0-9]{1,18}")
# Options by the names that they have here, where these are not their own.
_OPTION_NAMES = {
    "masks": "mask",
    "engine": "shacl-engine",
    "pins": "pin",
    "folders": "imports",
    "catalogs": "catalog",
}


@click.command("mutate", epilog=_EXAMPLES)
@click.argument("source", metavar="PROFILE|GRAPH", required=False)
@click.option("--operators", "operators", metavar="NAME", multiple=True, help="A set, an operator, or a .ru file.")
@click.option("--mutations", type=click.IntRange(1), metavar="N", help="Steps from the seed graph to a mutant.  [30]")
@click.option("--count", type=click.IntRange(1), metavar="N", help="Mutants of each seed graph.  [100]")
@click.option("--seed", type=int, metavar="N", help="The same number gives the same mutants.  [0]")
@click.option("--strategy", type=click.Choice(list(STRATEGIES)), help="How operators are picked.  [uniform]")
@click.option("--attempts", type=click.IntRange(1), metavar="N", help="At most so many for one valid mutant.  [1000]")
@click.option("--mask", "masks", metavar="FILE", multiple=True, help="SHACL shapes, or an ASK query named .rq.")
@click.option("--shacl-engine", "engine", type=click.Choice(list(ENGINES)), help="What validates shapes.")
@click.option("--reasoner", metavar="NAME", help="Mutants must be consistent, by this reasoner; auto needs no Java.")
@click.option(
    "--pin",
    "pins",
    metavar="FILE|NAMESPACE|imports",
    multiple=True,
    help="What no operator touches: the triples of a file, what is said about the names of a namespace, imports.",
)
@click.option(
    "--imports",
    "folders",
    metavar="FOLDER",
    multiple=True,
    type=click.Path(exists=True, file_okay=False),
    help="Look for owl:imports in this folder.",
)
@click.option("--catalog", "catalogs", metavar="FILE", multiple=True, help="Look for owl:imports in this catalog.")
@click.option("--out", metavar="PATH", help="The folder to write to, or with --replay the file.  [mutants]")
@click.option("--write", "written", type=click.Choice([w.value for w in Written]), help="What to write.  [graphs]")
@click.option("--to", "format_name", metavar="FORMAT", help="The format of whole graphs.  [turtle]")
@click.option("--force", is_flag=True, help="Replace the mutants of an earlier run.")
@click.option("--replay", metavar="MANIFEST#N", help="Make one mutant of an earlier run again.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(source: str | None, replay: str | None, as_json: bool, force: bool, **given: Any) -> int:
    """Make mutants of a seed graph: apply random operators to it, and keep what the mask admits.

    A PROFILE (a .toml file) says it all; options come before what it says. Exit code 1: there are fewer mutants than
    asked for.
    """
    if given["out"] == "":
        raise InputError("--out names nothing", hint="name a folder, or with --replay a file")
    if replay is not None:
        return _replay(replay, source, {**given, "json": as_json})
    if not source:
        raise InputError("name a profile or a graph to make mutants of", hint="see 'kgprobe mutate --help'")
    if source == "-":
        raise InputError("a manifest names the file of its seed graph, and standard input is none")
    profile = _with_options(load_profile(source) if source.lower().endswith(".toml") else _bare(source), given)
    with prepare(profile) as preparation:
        for note in preparation.notes:
            tell("warning", note)
        outcomes = [_run(seed, preparation, force=force) for seed in preparation.seeds]
    if as_json:
        print_json({"seeds": [_as_json(*outcome) for outcome in outcomes]})
    else:
        for outcome in outcomes:
            _print(*outcome)
    return int(any(tally.kept < asked for _, _, tally, asked in outcomes))


_Outcome = tuple[Seed, Path, Tally, int]


def _run(seed: Seed, preparation: Preparation, *, force: bool) -> _Outcome:
    count = preparation.profile.mutation.mutants
    generator = generator_for(seed, preparation)
    folder = folder_for(seed, preparation)
    _warn_of_rejected(seed)
    if force:
        clear(folder.folder, keep=[other.path for other in preparation.seeds])
    with folder, counting_progress(f"mutants of {seed.path.name}", count) as advance:
        for mutant in generator.mutants(count):
            folder.write(mutant)
            advance(mutant.number)
    return seed, folder.manifest, generator.tally, count


def _warn_of_rejected(seed: Seed) -> None:
    """A mask that does not even admit the seed graph, or cannot decide, will hardly admit its mutants."""
    if not seed.mask.admits(seed.graph):
        first = seed.mask.rejections(seed.graph)[0]
        tell(
            "warning", f"{seed.path.name}: the mask does not admit the seed graph itself: {first.check}: {first.words}"
        )


# -- what to do --------------------------------------------------------------------------------------------------------


def _bare(graph: str) -> Profile:
    """A profile for a graph without one."""
    return Profile(
        path=Path("command line"),
        graph=GraphTable(seeds=(Path(graph),)),
        mutation=MutationTable(),
        mask=MaskTable(),
        pins=PinsTable(),
        output=OutputTable(folder=Path("mutants")),
        places=Places("command line"),
    )


def _with_options(profile: Profile, given: dict[str, Any]) -> Profile:
    """The profile, with what the command line says instead."""
    queries = [path for path in given["masks"] if path.lower().endswith(_QUERIES)]
    shapes = [path for path in given["masks"] if path not in queries]
    files = [pin for pin in given["pins"] if pin != "imports" and _is_file(pin)]
    namespaces = [pin for pin in given["pins"] if pin != "imports" and pin not in files]
    mutation = {
        "operators": given["operators"],
        "mutations": given["mutations"],
        "mutants": given["count"],
        "seed": given["seed"],
        "strategy": given["strategy"],
        "attempts": given["attempts"],
    }
    mask = {"shapes": _paths(shapes), "queries": _paths(queries), "reasoner": given["reasoner"]}
    mask["shacl_engine"] = given["engine"]
    pins = {"files": _paths(files), "namespaces": tuple(namespaces), "imports": "imports" in given["pins"] or None}
    output = {"folder": given["out"] and Path(given["out"]), "format": given["format_name"], "write": given["written"]}
    reading = {"imports": _paths(given["folders"]), "catalogs": _paths(given["catalogs"])}
    changed = dataclasses.replace(
        profile,
        graph=_replaced(profile.graph, reading),
        mutation=_replaced(profile.mutation, mutation),
        mask=_replaced(profile.mask, mask),
        pins=_replaced(profile.pins, pins),
        output=_replaced(profile.output, output),
    )
    if not changed.mutation.operators and not changed.python:
        hint = "name a set: --operators generic for any graph, --operators owl-el for an ontology"
        raise InputError("no operators are named", hint=hint)
    return changed


def _replaced(table: Any, values: dict[str, Any]) -> Any:
    return dataclasses.replace(table, **{key: value for key, value in values.items() if value not in (None, ())})


def _paths(names: Iterable[str]) -> tuple[Path, ...]:
    return tuple(map(Path, names))


def _is_file(value: str) -> bool:
    """Whether this names a file; if not, it is a namespace: an IRI, or a prefix with its colon."""
    try:
        return Path(value).is_file() or ":" not in value
    except (OSError, ValueError):
        return False


# -- once more ---------------------------------------------------------------------------------------------------------


def _replay(replay: str, source: str | None, given: dict[str, Any]) -> int:
    if source is not None:
        raise InputError("--replay knows its seed graph: name no other one")
    for name, value in given.items():
        if value not in (None, (), False) and name not in ("out", "written", "format_name"):
            option = _OPTION_NAMES.get(name, name)
            raise InputError(f"--replay makes a mutant as it was, and takes no --{option}")
    path, _, number = replay.rpartition("#")
    if not path or not _NUMBER.fullmatch(number):
        raise InputError(f"'{replay}' names no mutant", hint="write the manifest and a number: manifest.jsonl#17")
    seed, graph, entry = rebuilt(read_manifest(Path(path)), int(number))
    target, written = given["out"] or "-", Written(given["written"] or Written.GRAPHS)
    if written is Written.GRAPHS:
        save(graph, target, format_name=given["format_name"] or ("turtle" if target == "-" else None))
    else:
        _write_text(change_text(entry.delta, seed, written), target)
    return 0


def _write_text(text: str, target: str) -> None:
    if target == "-":
        click.echo(text, nl=False)
    else:
        write_new(Path(target), text, force=True)


# -- what came of it ---------------------------------------------------------------------------------------------------


def _print(seed: Seed, manifest: Path, tally: Tally, asked: int) -> None:
    missing = f" of {asked}" if tally.kept < asked else ""
    word = "mutant" if tally.kept == 1 and not missing else "mutants"
    click.echo(f"{seed.path.name}: {tally.kept}{missing} {word} in {manifest.parent}")
    click.echo(f"  attempts     {tally.attempts}{_share(tally)}")
    for check, count in tally.rejected.most_common():
        click.echo(f"  rejected by  {check}: {count}")
    if tally.duplicates:
        click.echo(f"  duplicates   {tally.duplicates}")
    if tally.stuck:
        click.echo(f"  stuck        {tally.stuck}, where no operator applied any more")
    if tally.applied:
        often = ", ".join(f"{name} {count}" for name, count in tally.applied.most_common(3))
        click.echo(f"  operators    {len(tally.applied)}, most often {often}")
    click.echo(f"  manifest     {manifest}")
    if tally.kept < asked:
        tell("warning", f"{asked - tally.kept} of {asked} mutants are missing: all attempts for one were in vain")


def _share(tally: Tally) -> str:
    return f", {tally.attempts / tally.kept:.1f} for each mutant" if tally.kept else ""


def _as_json(seed: Seed, manifest: Path, tally: Tally, asked: int) -> dict[str, Any]:
    return {
        "graph": str(seed.path),
        "manifest": str(manifest),
        "asked": asked,
        "mutants": tally.kept,
        "attempts": tally.attempts,
        "duplicates": tally.duplicates,
        "stuck": tally.stuck,
        "rejected": dict(tally.rejected.most_common()),
        "operators": dict(tally.applied.most_common()),
    }
