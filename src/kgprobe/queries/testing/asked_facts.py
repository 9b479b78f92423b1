"""Facts that can decide whether an answer has a property: more statements about what a variable stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from kgprobe.owl.expression import Argument
from kgprobe.queries.filters.values import ValueSet
from kgprobe.queries.schema import Schema
from kgprobe.queries.testing.candidates import around
from kgprobe.queries.testing.data import Data
from kgprobe.queries.testing.hints import Hints, Wishes, names_in
from kgprobe.rdf.pattern import Variable
from kgprobe.rdf.terms import OWL, RDF, Literal, NamedNode, Triple

__all__ = ["AskedFacts"]


class AskedFacts:
    """Facts with the names in the properties to test. `asked` has the classes that they ask about, by variable."""

    def __init__(self, schema: Schema, asked: Mapping[str, Sequence[Argument]], hints: Hints, wishes: Wishes) -> None:
        self._schema = schema
        self._asked = asked
        self._hints = hints
        self._wishes = wishes
        self._functional: dict[NamedNode, bool] = {}

    @property
    def variables(self) -> list[Variable]:
        """The variables that properties ask about."""
        return [Variable(name) for name in self._asked]

    def random(self, node: NamedNode, random: Random) -> Data:
        """A random fact with a name of the properties to test, or none."""
        facts = list(self.about(node))
        return facts[int(random.random() * len(facts))] if facts else ()

    def about(self, node: NamedNode) -> Iterator[Data]:
        """Facts with the names in the properties to test: values on both sides of each boundary, links, classes."""
        for name in self._hints.data_properties[: len(self._names("DataProperty"))]:
            for value in self._values_of(name):
                yield (Triple(node, name, value),)
        for name in self._names("ObjectProperty"):
            target = NamedNode(f"{node.value}-other")
            yield (Triple(node, name, target),)
            yield (Triple(target, name, node),)
            for kind in self._names("Class"):
                yield (Triple(node, name, target), Triple(target, RDF.type, kind))
        for kind in self._names("Class"):
            yield (Triple(node, RDF.type, kind),)

    def _is_functional(self, name: NamedNode) -> bool:
        known = self._functional.get(name)
        if known is None:
            known = self._functional[name] = self._schema.functional_data(name) is not None
        return known

    def added_to(self, data: Data, fact: Data) -> Data:
        """The data with one more fact. A value of a functional property takes the place of another."""
        replaced = {(triple.subject, triple.predicate) for triple in fact if self._is_functional(triple.predicate)}
        return (*(each for each in data if (each.subject, each.predicate) not in replaced), *fact)

    def _names(self, kind: str) -> list[NamedNode]:
        found = dict.fromkeys(name for kinds in self._asked.values() for each in kinds for name in names_in(each))
        return [name for name in found if kind in self._schema.kinds(name) and not name.value.startswith(OWL.iri)]

    def _values_of(self, name: NamedNode) -> list[Literal]:
        wished = [value for value in self._wishes.values.get(name, ()) if isinstance(value, Literal)]
        if wished:
            return wished
        definitions = {each: said.what for each, said in self._schema.datatype_definitions.items()}
        ranges = [ValueSet.of_range(said.what, definitions) for said in self._schema.data_ranges(name)]
        constants = self._hints.constants.get(name, ())
        examples = [each for allowed in ranges[:1] for each in allowed.examples(3)] or list(constants) or [Literal("a")]
        near = [each for constant in constants for each in around(constant, examples[0].datatype)]
        found = dict.fromkeys([*near, *examples])
        return [each for each in found if all(allowed.contains(each) is not False for allowed in ranges)][:12]
