"""`kgprobe import-rdfmutate`: the files that it writes, and its messages."""

from __future__ import annotations

from pathlib import Path

from support.commands import assert_refused, kgprobe

from kgprobe.config.loading import load_profile

RULES = """@prefix : <http://example.org/plant#> . @prefix swrl: <http://www.w3.org/2003/11/swrl#> .
:x a swrl:Variable .
[ a swrl:Imp ;
  swrl:body ( [ a swrl:ClassAtom ; swrl:classPredicate :Pump ; swrl:argument1 :x ] ) ;
  swrl:head ( [ a swrl:ClassAtom ; swrl:classPredicate :Tank ; swrl:argument1 :x ] ) ] .
"""
CONFIGURATION = """seed_graph: {file: examples/plant.ttl}
output_graph: {file: out.ttl}
number_of_mutations: 2
mutation_operators: [resource: {file: examples/swap.ttl, syntax: swrl}]
"""


def _folder(tmp_path: Path, configuration: str = CONFIGURATION) -> Path:
    (tmp_path / "plant.ttl").write_text("<http://example.org/plant#p> a <http://example.org/plant#Pump> .")
    (tmp_path / "swap.ttl").write_text(RULES)
    (tmp_path / "config.yaml").write_text(configuration)
    return tmp_path / "config.yaml"


def test_a_profile_and_its_operators(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = kgprobe("import-rdfmutate", _folder(tmp_path), "--out", out)
    assert done.returncode == 0, done
    assert done.stdout.splitlines() == [str(out / "operators" / "swap.ru"), str(out / "profile.toml")]
    assert f"kgprobe: note: examples/plant.ttl is taken to be {tmp_path / 'plant.ttl'}" in done.stderr
    assert all(line.startswith("kgprobe: note: ") for line in done.stderr.splitlines())
    assert load_profile(out / "profile.toml").mutation.operators == ("operators/swap.ru",)


def test_nothing_is_replaced_by_accident(tmp_path: Path) -> None:
    configuration, out = _folder(tmp_path), tmp_path / "out"
    out.mkdir()
    (out / "profile.toml").write_text("mine")
    refused = kgprobe("import-rdfmutate", configuration, "--out", out)
    assert_refused(refused, "profile.toml: already exists (--force replaces it)")
    assert [path.name for path in out.iterdir()] == ["profile.toml"]
    assert kgprobe("import-rdfmutate", configuration, "--out", out, "--force").returncode == 0


def test_invalid_configurations_are_refused(tmp_path: Path) -> None:
    assert_refused(kgprobe("import-rdfmutate", tmp_path / "none.yaml"), "none.yaml: no such file")
    assert_refused(kgprobe("import-rdfmutate", tmp_path), "is a folder, not a file")
    refused = kgprobe("import-rdfmutate", _folder(tmp_path), "--out", tmp_path / ("x" * 5000))
    assert_refused(refused, "File name too long")
    wrong = _folder(tmp_path, CONFIGURATION.replace("swrl}", "swlr}"))
    assert_refused(kgprobe("import-rdfmutate", wrong), "config.yaml:4:", "did you mean 'swrl'?")
    (tmp_path / "swap.ttl").write_text(RULES.replace("swrl:Imp", "swrl:Imp>"))
    broken = _folder(tmp_path)
    (tmp_path / "swap.ttl").write_text(RULES.replace("swrl:Imp", "swrl:Imp>"))
    refused = kgprobe("import-rdfmutate", broken, "--out", tmp_path / "out")
    assert_refused(refused, "swap.ttl:3:", "this file itself is broken Turtle")
    assert not (tmp_path / "out").exists()
