"""Passes that simplify expressions, names and literals, without leaving out axioms."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from itertools import chain, islice

from kgprobe.owl.axioms import Axiom, AxiomView
from kgprobe.owl.entities import entities
from kgprobe.owl.expression import Argument, Expression, OntologyDocument, split_annotations
from kgprobe.owl.grammar import CHAINS, COLLECTIONS, GROUPS, OBJECT_COUNTS
from kgprobe.owl.name_kinds import is_reserved
from kgprobe.owl.to_triples import triples
from kgprobe.rdf.graph import Graph
from kgprobe.rdf.spelling import STANDARD_PREFIXES, Spelling
from kgprobe.rdf.terms import OWL, RDF, XSD, BlankNode, Literal, NamedNode, Term, Triple
from kgprobe.reduction.graph_problem import GraphProblem, exactly
from kgprobe.reduction.problem import Steps

# One of their arguments can be left out.
_LISTS = frozenset({*COLLECTIONS, "ObjectPropertyChain"})
_MANY = frozenset({*CHAINS, *GROUPS})
# Each of their arguments can replace the whole expression.
_OF_OPERANDS = frozenset(
    {
        *("ObjectIntersectionOf", "ObjectUnionOf", "ObjectComplementOf", "ObjectInverseOf"),
        *("DataIntersectionOf", "DataUnionOf", "DataComplementOf"),
    }
)
# The last of their arguments can, if it is a class. The number is its position.
_RESTRICTIONS = {
    **dict.fromkeys(("ObjectSomeValuesFrom", "ObjectAllValuesFrom"), 2),
    **dict.fromkeys(OBJECT_COUNTS, 3),
}


def smaller_expressions(problem: GraphProblem, graph: Graph) -> Steps[Graph, Graph]:
    """A graph that still fails, in which no expression can be made smaller in one step."""
    problem.phase = "expressions"
    place = 0
    while (number := (yield from problem.first(_from(graph, place, problem.stays)))) is not None:
        simpler = next(islice(_from(graph, place, problem.stays), number, None))
        problem.trail.restate(graph, simpler)
        graph = simpler
        place += number
    return graph


def _from(graph: Graph, place: int, stays: frozenset[Triple]) -> Iterator[Graph]:
    """All simpler graphs, starting at a place: those that were tried most recently come last."""
    return chain(islice(_simpler_graphs(graph, stays), place, None), islice(_simpler_graphs(graph, stays), place))


def _simpler_graphs(graph: Graph, stays: frozenset[Triple]) -> Iterator[Graph]:
    labels = {term.value for term in graph.terms() if type(term) is BlankNode}
    for axiom in AxiomView(graph):
        if axiom.expression is None or len(axiom.triples) == 1 or not stays.isdisjoint(axiom.triples):
            continue
        for tree in _simpler(axiom.expression):
            candidate = _restated(graph, axiom, tree, labels)
            if len(candidate) < len(graph):
                yield candidate


def _restated(graph: Graph, axiom: Axiom, tree: Expression, labels: set[str]) -> Graph:
    """The graph with this axiom replaced by another."""
    candidate = graph.copy()
    for triple in axiom.triples:
        candidate.remove(triple)
    for statement in triples(OntologyDocument(axioms=(tree,)), header=False, reserved=labels):
        candidate.add(Triple(*statement))
    return candidate


def _simpler(tree: Expression) -> Iterator[Expression]:
    """The tree with one of its parts made smaller, the largest steps first."""
    # Not recursive: a tree from an untrusted file can be deeper than Python's stack.
    nodes: list[tuple[Expression, int, int]] = [(tree, -1, 0)]
    for number, (node, _, _) in enumerate(nodes):
        nodes.extend((part, number, place) for place, part in enumerate(node.args) if type(part) is Expression)
    for number, (node, _, _) in enumerate(nodes):
        for smaller in _steps(node):
            current, above = smaller, number
            while nodes[above][1] >= 0:
                _, parent, place = nodes[above]
                around = nodes[parent][0]
                current, above = _with_argument(around, place, current), parent
            yield current


def _steps(tree: Expression) -> Iterator[Expression]:
    """The tree with one of its direct arguments made smaller or removed."""
    head = tree.head
    annotations, arguments = split_annotations(tree)
    places = range(len(annotations), len(tree.args))
    for place in places:
        argument = tree.args[place]
        if type(argument) is Expression:
            for part in _in_place_of(argument, is_filler=head in _RESTRICTIONS):
                yield _with_argument(tree, place, part)
    if head in _MANY | _LISTS and len(arguments) > 2:  # with two, one of them can replace the whole
        for place in places:
            yield _with_argument(tree, place)


def _with_argument(tree: Expression, place: int, *replacement: Argument) -> Expression:
    """The expression with another argument at this place, or without it."""
    return Expression(tree.head, *tree.args[:place], *replacement, *tree.args[place + 1 :])


def _in_place_of(tree: Expression, *, is_filler: bool) -> Iterator[Argument]:
    """Expressions that can replace this one: one of its parts or, after a property, owl:Thing."""
    head = tree.head
    if head in _OF_OPERANDS:
        yield from (part for part in tree.args if part != OWL.Thing)
    elif head in _RESTRICTIONS and len(tree.args) >= _RESTRICTIONS[head] and tree.args[-1] != OWL.Thing:
        yield tree.args[-1]
    if is_filler and head != "ObjectInverseOf":  # that is a property
        yield OWL.Thing


# -- names -------------------------------------------------------------------------------------------------------------

_NAMESPACE = "http://example.org/"
_WORDS = re.compile(r"[A-Za-z]+")
_PREFIXES = {"": _NAMESPACE, **STANDARD_PREFIXES}
_CLASSES, _PROPERTIES, _OTHERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "pqrstuvw", "abcdefghijklmno"


def simpler_names(problem: GraphProblem, graph: Graph, *, keep: Collection[Term] = ()) -> Steps[Graph, Graph]:
    """The graph with generic names for as many of its names as possible, while it still fails.

    A reader of the result sees its structure, and does not look for the reason of the failure in the names.
    """
    problem.phase = "names"
    mapping = generic_names(graph, keep)
    pending = [list(mapping)] if mapping else []
    done: dict[NamedNode, NamedNode] = {}
    result = graph
    while pending:
        some = pending.pop(0)
        tried = done | {name: mapping[name] for name in some}
        candidate = renamed(graph, tried)
        if (yield from problem.fails(candidate)):
            done, result = tried, candidate
        elif len(some) > 1:
            middle = len(some) // 2
            pending += [some[:middle], some[middle:]]
    if done:
        yield from problem.adopt(result)
        full = _full(graph, done)
        problem.trail.replace(lambda triple: _mapped(triple, full))
    return result


def generic_names(graph: Graph, keep: Collection[Term] = ()) -> dict[NamedNode, NamedNode]:
    """A new name for each name that can have one, in the order in which the names first appear."""
    known = entities(graph)
    properties = known.object_properties | known.data_properties | known.annotation_properties
    fixed = frozenset(keep) | _datatypes_of_literals(graph)
    taken = {name for name in _names(graph) if name in fixed}
    fresh = {letters: _fresh(letters, taken) for letters in (_CLASSES, _PROPERTIES, _OTHERS)}
    found: dict[NamedNode, NamedNode] = {}
    for name in _names(graph):
        if name not in taken and not is_reserved(name):
            if name in known.classes or name in known.datatypes:
                letters = _CLASSES
            else:
                letters = _PROPERTIES if name in properties else _OTHERS
            found[name] = next(fresh[letters])
    return {old: new for old, new in found.items() if old != new} if _changes(found) else {}


def renamed(graph: Graph, mapping: Mapping[NamedNode, NamedNode]) -> Graph:
    """The graph with names replaced."""
    full = _full(graph, mapping)
    return exactly(
        (_mapped(triple, full) for triple in graph),
        Spelling(_prefixes(graph, full), graph.spelling.language_tags),
    )


def _full(graph: Graph, mapping: Mapping[NamedNode, NamedNode]) -> dict[object, NamedNode]:
    """The mapping, extended: a name that the mapping gives to another one, and that would stay, is replaced as well."""
    clashes = {new for new in mapping.values() if new not in mapping}
    full: dict[object, NamedNode] = dict(mapping.items())
    spare = (NamedNode(f"{_NAMESPACE}old{number}") for number in itertools.count())
    for name in _names(graph):
        if name in clashes:
            full[name] = next(candidate for candidate in spare if not graph.mentions(candidate))
    return full


def _prefixes(graph: Graph, mapping: Mapping[object, NamedNode]) -> dict[str, str]:
    """The prefixes for generic names and vocabularies, and those of the graph that the remaining names still need."""
    stay = [name.value for name in _names(graph) if name not in mapping and not is_reserved(name)]
    needed = {
        prefix or _prefix_for(namespace): namespace
        for prefix, namespace in graph.spelling.prefixes.items()
        if namespace != _NAMESPACE and any(name.startswith(namespace) for name in stay)
    }
    return needed | _PREFIXES


def _prefix_for(namespace: str) -> str:
    """A prefix for a namespace whose empty prefix is now for generic names: the last word of the namespace."""
    words: list[str] = _WORDS.findall(namespace)
    return words[-1].lower() if words else "former"


def _mapped(triple: Triple, mapping: Mapping[object, NamedNode]) -> Triple:
    value = triple.object
    return Triple(
        mapping.get(triple.subject, triple.subject),
        mapping.get(triple.predicate, triple.predicate),
        _mapped(value, mapping) if type(value) is Triple else mapping.get(value, value),
    )


def _changes(mapping: Mapping[NamedNode, NamedNode]) -> bool:
    """Whether new names are needed: names that are already generic stay, whichever letter each has."""
    return any(not _is_generic(name) for name in mapping)


def _is_generic(name: NamedNode) -> bool:
    local = name.value.removeprefix(_NAMESPACE)
    return local != name.value and local[:1].isalpha() and (len(local) == 1 or local[1:].isdigit())


def _names(graph: Graph) -> Iterator[NamedNode]:
    """Each name once, in the order of appearance."""
    seen: set[object] = set()
    pending: list[Triple] = list(graph)[::-1]
    while pending:
        triple = pending.pop()
        for part in (triple.subject, triple.predicate, triple.object):
            if type(part) is Triple:
                pending.append(part)
            elif type(part) is NamedNode and part not in seen:
                seen.add(part)
                yield part


def _datatypes_of_literals(graph: Graph) -> frozenset[Term]:
    return frozenset(term.datatype for term in graph.terms() if type(term) is Literal)


def _fresh(letters: str, taken: Collection[NamedNode]) -> Iterator[NamedNode]:
    locals_ = itertools.chain(letters, (f"{letters[0]}{number}" for number in itertools.count(1)))
    return (name for name in map(NamedNode, (_NAMESPACE + local for local in locals_)) if name not in taken)


# -- literals ----------------------------------------------------------------------------------------------------------

_TEXTS = frozenset({XSD.string, RDF.langString})
_NUMBERS = frozenset(
    {
        *(XSD.integer, XSD.decimal, XSD.double, XSD.float, XSD.nonNegativeInteger),
        *(XSD.int, XSD.long, XSD.short, XSD.byte, XSD.unsignedInt, XSD.unsignedLong),
    }
)


def simpler_literals(problem: GraphProblem, graph: Graph) -> Steps[Graph, Graph]:
    """A graph that still fails, with shorter literals: all at once if possible, otherwise one after the other."""
    problem.phase = "literals"
    fixed = {triple.object for triple in problem.stays}
    literals = (literal for literal in _literals(graph) if literal not in fixed)
    shortest = {literal: options[0] for literal in literals if (options := list(_shorter(literal)))}
    if not shortest:
        return graph
    candidate = _replaced(graph, shortest)
    if (yield from problem.fails(candidate)):
        yield from problem.adopt(candidate)
        problem.trail.replace(lambda triple: _with_literals(triple, shortest))
        return candidate
    for literal in shortest:
        current = literal
        while True:
            options = list(_shorter(current))
            number = yield from problem.first(_replaced(graph, {current: option}) for option in options)
            if number is None:
                break
            found = {current: options[number]}
            graph = _replaced(graph, found)
            problem.trail.replace(partial(_with_literals, mapping=found))
            current = options[number]
            yield from problem.adopt(graph)
    return graph


def _literals(graph: Graph) -> Iterator[Literal]:
    """The literals that are values. A literal that is part of OWL, such as a cardinality, is not."""
    seen: set[Literal] = set()
    for triple in graph:
        value = triple.object
        if type(value) is Literal and value not in seen and not triple.predicate.value.startswith(OWL.iri):
            seen.add(value)
            yield value


def _shorter(literal: Literal) -> Iterator[Literal]:
    """Literals that can replace this one, the shortest first."""
    text = literal.value
    if literal.datatype in _TEXTS:
        for length in dict.fromkeys((0, 1, len(text) // 2)):
            if length < len(text):
                yield _like(literal, text[:length])
    elif literal.datatype in _NUMBERS and text != "0":
        yield _like(literal, "0")


def _like(literal: Literal, text: str) -> Literal:
    if literal.language:
        return Literal(text, language=literal.language)
    return Literal(text, datatype=literal.datatype)


def _replaced(graph: Graph, mapping: Mapping[Literal, Literal]) -> Graph:
    return exactly((_with_literals(triple, mapping) for triple in graph), graph.spelling)


def _with_literals(triple: Triple, mapping: Mapping[Literal, Literal]) -> Triple:
    if type(triple.object) is not Literal or triple.predicate.value.startswith(OWL.iri):
        return triple
    return Triple(triple.subject, triple.predicate, mapping.get(triple.object, triple.object))
