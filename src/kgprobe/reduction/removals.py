"""Removes axioms: as many as possible at first, and at the end one by one, with single triples.

A name's declarations come and go with the axioms that use the name, because an axiom without them may be read as
another one. The last pass removes the declarations that are not needed. No single axiom and no single loose triple can
be removed from its result. A triple is *loose* if, without it,

- no RDF list is broken that was complete, and none is left that nothing leads to;
- the rest of an axiom still parses as one or more axioms: no class expression is left incomplete.

A triple that is an axiom by itself is loose. All triples of a graph that is not OWL are. If a structure is broken from
the start, its complete lists and expressions stay complete, and the rest is loose.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from kgprobe.owl.axiom_groups import axiom_groups
from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.owl.expression import Expression, inner, name, parts_of
from kgprobe.owl.name_kinds import ANNOTATION, NameKinds, is_reserved
from kgprobe.rdf.graph import BrokenListError, Delta, Graph, read_list
from kgprobe.rdf.terms import OWL, RDF, RDFS, BlankNode, NamedNode, Term, Triple
from kgprobe.reduction.graph_problem import GraphProblem, with_only, without
from kgprobe.reduction.problem import Steps
from kgprobe.reduction.search import Relevance, names_in, needed

__all__ = [
    "annotation_triples",
    "change_groups",
    "changes_between",
    "fewer_axioms",
    "fewer_changes",
    "fewer_removed",
    "is_idle",
    "loose_triples",
    "one_minimal",
    "removals",
]

# Axioms without a logical meaning rarely cause a failure.
_IDLE_FACTOR = 0.05
_MOST_COMPLETIONS = 10
_IDLE = frozenset(
    {
        *("Declaration", "Ontology", "Import"),
        *("SubAnnotationPropertyOf", "AnnotationPropertyDomain", "AnnotationPropertyRange"),
    }
)
_CELL = (RDF.first, RDF.rest)
_PROBE = NamedNode("urn:kgprobe:probe")


def fewer_axioms(
    problem: GraphProblem, graph: Graph, *, hints: Collection[Term] = (), changed: Collection[Triple] = ()
) -> Steps[Graph, Graph]:
    """A graph with only the axioms that the failure needs. `hints` (names) and `changed` are near its cause."""
    problem.phase = "axioms"
    axioms = list(AxiomView(graph))
    groups = _Groups(axioms)
    new = frozenset(changed)
    near = [number for number, axiom in enumerate(axioms) if not new.isdisjoint(axiom.triples)]
    fixed = [number for number, axiom in enumerate(axioms) if not problem.stays.isdisjoint(axiom.triples)]
    free = sorted(set(range(len(axioms))).difference(fixed))
    relevance = Relevance(groups.names, known=hints, near=near, factor=groups.factor)
    completion = _Completion(problem, graph, axioms)

    def graph_of(numbers: Iterable[int]) -> Graph:
        chosen = {*fixed, *(free[number] for number in numbers)}
        return completion.completed(chosen, lambda some: with_only(graph, groups.triples(some)))

    def verdicts(sets: Sequence[Sequence[int]]) -> Steps[Graph, list[bool]]:
        return problem.verdicts([graph_of(numbers) for numbers in sets])

    def weights(found: Sequence[int], rest: Sequence[int]) -> Sequence[float]:
        return relevance.weights([*fixed, *(free[number] for number in found)], [free[number] for number in rest])

    found = yield from needed(len(free), verdicts, weights, batch=problem.batch)
    return graph_of(found)


def is_idle(axiom: Axiom, annotation_properties: Collection[object]) -> bool:
    """Whether an axiom has no logical meaning: a declaration, an annotation, the ontology's name."""
    if axiom.head != "AnnotationAssertion":
        return axiom.head in _IDLE
    # In data that declares nothing, every triple looks like an annotation.
    predicates = [triple.predicate for triple in axiom.triples]
    return any(predicate in annotation_properties or is_reserved(predicate) for predicate in predicates)


