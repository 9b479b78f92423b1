"""Random graphs and queries, small enough that a change of one triple often changes an answer."""

from __future__ import annotations

import re
from random import Random

from kgprobe.rdf.terms import RDF, XSD, BlankNode, Literal, NamedNode, Subject, Triple

__all__ = ["PREFIXES", "TRIPLES", "random_graph", "random_query"]

NAMESPACE = "http://example.org/"
PREFIXES = f"PREFIX : <{NAMESPACE}> PREFIX xsd: <{XSD.iri}> PREFIX rdf: <{RDF.iri}> "

_NODES: list[Subject] = [NamedNode(NAMESPACE + "a"), NamedNode(NAMESPACE + "b"), BlankNode("x")]
_LITERALS = [Literal("1", datatype=XSD.integer), Literal("x", language="en")]
_PREDICATES = [NamedNode(NAMESPACE + "p"), NamedNode(NAMESPACE + "q"), RDF.type]
# All triples that there can be, with a few that make lists.
TRIPLES = [Triple(s, p, o) for s in _NODES for p in _PREDICATES for o in (*_NODES, *_LITERALS)]
TRIPLES += [Triple(s, RDF.first, o) for s in _NODES[1:] for o in (_NODES[0], _LITERALS[0])]
TRIPLES += [Triple(s, RDF.rest, o) for s in _NODES[1:] for o in (RDF.nil, _NODES[2])]

_VARIABLES = ["?u", "?v", "?w", "$x"]
_NAMES = [":a", ":b", "<http://example.org/a>"]
_VALUES = ["1", '"x"', '"x"@en']
_PLAIN_VERBS = [":p", ":q", "a", "<http://example.org/p>"]
_MOST_DEEP = 2


def random_graph(random: Random) -> set[Triple]:
    """A graph with some of the triples."""
    return set(random.sample(TRIPLES, random.choice([0, 3, 6, 9, 12])))


def random_query(random: Random) -> str:
    """A query. It may be invalid: for example, a name may be bound twice."""
    return PREFIXES + _Writer(random).query()


