"""SWRL rules and configurations of RDFMutate, written for tests."""

from __future__ import annotations

from pathlib import Path

__all__ = ["SEED", "atoms", "rule", "write_configuration"]

PREFIXES = """@prefix : <http://example.org/plant#> .
@prefix swrl: <http://www.w3.org/2003/11/swrl#> .
@prefix mut: <https://smolang.org/rdfMutate#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:x a swrl:Variable . :y a swrl:Variable . :new a swrl:Variable . :q a swrl:Variable .
"""
SEED = """@prefix : <http://example.org/plant#> .
:p1 a :Pump ; :feeds :t1 ; :power 5 . :p2 a :Pump ; :feeds :t2 . :t1 a :Tank . :t2 a :Tank ; :feeds :t1 .
:feeds :unit :p1 .
"""


def atoms(*written: str) -> str:
    """An atom list. `C(x)`-like shorthands: ('x C'), ('x p y'), ('not x p y'), ('built-in a b')."""
    cells = [f"[ a swrl:AtomList ; rdf:first {_atom(text)} ; rdf:rest" for text in written]
    return " ".join([*cells, "rdf:nil", *("]" for _ in written)])


def _atom(text: str) -> str:
    first, *others = text.split()
    if first == "not":
        return (
            f"[ a swrl:BuiltinAtom ; swrl:builtin owl:NegativePropertyAssertion ; swrl:arguments ({' '.join(others)}) ]"
        )
    if first.startswith("mut:"):
        return f"[ a swrl:BuiltinAtom ; swrl:builtin {first} ; swrl:arguments ({' '.join(others)}) ]"
    if len(others) == 1:
        return f"[ a swrl:ClassAtom ; swrl:classPredicate {others[0]} ; swrl:argument1 {first} ]"
    kind = "DatavaluedPropertyAtom" if not others[1].startswith(":") else "IndividualPropertyAtom"
    return (
        f"[ a swrl:{kind} ; swrl:propertyPredicate {others[0]} ; swrl:argument1 {first} ; swrl:argument2 {others[1]} ]"
    )


def rule(body: str, head: str, label: str = "") -> str:
    """A rule."""
    named = f'rdfs:label "{label}" ; ' if label else ""
    return f"[ a swrl:Imp ; {named}swrl:body {body} ; swrl:head {head} ] .\n"


def write_configuration(folder: Path, *rules: str, more: str = "", mutations: int = 1) -> Path:
    """A configuration that names a seed graph and these rules as RDFMutate's examples do."""
    (folder / "seed.ttl").write_text(SEED)
    (folder / "rules.ttl").write_text(PREFIXES + "".join(rules))
    path = folder / "config.yaml"
    path.write_text(f"""seed_graph:
    file: examples/plant/seed.ttl
output_graph:
    file: examples/plant/out.ttl
number_of_mutations: {mutations}
mutation_operators:
    - resource:
        file: examples/plant/rules.ttl
        syntax: swrl
{more}""")
    return path
