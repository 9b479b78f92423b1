"""The reasoners that kgprobe supports: whether each is installed, how to install it, and how to ask it.

Each runs in a child process. `HostedReasoner` turns tasks into questions for it, and its replies into answers.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeAlias, cast

from kgprobe.errors import InputError, UnavailableError, did_you_mean
from kgprobe.processes.limits import Limits
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import NamedNode
from kgprobe.reasoners import gaps
from kgprobe.reasoners.engines.java import INSTALL, find_parts
from kgprobe.reasoners.gaps import Reliability, doubt
from kgprobe.reasoners.host import Host, Question, Reply
from kgprobe.reasoners.negation import refutations
from kgprobe.reasoners.ontology import Ontology, as_lines, declarations
from kgprobe.reasoners.protocol import (
    Answer,
    Availability,
    Classification,
    Consistency,
    Entails,
    Hierarchy,
    InstanceOf,
    Request,
    Task,
    Unsatisfiable,
    Value,
    axiom_of,
)

__all__ = ["REASONERS", "Entry", "HostedReasoner", "LaterRequest", "entry", "hosted", "is_proof", "shortened"]

LaterRequest: TypeAlias = tuple[Callable[[], Ontology | None], Sequence[Task]]
"""A function that makes an ontology, or None if no question is needed, and the questions."""
_SOMETHING = (
    "Declaration(NamedIndividual(<urn:kgprobe:something>))\n"
    "ClassAssertion(<http://www.w3.org/2002/07/owl#Thing> <urn:kgprobe:something>)\n"
)
"""At least one thing exists: true in every model, but pyHermiT finds no contradiction without an individual."""
# Literals are matched first, so that text inside them that looks like an IRI does not change.
_PARTS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|<(?!http://www\.w3\.org/)[^>]*>', re.DOTALL)
_DECLARATIONS = re.compile(r"^Declaration\(.*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A reasoner that kgprobe can drive."""

    name: str
    title: str
    kind: str
    available: Callable[[], Availability]
    reliability: Reliability = field(default_factory=Reliability)
    told: Callable[[Ontology, str, Sequence[Task]], str] = lambda _ontology, text, _tasks: text
    """Gives the text that the reasoner gets, instead of a text that states an ontology and the names in questions."""


def _declared(ontology: Ontology, text: str, _tasks: Sequence[Task]) -> str:
    """For pyHermiT, which accepts only OWL 2 DL: with an individual, and a declaration for each name."""
    return ontology.missing_declarations + text + _SOMETHING


def _with_short_names(_ontology: Ontology, text: str, tasks: Sequence[Task]) -> str:
    """For rustdl, which reads slowly: with short names, if no name can be in the answer."""
    return shortened(text) if all(isinstance(task, Consistency) for task in tasks) else text


def _package(name: str, module: str) -> Callable[[], Availability]:
    def available() -> Availability:
        install = f"pip install {name}"
        try:
            found = version(name)
        except PackageNotFoundError:
            return Availability(None, f"the Python package {name} is not installed", install)
        if importlib.util.find_spec(module) is None:
            return Availability(None, f"the Python package {name} is damaged", install)
        return Availability(found)

    return available


def _jar(name: str) -> Callable[[], Availability]:
    def available() -> Availability:
        try:
            return Availability(find_parts().version_of(name))
        except UnavailableError as error:
            return Availability(None, error.message, error.hint or INSTALL)

    return available


def _konclude() -> Availability:
    program = shutil.which("Konclude")
    if program is None:
        return Availability(None, "the program Konclude is not installed", "apt-get install konclude")
    # Konclude is not run for this: sometimes it does not terminate, even when it only has to print its help.
    return Availability("installed")


REASONERS: dict[str, Entry] = {
    known.name: known
    for known in (
        Entry("rustdl", "rustdl", "native", _package("rustdl", "rustdl"), gaps.RUSTDL, _with_short_names),
        Entry("pyhermit", "pyHermiT", "native", _package("pyHermiT", "pyhermit"), gaps.PYHERMIT, _declared),
        Entry("hermit", "HermiT", "Java", _jar("hermit"), gaps.HERMIT),
        Entry("openllet", "Openllet", "Java", _jar("openllet"), gaps.OPENLLET),
        Entry("elk", "ELK", "Java", _jar("elk"), gaps.ELK),
        Entry("jfact", "JFact", "Java", _jar("jfact"), gaps.JFACT),
        Entry("konclude", "Konclude", "program", _konclude, gaps.KONCLUDE),
    )
}


def entry(name: str) -> Entry:
    """The reasoner with this name; InputError if none has it."""
    found = REASONERS.get(name.casefold())
    if found is None:
        hint = did_you_mean(name, [*REASONERS, "auto"], f"choose from auto, {', '.join(REASONERS)}")
        raise InputError(f"there is no reasoner named '{name}'", hint=hint)
    return found


def hosted(name: str, limits: Limits | None = None, *, verbatim: bool = False) -> HostedReasoner:
    """A reasoner of the catalogue. UnavailableError if it is not installed, with the command that installs it."""
    known = entry(name)
    status = known.available()
    if not status.usable:
        raise UnavailableError(f"{known.title} cannot be used: {status.missing}", hint=status.install)
    return HostedReasoner(known, limits or Limits(), verbatim=verbatim)


