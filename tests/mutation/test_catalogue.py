"""The built-in operators: their names, the sets they are in, and when they are read."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.mutation.catalogue import SETS, all_operators, named, operator_set
from kgprobe.mutation.operator import Target
from kgprobe.mutation.operators import PYTHON_OPERATORS
from kgprobe.mutation.update import UpdateOperator, read_operator

_FOLDER = Path(__file__).resolve().parents[2]
_SUAVE = _FOLDER / "examples" / "suave"

# Table 1 of the paper on mutation testing of knowledge graphs: operators for any graph, and for SUAVE only.
_TABLE_1 = {
    *("CEUA", "CEUO", "ACATO", "ACOTA", "ReplaceSibling", "ChangeDataProperty", "ChangeDouble", "AddInstance"),
    *("RemoveTriple", "AddRelation", "ChangeRelation", "RemoveNode"),
}
_TABLE_1_SUAVE = {
    *("AddThruster", "AddQAEstimation", "RemoveQAEstimation"),
    *("ChangeSolvesFunction", "ChangeHasValue", "ChangeQAComparison"),
}
# Constructs that OWL 2 DL has and EL lacks.
_ONLY_DL = {
    *("ObjectUnionOf", "ObjectComplementOf", "ObjectAllValuesFrom", "ObjectInverseOf", "ObjectOneOfSeveral"),
    *(f"{of}{bound}Cardinality" for of in ("Object", "Data") for bound in ("Min", "Max", "Exact")),
    *(f"{of}{bound}QualifiedCardinality" for of in ("Object", "Data") for bound in ("Min", "Max", "Exact")),
    *("DataAllValuesFrom", "DataComplementOf", "DataUnionOf", "DataOneOfSeveral"),
    *("InverseObjectProperties", "FunctionalObjectProperty", "InverseFunctionalObjectProperty"),
    *("SymmetricObjectProperty", "AsymmetricObjectProperty", "IrreflexiveObjectProperty"),
    *("DisjointObjectProperties", "DisjointDataProperties", "DisjointUnion"),
    *("AllDisjointObjectProperties", "AllDisjointDataProperties"),
}


def _names(set_name: str) -> set[str]:
    return {operator.description.name for operator in operator_set(set_name)}


def test_no_two_operators_share_a_name() -> None:
    names = [file.stem for file in (_FOLDER / "src/kgprobe/mutation/operators").rglob("*.ru")]
    names += [operator.description.name for operator in PYTHON_OPERATORS]
    assert len(names) == len(all_operators())
    counts = Counter(map(str.casefold, names))
    assert [name for name, count in counts.items() if count > 1] == []


_COUNTING = """
import json, sys
from collections import Counter
from kgprobe.formats.files import load
from kgprobe.mutation import catalogue, update
from kgprobe.mutation.generator import Generator
from kgprobe.mutation.generator import Weighted

read, compiled = Counter(), Counter()
read_request, compile_where = update.read_request, update.compile_where
update.read_request = lambda text, name: read.update([name]) or read_request(text, name)
update.compile_where = lambda *args, name, **more: compiled.update([name]) or compile_where(*args, name=name, **more)

operators = [Weighted(operator) for operator in catalogue.operator_set("owl-el")]
found = {"listed": len(read)}
for seed in (1, 2):
    list(Generator(load(sys.argv[1]).graph, operators, mutations=10, seed=seed).mutants(10))
