"""Terms for the variables of a template, so that its conditions hold, or so that one of them does not.

Each variable gets a pool of terms: new individuals, or literals in the range of its properties, on both sides of each
constant that it is compared with. The SPARQL engine itself then says which combinations satisfy the conditions, so that
the meaning of every operator and function is the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import islice
from math import prod
from operator import and_
from random import Random
from typing import TypeAlias

from pyoxigraph import QuerySolutions, Store

from kgprobe.errors import InputError
from kgprobe.owl.random_values import random_literal
from kgprobe.owl.value_sets import EVERYTHING, ValueSet
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.data import Data, Datum, Hints, placed
from kgprobe.queries.testing.expansion import Template, TriplePattern
from kgprobe.queries.testing.literals import around, far_from, with_parts
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OWL, RDF, RDFS, XSD, BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.sparql.algebra import Call, Constant, Expression, text_in_full
from kgprobe.sparql.engine.exact_store import PreparedQuery
from kgprobe.sparql.pyoxigraph import answer
from kgprobe.sparql.traversal import expressions_in, variables_in

Assignment: TypeAlias = Mapping[Variable, Term]

NAMESPACE = "urn:kgprobe:new:"
_MOST_COMBINATIONS = 20_000
_MOST_ROWS = 300
_MOST_IN_POOL = 24
_VOCABULARIES = (RDF.iri, RDFS.iri, OWL.iri)
_ABOUT_DATA = frozenset(
    [RDF.type, RDFS.label, RDFS.comment, RDFS.seeAlso, RDFS.isDefinedBy, OWL.sameAs, OWL.differentFrom]
)
_LANGUAGE_CALLS = frozenset(["LANG", "LANGMATCHES", "STRLANG"])


@lru_cache(maxsize=1 << 12)
def new_individual(variable: Variable, number: int = 0) -> NamedNode:
    """The new individual for a variable in one copy of a template."""
    return NamedNode(f"{NAMESPACE}{variable.name}" if number == 0 else f"{NAMESPACE}{variable.name}-{number + 1}")


def is_about_schema(triple: TriplePattern) -> bool:
    """Whether a triple pattern is about the ontology itself, to which data add nothing."""
    predicate = triple[1]
    return (
        isinstance(predicate, NamedNode)
        and predicate.value.startswith(_VOCABULARIES)
        and (predicate not in _ABOUT_DATA or (predicate == RDF.type and _is_of_vocabulary(triple[2])))
    )


def _is_of_vocabulary(part: object) -> bool:
    return isinstance(part, NamedNode) and part.value.startswith(_VOCABULARIES) and part != OWL.Thing


class Instances:
    """The instances of one template: what each variable can stand for, and which combinations match."""

    def __init__(
        self,
        template: Template,
        schema: Schema,
        hints: Hints,
        schema_rows: Callable[[str], list[Assignment]],
        random: Random | None = None,
    ) -> None:
        """With `random`, the pools also have random literals."""
        self.template = template
        self._random = random
        self._schema = schema
        self._hints = hints
        self._fixed = dict(template.given)
        about_schema = [triple for triple in template.triples if is_about_schema(triple)]
        self._schema_rows = self._matches(about_schema, schema_rows)
        if self._schema_rows:
            self._fixed |= self._schema_rows[0]
        # The default graph has the triples of the ontology. A named graph gets those that its pattern needs.
        kept = [
            (triple, graph)
            for triple, graph in zip(template.triples, template.graphs, strict=True)
            if not is_about_schema(triple) or (graph is not None and self._schema_rows)
        ]
        self.triples = tuple(triple for triple, _ in kept)
        self.graphs = tuple(graph for _, graph in kept)
        self._sorts = _sorts(self.triples, template.conditions, schema)
        for graph in self.graphs:
            if isinstance(graph, Variable):
                self._sorts.setdefault(graph, "node")
        self._blanks = _blank_variables(template.conditions)

    @staticmethod
    def _matches(triples: list[TriplePattern], rows: Callable[[str], list[Assignment]]) -> list[Assignment]:
        """How the ontology itself matches the triples that are about it."""
        if not triples:
            return []
        pattern = " . ".join(" ".join(_written(part) for part in triple) for triple in triples)
        return rows(f"SELECT * WHERE {{ {pattern} }} LIMIT {_MOST_ROWS}")

    @property
    def nodes(self) -> list[Variable]:
        """The variables that stand for individuals."""
        return [each for each, sort in self._sorts.items() if sort == "node" and each not in self._fixed]

    @cached_property
    def usual(self) -> dict[Variable, Term]:
        """A term for each variable, whether the conditions hold or not."""
        return {variable: self.pool(variable)[0] for variable in self._sorts}

    @cached_property
    def matching(self) -> list[Assignment]:
        """Assignments with which all conditions hold: each value that takes part in one occurs in one."""
        return self._combined(self._matching_rows)

    def random_match(self, random: Random) -> Assignment | None:
        """A random assignment with which all conditions hold; None if none is known."""
        chosen = dict(self.usual)
        for rows in self._matching_rows:
            if not rows:
                return None
            chosen |= rows[int(random.random() * len(rows))]
        for variable in self._free:
            pool = self.pool(variable)
            chosen[variable] = pool[int(random.random() * len(pool))]
        return chosen

    @cached_property
    def _matching_rows(self) -> list[list[Assignment]]:
        return [self._rows(group, group.conditions) for group in self._groups]

    @cached_property
    def _free(self) -> list[Variable]:
        """The variables that do not stand for individuals and that no condition is about."""
        grouped = frozenset().union(*(group.variables for group in self._groups)) if self._groups else frozenset()
        return [each for each, sort in self._sorts.items() if sort != "node" and each not in grouped]

    @cached_property
    def missing(self) -> list[Assignment]:
        """Assignments with which one condition does not hold, and the others do as far as possible."""
        found: list[Assignment] = []
        satisfied = [next(iter(rows), {}) for rows in self._matching_rows]
        for at, group in enumerate(self._groups):
            base = {**self.usual, **{v: t for i, row in enumerate(satisfied) if i != at for v, t in row.items()}}
            for number, condition in enumerate(group.conditions):
                others = [each for i, each in enumerate(group.conditions) if i != number]
                rows = self._rows(group, others, violated=condition) or self._rows(group, [], violated=condition)
                found += [{**base, **row} for row in _spread(rows)]
        return found

    def _combined(self, rows_of: list[list[Assignment]]) -> list[Assignment]:
        """One row of each group at a time: the first ones, then each other row with the first ones of the others."""
        if not all(rows_of):
            return []
        base: dict[Variable, Term] = dict(self.usual)
        for rows in rows_of:
            base |= rows[0]
        found: list[Assignment] = [base]
        for rows in rows_of:
            found += [{**base, **row} for row in rows[1:]]
        if not rows_of:  # nothing is compared: each value of each variable once
            for variable in self._sorts:
                found += [{**base, variable: term} for term in self.pool(variable)[1:]]
        return found

    def data(self, assignment: Assignment, left_out: frozenset[int] = frozenset()) -> Data:
        """The triples of the template with these terms; triples that cannot be are left out."""
        # This runs for each data set, so it avoids calls and repeated lookups.
        found: list[Datum] = []
        get = assignment.get
        for at, ((subject, predicate, object_), graph) in enumerate(zip(self.triples, self.graphs, strict=True)):
            if at in left_out:
                continue
            s = (get(subject) or new_individual(subject)) if isinstance(subject, Variable) else subject
            p = (get(predicate) or new_individual(predicate)) if isinstance(predicate, Variable) else predicate
            o = (get(object_) or new_individual(object_)) if isinstance(object_, Variable) else object_
            if type(s) is Literal or type(p) is not NamedNode:
                continue
            if graph is None:
                found.append(Triple(s, p, o))
                continue
            g = (get(graph) or new_individual(graph)) if isinstance(graph, Variable) else graph
            if type(g) is not Literal:
                found.append(placed(s, p, o, g))
        return tuple(found)

    # -- pools ---------------------------------------------------------------------------------------------------------

    def pool(self, variable: Variable) -> list[Term]:
        """The terms to try for a variable, the usual one first."""
        return self._pools.get(variable) or [new_individual(variable)]

    @cached_property
    def _pools(self) -> dict[Variable, list[Term]]:
        found: dict[Variable, list[Term]] = {}
        grouped = {variable: group for group in self._groups for variable in group.variables}
        for variable, sort in self._sorts.items():
            group = grouped.get(variable)
            if variable in self._fixed:
                found[variable] = list(
                    dict.fromkeys(
                        [self._fixed[variable], *(row[variable] for row in self._schema_rows if variable in row)]
                    )
                )[:_MOST_IN_POOL]
            elif variable in self._blanks:
                found[variable] = [BlankNode(variable.name)]
            elif sort == "literal":
                literals: Iterable[Term] = self._literals(variable, group)
                found[variable] = list(islice(literals, _MOST_IN_POOL))
            elif sort == "class":
                found[variable] = list(self._hints.classes[:_MOST_IN_POOL]) or [OWL.Thing]
            elif sort == "property":
                found[variable] = self._predicates(variable)
            else:
                found[variable] = list(self._individuals(variable, group))[:_MOST_IN_POOL]
        return found

    def _individuals(self, variable: Variable, group: _Group | None) -> Iterable[Term]:
        found: dict[Term, None] = {new_individual(variable): None}
        if group is not None:
            found |= {new_individual(each): None for each in group.variables if self._sorts.get(each) == "node"}
            found |= {constant: None for constant in group.constants if isinstance(constant, NamedNode)}
            texts = [constant.value for constant in group.constants if isinstance(constant, Literal)]
            for text in texts:
                for iri in (text, f"{text}{variable.name}"):
                    if ":" in iri and not any(character in iri for character in ' <>"{}|^`\\'):
                        try:
                            found[NamedNode(iri)] = None
                        except ValueError:
                            continue
        return found

    def _predicates(self, variable: Variable) -> list[Term]:
        objects = [o for _, p, o in self.triples if p == variable]
        is_literal = any(isinstance(o, Literal) or self._sorts.get(o) == "literal" for o in objects)  # type: ignore[arg-type]
        names = self._hints.data_properties if is_literal else self._hints.object_properties
        return list(names[:_MOST_IN_POOL]) or [RDFS.seeAlso]

    def _literals(self, variable: Variable, group: _Group | None) -> Iterable[Literal]:
        """Literals in the range of the variable's properties, on both sides of each constant, the simplest first."""
        properties = [p for _, p, o in self.triples if o == variable and isinstance(p, NamedNode)]
        wished = [value for prop in properties for value in self._hints.values.get(prop, ())]
        if wished:
            return dict.fromkeys(value for value in wished if isinstance(value, Literal))
        stated = self._stated(variable)
        if stated is not None:
            return stated
        allowed = self._allowed(properties)
        constants = [constant for constant in (group.constants if group else ()) if isinstance(constant, Literal)]
        related = group.variables if group else (variable,)
        of_group = [p for _, p, o in self.triples if o in related and isinstance(p, NamedNode)]
        constants += [each for name in of_group for each in self._hints.constants.get(name, ())]
        examples = list(allowed.examples(6)) if allowed is not EVERYTHING else []
        datatypes = {example.datatype: None for example in examples}
        if not datatypes:
            datatypes = {constant.datatype: None for constant in constants} or {XSD.string: None}
            if group is not None and any(name in _LANGUAGE_CALLS for name in group.calls):
                datatypes = {RDF.langString: None, **datatypes}
            examples = [example for name in datatypes for example in ValueSet.of_datatype(name).examples(2)]
        near = [each for each, inside in allowed.near() if inside][:6] if allowed is not EVERYTHING else []
        tried = [with_part for name in datatypes for with_part in with_parts(constants, name)]
        tried += [each for constant in constants for name in datatypes for each in around(constant, name)]
        drawn = self._drawn(constants, datatypes)
        found = dict.fromkeys([*examples[:1], *tried[: _MOST_IN_POOL - len(drawn)], *near, *drawn, *examples])
        return [literal for literal in found if allowed.contains(literal) is not False] or examples or [Literal("a")]

    def _drawn(self, constants: Sequence[Literal], datatypes: Iterable[NamedNode]) -> list[Literal]:
        """Random literals, most of them not far from a constant."""
        if self._random is None:
            return []
        found: list[Literal | None] = [random_literal(name, self._random) for name in datatypes for _ in range(3)]
        found += [
            far_from(constant, name, self._random) for constant in constants[:4] for name in datatypes for _ in range(3)
        ]
        return [literal for literal in found if literal is not None][:12]

    def _stated(self, variable: Variable) -> list[Literal] | None:
        """The values that the ontology states, if the variable can have no other: the property is functional."""
        for subject, predicate, object_ in self.triples:
            if object_ == variable and isinstance(subject, NamedNode) and isinstance(predicate, NamedNode):
                facts = [
                    fact.value for fact in self._schema.facts(subject, predicate) if isinstance(fact.value, Literal)
                ]
                if facts and self._schema.functional_data(predicate):
                    return facts
        return None

    def _allowed(self, properties: Iterable[NamedNode]) -> ValueSet:
        return reduce(and_, map(self._schema.values_of, properties), EVERYTHING)

    # -- conditions ----------------------------------------------------------------------------------------------------

    @cached_property
    def _groups(self) -> list[_Group]:
        """The conditions by the variables that they share, directly or through a BIND."""
        texts: list[tuple[frozenset[Variable], Expression, str, bool]] = []
        for condition in self.template.conditions:
            if not self._blanks.isdisjoint(variables_in(condition)):
                continue  # a query cannot name a blank node
            try:
                texts.append((frozenset(variables_in(condition)), condition, text_in_full(condition), True))
            except ValueError:
                continue  # it looks into the graph
        for variable, value in self.template.binds:
            try:
                used = frozenset((variable, *variables_in(value)))
                texts.append((used, value, f"BIND({text_in_full(value)} AS {variable})", False))
            except ValueError:
                continue
        groups: list[_Group] = []
        for variables, expression, text, is_condition in texts:
            touched = [group for group in groups if group.variables & variables]
            merged = _Group.joined([*touched, _Group.of(variables, expression, text, is_condition)])
            groups = [group for group in groups if group not in touched] + [merged]
        return [group for group in groups if group.conditions or self._binds_used(group)]

    def _binds_used(self, group: _Group) -> bool:
        return any(variable in self._sorts for variable, _ in self.template.binds if variable in group.variables)

    def _rows(self, group: _Group, conditions: Sequence[str], violated: str | None = None) -> list[Assignment]:
        bound = {variable for variable, _ in self.template.binds}
        free = sorted((each for each in group.variables if each in self._sorts and each not in bound), key=str)
        pools = {variable: self.pool(variable) for variable in free}
        while prod(len(pool) for pool in pools.values()) > _MOST_COMBINATIONS:
            longest = max(pools, key=lambda variable: len(pools[variable]))
            pools[longest] = pools[longest][:-1]
        lines = [f"VALUES {variable} {{ {' '.join(map(str, pool))} }}" for variable, pool in pools.items()]
        lines += group.binds
        lines += [f"FILTER({condition})" for condition in conditions]
        if violated is not None:
            lines.append(f"FILTER(!COALESCE({violated}, false))")
        return _solved(f"SELECT * WHERE {{ {' '.join(lines)} }} LIMIT {_MOST_ROWS}")


