"""Random graphs with unusual forms of literals, and random queries about their forms and values."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import XSD, Literal, NamedNode, Term, Triple

__all__ = ["PROLOGUE", "random_graph", "random_query"]

PROLOGUE = "PREFIX : <urn:x:> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
_ODD = [
    *[(form, "integer") for form in ("1", "01", "+1", "2", "-0", "0")],
    *[(form, "nonNegativeInteger") for form in ("1", "01", "5")],
    *[(form, "int") for form in ("1", "7")],
    *[(form, "decimal") for form in ("1.0", "1.00", "2.5")],
    *[(form, "boolean") for form in ("1", "true", "false")],
    *[(form, "string") for form in ("1", "01", "a")],
]
_LITERALS = [Literal(form, datatype=XSD[datatype]) for form, datatype in _ODD]


def random_graph(random: Random) -> Graph:
    nodes = [NamedNode(f"urn:x:{name}") for name in "abc"]
    predicates = [NamedNode(f"urn:x:{name}") for name in "pq"]
    return Graph(
        Triple(random.choice(nodes), random.choice(predicates), _object(random, nodes))
        for _ in range(random.randint(2, 9))
    )


def _object(random: Random, nodes: list[NamedNode]) -> Term:
    return random.choice(nodes) if random.random() < 0.15 else random.choice(_LITERALS)


def random_query(random: Random) -> str:
    return PROLOGUE + random.choice([_ask, _select, _aggregate])(random)


def _ask(random: Random) -> str:
    return f"ASK {{ {_pattern(random)} FILTER({_condition(random, 2)}) }}"


def _select(random: Random) -> str:
    kind = random.choice(["", "DISTINCT "])
    made = random.choice([_exact_term, _text])(random, 2)
    return f"SELECT {kind}?x ?y ({made} AS ?z) {{ {_pattern(random)} {_extra(random)} }}"


def _aggregate(random: Random) -> str:
    aggregate = random.choice(["COUNT(?x)", "COUNT(DISTINCT ?x)", "COUNT(DISTINCT STR(?x))", "COUNT(*)"])
    grouped = random.choice(["?y", "(DATATYPE(?x) AS ?d)", "(STR(?x) AS ?d)", "?x"])
    return f"SELECT ({aggregate} AS ?n) {{ {_pattern(random)} }} GROUP BY {grouped}"


def _pattern(random: Random) -> str:
    constant = str(random.choice(_LITERALS))
    return random.choice(
        [
            "?s :p ?x . ?t :q ?y .",
            "?s :p ?x . ?t :q ?x . ?t ?p ?y .",
            "?s ?p ?x . OPTIONAL { ?s :q ?y }",
            f"?s :p ?x , {constant} . ?s ?q ?y .",
            f"{{ ?s :p ?x }} UNION {{ ?s :q ?x }} BIND({_exact_term(random, 1, names=['?x'])} AS ?y)",
            f"VALUES ?x {{ {constant} {random.choice(_LITERALS)} }} ?s ?p ?x . ?s :p ?y .",
            f"?s ?p ?x MINUS {{ ?s ?p {constant} }} OPTIONAL {{ ?s :p ?y FILTER(?x = ?y) }}",
            "{ ?s :p ?x } UNION { ?s :q ?x } ?s ?p ?y .",
            "{ SELECT ?x (COUNT(*) AS ?y) { ?s ?p ?x } GROUP BY ?x }",
        ]
    )


def _extra(random: Random) -> str:
    return random.choice(
        ["", f"FILTER({_condition(random, 1)})", "FILTER NOT EXISTS { ?other :p ?x FILTER(STR(?x) = '01') }"]
    )


def _condition(random: Random, depth: int) -> str:
    if depth and random.random() < 0.3:
        one, other = _condition(random, depth - 1), _condition(random, depth - 1)
        return random.choice([f"({one}) && ({other})", f"({one}) || {other}", f"!({one})"])
    term, other = _exact_term(random, depth), _exact_term(random, depth)
    form, datatype = random.choice(_ODD)
    return random.choice(
        [
            f"DATATYPE({term}) = xsd:{datatype}",
            f"{_text(random, depth)} = '{form}'",
            f"sameTerm({term}, {other})",
            "isNumeric(?x)",
            f"BOUND(?y) && isNumeric(?x) && isNumeric(?y) && ?x {random.choice(['=', '<', '>=', '!='])} ?y",
            f"isNumeric(?x) && ?x + {random.choice(['1', '01', '1.0'])} {random.choice(['=', '>'])} 2",
            "isNumeric(?x) && (?x = 1 || ?x = 05 || ?x = 2.50)",
            f"STRLEN({_text(random, depth)}) > 1",
            "BOUND(?y)",
        ]
    )


def _text(random: Random, depth: int) -> str:
    return f"STR({_exact_term(random, depth)})"


def _exact_term(random: Random, depth: int, names: Sequence[str] = ("?x", "?x", "?y")) -> str:
    if depth and random.random() < 0.4:
        one, other = (_exact_term(random, depth - 1, names) for _ in range(2))
        return random.choice(
            [f"IF(isLiteral(?x), {one}, {other})", f"COALESCE({one}, {other})", "STRDT(STR(?x), xsd:int)"]
        )
    return random.choice([*names, str(random.choice(_LITERALS)), "01"])