found |= {"used": len(read), "most_read": max(read.values()), "most_compiled": max(compiled.values())}
names = {name.removesuffix(".ru").partition(" ")[0] for name in read}
found["others"] = [name for name in names if "owl-el" not in catalogue.named(name).description.sets]
print(json.dumps(found))
"""


def test_operators_are_read_when_they_are_used_and_only_once() -> None:
    graph = str(_FOLDER / "examples/pizzeria/menu-1.ttl")
    run = subprocess.run([sys.executable, "-c", _COUNTING, graph], capture_output=True, text=True, check=True)  # noqa: S603 - our own interpreter
    found = json.loads(run.stdout)
    assert found["listed"] == 0
    assert found["used"] > 10
    assert (found["most_read"], found["most_compiled"]) == (1, 1)
    assert found["others"] == []


def test_an_operator_is_in_a_file_of_its_name() -> None:
    files = sorted((_FOLDER / "src/kgprobe/mutation/operators").rglob("*.ru")) + sorted(_SUAVE.glob("*.ru"))
    assert len(files) > 100
    assert [file.name for file in files if read_operator(file).description.name != file.stem] == []


def test_each_operator_is_in_sets_that_exist() -> None:
    for operator in all_operators():
        sets = operator.description.sets
        assert sets, f"{operator.description.name} is in no set"
        assert set(sets) <= set(SETS)


@pytest.mark.parametrize("name", SETS)
def test_no_set_is_empty(name: str) -> None:
    assert len(operator_set(name)) > 1


def test_imports_are_a_separate_set() -> None:
    """Software cannot load a mutant with missing imports, so these operators are used only on request."""
    assert _names("imports") == {"AddImport", "AddNewImport", "RemoveImport"}
    others = [name for name in SETS if name != "imports"]
    assert [name for name in others if _names(name) & _names("imports")] == []


def test_annotations_are_a_set() -> None:
    names = _names("annotations")
    assert {"AddAnnotation", "AnnotateAxiom", "AnnotateAnnotation", "DeclareAnnotationProperty"} <= names
    # Axioms with annotations are used only on request: not all software reads them.
    assert names - _names("owl-el") == {
        *("AddNestedAnnotation", "AnnotateAnnotation", "AnnotateAxiom"),
        *("RemoveAnnotationOfAnnotation", "RemoveAxiomAnnotation"),
    }


def test_table_1_is_complete() -> None:
    suave = {file.stem: read_operator(file).description for file in _SUAVE.glob("*.ru")}
    assert len(_TABLE_1 | _TABLE_1_SUAVE) == 18
    assert suave.keys() == {*_TABLE_1_SUAVE, "ChangeQAType"}
    assert all(description.domain_specific for description in suave.values())
    assert _names("generic") >= _TABLE_1
    assert not any(operator.description.domain_specific for operator in all_operators())


def test_dl_extends_el() -> None:
    assert _names("owl-el") < _names("owl-dl")
    for added in _ONLY_DL:
        assert {f"Add{added}", f"Remove{added}"} <= _names("owl-dl") - _names("owl-el")


def test_every_addition_in_the_catalogue_has_a_removal() -> None:
    """Each addition has a removal of the same name, or one that removes more."""
    names = {operator.description.name for operator in all_operators()}
    wider = {
        "RemovePropertyDomain": ("AddObjectPropertyDomain", "AddDataPropertyDomain"),
        "RemovePropertyRange": ("AddObjectPropertyRange", "AddDataPropertyRange"),
        "RemoveSubPropertyOf": ("AddSubObjectPropertyOf", "AddSubDataPropertyOf"),
        "RemoveEquivalentProperties": ("AddEquivalentObjectProperties", "AddEquivalentDataProperties"),
        "RemoveNegativePropertyAssertion": ("AddNegativeObjectPropertyAssertion", "AddNegativeDataPropertyAssertion"),
        "RemoveHasKey": ("AddHasDataKey",),
        "RemoveDataProperty": ("AddRangedDataProperty",),
        "RemoveAnnotation": ("AddTypedAnnotation",),
        "RemoveAxiomAnnotation": ("AddNestedAnnotation",),
        "RemoveImport": ("AddNewImport",),
        "RemoveObjectPropertyAssertion": ("AddFittingObjectPropertyAssertion",),
        "RemoveDataPropertyAssertion": ("AddFittingDataPropertyAssertion",),
        "RemoveSubClassOf": (
            *("AddObjectIntersectionOf", "AddObjectOneOf", "AddObjectSomeValuesFrom", "AddObjectHasValue"),
            *("AddObjectHasSelf", "AddDataIntersectionOf", "AddDataHasValue", "AddDataOneOf", "AddDataSomeValuesFrom"),
        ),
    }
    covered = {added for removal, additions in wider.items() if removal in names for added in additions}
    additions = {name for name in names if name.startswith("Add")}
    assert {name for name in additions if name.replace("Add", "Remove", 1) not in names} <= covered


def test_the_set_for_individuals_leaves_classes_alone() -> None:
    assert {operator.description.target for operator in operator_set("abox")} == {Target.ABOX}


def test_operator_names_are_case_insensitive() -> None:
    operator = named("addsubclassof")
    assert operator.description.name == "AddSubClassOf"
    assert isinstance(operator, UpdateOperator)


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match=r"no operator is named 'AddSubClasOf' .*did you mean 'AddSubClassOf'"):
        named("AddSubClasOf")
    with pytest.raises(InputError, match=r"no set of operators is named 'owl-dll' .*did you mean 'owl-dl'"):
        operator_set("owl-dll")


def test_the_source_of_an_operator_is_its_text() -> None:
    for operator in all_operators():
        assert operator.description.name in operator.source