class HostedReasoner:
    """One of the reasoners of the catalogue.

    A `verbatim` reasoner gets exactly the statements of the ontology, so its answers can be reproduced without kgprobe.
    For others, kgprobe makes changes that do not affect the right answer.
    """

    def __init__(self, known: Entry, limits: Limits, *, verbatim: bool = False) -> None:
        self.name = known.name
        self._known = known
        self._host = Host(known.name, limits)
        self._is_verbatim = verbatim

    def available(self) -> Availability:
        """Whether this reasoner can be used on this machine."""
        return self._known.available()

    @property
    def pid(self) -> int | None:
        """Its process, if one runs."""
        return self._host.pid

    def answer(self, graph: Graph | Ontology, tasks: Sequence[Task], *, seconds: float | None = None) -> list[Answer]:
        """The answers to several tasks about one graph, in one round trip."""
        return self.answer_many([(graph, tasks)], seconds=seconds)[0]

    def answer_many(self, requests: Sequence[Request], *, seconds: float | None = None) -> list[list[Answer]]:
        """The answers about several graphs. While the reasoner works on one graph, the next one is read."""
        return self.answer_each([(partial(Ontology.of, graph), tasks) for graph, tasks in requests], seconds=seconds)

    def answer_each(self, requests: Sequence[LaterRequest], *, seconds: float | None = None) -> list[list[Answer]]:
        """The same for ontologies that are made when their turn comes; no answers where none is made."""
        made: dict[int, Ontology | None] = {}

        def text(number: int) -> str | None:
            make, tasks = requests[number]
            if number not in made:
                made[number] = make()
            ontology = made[number]
            return None if ontology is None else self._text(ontology, tasks)

        work = [(partial(text, number), list(map(_question, tasks))) for number, (_, tasks) in enumerate(requests)]
        answers: list[list[Answer]] = [[] for _ in requests]
        for number, reply in self._host.ask(work, seconds=seconds):
            given, ontology = answers[number], made[number]
            if ontology is not None:
                given.append(self._answer(ontology, requests[number][1][len(given)], reply))
        return answers

    def _text(self, ontology: Ontology, tasks: Sequence[Task]) -> str:
        text = ontology.text + _introductions(tasks)
        return text if self._is_verbatim else self._known.told(ontology, text, tasks)

    def close(self) -> None:
        """End its process. The next question starts a new one."""
        self._host.close()

    def _answer(self, ontology: Ontology, task: Task, reply: Reply) -> Answer:
        if reply.value is None:
            return Answer(
                None,
                self.name,
                reply.seconds,
                complete=False,
                why=reply.why,
                kind=reply.kind,
                trace=tuple(reply.trace),
            )
        value = _VALUES[type(task)](reply.value)
        is_certain = is_proof(task, value) and self._known.reliability.is_sound
        why = "" if is_certain else self._reservations(ontology, task, reply)
        return Answer(value, self.name, reply.seconds, complete=not why, why=why, omission=reply.omission)

    def _reservations(self, ontology: Ontology, task: Task, reply: Reply) -> str:
        """Why the reasoner could have overlooked something; empty if no reason is known."""
        return "; ".join(
            filter(None, [doubt(self.name, self._known.reliability, ontology, task), reply.omission, ontology.doubt])
        )


def is_proof(task: Task, value: Value) -> bool:
    """A contradiction that was found stays one, whatever else was overlooked."""
    return value is False if isinstance(task, Consistency) else value is True


def _introductions(tasks: Sequence[Task]) -> str:
    """Declarations for the names in the questions: some reasoners answer "no" to a question with an unknown name."""
    axioms = [axiom for task in tasks if (axiom := axiom_of(task)) is not None]
    return "".join(as_lines(declarations(axioms))) if axioms else ""


def _question(task: Task) -> Question:
    axiom = axiom_of(task)
    if axiom is None:
        return {"ask": _WORDS[type(task)]}
    ways = refutations(axiom)
    (line,) = as_lines([axiom])
    return {
        "ask": "entails",
        "axiom": "".join(as_lines(declarations([axiom]))) + line,
        "refutations": None if ways is None else ["".join(as_lines([*declarations(way), *way])) for way in ways],
    }


_WORDS: Mapping[type[Task], str] = {
    Consistency: "consistent",
    Classification: "classify",
    Unsatisfiable: "unsatisfiable",
}


def _truth(value: object) -> bool:
    return bool(value)


def _classes(value: list[str]) -> frozenset[NamedNode]:
    return frozenset(map(NamedNode, value)) - _EXTREMES


def _hierarchy(value: dict[str, Any]) -> Hierarchy:
    unsatisfiable = _classes(value["unsatisfiable"])
    groups: dict[NamedNode, frozenset[NamedNode]] = {}
    name_of: dict[NamedNode, NamedNode] = {}
    for members in map(_classes, value["equivalents"]):
        if members:
            name = min(members, key=str)
            groups[name] = members
            name_of |= dict.fromkeys(members, name)
    parents: dict[NamedNode, set[NamedNode]] = {name: set() for name in groups}
    for lower, upper in value["parents"]:
        below, above = name_of.get(NamedNode(lower)), name_of.get(NamedNode(upper))
        if below is not None and above is not None and below != above:
            parents[below].add(above)
    return Hierarchy(groups, {name: frozenset(above) for name, above in parents.items()}, unsatisfiable)


_EXTREMES = frozenset(NamedNode(f"http://www.w3.org/2002/07/owl#{name}") for name in ("Thing", "Nothing"))

_VALUES: Mapping[type[Task], Callable[[Any], Value]] = {
    Consistency: _truth,
    Entails: _truth,
    InstanceOf: _truth,
    Unsatisfiable: _classes,
    Classification: cast("Callable[[Any], Value]", _hierarchy),
}


def shortened(axioms: str) -> str:
    """The axioms with a short name for each IRI outside OWL's vocabulary, and without declarations."""
    names: dict[str, str] = {}

    def short(part: re.Match[str]) -> str:
        text = part[0]
        if text[0] == '"':
            return text
        name = names.get(text)
        if name is None:
            name = names[text] = f"<i:{len(names)}>"
        return name

    return _PARTS.sub(short, _DECLARATIONS.sub("", axioms))
