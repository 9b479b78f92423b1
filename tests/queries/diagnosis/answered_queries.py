"""Queries that have an answer: made from triples of a graph, so that each part of the query matches.

A query is made for one solution: each variable has a value, and everything that is added (conditions, paths, optional
parts, alternatives, sub-selects) holds for these values.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from kgprobe.rdf.terms import RDF, XSD, BlankNode, Literal, NamedNode, Term, Triple

__all__ = ["AnsweredQuery", "answered_query", "connected_triples", "guessed_query"]

KINDS = ["plain", "optional", "union", "group", "exists", "select", "chain", "filtered", "bind", "scoped"]
KINDS += ["aggregate", "unions", "wild"]
_AGGREGATES = ["COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT"]
_CONSTANTS: list[Term] = [
    *(Literal("1", datatype=kind) for kind in (XSD.integer, XSD.decimal, XSD.boolean)),
    *(Literal("x"), Literal("x", language="en"), NamedNode("urn:random:a"), NamedNode("urn:random:A"), RDF.type),
]
_NUMBERS = (XSD.integer, XSD.decimal, XSD.double, XSD.float)


@dataclass(frozen=True)
class AnsweredQuery:
    """A query, and the triples that it was made from.

    If it is a guess, it may have no answer. The `wild` patterns are in parts that need not match.
    """

    text: str
    triples: tuple[Triple, ...]
    is_guess: bool = False
    wild: frozenset[str] = frozenset()


def connected_triples(random: Random, triples: Sequence[Triple], most: int = 6) -> list[Triple]:
    """Some triples, most of which share a node with another."""
    chosen = [random.choice(triples)]
    for _ in range(random.randint(0, most - 1)):
        nodes = {node for triple in chosen for node in (triple.subject, triple.object)}
        near = [triple for triple in triples if triple.subject in nodes or triple.object in nodes] or list(triples)
        chosen.append(random.choice(near if random.random() < 0.9 else triples))
    return list(dict.fromkeys(chosen))


def answered_query(random: Random, triples: Sequence[Triple], others: Sequence[NamedNode] = ()) -> AnsweredQuery:
    """A query that these triples answer. `others` are predicates for alternatives that need not match."""
    maker = _Maker(random, others)
    text = maker.query(list(triples))
    return AnsweredQuery(text, tuple(triples), maker.is_guess, frozenset(maker.wild_patterns))


def guessed_query(random: Random, triples: Sequence[Triple], others: Sequence[NamedNode] = ()) -> str:
    """A query in the shape of what people write, about the terms of these triples: it may have no answer."""
    return _Maker(random, others).guessed(list(triples))


# Conditions on two variables, or on a variable and a constant, true or not.
_CONDITIONS = [
    "isIRI({0})", "isBlank({0})", "isLiteral({0})", "isNumeric({0})", "BOUND({0})", "!BOUND({0})", "!isIRI({0})",
    "{0} = {1}", "{0} != {1}", "{0} < {1}", "{0} >= {1}", "sameTerm({0}, {1})", "{0} IN ({1}, 1)", "{0} NOT IN ({1})",
    "REGEX({0}, 'x')", "REGEX(STR({0}), 'r')", "STRSTARTS(STR({0}), 'urn')", "CONTAINS({0}, 'x')", "STRLEN({0}) > 0",
    "LANG({0}) = 'en'", "LANG({0}) = ''", "langMatches(LANG({0}), '*')", "langMatches(LANG({0}), '')",
    "DATATYPE({0}) = DATATYPE({1})", "{0} + 1 > {1}", "{0} > 1 && {0} < 2", "{0} < 1 || {1} > 1", "{0} = 1 && {0} = 2",
    "IF(isIRI({0}), {1} = {1}, true)", "COALESCE({0} > {1}, true)", "EXISTS {{ {0} ?inner {1} }}",
    "STR({0}) = STR({1})",
    "NOT EXISTS {{ {0} a {1} }}", "EXISTS {{ ?inner a {1} FILTER(?inner != {0}) }}", "({0} = {1}) = (1 = 1)", "{0}",
]  # fmt: skip


@dataclass
class _Maker:
    random: Random
    others: Sequence[NamedNode]
    names: dict[Term, str] = field(default_factory=dict)
    values: dict[str, Term] = field(default_factory=dict)
    count: int = 0
    is_guess: bool = False
    wild_patterns: set[str] = field(default_factory=set)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def fresh(self, value: Term | None = None) -> str:
        self.count += 1
        name = f"?v{self.count}"
        if value is not None:
            self.values[name] = value
        return name

    # -- terms ---------------------------------------------------------------------------------------------------------

    def written(self, term: Term) -> str:
        """A term as a variable or as itself: for each term always the same, unless it is written out."""
        if not isinstance(term, BlankNode) and self.chance(0.2):
            return str(term)
        if term not in self.names:
            self.names[term] = self.fresh(term)
        return self.names[term]

    def predicate(self, term: NamedNode) -> str:
        return self.written(term) if self.chance(0.08) else str(term)

    def end(self, triple: Triple) -> str:
        value = triple.object
        assert not isinstance(value, Triple)
        if triple.predicate == RDF.type and not isinstance(value, BlankNode) and not self.chance(0.15):
            return str(value)
        return self.written(value)

    # -- patterns ------------------------------------------------------------------------------------------------------

    def pattern(self, triple: Triple) -> str:
        assert not isinstance(triple.subject, Triple)
        start, end = self.written(triple.subject), self.end(triple)
        if self.chance(0.25) and not (start.startswith('"') or end.startswith('"')):
            return self.path(triple, start, end)
        return f"{start} {self.predicate(triple.predicate)} {end} ."

    def path(self, triple: Triple, start: str, end: str) -> str:
        name = str(triple.predicate)
        other = str(self.random.choice(self.others)) if self.others else name
        forwards = [
            name,
            f"({name}|{other})",
            f"({other}|{name})",
            f"{name}+",
            f"{name}*",
            f"{name}?",
            f"({name}/{other}*)",
        ]
        forwards += [f"({other}*/{name})", f"(^{other}|{name})+"]
        if other != name:
            forwards.append(f"!{other}")
        if self.chance(0.3):
            return f"{end} ^{self.random.choice([name, f'({name}|{other})'])} {start} ."
        return f"{start} {self.random.choice(forwards)} {end} ."

    def patterns(self, triples: Sequence[Triple]) -> str:
        return " ".join(map(self.pattern, triples))

    # -- groups --------------------------------------------------------------------------------------------------------

    def query(self, triples: list[Triple]) -> str:
        first = max(1, len(triples) - self.random.randint(0, 3))
        parts = [self.pattern(triple) for triple in triples[:first]]
        for triple in triples[first:]:
            parts.append(self.part([triple], triples))
        known = list(self.values)
        parts += [self.condition(name) for name in known if self.chance(0.35)]
        if self.chance(0.2):
            parts.append(self.bound())
        if self.chance(0.2) and known:
            parts.append(self.rows(known))
        return self.form(" ".join(parts))

    # -- queries that may have no answer -------------------------------------------------------------------------------

    def guessed(self, triples: list[Triple]) -> str:
        parts = [self.guessed_pattern(self.random.choice(triples)) for _ in range(self.random.randint(1, 2))]
        self.values = dict.fromkeys(re.findall(r"\?v\d", " ".join(parts)), RDF.nil)  # what conditions are about
        parts += [self.guessed_part(triples) for _ in range(self.random.choice([0, 0, 1, 2]))]
        parts += [self.guessed_filter() for _ in range(self.random.choice([0, 0, 1, 2]))]
        body = " ".join(parts)
        names = sorted(set(re.findall(r"\?v\d", body))) or ["?v1"]
        one, two = self.random.choice(names), self.random.choice(names)
        having = self.random.choice(["", "", f" HAVING({self.guess(f'{self.random.choice(_AGGREGATES)}({two})')})"])
        return self.random.choice(
            [
                f"SELECT * {{ {body} }}",
                f"SELECT {one} ({two} AS ?other) {{ {body} }} ORDER BY {two}",
                f"ASK {{ {body} }}",
                f"SELECT {one} (COUNT({two}) AS ?many) {{ {body} }} GROUP BY {one}{having}",
            ]
        )

    def guessed_term(self, term: Term, constants: float) -> str:
        """A term as itself, or as one of a few variables, whatever they stand for elsewhere."""
        if self.chance(constants) and not isinstance(term, BlankNode):
            return str(term)
        return f"?v{self.random.randint(1, 3)}"

    def guessed_pattern(self, triple: Triple) -> str:
        assert not isinstance(triple.subject, Triple)
        assert not isinstance(triple.object, Triple)
        start = self.guessed_term(triple.subject, 0.15)
        name = self.random.choice(self.others) if self.others and self.chance(0.2) else triple.predicate
        predicate = self.guessed_term(name, 0.9)
        end = self.guessed_term(triple.object, 0.7 if triple.predicate == RDF.type else 0.2)
        if self.chance(0.15) and predicate[0] != "?":
            predicate += self.random.choice("*+?")
        return f"{start} {predicate} {end} ."

    def guessed_filter(self) -> str:
        known = [*self.values, *self.values, *self.values, "?v1", "?v2"]
        one, other = self.random.choice(known), self.random.choice([*known, *map(str, _CONSTANTS)])
        return f"FILTER({self.random.choice(_CONDITIONS).format(one, other)})"

    def guessed_part(self, triples: list[Triple]) -> str:
        inside = [self.guessed_pattern(self.random.choice(triples)) for _ in range(self.random.randint(1, 2))]
        inside += [self.guessed_filter()] if self.chance(0.4) else []
        group, other = " ".join(inside), self.guessed_pattern(self.random.choice(triples))
        return self.random.choice(
            [
                f"OPTIONAL {{ {group} }}",
                f"{{ {group} }} UNION {{ {other} }}",
                f"{{ {group} }}",
                f"MINUS {{ {group} }}",
                f"GRAPH ?v{self.random.randint(1, 3)} {{ {group} }}",
                f"GRAPH ?g {{ {group} FILTER({self.random.choice(_CONDITIONS).format('?g', '?v1')}) }}",
                f"FILTER EXISTS {{ {group} }}",
                f"FILTER NOT EXISTS {{ {group} }}",
                f"{{ SELECT ?v1 (COUNT(?v2) AS ?n) {{ {group} }} GROUP BY ?v1 HAVING({self.guess('?n')}) }}",
                f"{{ SELECT ?v1 {{ {group} }} }}",
                f"VALUES ?v1 {{ {self.guessed_term(self.random.choice(_CONSTANTS), 1)} UNDEF }}",
                f"VALUES ?v2 {{ {self.guessed_term(self.random.choice(_CONSTANTS), 1)} }}",
            ]
        )

    def form(self, body: str) -> str:
        visible = sorted(self.values)
        choice = self.random.random()
        if choice < 0.6 or not visible or (self.is_guess and choice >= 0.9):  # COUNT has a row without a match
            return f"SELECT * {{ {body} }}"
        if choice < 0.7:
            return f"ASK {{ {body} }}"
        if choice < 0.8:
            return f"SELECT DISTINCT {' '.join(visible)} {{ {body} }} LIMIT 5"
        if choice < 0.9:
            key, other = self.random.choice(visible), self.random.choice(visible)
            if self.is_guess:
                having = self.guess(f"{self.random.choice(_AGGREGATES)}({other})")
                return f"SELECT {key} {{ {body} }} GROUP BY {key} HAVING({having})"
            return f"SELECT {key} (COUNT(*) AS ?many) {{ {body} }} GROUP BY {key} HAVING(COUNT(*) >= 1)"
        return f"SELECT (COUNT(*) AS ?many) {{ {body} }}"

    def part(self, own: list[Triple], triples: list[Triple]) -> str:
        """Triples in a part of their own that matches."""
        kind = self.random.choice(KINDS)
        if kind == "bind":
            return self.computed(own[0])
        if kind == "scoped":
            return self.scoped(own[0])
        if kind == "aggregate":
            return self.aggregate(own[0], self.random.choice(triples))
        if kind == "unions":
            return " ".join(self.alternatives(each) for each in (own[0], self.random.choice(triples)))
        if kind == "wild":
            return self.wild_optional(own[0])
        known = dict(self.values)
        inside = self.patterns(own)
        other = self.patterns([self.random.choice(triples)]) if kind in ("union", "chain") else ""
        if kind in ("exists", "union"):
            self.values = known  # new variables have no value outside, or only in some rows
        names = [word for word in inside.split() if word in self.values]
        condition = self.condition(self.random.choice(names)) if names and kind == "filtered" else ""
        branches = [inside, other]
        self.random.shuffle(branches)
        return {
            "plain": inside,
            "optional": f"OPTIONAL {{ {inside} }}",
            "filtered": f"OPTIONAL {{ {inside} {condition} }}",
            "union": f"{{ {branches[0]} }} UNION {{ {branches[1]} }}",
            "group": f"{{ {inside} }}",
            "exists": f"FILTER EXISTS {{ {inside} }}",
            "select": f"{{ SELECT * {{ {inside} }} }}",
            "chain": f"{{ {inside} {{ {other} }} }}",
        }[kind]

    def computed(self, triple: Triple) -> str:
        """A triple whose object is bound by BIND, or is free because the expression of BIND has an error."""
        new = self.fresh()
        errors = ["1 / 0", "?nothing", "xsd:integer('x')".replace("xsd:integer", f"<{XSD.integer.value}>")]
        value = triple.object
        is_safe = self.chance(0.5) and not isinstance(value, BlankNode | Triple)
        expression = str(value) if is_safe else self.random.choice(errors)
        assert not isinstance(triple.subject, Triple)
        return f"BIND({expression} AS {new}) {self.written(triple.subject)} {triple.predicate} {new} ."

    def scoped(self, triple: Triple) -> str:
        """A sub-select with variables that have the names of others."""
        assert not isinstance(triple.subject, Triple)
        known = dict(self.values)
        taken = self.random.choice(list(known) or ["?other"])
        start = self.written(triple.subject)
        if start == taken or not start.startswith("?"):
            self.values = known  # a new variable would be bound nowhere
            return f"{{ SELECT (COUNT(*) AS {self.fresh()}) {{ {taken} {triple.predicate} ?else }} }}"
        return f"{{ SELECT {start} {{ {start} {triple.predicate} {taken} }} }}"

    # -- parts that may have no match ----------------------------------------------------------------------------------

    def wild(self, triple: Triple, end: str | None = None) -> str:
        """A pattern that may contradict the others: its ends are any variables, and its predicate any other."""
        names = list(self.values) or ["?other"]
        predicate = self.random.choice([triple.predicate, *self.others])
        found = f"{self.random.choice(names)} {predicate} {end or self.random.choice(names)}"
        self.wild_patterns.add(found)
        return f"{found} ."

    def alternatives(self, triple: Triple) -> str:
        """A UNION with a branch that matches and others that may not."""
        known = dict(self.values)
        branches = [self.pattern(triple), *(self.wild(triple) for _ in range(self.random.randint(1, 2)))]
        self.values = known  # new variables have a value only in some rows
        self.random.shuffle(branches)
        return " UNION ".join(f"{{ {branch} }}" for branch in branches)

    def wild_optional(self, triple: Triple) -> str:
        """An OPTIONAL that may not match, and a FILTER on its variable, which may need a value or not."""
        new = self.fresh()
        self.is_guess = True
        truth = self.random.choice(
            [f"BOUND({new})", f"isIRI({new})", f"isLiteral({new})", f"{new} = {new}", f"{new} > 0"]
        )
        condition = self.random.choice(
            [
                truth,
                f"!({truth})",
                f"COALESCE({truth}, true)",
                f"{truth} || !BOUND({new})",
                f"IF(BOUND({new}), {truth}, 1)",
            ]
        )
        inside = self.pattern(triple)
        self.wild_patterns.add(inside.removesuffix(" ."))
        return f"OPTIONAL {{ {inside} {self.wild(triple, new)} }} FILTER({condition})"

    def aggregate(self, triple: Triple, other: Triple) -> str:
        """A sub-select with an aggregate, whose value is then compared, or used in a pattern: it may be free there."""
        assert not isinstance(triple.subject, Triple)
        self.is_guess = True
        known = dict(self.values)
        start = self.written(triple.subject)
        self.values = known
        value = "?value"
        new = value if self.chance(0.2) else self.fresh()
        inner = self.random.choice([value, value, f"STR({value})", f"{value} + 1", f"{value} / 2"])
        computed = f"{self.random.choice(_AGGREGATES)}({inner})"
        keys = f" GROUP BY {start}" if start.startswith("?") and self.chance(0.6) else ""
        having = f" HAVING({self.guess(computed)})" if self.chance(0.2) else ""
        body = f"{start} {triple.predicate} {value}"
        if self.chance(0.3) and self.others:
            body = f"{{ {body} }} UNION {{ {start} {self.random.choice(self.others)} {value} }}"
            self.wild_patterns.update(body.strip("{} ").split(" } UNION { "))
        select = f"SELECT {start if keys else ''} ({computed} AS {new}) {{ {body} }}"
        use = [f"FILTER({self.guess(new)})", f"{new} {other.predicate} ?end .", f"?begin {other.predicate} {new} .", ""]
        return f"{{ {select}{keys}{having} }} {self.random.choice(use)}"

    def guess(self, expression: str) -> str:
        tests = [f"isIRI({expression})", f"isLiteral({expression})", f"isNumeric({expression})", f"{expression} >= 1"]
        return self.random.choice([*tests, f"{expression} < 2", f"{expression} != 1", f"{expression} = {expression}"])

    # -- conditions ----------------------------------------------------------------------------------------------------

    def condition(self, name: str) -> str:
        """A FILTER that holds for the value of a variable, whether or not it is bound."""
        value = self.values[name]
        truths = [f"BOUND({name}) || !BOUND({name})", f"COALESCE({name} = {name}, true)"]
        if isinstance(value, NamedNode):
            truths += [f"isIRI({name})", f"{name} = {value}", f"sameTerm({name}, {value})", f"!isLiteral({name})"]
            truths += [f"{name} IN ({value}, 1)", f"STRSTARTS(STR({name}), 'u')" if value.value[0] == "u" else "true"]
        elif isinstance(value, BlankNode):
            truths += [f"isBlank({name})", f"!isIRI({name})", f"{name} = {name}"]
        elif isinstance(value, Literal):
            truths += [f"isLiteral({name})", f"sameTerm({name}, {value})", f"STR({name}) = STR({value})"]
            truths += self.comparisons(name, value)
        other = self.random.choice(list(self.values))
        both = (value, self.values[other])
        if both[0] != both[1] and not any(isinstance(each, Literal) for each in both):
            truths.append(f"{name} != {other}")
        chosen = self.random.choice(truths)
        # Variables of optional parts may have no value in another solution: there, the condition may fail.
        return f"FILTER({chosen} || !BOUND({name}))" if self.chance(0.2) else f"FILTER({chosen})"

    def comparisons(self, name: str, value: Literal) -> list[str]:
        if value.datatype in _NUMBERS:
            return [
                f"{name} = {value}",
                f"{name} >= {value}",
                f"{name} < {value} + 1",
                f"{name} > {value} - 2 && {name} <= {value}",
                f"{name} IN (-77, {value})",
                f"isNumeric({name})",
                f"{name} != -77.5",
                f"{name} = {value} || {name} < -1000",
            ]
        if value.datatype == XSD.string:
            return [f"{name} = {value}", f"{name} >= {value}", f"STRLEN({name}) >= 0", f"{name} != 'zzz'"]
        if value.datatype == XSD.boolean:
            return [f"{name} = {value}"]
        return []

    def bound(self) -> str:
        numbers = [name for name, value in self.values.items() if _is_number(value)]
        if numbers and self.chance(0.5):
            name, new = self.random.choice(numbers), self.fresh()
            return f"BIND({name} + 1 AS {new}) FILTER(!BOUND({new}) || {new} > {name})"
        name = self.random.choice(list(self.values)) if self.values else "1"
        return f"BIND({name} AS {self.fresh()})"

    def rows(self, known: Sequence[str]) -> str:
        name = self.random.choice(list(known))
        value = self.values[name]
        if isinstance(value, BlankNode):
            return ""
        rows = [str(value), *self.random.sample(["UNDEF", "<urn:random:other>", "-77", '"zzz"'], 2)]
        self.random.shuffle(rows)
        return f"VALUES {name} {{ {' '.join(rows)} }}"


def _is_number(value: Term) -> bool:
    return isinstance(value, Literal) and value.datatype in _NUMBERS