class _Completion:
    """Adds triples that the mask requires to a part of a graph.

    A shape may require a second property of each node that has a first one. A part with only the first would never run,
    and the search would conclude that the failure needs everything that a shape requires.
    """

    def __init__(self, problem: GraphProblem, graph: Graph, axioms: Sequence[Axiom]) -> None:
        self._problem = problem
        self._graph = graph
        self._about: defaultdict[object, list[int]] = defaultdict(list)
        for number, axiom in enumerate(axioms):
            for subject in dict.fromkeys(triple.subject for triple in axiom.triples):
                self._about[subject].append(number)

    def completed(self, numbers: set[int], graph_of: Callable[[set[int]], Graph]) -> Graph:
        """The graph of these axioms, with the axioms about nodes that the mask objects to, if that helps."""
        graph = graph_of(numbers)
        chosen = set(numbers)
        nodes: set[object] = set()
        for _ in range(_MOST_COMPLETIONS):
            objections = self._problem.objections(graph)
            if not objections:
                break
            # A missing triple may be about a node that is related to the one in the objection.
            near = {row.object for node in objections if node in nodes for row in self._graph.triples(node)}
            nodes |= objections | near
            more = {number for node in nodes for number in self._about[node]} - chosen
            if not more:
                break
            chosen |= more
            graph = graph_of(chosen)
        return graph


class _Groups:
    """The axioms by number, the names in each, and the declarations that each needs."""

    def __init__(self, axioms: Sequence[Axiom]) -> None:
        self._axioms = axioms
        self.names = [names_in(axiom.triples) for axiom in axioms]
        self._declaring: defaultdict[Term, list[int]] = defaultdict(list)
        annotation_properties: set[Term] = set()
        for number, axiom in enumerate(axioms):
            if axiom.expression is not None and axiom.head == "Declaration":
                entity = inner(axiom.expression.args[-1])
                declared = name(entity.args[0])
                self._declaring[declared].append(number)
                if entity.head == ANNOTATION:
                    annotation_properties.add(declared)
        self._factors = [
            _IDLE_FACTOR if is_idle(axiom, annotation_properties) else rarity
            for axiom, rarity in zip(axioms, _rarities(axioms), strict=True)
        ]

    def factor(self, number: int) -> float:
        """How likely an axiom of this kind is to matter, regardless of its names."""
        return self._factors[number]

    def triples(self, numbers: Iterable[int]) -> set[Triple]:
        """The triples of these axioms and of the declarations of the names in them."""
        chosen = set(numbers)
        for each in set().union(*(self.names[number] for number in chosen)):
            chosen.update(self._declaring.get(each, ()))
        return {triple for number in chosen for triple in self._axioms[number].triples}


def _rarities(axioms: Sequence[Axiom]) -> list[float]:
    """A number around 1 for each axiom: half of it is the same for all, and half is divided among shapes of axioms.

    Software fails on unusual constructs more often than on those that its authors have met a thousand times.
    """
    shapes = [_shape(axiom) for axiom in axioms]
    frequency = Counter(shapes)
    share = len(axioms) / (2 * len(frequency)) if frequency else 0.0
    return [0.5 + share / frequency[shape] for shape in shapes]


def _shape(axiom: Axiom) -> frozenset[str]:
    """The constructs that an axiom uses, and the built-in classes and properties in it."""
    found: set[str] = set()
    for part in parts_of(axiom.expression) if axiom.expression is not None else ():
        if type(part) is Expression:
            found.add(part.head)
        elif type(part) is NamedNode and is_reserved(part):
            found.add(str(part))
    return frozenset(found)


def one_minimal(problem: GraphProblem, graph: Graph) -> Steps[Graph, Graph]:
    """A graph that fails, but no longer fails if any one of its axioms or loose triples is removed.

    Each is tried; after a success, those tried before are tried again, because they may not be needed any longer.
    """
    problem.phase = "single axioms and triples"
    graph = yield from _without_idle(problem, graph)
    place = 0
    while True:
        parts = [part for part in removals(graph) if problem.stays.isdisjoint(part)]
        order = parts[place:] + parts[:place]
        number = yield from problem.first(without(graph, part) for part in order)
        if number is None:
            return graph
        graph = without(graph, order[number])
        place = (place + number) % len(parts)


