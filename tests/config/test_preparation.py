"""Preparation provides what the profile asks for. Errors name the line of the profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgprobe.config.loading import load_profile
from kgprobe.config.preparation import Preparation, prepare
from kgprobe.errors import InputError
from kgprobe.mutation.catalogue import resolve_operators
from kgprobe.mutation.generator import STRATEGIES, Generator
from kgprobe.mutation.mutant import Mutant
from kgprobe.rdf.terms import BlankNode, NamedNode

from .profiles import OPERATOR, write_folder

BASIC = 'graph.seeds = ["cafe.ttl"]\ngraph.imports = ["ontologies"]\n[mutation]\noperators = ["operators/*.ru"]\n'
PYTHON = '''from kgprobe.mutation.operator import Change, Site


def drop(site: Site) -> Change | None:
    """
    name: Drop
    does: drop any triple
    target: both
    """
    return Change([next(site.graph.rows())], [], {})


def silent(site):
    return None


def prose(site):
    """Does something.

    name: Prose
    """


def unfinished(site):
    """name: Unfinished
    doess: something
    """


def no_argument():
    """name: X"""


value = 3
'''


def _generate(ready: Preparation, count: int = 5) -> list[Mutant]:
    profile, [seed] = ready.profile, ready.seeds
    generator = Generator(
        seed.graph,
        ready.operators,
        mutations=profile.mutation.mutations,
        seed=profile.mutation.seed,
        mask=seed.mask,
        pins=seed.pins,
        strategy=STRATEGIES[profile.mutation.strategy](),
        most_attempts=profile.mutation.attempts,
    )
    return list(generator.mutants(count))


def test_mask_pins_and_weights(tmp_path: Path) -> None:
    text = (
        BASIC
        + """weights = { Cut = 4 }
