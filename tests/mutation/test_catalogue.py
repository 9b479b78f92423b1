"""The operators that come along: what they are called, and which sets they are in."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from kgprobe.errors import InputError
from kgprobe.mutation.catalogue import SETS, all_operators, named, operator_set
from kgprobe.mutation.operator import Target
from kgprobe.mutation.update import UpdateOperator, read_operator

_FOLDER = Path(__file__).resolve().parents[2]
_SUAVE = _FOLDER / "examples" / "suave"

# Table 1 of the paper on mutation testing of knowledge graphs: what is for any graph, and what is for SUAVE only.
_TABLE_1 = {
    *("CEUA", "CEUO", "ACATO", "ACOTA", "ReplaceSibling", "ChangeDataProperty", "ChangeDouble", "AddInstance"),
    *("RemoveTriple", "AddRelation", "ChangeRelation", "RemoveNode"),
}
_TABLE_1_SUAVE = {
    *("AddThruster", "AddQAEstimation", "RemoveQAEstimation"),
    *("ChangeSolvesFunction", "ChangeHasValue", "ChangeQAComparison"),
}
# What OWL 2 DL has and EL has not.
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
    counts = Counter(operator.description.name.casefold() for operator in all_operators())
    assert [name for name, count in counts.items() if count > 1] == []


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


def test_imports_are_a_set_of_their_own() -> None:
    """Software cannot load a mutant whose imports cannot be found: only who asks for such mutants gets them."""
    assert _names("imports") == {"AddImport", "RemoveImport"}
    others = [name for name in SETS if name != "imports"]
    assert [name for name in others if _names(name) & _names("imports")] == []


def test_table_1_is_complete() -> None:
    suave = {file.stem: read_operator(file).description for file in _SUAVE.glob("*.ru")}
    assert len(_TABLE_1 | _TABLE_1_SUAVE) == 18
    assert suave.keys() == {*_TABLE_1_SUAVE, "ChangeQAType"}
    assert all(description.domain_specific for description in suave.values())
    assert _names("generic") >= _TABLE_1
    assert not any(operator.description.domain_specific for operator in all_operators())


def test_dl_has_all_of_el_and_what_el_has_not() -> None:
    assert _names("owl-el") < _names("owl-dl")
    for added in _ONLY_DL:
        assert {f"Add{added}", f"Remove{added}"} <= _names("owl-dl") - _names("owl-el")


def test_what_can_be_added_can_be_removed() -> None:
    """Each addition has a removal of the same name, or one that takes away more than that."""
    names = {operator.description.name for operator in all_operators()}
    wider = {
        "RemovePropertyDomain": ("AddObjectPropertyDomain", "AddDataPropertyDomain"),
        "RemovePropertyRange": ("AddObjectPropertyRange", "AddDataPropertyRange"),
        "RemoveSubPropertyOf": ("AddSubObjectPropertyOf", "AddSubDataPropertyOf"),
        "RemoveEquivalentProperties": ("AddEquivalentObjectProperties", "AddEquivalentDataProperties"),
        "RemoveNegativePropertyAssertion": ("AddNegativeObjectPropertyAssertion", "AddNegativeDataPropertyAssertion"),
        "RemoveHasKey": ("AddHasDataKey",),
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


def test_an_operator_is_found_whatever_the_case_of_its_letters() -> None:
    operator = named("addsubclassof")
    assert operator.description.name == "AddSubClassOf"
    assert isinstance(operator, UpdateOperator)


def test_a_name_that_is_not_there_brings_the_nearest() -> None:
    with pytest.raises(InputError, match=r"no operator named 'AddSubClasOf' .*did you mean 'AddSubClassOf'"):
        named("AddSubClasOf")
    with pytest.raises(InputError, match=r"no set of operators named 'owl-dll' .*did you mean 'owl-dl'"):
        operator_set("owl-dll")


def test_the_source_of_an_operator_is_its_text() -> None:
    for operator in all_operators():
        assert operator.description.name in operator.source