class _Writer:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._number = 0
        self._near: list[str] = []  # the variables of the last triples

    def _pick(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _sometimes(self, text: str, chance: float = 0.3) -> str:
        return text if self._random.random() < chance else ""

    def _fresh(self) -> int:
        self._number += 1
        return self._number

    def query(self) -> str:
        group, by, deep = self._group(0), self._variable(), self._group(_MOST_DEEP)
        where = self._pick("WHERE ", "") + group
        return self._pick(
            f"ASK {where}",
            f"SELECT * {where}",
            f"SELECT * {where} VALUES {by} {{ :a :b }}",
            f"SELECT DISTINCT {by} {where}",
            f"SELECT (COUNT(*) AS ?n) {where}",
            f"SELECT {by} (COUNT({self._variable()}) AS ?n) {where} GROUP BY {by} {self._having()}",
            f"SELECT ?u ?v (EXISTS {deep} AS ?e) {where}",
            f"SELECT ?u ?v ?w {where} ORDER BY ?u ?v ?w LIMIT {self._random.randint(1, 3)}",
            f"SELECT ?u ?v ?w {where} ORDER BY EXISTS {deep} ?u ?v ?w LIMIT 2",
            f"CONSTRUCT {{ {by} :p {self._variable()} . :a :q {self._variable()} }} WHERE {group}",
            f"CONSTRUCT WHERE {{ {self._plain_triples()} }}",
        )

    def _having(self) -> str:
        condition = self._pick("(COUNT(*) > 1)", f"({self._variable()} = :a)", f"EXISTS {self._group(_MOST_DEEP)}")
        return self._sometimes(f"HAVING {condition}", 0.5)

    # -- groups --------------------------------------------------------------------------------------------------

    def _group(self, depth: int) -> str:
        if self._random.random() < 0.06 and depth < _MOST_DEEP:
            return f"{{ {self._select(depth + 1)} }}"
        parts = [self._bind_name()] if self._random.random() < 0.12 else []
        for _ in range(self._random.choice([1, 1, 2, 2, 3])):
            parts.append(self._part(depth))
        return "{ " + " ".join(parts) + " }"

    def _part(self, depth: int) -> str:
        chance = self._random.random()
        if chance < 0.3 or (depth >= _MOST_DEEP and chance < 0.5):
            return self._triples()
        if chance < 0.6 or depth >= _MOST_DEEP:
            return f"{self._triples()} {self._restriction(depth)}"
        inner = self._group(depth + 1)
        return self._pick(
            *(f"OPTIONAL {inner}", f"OPTIONAL {inner}", f"MINUS {inner}", f"MINUS {inner}", inner),
            *(f"FILTER EXISTS {inner}", f"FILTER NOT EXISTS {inner}", f"{inner} UNION {self._group(depth + 1)}"),
            *(f"GRAPH ?g {inner}", f"GRAPH :g {inner}", f"{{ {self._select(depth + 1)} }}"),
        )

    def _select(self, depth: int) -> str:
        group, by, number = self._group(depth), self._variable(), self._fresh()
        return self._pick(
            f"SELECT * WHERE {group}",
            f"SELECT {by} (COUNT({self._variable()}) AS ?n{number}) {group} GROUP BY {by} {self._having()}",
            f"SELECT DISTINCT {by} {group} VALUES {self._variable()} {{ :a 1 }}",
            f"SELECT {by} (EXISTS {self._group(_MOST_DEEP)} AS ?e{number}) {group}",
        )

    def _bind_name(self) -> str:
        return f"BIND({self._pick(*_NAMES)} AS {self._variable()})"

    def _restriction(self, depth: int) -> str:
        chance = self._random.random()
        if chance < 0.6:
            return f"FILTER({self._expression(depth)})"
        if chance < 0.75:
            return f"VALUES {self._near_variable()} {{ {self._cells()} }}"
        if chance < 0.85:
            one, other = self._random.sample(_VARIABLES, 2)
            rows = " ".join(f"({self._cell()} {self._cell()})" for _ in range(self._random.randint(0, 2)))
            return f"VALUES ({one} {other}) {{ {rows} }}"
        return f"BIND({self._expression(depth)} AS ?b{self._fresh()})"

    def _cells(self) -> str:
        return " ".join(self._cell() for _ in range(self._random.randint(0, 3)))

    def _cell(self) -> str:
        return self._pick(*_NAMES, *_VALUES, "UNDEF") if self._random.random() < 0.5 else self._pick(*_NAMES)

    # -- triples -------------------------------------------------------------------------------------------------

    def _variable(self) -> str:
        return self._pick(*_VARIABLES)

    def _near_variable(self) -> str:
        """Mostly a variable of the last triples, so that a restriction on it matters."""
        return self._random.choice(self._near) if self._near and self._random.random() < 0.8 else self._variable()

    def _triples(self) -> str:
        text = " . ".join(self._same_subject(paths=True) for _ in range(self._random.choice([1, 1, 2])))
        self._near = re.findall(r"[?$]\w+", text)
        return f"{text} ."

    def _plain_triples(self) -> str:
        return " . ".join(self._same_subject(paths=False) for _ in range(self._random.choice([1, 1, 2])))

    def _same_subject(self, *, paths: bool) -> str:
        if self._random.random() < 0.05:
            blank = f"_:h{self._fresh()}"
            return f"{blank} {self._verb(paths)} {blank}"
        if self._random.random() < 0.05:
            return f"( {self._node()} {self._node()} ) {self._verb(paths)} {self._node()}"
        subject = self._pick(*_VARIABLES, *_VARIABLES, ":a", ":b", "[]")
        more = self._sometimes(f" ; {self._verb(paths)} {self._node()} ", 0.15)
        return f"{subject} {self._verb(paths)} {self._objects(paths)}{more}"

    def _objects(self, paths: bool) -> str:
        if self._random.random() < 0.06:
            return f"[ {self._verb(paths)} {self._node()} ]"
        return self._node() + self._sometimes(f" , {self._node()}", 0.1)

    def _node(self) -> str:
        if self._random.random() < 0.6:
            return self._variable()
        return self._pick(":a", ":b", *_VALUES, "[]", "()")

    def _verb(self, paths: bool) -> str:
        chance = self._random.random()
        if chance < 0.5 or not paths:
            return self._pick(*_PLAIN_VERBS)
        return self._variable() if chance < 0.65 else self._path(0)

    def _path(self, depth: int) -> str:
        if depth >= 3:
            return self._pick(":p", ":q", "a", "!:p", "^:q")
        inner = self._path(depth + 1) if self._random.random() < 0.4 else self._pick(":p", ":q", "a")
        match self._random.randrange(9):
            case 0 | 1:
                return f"({inner})*"
            case 2:
                return f"({inner})+"
            case 3:
                return f"({inner})?"
            case 4:
                return f"^({inner})"
            case 5:
                return f"({inner})/({self._path(depth + 1)})"
            case 6:
                return f"({inner}|{self._path(depth + 1)})"
            case 7:
                return self._pick("!:p", "!(:p|a)", "!^:q", "!(:p|^:q)", "!(^:p|^a)")
            case _:
                return f"{inner}{self._pick('*', '+', '?')}" if inner in (":p", ":q", "a") else inner

    # -- expressions ---------------------------------------------------------------------------------------------

    def _expression(self, depth: int) -> str:
        chance = self._random.random()
        if chance < 0.12:
            return f"{self._expression(depth)} && {self._expression(depth)}"
        if chance < 0.2:
            return f"{self._expression(depth)} || {self._expression(depth)}"
        if chance < 0.26:
            return f"!({self._expression(depth)})"
        if chance < 0.32 and depth < _MOST_DEEP:
            return f"{self._pick('', 'NOT ')}EXISTS {self._group(depth + 1)}"
        u, v = self._near_variable(), self._near_variable()
        name, other, value = self._pick(*_NAMES), self._pick(*_NAMES), self._pick(*_VALUES)
        return self._pick(
            *(f"{u} = {name}", f"{name} = {u}", f"{u} IN ({name}, {other})", f"sameTerm({u}, {name})", f"{u} IN ()"),
            *(f"({u} = {name} || {u} = {other})", f"{u} = {name} || {v} = {other}", f"{u} != {name}"),
            *(
                f"{u} NOT IN ({name}, {other})",
                f"{u} = {value}",
                f"{u} IN ({name}, {value})",
                f"sameTerm({u}, {value})",
            ),
            *(f"{u} = {v}", f"{u} != {v}", f"{u} < {v}", f"{u} > 1", f"{u}", f"bound({u})", f"!bound({u})"),
            *(f"isIRI({u})", f"isBlank({u})", f"isLiteral({u})", f"lang({u}) = 'en'", f"str({u}) = 'x'"),
            *(f"regex(str({u}), '{self._pick('a', '[bc]$', 'X')}', 'i')", f"datatype({u}) = xsd:integer"),
            *(f"COALESCE({u} > 1, true)", f"IF(bound({v}), {u} = {name}, true)", f"xsd:integer({u}) = 1"),
        )
