"""A converted RDFMutate configuration behaves as in RDFMutate."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from support.commands import kgprobe
from support.shared_data import needs_shared_data, shared

from kgprobe.config.loading import load_profile
from kgprobe.config.preparation import prepare
from kgprobe.config.rdfmutate import convert
from kgprobe.config.rdfmutate.configuration import Configuration, read_configuration
from kgprobe.config.rdfmutate.conversion import Conversion, known_classes
from kgprobe.errors import InputError, UnavailableError
from kgprobe.formats.files import load
from kgprobe.mutation.catalogue import all_operators
from kgprobe.mutation.generator import Generator
from kgprobe.mutation.mutant import Mutant
from kgprobe.rdf.graph import Delta, Graph
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners.catalogue import REASONERS

from .swrl import SEED, atoms, rule, write_configuration

JAVA = REASONERS["elk"].available().usable


def _write(conversion: Conversion, folder: Path) -> Path:
    for file, text in {**conversion.operators, "profile.toml": conversion.profile}.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    return folder / "profile.toml"


def _mutants(configuration: Path, folder: Path, count: int = 20) -> tuple[Graph, list[Mutant]]:
    """The seed graph and all distinct mutants."""
    folder.mkdir(exist_ok=True)
    profile = load_profile(_write(convert(configuration, folder), folder))
    with prepare(profile) as ready:
        [seed] = ready.seeds
        generator = Generator(
            seed.graph, ready.operators, mutations=profile.mutation.mutations, mask=seed.mask, pins=seed.pins
        )
        return seed.graph, list(generator.mutants(count))


def _changes(tmp_path: Path, *rules: str) -> set[str]:
    """The changes that the rules can make to the seed graph, with one rule applied once."""
    _, mutants = _mutants(write_configuration(tmp_path, *rules), tmp_path / "out")
    return {_told(mutant.delta) for mutant in mutants}


def _told(delta: Delta) -> str:
    def short(triples: tuple[object, ...]) -> str:
        text = " ; ".join(sorted(str(triple) for triple in triples))
        for long, brief in (
            ("<http://example.org/plant#", ":"),
            ("<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "a"),
            (">", ""),
        ):
            text = text.replace(long, brief)
        return text

    return f"-{short(delta.removed)} +{short(delta.added)}"


def _named(*names: str) -> list[NamedNode]:
    return [NamedNode(f"http://example.org/plant#{name}") for name in names]


# -- rules -------------------------------------------------------------------------------------------------------------


def test_the_head_adds_and_the_body_stays(tmp_path: Path) -> None:
    made = _changes(tmp_path, rule(atoms(":x :Pump", ":x :feeds :y"), atoms(":y :feeds :x")))
    assert made == {"- +:t1 :feeds :p1", "- +:t2 :feeds :p2"}


def test_a_negated_statement_in_the_body_must_not_exist(tmp_path: Path) -> None:
    made = _changes(tmp_path, rule(atoms(":x :Tank", "not :x :feeds :t1"), atoms(":x :Empty")))
    assert made == {"- +:t1 a :Empty"}


def test_several_negated_statements_must_not_all_exist(tmp_path: Path) -> None:
    # RDFMutate puts them into one FILTER NOT EXISTS.
    body = atoms(":x :Pump", "not :x :feeds :t1", "not :x :feeds :t9")
    assert _changes(tmp_path, rule(body, atoms(":x :Odd"))) == {"- +:p1 a :Odd", "- +:p2 a :Odd"}


def test_a_negated_statement_in_the_head_is_removed(tmp_path: Path) -> None:
    made = _changes(tmp_path, rule(atoms(":x :feeds :t1"), atoms("not :x :feeds :t1", ":x :feeds :t9")))
    assert made == {"-:p1 :feeds :t1 +:p1 :feeds :t9", "-:t2 :feeds :t1 +:t2 :feeds :t9"}


def test_a_statement_that_the_head_adds_and_removes_is_added(tmp_path: Path) -> None:
    made = _changes(tmp_path, rule(atoms(":x :Pump"), atoms("not :x :ok :x", ":x :ok :x")))
    assert made == {"- +:p1 :ok :p1", "- +:p2 :ok :p2"}


def test_values(tmp_path: Path) -> None:
    body = atoms(":x :power 5")
    assert _changes(tmp_path, rule(body, atoms(":x :power 6"))) == {
        '- +:p1 :power "6"^^<http://www.w3.org/2001/XMLSchema#integer'
    }


def test_a_property_can_be_a_variable(tmp_path: Path) -> None:
    assert _changes(tmp_path, rule(atoms(":x :q :t2"), atoms(":q :Used"))) == {"- +:feeds a :Used"}


def test_new_nodes_differ(tmp_path: Path) -> None:
    body = atoms(":x :Pump", "mut:newNode :new", "mut:newNode :y")
    configuration = write_configuration(tmp_path, rule(body, atoms(":x :feeds :new", ":new :feeds :y")))
    graph, mutants = _mutants(configuration, tmp_path / "out")
    assert mutants
    for mutant in mutants:
        nodes = {triple.object for triple in mutant.delta.added}
        assert len(mutant.delta.added) == len(nodes) == 2
        assert nodes.isdisjoint(graph.terms())


def test_delete_node_removes_all_its_triples(tmp_path: Path) -> None:
    graph, mutants = _mutants(
        write_configuration(tmp_path, rule(atoms(":x :Pump"), atoms("mut:deleteNode :x"))), tmp_path / "out"
    )
    assert len(mutants) == 2
    for mutant in mutants:
        [gone] = [node for node in _named("p1", "p2") if not mutant.graph.mentions(node)]
        assert set(mutant.delta.removed) == {t for t in graph if gone in (t.subject, t.predicate, t.object)}
        assert not mutant.delta.added


def test_delete_a_named_node(tmp_path: Path) -> None:
    graph, [mutant] = _mutants(
        write_configuration(tmp_path, rule("rdf:nil", atoms("mut:deleteNode :feeds"))), tmp_path / "out"
    )
    assert len(graph) - len(mutant.graph) == 4
    assert not any(mutant.graph.triples(None, *_named("feeds")))


def test_replace_a_node_everywhere(tmp_path: Path) -> None:
    graph, [mutant] = _mutants(
        write_configuration(tmp_path, rule("rdf:nil", atoms("mut:replaceWith :feeds :drains"))), tmp_path / "out"
    )
    assert len(mutant.graph) == len(graph)
    assert not any(mutant.graph.triples(None, *_named("feeds")))
    assert len(list(mutant.graph.triples(None, *_named("drains")))) == 3
    assert len(list(mutant.graph.triples(*_named("drains")))) == 1


def test_replace_a_node_that_was_matched(tmp_path: Path) -> None:
    made = _changes(tmp_path, rule(atoms(":x :feeds :y", ":y :Tank", ":x :Pump"), atoms("mut:replaceWith :y :x")))
    assert len(made) == 2
    assert "-:p2 :feeds :t2 ; :t2 :feeds :t1 ; :t2 a :Tank +:p2 :feeds :p2 ; :p2 :feeds :t1 ; :p2 a :Tank" in made


def test_strings_that_look_like_iris_are_iris_in_built_ins(tmp_path: Path) -> None:
    head = atoms('mut:replaceWith "http://example.org/plant#p1" "http://example.org/plant#p9"')
    _, [mutant] = _mutants(write_configuration(tmp_path, rule("rdf:nil", head)), tmp_path / "out")
    assert mutant.graph.mentions(*_named("p9"))
    assert not mutant.graph.mentions(*_named("p1"))


def test_a_variable_without_a_value_stands_for_itself(tmp_path: Path) -> None:
    configuration = write_configuration(tmp_path, rule(atoms(":x :Tank"), atoms(":x :feeds :y")))
    assert any("#y> is in the head only" in note for note in convert(configuration, tmp_path).notes)
    _, mutants = _mutants(configuration, tmp_path / "out")
    assert {_told(mutant.delta) for mutant in mutants} == {"- +:t1 :feeds :y", "- +:t2 :feeds :y"}


def test_a_node_that_occurs_only_in_a_negated_statement(tmp_path: Path) -> None:
    body, head = atoms(":x :Tank", "not :x :feeds :y"), atoms("mut:deleteNode :y", ":x :Lone")
    assert _changes(tmp_path, rule(body, head)) == {"- +:t1 a :Lone"}


def test_variables_with_one_local_name(tmp_path: Path) -> None:
    other = "<http://example.org/other#x>"
    text = f"{other} a swrl:Variable .\n" + rule(atoms(":x :Pump", f"{other} :Tank"), atoms(f":x :heats {other}"))
    # The shorthand reads anything that does not begin with a colon as a value.
    text = text.replace("DatavaluedPropertyAtom", "IndividualPropertyAtom")
    assert len(_changes(tmp_path, text)) == 4


def test_names_of_operators(tmp_path: Path) -> None:
    head = atoms(":x :Odd")
    rules = [
        rule(atoms(f":x :{kind}"), head, label) for kind, label in (("A", "a b"), ("B", "a b"), ("C", ""), ("D", "ä"))
    ]
    conversion = convert(write_configuration(tmp_path, *rules), tmp_path)
    assert sorted(conversion.operators) == [
        "operators/rules-2.ru",
        "operators/rules-a-b-2.ru",
        "operators/rules-a-b.ru",
        "operators/rules.ru",
    ]
    again = convert(tmp_path / "config.yaml", tmp_path)
    assert again == conversion


def test_a_rule_with_an_empty_head_is_left_out(tmp_path: Path) -> None:
    rules = [rule(atoms(":x :Pump"), "rdf:nil", "idle"), rule(atoms(":x :Pump"), atoms(":x :Odd"))]
    conversion = convert(write_configuration(tmp_path, *rules), tmp_path)
    assert len(conversion.operators) == 1
    assert any("rule 'idle' has nothing in its head" in note for note in conversion.notes)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "rules.ttl: has no SWRL rule"),
        (rule(atoms(":x :A"), atoms("mut:newNode :new"), "r"), "rules.ttl: rule 'r': newNode belongs in the body"),
        (rule(atoms("mut:deleteNode :x"), atoms(":x :A")), "belong in the head of a rule"),
        (rule(atoms("mut:newNode :new", ":new :A"), atoms(":new :A")), "the body cannot have conditions on it"),
        (rule(atoms("mut:newNode :n"), atoms(":n :A")), "is not a swrl:Variable"),
        (rule(atoms("mut:newNod :new"), atoms(":new :A")), "(did you mean <https://smolang.org/rdfMutate#newNode>?)"),
        (rule(atoms(":x :A"), atoms("mut:replaceWith :x")), "has 1 argument; it takes 2"),
        (rule(atoms(":x :A"), atoms("not :x :A")), "has 2 arguments; it takes 3"),
        (rule("[ a swrl:AtomList ]", atoms(":x :A")), "has 0 values for"),
        (rule(atoms(":x :A"), "rdf:nil ; swrl:head :other"), "has 2 values; it must have one"),
        (
            rule(atoms(":x :A").replace("ClassAtom", "SameIndividualAtom"), "rdf:nil"),
            "is not an atom that RDFMut",
        ),
        (rule(atoms(":x []"), "rdf:nil"), "not blank nodes"),
        (rule(atoms(":x A"), "rdf:nil"), "rules.ttl:8:"),
        (rule(atoms(":x :A"), atoms("5 :B")), "operators/rules.ru:"),
    ],
)
def test_invalid_rules_are_refused(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        convert(write_configuration(tmp_path, text), tmp_path)
    assert told in str(caught.value)


def test_broken_turtle_is_reported_as_such(tmp_path: Path) -> None:
    configuration = write_configuration(tmp_path)
    (tmp_path / "rules.ttl").write_text("@prefix : <http://example.org/> .\n[ a :AtomList> ; :b :c ] .")
    with pytest.raises(InputError, match=r"rules\.ttl:2:\d+: this file itself is broken Turtle, and RDFMutate cannot"):
        convert(configuration, tmp_path)


# -- configurations ----------------------------------------------------------------------------------------------------

MORE = """    - module:
        location: org.smolang.robust.mutant.operators
        operators:
            - className: AddSubclassRelationMutation
            - className: AddSubclassRelationMutation
