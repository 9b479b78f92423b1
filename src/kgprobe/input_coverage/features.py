"""The sets of features that a user can name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from kgprobe.errors import InputError, Position, nearest
from kgprobe.formats.files import load
from kgprobe.input_coverage.axiom_features import axiom_kinds, expression_shapes
from kgprobe.input_coverage.feature_set import FeatureSet
from kgprobe.input_coverage.iris import IriFeatures, NamespaceFeatures, PairFeatures
from kgprobe.input_coverage.lists import built_in_list, read_features
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, RDFS, NamedNode

__all__ = ["BUILT_IN", "COUNTED_AS", "TERMS", "ReadGraph", "declared_terms", "feature_set"]

ReadGraph: TypeAlias = Callable[[str], Graph]

COUNTED_AS = ("list", "paper")
TERMS = "terms:"
_DECLARING = (
    *(OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty, OWL.NamedIndividual),
    RDFS.Datatype,
)
_DECLARING_IN_RDFS = (RDFS.Class, RDF.Property)


def _owl_el() -> IriFeatures:
    return built_in_list("owl-el.txt", name="owl-el")


BUILT_IN: dict[str, Callable[[], FeatureSet]] = {
    "owl-el": _owl_el,
    "owl-el-full": lambda: built_in_list("owl-el.txt", "owl-el-additions.txt", name="owl-el-full"),
    "suave": lambda: built_in_list("suave.txt", name="suave"),
    "axioms": axiom_kinds,
    "pairs": lambda: PairFeatures("pairs", _owl_el()),
    "shapes": expression_shapes,
}


def _read(path: str) -> Graph:
    return load(path).graph


def feature_set(name: str, *, count_as: str = "list", read_graph: ReadGraph = _read) -> FeatureSet:
    """The set with this name: a built-in one, `terms:` and the file of an ontology, or a file with features.

    `count_as="paper"` counts as RDFMutate does, see `NamespaceFeatures`.
    """
    if count_as not in COUNTED_AS:
        raise InputError(f"features cannot be counted as '{count_as}'", hint=f"choose {' or '.join(COUNTED_AS)}")
    found = _named(name, read_graph)
    if count_as == "list":
        return found
    if not (isinstance(found, IriFeatures) and found.name == "owl-el"):
        raise InputError(f"only owl-el can be counted as in the paper, not '{name}'")
    return NamespaceFeatures(found)


def declared_terms(ontology: Graph) -> list[str]:
    """The IRIs that an ontology declares; those that it declares in RDFS if it does not use OWL."""
    for kinds in (_DECLARING, _DECLARING_IN_RDFS):
        nodes = [node for kind in kinds for node in ontology.subjects(ontology.key(RDF.type), ontology.key(kind))]
        named = dict.fromkeys(term for term in map(ontology.term, nodes) if isinstance(term, NamedNode))
        if named:
            return [term.value for term in named]
    return []


def _named(name: str, read_graph: ReadGraph) -> FeatureSet:
    if name in BUILT_IN:
        return BUILT_IN[name]()
    if name.startswith(TERMS):
        return _terms_of(name.removeprefix(TERMS), read_graph)
    if _is_path(name):
        return read_features(name)
    meant = nearest(name, BUILT_IN)
    hint = f"did you mean '{meant}'?" if meant else f"choose {', '.join(BUILT_IN)}, terms:ONTOLOGY or a file"
    raise InputError(f"'{name}' is neither a set of features nor a file", hint=hint)


def _terms_of(path: str, read_graph: ReadGraph) -> IriFeatures:
    if not path:
        raise InputError("'terms:' needs the file of an ontology", hint="such as --features terms:onto.owl")
    ontology = read_graph(path)
    terms = declared_terms(ontology)
    if not terms:
        raise InputError("declares no classes, properties or individuals", where=Position(path))
    return IriFeatures(TERMS + path, tuple(terms), dict(ontology.spelling.prefixes))


def _is_path(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # not a valid file name
        return False
