"""The operator classes of RDFMutate: which operators do the same here, and why some classes have none."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kgprobe.mutation.catalogue import all_operators
from kgprobe.mutation.update import read_operator

__all__ = ["Counterparts", "class_name", "counterparts", "idle_reason", "known_classes", "refusal"]

# Named in a configuration, these change nothing: their arguments can only be set in Kotlin.
_IDLE = {
    "AddStatementMutation": "it adds a statement that only Kotlin code can give it",
    "ReplaceNodeInStatementMutation": "it replaces a node that only Kotlin code can give it",
    "ReplaceNodeWithNode": "it replaces a node that only Kotlin code can give it",
    "RuleMutation": "it applies a rule, and rules come from the file of a 'resource'",
    "Mutation": "it is the base class of all operators, and changes nothing itself",
}
_BASE = "it is an abstract class, which RDFMutate cannot use, either"
_EXAMPLE = "it belongs to an example of RDFMutate; write it as a .ru file"
_REFUSED = {
    **dict.fromkeys(
        (
            *("AddClassRelationMutation", "AddComplexSubClassAxiomMutation", "AddDataPropClassRelationMutation"),
            *("AddIndividualRelationMutation", "AddNegativePropertyRelationMutation", "AddTypeInformationMutation"),
            *("AddObjectPropClassRelationMutation", "AddRelationBetweenDataPropMutation"),
            *("AddRelationBetweenObjectPropMutation", "AddRelationByTypesMutation", "DeclareObjectOfTypeMutation"),
            *("RemoveStatementByRelationMutation", "RemoveStatementByTypeOfRelationMutation", "AUVMutation"),
        ),
        _BASE,
    ),
    **dict.fromkeys(("AddPipeSegmentMutation", "FOAFMutant", "Mutant", "PizzaMutation", "SPARQLMutant"), _EXAMPLE),
}


@dataclass(frozen=True)
class Counterparts:
    """The counterpart of a class: operators of the catalogue by their names, and others with their texts."""

    names: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()


def class_name(written: str) -> str:
    """The simple name of a class. In Kotlin's lists, names end with ::class and a comma."""
    return written.rstrip(", ").removesuffix("::class").rpartition(".")[2]


def counterparts(name: str) -> Counterparts | None:
    """The counterpart of a class; None if it has none."""
    return _known().get(name)


def idle_reason(name: str) -> str | None:
    """Why a class of RDFMutate changes nothing; None if it does change something."""
    return _IDLE.get(name)


def refusal(name: str) -> str | None:
    """Why a class of RDFMutate has no counterpart, if that is known."""
    return _REFUSED.get(name)


def known_classes() -> list[str]:
    """All classes that have a counterpart."""
    return sorted(_known())


@cache
def _known() -> Mapping[str, Counterparts]:
    built_in: dict[str, list[str]] = defaultdict(list)
    for operator in all_operators():
        for name in operator.description.rdfmutate:
            built_in[name].append(operator.description.name)
    found = {name: Counterparts(tuple(operators)) for name, operators in built_in.items()}
    for special in map(read_operator, sorted(_suave().glob("*.ru"))):
        for name in special.description.rdfmutate:
            found[name] = Counterparts(texts=((special.description.name, special.source),))
    return found


def _suave() -> Path:
    """The operators for SUAVE: in the package if that is installed, and among the examples where it is developed."""
    inside = Path(__file__).parent / "suave"
    return inside if inside.is_dir() else Path(__file__).parents[4] / "examples" / "suave"
