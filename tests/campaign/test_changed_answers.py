"""From an answer that differs from that for the seed graph to the pair of small graphs that shows it, and its story."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import assert_refused, kgprobe
from support.repositories import needs_git

import kgprobe as public
from kgprobe.campaign.events import Judged
from kgprobe.campaign.run import run_campaign
from kgprobe.campaign.store import read_store, seed_file
from kgprobe.campaign.summary import NumberedFinding, Summary, summary_of
from kgprobe.config.loading import load_profile
from kgprobe.config.preparation import Limits, prepare
from kgprobe.formats.files import load
from kgprobe.model import Outcome
from kgprobe.oracles.signatures import KnownBugs
from kgprobe.report.campaign import campaign_as_junit, story_lines, summary_lines, summary_value

from .campaigns import InThisProcess

_PREFIXES = "@prefix : <https://example.org/cafe#> .\n@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
_SEED = _PREFIXES + "".join(f":c{n} a :Coffee ; :origin :o{n} ; :price {n}.5 .\n" for n in range(1, 7))
_FOOD = (
    "@prefix food: <https://example.org/food#> .\n@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
    "<https://example.org/food> a owl:Ontology .\n"
) + "".join(f"food:k{n} a owl:Class .\n" for n in range(20))
_IMPORTS = "<https://example.org/cafe> a owl:Ontology ; owl:imports <https://example.org/food> .\n"
_MENU = """
def lines(graph):
    named = {}
    for triple in graph:
        name, about = (term.value.rpartition("#")[2] for term in (triple.subject, triple.predicate))
        named.setdefault(name, {}).setdefault(about, []).append(triple.object.value)
    return named

def menu(graph):
    print("MENU")
    count = 0
    for name, about in sorted(lines(graph).items()):
        if "type" in about and "price" in about:
            [price] = about["price"]
            print("-", name, "costs", price)
            count += 1
    print(count, "drinks")

def priced(graph):
    found = {}
    for name, about in lines(graph).items():
        if "price" in about:
            [price] = about["price"]
            found[name] = float(price)
    return found

def first(graph):
    names = sorted(priced(graph))
    if len(names) < 6:
        raise ValueError(f"{len(names)} corridors")
    return names
"""
_CHANGE = """# name: ChangePrice
# does: double a price
# target: abox

PREFIX : <https://example.org/cafe#>

DELETE { ?coffee :price ?price }
INSERT { ?coffee :price ?more }
WHERE  { ?coffee :price ?price BIND(?price * 2 AS ?more) }
"""
_REMOVE = """# name: Remove
# does: remove a triple of a coffee
# target: abox

PREFIX : <https://example.org/cafe#>

DELETE { ?coffee :%s ?other }
WHERE  { ?coffee :%s ?other }
"""


def write(folder: Path, function: str, operators: dict[str, str], more: str = "", *, imports: bool = False) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "cafe.ttl").write_text(_SEED + (_IMPORTS if imports else ""))
    (folder / "food").mkdir(exist_ok=True)
    (folder / "food" / "food.ttl").write_text(_FOOD)
    (folder / "menu.py").write_text(_MENU)
    for name, text in operators.items():
        (folder / f"{name}.ru").write_text(text)
    names = ", ".join(f'"{name}.ru"' for name in operators)
    (folder / "profile.toml").write_text(f"""
