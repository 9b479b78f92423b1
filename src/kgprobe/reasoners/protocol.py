"""The questions for a reasoner, and its answers.

A task is a frozen value. An `Answer` always states which reasoner gave it, how long that took, and whether the answer
is reliable. `complete` is False if the reasoner is known to overlook something in this case, and `value` is None
without any answer; `why` is the reason for either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kgprobe.owl.expression import Expression
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners.ontology import Ontology

__all__ = [
    "SECONDS_FOR_A_REASON",
    "Answer",
    "Availability",
    "Classification",
    "Consistency",
    "Entails",
    "Hierarchy",
    "Reasoner",
    "Task",
    "Unsatisfiable",
]


@dataclass(frozen=True, slots=True)
class Consistency:
    """Does the ontology have a model? The value is True or False."""


@dataclass(frozen=True, slots=True)
class Classification:
    """Which named classes are below which? The value is a `Hierarchy`."""


@dataclass(frozen=True, slots=True)
class Unsatisfiable:
    """Which named classes can have no member? The value is a frozenset, without owl:Nothing."""


@dataclass(frozen=True, slots=True)
class InstanceOf:
    """Does it follow that the individual is a member of the class?"""

    individual: NamedNode
    kind: NamedNode | Expression


@dataclass(frozen=True, slots=True)
class Entails:
    """Does the axiom follow from the ontology?"""

    axiom: Expression


Task: TypeAlias = Consistency | Classification | Unsatisfiable | InstanceOf | Entails


def axiom_of(task: Task) -> Expression | None:
    """The axiom that a task asks about, if it asks about one."""
    if isinstance(task, InstanceOf):
        return Expression("ClassAssertion", task.kind, task.individual)
    return task.axiom if isinstance(task, Entails) else None


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The named classes by meaning: groups of equivalent ones, and the groups directly above each group.

    A group is named after its least member. Unsatisfiable classes are not in a group, and owl:Thing is not a parent, so
    two reasoners that agree return equal values.
    """

    groups: Mapping[NamedNode, frozenset[NamedNode]]
    parents: Mapping[NamedNode, frozenset[NamedNode]]
    unsatisfiable: frozenset[NamedNode]

    def is_below(self, lower: NamedNode, upper: NamedNode) -> bool:
        """Whether every member of the first class is a member of the second."""
        if lower in self.unsatisfiable:
            return True
        name_of = {member: name for name, members in self.groups.items() for member in members}
        above = reached([name_of.get(lower, lower)], lambda name: self.parents.get(name, ()))
        return name_of.get(upper, upper) in above


Value: TypeAlias = bool | Hierarchy | frozenset[NamedNode]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one task; a `value` of None means undecided.

    `omission` names what the reasoner reports as ignored. If it broke instead of answering, `kind` names the exception
    or the signal, and `trace` lists its frames, the innermost first.
    """

    value: Value | None
    reasoner: str
    seconds: float
    complete: bool
    why: str = ""
    omission: str = ""
    kind: str = ""
    trace: tuple[str, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether the answer exists and is reliable."""
        return self.value is not None and self.complete


SECONDS_FOR_A_REASON = 10.0
"""The default time limit for the search for the axioms that explain an answer."""


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a reasoner can be used: its version, or the missing part and the command that installs it."""

    version: str | None
    missing: str = ""
    install: str = ""

    @property
    def usable(self) -> bool:
        return self.version is not None


Request: TypeAlias = "tuple[Graph | Ontology, Sequence[Task]]"


class Reasoner(Protocol):
    """A reasoner that is ready for questions. It may start a process on the first question; `close` ends it."""

    @property
    def name(self) -> str: ...

    def available(self) -> Availability:
        """Whether this reasoner can be used on this machine."""
        ...

    def answer(self, graph: Graph | Ontology, tasks: Sequence[Task], *, seconds: float | None = None) -> list[Answer]:
        """The answers to several tasks about one graph, in one round trip.

        `seconds` is the time for one task, if less than the reasoner's limit.
        """
        ...

    def answer_many(self, requests: Sequence[Request], *, seconds: float | None = None) -> list[list[Answer]]:
        """The answers about several graphs, in one round trip."""
        ...

    def close(self) -> None:
        """End the processes. The next question starts new ones."""
        ...