def removals(graph: Graph) -> Iterator[tuple[Triple, ...]]:
    """All parts that are tried: axioms without logical meaning, other axioms, annotations of axioms, and triples."""
    axioms = list(AxiomView(graph))
    yield from (axiom.triples for axiom in axioms if is_idle(axiom, ()))
    yield from (axiom.triples for axiom in axioms if not is_idle(axiom, ()))
    for axiom in axioms:
        annotations = annotation_triples(axiom)
        if 0 < len(annotations) < len(axiom.triples):
            yield tuple(annotations)
    yield from ((triple,) for triple in loose_triples(graph))


def _without_idle(problem: GraphProblem, graph: Graph) -> Steps[Graph, Graph]:
    """The graph without all axioms that have no logical meaning, if it still fails. Often these are the majority."""
    axioms = list(AxiomView(graph))
    idle = [axiom.triples for axiom in axioms if is_idle(axiom, ())]
    notes = [annotation_triples(axiom) for axiom in axioms if not is_idle(axiom, ())]
    for parts in ([*idle, *notes], notes):
        removed = [triple for part in parts for triple in part if triple not in problem.stays]
        if removed and (yield from problem.fails(smaller := without(graph, removed))):
            return smaller
    return graph


def loose_triples(graph: Graph) -> Iterator[Triple]:
    """The loose triples of axioms that have more than one triple. All other loose triples are axioms themselves."""
    view = AxiomView(graph)
    kinds = NameKinds(graph)
    for axiom in list(view):
        if len(axiom.triples) > 1:
            for triple in axiom.triples:
                if not _holds_a_list(graph, triple) and _stays_readable(graph, axiom, triple, view, kinds):
                    yield triple


def annotation_triples(axiom: Axiom) -> list[Triple]:
    """The triples of an axiom that only annotate it, including nested annotations."""
    if axiom.expression is None or len(axiom.triples) == 1:
        return []
    nodes = {
        triple.subject
        for triple in axiom.triples
        if triple.predicate == RDF.type
        and triple.object in (OWL.Axiom, OWL.Annotation)
        and type(triple.subject) is BlankNode
    }
    return [triple for triple in axiom.triples if triple.subject in nodes]


def _holds_a_list(graph: Graph, triple: Triple) -> bool:
    """Whether, without this triple, a complete list would be broken or no longer used."""
    cell = triple.subject if triple.predicate in _CELL else triple.object
    return not isinstance(cell, Triple) and _is_list(graph, cell)


def _is_list(graph: Graph, head: Term) -> bool:
    try:
        return bool(read_list(graph, head).triples)
    except BrokenListError:
        return False


def _stays_readable(graph: Graph, axiom: Axiom, triple: Triple, view: AxiomView, kinds: NameKinds) -> bool:
    if axiom.expression is None:
        return not (type(triple.subject) is BlankNode and _is_expression(graph, triple.subject, kinds))
    delta = Delta(removed=[triple])
    smaller = graph.copy()
    smaller.apply(delta)
    come = view.follow(smaller, delta).come
    view.follow(graph, delta)
    return all(each.expression is not None for each in come)


def _is_expression(graph: Graph, node: BlankNode, kinds: NameKinds) -> bool:
    """Whether the triples below a blank node form one complete class expression."""
    found: dict[Triple, None] = {Triple(_PROBE, RDFS.subClassOf, node): None}
    pending: list[Term] = [node]
    seen: set[Term] = set()
    while pending:
        current = pending.pop()
        if type(current) is BlankNode and current not in seen:
            seen.add(current)
            for triple in graph.triples(current):
                found[triple] = None
                pending.append(triple.object)  # type: ignore[arg-type]  # a triple term is not a node to follow
    groups = axiom_groups(found, kinds)
    return len(groups) == 1 and groups[0].expression is not None


# -- the changes of a mutant -------------------------------------------------------------------------------------------
# Changes are undone in groups: those that touch the same axiom, or that share a blank node, make sense only together.

