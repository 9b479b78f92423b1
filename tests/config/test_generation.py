"""Where mutants go: each seed graph has its own folder, whatever the name of its file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from kgprobe.config.generation import folder_for, generator_for, names_of, rebuilt
from kgprobe.config.loading import load_profile
from kgprobe.config.preparation import Preparation, prepare
from kgprobe.config.toml import toml_array
from kgprobe.errors import InputError
from kgprobe.mutation.mutant import read_manifest

TRIPLES = "<urn:a> <urn:b> <urn:c> . <urn:c> <urn:b> <urn:a> ."


@dataclass
class _Named:
    path: Path


@dataclass
class _Seeds:
    seeds: tuple[_Named, ...]


def _names(*files: str) -> list[str]:
    return names_of(cast(Preparation, _Seeds(tuple(_Named(Path("folder") / file) for file in files))))


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("robot.ttl", "robot"),
        ("robot.v2.ttl", "robot.v2"),
        (".hidden.ttl", ".hidden"),
        ("...ttl", "seed"),
        ("..ttl", "seed"),
        ("....ttl", "seed"),
        (". .ttl", "seed"),
        ("..\\..\\up.ttl", ".._.._up"),
        ("c:up.ttl", "c_up"),
        ("a\nb\x1b[31m.ttl", "a_b_[31m"),
        ("a\x00b.ttl", "a_b"),
        ("\udcff.ttl", "_"),
        ("ä" * 150 + ".ttl", "ä" * 100),
    ],
)
def test_a_name_is_a_valid_folder_name(file: str, name: str) -> None:
    assert _names(file) == [name]


def test_names_differ_whatever_the_file_system() -> None:
    names = _names("a/x.ttl", "b/X.ttl", "x-1.ttl", "caf\u00e9.ttl", "cafe\u0301.ttl", "...ttl", "seed.ttl", "...nt")
    assert names == ["x-2", "X-3", "x-1", "caf\u00e9-1", "cafe\u0301-2", "seed-1", "seed-2", "seed-3"]


def test_very_long_names_differ() -> None:
    first, second = _names("x" * 240 + "a.ttl", "x" * 240 + "b.ttl")
    assert first != second
    assert max(len(first), len(second)) < 250


def _profile(folder: Path, *seeds: str) -> Path:
    for seed in seeds:
        (folder / seed).write_text(TRIPLES)
    path = folder / "p.toml"
    path.write_text(
        f"[graph]\nseeds = {toml_array(seeds)}\n[mutation]\noperators = ['generic']\nmutations = 1\nmutants = 1\n"
        "[output]\nfolder = 'out/mutants'\n"
    )
    return path


def test_nothing_is_written_outside_the_folder(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    profile = load_profile(_profile(work, "...ttl", "..ttl", "b.ttl", "c\nd.ttl"))
    with prepare(profile) as ready:
        for seed in ready.seeds:
            with folder_for(seed, ready, ready.profile.output) as folder:
                for mutant in generator_for(seed, ready).mutants(1):
                    folder.write(mutant)
    manifests = sorted(tmp_path.rglob("manifest.jsonl"))
    assert [path.parent.name for path in manifests] == ["b", "c_d", "seed-1", "seed-2"]
    assert {path.parent.parent for path in manifests} == {work / "out" / "mutants"}
    assert [path for path in tmp_path.rglob("mutant-*") if not path.is_relative_to(work / "out" / "mutants")] == []
    for path in manifests:
        rebuilt(read_manifest(path), 1)


def test_a_seed_whose_name_is_not_utf8_is_refused_in_one_line(tmp_path: Path) -> None:
    name = b"\xff.ttl".decode(errors="surrogateescape")
    try:
        (tmp_path / name).write_text(TRIPLES)
    except OSError:
        pytest.skip("this file system has no such names")
    (tmp_path / "a.ttl").write_text(TRIPLES)
    path = _profile(tmp_path, "a.ttl")
    path.write_text(path.read_text().replace('"a.ttl"', '"*.ttl"'))
    with prepare(load_profile(path)) as ready:
        seed = next(seed for seed in ready.seeds if seed.path.name == name)
        with (
            pytest.raises(InputError, match="it names a file whose name is not UTF-8"),
            folder_for(seed, ready, ready.profile.output),
        ):
            pass


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("file", "../../../../no/such/file", "does not exist"),
        ("file", "a\0b", "does not exist"),
        ("file", ".", "does not exist"),
        ("file", "/dev/zero", "does not exist"),
        ("file", ["a"], "does not name its seed graph"),
        ("file", "x" * 5000, "was one of the two moved?"),
        ("imports", ["a\0b"], "does not exist"),
        ("imports", ["x\ny"], "does not exist"),
        ("imports", 3, "does not name its seed graph"),
        ("catalogs", ["a\0b"], "no file can have this name"),
        ("sha256", 5, "has changed since"),
        ("format", "a\nb", "a b"),
        ("base", "a\nb", "a b"),
    ],
)
def test_a_manifest_with_forbidden_paths_is_refused(tmp_path: Path, key: str, value: Any, told: str) -> None:
    with (
        prepare(load_profile(_profile(tmp_path, "a.ttl"))) as ready,
        folder_for(ready.seeds[0], ready, ready.profile.output) as folder,
    ):
        for mutant in generator_for(ready.seeds[0], ready).mutants(1):
            folder.write(mutant)
    header, *rest = folder.manifest.read_text().splitlines()
    changed = json.loads(header)
    changed["graph"][key] = value
    folder.manifest.write_text("\n".join([json.dumps(changed), *rest]) + "\n")
    with pytest.raises(InputError) as raised:
        rebuilt(read_manifest(folder.manifest), 1)
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)
