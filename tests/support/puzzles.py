"""Small counting puzzles as ontologies, in many formulations, with verdicts known by construction.

Pigeons have to fit into holes; values have to come from a small set; nodes of a graph need colours; a sequence has to
be infinite. The axioms that say that pigeons differ, how many holes exist, where pigeons sit and how many fit into one
are drawn for each ontology, so that unforeseen combinations of axioms occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from random import Random
from typing import NamedTuple, TypeVar

from kgprobe.owl.expression import Expression
from kgprobe.rdf.terms import OWL, XSD, Literal, NamedNode, Term
from kgprobe.reasoners.ontology import Ontology

__all__ = ["Puzzle", "puzzle"]

Thing = TypeVar("Thing")
Part = int | Term | Expression


@dataclass(frozen=True)
class Puzzle:
    """An ontology, and whether it is consistent."""

    ontology: Ontology
    is_consistent: bool


def puzzle(random: Random) -> Puzzle:
    """One of the puzzles."""
    draft = _Draft(random)
    return draft.one_of([_pigeons, _pigeons, _pigeons, _data_holes, _values, _colours, _endless, _merged, _merged])(
        draft
    )


def _name(text: str) -> NamedNode:
    return NamedNode(f"urn:puzzle:{text}")


def _names(text: str, number: int) -> list[NamedNode]:
    return [_name(f"{text}{n}") for n in range(number)]


PIGEON, HOLE, BIRD, NODE = (_name(text) for text in ("Pigeon", "Hole", "Bird", "Node"))
IN, HAS, SITS, PART, PARTS, OTHER, NEXT, ADJACENT = (
    _name(text) for text in ("in", "has", "sits", "partOf", "hasPart", "other", "next", "adjacent")
)
FORWARD, BACKWARD = _name("forward"), _name("backward")
RING, NUMBER = _name("ring"), _name("number")
HOUSE, LOFT, ZERO = _name("house"), _name("loft"), _name("zero")


def _not(kind: Part) -> Expression:
    return Expression("ObjectComplementOf", kind)


def _inverse(prop: Part) -> Expression:
    return Expression("ObjectInverseOf", prop)


def _integer(number: int) -> Literal:
    return Literal(str(number), datatype=XSD.integer)


def _one_of(names: list[NamedNode]) -> Expression:
    return Expression("ObjectOneOf", *names)


def _any_of(kinds: list[Expression]) -> Expression:
    return kinds[0] if len(kinds) == 1 else Expression("ObjectUnionOf", *kinds)


@dataclass
class _Draft:
    """The axioms so far."""

    random: Random
    axioms: dict[Expression, None] = field(default_factory=dict)

    def one_of(self, things: Sequence[Thing]) -> Thing:
        return self.random.choice(things)

    def say(self, *axioms: Expression) -> None:
        self.axioms |= dict.fromkeys(axioms)

    def one_way(self, *ways: Sequence[Expression]) -> None:
        self.say(*self.one_of(list(ways)))

    def made(self, *, is_consistent: bool) -> Puzzle:
        """The axioms in any order."""
        axioms = list(self.axioms)
        self.random.shuffle(axioms)
        return Puzzle(Ontology(tuple(axioms)), is_consistent)


def _pigeons(draft: _Draft) -> Puzzle:
    """Pigeons, named or anonymous, in holes that are named or counted."""
    pigeons, holes = draft.random.randint(1, 4), draft.random.randint(1, 3)
    room = draft.one_of([1, 1, 2])
    are_named, have_names = draft.random.random() < 0.75, draft.random.random() < 0.7
    if are_named:
        individuals = _names("p", pigeons)
        draft.say(*[Expression("ClassAssertion", PIGEON, each) for each in individuals])
        _differ(draft, individuals)
    else:
        count = draft.one_of(["ObjectMinCardinality", "ObjectExactCardinality"])
        draft.say(Expression("ClassAssertion", Expression(count, pigeons, OTHER, PIGEON), LOFT))
    names = _names("h", holes)
    if have_names:
        _named_holes(draft, names)
    else:
        _counted_holes(draft, holes)
    _sit(draft, names if have_names else None)
    _fit(draft, room, by_key=are_named and have_names)
    return draft.made(is_consistent=pigeons <= holes * room)


def _differ(draft: _Draft, names: list[NamedNode]) -> None:
    if len(names) < 2:
        return
    kinds = [_name(f"P{n}") for n in range(len(names))]
    each_in_its_own: list[Expression] = [
        Expression("ClassAssertion", kind, name) for kind, name in zip(kinds, names, strict=True)
    ]
    pairs = list(combinations(names, 2))
    draft.one_way(
        [Expression("DifferentIndividuals", *names)],
        [Expression("DifferentIndividuals", *pair) for pair in pairs],
        [*each_in_its_own, Expression("DisjointClasses", *kinds)],
        [*each_in_its_own, Expression("DisjointUnion", PIGEON, *kinds)],
        [Expression("ClassAssertion", _not(_one_of([second])), first) for first, second in pairs],
        [
            Expression("IrreflexiveObjectProperty", OTHER),
            *(Expression("ObjectPropertyAssertion", OTHER, *pair) for pair in pairs),
        ],
        [
            Expression("AsymmetricObjectProperty", OTHER),
            *(Expression("ObjectPropertyAssertion", OTHER, *pair) for pair in pairs),
        ],
        [
            Expression("FunctionalDataProperty", RING),
            *(Expression("DataPropertyAssertion", RING, name, _integer(n)) for n, name in enumerate(names)),
        ],
        [
            axiom
            for n, (first, second) in enumerate(pairs)
            for axiom in (
                Expression("ObjectPropertyAssertion", OTHER, first, _name(f"x{n}")),
                Expression("NegativeObjectPropertyAssertion", OTHER, second, _name(f"x{n}")),
            )
        ],
    )


def _named_holes(draft: _Draft, names: list[NamedNode]) -> None:
    kinds = _names("H", len(names))
    nominals = [_one_of([name]) for name in names]
    split: list[list[Expression]] = []
    if len(names) > 1:
        each: list[Expression] = [
            Expression(draft.one_of(["SubClassOf", "EquivalentClasses"]), kind, nominal)
            for kind, nominal in zip(kinds, nominals, strict=True)
        ]
        split.append([Expression("SubClassOf", HOLE, Expression("ObjectUnionOf", *kinds)), *each])
        split.append(
            [Expression("DisjointUnion", HOLE, *kinds), *[Expression("SubClassOf", *axiom.args) for axiom in each]]
        )
    draft.one_way(
        [Expression("EquivalentClasses", HOLE, _one_of(names))],
        [Expression("SubClassOf", HOLE, _one_of(names))],
        [Expression("SubClassOf", HOLE, _any_of(nominals))],
        [Expression("SubClassOf", _not(_one_of(names)), _not(HOLE))],
        [Expression("DisjointClasses", HOLE, _not(_one_of(names)))],
        [Expression("ObjectPropertyRange", IN, _one_of(names))],
        [Expression("SubClassOf", PIGEON, Expression("ObjectAllValuesFrom", IN, _one_of(names)))],
        *split,
    )


def _counted_holes(draft: _Draft, number: int) -> None:
    """All holes are parts of one house with a maximum number of parts."""
    draft.say(Expression("SubClassOf", HOLE, Expression("ObjectHasValue", PART, HOUSE)))
    parts: Part = PARTS if draft.random.random() < 0.5 else _inverse(PART)
    if parts == PARTS:
        draft.say(Expression("InverseObjectProperties", *draft.one_of([(PART, PARTS), (PARTS, PART)])))
    counted: list[Part] = [
        Expression("ObjectMaxCardinality", number, parts),
        Expression("ObjectMaxCardinality", number, parts, HOLE),
        _not(Expression("ObjectMinCardinality", number + 1, parts, HOLE)),
        Expression("ObjectExactCardinality", number, parts, HOLE),
    ]
    draft.one_way(*[[Expression("ClassAssertion", kind, HOUSE)] for kind in counted])


def _sit(draft: _Draft, names: list[NamedNode] | None) -> None:
    """Each pigeon is in a hole."""
    prop: Part = IN
    match draft.one_of(["", "", "below", "turned", "equivalent", "below turned"]):
        case "below":
            prop = SITS
            draft.say(Expression("SubObjectPropertyOf", SITS, IN))
        case "turned":
            prop = _inverse(HAS)
            draft.say(Expression("InverseObjectProperties", IN, HAS))
        case "equivalent":
            prop = SITS
            draft.say(Expression("EquivalentObjectProperties", SITS, IN))
        case "below turned":
            prop = SITS
            draft.say(
                Expression("SubObjectPropertyOf", _inverse(SITS), HAS), Expression("InverseObjectProperties", IN, HAS)
            )
    ways: list[Part] = [
        Expression("ObjectSomeValuesFrom", prop, HOLE),
        Expression("ObjectMinCardinality", 1, prop, HOLE),
        Expression("ObjectExactCardinality", 1, prop, HOLE),
        _not(Expression("ObjectAllValuesFrom", prop, _not(HOLE))),
        Expression("ObjectSomeValuesFrom", prop, Expression("ObjectIntersectionOf", HOLE, OWL.Thing)),
    ]
    if names is not None:
        ways.append(
            _any_of(
                [
                    Expression(
                        "ObjectIntersectionOf",
                        Expression("ObjectHasValue", prop, name),
                        Expression("ObjectSomeValuesFrom", prop, HOLE),
                    )
                    for name in names
                ]
            )
        )
    seat = draft.one_of(ways)
    draft.one_way(
        [Expression("SubClassOf", PIGEON, seat)],
        [Expression("SubClassOf", PIGEON, BIRD), Expression("SubClassOf", BIRD, seat)],
        [Expression("EquivalentClasses", PIGEON, BIRD), Expression("SubClassOf", BIRD, seat)],
        [Expression("DisjointClasses", PIGEON, _not(seat))],
    )


def _fit(draft: _Draft, room: int, *, by_key: bool) -> None:
    """A hole has room for a maximum number of pigeons."""
    inward: Part = HAS if draft.random.random() < 0.5 else _inverse(IN)
    if inward == HAS:
        draft.say(Expression("InverseObjectProperties", *draft.one_of([(IN, HAS), (HAS, IN)])))
    counts: list[Part] = [
        Expression("ObjectMaxCardinality", room, inward),
        Expression("ObjectMaxCardinality", room, inward, PIGEON),
        _not(Expression("ObjectMinCardinality", room + 1, inward)),
        _not(Expression("ObjectMinCardinality", room + 1, inward, PIGEON)),
    ]
    where = draft.one_of([HOLE, OWL.Thing])
    ways: list[list[Expression]] = [[Expression("SubClassOf", where, draft.one_of(counts))]]
    if room == 1:
        ways.append([Expression("InverseFunctionalObjectProperty", IN)])
        ways.append([Expression("FunctionalObjectProperty", inward)])
    if room == 1 and by_key:
        ways.append([Expression("HasKey", draft.one_of([PIGEON, OWL.Thing]), Expression("", IN), Expression(""))])
    draft.one_way(*ways)


def _data_holes(draft: _Draft) -> Puzzle:
    """Pigeons with numbers: few numbers, and each number for one pigeon only."""
    pigeons, numbers = draft.random.randint(1, 4), draft.random.randint(1, 3)
    individuals = _names("p", pigeons)
    draft.say(*[Expression("ClassAssertion", PIGEON, each) for each in individuals])
    _differ(draft, individuals)
    values = _values_up_to(draft, numbers)
    draft.one_way(
        [Expression("SubClassOf", PIGEON, Expression("DataSomeValuesFrom", NUMBER, values))],
        [Expression("SubClassOf", PIGEON, Expression("DataMinCardinality", 1, NUMBER, values))],
        [
            Expression("DataPropertyRange", NUMBER, values),
            Expression("SubClassOf", PIGEON, Expression("DataMinCardinality", 1, NUMBER)),
        ],
    )
    draft.say(Expression("HasKey", PIGEON, Expression(""), Expression("", NUMBER)))
    return draft.made(is_consistent=pigeons <= numbers)


def _values_up_to(draft: _Draft, number: int) -> Part:
    """A data range with a given number of integers."""
    last = Literal(str(number), datatype=XSD.integer)
    between: Part = Expression(
        "DatatypeRestriction", XSD.integer, XSD.minInclusive, _integer(1), XSD.maxInclusive, last
    )
    listed: Part = Expression("DataOneOf", *(_integer(n + 1) for n in range(number)))
    below: Part = Expression("DatatypeRestriction", XSD.positiveInteger, XSD.maxInclusive, last)
    ways = [between, listed, listed, below, Expression("DataIntersectionOf", listed, XSD.integer)]
    if number > 1:
        ways.append(
            Expression(
                "DataUnionOf",
                Expression("DataOneOf", _integer(1)),
                Expression("DataOneOf", *(_integer(n + 1) for n in range(1, number))),
            )
        )
        ways.append(Expression("DataIntersectionOf", between, Expression("DataUnionOf", XSD.integer, XSD.string)))
    return draft.one_of(ways)


def _values(draft: _Draft) -> Puzzle:
    """One individual that needs more values than exist, or has more than it may have."""
    needed, number = draft.random.randint(1, 4), draft.random.randint(1, 3)
    if draft.random.random() < 0.5:
        values = _values_up_to(draft, number)
        draft.one_way(
            [Expression("ClassAssertion", Expression("DataMinCardinality", needed, NUMBER, values), LOFT)],
            [Expression("ClassAssertion", Expression("DataExactCardinality", needed, NUMBER, values), LOFT)],
            [
                Expression("DataPropertyRange", NUMBER, values),
                Expression("ClassAssertion", Expression("DataMinCardinality", needed, NUMBER), LOFT),
            ],
            [
                Expression("ClassAssertion", Expression("DataMinCardinality", needed, NUMBER), LOFT),
                Expression("ClassAssertion", Expression("DataAllValuesFrom", NUMBER, values), LOFT),
            ],
        )
    else:
        draft.say(*[Expression("DataPropertyAssertion", NUMBER, LOFT, _integer(n)) for n in range(needed)])
        kinds: list[Part] = [
            Expression("DataMaxCardinality", number, NUMBER),
            Expression("DataMaxCardinality", number, NUMBER, XSD.integer),
            _not(Expression("DataMinCardinality", number + 1, NUMBER, XSD.integer)),
            Expression("DataExactCardinality", number, NUMBER),
        ]
        draft.one_way(*[[Expression("ClassAssertion", kind, LOFT)] for kind in kinds])
    return draft.made(is_consistent=needed <= number)


def _colours(draft: _Draft) -> Puzzle:
    """A graph colouring: neighbours need different colours."""
    nodes, colours = draft.random.randint(2, 4), draft.random.randint(1, 3)
    names, kinds = _names("n", nodes), _names("C", colours)
    edges = [pair for pair in combinations(range(nodes), 2) if draft.random.random() < 0.75]
    draft.say(*[Expression("ClassAssertion", NODE, name) for name in names])
    draft.say(*[Expression("ObjectPropertyAssertion", ADJACENT, names[one], names[two]) for one, two in edges])
    if draft.random.random() < 0.5:
        draft.say(Expression("SymmetricObjectProperty", ADJACENT))
    chosen: Part = kinds[0] if colours == 1 else Expression("ObjectUnionOf", *kinds)
    ways: list[list[Expression]] = [
        [Expression("SubClassOf", NODE, chosen)],
        [Expression("EquivalentClasses", NODE, chosen)],
        [
            Expression(
                "SubClassOf",
                Expression("ObjectIntersectionOf", *map(_not, kinds)) if colours > 1 else _not(kinds[0]),
                _not(NODE),
            )
        ],
    ]
    if colours > 1:
        ways.append([Expression("DisjointUnion", NODE, *kinds)])
    draft.one_way(*ways)
    for kind in kinds:
        draft.one_way(
            [Expression("SubClassOf", kind, Expression("ObjectAllValuesFrom", ADJACENT, _not(kind)))],
            [Expression("DisjointClasses", kind, Expression("ObjectSomeValuesFrom", ADJACENT, kind))],
            [Expression("SubClassOf", kind, Expression("ObjectMaxCardinality", 0, ADJACENT, kind))],
            [Expression("SubClassOf", Expression("ObjectSomeValuesFrom", _inverse(ADJACENT), kind), _not(kind))],
        )
    colourings = product(range(colours), repeat=nodes)
    return draft.made(is_consistent=any(all(each[a] != each[b] for a, b in edges) for each in colourings))


def _merged(draft: _Draft) -> Puzzle:
    """Links of functional and inverse functional properties merge individuals until nothing changes."""
    names = _names("m", draft.random.randint(3, 5))
    forward, backward = (
        {_Link(*draft.random.sample(range(len(names)), 2)) for _ in range(draft.random.randint(1, 4))} for _ in "fg"
    )
    for prop, links in ((FORWARD, forward), (BACKWARD, backward)):
        for source, target in sorted(links):
            _link(draft, prop, names[source], names[target])
    draft.one_way(
        [Expression("FunctionalObjectProperty", FORWARD)],
        [Expression("SubClassOf", OWL.Thing, Expression("ObjectMaxCardinality", 1, FORWARD))],
        [Expression("InverseObjectProperties", FORWARD, HAS), Expression("InverseFunctionalObjectProperty", HAS)],
        [Expression("SubObjectPropertyOf", FORWARD, HAS), Expression("FunctionalObjectProperty", HAS)],
    )
    draft.one_way(
        [Expression("InverseFunctionalObjectProperty", BACKWARD)],
        [Expression("SubClassOf", OWL.Thing, Expression("ObjectMaxCardinality", 1, _inverse(BACKWARD)))],
        [Expression("FunctionalObjectProperty", _inverse(BACKWARD))],
        [Expression("HasKey", OWL.Thing, Expression("", BACKWARD), Expression(""))],
    )
    same = _merged_by(forward, backward, len(names))
    one, two = draft.random.sample(range(len(names)), 2)
    draft.one_way(
        [Expression("DifferentIndividuals", names[one], names[two])],
        [Expression("ClassAssertion", NODE, names[one]), Expression("ClassAssertion", _not(NODE), names[two])],
        [Expression("ClassAssertion", _not(_one_of([names[two]])), names[one])],
    )
    return draft.made(is_consistent=same[one] != same[two])


class _Link(NamedTuple):
    source: int
    target: int


def _link(draft: _Draft, prop: Part, source: NamedNode, target: NamedNode) -> None:
    draft.one_way(
        [Expression("ObjectPropertyAssertion", prop, source, target)],
        [Expression("ObjectPropertyAssertion", prop, source, target)],
        [Expression("ObjectPropertyAssertion", _inverse(prop), target, source)],
        [Expression("ClassAssertion", Expression("ObjectHasValue", prop, target), source)],
        [Expression("ClassAssertion", Expression("ObjectSomeValuesFrom", prop, _one_of([target])), source)],
    )


def _merged_by(forward: set[_Link], backward: set[_Link], number: int) -> list[int]:
    """For each individual, the representative of all individuals that it is the same as."""
    same = list(range(number))
    pairs = [pair for links in (forward, {_Link(b, a) for a, b in backward}) for pair in combinations(links, 2)]
    for _ in range(number):
        for one, two in pairs:
            if same[one.source] == same[two.source]:
                old, new = same[one.target], same[two.target]
                same = [new if each == old else each for each in same]
    return same


def _endless(draft: _Draft) -> Puzzle:
    """Each has a successor, no two share one, and the first is not a successor: only an infinite model will do."""
    draft.say(Expression("ClassAssertion", BIRD, ZERO))
    draft.one_way(
        [Expression("SubClassOf", BIRD, Expression("ObjectSomeValuesFrom", NEXT, BIRD))],
        [Expression("SubClassOf", BIRD, Expression("ObjectMinCardinality", 1, NEXT, BIRD))],
        [
            Expression("SubClassOf", BIRD, Expression("ObjectExactCardinality", 1, NEXT)),
            Expression("ObjectPropertyRange", NEXT, BIRD),
        ],
    )
    draft.one_way(
        [Expression("InverseFunctionalObjectProperty", NEXT)],
        [Expression("FunctionalObjectProperty", _inverse(NEXT))],
        [Expression("SubClassOf", BIRD, Expression("ObjectMaxCardinality", 1, _inverse(NEXT)))],
        [Expression("InverseObjectProperties", NEXT, HAS), Expression("FunctionalObjectProperty", HAS)],
    )
    draft.one_way(
        [Expression("ClassAssertion", Expression("ObjectAllValuesFrom", _inverse(NEXT), OWL.Nothing), ZERO)],
        [Expression("ClassAssertion", Expression("ObjectMaxCardinality", 0, _inverse(NEXT)), ZERO)],
        [Expression("SubClassOf", Expression("ObjectHasValue", NEXT, ZERO), OWL.Nothing)],
        [Expression("ObjectPropertyRange", NEXT, _not(_one_of([ZERO])))],
    )
    is_bounded = draft.random.random() < 0.5
    if is_bounded:
        others: list[Expression] = [_one_of([ZERO, *_names("b", draft.random.randint(0, 2))])]
        draft.one_way(
            *[[Expression("SubClassOf", BIRD, each)] for each in others],
            *[[Expression("EquivalentClasses", OWL.Thing, each)] for each in others],
            [
                Expression("SubClassOf", BIRD, Expression("ObjectHasValue", PART, HOUSE)),
                Expression("ClassAssertion", Expression("ObjectMaxCardinality", 3, _inverse(PART)), HOUSE),
            ],
        )
    return draft.made(is_consistent=not is_bounded)
