"""`kgprobe operators mine --out`: the files of operators, and what they are good for."""

from __future__ import annotations

import json
from pathlib import Path

from mutation.example_runner import fits, graph_of, outcomes, prefixes_of
from support.commands import assert_refused, kgprobe

from kgprobe.mutation.update import read_operator

_ONTOLOGY = Path(__file__).resolve().parents[1] / "mutation" / "el_ontology.ttl"
_PIPES = """@prefix : <https://pipes.example/#> .
:nextTo <http://www.w3.org/2000/01/rdf-schema#label> "is next to" .
"""
_FEW = ("--min-body", "2", "--min-head", "2")


def _pipes(folder: Path) -> Path:
    """Segments in a row, each next to the one before and the one after."""
    rows = [f":s{n} a :Pipe ; :nextTo :s{n + 1} . :s{n + 1} a :Pipe ; :nextTo :s{n} ." for n in range(8)]
    path = folder / "pipes.ttl"
    path.write_text(_PIPES + "\n".join(rows))
    return path


def _mine(graph: Path, out: Path, *more: str) -> dict[str, object]:
    done = kgprobe("operators", "mine", str(graph), *_FEW, "--out", str(out), "--json", *more)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert isinstance(result, dict)
    return result


def test_operators_are_written_and_used(tmp_path: Path) -> None:
    graph = _pipes(tmp_path)
    result = _mine(graph, tmp_path / "mined")
    operators = result["operators"]
    assert isinstance(operators, dict)
    files = sorted((tmp_path / "mined").iterdir())
    assert sorted(map(Path, operators["files"])) == files
    assert len(files) == operators["made"] >= 7
    rules = result["rules"]
    assert isinstance(rules, list)
    assert len(files) <= sum(2 ** (len(rule["body"]) + 1) - 1 for rule in rules)
    for path in files:
        operator = read_operator(path)
        assert operator.description.name == path.stem
        [example] = operator.description.examples
        before, after = (graph_of(text, prefixes_of(operator)) for text in (example.before, example.after))
        assert any(fits(found, before, after) for found, _ in outcomes(operator, before, 400)), path.name
    assert any("'is next to'" in path.read_text() for path in files)

    used = ["--operators", str(tmp_path / "mined" / "*.ru"), "--mutations", "5", "--count", "4"]
    done = kgprobe("mutate", str(graph), *used, "--out", str(tmp_path / "mutants"), "--json")
    assert done.returncode == 0, done.stderr
    [outcome] = json.loads(done.stdout)["seeds"]
    assert outcome["mutants"] == 4
    assert set(outcome["operators"]) <= {path.stem for path in files}


def test_a_profile_names_mined_operators(tmp_path: Path) -> None:
    graph = _pipes(tmp_path)
    _mine(graph, tmp_path / "mined")
    profile = tmp_path / "profile.toml"
    profile.write_text(
        '[graph]\nseeds = ["pipes.ttl"]\n[mutation]\noperators = ["mined/*.ru"]\nmutations = 2\nmutants = 3\n'
        '[[systems]]\ncommand = ["cat", "{graph}"]\nseconds = 10\n'
    )
    done = kgprobe("test", str(profile), "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"cases": 3' in done.stdout


def test_the_same_input_gives_the_same_bytes_and_may_be_written_again(tmp_path: Path) -> None:
    graph = _pipes(tmp_path)
    first = _mine(graph, tmp_path / "one")
    second = _mine(graph, tmp_path / "two")
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "two").iterdir())
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert first["rules"] == second["rules"]
    assert _mine(graph, tmp_path / "one") == first


def test_other_files_are_safe(tmp_path: Path) -> None:
    graph, out = _pipes(tmp_path), tmp_path / "mined"
    _mine(graph, out)
    own = out / "mine.ru"
    own.write_text("# name: Mine\n")
    kept = {path.name: path.read_bytes() for path in out.iterdir()}
    # Fewer rules: the operators of the first run are stale.
    fewer = ["operators", "mine", str(graph), *_FEW, "--min-confidence", "1", "--max-atoms", "2", "--out", str(out)]
    assert_refused(kgprobe(*fewer), "already contains other mined operators", "--force")
    assert {path.name: path.read_bytes() for path in out.iterdir()} == kept
    done = kgprobe(*fewer, "--force")
    assert done.returncode == 0, done.stderr
    assert own.read_text() == "# name: Mine\n"
    assert len(list(out.iterdir())) < len(kept)
    # A file that has the name of an operator, but is somebody else's, stays.
    one = next(path for path in sorted(out.iterdir()) if path != own)
    one.write_text("# name: Other\n")
    assert_refused(kgprobe(*fewer, "--force"), "kgprobe did not write this file", "--out")
    assert one.read_text() == "# name: Other\n"


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    graph = _pipes(tmp_path)
    assert_refused(kgprobe("operators", "mine", str(graph), "--out", str(graph)), "is not a folder")
    assert graph.read_text().startswith("@prefix")


def test_operators_stay_in_el(tmp_path: Path) -> None:
    more = ["--max-atoms", "2", "--min-confidence", "0.3", "--vocabulary-only", "--keep-profile", "el"]
    result = _mine(_ONTOLOGY, tmp_path / "mined", *more)
    operators = result["operators"]
    assert isinstance(operators, dict)
    outcomes_ = [operators[each] for each in ("kept", "repaired", "merged", "dropped")]
    assert sum(outcomes_) == operators["made"] >= 10
    assert operators["kept"] + operators["repaired"] == len(operators["files"])
    changed = operators["changed"]
    assert len(changed) == operators["made"] - operators["kept"]
    assert all(each["reason"] for each in changed)
    for rule in result["rules"]:  # type: ignore[attr-defined]
        for term in [part for atom in (*rule["body"], rule["head"]) for part in atom]:
            assert term.startswith(("?", '"', "<http://www.w3.org/"))
    done = kgprobe("operators", "mine", str(_ONTOLOGY), *_FEW, *more, "--out", str(tmp_path / "again"))
    assert done.returncode == 0
    assert f"{operators['made']} operators tried: {operators['kept']} kept" in done.stdout
    assert done.stdout.count(" was dropped: it ") == operators["dropped"]
    names = sorted(path.name for path in (tmp_path / "mined").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "again").iterdir())
    assert all((tmp_path / "mined" / name).read_bytes() == (tmp_path / "again" / name).read_bytes() for name in names)


def test_a_graph_that_is_not_in_el_is_refused(tmp_path: Path) -> None:
    graph = tmp_path / "graph.ttl"
    graph.write_text(_pipes(tmp_path).read_text() + " :nextTo a <http://www.w3.org/2002/07/owl#SymmetricProperty> .")
    done = kgprobe("operators", "mine", str(graph), *_FEW, "--keep-profile", "el", "--out", str(tmp_path / "mined"))
    assert_refused(done, "none of the graphs is in OWL 2 EL", "--keep-profile")
    assert not (tmp_path / "mined").exists()


def test_no_rules_give_no_operators(tmp_path: Path) -> None:
    graph = tmp_path / "graph.ttl"
    graph.write_text("<urn:a> <urn:p> <urn:b> .")
    done = kgprobe("operators", "mine", str(graph), "--out", str(tmp_path / "mined"))
    assert done.returncode == 0
    assert "no rules" in done.stdout + done.stderr
    assert "0 operators" in done.stdout
