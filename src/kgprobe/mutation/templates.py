"""What an operator makes of one solution of its WHERE: the values of its calls, and its templates filled in.

As for patterns, a function is written for each operator, and compiled. Its source is made of numbers only; every term
and every name comes in as a value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from kgprobe.graph import terms as rdf
from kgprobe.graph.changes import Key, KeyTriple
from kgprobe.graph.patterns.pattern import TriplePattern, Variable
from kgprobe.graph.table import TripleTable
from kgprobe.graph.terms import BlankNode, NamedNode, Term
from kgprobe.mutation.functions import BINDINGS
from kgprobe.mutation.operator import Site
from kgprobe.mutation.update_syntax import Call, Request

__all__ = ["Fill", "compile_fill"]

# The triples that go and those that come; the values of the calls are added to the solution. None if a call has no
# value for this solution, False if it has none for any: a template with a gap could be half a list.
Fill: TypeAlias = Callable[
    [Site, dict[str, Key]], tuple[list[KeyTriple], dict[KeyTriple, None]] | Literal[False] | None
]


def compile_fill(request: Request, table: TripleTable) -> Fill:
    """The function for one operator, in the graphs of one table."""
    return _Writer(table.terms, table.numbers).compiled(request)


class _Writer:
    """Writes the source of one function."""

    def __init__(self, terms: Sequence[Term], numbers: Mapping[Term, int]) -> None:
        self._numbers = numbers
        self._names: dict[Variable | Term, str] = {}
        self._values: dict[str, Any] = {"terms": terms, "NamedNode": NamedNode, "Literal": rdf.Literal}
        # Variables that have a value in every solution, as far as it can be told from here.
        self._certain: set[Variable | Term] = set()
        self._lines: list[str] = []

    def compiled(self, request: Request) -> Fill:
        for call in request.calls:
            self._write_call(call)
        self._lines.append("come = {}")
        self._write_template(request.insert, "come[{}, {}, {}] = None")
        self._lines.append("leave = []")
        self._write_template(request.delete, "leave.append(({}, {}, {}))")
        source = ["def fill(site, binding):", *self._lines, "return leave, come"]
        exec(compile("\n    ".join(source), "<templates>", "exec"), self._values)  # noqa: S102 - made of numbers, see above
        fill: Fill = self._values["fill"]
        return fill

    def _write_call(self, call: Call) -> None:
        give = f"give{len(self._values)}"
        self._values[give] = BINDINGS[call.function].give
        arguments = "".join(f"{self._name(argument)}, " for argument in call.arguments)
        unsure = "".join(f"None if {self._name(a)} is None else " for a in call.arguments if self._may_lack(a))
        target = self._new_name(call.variable)
        self._lines += [
            f"{target} = {unsure}{give}(site, ({arguments}))",
            f"if {target} is None: return {None if any(isinstance(a, Variable) for a in call.arguments) else False}",
            f"binding[{self._value(call.variable.name)}] = {target}",
        ]
        self._certain.add(call.variable)

    def _write_template(self, triples: Sequence[TriplePattern], add: str) -> None:
        """As in SPARQL, what can be no triple is left out: a variable without a value, a literal as subject, anything
        but an IRI as predicate.
        """
        for part in dict.fromkeys(part for triple in triples for part in triple):
            self._name(part)
        for triple in triples:
            subject, predicate, _ = triple
            unsure = [f"{self._name(part)} is not None" for part in triple if self._may_lack(part)]
            if isinstance(subject, Variable):
                unsure.append(f"type({_term(self._name(subject))}) is not Literal")
            if isinstance(predicate, Variable):
                unsure.append(f"type({_term(self._name(predicate))}) is NamedNode")
            line = add.format(*map(self._name, triple))
            self._lines.append(f"if {' and '.join(unsure)}: {line}" if unsure else line)

    def _may_lack(self, part: Variable | Term) -> bool:
        return isinstance(part, Variable) and part not in self._certain

    def _name(self, part: Variable | Term) -> str:
        """What the value of a part is called."""
        if part in self._names:
            return self._names[part]
        if not isinstance(part, Variable | BlankNode):
            self._names[part] = self._value(self._numbers.get(part, part))
            return self._names[part]
        name = self._new_name(part)
        found = f"binding.get({self._value(part.name)})" if isinstance(part, Variable) else "site.fresh.blank()"
        self._lines.append(f"{name} = {found}")
        return name

    def _new_name(self, part: Variable | Term) -> str:
        return self._names.setdefault(part, f"v{len(self._names)}")

    def _value(self, value: object) -> str:
        name = f"c{len(self._values)}"
        self._values[name] = value
        return name


def _term(name: str) -> str:
    return f"(terms[{name}] if type({name}) is int else {name})"