@dataclass(frozen=True)
class _Group:
    """Conditions that share variables, and the constants in them."""

    variables: frozenset[Variable]
    conditions: tuple[str, ...]
    binds: tuple[str, ...]
    constants: tuple[Term, ...]
    calls: frozenset[str]

    @classmethod
    def of(cls, variables: frozenset[Variable], expression: Expression, text: str, is_condition: bool) -> _Group:
        parts = list(expressions_in(expression))
        constants = tuple(part.term for part in parts if isinstance(part, Constant))
        calls = frozenset(name for part in parts if (name := getattr(part, "name", None)))
        return cls(variables, (text,) * is_condition, (text,) * (not is_condition), constants, calls)

    @classmethod
    def joined(cls, groups: Sequence[_Group]) -> _Group:
        return cls(
            frozenset().union(*(group.variables for group in groups)),
            tuple(condition for group in groups for condition in group.conditions),
            tuple(bind for group in groups for bind in group.binds),
            tuple(dict.fromkeys(constant for group in groups for constant in group.constants)),
            frozenset().union(*(group.calls for group in groups)),
        )


def _solved(query: str) -> list[Assignment]:
    try:
        if not PreparedQuery.of(query, "<conditions>").is_tame:
            return []
        results = answer(Store(), query, "<conditions>")
        assert isinstance(results, QuerySolutions)  # noqa: S101 - it is a SELECT
        variables = [Variable(column.value) for column in results.variables]
        return [
            {variable: term for variable in variables if (term := row[variable.name]) is not None} for row in results
        ]
    except (SyntaxError, RuntimeError, OSError, InputError):
        return []  # an unknown function, for one: no condition can be tried in advance