number_of_mutants: 3
strict_parsing: true
print_summary: true
strategy:
    name: random
    seed: 7
condition:
    reasoning:
        consistency: true
    masks:
        - file: examples/plant/mask.ttl
"""


def test_everything_is_carried_over_or_reported(tmp_path: Path) -> None:
    path = write_configuration(tmp_path, rule(atoms(":x :Pump"), atoms(":x :Odd"), "odd"), more=MORE)
    path.write_text(path.read_text().replace("out.ttl", "out.ttl\n    type: owl\n    overwrite: true"))
    (tmp_path / "mask.ttl").touch()
    out = tmp_path / "out"
    out.mkdir()
    conversion = convert(path, out)
    profile = load_profile(_write(conversion, out))
    assert [seed.resolve() for seed in profile.graph.seeds] == [tmp_path / "seed.ttl"]
    assert profile.mutation.operators == ("AddSubClassOf", "operators/rules.ru")
    assert profile.mutation.weights == {"AddSubClassOf": 2}
    assert (profile.mutation.mutations, profile.mutation.mutants, profile.mutation.seed) == (1, 3, 7)
    assert [mask.resolve() for mask in profile.mask.shapes] == [tmp_path / "mask.ttl"]
    assert profile.mask.reasoner == "auto"
    assert profile.output.format == "ofn"
    told = "\n".join(conversion.notes)
    for words in (
        f"examples/plant/seed.ttl is taken to be {tmp_path / 'seed.ttl'}",
        "examples/plant/mask.ttl is taken",
        "output_graph.file: examples/plant/out.ttl is now the folder mutants",
        "output_graph.overwrite is not carried over",
        "print_summary is not carried over",
        "condition.reasoning.reasoner: pellet is now auto",
    ):
        assert words in told


@pytest.mark.parametrize(
    ("reasoning", "expected"),
    [
        ("consistency: true\n        reasoner: elk", "elk" if JAVA else "auto"),
        ("consistency: true\n        reasoner: pellet", "openllet" if JAVA else "auto"),
        ("consistency: true", "auto"),
        ("consistency: true\n        reasoner: jena", "auto"),
        ("consistency: true\n        reasoner: none", None),
        ("consistency: false\n        reasoner: hermit", None),
    ],
)
def test_reasoners(tmp_path: Path, reasoning: str, expected: str | None) -> None:
    more = f"condition:\n    reasoning:\n        {reasoning}\n"
    path = write_configuration(tmp_path, rule(atoms(":x :Pump"), atoms(":x :Odd")), more=more)
    assert load_profile(_write(convert(path, tmp_path), tmp_path)).mask.reasoner == expected


def test_files_are_found_from_a_parent_folder(tmp_path: Path) -> None:
    folder = tmp_path / "examples" / "plant"
    folder.mkdir(parents=True)
    path = write_configuration(folder, rule(atoms(":x :Pump"), atoms(":x :Odd")))
    assert f"taken to be {folder / 'seed.ttl'}" in convert(path, tmp_path).notes[0]


def test_files_are_found_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples" / "plant").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    configuration = write_configuration(tmp_path / "examples" / "plant", rule(atoms(":x :Pump"), atoms(":x :Odd")))
    moved = shutil.move(configuration, tmp_path / "elsewhere" / "config.yaml")
    monkeypatch.chdir(tmp_path)
    assert convert(Path(moved), tmp_path).operators


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("number_of_mutations: 1", "", "config.yaml:1:1: 'configuration' needs 'number_of_mutations'"),
        ("number_of_mutations: 1", "number_of_mutations: many", ":5:22: 'number_of_mutations' is a whole number"),
        ("number_of_mutations: 1", 'number_of_mutations: !!int "x"', ":5:22: 'number_of_mutations' is a whole number"),
        ("number_of_mutations: 1", "number_of_mutations: 1\nstrict_parsing: !!bool x", "'strict_parsing' is true or"),
        (
            "number_of_mutations: 1",
            "number_of_mutations: " + "9" * 5000,
            "a whole number, not a value of 5000 characters",
        ),
        ("number_of_mutations: 1", "number_of_mutations: 0x" + "f" * 5000, "not a value of 5002 characters"),
        ("number_of_mutations: 1", "number_of_mutations: 2147483648", ":5:22: 'number_of_mutations' is too large"),
        (
            "number_of_mutations: 1",
            "number_of_mutations: 1\nstrategy: {seed: -1_000_000_000_000}",
            "'seed' is too large",
        ),
        ("number_of_mutations: 1", "a: " + "[a, " * 100_000, "config.yaml:5: brackets are nested more than 16 levels"),
        ("number_of_mutations: 1", "a:\n  " + "- " * 20_000, "config.yaml: this is nested too deeply"),
        ("number_of_mutations: 1", "#" * (1 << 20), "config.yaml: is larger than 1 MB"),
        ("number_of_mutations: 1", "number_of_mutations: 0", ":5:22: 'number_of_mutations' is at least 1, not 0"),
        (
            "number_of_mutations",
            "number_of_mutation",
            ":1:1: 'configuration' needs 'number_of_mutations' (it has 'number_of_mutation')",
        ),
        (
            "output_graph:",
            "print_sumary: true\noutput_graph:",
            ":3:1: RDFMutate has no key 'print_sumary' in 'configura",
        ),
        ("    file: examples/plant/seed.ttl", "    fil: x", "'seed_graph' needs 'file'"),
        ("seed.ttl", "seed.ttl\n    type: rfd", ":3:11: 'rfd' is not a value for 'type' (did you mean 'rdf'?)"),
        ("seed.ttl", "sed.ttl", ":2:11: examples/plant/sed.ttl was not found"),
        ("syntax: swrl", "syntax: sparql", "'sparql' is not a value for 'syntax'"),
        ("- resource:", "- resource: x\n      modul:", ":7:17: 'resource' is a mapping"),
        (
            "    - resource:\n        file: examples/plant/rules.ttl\n        syntax: swrl\n",
            "",
            "without mutation_operators",
        ),
        ("number_of_mutations: 1", "a: [", "this is not YAML"),
        ("output_graph:", "a: !!python/object:os.system x\noutput_graph:", ":3:1: RDFMutate has no key 'a'"),
    ],
)
def test_invalid_configurations_are_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    path = write_configuration(tmp_path, rule(atoms(":x :Pump"), atoms(":x :Odd")))
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError) as caught:
        convert(path, tmp_path)
    assert told in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_a_list_made_endless_by_aliases_is_refused(tmp_path: Path) -> None:
    many = "{className: CEUAMutation}, " * 300
    more = f"    - module: {{location: a, operators: &all [{many}]}}\n"
    more += "    - module: {location: a, operators: *all}\n" * 300
    path = write_configuration(tmp_path, rule(atoms(":x :Pump"), atoms(":x :Odd")), more=more)
    with pytest.raises(InputError, match=r"config\.yaml:\d+:7: there are more than 10000 operators up to here"):
        convert(path, tmp_path)


def test_unknown_operators_get_a_suggestion(tmp_path: Path) -> None:
    more = MORE.replace("AddSubclassRelationMutation", "AddSubclasRelationMutation", 1)
    path = write_configuration(tmp_path, rule(atoms(":x :Pump"), atoms(":x :Odd")), more=more)
    (tmp_path / "mask.ttl").touch()
    with pytest.raises(
        InputError, match=r":13:26: .* no counterpart .*\(did you mean 'AddSubclassRelationMutation'\?\)"
    ):
        convert(path, tmp_path)


# -- classes -----------------------------------------------------------------------------------------------------------

# All operator classes of RDFMutate by their conversion. Those with one operator of the catalogue are only counted.
IN_THE_CATALOGUE = 67
SOPHISTICATED = {
    "AddRelationMutationSophisticated": {"AddFittingDataPropertyAssertion", "AddFittingObjectPropertyAssertion"},
    "AddObjectPropertyRelationSophisticated": {"AddFittingObjectPropertyAssertion"},
    "ChangeRelationMutationSophisticated": {"ChangeDataProperty", "ChangeObjectPropertyAssertion"},
    "ChangeObjectPropertyRelationMutationSophisticated": {"ChangeObjectPropertyAssertion"},
}
OTHERWISE_NAMED = {"RemoveClassMutation": {"RemoveClass"}, "RemoveObjectPropertyMutation": {"RemoveObjectProperty"}}
SUAVE = {
    "AddNewThrusterMutation": {"operators/AddThruster.ru"},
    "AddQAEstimationMutation": {"operators/AddQAEstimation.ru"},
    "RemoveQAEstimationMutation": {"operators/RemoveQAEstimation.ru"},
    "ChangeSolvesFunctionMutation": {"operators/ChangeSolvesFunction.ru"},
    "ChangeHasValueMutation": {"operators/ChangeHasValue.ru"},
    "ChangeQAComparisonOperatorMutation": {"operators/ChangeQAComparison.ru"},
    "ChangeQualityAttributTypeMutation": {"operators/ChangeQAType.ru"},
}
IDLE = ("AddStatementMutation", "ReplaceNodeInStatementMutation", "ReplaceNodeWithNode", "RuleMutation")
REFUSED = ("AddPipeSegmentMutation", "AddNegativePropertyRelationMutation")


def _with_classes(folder: Path, *names: str, strict: bool = True) -> Path:
    operators = ", ".join(f"{{className: '{name}'}}" for name in names)
    (folder / "seed.ttl").write_text(SEED)
    path = folder / "config.yaml"
    path.write_text(
        f"seed_graph: {{file: seed.ttl}}\noutput_graph: {{file: out.ttl}}\nnumber_of_mutations: 1\n"
        f"strict_parsing: {str(strict).lower()}\n"
        f"mutation_operators: [{{module: {{location: a, operators: [{operators}]}}}}]\n"
    )
    return path


@pytest.mark.parametrize(("name", "operators"), [*SOPHISTICATED.items(), *OTHERWISE_NAMED.items(), *SUAVE.items()])
def test_classes_that_have_other_names_here(tmp_path: Path, name: str, operators: set[str]) -> None:
    conversion = convert(_with_classes(tmp_path, name), tmp_path)
    profile = load_profile(_write(conversion, tmp_path))
    assert set(profile.mutation.operators) == operators
    assert set(conversion.operators) == {file for file in operators if file.endswith(".ru")}
    with prepare(profile) as ready:
        assert len(ready.operators) == len(operators)


def test_every_class_has_a_counterpart_or_a_reason(tmp_path: Path) -> None:
    known = set(known_classes())
    assert known >= {*SOPHISTICATED, *OTHERWISE_NAMED, *SUAVE}
    assert len(known - {*SOPHISTICATED, *SUAVE}) == IN_THE_CATALOGUE + 1  # including one from an older version
    for name in (*IDLE, *REFUSED):
        with pytest.raises(InputError) as raised:
            convert(_with_classes(tmp_path, name), tmp_path)
        assert name in str(raised.value)
        assert re.search(
            r"only Kotlin code|comes? from the file|example of RDFMutate|abstract class", str(raised.value)
        )


def test_an_idle_class_is_left_out_and_reported(tmp_path: Path) -> None:
    conversion = convert(_with_classes(tmp_path, "CEUAMutation", "ReplaceNodeWithNode"), tmp_path)
    assert load_profile(_write(conversion, tmp_path)).mutation.operators == ("CEUA",)
    assert any("ReplaceNodeWithNode is left out, as it changes nothing in RDFMutate" in n for n in conversion.notes)


@pytest.mark.parametrize("written", ["CEUAMutation::class", "CEUAMutation::class,", "org.smolang.robust.CEUAMutation"])
def test_names_as_kotlin_writes_them(tmp_path: Path, written: str) -> None:
    conversion = convert(_with_classes(tmp_path, written), tmp_path)
    assert load_profile(_write(conversion, tmp_path)).mutation.operators == ("CEUA",)
    assert any(f"{written} is taken to be CEUAMutation" in note for note in conversion.notes)


# -- strict_parsing ----------------------------------------------------------------------------------------------------

LENIENT = """    - module:
        location: org.smolang.robust.mutant.operators
        operators:
            - className: AddSubclassRelationMutation
            - className: NoSuchMutation
            - className: AddTypeInformationMutation
    - resource: {file: no-such-rules.ttl, syntax: swrl}
    - resource: {file: broken.ttl, syntax: swrl}
    - resource: {file: mined.txt, syntax: ASSOCIATION_RULE}
