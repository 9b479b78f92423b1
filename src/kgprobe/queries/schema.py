"""An ontology, prepared once for many queries: its names, its properties, its facts, and its modules.

Everything here is stated, or follows from stated subproperties, equivalent properties and inverses alone. Each result
comes with the axioms that say so. Everything else is a question for a reasoner: see `clash`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from operator import and_
from pathlib import Path
from typing import NamedTuple, TypeAlias

from kgprobe.errors import InputError
from kgprobe.formats.catalogue import by_name
from kgprobe.formats.files import Loaded, load
from kgprobe.formats.imports import Library, imports_of, names_of, united, with_imports
from kgprobe.owl.expression import Argument, Expression, inner, is_headed, name, number, subject
from kgprobe.owl.modules import Module, Modules, core_of
from kgprobe.owl.name_kinds import BUILT_IN
from kgprobe.owl.value_sets import EVERYTHING, ValueSet
from kgprobe.owl.wording import in_words
from kgprobe.queries.derivations import Derivations
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.terms import OWL, RDF, NamedNode, Subject, Term
from kgprobe.reasoners.catalogue import hosted
from kgprobe.reasoners.explanation import explain
from kgprobe.reasoners.ontology import Ontology, entities
from kgprobe.reasoners.protocol import Consistency, Reasoner

__all__ = ["Said", "Schema", "check_consistency", "load_schema"]

_Axioms: TypeAlias = tuple[Expression, ...]

_SECONDS_FOR_A_REASON = 3.0


class Said(NamedTuple):
    """A class, a data range or a property, and the axioms that say so."""

    what: Argument
    axioms: _Axioms


class Fact(NamedTuple):
    """A stated value of a property of an individual, and the axioms behind it."""

    value: Term
    axioms: _Axioms


@lru_cache(maxsize=2048)
def _values(data_range: Argument, schema: Schema) -> ValueSet:
    return ValueSet.of_range(data_range, {name: said.what for name, said in schema.datatype_definitions.items()})


@dataclass(frozen=True, eq=False)
class Schema:
    """An ontology for many queries. Parts of it are computed when first needed, in time linear in the ontology."""

    graph: Graph
    notes: tuple[str, ...] = ()

    @cached_property
    def ontology(self) -> Ontology:
        """The axioms of the graph."""
        return Ontology.of(self.graph)

    @cached_property
    def modules(self) -> Modules:
        """The modules of the ontology."""
        return Modules(self.ontology.axioms)

    @cached_property
    def derivations(self) -> Derivations:
        """The simple steps from statements to contradictions."""
        return Derivations(self.ontology.axioms)

    def module(self, statements: Iterable[Expression]) -> Module:
        """The axioms that can matter for statements: they contradict the module exactly if they contradict the whole.

        The statements are axioms about any individuals; only the names in them count.
        """
        return self.modules.of(statements)

    # -- names --------------------------------------------------------------------------------------------------------

    def kinds(self, of: NamedNode) -> frozenset[str]:
        """What a name stands for, as declared or as used in axioms: "Class", "ObjectProperty", "NamedIndividual", …"""
        return self._kinds.get(of, frozenset())

    @cached_property
    def _kinds(self) -> Mapping[NamedNode, frozenset[str]]:
        found: dict[NamedNode, set[str]] = {}
        declared = (
            (inner(declaration.args[0]).head, name(inner(declaration.args[0]).args[0]))
            for declaration in self.ontology.declared
        )
        for kind, each in (*((kind, each) for each, kind in BUILT_IN.items()), *declared):
            found.setdefault(each, set()).add(kind)
        for kind, each in entities(self.ontology.axioms):
            found.setdefault(each, set()).add(kind)
        for triple in self.graph.triples(None, RDF.type, RDF.Property):  # of which nothing says what its values are
            if isinstance(triple.subject, NamedNode) and triple.subject not in found:
                found[triple.subject] = {"Property"}
        return {each: frozenset(kinds) for each, kinds in found.items()}

    @cached_property
    def names(self) -> frozenset[NamedNode]:
        """All names with a kind."""
        return frozenset(self._kinds)

    def words(self, thing: Argument) -> str:
        """A name, an axiom, a class expression or a data range in words, with labels."""
        known = self._words.get(thing)
        if known is None:
            known = self._words[thing] = in_words(thing, self.graph)
        return known

    @cached_property
    def _words(self) -> dict[Argument, str]:
        return {}

    @cached_property
    def missing_imports(self) -> frozenset[NamedNode]:
        """The ontologies that are imported, but were not found."""
        return frozenset(imports_of(self.graph)) - names_of(self.graph)

    @cached_property
    def iris(self) -> frozenset[NamedNode]:
        """The names of the ontologies in the graph."""
        found = {triple.subject for triple in self.graph.triples(None, RDF.type, OWL.Ontology)}
        return frozenset(described for described in found if isinstance(described, NamedNode))

    # -- properties ---------------------------------------------------------------------------------------------------

    def super_properties(self, of: NamedNode) -> Mapping[NamedNode, _Axioms]:
        """The properties above a property, itself included, each with the axioms of a shortest way to it."""
        return _above(of, self._index.uppers)

    def inverses(self, of: NamedNode) -> Mapping[NamedNode, _Axioms]:
        """The properties that are stated to be inverses of a property, each with the axiom; symmetric ones, too."""
        return {other: (axiom,) for other, axiom in self._index.inverses.get(of, ())}

    def domains(self, of: NamedNode) -> tuple[Said, ...]:
        """The classes of all subjects of a property, from its super-properties and from inverses, too."""
        return self._ends(of, self._index.domains, self._index.ranges)

    def ranges(self, of: NamedNode) -> tuple[Said, ...]:
        """The classes of all objects of an object property."""
        return self._ends(of, self._index.ranges, self._index.domains)

    def _ends(self, of: NamedNode, own: _Ends, of_inverses: _Ends) -> tuple[Said, ...]:
        found: dict[Argument, _Axioms] = {}
        for upper, way in self.super_properties(of).items():
            for kind, axiom in own.get(upper, ()):
                found.setdefault(kind, (*way, axiom))
            for inverse, because in self.inverses(upper).items():
                for kind, axiom in of_inverses.get(inverse, ()):
                    found.setdefault(kind, (*way, *because, axiom))
        return tuple(Said(kind, axioms) for kind, axioms in found.items())

    def data_ranges(self, of: NamedNode) -> tuple[Said, ...]:
        """The data ranges in which all values of a data property are, from its super-properties, too."""
        found: dict[Argument, _Axioms] = {}
        for upper, way in self.super_properties(of).items():
            for values, axiom in self._index.data_ranges.get(upper, ()):
                found.setdefault(values, (*way, axiom))
        return tuple(Said(values, axioms) for values, axioms in found.items())

    def functional_data(self, of: NamedNode) -> Said | None:
        """The data property that makes this one have at most one value: itself or a property above it."""
        for upper, way in self.super_properties(of).items():
            if upper in self._index.functional_data:
                return Said(upper, (*way, self._index.functional_data[upper]))
        return None

    def transitive(self, of: NamedNode) -> Said | None:
        """The transitive property that this one is, or that is above it."""
        for upper, way in self.super_properties(of).items():
            if upper in self._index.transitive:
                return Said(upper, (*way, self._index.transitive[upper]))
        return None

    @cached_property
    def datatype_definitions(self) -> Mapping[NamedNode, Said]:
        """The data ranges that define datatypes of the ontology."""
        defined = [axiom for axiom in self.ontology.axioms if axiom.head == "DatatypeDefinition"]
        return {name(axiom.args[0]): Said(axiom.args[1], (axiom,)) for axiom in defined}

    def values(self, data_range: Argument) -> ValueSet:
        """The values of a data range."""
        return _values(data_range, self)

    def values_of(self, data_property: NamedNode) -> ValueSet:
        """The values that a data property may have: those in all its ranges."""
        return reduce(and_, (self.values(said.what) for said in self.data_ranges(data_property)), EVERYTHING)

    # -- individuals and classes --------------------------------------------------------------------------------------

    def facts(self, about: Subject, of: NamedNode) -> tuple[Fact, ...]:
        """The stated values of a property of an individual, those of properties below it included."""
        found: dict[Term, _Axioms] = {}
        for prop, stated in self._index.facts.get(about, {}).items():
            way = self.super_properties(prop).get(of)
            if way is not None:
                for value, axiom in stated:
                    found.setdefault(value, (axiom, *way))
        return tuple(Fact(value, axioms) for value, axioms in found.items())

    def super_classes(self, of: NamedNode) -> Mapping[NamedNode, _Axioms]:
        """The named classes stated to be above a class, itself included, each with the axioms of a shortest way."""
        return _above(of, self._index.super_classes)

    @cached_property
    def _index(self) -> _Index:
        return _Index(self.ontology.axioms)


def _above(
    start: NamedNode, right_above: Mapping[NamedNode, list[tuple[NamedNode, Expression]]]
) -> dict[NamedNode, _Axioms]:
    """The start and the names above it, each with the axioms of a shortest way to it."""
    ways: dict[NamedNode, _Axioms] = {start: ()}
    pending = [start]
    for lower in pending:
        for upper, axiom in right_above.get(lower, ()):
            if upper not in ways:
                ways[upper] = (*ways[lower], axiom)
                pending.append(upper)
    return ways


_Ends: TypeAlias = "Mapping[NamedNode, list[tuple[Argument, Expression]]]"


class _Index:
    """Stated axioms about names, by name."""

    def __init__(self, axioms: Sequence[Expression]) -> None:
        self.uppers: dict[NamedNode, list[tuple[NamedNode, Expression]]] = {}
        self.inverses: dict[NamedNode, list[tuple[NamedNode, Expression]]] = {}
        self.domains: dict[NamedNode, list[tuple[Argument, Expression]]] = {}
        self.ranges: dict[NamedNode, list[tuple[Argument, Expression]]] = {}
        self.data_ranges: dict[NamedNode, list[tuple[Argument, Expression]]] = {}
        self.functional_data: dict[NamedNode, Expression] = {}
        self.transitive: dict[NamedNode, Expression] = {}
        self.facts: dict[Subject, dict[NamedNode, list[tuple[Term, Expression]]]] = {}
        self.super_classes: dict[NamedNode, list[tuple[NamedNode, Expression]]] = {}
        for axiom in axioms:
            note = _NOTES.get(axiom.head)
            if note is not None:
                note(self, axiom)

    def sub_property(self, axiom: Expression) -> None:
        lower, upper = axiom.args
        if type(lower) is NamedNode and type(upper) is NamedNode:
            self.uppers.setdefault(lower, []).append((upper, axiom))

    def equivalent_properties(self, axiom: Expression) -> None:
        names = [argument for argument in axiom.args if type(argument) is NamedNode]
        for one in names:
            self.uppers.setdefault(one, []).extend((other, axiom) for other in names if other != one)
        for one in names:
            for other in axiom.args:
                if is_headed(other, "ObjectInverseOf"):
                    self._inverse(one, name(other.args[0]), axiom)

    def inverse_properties(self, axiom: Expression) -> None:
        one, other = axiom.args
        if type(one) is NamedNode and type(other) is NamedNode:
            self._inverse(one, other, axiom)

    def symmetric(self, axiom: Expression) -> None:
        if type(axiom.args[0]) is NamedNode:
            self._inverse(axiom.args[0], axiom.args[0], axiom)

    def _inverse(self, one: NamedNode, other: NamedNode, axiom: Expression) -> None:
        self.inverses.setdefault(one, []).append((other, axiom))
        if one != other:
            self.inverses.setdefault(other, []).append((one, axiom))

    def domain(self, axiom: Expression) -> None:
        self._end(axiom, self.domains, self.ranges)

    def range(self, axiom: Expression) -> None:
        self._end(axiom, self.ranges, self.domains)

    def _end(
        self,
        axiom: Expression,
        here: dict[NamedNode, list[tuple[Argument, Expression]]],
        there: dict[NamedNode, list[tuple[Argument, Expression]]],
    ) -> None:
        prop, kind = axiom.args
        if type(prop) is Expression:
            here, prop = there, prop.args[0]
        here.setdefault(name(prop), []).append((kind, axiom))

    def data_range(self, axiom: Expression) -> None:
        self.data_ranges.setdefault(name(axiom.args[0]), []).append((axiom.args[1], axiom))

    def functional(self, axiom: Expression) -> None:
        self.functional_data.setdefault(name(axiom.args[0]), axiom)

    def is_transitive(self, axiom: Expression) -> None:
        if type(axiom.args[0]) is NamedNode:
            self.transitive.setdefault(axiom.args[0], axiom)

    def sub_class(self, axiom: Expression) -> None:
        lower, upper = axiom.args
        if lower == OWL.Thing:
            self._about_everything(upper, axiom)
        elif type(lower) is NamedNode:
            self._class_above(lower, upper, axiom)

    def equivalent_classes(self, axiom: Expression) -> None:
        for one in axiom.args:
            for other in axiom.args:
                if type(one) is NamedNode and other != one:
                    self._class_above(one, other, axiom)

    def _class_above(self, lower: NamedNode, upper: Argument, axiom: Expression) -> None:
        parts = upper.args if is_headed(upper, "ObjectIntersectionOf") else (upper,)
        above = [(part, axiom) for part in parts if type(part) is NamedNode]
        self.super_classes.setdefault(lower, []).extend(above)

    def _about_everything(self, kind: Argument, axiom: Expression) -> None:
        """`owl:Thing SubClassOf p only R` is a range, and `p max 1` makes a property functional."""
        if type(kind) is not Expression:
            return
        if kind.head == "ObjectIntersectionOf":
            for part in kind.args:
                self._about_everything(part, axiom)
        elif kind.head == "DataAllValuesFrom" and len(kind.args) == 2:
            self.data_ranges.setdefault(name(kind.args[0]), []).append((kind.args[1], axiom))
        elif kind.head == "DataMaxCardinality" and len(kind.args) == 2 and number(kind.args[0]) <= 1:
            self.functional_data.setdefault(name(kind.args[1]), axiom)
        elif kind.head == "ObjectAllValuesFrom" and type(kind.args[0]) is NamedNode:
            self.ranges.setdefault(kind.args[0], []).append((kind.args[1], axiom))

    def fact(self, axiom: Expression) -> None:
        prop, source, value = axiom.args
        if type(prop) is Expression:
            prop, source, value = prop.args[0], value, source
        if not isinstance(value, int | Expression):
            self.facts.setdefault(subject(source), {}).setdefault(name(prop), []).append((value, axiom))


_NOTES = {
    **dict.fromkeys(["SubObjectPropertyOf", "SubDataPropertyOf"], _Index.sub_property),
    **dict.fromkeys(["EquivalentObjectProperties", "EquivalentDataProperties"], _Index.equivalent_properties),
    "InverseObjectProperties": _Index.inverse_properties,
    "SymmetricObjectProperty": _Index.symmetric,
    **dict.fromkeys(["ObjectPropertyDomain", "DataPropertyDomain"], _Index.domain),
    "ObjectPropertyRange": _Index.range,
    "DataPropertyRange": _Index.data_range,
    "FunctionalDataProperty": _Index.functional,
    "TransitiveObjectProperty": _Index.is_transitive,
    "SubClassOf": _Index.sub_class,
    "EquivalentClasses": _Index.equivalent_classes,
    **dict.fromkeys(["ObjectPropertyAssertion", "DataPropertyAssertion"], _Index.fact),
}


def load_schema(ontologies: Sequence[str | Path | Graph | Loaded], library: Library | None = None) -> Schema:
    """One or several ontologies as one, with their imports as far as the library has them.

    InputError if a file cannot be read. Imports that are not found are in the notes, and in `missing_imports`.
    """
    if not ontologies:
        raise InputError("no ontology was given")
    documents = [_loaded(ontology) for ontology in ontologies]
    whole = documents[0]
    if len(documents) > 1:
        notes = tuple(f"{document.name}: {note}" for document in documents for note in document.notes)
        whole = Loaded(united(documents), whole.format, ", ".join(document.name for document in documents), notes)
    complete = with_imports(whole, library or Library())
    return Schema(complete.graph, complete.notes)


def _loaded(ontology: str | Path | Graph | Loaded) -> Loaded:
    if isinstance(ontology, Graph):
        return Loaded(ontology, by_name("turtle"), "the ontology")
    return ontology if isinstance(ontology, Loaded) else load(ontology)


def check_consistency(schema: Schema, reasoner: Reasoner, seconds: float = _SECONDS_FOR_A_REASON) -> str:
    """InputError if the ontology is inconsistent, with the reason; else why this is undecided, or nothing.

    `seconds` is the time for the reason.
    """
    core = replace(schema.ontology, axioms=tuple(core_of(schema.ontology.axioms)), declared=())
    (answer,) = reasoner.answer(core, [Consistency()])
    if answer.value is not False:
        return "" if answer.decided else answer.why
    raise inconsistent(schema, _reason(core, reasoner, seconds))


def _reason(core: Ontology, reasoner: Reasoner, seconds: float) -> _Axioms:
    """Axioms that contradict each other: found with a fast reasoner, and confirmed by the given one."""
    fast = hosted("rustdl")
    try:
        first = explain(core, fast, seconds=seconds).axioms
    finally:
        fast.close()
    if first is not None and reasoner.answer(Ontology(first), [Consistency()])[0].value is False:
        return first
    found = explain(core, reasoner, seconds=seconds)
    return found.axioms if found.is_found and found.axioms is not None else ()


def inconsistent(schema: Schema, axioms: Sequence[Expression]) -> InputError:
    """The error for an inconsistent ontology, with the axioms that contradict each other, if they are known."""
    reason = "; ".join(map(schema.words, axioms)) or "no reason was found in time"
    return InputError(
        f"the ontology is inconsistent: {reason}. No graph is consistent with it, so every query would be wrong",
        hint="kgprobe explain shows the reason",
    )
