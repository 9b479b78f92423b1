"""Random queries and updates as algebra, nearly all of which are valid SPARQL."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import RDF, XSD, Literal, NamedNode, Term
from kgprobe.sparql.algebra import (
    Aggregate,
    Bind,
    Call,
    Constant,
    Element,
    Exists,
    Expression,
    Filter,
    GraphGroup,
    GraphTriples,
    Group,
    Minus,
    Modify,
    Operation,
    Optional,
    PlacedTriple,
    Projected,
    QueryTree,
    Service,
    Span,
    Union,
    Values,
    VariableUse,
)
from kgprobe.sparql.paths import AlternativePath, EdgePath, NegatedPath, Path, RepeatedPath, SequencePath

__all__ = ["random_algebra"]

_NOWHERE = Span(0, 0)
_NAMES = [NamedNode(f"http://example.org/{name}") for name in ("a", "b#c", "d/e")] + [RDF.type]
_LITERALS = [
    Literal("x"),
    Literal('a "quoted" \\ \n text', language="en"),
    Literal("1", datatype=XSD.integer),
    Literal("-1.50", datatype=XSD.decimal),
    Literal("true", datatype=XSD.boolean),
    Literal("é😀", datatype=NamedNode("http://example.org/d")),
]
_VARIABLES = [Variable(name) for name in ("x", "y", "é1", "select")]
_DEEPEST = 3
_BINARY = ("=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/")
_FUNCTIONS = (
    ("STR", 1),
    ("BOUND", 0),
    ("IF", 3),
    ("CONCAT", 2),
    ("RAND", 0),
    ("REGEX", 2),
    ("SUBSTR", 3),
    ("ISIRI", 1),
)
_AGGREGATES = ("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT")


def random_algebra(random: Random) -> Operation:
    """A query or an update."""
    maker = _Maker(random)
    return maker.update() if random.random() < 0.3 else maker.query()


class _Maker:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._fresh = 0
        self._deep = 0

    def _chance(self, chance: float = 0.5) -> bool:
        return self._random.random() < chance

    def _new(self) -> Variable:
        self._fresh += 1
        return Variable(f"new{self._fresh}")

    # -- terms, paths and triples ----------------------------------------------------------------------------------

    def _name(self) -> NamedNode:
        return self._random.choice(_NAMES)

    def _term(self) -> Term:
        choices: list[Term] = [*_NAMES, *_LITERALS]
        return self._random.choice(choices)

    def _variable(self) -> Variable:
        return self._random.choice(_VARIABLES)

    def _node(self, *, literal: bool = True) -> Variable | Term:
        if self._chance(0.1):
            self._fresh += 1
            return Variable(f"_:b{self._fresh}", hidden=True)
        return self._variable() if self._chance() else self._term() if literal else self._name()

    def _path(self, deep: int = 2) -> Path:
        kind = self._random.randrange(5) if deep else 0
        match kind:
            case 1:
                return NegatedPath(frozenset(self._name() for _ in range(2)), backwards=self._chance())
            case 2:
                inner = self._path(deep - 1)
                while isinstance(inner, RepeatedPath):
                    inner = self._path(deep - 1)
                may_be_none, many = self._random.choice([(True, True), (False, True), (True, False)])
                return RepeatedPath(inner, may_be_none, many)
            case 3:
                return SequencePath((self._edge(), self._edge()))
            case 4:
                return AlternativePath((self._edge(), SequencePath((self._edge(), self._edge()))))
        return self._edge()

    def _edge(self) -> EdgePath:
        return EdgePath(frozenset({(self._name(), True), (self._name(), self._chance())}))

    def _triple(self, *, path: bool = True) -> PlacedTriple:
        subject, object_ = self._node(literal=False), self._node()
        predicate: Variable | NamedNode | Path = self._variable() if self._chance(0.2) else self._name()
        if path and self._chance(0.3):
            predicate = self._path()
        return PlacedTriple(subject, predicate, object_, _NOWHERE, _NOWHERE, _NOWHERE, _NOWHERE)

    # -- expressions -------------------------------------------------------------------------------------------------

    def _expression(self, deep: int = 3) -> Expression:
        if not deep or self._chance(0.3):
            if self._chance():
                return VariableUse(self._variable(), _NOWHERE)
            return Constant(self._term(), _NOWHERE)
        match self._random.randrange(6):
            case 0:
                return Exists(self._group(), self._chance(), _NOWHERE)
            case 1:
                return self._call(self._random.choice(["&&", "||"]), self._random.randint(2, 4), deep)
            case 2:
                return self._call(self._random.choice(["IN", "NOT IN"]), self._random.randint(1, 3), deep)
            case 3:
                return self._call(self._random.choice(["!", "-", "+"]), 1, deep)
            case 4:
                name, count = self._random.choice([*_FUNCTIONS, ("http://example.org/f", 2)])
                if name == "BOUND":
                    return Call(name, (VariableUse(self._variable(), _NOWHERE),), _NOWHERE)
                return self._call(name, count, deep)
        return self._call(self._random.choice(_BINARY), 2, deep)

    def _call(self, name: str, count: int, deep: int) -> Call:
        return Call(name, tuple(self._expression(deep - 1) for _ in range(count)), _NOWHERE)

    def _aggregate(self) -> Aggregate:
        name = self._random.choice(_AGGREGATES)
        argument = None if name == "COUNT" and self._chance() else VariableUse(self._variable(), _NOWHERE)
        separator = ", \n" if name == "GROUP_CONCAT" and self._chance() else None
        return Aggregate(name, argument, self._chance(0.3), _NOWHERE, separator)

    # -- groups ------------------------------------------------------------------------------------------------------

    def _group(self) -> Group:
        if self._deep >= _DEEPEST:
            return Group((), _NOWHERE)
        self._deep += 1
        elements = tuple(self._element() for _ in range(self._random.randrange(4)))
        self._deep -= 1
        return Group(elements, _NOWHERE)

    def _element(self) -> Element:
        if self._chance(0.4):
            return self._triple()
        choices: list[Callable[[], Element]] = [
            lambda: Filter(self._expression(), _NOWHERE),
            lambda: Bind(self._expression(), self._new(), _NOWHERE),
            self._values,
            lambda: Optional(self._group(), _NOWHERE),
            lambda: Minus(self._group(), _NOWHERE),
            lambda: GraphGroup(self._variable() if self._chance() else self._name(), self._group(), _NOWHERE),
            lambda: Service(self._name(), self._group(), self._chance(), _NOWHERE),
            lambda: Union(tuple(self._group() for _ in range(self._random.randint(2, 3))), _NOWHERE),
            self._group,
            lambda: Group((self._select(),), _NOWHERE),
        ]
        return self._random.choice(choices)()

    def _values(self) -> Values:
        variables = tuple(_VARIABLES[: self._random.randrange(3)])
        rows = tuple(
            tuple(None if self._chance(0.2) else self._term() for _ in variables)
            for _ in range(self._random.randrange(3))
        )
        return Values(variables, rows, _NOWHERE)

    # -- queries and updates -----------------------------------------------------------------------------------------

    def query(self) -> QueryTree:
        kind = self._random.randrange(4)
        if kind == 0:
            return QueryTree("ASK", None, self._group(), _NOWHERE)
        if kind == 1:
            template = tuple(self._triple(path=False) for _ in range(self._random.randrange(3)))
            return QueryTree("CONSTRUCT", None, self._group(), _NOWHERE, template=template, limit=3)
        if kind == 2:
            projected = tuple(Projected(variable, None, _NOWHERE) for variable in _VARIABLES[:2])
            described = (Constant(self._name(), _NOWHERE),)
            return QueryTree("DESCRIBE", projected, self._group(), _NOWHERE, described=described)
        return self._select()

    def _select(self) -> QueryTree:
        where = self._group()
        limit = self._random.randrange(5) if self._chance(0.3) else None
        offset = self._random.randrange(5) if self._chance(0.3) else None
        values = self._values() if self._chance(0.2) else None
        if self._chance(0.3):
            named = Bind(self._expression(), self._new(), _NOWHERE)
            projected = [
                Projected(_VARIABLES[0], None, _NOWHERE),
                Projected(self._new(), self._aggregate(), _NOWHERE),
                Projected(named.variable, None, _NOWHERE),
            ]
            return QueryTree(
                "SELECT",
                tuple(projected),
                where,
                _NOWHERE,
                groups=(VariableUse(_VARIABLES[0], _NOWHERE), named),
                having=(Filter(Call(">", (self._aggregate(), Constant(_LITERALS[2], _NOWHERE)), _NOWHERE), _NOWHERE),),
                limit=limit,
                offset=offset,
                values=values,
            )
        chosen = None
        if self._chance(0.7):
            plain = [Projected(each, None, _NOWHERE) for each in _VARIABLES[: self._random.randint(1, 3)]]
            chosen = (*plain, Projected(self._new(), self._expression(), _NOWHERE))
        order = (self._expression(1),) if self._chance(0.3) else ()
        is_distinct = self._chance(0.3)
        return QueryTree(
            "SELECT",
            chosen,
            where,
            _NOWHERE,
            order=order,
            values=values,
            is_distinct=is_distinct,
            limit=limit,
            offset=offset,
        )

    def update(self) -> Modify:
        if self._chance(0.3):
            triples = tuple(
                PlacedTriple(self._name(), self._name(), self._term(), _NOWHERE, _NOWHERE, _NOWHERE, _NOWHERE)
                for _ in range(self._random.randint(1, 3))
            )
            quads = (GraphTriples(None, triples, _NOWHERE), GraphTriples(self._name(), triples, _NOWHERE))
            return Modify((), quads, None, _NOWHERE) if self._chance() else Modify(quads, (), None, _NOWHERE)
        graph = self._name() if self._chance(0.3) else None
        deleted = (GraphTriples(self._variable(), (self._template(),), _NOWHERE),)
        inserted = (GraphTriples(None, (self._triple(path=False),), _NOWHERE),) if self._chance() else ()
        return Modify(deleted, inserted, self._group(), _NOWHERE, graph)

    def _template(self) -> PlacedTriple:
        parts = (self._variable(), self._name(), self._term())
        return PlacedTriple(*parts, _NOWHERE, _NOWHERE, _NOWHERE, _NOWHERE)
