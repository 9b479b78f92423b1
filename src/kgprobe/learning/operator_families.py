"""Operators that differ only in names of the domain, and their way from one form to the next.

Mining can make hundreds of thousands of operators. Most of them have the same patterns, with other classes, properties
or individuals in them. What keeps one of them in OWL 2 EL most likely keeps the others: so a few of each family are
tried, and all of them get the same form.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from kgprobe.mining.index import is_of_vocabulary
from kgprobe.mining.operators import MinedOperator, Update, canonical_names, update_of, update_text
from kgprobe.mining.repair_draft import KindsOf
from kgprobe.mining.repairs import CannotRepairError, repaired, same_as
from kgprobe.mutation.update import UpdateOperator, parse_operator
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.pattern import TriplePattern, Variable
from kgprobe.rdf.terms import Literal, NamedNode, Term


@dataclass
class Member:
    """An operator: as it was mined, and its repairs."""

    operator: MinedOperator
    mined: Update
    kinds: KindsOf
    # Why it has fewer forms than others.
    failure: str | None = None
    _parsed: dict[int | None, UpdateOperator] = field(default_factory=dict)

    @cached_property
    def _repaired(self) -> list[Update]:
        try:
            return repaired(self.operator, self.mined, self.kinds)
        except CannotRepairError as error:
            self.failure = str(error)
            return []

    def form(self, repair: int | None) -> Update | None:
        """The operator as mined (0), or one of its repairs; None if there are fewer."""
        if repair == 0:
            return self.mined
        return None if repair is None or repair > len(self._repaired) else self._repaired[repair - 1]

    @property
    def is_sure(self) -> bool:
        """Whether the operator as mined asks for all that it needs: a repair makes no difference."""
        return any(same_as(form) == same_as(self.mined) for form in self._repaired)

    def needs(self, repair: int | None) -> tuple[Term, ...]:
        """The names and values of the domain that this form looks for: it applies to no graph without them."""
        update = self.form(repair)
        parts = () if update is None else (part for atom in update.where for part in atom)
        constants = dict.fromkeys(part for part in parts if not isinstance(part, Variable))
        return tuple(part for part in constants if not is_of_vocabulary(part))

    def parsed(self, repair: int | None) -> UpdateOperator | None:
        """The same, ready to work."""
        update = self.form(repair)
        if update is not None and repair not in self._parsed:
            self._parsed = {repair: parse_operator(update_text(update), update.name)}
        return self._parsed.get(repair) if update is not None else None


@dataclass
class Family:
    """Operators with the same patterns, and the form that they have reached."""

    members: list[Member]
    repair: int | None = 0  # as in `Member.form`; None if they are dropped
    # Why they cannot stay as mined, and why their repairs are of no use.
    reason: str | None = None
    failures: list[str] = field(default_factory=list)
    # Whether they change none of the graphs as mined; they may apply after other mutations.
    is_idle: bool = False

    def reject(self, reason: str) -> None:
        """Go on to the next form, for this reason."""
        if self.repair == 0:
            self.reason = reason
        elif reason not in self.failures:
            self.failures.append(reason)
        if self.repair is not None:
            self.repair += 1

    def drop(self, reason: str) -> None:
        """Give up, for this reason."""
        self.reason = reason
        self.repair = None

    @property
    def is_sure(self) -> bool:
        """Whether the operators as mined ask for all that they need. Otherwise, good trials may be luck.

        Operators with names of the domain are tried where these names occur, but others can bring them anywhere.
        """
        return self.members[0].is_sure

    @property
    def is_lost(self) -> bool:
        """Whether no member has a form that is left."""
        return all(member.form(self.repair) is None for member in self.members)


def families(operators: Iterable[MinedOperator], kinds: KindsOf, labels: Graph | None) -> list[Family]:
    """The families of some operators, in order of their first members."""
    by_likeness: dict[frozenset[tuple[str, ...]], Family] = {}
    for operator in operators:
        member = Member(operator, update_of(operator, labels), kinds)
        by_likeness.setdefault(_likeness(operator, kinds), Family([])).members.append(member)
    return list(by_likeness.values())


def _likeness(operator: MinedOperator, kinds: KindsOf) -> frozenset[tuple[str, ...]]:
    """The patterns of an operator, with the kind of each name in place of the name."""

    def part(given: Variable | Term) -> Variable | str:
        if isinstance(given, Variable):
            return given
        if is_of_vocabulary(given) and isinstance(given, NamedNode):
            return str(given)
        if isinstance(given, Literal):
            return f"literal {given.datatype}"
        assert isinstance(given, NamedNode)  # noqa: S101 - rules have no blank nodes
        return " ".join(["name", *sorted(map(str, kinds(given)))])

    def row(word: str, atom: TriplePattern) -> tuple[Variable | str, ...]:
        return word, part(atom[0]), part(atom[1]), part(atom[2])

    rows = [row("finds", atom) for atom in operator.finds] + [row("leaves", atom) for atom in operator.leaves]
    names = canonical_names(rows)
    return frozenset(tuple(str(names[p] if isinstance(p, Variable) else p) for p in pattern) for pattern in rows)