strict_parsing: false
condition:
    masks: [{file: no-such-mask.ttl}, {file: broken.ttl}, {file: mask.ttl}]
"""
LEFT_OUT = (
    "RDFMutate's 'NoSuchMutation' has no counterpart here",
    "RDFMutate's 'AddTypeInformationMutation' has no counterpart here",
    "no-such-rules.ttl was not found",
    "this file itself is broken Turtle",
    "mined.txt was not found",
    "no-such-mask.ttl was not found",
    "rule 'bad': newNode belongs in the body",
)


def _lenient(tmp_path: Path) -> Path:
    rules = [
        rule(atoms(":x :Pump"), atoms(":x :Odd"), "good"),
        rule(atoms(":x :Pump"), atoms("mut:newNode :new"), "bad"),
    ]
    (tmp_path / "broken.ttl").write_text("a b c")
    (tmp_path / "mask.ttl").touch()
    return write_configuration(tmp_path, *rules, more=LENIENT)


def test_without_strict_parsing_unreadable_parts_are_left_out_and_reported(tmp_path: Path) -> None:
    conversion = convert(_lenient(tmp_path), tmp_path)
    profile = load_profile(_write(conversion, tmp_path))
    assert profile.mutation.operators == ("AddSubClassOf", "operators/rules.ru")
    assert [mask.name for mask in profile.mask.shapes] == ["mask.ttl"]
    for words in LEFT_OUT:
        [note] = {note for note in conversion.notes if words in note}
        assert note.endswith("it is left out, since strict_parsing is false")


def test_with_strict_parsing_unreadable_parts_are_errors(tmp_path: Path) -> None:
    path = _lenient(tmp_path)
    path.write_text(path.read_text().replace("strict_parsing: false", "strict_parsing: true"))
    with pytest.raises(InputError, match=r"no-such-mask\.ttl was not found"):
        convert(path, tmp_path)


def test_without_strict_parsing_something_must_remain(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no operator is left: .*'NoSuchMutation' has no counterpart here"):
        convert(_with_classes(tmp_path, "NoSuchMutation", strict=False), tmp_path)
    path = _with_classes(tmp_path, "CEUAMutation", strict=False)
    (tmp_path / "seed.ttl").unlink()
    with pytest.raises(InputError, match=r"seed\.ttl was not found"):
        convert(path, tmp_path)


# -- the files of RDFMutate itself -------------------------------------------------------------------------------------

CONFIGURATIONS = ("minimal", "allFeatures", "elMutations")
BROKEN_RULES = {
    "addPipe.ttl": ":13:38: ",
    "dataProp.ttl": ":7:14: ",
    "makeReflexive.ttl": ":8:13: ",
    "negatedAssertion.ttl": ":11:42: ",
    "removeRelation.ttl": ":19:42: ",
}
RULES = ("deletePipe.ttl", "replaceNode.ttl")
PIPES = ("addPipeSegment.ttl", "removePipeSegment.ttl", "swrlTestComplex.ttl", "swrlTestNegatedClass.ttl")


@needs_shared_data
def test_all_of_them_are_tested() -> None:
    folder = shared("rdfmutate-configs")
    assert {path.parent.name for path in folder.rglob("*.yaml")} == set(CONFIGURATIONS)
    assert {path.name for path in (folder / "rules").iterdir()} == {*BROKEN_RULES, *RULES}
    assert {path.name for path in shared("pipes").iterdir()} == {*PIPES, "pipes.ttl"}


@needs_shared_data
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_configurations_of_rdfmutate_run(tmp_path: Path, name: str) -> None:
    path = shared(f"rdfmutate-configs/{name}/config.yaml")
    graph, mutants = _mutants(path, tmp_path, count=3)
    assert mutants
    configuration = read_configuration(path)
    assert isinstance(configuration, Configuration)
    steps = configuration.mutations
    assert all(len(mutant.steps) == steps and mutant.graph != graph for mutant in mutants)


@needs_shared_data
def test_all_classes_that_rdfmutate_names_have_an_operator() -> None:
    configuration = read_configuration(shared("rdfmutate-configs/elMutations/config.yaml"))
    assert isinstance(configuration, Configuration)
    named = {found.name for found in configuration.classes}
    known = {name for operator in all_operators() for name in operator.description.rdfmutate}
    assert len(named) == 54
    assert not named - known


def _configuration(tmp_path: Path, seed: Path, rules: Path) -> Path:
    path = tmp_path / "config.yaml"
    path.write_text(
        f"seed_graph: {{file: {seed}}}\noutput_graph: {{file: out.ttl}}\nnumber_of_mutations: 1\n"
        f"mutation_operators: [{{resource: {{file: {rules}, syntax: swrl}}}}]\n"
    )
    return path


@needs_shared_data
@pytest.mark.parametrize(("name", "place"), BROKEN_RULES.items())
def test_broken_rules_of_rdfmutate_are_reported(tmp_path: Path, name: str, place: str) -> None:
    rules = shared(f"rdfmutate-configs/rules/{name}")
    with pytest.raises(InputError) as caught:
        convert(_configuration(tmp_path, shared("pipes/pipes.ttl"), rules), tmp_path)
    assert str(caught.value).startswith(f"{rules}{place}this file itself is broken Turtle")


@needs_shared_data
@pytest.mark.parametrize("name", BROKEN_RULES)
def test_broken_rules_run_once_their_turtle_is_fixed(tmp_path: Path, name: str) -> None:
    text = shared(f"rdfmutate-configs/rules/{name}").read_text()
    mended = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n" + text.replace("AtomList>", "AtomList")
    for word in ("ClassAtom", "classPredicate", "argument1"):
        mended = mended.replace(f"{word}>", word)
    (tmp_path / name).write_text(mended)
    (tmp_path / "seed.ttl").write_text(
        "@prefix : <https://smolang.org/swrlTest#> . @prefix pipe: <http://www.ifi.uio.no/tobiajoh/miniPipes#> .\n"
        ":a a :A ; :dp 0.5 ; :p :b . :b a :B . pipe:s a pipe:PipeSegment ."
    )
    _, mutants = _mutants(_configuration(tmp_path, tmp_path / "seed.ttl", tmp_path / name), tmp_path)
    assert len(mutants) == 1


@needs_shared_data
def test_replace_node_of_rdfmutate(tmp_path: Path) -> None:
    (tmp_path / "seed.ttl").write_text("@prefix : <https://smolang.org/swrlTest#> . :a :p :c . :c :p :a .")
    rules = shared("rdfmutate-configs/rules/replaceNode.ttl")
    _, [mutant] = _mutants(_configuration(tmp_path, tmp_path / "seed.ttl", rules), tmp_path)
    (tmp_path / "expected.ttl").write_text("@prefix : <https://smolang.org/swrlTest#> . :b :p :c . :c :p :b .")
    assert set(mutant.graph) == set(load(tmp_path / "expected.ttl").graph)


@needs_shared_data
@pytest.mark.parametrize("rules", ["rdfmutate-configs/rules/deletePipe.ttl", "pipes/removePipeSegment.ttl"])
def test_pipe_segments_are_removed(tmp_path: Path, rules: str) -> None:
    graph, mutants = _mutants(_configuration(tmp_path, shared("pipes/pipes.ttl"), shared(rules)), tmp_path)
    segments = [NamedNode(f"http://www.ifi.uio.no/tobiajoh/miniPipes#segment{n}") for n in (1, 2)]
    gone = {tuple(segment for segment in segments if not mutant.graph.mentions(segment)) for mutant in mutants}
    assert gone == {(segment,) for segment in segments}
    for mutant in mutants:
        assert not mutant.delta.added
        assert all(not set(segments).isdisjoint((t.subject, t.object)) for t in mutant.delta.removed)
    assert {len(graph) - len(mutant.graph) for mutant in mutants} == {3, 5}


@needs_shared_data
def test_pipe_segments_are_added(tmp_path: Path) -> None:
    rules = shared("pipes/addPipeSegment.ttl")
    _, mutants = _mutants(_configuration(tmp_path, shared("pipes/pipes.ttl"), rules), tmp_path)
    next_to = NamedNode("http://www.ifi.uio.no/tobiajoh/miniPipes#nextTo")
    assert len(mutants) == 2
    for mutant in mutants:
        assert not mutant.delta.removed
        [beside] = [triple for triple in mutant.delta.added if triple.predicate == next_to]
        [typed] = [triple for triple in mutant.delta.added if triple.predicate != next_to]
        assert typed.subject == beside.object
        assert typed.object == NamedNode("http://www.ifi.uio.no/tobiajoh/miniPipes#PipeSegment")


@needs_shared_data
def test_rules_inside_their_graph(tmp_path: Path) -> None:
    """Both files contain a graph as well as their rules."""
    for name, effects in (("swrlTestComplex.ttl", 5), ("swrlTestNegatedClass.ttl", 2)):
        path = shared(f"pipes/{name}")
        _, mutants = _mutants(_configuration(tmp_path, path, path), tmp_path)
        assert len(mutants) == effects
        assert all(mutant.delta.added and not mutant.delta.removed for mutant in mutants)


def test_without_pyyaml_the_message_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("kgprobe.config.rdfmutate.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(UnavailableError) as caught:
        convert(tmp_path / "config.yaml", tmp_path)
    assert str(caught.value) == "PyYAML is not installed (pip install 'kgprobe[rdfmutate]')"
    assert caught.value.exit_code == 3


# -- association rules, and configurations for extraction --------------------------------------------------------------


def _with_mined_rules(folder: Path, text: str) -> Path:
    path = write_configuration(folder)
    (folder / "rules.ttl").write_text(text)
    path.write_text(path.read_text().replace("syntax: swrl", "syntax: ASSOCIATION_RULE"))
    return path


@pytest.mark.parametrize(
    ("line", "operators"),
    [
        ("(?a rdf:type :Pump) -> (?a :feeds ?b)", 3),
        ("(?a :feeds ?b)(?b rdf:type :Tank) -> (?a rdf:type :Pump)", 7),
        ("(?a :feeds ?b)(?b :feeds ?c)(?c :feeds ?d) -> (?a :feeds ?d)", 15),
        ("(?a :feeds ?b)(?b :feeds ?c)(?c :feeds ?d)(?d rdf:type :Tank) -> (?a rdf:type :Pump)", 31),
        ("(?a <http://example.org/plant#feeds> ?b) -> (?a rdf:type http://example.org/plant#Pump)", 3),
    ],
)
def test_association_rules_become_all_operators_that_add_or_remove_their_pattern(
    tmp_path: Path, line: str, operators: int
) -> None:
    conversion = convert(_with_mined_rules(tmp_path, f"{line}\n\n"), tmp_path)
    profile = load_profile(_write(conversion, tmp_path))
    weights = profile.mutation.weights
    assert sum(weights.get(Path(name).stem, 1) for name in profile.mutation.operators) == operators
    assert len(conversion.operators) == len(set(conversion.operators.values())) <= operators


def test_mutants_by_an_association_rule_add_or_remove_its_pattern(tmp_path: Path) -> None:
    path = _with_mined_rules(tmp_path, "(?a :feeds ?b) -> (?b rdf:type :Tank)")
    _, mutants = _mutants(path, tmp_path / "out")
    feeds, tank = NamedNode("http://example.org/plant#feeds"), NamedNode("http://example.org/plant#Tank")
    assert mutants
    for mutant in mutants:
        added, removed = mutant.delta.added, mutant.delta.removed
        assert added or removed
        assert not (added and removed)
        if removed:  # the body goes with the head
            assert {triple.predicate == feeds for triple in removed} == {True, False}
        else:
            assert {triple.object for triple in added if triple.predicate != feeds} <= {tank}
    assert {bool(mutant.delta.added) for mutant in mutants} == {True, False}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("(?a :feeds ?b)", "this is not a rule with a body, an arrow and one atom after it"),
        ("(?a :p ?b) -> (?a :p ?b)(?b :p ?a)", "this is not a rule"),
        ("(?a :p ?b) -> (?a :p ?b) 0.9", "this is not a rule"),
        ("(?a :p ?b) -> (?a :p ?b) -> (?a :q ?b)", "this is not a rule"),
        ("(?a :feeds) -> (?a :feeds ?b)", "an atom has a subject, a predicate and an object: (?a :feeds)"),
        ("(?a rdff:type ?b) -> (?a :feeds ?b)", "the prefix of 'rdff:type' is not known (did you mean 'rdf:'?)"),
        ("(?a feeds ?b) -> (?a :feeds ?b)", "the prefix of 'feeds' is not known"),
        (f"{'(?a :p ?b)' * 9} -> (?a :q ?b)", "a rule has at most 8 atoms, not 10"),
    ],
)
def test_wrong_association_rules_are_refused_with_their_line(tmp_path: Path, line: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        convert(_with_mined_rules(tmp_path, f"(?a :p ?b) -> (?a :q ?b)\n{line}\n"), tmp_path)
    assert told in str(error.value)
    assert "rules.ttl:2" in str(error.value)


EXTRACTION = """jar_location: rules.jar
kg_files: [seed.ttl]
output: {file: mined.ttl, type: rdf, overwrite: true}
parameters: {min_rule_match: 2, min_head_match: 1, min_confidence: 0.5, max_rule_length: 4, timeout: 60}
"""


def test_a_configuration_for_extraction_becomes_a_command_that_runs(tmp_path: Path) -> None:
    (tmp_path / "seed.ttl").write_text(SEED)
    (tmp_path / "extract.yaml").write_text(EXTRACTION)
    done = kgprobe("import-rdfmutate", tmp_path / "extract.yaml", "--out", tmp_path / "out")
    assert done.returncode == 0
    assert "max_rule_length: 4 is now 3" in done.stderr
    words = shlex.split(done.stdout)
    assert words[:3] == ["kgprobe", "operators", "mine"]
    mined = kgprobe(*words[1:])
    assert mined.returncode == 0, mined.stderr
    assert "0 rules" not in mined.stdout or "no rules found" in mined.stderr


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("seed.ttl", "sed.ttl", "sed.ttl was not found"),
        ("0.5", "1.5", "'min_confidence' is a number from 0 to 1, not 1.5"),
        ("min_rule_match: 2, ", "", "'parameters' needs 'min_rule_match'"),
        ("kg_files: [seed.ttl]", "kg_files: []", "'kg_files' names no graph"),
        ("kg_files: [seed.ttl]", "kg_files: seed.ttl", "'kg_files' is a list"),
        ("kg_files", "kg_file", "'configuration' needs 'seed_graph'"),
    ],
)
def test_wrong_configurations_for_extraction_are_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    (tmp_path / "seed.ttl").write_text(SEED)
    (tmp_path / "extract.yaml").write_text(EXTRACTION.replace(old, new))
    with pytest.raises(InputError) as error:
        convert(tmp_path / "extract.yaml", tmp_path)
    assert told in str(error.value)
