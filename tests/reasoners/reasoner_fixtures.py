"""Reasoners for the tests: each is started once per module; tests are skipped if it is not installed."""

from __future__ import annotations

from functools import cache

import pytest

from kgprobe.formats import functional
from kgprobe.reasoners.catalogue import REASONERS
from kgprobe.reasoners.ontology import Ontology

NATIVE = ["rustdl", "pyhermit"]
JAVA = ["hermit", "openllet", "elk", "jfact"]


def needs(name: str) -> pytest.MarkDecorator:
    """Skip a test if a reasoner is not installed."""
    status = REASONERS[name].available()
    return pytest.mark.skipif(not status.usable, reason=f"{name}: {status.missing} ({status.install})")


def each(names: list[str]) -> pytest.MarkDecorator:
    """Parametrize a test over reasoners."""
    return pytest.mark.parametrize("name", [pytest.param(name, marks=needs(name)) for name in names])


def one_of(names: list[str]) -> pytest.MarkDecorator:
    """A test for the first of the reasoners, and with `--thorough` for each of them."""
    first, *others = names
    marked = [pytest.param(name, marks=[needs(name), pytest.mark.thorough]) for name in others]
    return pytest.mark.parametrize("name", [pytest.param(first, marks=needs(first)), *marked])


def ontology(axioms: str) -> Ontology:
    """The ontology of some axioms in functional syntax."""
    return Ontology(functional.parse(f"Prefix(:=<urn:test:>)\nOntology(\n{axioms}\n)", "test").axioms)


@cache
def chain(length: int) -> Ontology:
    """An ontology with very many derivable subsumptions, to overload a reasoner."""
    lines = []
    for n in range(length):
        lines.append(f"SubClassOf(:A{n} ObjectSomeValuesFrom(:p :A{n + 1}))")
        lines.append(f"SubClassOf(:A{n} ObjectUnionOf(:B{n} ObjectAllValuesFrom(:p :C{n})))")
        lines.append(f"ClassAssertion(:A{n} :a{n})")
        lines.append(f"ObjectPropertyAssertion(:p :a{n} :a{(n * 7) % length})")
    return ontology("\n".join(lines))
