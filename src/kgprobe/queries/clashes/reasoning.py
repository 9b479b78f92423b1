"""The reasoners behind clashes, what they are asked, and the fewest axioms and patterns behind their answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from typing import NamedTuple, TypeAlias

from kgprobe.owl.expression import Argument, Expression, inner, inverse, is_headed, subject
from kgprobe.owl.modules import Module, core_of
from kgprobe.processes.limits import Limits
from kgprobe.queries.derivations import Support
from kgprobe.queries.statements import Group, Unit, axioms_of, is_variable, text_of
from kgprobe.rdf.reachability import reached
from kgprobe.rdf.terms import OWL, BlankNode, NamedNode, Subject
from kgprobe.reasoners.auto import NO_MODEL, AutoReasoner
from kgprobe.reasoners.catalogue import hosted
from kgprobe.reasoners.explanation import OutOfTimeError, needed, smallest
from kgprobe.reasoners.gaps import RUSTDL
from kgprobe.reasoners.ontology import Ontology, entities
from kgprobe.reasoners.protocol import Answer, Consistency
from kgprobe.reasoners.rephrase import rephrased
from kgprobe.reasoners.small_model import has_small_model

__all__ = ["Engines"]

_SIZES = (3, 8)  # of models that are tried before the careful reasoner


class Engines:
    """The reasoners behind clashes. They can serve several ontologies; each starts when it is first needed."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self.fast = hosted("rustdl", self._limits)
        self._careful: AutoReasoner | None = None
        self.checks = 0
        """How many questions the fast reasoner was asked."""

    @property
    def careful(self) -> AutoReasoner:
        """The reasoner for what the fast one may get wrong."""
        if self._careful is None:
            self._careful = AutoReasoner(self._limits)
        return self._careful

    def find_clashes(self, sets: Sequence[tuple[Expression, ...]]) -> list[bool]:
        """Whether the fast reasoner finds a contradiction in each of these sets of axioms, in one round trip."""
        if not sets:
            return []
        self.checks += len(sets)
        asked = [(Ontology(rephrased(axioms, with_marks=True)), [Consistency()]) for axioms in sets]
        return [answer.value is False for (answer,) in self.fast.answer_many(asked)]

    def is_clash(self, axioms: tuple[Expression, ...], seconds: float) -> Answer:
        """The careful answer to the question whether the axioms have a model."""
        start = time.perf_counter()
        ontology = Ontology(axioms)
        if ontology.features & NO_MODEL:
            why = f"no reasoner is certain about {', '.join(sorted(ontology.features & NO_MODEL))}"
            return Answer(None, "", 0.0, complete=False, why=why)
        if has_small_model(axioms, _SIZES):
            return Answer(True, "model", time.perf_counter() - start, complete=True)
        (answer,) = self.careful.answer(ontology, [Consistency()], seconds=seconds)
        return answer

    def close(self) -> None:
        """End their processes."""
        self.fast.close()
        if self._careful is not None:
            self._careful.close()


def may_miss(axioms: tuple[Expression, ...]) -> bool:
    """Whether the fast reasoner may miss a contradiction in these axioms."""
    return bool(RUSTDL.missed_in_other_words(Ontology(rephrased(axioms, with_marks=True)).features))


# -- keys, and disjoint data properties: axioms that reasoners miss ----------------------------------------------------