# A removed triple causes a failure less often than a new one.
_ONLY_REMOVED = 0.5


def changes_between(seed: Graph, graph: Graph) -> Delta:
    """The changes between two graphs in which unchanged blank nodes have the same labels."""
    if seed.table is graph.table:
        mine, theirs = seed.changed_keys, graph.changed_keys
        touched = {*mine, *theirs}
        return Delta(
            removed=[seed.triple(keys) for keys in touched if seed.has(*keys) and not graph.has(*keys)],
            added=[graph.triple(keys) for keys in touched if graph.has(*keys) and not seed.has(*keys)],
        )
    return Delta(
        removed=[triple for triple in seed if triple not in graph],
        added=[triple for triple in graph if triple not in seed],
    )


def fewer_changes(
    problem: GraphProblem, seed: Graph, delta: Delta, *, hints: Collection[Term] = ()
) -> Steps[Graph, Delta]:
    """Only the changes that the failure needs. The seed graph with all of them is known to fail."""
    problem.phase = "mutations"
    groups = change_groups(seed, delta)
    names = [names_in(group.removed + group.added) for group in groups]

    def mutant(numbers: Sequence[int]) -> Graph:
        graph = seed.copy()
        graph.apply(_together(groups[number] for number in numbers))
        return graph

    def verdicts(sets: Sequence[Sequence[int]]) -> Steps[Graph, list[bool]]:
        return problem.verdicts([mutant(numbers) for numbers in sets])

    def factor(number: int) -> float:
        return 1.0 if groups[number].added else _ONLY_REMOVED

    relevance = Relevance(names, known=hints, factor=factor)
    found = yield from needed(len(groups), verdicts, relevance.weights, batch=problem.batch)
    return _together(groups[number] for number in found)


def fewer_removed(problem: GraphProblem, graph: Graph) -> Steps[Graph, bool]:
    """Leave removed triples out of both graphs of a pair, if the difference stays; whether any could be left out."""
    problem.phase = "removed triples"
    is_smaller = False
    tried = 0
    while problem.changes is not None and tried < len(problem.changes.removed):
        changes = problem.changes
        fewer = Delta(changes.removed[:tried] + changes.removed[tried + 1 :], changes.added)
        problem.changes = fewer
        try:
            fails = yield from problem.fails(graph)
        finally:
            problem.changes = changes
        tried = 0 if fails else tried + 1
        if fails:
            is_smaller = True
            yield from problem.compare(graph, fewer)
    return is_smaller


def change_groups(seed: Graph, delta: Delta) -> list[Delta]:
    """The delta in parts that can be applied independently."""
    mutant = seed.copy()
    mutant.apply(delta)
    before, after = AxiomView(seed), AxiomView(mutant)
    leader: dict[object, object] = {}

    def find(item: object) -> object:
        while leader.setdefault(item, item) != item:
            item = leader[item]
        return item

    changed = [(triple, before) for triple in delta.removed] + [(triple, after) for triple in delta.added]
    for triple, view in changed:
        # All triples of an axiom are joined with its first triple, and with their blank nodes.
        axiom = view.axiom_of(triple)
        blanks = (
            [name for name in names_in(axiom.triples) if isinstance(name, BlankNode)] if len(axiom.triples) > 1 else []
        )
        blanks += [name for name in names_in([triple]) if isinstance(name, BlankNode)]
        for item in (("axiom", axiom.triples[0]), *blanks):
            leader[find(item)] = find(triple)
    parts: defaultdict[object, list[Triple]] = defaultdict(list)
    for triple, _ in changed:
        parts[find(triple)].append(triple)
    gone = frozenset(delta.removed)
    return [
        Delta([each for each in part if each in gone], [each for each in part if each not in gone])
        for part in parts.values()
    ]


def _together(deltas: Iterable[Delta]) -> Delta:
    several = list(deltas)
    return Delta(
        removed=[triple for delta in several for triple in delta.removed],
        added=[triple for delta in several for triple in delta.added],
    )