[graph]
seeds = ["cafe.ttl"]
imports = ["food"]
[mutation]
operators = [{names}]
mutations = 4
mutants = 4
seed = 1
[oracle]
same-as-seed = true
[pins]
imports = {str(imports).lower()}
[[python.systems]]
function = "menu.py:{function}"
{more}
""")
    return folder / "profile.toml"


def run(profile: Path) -> Summary:
    list(run_campaign(load_profile(profile), InThisProcess))
    with read_store(profile.with_suffix(".sqlite")) as store:
        return summary_of(store, KnownBugs([]))


def story(profile: Path, found: NumberedFinding) -> str:
    with read_store(profile.with_suffix(".sqlite")) as store:
        return "\n".join(story_lines(found, store))


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, NumberedFinding]:
    """A menu that was printed from changed prices, and from one coffee fewer."""
    operators = {"change": _CHANGE, "remove": _REMOVE % ("origin", "origin")}
    profile = write(tmp_path_factory.mktemp("changed"), "menu", operators, imports=True)
    [found] = run(profile).findings
    return profile, found


def test_the_difference_is_kept_and_everything_else_goes(changed: tuple[Path, NumberedFinding]) -> None:
    profile, found = changed
    assert found.finding.signature == "menu: changed: stdout"
    [reduced] = found.finding.reductions
    with read_store(profile.with_suffix(".sqlite")) as store:
        graph, seed = store.graph(reduced), store.seed_graph(reduced)
    assert seed is not None
    own = [triple for triple in graph if "food" not in str(triple)]
    assert sorted(triple.predicate.value.rpartition("#")[2] for triple in own) == ["price", "type"]
    assert [triple.predicate.value.rpartition("#")[2] for triple in set(seed) ^ set(graph)] == ["price", "price"]
    words = reduced.figures["words"]
    assert any(line.startswith("-- c") for line in words)
    assert any(line.startswith("+- c") for line in words)


def test_every_view_folds_what_is_pinned(changed: tuple[Path, NumberedFinding]) -> None:
    profile, found = changed
    [reduced] = found.finding.reductions
    with read_store(profile.with_suffix(".sqlite")) as store:
        summary = summary_of(store, KnownBugs([]))
        lines = "\n".join(summary_lines(summary, "cafe"))
        [value] = summary_value(summary, "")["findings"]
        junit = campaign_as_junit(store, summary, "cafe")
    assert "reduced to 3 triples (2 changed), and food.ttl that it imports, in " in lines
    told = story(profile, found)
    assert "triples to 3 triples (2 changed), and food.ttl that it imports, in " in told
    assert "  and food.ttl that it imports" in told
    assert "food:k1" not in told
    assert "k1" not in reduced.cause
    assert "food#k1" not in junit
    [figures] = value["reductions"]
    assert (figures["own_triples"], figures["pinned"]) == (3, "food.ttl that it imports")
    assert figures["triples_after"] > 20


def test_a_pinned_namespace_is_named_only_if_it_has_more_than_the_pinned_files(tmp_path: Path) -> None:
    profile = write(tmp_path, "menu", {"change": _CHANGE}, imports=True)
    seed = load_profile(profile)
    namespaces = ("https://example.org/food#", "https://example.org/nothing#")
    more = replace(seed, pins=replace(seed.pins, namespaces=namespaces))
    with prepare(more) as ready:
        assert Limits.of(ready.seeds[0]).pinned == "food.ttl that it imports"
    own = replace(seed, pins=replace(seed.pins, namespaces=("https://example.org/",)))
    with prepare(own) as ready:
        pinned = Limits.of(ready.seeds[0]).pinned
    assert pinned == "food.ttl that it imports and what is about <https://example.org/>"


def test_the_story_shows_both_answers_and_reproduces_the_pair(changed: tuple[Path, NumberedFinding]) -> None:
    profile, found = changed
    told = story(profile, found)
    assert "no mutation is needed" not in told
    assert "the failure needs these changes to the seed graph:" in told
    assert "--- seed\n  +++ case\n" in told
    [command] = [line for line in told.splitlines() if " --seed-graph " in line]
    again = kgprobe(*command.split()[1:])
    assert again.returncode == 1, again.stderr
    assert "menu: changed: stdout" in again.stdout
    graph = next(word for word in command.split() if word.endswith(".ttl"))
    assert kgprobe("test", profile, "--on", graph, "--seed-graph", graph).returncode == 0
    assert_refused(kgprobe("test", profile, "--seed-graph", graph), "--seed-graph needs --on")


def test_a_test_for_pytest_compares_the_pair(changed: tuple[Path, NumberedFinding]) -> None:
    profile, _ = changed
    file = profile.parent / "test_menu.py"
    assert kgprobe("show", f"{profile}#1", "--as-test", file).returncode == 0
    assert seed_file(file.with_suffix(".ttl")).is_file()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 1, done.stdout + done.stderr
    assert "menu: changed: stdout" in done.stdout
    verdict = public.judge(profile, file.with_suffix(".ttl"), seed_graph=file.with_suffix(".ttl"))
    assert verdict.outcome is Outcome.PASS


def test_reduce_reduces_the_pair_too(changed: tuple[Path, NumberedFinding], tmp_path: Path) -> None:
    profile, _ = changed
    whole = tmp_path / "whole.ttl"
    assert kgprobe("show", f"{profile}#1", "--whole", "--case", whole).returncode == 0
    done = kgprobe(
        "reduce", whole, "--profile", profile, "--seed-graph", profile.parent / "cafe.ttl", "--json", "--workers", "1"
    )
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert (value["triples_after"], value["changes"]) == (3, 2)
    assert load(value["seed_graph"]).graph != load(value["written"]).graph


def test_values_are_shown_by_their_paths(tmp_path: Path) -> None:
    profile = write(tmp_path / "v", "priced", {"change": _CHANGE})
    [found] = run(profile).findings
    [reduced] = found.finding.reductions
    assert (reduced.figures["triples_after"], reduced.figures["changes"]) == (2, 2)
    removed, added = [line for line in reduced.figures["words"] if line[0] in "-+" and line[1] not in "-+"]
    assert removed[1:].partition(" = ")[0] == added[1:].partition(" = ")[0]
    # How much a price differs does not make a variant, because no bug is about that.
    assert {variant.message.partition(" = ")[0] for variant, _ in found.variants} <= {
        f"c{number}" for number in range(1, 7)
    }


def test_a_crash_is_one_finding_and_its_messages_are_its_variants(tmp_path: Path) -> None:
    profile = write(tmp_path / "c", "first", {"remove": _REMOVE % ("price", "price")}, "[campaign]\nreduce = 0")
    text = profile.read_text().replace("mutations = 4", "mutations = 2")
    profile.write_text(text)
    other = write(tmp_path / "d", "first", {"remove": _REMOVE % ("price", "price")}, "[campaign]\nreduce = 0")
    other.write_text(other.read_text().replace("mutations = 4", "mutations = 1"))
    for path, message in ((profile, "4 corridors"), (other, "5 corridors")):
        summary = run(path)
        assert [found.finding.signature for found in summary.findings] == [
            "first: crashed: ValueError in menu.py:first"
        ]
        assert summary.findings[0].variants == ()
        assert summary.findings[0].finding.words[0] == f"ValueError: {message}"


def test_variants_are_listed_with_a_case_each(tmp_path: Path) -> None:
    other = (_REMOVE % ("origin", "origin")).replace("name: Remove", "name: Other")
    operators = {"remove": _REMOVE % ("price", "price"), "other": other}
    profile = write(tmp_path / "v", "first", operators, "[campaign]\nreduce = 0")
    profile.write_text(profile.read_text().replace("mutants = 4", "mutants = 12"))
    summary = run(profile)
    [found] = summary.findings
    messages = {variant.message for variant, _ in found.variants}
    assert {f"ValueError: {number} corridors" for number in (3, 4)} <= messages
    assert sum(variant.cases for variant, _ in found.variants) == found.finding.cases
    text = "\n".join(summary_lines(summary, "cafe"))
    assert f"in {len(found.variants)} variants:" in text
    assert "ValueError: 4 corridors (" in text
    [value] = summary_value(summary, "")["findings"]
    assert {each["message"] for each in value["variants"]} == messages
    assert all(each["case"].startswith("cafe#") for each in value["variants"])


def test_an_interrupted_reduction_of_a_pair_resumes_with_the_pair(tmp_path: Path) -> None:
    profile = write(tmp_path / "r", "menu", {"change": _CHANGE}, "[campaign]\nreduce = 0")
    run(profile)
    made = load_profile(profile)
    made = replace(made, campaign=replace(made.campaign, reduce=1))
    list(run_campaign(made, InThisProcess))
    store_path = profile.with_suffix(".sqlite")
    with read_store(store_path) as store:
        [finding] = store.findings()
        [done] = finding.reductions
    from kgprobe.campaign.store import Store

    with Store.reopen(store_path) as store:  # as if the time had been up
        store.keep_reduction(finding.signature, replace(done, figures={**done.figures, "is_minimal": False}))
    list(run_campaign(made, InThisProcess))
    with read_store(store_path) as store:
        [again] = store.findings()[0].reductions
    assert again == done  # by the same steps, with what was kept of their runs
    assert again.seed_graph is not None


@needs_git
def test_in_a_history_the_commit_that_repairs_a_crash_is_no_failure_and_a_change_is_reduced(tmp_path: Path) -> None:
    folder = tmp_path / "h"
    folder.mkdir()
    (folder / "menu.py").write_text(_MENU)
    (folder / "profile.toml").write_text(
        '[cases]\nhistory = "HEAD"\nfile = "menu.ttl"\n[oracle]\nsame-as-seed = true\n'
        '[[python.systems]]\nfunction = "menu.py:first"\n'
    )

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)  # noqa: S603, S607

    git("init", "-q")
    shorter = _SEED.replace(":price 6.5", ":cost 6.5")
    longer = f"{_SEED}:c7 a :Coffee ; :origin :o7 ; :price 7.5 .\n"
    for text in (_SEED, shorter, _SEED + "\n", longer):
        (folder / "menu.ttl").write_text(text)
        git("add", "-A")
        git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "version")
    events = list(run_campaign(load_profile(folder / "profile.toml"), InThisProcess))
    outcomes = [event.verdict.outcome for event in events if isinstance(event, Judged)]
    assert outcomes == [Outcome.PASS, Outcome.FAIL, Outcome.UNDECIDED, Outcome.FAIL]
    with read_store(folder / "profile.sqlite") as store:
        crash, change = store.findings()
    assert (crash.kind, crash.cases, change.kind, change.cases) == ("crashed", 1, "changed", 1)
    [reduced] = change.reductions
    assert reduced.figures["changes"] == 1