def _spread(rows: list[Assignment], most: int = 12) -> list[Assignment]:
    return rows[:: max(1, len(rows) // most)][:most]


def _written(part: object) -> str:
    return str(part)


def _sorts(triples: Sequence[TriplePattern], conditions: Iterable[Expression], schema: Schema) -> dict[Variable, str]:
    """What each variable stands for: a node, a literal, a class or a property."""
    found: dict[Variable, str] = {}
    compared = _compared_with_literals(conditions)
    subjects = {subject for subject, _, _ in triples}
    for subject, predicate, _ in triples:
        if isinstance(subject, Variable):
            found[subject] = "node"
        if isinstance(predicate, Variable):
            found[predicate] = "property"
    for _, predicate, object_ in triples:
        if not isinstance(object_, Variable) or object_ in subjects or found.get(object_) == "property":
            continue
        found.setdefault(object_, _sort_of_object(predicate, schema, is_compared=object_ in compared))
    return found


def _sort_of_object(predicate: Variable | NamedNode, schema: Schema, *, is_compared: bool) -> str:
    if predicate == RDF.type:
        return "class"
    kinds = schema.kinds(predicate) if isinstance(predicate, NamedNode) else frozenset()
    if "DataProperty" in kinds and "ObjectProperty" not in kinds:
        return "literal"
    if "ObjectProperty" in kinds:
        return "node"
    return (
        "literal" if is_compared or predicate in (RDFS.label, RDFS.comment) or "AnnotationProperty" in kinds else "node"
    )


def _blank_variables(conditions: Iterable[Expression]) -> frozenset[Variable]:
    """The variables that must stand for blank nodes."""
    return frozenset(
        variable
        for condition in conditions
        if isinstance(condition, Call) and condition.name == "ISBLANK"
        for variable in variables_in(condition)
    )


def _compared_with_literals(conditions: Iterable[Expression]) -> set[Variable]:
    found: set[Variable] = set()
    for condition in conditions:
        parts = list(expressions_in(condition))
        if any(isinstance(part, Constant) and isinstance(part.term, Literal) for part in parts):
            found.update(variables_in(condition))
    return found