mutations = 2
[mask]
shapes = ["shapes.ttl"]
queries = ["has-espresso.rq"]
reasoner = "auto"
[pins]
files = ["fixed.ttl"]
namespaces = ["food:", "http://example.org/D"]
imports = true
"""
    )
    with prepare(load_profile(write_folder(tmp_path, text))) as ready:
        assert {each.operator.description.name: each.weight for each in ready.operators} == {"Add": 1, "Cut": 4}
        [seed] = ready.seeds
        assert len(seed.mask.checks) == 3
        assert seed.pins.namespaces == ("http://example.org/food#", "http://example.org/D")
        mutants = _generate(ready)
        assert len(mutants) == 5
        for mutant in mutants:
            changed = {triple.subject for triple in (*mutant.delta.removed, *mutant.delta.added)}
            assert changed <= {NamedNode(f"http://example.org/{name}") for name in ("Tea", "Coffee")}


def test_the_reasoner_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    class Reasoner:
        name = "none"

        def close(self) -> None:
            closed.append(True)

    monkeypatch.setattr("kgprobe.config.preparation.open_reasoner", lambda _: Reasoner())
    profile = load_profile(write_folder(tmp_path, BASIC + '[mask]\nreasoner = "auto"'))
    with pytest.raises(ZeroDivisionError), prepare(profile):
        raise ZeroDivisionError
    assert closed == [True]


def test_pinned_imports_stay_and_nothing_else(tmp_path: Path) -> None:
    with prepare(load_profile(write_folder(tmp_path, BASIC + "mutations = 6\n[pins]\nimports = true"))) as ready:
        [seed] = ready.seeds
        [imported] = seed.pins.triples
        assert len(imported.rows_in(seed.graph.table)) == len(imported.pinned) == 8
        blanks = {triple.subject for triple in imported.pinned if isinstance(triple.subject, BlankNode)}
        assert len(blanks) == 1
        for mutant in _generate(ready):
            assert not set(mutant.delta.removed) & {*map(seed.graph.triple, imported.rows_in(seed.graph.table))}


def test_triples_in_both_a_file_and_its_import_are_pinned(tmp_path: Path) -> None:
    path = write_folder(tmp_path, BASIC + "[pins]\nimports = true")
    said = "<http://example.org/a> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <http://example.org/b> ."
    for file in (tmp_path / "cafe.ttl", tmp_path / "ontologies" / "food.ttl"):
        file.write_text(file.read_text() + said)
    with prepare(load_profile(path)) as ready:
        [seed] = ready.seeds
        a, b = (seed.graph.key(NamedNode(f"http://example.org/{name}")) for name in "ab")
        assert [row for row in seed.pins.triples[0].rows_in(seed.graph.table) if (row[0], row[2]) == (a, b)]


def test_each_of_several_seeds_keeps_its_prefixes(tmp_path: Path) -> None:
    path = write_folder(
        tmp_path, BASIC.replace('["cafe.ttl"]', '["cafe.ttl", "b.nt"]') + '[pins]\nnamespaces = ["food:"]'
    )
    (tmp_path / "b.nt").write_text("<urn:a> <urn:b> <urn:c> .")
    with (
        pytest.raises(InputError, match=r"profile\.toml:6:15: .*b\.nt has no prefix 'food:'"),
        prepare(load_profile(path)),
    ):
        pass


def test_notes(tmp_path: Path) -> None:
    path = write_folder(tmp_path, BASIC.replace("graph.imports", "#") + '[pins]\nfiles = ["fixed.ttl"]')
    (tmp_path / "fixed.ttl").write_text("<urn:a> <urn:b> <urn:c> . <urn:a> <urn:b> <urn:d> .")
    with prepare(load_profile(path)) as ready:
        assert "imports <http://example.org/food>, which was not found" in ready.notes[0]
        assert "is pinned, but does not exist, and 1 more like it" in ready.notes[1]


def test_a_note_warns_that_sparql_in_shapes_may_not_see_lexical_forms(tmp_path: Path) -> None:
    path = write_folder(tmp_path, BASIC + '[mask]\nshapes = ["shapes.ttl"]')
    (tmp_path / "shapes.ttl").write_text(
        "@prefix sh: <http://www.w3.org/ns/shacl#> . <urn:s> a sh:NodeShape ; sh:targetNode <urn:a> ;"
        ' sh:sparql [ sh:select "SELECT $this WHERE { $this <urn:p> 5 }" ] .'
    )
    with prepare(load_profile(path)) as ready:
        assert not [note for note in ready.notes if "SPARQL in these shapes" in note]
    with (tmp_path / "cafe.ttl").open("a") as file:
        file.write('\n<urn:a> <urn:p> "05"^^<http://www.w3.org/2001/XMLSchema#integer> .\n')
    with prepare(load_profile(path)) as ready:
        [note] = [note for note in ready.notes if "SPARQL in these shapes" in note]
        assert '"05"' in note


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (BASIC + "weights = { Ad = 3 }", ":5:13: 'Ad' is not an operator of this profile (did you mean 'Add'?)"),
        (
            BASIC.replace('"operators/*.ru"', '"operators/add.ru", "owl-ell"'),
            ":4:34: 'owl-ell' is not a set of operators, an operator, a file or a folder (did you mean 'owl-el'?)",
        ),
        (BASIC.replace("/*.ru", "/ad.ru"), ":4:14: {}/operators/ad.ru does not exist (did you mean 'add.ru'?)"),
        (BASIC.replace("/*.ru", "/*.rq"), ":4:14: no file in {} matches 'operators/*.rq'"),
        (BASIC + "[pins]\nnamespaces = ['fod:']", ":6:15: {}/cafe.ttl has no prefix 'fod:' (did you mean 'food:'?)"),
        (BASIC + "[pins]\nnamespaces = ['food']", ":6:15: {}/cafe.ttl has no prefix 'food' (did you mean 'food:'?)"),
        (BASIC + "[pins]\nnamespaces = ['http://a b']", ":6:15: 'http://a b' is not an IRI"),
        (BASIC + "[python]\noperators = ['mine.py:drp']", ":6:14: {}/mine.py has no function"),
        (BASIC + "[python]\noperators = ['mine.py:value']", ":6:14: {}/mine.py has no function 'value'"),
    ],
)
def test_errors_name_the_line_of_the_profile(tmp_path: Path, text: str, told: str) -> None:
    path = write_folder(tmp_path, text)
    (tmp_path / "mine.py").write_text(PYTHON)
    with pytest.raises(InputError) as caught, prepare(load_profile(path)):
        pass
    assert f"{path}{told.format(tmp_path)}" in str(caught.value)


def test_an_invalid_base_is_refused(tmp_path: Path) -> None:
    path = write_folder(tmp_path, 'graph.base = "x"\n' + BASIC)
    with (
        pytest.raises(InputError, match=r"profile\.toml:1:14: the base is not an absolute IRI"),
        prepare(load_profile(path)),
    ):
        pass


# -- operators ---------------------------------------------------------------------------------------------------------


def test_operators_given_by_name_and_file_are_used_once(tmp_path: Path) -> None:
    write_folder(tmp_path, "")
    names = ["operators/add.ru", "operators/*.ru", str(tmp_path / "operators" / "cut.ru"), "addsubclassof"]
    found = [operator.description.name for operator in resolve_operators(names, tmp_path)]
    assert found == ["Add", "Cut", "AddSubClassOf"]


@pytest.mark.parametrize("name", ["operators", "operators/", "./operators"])
def test_a_folder_stands_for_the_operators_in_it(tmp_path: Path, name: str) -> None:
    write_folder(tmp_path, "")
    (tmp_path / "operators" / "notes.txt").write_text("no operator")
    assert [operator.description.name for operator in resolve_operators([name], tmp_path)] == ["Add", "Cut"]


@pytest.mark.parametrize("name", ["none", "./none"])
def test_a_folder_without_operators_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match=r"none: has no operators \(operators are files named \.ru\)"):
        resolve_operators([name], tmp_path)


def test_two_operators_with_one_name(tmp_path: Path) -> None:
    write_folder(tmp_path, "")
    other = OPERATOR.format(name="Add", does="add", request="INSERT { ?a rdfs:subClassOf ?a } WHERE { ?a a owl:Class }")
    (tmp_path / "operators" / "other.ru").write_text(other)
    with pytest.raises(InputError, match="there are two operators named 'Add'"):
        resolve_operators(["operators/*.ru"], tmp_path)


def test_a_folder_with_brackets_in_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "a[1]"
    folder.mkdir()
    write_folder(folder, "")
    assert len(resolve_operators(["operators/*.ru"], folder)) == 2


# -- operators in Python -----------------------------------------------------------------------------------------------


def test_an_operator_in_python(tmp_path: Path) -> None:
    path = write_folder(
        tmp_path, 'graph.seeds = ["cafe.ttl"]\nmutation.mutations = 1\npython.operators = ["mine.py:drop"]'
    )
    (tmp_path / "mine.py").write_text(PYTHON)
    with prepare(load_profile(path)) as ready:
        [weighted] = ready.operators
        assert weighted.operator.description.name == "Drop"
        assert weighted.operator.source.startswith("def drop(")
        assert len(_generate(ready, 1)) == 1
    assert not (tmp_path / "__pycache__").exists()


def test_code_is_run_only_if_the_profile_names_it(tmp_path: Path) -> None:
    path = write_folder(tmp_path, BASIC)
    (tmp_path / "mine.py").write_text("raise SystemExit('run')")
    (tmp_path / "operators" / "mine.py").write_text("raise SystemExit('run')")
    with prepare(load_profile(path)) as ready:
        assert len(ready.operators) == 2


@pytest.mark.parametrize(
    ("code", "function", "told"),
    [
        (PYTHON, "silent", ":13: 'silent' has no docstring (its docstring is its header"),
        (PYTHON, "prose", ":18: 'Does something.' is not a 'key: value' line"),
        (PYTHON, "unfinished", ":26: a header has no key 'doess' (did you mean 'does'?)"),
        (PYTHON, "no_argument", ":30: 'no_argument' does not take one argument"),
        ("x = 1\nx +", "f", ":2: this is not Python: invalid syntax"),
        ("def g():\n    1 / 0\n\ng()\n", "f", ":2: cannot be run: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(4)", "f", ":2: cannot be run: SystemExit: 4"),
        ("import no_such_module", "f", ":1: cannot be run: ModuleNotFoundError"),
        ("", "f", "mine.py has no function 'f' (it has none)"),
    ],
)
def test_invalid_python_is_refused(tmp_path: Path, code: str, function: str, told: str) -> None:
    path = write_folder(tmp_path, f'graph.seeds = ["cafe.ttl"]\npython.operators = ["mine.py:{function}"]')
    (tmp_path / "mine.py").write_text(code)
    with pytest.raises(InputError) as caught, prepare(load_profile(path)):
        pass
    assert told in str(caught.value)
    assert str(tmp_path / "mine.py") in str(caught.value)


FAILING = """from kgprobe.rdf.terms import Literal, NamedNode
from kgprobe.mutation.operator import Change