class StatedValues:
    """The stated values of individuals, literals that only a variable names included."""

    def __init__(self, axioms: Iterable[Expression], named: Mapping[Expression, str]) -> None:
        """`named` has the variables of unknown literals, by the axiom that says that there is such a literal."""
        self._values: dict[tuple[Argument, Subject], dict[object, None]] = {}
        self._uppers: dict[Argument, list[Argument]] = {}
        self._pairs: dict[tuple[Subject, Subject], NamedNode] = {}
        for axiom in axioms:
            match axiom.head, axiom.args:
                case (("SubObjectPropertyOf" | "SubDataPropertyOf"), (lower, upper)):
                    self._uppers.setdefault(lower, []).append(upper)
                case (("EquivalentObjectProperties" | "EquivalentDataProperties"), parts):
                    for one, two in product(parts, parts):
                        self._uppers.setdefault(one, []).append(two)
        for axiom in axioms:
            match axiom.head, axiom.args:
                case (("ObjectPropertyAssertion" | "DataPropertyAssertion"), (prop, source, value)):
                    self._note(prop, subject(source), value)
                    if axiom.head == "ObjectPropertyAssertion":
                        self._note(inverse(prop), subject(value), source)
                case "ClassAssertion", (kind, source) if axiom in named and is_headed(kind, "DataSomeValuesFrom"):
                    self._note(kind.args[0], subject(source), named[axiom])

    def _note(self, prop: Argument, source: Subject, value: object) -> None:
        for current in reached([prop], lambda each: self._uppers.get(each, ())):
            self._values.setdefault((current, source), {})[value] = None

    def consequences(self, key: Expression, is_named: Callable[[Subject], bool]) -> Iterator[Expression]:
        """For each pair of named individuals with a common value of each property of the key: both are members of its
        class only if they are the same.
        """
        kind, objects, data = key.args
        properties = [*inner(objects).args, *inner(data).args]
        sources = dict.fromkeys(source for prop, source in self._values if prop == properties[0] and is_named(source))
        for one, two in combinations(sources, 2):
            if all(self._share(prop, one, two, is_named) for prop in properties):
                link = NamedNode(f"urn:kgprobe:pair:{len(self._pairs)}")
                yield from _same_if_members(kind, one, two, self._pairs.setdefault((one, two), link))

    def contradictions(self, axiom: Expression) -> Iterator[Expression]:
        """An individual with one value of two disjoint properties is a contradiction."""
        for one, two in combinations(axiom.args, 2):
            for prop, source in list(self._values):
                if prop == one and not self._values[one, source].keys().isdisjoint(self._values.get((two, source), ())):
                    yield Expression("ClassAssertion", OWL.Nothing, source)

    def _share(self, prop: Argument, one: Subject, two: Subject, is_named: Callable[[Subject], bool]) -> bool:
        common = self._values.get((prop, one), {}).keys() & self._values.get((prop, two), {}).keys()
        return any(not isinstance(individual, NamedNode | BlankNode) or is_named(individual) for individual in common)


def _same_if_members(kind: Argument, one: Subject, two: Subject, link: NamedNode) -> Iterator[Expression]:
    """Either one of two individuals is not in a class, or they are the same. The link has no other meaning."""
    outside = Expression("ObjectComplementOf", kind)
    yield Expression("ObjectPropertyAssertion", link, one, two)
    same, other = Expression("ObjectOneOf", two), Expression("ObjectAllValuesFrom", link, outside)
    yield Expression("ClassAssertion", Expression("ObjectUnionOf", outside, same, other), one)


# -- the part of a question that can matter ----------------------------------------------------------------------------

Item: TypeAlias = "Expression | Unit"
NO_MODULE = Module((), {}, is_connected=False, has_nominals=False)


class Core(NamedTuple):
    """Connected units, and the axioms that can take part in a contradiction with them."""

    group: Group
    axioms: tuple[Expression, ...]
    module: Module
    is_generous: bool = False

    @property
    def units(self) -> list[Unit]:
        """The units, in an order that depends only on them."""
        return sorted(self.group.units, key=text_of)

    @property
    def keys(self) -> list[Expression]:
        """The keys among the axioms."""
        return [axiom for axiom in self.axioms if axiom.head == "HasKey"]

    def with_names(self) -> Core:
        """The same, if no variable stands for a blank node."""
        return self._replace(is_generous=True)

    def only(self, units: Iterable[Item]) -> Core:
        """The same with fewer units."""
        kept = frozenset(unit for unit in units if isinstance(unit, frozenset))
        return self._replace(group=self.group._replace(units=kept))

    def has_names(self) -> bool:
        """Whether a key may apply: an individual of the group has a name, or may be the same as one that has."""
        used = entities(axioms_of(self.group))
        is_named = any(kind == "NamedIndividual" and self._is_named(name) for kind, name in used)
        return is_named or self.module.has_nominals

    def whole(self) -> tuple[Expression, ...]:
        """All axioms, and all statements."""
        return self.stated([*self.axioms, *self.units])

    def stated(self, items: Iterable[Item]) -> tuple[Expression, ...]:
        """The axioms among the items as reasoners get them, and the statements of the units."""
        axioms: list[Expression] = []
        units: list[Unit] = []
        keys: list[Expression] = []
        for item in items:
            if type(item) is not Expression:
                units.append(item)
            elif item.head == "HasKey":
                keys.append(item)
            else:
                axioms.append(self.module.shortened.get(item, item))
        said = [each for unit in units for each in sorted(unit, key=str)]
        stated = dict.fromkeys(chain(axioms, (told.axiom for told in said)))
        shared = [axiom for axiom in axioms if axiom.head == "DisjointDataProperties"]
        if keys or shared:
            values = StatedValues(stated, {told.axiom: told.value for told in said if told.value})
            for key in keys:
                stated |= dict.fromkeys(values.consequences(key, self._is_named))
            for axiom in shared:
                stated |= dict.fromkeys(values.contradictions(axiom))
        return tuple(stated)

    def _is_named(self, individual: Subject) -> bool:
        if type(individual) is not NamedNode:
            return False
        return self.is_generous or not is_variable(individual) or individual in self.group.named