NEW = NamedNode("urn:new")


def mine(site):
    \'\'\'
    name: Mine
    does: something
    target: both
    \'\'\'
    graph = site.graph
    row = next(graph.rows())
    {line}
"""


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("return {}['no']", ":15: the operator 'Mine' failed: KeyError: 'no'"),
        ("raise SystemExit(0)", ":15: the operator 'Mine' failed: SystemExit: 0"),
        ("return mine(site)", "the operator 'Mine' failed: RecursionError"),
        ("return 42", ":7: the operator 'Mine' returned 42, which is neither a Change nor None"),
        ("return Change(None, [], {})", "returned a Change of None, which are not triples"),
        ("return Change([(1, 2)], [], {})", "returned (1, 2), which is not a triple of keys"),
        ("return Change([(1, 2, 'x')], [], {})", "returned 'x', which is not the key of a term"),
        ("return Change([(10**9,) * 3], [], {})", "returned 1000000000, which is not the key of a term"),
        ("return Change([row], [], 7)", "returned a Change whose binding is 7, not a dict"),
        ("return Change([(NEW, NEW, NEW)], [], {})", "removes a triple that does not exist: <urn:new> <urn:new>"),
        ("return Change([], [row], {})", "adds a triple that already exists: <"),
        (
            "return Change([], [(Literal('x'), NEW, NEW)], {})",
            'is not an RDF triple: "x" <urn:new>',
        ),
        ("return Change([], [(NEW, Literal('x'), NEW)], {})", "adds something that is not an RDF triple"),
        ("graph.remove(graph.triple(row))", "the operator 'Mine' changed the graph itself (it returns a Change"),
    ],
)
def test_errors_in_python_name_the_operator(tmp_path: Path, line: str, told: str) -> None:
    path = write_folder(tmp_path, 'graph.seeds = ["cafe.ttl"]\npython.operators = ["mine.py:mine"]')
    (tmp_path / "mine.py").write_text(FAILING.replace("{line}", line))
    with prepare(load_profile(path)) as ready, pytest.raises(InputError) as caught:
        _generate(ready, 1)
    assert told in str(caught.value)
    assert str(tmp_path / "mine.py") in str(caught.value)


@pytest.mark.parametrize("line", ["return None", "return Change([], [], {})"])
def test_python_that_changes_nothing_does_not_apply(tmp_path: Path, line: str) -> None:
    path = write_folder(tmp_path, 'graph.seeds = ["cafe.ttl"]\npython.operators = ["mine.py:mine"]')
    (tmp_path / "mine.py").write_text(FAILING.replace("{line}", line))
    with prepare(load_profile(path)) as ready:
        assert not _generate(ready, 1)


def test_python_may_name_terms_but_cannot_change_pinned_triples(tmp_path: Path) -> None:
    profile = (
        'graph.seeds = ["cafe.ttl"]\nmutation.mutations = 1\npython.operators = ["mine.py:mine"]\n'
        'pins.namespaces = ["http://example.org/"]'
    )
    path = write_folder(tmp_path, profile)
    line = "return Change([], [(NamedNode(site.random.choice(['urn:x', 'http://example.org/x'])), NEW, NEW)], {})"
    (tmp_path / "mine.py").write_text(FAILING.replace("{line}", line))
    with prepare(load_profile(path)) as ready:
        [mutant] = _generate(ready, 1)
    assert [str(triple.subject) for triple in mutant.delta.added] == ["<urn:x>"]