def core_for(module: Module, group: Group) -> Core:
    """The part of a group, and of its module, that can take part in a contradiction."""
    left = set(core_of([*module.stated(), *axioms_of(group)]))
    axioms = tuple(axiom for axiom in module.axioms if module.shortened.get(axiom, axiom) in left)
    units = frozenset(unit for unit in group.units if any(said.axiom in left for said in unit))
    return Core(group._replace(units=units), axioms, module)


def axioms_in(items: Iterable[Item]) -> Iterator[Expression]:
    return (said.axiom for item in items if isinstance(item, frozenset) for said in item)


# -- the fewest axioms and patterns ------------------------------------------------------------------------------------

_SECONDS_FOR_A_REASON = 5.0


class Reason(NamedTuple):
    axioms: tuple[Expression, ...]
    units: tuple[Unit, ...]
    is_minimal: bool


def reason_of(items: Iterable[Item], *, is_minimal: bool) -> Reason:
    given = list(items)
    axioms = tuple(item for item in given if type(item) is Expression)
    return Reason(axioms, tuple(item for item in given if isinstance(item, frozenset)), is_minimal)


def in_order(support: Support) -> list[Item]:
    """The patterns, the axioms about names in them, and the other axioms."""
    units = sorted(support.units, key=text_of)
    used = entities(axioms_in(units))
    axioms = sorted(support.axioms, key=lambda axiom: (used.isdisjoint(entities([axiom])), str(axiom)))
    return [*units, *axioms]


class Search:
    """The search for the reason of one clash, within its time."""

    def __init__(self, engines: Engines, core: Core, end: float) -> None:
        self._engines = engines
        self._core = core
        self._end = min(time.perf_counter() + _SECONDS_FOR_A_REASON, end)
        self._known: dict[frozenset[Item], bool] = {}
        self._checks = 0
        self.needs_care = False
        self.has_doubts = False
        self.enough: list[Item] = [*core.units, *core.axioms]

    def fewest(self, items: list[Item], others: list[Item], most_checks: int) -> list[Item]:
        """The fewest of the items that clash together with the others, as far as the number of checks allows."""

        def is_enough(part: list[Item]) -> bool:
            return self.is_enough(part + others)

        first = needed(items, is_enough)
        end = self._checks + most_checks
        best, _ = smallest(first, items, is_enough, lambda: self._checks < end)
        return best

    def near(self, units: list[Item], axioms: list[Item]) -> list[Item]:
        """Axioms that clash with the units: those that share names with them, and with each other, as far as needed."""
        used = {axiom: entities([axiom]) for axiom in axioms if type(axiom) is Expression}
        reached = entities(axioms_in(units))
        near: dict[Item, None] = {}
        while True:
            new = [axiom for axiom in used if axiom not in near and not used[axiom].isdisjoint(reached)]
            if not new:
                return axioms
            near |= dict.fromkeys(new)
            if self.is_enough([*units, *near]):
                return list(near)
            reached |= {name for axiom in new for name in used[axiom]}

    def is_enough(self, items: Sequence[Item]) -> bool:
        """Whether these items contradict each other."""
        key = frozenset(items)
        found = self._known.get(key)
        if found is None:
            left = self._end - time.perf_counter()
            if left <= 0:
                raise OutOfTimeError
            self._checks += 1
            found = self._known[key] = self._clashes(self._core.stated(items), left)
            if found and len(items) < len(self.enough):
                self.enough = list(items)
        return found

    def _clashes(self, axioms: tuple[Expression, ...], seconds: float) -> bool:
        if self._engines.find_clashes([axioms])[0]:
            return True
        if not self.needs_care or not may_miss(axioms):
            return False
        answer = self._engines.is_clash(axioms, seconds)
        self.has_doubts |= not answer.decided
        return answer.value is False
